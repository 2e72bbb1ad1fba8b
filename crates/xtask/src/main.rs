//! `cargo xtask`: builds, serves and tests Tabletop, and installs the tools that are missing (see `tools`).

mod check;
mod clients;
mod csp;
mod fuzz;
mod page;
mod peers;
mod program;
mod run;
mod site;
mod test;
mod toolchain;
mod tools;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask serve [--port N] [--open]   build the page, optimised, and serve it on this machine
cargo xtask dist [--public-url URL]     build the static site into dist/; by default it works under any path
cargo xtask check                       check format, lints, documentation, licences and dependencies, without tests
cargo xtask test [native|fuzz|wasm|e2e [NAME]]
                                        run all tests, or those of one kind (whose names contain NAME);
                                        with UPDATE=1, write the expected answers instead of comparing them
cargo xtask fuzz [TARGET] [--seconds N] [--input FILE]
                                        look for inputs that break the readers of texts, requests and files, longer than
                                        the tests do, or run one input again
cargo xtask clients [NAME]              call the whole API of the server with Google's Python client, and run the code
                                        that designs are exported as with it and the Node.js client
cargo xtask soak [--minutes N] [--seed N]
                                        let clients write and read while the server is killed repeatedly, and check
                                        that all acknowledged writes are there
cargo xtask profile                     record which functions run early, so that the page fetches them first
cargo xtask bench [--json FILE]         measure the figures that have budgets, and print a table
cargo xtask bench engine [--events N] [--rounds N] [--json FILE] [--only native|browser]
                                        compare the engine with fjall, LMDB and SQLite, and in the browser with
                                        sqlite-wasm and duckdb-wasm
cargo xtask bench serve [--rows N] [--json FILE]
                                        measure the server, and Google's emulator if cbtemulator is installed
cargo xtask csp                         add script hashes to the page's policy; called by Trunk at the end of a build

Missing tools are installed into $TABLETOP_TOOLS, or into the folder tabletop/tools of the user's cache.";

/// The result of a command. The error is a complete message for people: what failed and what to do.
type Result<T> = std::result::Result<T, String>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match command(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn command(words: &[&str]) -> Result<()> {
    match words {
        ["serve", options @ ..] => {
            let mut port = None;
            let mut open = false;
            let mut options = options.iter();
            while let Some(option) = options.next() {
                match *option {
                    "--open" => open = true,
                    "--port" => port = Some(port_number(options.next().copied().unwrap_or(""))?),
                    other => return Err(unknown(other)),
                }
            }
            site::serve(port, open)
        }
        ["dist"] => site::dist("./").map(drop),
        ["dist", "--public-url", url] => site::dist(url).map(drop),
        ["check"] => check::run(),
        ["test"] => test::run(&test::Kind::ALL, None),
        ["test", kind] => test::run(&[test::Kind::parse(kind).ok_or_else(|| unknown(kind))?], None),
        ["test", kind, name] => test::run(&[test::Kind::parse(kind).ok_or_else(|| unknown(kind))?], Some(name)),
        ["profile"] => site::profile(),
        ["clients"] => clients::official(None),
        ["clients", name] => clients::official(Some(name)),
        ["soak", options @ ..] => clients::soak(options),
        ["fuzz", options @ ..] => fuzz::command_line(options),
        ["bench", "engine", options @ ..] => peers::bench(options),
        ["bench", "serve", options @ ..] => clients::bench(options),
        ["bench", options @ ..] => site::bench(options),
        ["csp"] => csp::hook(),
        [] | ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        [first, ..] => Err(unknown(first)),
    }
}

fn port_number(text: &str) -> Result<u16> {
    text.parse().map_err(|_| format!("--port takes a number from 0 to 65535, not \"{text}\""))
}

fn unknown(word: &str) -> String {
    format!("unknown command or option \"{word}\". The commands are:\n\n{USAGE}")
}

/// Returns the workspace's folder. (Cargo passes it to the programs that it runs. Two clones that share a target folder share one
/// program.)
fn root() -> PathBuf {
    let ours = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&ours).join("../..")
}
