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

/// The size and load of a tablet, for users who cannot see its colour.
pub struct Figures {
    /// The number from the left, from 1.
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

/// What has happened at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MomentKind {
    Split,
    Merge,
    Compaction,
    Write,
}

texts!(Tablets {
    /// The reasons why there is no table, with advice.
    starting: "The engine is starting…",
    loading: "Loading events…",
    empty_file: "No events: the file is empty",
    no_events: "No events: nothing in the file could be read",
    template_invalid: "Fix the row key template to build the table",
    nothing_written: "No rows: no event could be written",
    rows_are_coming: "Rows appear here once the first events are in the table.",
    choose_another_file: "Choose another file under Data. The problems of this one are listed there.",
    see_template: "The problem is shown below the template.",
    /// The strip.
    strip: "Tablets, in key order",
    zoom_out: "Zoom out",
    zoom_in: "Zoom in",
    picture: "Picture of the tablets",
    by_bytes: "Width by bytes",
    by_rows: "Width by rows",
    as_table: "Table",
    as_bars: "Bars",
    rows_short: |rows: u64, precision: Precision| {
        let sign = if precision == Precision::Exact { "" } else { "≤ " };
        format!("{sign}{}", count(rows, "row", "rows"))
    },
    describe: |tablet: &Figures| {
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
    range: |start: &str, end: &str| {
        let start = if start.is_empty() { "start of the table" } else { start };
        let end = if end.is_empty() { "end of the table" } else { end };
        format!("{start} … {end}")
    },
    scroll_hint: |tablets: u64| {
        format!("{} tablets do not fit in the pane: scroll sideways to see all", thousands(tablets))
    },
    /// The legend of the colours, from idle to hot.
    legend: "Colour: share of writes, compared with an even share",
    levels: ["idle", "below even", "even", "over 2× even", "hot"],
    /// Explanations instead of an amplification, or after it.
    nothing_returned: "nothing was returned",
    all_from_cache: "0.00, all from the cache",
    rest_from_cache: ", the rest from the cache",
    stored_once: ", because an SSTable stores what its rows have in common only once",
    writes_short: |rate: &str| format!("{rate}/s"),
    hot_share: |percent: f64| format!("hot {percent:.0}%"),
    hot: "hot",
    /// The strip as a table.
    table: "Tablets as a table",
    /// Headings of the table of tablets.
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
    show_more: |more: usize, of: u64| format!("Show {more} more of {}", thousands(of)),
    /// One tablet.
    inspector: Inspector {
        title: |number: usize, of: usize| format!("Tablet {number} of {of}"),
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
    /// The arrival of events, and the size at which a tablet splits.
    playback: Playback {
        title: "Event playback",
        pause: "Pause",
        play: "Play",
        restart: "Restart",
        load_all: "Load all",
        position: |built: u64, total: u64| format!("{} of {} events", thousands(built), thousands(total)),
        /// A button that shows the two settings below it.
        settings: "Simulation settings",
        pace: "Events per second, on average",
        per_second: |events: f64| {
            if events < 1.0 { format!("{events}/s") } else { format!("{}/s", thousands(events as u64)) }
        },
        split_at: "Tablets split at",
        fitted: |size: u64| format!("{} (auto)", bytes(size)),
        fitted_later: "automatic",
        scale: "demo scale, not Google's",
        scale_about: "These sizes are for a demonstration. Google does not publish split thresholds.",
    },
    /// The moments of a table.
    timeline: Timeline {
        position: "Position in the events",
        /// The position in words, with the time of the last event if it is known.
        moment: |arrived: u64, total: u64, time: Option<&str>| {
            let time = time.map(|time| format!(", {time}")).unwrap_or_default();
            format!("{} of {} events{time}", thousands(arrived), thousands(total))
        },
        steps: "Steps",
        split_before: "Previous split",
        back: "Step back",
        forward: "Step forward",
        split_after: "Next split",
        time: |text: &str| format!("Last event: {text}"),
        /// While events arrive at their own times.
        by_event_time: "at the events' own times",
        count: |kind: MomentKind, moments: usize| {
            let what = match kind {
                MomentKind::Split => "splits",
                MomentKind::Merge => "merges",
                // A batch of events often causes several.
                MomentKind::Compaction => return "compactions".into(),
                MomentKind::Write => "manual writes",
            };
            format!("{what} at {}", count(moments as u64, "point", "points"))
        },
        writes_later: |writes: u64| {
            let are = if writes == 1 { "is" } else { "are" };
            format!("{} {are} later on the timeline", count(writes, "manual write", "manual writes"))
        },
        writes_aside: |writes: u64| {
            let (are, they) = if writes == 1 { ("is", "it") } else { ("are", "them") };
            let writes = count(writes, "manual write", "manual writes");
            format!("{writes} {are} shelved: made for another row key or layout. Undo restores {they}.")
        },
        writes_refused: |writes: u64| {
            let was = if writes == 1 { "was" } else { "were" };
            format!("{} {was} refused when replayed.", count(writes, "manual write", "manual writes"))
        },
        /// How long manual writes last.
        writes_last: "This browser stores them; files and links do not contain them.",
    },
    /// The line of a table, below which all counts are.
    size: |table: &Counts| {
        let about = if table.exact { "" } else { "≤ " };
        format!(
            "{} · {about}{} · {}",
            count(table.tablets, "tablet", "tablets"),
            count(table.rows, "row", "rows"),
            bytes(table.bytes),
        )
    },
    counts: |table: &Counts| {
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
    /// After the name of a tablet: what the query shown reads of it, and the chosen event.
    asked_whole: "; the query reads all of it",
    asked_part: "; the query reads part of it",
    has_event: "; it has the chosen event",
    /// Tablets that the query reads, of all.
    asked: |read: u64, of: u64| {
        format!(
            "The query reads {} of {}; dashed: only some of the tablet's keys",
            count(read, "tablet", "tablets"),
            thousands(of)
        )
    },
    /// What the last edit of the design has changed.
    effects: Effects {
        title: "Last edit:",
        /// The effects on all tables, after some were added or removed.
        list: "All tables:",
        nothing: "no change in load, size or query cost",
        /// The button that compares the design with what it was, and the name of that design.
        compare_with_before: "Compare with the key before",
        before: "Key before",
        affected: |affected: Affected| -> &'static str {
            match affected {
                Affected::Figure(Figure::HottestShare) => "hottest tablet",
                Affected::Figure(Figure::StoredBytes) => "stored",
                Affected::Figure(Figure::Rows) => "rows",
                Affected::Figure(Figure::Cells) => "cells",
                Affected::Figure(Figure::Splits) => "splits",
                Affected::Figure(figure) => (super::compare::Compare::ENGLISH.figures)(figure).0,
                Affected::Tables => "tables",
                Affected::EventsRefused => "events refused",
                Affected::Ranges => "query ranges",
                Affected::RowsSeen => "rows seen",
                Affected::RowsReturned => "rows returned",
            }
        },
        /// Between the values before and after, for screen readers.
        to: " to ",
    },
    /// The bytes that the table has written and read.
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
});
