//! The command line of `cargo xtask`: its commands, their help texts and their arguments.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use lexopt::{Arg, Error, Parser, ValueExt};

use crate::fuzz;
use crate::peers::Comparison;
use crate::site::Serve;
use crate::test::Kind;

/// A command with its arguments.
#[derive(Debug, PartialEq, Eq)]
pub enum Task {
    /// Print the help text of one command or of all.
    Help(Option<&'static str>),
    Serve(Serve),
    Dist {
        public_url: String,
    },
    Install,
    Format,
    Check,
    Test {
        kinds: Vec<Kind>,
        name: Option<String>,
    },
    Corpus,
    Fuzz {
        targets: Vec<&'static str>,
        seconds: u32,
    },
    /// One input of one target again.
    FuzzInput {
        target: &'static str,
        input: PathBuf,
    },
    Clients {
        name: Option<String>,
    },
    Soak {
        seconds: u64,
        seed: Option<u64>,
    },
    Profile,
    /// The options of this and the next four are passed to the program that does the work.
    Pictures {
        options: Vec<OsString>,
    },
    Bench {
        options: Vec<OsString>,
    },
    BenchEngine(Comparison),
    BenchServe {
        options: Vec<OsString>,
    },
    BenchLarge {
        options: Vec<OsString>,
    },
    Styles,
    Csp,
}

type Result<T> = std::result::Result<T, Error>;

/// The name, arguments and help text of a command, and the parser of its arguments.
struct Command {
    name: &'static str,
    arguments: &'static str,
    help: &'static str,
    parse: fn(&mut Parser) -> Result<Task>,
}

const COMMANDS: [Command; 19] = [
    Command {
        name: "serve",
        arguments: "[--port N] [--open]",
        help: "build the page, optimized, and serve it on this machine",
        parse: serve,
    },
    Command {
        name: "dist",
        arguments: "[--public-url URL]",
        help: "build the static site into dist/; by default it works under any path",
        parse: dist,
    },
    Command {
        name: "install",
        arguments: "",
        help: "build the page, and install the program `tabletop` with it, for `tabletop serve --page`",
        parse: |parser| without_arguments(parser, Task::Install),
    },
    Command {
        name: "format",
        arguments: "",
        help: "format all files of Rust, also those that cargo fmt does not see because a macro declares them",
        parse: |parser| without_arguments(parser, Task::Format),
    },
    Command {
        name: "check",
        arguments: "",
        help: "check format, words, lints, documentation, licences and dependencies, without tests",
        parse: |parser| without_arguments(parser, Task::Check),
    },
    Command {
        name: "test",
        arguments: "[native|fuzz|wasm|e2e [NAME]]",
        help: "run all tests, or those of one kind (whose names contain NAME);\n\
               with UPDATE=1, write the expected answers instead of comparing them",
        parse: test,
    },
    Command {
        name: "corpus",
        arguments: "",
        help: "fetch the packages with files of the corpus, as the native tests do, for\n\
               `cargo test -p tabletop-tests corpus`",
        parse: |parser| without_arguments(parser, Task::Corpus),
    },
    Command {
        name: "fuzz",
        arguments: "[TARGET] [--seconds N] [--input FILE]",
        help: "look for inputs that break the readers of texts, requests and files, longer than the tests do,\n\
               or run one input again",
        parse: fuzz,
    },
    Command {
        name: "clients",
        arguments: "[NAME]",
        help: "call the whole API of the server with Google's client for Python, and tables and rows with those\n\
               for Node.js and Go; run the code that designs are exported as; push, run and load against Google's\n\
               emulator; look at a server's page while the client for Python writes",
        parse: clients,
    },
    Command {
        name: "soak",
        arguments: "[--minutes N] [--seed N]",
        help: "let clients write and read while the server is killed repeatedly, and check that all acknowledged\n\
               writes are there",
        parse: soak,
    },
    Command {
        name: "profile",
        arguments: "",
        help: "rewrite the list of functions that the page fetches first, from one recording",
        parse: |parser| without_arguments(parser, Task::Profile),
    },
    Command {
        name: "pictures",
        arguments: "[FOLDER [WORD]]",
        help: "take the pictures of the README, light and dark; with FOLDER, pictures of the page into it, in the\n\
               states that tests/src/bin/pictures/main.rs lists (whose names contain WORD), in four sizes and both themes",
        parse: pictures,
    },
    Command {
        name: "bench",
        arguments: "[--json FILE]",
        help: "measure the figures that have budgets, and print a table: the first load, edits, motion, loads, scans, traffic,\n\
               and profiles of 1,000,000 events in the page and natively",
        parse: bench,
    },
    Command {
        name: "bench engine",
        arguments: "[--events N] [--rounds N] [--cache MIB] [--tables wide,narrow,mixed,row,profiles,memory]\n    \
                    [--clock time|processor] [--json FILE] [--only native|browser]",
        help: "compare the engine with RocksDB, fjall, LMDB and SQLite, and in the browser with sqlite-wasm and duckdb-wasm;\n\
               the table `profiles` is the batch of all profiles next to SQLite and DuckDB, and the stream after it;\n\
               `memory` is the peak memory of that batch with 100,000, 1,000,000 and 3,000,000 events (5 minutes);\n\
               with --events 10000000 --rounds 1 --cache 64, the tables are several times the caches (two hours)",
        parse: bench_engine,
    },
    Command {
        name: "bench serve",
        arguments: "[--rows N] [--only page] [--json FILE]",
        help: "measure the server, and Google's emulator if cbtemulator is installed; then what --page costs the calls of clients",
        parse: bench_serve,
    },
    Command {
        name: "bench large",
        arguments: "[--gigabytes N] [--values random|words] [--folder FOLDER]",
        help: "measure memory, restart and reads during compactions with N GB (default 2) as a model of 100 GB,\n\
               with limits that are as much smaller; with --folder, the data stay there",
        parse: bench_large,
    },
    Command {
        name: "styles",
        arguments: "",
        help: "write the style sheet of all views; called by Trunk at the start of a build",
        parse: |parser| without_arguments(parser, Task::Styles),
    },
    Command {
        name: "csp",
        arguments: "",
        help: "add script hashes to the page's policy; called by Trunk at the end of a build",
        parse: |parser| without_arguments(parser, Task::Csp),
    },
    Command {
        name: "help",
        arguments: "[COMMAND]",
        help: "print this text, or that of one command",
        parse: help,
    },
];

/// Parses the command line.
///
/// # Errors
/// A complete message for people: the wrong argument, and the usage of its command.
pub fn parse(mut parser: Parser) -> std::result::Result<Task, String> {
    let first = match parser.next() {
        Ok(Some(Arg::Value(word))) => word.to_string_lossy().into_owned(),
        Ok(None | Some(Arg::Short('h') | Arg::Long("help"))) => return Ok(Task::Help(None)),
        Ok(Some(other)) => {
            return Err(format!("xtask: {}; a command comes first: {}", other.unexpected(), names()));
        }
        Err(error) => return Err(format!("xtask: {error}")),
    };
    let command = find(&mut parser, &first).ok_or_else(|| no_command(&first))?;
    match (command.parse)(&mut parser) {
        Ok(Task::Help(None)) if command.name != "help" => Ok(Task::Help(Some(command.name))),
        Ok(task) => Ok(task),
        Err(error) => Err(format!("xtask {}: {error}\nusage: {}", command.name, command.usage())),
    }
}

/// Finds a command by its first word, and reads its second word if it has one.
fn find(parser: &mut Parser, first: &str) -> Option<&'static Command> {
    let command = |name: &str| COMMANDS.iter().find(|command| command.name == name);
    let second =
        parser.try_raw_args().and_then(|words| words.peek().map(|word| word.to_string_lossy().into_owned()));
    let longer = second.and_then(|second| command(&format!("{first} {second}")));
    if longer.is_some() {
        parser.try_raw_args().and_then(|mut words| words.next());
    }
    longer.or_else(|| command(first))
}

fn no_command(word: &str) -> String {
    format!("xtask: there is no command \"{word}\": the commands are {} (cargo xtask help)", names())
}

fn names() -> String {
    COMMANDS.map(|command| command.name).join(", ")
}

/// Returns the help text of one command, or of all.
pub fn help_text(name: Option<&str>) -> String {
    let chosen = COMMANDS.iter().filter(|command| name.is_none_or(|name| command.name == name));
    let texts =
        chosen.map(|command| format!("{}\n    {}\n", command.usage(), command.help.replace('\n', "\n    ")));
    let tools = "\nMissing tools are installed into $TABLETOP_TOOLS, or into the folder tabletop/tools of the user's cache.\n";
    texts.collect::<String>() + if name.is_none() { tools } else { "" }
}

impl Command {
    fn usage(&self) -> String {
        format!("cargo xtask {} {}", self.name, self.arguments).trim_end().to_string()
    }
}

fn serve(parser: &mut Parser) -> Result<Task> {
    let (mut port, mut open) = (None, false);
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("port") => port = Some(number(parser, "--port takes a number from 0 to 65535")?),
            Arg::Long("open") => open = true,
            other => return help_or_error(other),
        }
    }
    Ok(Task::Serve(Serve { port, open }))
}

fn dist(parser: &mut Parser) -> Result<Task> {
    let mut public_url = "./".to_string();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("public-url") => public_url = parser.value()?.string()?,
            other => return help_or_error(other),
        }
    }
    Ok(Task::Dist { public_url })
}

fn test(parser: &mut Parser) -> Result<Task> {
    let (mut kind, mut name) = (None, None);
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Value(word) if kind.is_none() => {
                let word = word.string()?;
                let parsed = Kind::parse(&word);
                kind = Some(parsed.ok_or_else(|| {
                    format!("the kinds of tests are native, fuzz, wasm and e2e, not \"{word}\"")
                })?);
            }
            Arg::Value(word) if name.is_none() => name = Some(word.string()?),
            other => return help_or_error(other),
        }
    }
    Ok(Task::Test { kinds: kind.map_or(Kind::ALL.to_vec(), |kind| vec![kind]), name })
}

fn fuzz(parser: &mut Parser) -> Result<Task> {
    let (mut target, mut seconds, mut input) = (None, 600, None);
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("seconds") => seconds = positive(parser, "--seconds takes a number of at least 1")?,
            Arg::Long("input") => input = Some(PathBuf::from(parser.value()?)),
            Arg::Value(word) if target.is_none() => {
                let found = fuzz::TARGETS.into_iter().find(|target| word == *target);
                let none = || format!("the targets are {}, not {word:?}", fuzz::TARGETS.join(", "));
                target = Some(found.ok_or_else(none)?);
            }
            other => return help_or_error(other),
        }
    }
    match (input, target) {
        (Some(input), Some(target)) => Ok(Task::FuzzInput { target, input }),
        (Some(_), None) => Err("--input needs the target that reads the file".into()),
        (None, target) => {
            Ok(Task::Fuzz { targets: target.map_or(fuzz::TARGETS.to_vec(), |target| vec![target]), seconds })
        }
    }
}

fn clients(parser: &mut Parser) -> Result<Task> {
    let mut name = None;
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Value(word) if name.is_none() => name = Some(word.string()?),
            other => return help_or_error(other),
        }
    }
    Ok(Task::Clients { name })
}

fn soak(parser: &mut Parser) -> Result<Task> {
    let (mut minutes, mut seed) = (10_u64, None);
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("minutes") => minutes = number(parser, "--minutes takes a number")?,
            Arg::Long("seed") => seed = Some(number(parser, "--seed takes a number")?),
            other => return help_or_error(other),
        }
    }
    Ok(Task::Soak { seconds: minutes.saturating_mul(60), seed })
}

fn pictures(parser: &mut Parser) -> Result<Task> {
    let mut options = Vec::new();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Value(word) if options.len() < 2 => options.push(word),
            other => return help_or_error(other),
        }
    }
    Ok(Task::Pictures { options })
}

fn bench(parser: &mut Parser) -> Result<Task> {
    let mut options = Vec::new();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("json") => options.extend(["--json".into(), parser.value()?]),
            other => return help_or_error(other),
        }
    }
    Ok(Task::Bench { options })
}

fn bench_engine(parser: &mut Parser) -> Result<Task> {
    let (mut natively, mut in_browser, mut options) = (true, true, Vec::new());
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("events") => {
                options.extend(["--events".into(), count(parser, "--events takes a number of at least 1")?]);
            }
            Arg::Long("rounds") => {
                options.extend(["--rounds".into(), count(parser, "--rounds takes a number of at least 1")?]);
            }
            Arg::Long("cache") => {
                options.extend([
                    "--cache".into(),
                    count(parser, "--cache takes a number of at least 1, in MiB")?,
                ]);
            }
            Arg::Long("tables") => options.extend(["--tables".into(), parser.value()?]),
            Arg::Long("clock") => options.extend(["--clock".into(), parser.value()?]),
            Arg::Long("json") => options.extend(["--json".into(), parser.value()?]),
            Arg::Long("only") => {
                let place = parser.value()?.string()?;
                if !["native", "browser"].contains(&place.as_str()) {
                    return Err(format!("--only takes native or browser, not \"{place}\"").into());
                }
                (natively, in_browser) = (place == "native", place == "browser");
                options.extend(["--only".into(), place.into()]);
            }
            other => return help_or_error(other),
        }
    }
    Ok(Task::BenchEngine(Comparison { natively, in_browser, options }))
}

fn bench_serve(parser: &mut Parser) -> Result<Task> {
    let mut options = Vec::new();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("rows") => {
                options.extend(["--rows".into(), count(parser, "--rows takes a number of at least 1")?]);
            }
            Arg::Long("json") => options.extend(["--json".into(), parser.value()?]),
            Arg::Long("only") => {
                let part = parser.value()?.string()?;
                if part != "page" {
                    return Err(format!("--only takes page, not \"{part}\"").into());
                }
                options.extend(["--only".into(), part.into()]);
            }
            other => return help_or_error(other),
        }
    }
    Ok(Task::BenchServe { options })
}

fn bench_large(parser: &mut Parser) -> Result<Task> {
    let mut options = Vec::new();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("gigabytes") => {
                options.extend([
                    "--gigabytes".into(),
                    count(parser, "--gigabytes takes a number of at least 1")?,
                ]);
            }
            Arg::Long(name @ ("values" | "folder")) => {
                let name = format!("--{name}").into();
                options.extend([name, parser.value()?]);
            }
            other => return help_or_error(other),
        }
    }
    Ok(Task::BenchLarge { options })
}

fn help(parser: &mut Parser) -> Result<Task> {
    match parser.next()? {
        None => Ok(Task::Help(None)),
        Some(Arg::Value(word)) => {
            let word = word.string()?;
            let command = find(parser, &word).ok_or_else(|| format!("there is no command \"{word}\""))?;
            without_arguments(parser, Task::Help(Some(command.name)))
        }
        Some(other) => help_or_error(other),
    }
}

fn without_arguments(parser: &mut Parser, task: Task) -> Result<Task> {
    parser.next()?.map_or(Ok(task), help_or_error)
}

/// Handles an argument that the command does not have.
fn help_or_error(argument: Arg<'_>) -> Result<Task> {
    match argument {
        Arg::Short('h') | Arg::Long("help") => Ok(Task::Help(None)),
        other => Err(other.unexpected()),
    }
}

/// Parses the value of an option as a number. Digits may be separated by `_` or `,`.
fn number<N: FromStr>(parser: &mut Parser, rule: &str) -> Result<N> {
    let text = parser.value()?.string()?;
    text.replace(['_', ','], "").parse().map_err(|_| format!("{rule}, not \"{text}\"").into())
}

/// Parses the value of an option as a number that is not 0.
fn positive(parser: &mut Parser, rule: &str) -> Result<u32> {
    match number(parser, rule)? {
        0 => Err(format!("{rule}, not 0").into()),
        number => Ok(number),
    }
}

/// Like [`positive`], for an option that is passed on.
fn count(parser: &mut Parser, rule: &str) -> Result<OsString> {
    Ok(positive(parser, rule)?.to_string().into())
}

#[cfg(test)]
mod tests;
