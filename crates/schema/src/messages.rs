//! What the page asks the worker, and what it answers. (It names workspaces and designs, which `model` cannot, and both
//! ends import this crate.) One [`Ask`], one [`Answer`]; no answer takes longer than a slice of work, about 10 ms.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_model::{
    Bytes, Error, ExportPiece, ExportResume, Problem, ReadStats, Request, Response, Row, RowKey, Span, TableView, Timestamp,
};

use crate::{Field, OwnData, Query, Verdict, Warning, Workspace};

/// Names an open read until it is complete or cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ReadId(pub u32);

/// From the page to the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// The samples that [`crate::Source::Sample`] can name. Answer: `Samples`.
    Samples,
    /// What the page wants: the worker compares it with what it has and does only what differs. A source that it begins to load
    /// and that is a person's own waits for its bytes. Answer: `Workspace`, with the fields as the reader has found them.
    SetWorkspace {
        /// All of it.
        workspace: Workspace,
        /// Whether its source is loaded if it is the same.
        load: LoadSource,
    },
    /// The workspace as it stands. Answer: `Workspace`.
    Workspace,
    /// Starts a load of a person's own events in place of the source, also of one that has the same name. Answer: `Data`.
    BeginOwn(OwnData),
    /// The next bytes of it. Answer: `Data`.
    OwnBytes {
        /// At most 1 MiB is wise.
        bytes: Bytes,
        /// No more follow.
        last: bool,
    },
    /// Ends a load early; what was loaded stays. Answer: `Data`.
    CancelLoad,
    /// The events as they stand. Answer: `Data`.
    Data,
    /// Texts of some events. Answer: `Events`.
    Events {
        /// Index of the first.
        start: u32,
        /// At most 1,000 are given.
        count: u32,
    },
    /// Lets events arrive at the pace of the cluster settings, or stops that, or begins again. Answer: `Done`.
    Play(Playback),
    /// A picture of one design. Answer: `View`.
    View {
        /// Which one.
        index: u32,
    },
    /// Begins a read. Answer: `Rows`.
    Read {
        /// Of which design.
        index: u32,
        /// The question.
        query: Query,
    },
    /// The next slice of a read. Answer: `Rows`.
    ReadMore(ReadId),
    /// Forgets a read. Answer: `Done`.
    CancelRead(ReadId),
    /// What is kept in this browser. Answer: `Storage`.
    Storage,
    /// Keeps events here from now on, when no other tab does any more. Answer: `Storage`.
    KeepHere,
    /// Deletes one kept set. Answer: `Storage`.
    DeleteSet {
        /// Its number.
        set: u32,
    },
    /// Deletes all that is kept, readable or not. Answer: `Storage`.
    DeleteSets,
    /// Some events of a kept set as JSON lines. Answer: `Lines`.
    ExportSet {
        /// Its number.
        set: u32,
        /// Index of the first event.
        start: u32,
    },
    /// A piece of a design's table as one file; the instance takes it in again as it is. Answer: `Exported`.
    ExportTable {
        /// Of which design.
        index: u32,
        /// Where the piece before ended.
        resume: Option<ExportResume>,
    },
    /// Anything that an instance can be asked. The designs' tables are called as [`Workspace::table_ids`] says; other tables may
    /// be made beside them. A read always comes in slices. Answer: `Response`, also if the instance refused it.
    Request {
        /// What to do.
        request: Request,
        /// The time where the person is, for cells that are written without one.
        now: Timestamp,
    },
}

/// When [`Ask::SetWorkspace`] loads the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LoadSource {
    /// If the source before gave other events.
    IfChanged,
    /// In any case, from the beginning: the load before may have failed or was cancelled.
    Again,
}

/// From the worker to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// All samples that are shipped with the page.
    Samples(Vec<SampleInfo>),
    /// The workspace as it stands.
    Workspace(Workspace),
    /// The events as they stand.
    Data(DataView),
    /// Some events.
    Events(EventsView),
    /// One design as it stands.
    View(DesignView),
    /// A slice of a read.
    Rows(QueryChunk),
    /// What is kept in this browser.
    Storage(StorageView),
    /// A part of an export.
    Lines(LinesView),
    /// A piece of a table.
    Exported(ExportPiece),
    /// What the instance says.
    Response(Response),
    /// It is done.
    Done,
    /// It was refused or failed: nothing has changed.
    Failed(Error),
}

/// What the worker says without a request, in a message with the request id 0. The first one is `Ready`: what is sent before
/// it is lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Notice {
    /// It answers requests from now on.
    Ready,
    /// It has met a bug of ours and has stopped.
    Crashed {
        /// What happened and where in the source.
        message: String,
    },
    /// Something has changed without a request: what is stored, or the events. Ask for it.
    Changed,
}

/// How events arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Playback {
    /// At the pace of the cluster settings.
    Play,
    /// Not now.
    Pause,
    /// All at once.
    Finish,
    /// From the first event, at the pace of the cluster settings.
    Restart,
}

/// A sample set that is shipped with the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleInfo {
    /// Names it in a workspace.
    pub name: String,
    /// For people.
    pub title: String,
    /// One sentence.
    pub about: String,
    /// Events in it.
    pub events: u32,
    /// Bytes to fetch.
    pub bytes: u32,
    /// Licence and origin.
    pub licence: String,
    /// A template to begin with.
    pub template: String,
}

/// The events and how far their load has come.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DataView {
    /// Names and kinds.
    pub fields: Vec<Field>,
    /// Events read so far.
    pub events: u32,
    /// Bytes read so far, of a file or a sample.
    pub bytes: u64,
    /// How far.
    pub state: LoadState,
    /// The first hundred lines that did not parse.
    pub problems: Vec<LoadProblem>,
    /// How many lines did not parse.
    pub bad_lines: u64,
    /// Events that a reload brings back, of a person's own; nothing if these are not kept.
    pub kept: Option<u32>,
    /// Whether this tab keeps a person's own events, and if not, why.
    pub keeping: Keeping,
}

/// How far a load has come.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadState {
    /// Bytes are still to come.
    Loading,
    /// All are read.
    #[default]
    Loaded,
    /// A person stopped it; what was read stays.
    Cancelled,
    /// It ended early; what was read stays.
    Failed(Error),
    /// Their load was not finished: these are the ones that were kept, the rest is still in the file.
    Interrupted,
    /// They are a person's own and not kept here: only the person has them.
    Awaited,
}

/// Whether a tab keeps a person's own events in the browser's storage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Keeping {
    /// It is not known yet.
    #[default]
    Opening,
    /// They are kept here.
    Here,
    /// Another tab keeps them; what this one loads is not kept.
    OtherTab,
    /// The tab that kept them has gone: this one can take over.
    OtherTabGone,
    /// The browser keeps nothing for this page.
    Without(Error),
    /// What is kept can be read, but nothing is added: the storage is full, or has failed.
    ReadOnly(Error),
    /// What is kept cannot be read as a whole: it is damaged, or of a newer build.
    Broken(Error),
}

/// What is kept in this browser for this page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StorageView {
    /// Whether this tab keeps events.
    pub keeping: Keeping,
    /// In the order of their loads.
    pub sets: Vec<SetView>,
}

/// A person's own events, as they are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetView {
    /// Names it.
    pub set: u32,
    /// A source to open, and how it was read.
    pub own: OwnData,
    /// Events that are stored for good.
    pub events: u32,
    /// Bytes that they take in the storage, about.
    pub bytes: u64,
    /// How the load ended; `Interrupted` if it was cut short, `Loading` if it goes on.
    pub state: LoadState,
    /// What is damaged; what can still be read can be exported.
    pub trouble: Option<Error>,
    /// Its events are those on the screen.
    pub shown: bool,
    /// A workspace that names its data opens it; not so if there is a better one of the same name.
    pub opens: bool,
}

/// A part of an export: whole lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinesView {
    /// JSON lines.
    pub lines: Bytes,
    /// Where the next part begins; nothing if this was the last.
    pub next: Option<u32>,
    /// Events of this part that could not be read.
    pub unreadable: u32,
}

/// One line that did not parse.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadProblem {
    /// From 1.
    pub line: u64,
    /// In characters, from 1.
    pub column: u64,
    /// What is wrong and what to do.
    pub message: String,
}

/// Texts of some events, for a preview.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EventsView {
    /// Names and kinds.
    pub fields: Vec<Field>,
    /// Index of the first event.
    pub start: u32,
    /// One list an event, as many values as fields.
    pub events: Vec<Vec<Option<String>>>,
}

/// One design and its table at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DesignView {
    /// Goes up by one with every change of the design or of its events; a view of an earlier one is out of date.
    pub revision: u64,
    /// Events in the table.
    pub events_built: u32,
    /// Events that are to be in it.
    pub events_total: u32,
    /// Events arrive at the pace of the cluster settings.
    pub playing: bool,
    /// The table is behind: events that have arrived, by the clock or all at once, are still being written to it.
    pub building: bool,
    /// The table's own clock, microseconds since its first event arrived.
    pub clock_micros: i64,
    /// All events are in it; SSTables with the same rows are still being merged.
    pub settling: bool,
    /// What is wrong with the template's text; the table keeps the last template that had none.
    pub problems: Vec<Problem>,
    /// What is unwise about it, the worst first.
    pub warnings: Vec<Warning>,
    /// What the design and the load of its tablets come to.
    pub verdict: Verdict,
    /// One for each part of the template.
    pub chips: Vec<ChipView>,
    /// The first rows, those around the middle and the last, in byte order, as the engine has them.
    pub first_keys: Vec<KeyView>,
    /// Around the middle.
    pub middle_keys: Vec<KeyView>,
    /// The last.
    pub last_keys: Vec<KeyView>,
    /// Families of the table, in the order of their creation.
    pub families: Vec<String>,
    /// Columns of the table, family and qualifier, the most frequent first, at most 200: for the filter builder.
    pub columns: Vec<(String, Bytes)>,
    /// Events that the layout could not write, and why the first of them could not.
    pub events_refused: u32,
    /// The reason of the first.
    pub refusal: Option<Error>,
    /// Bytes at which its tablets are split: as the cluster settings say, or scaled to what the table will hold.
    pub tablet_bytes_max: u64,
    /// Its tablets.
    pub table: TableView,
}

/// What one part of a template does to a real event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChipView {
    /// Where the part stands in the template's text.
    pub span: Span,
    /// The texts that go in.
    pub input: String,
    /// The bytes that come out.
    pub output: Bytes,
    /// One line on what it costs, or nothing.
    pub cost: String,
}

/// A key with its parts told apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyView {
    /// The whole key.
    pub key: RowKey,
    /// Which bytes came from which part, where the template can tell.
    pub spans: Vec<KeySpan>,
}

/// Bytes `[start, end)` of a key, and the part of the template that made them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeySpan {
    /// Index of the part.
    pub part: u32,
    /// Inclusive.
    pub start: u32,
    /// Exclusive.
    pub end: u32,
}

/// Rows of one slice of a read, in logical order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueryChunk {
    /// To ask for more with; the read is forgotten once `complete`.
    pub read: ReadId,
    /// The rows of this slice.
    pub rows: Vec<Row>,
    /// Of all slices so far.
    pub stats: ReadStats,
    /// Row ranges and keys that the question became: N for a salted template.
    pub ranges: u32,
    /// Whether the template cannot serve the question by ranges alone, so that more rows are scanned than asked for.
    pub scans_more: bool,
    /// Microseconds that the worker spent on it so far.
    pub elapsed_micros: u64,
    /// No more rows follow.
    pub complete: bool,
}
