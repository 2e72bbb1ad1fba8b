//! What the page shows, and how it changes: one value and a pure reducer. Nothing here touches the browser or the engine.

mod action;
mod look;
mod no_table;
mod part_colors;
mod reduce;
mod result;
mod shell;
mod shown;
mod stored_keys;
#[cfg(test)]
mod tests;
mod undo;

use std::rc::Rc;

use tabletop_client::Room;
use tabletop_model::{ColumnFamily, Error, TabletId};
use tabletop_schema::{DataView, DesignView, EventsView, Query, SampleInfo, StorageView, Workspace};
use yew::AttrValue;

pub use action::{Action, Edit, EngineState};
pub use look::{Deleting, KeyForm, Look, Measure, Naming, Pane, RangeEnd, SourceKind, WrongFormat};
pub use no_table::NoTable;
pub use part_colors::PartColors;
pub use result::{KeyPlace, QueryResult, ReadState, ResultLine};
pub use shell::{
    CommandHistory, CommandStatus, KeyPress, LANGUAGES, LogEntry, Pressed, PromptContext, PromptLine, ROWS_FILE, ShellEvent,
    ShellLog, ShellState, prompt_of,
};
pub use shown::Shown;
pub use stored_keys::StoredKeys;
use undo::UndoHistory;

/// All that the page shows.
pub struct PageState {
    /// What the person made, with every change to it so far.
    pub workspace: Rc<Workspace>,
    history: UndoHistory,
    /// Which design is on the screen.
    pub design: usize,
    /// Sample sets that the engine knows.
    pub samples: Rc<Vec<SampleInfo>>,
    /// The events, as the engine has them.
    pub data: Rc<DataView>,
    /// The first of them.
    pub preview: Rc<EventsView>,
    /// The design's table, as the engine last drew it.
    pub view: Rc<DesignView>,
    /// Rows of the question that was asked last.
    pub result: Rc<QueryResult>,
    /// That question, and the revision of the design that it was asked of.
    asked: Option<(Query, u64)>,
    /// Whether there is an engine to ask.
    pub engine: EngineState,
    /// The tablet that the inspector shows.
    pub tablet: Option<TabletId>,
    /// Other events were chosen, and the engine has said nothing of them yet.
    events_are_coming: bool,
    /// What another tab has saved in place of this workspace. Until a person decides between them, this tab saves for itself.
    pub other_tab: Option<Rc<Workspace>>,
    /// A person's own file is named by the workspace, but its bytes are not in this page.
    pub own_missing: bool,
    /// What is kept in this browser.
    pub storage: Rc<StorageView>,
    /// The room that it has for all pages of this origin.
    pub room: Option<Room>,
    /// Bytes of the own file that was chosen last.
    pub own_bytes: u64,
    /// What follows from the rest, kept so that panes are not drawn again for nothing.
    pub shown: Shown,
    /// How the person looks at it: no part of the workspace, and of no interest to undo.
    pub look: Look,
    /// What was said in the shell.
    pub shell: ShellState,
    /// What was refused, until it is closed or something succeeds.
    pub refusal: Option<Error>,
    /// What a screen reader hears next.
    pub status: AttrValue,
}

impl PageState {
    /// A page that shows `workspace`, before the engine has said anything.
    pub fn new(workspace: Workspace) -> PageState {
        PageState {
            workspace: Rc::new(workspace),
            history: UndoHistory::default(),
            design: 0,
            samples: Rc::default(),
            data: Rc::default(),
            preview: Rc::default(),
            view: Rc::default(),
            result: Rc::default(),
            asked: None,
            engine: EngineState::Starting,
            tablet: None,
            events_are_coming: false,
            other_tab: None,
            own_missing: false,
            storage: Rc::default(),
            room: None,
            own_bytes: 0,
            shown: Shown::default(),
            look: Look::default(),
            shell: ShellState::default(),
            refusal: None,
            status: AttrValue::default(),
        }
    }

    /// Whether there is a change to take back.
    pub fn can_undo(&self) -> bool {
        self.history.can_undo()
    }

    /// Whether there is one to make again.
    pub fn can_redo(&self) -> bool {
        self.history.can_redo()
    }

    /// Whether the rows on the screen answer another question than the one beside them, or the same of an earlier design.
    pub fn answer_is_old(&self) -> bool {
        let now = (&self.workspace.query, self.view.revision);
        self.asked.as_ref().is_some_and(|(query, revision)| (query, *revision) != now)
    }

    /// The design on the screen.
    pub fn design(&self) -> &tabletop_schema::Design {
        // A workspace has at least one design, and `design` is kept below their number.
        &self.workspace.designs[self.design]
    }

    /// The table of the design on the screen.
    pub fn table_id(&self) -> String {
        self.workspace.table_ids().swap_remove(self.design)
    }

    /// Its families as they are, with their rules as they were looked up last.
    pub fn families(&self) -> Vec<ColumnFamily> {
        let table = self.table_id();
        let known = self.shell.spec(&table).map(|spec| spec.families.as_slice()).unwrap_or_default();
        let rules = |name: &String| known.iter().find(|family| family.name == *name).cloned();
        self.view.families.iter().map(|name| rules(name).unwrap_or_else(|| ColumnFamily::new(name.clone()))).collect()
    }
}
