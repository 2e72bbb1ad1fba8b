//! Traffic on a design.

use alloc::format;
use alloc::string::{String, ToString};

use tabletop_advice::DiagnosisKind;
use tabletop_protocol::{ClusterEvent, ClusterEventCause, ClusterEventKind, LogKeys};
use tabletop_workspace::{ChangeKind, ClusterFix, ReplayOperation};

use super::numbers::{count, duration, thousands};

fn happened(cause: &ClusterEventCause) -> String {
    let percent = |share: f64| libm::round(share * 100.0);
    match cause {
        ClusterEventCause::Moved { start, end, from, to, share } => {
            let end = if end.is_empty() { "end".into() } else { end.to_string() };
            format!("tablet [{start}, {end}) from node {from} to {to}, {}% of {from}'s work", percent(*share))
        }
        ClusterEventCause::Split { at_key } => format!("split at {at_key}"),
        ClusterEventCause::Merged { at_key } => format!("merged at {at_key}"),
        ClusterEventCause::Added { node } => format!("node {node} added"),
        ClusterEventCause::Removed { node } => format!("node {node} removed"),
        ClusterEventCause::Failed { node } => format!("node {node} failed"),
        ClusterEventCause::Replaced { node } => format!("node {node} replaces a failed one"),
        ClusterEventCause::Resized { from, to, cpu } => {
            format!("autoscaler: {from} to {to} nodes at {}% CPU", percent(*cpu))
        }
    }
}

/// Writes seconds as `1:05`.
fn clock(seconds: u32) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

texts!(Traffic {
    title: "Traffic",
    /// The peak in requests per second, nodes, seconds.
    summary: |peak: f64, is_constant: bool, nodes: u32, seconds: u32| {
        let up_to = if is_constant { "" } else { "up to " };
        let nodes = count(nodes.into(), "node", "nodes");
        format!("{up_to}{} requests/s on {nodes} for {}", thousands(peak as u64), clock(seconds))
    },
    waits: "Writing all events to the table…",
    waits_about: "Traffic starts where they end, on copies of the design's tables with the same tablets.",
    computing: |seconds: u32, of: u32| format!("simulated {} of {}", clock(seconds), clock(of)),
    executed: |every: u32| match every {
        0 | 1 => "every request is executed".into(),
        every => format!(
            "1 in {} requests is executed; the rest are assumed to cost the same",
            thousands(every.into())
        ),
    },
    refused: |reason: &str| format!("Some requests are refused: {reason}"),
    /// A log whose keys were converted, or do not all have the stated form.
    log_keys: |keys: LogKeys| {
        let (unread, all) =
            (thousands(keys.unread.into()), count(keys.requests.into(), "request", "requests"));
        match keys {
            LogKeys { unread: 0, .. } => format!("The log's {all}, with the row keys of this design."),
            LogKeys { is_converted: true, .. } => format!(
                "The log's requests, with the row keys of this design: {unread} of {all} left out, because their \
                 keys do not have the stated form."
            ),
            LogKeys { .. } => format!(
                "The keys of {unread} of {all} in the log do not have the stated form. They are replayed as they \
                 are; to compare designs, 95% must have the form."
            ),
        }
    },
    compare_with: "Compare with",
    alone: "Nothing",
    without_load_test: "Without the load test",
    wrong: "Fix the traffic",
    /// The editor of the streams.
    streams: StreamTexts {
        title: "Streams",
        preset: "Presets",
        add: "Add stream",
        name: "Name",
        new_name: |number: usize| format!("Stream {number}"),
        no_name: "A stream needs a name.",
        name_taken: "Another stream has this name.",
        remove: |name: &str| format!("Remove stream {name}"),
        of: |name: &str| format!("Stream {name}"),
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
        replay: |operation: ReplayOperation, requests: usize| {
            format!("Replay {}: {}", operation.name(), count(requests as u64, "request", "requests"))
        },
        trace: "Replay a trace…",
        trace_about: "A CSV file with the columns time, operation (read, write, scan, rmw, delete) and key: \
                      your own service's requests, at their original times.",
        trace_too_large: "the page reads traces up to 32 MB: use part of it, or replay all with `tabletop \
                          simulate --trace`",
        trace_refused: |reason: &str| format!("The trace cannot be replayed: {reason}"),
        /// Requests of the trace and those that are replayed, the length of the run, and the speed.
        trace_read: |requests: u32, replayed: u32, seconds: u32, speed: f64| {
            let all = count(requests.into(), "request", "requests");
            let what = if replayed == requests {
                format!("Replays {all} of {} from the trace.", clock(seconds))
            } else {
                format!(
                    "Replays {} of {all}, evenly over {}: the workspace stores no more. Each stands for {}.",
                    thousands(replayed.into()),
                    clock(seconds),
                    thousands(requests.div_ceil(replayed.max(1)).into())
                )
            };
            if speed > 1.0 {
                format!("{what} A run has at most a day, so it is {speed}× as fast.")
            } else {
                what
            }
        },
        /// How a trace is replayed.
        one_of: "The log has 1 of … requests",
        one_of_about: "The form is a template. With it, other designs get the same requests with their own \
                       row keys. A log is often a sample: its rates are multiplied.",
        log_form: "Form of its row keys",
        replay_speed: "Times as fast",
        trace_replaced: |streams: usize| match streams {
            1 => "It replaces the stream that was here; Undo restores it.".into(),
            _ => format!(
                "It replaces the {} that were here; Undo restores them.",
                count(streams as u64, "stream", "streams")
            ),
        },
        trace_problems: |problems: usize| {
            format!("{} left out", count(problems as u64, "line is", "lines are"))
        },
        trace_problem: |line: u64, reason: &str| format!("Line {}: {reason}", thousands(line)),
        pattern: |name: &str| format!("Pattern: {name}"),
        rows: "Rows",
        as_events: "Any event",
        uniform: |field: &str| format!("Uniform over {field}"),
        zipf: "Popular events (Zipf)",
        zipf_of: |field: &str| format!("Popular {field} (Zipf)"),
        latest: "The latest events",
        sequential: "Events in order",
        hot: "One hot event",
        hot_of: |field: &str| format!("One hot {field}"),
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
        lasting: "Duration (s)",
        period: "Period (s)",
        peak: "Peak at (s)",
        low: "Lowest (%)",
    },
    /// The settings of the cluster.
    cluster: ClusterTexts {
        title: "Cluster",
        nodes: "Nodes",
        seconds: "Seconds",
        storage: "Storage",
        ssd: "SSD",
        hdd: "HDD",
        cache_hits: "Cache hits (%)",
        autoscale: "Autoscaling",
        autoscale_off: "Off",
        autoscale_to: |min: u32, max: u32| format!("{min} to {}", count(max.into(), "node", "nodes")),
        load_test: "Load test before the peak",
        load_test_about: "Random reads of all rows warm up the cluster: tablets split and spread over the \
                          nodes before the peak.",
        load_test_rate: "Reads per second",
        load_test_from: "From (s)",
        load_test_for: "Duration (s)",
        changes: "Changes during the run",
        change: |at: u32, what: &ChangeKind| {
            let what = match what {
                ChangeKind::Nodes(nodes) => format!("resize to {}", count((*nodes).into(), "node", "nodes")),
                ChangeKind::Fail(node) => format!("node {node} fails"),
                ChangeKind::Move { row, to } if row.is_empty() => format!("first tablet to node {to}"),
                ChangeKind::Move { row, to } => format!("tablet of {row} to node {to}"),
            };
            format!("{} {what}", clock(at))
        },
        remove_change: |what: &str| format!("Remove: {what}"),
        thresholds: "Google does not publish when tablets split and move; these thresholds are Tabletop's. \
                     Rates per node are Google's: 17,000 point reads or 14,000 writes per second of 1 kB \
                     rows, or 220 MB/s of scans (SSD), if no block is in the cache. Rows with more cells or bytes take \
                     longer, and cache hits take less.",
        thresholds_title: "Thresholds (Tabletop's)",
        cpu_target: "CPU target (%)",
        difference: "Load difference to move tablets (%)",
        moved: "Tablets moved per minute (%)",
    },
    /// The nodes at the moment.
    nodes: NodeTexts {
        title: "Nodes",
        node: |letter: &str| format!("Node {letter}"),
        cpu: |percent: u32| format!("{percent}% CPU"),
        queue: |queue: u32| match queue {
            0 => "no queue".into(),
            queue => format!("queue {}", thousands(queue.into())),
        },
        tablets: |tablets: u32| count(tablets.into(), "tablet", "tablets"),
        fail: |letter: &str| format!("Fail node {letter} now"),
        fail_short: "Fail",
        add: "Add a node now",
        remove: "Remove a node now",
        tablet: |start: &str| {
            if start.is_empty() { "first tablet".into() } else { format!("tablet from {start}") }
        },
        more: |more: usize| format!("and {more} more"),
        fewer: "Show fewer",
        move_to: |start: &str| format!("Move tablet from {start} to"),
        move_here: |letter: &str| format!("to {letter}"),
        about: "Drag a tablet to another node, or select it and choose the node.",
        /// Why nothing can be changed.
        over: "The simulated time ends here, so changing nodes has no effect. Go to an earlier second.",
        /// What the autoscaler waits for: the number of nodes, its minimum and maximum, the share of
        /// their cores that all nodes have used over a minute, the target, and the share that the
        /// busiest node uses now.
        scaler: |nodes: u32, range: (u32, u32), cpu: f64, target: f64, busiest: f64| {
            let (min, max) = range;
            let needed = libm::ceil(f64::from(nodes) * cpu / target - 1e-9) as u32;
            let waits = if needed > nodes && nodes >= max {
                format!("is at its maximum of {}", count(max.into(), "node", "nodes"))
            } else if needed > nodes {
                "adds nodes within 10 s; they are idle until tablets move to them, which takes about 20 minutes"
                    .into()
            } else if needed < nodes && nodes > min {
                "removes nodes once fewer have been enough for 10 minutes".into()
            } else if needed < nodes {
                format!("is at its minimum of {}", count(min.into(), "node", "nodes"))
            } else if busiest > target {
                "adds no node although one is busier than the target, because the mean of all nodes counts, \
                 including those that are idle until tablets move to them"
                    .into()
            } else {
                format!("keeps {}", count(nodes.into(), "node", "nodes"))
            };
            format!(
                "Autoscaling {waits}. Mean CPU of the last minute: {:.0}%, target: {:.0}%.",
                cpu * 100.0,
                target * 100.0
            )
        },
        one_tablet: |letter: &str| format!("One tablet on node {letter} does nearly all the work."),
    },
    /// The curves.
    charts: ChartTexts {
        latency: "Latency",
        throughput: "Requests per second",
        p50: "p50",
        p95: "p95",
        p99: "p99",
        max: "maximum",
        /// The choice of the stream that the curves show.
        of: "Curves of",
        arrived: "arrived",
        answered: "answered",
        expired: "deadline passed",
        up_to_latency: |micros: u64| duration(micros),
        /// The label of a logarithmic scale.
        up_to_latency_log: |micros: u64| format!("1 ms to {}, logarithmic", duration(micros)),
        up_to_rate: |per_second: u64| format!("{}/s", thousands(per_second)),
        totals: "All requests so far",
        totals_until: |second: u32| format!("All requests until {}", clock(second)),
        stream: "Stream",
        all: "All streams",
        refused: "Refused",
        micros: |micros: u64| if micros == 0 { "–".into() } else { duration(micros) },
    },
    /// The clock.
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
        at: |seconds: u32, of: u32| format!("{} of {}", clock(seconds), clock(of)),
        speed: "Speed",
        times: |times: u32| format!("{times}×"),
        events: |events: usize| count(events as u64, "cluster event", "cluster events"),
        no_events: "No tablet has split or moved yet.",
        event: |kind: ClusterEventKind| -> &'static str {
            match kind {
                ClusterEventKind::Split => "split",
                ClusterEventKind::Merge => "merge",
                ClusterEventKind::Move => "move",
                ClusterEventKind::Resize => "resize",
                ClusterEventKind::Failure => "failure",
            }
        },
        event_at: |millis: u32| clock(millis / 1_000),
        /// An event without its time: `tablet [m, q) from node B to D, 34% of B's work`.
        happened: |event: &ClusterEvent| {
            let what = happened(&event.cause);
            event.table.as_ref().map_or(what.clone(), |table| format!("{table}: {what}"))
        },
    },
    /// What is wrong.
    diagnoses: DiagnosisTexts {
        title: "Diagnoses",
        kind: |kind: DiagnosisKind| -> &'static str {
            match kind {
                DiagnosisKind::HotRow => "Hot row.",
                DiagnosisKind::SequentialWrites => "Sequential writes.",
                DiagnosisKind::HotPrefix => "Hot key range.",
                DiagnosisKind::SequentialPrefix => "Sequential writes under a prefix.",
                DiagnosisKind::ReadPressure => "High read pressure.",
                DiagnosisKind::WritePressure => "High write pressure.",
                DiagnosisKind::LargeRows => "Large rows.",
                DiagnosisKind::PeriodicLoad => "Periodic load.",
                DiagnosisKind::TooFewNodes => "Too few nodes.",
                DiagnosisKind::Unbalanced => "Unbalanced.",
                DiagnosisKind::FailedNode => "A failed node.",
            }
        },
        /// No diagnosis. The shares of their cores that the busiest node uses, and that nodes should
        /// use.
        none: |busiest: f32, target: f64| {
            format!(
                "No hotspot at this load. The busiest node is at {:.0}% CPU, and the target is {:.0}%.",
                busiest * 100.0,
                target * 100.0
            )
        },
        /// No diagnosis, but the busiest node uses more of its cores than nodes should.
        above_target: |busiest: f32, target: f64| {
            format!(
                "The busiest node is at {:.0}% CPU, above the target of {:.0}%.",
                busiest * 100.0,
                target * 100.0
            )
        },
        /// The time of a problem.
        spell: |from: u32, until: u32| {
            if from == until { clock(from) } else { format!("{} to {}", clock(from), clock(until)) }
        },
        spells: "Over the whole run",
        /// A failed node: the most requests that waited at one time, and those whose deadline has
        /// passed.
        failed_spell: |waiting: u64, expired: u64| {
            format!(
                "Up to {} waited, and {} passed their deadline.",
                count(waiting, "request", "requests"),
                thousands(expired)
            )
        },
        /// The run has just begun.
        early: |seconds: u32| format!("Not judged yet: the first {seconds} seconds show too little."),
        /// The nodes cannot keep up, and the cause is not known yet: the load of the busiest one,
        /// requests that have expired in this second, and requests that wait.
        strained: |busiest: f32, expired: u32, waiting: u64| {
            format!(
                "The busiest node is at {:.0}% CPU; {} wait, and {}/s pass their deadline.",
                busiest * 100.0,
                count(waiting, "request", "requests"),
                thousands(expired.into())
            )
        },
        show: "Show in the heatmap",
        /// The last second of those that were judged.
        when: |second: u32| format!("In the seconds before {}:", clock(second)),
        cluster_fix: |fix: ClusterFix| match fix {
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
    /// The calculator for the p99 with a hot key.
    formula: FormulaTexts {
        title: "A rule of thumb for a hot key",
        about: "p99 = T · r / (n − 1 + r), where T is the p99 with one node, r the traffic of the hottest \
                key / traffic of the median key, and n the number of nodes.",
        t: "T (ms)",
        r: "r",
        n: "Nodes (n)",
        result: |millis: f64| format!("p99 = {millis:.1} ms"),
        simulated: |nodes: u32, p99: Option<u64>| {
            let nodes = count(nodes.into(), "node", "nodes");
            match p99 {
                Some(micros) => {
                    let p99 = duration(micros);
                    format!(
                        "Simulated with {nodes}: p99 = {p99}, with the keys of the streams, \
                         regardless of r."
                    )
                }
                None => format!("Simulated with {nodes}: no answers yet."),
            }
        },
        why: "The formula is a rule of thumb: latency grows linearly with the share of the hottest node. A \
              queue does not: it is short as long as the node keeps up, and grows without bound when it \
              does not.",
        simulate: "Simulate three situations",
        situations: "Three situations, by formula and simulated on this design",
        /// What is simulated.
        situations_of: |per_second: f64| {
            format!(
                "Simulated with {} reads/s. With a hot key, the share r / (1 + r) of them, 97%, is for the \
                 row of one event. The examples with a hot key read a larger row, at their own rate, so \
                 their figures differ.",
                thousands(per_second as u64)
            )
        },
        heads: ["Situation", "Formula p99", "Simulated p99", "Busiest node"],
        situation: |nodes: u32, r: f64| match r {
            1.0 => format!("{}, even traffic", count(nodes.into(), "node", "nodes")),
            r => format!("{}, a hot key with r = {r}", count(nodes.into(), "node", "nodes")),
        },
        millis: |millis: f64| format!("{millis:.2} ms"),
        /// Why formula and simulation differ: the 99th percentile of even traffic in microseconds, and
        /// for each of the others also the share of its cores that the busiest node used.
        differ: |even: u64, two: (u64, f64), four: (u64, f64)| {
            let percent = |share: f64| format!("{:.0}%", share * 100.0);
            format!(
                "They differ because T is assumed, while the simulation measures: even traffic takes {}, of \
                 which 1 ms is the network. The node of the hot row then uses {} of its cores, and queueing \
                 makes it {}. With 4 nodes it is {} and {}: the formula uses the hot row's share of all \
                 requests, while a queue depends only on the load of its own node.",
                duration(even),
                percent(two.1),
                duration(two.0),
                percent(four.1),
                duration(four.0)
            )
        },
    },
    /// Throughput against nodes.
    scaling: ScalingTexts {
        title: "Throughput against nodes",
        about: "Overload test on at least 256 pre-split tablets, which split no further: 10-row scans from \
                random events, and reads of the row of one event. Each line starts at what one node \
                answers. Rows with more cells or bytes take longer, so a hot row of the traffic above has a \
                different limit from the one read here.",
        measure: "Measure 1 to 32 nodes",
        progress: |done: usize, of: usize| format!("{done} of {of} measured"),
        nodes: "Nodes",
        even: "Any events",
        hot: "One hot row",
        per_second: |per_second: u64| format!("{}/s", thousands(per_second)),
        times: |times: f64| format!("{times:.1}×"),
    },
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_name_tablets_and_nodes() {
        let said = |table: Option<&str>, cause| {
            let event = ClusterEvent { at_millis: 0, table: table.map(Into::into), cause };
            (Traffic::ENGLISH.player.happened)(&event)
        };
        let moved = |end: &str| ClusterEventCause::Moved {
            start: "m".into(),
            end: end.into(),
            from: "B".into(),
            to: "D".into(),
            share: 0.336,
        };
        assert_eq!(said(None, moved("q")), "tablet [m, q) from node B to D, 34% of B's work");
        assert_eq!(
            said(Some("by app"), moved("")),
            "by app: tablet [m, end) from node B to D, 34% of B's work"
        );
        assert_eq!(said(None, ClusterEventCause::Split { at_key: "m".into() }), "split at m");
        assert_eq!(said(None, ClusterEventCause::Merged { at_key: "m".into() }), "merged at m");
        let node = || String::from("E");
        assert_eq!(said(None, ClusterEventCause::Added { node: node() }), "node E added");
        assert_eq!(said(None, ClusterEventCause::Removed { node: node() }), "node E removed");
        assert_eq!(said(None, ClusterEventCause::Failed { node: node() }), "node E failed");
        assert_eq!(said(None, ClusterEventCause::Replaced { node: node() }), "node E replaces a failed one");
        let resized = ClusterEventCause::Resized { from: 3, to: 5, cpu: 0.8 };
        assert_eq!(said(None, resized), "autoscaler: 3 to 5 nodes at 80% CPU");
    }

    #[test]
    fn the_autoscaler_says_what_it_waits_for() {
        let said = |nodes, cpu, busiest| {
            let says = Traffic::ENGLISH.nodes.scaler;
            let text = says(nodes, (2, 4), cpu, 0.6, busiest);
            text.split('.').next().unwrap_or_default().to_string()
        };
        assert_eq!(said(4, 0.9, 1.0), "Autoscaling is at its maximum of 4 nodes");
        assert!(said(3, 0.9, 1.0).starts_with("Autoscaling adds nodes within 10 s"));
        assert!(said(3, 0.55, 1.0).contains("adds no node although one is busier"));
        assert_eq!(said(3, 0.55, 0.58), "Autoscaling keeps 3 nodes");
        assert_eq!(said(2, 0.1, 0.1), "Autoscaling is at its minimum of 2 nodes");
        assert!(said(3, 0.1, 0.1).contains("removes nodes once"));
    }
}
