//! The program of the page: compiled, bound to JavaScript, cut in two (crates/bundle) and made small.

use std::path::{Path, PathBuf};
use std::thread;

use crate::Result;
use crate::run::{cargo, run, target_folder, timed};
use crate::tools::{TARGET, Tools};

/// The names of the functions that run early: what `cargo xtask profile` writes.
pub const PROFILE: &str = "crates/app/early.txt";

/// How the files of a program are named before the site names them.
const NAME: &str = "program";

/// A program as the page fetches it.
pub struct Program {
    pub script: String,
    /// What is fetched first.
    pub early: Vec<u8>,
    /// What is fetched when it is needed.
    pub later: Option<Vec<u8>>,
    /// How the script names that.
    pub later_name: &'static str,
}

/// Builds the program in two parts.
pub fn split(tools: &Tools, wasm_opt: &[String]) -> Result<Program> {
    let linked = link()?;
    let folder = target_folder()?.join("page-program");
    let profile = crate::root().join(PROFILE);
    timed("program bound and cut in two (2 s; the first time 1 to 2 minutes, for wasm-bindgen)", || {
        bundle(&["split", &text(&linked), &text(&profile), &text(&folder), NAME])
    })?;
    let [early, later] = ["program_bg.wasm", "program_later.wasm"].map(|name| folder.join(name));
    timed("wasm-opt of both parts (15 s)", || {
        thread::scope(|scope| {
            let jobs = [&early, &later].map(|file| scope.spawn(|| tools.wasm_opt(file, wasm_opt)));
            jobs.into_iter().try_for_each(|job| job.join().unwrap_or_else(|_| Err("wasm-opt could not be waited for".into())))
        })
    })?;
    let mut program = read(&folder)?;
    program.later = Some(bytes(&later)?);
    Ok(program)
}

/// Builds the program whole, so that it notes which of its functions run.
pub fn noting() -> Result<(Program, PathBuf)> {
    let linked = link()?;
    let folder = target_folder()?.join("noting-program");
    bundle(&["profile", &text(&linked), &text(&folder), NAME])?;
    Ok((read(&folder)?, folder.join("program.names")))
}

/// Binds a linked program whole.
pub fn bind(linked: &Path, folder: &Path, name: &str) -> Result<()> {
    bundle(&["bind", &text(linked), &text(folder), name])
}

/// Puts compressed twins beside the files of a site. Those of unchanged files are taken from `old`.
pub fn compress(site: &Path, old: &Path) -> Result<()> {
    bundle(&["compress", &text(site), &text(old)])
}

/// Compiles and links the program. What is needed to cut it comes with it: the names of the functions, with all that tells
/// them apart, and the linker's relocations.
fn link() -> Result<PathBuf> {
    timed("optimised build of the program (10 to 60 s; the first time 2 minutes)", || {
        let mut build = cargo(&["build", "--profile", "page", "--target", TARGET, "--package", "tabletop-app"]);
        // It comes before all other places for flags, which are not meant for the page.
        build.env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\x1f"));
        run(build)
    })?;
    Ok(target_folder()?.join(TARGET).join("page/tabletop-app.wasm"))
}

/// Symbols that tell the instances of a generic function apart, and relocations.
///
/// Functions with a single caller stay functions when they have more than some hundred instructions: LLVM would inline up to 3,000
/// of them, and what never runs early would be fetched early, with its caller. The costs are ten times LLVM's own, as are the
/// thresholds; the bonus for a single caller, which has no option, stays as it is.
const FLAGS: [&str; 6] = [
    "-Csymbol-mangling-version=v0",
    "-Clink-arg=--emit-relocs",
    "-Cllvm-args=-inline-instr-cost=50",
    "-Cllvm-args=-inline-call-penalty=250",
    "-Cllvm-args=-inline-threshold=300",
    "-Cllvm-args=-inlinehint-threshold=3250",
];

fn bundle(arguments: &[&str]) -> Result<()> {
    run(cargo(&[&["run", "--quiet", "--package", "tabletop-bundle", "--"], arguments].concat()))
}

fn read(folder: &Path) -> Result<Program> {
    let script = crate::run::read(&folder.join("program.js"))?;
    Ok(Program { script, early: bytes(&folder.join("program_bg.wasm"))?, later: None, later_name: "program_later.wasm" })
}

fn bytes(file: &Path) -> Result<Vec<u8>> {
    std::fs::read(file).map_err(|error| format!("cannot read {}: {error}", file.display()))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
