//! `cargo xtask bench engine [--events N] [--rounds N] [--json FILE] [--only native|browser]`: this engine and its peers, in
//! one run on one machine. What counts is the ratios: figures depend on the machine and on what else it does.
//!
//! Each store does each load in a process of its own, so that memory is its own, on the same disk; stores take turns, and
//! medians of all rounds are told.

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

/// What the person asked for.
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
