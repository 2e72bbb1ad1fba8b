//! Designs side by side.

use alloc::format;
use alloc::string::String;

use tabletop_advice::Figure;

use super::numbers::{count, thousands};

/// Texts of the view that compares designs.
pub struct Compare {
    pub title: &'static str,
    pub summary: fn(designs: usize, events: u64) -> String,
    pub gc_rule: fn(families: &[&str], rule: &str) -> String,
    pub aggregates: fn(family: &str, kind: &str) -> String,
    pub comes: &'static str,
    /// Below the sentence on the best design.
    pub alone: &'static str,
    pub unfinished: &'static str,
    pub without_reads: &'static str,
    /// The sentence on figures below that on reads.
    pub by_figures: fn(headline: &str, reasons: &str) -> String,
    /// The list of designs.
    pub designs: &'static str,
    pub add: &'static str,
    pub edit: fn(name: &str) -> String,
    pub edit_short: &'static str,
    pub rename: fn(name: &str) -> String,
    pub rename_short: &'static str,
    pub duplicate: fn(name: &str) -> String,
    pub duplicate_short: &'static str,
    pub add_index: &'static str,
    pub index_short: &'static str,
    pub index: fn(name: &str) -> String,
    pub index_of: fn(name: &str) -> String,
    pub move_up: fn(name: &str) -> String,
    pub move_down: fn(name: &str) -> String,
    pub remove: fn(name: &str) -> String,
    pub name: &'static str,
    pub save: &'static str,
    pub cancel: &'static str,
    /// Announcements.
    pub added: fn(name: &str) -> String,
    pub added_all: fn(designs: usize) -> String,
    pub renamed: fn(name: &str) -> String,
    pub moved: fn(name: &str, place: usize, of: usize) -> String,
    pub removed: fn(name: &str) -> String,
    /// A strip.
    pub strip: fn(tablets: u64, hottest: &str) -> String,
    pub strip_empty: fn(tablets: u64) -> String,
    pub strip_before: fn(strip: &str) -> String,
    pub stored_key: &'static str,
    pub template_invalid: &'static str,
    /// Below the name of a design without figures.
    pub invalid_short: &'static str,
    pub refused: fn(events: u64) -> String,
    /// The table of figures.
    pub table: &'static str,
    pub figure: &'static str,
    pub figures: fn(Figure) -> (&'static str, &'static str),
    /// One event in the form of each design.
    pub anatomy: &'static str,
    pub choose_event: fn(first: u32, last: u32, all: u32) -> String,
    pub event_number: &'static str,
    pub earlier_events: &'static str,
    pub later_events: &'static str,
    pub no_event_of_row: &'static str,
    pub stored_title: fn(event: u64) -> String,
    pub tablet_of_event: fn(tablet: u64, of: u64) -> String,
    pub stored_by: fn(design: &str) -> String,
    pub row_of_event: fn(key: u64, cells: u64, bytes: u64) -> String,
    pub more_cells: fn(cells: u64) -> String,
    pub cell_bytes: fn(bytes: &str) -> String,
    pub best: &'static str,
    pub more: fn(times: f64) -> String,
    /// Next to the splits.
    pub merges: fn(merges: u64) -> String,
    pub proposals: Proposals,
    pub estimate: EstimateTexts,
    pub entity: EntityTexts,
    pub nothing: &'static str,
    /// Why a design has no value of a figure.
    pub median_idle: &'static str,
    pub not_counted: &'static str,
}

/// Designs that are proposed for the access patterns.
pub struct Proposals {
    pub propose: &'static str,
    pub title: &'static str,
    pub about: &'static str,
    pub none_without_patterns: &'static str,
    pub none: &'static str,
    pub add_all: fn(designs: usize) -> String,
    pub add: fn(name: &str) -> String,
    pub add_short: &'static str,
    pub close: &'static str,
    pub found: fn(designs: usize) -> String,
}

/// Nodes, storage and cost.
pub struct EstimateTexts {
    pub title: &'static str,
    pub about: &'static str,
    pub formula: &'static str,
    pub events_per_second: &'static str,
    pub events_per_day: &'static str,
    pub days_kept: &'static str,
    pub node_price: &'static str,
    pub gigabyte_price: &'static str,
    pub clusters: &'static str,
    pub node_writes: &'static str,
    pub node_reads: &'static str,
    pub node_terabytes: &'static str,
    pub utilization: &'static str,
    pub design: &'static str,
    /// Nodes, nodes for writes, reads and storage, bytes, cost.
    pub columns: [&'static str; 6],
    pub exceeds_node: &'static str,
}

/// The events of one entity in each design.
pub struct EntityTexts {
    pub title: &'static str,
    pub about: &'static str,
    pub read: fn(field: &str, value: &str) -> String,
    pub reading: &'static str,
    pub of_design: fn(design: &str) -> String,
    pub counts: fn(&EntityCounts) -> String,
    pub whole_table: &'static str,
    pub more_ranges: fn(ranges: u64) -> String,
}

/// What a read of all events of an entity takes.
pub struct EntityCounts {
    pub ranges: u64,
    /// They are the whole table.
    pub is_scan: bool,
    pub rows_seen: u64,
    pub rows: u64,
    pub cells: u64,
    pub tablets: u64,
}

pub const ENGLISH: Compare = Compare {
    title: "Compare designs",
    summary: |designs, events| {
        format!(
            "{} · the same {}",
            count(designs as u64, "design", "designs"),
            count(events, "event", "events")
        )
    },
    aggregates: |family, kind| format!("{family}: {}", kind.to_lowercase()),
    gc_rule: |families, rule| match families.len().saturating_sub(3) {
        0 => format!("{}: {rule}", families.join(", ")),
        more => format!("{} and {more} more: {rule}", families[..3].join(", ")),
    },
    comes: "Loading…",
    alone: "Duplicate the design, then change the key or layout of the copy. Both get the same events.",
    unfinished: "Not all events are in the tables yet, so the figures will change.",
    without_reads: "These figures cover writes and storage. The access patterns below compare reads.",
    by_figures: |headline, reasons| match reasons {
        "" => format!("Writes and storage: {headline}."),
        reasons => format!("Writes and storage: {headline}. {reasons}"),
    },
    designs: "Designs",
    add: "Add design",
    edit: |name| format!("Edit {name}"),
    edit_short: "Edit",
    rename: |name| format!("Rename {name}"),
    rename_short: "Rename",
    duplicate: |name| format!("Duplicate {name}"),
    duplicate_short: "Duplicate",
    add_index: "Add index table",
    index_short: "Index",
    index: |name| format!("Add an index table to {name}"),
    index_of: |name| format!("Index table of {name}"),
    move_up: |name| format!("Move {name} up"),
    move_down: |name| format!("Move {name} down"),
    remove: |name| format!("Remove {name}"),
    name: "Name of the design",
    save: "Save name",
    cancel: "Cancel",
    added: |name| format!("Added {name}"),
    added_all: |designs| format!("Added {designs} designs"),
    renamed: |name| format!("Renamed to {name}"),
    moved: |name, place, of| format!("{name} is now {place} of {of}"),
    removed: |name| format!("Removed {name}. Undo restores it"),
    strip: |tablets, hottest| {
        format!("{}; the hottest takes {hottest} of the writes", count(tablets, "tablet", "tablets"))
    },
    strip_empty: |tablets| format!("{} without rows", count(tablets, "tablet", "tablets")),
    strip_before: |strip| format!("With the last valid template: {strip}"),
    stored_key: "stored key: ",
    template_invalid: "The template has an error: edit the design",
    invalid_short: "the template has an error",
    refused: |events| format!("{} could not be written", count(events, "event", "events")),
    table: "Figures of the designs",
    figure: "Figure",
    figures: |figure| match figure {
        Figure::HottestShare => {
            ("Hottest tablet", "Its share of the writes in the last few seconds. Lower is better.")
        }
        Figure::HottestTimesMedian => (
            "Hottest ÷ median",
            "Writes to the hottest tablet divided by writes to the median tablet; no value if the median \
             tablet is idle. Lower is better.",
        ),
        Figure::Splits => ("Splits", "How often a tablet was split. A merge joins two tablets."),
        Figure::Rows => ("Rows", "Rows in the table."),
        Figure::Cells => ("Cells", "Cells in the table. A wide row has one for each field or facet."),
        Figure::LogicalBytes => (
            "Logical size",
            "Bytes that a read of the whole table returns: each key, and for each cell its family, column, \
             time and value. Bigtable's table statistics count the same way. Lower is better.",
        ),
        Figure::StoredBytes => (
            "Stored size",
            "Bytes in memtables and SSTables, which store what rows have in common only once. Lower is \
             better.",
        ),
        Figure::BytesPerEvent => ("Stored per event", "Stored size per event. Lower is better."),
        Figure::LongestKey => ("Longest key", "Bytes of the longest row key. Lower is better."),
        Figure::WriteAmplification => (
            "Write amplification",
            "Bytes written to storage per byte written to the table. Lower is better.",
        ),
    },
    anatomy: "Choose an event",
    choose_event: |first, last, all| {
        let [first, last, all] = [first, last, all].map(|number| thousands(number.into()));
        format!(
            "Events {first} to {last} of {all}. Each strip marks the tablet with the row of the event that \
             you choose or point at."
        )
    },
    event_number: "Event",
    earlier_events: "Earlier events",
    later_events: "Later events",
    no_event_of_row: "No event found for this row",
    stored_title: |event| format!("How each design stores event {}", thousands(event)),
    tablet_of_event: |tablet, of| format!(", in tablet {} of {}", thousands(tablet), thousands(of)),
    stored_by: |design| format!("The event in {design}"),
    row_of_event: |key, cells, bytes| {
        format!(
            "{} B key, {}, {} B in total",
            thousands(key),
            count(cells, "cell", "cells"),
            thousands(bytes)
        )
    },
    more_cells: |cells| format!("and {} more", count(cells, "cell", "cells")),
    cell_bytes: |bytes| format!("{bytes} B"),
    best: "best",
    more: |times| {
        if times < 1.995 { format!("+{:.0}%", (times - 1.0) * 100.0) } else { format!("{times:.1}×") }
    },
    merges: |merges| count(merges, "merge", "merges"),
    nothing: "–",
    median_idle: "the median is 0",
    not_counted: "not counted yet",
    proposals: Proposals {
        propose: "Suggest designs",
        title: "Suggested designs",
        about: "Based on the access patterns that select by fields. Designs that you add are built and \
                measured like the others.",
        none_without_patterns: "Save an access pattern first: a query by fields, such as one user. Designs \
                                are suggested for these.",
        none: "No other design serves these access patterns better.",
        add_all: |designs| format!("Add all {designs} and measure them"),
        add: |name| format!("Add {name}"),
        add_short: "Add",
        close: "Close the suggestions",
        found: |designs| format!("{} suggested", count(designs as u64, "design", "designs")),
    },
    entity: EntityTexts {
        title: "Cost of reading one entity in each design",
        about: "Ranges, rows and cells needed to read everything about the chosen event's entity.",
        read: |field, value| format!("Read all of {field} {value}"),
        reading: "Reading…",
        of_design: |design| format!("The entity in {design}"),
        counts: |counts| {
            let seen = match counts.rows_seen {
                seen if seen == counts.rows => count(counts.rows, "row", "rows"),
                seen => format!("{} of {} seen", count(counts.rows, "row", "rows"), thousands(seen)),
            };
            format!(
                "{}: {seen}, {}, from {}",
                if counts.is_scan { "full scan".into() } else { count(counts.ranges, "range", "ranges") },
                count(counts.cells, "cell", "cells"),
                count(counts.tablets, "tablet", "tablets")
            )
        },
        whole_table: "the whole table",
        more_ranges: |ranges| format!("and {} more", thousands(ranges)),
    },
    estimate: EstimateTexts {
        title: "Estimate of nodes, storage and cost",
        about: "At your own rates and prices. Rows per second and storage per node are what Google \
                documents for SSD and 1 kB rows; measure your own. Prices have no default. A full scan \
                grows with the events kept; a read by ranges counts as measured.",
        formula: "Nodes: events/s in the busiest minute ÷ (writes/s per node × utilization) + rows that the \
                  access patterns see per second ÷ (reads/s per node × utilization), or stored bytes ÷ \
                  storage per node if that is more; rounded up, times clusters. Rows of a full scan: rows \
                  of the loaded events × events kept ÷ events loaded. Stored: stored bytes per event × \
                  events per day × days. Cost: nodes × price × 730 hours + stored GB × clusters × price.",
        events_per_second: "Events/s, busiest minute",
        events_per_day: "Events per day",
        days_kept: "Days kept",
        node_price: "Price per node-hour",
        gigabyte_price: "Price per GB-month",
        clusters: "Clusters",
        node_writes: "Writes/s per node",
        node_reads: "Reads/s per node",
        node_terabytes: "TB per node",
        utilization: "Utilization (%)",
        design: "Design",
        columns: ["Nodes", "for writes", "for reads", "for storage", "Stored", "Monthly cost"],
        exceeds_node: "no node count is enough: one tablet is hotter than a node",
    },
};
