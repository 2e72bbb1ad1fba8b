//! Everything that can happen to the page.

use std::rc::Rc;

use tabletop_client::Room;
use tabletop_model::{Error, TabletId};
use tabletop_schema::{
    ClusterSettings, DataView, DesignView, EventsView, Field, Format, GeneratorSettings, LayoutKind, NamedQuery, OnBadLine,
    Query, SampleInfo, Source, StorageView, Workspace,
};
use yew::AttrValue;

use super::look::Look;
use super::result::QueryResult;
use super::shell::ShellEvent;

/// The worker, as the page sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineState {
    /// It has not answered yet.
    Starting,
    /// It answers.
    Running,
    /// It has stopped, and why.
    Crashed(String),
}

/// Everything that can happen.
pub enum Action {
    /// The person changed something, at this moment (milliseconds, for joining what is typed in one go).
    Edit(Edit, f64),
    /// One change back.
    Undo,
    /// One change forth.
    Redo,
    /// A script of the page put this workspace into the engine.
    Adopt(Rc<Workspace>),
    /// Another tab saved this workspace.
    SavedElsewhere(Rc<Workspace>),
    /// Shows the workspace of the other tab; Undo brings back the one of this tab.
    TakeOver,
    /// Saves the workspace of this tab in place of the one of the other tab.
    KeepOwn,
    /// The engine runs and knows these samples.
    Ready(Vec<SampleInfo>),
    /// The events as they stand.
    Data(DataView),
    /// The first events.
    Preview(EventsView),
    /// A design's table as it stands.
    View(Rc<DesignView>),
    /// This question was asked.
    Asked(Query),
    /// Rows of it so far.
    Result(Rc<QueryResult>),
    /// The engine has stopped.
    Crashed(String),
    /// It runs again.
    Restarted,
    /// Shows a tablet, or none.
    SelectTablet(Option<TabletId>),
    /// Shows a design.
    SelectDesign(usize),
    /// The workspace names a file whose bytes this page does not have.
    OwnMissing,
    /// The page has the bytes of the file.
    OwnFound,
    /// What is kept in this browser.
    Storage(StorageView),
    /// The room that there is for it.
    Room(Room),
    /// A file of so many bytes was chosen.
    OwnChosen(u64),
    /// The engine refused something.
    Refused(Error),
    /// The person has read it.
    Dismiss,
    /// Looks at something else, or in another way.
    Look(Box<dyn FnOnce(&mut Look)>),
    /// Something in the shell.
    Shell(ShellEvent),
    /// For screen readers.
    Say(AttrValue),
}

/// A change of the workspace.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// The template of the design on the screen, keystroke by keystroke.
    TemplateTyping(String),
    /// The same, by a button.
    Template(String),
    /// Its layout's shape.
    Layout(LayoutKind),
    /// The field that names the family.
    FamilyField(Option<String>),
    /// Other events, and the template to begin with, if one is known already.
    Source(Source, Option<String>),
    /// Other generated events; the design stays.
    Generator(GeneratorSettings),
    /// How own events are read; they are read again.
    OwnReading(Format, OnBadLine),
    /// Kinds of fields of own events.
    Fields(Vec<Field>),
    /// Thresholds and pace.
    Cluster(ClusterSettings),
    /// The question.
    Query(Query),
    /// Questions with names and limits.
    Queries(Vec<NamedQuery>),
    /// Everything: an opened file, or a fresh start.
    Workspace(Box<Workspace>),
}
