//! The results of a load, next to the results of the simulation.

use std::collections::BTreeMap;

use serde::Serialize;
use tabletop_design::{SimulationReport, StreamReport};
use tabletop_keys::{rate, thousands};
use tabletop_views::markdown;
use tabletop_workspace::{Miss, Traffic, TrafficCost, TrafficLimits};

use super::WARM_UP;
use super::measured::StreamResult;
use super::open_loop::{RateChange, Run};
use super::rate::per_second;
use crate::commands::report::{Verdict, missed};
use crate::commands::run::{Grid, on_one_line};
use crate::commands::simulate::report::millis;
use crate::commands::{Failure, Result, counted};
use crate::overwritten::Overwritten;

/// If requests are sent more than this many microseconds after they are due, the client is too
/// slow.
const DELAY_MICROS_MAX: u64 = 20_000;

/// What a load was run on.
#[derive(Debug, Serialize)]
pub(super) struct About {
    pub workspace: String,
    pub design: String,
    /// The design's own table.
    pub target: String,
    pub events: usize,
    /// The events that later ones replace, by the names of the tables' designs.
    pub overwritten: BTreeMap<String, Overwritten>,
    /// The initial factor of the workspace's rates.
    pub factor: f64,
    /// Whether the user has stopped it.
    pub is_stopped: bool,
}

/// The simulation of the same traffic.
#[derive(Debug, Serialize)]
pub(super) struct Comparison {
    /// The initial number of nodes.
    pub nodes: u32,
    #[serde(flatten)]
    pub report: SimulationReport,
}

/// The results of a load.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    #[serde(flatten)]
    about: About,
    seconds: f64,
    /// Requests per second of all streams at the beginning, ignoring their schedules.
    per_second: f64,
    /// Requests per second of the workspace, ignoring the schedules of its streams.
    #[serde(skip)]
    base_per_second: f64,
    rates: Vec<RateChange>,
    warm_up: Option<StreamResult>,
    streams: Vec<StreamResult>,
    all: StreamResult,
    /// 99 of 100 requests were sent within this many microseconds after they were due.
    delay_micros_p99: Option<u64>,
    simulation: Option<Comparison>,
    #[serde(skip)]
    limits: TrafficLimits,
    /// The limits that are violated.
    misses: Vec<Miss>,
}

impl Report {
    pub fn new(
        about: About,
        base: &Traffic,
        warm_up: Option<&Run>,
        ran: &Run,
        simulation: Option<Comparison>,
    ) -> Report {
        let all = ran.measured.all();
        // A real instance reports nothing about its nodes.
        let cost = TrafficCost {
            latency_micros_p99: all.latency_micros_p99.unwrap_or(if all.due > 0 {
                (ran.seconds * 1e6) as u64
            } else {
                0
            }),
            requests_expired: all.expired(),
            cpu_hottest_node: 0.0,
            hottest_tablet_share: 0.0,
        };
        Report {
            seconds: ran.seconds,
            per_second: per_second(base) * about.factor,
            base_per_second: per_second(base),
            rates: ran.rates.clone(),
            warm_up: warm_up.map(|run| StreamResult { name: WARM_UP.into(), ..run.measured.all() }),
            streams: ran.measured.streams(),
            delay_micros_p99: ran.measured.delay_micros_p99(),
            simulation,
            misses: base.limits.misses(&cost),
            limits: base.limits.clone(),
            all,
            about,
        }
    }

    /// Returns the failure that determines the exit code.
    pub fn verdict(&self) -> Result<()> {
        if self.about.is_stopped {
            return Err(Failure::Stopped);
        }
        if self.all.due > 0 && self.all.answered == 0 {
            return Err(Failure::No("no request was answered".into()));
        }
        missed(self.misses.len())
    }

    /// Formats the report for a terminal, with styles.
    pub fn text(&self) -> String {
        format!("{}\n\n{}\n{}", self.headline(), self.grid().text(), self.lines().text())
    }

    /// Formats the report as Markdown.
    pub fn markdown(&self) -> String {
        let (headline, lines) = (markdown::text(&self.headline()), self.lines().markdown());
        format!("## {headline}\n\n{}\n{lines}", self.grid().markdown())
    }

    fn lines(&self) -> Verdict {
        let success = if self.limits.is_empty() {
            "The traffic has no limits."
        } else {
            "All limits that can be measured are met."
        };
        let failures = self.misses.iter().map(Miss::text).collect();
        Verdict { remarks: self.remarks(), failures, success }
    }

    fn headline(&self) -> String {
        let About { workspace, design, target, .. } = &self.about;
        let text = format!(
            "{workspace}, {design}: {} requests per second for {:.1} s on {target}",
            rate(self.per_second),
            self.seconds
        );
        on_one_line(&text)
    }

    fn grid(&self) -> Grid {
        let head = vec![
            "STREAM", "WHERE", "DUE", "SENT", "ANSWERED", "ERRORS", "LATE", "REFUSED", "P50", "P95", "P99",
            "MAX",
        ];
        let mut grid = Grid::new(head, 2);
        self.warm_up.iter().for_each(|warm_up| grid.push(line(warm_up)));
        let simulated = self.simulation.as_ref().map(|simulation| {
            let title = format!("simulation, {}", counted(simulation.nodes.into(), "node", "nodes"));
            (title, simulation.report.streams.iter().chain([&simulation.report.all]).collect::<Vec<_>>())
        });
        for (at, stream) in self.streams.iter().chain([&self.all]).enumerate() {
            grid.push(line(stream));
            if let Some((title, reports)) = &simulated {
                grid.push(simulated_line(title, reports[at]));
            }
        }
        grid
    }

    fn remarks(&self) -> Vec<String> {
        let overwritten = self.about.overwritten.iter();
        let mut remarks: Vec<String> =
            overwritten.map(|(design, overwritten)| format!("{design}: {}", overwritten.text())).collect();
        for stream in self.warm_up.iter().chain(&self.streams) {
            for (code, count) in &stream.errors {
                remarks.push(format!("{}: {} {code}", stream.name, counted(*count, "error", "errors")));
            }
            remarks.extend(
                stream.first_error.as_ref().map(|error| format!("{}: the first error: {error}", stream.name)),
            );
        }
        for RateChange { at_seconds, factor } in &self.rates {
            let asked = rate(self.base_per_second * factor);
            remarks.push(format!(
                "After {at_seconds:.1} s: {asked} requests per second, {factor:.2} times the workspace's."
            ));
        }
        if let Some(delay) = self.delay_micros_p99.filter(|delay| *delay > DELAY_MICROS_MAX) {
            remarks.push(format!(
                "1 of 100 requests was sent {} or more after it was due, because all places of --parallel were taken or this machine is \
                 too slow; its latency includes the delay.",
                millis(Some(delay))
            ));
        }
        if let Some(simulation) = &self.simulation {
            if simulation.report.executed_every > 1 {
                let every = thousands(simulation.report.executed_every.into());
                remarks.push(format!(
                    "Simulation: 1 in {every} requests is executed; the rest are assumed to cost the same."
                ));
            }
            remarks.extend(
                simulation
                    .report
                    .refusal
                    .as_ref()
                    .map(|error| format!("Simulation: requests were rejected: {}", error.message)),
            );
        }
        if self.limits.cpu_hottest_node_max.is_some() || self.limits.hottest_tablet_share_max.is_some() {
            remarks.push(
                "A real instance does not report how busy its nodes and tablets are: use tabletop simulate to check these limits."
                    .into(),
            );
        }
        remarks.iter().map(|remark| on_one_line(remark)).collect()
    }
}

fn line(stream: &StreamResult) -> Vec<String> {
    vec![
        stream.name.clone(),
        "real".into(),
        thousands(stream.due),
        thousands(stream.sent),
        thousands(stream.answered),
        thousands(stream.failed()),
        thousands(stream.late),
        thousands(stream.refused),
        millis(stream.latency_micros_p50),
        millis(stream.latency_micros_p95),
        millis(stream.latency_micros_p99),
        millis((stream.answered > 0).then_some(stream.latency_micros_max)),
    ]
}

/// In a simulation a request can fail only by missing its deadline, which makes it late.
fn simulated_line(title: &str, stream: &StreamReport) -> Vec<String> {
    vec![
        stream.name.clone(),
        title.into(),
        thousands(stream.arrived),
        thousands(stream.arrived - stream.refused),
        thousands(stream.answered),
        "-".into(),
        thousands(stream.expired),
        thousands(stream.refused),
        millis(stream.latency_micros_p50),
        millis(stream.latency_micros_p95),
        millis(stream.latency_micros_p99),
        millis((stream.answered > 0).then_some(stream.latency_micros_max)),
    ]
}
