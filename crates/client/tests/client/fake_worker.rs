//! Workers with fixed answers. A script cannot encode an answer, so it contains the bytes of each.

use std::fmt::Write;

use js_sys::Array;
use tabletop_client::{Client, Start};
use tabletop_keys::{Layout, LayoutKind, Query, RowChoice};
use tabletop_model::{Cell, ReadStats, Row, wire};
use tabletop_protocol::{
    Answer, Ask, DataView, Job, JobAsk, JobSlice, LoadSource, LoadState, Notice, QueryChunk, QueryOnDesign,
    ReadQuery, RunId,
};
use tabletop_workspace::{ClusterSettings, Design, DesignLimits, Source, WORKSPACE_VERSION, Workspace};
use wasm_bindgen::JsValue;
use web_sys::{Blob, Url};

/// Counters of a fake worker. A request for the events from this index on returns one.
pub const VIEWS: u32 = 100;
pub const ENDED_RUNS: u32 = 101;
pub const OWN_BYTES: u32 = 102;

/// The first message that the worker expects.
const FIRST_MESSAGE: &str = "wake";

/// The script of a worker.
pub struct FakeWorker {
    script: String,
    ready_after_millis: u32,
}

impl FakeWorker {
    /// A worker that has no samples, returns workspaces as they are, and takes own data.
    pub fn new() -> FakeWorker {
        FakeWorker { script: String::new(), ready_after_millis: 0 }
    }

    /// Sends this answer to this request, and to others that begin with its bytes.
    pub fn on(mut self, ask: &Ask, answer: &Answer) -> FakeWorker {
        let _ = writeln!(
            self.script,
            "if (is({:?})) return reply({:?});",
            wire::encode(ask),
            wire::encode(answer)
        );
        self
    }

    /// Panics on this request.
    pub fn crash_on(mut self, ask: &Ask, message: &str) -> FakeWorker {
        let notice = wire::encode(&Notice::Crashed { message: message.into() });
        let _ = writeln!(
            self.script,
            "if (is({:?})) {{ say(0, {notice:?}); throw Error('unreachable'); }}",
            wire::encode(ask)
        );
        self
    }

    /// Throws on this request.
    pub fn throw_on(mut self, ask: &Ask, message: &str) -> FakeWorker {
        let _ = writeln!(self.script, "if (is({:?})) throw Error({message:?});", wire::encode(ask));
        self
    }

    /// Delays the worker's readiness by this time.
    pub fn ready_after(mut self, millis: u32) -> FakeWorker {
        self.ready_after_millis = millis;
        self
    }

    /// The parameters to start the worker with.
    pub fn start(&self) -> Start {
        Start { url: self.url(), first_message: FIRST_MESSAGE.into() }
    }

    fn url(&self) -> String {
        let kind = |ask: &Ask| wire::encode(ask)[0];
        let end = wire::encode(&Ask::Job(JobAsk::End(RunId(0))));
        let data = |state: LoadState| wire::encode(&Answer::Data(DataView { state, ..DataView::default() }));
        let text = format!(
            r#"
            let views = 0, ended = 0, own = 0;
            const say = (id, bytes) => {{
                const frame = new Uint8Array(4 + bytes.length);
                new DataView(frame.buffer).setUint32(0, id, true);
                frame.set(bytes, 4);
                postMessage(frame.buffer, [frame.buffer]);
            }};
            const hear = ({{ data }}) => {{
                const id = new DataView(data).getUint32(0, true);
                const body = [...new Uint8Array(data, 4)];
                const reply = (bytes) => say(id, bytes);
                const is = (bytes) => bytes.every((byte, at) => body[at] === byte);
                if (body[0] === {view}) views += 1;
                if (body[0] === {job} && body[1] === {end}) {{ ended += 1; return reply({done:?}); }}
                if (body[0] === {ask_samples}) return reply({no_samples:?});
                {script}
                // The last byte is the `load` field after the workspace.
                if (body[0] === {set}) return reply([{workspace}, ...body.slice(1, -1)]);
                if (body[0] === {view}) return reply({a_view:?});
                if (body[0] === {begin}) {{ own = 0; return reply({loading:?}); }}
                if (body[0] === {bytes}) {{
                    // The bytes follow their length and precede the flag.
                    const length = body.slice(1).findIndex((byte) => byte < 128) + 1;
                    own += body.length - 2 - length;
                    return reply(body[body.length - 1] ? {loaded:?} : {loading:?});
                }}
                if (body[0] === {events}) return reply([{counted}, 0, {{ 100: views, 101: ended, 102: own }}[body[1]], 0]);
            }};
            onmessage = ({{ data }}) => {{
                if (data !== {FIRST_MESSAGE:?}) throw Error("unexpected first message " + data);
                onmessage = null;
                setTimeout(() => {{ onmessage = hear; say(0, {ready:?}); }}, {ready_after_millis});
            }};
            "#,
            view = kind(&Ask::View { index: 0, first_look: false }),
            job = end[0],
            end = end[1],
            ask_samples = kind(&Ask::Samples),
            set = kind(&Ask::SetWorkspace {
                workspace: workspace(Source::Sample(String::new())),
                load: LoadSource::Again
            }),
            begin = kind(&Ask::BeginOwn(super::own(""))),
            bytes = kind(&Ask::OwnBytes { bytes: Default::default(), last: true }),
            events = kind(&Ask::Events { start: 0, count: 0 }),
            done = wire::encode(&Answer::Job(Ok(JobSlice { run: None, chunk: Default::default() }))),
            no_samples = wire::encode(&Answer::Samples(vec![])),
            workspace = wire::encode(&Answer::Workspace(workspace(Source::Sample(String::new()))))[0],
            a_view = wire::encode(&Answer::View(Default::default())),
            counted = wire::encode(&Answer::Events(Default::default()))[0],
            loading = data(LoadState::Loading),
            loaded = data(LoadState::Loaded),
            ready = wire::encode(&Notice::Ready),
            ready_after_millis = self.ready_after_millis,
            script = self.script,
        );
        let blob = Blob::new_with_str_sequence(&Array::of1(&JsValue::from(text))).expect("a blob");
        Url::create_object_url_with_blob(&blob).expect("a URL")
    }
}

/// A counter of the worker: it is returned as the first event of an empty list.
pub async fn counted(client: &Client, what: u32) -> u32 {
    client.events(what, 0).await.expect("a count").start
}

/// The counter, once it is not 0.
pub async fn wait_for(client: &Client, what: u32) -> u32 {
    loop {
        match counted(client, what).await {
            0 => {}
            count => return count,
        }
    }
}

/// A workspace of two designs and no filter.
pub fn workspace(source: Source) -> Workspace {
    let design = Design::new("first", "{a}", Layout::new(LayoutKind::Narrow));
    Workspace {
        version: WORKSPACE_VERSION,
        name: "test".into(),
        source,
        designs: vec![design],
        cluster: ClusterSettings { tablet_bytes_max: None, tablet_load_max: 500.0, events_per_second: 100.0 },
        query: Query { rows: RowChoice::All, filter: None, rows_limit: 0, reversed: false },
        queries: vec![],
        limits: DesignLimits::default(),
        rates: None,
        traffic: None,
        strategy: None,
        arrived: None,
        example: None,
        roles: vec![],
    }
}

/// The request that opens a read of the first design.
pub fn begin(query: &Query) -> Ask {
    Ask::Job(JobAsk::begin::<ReadQuery>(&read_of(query)))
}

/// A read of the first design.
pub fn read_of(query: &Query) -> QueryOnDesign {
    QueryOnDesign { index: 0, query: query.clone() }
}

/// The answer with a slice of a run, which is `None` after the last slice.
pub fn slice<J: Job>(run: Option<u32>, chunk: &J::Chunk) -> Answer {
    Answer::Job(Ok(JobSlice { run: run.map(RunId), chunk: wire::encode(chunk).into() }))
}

/// One slice of a read.
pub fn chunk(rows: Vec<Row>, complete: bool) -> QueryChunk {
    QueryChunk {
        rows,
        stats: ReadStats::default(),
        ranges: 1,
        scans_more: false,
        elapsed_micros: 0,
        complete,
    }
}

/// A row of one cell.
pub fn row(key: &str) -> Row {
    let cell =
        Cell { family: "f".into(), qualifier: "q".into(), timestamp: 1_000, value: "v".into(), label: None };
    Row { key: key.into(), cells: vec![cell] }
}
