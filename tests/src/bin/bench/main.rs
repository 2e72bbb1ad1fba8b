//! Measures what a person notices, as a table and as JSON: `cargo xtask bench [--json FILE]`, which builds the page first.
//! Times depend on the machine, so the worker's times are printed next to those of the same code compiled natively. Exceeding a
//! budget is reported and is not a failure.

mod figures;
mod first_load;
mod native;
mod page;

use std::process::ExitCode;

use figures::Figures;
use tabletop_tests::browser::{Result, path_from};

fn main() -> ExitCode {
    match bench() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench: {message}");
            ExitCode::FAILURE
        }
    }
}

fn bench() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let json = match words[..] {
        [] => None,
        ["--json", file] => Some(file),
        _ => return Err(format!("takes nothing or --json FILE, not {words:?}")),
    };
    let dist = path_from("TABLETOP_DIST")?;
    let mut figures = Figures::default();
    first_load::sizes(&dist, &mut figures)?;
    first_load::times(&dist, &mut figures)?;
    page::edits(&dist, &mut figures)?;
    page::load_and_scan(&dist, &mut figures)?;
    native::load_and_scan(&mut figures)?;
    println!("{figures}");
    match json {
        Some(file) => std::fs::write(file, figures.json()).map_err(|error| format!("cannot write {file}: {error}")),
        None => Ok(()),
    }
}
