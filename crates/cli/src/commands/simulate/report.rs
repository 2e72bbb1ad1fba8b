//! The report of the simulations.

use std::fmt::Write;

use serde::Serialize;
use tabletop_advice::DiagnosisKind;
use tabletop_design::SimulationReport;
use tabletop_keys::{rate, thousands};
use tabletop_protocol::Spell;
use tabletop_texts::messages;
use tabletop_views::markdown;
use tabletop_workspace::{Miss, Traffic, Workspace};

use crate::commands::report::{Verdict, list, missed};
use crate::commands::run::{Grid, Loaded, on_one_line};
use crate::commands::{Result, counted};

/// A problem that a simulation showed for some time.
#[derive(Debug, Serialize)]
pub(super) struct Found {
    /// The name of the diagnosis, as in `--fail-on`.
    pub kind: &'static str,
    /// Whether answers or latency were affected.
    pub is_serious: bool,
    /// The first moment at which it was found, in seconds.
    pub from_seconds: u32,
    /// The last one.
    pub until_seconds: u32,
    /// What was wrong, with its figures.
    pub text: String,
    /// What to do about it.
    pub advice: String,
    /// Whether the run fails because of it.
    pub is_failure: bool,
}

impl Found {
    pub fn new(spell: &Spell, is_failure: bool) -> Found {
        let (diagnosis, says) = (&spell.diagnosis, messages().advice);
        let name = DiagnosisKind::NAMES.iter().find(|(_, kind)| *kind == spell.kind());
        Found {
            kind: name.map_or("", |(name, _)| name),
            is_serious: diagnosis.is_serious,
            from_seconds: spell.from,
            until_seconds: spell.until,
            text: format!("{} {}", (says.diagnosis)(diagnosis), (says.diagnosis_evidence)(diagnosis)),
            advice: (says.diagnosis_advice)(diagnosis),
            is_failure,
        }
    }

    fn when(&self) -> String {
        (messages().traffic.diagnoses.spell)(self.from_seconds, self.until_seconds)
    }
}

/// One design with a number of nodes.
#[derive(Debug, Serialize)]
pub(super) struct Run {
    pub design: String,
    /// The initial number of nodes.
    pub nodes: u32,
    /// Requests that were waiting or in service at the end.
    pub waiting: u64,
    #[serde(flatten)]
    pub report: SimulationReport,
    /// The problems of all moments, by the time at which they began.
    pub diagnoses: Vec<Found>,
    /// Node and tablet events, if they were requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub timeline: Vec<String>,
    /// The limits that are violated.
    pub misses: Vec<Miss>,
}

/// All simulations of a workspace.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    workspace: String,
    source: String,
    events: usize,
    seconds: u32,
    /// Requests per second of all streams, ignoring their schedules.
    per_second: f64,
    is_limited: bool,
    runs: Vec<Run>,
}

impl Report {
    pub fn new(workspace: &Workspace, loaded: &Loaded, traffic: &Traffic, runs: Vec<Run>) -> Report {
        Report {
            workspace: workspace.name.clone(),
            source: loaded.source.clone(),
            events: loaded.events.len(),
            seconds: traffic.run.seconds,
            per_second: traffic.streams.iter().map(|stream| stream.per_second).sum(),
            is_limited: !traffic.limits.is_empty(),
            runs,
        }
    }

    /// Returns the failure that determines the exit code.
    pub fn verdict(&self) -> Result<()> {
        let failures =
            |run: &Run| run.misses.len() + run.diagnoses.iter().filter(|found| found.is_failure).count();
        missed(self.runs.iter().map(failures).sum())
    }

    /// Formats the report for a terminal, with styles.
    pub fn text(&self) -> String {
        let mut out =
            format!("{}\n\n{}\n{}", self.headline(), self.runs_grid().text(), self.streams_grid().text());
        for run in self.runs.iter().filter(|run| !run.timeline.is_empty()) {
            writeln!(out, "\n{}:", on_one_line(&run.title())).expect("writing to a string cannot fail");
            for line in &run.timeline {
                writeln!(out, "  {}", on_one_line(line)).expect("writing to a string cannot fail");
            }
        }
        for run in self.runs.iter().filter(|run| !run.diagnoses.is_empty()) {
            writeln!(out, "\n{}:", on_one_line(&run.title())).expect("writing to a string cannot fail");
            for found in &run.diagnoses {
                let (when, kind) = (found.when(), found.kind);
                writeln!(out, "  {when} {kind}: {}", on_one_line(&found.text))
                    .expect("writing to a string cannot fail");
                writeln!(out, "    {}", on_one_line(&found.advice)).expect("writing to a string cannot fail");
            }
        }
        out + "\n" + &self.lines().text()
    }

    /// Formats the report as Markdown.
    pub fn markdown(&self) -> String {
        let (runs, streams) = (self.runs_grid().markdown(), self.streams_grid().markdown());
        let headline = markdown::text(&self.headline());
        let diagnoses = self.diagnoses();
        format!("## {headline}\n\n{runs}\n{streams}\n{}{}", list(&diagnoses), self.lines().markdown())
    }

    fn lines(&self) -> Verdict {
        let success = if self.is_limited { "All limits are met." } else { "The traffic has no limits." };
        Verdict { remarks: self.remarks(), failures: self.misses(), success }
    }

    fn headline(&self) -> String {
        let time = match (self.seconds / 60, self.seconds % 60) {
            (minutes, 0) => counted(minutes.into(), "minute", "minutes"),
            _ => counted(self.seconds.into(), "second", "seconds"),
        };
        let events = counted(self.events as u64, "event", "events");
        format!(
            "{}: {} requests per second for {time}, on {events}",
            on_one_line(&self.workspace),
            rate(self.per_second)
        )
    }

    fn runs_grid(&self) -> Grid {
        let head = vec![
            "DESIGN",
            "NODES",
            "SENT/S",
            "ANSWERED/S",
            "P50",
            "P99",
            "MAX",
            "EXPIRED",
            "CPU",
            "HOTTEST NODE",
            "HOTTEST TABLET",
            "TABLETS",
            "MOVES",
        ];
        let mut grid = Grid::new(head, 1);
        for run in &self.runs {
            let (report, all) = (&run.report, &run.report.all);
            let per_second = |count: u64| rate(count as f64 / report.seconds.max(1) as f64);
            grid.push(vec![
                run.design.clone(),
                run.nodes.to_string(),
                per_second(all.arrived),
                per_second(all.answered),
                millis(all.latency_micros_p50),
                millis(all.latency_micros_p99),
                millis((all.answered > 0).then_some(all.latency_micros_max)),
                thousands(all.expired),
                percent(report.cpu_mean),
                percent(report.cpu_hottest_node),
                percent(report.hottest_tablet_share),
                thousands(report.tablets),
                thousands(report.moves),
            ]);
        }
        grid
    }

    fn streams_grid(&self) -> Grid {
        let head = vec![
            "DESIGN", "STREAM", "NODES", "SENT", "ANSWERED", "EXPIRED", "REFUSED", "P50", "P95", "P99", "MAX",
        ];
        let mut grid = Grid::new(head, 2);
        for run in &self.runs {
            for stream in &run.report.streams {
                grid.push(vec![
                    run.design.clone(),
                    stream.name.clone(),
                    run.nodes.to_string(),
                    thousands(stream.arrived),
                    thousands(stream.answered),
                    thousands(stream.expired),
                    thousands(stream.refused),
                    millis(stream.latency_micros_p50),
                    millis(stream.latency_micros_p95),
                    millis(stream.latency_micros_p99),
                    millis((stream.answered > 0).then_some(stream.latency_micros_max)),
                ]);
            }
        }
        grid
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if let Some(every) = self.runs.iter().map(|run| run.report.executed_every).find(|every| *every > 1) {
            remarks.push(format!(
                "1 in {} requests is executed; the rest are assumed to cost the same.",
                thousands(every.into())
            ));
        }
        for run in &self.runs {
            if run.waiting > run.report.all.arrived / 100 {
                let waiting = counted(run.waiting, "request waits", "requests wait");
                remarks.push(format!(
                    "{}: {waiting} at the end; the nodes cannot keep up.",
                    on_one_line(&run.title())
                ));
            }
            if let Some(error) = &run.report.refusal {
                remarks.push(format!(
                    "{}: requests were rejected: {}",
                    on_one_line(&run.title()),
                    on_one_line(&error.message)
                ));
            }
        }
        remarks
    }

    /// Returns a line for each diagnosis of each run.
    fn diagnoses(&self) -> Vec<String> {
        let of_run = |run: &'_ Run| -> Vec<String> {
            let title = on_one_line(&run.title());
            let line = |found: &Found| {
                let (when, kind, text, advice) = (found.when(), found.kind, &found.text, &found.advice);
                on_one_line(&format!("{title}, {when}, {kind}: {text} {advice}"))
            };
            run.diagnoses.iter().map(line).collect()
        };
        self.runs.iter().flat_map(of_run).collect()
    }

    fn misses(&self) -> Vec<String> {
        let of_run = |run: &'_ Run| -> Vec<String> {
            let title = on_one_line(&run.title());
            let limits = run.misses.iter().map(|miss| format!("{title}: {}", miss.text()));
            let found = run.diagnoses.iter().filter(|found| found.is_failure);
            limits.chain(found.map(|found| format!("{title}: {}, {}", found.kind, found.when()))).collect()
        };
        self.runs.iter().flat_map(of_run).collect()
    }
}

impl Run {
    fn title(&self) -> String {
        format!("{}, {}", self.design, counted(self.nodes.into(), "node", "nodes"))
    }
}

/// Microseconds as milliseconds with three digits.
pub(crate) fn millis(micros: Option<u64>) -> String {
    match micros {
        None => "-".into(),
        Some(micros) if micros < 9_995 => format!("{:.2} ms", micros as f64 / 1e3),
        Some(micros) if micros < 99_950 => format!("{:.1} ms", micros as f64 / 1e3),
        Some(micros) => format!("{} ms", thousands((micros + 500) / 1_000)),
    }
}

fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}
