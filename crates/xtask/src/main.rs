//! `cargo xtask`: builds, serves and tests Tabletop, and installs the tools that are missing (see
//! `tools`).

mod arguments;
mod check;
mod clients;
mod csp;
mod fuzz;
mod page;
mod peers;
mod program;
mod result;
mod root;
mod run;
mod site;
mod skipped;
mod styles;
mod test;
mod toolchain;
mod tools;

use std::process::ExitCode;

use arguments::Task;
use result::Result;
use root::root;

fn main() -> ExitCode {
    let task = match arguments::parse(lexopt::Parser::from_env()) {
        Ok(task) => task,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    match run_task(task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn run_task(task: Task) -> Result<()> {
    match task {
        Task::Help(command) => {
            print!("{}", arguments::help_text(command));
            Ok(())
        }
        Task::Serve(options) => site::serve(&options),
        Task::Dist { public_url } => site::dist(&public_url).map(drop),
        Task::Install => site::install(),
        Task::Format => check::format(&[]),
        Task::Check => check::run(),
        Task::Test { kinds, name } => test::run(&kinds, name.as_deref()),
        Task::Corpus => test::corpus(),
        Task::Fuzz { targets, seconds } => fuzz::run(&targets, seconds),
        Task::FuzzInput { target, input } => fuzz::run_input(target, &input),
        Task::Clients { name } => clients::official(name.as_deref()),
        Task::Soak { seconds, seed } => clients::soak(seconds, seed),
        Task::Profile => site::profile_again(),
        Task::Pictures { options } => site::pictures(&options),
        Task::Bench { options } => site::bench(&options),
        Task::BenchEngine(comparison) => peers::bench(&comparison),
        Task::BenchServe { options } => clients::bench(&options),
        Task::BenchLarge { options } => clients::bench_large(&options),
        Task::Styles => styles::hook(),
        Task::Csp => csp::hook(),
    }
}
