//! Stories of the page without a browser: the state, the reducer and the drawing are the page's own,
//! and the worker's session answers in this process. A test presses and fills in the controls of the
//! last drawing by their names.

mod asking;
mod compare;
mod drawn;
mod editing;
mod panes;
mod scoreboard;

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::Value;
use tabletop_schema::{
    Answer, Ask, DesignView, Job, JobAsk, LoadSource, MeasurePatterns, Playback, Query, QueryChunk,
    QueryOnDesign, ReadOnAllDesigns, ReadQuery, Slice, Source, ViewId, Workspace,
};
use tabletop_worker::{Next, Session};
use yew::callback::CallbackRefMut;
use yew::{Callback, Html};

use crate::actions::{Actions, EventsRequest, PromptMemory, ServerLink, WorkerJobs};
use crate::state::{Action, Edit, EntityReads, PageState};
use crate::views::{Frame, view};
use crate::widgets::used;
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
}

/// The page of one test.
pub struct Page {
    pub state: PageState,
    actions: Actions,
    wishes: Rc<RefCell<Vec<Wish>>>,
    /// The controls of the last drawing.
    controls: Vec<(String, used::Use)>,
    session: Session,
    sent: Option<Rc<Workspace>>,
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
        let mut page = Page {
            state: PageState::new(workspace),
            actions: actions(&wishes),
            wishes,
            controls: Vec::new(),
            session: Session::new(),
            sent: None,
            millis: 0.0,
        };
        page.settle();
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

    /// Shows a view.
    pub fn show(&mut self, view: ViewId) {
        self.act(Action::Look(Box::new(move |look| look.view = view)));
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
        serde_json::from_str(&self.state.workspace.to_json()).expect("a workspace is JSON")
    }

    /// Returns the picture of a design's table.
    pub fn table(&mut self, index: u32) -> DesignView {
        match self.ask(Ask::View { index }) {
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
        self.session.handle(&|| 0, ask)
    }

    /// Runs a job to its end, and returns its chunks.
    pub fn run<J: Job>(&mut self, request: &J::Request) -> Vec<J::Chunk> {
        let mut chunks = Vec::new();
        let mut next = JobAsk::begin::<J>(request);
        loop {
            let Answer::Job(answer) = self.ask(Ask::Job(next)) else { panic!("a job is answered") };
            let Slice { run, chunk } =
                answer.and_then(|slice| slice.decode::<J>()).expect("the job has a slice");
            chunks.push(chunk);
            match run {
                Some(run) => next = JobAsk::next::<J>(run, &J::Order::default()),
                None => return chunks,
            }
        }
    }

    /// Applies what was asked for, and then shows what the worker answers once it is idle.
    fn settle(&mut self) {
        loop {
            let wishes = self.wishes.take();
            if wishes.is_empty() {
                break;
            }
            for wish in wishes {
                self.grant(wish);
            }
        }
        if self.sent.as_ref() != Some(&self.state.workspace) {
            let workspace = self.state.workspace.clone();
            self.sent = Some(workspace.clone());
            let ask = Ask::SetWorkspace { workspace: (*workspace).clone(), load: LoadSource::IfChanged };
            self.ask(ask);
            self.ask(Ask::Play(Playback::Finish));
        }
        self.advance();
        let design = self.state.design as u32;
        for ask in [
            Ask::Data,
            Ask::View { index: design },
            Ask::Events { start: 0, count: LISTED },
            Ask::Compare,
            Ask::Suggest,
        ] {
            let action = match self.ask(ask) {
                Answer::Data(data) => Action::Data(data),
                Answer::View(view) => Action::View(Rc::new(view)),
                Answer::Events(events) => Action::Preview(events),
                Answer::Compared(figures) => Action::Compared(figures),
                Answer::Suggested(patterns) => Action::Suggested(patterns),
                other => panic!("{other:?}"),
            };
            self.state.apply(action);
        }
        // Logical sizes are counted slice by slice.
        while self.state.compared.iter().any(|figures| figures.changes) {
            self.advance();
            let Answer::Compared(figures) = self.ask(Ask::Compare) else { panic!("designs have figures") };
            self.state.apply(Action::Compared(figures));
        }
        if !self.state.workspace.queries.is_empty() {
            let measured = self.run_until::<MeasurePatterns>(&(), |measured| !measured.more);
            self.state.apply(Action::Measured(self.state.workspace.clone(), measured));
        }
    }

    fn advance(&mut self) {
        while self.session.advance(0, 1_000) != Next::Asked {}
    }

    /// Runs a job until a chunk is the last one that the page wants.
    fn run_until<J: Job>(&mut self, request: &J::Request, is_last: impl Fn(&J::Chunk) -> bool) -> J::Chunk {
        let mut next = JobAsk::begin::<J>(request);
        loop {
            let Answer::Job(answer) = self.ask(Ask::Job(next)) else { panic!("a job is answered") };
            let Slice { run, chunk } =
                answer.and_then(|slice| slice.decode::<J>()).expect("the job has a slice");
            match run.filter(|_| !is_last(&chunk)) {
                Some(run) => next = JobAsk::next::<J>(run, &J::Order::default()),
                None => return chunk,
            }
        }
    }

    fn grant(&mut self, wish: Wish) {
        match wish {
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
            Wish::Events(EventsRequest::Number(index)) => {
                let ask = Ask::Events { start: index - index % LISTED, count: LISTED };
                let Answer::Events(events) = self.ask(ask) else { panic!("there are events") };
                self.state.apply(Action::ListedEvents(Rc::new(events), (index % LISTED) as usize));
            }
            Wish::Events(EventsRequest::OfRow(key)) => panic!("the row {key} is looked up in the browser"),
            Wish::Play(playback) => drop(self.ask(Ask::Play(playback))),
            Wish::CancelLoad => drop(self.ask(Ask::CancelLoad)),
        }
    }
}

/// Returns actions that note what they are asked for. What needs files, sockets or the browser's
/// storage is ignored.
fn actions(wishes: &Rc<RefCell<Vec<Wish>>>) -> Actions {
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
        run: Callback::noop(),
        stop: Callback::noop(),
        restart: Callback::noop(),
        write: Callback::noop(),
        mark: Callback::noop(),
        expired: Callback::noop(),
        keys: Callback::noop(),
        gather: Callback::noop(),
        inside: Callback::noop(),
        jobs: WorkerJobs::default(),
        replay: Callback::noop(),
        server: ServerLink::default(),
        storage: Callback::noop(),
        shell: Callback::noop(),
        shell_memory: PromptMemory::default(),
    }
}
