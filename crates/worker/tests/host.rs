//! A host without a browser. Its clock only advances by calls.

use std::cell::Cell;
use std::fmt::Write;
use std::path::Path;

use tabletop_advice::{DesignFigures, Measurements};
use tabletop_keys::{Field, Query, RowChoice};
use tabletop_model::{Code, Row, Timestamp};
use tabletop_protocol::{
    Answer, Ask, DataView, DesignView, Job, JobAsk, JobError, LoadSource, MeasurePatterns, Playback,
    QueryChunk, QueryOnDesign, ReadQuery, RunId, SampleInfo, Slice,
};
use tabletop_worker::{Next, Session, StorageEvent};
use tabletop_workspace::{ContentDigest, Format, OnBadLine, OwnData, Source, Workspace};

/// Number of steps after which a session counts as never settling.
pub const STEPS_MAX: u32 = 1_000_000;

/// The template of a table without a hot tablet.
pub const USER_FIRST: &str = "{user_token},{timestamp:iso}";

pub struct Host {
    pub session: Session,
    now: Timestamp,
    count: u32,
    /// The measurement in progress.
    measuring: Option<RunId>,
}

impl Host {
    pub fn new() -> Host {
        Host::with_steps_of(64)
    }

    pub fn with_steps_of(count: u32) -> Host {
        Host { session: Session::new(), now: 0, count, measuring: None }
    }

    pub fn ask(&mut self, ask: Ask) -> Answer {
        self.ask_in(0, ask)
    }

    /// Sends a request. Each call of the clock advances it by `micros`.
    fn ask_in(&mut self, micros: i64, ask: Ask) -> Answer {
        let clock = Cell::new(self.now);
        let tick = || {
            clock.set(clock.get() + micros);
            clock.get()
        };
        self.session.handle(&tick, ask)
    }

    /// Sends a request about a run.
    fn step<J: Job>(&mut self, micros: i64, ask: JobAsk) -> Result<Slice<J::Chunk>, JobError> {
        match self.ask_in(micros, Ask::Job(ask)) {
            Answer::Job(answer) => answer?.decode::<J>(),
            other => panic!("{other:?}"),
        }
    }

    /// Opens a run, and returns its first slice.
    pub fn begin<J: Job>(&mut self, request: &J::Request) -> Result<Slice<J::Chunk>, JobError> {
        self.step::<J>(0, JobAsk::begin::<J>(request))
    }

    /// Returns the next slice of a run.
    pub fn next<J: Job>(&mut self, run: RunId, order: &J::Order) -> Result<Slice<J::Chunk>, JobError> {
        self.step::<J>(0, JobAsk::next::<J>(run, order))
    }

    /// Closes a run.
    pub fn end(&mut self, run: RunId) {
        assert!(matches!(self.ask(Ask::Job(JobAsk::End(run))), Answer::Job(Ok(_))));
    }

    /// Begins a read, which is refused.
    pub fn refused_read(&mut self, index: u32, query: Query) -> Code {
        let refused = self.begin::<ReadQuery>(&QueryOnDesign { index, query }).expect_err("it is refused");
        refused.into_error().code
    }

    /// Returns the code of a refusal.
    pub fn code(&mut self, ask: Ask) -> Code {
        let answer = self.ask(ask);
        code(answer)
    }

    pub fn advance(&mut self) -> Next {
        let next = self.session.advance(self.now, self.count);
        if let Next::In { millis } = next {
            self.now += Timestamp::from(millis) * 1_000;
        }
        next
    }

    /// Advances until nothing is left to do, including playback.
    pub fn settle(&mut self) {
        for _ in 0..STEPS_MAX {
            if self.advance() == Next::Asked {
                return;
            }
        }
        panic!("the session never settles");
    }

    /// Advances until the session waits for something.
    pub fn settle_until_waiting(&mut self) -> Next {
        for _ in 0..STEPS_MAX {
            match self.advance() {
                Next::Now => {}
                next => return next,
            }
        }
        panic!("the session never settles");
    }

    /// Advances for this many milliseconds of the host's clock.
    pub fn run_for(&mut self, millis: i64) {
        let end = self.now + millis * 1_000;
        while self.now < end {
            if self.settle_until_waiting() == Next::Asked {
                self.now = end;
            }
        }
    }

    /// Lets all events arrive, and settles.
    pub fn finish(&mut self) {
        self.ask(Ask::Play(Playback::Finish));
        self.settle();
    }

    pub fn view(&mut self, index: u32) -> DesignView {
        match self.ask(Ask::View { index, first_look: false }) {
            Answer::View(view) => view,
            other => panic!("{other:?}"),
        }
    }

    pub fn compare(&mut self) -> Vec<DesignFigures> {
        match self.ask(Ask::Compare) {
            Answer::Compared(designs) => designs,
            other => panic!("{other:?}"),
        }
    }

    /// Measures one slice, which takes `micros` by the host's clock.
    pub fn measure(&mut self, micros: i64) -> Measurements {
        let ask = self.measuring.map_or_else(
            || JobAsk::begin::<MeasurePatterns>(&()),
            |run| JobAsk::next::<MeasurePatterns>(run, &()),
        );
        let slice = match self.step::<MeasurePatterns>(micros, ask) {
            Err(JobError::Gone) => {
                self.step::<MeasurePatterns>(micros, JobAsk::begin::<MeasurePatterns>(&()))
            }
            slice => slice,
        };
        let Slice { run, chunk } = slice.expect("it measures");
        self.measuring = run;
        chunk
    }

    /// Measures until all is measured. Returns the costs and the number of slices.
    pub fn measure_all(&mut self, micros: i64) -> (Measurements, usize) {
        for slices in 0..STEPS_MAX as usize {
            let measured = self.measure(micros);
            if !measured.more {
                return (measured, slices);
            }
        }
        panic!("the measurement never ends");
    }

    pub fn workspace(&mut self) -> Workspace {
        match self.ask(Ask::Workspace) {
            Answer::Workspace(workspace) => workspace,
            other => panic!("{other:?}"),
        }
    }

    pub fn data(&mut self) -> DataView {
        match self.ask(Ask::Data) {
            Answer::Data(data) => data,
            other => panic!("{other:?}"),
        }
    }

    /// Loads the source of a workspace.
    pub fn open(&mut self, workspace: Workspace) -> Answer {
        self.ask(Ask::SetWorkspace { workspace, load: LoadSource::Again })
    }

    /// Changes the workspace as the page does.
    pub fn edit(&mut self, change: impl FnOnce(&mut Workspace)) -> Answer {
        let mut workspace = self.workspace();
        change(&mut workspace);
        self.ask(Ask::SetWorkspace { workspace, load: LoadSource::IfChanged })
    }

    /// Corrects the fields of own events.
    pub fn correct(&mut self, fields: Vec<Field>) -> Answer {
        self.edit(|workspace| match &mut workspace.source {
            Source::Own(own) => own.fields = fields,
            other => panic!("{other:?}"),
        })
    }

    pub fn template(&mut self, template: &str) -> DesignView {
        let answer = self.edit(|workspace| workspace.designs[0].template = template.into());
        assert!(matches!(answer, Answer::Workspace(_)), "{answer:?}");
        self.view(0)
    }

    /// Sets the events per second of the table's clock.
    pub fn pace(&mut self, events_per_second: f64) {
        let answer = self.edit(|workspace| workspace.cluster.events_per_second = events_per_second);
        assert!(matches!(answer, Answer::Workspace(_)), "{answer:?}");
    }

    pub fn text_of(&mut self, event: u32, field: &str) -> String {
        let Answer::Events(events) = self.ask(Ask::Events { start: event, count: 1 }) else { panic!() };
        let at = events.fields.iter().position(|known| known.name == field).expect("a field");
        events.events[0][at].clone().expect("a value")
    }

    /// Reads all slices of a query as one.
    pub fn read_all(&mut self, index: u32, query: Query) -> QueryChunk {
        let mut slice = self.begin::<ReadQuery>(&QueryOnDesign { index, query }).expect("it begins");
        let mut rows = Vec::new();
        loop {
            rows.append(&mut slice.chunk.rows);
            match slice.run {
                None => return QueryChunk { rows, ..slice.chunk },
                Some(run) => slice = self.next::<ReadQuery>(run, &()).expect("a slice"),
            }
        }
    }

    /// Passes on a result of a host's attempt to open the storage.
    pub fn on_storage_event(&mut self, event: StorageEvent) {
        self.session.on_storage_event(self.now, event);
    }

    pub fn begin_own(&mut self, on_bad_line: OnBadLine) -> DataView {
        match self.ask(Ask::BeginOwn(own(on_bad_line))) {
            Answer::Data(data) => data,
            other => panic!("{other:?}"),
        }
    }

    /// Loads a text in slices of `slice_bytes`.
    pub fn load(&mut self, text: &str, on_bad_line: OnBadLine, slice_bytes: usize) -> DataView {
        self.load_as(file(text, on_bad_line), text, slice_bytes)
    }

    /// Loads a text as this file.
    pub fn load_as(&mut self, own: OwnData, text: &str, slice_bytes: usize) -> DataView {
        self.ask(Ask::BeginOwn(own));
        let slices = text.len().div_ceil(slice_bytes);
        for (at, slice) in text.as_bytes().chunks(slice_bytes).enumerate() {
            let answer = self.ask(Ask::OwnBytes { bytes: slice.into(), last: at + 1 == slices });
            assert!(matches!(answer, Answer::Data(_)), "{answer:?}");
            self.advance();
        }
        self.data()
    }
}

/// Returns the code of an answer that refuses.
pub fn code(answer: Answer) -> Code {
    match answer {
        Answer::Failed(error) => error.code,
        other => panic!("it was not refused: {other:?}"),
    }
}

/// The user's own data with this handling of bad lines, without a digest, as an earlier build names
/// it.
pub fn own(on_bad_line: OnBadLine) -> OwnData {
    OwnData {
        name: "events.csv".into(),
        format: Format::Detect,
        fields: vec![],
        on_bad_line,
        reading: Default::default(),
        content: None,
    }
}

/// A file with this text.
pub fn file(text: &str, on_bad_line: OnBadLine) -> OwnData {
    OwnData { content: Some(ContentDigest::of(text.as_bytes())), ..own(on_bad_line) }
}

/// A query for the first hundred rows.
pub fn everything() -> Query {
    Query { rows: RowChoice::All, filter: None, rows_limit: 100, reversed: false }
}

/// Events of a shop as CSV, one per minute. The line of event `bad` has an extra column.
pub fn csv(events: usize, bad: Option<usize>) -> String {
    let mut text = String::from("who,at,what\n");
    for event in 0..events {
        let more = if bad == Some(event) { ",and more" } else { "" };
        let (hour, minute, day) = (event / 60 % 24, event % 60, event / 1_440 + 1);
        writeln!(text, "user-{:03},2026-03-{day:02}T{hour:02}:{minute:02}:00Z,buy{more}", event * 37 % 211)
            .expect("a string");
    }
    text
}

/// Keys without their salt, which has the length of `salt`, and their cells.
pub fn logical_rows(rows: &[Row], salt: &str) -> Vec<(Vec<u8>, Vec<tabletop_model::Cell>)> {
    rows.iter().map(|row| (row.key[salt.len()..].to_vec(), row.cells.clone())).collect()
}

pub fn samples() -> Vec<SampleInfo> {
    match Session::new().handle(&|| 0, Ask::Samples) {
        Answer::Samples(samples) => samples,
        other => panic!("{other:?}"),
    }
}

/// Reads a file that is shipped with the page.
pub fn shipped(path: &str) -> Vec<u8> {
    let www = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../www");
    std::fs::read(www.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}
