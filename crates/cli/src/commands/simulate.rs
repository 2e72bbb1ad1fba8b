//! `tabletop simulate`: simulates the traffic of a workspace on its designs, with different numbers
//! of nodes, in virtual time.

mod action;
mod heatmap;
pub(crate) mod report;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use tabletop_advice::{DiagnosisKind, SUGGEST_EVENTS, first_traffic};
use tabletop_design::{DesignTable, Setting, SimulationRun, Supply, form_of_log};
use tabletop_keys::{Field, Template};
use tabletop_protocol::{ClusterEvent, HeatMetric, LogKeys, SimulationHave, spells};
use tabletop_texts::messages;
use tabletop_workload::{Events, Population, TRACE_PROBLEMS_MAX, Trace};
use tabletop_workspace::{
    AutoscaleRange, ClusterChange, Design, REPLAY_ONE_OF_MAX, REPLAY_REQUESTS_MAX, StorageMedium, Traffic,
    TrafficRun, Workspace, tables_of_designs,
};

use super::report::Format;
use super::run::{chosen, load, on_one_line, read};
use super::style::tell;
use super::{EventsOptions, Failure, Result, counted};
use crate::progress;
use heatmap::Files;
use report::{Found, Report, Run};

/// The number of problems of a trace that are printed.
const PROBLEMS_SHOWN: usize = 10;
/// The maximum number of characters of a trace's name in the names of its streams.
const NAME_CHARS: usize = 30;

const EXAMPLES: &str = "\
Examples:
  tabletop simulate shop.json
  tabletop simulate shop.json --nodes 2,4 --minutes 5 --timeline
  tabletop simulate shop.json --nodes 3 --at 20:fail=B --at 40:nodes=6 --minutes 30 --timeline
  tabletop simulate shop.json --nodes 1 --autoscale 1-10 --minutes 30
  tabletop simulate shop.json --nodes 4 --heatmap shop.png
  tabletop simulate shop.json --trace requests.csv --nodes 1,2,4
  tabletop simulate shop.json --trace one-percent.csv --trace-one-of 100 --trace-speed 2
  tabletop simulate shop.json --fail-on hot-row,sequential-writes
  tabletop simulate shop.json --format markdown >> $GITHUB_STEP_SUMMARY

The workspace has the traffic, for example:
  \"traffic\": {\"streams\": [
     {\"name\": \"new events\", \"what\": \"write_events\", \"per_second\": 5000},
     {\"name\": \"profiles\", \"what\": \"point_reads\", \"per_second\": 20000, \"keys\": {\"zipf\": {\"field\": \"user_token\", \"exponent\": 1.0}}}],
   \"limits\": {\"latency_micros_p99_max\": 20000, \"cpu_hottest_node_max\": 0.9, \"hottest_tablet_share_max\": 0.3},
   \"run\": {\"nodes\": 4, \"seconds\": 300, \"changes\": [{\"at_seconds\": 60, \"what\": {\"fail\": \"B\"}}]}}
A trace is CSV with the columns time (seconds, or a time such as 2019-05-28T00:04:34Z), operation (read, write, scan, rmw or delete) and key: requests that your own service received. They are replayed at their original times instead of the streams of the workspace. Designs with other row keys than the trace get each request with the key that they make of the same values; at least 95% of the keys must have the form of a design's keys, or of --trace-keys. The run is as long as the trace, unless --minutes is given; a trace of more than a day is replayed faster. A write sets a cell of 100 bytes, and a scan reads 100 rows.

A workspace without \"traffic\" writes new events and reads its access patterns at its own rates. \"run\" sets how the traffic is simulated; options override it. A load test before the peak can only be set in the workspace.

The engine executes the requests on copies of the tables, which have all events. Its work is counted and converted to CPU time; the costs are calibrated with the figures that Google publishes for a node. Of heavy traffic, only a sample of the requests is executed. Requests arrive on time, whether or not earlier ones are answered. The same workspace and the same seed give the same result on every machine. The thresholds at which tablets split and move are Tabletop's own: Google publishes none.

Diagnoses are those of all moments, with the time from the first to the last one. A node does what Google publishes if no read finds its block in the cache: \"run\": {\"cache_hit_ratio\": 0.5} lets half of them.

Exit codes: 0 all limits are met; 1 a limit is violated, or a diagnosis of --fail-on is found; 2 an error in the workspace, its events, the trace or a change.";

/// Simulate the traffic of a workspace on its designs, with different numbers of nodes
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The workspace: a file, or a link to the page
    #[arg(value_name = "WORKSPACE.json")]
    workspace: PathBuf,
    /// Numbers of nodes, each 1 to 100 [default: the workspace's]
    #[arg(long, value_name = "N,N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=100))]
    nodes: Vec<u32>,
    /// Minutes of virtual time, 1 to 1,440 [default: the workspace's]
    #[arg(long, value_name = "MINUTES", value_parser = clap::value_parser!(u32).range(1..=1_440))]
    minutes: Option<u32>,
    /// The storage of the nodes [default: the workspace's]
    #[arg(long, value_enum)]
    storage: Option<Storage>,
    /// Change the cluster after this many seconds, instead of the changes in the workspace:
    /// SECONDS:nodes=N, SECONDS:fail=NODE or SECONDS:move=NODE,ROW (the tablet of a row, escaped as
    /// in a query); can be repeated
    #[arg(long = "at", value_name = "SECONDS:CHANGE", value_parser = action::change)]
    changes: Vec<ClusterChange>,
    /// Let the number of nodes follow the load, to the CPU target of the workspace, or 60% if it
    /// has none [default: as in the workspace]
    #[arg(long, value_name = "MIN-MAX", value_parser = action::autoscale)]
    autoscale: Option<AutoscaleRange>,
    /// Replay the requests of a trace instead of the streams of the workspace: CSV with the columns
    /// time, operation and key, at most a million requests
    #[arg(long, value_name = "FILE.csv")]
    trace: Option<PathBuf>,
    /// The trace is a sample, with 1 of this many requests: rates are multiplied by it, and diagnoses
    /// are judged by the number of requests in the trace
    #[arg(long, value_name = "N", requires = "trace", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(REPLAY_ONE_OF_MAX)))]
    trace_one_of: u32,
    /// Replay the trace this many times as fast, 0.1 to 1,000 [default: 1, or so that it fits into a day]
    #[arg(long, value_name = "FACTOR", requires = "trace")]
    trace_speed: Option<f64>,
    /// The form of the trace's row keys, as the template of a design: other designs get each request
    /// with their own key [default: the first design whose row keys have the form of 95% of the keys]
    #[arg(long, value_name = "TEMPLATE", requires = "trace")]
    trace_keys: Option<String>,
    /// Replay a trace that has lines that are not requests, without these lines
    #[arg(long, requires = "trace")]
    allow_bad_lines: bool,
    /// Ignore changes of a node or tablet that does not exist at that time, and changes after the end
    #[arg(long)]
    allow_impossible_changes: bool,
    /// Fail if one of these diagnoses is found at any moment: hot-row, sequential-writes, hot-prefix,
    /// sequential-prefix, read-pressure, write-pressure, large-rows, periodic-load, too-few-nodes,
    /// unbalanced, failed-node, or any
    #[arg(long, value_name = "DIAGNOSIS,...", value_delimiter = ',', value_parser = action::diagnosis)]
    fail_on: Vec<Kinds>,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Also print node and tablet events
    #[arg(long)]
    timeline: bool,
    /// Write the requests per key range over time as an image; with several runs,
    /// FILE-DESIGN-NODES.png for each
    #[arg(long, value_name = "FILE.png")]
    heatmap: Option<PathBuf>,
    #[command(flatten)]
    events: EventsOptions,
    /// Only the design with this name; can be repeated
    #[arg(long = "design", value_name = "NAME")]
    designs: Vec<String>,
}

/// Diagnoses with which a simulation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kinds {
    Any,
    One(DiagnosisKind),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Storage {
    /// Solid state
    Ssd,
    /// Spinning disks
    Hdd,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let workspace = read(&options.workspace)?;
    let designs: Vec<Design> = chosen(&workspace, &options.designs)?.into_iter().cloned().collect();
    let loaded = load(&workspace.source, &options.workspace, &options.events)?;
    loaded.tell_bad_records();
    let mut traffic = traffic_of(&workspace, &loaded.events)?;
    if let Some(path) = &options.trace {
        replay(path, &mut traffic, options)?;
    }
    if options.trace.is_some() {
        state_form(&mut traffic, &designs, loaded.events.fields(), options)?;
    }
    options.apply(&mut traffic.run);
    if let Some(problem) = traffic.problems(loaded.events.fields(), &workspace.queries).first() {
        return Err(Failure::Wrong(format!("{}: {problem}", options.workspace.display())));
    }
    let population = Arc::new(Population::new(&loaded.events, loaded.events.len(), &traffic));
    let nodes = if options.nodes.is_empty() { vec![traffic.run.nodes] } else { options.nodes.clone() };
    let mut runs = Vec::new();
    let tables = tables_of_designs(&designs);
    let mut files = options.heatmap.as_deref().map(|path| Files::new(path, tables.len() * nodes.len()));
    for of in tables {
        let tables: Vec<DesignTable> =
            designs[of].iter().map(|design| build(design, &workspace, &loaded.events)).collect();
        let name = tables[0].name().to_owned();
        let borrowed: Vec<&DesignTable> = tables.iter().collect();
        for &nodes in &nodes {
            traffic.run.nodes = nodes;
            let (queries, tablets) = (&workspace.queries, &workspace.cluster);
            let setting = Setting { events: &loaded.events, traffic: &traffic, queries, tablets };
            let run = SimulationRun::new(&borrowed, &setting, population.clone()).map_err(|error| {
                Failure::Wrong(format!("design \"{}\": {}", on_one_line(&name), error.message))
            })?;
            let run = simulated(run, &setting, &name);
            if let Some(change) =
                run.impossible_changes().next().filter(|_| !options.allow_impossible_changes)
            {
                let what = (messages().traffic.cluster.change)(change.at_seconds, &change.what);
                return Err(Failure::Wrong(format!(
                    "design \"{}\", {}: {what}: this is not possible, because the node or tablet does not exist then, or the run \
                     has ended (--allow-impossible-changes ignores such changes)",
                    on_one_line(&name),
                    counted(nodes.into(), "node", "nodes")
                )));
            }
            if let Some(LogKeys { requests, unread, is_converted }) =
                run.log_keys().filter(|log| log.unread > 0)
            {
                let so = if is_converted { "they are left out" } else { "they are replayed as they are" };
                tell(format_args!(
                    "design \"{}\": the keys of {unread} of {} do not have the form of the trace's keys: {so}",
                    on_one_line(&name),
                    counted(requests.into(), "request", "requests")
                ));
            }
            if let Some(files) = &mut files {
                heatmap::write(&files.of(&name, nodes), &run.chunk(&ALL_REQUESTS))?;
            }
            runs.push(reported(&run, &setting, options, name.clone()));
        }
    }
    let report = Report::new(&workspace, &loaded, &traffic, runs);
    options.format.print(&report, || report.text(), || report.markdown())?;
    report.verdict()
}

/// Replaces the streams of a traffic with the streams of a trace.
fn replay(path: &Path, traffic: &mut Traffic, options: &Options) -> Result<()> {
    let bytes =
        fs::read(path).map_err(|error| Failure::of(format!("{} cannot be read", path.display()), &error))?;
    let (trace, problems) = Trace::read(&bytes);
    for problem in problems.iter().take(PROBLEMS_SHOWN) {
        tell(format_args!("{}:{}: {}", path.display(), problem.line, problem.message));
    }
    if trace.requests().is_empty() {
        return Err(Failure::Wrong(format!("{}: there is no request to replay", path.display())));
    }
    if !problems.is_empty() && !options.allow_bad_lines {
        let lines = counted(problems.len() as u64, "line is not a request", "lines are not requests");
        let at_least = if problems.len() < TRACE_PROBLEMS_MAX { "" } else { "at least " };
        return Err(Failure::Wrong(format!(
            "{}: {at_least}{lines} (--allow-bad-lines replays the others)",
            path.display()
        )));
    }
    let name =
        path.file_stem().map(|name| name.to_string_lossy().chars().take(NAME_CHARS).collect::<String>());
    let streams = trace.streams(&name.unwrap_or_default(), REPLAY_REQUESTS_MAX, problems);
    if streams.replayed < streams.requests {
        tell(format_args!(
            "{}: {} of {} requests are replayed, evenly over the whole time, and each stands for {}: the limit is \
             {REPLAY_REQUESTS_MAX}",
            path.display(),
            streams.replayed,
            streams.requests,
            streams.requests.div_ceil(streams.replayed)
        ));
    }
    if streams.speed > 1.0 && options.trace_speed.is_none() {
        tell(format_args!(
            "{}: a run has at most a day, so the trace is replayed {} times as fast",
            path.display(),
            streams.speed
        ));
    }
    traffic.run.seconds = streams.seconds;
    traffic.streams = streams.streams;
    traffic.change_replays(|replay| {
        replay.one_of = replay.one_of.saturating_mul(options.trace_one_of);
        replay.speed = options.trace_speed.unwrap_or(replay.speed);
    });
    Ok(())
}

/// States the form of the row keys of a trace: the stated one, or that of a design. A single design
/// gets the keys of the trace, whatever their form.
fn state_form(traffic: &mut Traffic, designs: &[Design], fields: &[Field], options: &Options) -> Result<()> {
    let templates: Vec<Template> = designs
        .iter()
        .filter(|design| design.index_of.is_none())
        .map(|design| Template::parse(&design.template, fields).0.stored(&design.layout))
        .collect();
    let form = options.trace_keys.clone().or_else(|| Some(form_of_log(&templates, traffic)?.text()));
    if form.is_none() && templates.windows(2).any(|two| two[0] != two[1]) {
        return Err(Failure::Wrong(
            "the trace cannot compare these designs: less than 95% of its keys have the form of a design's row keys. State \
             the form with --trace-keys, or simulate one design with --design"
                .into(),
        ));
    }
    traffic.change_replays(|replay| replay.keys = form.clone().unwrap_or_default());
    Ok(())
}

/// Returns the traffic of a workspace, or the one that the page starts with.
pub(crate) fn traffic_of(workspace: &Workspace, events: &Events) -> Result<Traffic> {
    if let Some(traffic) = &workspace.traffic {
        return Ok((**traffic).clone());
    }
    let mut sample = Vec::new();
    for index in 0..events.len().min(SUGGEST_EVENTS as usize) {
        let mut values = Vec::new();
        events.record(index, &mut values);
        sample.push(values);
    }
    Ok(first_traffic(workspace, events.fields(), &sample))
}

/// Builds the complete table of a design.
pub(crate) fn build(design: &Design, workspace: &Workspace, events: &Events) -> DesignTable {
    let mut table = DesignTable::new(0, design, events.fields(), &workspace.cluster);
    let bar = progress::bar(Some(events.len() as u64), "{bar:30} {human_pos} events in {msg}");
    bar.set_message(on_one_line(&design.name));
    let supply = Supply { roles: &workspace.roles, ..Supply::all(events, &workspace.cluster) };
    while table.step(supply, 1_000) {
        bar.set_position(table.events_built().into());
    }
    bar.finish_and_clear();
    table
}

/// All of a simulation, with the heatmap of its requests.
const ALL_REQUESTS: SimulationHave = SimulationHave::nothing(HeatMetric::Requests);

/// Simulates until the end.
fn simulated(mut run: SimulationRun, setting: &Setting, design: &str) -> SimulationRun {
    let (nodes, seconds) = (setting.traffic.run.nodes, setting.traffic.run.seconds);
    let bar = progress::bar(Some(seconds.into()), "{bar:30} {human_pos} seconds of {msg}");
    bar.set_message(format!("{} on {nodes} nodes", on_one_line(design)));
    while run.step(setting.events, 1) {
        bar.set_position(run.seconds().into());
    }
    bar.finish_and_clear();
    run
}

fn reported(run: &SimulationRun, setting: &Setting, options: &Options, design: String) -> Run {
    let line = |event: &ClusterEvent| {
        let second = (event.at_millis + 500) / 1_000;
        format!("t = {second} s: {}", (messages().traffic.player.happened)(event))
    };
    let timeline = if options.timeline { run.events().iter().map(line).collect() } else { Vec::new() };
    let (waiting, report) = (run.waiting(), run.report());
    let misses = setting.traffic.limits.misses(&report.cost());
    let is_failure = |kind: DiagnosisKind| {
        options.fail_on.iter().any(|kinds| *kinds == Kinds::Any || *kinds == Kinds::One(kind))
    };
    let diagnoses =
        spells(run.moments()).iter().map(|spell| Found::new(spell, is_failure(spell.kind()))).collect();
    Run { design, nodes: setting.traffic.run.nodes, waiting, report, diagnoses, timeline, misses }
}

impl Options {
    /// Overrides settings of the workspace. Each run has its own number of nodes.
    fn apply(&self, run: &mut TrafficRun) {
        if let Some(minutes) = self.minutes {
            run.seconds = minutes * 60;
        }
        if let Some(storage) = self.storage {
            run.storage = match storage {
                Storage::Ssd => StorageMedium::Ssd,
                Storage::Hdd => StorageMedium::Hdd,
            };
        }
        run.autoscale = self.autoscale.or(run.autoscale);
        if !self.changes.is_empty() {
            run.changes.clone_from(&self.changes);
            run.changes.sort_by_key(|change| change.at_seconds);
        }
    }
}
