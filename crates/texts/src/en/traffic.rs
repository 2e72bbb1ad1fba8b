//! Traffic on a design.

use alloc::format;
use alloc::string::String;

use tabletop_advice::DiagnosisKind;
use tabletop_protocol::ClusterEventKind;
use tabletop_workspace::{ChangeKind, ClusterFix, ReplayOperation};

use super::numbers::{count, duration, thousands};

/// Texts of the view.
pub struct Traffic {
    pub title: &'static str,
    /// The most requests per second, nodes, seconds.
    pub summary: fn(peak: f64, is_constant: bool, nodes: u32, seconds: u32) -> String,
    pub waits: &'static str,
    pub waits_about: &'static str,
    pub computing: fn(seconds: u32, of: u32) -> String,
    pub executed: fn(every: u32) -> String,
    pub refused: fn(reason: &str) -> String,
    pub compare_with: &'static str,
    pub alone: &'static str,
    pub without_load_test: &'static str,
    pub wrong: &'static str,
    pub streams: StreamTexts,
    pub cluster: ClusterTexts,
    pub nodes: NodeTexts,
    pub charts: ChartTexts,
    pub player: PlayerTexts,
    pub diagnoses: DiagnosisTexts,
    pub formula: FormulaTexts,
    pub scaling: ScalingTexts,
}

/// The editor of the streams.
pub struct StreamTexts {
    pub title: &'static str,
    pub preset: &'static str,
    pub add: &'static str,
    pub name: &'static str,
    pub new_name: fn(number: usize) -> String,
    pub no_name: &'static str,
    pub name_taken: &'static str,
    pub remove: fn(name: &str) -> String,
    pub of: fn(name: &str) -> String,
    pub what: &'static str,
    pub per_second: &'static str,
    pub keys: &'static str,
    pub when: &'static str,
    pub write_events: &'static str,
    pub updates: &'static str,
    pub point_reads: &'static str,
    pub scans: &'static str,
    pub read_modify_write: &'static str,
    pub deletes: &'static str,
    pub replay: fn(operation: ReplayOperation, requests: usize) -> String,
    pub trace: &'static str,
    pub trace_about: &'static str,
    pub trace_too_large: &'static str,
    pub trace_refused: fn(reason: &str) -> String,
    pub trace_read: fn(replayed: u32, left_out: u32, seconds: u32) -> String,
    pub trace_replaced: fn(streams: usize) -> String,
    pub trace_problems: fn(problems: usize) -> String,
    pub trace_problem: fn(line: u64, reason: &str) -> String,
    pub pattern: fn(name: &str) -> String,
    pub rows: &'static str,
    pub as_events: &'static str,
    pub uniform: fn(field: &str) -> String,
    pub zipf: &'static str,
    pub zipf_of: fn(field: &str) -> String,
    pub latest: &'static str,
    pub sequential: &'static str,
    pub hot: &'static str,
    pub hot_of: fn(field: &str) -> String,
    pub exponent: &'static str,
    pub share: &'static str,
    pub value: &'static str,
    pub constant: &'static str,
    pub ramp: &'static str,
    pub sudden: &'static str,
    pub periodic: &'static str,
    pub factor: &'static str,
    pub from: &'static str,
    pub until: &'static str,
    pub lasting: &'static str,
    pub period: &'static str,
    pub peak: &'static str,
    pub low: &'static str,
}

/// The settings of the cluster.
pub struct ClusterTexts {
    pub title: &'static str,
    pub nodes: &'static str,
    pub seconds: &'static str,
    pub storage: &'static str,
    pub ssd: &'static str,
    pub hdd: &'static str,
    pub autoscale: &'static str,
    pub autoscale_off: &'static str,
    pub autoscale_to: fn(min: u32, max: u32) -> String,
    pub load_test: &'static str,
    pub load_test_about: &'static str,
    pub load_test_rate: &'static str,
    pub load_test_from: &'static str,
    pub load_test_for: &'static str,
    pub changes: &'static str,
    pub change: fn(at: u32, what: &ChangeKind) -> String,
    pub remove_change: fn(what: &str) -> String,
    pub thresholds: &'static str,
    pub thresholds_title: &'static str,
    pub cpu_target: &'static str,
    pub difference: &'static str,
    pub moved: &'static str,
}

/// The nodes at the moment.
pub struct NodeTexts {
    pub title: &'static str,
    pub node: fn(letter: &str) -> String,
    pub cpu: fn(percent: u32) -> String,
    pub queue: fn(queue: u32) -> String,
    pub tablets: fn(tablets: u32) -> String,
    pub fail: fn(letter: &str) -> String,
    pub fail_short: &'static str,
    pub add: &'static str,
    pub remove: &'static str,
    pub tablet: fn(start: &str) -> String,
    pub more: fn(more: usize) -> String,
    pub fewer: &'static str,
    pub move_to: fn(start: &str) -> String,
    pub move_here: fn(letter: &str) -> String,
    pub about: &'static str,
    /// Why nothing can be changed.
    pub over: &'static str,
    pub one_tablet: fn(letter: &str) -> String,
}

/// The curves.
pub struct ChartTexts {
    pub latency: &'static str,
    pub throughput: &'static str,
    pub p50: &'static str,
    pub p95: &'static str,
    pub p99: &'static str,
    pub max: &'static str,
    /// The choice of the stream that the curves show.
    pub of: &'static str,
    pub arrived: &'static str,
    pub answered: &'static str,
    pub expired: &'static str,
    pub up_to_latency: fn(micros: u64) -> String,
    /// The label of a logarithmic scale.
    pub up_to_latency_log: fn(micros: u64) -> String,
    pub up_to_rate: fn(per_second: u64) -> String,
    pub totals: &'static str,
    pub totals_until: fn(second: u32) -> String,
    pub stream: &'static str,
    pub all: &'static str,
    pub refused: &'static str,
    pub micros: fn(micros: u64) -> String,
}

/// The clock.
pub struct PlayerTexts {
    pub title: &'static str,
    pub play: &'static str,
    pub pause: &'static str,
    pub restart: &'static str,
    pub back: &'static str,
    pub forward: &'static str,
    pub previous: &'static str,
    pub next: &'static str,
    pub position: &'static str,
    pub at: fn(seconds: u32, of: u32) -> String,
    pub speed: &'static str,
    pub times: fn(times: u32) -> String,
    pub events: fn(events: usize) -> String,
    pub no_events: &'static str,
    pub event: fn(kind: ClusterEventKind) -> &'static str,
    pub event_at: fn(millis: u32) -> String,
}

/// What is wrong.
pub struct DiagnosisTexts {
    pub title: &'static str,
    pub kind: fn(kind: DiagnosisKind) -> &'static str,
    /// No diagnosis. The shares of their cores that the busiest node uses, and that nodes should
    /// use.
    pub none: fn(busiest: f32, target: f64) -> String,
    pub show: &'static str,
    /// The last second of those that were judged.
    pub when: fn(second: u32) -> String,
    pub cluster_fix: fn(fix: ClusterFix) -> String,
}

/// The calculator of the talk.
pub struct FormulaTexts {
    pub title: &'static str,
    pub about: &'static str,
    pub t: &'static str,
    pub r: &'static str,
    pub n: &'static str,
    pub result: fn(millis: f64) -> String,
    pub simulated: fn(nodes: u32, p99: Option<u64>) -> String,
    pub why: &'static str,
    pub simulate: &'static str,
    pub situations: &'static str,
    /// What is simulated.
    pub situations_of: fn(per_second: f64) -> String,
    pub heads: [&'static str; 4],
    pub situation: fn(nodes: u32, r: f64) -> String,
    pub millis: fn(millis: f64) -> String,
    /// Why formula and simulation differ: the 99th percentile of even traffic in microseconds, and
    /// for each of the others also the share of its cores that the busiest node used.
    pub differ: fn(even: u64, two: (u64, f64), four: (u64, f64)) -> String,
}

/// Throughput against nodes.
pub struct ScalingTexts {
    pub title: &'static str,
    pub about: &'static str,
    pub measure: &'static str,
    pub progress: fn(done: usize, of: usize) -> String,
    pub nodes: &'static str,
    pub even: &'static str,
    pub hot: &'static str,
    pub per_second: fn(per_second: u64) -> String,
    pub times: fn(times: f64) -> String,
}

/// Writes seconds as `1:05`.
fn clock(seconds: u32) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

pub const ENGLISH: Traffic = Traffic {
    title: "Traffic",
    summary: |peak, is_constant, nodes, seconds| {
        let up_to = if is_constant { "" } else { "up to " };
        let nodes = count(nodes.into(), "node", "nodes");
        format!("{up_to}{} requests/s on {nodes} for {}", thousands(peak as u64), clock(seconds))
    },
    waits: "Writing all events to the table…",
    waits_about: "Traffic starts where they end, on copies of the design's tables with the same tablets.",
    computing: |seconds, of| format!("simulated {} of {}", clock(seconds), clock(of)),
    executed: |every| match every {
        0 | 1 => "every request is executed".into(),
        every => format!(
            "1 in {} requests is executed; the rest are assumed to cost the same",
            thousands(every.into())
        ),
    },
    refused: |reason| format!("Some requests are refused: {reason}"),
    compare_with: "Compare with",
    alone: "Nothing",
    without_load_test: "Without the load test",
    wrong: "Fix the traffic",
    streams: StreamTexts {
        title: "Streams",
        preset: "Presets",
        add: "Add stream",
        name: "Name",
        new_name: |number| format!("Stream {number}"),
        no_name: "A stream needs a name.",
        name_taken: "Another stream has this name.",
        remove: |name| format!("Remove stream {name}"),
        of: |name| format!("Stream {name}"),
        what: "Requests",
        per_second: "Per second",
        keys: "For",
        when: "When",
        write_events: "Write new events",
        updates: "Update events",
        point_reads: "Read a row",
        scans: "Scan rows",
        read_modify_write: "Read, modify, write",
        deletes: "Delete a row",
        replay: |operation, requests| {
            format!("Replay {}: {}", operation.name(), count(requests as u64, "request", "requests"))
        },
        trace: "Replay a trace…",
        trace_about: "A CSV file with the columns time, operation (read, write, scan, rmw, delete) and key: \
                      your own service's requests, for these row keys, at their original times.",
        trace_too_large: "the page reads traces up to 32 MB: use part of it, or replay all with `tabletop \
                          simulate --trace`",
        trace_refused: |reason| format!("The trace cannot be replayed: {reason}"),
        trace_read: |replayed, left_out, seconds| {
            let of = format!("{} of {}", count(replayed.into(), "request", "requests"), clock(seconds));
            match left_out {
                0 => format!("Replays {of} from the trace."),
                left_out => format!(
                    "Replays the first {of} from the trace. {} left out, because the workspace stores the \
                     requests: `tabletop simulate --trace` replays all.",
                    count(left_out.into(), "later one is", "later ones are")
                ),
            }
        },
        trace_replaced: |streams| match streams {
            1 => "It replaces the stream that was here; Undo restores it.".into(),
            _ => format!(
                "It replaces the {} that were here; Undo restores them.",
                count(streams as u64, "stream", "streams")
            ),
        },
        trace_problems: |problems| format!("{} left out", count(problems as u64, "line is", "lines are")),
        trace_problem: |line, reason| format!("Line {}: {reason}", thousands(line)),
        pattern: |name| format!("Pattern: {name}"),
        rows: "Rows",
        as_events: "Any event",
        uniform: |field| format!("Uniform over {field}"),
        zipf: "Popular events (Zipf)",
        zipf_of: |field| format!("Popular {field} (Zipf)"),
        latest: "The latest events",
        sequential: "Events in order",
        hot: "One hot event",
        hot_of: |field| format!("One hot {field}"),
        exponent: "Exponent",
        share: "Share (%)",
        value: "Value",
        constant: "Always",
        ramp: "Ramp",
        sudden: "Sudden increase",
        periodic: "Waves",
        factor: "Factor",
        from: "From (s)",
        until: "Until (s)",
        lasting: "For (s)",
        period: "Period (s)",
        peak: "Peak at (s)",
        low: "Lowest (%)",
    },
    cluster: ClusterTexts {
        title: "Cluster",
        nodes: "Nodes",
        seconds: "Seconds",
        storage: "Storage",
        ssd: "SSD",
        hdd: "HDD",
        autoscale: "Autoscaling",
        autoscale_off: "Off",
        autoscale_to: |min, max| format!("{min} to {}", count(max.into(), "node", "nodes")),
        load_test: "Load test before the peak",
        load_test_about: "Random reads of all rows warm up the cluster: tablets split and spread over the \
                          nodes before the peak.",
        load_test_rate: "Reads per second",
        load_test_from: "From (s)",
        load_test_for: "For (s)",
        changes: "Changes during the run",
        change: |at, what| {
            let what = match what {
                ChangeKind::Nodes(nodes) => format!("resize to {}", count((*nodes).into(), "node", "nodes")),
                ChangeKind::Fail(node) => format!("node {node} fails"),
                ChangeKind::Move { row, to } if row.is_empty() => format!("first tablet to node {to}"),
                ChangeKind::Move { row, to } => format!("tablet of {row} to node {to}"),
            };
            format!("{} {what}", clock(at))
        },
        remove_change: |what| format!("Remove: {what}"),
        thresholds: "Google does not publish when tablets split and move; those thresholds are ours. Rates \
                     per node are Google's: 17,000 point reads or 14,000 writes per second of 1 KB rows, or \
                     220 MB/s of scans (SSD). Rows with more cells or bytes take longer.",
        thresholds_title: "Thresholds (ours)",
        cpu_target: "CPU target (%)",
        difference: "Load difference to move tablets (%)",
        moved: "Tablets moved per minute (%)",
    },
    nodes: NodeTexts {
        title: "Nodes",
        node: |letter| format!("Node {letter}"),
        cpu: |percent| format!("{percent}% CPU"),
        queue: |queue| match queue {
            0 => "no queue".into(),
            queue => format!("queue {}", thousands(queue.into())),
        },
        tablets: |tablets| count(tablets.into(), "tablet", "tablets"),
        fail: |letter| format!("Fail node {letter} now"),
        fail_short: "Fail",
        add: "Add a node now",
        remove: "Remove a node now",
        tablet: |start| if start.is_empty() { "first tablet".into() } else { format!("tablet from {start}") },
        more: |more| format!("and {more} more"),
        fewer: "Show fewer",
        move_to: |start| format!("Move tablet from {start} to"),
        move_here: |letter| format!("to {letter}"),
        about: "Drag a tablet to another node, or select it and choose the node.",
        over: "The simulated time ends here, so changing nodes has no effect. Go to an earlier second.",
        one_tablet: |letter| format!("One tablet on node {letter} does nearly all the work."),
    },
    charts: ChartTexts {
        latency: "Latency",
        throughput: "Requests per second",
        p50: "p50",
        p95: "p95",
        p99: "p99",
        max: "maximum",
        of: "Curves of",
        arrived: "arrived",
        answered: "answered",
        expired: "deadline passed",
        up_to_latency: duration,
        up_to_latency_log: |micros| format!("1 ms to {}, logarithmic", duration(micros)),
        up_to_rate: |per_second| format!("{}/s", thousands(per_second)),
        totals: "All requests so far",
        totals_until: |second| format!("All requests until {}", clock(second)),
        stream: "Stream",
        all: "All streams",
        refused: "Refused",
        micros: |micros| if micros == 0 { "–".into() } else { duration(micros) },
    },
    player: PlayerTexts {
        title: "Time",
        play: "Play traffic",
        pause: "Pause traffic",
        restart: "From the start",
        back: "Back 1 s",
        forward: "Forward 1 s",
        previous: "Previous cluster event",
        next: "Next cluster event",
        position: "Position in time",
        at: |seconds, of| format!("{} of {}", clock(seconds), clock(of)),
        speed: "Speed",
        times: |times| format!("{times}×"),
        events: |events| count(events as u64, "cluster event", "cluster events"),
        no_events: "No tablet has split or moved yet.",
        event: |kind| match kind {
            ClusterEventKind::Split => "split",
            ClusterEventKind::Merge => "merge",
            ClusterEventKind::Move => "move",
            ClusterEventKind::Resize => "resize",
            ClusterEventKind::Failure => "failure",
        },
        event_at: |millis| clock(millis / 1_000),
    },
    diagnoses: DiagnosisTexts {
        title: "Diagnoses",
        kind: |kind| match kind {
            DiagnosisKind::HotRow => "Hot row.",
            DiagnosisKind::SequentialWrites => "Sequential writes.",
            DiagnosisKind::HotPrefix => "Hot key range.",
            DiagnosisKind::ReadPressure => "High read pressure.",
            DiagnosisKind::WritePressure => "High write pressure.",
            DiagnosisKind::LargeRows => "Large rows.",
            DiagnosisKind::PeriodicLoad => "Periodic load.",
            DiagnosisKind::TooFewNodes => "Too few nodes.",
            DiagnosisKind::FailedNode => "A failed node.",
        },
        none: |busiest, target| {
            format!(
                "No hotspot. The busiest node is at {:.0}% CPU, and the target is {:.0}%.",
                busiest * 100.0,
                target * 100.0
            )
        },
        show: "Show in the heatmap",
        when: |second| format!("In the seconds before {}:", clock(second)),
        cluster_fix: |fix| match fix {
            ClusterFix::Nodes(nodes) => format!("Use {}", count(nodes.into(), "node", "nodes")),
            ClusterFix::Autoscale(range) => {
                format!(
                    "Autoscale from {} to {}",
                    range.nodes_min,
                    count(range.nodes_max.into(), "node", "nodes")
                )
            }
        },
    },
    formula: FormulaTexts {
        title: "A rule of thumb for a hot key",
        about: "p99 = T · r / (n − 1 + r), for r = traffic of the hottest key / traffic of the median key, \
                and n nodes. T and r start as in the talk, n with the nodes of the simulation.",
        t: "T (ms)",
        r: "r",
        n: "Nodes (n)",
        result: |millis| format!("p99 = {millis:.1} ms"),
        simulated: |nodes, p99| {
            let nodes = count(nodes.into(), "node", "nodes");
            match p99 {
                Some(micros) => {
                    let p99 = duration(micros);
                    format!(
                        "Simulated with {nodes}: p99 = {p99}, with the keys of the streams above, \
                         regardless of r."
                    )
                }
                None => format!("Simulated with {nodes}: no answers yet."),
            }
        },
        why: "The formula is a rule of thumb: latency grows linearly with the share of the hottest node. A \
              queue does not: it is short as long as the node keeps up, and grows without bound when it \
              does not.",
        simulate: "Simulate the talk's three situations",
        situations: "The talk's situations, by formula and simulated on this design",
        situations_of: |per_second| {
            format!(
                "Simulated with {} reads/s, 97% of them for the row of one event: enough to put its node at \
                 96%. The talk's examples read a larger row, at their own rate, so their figures differ \
                 from these.",
                thousands(per_second as u64)
            )
        },
        heads: ["Situation", "Formula p99", "Simulated p99", "Busiest node"],
        situation: |nodes, r| match r {
            1.0 => format!("{}, even traffic", count(nodes.into(), "node", "nodes")),
            r => format!("{}, a hot key with r = {r}", count(nodes.into(), "node", "nodes")),
        },
        millis: |millis| format!("{millis:.2} ms"),
        differ: |even, two, four| {
            let percent = |share: f64| format!("{:.0}%", share * 100.0);
            format!(
                "They differ because the talk chooses T, while the simulation measures: even traffic takes \
                 {}, of which 1 ms is the network. The node of the hot row then uses {} of its cores, and \
                 queueing makes it {}. With 4 nodes it is {} and {}: the formula uses the hot row's share \
                 of all requests, while a queue depends only on the load of its own node.",
                duration(even),
                percent(two.1),
                duration(two.0),
                percent(four.1),
                duration(four.0)
            )
        },
    },
    scaling: ScalingTexts {
        title: "Throughput against nodes",
        about: "Overload test on at least 256 pre-split tablets, which split no further: 10-row scans from \
                random events, and reads of the row of one event. Each line starts at what one node \
                answers. Rows with more cells or bytes take longer, so a hot row of the traffic above has a \
                different limit from the one read here.",
        measure: "Measure 1 to 32 nodes",
        progress: |done, of| format!("{done} of {of} measured"),
        nodes: "Nodes",
        even: "Any events",
        hot: "One hot row",
        per_second: |per_second| format!("{}/s", thousands(per_second)),
        times: |times| format!("{times:.1}×"),
    },
};
