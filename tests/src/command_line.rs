//! The command lines of the programs that `cargo xtask` runs.

use std::process::ExitCode;

use lexopt::{Error, Parser, ValueExt};

/// Runs a program: parses its command line and does its work. `parse` returns `None` for `--help`.
///
/// The exit code is 2 if the command line is wrong, and 1 if the work fails.
pub fn run<T>(
    usage: &str,
    parse: impl FnOnce(&mut Parser) -> Result<Option<T>, Error>,
    work: impl FnOnce(T) -> Result<(), String>,
) -> ExitCode {
    let name = usage.split(' ').next().unwrap_or_default();
    let options = match parse(&mut Parser::from_env()) {
        Ok(Some(options)) => options,
        Ok(None) => {
            println!("usage: {usage}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("{name}: {error}\nusage: {usage}");
            return ExitCode::from(2);
        }
    };
    match work(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{name}: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Parses the value of an option as a number of at least `min`. Digits may be separated by `_` or
/// `,`.
pub fn number(parser: &mut Parser, option: &str, min: u64) -> Result<u64, Error> {
    let text = parser.value()?.string()?;
    let number = text.replace(['_', ','], "").parse().ok().filter(|number| *number >= min);
    number.ok_or_else(|| format!("{option} takes a number of at least {min}, not \"{text}\"").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_a_minimum() {
        let read = |value: &str| {
            let mut parser = Parser::from_args(["--rows", value]);
            parser.next().expect("an option");
            number(&mut parser, "--rows", 10).map_err(|error| error.to_string())
        };
        assert_eq!((read("10"), read("1_000"), read("20,000")), (Ok(10), Ok(1_000), Ok(20_000)));
        for value in ["9", "-1", "many", ""] {
            assert_eq!(read(value), Err(format!("--rows takes a number of at least 10, not \"{value}\"")));
        }
    }
}
