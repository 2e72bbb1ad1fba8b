//! Flows of the page without a browser: the state, the reducer and the drawing are the page's own,
//! and the worker's session answers in this process. A test presses and fills in the controls of the
//! last drawing by their names.

mod asking;
mod boxes;
mod cells;
mod compare;
mod drawn;
mod editing;
mod examples;
mod export;
mod look_up;
mod migration;
mod panes;
mod profiles;
mod scoreboard;
mod server;
mod storage;
mod story;
mod tablet;
mod timeline;
mod traffic;

use std::cell::{Cell, RefCell};
use std::fs;
use std::path::Path;
use std::rc::Rc;

use futures_channel::oneshot::{Receiver, channel};
use serde_json::Value;
use tabletop_client::JobLine;
use tabletop_engine::storage::MemoryStorage;
use tabletop_keys::Query;
use tabletop_model::{BLOCKS_MAX, Error, Inspect, Inspected, Response, RowMutation, TableRequest, Timestamp};
use tabletop_protocol::{
    Answer, Ask, DesignView, Job, JobAsk, JobSlice, LoadSource, MeasurePatterns, Playback, QueryChunk,
    QueryOnDesign, ReadOnAllDesigns, ReadQuery, Slice, TouchQuery,
};
use tabletop_views::results::QueryResult;
use tabletop_worker::{Fetch, Next, Session, SharedStorage, StorageEvent};
use tabletop_workspace::{Format, OnBadLine, OwnData, Source, ViewId, Workspace};
use yew::callback::CallbackRefMut;
use yew::{Callback, Html};

use crate::browser::used;
use crate::page::actions::{Actions, EventsRequest, InsideAction, PromptMemory, ServerLink, WorkerJobs};
use crate::page::engine_link::tablet_to_show;
use crate::page::state::{Action, Edit, EntityReads, InsideLook, PageState, Sample, Timeline, event_of_row};
use crate::views::{Frame, view};
use drawn::Drawn;

/// The number of generated events: a multiple of those in the preview.
const EVENTS: u32 = 2_000;
/// Events in the preview, and in each part of the list of events.
const LISTED: u32 = 50;

/// What a control has asked for.
enum Wish {
    Act(Action),
    Propose,
    ReadEntity(EntityReads),
    Events(EventsRequest),
    Play(Playback),
    CancelLoad,
    Run,
    Inside(InsideAction),
    Write(RowMutation),
}

/// The worker's session in this process.
#[derive(Clone)]
struct Worker {
    session: Rc<RefCell<Session>>,
    now: Rc<Cell<Timestamp>>,
}

impl Worker {
    fn new() -> Worker {
        let mut session = Session::new();
        let files = SharedStorage(Rc::new(RefCell::new(MemoryStorage::default())));
        session.on_storage_event(0, StorageEvent::Files(files));
        Worker { session: Rc::new(RefCell::new(session)), now: Rc::default() }
    }

    /// Answers a request, 20 milliseconds after the one before. Each look at the clock takes half a
    /// millisecond, so long work takes several slices.
    fn ask(&self, ask: Ask) -> Answer {
        let pass = |micros: Timestamp| self.now.replace(self.now.get() + micros) + micros;
        pass(20_000);
        self.session.borrow_mut().handle(&|| pass(500), ask)
    }

    /// Gives the session the file that it waits for, and returns whether it waited.
    fn fetch(&self) -> bool {
        let mut session = self.session.borrow_mut();
        let Some(Fetch { ticket, path }) = session.next_fetch() else { return false };
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../www").join(path);
        session.fetched(ticket, fs::read(file).map_err(|error| Error::invalid(error.to_string())));
        true
    }

    /// Works until the session waits for requests, or for this many steps.
    fn advance(&self, steps: usize) {
        for _ in 0..steps {
            let next = self.session.borrow_mut().advance(self.now.get(), 1_000);
            match next {
                Next::Asked if !self.fetch() => return,
                Next::Asked => {}
                Next::In { millis } => self.now.set(self.now.get() + Timestamp::from(millis) * 1_000),
                Next::Now => {}
            }
        }
    }
}

impl JobLine for Worker {
    fn send(&self, ask: &Ask) -> Receiver<Result<Answer, Error>> {
        let (sender, receiver) = channel();
        // A run that was dropped does not take its answer.
        drop(sender.send(Ok(self.ask(ask.clone()))));
        receiver
    }

    fn epoch(&self) -> u32 {
        0
    }
}

/// The page of one test.
pub struct Page {
    pub state: PageState,
    actions: Actions,
    wishes: Rc<RefCell<Vec<Wish>>>,
    /// The controls of the last drawing.
    controls: Vec<(String, used::Use)>,
    worker: Worker,
    sent: Option<Rc<Workspace>>,
    /// The manual writes that the worker was told to take back.
    taken_back: Rc<[u32]>,
    millis: f64,
}

impl Page {
    /// Opens the page of a first visit, with fewer events, after this change of its workspace.
    pub fn with(change: impl FnOnce(&mut Workspace)) -> Page {
        let mut workspace = Workspace::default();
        if let Source::Generated(generated) = &mut workspace.source {
            generated.events = EVENTS;
        }
        change(&mut workspace);
        let wishes = Rc::<RefCell<Vec<Wish>>>::default();
        let worker = Worker::new();
        let mut page = Page {
            state: PageState::new(workspace),
            actions: actions(&wishes, &worker),
            wishes,
            controls: Vec::new(),
            worker,
            sent: None,
            taken_back: Rc::new([]),
            millis: 0.0,
        };
        let Answer::Samples(samples) = page.ask(Ask::Samples) else { panic!("there are samples") };
        page.state.apply(Action::Ready(samples));
        page.settle();
        page
    }

    /// Opens the page with the user's own events, a text with commas, after this change of the
    /// workspace.
    pub fn with_own(text: String, change: impl FnOnce(&mut Workspace)) -> Page {
        let own = OwnData {
            name: "own.csv".into(),
            format: Format::Detect,
            fields: Vec::new(),
            on_bad_line: OnBadLine::Skip,
            reading: Default::default(),
            content: None,
        };
        let mut page = Page::with(|workspace| {
            workspace.source = Source::Own(own.clone());
            change(workspace);
        });
        page.ask(Ask::BeginOwn(own));
        page.ask(Ask::OwnBytes { bytes: text.into_bytes().into(), last: true });
        page.worker.advance(usize::MAX);
        let Answer::Workspace(loaded) = page.ask(Ask::Workspace) else { panic!("there is a workspace") };
        page.edit(move |now| now.clone_from(&loaded));
        page.ask(Ask::Play(Playback::Finish));
        page.look();
        page
    }

    /// Draws with the page's actions, and takes the controls.
    pub fn draw(&mut self, draw: impl FnOnce(&PageState, &Actions) -> Html) -> Drawn {
        used::take_controls();
        let drawn = Drawn::new(draw(&self.state, &self.actions));
        self.controls = used::take_controls();
        drawn
    }

    /// Draws the section of the view that the state shows.
    pub fn view(&mut self) -> Drawn {
        let Frame::Section(section) = &view(self.state.look.view).frame else {
            panic!("the view is a section")
        };
        self.draw(section.draw)
    }

    /// Returns the line next to the heading of the view that the state shows.
    pub fn summary(&self) -> String {
        match &view(self.state.look.view).frame {
            Frame::Section(section) => (section.summary)(&self.state),
            _ => panic!("the view is a section"),
        }
    }

    /// Returns whether the last drawing has an enabled control with this name.
    pub fn can(&self, name: &str) -> bool {
        self.controls.iter().any(|(each, _)| each == name)
    }

    /// Presses the button, or uses the field or the list of choices with a text; then applies what
    /// it asks for.
    ///
    /// # Errors
    /// What the control says about a text that it refuses.
    pub fn fill(&mut self, name: &str, text: &str) -> Result<(), String> {
        let (_, control) = self.controls.iter().find(|(each, _)| each == name).unwrap_or_else(|| {
            let names: Vec<&String> = self.controls.iter().map(|(name, _)| name).collect();
            panic!("no enabled control is named {name:?}, but {names:?}")
        });
        let done = control.clone()(text);
        self.settle();
        done
    }

    /// Presses a button.
    pub fn press(&mut self, name: &str) {
        self.fill(name, "").expect("a button refuses nothing");
    }

    /// Applies an action, as the page does for a key or another part.
    pub fn act(&mut self, action: Action) {
        self.state.apply(action);
        self.settle();
    }

    /// Lets this many events arrive.
    pub fn seek(&mut self, events: u32) {
        self.ask(Ask::Play(Playback::Seek(events)));
        self.look();
    }

    /// Plays or pauses the events for some steps of the worker.
    pub fn play(&mut self, playback: Playback, steps: usize) {
        self.ask(Ask::Play(playback));
        self.worker.advance(steps);
        self.show_tables();
    }

    /// Shows a view.
    pub fn show(&mut self, view: ViewId) {
        self.act(Action::Look(Box::new(move |look| look.view = view)));
        self.look();
    }

    /// Changes the workspace, as a script does.
    pub fn edit(&mut self, change: impl Fn(&mut Workspace) + 'static) {
        self.act(Action::Edit(Edit::Change(CallbackRefMut::from(change)), 0.0));
    }

    /// Returns the name of the first enabled control that has this text in its name.
    pub fn named(&self, text: &str) -> String {
        let found = self.controls.iter().find(|(name, _)| name.contains(text));
        found.map(|(name, _)| name.clone()).unwrap_or_else(|| panic!("no control has {text:?} in its name"))
    }

    /// Returns the workspace as scripts see it.
    pub fn workspace(&self) -> Value {
        serde_json::to_value(&*self.state.workspace).expect("a workspace is JSON")
    }

    /// Returns the picture of a design's table.
    pub fn table(&mut self, index: u32) -> DesignView {
        match self.ask(Ask::View { index, first_look: false }) {
            Answer::View(view) => view,
            other => panic!("{other:?}"),
        }
    }

    /// Reads from a design, as a script does.
    pub fn read(&mut self, index: u32, query: Query) -> QueryChunk {
        let chunks = self.run::<ReadQuery>(&QueryOnDesign { index, query });
        let rows = chunks.iter().flat_map(|chunk| chunk.rows.iter().cloned()).collect();
        QueryChunk { rows, ..chunks.into_iter().next_back().expect("a read has a chunk") }
    }

    /// Asks the worker.
    pub fn ask(&mut self, ask: Ask) -> Answer {
        self.worker.ask(ask)
    }

    /// Runs a job to its end, and returns its chunks.
    pub fn run<J: Job>(&mut self, request: &J::Request) -> Vec<J::Chunk> {
        self.run_until::<J>(request, |_| false)
    }

    /// Runs a job until a chunk is the last one that the page wants.
    fn run_until<J: Job>(
        &mut self,
        request: &J::Request,
        is_last: impl Fn(&J::Chunk) -> bool,
    ) -> Vec<J::Chunk> {
        let mut chunks = Vec::new();
        let mut next = JobAsk::begin::<J>(request);
        loop {
            let Answer::Job(answer) = self.ask(Ask::Job(next)) else { panic!("a job is answered") };
            let Slice { run, chunk } = answer.and_then(JobSlice::decode::<J>).expect("the job has a slice");
            let run = run.filter(|_| !is_last(&chunk));
            chunks.push(chunk);
            match run {
                Some(run) => next = JobAsk::next::<J>(run, &J::Order::default()),
                None => return chunks,
            }
        }
    }

    /// Returns whether nothing was asked for, and the worker has all changes.
    fn is_idle(&self) -> bool {
        self.wishes.borrow().is_empty()
            && self.sent.as_ref() == Some(&self.state.workspace)
            && self.taken_back == self.state.hand_writes.taken_back
    }

    /// Applies what was asked for, and then shows what the worker answers once it is idle. An
    /// answer can change the workspace, too.
    fn settle(&mut self) {
        while !self.is_idle() {
            while let wishes = self.wishes.take()
                && !wishes.is_empty()
            {
                wishes.into_iter().for_each(|wish| self.grant(wish));
            }
            if self.sent.as_ref() != Some(&self.state.workspace) {
                let workspace = self.state.workspace.clone();
                let before = self.sent.replace(workspace.clone());
                let ask = Ask::SetWorkspace { workspace: (*workspace).clone(), load: LoadSource::IfChanged };
                self.ask(ask);
                if before.is_none_or(|before| !before.source.same_events(&workspace.source)) {
                    self.ask(Ask::Play(Playback::Finish));
                }
            }
            if self.taken_back != self.state.hand_writes.taken_back {
                self.taken_back = self.state.hand_writes.taken_back.clone();
                self.ask(Ask::TakeBack(self.taken_back.to_vec()));
            }
            self.look();
        }
    }

    /// Shows what the worker has once it is idle.
    pub fn look(&mut self) {
        self.worker.advance(usize::MAX);
        self.show_tables();
    }

    fn show_tables(&mut self) {
        let index = self.state.design as u32;
        for ask in [
            Ask::Data,
            Ask::View { index, first_look: false },
            Ask::Timeline { index },
            Ask::Events { start: 0, count: LISTED },
            Ask::Compare,
            Ask::Suggest,
        ] {
            let action = match self.ask(ask) {
                Answer::Data(data) => Action::Data(data),
                Answer::View(view) => Action::View(Rc::new(view)),
                Answer::Timeline(moments) => {
                    Action::part(|look: &mut Timeline| look.view = Some(Rc::new(moments)))
                }
                Answer::Events(events) => Action::Preview(events),
                Answer::Compared(figures) => Action::Compared(figures),
                Answer::Suggested(suggestions) => Action::Suggested(suggestions),
                other => panic!("{other:?}"),
            };
            self.state.apply(action);
        }
        if self.state.look.view == ViewId::Tablet {
            self.look_inside();
        }
        // Logical sizes are counted slice by slice, unless events arrive.
        while !self.state.view.playing && self.state.compared.iter().any(|figures| figures.changes) {
            self.worker.advance(usize::MAX);
            let Answer::Compared(figures) = self.ask(Ask::Compare) else { panic!("designs have figures") };
            self.state.apply(Action::Compared(figures));
        }
        if !self.state.workspace.queries.is_empty() {
            let measured = self.run_until::<MeasurePatterns>(&(), |measured| !measured.more).pop();
            let measured = measured.expect("patterns are measured");
            self.state.apply(Action::Measured(self.state.workspace.clone(), measured));
        }
    }

    /// Sends a request to the table of the design shown.
    pub fn request(&mut self, request: TableRequest) -> Response {
        let request = request.of(self.state.table_id());
        match self.ask(Ask::Request { request, now: 0 }) {
            Answer::Response(response) => response,
            other => panic!("{other:?}"),
        }
    }

    /// Shows the tablet that was chosen, or the one with most writes.
    fn look_inside(&mut self) {
        let table = self.state.view.table.clone();
        // The browser passes the chosen tablet on after a drawing.
        let chosen = self.state.tablet;
        let Some(tablet) = tablet_to_show(&table, chosen, chosen.is_some()) else { return };
        let sample = Sample::of(self.state.view.events_built, &table);
        if let Response::Inspected(Inspected::Tablet(inside)) =
            self.request(TableRequest::Inspect(Inspect::Tablet(tablet)))
        {
            self.state.apply(Action::part(move |look: &mut InsideLook| look.show(inside, sample)));
        }
    }

    /// Shows a part of an SSTable.
    fn inspect(&mut self, part: Inspect) {
        let change: Box<dyn FnOnce(&mut InsideLook)> = match self.request(TableRequest::Inspect(part)) {
            Response::Inspected(Inspected::Blocks(list)) => Box::new(|look| look.show_blocks(list)),
            Response::Inspected(Inspected::Block(page)) => Box::new(|look| look.show_page(page)),
            other => panic!("{other:?}"),
        };
        self.state.apply(Action::part(change));
    }

    /// Runs the query shown, after a look at what it touches.
    pub fn run_query(&mut self) {
        let query = self.state.workspace.query.clone();
        let asked = QueryOnDesign { index: self.state.design as u32, query: query.clone() };
        let touched = self.run::<TouchQuery>(&asked).pop().expect("a read touches something").touched;
        let chunks = self.run::<ReadQuery>(&asked).into_iter();
        let read = chunks.fold(QueryResult::default().again(&query), |read, chunk| read.with(chunk));
        self.state.apply(Action::Asked(query));
        self.state.apply(Action::Result(Rc::new(read)));
        self.state.apply(Action::part(move |look: &mut InsideLook| look.touched = Some(Rc::new(touched))));
    }

    /// Shows the part of the list with this event, which is the chosen one.
    fn list_event(&mut self, index: u32) {
        let ask = Ask::Events { start: index - index % LISTED, count: LISTED };
        let Answer::Events(events) = self.ask(ask) else { panic!("there are events") };
        self.state.apply(Action::ListedEvents(Rc::new(events), (index % LISTED) as usize));
    }

    fn grant(&mut self, wish: Wish) {
        match wish {
            Wish::Run => self.run_query(),
            Wish::Inside(InsideAction::Flush(tablet)) => drop(self.request(TableRequest::Flush(tablet))),
            Wish::Inside(InsideAction::Compact(tablet)) => {
                drop(self.request(TableRequest::CompactTablet(tablet)));
            }
            Wish::Inside(InsideAction::Blocks { file, from }) => {
                self.inspect(Inspect::Blocks { file, from, count: BLOCKS_MAX });
            }
            Wish::Inside(InsideAction::Block { file, block, from }) => {
                self.inspect(Inspect::Block { file, block, from });
            }
            Wish::Inside(other) => panic!("{other:?} is for the browser"),
            Wish::Act(Action::Edit(edit, _)) => {
                // Each edit is a step of its own.
                self.millis += 60_000.0;
                self.state.apply(Action::Edit(edit, self.millis));
            }
            Wish::Act(action) => self.state.apply(action),
            Wish::Propose => {
                let Answer::Proposed(designs) = self.ask(Ask::ProposeDesigns) else { panic!("it proposes") };
                self.state.apply(Action::Proposed(designs));
            }
            Wish::ReadEntity(mut reads) => {
                for read in self.run::<ReadOnAllDesigns>(&reads.query()) {
                    reads.designs[read.index as usize].1 = Some(read.cost).filter(|_| read.complete);
                }
                self.state.apply(Action::Entity(Rc::new(reads)));
            }
            Wish::Events(EventsRequest::Number(index)) => self.list_event(index),
            Wish::Events(EventsRequest::OfRow(key)) => {
                let mut start = 0;
                let at = loop {
                    let Answer::Events(events) = self.ask(Ask::Events { start, count: EVENTS }) else {
                        panic!("there are events")
                    };
                    if let Some(at) = event_of_row(&events, self.state.design(), &key) {
                        break start + at as u32;
                    }
                    assert!(!events.events.is_empty(), "no event has the row {key}");
                    start += events.events.len() as u32;
                };
                self.list_event(at);
            }
            Wish::Write(row) => drop(self.request(TableRequest::MutateRows(vec![row]))),
            Wish::Play(playback) => drop(self.ask(Ask::Play(playback))),
            Wish::CancelLoad => drop(self.ask(Ask::CancelLoad)),
        }
    }
}

/// Returns actions that note what they are asked for. What needs files, sockets or the browser's
/// storage is ignored.
fn actions(wishes: &Rc<RefCell<Vec<Wish>>>, worker: &Worker) -> Actions {
    fn ask<T: 'static>(wishes: &Rc<RefCell<Vec<Wish>>>, wish: fn(T) -> Wish) -> Callback<T> {
        let wishes = wishes.clone();
        Callback::from(move |value| wishes.borrow_mut().push(wish(value)))
    }
    let act = ask(wishes, Wish::Act);
    let edit = act.reform(|edit| Action::Edit(edit, 0.0));
    Actions {
        query: edit.reform(Edit::Query),
        edit,
        act,
        propose: ask(wishes, |()| Wish::Propose),
        read_entity: ask(wishes, Wish::ReadEntity),
        events: ask(wishes, Wish::Events),
        play: ask(wishes, Wish::Play),
        own: Callback::noop(),
        open: Callback::noop(),
        cancel_load: ask(wishes, |()| Wish::CancelLoad),
        place: Callback::noop(),
        run: ask(wishes, |()| Wish::Run),
        stop: Callback::noop(),
        restart: Callback::noop(),
        write: ask(wishes, Wish::Write),
        mark: Callback::noop(),
        expired: Callback::noop(),
        keys: Callback::noop(),
        gather: Callback::noop(),
        inside: ask(wishes, Wish::Inside),
        jobs: WorkerJobs(Some(Rc::new(worker.clone()))),
        replay: Callback::noop(),
        server: ServerLink::default(),
        storage: Callback::noop(),
        shell: Callback::noop(),
        shell_memory: PromptMemory::default(),
    }
}
