//! The Rust and JavaScript API to the worker, and the Rust API to a running server.
//!
//! ```text
//! page --Ask--> [worker: engine] --Answer--> page
//! ```
//! A [`Client`] turns each request into one message and completes a future when the answer arrives.
//! It stores what the next worker needs after a crash: the workspace and the bytes of the user's
//! files. [`js`] offers the same API to other scripts of the page. A [`Server`] is a connection to
//! a server that serves the page: the same frames, over a WebSocket.

mod early_worker;
mod encoded;
mod feed;
mod job;
pub mod js;
pub mod json;
mod link;
mod own_bytes;
mod script_edit;
mod server;
mod sleep;
mod storage;

use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll};

use futures_channel::oneshot::{self, Sender};
use tabletop_advice::DesignFigures;
use tabletop_model::{
    Code, Error, Inspect, Inspected, Request, Response, Result, SortedMap, TableRequest, TabletId, Timestamp,
};
use tabletop_protocol::{
    Answer, Ask, DataView, DesignView, EventsView, LoadSource, Playback, SampleInfo, Suggestions,
    TimelineView,
};
use tabletop_workspace::{DesignPatch, Proposal, Source, Workspace};

pub use early_worker::has_later_part;
pub use job::{JobHost, JobLine, OpenRun, run_once};
pub use link::Start;
use link::{Link, Reply, RequestId, Watch};
use own_bytes::OwnBytes;
pub use script_edit::ScriptEdit;
pub use server::{Connection, Server, live_address};
use sleep::sleep;
pub use storage::Room;

/// The page's connection to the worker. Cheap to clone: all clones share one connection.
///
/// Every request fails with `Unavailable` once the worker has stopped (see [`Client::on_crash`]),
/// and with `Cancelled` if another worker is started while it waits.
#[derive(Clone)]
pub struct Client {
    inner: Rc<Inner>,
}

struct Inner {
    start: Start,
    /// Always present, except during construction.
    link: RefCell<Option<Link>>,
    /// The number of the current worker, which increases with each one. A read of an earlier worker
    /// is lost.
    epoch: Cell<u32>,
    /// The workspace as it was last sent, or as the worker has changed it since.
    workspace: RefCell<Option<Workspace>>,
    /// The request that has sent the workspace. Answers to earlier requests are outdated.
    workspace_sent: Cell<RequestId>,
    /// The user's own files, in the order of their loads.
    own_bytes: RefCell<Vec<OwnBytes>>,
    /// The number of the last requested load, which increases with each one. A load that has not
    /// begun when another is requested ends.
    loads: Cell<u32>,
    /// The number of the current load, which increases with each one. An earlier load stops sending
    /// bytes.
    feeding: Cell<u32>,
    /// Calls that wait for a view, by design.
    views: RefCell<SortedMap<u32, Vec<Sender<Result<Answer>>>>>,
    /// Whether views are for the first picture of a page.
    first_look: Cell<bool>,
    on_crash: RefCell<Vec<Callback<String>>>,
    on_script_edit: RefCell<Vec<Callback<ScriptEdit>>>,
    on_change: RefCell<Vec<Callback<()>>>,
}

type Callback<T> = Rc<dyn Fn(T)>;

impl Client {
    /// Starts the worker and returns immediately. Requests wait until it is ready.
    pub fn start(start: Start) -> Client {
        let inner = Rc::new(Inner {
            start,
            link: RefCell::default(),
            epoch: Cell::default(),
            workspace: RefCell::default(),
            workspace_sent: Cell::default(),
            own_bytes: RefCell::default(),
            loads: Cell::default(),
            feeding: Cell::default(),
            views: RefCell::default(),
            first_look: Cell::new(false),
            on_crash: RefCell::default(),
            on_script_edit: RefCell::default(),
            on_change: RefCell::default(),
        });
        inner.connect();
        Client { inner }
    }

    /// Returns the samples that are shipped with the page, once the worker is ready.
    ///
    /// # Errors
    /// `Unavailable` once the worker has stopped or could not be started.
    pub async fn ready(&self) -> Result<Vec<SampleInfo>> {
        self.ask(Ask::Samples, |answer| match answer {
            Answer::Samples(samples) => Some(samples),
            _ => None,
        })
        .await
    }

    /// Replaces the workspace and loads its source, even if it is unchanged. The user's own data is
    /// read back if it is stored, and loaded again if this page has read it before.
    ///
    /// # Errors
    /// The errors of [`Client::set_workspace`].
    pub async fn open(&self, workspace: Workspace) -> Result<Workspace> {
        self.send_workspace(workspace, LoadSource::Again).await
    }

    /// Replaces the workspace. Events are loaded if the source differs, and tables are rebuilt if
    /// they would differ. Returns the resulting workspace, with the fields of its events.
    ///
    /// # Errors
    /// `InvalidArgument` for a workspace that [`Workspace::check`] refuses and for fields that do
    /// not fit the events, `NotFound` for a sample that does not exist. In these cases the worker
    /// keeps the earlier workspace.
    pub async fn set_workspace(&self, workspace: Workspace) -> Result<Workspace> {
        self.send_workspace(workspace, LoadSource::IfChanged).await
    }

    async fn send_workspace(&self, workspace: Workspace, load: LoadSource) -> Result<Workspace> {
        let inner = &self.inner;
        let is_loaded = |before: &Workspace| before.source.same_events(&workspace.source);
        let loads = load == LoadSource::Again || !inner.workspace.borrow().as_ref().is_some_and(is_loaded);
        if loads {
            self.next_load();
            inner.feeding.set(inner.feeding.get() + 1);
        }
        let reply = self.ask_workspace(Ask::SetWorkspace { workspace: workspace.clone(), load });
        self.note_sent(workspace);
        match reply.await {
            Ok(workspace) => {
                if let (Source::Own(own), true) = (&workspace.source, loads) {
                    self.feed_again(own.clone());
                }
                Ok(workspace)
            }
            Err(error) => {
                // The worker has another workspace: fetch it. If the worker has stopped, the next
                // one gets the workspace that was sent.
                drop(self.workspace().await);
                Err(error)
            }
        }
    }

    /// Says whether views are for the first picture of a page: without measured advice, the code of
    /// which is fetched later.
    pub fn set_first_look(&self, is_first: bool) {
        self.inner.first_look.set(is_first);
    }

    /// Returns whether the last workspace that was sent to the worker has the events of this
    /// source, as far as both identify them.
    pub fn loads(&self, source: &Source) -> bool {
        self.inner
            .workspace
            .borrow()
            .as_ref()
            .is_some_and(|workspace| workspace.source.may_have_events_of(source))
    }

    /// Stores the workspace of the request that was just sent.
    fn note_sent(&self, workspace: Workspace) {
        let inner = &self.inner;
        inner.workspace.replace(Some(workspace));
        inner.workspace_sent.set(inner.link.borrow().as_ref().map_or(RequestId::default(), Link::last_id));
    }

    /// Returns the current workspace.
    ///
    /// # Errors
    /// `Unavailable` once the worker has stopped.
    pub async fn workspace(&self) -> Result<Workspace> {
        self.ask_workspace(Ask::Workspace).await
    }

    /// Returns the state of the loaded events. The request is sent immediately, before the future
    /// is polled.
    ///
    /// # Errors
    /// `Unavailable` once the worker has stopped.
    pub fn data(&self) -> impl Future<Output = Result<DataView>> + use<> {
        self.ask_data(Ask::Data)
    }

    /// Returns the texts of at most 1,000 events, beginning at `start`.
    ///
    /// # Errors
    /// `Unavailable` once the worker has stopped.
    pub async fn events(&self, start: u32, count: u32) -> Result<EventsView> {
        self.ask(Ask::Events { start, count }, |answer| match answer {
            Answer::Events(events) => Some(events),
            _ => None,
        })
        .await
    }

    /// Cancels a load. The events loaded so far stay.
    ///
    /// # Errors
    /// `Unavailable` once the worker has stopped.
    pub async fn cancel_load(&self) -> Result<DataView> {
        self.ask_data(Ask::CancelLoad).await
    }

    /// Changes a design, or adds one if `index` is the number of designs. Returns a view of the
    /// changed design, whose table may still have to be built.
    ///
    /// # Errors
    /// `NotFound` for a larger index; otherwise the errors of [`Client::set_workspace`].
    pub async fn design(&self, index: u32, patch: DesignPatch) -> Result<DesignView> {
        self.patch_design(index, &patch).await?;
        self.view(index).await
    }

    /// Changes a design like [`Client::design`], and returns the workspaces before and after the
    /// change.
    async fn patch_design(&self, index: u32, patch: &DesignPatch) -> Result<(Workspace, Workspace)> {
        let before = match self.last_workspace() {
            Some(workspace) => workspace,
            None => self.workspace().await?,
        };
        let mut patched = before.clone();
        patched.patch_design(index, patch)?;
        Ok((before, self.set_workspace(patched).await?))
    }

    /// Starts, pauses, moves or finishes the arrival of events at the pace of the cluster settings.
    /// Returns before the tables have followed.
    ///
    /// # Errors
    /// `Unavailable` once the worker has stopped.
    pub async fn play(&self, playback: Playback) -> Result<()> {
        self.ask_done(Ask::Play(playback)).await
    }

    /// Undoes the manual writes with these numbers, and replays all others.
    ///
    /// # Errors
    /// `Unavailable` once the worker has stopped.
    pub async fn take_back(&self, numbers: Vec<u32>) -> Result<()> {
        self.ask_done(Ask::TakeBack(numbers)).await
    }

    /// Returns the moments at which the table of one design was split, merged, compacted or written
    /// to.
    ///
    /// # Errors
    /// `NotFound` for a design that does not exist; `Unavailable` once the worker has stopped.
    pub async fn timeline(&self, index: u32) -> Result<TimelineView> {
        self.ask(Ask::Timeline { index }, |answer| match answer {
            Answer::Timeline(timeline) => Some(timeline),
            _ => None,
        })
        .await
    }

    /// Returns a view of one design. There is at most one request per design at a time; calls
    /// during it share the next one.
    ///
    /// # Errors
    /// `NotFound` for a design that does not exist; `Unavailable` once the worker has stopped.
    pub async fn view(&self, index: u32) -> Result<DesignView> {
        let (sender, reply) = oneshot::channel();
        let pending = self.inner.views.borrow().contains_key(&index);
        self.inner.views.borrow_mut().get_or_default(index).push(sender);
        if !pending {
            let client = self.clone();
            wasm_bindgen_futures::spawn_local(async move { client.fetch_views(index).await });
        }
        view_of(reply).await
    }

    /// Returns the figures of all designs at the same moment. While `changes` is set for one of
    /// them, later figures will differ.
    ///
    /// # Errors
    /// `Unavailable` once the worker has stopped.
    pub async fn compare(&self) -> Result<Vec<DesignFigures>> {
        self.ask(Ask::Compare, |answer| match answer {
            Answer::Compared(designs) => Some(designs),
            _ => None,
        })
        .await
    }

    /// Proposes designs for the access patterns of the workspace that it does not have yet, the
    /// best first.
    ///
    /// # Errors
    /// `Unavailable` once the worker has stopped.
    pub async fn propose_designs(&self) -> Result<Vec<Proposal>> {
        self.ask(Ask::ProposeDesigns, |answer| match answer {
            Answer::Proposed(designs) => Some(designs),
            _ => None,
        })
        .await
    }

    /// Finds the roles of the fields, and suggests access patterns that suit the events, with values
    /// from them.
    ///
    /// # Errors
    /// `Unavailable` once the worker has stopped.
    pub async fn suggest(&self) -> Result<Suggestions> {
        self.ask(Ask::Suggest, |answer| match answer {
            Answer::Suggested(suggestions) => Some(suggestions),
            _ => None,
        })
        .await
    }

    /// Returns internals of a design's table.
    ///
    /// # Errors
    /// `NotFound` for a design, a tablet, an SSTable or a block that does not exist or no longer
    /// exists; `Unavailable` once the worker has stopped.
    pub async fn inspect(&self, index: u32, look: Inspect) -> Result<Inspected> {
        match self.request_of_design(index, TableRequest::Inspect(look)).await? {
            Response::Inspected(inspected) => Ok(inspected),
            _ => Err(Error::new(Code::Internal, "unexpected answer from the worker: reload the page")),
        }
    }

    /// Writes the memtable of a tablet as SSTables.
    ///
    /// # Errors
    /// The errors of [`Client::inspect`].
    pub async fn flush(&self, index: u32, tablet: TabletId) -> Result<()> {
        self.request_of_design(index, TableRequest::Flush(tablet)).await.map(drop)
    }

    /// Requests that the SSTables of a tablet are merged.
    ///
    /// # Errors
    /// The errors of [`Client::inspect`].
    pub async fn compact(&self, index: u32, tablet: TabletId) -> Result<()> {
        self.request_of_design(index, TableRequest::CompactTablet(tablet)).await.map(drop)
    }

    /// Sends a request to the table of a design, by its index in the workspace that the worker has.
    async fn request_of_design(&self, index: u32, request: TableRequest) -> Result<Response> {
        let sent = self.inner.workspace.borrow().as_ref().map(Workspace::table_ids);
        let ids = match sent {
            Some(ids) => ids,
            None => self.workspace().await?.table_ids(),
        };
        let missing = || {
            Error::not_found(format!(
                "there is no design {index}: the workspace has {}, counted from 0",
                ids.len()
            ))
        };
        let table = ids.get(index as usize).cloned().ok_or_else(missing)?;
        match self.request(request.of(table)).await? {
            Response::Refused(error) => Err(error),
            response => Ok(response),
        }
    }

    /// Sends a request to the table that it names, either a design's table or another one. A read
    /// returns slices, each with the position from which to resume.
    ///
    /// # Errors
    /// The errors of the table: `NotFound` for a table that does not exist, `FailedPrecondition`
    /// for a request that would make a design's table differ from the page. `Unavailable` once the
    /// worker has stopped.
    pub async fn request(&self, request: Request) -> Result<Response> {
        // Whole milliseconds, like the clocks of browsers.
        let now = js_sys::Date::now() as Timestamp * 1_000;
        self.ask(Ask::Request { request, now }, |answer| match answer {
            Answer::Response(response) => Some(response),
            _ => None,
        })
        .await
    }

    /// Calls back once for each worker that stops, with the reason; immediately if it has stopped
    /// already.
    pub fn on_crash(&self, callback: impl Fn(String) + 'static) {
        let broken = self.inner.link.borrow().as_ref().and_then(Link::broken);
        if let Some(error) = broken {
            callback(error.message);
        }
        self.inner.on_crash.borrow_mut().push(Rc::new(callback));
    }

    /// Returns whether the worker has stopped and another one has not been started.
    pub fn has_stopped(&self) -> bool {
        self.inner.link.borrow().as_ref().is_some_and(|link| link.broken().is_some())
    }

    /// Calls back when something has changed without a request: the storage or the events.
    pub fn on_change(&self, callback: impl Fn() + 'static) {
        self.inner.on_change.borrow_mut().push(Rc::new(move |()| callback()));
    }

    /// Ends the worker, starts another one and sends it the same workspace and the user's own
    /// files.
    ///
    /// # Errors
    /// `Unavailable` if the new worker cannot be started; otherwise the errors of [`Client::open`].
    pub async fn restart(&self) -> Result<Workspace> {
        let workspace = self.inner.workspace.borrow().clone();
        self.inner.connect();
        self.ready().await?;
        match workspace {
            Some(workspace) => self.open(workspace).await,
            None => self.workspace().await,
        }
    }

    fn ask<T>(&self, ask: Ask, kind: fn(Answer) -> Option<T>) -> AnswerOf<T> {
        AnswerOf { reply: self.send(&ask), kind }
    }

    /// Requests views until no more calls wait. Calls that arrive during a request get the next
    /// view, because the current one may be older than the call.
    async fn fetch_views(&self, index: u32) {
        loop {
            let mut waiting =
                std::mem::take(self.inner.views.borrow_mut().get_mut(&index).expect("removed only here"));
            let Some(last) = waiting.pop() else {
                self.inner.views.borrow_mut().remove(&index);
                return;
            };
            let answer = self
                .send(&Ask::View { index, first_look: self.inner.first_look.get() })
                .await
                .unwrap_or_else(|_| Err(unexpected()));
            // A receiver may have been dropped. Usually there is only one call, and nothing is
            // copied.
            waiting.into_iter().for_each(|sender| drop(sender.send(answer.clone())));
            drop(last.send(answer));
        }
    }

    fn send(&self, ask: &Ask) -> Reply {
        self.inner.link.borrow().as_ref().expect("a client has a link").ask(ask)
    }

    fn ask_workspace(&self, ask: Ask) -> AnswerOf<Workspace> {
        self.ask(ask, |answer| match answer {
            Answer::Workspace(workspace) => Some(workspace),
            _ => None,
        })
    }

    fn ask_data(&self, ask: Ask) -> AnswerOf<DataView> {
        self.ask(ask, |answer| match answer {
            Answer::Data(data) => Some(data),
            _ => None,
        })
    }

    fn ask_done(&self, ask: Ask) -> AnswerOf<()> {
        self.ask(ask, |answer| matches!(answer, Answer::Done).then_some(()))
    }
}

impl Inner {
    /// Starts a worker in place of the previous one, if there was one.
    fn connect(self: &Rc<Self>) {
        // Requests that wait for the old worker fail now.
        drop(self.link.take());
        self.epoch.set(self.epoch.get() + 1);
        self.feeding.set(self.feeding.get() + 1);
        let link = Link::start(&self.start, Box::new(Watcher(Rc::downgrade(self))));
        self.link.replace(Some(link));
        self.workspace_sent.set(RequestId::default());
    }
}

/// Passes the events of the link to the client.
struct Watcher(Weak<Inner>);

impl Watch for Watcher {
    fn answered(&self, request: RequestId, answer: &Answer) {
        if let (Answer::Workspace(workspace), Some(inner)) = (answer, self.0.upgrade())
            && request >= inner.workspace_sent.get()
        {
            inner.workspace.replace(Some(workspace.clone()));
        }
    }

    fn changed(&self) {
        if let Some(inner) = self.0.upgrade() {
            let callbacks = inner.on_change.borrow().clone();
            callbacks.iter().for_each(|callback| callback(()));
        }
    }

    fn broken(&self, error: &Error) {
        if let Some(inner) = self.0.upgrade() {
            let callbacks = inner.on_crash.borrow().clone();
            callbacks.iter().for_each(|callback| callback(error.message.clone()));
        }
    }
}

/// Waits for the view in a reply.
fn view_of(reply: Reply) -> AnswerOf<DesignView> {
    AnswerOf {
        reply,
        kind: |answer| match answer {
            Answer::View(view) => Some(view),
            _ => None,
        },
    }
}

/// Waits for an answer of one kind. The future is written manually: an `async` state machine per
/// kind, which contains the request, would make the page much larger.
struct AnswerOf<T> {
    reply: Reply,
    kind: fn(Answer) -> Option<T>,
}

impl<T> Future for AnswerOf<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T>> {
        Pin::new(&mut self.reply).poll(context).map(|answer| {
            match answer.unwrap_or_else(|_| Err(unexpected()))? {
                Answer::Failed(error) => Err(error),
                answer => (self.kind)(answer).ok_or_else(unexpected),
            }
        })
    }
}

/// Returns the error for an answer of the wrong kind. Both ends are the same build, so this is a
/// bug. (The answer is not shown, because code that prints every answer would make the page much
/// larger.)
fn unexpected() -> Error {
    Error::new(Code::Internal, "the answer does not match the request")
}
