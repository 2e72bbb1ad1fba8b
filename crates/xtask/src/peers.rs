//! The engine beside the stores that a user might pick instead.

use crate::Result;
use crate::run::{cargo, run, timed};

/// Builds the program of the package `tabletop-peers`, and lets it measure.
pub fn bench(options: &[&str]) -> Result<()> {
    const PROGRAM: [&str; 5] = ["--profile", "native", "--quiet", "--package", "tabletop-peers"];
    timed("optimised build of the engine and its peers (the first time 1 to 3 minutes)", || {
        run(cargo(&[&["build"], &PROGRAM[..]].concat()))
    })?;
    let mut bench = cargo(&[&["run"], &PROGRAM[..], &["--bin", "peers", "--"]].concat());
    bench.args(options);
    run(bench)
}
