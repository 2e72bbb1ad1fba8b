//! Measures what `tabletop serve --page` costs the calls of clients, on three servers with the same
//! rows: one without the page, one with it, and one with a page that is connected. Each round
//! measures all three, beginning with a different one, so that a slow moment of the machine affects
//! all of them.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tabletop_model::{Error, wire};
use tabletop_protocol::{
    Answer, Ask, JobAsk, LIVE_PATH, LIVE_PROTOCOL, LIVE_TOKEN_PREFIX, LiveHave, LiveTable, LiveTableView,
    RunId, Slice, WatchTable,
};
use tabletop_tests::server::{PageAddress, Server};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::Result;
use crate::figures::number;
use crate::link::Link;
use crate::work;

/// Rows of each table.
const ROWS: u64 = 100_000;
const ROUNDS: usize = 15;
/// The pause between two requests of a page.
const PAUSE: Duration = Duration::from_secs(1);
/// The time between two checks of whether a page still watches.
const TICK: Duration = Duration::from_millis(10);

/// A server of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Plain,
    Counted,
    Watched,
}

const KINDS: [Kind; 3] = [Kind::Plain, Kind::Counted, Kind::Watched];

/// The figures of all rounds, by work and server.
#[derive(Debug, Default)]
pub struct PageFigures(BTreeMap<(usize, Kind), Vec<f64>>);

/// The figures of a round, with their units.
const LINES: [(&str, &str); 6] = [
    ("point reads, 16 in flight", "rows/s"),
    ("  their p99", "ms"),
    ("MutateRow, 16 in flight", "rows/s"),
    ("  their p99", "ms"),
    ("full scan", "rows/s"),
    ("MutateRows, 1,000 rows a batch", "rows/s"),
];

/// Measures all rounds.
pub fn measure(program: &Path, runtime: &tokio::runtime::Runtime) -> Result<PageFigures> {
    let files = TempDir::new().map_err(|error| format!("no temporary folder: {error}"))?;
    std::fs::write(files.path().join("index.html"), "<p>page")
        .map_err(|error| format!("no file: {error}"))?;
    let mut servers = Vec::new();
    for kind in KINDS {
        let (server, page) = match kind {
            Kind::Plain => (Server::tabletop(program, &Server::free_address()?, None)?, None),
            _ => Server::with_page(program, &Server::free_address()?, files.path())
                .map(|(server, page)| (server, Some(page)))?,
        };
        let link = runtime.block_on(Link::to(&server.address))?;
        // Its connection lives as long as the runtime.
        runtime.block_on(work::fill(&link, ROWS))?;
        let page = page.filter(|_| kind == Kind::Watched).map(Watching::start);
        servers.push((kind, server, link, page));
    }
    let mut figures = PageFigures::default();
    for round in 0..ROUNDS {
        for at in 0..servers.len() {
            let count = servers.len();
            let (kind, _, link, page) = &mut servers[(round + at) % count];
            page.as_ref().map_or(Ok(()), |page| page.watch(true))?;
            let measured = runtime.block_on(work::round(link, ROWS))?;
            page.as_ref().map_or(Ok(()), |page| page.watch(false))?;
            for (line, value) in measured.into_iter().enumerate() {
                figures.0.entry((line, *kind)).or_default().push(value);
            }
        }
    }
    for (.., page) in servers {
        page.map_or(Ok(()), Watching::end)?;
    }
    Ok(figures)
}

impl PageFigures {
    fn median(&self, line: usize, kind: Kind) -> f64 {
        self.0.get(&(line, kind)).map_or(f64::NAN, |values| median(values.clone()))
    }

    /// Returns the median over the rounds of the ratio to the server without the page.
    fn ratio(&self, line: usize, kind: Kind) -> f64 {
        let of = |kind| self.0.get(&(line, kind)).into_iter().flatten();
        median(of(kind).zip(of(Kind::Plain)).map(|(value, plain)| value / plain).collect())
    }

    /// All figures as JSON.
    pub fn json(&self) -> Vec<Value> {
        let line = |(at, (work, unit)): (usize, &(&str, &str))| {
            let [plain, counted, watched] = KINDS.map(|kind| self.median(at, kind));
            let [_, counted_ratio, watched_ratio] = KINDS.map(|kind| self.ratio(at, kind));
            json!({
                "work": format!("page: {}", work.trim()), "unit": unit, "rows": ROWS, "rounds": ROUNDS, "tabletop": plain,
                "with_page": counted, "with_page_ratio": counted_ratio,
                "with_page_connected": watched, "with_page_connected_ratio": watched_ratio,
            })
        };
        LINES.iter().enumerate().map(line).collect()
    }
}

impl fmt::Display for PageFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "What --page costs: {ROWS} rows, medians of {ROUNDS} rounds that alternate\n")?;
        writeln!(
            f,
            "{:51} {:>12} {:>12} {:>6} {:>12} {:>6}",
            "", "Tabletop", "with --page", "", "connected", ""
        )?;
        for (at, (work, unit)) in LINES.into_iter().enumerate() {
            let [plain, counted, watched] = KINDS.map(|kind| number(self.median(at, kind)));
            let [_, counted_ratio, watched_ratio] = KINDS.map(|kind| self.ratio(at, kind));
            let work = format!("{work}, {unit}");
            writeln!(
                f,
                "{work:51} {plain:>12} {counted:>12} {counted_ratio:>5.2}x {watched:>12} {watched_ratio:>5.2}x"
            )?;
        }
        Ok(())
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// A page that, while it watches, requests once a second what clients do to the table. It has its
/// own thread, as a browser has its own process.
struct Watching {
    watches: Arc<AtomicBool>,
    ends: Arc<AtomicBool>,
    thread: JoinHandle<Result<u32>>,
}

impl Watching {
    fn start(page: PageAddress) -> Watching {
        let (watches, ends) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let flags = (watches.clone(), ends.clone());
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime
                .map_err(|error| format!("no runtime: {error}"))?
                .block_on(watch(&page, &flags.0, &flags.1))
        });
        Watching { watches, ends, thread }
    }

    /// Begins or stops watching.
    fn watch(&self, watches: bool) -> Result<()> {
        self.watches.store(watches, Ordering::SeqCst);
        if self.thread.is_finished() { Err("the page is not connected any more".into()) } else { Ok(()) }
    }

    fn end(self) -> Result<()> {
        self.ends.store(true, Ordering::SeqCst);
        match self.thread.join().map_err(|_| "the page has panicked")?? {
            0 => Err("the page has asked nothing".into()),
            _ => Ok(()),
        }
    }
}

/// Requests slices until the end. Returns how many.
async fn watch(page: &PageAddress, watches: &AtomicBool, ends: &AtomicBool) -> Result<u32> {
    let failed = |error: &dyn fmt::Display| format!("the page: {error}");
    let mut request =
        format!("ws://{}{LIVE_PATH}", page.address).into_client_request().map_err(|error| failed(&error))?;
    let protocols = format!("{LIVE_PROTOCOL}, {LIVE_TOKEN_PREFIX}{}", page.token);
    for (name, value) in
        [("origin", format!("http://{}", page.address)), ("sec-websocket-protocol", protocols)]
    {
        request.headers_mut().insert(name, value.parse().map_err(|error| failed(&error))?);
    }
    let stream = TcpStream::connect(&page.address).await.map_err(|error| failed(&error))?;
    let (mut socket, _) = client_async(request, stream).await.map_err(|error| failed(&error))?;
    let (mut have, mut run, mut asked, mut last) = (LiveHave::default(), None, 0, Instant::now());
    while !ends.load(Ordering::SeqCst) {
        if watches.load(Ordering::SeqCst) && last.elapsed() >= PAUSE {
            last = Instant::now();
            asked += 1;
            let slice = ask(&mut socket, run, have).await?;
            run = slice.run;
            let view = slice.chunk;
            have = LiveHave {
                epoch: view.epoch,
                seconds: view.history_from + view.history.len() as u32,
                places: have.places + view.places.len() as u32,
                metric: have.metric,
                heat: view.heat.revision,
            };
        }
        tokio::time::sleep(TICK).await;
    }
    Ok(asked)
}

/// Requests the next slice of a run that watches the table, or opens the run.
async fn ask(
    socket: &mut WebSocketStream<TcpStream>,
    run: Option<RunId>,
    have: LiveHave,
) -> Result<Slice<LiveTableView>> {
    let asked = match run {
        Some(run) => JobAsk::next::<WatchTable>(run, &have),
        None => {
            JobAsk::begin::<WatchTable>(&LiveTable { instance: work::PARENT.into(), table: "narrow".into() })
        }
    };
    let id = 1_u32.to_le_bytes();
    let sent = socket.send(Message::Binary([&id[..], &wire::encode(&Ask::Job(asked))].concat().into())).await;
    sent.map_err(|error| format!("the page cannot ask: {error}"))?;
    loop {
        let received = socket.next().await.ok_or("the server has disconnected the page")?;
        let Message::Binary(answer) = received.map_err(|error| format!("the page has no answer: {error}"))?
        else {
            continue;
        };
        let Some(answer) = answer.strip_prefix(&id) else { continue };
        let unread = |error: Error| format!("the page cannot read an answer: {error}");
        return match wire::decode(answer).map_err(unread)? {
            Answer::Job(answer) => {
                let slice = answer.and_then(tabletop_protocol::JobSlice::decode::<WatchTable>);
                slice.map_err(|error| format!("the page has no slice: {}", error.into_error()))
            }
            other => Err(format!("the page has asked for a table, and got {other:?}")),
        };
    }
}
