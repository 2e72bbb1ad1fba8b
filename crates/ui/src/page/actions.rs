//! The callbacks that every view calls. This layer is below the views and above the state and the
//! engine.

mod edits;
mod files;
mod own;
mod preferences;
mod server;
mod share_link;
mod shell;
mod views;

use tabletop_client::json;
use tabletop_keys::Query;
use tabletop_model::RowMutation;
use tabletop_protocol::{Playback, SetView};
use tabletop_texts::messages;
use tabletop_workspace::{Place, Workspace};
use wasm_bindgen_futures::spawn_local;
use web_sys::File;
use yew::{AttrValue, Callback};

use crate::browser;
use crate::page::engine_link::EngineLink;
pub use crate::page::engine_link::{
    EventsRequest, ExpiredRequest, GatherRequest, InsideAction, JobEvent, KeysRequest, MarkRequest,
    ReplayRequest, ServerLink, UseJob, WorkerJobs,
};
use crate::page::state::{Action, Edit, EntityReads, Look, Part};
use edits::edit_now;
pub use files::{WORKSPACE_FILE, choose_workspace_file};
pub use own::OwnChoice;
pub use preferences::{
    LARGE, SHELL_HEIGHT, SIDE_WIDTH, THEMES, UPPER_HEIGHT, choose_locale, choose_theme, fold_side,
    refit_side, resize, restore, usual_side,
};
pub use server::{has_token, open_server, server_token};
pub use share_link::{is_link, link_to, open_link, recorded, recorded_text};
pub use shell::{PROMPT_ID, PromptMemory, ShellAction};
pub use views::{address, follow_address, offered, open_view, show_view, view_of_address};

/// The callbacks of the page. They stay the same for the life of the page.
#[derive(Clone)]
pub struct Actions {
    /// Any action.
    pub act: Callback<Action>,
    /// Changes the workspace.
    pub edit: Callback<Edit>,
    /// Changes the query.
    pub query: Callback<Query>,
    /// Loads the user's own events, or opens a workspace that was dropped in place of them.
    pub own: Callback<OwnChoice>,
    /// Opens a file with a workspace.
    pub open: Callback<File>,
    /// Changes how events arrive.
    pub play: Callback<Playback>,
    /// Ends the load.
    pub cancel_load: Callback<()>,
    /// Proposes designs for the access patterns.
    pub propose: Callback<()>,
    /// Reads the events of an entity from each design.
    pub read_entity: Callback<EntityReads>,
    /// Jumps to events in the list that Compare uses.
    pub events: Callback<EventsRequest>,
    /// Shows the part of the page that a text points at, in any view.
    pub place: Callback<Place>,
    /// Runs the query.
    pub run: Callback<()>,
    /// Cancels the query.
    pub stop: Callback<()>,
    /// Starts another engine.
    pub restart: Callback<()>,
    /// Writes manually to a row of the table shown.
    pub write: Callback<RowMutation>,
    /// Requests what the patterns of a filter match in cells.
    pub mark: Callback<MarkRequest>,
    /// Counts the cells that GC rules collect now.
    pub expired: Callback<ExpiredRequest>,
    /// Reads row keys of the table shown.
    pub keys: Callback<KeysRequest>,
    /// Collects the tables of all designs for a report.
    pub gather: Callback<GatherRequest>,
    /// Inspects a tablet, and changes its SSTables.
    pub inside: Callback<InsideAction>,
    /// Opens runs of jobs in the worker.
    pub jobs: WorkerJobs,
    /// Turns a file with a trace into streams.
    pub replay: Callback<ReplayRequest>,
    /// The connection to the running server that serves the page.
    pub server: ServerLink,
    /// Reads and changes what this browser stores.
    pub storage: Callback<StorageAction>,
    /// Runs commands, and controls the shell.
    pub shell: Callback<ShellAction>,
    /// The line that is being typed, and earlier commands.
    pub shell_memory: PromptMemory,
}

/// Copies a text to the clipboard and announces `said`, or announces that the browser forbids it.
pub fn copy(text: String, said: &'static str, act: Callback<Action>) {
    spawn_local(async move {
        let said = if browser::copy(&text).await { said } else { messages().common.copy_forbidden };
        act.emit(Action::Say(said.into()));
    });
}

/// The user's actions on the data that this browser stores.
#[derive(Clone, Debug, PartialEq)]
pub enum StorageAction {
    /// Reads the list of stored data again.
    Look,
    /// Stores events from this tab from now on.
    KeepHere,
    /// Offers a set as a file.
    Export(SetView),
    /// Deletes a set, or all.
    Delete(Option<u32>),
    /// Asks the browser not to evict stored data.
    Persist,
    /// Offers the table shown as a file.
    ExportTable,
    /// Offers the rows of the table shown as the file that cbt imports.
    ExportRows,
}

impl Actions {
    /// Makes the callbacks for this page and this engine.
    pub fn new(act: Callback<Action>, link: &EngineLink, place: Callback<Place>) -> Actions {
        let edit = edit(&act, link);
        let ask = |action: fn(&EngineLink)| {
            let link = link.clone();
            Callback::from(move |()| action(&link))
        };
        let shell_memory = PromptMemory::restore();
        Actions {
            shell: shell::shell_actions(&act, link, &shell_memory),
            shell_memory,
            query: edit.reform(Edit::Query),
            edit,
            own: own::choose(&act, link),
            open: files::open_as_workspace(&act),
            play: call(link, EngineLink::play),
            cancel_load: ask(EngineLink::cancel_load),
            propose: ask(EngineLink::propose_designs),
            read_entity: call(link, EngineLink::read_entity),
            events: call(link, EngineLink::show_events),
            write: call(link, EngineLink::write_row),
            mark: call(link, EngineLink::mark),
            expired: call(link, EngineLink::count_expired),
            keys: call(link, EngineLink::read_keys),
            gather: call(link, EngineLink::gather),
            inside: call(link, EngineLink::inside),
            jobs: link.jobs(),
            replay: call(link, EngineLink::replay),
            server: link.server().clone(),
            place,
            run: ask(EngineLink::ask),
            stop: ask(EngineLink::give_up),
            restart: ask(EngineLink::restart),
            storage: storage(link),
            act,
        }
    }

    /// Returns a callback that changes the look.
    pub fn look(&self, change: impl Fn(&mut Look) + Clone + 'static) -> Callback<()> {
        self.act.reform(move |()| Action::Look(Box::new(change.clone())))
    }

    /// Returns a callback that changes the look by the value of a control.
    pub fn look_at<T: 'static>(&self, change: fn(&mut Look, T)) -> Callback<T> {
        self.act.reform(move |value: T| Action::Look(Box::new(move |look| change(look, value))))
    }

    /// Returns a callback that changes what a part of the page keeps for itself.
    pub fn part<T: Part>(&self, change: impl Fn(&mut T) + Clone + 'static) -> Callback<()> {
        self.act.reform(move |()| Action::part(change.clone()))
    }

    /// Returns a callback that changes a part of the page by the value of a control.
    pub fn part_at<T: Part, V: 'static>(&self, change: fn(&mut T, V)) -> Callback<V> {
        self.act.reform(move |value: V| Action::part(move |part| change(part, value)))
    }

    /// Returns a callback that opens the shell and puts the focus into its prompt.
    pub fn open_shell(&self) -> Callback<()> {
        self.act.reform(|()| {
            shell::focus_soon();
            preferences::open_shell()
        })
    }

    /// Returns a callback that folds the shell.
    pub fn fold_shell(&self) -> Callback<()> {
        self.act.reform(|()| preferences::fold_shell())
    }

    /// Announces a text to screen readers.
    pub fn say(&self, text: impl Into<AttrValue>) {
        self.act.emit(Action::Say(text.into()));
    }

    /// Announces the effect of an edit that was emitted just before, unless it was refused.
    pub fn say_done(&self, text: impl Into<AttrValue>) {
        self.act.emit(Action::SayDone(text.into()));
    }

    /// Returns a callback that changes the workspace as one step of the history, and announces it.
    pub fn change(&self, said: impl Into<AttrValue>, how: impl Fn(&mut Workspace) + 'static) -> Callback<()> {
        let change = Edit::by(&self.edit, move |workspace, ()| how(workspace));
        let (said, actions) = (said.into(), self.clone());
        Callback::from(move |()| {
            change.emit(());
            actions.say_done(said.clone());
        })
    }

    /// Offers the workspace as a file.
    pub fn download(&self, workspace: &Workspace) {
        self.say(
            match browser::download("tabletop-workspace.json", "application/json", &json::write(workspace)) {
                Ok(()) => messages().common.workspace_saved,
                Err(_) => messages().common.download_forbidden,
            },
        );
    }

    /// Replaces the workspace with that of a first visit.
    pub fn reset(&self) {
        self.edit.emit(Edit::Workspace(Box::default()));
        self.say(messages().common.started_over);
    }
}

/// Returns a callback that calls a function of the link with its value.
fn call<T: 'static>(link: &EngineLink, act: fn(&EngineLink, T)) -> Callback<T> {
    let link = link.clone();
    Callback::from(move |value| act(&link, value))
}

/// Returns a callback that edits the workspace. Edits of the design are marked for the benchmark.
fn edit(act: &Callback<Action>, link: &EngineLink) -> Callback<Edit> {
    let (act, link) = (act.clone(), link.clone());
    Callback::from(move |edit: Edit| {
        let is_of_layout = matches!(edit, Edit::Layout(_) | Edit::FamilyField(_) | Edit::Encoding(_));
        if is_of_layout || matches!(edit, Edit::TemplateTyping(_) | Edit::Template(_)) {
            link.design_edited();
        }
        act.emit(edit_now(edit));
    })
}

fn storage(link: &EngineLink) -> Callback<StorageAction> {
    let link = link.clone();
    Callback::from(move |action| match action {
        StorageAction::Look => link.look_at_storage(),
        StorageAction::KeepHere => link.keep_here(),
        StorageAction::Export(set) => link.export_kept(set),
        StorageAction::Delete(set) => link.delete_kept(set),
        StorageAction::Persist => link.persist(),
        StorageAction::ExportTable => link.export_table(),
        StorageAction::ExportRows => link.export_rows(),
    })
}
