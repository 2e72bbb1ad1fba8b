//! Texts of the Key Visualizer.

use alloc::format;
use alloc::string::String;
use alloc::vec;

use tabletop_protocol::HeatMetric;

use super::numbers::{bytes, count, duration, rate, thousands};

/// Texts of the Key Visualizer.
pub struct Heatmap {
    pub title: &'static str,
    pub empty: &'static str,
    pub metric: &'static str,
    pub metrics: fn(HeatMetric) -> &'static str,
    /// A value with its unit.
    pub value: fn(HeatMetric, f64) -> String,
    pub shown: &'static str,
    /// Mean, busiest row.
    pub shown_of: [&'static str; 2],
    pub palette: &'static str,
    /// Inferno, cividis.
    pub palettes: [&'static str; 2],
    pub brightness: &'static str,
    pub brightness_of: fn(brightness: i8) -> String,
    pub borders: &'static str,
    pub zoom: &'static str,
    pub zoom_in: &'static str,
    pub zoom_out: &'static str,
    pub back: &'static str,
    pub reset: &'static str,
    pub pans: &'static str,
    /// Pans to earlier times, later times, previous keys, next keys.
    pub pan: [&'static str; 4],
    pub relative: fn(metric: HeatMetric, largest: f64) -> String,
    pub absolute: fn(metric: HeatMetric) -> String,
    /// For screen readers.
    pub role: &'static str,
    pub about: fn(metric: &str, seconds: u32, buckets: usize) -> String,
    pub keys: &'static str,
    /// Hints for a mouse, and for touch.
    pub hints: [&'static str; 2],
    pub prefixes: &'static str,
    /// What a bar of the hierarchy does.
    pub prefix: fn(name: &str, buckets: usize) -> String,
    pub nodes: fn(second: u32) -> String,
    pub node: fn(letters: &str) -> String,
    pub nodes_said: fn(tablets: usize, nodes: usize, second: u32) -> String,
    pub tooltip: Tooltip,
    pub busiest: Busiest,
    pub export: &'static str,
    /// PNG, SVG, CSV.
    pub files: [&'static str; 3],
    pub csv_head: [&'static str; 5],
    pub file_title: fn(metric: &str, shown: &str, from: f64, until: f64) -> String,
    pub clock: fn(second: u32) -> String,
}

/// Texts of a cell's figures.
pub struct Tooltip {
    pub title: &'static str,
    pub time: &'static str,
    pub span: fn(from: u32, until: u32) -> String,
    pub start: &'static str,
    pub end: &'static str,
    pub first_key: &'static str,
    pub last_key: &'static str,
    pub mean: &'static str,
    pub busiest: &'static str,
    pub tablet: &'static str,
    pub tablet_of: fn(number: u32, node: &str) -> String,
    pub copy_start: &'static str,
    pub copy_end: &'static str,
    pub copied: &'static str,
    pub show_rows: &'static str,
    pub close: &'static str,
    pub pinned: &'static str,
    pub spoken: fn(&Spoken) -> String,
    pub rectangle: fn(columns: usize, buckets: usize) -> String,
    pub area: fn(from: &str, until: &str, buckets: usize, of: usize) -> String,
}

/// A cell as it is announced.
pub struct Spoken {
    pub time: String,
    pub start: String,
    pub value: String,
    pub busiest: String,
    /// Times the median of the column's cells with requests.
    pub of_median: Option<f64>,
    pub tablet: Option<String>,
}

/// Texts of the table of the busiest key ranges.
pub struct Busiest {
    pub title: &'static str,
    pub caption: fn(metric: &str, second: u32) -> String,
    pub columns: [&'static str; 6],
    pub at: fn(value: &str, second: u32) -> String,
    pub show: &'static str,
    pub show_of: fn(start: &str) -> String,
    pub none: &'static str,
}

/// Minutes and seconds of virtual time: `1:05`.
fn clock(second: u32) -> String {
    match second / 3600 {
        0 => format!("{}:{:02}", second / 60, second % 60),
        hours => format!("{hours}:{:02}:{:02}", second / 60 % 60, second % 60),
    }
}

fn value(metric: HeatMetric, value: f64) -> String {
    let short = |value: f64| if value == 0.0 { "0".into() } else { rate(value) };
    match metric {
        HeatMetric::Requests | HeatMetric::Reads | HeatMetric::Writes => format!("{}/s", short(value)),
        HeatMetric::Bytes => format!("{}/s", bytes(value as u64)),
        HeatMetric::Cpu => format!("{} cores", short(value)),
        HeatMetric::LatencyP99 => duration(value as u64),
        HeatMetric::ReadPressure | HeatMetric::WritePressure => format!("{} of a node", short(value)),
        HeatMetric::LargeRows => format!("{} of 256 MB", short(value)),
    }
}

pub const ENGLISH: Heatmap = Heatmap {
    title: "Key Visualizer",
    empty: "No requests yet. The picture starts with the first simulated second.",
    metric: "Metric",
    metrics: |metric| match metric {
        HeatMetric::Requests => "Requests",
        HeatMetric::Reads => "Reads",
        HeatMetric::Writes => "Writes",
        HeatMetric::Bytes => "Bytes",
        HeatMetric::Cpu => "CPU",
        HeatMetric::LatencyP99 => "Latency p99",
        HeatMetric::ReadPressure => "Read pressure",
        HeatMetric::WritePressure => "Write pressure",
        HeatMetric::LargeRows => "Large rows",
    },
    value,
    shown: "Value of a cell",
    shown_of: ["Mean", "Busiest row"],
    palette: "Colours",
    palettes: ["Inferno", "Cividis"],
    brightness: "Brightness",
    brightness_of: |brightness| match brightness {
        0 => "normal".into(),
        up if up > 0 => format!("{} times as bright", 1u32 << up),
        down => format!("1/{} as bright", 1u32 << -down),
    },
    borders: "Tablet borders",
    zoom: "Zoom",
    zoom_in: "Zoom in",
    zoom_out: "Zoom out",
    back: "Previous area",
    reset: "Show all",
    pans: "Pan",
    pan: ["Earlier", "Later", "Previous keys", "Next keys"],
    relative: |metric, largest| format!("relative to the largest value: {}", value(metric, largest)),
    absolute: |metric| match metric {
        HeatMetric::LargeRows => "absolute: 1 = the recommended 256 MB".into(),
        _ => "absolute: 1 = the capacity of one node".into(),
    },
    role: "heatmap",
    about: |metric, seconds, buckets| {
        format!(
            "{metric} over {} of time from left to right, row keys from top to bottom in {}",
            clock(seconds),
            count(buckets as u64, "bucket", "buckets")
        )
    },
    keys: "Arrow keys move by a cell, Page Up and Page Down by a tenth of the keys, Home and End to the \
           first and last time; with Ctrl, to the first and last key. With Shift they draw a rectangle, and \
           Enter zooms to it. Enter pins the figures of a cell, Escape unpins them. Plus and minus zoom, \
           Backspace goes back, R shows all.",
    hints: [
        "Drag a rectangle to zoom, or use Ctrl and the wheel. Click a cell to pin its figures.",
        "Tap a cell to pin its figures. Two fingers zoom, one scrolls the page.",
    ],
    prefixes: "Key prefixes",
    prefix: |name, buckets| format!("{name}: zoom to its {}", count(buckets as u64, "bucket", "buckets")),
    nodes: |second| format!("Nodes at {}", clock(second)),
    node: |letters| format!("Node {letters}"),
    nodes_said: |tablets, nodes, second| {
        let (tablets, nodes) =
            (count(tablets as u64, "tablet", "tablets"), count(nodes as u64, "node", "nodes"));
        format!("At {}: {tablets} on {nodes}", clock(second))
    },
    tooltip: Tooltip {
        title: "Cell",
        time: "Time",
        span: |from, until| {
            if until == from + 1 { clock(from) } else { format!("{} to {}", clock(from), clock(until)) }
        },
        start: "From (inclusive)",
        end: "To (exclusive)",
        first_key: "first key",
        last_key: "end of the table",
        mean: "Mean",
        busiest: "Busiest row",
        tablet: "Tablet",
        tablet_of: |number, node| format!("{number} on node {node}"),
        copy_start: "Copy the start key",
        copy_end: "Copy the end key",
        copied: "Key copied",
        show_rows: "Show these rows",
        close: "Unpin",
        pinned: "Figures pinned. Press Tab to reach them.",
        spoken: |cell| {
            let mut parts = vec![cell.time.clone(), format!("keys from {}", cell.start), cell.value.clone()];
            parts.push(format!("busiest row {}", cell.busiest));
            parts.extend(
                cell.of_median
                    .map(|times| format!("{} times the median", rate(libm::round(times * 10.0) / 10.0))),
            );
            parts.extend(cell.tablet.as_ref().map(|tablet| format!("tablet {tablet}")));
            parts.join(", ")
        },
        rectangle: |columns, buckets| {
            format!(
                "Rectangle of {} and {}: Enter zooms to it",
                count(columns as u64, "column", "columns"),
                count(buckets as u64, "bucket", "buckets")
            )
        },
        area: |from, until, buckets, of| {
            format!(
                "Shown: {from} to {until}, {} of {}",
                thousands(buckets as u64),
                count(of as u64, "bucket", "buckets")
            )
        },
    },
    busiest: Busiest {
        title: "Busiest key ranges",
        caption: |metric, second| format!("{metric} until {}, largest value first", clock(second)),
        columns: ["From key", "To key", "Mean", "Largest value", "Busiest row", "Tablet"],
        at: |value, second| format!("{value} at {}", clock(second)),
        show: "Show these rows",
        show_of: |start| format!("Show the rows from {start}"),
        none: "No key range has a value yet.",
    },
    export: "Save picture",
    files: ["PNG", "SVG", "CSV"],
    csv_head: ["start key", "second", "seconds", "value", "busiest row"],
    file_title: |metric, shown, from, until| {
        format!("{metric} ({shown}), {} to {}", clock(from as u32), clock(until as u32))
    },
    clock,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_for_fingers_names_nothing_that_only_a_mouse_has() {
        let has = |hint: &str| {
            ["Drag", "wheel", "Ctrl", "Click"].into_iter().filter(|word| hint.contains(word)).count()
        };
        assert_eq!(ENGLISH.hints.map(has), [4, 0]);
    }
}
