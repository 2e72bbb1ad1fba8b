//! A server in this process with its page, and clients that use it like any other program.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use tabletop_model::{
    ColumnFamily, Mutation, ReadRows, Request, Response, RowMutation, SERVER_TIME, TableRequest, TableSpec,
};
use tabletop_server::grpc::{self, Api};
use tabletop_server::{
    Access, Client, Host, InstanceName, Live, Page, PageFiles, PageToken, serve_page, system_clock,
};
use tabletop_tests::browser::{Result, path_from};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tonic::transport::Channel;

/// The instance of all clients.
pub const INSTANCE: &str = "projects/project/instances/instance";

/// A server with its page.
pub struct Served {
    /// The address at which clients reach the API.
    pub api: SocketAddr,
    page: SocketAddr,
    /// The folder of the page's files.
    files: PathBuf,
    token: PageToken,
    services: Api,
    live: Arc<Live>,
    /// Ends the page when it is sent to. Dropping it has the same effect.
    stop: Option<oneshot::Sender<()>>,
    ended: Option<tokio::task::JoinHandle<()>>,
    /// The threads that run everything.
    runtime: Runtime,
}

/// Writes until it is dropped.
pub struct Writing {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// A process of Python. Ended on drop.
pub struct Python(Child);

impl Served {
    /// Starts a server in memory, without tables, with the page in this folder.
    pub fn start(files: PathBuf) -> Result<Served> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(text)?;
        let host = Arc::new(Host::in_memory(system_clock));
        let live = Arc::new(Live::default());
        let services = Api::open(host).map_err(text)?.with_live(live.clone());
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).map_err(text)?;
        let api = listener.local_addr().map_err(text)?;
        runtime.spawn(grpc::serve(listener, services.clone(), Access::default(), std::future::pending()));
        let token = PageToken::new().map_err(text)?;
        let page = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut served = Served { api, page, files, token, services, live, stop: None, ended: None, runtime };
        served.start_page()?;
        Ok(served)
    }

    /// Returns the address of the page, with the token.
    pub fn url(&self) -> String {
        format!("http://{}/#server={}", self.page, self.token.text())
    }

    /// Serves the page, at the same address as before if it was served before.
    pub fn start_page(&mut self) -> Result<()> {
        let files = PageFiles::Folder(self.files.clone());
        let (services, live) = (self.services.clone(), self.live.clone());
        let page =
            Page::new(services, live, files, self.token.clone(), self.api.to_string()).map_err(text)?;
        let listener = self.runtime.block_on(TcpListener::bind(self.page)).map_err(text)?;
        self.page = listener.local_addr().map_err(text)?;
        let (stop, stopped) = oneshot::channel();
        self.stop = Some(stop);
        self.ended = Some(self.runtime.spawn(serve_page(listener, page, async move { drop(stopped.await) })));
        Ok(())
    }

    /// Stops the page, and ends its connections.
    pub fn stop_page(&mut self) {
        self.stop = None;
        if let Some(ended) = self.ended.take() {
            // It has ended in any case.
            drop(self.runtime.block_on(ended));
        }
    }

    /// Gives the next page another token, as in another run of a server.
    pub fn another_token(&mut self) -> Result<()> {
        self.token = PageToken::new().map_err(text)?;
        Ok(())
    }

    /// Creates a table with the family `e`.
    pub fn create(&self, table: &str) -> Result<()> {
        let spec = TableSpec { families: vec![ColumnFamily::new("e")], ..TableSpec::default() };
        self.done(TableRequest::Create(spec).of(table))
    }

    /// Writes a cell of the column `e:kind`.
    pub fn write(&self, table: &str, key: &str, value: &str) -> Result<()> {
        self.done(TableRequest::MutateRows(vec![row(key, value)]).of(table))
    }

    /// Returns the keys of a table.
    pub fn rows(&self, table: &str) -> Result<Vec<String>> {
        match self.client()?.handle(TableRequest::ReadRows(ReadRows::default()).of(table)) {
            Response::Rows(chunk) => {
                Ok(chunk.rows.iter().map(|row| String::from_utf8_lossy(&row.key).into_owned()).collect())
            }
            other => Err(format!("not rows: {other:?}")),
        }
    }

    /// Writes some rows evenly and one far more often, in a thread.
    pub fn write_hot(&self, table: &str) -> Writing {
        let stop = Arc::new(AtomicBool::new(false));
        let (stopped, table, client) = (stop.clone(), table.to_owned(), self.client());
        let thread = std::thread::spawn(move || {
            let Ok(mut client) = client else { return };
            for round in 0.. {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                let mut rows: Vec<RowMutation> = (0..20).map(|_| row("user07#now", "hot")).collect();
                rows.push(row(&format!("user{:02}#{round:06}", round % 20), "even"));
                // The test notices writes that do not arrive.
                drop(client.handle(TableRequest::MutateRows(rows).of(table.clone())));
                std::thread::sleep(Duration::from_millis(10));
            }
        });
        Writing { stop, thread: Some(thread) }
    }

    /// Writes like the other helpers, but with Google's client for Python, in a process that ends
    /// on drop.
    pub fn write_hot_by_python(&self, table: &str) -> Result<Python> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("clients/hot.py");
        let mut command = Command::new(path_from("TABLETOP_PYTHON")?);
        command.arg(script).args([&self.api.to_string(), "project", "instance", table]);
        // Python must not write files into the source folders.
        command.env("PYTHONDONTWRITEBYTECODE", "1").stdin(Stdio::piped());
        command.spawn().map(Python).map_err(|error| format!("{}: {error}", command.get_program().display()))
    }

    fn client(&self) -> Result<Client> {
        let endpoint = Channel::from_shared(format!("http://{}", self.api)).map_err(text)?;
        let name = InstanceName { project: "project".into(), instance: "instance".into() };
        Client::new(&endpoint, &name, None).map_err(text)
    }

    fn done(&self, request: Request) -> Result<()> {
        match self.client()?.handle(request) {
            Response::Refused(error) => Err(error.message),
            Response::Mutated(outcomes) => match outcomes.into_iter().flatten().next() {
                Some(error) => Err(error.message),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic of that thread is not a fault of the page.
            drop(thread.join());
        }
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        // It may already have ended. The test notices what it has not written.
        drop(self.0.kill().and_then(|()| self.0.wait()));
    }
}

fn row(key: &str, value: &str) -> RowMutation {
    let (family, qualifier) = ("e".into(), "kind".into());
    RowMutation {
        key: key.into(),
        mutations: vec![Mutation::SetCell { family, qualifier, timestamp: SERVER_TIME, value: value.into() }],
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
