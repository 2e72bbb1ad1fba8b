//! `tabletop serve`: the Bigtable API for programs, until somebody stops it.

use std::io::{self, ErrorKind, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use tabletop_model::{Code, Error, Result};
use tokio::net::TcpListener;

use crate::grpc;
use crate::host::{Host, system_clock};

/// Where Google's emulator is found, too.
pub const DEFAULT_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8086);

/// What is served where.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Port 0 takes any that is free.
    pub address: SocketAddr,
    /// Where tables are kept; without one they are in memory.
    pub data: Option<PathBuf>,
}

impl Default for ServeOptions {
    fn default() -> Self {
        ServeOptions { address: DEFAULT_ADDRESS, data: None }
    }
}

/// Serves until the process is told to stop (SIGINT, SIGTERM), finishes what is under way, and leaves the data folder as the
/// next start finds it. A second signal ends it at once. `out` is told where it serves, and what it found.
///
/// # Errors
/// When the address or the data folder is in use or cannot be had.
pub fn serve(options: &ServeOptions, out: &mut dyn Write) -> Result<()> {
    let host = match &options.data {
        Some(folder) => Host::open(folder, system_clock)?,
        None => Host::in_memory(system_clock),
    };
    let host = Arc::new(host);
    report_damage(&host, out)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(worker_threads()).enable_all().build();
    let runtime = runtime.map_err(|error| Error::new(Code::Unavailable, format!("no threads can be had: {error}")))?;
    let served = runtime.block_on(async {
        let listener = TcpListener::bind(options.address).await.map_err(|error| cannot_listen(options.address, &error))?;
        let address = listener.local_addr().map_err(|error| cannot_listen(options.address, &error))?;
        let mut signals = Signals::listen().map_err(|error| Error::new(Code::Unavailable, format!("no signals: {error}")))?;
        announce(out, address, options.data.as_deref()).map_err(cannot_print)?;
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let server = grpc::serve(listener, host.clone(), async {
            let _ = stopped.await;
        });
        tokio::pin!(server);
        tokio::select! {
            done = &mut server => return done,
            () = signals.next() => {}
        }
        let _ = stop.send(());
        writeln!(out, "Finishing what is under way; once more to stop at once.").map_err(cannot_print)?;
        tokio::select! {
            done = &mut server => done,
            () = signals.next() => Ok(()),
        }
    });
    // Tasks of clients that would not go end here. Long work that goes on is waited for, or refused.
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    host.close();
    served
}

/// Threads that answer calls as they come. The other half of the machine does what takes long, and compactions; and with more of these
/// than connections, a connection moves to and fro between them.
fn worker_threads() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().div_ceil(2))
}

fn announce(out: &mut dyn Write, address: SocketAddr, data: Option<&std::path::Path>) -> io::Result<()> {
    let kept = match data {
        Some(folder) => format!("tables are kept in {}", folder.display()),
        None => "tables are in memory and end with this program; --data DIR keeps them".into(),
    };
    writeln!(out, "Serving the Bigtable API at {address}; {kept}.")?;
    // A server that listens everywhere is reached here, too.
    let reached = match address.ip() {
        ip if ip.is_unspecified() => SocketAddr::new(Ipv4Addr::LOCALHOST.into(), address.port()),
        _ => address,
    };
    writeln!(out, "For clients in this shell:\n\n    export BIGTABLE_EMULATOR_HOST={reached}\n")?;
    writeln!(out, "Ctrl-C stops it.")?;
    out.flush()
}

/// Opens what is there, so that damage is told now and not to the first client.
fn report_damage(host: &Host, out: &mut dyn Write) -> Result<()> {
    for name in host.instances()? {
        let served = host.instance(&name)?;
        let recovery = served.recovery();
        let tables = recovery.tables.iter().flat_map(|table| table.damage.iter().map(move |error| (table.table.as_str(), error)));
        for (table, error) in tables.chain(recovery.damage.iter().map(|error| ("files", error))) {
            writeln!(out, "Damaged: {}/{} {table}: {error}", name.project, name.instance).map_err(cannot_print)?;
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

/// What asks the process to end.
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
        // Without it the process is ended by the system, and only by it.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
