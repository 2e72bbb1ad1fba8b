//! The state of the page: one value and a pure reducer. Nothing here touches the browser or the
//! engine.

mod action;
mod events;
mod given_file;
mod hand_writes;
mod inside;
mod last_edit;
mod look;
mod look_up;
mod no_table;
mod reduce;
mod remembered;
mod saved_work;
mod script_edit;
mod shown;
mod stored_data;
#[cfg(test)]
mod tests;
mod timeline;
mod undo;
mod workspaces;

use std::rc::Rc;

use tabletop_advice::{DesignCosts, DesignFigures};
use tabletop_client::Room;
use tabletop_keys::{Query, RowChoice};
use tabletop_model::{ColumnFamily, Error, TabletId};
use tabletop_protocol::{DataView, DesignView, EventsView, SampleInfo, StorageView, Suggestions};
pub use tabletop_views::compare::EntityReads;
use tabletop_views::compare::Scores;
pub use tabletop_views::compare::{ListedEvent, TabletOfEvent, event_of_row};
pub use tabletop_views::query::RangeEnd;
pub use tabletop_views::query::filter::{FilterCounts, ShownCount};
pub use tabletop_views::results::{KeyPlace, QueryResult, ReadState, ResultLine};
pub use tabletop_views::shell::{
    CommandHistory, CommandStatus, KeyPress, LANGUAGES, LogEntry, Pressed, PromptContext, PromptLine,
    ROWS_FILE, ShellEvent, ShellLog, ShellPlace, ShellState, prompt_of,
};
pub use tabletop_views::tablet::{InsideLook, SHOWN_BYTES_MAX, Sample};
pub use tabletop_views::tablets::Measure;
pub use tabletop_views::workspaces::{
    About, AboutEvents, WORKSPACE_NAME_CHARS_MAX, WorkspaceLine, free_name, lines_with,
};
pub use tabletop_views::{PartColors, StoredKeys, field_class};
use tabletop_workspace::{Proposal, Workspace};
use yew::AttrValue;

pub use action::{Action, Edit, EngineState};
pub use events::ChosenEvent;
pub use look::{Change, CloudInstance, KeyForm, Look, Pane, Part};
pub use no_table::NoTable;
pub use remembered::{GivenFile, GivenNote, HandWrites};
use remembered::{LastEdit, LastListEdit};
pub use shown::Shown;
pub use stored_data::{Deleting, StorageLook};
pub use timeline::Timeline;
use undo::UndoHistory;
use workspaces::LeftWork;
pub use workspaces::{Apart, SavedAction, Stored, WorkspaceWish, WorkspacesLook};

/// Everything that the page shows.
pub struct PageState {
    /// The user's work. The history has its earlier versions.
    pub workspace: Rc<Workspace>,
    /// The id under which it is saved.
    pub workspace_id: String,
    history: UndoHistory,
    /// The manual writes to tables of designs that the page knows of.
    pub hand_writes: HandWrites,
    /// The workspaces that were open before.
    left: LeftWork,
    last_edit: Option<LastEdit>,
    last_list_edit: Option<LastListEdit>,
    /// Index of the design shown.
    pub design: usize,
    /// The samples of the engine.
    pub samples: Rc<Vec<SampleInfo>>,
    /// The state of the events in the engine.
    pub data: Rc<DataView>,
    /// The first events.
    pub preview: Rc<EventsView>,
    /// The events of the list to which the user went, if these are not the first.
    pub listed: Option<Rc<EventsView>>,
    /// The last picture of the design's table.
    pub view: Rc<DesignView>,
    /// The number of workspaces that were opened. Each begins at its own position.
    pub opened: u32,
    /// The last figures of all designs, for Compare.
    pub compared: Rc<Vec<DesignFigures>>,
    /// The proposed designs, until they are closed or the access patterns change.
    pub proposals: Option<Rc<Vec<Proposal>>>,
    /// The measured costs of access patterns, for Compare.
    scores: Scores,
    /// What the values of the events suggest, once it is needed.
    pub suggested: Rc<Suggestions>,
    /// The template that the page has made for own events before all of them were loaded.
    first_key: Option<String>,
    /// The events of one entity on each design, until the events change.
    pub entity: Option<Rc<EntityReads>>,
    /// The rows of the last query.
    pub result: Rc<QueryResult>,
    /// What the filter of the last answered query did, if it had one.
    pub counts: Option<Rc<FilterCounts>>,
    /// The last query, and the revision of its design.
    asked: Option<(Query, u64)>,
    /// Whether the engine runs.
    pub engine: EngineState,
    /// The tablet that the inspector shows.
    pub tablet: Option<TabletId>,
    /// Whether other events were chosen, and the engine has not reported them yet.
    events_are_coming: bool,
    /// Whether there were events before these were chosen.
    left_events: bool,
    /// Why this tab saves only its own copy, if it does.
    pub apart: Option<Apart>,
    /// A workspace opened from a link or example while nothing of the user's was open, unmodified.
    visited: Option<Rc<Workspace>>,
    /// Whether the browser refuses to save the workspace.
    pub unsaved: bool,
    /// Whether the workspace names a file of the user's, but the page does not have its bytes.
    pub own_missing: bool,
    /// Own events that were given for missing ones.
    given: Option<GivenFile>,
    /// The data that this browser stores.
    pub storage: Rc<StorageView>,
    /// The storage space for all pages of this origin.
    pub room: Option<Room>,
    /// Size of the last own file that was chosen, in bytes.
    pub own_bytes: u64,
    /// Values derived from the others, kept so that panes are redrawn only after a change.
    pub shown: Shown,
    /// Everything that is open, folded or chosen on the page. It is not part of the workspace, and
    /// undo ignores it.
    pub look: Look,
    /// The state of the shell.
    pub shell: ShellState,
    /// The state of the shell on the running server that serves the page.
    pub server_shell: ShellState,
    /// The last refusal, until it is closed or an edit succeeds.
    pub refusal: Option<Error>,
    /// Whether the last edit was refused.
    edit_refused: bool,
    /// The announcement for screen readers.
    pub status: AttrValue,
    /// What was undone or redone last, until the next edit: the page shows it for some seconds.
    pub toast: AttrValue,
}

impl PageState {
    /// The state of a page with `workspace`, before the engine has answered.
    pub fn new(workspace: Workspace) -> PageState {
        PageState {
            workspace: Rc::new(workspace),
            workspace_id: String::new(),
            history: UndoHistory::default(),
            hand_writes: HandWrites::default(),
            left: LeftWork::default(),
            last_edit: None,
            last_list_edit: None,
            design: 0,
            samples: Rc::default(),
            data: Rc::default(),
            preview: Rc::default(),
            listed: None,
            view: Rc::default(),
            opened: 1,
            compared: Rc::default(),
            proposals: None,
            entity: None,
            scores: Scores::default(),
            suggested: Rc::default(),
            first_key: None,
            result: Rc::default(),
            counts: None,
            asked: None,
            engine: EngineState::Starting,
            tablet: None,
            events_are_coming: false,
            left_events: false,
            apart: None,
            visited: None,
            unsaved: false,
            own_missing: false,
            given: None,
            storage: Rc::default(),
            room: None,
            own_bytes: 0,
            shown: Shown::default(),
            look: Look::default(),
            shell: ShellState::default(),
            server_shell: ShellState::default(),
            refusal: None,
            edit_refused: false,
            status: AttrValue::default(),
            toast: AttrValue::default(),
        }
    }

    /// Returns whose tables commands of the shell are for.
    pub fn shell_place(&self) -> ShellPlace {
        if self.look.view.needs_server() { ShellPlace::Server } else { ShellPlace::Page }
    }

    /// Returns whether there is a change to undo.
    pub fn can_undo(&self) -> bool {
        self.history.can_undo()
    }

    /// Returns whether there is a change to redo.
    pub fn can_redo(&self) -> bool {
        self.history.can_redo()
    }

    /// Returns whether the rows shown belong to a query other than the current one, or to an
    /// earlier design.
    pub fn answer_is_old(&self) -> bool {
        let now = (&self.workspace.query, self.view.revision);
        self.asked.as_ref().is_some_and(|(query, revision)| (query, *revision) != now)
    }

    /// Returns the rows of the last query that was sent, or of the current query.
    pub fn asked_rows(&self) -> &RowChoice {
        self.asked.as_ref().map_or(&self.workspace.query.rows, |(query, _)| &query.rows)
    }

    /// Returns the measured costs of the workspace's access patterns on its designs.
    pub fn costs(&self) -> Vec<DesignCosts> {
        DesignCosts::of_designs(&self.scores.of(&self.workspace), &self.workspace.queries)
    }

    /// Returns the design shown.
    pub fn design(&self) -> &tabletop_workspace::Design {
        // A workspace has at least one design, and `design` is kept below their number.
        &self.workspace.designs[self.design]
    }

    /// Returns the index tables that the current query reads, to save it as an access pattern.
    pub fn read_tables(&self) -> Vec<String> {
        let design = self.design();
        design.index_of.iter().map(|_| design.name.clone()).collect()
    }

    /// Returns the id of the table of the design shown.
    pub fn table_id(&self) -> String {
        self.workspace.table_ids().swap_remove(self.design)
    }

    /// Returns the families of the table shown, with the GC rules that were last looked up.
    pub fn families(&self) -> Vec<ColumnFamily> {
        let design = self.design();
        let table = self.table_id();
        let known = self.shell.spec(&table).map(|spec| spec.families.as_slice()).unwrap_or_default();
        let rules = |name: &String| known.iter().find(|family| family.name == *name).cloned();
        let of_design = |name: &String| {
            let (gc_rule, aggregate) = (design.gc_rule(name), design.aggregate(name));
            ColumnFamily { gc_rule, aggregate, ..ColumnFamily::new(name.clone()) }
        };
        self.view.families.iter().map(|name| rules(name).unwrap_or_else(|| of_design(name))).collect()
    }
}
