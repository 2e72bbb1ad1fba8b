//! Problems that a simulation shows.

use alloc::format;
use alloc::string::String;

use tabletop_advice::{Diagnosis, Symptom};
use tabletop_model::RowKey;

use super::super::numbers::{bytes, rate, thousands};
use super::phrases::percent;

/// The problem.
#[inline(never)]
pub fn text(symptom: &Symptom) -> String {
    match symptom {
        Symptom::HotRow { share, .. } => format!(
            "One row gets {} of the requests. A row is served by one node and cannot be split, so adding nodes does not help.",
            percent(*share)
        ),
        Symptom::SequentialWrites { .. } => {
            "New rows have adjacent keys, so at any moment one tablet or a few take nearly all writes, no matter how many nodes \
             you add."
                .into()
        }
        Symptom::HotPrefix { start, end, share, .. } => {
            let end = if end.is_empty() { "the end".into() } else { format!("\"{}\"", shorten(end)) };
            let start = if start.is_empty() { "the first".into() } else { format!("\"{}\"", shorten(start)) };
            format!("Keys from {start} to {end} get {} of the requests.", percent(*share))
        }
        Symptom::ReadPressure(_) => "One row is read nearly as often as a node can serve it, and other nodes cannot help.".into(),
        Symptom::WritePressure(_) => "One row is written nearly as often as a node can handle, and other nodes cannot help.".into(),
        Symptom::LargeRows(_) => "Some rows exceed the recommended maximum of 100 MB. Rows over 256 MB cannot be read whole.".into(),
        Symptom::PeriodicLoad { seconds, .. } => format!("The load comes in waves, about every {}.", time(*seconds)),
        Symptom::TooFewNodes { .. } => "All nodes are busy.".into(),
        Symptom::FailedNode { node, .. } => {
            format!("Node {node} has failed; its tablets are unavailable until other nodes take over.")
        }
    }
}

/// The figures that show the problem.
#[inline(never)]
pub fn evidence(symptom: &Symptom) -> String {
    match symptom {
        Symptom::HotRow { row, per_second, node_share, .. } => {
            let row = row.as_ref().map_or("A new row".into(), |row| format!("The row \"{}\"", shorten(row)));
            format!(
                "{row} gets {} requests per second and needs {} of a node's capacity on average.",
                rate(*per_second),
                percent(*node_share)
            )
        }
        Symptom::SequentialWrites { places, share, per_second } => {
            let places = if *places < 1.5 { "one place".into() } else { format!("{places:.0} places") };
            format!(
                "{} of {} writes per second go to {places} in the key space.",
                percent(*share),
                rate(*per_second)
            )
        }
        Symptom::HotPrefix { share, rows, .. } => {
            format!("{} of the requests are for {} of the rows.", percent(*share), few_percent(*rows))
        }
        Symptom::ReadPressure(share) | Symptom::WritePressure(share) => {
            format!("In its busiest second, the busiest row needs {} of a node's capacity.", percent(*share))
        }
        Symptom::LargeRows(size) => format!("The largest row read is {}.", bytes(*size)),
        Symptom::PeriodicLoad { most, least, .. } => {
            format!("{} requests per second at the peaks, {} between them.", rate(*most), rate(*least))
        }
        Symptom::TooFewNodes { nodes, cpu, waiting, .. } => {
            let (nodes, cores) = match nodes {
                1 => ("The node uses".into(), "its cores"),
                nodes => (format!("The {nodes} nodes use"), "their cores"),
            };
            let verb = if *waiting == 1 { "is" } else { "are" };
            format!("{nodes} {} of {cores} on average; {} {verb} waiting.", percent(*cpu), requests(*waiting))
        }
        Symptom::FailedNode { seconds_ago, waiting, expired, .. } => {
            let ago = if *seconds_ago == 0 {
                "Just now".into()
            } else {
                format!("{} ago", time((*seconds_ago).into()))
            };
            format!(
                "{ago}; since then up to {} have waited, and {} have passed their deadline.",
                requests(*waiting),
                thousands(*expired)
            )
        }
    }
}

/// What to do about the problem.
#[inline(never)]
pub fn advice(diagnosis: &Diagnosis) -> String {
    let fixed = match &diagnosis.symptom {
        Symptom::HotRow { writes, .. } if *writes > 0.5 => {
            "Spread the row over several: add a field to the key that distinguishes its events, or batch changes before you \
             write them."
        }
        Symptom::HotRow { .. } | Symptom::ReadPressure(_) => {
            "Cache the row in front of Bigtable, or copy it to several rows and read one of them at random."
        }
        // No change to the design is known to help.
        Symptom::SequentialWrites { .. } if diagnosis.fixes.is_empty() => {
            "Start the key with a field that has many values."
        }
        Symptom::SequentialWrites { .. } => "Start the key with a field that spreads writes, or salt it.",
        Symptom::HotPrefix { .. } => {
            "Tablets split there under load, which takes minutes. A salt spreads these keys at once, but a scan of them then \
             reads one range per salt."
        }
        Symptom::WritePressure(_) => {
            "Write to several rows and add them up when you read, or batch changes before you write them."
        }
        Symptom::LargeRows(_) => {
            "Add a field to the key, such as the day, so that an entity has several rows, or set a GC rule."
        }
        Symptom::PeriodicLoad { .. } => {
            "Let the autoscaler follow the load, with enough nodes for the peaks, or add nodes before each peak."
        }
        Symptom::TooFewNodes { needed, cpu_target, .. } => {
            let nodes = if *needed == 1 { "1 node".into() } else { format!("{needed} nodes") };
            return format!(
                "Add nodes: {nodes} would use at most {} of their cores for this traffic.",
                percent(*cpu_target)
            );
        }
        Symptom::FailedNode { .. } => {
            "Another node replaces it within a minute. Provision enough nodes to survive losing one."
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

/// Formats a share of 1 as a percentage, with one decimal place if it is small.
fn few_percent(share: f64) -> String {
    if share < 0.095 { format!("{:.1}%", share * 100.0) } else { percent(share) }
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
