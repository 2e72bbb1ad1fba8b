//! The reducer: a pure function from an action to the next state.

use std::rc::Rc;

use tabletop_keys::{Layout, LayoutKind};
use tabletop_model::{Code, Error};
use tabletop_protocol::{DataView, DesignView, LoadState};
use tabletop_texts::messages;
use tabletop_views::compare::Scores;
use tabletop_workspace::{
    Changed, DesignList, DesignsChange, OnBadLine, OwnData, Proposal, Source, Workspace,
};
use yew::AttrValue;

use super::undo::{EditKind, Moment, Step};
use super::{Action, Apart, Change, ChosenEvent, Edit, EngineState, PageState, ShellPlace, script_edit};

impl PageState {
    /// Applies an action.
    pub fn apply(&mut self, action: Action) {
        self.reduce(action);
        if self.apart.is_some() {
            self.reunite();
        }
        let design = &self.workspace.designs[self.design];
        self.shown.follow(design, &self.data, &self.view, &self.preview);
    }

    fn reduce(&mut self, action: Action) {
        match action {
            Action::Edit(edit, at_millis) => {
                self.toast = AttrValue::default();
                self.edit(edit, at_millis);
            }
            Action::Undo => {
                if let Some(earlier) = self.history.undo(&self.workspace) {
                    match earlier {
                        Moment::Workspace(earlier) => {
                            let changed = Changed::between(&earlier, &self.workspace);
                            self.toast = (messages().common.undone)(changed.as_ref()).into();
                            self.status = self.toast.clone();
                            self.show(earlier);
                        }
                        Moment::Write(number) => self.undo_write(number),
                    }
                }
            }
            Action::Redo => {
                let leaves_own = self.history.is_at_border();
                if let Some(later) = self.history.redo(&self.workspace) {
                    if leaves_own {
                        self.apart = Some(Apart::Visiting(self.workspace.clone()));
                    }
                    match later {
                        Moment::Workspace(later) => {
                            let changed = Changed::between(&self.workspace, &later);
                            self.toast = (messages().common.redone)(changed.as_ref()).into();
                            self.status = self.toast.clone();
                            self.show(later);
                        }
                        Moment::Write(number) => self.redo_write(number),
                    }
                }
            }
            Action::Adopt(edit) => {
                let workspace = Rc::new(script_edit::on(&self.workspace, *edit));
                if workspace == self.workspace {
                    // It is compared with the engine's once more, which differs if the script's
                    // change is dropped.
                    self.workspace = workspace;
                } else {
                    self.history.push(&self.workspace, EditKind::Other, 0.0);
                    self.show(workspace);
                }
            }
            Action::Saved(saved) => self.on_saved(saved),
            // The app has handled it.
            Action::Wish(_) => {}
            Action::Ready(samples) => {
                self.samples = Rc::new(samples);
                self.engine = EngineState::Running;
            }
            Action::Data(data) => self.take_data(data),
            Action::Preview(preview) => self.preview = Rc::new(preview),
            Action::ListedEvents(events, at) => {
                self.listed = Some(events);
                self.look.part_mut::<ChosenEvent>().choose(at);
            }
            Action::View(view) => self.take_view(view),
            Action::Compared(designs) => self.compared = Rc::new(designs),
            Action::Proposed(designs) => self.proposals = Some(Rc::new(designs)),
            Action::CloseProposals => self.proposals = None,
            Action::Entity(reads) => self.entity = Some(reads),
            Action::Measured(workspace, measured) => self.scores = Scores::new(workspace, measured),
            Action::Suggested(suggestions) => self.take_suggestions(suggestions),
            Action::Asked(query) => self.asked = Some((query, self.view.revision)),
            Action::Result(result) => self.result = result,
            Action::FilterCounts(counts) => self.counts = Some(counts),
            Action::Crashed(reason) => self.engine = EngineState::Crashed(reason),
            Action::WritesKept(text) => self.hand_writes.kept = text,
            Action::Restarted => {
                self.opened += 1;
                self.engine = EngineState::Running;
                self.forget_writes();
                self.refusal = None;
                self.status = messages().common.engine_restarted.into();
            }
            Action::SelectTablet(tablet) => self.tablet = tablet,
            Action::SelectDesign(design) => self.select(design.min(self.workspace.designs.len() - 1)),
            Action::OwnChosen(bytes) => {
                self.own_missing = false;
                self.own_bytes = bytes;
            }
            Action::OwnMissing => self.own_missing = true,
            Action::OwnFound => self.own_missing = false,
            Action::Storage(storage) => self.storage = Rc::new(storage),
            Action::Room(room) => self.room = Some(room),
            Action::Refused(error) => self.refuse(error),
            Action::Dismiss => self.refusal = None,
            Action::Look(change) => change(&mut self.look),
            Action::Shell(ShellPlace::Page, event) => self.shell.apply(event),
            Action::Shell(ShellPlace::Server, event) => self.server_shell.apply(event),
            Action::Say(text) => self.status = text,
            Action::SayDone(_) if self.edit_refused => {}
            Action::SayDone(text) => self.status = text,
        }
    }

    fn refuse(&mut self, error: Error) {
        self.status = error.message.clone().into();
        self.refusal = Some(error);
    }

    /// Shows the design at this index.
    pub(super) fn select(&mut self, design: usize) {
        self.design = design;
        self.last_edit = None;
        self.tablet = None;
        self.look.follow(&Change::Design);
        self.shown.leave_table();
    }

    /// Changes the list of designs, or announces why that is not possible: two clicks may come
    /// before the page is drawn.
    #[inline(never)]
    fn change_designs(&mut self, next: &mut Workspace, change: DesignsChange) {
        let mut list = DesignList { designs: std::mem::take(&mut next.designs), shown: self.design };
        let renamed = match &change {
            DesignsChange::Rename(at, _) => list.designs.get(*at).map(|design| (*at, design.name.clone())),
            _ => None,
        };
        let copied = match &change {
            DesignsChange::Duplicate(at)
                if list.designs.get(*at).is_some_and(|design| design.index_of.is_none()) =>
            {
                list.designs[list.tables_of(*at)].iter().skip(1).map(|index| index.name.clone()).collect()
            }
            _ => Vec::new(),
        };
        let (count, proposed) = (
            list.designs.len(),
            match &change {
                DesignsChange::AddProposed(proposals) => proposals.clone(),
                _ => Vec::new(),
            },
        );
        match list.apply(change) {
            Ok(()) => self.select(list.shown),
            Err(why) => {
                (self.status, self.edit_refused) = ((messages().designs_problem)(&why).into(), true);
            }
        }
        next.designs = list.designs;
        read_proposed(next, count, &proposed);
        let designs = &next.designs;
        for tables in next.queries.iter_mut().map(|named| &mut named.tables) {
            for name in tables.iter_mut() {
                if let Some((at, _)) = renamed.as_ref().filter(|(_, before)| before == name) {
                    name.clone_from(&designs[*at].name);
                }
            }
            // It reads the index tables of the copy, as the original reads its own.
            let copies = designs.iter().skip(self.design + 1);
            for (name, copy) in copied.iter().zip(copies).filter(|(_, copy)| copy.index_of.is_some()) {
                if tables.contains(name) {
                    tables.push(copy.name.clone());
                }
            }
            // A pattern must not read a removed table.
            tables.retain(|name| {
                designs.iter().any(|design| design.name == *name && design.index_of.is_some())
            });
        }
    }

    fn edit(&mut self, edit: Edit, at_millis: f64) {
        let (shown, opened) = (self.design, self.opened);
        let mut next = (*self.workspace).clone();
        self.edit_refused = false;
        let design = &mut next.designs[self.design];
        let kind = match &edit {
            Edit::TemplateTyping(_) => EditKind::Typing,
            Edit::Query(_) => EditKind::Query,
            _ => EditKind::Other,
        };
        match edit {
            Edit::TemplateTyping(text) | Edit::Template(text) => design.template = text,
            Edit::Layout(kind) => {
                design.layout.kind = kind;
                if kind == LayoutKind::Columns && design.layout.columns.is_empty() {
                    design.layout.columns = Layout::columns_of(&self.shown.fields);
                }
            }
            Edit::Fix(patch) => design.apply(&patch),
            Edit::Aggregate(family, aggregate) => design.set_aggregate(&family, aggregate),
            Edit::Results(results) => design.results = results,
            Edit::FamilyField(field) => design.layout.family_field = field,
            Edit::Encoding(encoding) => design.layout.encoding = encoding,
            Edit::GcRule(families, rule) => {
                families.iter().for_each(|family| design.set_gc_rule(family, rule.clone()));
            }
            Edit::Source(source, template) => self.choose_source(&mut next, source, template),
            Edit::DesignForGiven => self.make_design_for_given(&mut next),
            Edit::OwnReading(format, on_bad_line, reading) => {
                if let Source::Own(own) = &mut next.source {
                    *own = OwnData { format, fields: Vec::new(), on_bad_line, reading, ..own.clone() };
                }
            }
            Edit::Designs(change) => self.change_designs(&mut next, change),
            Edit::Strategy(strategy) => next.strategy = Some(strategy),
            Edit::Query(query) => next.query = query,
            Edit::Name(name) => next.rename(name),
            Edit::Change(change) => change.emit(&mut next),
            Edit::Workspace(workspace) => {
                next = *workspace;
                self.opened += 1;
                self.design = 0;
                self.shown.leave_table();
            }
        }
        if next != *self.workspace {
            // A workspace that cannot be read back would be lost with the next reload.
            if let Err(error) = next.check()
                && self.workspace.check().is_ok()
            {
                (self.design, self.opened, self.edit_refused) = (shown, opened, true);
                return self
                    .refuse(Error::new(error.code, (messages().workspaces.refused_edit)(&error.message)));
            }
            let step = self.history.push(&self.workspace, kind, at_millis);
            self.put(Rc::new(next), step);
            self.refusal = None;
        }
    }

    /// Shows another workspace of the history, or one from a link, file or example.
    pub(super) fn show(&mut self, workspace: Rc<Workspace>) {
        let before = self.design().name.clone();
        self.design = self.design.min(workspace.designs.len() - 1);
        if workspace.designs[self.design].name != before {
            self.shown.leave_table();
        }
        self.tablet = None;
        self.look.follow(&Change::Workspace);
        self.put(workspace, Step::New);
    }

    /// Replaces the workspace. Rows of other events are removed; rows of another design stay until
    /// the new ones arrive.
    pub(super) fn put(&mut self, workspace: Rc<Workspace>, step: Step) {
        self.remember_figures(&workspace, step);
        self.remember_list(&workspace);
        if self.workspace.source != workspace.source || self.workspace.cluster != workspace.cluster {
            self.entity = None;
        }
        if self.workspace.source != workspace.source || self.workspace.queries != workspace.queries {
            self.proposals = None;
        }
        if self.workspace.designs != workspace.designs {
            self.shell.forget_specs();
        }
        if !self.workspace.source.same_events(&workspace.source) {
            (self.suggested, self.first_key) = (Rc::default(), None);
            self.result = Rc::default();
            self.counts = None;
            self.listed = None;
            self.look.follow(&Change::Events);
            self.asked = None;
            self.events_are_coming = true;
            self.left_events = self.data.events > 0;
        }
        self.workspace = workspace;
    }

    /// Takes a picture. A position at which the tables settle becomes the workspace's, without a
    /// step of the history, so that a link, a file and a reload open there. While events arrive,
    /// the workspace keeps the previous position.
    fn take_view(&mut self, view: Rc<DesignView>) {
        self.look.follow(&Change::Picture(&view));
        // Events are only written when the kinds of their fields are known, so none may have arrived.
        let is_loading = matches!(self.data.state, LoadState::Loading | LoadState::Awaited);
        if !(view.playing || view.building || self.events_are_coming || is_loading) && view.events_total > 0 {
            let first = self.workspace.source.first_part();
            let arrived = view.events_arrived;
            let is_usual =
                if arrived >= view.events_total { first.is_none() } else { first == Some(arrived) };
            let arrived = (!is_usual).then_some(arrived);
            if arrived != self.workspace.arrived {
                Rc::make_mut(&mut self.workspace).arrived = arrived;
            }
        }
        self.note_writes(view.newest_write);
        self.view = view;
    }

    /// Takes the state of the events. Fields that the engine has detected, and the content of a
    /// file that it has found by its name, are written into the workspace without a step of the
    /// history. So is a template for them, if the current one names other fields.
    fn take_data(&mut self, data: DataView) {
        let is_news = std::mem::take(&mut self.events_are_coming) || self.data.state != data.state;
        // A load that is running, or has just ended, may have found more fields and other kinds.
        let detects = [&self.data.state, &data.state].contains(&&LoadState::Loading);
        if let Source::Own(own) = &self.workspace.source
            && let found = self.found_as(own, &data, detects)
            && found != *own
        {
            // Designs that were made for missing events stay, whatever fields they name.
            let is_first = own.fields.is_empty() && !found.fields.is_empty() && self.given_file().is_none();
            self.history.take_own(own, &found);
            let mut next = (*self.workspace).clone();
            next.source = Source::Own(found);
            if is_first {
                self.make_first_keys(&mut next, &data.fields);
            }
            self.workspace = Rc::new(next);
        }
        if self.data.state == LoadState::Loading {
            match data.state {
                LoadState::Loaded => {
                    self.status = (messages().common.load_finished)(data.events.into()).into();
                }
                LoadState::Cancelled => self.status = messages().common.load_cancelled.into(),
                LoadState::Loading | LoadState::Failed(_) | LoadState::Interrupted | LoadState::Awaited => {}
            }
        }
        self.data = Rc::new(data);
        if is_news && self.has_given() {
            self.check_given();
        }
        if is_news && self.left_events {
            self.keep_earlier_events();
        }
    }

    /// Returns to the events before a file that could not be read to its end, and shows the error.
    /// Events before the line at which the load was to stop, and those that fill the memory, stay.
    #[inline(never)]
    fn keep_earlier_events(&mut self) {
        let LoadState::Failed(error) = &self.data.state else { return };
        let error = Error::new(error.code, (messages().data.kept_earlier)(&error.message));
        let stops = matches!(&self.workspace.source, Source::Own(own) if own.on_bad_line == OnBadLine::Stop);
        let stays = self.data.events > 0 && (stops || error.code != Code::InvalidArgument);
        if stays || !self.history.leads_to_other_events(&self.workspace) {
            return;
        }
        if let Some(Moment::Workspace(earlier)) = self.history.undo(&self.workspace) {
            self.show(earlier);
            self.refuse(error);
        }
    }

    /// Returns the user's own events as the engine has found them.
    fn found_as(&self, own: &OwnData, data: &DataView, detects: bool) -> OwnData {
        let is_detected = !data.fields.is_empty() && (own.fields.is_empty() || detects);
        let content = own.content.or(data.content);
        let detected = || self.corrected_types(content, data).unwrap_or_else(|| data.fields.clone());
        let fields = if is_detected { detected() } else { own.fields.clone() };
        OwnData { fields, content, ..own.clone() }
    }
}

/// Makes access patterns read the index tables that were proposed for them, in the tables from
/// `first` on.
#[inline(never)]
fn read_proposed(next: &mut Workspace, first: usize, proposals: &[Proposal]) {
    let served = proposals.iter().flat_map(|proposal| {
        let indexes = proposal.indexes.iter().map(|index| index.patterns.as_slice());
        std::iter::once::<&[String]>(&[]).chain(indexes)
    });
    for (table, patterns) in next.designs.iter().skip(first).zip(served) {
        for named in next.queries.iter_mut().filter(|named| patterns.contains(&named.name)) {
            named.tables.push(table.name.clone());
        }
    }
}
