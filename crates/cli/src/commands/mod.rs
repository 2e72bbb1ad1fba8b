//! The commands of the program. They turn the command line into calls of the libraries.

mod endpoint;
mod experiment;
mod export;
mod failure;
mod flags;
mod formats;
mod generate;
mod import;
mod instance;
mod link;
mod load;
mod manual;
mod migrate;
mod prompt;
mod push;
mod reading;
mod report;
mod rows;
mod run;
mod script;
mod serve;
mod shell;
mod simulate;
mod stream;
pub(crate) mod style;
mod writes;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use tabletop_shell::Language;

pub(crate) use failure::{Failure, Result};
pub(crate) use link::is_link;
pub(crate) use reading::EventsOptions;
use style::complain;
pub(crate) use tabletop_texts::numbers::count as counted;

const EXAMPLES: &str = "\
Examples:
  tabletop cbt --data shop createtable events families=d
  tabletop cbt --data shop < script.cbt
  tabletop run shop.json --format markdown
  tabletop simulate shop.json --nodes 2,4
  tabletop experiment --events 1000000
  tabletop export --data shop events > events.jsonl
  tabletop serve --data shop
  tabletop push shop.json --project my-project --instance my-instance --dry-run
  tabletop load shop.json --address localhost:8086 --minutes 5

Exit codes: 0 success; 1 completed, but with failures (a limit is violated, a command of cbt or the HBase shell failed, records were left out); 2 an error in the command line, a file or a data folder; 130 interrupted by Ctrl-C.";

#[derive(Parser)]
#[command(name = "tabletop", version = env!("TABLETOP_VERSION"), about = "Bigtable's data model on this machine: design schemas, test them, serve them", after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Cbt(shell::CbtOptions),
    Hbase(shell::HBaseOptions),
    Run(run::Options),
    Simulate(simulate::Options),
    Experiment(experiment::Options),
    Migrate(migrate::Options),
    Link(link::Options),
    Import(import::Options),
    Export(export::Options),
    Serve(serve::Options),
    Generate(generate::Options),
    Push(crate::push::Options),
    Load(load::Options),
    Completions(manual::CompletionsOptions),
    Man(manual::ManOptions),
}

/// The exit code of a program that SIGINT has ended, as shells report it.
const INTERRUPTED: u8 = 130;

/// Parses the command line. Exits after an error or a request for help.
fn arguments() -> Arguments {
    let matches = Arguments::command().get_matches_from(flags::convert_cbt_flags(std::env::args_os()));
    Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// Runs the command of the command line.
pub(crate) fn main() -> ExitCode {
    let command = arguments().command;
    tabletop_server::process::prepare();
    let done = match command {
        Command::Cbt(options) => shell::run(Language::Cbt, &options.options),
        Command::Hbase(options) => shell::run(Language::HBase, &options.options),
        Command::Run(options) => run::run(&options),
        Command::Simulate(options) => simulate::run(&options),
        Command::Experiment(options) => experiment::run(&options),
        Command::Migrate(options) => migrate::run(&options),
        Command::Link(options) => link::run(&options),
        Command::Import(options) => import::run(&options),
        Command::Export(options) => export::run(&options),
        Command::Serve(options) => serve::run(&options),
        Command::Generate(options) => generate::run(&options),
        Command::Push(options) => push::run(&options),
        Command::Load(options) => load::run(&options),
        Command::Completions(options) => manual::completions(&options),
        Command::Man(options) => manual::pages(&options),
    };
    let (code, message) = match done {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Unheard) => return ExitCode::SUCCESS,
        Err(Failure::Stopped) => return ExitCode::from(INTERRUPTED),
        Err(Failure::No(message)) => (1, message),
        Err(Failure::Wrong(message)) => (2, message),
    };
    if !message.is_empty() {
        complain(message);
    }
    ExitCode::from(code)
}
