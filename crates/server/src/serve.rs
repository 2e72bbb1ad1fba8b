//! `tabletop serve`: serves the Bigtable API until the process is stopped.

mod socket;

use std::io::{self, ErrorKind, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tabletop_model::{Code, Error, Result, printable};
use tokio::net::TcpListener;

use crate::access::{Access, Token};
use crate::grpc::{self, Listener};
use crate::host::{DEFAULT_GC_DELAY, Host, Rounds, system_clock};
use crate::live::{Live, Page, PageFiles, PageToken, serve_page};
use crate::stats::{self, Stats};

/// The instances that stay open after the start. Other instances are opened when a call needs them,
/// or when they have garbage.
const OPEN_INSTANCES: usize = 32;
/// The time between two checks for garbage of closed instances.
const ROUND: Duration = Duration::from_secs(60);

/// The address that Google's emulator uses, too.
pub const DEFAULT_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8086);
/// The default address of the page.
pub const DEFAULT_PAGE_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8087);

/// The options of a server.
#[derive(Clone, Debug, Default)]
pub struct ServeOptions {
    /// The address for TCP; port 0 means any free port. If neither this nor a socket is set, it is
    /// [`DEFAULT_ADDRESS`].
    pub address: Option<SocketAddr>,
    /// The path of a Unix socket, which only this user can open.
    pub socket: Option<PathBuf>,
    /// The folder of the tables; `None` keeps them in memory.
    pub data: Option<PathBuf>,
    /// The file with the token that clients must send.
    pub token_file: Option<PathBuf>,
    /// The certificate and key of TLS, for TCP.
    pub tls: Option<TlsFiles>,
    /// Whether an address that other machines can reach may be used without a token.
    pub allow_anyone: bool,
    /// The address of statistics and of a health check over HTTP; `None` serves neither. Port 0
    /// means any free port.
    pub stats: Option<SocketAddr>,
    /// The page that shows what the server does; `None` serves no page.
    pub page: Option<PageOptions>,
    /// How long garbage that is worth a compaction may wait; [`DEFAULT_GC_DELAY`] if it is not set.
    pub gc_delay: Option<Duration>,
}

/// The options of the page.
#[derive(Clone, Debug)]
pub struct PageOptions {
    /// The address; port 0 means any free port.
    pub address: SocketAddr,
    /// The files of the page.
    pub files: PageFiles,
}

/// The files of TLS, in PEM.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The certificate, followed by its chain.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

impl ServeOptions {
    /// Returns the address for TCP, if the server has one.
    fn tcp(&self) -> Option<SocketAddr> {
        self.address.or(self.socket.is_none().then_some(DEFAULT_ADDRESS))
    }

    /// Loads what clients must present.
    fn access(&self) -> Result<Access> {
        let is_open = |address: &SocketAddr| {
            !is_of_this_machine(address.ip()) && self.token_file.is_none() && !self.allow_anyone
        };
        if let Some(address) = self.tcp().filter(is_open) {
            return Err(Error::new(
                Code::FailedPrecondition,
                format!(
                    "{address} can be reached from other machines, where anyone could read, change and delete all tables: \
                     require a token with --token-file, or allow it with --allow-anyone; a certificate encrypts the connection, \
                     it does not authenticate anyone"
                ),
            ));
        }
        if let Some(address) = self.stats.filter(is_open) {
            return Err(Error::new(
                Code::FailedPrecondition,
                format!(
                    "{address} can be reached from other machines, where anyone could read the names of all tables and how they are \
                     used: require a token with --token-file, or allow it with --allow-anyone"
                ),
            ));
        }
        // The page's own token is part of its address, which travels unencrypted. A token for
        // clients does not protect it.
        let page = self.page.as_ref().map(|page| page.address);
        if let Some(address) = page.filter(|address| !is_of_this_machine(address.ip()) && !self.allow_anyone)
        {
            return Err(Error::new(
                Code::FailedPrecondition,
                format!(
                    "{address} can be reached from other machines, and anyone who intercepts the address of the page could read, change \
                     and delete all tables: choose an address of this machine with --page, or allow it with --allow-anyone"
                ),
            ));
        }
        let mut access = Access::default();
        if let Some(file) = &self.token_file {
            access = access.with_token(Token::read(file)?);
        }
        match &self.tls {
            Some(TlsFiles { certificate, key }) => access.with_tls(certificate, key),
            None => Ok(access),
        }
    }
}

/// Serves until a signal (SIGINT, SIGTERM) stops the process, completes the calls in progress, and
/// closes the data folder. A second signal stops the server immediately. Writes the address, and
/// damage of the data folder, to `out`, and security risks to `warnings`.
///
/// # Errors
/// `Unavailable` or `FailedPrecondition` when the address or the data folder is in use or cannot be
/// used, or when anyone could connect and the options do not allow it.
pub fn serve(options: &ServeOptions, out: &mut dyn Write, warnings: &mut dyn Write) -> Result<()> {
    let access = options.access()?;
    // This comes before the data folder is opened.
    options.page.as_ref().map_or(Ok(()), |page| page.files.check())?;
    let host = match &options.data {
        Some(folder) => Host::open(folder, system_clock)?,
        None => Host::in_memory(system_clock),
    };
    if let Some(folder) = host.folder().filter(|folder| folder.is_read_only()) {
        let root = folder.root().display();
        let why = format!(
            "the data folder {root} is read-only: `tabletop export` and `tabletop cbt` read its tables"
        );
        return Err(Error::new(Code::FailedPrecondition, why));
    }
    let host = Arc::new(host.with_gc_delay(options.gc_delay.unwrap_or(DEFAULT_GC_DELAY)));
    report_damage(&host, out)?;
    let mut api = grpc::Api::open(host.clone())?;
    let stats = (options.stats.is_some() || options.page.is_some()).then(|| Arc::new(Stats::default()));
    if let Some(stats) = &stats {
        api = api.with_stats(stats.clone());
    }
    let live = options.page.is_some().then(|| Arc::new(Live::default()));
    if let Some(live) = &live {
        api = api.with_live(live.clone());
    }
    for orphan in api.orphans() {
        writeln!(out, "Kept: {}", printable(&orphan)).map_err(cannot_print)?;
    }
    for missing in api.missing() {
        writeln!(out, "Missing: {}", printable(&missing)).map_err(cannot_print)?;
    }
    host.release(OPEN_INSTANCES);
    let (end_of_rounds, rounds) = start_rounds(host.clone());
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(worker_threads()).enable_all().build();
    let runtime = runtime
        .map_err(|error| Error::new(Code::Unavailable, format!("no threads can be started: {error}")))?;
    let served = runtime.block_on(async {
        let mut listener = Listener::default();
        if let Some(address) = options.tcp() {
            listener.tcp = Some(
                TcpListener::bind(address)
                    .await
                    .map_err(|error| cannot_listen(address, "--address", &error))?,
            );
        }
        let mut more = More::default();
        if let Some((address, stats)) = options.stats.zip(stats) {
            let listener = TcpListener::bind(address)
                .await
                .map_err(|error| cannot_listen(address, "--stats", &error))?;
            more.stats = listener.local_addr().ok();
            tokio::spawn(stats::serve(listener, stats::Page::new(api.clone(), stats, access.clone())));
        }
        let socket = options.socket.as_deref().map(|path| socket::bind(path, &mut listener)).transpose()?;
        let (stop_page, page_stopped) = tokio::sync::oneshot::channel::<()>();
        let mut page_task = None;
        if let Some((page, live)) = options.page.as_ref().zip(live) {
            let address = page.address;
            let listening =
                TcpListener::bind(address).await.map_err(|error| cannot_listen(address, "--page", &error))?;
            let places = places(options, &listener).map_err(cannot_print)?.join(" and ");
            let page = Page::new(api.clone(), live, page.files.clone(), PageToken::new()?, places)?;
            more.page = listening.local_addr().ok().map(|address| page.url(reached(address)));
            page_task = Some(tokio::spawn(serve_page(listening, page, async {
                let _ = page_stopped.await;
            })));
        }
        let mut signals = Signals::listen()
            .map_err(|error| Error::new(Code::Unavailable, format!("signals cannot be received: {error}")))?;
        warn(warnings, options).map_err(cannot_print)?;
        announce(out, options, &listener, &more).map_err(cannot_print)?;
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let server = grpc::serve(listener, api, access, async {
            let _ = stopped.await;
        });
        tokio::pin!(server);
        tokio::select! {
            () = &mut server => return Ok(()),
            () = signals.next() => {}
        }
        drop(socket);
        let _ = stop.send(());
        drop(stop_page);
        writeln!(out, "Completing calls in progress; press Ctrl-C again to stop immediately.")
            .map_err(cannot_print)?;
        tokio::select! {
            () = &mut server => {}
            () = signals.next() => {}
        }
        if let Some(page) = page_task {
            let _ = page.await;
        }
        Ok(())
    });
    // Connections of clients that do not disconnect end here. Long work in progress is waited for,
    // or rejected.
    runtime.shutdown_timeout(Duration::from_secs(2));
    host.close();
    drop(end_of_rounds);
    // This ends soon, because a closed host opens no more instances.
    rounds.map(JoinHandle::join);
    served
}

/// Starts the thread that collects the garbage of closed instances. It ends when the sender is
/// dropped. Without the thread, this garbage waits for a call that opens its instance.
fn start_rounds(host: Arc<Host>) -> (Sender<()>, Option<JoinHandle<()>>) {
    let (end, has_ended) = channel();
    let mut rounds = Rounds::default();
    let work = move || {
        while has_ended.recv_timeout(ROUND) == Err(RecvTimeoutError::Timeout) {
            // What cannot be read now is read in the next round.
            let _ = rounds.round(&host);
            host.fill_reserve();
        }
    };
    (end, std::thread::Builder::new().name("rounds".into()).spawn(work).ok())
}

/// Returns whether only programs on this machine can reach an address.
fn is_of_this_machine(ip: IpAddr) -> bool {
    ip.to_canonical().is_loopback()
}

/// Returns the number of threads that answer calls: half of the cores. The other half does long
/// work and compactions. With more threads than connections, a connection would move between
/// threads.
fn worker_threads() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().div_ceil(2))
}

/// Warns of tokens that others can intercept.
fn warn(warnings: &mut dyn Write, options: &ServeOptions) -> io::Result<()> {
    let is_of_others =
        |address: Option<SocketAddr>| address.is_some_and(|address| !is_of_this_machine(address.ip()));
    if is_of_others(options.stats) && options.token_file.is_some() {
        writeln!(
            warnings,
            "Warning: --stats has no TLS: tokens sent from other machines to read statistics travel unencrypted."
        )?;
    }
    if is_of_others(options.tcp()) && options.token_file.is_some() && options.tls.is_none() {
        writeln!(
            warnings,
            "Warning: without --tls-cert and --tls-key, the token and all data travel unencrypted, and anyone who intercepts the token \
             can use it."
        )?;
    }
    Ok(())
}

/// What is served in addition to the API.
#[derive(Default)]
struct More {
    stats: Option<SocketAddr>,
    /// The page's address with the token.
    page: Option<String>,
}

/// Returns where clients reach the API.
fn places(options: &ServeOptions, listener: &Listener) -> io::Result<Vec<String>> {
    let tcp = listener.tcp.as_ref().map(TcpListener::local_addr).transpose()?;
    let places = [
        tcp.map(|address| address.to_string()),
        options.socket.as_ref().map(|path| path.display().to_string()),
    ];
    Ok(places.into_iter().flatten().collect())
}

fn announce(out: &mut dyn Write, options: &ServeOptions, listener: &Listener, more: &More) -> io::Result<()> {
    let kept = match &options.data {
        Some(folder) => format!("tables are stored in {}", folder.display()),
        None => {
            "tables are in memory and are lost when this program ends; use --data DIR to keep them".into()
        }
    };
    let tcp = listener.tcp.as_ref().map(TcpListener::local_addr).transpose()?;
    let places = places(options, listener)?.join(" and ");
    writeln!(out, "Serving the Bigtable API at {}; {}.", printable(&places), printable(&kept))?;
    if let Some(address) = tcp {
        let clients = if is_of_this_machine(address.ip()) {
            "every user on this machine"
        } else {
            "anyone who can reach this address"
        };
        if options.token_file.is_none() {
            writeln!(out, "Without --token-file, {clients} may read, change and delete all tables.")?;
        }
    }
    if let Some(page) = &more.page {
        writeln!(out, "The page is at {page} (anyone who has this address may do what a client may).")?;
    }
    if let Some(address) = more.stats.map(reached) {
        writeln!(
            out,
            "Statistics are at http://{address}/metrics, and http://{address}/healthz reports whether the server is healthy."
        )?;
    }
    let (shown, is_emulator) = match (tcp.map(reached), &options.socket) {
        (Some(address), _) => (address.to_string(), options.tls.is_none()),
        (None, socket) => (format!("unix:{}", socket.as_deref().unwrap_or(Path::new("")).display()), true),
    };
    if is_emulator && options.token_file.is_none() {
        writeln!(
            out,
            "For clients in this shell:\n\n    export BIGTABLE_EMULATOR_HOST={}\n",
            printable(&shown)
        )?;
    } else {
        let scheme = if is_emulator { "without" } else { "with" };
        writeln!(
            out,
            "Clients connect to {} {scheme} TLS, and not by BIGTABLE_EMULATOR_HOST.",
            printable(&shown)
        )?;
    }
    writeln!(out, "Press Ctrl-C to stop.")?;
    out.flush()
}

/// Returns the address at which this machine reaches a server, even one that listens on all
/// addresses.
fn reached(address: SocketAddr) -> SocketAddr {
    match address.ip() {
        ip if ip.is_unspecified() => SocketAddr::new(Ipv4Addr::LOCALHOST.into(), address.port()),
        _ => address,
    }
}

/// Opens all instances, so that damage is reported at the start and not to the first client.
fn report_damage(host: &Host, out: &mut dyn Write) -> Result<()> {
    for name in host.instances()? {
        let served = host.instance(&name)?;
        let recovery = served.recovery();
        let tables = recovery
            .tables
            .iter()
            .flat_map(|table| table.damage.iter().map(move |error| (table.table.as_str(), error)));
        let files = recovery.damage.iter().map(|error| ("files", error));
        let backups = recovery.damaged_backups.iter().map(|error| ("backup", error));
        for (table, error) in tables.chain(files).chain(backups) {
            let error = error.to_string();
            writeln!(out, "Damaged: {}/{} {table}: {}", name.project, name.instance, printable(&error))
                .map_err(cannot_print)?;
        }
        for table in recovery.tables.iter().filter(|table| table.torn_bytes > 0) {
            let place = format!("{}/{} {}", name.project, name.instance, table.table);
            writeln!(out, "Incomplete: {place}: {}", printable(&table.torn())).map_err(cannot_print)?;
        }
    }
    Ok(())
}

fn cannot_listen(address: SocketAddr, option: &str, error: &io::Error) -> Error {
    let what = match error.kind() {
        ErrorKind::AddrInUse => {
            format!("another program uses that address: stop it, or choose another address with {option}")
        }
        _ => error.to_string(),
    };
    Error::new(Code::Unavailable, format!("cannot listen on {address}: {what}"))
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
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
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
