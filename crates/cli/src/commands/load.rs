//! `tabletop load`: sends the traffic of a workspace to a real Bigtable.

mod measured;
mod open_loop;
mod rate;
mod report;
mod tables;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tabletop_cluster::Operation;
use tabletop_design::{DesignTable, Operations, Setting, SimulationReport, SimulationRun};
use tabletop_model::{ReadRows, RowKey, RowSet};
use tabletop_workload::random::Random;
use tabletop_workload::{Arrival, Arrivals, Population};
use tabletop_workspace::{
    KeyChoice, NODES_MAX, RUN_SECONDS_MAX, Schedule, Stream, StreamKind, Traffic, TrafficRun,
};
use tokio::runtime::Runtime;

use super::report::Format;
use super::run::{load, on_one_line, read};
use super::simulate::{build, traffic_of};
use super::{EventsOptions, Failure, Result};
use crate::overwritten::Overwritten;
use crate::remote::{DataClient, Encoded, PlaceOptions};
use measured::Measured;
use open_loop::{Loop, Run};
use rate::{Control, Rate, per_second, scaled};
use report::{About, Comparison, Report};

const EXAMPLES: &str = "\
Examples:
  tabletop push shop.json --address localhost:8086
  tabletop load shop.json --address localhost:8086 --minutes 5
  tabletop load shop.json --project my-project --instance shop --warm-up 120 --minutes 10
  tabletop load shop.json --address localhost:8086 --rate 0.5 --seconds 30 --format json

The requests are the same as in `tabletop simulate`: the same streams for the same events at the same times, for one design. Its tables must exist, with its families and rows: run `tabletop push` first. Other tables are never written to. Writes change the tables: they update events or add new ones, increments add a column, and deletes delete.

The loop is open: requests do not wait for the answers of earlier ones, and the latency of each is measured from the time at which it is due, even if all --parallel requests are waiting then. Requests that find no place within half of --deadline are not sent, and are counted as late; requests that are not answered within --deadline are counted as DeadlineExceeded. There are no retries.

While it runs, type a rate and Enter: `2x` is twice the rate of the workspace, `500` is 500 requests per second. Standard input can also be a pipe. Ctrl-C stops sending, waits for answers and prints the results; press it again to stop waiting.

The results are shown next to a simulation of the same traffic, with the same rates at the same times.

Exit codes: 0 all limits are met; 1 a limit is violated, or nothing was answered; 2 an error in the command line, the workspace or its tables; 130 stopped by Ctrl-C, with results.";

/// Send the traffic of a workspace to a real Bigtable, an emulator or a running server
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The workspace: a file, or a link to the page
    #[arg(value_name = "WORKSPACE.json")]
    workspace: PathBuf,
    #[command(flatten)]
    place: PlaceOptions,
    /// Name of the design, with its index tables [default: the first]
    #[arg(long)]
    design: Option<String>,
    /// ID of the table, for a design without index tables [default: derived from the design's name]
    #[arg(long)]
    table: Option<String>,
    /// Minutes, 1 to 1,440 [default: 1]
    #[arg(long, value_name = "MINUTES", conflicts_with = "seconds", value_parser = clap::value_parser!(u32).range(1..=1_440))]
    minutes: Option<u32>,
    /// Seconds, instead of minutes, 1 to 86,400
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    seconds: Option<u32>,
    /// The rate: a multiple of the workspace's rate (0.5), or requests per second over all streams
    /// (500/s)
    #[arg(long, value_name = "FACTOR", default_value = "1")]
    rate: Rate,
    /// Seconds of random reads of all rows to run first, at the rate of the traffic, so that
    /// tablets split and caches fill before a peak
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    warm_up: Option<u32>,
    /// The maximum number of requests that wait for an answer at a time
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    parallel: u32,
    /// Seconds within which a request must be answered, counted from the time at which it is due
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=600))]
    deadline: u32,
    /// Nodes of the simulation to compare with [default: the workspace's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(NODES_MAX)))]
    nodes: Option<u32>,
    /// Do not simulate
    #[arg(long, conflicts_with = "nodes")]
    no_simulation: bool,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    #[command(flatten)]
    events: EventsOptions,
}

/// The name of the warm-up among the streams.
const WARM_UP: &str = "warm-up";
/// The seed of the keys of a warm-up.
const WARM_UP_SEED: u64 = 1;

pub(crate) fn run(options: &Options) -> Result<()> {
    let workspace = read(&options.workspace)?;
    let (design, designs) =
        tables::of_design(&workspace, options.design.as_deref(), options.table.as_deref())?;
    let targets = tables::targets(&options.place, &workspace, &designs, options.table.as_deref())?;
    let loaded = load(&workspace.source, &options.workspace, &options.events)?;
    loaded.tell_bad_records();
    let base = traffic_of(&workspace, &loaded.events)?;
    if let Some(problem) = base.problems(loaded.events.fields(), &workspace.queries).first() {
        return Err(Failure::Wrong(format!("{}: {problem}", options.workspace.display())));
    }
    let factor = options.rate.factor(&base);
    let traffic = scaled(&base, factor)?;
    let population = Arc::new(Population::new(&loaded.events, loaded.events.len(), &traffic));
    let arrivals = Arrivals::new(&traffic, population.clone())?;
    let mut built: Vec<DesignTable> =
        designs.iter().map(|design| build(design, &workspace, &loaded.events)).collect();
    let roles = built.first().map(|table| table.roles(&loaded.events)).unwrap_or_default();
    let operations = Operations::new(&built, &loaded.events, &traffic, &workspace.queries, &roles)?;
    let keys = tables::keys(&operations, &mut built, &loaded.events)?;

    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Wrong(format!("no threads can be started: {error}")))?;
    let client = Arc::new(runtime.block_on(DataClient::new(&targets[0], options.parallel as usize))?);
    runtime.block_on(tables::check(&client, &targets, &mut built, &keys))?;
    let names: Vec<Arc<str>> = targets.iter().map(|target| target.table_name().into()).collect();
    let control = Control::start(&runtime);

    let limits = Loop {
        seconds: 0,
        parallel: options.parallel,
        deadline: Duration::from_secs(options.deadline.into()),
        factor,
        base: &base,
    };
    let warm_up = match options.warm_up {
        Some(seconds) => Some(warm_up(
            &runtime,
            &client,
            &control,
            &Loop { seconds, ..limits },
            &names,
            &keys,
            &population,
        )?),
        None => None,
    };
    let seconds = options.seconds.unwrap_or(60 * options.minutes.unwrap_or(1));
    let mut make = |arrival: &Arrival| {
        let requests = operations.requests(&mut built, &loaded.events, arrival)?;
        Ok(requests.iter().map(|request| Encoded::new(&names[request.table], &request.operation)).collect())
    };
    let streams = || traffic.streams.iter().map(|stream| stream.name.clone());
    let mut ran = Run { measured: Measured::new(streams()), seconds: 0.0, rates: Vec::new() };
    if !control.is_stopped() {
        ran = open_loop::run(
            &runtime,
            &client,
            &control,
            &Loop { seconds, ..limits },
            arrivals.clone(),
            streams(),
            &mut make,
        )?;
    }
    let is_stopped = control.is_stopped();
    drop(runtime);

    let nodes = options.nodes.unwrap_or(base.run.nodes);
    let seconds = (ran.seconds.ceil() as u32).clamp(1, RUN_SECONDS_MAX);
    // The real instance has no load test, and its number of nodes does not change.
    let run = TrafficRun { nodes, seconds, storage: base.run.storage, ..TrafficRun::default() };
    let traffic = Traffic { run, ..traffic };
    let setting = Setting {
        events: &loaded.events,
        traffic: &traffic,
        queries: &workspace.queries,
        tablets: &workspace.cluster,
    };
    let simulated = if options.no_simulation {
        None
    } else {
        let borrowed: Vec<&DesignTable> = built.iter().collect();
        Some(Comparison {
            nodes,
            report: simulate(SimulationRun::new(&borrowed, &setting, population)?, &setting, &base, &ran)?,
        })
    };
    let about = About {
        workspace: on_one_line(&workspace.name),
        design: design.name.clone(),
        target: targets[0].to_string(),
        events: loaded.events.len(),
        overwritten: designs
            .iter()
            .filter_map(|design| Some((design.name.clone(), Overwritten::of(design, &loaded.events)?)))
            .collect(),
        factor,
        is_stopped,
    };
    let report = Report::new(about, &base, warm_up.as_ref(), &ran, simulated);
    options.format.print(&report, || report.text(), || report.markdown())?;
    report.verdict()
}

/// Reads rows at random, each equally often, at the rate of the traffic without its schedules.
fn warm_up(
    runtime: &Runtime,
    client: &Arc<DataClient>,
    control: &Control,
    settings: &Loop<'_>,
    names: &[Arc<str>],
    keys: &[Vec<RowKey>],
    population: &Arc<Population>,
) -> Result<Run> {
    let stream = Stream {
        name: WARM_UP.into(),
        what: StreamKind::PointReads,
        per_second: per_second(settings.base),
        keys: KeyChoice::AsEvents,
        when: Schedule::Constant,
    };
    let base = Traffic { streams: vec![stream], seed: WARM_UP_SEED, ..Traffic::default() };
    let arrivals = Arrivals::new(&scaled(&base, settings.factor)?, population.clone())?;
    let mut random = Random::new(WARM_UP_SEED);
    let all: u64 = keys.iter().map(|keys| keys.len() as u64).sum();
    let mut make = |_: &Arrival| {
        let mut at = random.below(all.max(1)) as usize;
        let mut tables = keys.iter().zip(names);
        let found = tables.find_map(|(keys, name)| match keys.get(at) {
            Some(key) => Some((key, name)),
            None => {
                at -= keys.len();
                None
            }
        });
        let read = |key: &RowKey| ReadRows {
            rows: RowSet { keys: vec![key.clone()], ranges: Vec::new() },
            ..ReadRows::default()
        };
        Ok(found.iter().map(|(key, name)| Encoded::new(name, &Operation::Read(read(key)))).collect())
    };
    let names = std::iter::once(WARM_UP.to_string());
    open_loop::run(runtime, client, control, &Loop { base: &base, ..*settings }, arrivals, names, &mut make)
}

/// Simulates the traffic of a run, with the same rates at the same times.
fn simulate(
    mut simulation: SimulationRun,
    setting: &Setting<'_>,
    base: &Traffic,
    ran: &Run,
) -> Result<SimulationReport> {
    let mut rates = ran.rates.iter().peekable();
    for tenth in 0..setting.traffic.run.seconds * 10 {
        while let Some(change) = rates.next_if(|change| change.at_seconds <= f64::from(tenth) / 10.0) {
            simulation.change_rates(&scaled(base, change.factor)?)?;
        }
        simulation.step(setting.events, 1);
    }
    Ok(simulation.report())
}
