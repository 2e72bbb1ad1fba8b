//! The actions that change the state.

use std::rc::Rc;

use tabletop_client::{Room, ScriptEdit};
use tabletop_model::{Aggregate, Error, GcRule, TabletId};
use tabletop_schema::{
    DataView, DesignFigures, DesignPatch, DesignView, DesignsChange, Encoding, EventsView, Format, LayoutKind, Measurements,
    NamedQuery, OnBadLine, Proposal, Query, ResultColumns, SampleInfo, Source, StorageView, Strategy, Workspace,
};
use tabletop_views::compare::EntityReads;
use tabletop_views::query::filter::FilterCounts;
use tabletop_views::results::QueryResult;
use tabletop_views::shell::{ShellEvent, ShellPlace};
use yew::callback::CallbackRefMut;
use yew::{AttrValue, Callback};

use super::look::Look;
use super::saved_work::{SavedAction, WorkspaceWish};

/// The state of the worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineState {
    /// It has not answered yet.
    Starting,
    /// It answers.
    Running,
    /// It has stopped, for this reason.
    Crashed(String),
}

/// An action that changes the state.
pub enum Action {
    /// The person edited the workspace at this moment, in milliseconds: quick edits of one text are one step.
    Edit(Edit, f64),
    /// The writes by hand, as a text for the browser's storage; empty if there is none.
    WritesKept(Rc<str>),
    /// Undoes one change.
    Undo,
    /// Redoes one change.
    Redo,
    /// A script of the page changed the workspace that the engine has.
    Adopt(Box<ScriptEdit>),
    /// Something has happened to the workspace of this tab, or to the saved one.
    Saved(SavedAction),
    /// A person wants to do something with saved workspaces. The app does it with the browser's storage, and then sends the others.
    Wish(WorkspaceWish),
    /// The engine runs and has these samples.
    Ready(Vec<SampleInfo>),
    /// The state of the events.
    Data(DataView),
    /// The first events.
    Preview(EventsView),
    /// Events of the list, with the index of the chosen one.
    ListedEvents(Rc<EventsView>, usize),
    /// A picture of a design's table.
    View(Rc<DesignView>),
    /// The figures of all designs.
    Compared(Vec<DesignFigures>),
    /// Designs that are proposed for the access patterns.
    Proposed(Vec<Proposal>),
    /// Closes the proposals.
    CloseProposals,
    /// The costs that are measured so far of the access patterns of this workspace.
    Measured(Rc<Workspace>, Measurements),
    /// Access patterns that suit the events.
    Suggested(Vec<NamedQuery>),
    /// The events of an entity on the designs, as far as they are read.
    Entity(Rc<EntityReads>),
    /// This query was started.
    Asked(Query),
    /// Its rows so far.
    Result(Rc<QueryResult>),
    /// What its filter did.
    FilterCounts(Rc<FilterCounts>),
    /// The engine has stopped.
    Crashed(String),
    /// The engine runs again.
    Restarted,
    /// Shows a tablet, or none.
    SelectTablet(Option<TabletId>),
    /// Shows a design.
    SelectDesign(usize),
    /// The workspace names a file whose bytes this page does not have.
    OwnMissing,
    /// The page has the bytes of the file.
    OwnFound,
    /// The data that this browser stores.
    Storage(StorageView),
    /// The storage space.
    Room(Room),
    /// A file of this size in bytes was chosen.
    OwnChosen(u64),
    /// The engine refused something.
    Refused(Error),
    /// The person has closed the refusal.
    Dismiss,
    /// Changes the look.
    Look(Box<dyn FnOnce(&mut Look)>),
    /// An event of the shell of a place.
    Shell(ShellPlace, ShellEvent),
    /// Announces a text to screen readers.
    Say(AttrValue),
    /// Announces what the edit before it has done, unless that was refused.
    SayDone(AttrValue),
}

/// A change of the workspace.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// The template of the design on the screen, after a keystroke.
    TemplateTyping(String),
    /// The template, after a button.
    Template(String),
    /// The kind of its layout.
    Layout(LayoutKind),
    /// The whole change by which advice mends the design on the screen.
    Fix(Box<DesignPatch>),
    /// How the results of the design on the screen are shown.
    Results(Option<Box<ResultColumns>>),
    /// The field that names the family.
    FamilyField(Option<String>),
    /// The form of the values of its layout.
    Encoding(Encoding),
    /// What a family aggregates.
    Aggregate(String, Option<Aggregate>),
    /// The GC rule of these families.
    GcRule(Vec<String>, GcRule),
    /// Other events, and a first template for them, if there is one.
    Source(Source, Option<String>),
    /// A design for own events that were given for missing ones, in place of what was made for these.
    DesignForGiven,
    /// How own events are read. They are read again.
    OwnReading(Format, OnBadLine),
    /// The list of designs.
    Designs(DesignsChange),
    /// What makes the profiles of users.
    Strategy(Box<Strategy>),
    /// The query.
    Query(Query),
    /// The name of the workspace.
    Name(String),
    /// The whole workspace: a fresh one.
    Workspace(Box<Workspace>),
    /// Changes the workspace as it is when the edit is applied, which need not be the drawn one: a person can fill two fields before a
    /// drawing.
    Change(CallbackRefMut<Workspace>),
}

impl Edit {
    /// Returns a callback that changes the workspace of that moment by the value of a control.
    pub fn by<T: Clone + 'static>(edit: &Callback<Edit>, how: impl Fn(&mut Workspace, T) + 'static) -> Callback<T> {
        let how = Rc::new(how);
        edit.reform(move |value: T| {
            let how = how.clone();
            Edit::Change(CallbackRefMut::from(move |workspace: &mut Workspace| how(workspace, value.clone())))
        })
    }
}
