//! Figures of `tabletop serve`, measured by a client in another process: `cargo xtask bench serve`. If Google's emulator is
//! installed, it is measured in the same run.

mod figures;
mod link;
mod work;

use std::path::PathBuf;
use std::process::ExitCode;

use figures::Figures;
use tabletop_tests::server::Server;

/// Errors are messages for the person.
type Result<T> = std::result::Result<T, String>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match bench(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench serve: {message}");
            ExitCode::FAILURE
        }
    }
}

fn bench(arguments: &[String]) -> Result<()> {
    let mut rows = 1_000_000;
    let mut json = None;
    let mut arguments = arguments.iter();
    while let Some(option) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{option} takes a value"));
        match option.as_str() {
            "--rows" => {
                let count = value()?.parse().ok().filter(|count| *count >= work::BATCH_ROWS);
                rows = count.ok_or_else(|| format!("--rows takes a number from {} on", work::BATCH_ROWS))?;
            }
            "--json" => json = Some(value()?.clone()),
            other => return Err(format!("takes --rows N and --json FILE, not \"{other}\"")),
        }
    }
    let program = PathBuf::from(std::env::var_os("TABLETOP").ok_or("TABLETOP must be the path of the program")?);
    // One thread sends and receives: the server needs the other cores.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("no runtime: {error}"))?;
    let mut figures = Figures::new(rows);
    let mut measure = |name: &'static str, server: Server| {
        eprintln!("bench serve: {name} …");
        let measured = runtime.block_on(work::measure(&server, rows, |work, value| figures.add(name, work, value)));
        measured.map_err(|error| format!("{name}: {error}"))
    };
    measure(figures::OURS, Server::tabletop(&program, &Server::free_address()?, None)?)?;
    let folder = std::env::temp_dir().join(format!("tabletop-bench-{}", std::process::id()));
    let on_disk = Server::tabletop(&program, &Server::free_address()?, Some(&folder));
    let on_disk = on_disk.and_then(|server| measure(figures::ON_DISK, server));
    // The folder is of no use after the run.
    std::fs::remove_dir_all(&folder).ok();
    on_disk?;
    match Server::find_emulator() {
        Some(emulator) => measure(figures::EMULATOR, Server::emulator(&emulator, &Server::free_address()?)?)?,
        None => eprintln!("bench serve: no cbtemulator is installed: compared with its figures on the machine of the goals"),
    }
    println!("{figures}");
    match json {
        Some(file) => std::fs::write(&file, figures.json()).map_err(|error| format!("cannot write {file}: {error}")),
        None => Ok(()),
    }
}
