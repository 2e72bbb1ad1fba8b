//! A small model of 100 GB of data on a machine with 8 GB of memory: `cargo xtask bench large`. The
//! limits of the host are those of a server, scaled down in proportion to the data.

mod data;
mod steps;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use data::Values;
use lexopt::{Arg, Parser};
use tabletop_tests::command_line;

/// Errors are human-readable messages.
type Result<T> = std::result::Result<T, String>;

/// The options of the command line.
struct Options {
    gigabytes: u64,
    values: Vec<Values>,
    /// The folder of the data, which is kept.
    folder: Option<PathBuf>,
    /// One step, in this process.
    step: Option<Step>,
}

#[derive(Clone, Copy)]
enum Step {
    Fill,
    Read,
}

fn main() -> ExitCode {
    command_line::run(
        "large-bench [--gigabytes N] [--values random|words] [--folder FOLDER [--step fill|read]]",
        parse,
        bench,
    )
}

fn parse(parser: &mut Parser) -> std::result::Result<Option<Options>, lexopt::Error> {
    let mut options =
        Options { gigabytes: 2, values: vec![Values::Random, Values::Words], folder: None, step: None };
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("gigabytes") => options.gigabytes = command_line::number(parser, "--gigabytes", 1)?,
            Arg::Long("folder") => options.folder = Some(parser.value()?.into()),
            Arg::Long("values") => {
                options.values = match parser.value()?.to_str() {
                    Some("random") => vec![Values::Random],
                    Some("words") => vec![Values::Words],
                    _ => return Err("--values takes random or words".into()),
                };
            }
            Arg::Long("step") => {
                options.step = match parser.value()?.to_str() {
                    Some("fill") => Some(Step::Fill),
                    Some("read") => Some(Step::Read),
                    _ => return Err("--step takes fill or read".into()),
                };
            }
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some(options))
}

fn bench(options: Options) -> Result<()> {
    let Options { gigabytes, values, folder, step } = options;
    if let (Some(folder), Some(step)) = (&folder, step) {
        return match step {
            Step::Fill => steps::fill(folder, gigabytes, values[0]),
            Step::Read => steps::read(folder, gigabytes, values[0]),
        };
    }
    let program =
        std::env::current_exe().map_err(|error| format!("the path of this program is not known: {error}"))?;
    let parent = program.parent().ok_or("the program has no folder")?;
    for values in values {
        // Next to the program, because a folder for temporary files may be in memory.
        let temporary = tempfile::Builder::new().prefix("bench-large-").tempdir_in(parent);
        let temporary =
            temporary.map_err(|error| format!("cannot make a folder in {}: {error}", parent.display()))?;
        let folder = folder.as_deref().unwrap_or(temporary.path()).join(values.name());
        for step in ["fill", "read"] {
            in_new_process(&program, gigabytes, values, &folder, step)?;
        }
    }
    Ok(())
}

/// Each step runs in its own process, so that its memory is measured separately.
fn in_new_process(program: &Path, gigabytes: u64, values: Values, folder: &Path, step: &str) -> Result<()> {
    let mut child = Command::new(program);
    child
        .args(["--gigabytes", &gigabytes.to_string(), "--values", values.name(), "--step", step, "--folder"])
        .arg(folder);
    let status = child.status().map_err(|error| format!("cannot start {}: {error}", program.display()))?;
    if status.success() { Ok(()) } else { Err(format!("the step {step} failed")) }
}
