//! Problems that a simulation shows.

use alloc::format;
use alloc::string::String;

use tabletop_advice::{Diagnosis, Symptom, WaveNodes};
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
            format!("Keys from {} get {} of the requests.", range(start, end), percent(*share))
        }
        Symptom::SequentialPrefix { start, end, .. } => format!(
            "New rows from {} have adjacent keys, so one tablet takes their writes: after a split, new rows still land behind \
             the last one.",
            range(start, end)
        ),
        Symptom::ReadPressure(_) => "One row is read nearly as often as a node can serve it, and other nodes cannot help.".into(),
        Symptom::WritePressure(_) => "One row is written nearly as often as a node can handle, and other nodes cannot help.".into(),
        Symptom::LargeRows(_) => "Some rows exceed the recommended maximum of 100 MB. Rows over 256 MB cannot be read whole.".into(),
        Symptom::PeriodicLoad { seconds, .. } => format!("The load comes in waves, about every {}.", time(*seconds)),
        Symptom::TooFewNodes { .. } => "All nodes are busy.".into(),
        Symptom::Unbalanced { is_moving: true, busiest, .. } => {
            format!("Tablets are still moving, and until then node {busiest} cannot keep up.")
        }
        Symptom::Unbalanced { busiest, idlest, .. } => {
            format!("Node {busiest} cannot keep up, while node {idlest} has spare capacity.")
        }
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
        Symptom::SequentialPrefix { share, per_second, .. } => {
            format!("{} of the writes, {} per second, go there.", percent(*share), rate(*per_second))
        }
        Symptom::Unbalanced { busiest, cpu_most, idlest, cpu_least, expired, waiting, .. } => {
            let expired = if *expired > 0.0 {
                format!(", and {}/s pass their deadline", rate(*expired))
            } else {
                String::new()
            };
            let verb = if *waiting == 1 { "is" } else { "are" };
            format!(
                "Node {busiest} is at {}, node {idlest} at {}; {} {verb} waiting{expired}.",
                percent(*cpu_most),
                percent(*cpu_least),
                requests(*waiting)
            )
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
                "{ago}. Since then, up to {} have waited, and {} have passed their deadline.",
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
        Symptom::SequentialPrefix { .. } if diagnosis.fixes.is_empty() => {
            "Put a field that distinguishes the writers between the prefix and what grows."
        }
        Symptom::SequentialPrefix { .. } => {
            "A salt spreads these writes at once, but a scan of them then reads one range per salt."
        }
        Symptom::WritePressure(_) => {
            "Write to several rows and add them up when you read, or batch changes before you write them."
        }
        Symptom::LargeRows(_) => {
            "Add a field to the key, such as the day, so that an entity has several rows, or set a GC rule."
        }
        Symptom::PeriodicLoad { .. } if let Some(tablet) = diagnosis.symptom.tablet_beyond_node() => {
            return format!(
                "Spread the keys first: at the peaks one tablet needs {} of a node, and one node serves a tablet, \
                 however many there are.",
                percent(tablet)
            );
        }
        Symptom::PeriodicLoad { nodes: Some(WaveNodes { now, most, .. }), .. }
            if diagnosis.symptom.is_short_wave() && now < most =>
        {
            return format!(
                "Provision {} for the peaks: tablets take about 20 minutes to spread over new nodes, so an autoscaler \
                 cannot follow waves of this length.",
                nodes_of(*most)
            );
        }
        Symptom::PeriodicLoad { .. } if diagnosis.symptom.is_short_wave() => {
            "Keep enough nodes for the peaks: tablets take about 20 minutes to spread over new nodes, so an autoscaler \
             cannot follow waves of this length."
        }
        Symptom::PeriodicLoad { .. } => {
            "Let the autoscaler follow the load, with enough nodes for the peaks, or add nodes before each peak."
        }
        Symptom::TooFewNodes { needed, .. } if let Some(tablet) = diagnosis.symptom.tablet_beyond_node() => {
            return format!(
                "More nodes do not help until the busiest tablet has split: it needs {} of a node, and one node serves \
                 a tablet. Then this traffic needs {}.",
                percent(tablet),
                nodes_of(*needed)
            );
        }
        Symptom::TooFewNodes { needed, cpu_target, tablet, .. } if tablet > cpu_target => {
            return format!(
                "Add nodes: this traffic needs {}. The node that serves the busiest tablet will use at least {} of its \
                 cores.",
                nodes_of(*needed),
                percent(*tablet)
            );
        }
        Symptom::TooFewNodes { needed, cpu_target, .. } => {
            return format!(
                "Add nodes: {} would use at most {} of their cores for this traffic.",
                nodes_of(*needed),
                percent(*cpu_target)
            );
        }
        Symptom::Unbalanced { is_moving, needed, .. } => {
            let tablet = diagnosis.symptom.tablet_beyond_node();
            let (when, wait) = if *is_moving && tablet.is_none() {
                (
                    "Add nodes before the load arrives, or run a load test first",
                    "tablets take about 20 minutes to spread",
                )
            } else {
                (
                    "Wait for tablets to split and move, or create the table with splits",
                    "the balancer moves whole tablets",
                )
            };
            let needed = match (needed, tablet) {
                (_, Some(tablet)) => {
                    format!(
                        " Until then more nodes do not help: one tablet needs {} of a node.",
                        percent(tablet)
                    )
                }
                (Some(needed), None) => format!(" This traffic needs {}.", nodes_of(*needed)),
                (None, None) => String::new(),
            };
            return format!("{when}: {wait}.{needed}");
        }
        Symptom::FailedNode { .. } => {
            "Another node replaces it within a minute. Provision enough nodes to survive losing one."
        }
    };
    fixed.into()
}

fn nodes_of(nodes: u32) -> String {
    if nodes == 1 { "1 node".into() } else { format!("{nodes} nodes") }
}

/// The bounds of a range of keys.
fn range(start: &RowKey, end: &RowKey) -> String {
    let end = if end.is_empty() { "the end".into() } else { format!("\"{}\"", shorten(end)) };
    let start = if start.is_empty() { "the first".into() } else { format!("\"{}\"", shorten(start)) };
    format!("{start} to {end}")
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
