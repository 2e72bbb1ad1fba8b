//! Messages between the page and the worker. (They contain workspaces and designs, which `model`
//! does not know, and both ends import this crate.) Each [`Ask`] has exactly one [`Answer`]. No
//! answer takes longer than a slice of work, about 10 ms.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_advice::{DesignFigures, EventRates, FoundRole, LookUp, ReadCost, Snapshot, Verdict, Warning};
use tabletop_keys::{ChipView, Field, KeyView, Query};
use tabletop_model::{
    Bytes, Error, ExportPiece, ExportResume, Problem, Request, Response, TableView, Timestamp,
};
use tabletop_workspace::{ContentDigest, LoadProblem, OwnData, Proposal, Workspace};

use crate::{JobAnswer, JobAsk};

/// A request of the page to the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// Returns the samples that [`tabletop_workspace::Source::Sample`] can name. Answer: `Samples`.
    Samples,
    /// Sets the workspace. The worker compares it with the current one and applies only the
    /// differences. A new source with the user's own data waits for its bytes. Answer: `Workspace`,
    /// with the fields that were detected in the data.
    SetWorkspace {
        /// The whole workspace.
        workspace: Workspace,
        /// When the source is loaded.
        load: LoadSource,
    },
    /// Returns the current workspace. Answer: `Workspace`.
    Workspace,
    /// Starts a load of the user's own events. They replace the source, even one with the same
    /// name. Answer: `Data`.
    BeginOwn(OwnData),
    /// Sends the next bytes of that load. Answer: `Data`.
    OwnBytes {
        /// At most 1 MiB is recommended.
        bytes: Bytes,
        /// Whether these are the last bytes.
        last: bool,
    },
    /// Cancels a load. Events that were loaded stay. Answer: `Data`.
    CancelLoad,
    /// Returns the current state of the events. Answer: `Data`.
    Data,
    /// Returns the texts of some events. Answer: `Events`.
    Events {
        /// Index of the first event.
        start: u32,
        /// The number of events; at most 1,000 are returned.
        count: u32,
    },
    /// Starts, stops or moves the arrival of events at the pace of the cluster settings. The tables
    /// follow in slices; only the latest request counts. Answer: `Done`.
    Play(Playback),
    /// Returns the splits, merges, compactions and writes of one design's table, with their
    /// moments. Answer: `Timeline`.
    Timeline {
        /// Index of the design.
        index: u32,
    },
    /// Returns a view of one design. Answer: `View`.
    View {
        /// Index of the design.
        index: u32,
        /// Whether the page shows its first picture, so that advice is not measured yet.
        first_look: bool,
    },
    /// Begins, continues or ends a run of a job, for everything that takes longer than a slice.
    /// Answer: `Job`.
    Job(JobAsk),
    /// Marks what the patterns of a filter match in cells. The request is an encoded
    /// [`crate::MarkAsk`], so that the code for it need not be fetched with the code for the other
    /// messages. Answer: `Marked`.
    Mark(Bytes),
    /// Returns what is stored in this browser. Answer: `Storage`.
    Storage,
    /// Makes this tab store its events from now on, unless another tab does. Answer: `Storage`.
    KeepHere,
    /// Deletes one stored set. Answer: `Storage`.
    DeleteSet {
        /// The number of the set.
        set: u32,
    },
    /// Deletes all stored sets, readable or not. Answer: `Storage`.
    DeleteSets,
    /// Exports some events of a stored set as JSON lines. Answer: `Lines`.
    ExportSet {
        /// The number of the set.
        set: u32,
        /// Index of the first event.
        start: u32,
    },
    /// Exports a piece of a design's table, as a part of one file that an instance can import.
    /// Answer: `Exported`.
    ExportTable {
        /// Index of the design.
        index: u32,
        /// The end of the previous piece.
        resume: Option<ExportResume>,
    },
    /// Sends a request to the instance. [`Workspace::table_ids`] returns the names of the designs'
    /// tables; other tables can be created. A read always returns slices. Answer: `Response`, even
    /// if the instance refused the request.
    Request {
        /// The request.
        request: Request,
        /// The page's current time, for cells that are written without a timestamp.
        now: Timestamp,
    },
    /// Undoes the manual writes with these numbers, and replays all others
    /// ([`DesignView::newest_write`]). Answer: `Done`.
    TakeBack(Vec<u32>),
    /// Saves or restores the manual writes across a reload. The request is an encoded
    /// [`crate::HandWritesAsk`], so that the code for it need not be fetched with the code for the
    /// other messages. Answer: `HandWrites`, or `Done` for a restoration.
    HandWrites(Bytes),
    /// Returns the figures of all designs at the same moment. Answer: `Compared`.
    Compare,
    /// Proposes designs for the access patterns of the workspace. Answer: `Proposed`.
    ProposeDesigns,
    /// Finds the roles of the fields, and suggests what users look up, with row keys and access
    /// patterns. Answer: `Suggested`.
    Suggest,
}

/// When [`Ask::SetWorkspace`] loads the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LoadSource {
    /// If the previous source had other events.
    IfChanged,
    /// In any case, from the beginning, because the previous load may have failed or been
    /// cancelled.
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
    /// A view of one design.
    View(DesignView),
    /// The moments of one design's table.
    Timeline(TimelineView),
    /// A slice of a run of a job, or why it is missing.
    Job(#[serde(with = "crate::job::coded")] JobAnswer),
    /// What the patterns match: encoded [`crate::Marks`].
    Marked(Bytes),
    /// Manual writes: encoded [`crate::KeptWrites`].
    HandWrites(Bytes),
    /// The data stored in this browser.
    Storage(StorageView),
    /// A part of an export.
    Lines(LinesView),
    /// A piece of a table.
    Exported(ExportPiece),
    /// The response of the instance.
    Response(Response),
    /// The request was executed.
    Done,
    /// The request was refused or failed. Nothing has changed.
    Failed(Error),
    /// The figures of each design, in the order of the designs.
    Compared(Vec<DesignFigures>),
    /// Designs that the workspace does not have, the best first. Empty unless an access pattern
    /// selects by fields.
    Proposed(Vec<Proposal>),
    /// What the values of the events suggest.
    Suggested(Suggestions),
}

/// A message of the worker without a request. Its request id is 0. The first notice is `Ready`:
/// earlier requests are lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Notice {
    /// The worker answers requests from now on.
    Ready,
    /// The worker has stopped because of a bug in Tabletop.
    Crashed {
        /// The failure, and its location in the source.
        message: String,
    },
    /// The stored data or the events have changed without a request. Request them again.
    Changed,
}

/// The arrival of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Playback {
    /// Events arrive at the pace of the cluster settings.
    Play,
    /// No events arrive.
    Pause,
    /// All events arrive immediately.
    Finish,
    /// From the first event, at the pace of the cluster settings.
    Restart,
    /// Pauses while events arrive. Otherwise plays, from the first event if all have arrived.
    Toggle,
    /// Pauses at the moment at which this many events have arrived, whether that is in the past or
    /// in the future. A number beyond the last event means all.
    Seek(u32),
}

/// A sample set that is shipped with the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleInfo {
    /// The name in a workspace.
    pub name: String,
    /// The displayed title.
    pub title: String,
    /// A description in one sentence.
    pub about: String,
    /// Number of events.
    pub events: u32,
    /// Number of bytes to fetch.
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
    /// Number of events read so far.
    pub events: u32,
    /// Number of bytes of a file or a sample that were read so far.
    pub bytes: u64,
    /// The state of the load.
    pub state: LoadState,
    /// The first hundred lines that did not parse, and notes on how the file was read, ordered by
    /// line.
    pub problems: Vec<LoadProblem>,
    /// The total number of lines that did not parse.
    pub bad_lines: u64,
    /// The number of the user's own events that a reload restores; `None` if they are not stored.
    pub kept: Option<u32>,
    /// Whether this tab stores the user's own events, and if not, why.
    pub keeping: Persistence,
    /// The digest of the file with the user's own events. A workspace that does not name it yet
    /// takes it from here.
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
    /// The user cancelled the load. Events that were read stay.
    Cancelled,
    /// The load failed. Events that were read stay.
    Failed(Error),
    /// The load was not completed: the stored events are loaded, and the rest is only in the file.
    Interrupted,
    /// The events are the user's own and are not stored in this browser. The user must choose the
    /// file again.
    Awaited,
}

/// Whether a tab stores the user's own events in the browser's storage.
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
    /// The tab that stored them has closed, so this tab can take over.
    OtherTabGone,
    /// The browser does not offer storage to this page.
    Without(Error),
    /// Stored events can be read, but new ones cannot be stored: the storage is full, or has
    /// failed.
    ReadOnly(Error),
    /// Some stored events cannot be read: they are damaged, or were stored by a newer build.
    Broken(Error),
}

/// The data stored in this browser for this page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StorageView {
    /// Whether this tab stores events, and if not, why.
    pub keeping: Persistence,
    /// The sets, in the order of their loads.
    pub sets: Vec<SetView>,
}

/// A stored set of the user's own events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetView {
    /// The number of the set.
    pub set: u32,
    /// The name of the events and how they were read, as a source that can be opened.
    pub own: OwnData,
    /// Number of durably stored events.
    pub events: u32,
    /// Approximate number of bytes that they take in the storage.
    pub bytes: u64,
    /// The state of the load: `Interrupted` if it was not completed, `Loading` if it continues.
    pub state: LoadState,
    /// The damage, if any. Events that can still be read can be exported.
    pub trouble: Option<Error>,
    /// Whether its events are the ones on the screen.
    pub shown: bool,
    /// Whether this set is opened by a workspace that names its data. It is not if there is a
    /// better set with the same name.
    pub opens: bool,
}

/// A part of an export: whole lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinesView {
    /// JSON lines.
    pub lines: Bytes,
    /// The first event of the next part; `None` if this was the last part.
    pub next: Option<u32>,
    /// Number of events in this part that could not be read.
    pub unreadable: u32,
}

/// What the values of the events suggest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Suggestions {
    /// The role of each field.
    pub roles: Vec<FoundRole>,
    /// The digits of the longest whole number of each field, of all loaded events; `None` for a
    /// field of another kind.
    pub digits: Vec<Option<u8>>,
    /// What users may look up, the best field first, with its row key and access patterns. Roles
    /// that the user has given count.
    pub look_ups: Vec<LookUp>,
    /// How often the events came; `None` if they have no times.
    pub rates: Option<EventRates>,
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
    /// Increases by one with every change of the design or of its events. A view with a lower
    /// number is outdated.
    pub revision: u64,
    /// Number of events in the table.
    pub events_built: u32,
    /// Number of events that have arrived, and that will be in the table once it is built. It is
    /// lower than `events_built` while the table goes back to an earlier moment.
    pub events_arrived: u32,
    /// Number of events that the table will have in the end.
    pub events_total: u32,
    /// Whether events arrive at the pace of the cluster settings.
    pub playing: bool,
    /// Whether events that have arrived are still being written to the table.
    pub building: bool,
    /// The table's own clock, microseconds since its first event arrived.
    pub clock_micros: i64,
    /// Whether SSTables are still being merged, because all events are in the table or because the
    /// user has requested a compaction.
    pub settling: bool,
    /// Problems in the template's text. The table keeps the last template without problems.
    pub problems: Vec<Problem>,
    /// Warnings about the design, the most serious first.
    pub warnings: Vec<Warning>,
    /// Whether advice is still being measured, so that warnings and fixes may be to come.
    pub advising: bool,
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
    /// Columns of the table, family and qualifier, the most frequent first, at most 200: for the
    /// filter builder.
    pub columns: Vec<(String, Bytes)>,
    /// The time that GC rules use as the current time, in microseconds since 1970: the time of the
    /// newest event in the table.
    pub gc_time: Option<Timestamp>,
    /// The number of events that the layout could not write.
    pub events_refused: u32,
    /// The reason for the first refused event.
    pub refusal: Option<Error>,
    /// Number of bytes at which a tablet of the table is split: from the cluster settings, or
    /// scaled to the expected size of the table.
    pub tablet_bytes_max: u64,
    /// The table with its tablets.
    pub table: TableView,
    /// The number of the newest manual write, in the table of any design; 0 if there is none.
    pub newest_write: u32,
}

impl DesignView {
    /// Returns the figures of the table and of the last read; while events arrive or SSTables are
    /// merged, those that do not depend on either. `None` while the table has fewer than nine tenths
    /// of the events that have arrived.
    pub fn snapshot(&self, read: Option<(&Query, ReadCost)>) -> Option<Snapshot> {
        let snapshot = || Snapshot::of(&self.table, self.events_built, self.events_refused, read);
        let changes = self.playing || self.building || self.settling;
        let is_built = self.events_built >= self.events_arrived - self.events_arrived / 10;
        let is_known = !self.building || is_built;
        is_known.then(|| if changes { snapshot().while_events_arrive() } else { snapshot() })
    }
}

/// The moments at which a design's table was split, merged, compacted or written to. A moment is
/// the number of events that were written before it. Splits, merges and compactions are noticed at
/// the end of each batch of 32 events. If many moments are close to each other, only the first of
/// them is listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineView {
    /// Splits of tablets, ascending.
    pub splits: Vec<u32>,
    /// Merges of tablets, ascending.
    pub merges: Vec<u32>,
    /// Minor and major compactions, ascending.
    pub compactions: Vec<u32>,
    /// Manual writes, ascending.
    pub writes: Vec<u32>,
    /// Number of manual writes at later moments than the current one. They are replayed when their
    /// moment is reached.
    pub writes_later: u32,
    /// Number of manual writes that fit the rows of an earlier design. They are replayed when the
    /// design has that form again.
    pub writes_aside: u32,
    /// Number of manual writes that the table has refused in a replay.
    pub writes_refused: u32,
    /// Number of events up to which splits, merges and compactions are known. Later events have not
    /// been played yet.
    pub known: u32,
    /// Whether events arrive at their own times, instead of evenly.
    pub by_event_time: bool,
    /// The time of the last event in the table, as the event's text has it.
    pub event_time: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_changes_has_only_the_figures_that_can_be_compared() {
        let complete = DesignView { events_arrived: 100, events_built: 100, ..DesignView::default() };
        let partly = complete.snapshot(None).map(Snapshot::while_events_arrive);
        let changing = [
            DesignView { playing: true, ..complete.clone() },
            DesignView { building: true, ..complete.clone() },
            DesignView { settling: true, ..complete.clone() },
        ];
        assert_eq!(changing.map(|view| view.snapshot(None)), [(); 3].map(|()| partly.clone()));
        assert_ne!(complete.snapshot(None), partly);
        let is_rebuilt = DesignView { building: true, events_built: 50, ..complete };
        assert_eq!(is_rebuilt.snapshot(None), None);
    }
}
