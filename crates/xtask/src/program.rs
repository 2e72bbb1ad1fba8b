//! Builds the program of the page: compiles it, binds it to JavaScript, splits it (crates/bundle)
//! and optimises its size.

use std::path::{Path, PathBuf};
use std::thread;

use crate::Result;
use crate::run::{cargo, run, target_folder, timed};
use crate::tools::{TARGET, Tools};

/// The list of functions that run early: `crates/bundle/src/list.rs`.
const EARLY: &str = "crates/app/early.txt";

/// The name of a program's files before the site renames them.
const NAME: &str = "program";

/// A program in the form that the page fetches.
pub struct Program {
    pub script: String,
    /// The part that is fetched first.
    pub early: Vec<u8>,
    /// The part that is fetched on demand.
    pub later: Option<Vec<u8>>,
    /// The name of the later part in the script.
    pub later_name: &'static str,
}

/// Builds the program in two parts.
pub fn split(tools: &Tools, wasm_opt: &[String]) -> Result<Program> {
    let linked = link()?;
    let folder = target_folder()?.join("page-program");
    timed("program bound and split in two (2 s; the first time 1 to 2 minutes, for wasm-bindgen)", || {
        bundle(&["split", &text(&linked), &text(&early_list()), &text(&folder), NAME])
    })?;
    let [early, later] = ["program_bg.wasm", "program_later.wasm"].map(|name| folder.join(name));
    timed("wasm-opt of both parts, and functions ordered (20 s)", || {
        let optimise = |file: &Path| {
            tools.wasm_opt(file, wasm_opt)?;
            bundle(&["order", &text(file)])
        };
        thread::scope(|scope| {
            let jobs = [&early, &later].map(|file| scope.spawn(|| optimise(file)));
            jobs.into_iter().try_for_each(|job| {
                job.join().unwrap_or_else(|_| Err("wasm-opt could not be waited for".into()))
            })
        })
    })?;
    let mut program = read(&folder)?;
    program.later = Some(bytes(&later)?);
    Ok(program)
}

/// Builds the program in one part, as plain Trunk does, but without wasm-opt.
pub fn whole() -> Result<Program> {
    let folder = target_folder()?.join("whole-program");
    bind(&link()?, &folder, NAME)?;
    read(&folder)
}

/// Builds the program with the pseudo-locale (crates/texts/src/pseudo.rs), in one part. What it
/// shows matters, not its size or speed: it is the build of the tests that run in a browser.
pub fn with_pseudo_locale() -> Result<Program> {
    timed("program with a pseudo-locale, not optimized (10 to 60 s; the first time 2 minutes)", || {
        // Features are named for packages of the command, so the crate of texts is one of them.
        run(cargo(&[
            "build",
            "--target",
            TARGET,
            "--package",
            "tabletop-app",
            "--package",
            "tabletop-texts",
            "--features",
            "tabletop-texts/pseudo-locale",
        ]))
    })?;
    let folder = target_folder()?.join("pseudo-program");
    bind(&target_folder()?.join(TARGET).join("debug/tabletop-app.wasm"), &folder, NAME)?;
    read(&folder)
}

/// A program in one part that records which of its functions run.
pub struct Recording {
    pub program: Program,
    linked: PathBuf,
    /// The file with the names of its functions, in the order of the records.
    pub names: PathBuf,
    /// The files for the names of the functions that run: in a first visit, and in all visits.
    pub ran: [PathBuf; 2],
}

/// Builds the program in the form that records.
pub fn recording() -> Result<Recording> {
    let linked = link()?;
    let folder = target_folder()?.join("profile-program");
    bundle(&["profile", &text(&linked), &text(&folder), NAME])?;
    let program = read(&folder)?;
    let ran = ["program.first", "program.ran"].map(|name| folder.join(name));
    Ok(Recording { program, linked, names: folder.join("program.names"), ran })
}

/// Writes the list of early functions again, if it is wrong for the recorded program.
pub fn correct_early_list(recorded: &Recording) -> Result<()> {
    let [first, all] = &recorded.ran;
    bundle(&["list", &text(&recorded.linked), &text(first), &text(all), &text(&early_list())])
}

/// Removes the list of early functions, so that the next one has only what runs in one recording.
pub fn forget_early_list() -> Result<()> {
    let file = early_list();
    std::fs::remove_file(&file).map_err(|error| format!("cannot remove {}: {error}", file.display()))
}

fn early_list() -> PathBuf {
    crate::root().join(EARLY)
}

/// Binds a linked program without splitting it.
pub fn bind(linked: &Path, folder: &Path, name: &str) -> Result<()> {
    bundle(&["bind", &text(linked), &text(folder), name])
}

/// Writes compressed twins next to the files of a site. Those of unchanged files are copied from
/// `old`.
pub fn compress(site: &Path, old: &Path) -> Result<()> {
    bundle(&["compress", &text(site), &text(old)])
}

/// Compiles and links the program. The result has what the split needs: complete names of
/// functions, and the linker's relocations.
fn link() -> Result<PathBuf> {
    timed("optimized build of the program (10 to 60 s; the first time 2 minutes)", || {
        let mut build =
            cargo(&["build", "--profile", "page", "--target", TARGET, "--package", "tabletop-app"]);
        // This variable overrides all other sources of flags, which are not meant for the page.
        build.env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\x1f"));
        run(build)
    })?;
    Ok(target_folder()?.join(TARGET).join("page/tabletop-app.wasm"))
}

/// The flags for distinct symbols of generic functions' instances, for relocations, for SIMD and
/// for inlining.
///
/// Instructions of 128 bits copy and compare values in fewer instructions (7 kB of gzip). All
/// browsers that have the synchronous files of `crates/worker/src/opfs.rs` have them, too (2023).
///
/// A function with a single caller is not inlined if it has more than about 150 instructions. LLVM
/// would inline up to 3,000, and code that never runs early would be fetched early together with
/// its caller. The costs are 20 times LLVM's own, and so are the thresholds; the bonus for a single
/// caller, which has no option, stays the same.
const FLAGS: [&str; 7] = [
    "-Csymbol-mangling-version=v0",
    "-Clink-arg=--emit-relocs",
    "-Ctarget-feature=+simd128",
    "-Cllvm-args=-inline-instr-cost=100",
    "-Cllvm-args=-inline-call-penalty=500",
    "-Cllvm-args=-inline-threshold=600",
    "-Cllvm-args=-inlinehint-threshold=6500",
];

fn bundle(arguments: &[&str]) -> Result<()> {
    run(cargo(&[&["run", "--quiet", "--package", "tabletop-bundle", "--"], arguments].concat()))
}

fn read(folder: &Path) -> Result<Program> {
    let script = crate::run::read(&folder.join("program.js"))?;
    Ok(Program {
        script,
        early: bytes(&folder.join("program_bg.wasm"))?,
        later: None,
        later_name: "program_later.wasm",
    })
}

fn bytes(file: &Path) -> Result<Vec<u8>> {
    std::fs::read(file).map_err(|error| format!("cannot read {}: {error}", file.display()))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
