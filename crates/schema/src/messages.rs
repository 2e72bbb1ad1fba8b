//! Messages between the page and the worker. (They contain workspaces and designs, which `model` does not have, and both ends
//! import this crate.) Each [`Ask`] has one [`Answer`]; no answer takes longer than a slice of work, about 10 ms.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_model::{Bytes, Error, ExportPiece, ExportResume, Problem, Request, Response, RowKey, TableView, Timestamp};

use crate::{
    ChipView, ContentDigest, DesignFigures, Field, JobAnswer, JobAsk, LoadProblem, NamedQuery, OwnData, Proposal, Verdict,
    Warning, Workspace,
};

/// A request of the page to the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// The samples that [`crate::Source::Sample`] can name. Answer: `Samples`.
    Samples,
    /// Sets the workspace. The worker compares it with the current one and applies only the differences. A new source with own
    /// data waits for its bytes. Answer: `Workspace`, with the fields that the reader has detected.
    SetWorkspace {
        /// The whole workspace.
        workspace: Workspace,
        /// When the source is loaded.
        load: LoadSource,
    },
    /// The current workspace. Answer: `Workspace`.
    Workspace,
    /// Starts a load of a person's own events. They replace the source, even one of the same name. Answer: `Data`.
    BeginOwn(OwnData),
    /// The next bytes of that load. Answer: `Data`.
    OwnBytes {
        /// At most 1 MiB is recommended.
        bytes: Bytes,
        /// Whether these are the last bytes.
        last: bool,
    },
    /// Ends a load early; what was loaded stays. Answer: `Data`.
    CancelLoad,
    /// The current state of the events. Answer: `Data`.
    Data,
    /// Texts of some events. Answer: `Events`.
    Events {
        /// Index of the first.
        start: u32,
        /// The number of events; at most 1,000 are returned.
        count: u32,
    },
    /// Starts, stops or moves the arrival of events at the pace of the cluster settings. The tables follow in slices; only the last
    /// request counts. Answer: `Done`.
    Play(Playback),
    /// What has happened to one design's table, and when. Answer: `Timeline`.
    Timeline {
        /// Index of the design.
        index: u32,
    },
    /// A picture of one design. Answer: `View`.
    View {
        /// Index of the design.
        index: u32,
    },
    /// A step of a run of a job: everything that takes longer than a slice. Answer: `Job`.
    Job(JobAsk),
    /// What the patterns of a filter name in cells: a [`crate::MarkAsk`], encoded on its own, so that the code for it need not be
    /// fetched with that of the other messages. Answer: `Marked`.
    Mark(Bytes),
    /// The data stored in this browser. Answer: `Storage`.
    Storage,
    /// Stores events in this tab from now on, if no other tab does. Answer: `Storage`.
    KeepHere,
    /// Deletes one stored set. Answer: `Storage`.
    DeleteSet {
        /// Its number.
        set: u32,
    },
    /// Deletes all stored sets, readable or not. Answer: `Storage`.
    DeleteSets,
    /// Some events of a stored set as JSON lines. Answer: `Lines`.
    ExportSet {
        /// Its number.
        set: u32,
        /// Index of the first event.
        start: u32,
    },
    /// A piece of a design's table as one file, which an instance can import. Answer: `Exported`.
    ExportTable {
        /// Index of the design.
        index: u32,
        /// The end of the previous piece.
        resume: Option<ExportResume>,
    },
    /// A request to the instance. [`Workspace::table_ids`] returns the names of the designs' tables; other tables can be created.
    /// A read always returns slices. Answer: `Response`, also if the instance refused the request.
    Request {
        /// The request.
        request: Request,
        /// The page's current time, for cells that are written without a timestamp.
        now: Timestamp,
    },
    /// Takes the writes by hand with these numbers back, and does all others again ([`DesignView::newest_write`]). Answer: `Done`.
    TakeBack(Vec<u32>),
    /// The writes by hand, kept for a reload: a [`crate::HandWritesAsk`], encoded on its own, so that the code for it need not be fetched with
    /// that of the other messages. Answer: `HandWrites`, or `Done` for a restoration.
    HandWrites(Bytes),
    /// The figures of all designs at one moment. Answer: `Compared`.
    Compare,
    /// Designs for the access patterns of the workspace. Answer: `Proposed`.
    ProposeDesigns,
    /// Access patterns that suit the events. Answer: `Suggested`.
    Suggest,
}

/// When [`Ask::SetWorkspace`] loads the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LoadSource {
    /// If the previous source had other events.
    IfChanged,
    /// In any case, from the beginning: the previous load may have failed or been cancelled.
    Again,
}

/// An answer of the worker to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// All samples that are shipped with the page.
    Samples(Vec<SampleInfo>),
    /// The current workspace.
    Workspace(Workspace),
    /// The current state of the events.
    Data(DataView),
    /// Some events.
    Events(EventsView),
    /// The current state of one design.
    View(DesignView),
    /// The moments of one design's table.
    Timeline(TimelineView),
    /// A slice of a run of a job, or why there is none.
    Job(#[serde(with = "crate::job::coded")] JobAnswer),
    /// What the patterns name: [`crate::Marks`], encoded on their own.
    Marked(Bytes),
    /// Writes by hand: [`crate::KeptWrites`], encoded on their own.
    HandWrites(Bytes),
    /// The data stored in this browser.
    Storage(StorageView),
    /// A part of an export.
    Lines(LinesView),
    /// A piece of a table.
    Exported(ExportPiece),
    /// The response of the instance.
    Response(Response),
    /// The request is done.
    Done,
    /// The request was refused or failed: nothing has changed.
    Failed(Error),
    /// The figures of each design, in the order of the designs.
    Compared(Vec<DesignFigures>),
    /// Designs that the workspace does not have, the best first; none without an access pattern that selects by fields.
    Proposed(Vec<Proposal>),
    /// Access patterns with values of the events.
    Suggested(Vec<NamedQuery>),
}

/// A message of the worker without a request, with the request id 0. The first one is `Ready`: requests before it are lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Notice {
    /// The worker answers requests from now on.
    Ready,
    /// The worker has met a bug in Tabletop and has stopped.
    Crashed {
        /// The failure, and its place in the source.
        message: String,
    },
    /// The stored data or the events have changed without a request. Request them again.
    Changed,
}

/// The arrival of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Playback {
    /// At the pace of the cluster settings.
    Play,
    /// No events arrive.
    Pause,
    /// All events arrive immediately.
    Finish,
    /// From the first event, at the pace of the cluster settings.
    Restart,
    /// Pauses while events arrive; else plays, from the first event if all have arrived.
    Toggle,
    /// Pauses at the moment at which so many events have arrived, earlier or later. More than there are means all.
    Seek(u32),
}

/// A sample set that is shipped with the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleInfo {
    /// The name in a workspace.
    pub name: String,
    /// The title, for people.
    pub title: String,
    /// A description in one sentence.
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

/// The events and the progress of their load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DataView {
    /// Names and kinds of the fields.
    pub fields: Vec<Field>,
    /// Events read so far.
    pub events: u32,
    /// Bytes read so far, of a file or a sample.
    pub bytes: u64,
    /// The state of the load.
    pub state: LoadState,
    /// The first hundred lines that did not parse, and notes on how the file was read, in the order of their places.
    pub problems: Vec<LoadProblem>,
    /// The number of lines that did not parse.
    pub bad_lines: u64,
    /// The number of own events that a reload restores; `None` if they are not stored.
    pub kept: Option<u32>,
    /// Whether this tab stores a person's own events, and if not, why.
    pub keeping: Persistence,
    /// The content of the file with a person's own events. A workspace that does not name it learns it from here.
    pub content: Option<ContentDigest>,
}

/// The state of a load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadState {
    /// More bytes are expected.
    Loading,
    /// All bytes are read.
    #[default]
    Loaded,
    /// A person stopped it; what was read stays.
    Cancelled,
    /// It ended early; what was read stays.
    Failed(Error),
    /// The load was not finished: the stored events are present, the rest is only in the file.
    Interrupted,
    /// The events are a person's own and not stored in this browser: only the person has them.
    Awaited,
}

/// Whether a tab stores a person's own events in the browser's storage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Persistence {
    /// The storage is being opened.
    #[default]
    Opening,
    /// This tab stores them.
    Here,
    /// Another tab stores them. Events that this tab loads are not stored.
    OtherTab,
    /// The tab that stored them has closed: this one can take over.
    OtherTabGone,
    /// The browser stores nothing for this page.
    Without(Error),
    /// Stored events can be read, but none are added: the storage is full, or has failed.
    ReadOnly(Error),
    /// Stored events cannot all be read: they are damaged, or from a newer build.
    Broken(Error),
}

/// The data stored in this browser for this page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StorageView {
    /// Whether this tab stores events.
    pub keeping: Persistence,
    /// The sets in the order of their loads.
    pub sets: Vec<SetView>,
}

/// A stored set of a person's own events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetView {
    /// The number of the set.
    pub set: u32,
    /// The name of the events and how they were read, as a source that can be opened.
    pub own: OwnData,
    /// Events that are stored durably.
    pub events: u32,
    /// Bytes that they take in the storage, about.
    pub bytes: u64,
    /// The state of the load: `Interrupted` if it was cut short, `Loading` if it continues.
    pub state: LoadState,
    /// The damage, if any. Events that can still be read can be exported.
    pub trouble: Option<Error>,
    /// Whether its events are on the screen.
    pub shown: bool,
    /// Whether a workspace that names its data opens this set. It does not if there is a better set of the same name.
    pub opens: bool,
}

/// A part of an export: whole lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinesView {
    /// JSON lines.
    pub lines: Bytes,
    /// The first event of the next part; `None` if this was the last part.
    pub next: Option<u32>,
    /// Events of this part that could not be read.
    pub unreadable: u32,
}

/// Texts of some events, for a preview.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EventsView {
    /// Names and kinds of the fields.
    pub fields: Vec<Field>,
    /// Index of the first event.
    pub start: u32,
    /// One list per event, with one value per field.
    pub events: Vec<Vec<Option<String>>>,
}

/// One design and its table at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DesignView {
    /// Increases by one with every change of the design or of its events. A view with a lower number is out of date.
    pub revision: u64,
    /// Events in the table.
    pub events_built: u32,
    /// Events that have arrived, and that the table has as soon as it is built: fewer than it has, when one goes back.
    pub events_arrived: u32,
    /// Events that the table will have.
    pub events_total: u32,
    /// Whether events arrive at the pace of the cluster settings.
    pub playing: bool,
    /// Whether events that have arrived, by the clock or all together, are still being written to the table.
    pub building: bool,
    /// The table's own clock, microseconds since its first event arrived.
    pub clock_micros: i64,
    /// Whether SSTables are still being merged: all events are in the table, or a person has asked for it.
    pub settling: bool,
    /// Problems in the template's text. The table keeps the last template without problems.
    pub problems: Vec<Problem>,
    /// Warnings about the design, the most serious first.
    pub warnings: Vec<Warning>,
    /// The verdict on the design and the load of its tablets.
    pub verdict: Verdict,
    /// One for each part of the template.
    pub chips: Vec<ChipView>,
    /// Keys of the first rows, in byte order, as the engine has them.
    pub first_keys: Vec<KeyView>,
    /// Keys of rows around the middle.
    pub middle_keys: Vec<KeyView>,
    /// Keys of the last rows.
    pub last_keys: Vec<KeyView>,
    /// Families of the table, in the order of their creation.
    pub families: Vec<String>,
    /// Columns of the table, family and qualifier, the most frequent first, at most 200: for the filter builder.
    pub columns: Vec<(String, Bytes)>,
    /// The time that GC rules take for the present, in microseconds since 1970: that of the newest event in the table.
    pub gc_time: Option<Timestamp>,
    /// The number of events that the layout could not write.
    pub events_refused: u32,
    /// The reason for the first of them.
    pub refusal: Option<Error>,
    /// Bytes at which its tablets are split: from the cluster settings, or scaled to the expected size of the table.
    pub tablet_bytes_max: u64,
    /// Its tablets.
    pub table: TableView,
    /// The number of the newest write that a person made by hand, into the table of any design; 0 for none.
    pub newest_write: u32,
}

/// The moments at which something has happened to a design's table. A moment is the number of events that were written before it.
/// Work is noticed at the end of each batch of 32 events. Of many moments close to each other there is the first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineView {
    /// Splits of tablets, ascending.
    pub splits: Vec<u32>,
    /// Merges of tablets, ascending.
    pub merges: Vec<u32>,
    /// Minor and major compactions, ascending.
    pub compactions: Vec<u32>,
    /// Writes that come from no event, ascending.
    pub writes: Vec<u32>,
    /// Such writes that were made at a later moment than that of the table. They are in it again when that moment is reached.
    pub writes_later: u32,
    /// Such writes that fit the rows of an earlier design. They are in the table again when the design is as it was.
    pub writes_aside: u32,
    /// Such writes that the table has refused when they were done again.
    pub writes_refused: u32,
    /// Events up to which splits, merges and compactions are known: what comes later was not played yet.
    pub known: u32,
    /// Events are arriving at their own times, and not evenly.
    pub by_event_time: bool,
    /// The time of the last event that is in the table, as in its text.
    pub event_time: Option<String>,
}

/// A key and the bytes of its parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyView {
    /// The whole key.
    pub key: RowKey,
    /// The bytes of each part, where the template can determine them.
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
