//! The actions that change the state.

use std::rc::Rc;

use tabletop_advice::{DesignFigures, Measurements};
use tabletop_client::{Room, ScriptEdit};
use tabletop_keys::{Encoding, LayoutKind, Query};
use tabletop_model::{Aggregate, Error, GcRule, TabletId};
use tabletop_protocol::{DataView, DesignView, EventsView, SampleInfo, StorageView, Suggestions};
use tabletop_views::{
    compare::EntityReads,
    query::filter::FilterCounts,
    results::QueryResult,
    shell::{ShellEvent, ShellPlace},
};
use tabletop_workspace::{
    DesignPatch, DesignsChange, Format, OnBadLine, Proposal, Reading, ResultColumns, Source, Strategy,
    Workspace,
};
use yew::callback::CallbackRefMut;
use yew::{AttrValue, Callback};

use super::look::{Look, Part};
use super::workspaces::{SavedAction, WorkspaceWish};

/// The state of the worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineState {
    /// The engine has not answered yet.
    Starting,
    /// The engine answers.
    Running,
    /// The engine has stopped, for this reason.
    Crashed(String),
}

/// An action that changes the state.
pub enum Action {
    /// The user edited the workspace at this time, in milliseconds: quick edits of one text are one
    /// step.
    Edit(Edit, f64),
    /// The manual writes, as a text for the browser's storage; empty if there are none.
    WritesKept(Rc<str>),
    /// Undoes one change.
    Undo,
    /// Redoes one change.
    Redo,
    /// A script of the page changed the workspace that the engine has.
    Adopt(Box<ScriptEdit>),
    /// Something has happened to the workspace of this tab, or to the saved one.
    Saved(SavedAction),
    /// The user acts on saved workspaces. The app does it with the browser's storage, and then
    /// sends the other actions.
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
    /// The costs measured so far of the access patterns of this workspace.
    Measured(Rc<Workspace>, Measurements),
    /// Access patterns that suit the events.
    Suggested(Suggestions),
    /// The events of an entity on the designs, where they have been read.
    Entity(Rc<EntityReads>),
    /// This query was started.
    Asked(Query),
    /// The rows so far.
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
    /// The user has closed the refusal.
    Dismiss,
    /// Changes the look.
    Look(Box<dyn FnOnce(&mut Look)>),
    /// An event of one of the shells.
    Shell(ShellPlace, ShellEvent),
    /// Announces a text to screen readers.
    Say(AttrValue),
    /// Announces the effect of the previous edit, unless it was refused.
    SayDone(AttrValue),
}

impl Action {
    /// Returns the action that changes what a part of the page keeps for itself.
    pub fn part<T: Part>(change: impl FnOnce(&mut T) + 'static) -> Action {
        Action::Look(Box::new(move |look| change(look.part_mut())))
    }
}

/// A change of the workspace.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// The template of the design shown, after a keystroke.
    TemplateTyping(String),
    /// The template, after a button.
    Template(String),
    /// The kind of its layout.
    Layout(LayoutKind),
    /// The whole fix that advice applies to the design shown.
    Fix(Box<DesignPatch>),
    /// How the results of the design shown are displayed.
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
    /// A design for own events that were given in place of missing ones, instead of what was made
    /// for the latter.
    DesignForGiven,
    /// How own events are read. They are read again.
    OwnReading(Format, OnBadLine, Reading),
    /// The list of designs.
    Designs(DesignsChange),
    /// The strategy that makes the user profiles.
    Strategy(Box<Strategy>),
    /// The query.
    Query(Query),
    /// The name of the workspace.
    Name(String),
    /// The whole workspace is replaced by a new one.
    Workspace(Box<Workspace>),
    /// Changes the workspace as it is when the edit is applied, which need not be the drawn one:
    /// the user can fill in two fields before a drawing.
    Change(CallbackRefMut<Workspace>),
}

impl Edit {
    /// Returns a callback that changes the current workspace by the value of a control.
    pub fn by<T: Clone + 'static>(
        edit: &Callback<Edit>,
        how: impl Fn(&mut Workspace, T) + 'static,
    ) -> Callback<T> {
        let how = Rc::new(how);
        edit.reform(move |value: T| {
            let how = how.clone();
            Edit::Change(CallbackRefMut::from(move |workspace: &mut Workspace| how(workspace, value.clone())))
        })
    }
}
