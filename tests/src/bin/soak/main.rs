//! Mixed traffic of several clients against `tabletop serve --data`, which is killed repeatedly:
//! `cargo xtask soak`. The reference model then checks that exactly the acknowledged writes are
//! found.

mod client;
mod traffic;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use client::Client;
use lexopt::{Arg, Parser};
use tabletop_model::{ColumnFamily, Response, TableRequest, TableSpec};
use tabletop_tests::command_line;
use tabletop_tests::faulty::chance;
use tabletop_tests::server::Server;
use tabletop_tests::{Database, Remote};
use tempfile::TempDir;

/// Number of concurrent clients, each with its own rows in one table.
const CLIENTS: u64 = 6;
/// Families that all clients share.
const FAMILIES: [&str; 2] = ["f", "n"];
const TABLE: &str = "soak";

/// State shared by the clients and the thread that kills the server.
#[derive(Debug, Default)]
struct Shared {
    /// The number of kills, counted before the kill.
    ends: AtomicU64,
    /// The number of restarts, counted after the start.
    returns: AtomicU64,
    is_over: AtomicBool,
    /// Whether a client has found an error.
    has_failed: AtomicBool,
}

/// The options of the command line.
struct Options {
    seconds: u64,
    seed: u64,
}

fn main() -> ExitCode {
    command_line::run("soak --seconds N [--seed N]", parse, |options| {
        let folder = TempDir::with_prefix("tabletop-soak-")
            .map_err(|error| format!("no temporary folder: {error}"))?;
        soak(options.seconds, options.seed, folder.path()).map_err(|message| {
            // The files of a failed run are kept for inspection.
            format!("{message}\nsoak: FAILED; the files are in {}", folder.keep().display())
        })
    })
}

fn parse(parser: &mut Parser) -> Result<Option<Options>, lexopt::Error> {
    let (mut seconds, mut seed) = (None, std::process::id().into());
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("seconds") => seconds = Some(command_line::number(parser, "--seconds", 0)?),
            Arg::Long("seed") => seed = command_line::number(parser, "--seed", 0)?,
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    let seconds = seconds.ok_or("--seconds is missing")?;
    Ok(Some(Options { seconds, seed }))
}

fn soak(seconds: u64, seed: u64, folder: &Path) -> Result<(), String> {
    let program =
        PathBuf::from(std::env::var_os("TABLETOP").ok_or("TABLETOP must be the path of the program")?);
    eprintln!("soak: {CLIENTS} clients for {seconds} s, seed {seed}");
    let address = Server::free_address()?;
    let mut server = Server::tabletop(&program, &address, Some(folder))?;
    let families = FAMILIES.map(ColumnFamily::new).to_vec();
    let create = TableRequest::Create(TableSpec { families, ..TableSpec::default() }).of(TABLE);
    match Remote::to(&address).handle(0, create) {
        Response::Done => {}
        other => return Err(format!("the table was not created: {other:?}")),
    }
    let shared = Arc::new(Shared::default());
    let clients: Vec<_> = (0..CLIENTS)
        .map(|id| {
            let (shared, address) = (shared.clone(), address.clone());
            std::thread::spawn(move || {
                let done = Client::new(id, seed, &address).run(&shared);
                shared.has_failed.fetch_or(done.is_err(), Ordering::SeqCst);
                done
            })
        })
        .collect();
    let killed = end_again_and_again(&program, folder, server, &shared, seed, Duration::from_secs(seconds));
    shared.is_over.store(true, Ordering::SeqCst);
    let (mut operations, mut unknown) = (0, 0);
    let mut failures = Vec::new();
    for client in clients {
        match client.join() {
            Ok(Ok(count)) => (operations, unknown) = (operations + count.operations, unknown + count.unknown),
            Ok(Err(failure)) => failures.push(failure),
            Err(_) => failures.push("a client has panicked, see above".into()),
        }
    }
    server = killed?;
    if !failures.is_empty() {
        return Err(failures.join("\nsoak: "));
    }
    server.stop()?;
    let ends = shared.ends.load(Ordering::SeqCst);
    eprintln!(
        "soak: {operations} operations, {ends} ends of the server, {unknown} operations of unknown outcome; all others were found"
    );
    Ok(())
}

/// Kills the server, or sometimes stops it gracefully, and starts it again.
fn end_again_and_again(
    program: &Path,
    folder: &Path,
    mut server: Server,
    shared: &Shared,
    seed: u64,
    time: Duration,
) -> Result<Server, String> {
    let mut chance = chance(seed);
    let start = Instant::now();
    while start.elapsed() < time && !shared.has_failed.load(Ordering::SeqCst) {
        // Sometimes soon after the start, while files are being opened and work resumes.
        let most = if chance(4) == 0 { 300 } else { 5_000 };
        let pause = Duration::from_millis(50 + chance(most));
        std::thread::sleep(pause.min(time.saturating_sub(start.elapsed())));
        let address = server.address.clone();
        shared.ends.fetch_add(1, Ordering::SeqCst);
        if chance(5) == 0 {
            server.stop()?;
        } else {
            server.kill();
        }
        server = Server::tabletop(program, &address, Some(folder))?;
        shared.returns.fetch_add(1, Ordering::SeqCst);
    }
    Ok(server)
}
