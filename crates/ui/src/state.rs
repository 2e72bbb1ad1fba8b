//! What the page shows, and how it changes: one value and a pure reducer. Nothing here touches the browser or the engine.

mod history;
mod look;
mod no_table;
mod shown;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use tabletop_client::Room;
use tabletop_model::{ColumnFamily, Error, TabletId};
use tabletop_schema::{
    ClusterSettings, DataView, DesignView, EventsView, Field, Format, GeneratorSettings, LayoutKind, LoadState, NamedQuery,
    OnBadLine, OwnData, Query, SampleInfo, Source, StorageView, Template, Workspace, suggest_template,
};
use yew::AttrValue;

use crate::messages::messages;
use crate::results::QueryResult;
use crate::shell::{ShellEvent, ShellState};
use history::{EditKind, History};
pub use look::{Deleting, End, Look, Measure, Naming, Pane, SourceKind, WrongFormat};
pub use no_table::NoTable;
pub use shown::Shown;

/// All that the page shows.
pub struct State {
    /// What the person made, with every change to it so far.
    pub workspace: Rc<Workspace>,
    history: History,
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
    pub engine: Engine,
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

/// The worker, as the page sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Engine {
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
    /// Whether the workspace names a file whose bytes this page does not have.
    OwnMissing(bool),
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

impl State {
    /// A page that shows `workspace`, before the engine has said anything.
    pub fn new(workspace: Workspace) -> State {
        State {
            workspace: Rc::new(workspace),
            history: History::default(),
            design: 0,
            samples: Rc::default(),
            data: Rc::default(),
            preview: Rc::default(),
            view: Rc::default(),
            result: Rc::default(),
            asked: None,
            engine: Engine::Starting,
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

    /// Changes the state as the action says.
    pub fn apply(&mut self, action: Action) {
        self.reduce(action);
        let is_same = |other: &mut Rc<Workspace>| is_same_work(other, &self.workspace);
        self.other_tab.take_if(is_same);
        let design = &self.workspace.designs[self.design];
        self.shown.follow(design, &self.data, &self.view, &self.preview);
    }

    fn reduce(&mut self, action: Action) {
        match action {
            Action::Edit(edit, at_millis) => self.edit(edit, at_millis),
            Action::Undo => {
                if let Some(earlier) = self.history.undo(&self.workspace) {
                    self.show(earlier);
                    self.status = messages().common.undone.into();
                }
            }
            Action::Redo => {
                if let Some(later) = self.history.redo(&self.workspace) {
                    self.show(later);
                    self.status = messages().common.redone.into();
                }
            }
            Action::Adopt(workspace) => {
                if workspace != self.workspace {
                    self.history.push(&self.workspace, EditKind::Other, 0.0);
                    self.show(workspace);
                }
            }
            Action::SavedElsewhere(workspace) => self.other_tab = Some(workspace),
            Action::TakeOver => {
                if let Some(workspace) = self.other_tab.take() {
                    self.history.push(&self.workspace, EditKind::Other, 0.0);
                    self.show(workspace);
                    self.status = messages().banners.taken_over.into();
                }
            }
            Action::KeepOwn => {
                self.other_tab = None;
                self.status = messages().banners.kept_own.into();
            }
            Action::Ready(samples) => {
                self.samples = Rc::new(samples);
                self.engine = Engine::Running;
            }
            Action::Data(data) => self.take_data(data),
            Action::Preview(preview) => self.preview = Rc::new(preview),
            Action::View(view) => self.view = view,
            Action::Asked(query) => self.asked = Some((query, self.view.revision)),
            Action::Result(result) => self.result = result,
            Action::Crashed(reason) => self.engine = Engine::Crashed(reason),
            Action::Restarted => {
                self.engine = Engine::Running;
                self.refusal = None;
                self.status = messages().common.engine_restarted.into();
            }
            Action::SelectTablet(tablet) => self.tablet = tablet,
            Action::SelectDesign(design) => {
                self.design = design.min(self.workspace.designs.len() - 1);
                self.tablet = None;
                self.shown.right = None;
            }
            Action::OwnChosen(bytes) => {
                self.own_missing = false;
                self.own_bytes = bytes;
            }
            Action::OwnMissing(missing) => self.own_missing = missing,
            Action::Storage(storage) => self.storage = Rc::new(storage),
            Action::Room(room) => self.room = Some(room),
            Action::Refused(error) => {
                self.status = error.message.clone().into();
                self.refusal = Some(error);
            }
            Action::Dismiss => self.refusal = None,
            Action::Look(change) => change(&mut self.look),
            Action::Shell(event) => self.shell.apply(event),
            Action::Say(text) => self.status = text,
        }
    }

    fn edit(&mut self, edit: Edit, at_millis: f64) {
        let mut next = (*self.workspace).clone();
        let design = &mut next.designs[self.design];
        let kind = match &edit {
            Edit::TemplateTyping(_) => EditKind::Typing,
            Edit::Query(_) => EditKind::Query,
            _ => EditKind::Other,
        };
        match edit {
            Edit::TemplateTyping(text) | Edit::Template(text) => design.template = text,
            Edit::Layout(kind) => design.layout.kind = kind,
            Edit::FamilyField(field) => design.layout.family_field = field,
            Edit::Source(source, template) => {
                // What was missing after a reload finds what was made of it before.
                let returns = self.own_missing || self.data.state == LoadState::Interrupted;
                if !returns || !next.source.same_events(&source) {
                    // They name fields of the events before.
                    next.query = Workspace::default().query;
                    next.queries.clear();
                    next.designs.truncate(1);
                    next.designs[0].layout.family_field = None;
                    self.design = 0;
                }
                next.source = source;
                if let Some(template) = template {
                    next.designs[0].template = template;
                }
                self.own_missing = false;
                self.look.source = None;
                self.look.paste_missing = false;
            }
            Edit::Generator(settings) => next.source = Source::Generated(settings),
            Edit::OwnReading(format, on_bad_line) => {
                if let Source::Own(own) = &mut next.source {
                    *own = OwnData { name: own.name.clone(), format, fields: Vec::new(), on_bad_line };
                }
            }
            Edit::Fields(fields) => {
                if let Source::Own(own) = &mut next.source {
                    own.fields = fields;
                }
            }
            Edit::Cluster(cluster) => next.cluster = cluster,
            Edit::Query(query) => next.query = query,
            Edit::Queries(queries) => next.queries = queries,
            Edit::Workspace(workspace) => {
                next = *workspace;
                self.design = 0;
            }
        }
        if next != *self.workspace {
            self.history.push(&self.workspace, kind, at_millis);
            self.put(Rc::new(next));
            self.refusal = None;
        }
    }

    /// Shows another workspace of the history, or one from elsewhere.
    fn show(&mut self, workspace: Rc<Workspace>) {
        self.design = self.design.min(workspace.designs.len() - 1);
        self.tablet = None;
        self.look.part = None;
        self.look.source = None;
        self.put(workspace);
    }

    /// Rows of other events say nothing of these: they go. Those of another design stay until the new ones come.
    fn put(&mut self, workspace: Rc<Workspace>) {
        if !self.workspace.source.same_events(&workspace.source) {
            self.result = Rc::default();
            self.asked = None;
            self.events_are_coming = true;
        }
        self.workspace = workspace;
    }

    /// Takes the engine's picture of the events. Fields that it has detected go into the workspace without a step of the history,
    /// and so does a template for them when the one that is there names other fields.
    fn take_data(&mut self, data: DataView) {
        self.events_are_coming = false;
        // A load that goes on, or has just ended, may have found more fields, and of what kinds they are.
        let detects = [&self.data.state, &data.state].contains(&&LoadState::Loading);
        if let Source::Own(own) = &self.workspace.source
            && own.fields != data.fields
            && !data.fields.is_empty()
            && (own.fields.is_empty() || detects)
        {
            let is_first = own.fields.is_empty();
            self.history.take_fields(own, &data.fields);
            let mut next = (*self.workspace).clone();
            if let Source::Own(own) = &mut next.source {
                own.fields.clone_from(&data.fields);
            }
            for design in next.designs.iter_mut().filter(|_| is_first) {
                if !Template::parse(&design.template, &data.fields).1.is_empty() {
                    design.template = suggest_template(&data.fields);
                }
            }
            self.workspace = Rc::new(next);
        }
        if self.data.state == LoadState::Loading {
            match data.state {
                LoadState::Loaded => self.status = (messages().common.load_finished)(data.events.into()).into(),
                LoadState::Cancelled => self.status = messages().common.load_cancelled.into(),
                LoadState::Loading | LoadState::Failed(_) | LoadState::Interrupted | LoadState::Awaited => {}
            }
        }
        self.data = Rc::new(data);
    }
}

/// Whether two workspaces differ in nothing but the question on the screen, of which each tab may have its own.
fn is_same_work(one: &Workspace, other: &Workspace) -> bool {
    let Workspace { version, name, source, designs, cluster, query: _, queries, limits } = one;
    (version, name, source, designs, cluster, queries, limits)
        == (&other.version, &other.name, &other.source, &other.designs, &other.cluster, &other.queries, &other.limits)
}
