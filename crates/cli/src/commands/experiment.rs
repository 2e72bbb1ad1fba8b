//! `tabletop experiment`: runs the batch job of user profiles on the same events in several
//! layouts, at several sizes.

mod report;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ValueEnum;
use tabletop_design::experiment::{ExperimentSettings, article_designs};
use tabletop_design::jobs::ExperimentRun;
use tabletop_model::Timestamp;
use tabletop_protocol::experiment::{ExperimentReport, Network};
use tabletop_workload::Events;
use tabletop_workspace::{Design, GeneratorSettings, Source, Strategy};

use super::run::{chosen, load, read};
use super::{EventsOptions, Failure, Result};
use crate::progress;

const EXAMPLES: &str = "\
Examples:
  tabletop experiment
  tabletop experiment --events 1000000 --users 10000 --facets 2
  tabletop experiment shop.json --rounds 7 --format markdown >> $GITHUB_STEP_SUMMARY
  tabletop experiment --round-trip 0.5 --bandwidth 125
  tabletop experiment --format csv > points.csv

The profiles of all users are computed from tables of 1/n, 2/n … n/n of the events, in the layouts narrow, wide and row per entity with the key {app_id},{user_token},{timestamp:iso}, and in the designs of the workspace. A score is the sum, over a user's events, of the score of the event times the score of the facet, for each distinct facet value; without a strategy in the workspace, all events and facets have the same score. On the largest table the job also runs for 1, 2 … all facets.

Each run is repeated, all runs are in random order, and each begins with an empty block cache. Times are medians, with the minimum and the maximum. They are measured on one machine, in one process, without a network: the server's part is reading, filtering and returning, the client's is decoding and summing. --round-trip and --bandwidth add the model of a network: a round trip for each request (a slice of 20,000 cells), and the bytes returned one after another.

At the end, the encodings of values (JSON, protobuf, a compact list, MessagePack) are compared on the first 5,000 events, with the counts of facets that the layout narrow stores, and with the whole events that a row per entity stores: bytes stored, and the time to encode all values and to decode what profiles need.

Exit codes: 0 success; 2 an error in the command line, the workspace or its events.";

/// The maximum number of events that the option can generate.
const EVENTS_MAX: i64 = 1_000_000;

/// Compute profiles from narrow, wide and row-per-entity tables, and compare the times: the
/// experiment of Algolia's article
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// A workspace with the events, strategy and designs to use: a file, or a link to the page
    #[arg(value_name = "WORKSPACE.json")]
    workspace: Option<PathBuf>,
    /// Number of events, from the first one on [default: 100,000, or all events of the workspace]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1_000..=EVENTS_MAX))]
    events: Option<u32>,
    /// Number of users, if the events are generated [default: 1,000, or the workspace's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    users: Option<u32>,
    /// Number of facets to request at all sizes
    #[arg(long, value_name = "K", default_value_t = 3)]
    facets: u32,
    /// Number of sizes, 1 to 10
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=10))]
    sizes: u32,
    /// How often each run is repeated, 1 to 50
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=50))]
    rounds: u32,
    /// Seed of the events and of the order of the runs
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Only the design of the workspace with this name, in addition to the three layouts; can be
    /// repeated
    #[arg(long = "design", value_name = "NAME", requires = "workspace")]
    designs: Vec<String>,
    /// Add a model of a network: milliseconds of a round trip
    #[arg(long, value_name = "MS", value_parser = positive_or_zero)]
    round_trip: Option<f64>,
    /// Add a model of a network: megabytes (1,000,000 bytes) per second
    #[arg(long, value_name = "MB/S", value_parser = positive)]
    bandwidth: Option<f64>,
    /// Format of the figures
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for the terminal
    Table,
    /// JSON for programs
    Json,
    /// Markdown, for example for a code review
    Markdown,
    /// CSV, one run per line
    Csv,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let (mut designs, mut strategy) = (article_designs(), None);
    let (events, source) = match &options.workspace {
        Some(file) => {
            let mut workspace = read(file)?;
            // The strategy is checked with the workspace.
            strategy = workspace.strategy.take().map(|strategy| *strategy);
            designs.extend(
                chosen(&workspace, &options.designs)?
                    .into_iter()
                    .filter(|design| design.index_of.is_none())
                    .cloned(),
            );
            options.events_of(&workspace.source, file)?
        }
        None => options.events_of(&Source::Generated(options.generated()), Path::new(""))?,
    };
    let settings = options.settings(designs, strategy);
    let report = measured(settings, events)?;
    let written = match options.format {
        Format::Table => anstream::stdout().write_all(report::text(&report, &source).as_bytes()),
        Format::Json => io::stdout().write_all(report::json(&report, &source).as_bytes()),
        Format::Markdown => io::stdout().write_all(report::markdown(&report, &source).as_bytes()),
        Format::Csv => io::stdout().write_all(report.csv().as_bytes()),
    };
    written.map_err(|error| Failure::of("the output cannot be written", &error))
}

fn measured(settings: ExperimentSettings, events: Events) -> Result<ExperimentReport> {
    let mut run = ExperimentRun::new(settings, events)?;
    let begun = Instant::now();
    let clock = || begun.elapsed().as_micros() as Timestamp;
    let total = run.progress();
    let writing = progress::bar(Some(total.to_write), "{bar:30} {human_pos} events written");
    let mut reading = None;
    let report = loop {
        if let Some(report) = run.work(&clock)? {
            break report;
        }
        let now = run.progress();
        if now.written < now.to_write {
            writing.set_position(now.written);
        } else {
            let bar = reading.get_or_insert_with(|| {
                writing.finish_and_clear();
                progress::bar(Some(now.runs_total), "{bar:30} {human_pos} runs done")
            });
            bar.set_position(now.runs);
        }
    };
    // A small experiment has finished all its runs before the bars first appear.
    writing.finish_and_clear();
    reading.iter().for_each(indicatif::ProgressBar::finish_and_clear);
    Ok(report)
}

impl Options {
    fn generated(&self) -> GeneratorSettings {
        GeneratorSettings {
            seed: self.seed,
            events: self.events.unwrap_or(100_000),
            apps: 3,
            users: self.users.unwrap_or(1_000),
            user_skew: 0.5,
        }
    }

    /// Loads or generates the events, and returns them with their origin.
    fn events_of(&self, source: &Source, workspace: &Path) -> Result<(Events, String)> {
        let mut source = source.clone();
        if let Source::Generated(settings) = &mut source {
            settings.events = self.events.unwrap_or(settings.events);
            settings.users = self.users.unwrap_or(settings.users);
        } else if self.users.is_some() {
            return Err(Failure::Wrong(
                "--users is for generated events, but the workspace has its own: leave it out".into(),
            ));
        }
        let loaded = load(&source, workspace, &EventsOptions::default())?;
        let most = self.events.map_or(usize::MAX, |events| events as usize);
        if loaded.events.len() <= most {
            return Ok((loaded.events, loaded.source));
        }
        let mut first = Events::new(loaded.events.fields().to_vec());
        let mut values = Vec::new();
        for index in 0..most {
            loaded.events.record(index, &mut values);
            first.push(&values)?;
        }
        Ok((first, format!("the first of {}", loaded.source)))
    }

    fn settings(&self, designs: Vec<Design>, strategy: Option<Strategy>) -> ExperimentSettings {
        let network = (self.round_trip.is_some() || self.bandwidth.is_some()).then(|| Network {
            round_trip_micros: self.round_trip.unwrap_or(0.0) * 1e3,
            bytes_per_second: self.bandwidth.map_or(f64::INFINITY, |megabytes| megabytes * 1e6),
        });
        let &Options { sizes, rounds, facets, seed, .. } = self;
        ExperimentSettings { designs, sizes, rounds, facets, seed, strategy, network }
    }
}

fn positive(text: &str) -> std::result::Result<f64, String> {
    match text.parse() {
        Ok(number) if number > 0.0 && f64::is_finite(number) => Ok(number),
        _ => Err("it must be a number above 0".into()),
    }
}

fn positive_or_zero(text: &str) -> std::result::Result<f64, String> {
    match text.parse() {
        Ok(number) if number >= 0.0 && f64::is_finite(number) => Ok(number),
        _ => Err("it must be a number of at least 0".into()),
    }
}
