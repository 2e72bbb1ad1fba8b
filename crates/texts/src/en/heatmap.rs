//! Texts of the Key Visualizer.

use alloc::format;
use alloc::string::String;
use alloc::vec;

use tabletop_protocol::HeatMetric;

use super::numbers::{bytes, count, duration, rate, thousands};

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

texts!(Heatmap {
    title: "Key Visualizer",
    empty: "No requests yet. The picture starts with the first simulated second.",
    metric: "Metric",
    metrics: |metric: HeatMetric| -> &'static str {
        match metric {
            HeatMetric::Requests => "Requests",
            HeatMetric::Reads => "Reads",
            HeatMetric::Writes => "Writes",
            HeatMetric::Bytes => "Bytes",
            HeatMetric::Cpu => "CPU",
            HeatMetric::LatencyP99 => "Latency p99",
            HeatMetric::ReadPressure => "Read pressure",
            HeatMetric::WritePressure => "Write pressure",
            HeatMetric::LargeRows => "Large rows",
        }
    },
    /// A value with its unit.
    value: |metric: HeatMetric, number: f64| value(metric, number),
    shown: "Value of a cell",
    /// Mean, busiest row.
    shown_of: ["Mean", "Busiest row"],
    /// The button that shows the tools of colours and borders.
    look: "Colours and borders",
    palette: "Colours",
    /// Inferno, cividis.
    palettes: ["Inferno", "Cividis"],
    brightness: "Brightness",
    brightness_of: |brightness: i8| match brightness {
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
    /// Pans to earlier times, later times, previous keys, next keys.
    pan: ["Earlier", "Later", "Previous keys", "Next keys"],
    relative: |metric: HeatMetric, largest: f64| {
        format!("relative to the largest value: {}", value(metric, largest))
    },
    absolute: |metric: HeatMetric| match metric {
        HeatMetric::LargeRows => "absolute: 1 = the maximum of 256 MB".into(),
        _ => "absolute: 1 = the capacity of one node".into(),
    },
    /// For screen readers.
    role: "heatmap",
    about: |metric: &str, seconds: u32, buckets: usize| {
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
    /// Hints for a mouse, and for touch.
    hints: [
        "Drag a rectangle to zoom, or use Ctrl and the wheel. Click a cell to pin its figures.",
        "Tap a cell to pin its figures. Two fingers zoom, one scrolls the page.",
    ],
    prefixes: "Key prefixes",
    /// What a bar of the hierarchy does.
    prefix: |name: &str, buckets: usize| {
        format!("{name}: zoom to its {}", count(buckets as u64, "bucket", "buckets"))
    },
    nodes: |second: u32| format!("Nodes at {}", clock(second)),
    node: |letters: &str| format!("Node {letters}"),
    nodes_said: |tablets: usize, nodes: usize, second: u32| {
        let (tablets, nodes) =
            (count(tablets as u64, "tablet", "tablets"), count(nodes as u64, "node", "nodes"));
        format!("At {}: {tablets} on {nodes}", clock(second))
    },
    /// Texts of a cell's figures.
    tooltip: Tooltip {
        title: "Cell",
        time: "Time",
        span: |from: u32, until: u32| {
            if until == from + 1 { clock(from) } else { format!("{} to {}", clock(from), clock(until)) }
        },
        start: "From (inclusive)",
        end: "To (exclusive)",
        first_key: "first key",
        last_key: "end of the table",
        mean: "Mean",
        busiest: "Busiest row",
        tablet: "Tablet",
        tablet_of: |number: u32, node: &str| format!("{number} on node {node}"),
        copy_start: "Copy the start key",
        copy_end: "Copy the end key",
        copied: "Key copied",
        show_rows: "Show these rows",
        close: "Unpin",
        pinned: "Figures pinned. Press Tab to reach them.",
        spoken: |cell: &Spoken| {
            let mut parts = vec![cell.time.clone(), format!("keys from {}", cell.start), cell.value.clone()];
            parts.push(format!("busiest row {}", cell.busiest));
            parts.extend(
                cell.of_median
                    .map(|times| format!("{} times the median", rate(libm::round(times * 10.0) / 10.0))),
            );
            parts.extend(cell.tablet.as_ref().map(|tablet| format!("tablet {tablet}")));
            parts.join(", ")
        },
        rectangle: |columns: usize, buckets: usize| {
            format!(
                "Rectangle of {} and {}: Enter zooms to it",
                count(columns as u64, "column", "columns"),
                count(buckets as u64, "bucket", "buckets")
            )
        },
        area: |from: &str, until: &str, buckets: usize, of: usize| {
            format!(
                "Shown: {from} to {until}, {} of {}",
                thousands(buckets as u64),
                count(of as u64, "bucket", "buckets")
            )
        },
    },
    /// Texts of the table of the busiest key ranges.
    busiest: Busiest {
        title: "Busiest key ranges",
        caption: |metric: &str, second: u32| format!("{metric} until {}, largest value first", clock(second)),
        columns: ["From key", "To key", "Mean", "Largest value", "Busiest row", "Tablet"],
        at: |value: &str, second: u32| format!("{value} at {}", clock(second)),
        show: "Show these rows",
        show_of: |start: &str| format!("Show the rows from {start}"),
        none: "No key range has a value yet.",
    },
    export: "Save picture",
    /// PNG, SVG, CSV.
    files: ["PNG", "SVG", "CSV"],
    csv_head: ["start key", "second", "seconds", "value", "busiest row"],
    file_title: |metric: &str, shown: &str, from: f64, until: f64| {
        format!("{metric} ({shown}), {} to {}", clock(from as u32), clock(until as u32))
    },
    clock: |second: u32| clock(second),
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_for_fingers_names_nothing_that_only_a_mouse_has() {
        let has = |hint: &str| {
            ["Drag", "wheel", "Ctrl", "Click"].into_iter().filter(|word| hint.contains(word)).count()
        };
        assert_eq!(Heatmap::ENGLISH.hints.map(has), [4, 0]);
    }
}
