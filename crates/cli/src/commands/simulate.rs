//! `tabletop simulate`: puts the traffic of a workspace on its designs, with different numbers of nodes, on virtual time.

mod action;
mod report;

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use clap::ValueEnum;
use tabletop_cluster::{Medium, SECOND, Settings};
use tabletop_design::{DesignTable, SLICE, Setting, Simulation, Supply};
use tabletop_schema::{Design, SUGGEST_EVENTS, Traffic, Workspace, tables_of_designs};
use tabletop_workload::{Arrivals, Events, Population};

use super::run::{chosen, load, on_one_line, read};
use super::{Failure, Result};
use crate::progress;
use action::{Action, Autoscale};
use report::{Report, Run};

const EXAMPLES: &str = "\
Examples:
  tabletop simulate shop.json
  tabletop simulate shop.json --nodes 2,4 --minutes 5 --timeline
  tabletop simulate shop.json --nodes 3 --at 20:fail=B --at 40:nodes=6 --minutes 30 --timeline
  tabletop simulate shop.json --nodes 1 --autoscale 1-10 --minutes 30
  tabletop simulate shop.json --format markdown >> $GITHUB_STEP_SUMMARY

The workspace has the traffic, for example:
  \"traffic\": {\"streams\": [
     {\"name\": \"new events\", \"what\": \"write_events\", \"per_second\": 5000},
     {\"name\": \"profiles\", \"what\": \"point_reads\", \"per_second\": 20000, \"keys\": {\"zipf\": {\"field\": \"user_token\", \"exponent\": 1.0}}}],
   \"limits\": {\"latency_micros_p99_max\": 20000, \"cpu_hottest_node_max\": 0.9, \"hottest_tablet_share_max\": 0.3}}
Without one, events are written and read as they are, 1,000 a second.

The engine executes the requests on copies of the tables, which have all events. What it counts becomes time of a core; the rates are calibrated with the figures that Google publishes for a node. Of heavy traffic, one of every so many requests is executed. Requests arrive at their times whether or not earlier ones are answered. The same workspace and the same seed have the same result on every machine. The thresholds at which tablets split and move are ours: Google publishes none.

Exit codes: 0 all limits are kept; 1 a limit is missed; 2 an error in the workspace or its events.";

/// Put the traffic of a workspace on its designs, with different numbers of nodes
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The workspace: a file, or a link to the page
    #[arg(value_name = "WORKSPACE.json")]
    workspace: PathBuf,
    /// Numbers of nodes, each 1 to 100
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_value = "1,2,4,8", value_parser = clap::value_parser!(u32).range(1..=100))]
    nodes: Vec<u32>,
    /// Minutes of virtual time, 1 to 1,440
    #[arg(long, value_name = "MINUTES", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=1_440))]
    minutes: u32,
    /// The storage of the nodes
    #[arg(long, value_enum, default_value_t = Storage::Ssd)]
    storage: Storage,
    /// Change the cluster after so many seconds: SECONDS:nodes=N or SECONDS:fail=NODE; can be repeated
    #[arg(long = "at", value_name = "SECONDS:ACTION")]
    actions: Vec<Action>,
    /// Let the number of nodes follow the load, to a CPU of 60 %
    #[arg(long, value_name = "MIN-MAX")]
    autoscale: Option<Autoscale>,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = super::run::Format::Table)]
    format: super::run::Format,
    /// Also what happened to nodes and tablets
    #[arg(long)]
    timeline: bool,
    /// Events instead of the workspace's; for own events [default: the file of their name in the workspace's folder]
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// Only the design of this name; can be repeated
    #[arg(long = "design", value_name = "NAME")]
    designs: Vec<String>,
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
    let loaded = load(&workspace.source, &options.workspace, options.events.as_deref())?;
    let traffic = traffic_of(&workspace, &loaded.events)?;
    if let Some(problem) = traffic.problems(loaded.events.fields(), &workspace.queries).first() {
        return Err(Failure::Wrong(format!("{}: {problem}", options.workspace.display())));
    }
    let population = Arc::new(Population::new(&loaded.events, loaded.events.len(), &traffic));
    // Before anything is built: an error of the traffic is one of all designs.
    let arrivals = Arrivals::new(&traffic, population)?;
    let mut runs = Vec::new();
    for of in tables_of_designs(&designs) {
        let tables: Vec<DesignTable> = designs[of].iter().map(|design| build(design, &workspace, &loaded.events)).collect();
        for &nodes in &options.nodes {
            let medium = match options.storage {
                Storage::Ssd => Medium::Ssd,
                Storage::Hdd => Medium::Hdd,
            };
            let autoscale = options.autoscale.map(Autoscale::settings);
            let setting = Setting {
                events: &loaded.events,
                traffic: &traffic,
                queries: &workspace.queries,
                tablets: &workspace.cluster,
                cluster: Settings { autoscale, ..Settings::on(medium) },
                nodes,
                seconds: u64::from(options.minutes) * 60,
            };
            let name = tables[0].name().to_owned();
            let borrowed: Vec<&DesignTable> = tables.iter().collect();
            let simulation = Simulation::new(&borrowed, &setting)
                .map_err(|error| Failure::Wrong(format!("design \"{}\": {}", on_one_line(&name), error.message)))?;
            runs.push(simulate(simulation, arrivals.clone(), &setting, options, name));
        }
    }
    let report = Report::new(&workspace, &loaded, &traffic, options.minutes, runs);
    let written = match options.format {
        super::run::Format::Table => anstream::stdout().write_all(report.text().as_bytes()),
        super::run::Format::Json => io::stdout().write_all(report.json().as_bytes()),
        super::run::Format::Markdown => io::stdout().write_all(report.markdown().as_bytes()),
    };
    written.map_err(|error| Failure::of("the output cannot be written", &error))?;
    report.verdict()
}

/// Returns the traffic of a workspace, or the first preset.
fn traffic_of(workspace: &Workspace, events: &Events) -> Result<Traffic> {
    if let Some(traffic) = &workspace.traffic {
        return Ok((**traffic).clone());
    }
    let mut sample = Vec::new();
    for index in 0..events.len().min(SUGGEST_EVENTS as usize) {
        let mut values = Vec::new();
        events.record(index, &mut values);
        sample.push(values);
    }
    let first = Traffic::presets(workspace, events.fields(), &sample).into_iter().next();
    let first = first.expect("there are presets").traffic;
    first.map(|traffic| *traffic).map_err(Failure::Wrong)
}

/// Builds the complete table of a design.
fn build(design: &Design, workspace: &Workspace, events: &Events) -> DesignTable {
    let mut table = DesignTable::new(0, design, events.fields(), &workspace.cluster);
    let bar = progress::bar(Some(events.len() as u64), "{bar:30} {human_pos} events in {msg}");
    bar.set_message(on_one_line(&design.name));
    while table.step(Supply::all(events, &workspace.cluster), 1_000) {
        bar.set_position(table.events_built().into());
    }
    bar.finish_and_clear();
    table
}

fn simulate(mut simulation: Simulation, mut arrivals: Arrivals, setting: &Setting, options: &Options, design: String) -> Run {
    let seconds = u64::from(options.minutes) * 60;
    let bar = progress::bar(Some(seconds), "{bar:30} {human_pos} seconds of {msg}");
    bar.set_message(format!("{} on {} nodes", on_one_line(&design), setting.nodes));
    let mut slice = Vec::new();
    let mut now = 0;
    let mut actions = options.actions.clone();
    actions.sort_by_key(|action| action.at_seconds);
    let mut actions = actions.into_iter().peekable();
    while now < seconds * SECOND {
        while let Some(action) = actions.next_if(|action| action.at_seconds * SECOND <= now) {
            action.apply(simulation.cluster());
        }
        now += SLICE;
        slice.clear();
        arrivals.tick(now, &mut slice);
        simulation.step(setting.events, &slice, now);
        bar.set_position(now / SECOND);
    }
    bar.finish_and_clear();
    let timeline = if options.timeline { simulation.events().iter().map(ToString::to_string).collect() } else { Vec::new() };
    let (waiting, report) = (simulation.cluster().waiting(), simulation.report());
    let misses = setting.traffic.limits.misses(&report.cost());
    Run { design, nodes: setting.nodes, waiting, report, timeline, misses }
}
