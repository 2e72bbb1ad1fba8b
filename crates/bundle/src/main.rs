//! Makes the page's files from the linked program. `cargo xtask` runs this program. It is not part
//! of xtask because the libraries of wasm-bindgen compile for a minute, and xtask must start
//! immediately.

mod bind;
mod compress;
mod list;
mod names;
mod order;
mod outline;
mod profile;
mod relocations;
mod result;
mod split;

use std::path::Path;
use std::process::ExitCode;

use bind::bind;
use list::{List, Ran};
use relocations::Linked;
use result::Result;

const USAGE: &str = "\
bundle bind IN.wasm FOLDER NAME             NAME.js and NAME_bg.wasm: the program and its bindings
bundle split IN.wasm LIST FOLDER NAME       the same in two parts: NAME_later.wasm is fetched on demand
bundle profile IN.wasm FOLDER NAME          the same, in a form that records which functions run; NAME.names lists the functions
bundle list IN.wasm FIRST RAN LIST          LIST for a program of which the functions in RAN ran early, if it is wrong for it:
                                            those in FIRST ran in a first visit
bundle order FILE.wasm                      puts similar functions next to each other, which compresses better
bundle compress FOLDER OLD                  .gz and .br next to each file that shrinks; unchanged ones are copied from OLD";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match command(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bundle: {message}");
            ExitCode::FAILURE
        }
    }
}

fn command(words: &[&str]) -> Result<()> {
    match words {
        ["bind", linked, folder, name] => whole(&read(linked)?, &Files { folder: Path::new(folder), name }),
        ["split", linked, list, folder, name] => {
            parts(&read(linked)?, list, &Files { folder: Path::new(folder), name })
        }
        ["profile", linked, folder, name] => {
            recording(&read(linked)?, &Files { folder: Path::new(folder), name })
        }
        ["list", linked, first, ran, list] => correct_list(&read(linked)?, &[first, ran], list),
        ["order", file] => {
            let ordered = order::order(&read(file)?)?;
            std::fs::write(file, ordered).map_err(|error| format!("cannot write {file}: {error}"))
        }
        ["compress", folder, old] => {
            compress::folder(Path::new(folder), Path::new(old)).map_err(|error| format!("{folder}: {error}"))
        }
        _ => Err(format!("the commands are:\n\n{USAGE}")),
    }
}

/// The most functions that are named when a list lacks them.
const LACKING_SHOWN: usize = 10;

/// The paths of a program's files.
struct Files<'a> {
    folder: &'a Path,
    name: &'a str,
}

impl Files<'_> {
    fn write(&self, kind: &str, bytes: &[u8]) -> Result<()> {
        let file = self.folder.join(format!("{}{kind}", self.name));
        let written = std::fs::create_dir_all(self.folder).and_then(|()| std::fs::write(&file, bytes));
        written.map_err(|error| format!("cannot write {}: {error}", file.display()))
    }
}

fn whole(linked: &[u8], files: &Files<'_>) -> Result<()> {
    let bound = bind(linked, files.name)?;
    files.write(".js", bound.js.as_bytes())?;
    files.write("_bg.wasm", &bound.wasm)
}

fn parts(linked: &[u8], list: &str, files: &Files<'_>) -> Result<()> {
    let program = Linked::parse(linked)?;
    let list = List::parse(&read_text(list)?)?;
    let early = list.early_of(&program);
    let bound = bind(linked, files.name)?;
    // wasm-bindgen renames some functions. A function with a name that only the linker has may run
    // early.
    let later = split::later_names(&bound.wasm, |symbol| early.has(symbol))?;
    let needed = program.needed(|symbol| !later.contains(&names::stable(symbol)));
    let wasm = outline::outline(&bound.wasm, |symbol| !early.has(symbol))?;
    let parts = split::split(&wasm, |symbol| !outline::is_cold(symbol) && early.has(symbol), &needed)?;
    let js = bound.with_imports_of(
        split::LOADER,
        "load",
        &include_str!("later.js").replace("LATER", &format!("{}_later.wasm", files.name)),
    )?;
    files.write(".js", js.as_bytes())?;
    files.write("_bg.wasm", &parts.early)?;
    files.write("_later.wasm", &parts.later)
}

fn recording(linked: &[u8], files: &Files<'_>) -> Result<()> {
    let bound = bind(linked, files.name)?;
    let recording = profile::record_calls(&bound.wasm)?;
    let names: Vec<String> = recording.names.iter().map(|symbol| names::stable(symbol)).collect();
    let js = include_str!("recorder.js");
    let js = js.replace("ADDRESS", &recording.address.to_string()).replace("COUNT", &names.len().to_string());
    files.write(".js", (bound.js + &js).as_bytes())?;
    files.write("_bg.wasm", &recording.wasm)?;
    files.write(".names", names.join("\n").as_bytes())
}

/// Writes the list of early functions again if it is wrong for a program. A list that does not
/// exist is empty.
fn correct_list(linked: &[u8], [first, ran]: &[&str; 2], file: &str) -> Result<()> {
    let [first, all] =
        [read_text(first)?, read_text(ran)?].map(|text| text.lines().map(str::to_string).collect());
    let ran = Ran { first, all };
    let list = if Path::new(file).exists() { List::parse(&read_text(file)?)? } else { List::default() };
    let linked = Linked::parse(linked)?;
    let Some(corrected) = list.corrected(&linked, &ran) else { return Ok(()) };
    eprintln!("bundle: {file} is written again: other functions run early now");
    for name in list.early_of(&linked).lacks(&ran).take(LACKING_SHOWN) {
        eprintln!("bundle: a first visit needs {name}");
    }
    std::fs::write(file, corrected.text()).map_err(|error| format!("cannot write {file}: {error}"))
}

fn read_text(file: &str) -> Result<String> {
    std::fs::read_to_string(file).map_err(|error| format!("cannot read {file}: {error}"))
}

fn read(file: &str) -> Result<Vec<u8>> {
    std::fs::read(file).map_err(|error| format!("cannot read {file}: {error}"))
}
