//! The tablets: the strip, the details of one tablet, the arrival of events, the work of the table.

use alloc::format;
use alloc::string::String;

use tabletop_advice::{Affected, Figure};

use super::numbers::{bytes, count, thousands};

/// Whether a number is known, or a bound.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    Exact,
    AtMost,
}

/// Texts of the tablets pane.
pub struct Tablets {
    /// The reasons why there is no table, with advice.
    pub starting: &'static str,
    pub loading: &'static str,
    pub empty_file: &'static str,
    pub no_events: &'static str,
    pub template_invalid: &'static str,
    pub nothing_written: &'static str,
    pub rows_are_coming: &'static str,
    pub choose_another_file: &'static str,
    pub see_template: &'static str,
    /// The strip.
    pub strip: &'static str,
    pub zoom_out: &'static str,
    pub zoom_in: &'static str,
    pub width: &'static str,
    /// Bytes, rows.
    pub widths: [&'static str; 2],
    pub as_table: &'static str,
    pub rows_short: fn(rows: u64, precision: Precision) -> String,
    pub describe: fn(&Figures) -> String,
    pub range: fn(start: &str, end: &str) -> String,
    pub scroll_hint: fn(tablets: u64) -> String,
    /// The legend of the colours, from idle to hot.
    pub legend: &'static str,
    pub levels: [&'static str; 5],
    /// Explanations instead of an amplification, or after it.
    pub nothing_returned: &'static str,
    pub all_from_cache: &'static str,
    pub rest_from_cache: &'static str,
    pub stored_once: &'static str,
    pub writes_short: fn(rate: &str) -> String,
    pub hot_share: fn(percent: f64) -> String,
    pub hot: &'static str,
    /// The strip as a table.
    pub table: &'static str,
    pub columns: Columns,
    pub beginning: &'static str,
    pub show_more: fn(more: usize, of: u64) -> String,
    pub inspector: Inspector,
    pub playback: Playback,
    pub timeline: Timeline,
    pub counts: fn(&Counts) -> String,
    /// After the name of a tablet: what the query shown reads of it, and the chosen event.
    pub asked_whole: &'static str,
    pub asked_part: &'static str,
    pub has_event: &'static str,
    /// Tablets that the query reads, of all.
    pub asked: fn(read: u64, of: u64) -> String,
    pub effects: Effects,
    pub work: Work,
}

/// The size and load of a tablet, for users who cannot see its colour.
pub struct Figures {
    /// Its number from the left, from 1.
    pub number: usize,
    /// The number of tablets.
    pub of: usize,
    pub hot: bool,
    pub rows: u64,
    pub bytes: u64,
    pub writes_per_second: String,
}

/// A table in one line. Rows and cells are estimates until compactions are done.
pub struct Counts {
    pub tablets: u64,
    pub exact: bool,
    pub rows: u64,
    pub cells: u64,
    pub bytes: u64,
    pub splits: u64,
    pub merges: u64,
    pub compactions: u64,
}

/// Headings of the table of tablets.
pub struct Columns {
    pub number: &'static str,
    pub start: &'static str,
    pub rows: &'static str,
    pub stored: &'static str,
    pub sstables: &'static str,
    pub writes: &'static str,
    pub reads: &'static str,
    pub load: &'static str,
}

/// One tablet.
pub struct Inspector {
    pub title: fn(number: usize, of: usize) -> String,
    pub close: &'static str,
    pub start: &'static str,
    pub start_of_table: &'static str,
    pub copy_start: &'static str,
    pub start_copied: &'static str,
    pub end: &'static str,
    pub end_of_table: &'static str,
    pub copy_end: &'static str,
    pub end_copied: &'static str,
    pub rows: &'static str,
    pub cells: &'static str,
    pub stored: &'static str,
    pub memtable: &'static str,
    pub sstables: &'static str,
    pub writes: &'static str,
    pub writes_since_split: &'static str,
    pub writes_per_second: &'static str,
    pub reads: &'static str,
    pub reads_since_split: &'static str,
    pub reads_per_second: &'static str,
}

/// The arrival of events, and the size at which a tablet splits.
pub struct Playback {
    pub title: &'static str,
    pub pause: &'static str,
    pub play: &'static str,
    pub restart: &'static str,
    pub load_all: &'static str,
    pub position: fn(built: u64, total: u64) -> String,
    pub pace: &'static str,
    pub per_second: fn(events: f64) -> String,
    pub split_at: &'static str,
    pub fitted: fn(bytes: u64) -> String,
    pub fitted_later: &'static str,
    pub scale: &'static str,
    pub scale_about: &'static str,
}

/// What has happened at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MomentKind {
    Split,
    Merge,
    Compaction,
    Write,
}

/// The moments of a table.
pub struct Timeline {
    pub position: &'static str,
    /// The position in words, with the time of the last event if it is known.
    pub moment: fn(arrived: u64, total: u64, time: Option<&str>) -> String,
    pub steps: &'static str,
    pub split_before: &'static str,
    pub back: &'static str,
    pub forward: &'static str,
    pub split_after: &'static str,
    pub time: fn(text: &str) -> String,
    /// While events arrive at their own times.
    pub by_event_time: &'static str,
    pub count: fn(kind: MomentKind, moments: usize) -> String,
    pub writes_later: fn(writes: u64) -> String,
    pub writes_aside: fn(writes: u64) -> String,
    pub writes_refused: fn(writes: u64) -> String,
    /// How long manual writes last.
    pub writes_last: &'static str,
}

/// What the last edit of the design has changed.
pub struct Effects {
    pub title: &'static str,
    /// The effects on all tables, after some were added or removed.
    pub list: &'static str,
    pub nothing: &'static str,
    pub affected: fn(Affected) -> &'static str,
    /// Between the values before and after, for screen readers.
    pub to: &'static str,
}

/// The bytes that the table has written and read.
pub struct Work {
    pub title: &'static str,
    pub written: &'static str,
    pub flushed: &'static str,
    pub compactions_read: &'static str,
    pub compactions_wrote: &'static str,
    pub write_amplification: &'static str,
    pub writes_slowed: &'static str,
    pub blocks_read: &'static str,
    pub cache_hits: &'static str,
    pub bloom_skips: &'static str,
    pub bytes_read: &'static str,
    pub bytes_returned: &'static str,
    pub read_amplification: &'static str,
}

pub const ENGLISH: Tablets = Tablets {
    starting: "The engine is starting…",
    loading: "Loading events…",
    empty_file: "No events: the file is empty",
    no_events: "No events: nothing in the file could be read",
    template_invalid: "Fix the row key template to build the table",
    nothing_written: "No rows: no event could be written",
    rows_are_coming: "Rows appear here once the first events are in the table.",
    choose_another_file: "Choose another file under Data. The problems of this one are listed there.",
    see_template: "The problem is shown below the template.",
    strip: "Tablets, in key order",
    zoom_out: "Zoom out",
    zoom_in: "Zoom in",
    width: "Width of a tablet",
    widths: ["Bytes", "Rows"],
    as_table: "Table",
    rows_short: |rows, precision| {
        let sign = if precision == Precision::Exact { "" } else { "≤ " };
        format!("{sign}{}", count(rows, "row", "rows"))
    },
    describe: |tablet| {
        format!(
            "Tablet {} of {}{}: {}, {}, {} writes per second",
            tablet.number,
            tablet.of,
            if tablet.hot { ", hot" } else { "" },
            count(tablet.rows, "row", "rows"),
            bytes(tablet.bytes),
            tablet.writes_per_second,
        )
    },
    range: |start, end| {
        let start = if start.is_empty() { "start of the table" } else { start };
        let end = if end.is_empty() { "end of the table" } else { end };
        format!("{start} … {end}")
    },
    scroll_hint: |tablets| {
        format!("{} tablets are wider than the pane: scroll sideways to see all", thousands(tablets))
    },
    legend: "Colour: share of writes",
    levels: ["idle", "below even share", "about even share", "over 2× even share", "hot"],
    nothing_returned: "nothing was returned",
    all_from_cache: "0.00, all from the cache",
    rest_from_cache: ", the rest from the cache",
    stored_once: ", because an SSTable stores what its rows have in common only once",
    writes_short: |rate| format!("{rate}/s"),
    hot_share: |percent| format!("hot {percent:.0}%"),
    hot: "hot",
    table: "Tablets as a table",
    columns: Columns {
        number: "#",
        start: "Start",
        rows: "Rows",
        stored: "Stored",
        sstables: "SSTables",
        writes: "Writes/s",
        reads: "Reads/s",
        load: "Load",
    },
    beginning: "the start",
    show_more: |more, of| format!("Show {more} more of {}", thousands(of)),
    inspector: Inspector {
        title: |number, of| format!("Tablet {number} of {of}"),
        close: "Close the inspector",
        start: "Start, inclusive",
        start_of_table: "the start of the table",
        copy_start: "Copy the start key",
        start_copied: "Start key copied",
        end: "End, exclusive",
        end_of_table: "the end of the table",
        copy_end: "Copy the end key",
        end_copied: "End key copied",
        rows: "Rows",
        cells: "Cells",
        stored: "Stored",
        memtable: "in the memtable",
        sstables: "SSTables",
        writes: "Writes",
        writes_since_split: "Writes since the split",
        writes_per_second: "Writes per second",
        reads: "Reads",
        reads_since_split: "Reads since the split",
        reads_per_second: "Reads per second",
    },
    playback: Playback {
        title: "Event playback",
        pause: "Pause",
        play: "Play",
        restart: "Restart",
        load_all: "Load all",
        position: |built, total| format!("{} of {} events", thousands(built), thousands(total)),
        pace: "Events per second, on average",
        per_second: |events| {
            if events < 1.0 { format!("{events} / s") } else { format!("{} / s", thousands(events as u64)) }
        },
        split_at: "Tablets split at",
        fitted: |size| format!("{} (fitted)", bytes(size)),
        fitted_later: "a fitted size",
        scale: "demo scale, not Google's",
        scale_about: "These sizes are for a demonstration. Google does not publish split thresholds.",
    },
    timeline: Timeline {
        position: "Position in the events",
        moment: |arrived, total, time| {
            let time = time.map(|time| format!(", {time}")).unwrap_or_default();
            format!("{} of {} events{time}", thousands(arrived), thousands(total))
        },
        steps: "Steps",
        split_before: "Previous split",
        back: "Step back",
        forward: "Step forward",
        split_after: "Next split",
        time: |text| format!("Last event: {text}"),
        by_event_time: "at the events' own times",
        count: |kind, moments| {
            let what = match kind {
                MomentKind::Split => "splits",
                MomentKind::Merge => "merges",
                // A batch of events often causes several.
                MomentKind::Compaction => return "compactions".into(),
                MomentKind::Write => "manual writes",
            };
            format!("{what} at {}", count(moments as u64, "point", "points"))
        },
        writes_later: |writes| {
            let are = if writes == 1 { "is" } else { "are" };
            format!("{} {are} later on the timeline", count(writes, "manual write", "manual writes"))
        },
        writes_aside: |writes| {
            let (are, they) = if writes == 1 { ("is", "it") } else { ("are", "them") };
            let writes = count(writes, "manual write", "manual writes");
            format!("{writes} {are} shelved: made for another row key or layout. Undo restores {they}.")
        },
        writes_last: "This browser stores them; files and links do not contain them.",
        writes_refused: |writes| {
            let was = if writes == 1 { "was" } else { "were" };
            format!("{} {was} refused when replayed.", count(writes, "manual write", "manual writes"))
        },
    },
    counts: |table| {
        let about = if table.exact { "" } else { "≤ " };
        let merges = if table.merges == 0 {
            String::new()
        } else {
            format!(" · {}", count(table.merges, "merge", "merges"))
        };
        format!(
            "{} · {about}{} · {about}{} · {} · {}{merges} · {}",
            count(table.tablets, "tablet", "tablets"),
            count(table.rows, "row", "rows"),
            count(table.cells, "cell", "cells"),
            bytes(table.bytes),
            count(table.splits, "split", "splits"),
            count(table.compactions, "compaction", "compactions"),
        )
    },
    asked_whole: "; the query reads all of it",
    asked_part: "; the query reads part of it",
    has_event: "; it has the chosen event",
    asked: |read, of| {
        format!(
            "The query reads {} of {}; dashed: only some of its keys",
            count(read, "tablet", "tablets"),
            thousands(of)
        )
    },
    effects: Effects {
        title: "Last edit:",
        list: "All tables:",
        nothing: "no change in load, size or query cost",
        affected: |affected| match affected {
            Affected::Figure(Figure::HottestShare) => "hottest tablet",
            Affected::Figure(Figure::StoredBytes) => "stored",
            Affected::Figure(Figure::Rows) => "rows",
            Affected::Figure(Figure::Cells) => "cells",
            Affected::Figure(Figure::Splits) => "splits",
            Affected::Figure(figure) => (super::compare::ENGLISH.figures)(figure).0,
            Affected::Tables => "tables",
            Affected::EventsRefused => "events refused",
            Affected::Ranges => "query ranges",
            Affected::RowsSeen => "rows seen",
            Affected::RowsReturned => "rows returned",
        },
        to: " to ",
    },
    work: Work {
        title: "Table reads and writes",
        written: "Data written",
        flushed: "Memtables flushed",
        compactions_read: "Compactions read",
        compactions_wrote: "Compactions wrote",
        write_amplification: "Write amplification",
        writes_slowed: "Writes slowed",
        blocks_read: "Blocks read",
        cache_hits: "Cache hits",
        bloom_skips: "Bloom skips",
        bytes_read: "Bytes read",
        bytes_returned: "Bytes returned",
        read_amplification: "Read amplification",
    },
};
