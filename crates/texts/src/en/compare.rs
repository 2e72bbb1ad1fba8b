//! Designs side by side.

use alloc::format;
use alloc::string::String;

use tabletop_advice::Figure;

use super::numbers::{self, count, many_thousands, thousands};

/// What a read of all events of an entity takes.
pub struct EntityCounts {
    pub ranges: u64,
    /// Whether the ranges are the whole table.
    pub is_scan: bool,
    pub rows_seen: u64,
    pub rows: u64,
    pub cells: u64,
    pub tablets: u64,
}

/// Formats how often something happens.
fn often(rate: f64) -> String {
    if rate < 1_000.0 { numbers::rate(rate) } else { many_thousands(rate) }
}

texts!(Compare {
    title: "Compare designs",
    summary: |designs: usize, events: u64| {
        format!(
            "{} · the same {}",
            count(designs as u64, "design", "designs"),
            count(events, "event", "events")
        )
    },
    gc_rule: |families: &[&str], rule: &str| match families.len().saturating_sub(3) {
        0 => format!("{}: {rule}", families.join(", ")),
        more => format!("{} and {more} more: {rule}", families[..3].join(", ")),
    },
    aggregates: |family: &str, kind: &str| format!("{family}: {}", kind.to_lowercase()),
    comes: "Loading…",
    /// Below the sentence on the best design.
    /// Adds the design with a fix.
    with_fix: |fix: &str| format!("Compare with: {fix}"),
    alone: "Duplicate the design, then change the key or layout of the copy. Both get the same events.",
    unfinished: "Not all events are in the tables yet, so the figures will change.",
    without_reads: "These figures cover writes and storage. The access patterns below compare reads.",
    /// The sentence on figures below that on reads.
    by_figures: |headline: &str, reasons: &str| match reasons {
        "" => format!("Writes and storage: {headline}."),
        reasons => format!("Writes and storage: {headline}. {reasons}"),
    },
    /// The list of designs.
    designs: "Designs",
    add: "Add design",
    edit: |name: &str| format!("Edit {name}"),
    edit_short: "Edit",
    rename: |name: &str| format!("Rename {name}"),
    rename_short: "Rename",
    duplicate: |name: &str| format!("Duplicate {name}"),
    duplicate_short: "Duplicate",
    add_index: "Add index table",
    index_short: "Index table",
    index: |name: &str| format!("Add an index table to {name}"),
    index_of: |name: &str| format!("Index table of {name}"),
    move_up: |name: &str| format!("Move {name} up"),
    move_down: |name: &str| format!("Move {name} down"),
    remove: |name: &str| format!("Remove {name}"),
    name: "Name of the design",
    save: "Save name",
    cancel: "Cancel",
    /// Announcements.
    added: |name: &str| format!("Added {name}"),
    added_all: |designs: usize| format!("Added {designs} designs"),
    renamed: |name: &str| format!("Renamed to {name}"),
    moved: |name: &str, place: usize, of: usize| format!("{name} is now {place} of {of}"),
    removed: |name: &str| format!("Removed {name}. Undo restores it"),
    /// A strip.
    strip: |tablets: u64, hottest: &str| {
        format!("{}; the hottest takes {hottest} of the writes", count(tablets, "tablet", "tablets"))
    },
    strip_empty: |tablets: u64| format!("{} without rows", count(tablets, "tablet", "tablets")),
    strip_before: |strip: &str| format!("With the last valid template: {strip}"),
    stored_key: "stored key: ",
    template_invalid: "The template has an error: edit the design",
    /// Below the name of a design without figures.
    invalid_short: "the template has an error",
    refused: |events: u64| format!("{} could not be written", count(events, "event", "events")),
    /// The table of figures.
    table: "Figures of the designs",
    figure: "Figure",
    figures: |figure: Figure| -> (&'static str, &'static str) {
        match figure {
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
                "Bytes that a read of the whole table returns: each key, and for each cell its family, \
                 column, time and value. Bigtable's table statistics count the same way. Lower is better.",
            ),
            Figure::CompressedBytes => (
                "Stored size (estimate)",
                "Bytes in compressed blocks of 64 KB: an estimate (DEFLATE; Bigtable's codec is not public) \
                 from up to 1 MB of the rows in key order. Lower is better.",
            ),
            Figure::StoredBytes => (
                "Size in this engine",
                "Bytes in this engine's memtables and SSTables, which store what rows have in common only \
                 once. Bigtable's files are different.",
            ),
            Figure::BytesPerEvent => ("Per event, this engine", "This engine's bytes per event."),
            Figure::LongestKey => ("Longest key", "Bytes of the longest row key. Lower is better."),
            Figure::WriteAmplification => (
                "Write amplification",
                "Bytes written to storage per byte written to the table. Lower is better.",
            ),
        }
    },
    /// One event in the form of each design.
    anatomy: "Choose an event",
    choose_event: |first: u32, last: u32, all: u32| {
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
    stored_title: |event: u64| format!("How each design stores event {}", thousands(event)),
    tablet_of_event: |tablet: u64, of: u64| format!(", in tablet {} of {}", thousands(tablet), thousands(of)),
    stored_by: |design: &str| format!("The event in {design}"),
    row_of_event: |key: u64, cells: u64, bytes: u64| {
        format!(
            "{} B key, {}, {} B in total",
            thousands(key),
            count(cells, "cell", "cells"),
            thousands(bytes)
        )
    },
    more_cells: |cells: u64| format!("and {} more", count(cells, "cell", "cells")),
    cell_bytes: |bytes: &str| format!("{bytes} B"),
    best: "best",
    more: |times: f64| {
        if times < 1.995 { format!("+{:.0}%", (times - 1.0) * 100.0) } else { format!("{times:.1}×") }
    },
    /// Next to the splits.
    merges: |merges: u64| count(merges, "merge", "merges"),
    /// Designs that are proposed for the access patterns.
    proposals: Proposals {
        propose: "Suggest designs",
        title: "Suggested designs",
        about: "Based on the access patterns that select by fields. Designs that you add are built and \
                measured like the others.",
        none_without_patterns: "Choose what you look up first: designs are suggested for access patterns \
                                by fields.",
        none: "No other design serves these access patterns better.",
        add_all: |designs: usize| format!("Add all {designs} and measure them"),
        add: |name: &str| format!("Add {name}"),
        add_short: "Add",
        close: "Close the suggestions",
        found: |designs: usize| format!("{} suggested", count(designs as u64, "design", "designs")),
    },
    /// Nodes, storage and cost.
    estimate: EstimateTexts {
        title: "Estimate of nodes, storage and cost",
        about: "At your own rates and prices. Rows per second and storage per node are what Google \
                documents for SSD and 1 kB rows; measure your own. Prices have no default. A full scan \
                grows with the events kept; a read by ranges counts as measured.",
        formula: "Nodes: events/s in the busiest minute ÷ (writes/s per node × utilization) + rows that the \
                  access patterns see per second ÷ (reads/s per node × utilization), or stored bytes ÷ \
                  storage per node if that is more; rounded up, times clusters. Rows of a full scan: rows \
                  of the loaded events × events kept ÷ events loaded. Stored: estimated bytes of an event in \
                  compressed blocks × events per day × days. Cost: nodes × price × 730 hours + stored GB × clusters × price.",
        /// Events per day, and per second in the busiest minute, of the loaded events.
        of_events: |per_day: f64, per_second: Option<f64>| {
            let busiest =
                per_second.map(|rate| format!(", and {} per second in the busiest minute", often(rate)));
            format!("The loaded events: {} per day{}.", often(per_day), busiest.unwrap_or_default())
        },
        take_rates: "Use these rates",
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
        /// Nodes, nodes for writes, reads and storage, bytes, cost.
        columns: ["Nodes", "for writes", "for reads", "for storage", "Stored", "Monthly cost"],
        exceeds_node: "more nodes do not help: one tablet needs more than a node",
    },
    /// The events of one entity in each design.
    entity: EntityTexts {
        title: "Cost of reading one entity in each design",
        about: "Ranges, rows and cells needed to read everything about the chosen event's entity.",
        read: |field: &str, value: &str| format!("Read all of {field} {value}"),
        reading: "Reading…",
        of_design: |design: &str| format!("The entity in {design}"),
        counts: |counts: &EntityCounts| {
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
        more_ranges: |ranges: u64| format!("and {} more", thousands(ranges)),
    },
    nothing: "–",
    /// Why a design has no value of a figure.
    median_idle: "the median is 0",
    not_counted: "not counted yet",
});
