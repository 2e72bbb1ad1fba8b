//! What a simulation shows to be wrong.

use alloc::format;
use alloc::string::String;

use tabletop_model::RowKey;
use tabletop_schema::{Diagnosis, Symptom};

use super::super::numbers::{bytes, rate, thousands};
use super::phrases::percent;

/// What is wrong.
#[inline(never)]
pub fn text(symptom: &Symptom) -> String {
    match symptom {
        Symptom::HotRow { share, .. } => format!(
            "One row has {} of the requests. A row is served by one node and cannot be split, so more nodes do not help.",
            percent(*share)
        ),
        Symptom::SequentialWrites { .. } => {
            "New rows follow each other, so one tablet or a few take nearly all writes of a moment, whatever the number of nodes."
                .into()
        }
        Symptom::HotPrefix { start, end, share, .. } => {
            let end = if end.is_empty() { "the end".into() } else { format!("\"{}\"", shorten(end)) };
            let start = if start.is_empty() { "the first".into() } else { format!("\"{}\"", shorten(start)) };
            format!("The keys from {start} to {end} have {} of the requests.", percent(*share))
        }
        Symptom::ReadPressure(_) => "A row is read nearly as often as one node can, and no other node can help.".into(),
        Symptom::WritePressure(_) => "A row is written nearly as often as one node can, and no other node can help.".into(),
        Symptom::LargeRows(_) => "Rows are larger than recommended: 100 MB. Rows over 256 MB cannot be read whole.".into(),
        Symptom::PeriodicLoad { seconds, .. } => format!("The load comes in waves, about every {}.", time(*seconds)),
        Symptom::TooFewNodes { .. } => "All nodes are busy.".into(),
        Symptom::FailedNode { node, .. } => {
            format!("Node {node} has failed, and its tablets answer nothing until other nodes have taken them over.")
        }
    }
}

/// The figures that show it.
#[inline(never)]
pub fn evidence(symptom: &Symptom) -> String {
    match symptom {
        Symptom::HotRow { row, per_second, node_share, .. } => {
            let row = row.as_ref().map_or("A new row".into(), |row| format!("The row \"{}\"", shorten(row)));
            format!(
                "{row} gets {} requests a second and asks for {} of what a node can do, on average.",
                rate(*per_second),
                percent(*node_share)
            )
        }
        Symptom::SequentialWrites { places, share, per_second } => {
            let places = if *places < 1.5 { "one place".into() } else { format!("{places:.0} places") };
            format!(
                "{} of {} writes a second go to {places} in the keys.",
                percent(*share),
                rate(*per_second)
            )
        }
        Symptom::HotPrefix { share, rows, .. } => {
            format!("{} of the requests are for {} of the rows.", percent(*share), few_percent(*rows))
        }
        Symptom::ReadPressure(share) | Symptom::WritePressure(share) => {
            format!(
                "In its busiest second, the busiest row asks for {} of what a node can do.",
                percent(*share)
            )
        }
        Symptom::LargeRows(size) => format!("The largest row that was read has {}.", bytes(*size)),
        Symptom::PeriodicLoad { most, least, .. } => {
            format!(
                "There are {} requests a second at the peaks, and {} between them.",
                rate(*most),
                rate(*least)
            )
        }
        Symptom::TooFewNodes { nodes, cpu, waiting, .. } => {
            let (nodes, cores) = match nodes {
                1 => ("The node uses".into(), "its cores"),
                nodes => (format!("The {nodes} nodes use"), "their cores"),
            };
            let verb = if *waiting == 1 { "waits" } else { "wait" };
            format!("{nodes} {} of {cores} on average; {} {verb}.", percent(*cpu), requests(*waiting))
        }
        Symptom::FailedNode { seconds_ago, waiting, expired, .. } => {
            let ago = if *seconds_ago == 0 {
                "Just now".into()
            } else {
                format!("{} ago", time((*seconds_ago).into()))
            };
            format!(
                "{ago}; up to {} waited since, and {} passed their deadline.",
                requests(*waiting),
                thousands(*expired)
            )
        }
    }
}

/// What to do.
#[inline(never)]
pub fn advice(diagnosis: &Diagnosis) -> String {
    let fixed = match &diagnosis.symptom {
        Symptom::HotRow { writes, .. } if *writes > 0.5 => {
            "Spread the row over several: add a field to the key that distinguishes its events, or collect changes before you write \
             them."
        }
        Symptom::HotRow { .. } | Symptom::ReadPressure(_) => {
            "Keep the row in a cache before Bigtable, or copy it to several rows and read one of them at random."
        }
        // No change of the design is known to help.
        Symptom::SequentialWrites { .. } if diagnosis.fixes.is_empty() => {
            "Begin the key with a field that has many values."
        }
        Symptom::SequentialWrites { .. } => "Begin the key with what spreads the writes, or salt it.",
        Symptom::HotPrefix { .. } => {
            "Tablets split there by load, which takes minutes. A salt spreads these keys at once; a scan of them then reads a range \
             for each salt."
        }
        Symptom::WritePressure(_) => {
            "Write to several rows and add them up when you read, or collect changes before you write them."
        }
        Symptom::LargeRows(_) => {
            "Add a field to the key, such as a day, so that an entity has several rows, or set a GC rule."
        }
        Symptom::PeriodicLoad { .. } => {
            "Let the autoscaler follow the load, with enough nodes for the peaks, or add nodes before each peak."
        }
        Symptom::TooFewNodes { needed, cpu_target, .. } => {
            let nodes = if *needed == 1 { "1 node".into() } else { format!("{needed} nodes") };
            return format!(
                "Add nodes: {nodes} use at most {} of their cores for this traffic.",
                percent(*cpu_target)
            );
        }
        Symptom::FailedNode { .. } => {
            "Another node replaces it within a minute. Have so many nodes that they can do the work with one less."
        }
    };
    fixed.into()
}

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
