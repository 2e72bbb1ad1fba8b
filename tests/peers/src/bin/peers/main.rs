//! `cargo xtask bench engine [--events N] [--rounds N] [--json FILE] [--only native|browser]`: compares this engine with its
//! peers, in one run on one machine. Only the ratios count: figures depend on the machine and its load.
//!
//! Each store runs each step in a new process, so that its memory is measured alone, on the same disk. Stores take turns, and the
//! medians of all rounds are reported.

mod browser;
mod figures;
mod native;

use std::process::ExitCode;

use figures::Figures;
use tabletop_peers::Result;

const USAGE: &str = "bench engine takes [--events N] [--rounds N] [--json FILE] [--only native|browser]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["--child", ref rest @ ..] => native::child(rest),
        _ => Settings::parse(&words).and_then(|settings| bench(&settings)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The options of the command line.
struct Settings<'a> {
    events: u64,
    rounds: u64,
    json: Option<&'a str>,
    native: bool,
    browser: bool,
}

impl<'a> Settings<'a> {
    fn parse(words: &[&'a str]) -> Result<Settings<'a>> {
        let mut settings = Settings { events: 200_000, rounds: 3, json: None, native: true, browser: true };
        let (pairs, rest) = words.as_chunks::<2>();
        if !rest.is_empty() {
            return Err(USAGE.into());
        }
        for [option, value] in pairs {
            let number = || value.replace(['_', ','], "").parse().ok().filter(|n| *n > 0).ok_or(USAGE);
            match (*option, *value) {
                ("--events", _) => settings.events = number()?,
                ("--rounds", _) => settings.rounds = number()?,
                ("--json", file) => settings.json = Some(file),
                ("--only", "native") => settings.browser = false,
                ("--only", "browser") => settings.native = false,
                _ => return Err(USAGE.into()),
            }
        }
        Ok(settings)
    }
}

fn bench(settings: &Settings<'_>) -> Result<()> {
    let mut figures = Figures::default();
    if settings.native {
        native::measure(settings.events, settings.rounds, &mut figures)?;
    }
    if settings.browser {
        browser::measure(settings.events, settings.rounds, &mut figures)?;
    }
    println!("{figures}");
    match settings.json {
        Some(file) => std::fs::write(file, figures.json()).map_err(|error| format!("cannot write {file}: {error}")),
        None => Ok(()),
    }
}
