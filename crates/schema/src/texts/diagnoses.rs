//! What a simulation shows to be wrong.

use alloc::format;
use alloc::string::String;

use tabletop_model::RowKey;

use super::percent;
use crate::numbers::{bytes, rate, thousands};

/// Sentences. Shares are 0 to 1, rates are per second.
pub(crate) struct Diagnoses {
    pub hot_row: fn(share: f64) -> String,
    pub hot_row_evidence: fn(row: Option<&RowKey>, per_second: f64, node_share: f64) -> String,
    pub hot_row_read: &'static str,
    pub hot_row_written: &'static str,
    pub sequential: &'static str,
    pub sequential_evidence: fn(places: f64, share: f64, per_second: f64) -> String,
    pub sequential_advice: &'static str,
    /// No change of the design is known to help.
    pub sequential_by_hand: &'static str,
    pub hot_prefix: fn(start: &RowKey, end: &RowKey, share: f64) -> String,
    pub hot_prefix_evidence: fn(share: f64, rows: f64) -> String,
    pub hot_prefix_advice: &'static str,
    pub read_pressure: &'static str,
    pub read_pressure_advice: &'static str,
    pub write_pressure: &'static str,
    pub write_pressure_advice: &'static str,
    pub pressure_evidence: fn(share: f64) -> String,
    pub large_rows: &'static str,
    pub large_rows_evidence: fn(bytes: u64) -> String,
    pub large_rows_advice: &'static str,
    pub periodic: fn(seconds: f64) -> String,
    pub periodic_evidence: fn(most: f64, least: f64) -> String,
    pub periodic_advice: &'static str,
    pub few_nodes: &'static str,
    pub few_nodes_evidence: fn(nodes: u32, cpu: f64, waiting: u64) -> String,
    pub few_nodes_advice: fn(needed: u32, cpu_target: f64) -> String,
    pub failed_node: fn(node: &str) -> String,
    pub failed_node_evidence: fn(seconds_ago: u32, waiting: u64, expired: u64) -> String,
    pub failed_node_advice: &'static str,
}

pub(super) const ENGLISH: Diagnoses = Diagnoses {
    hot_row: |share| {
        format!(
            "One row has {} of the requests. A row is served by one node and cannot be split, so more nodes do not help.",
            percent(share)
        )
    },
    hot_row_evidence: |row, per_second, node_share| {
        let row = row.map_or("A new row".into(), |row| format!("The row \"{}\"", shorten(row)));
        format!(
            "{row} gets {} requests a second and asks for {} of what a node can do, on average.",
            rate(per_second),
            percent(node_share)
        )
    },
    hot_row_read: "Keep the row in a cache before Bigtable, or copy it to several rows and read one of them at random.",
    hot_row_written: "Spread the row over several: add a field to the key that distinguishes its events, or collect changes before you \
                      write them.",
    sequential: "New rows follow each other, so one tablet or a few take nearly all writes of a moment, whatever the number of nodes.",
    sequential_evidence: |places, share, per_second| {
        let places = if places < 1.5 { "one place".into() } else { format!("{places:.0} places") };
        format!("{} of {} writes a second go to {places} in the keys.", percent(share), rate(per_second))
    },
    sequential_advice: "Begin the key with what spreads the writes, or salt it.",
    sequential_by_hand: "Begin the key with a field that has many values.",
    hot_prefix: |start, end, share| {
        let end = if end.is_empty() { "the end".into() } else { format!("\"{}\"", shorten(end)) };
        let start = if start.is_empty() { "the first".into() } else { format!("\"{}\"", shorten(start)) };
        format!("The keys from {start} to {end} have {} of the requests.", percent(share))
    },
    hot_prefix_evidence: |share, rows| format!("{} of the requests are for {} of the rows.", percent(share), few_percent(rows)),
    hot_prefix_advice: "Tablets split there by load, which takes minutes. A salt spreads these keys at once; a scan of them then reads \
                        a range for each salt.",
    read_pressure: "A row is read nearly as often as one node can, and no other node can help.",
    read_pressure_advice: "Keep the row in a cache before Bigtable, or copy it to several rows and read one of them at random.",
    write_pressure: "A row is written nearly as often as one node can, and no other node can help.",
    write_pressure_advice: "Write to several rows and add them up when you read, or collect changes before you write them.",
    pressure_evidence: |share| {
        format!("In its busiest second, the busiest row asks for {} of what a node can do.", percent(share))
    },
    large_rows: "Rows are larger than recommended: 100 MB. Rows over 256 MB cannot be read whole.",
    large_rows_evidence: |size| format!("The largest row that was read has {}.", bytes(size)),
    large_rows_advice: "Add a field to the key, such as a day, so that an entity has several rows, or set a GC rule.",
    periodic: |seconds| format!("The load comes in waves, about every {}.", time(seconds)),
    periodic_evidence: |most, least| {
        format!("There are {} requests a second at the peaks, and {} between them.", rate(most), rate(least))
    },
    periodic_advice: "Let the autoscaler follow the load, with enough nodes for the peaks, or add nodes before each peak.",
    few_nodes: "All nodes are busy.",
    few_nodes_evidence: |nodes, cpu, waiting| {
        let (nodes, cores) =
            if nodes == 1 { ("The node uses".into(), "its cores") } else { (format!("The {nodes} nodes use"), "their cores") };
        let verb = if waiting == 1 { "waits" } else { "wait" };
        format!("{nodes} {} of {cores} on average; {} {verb}.", percent(cpu), requests(waiting))
    },
    few_nodes_advice: |needed, cpu_target| {
        let nodes = if needed == 1 { "1 node".into() } else { format!("{needed} nodes") };
        format!("Add nodes: {nodes} use at most {} of their cores for this traffic.", percent(cpu_target))
    },
    failed_node: |node| format!("Node {node} has failed, and its tablets answer nothing until other nodes have taken them over."),
    failed_node_evidence: |seconds_ago, waiting, expired| {
        let ago = if seconds_ago == 0 { "Just now".into() } else { format!("{} ago", time(seconds_ago.into())) };
        format!("{ago}; up to {} waited since, and {} passed their deadline.", requests(waiting), thousands(expired))
    },
    failed_node_advice: "Another node replaces it within a minute. Have so many nodes that they can do the work with one less.",
};

fn requests(number: u64) -> String {
    format!("{} {}", thousands(number), if number == 1 { "request" } else { "requests" })
}

/// At most 60 characters of a key, and an ellipsis if it has more.
fn shorten(key: &RowKey) -> String {
    let mut text = tabletop_model::escape(key.as_ref());
    if let Some((at, _)) = text.char_indices().nth(60) {
        text.truncate(at);
        text.push('…');
    }
    text
}

/// A share with a digit where it is small.
fn few_percent(share: f64) -> String {
    if share < 0.095 { format!("{:.1} %", share * 100.0) } else { percent(share) }
}

fn time(seconds: f64) -> String {
    if seconds == 1.0 {
        "1 second".into()
    } else if seconds < 120.0 {
        format!("{seconds:.0} seconds")
    } else {
        format!("{:.0} minutes", seconds / 60.0)
    }
}
