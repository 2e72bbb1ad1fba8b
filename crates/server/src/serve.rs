//! `tabletop serve`: serves the Bigtable API until the process is stopped.

use std::io::{self, ErrorKind, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use tabletop_model::{Code, Error, Result};
use tokio::net::TcpListener;

use crate::grpc;
use crate::host::{Host, system_clock};

/// The instances that stay open after the start. Further ones are opened when a call asks for them.
const OPEN_INSTANCES: usize = 32;

/// The address that Google's emulator uses, too.
pub const DEFAULT_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8086);

/// The options of a server.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Port 0 means any free port.
    pub address: SocketAddr,
    /// The folder of the tables; `None` keeps them in memory.
    pub data: Option<PathBuf>,
}

impl Default for ServeOptions {
    fn default() -> Self {
        ServeOptions { address: DEFAULT_ADDRESS, data: None }
    }
}

/// Serves until a signal (SIGINT, SIGTERM) stops the process, completes the calls in progress, and closes the data folder. A
/// second signal stops the server immediately. Writes the address, and damage of the data folder, to `out`.
///
/// # Errors
/// `Unavailable` or `FailedPrecondition` when the address or the data folder is in use or cannot be used.
pub fn serve(options: &ServeOptions, out: &mut dyn Write) -> Result<()> {
    let host = match &options.data {
        Some(folder) => Host::open(folder, system_clock)?,
        None => Host::in_memory(system_clock),
    };
    let host = Arc::new(host);
    report_damage(&host, out)?;
    let api = grpc::Api::open(host.clone())?;
    for orphan in api.orphans() {
        writeln!(out, "Kept: {orphan}").map_err(cannot_print)?;
    }
    host.release(OPEN_INSTANCES);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(worker_threads()).enable_all().build();
    let runtime = runtime.map_err(|error| Error::new(Code::Unavailable, format!("no threads can be started: {error}")))?;
    let served = runtime.block_on(async {
        let listener = TcpListener::bind(options.address).await.map_err(|error| cannot_listen(options.address, &error))?;
        let address = listener.local_addr().map_err(|error| cannot_listen(options.address, &error))?;
        let mut signals =
            Signals::listen().map_err(|error| Error::new(Code::Unavailable, format!("signals cannot be received: {error}")))?;
        announce(out, address, options.data.as_deref()).map_err(cannot_print)?;
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let server = grpc::serve(listener, api, async {
            let _ = stopped.await;
        });
        tokio::pin!(server);
        tokio::select! {
            () = &mut server => return Ok(()),
            () = signals.next() => {}
        }
        let _ = stop.send(());
        writeln!(out, "Completing calls in progress; press Ctrl-C again to stop immediately.").map_err(cannot_print)?;
        tokio::select! {
            () = &mut server => {}
            () = signals.next() => {}
        }
        Ok(())
    });
    // Connections of clients that do not disconnect end here. Long work in progress is waited for, or refused.
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    host.close();
    served
}

/// Returns the number of threads that answer calls: half of the cores. The other half does long work and compactions. With more
/// threads than connections, a connection would move between threads.
fn worker_threads() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().div_ceil(2))
}

fn announce(out: &mut dyn Write, address: SocketAddr, data: Option<&std::path::Path>) -> io::Result<()> {
    let kept = match data {
        Some(folder) => format!("tables are kept in {}", folder.display()),
        None => "tables are in memory and end with this program; --data DIR keeps them".into(),
    };
    writeln!(out, "Serving the Bigtable API at {address}; {kept}.")?;
    // A server that listens on all addresses is reached at this one, too.
    let reached = match address.ip() {
        ip if ip.is_unspecified() => SocketAddr::new(Ipv4Addr::LOCALHOST.into(), address.port()),
        _ => address,
    };
    writeln!(out, "For clients in this shell:\n\n    export BIGTABLE_EMULATOR_HOST={reached}\n")?;
    writeln!(out, "Ctrl-C stops it.")?;
    out.flush()
}

/// Opens all instances, so that damage is reported at the start and not to the first client.
fn report_damage(host: &Host, out: &mut dyn Write) -> Result<()> {
    for name in host.instances()? {
        let served = host.instance(&name)?;
        let recovery = served.recovery();
        let tables = recovery.tables.iter().flat_map(|table| table.damage.iter().map(move |error| (table.table.as_str(), error)));
        let files = recovery.damage.iter().map(|error| ("files", error));
        let backups = recovery.damaged_backups.iter().map(|error| ("backup", error));
        for (table, error) in tables.chain(files).chain(backups) {
            writeln!(out, "Damaged: {}/{} {table}: {error}", name.project, name.instance).map_err(cannot_print)?;
        }
        for table in recovery.tables.iter().filter(|table| table.torn_bytes > 0) {
            let place = format!("{}/{} {}", name.project, name.instance, table.table);
            writeln!(out, "Incomplete: {place}: {}", table.torn()).map_err(cannot_print)?;
        }
    }
    Ok(())
}

fn cannot_listen(address: SocketAddr, error: &io::Error) -> Error {
    let what = match error.kind() {
        ErrorKind::AddrInUse => "another program uses that address: end it, or choose another with --address".to_string(),
        _ => error.to_string(),
    };
    Error::new(Code::Unavailable, format!("cannot listen at {address}: {what}"))
}

fn cannot_print(error: io::Error) -> Error {
    Error::new(Code::Unavailable, format!("cannot print: {error}"))
}

/// The signals that end the process.
struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

#[cfg(not(unix))]
impl Signals {
    fn listen() -> io::Result<Signals> {
        Ok(Signals {})
    }

    async fn next(&mut self) {
        // If this fails, only the operating system can end the process.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
