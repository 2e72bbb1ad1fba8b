//! The Rust and JavaScript API to the worker.
//!
//! ```text
//! page --Ask--> [worker: engine] --Answer--> page
//! ```
//! A [`Client`] turns each request into one message and completes a future when the answer comes. It keeps what another worker
//! would need: the workspace and the bytes that a person gave. [`js`] offers the same to other scripts of the page.

mod early_worker;
mod feed;
pub mod js;
pub mod json;
mod link;
mod oneshot;
mod reading;
mod storage;

use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll};

use tabletop_model::{Code, Error, Request, Response, Result, SortedMap, Timestamp};
use tabletop_schema::{
    Answer, Ask, DataView, DesignPatch, DesignView, EventsView, LoadSource, Playback, Query, SampleInfo, Source, Workspace,
};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

pub use link::Start;
use link::{Link, Reply, RequestId, Watch};
use oneshot::{Sender, oneshot};
pub use reading::Reading;
pub use storage::Room;

/// The page's end of the line to the worker. Cheap to clone: all clones are one.
///
/// Every request fails with `Unavailable` once the worker has stopped (see [`Client::on_crash`]), and with `Cancelled` when
/// another worker is started while it waits.
#[derive(Clone)]
pub struct Client {
    inner: Rc<Inner>,
}

struct Inner {
    start: Start,
    /// Always there, but for the moment of its making.
    link: RefCell<Option<Link>>,
    /// Goes up with every new worker: a read of an earlier one is lost.
    epoch: Cell<u32>,
    /// As it was sent last, or as the worker has made it since.
    workspace: RefCell<Option<Workspace>>,
    /// The request that sent it: answers to earlier ones do not have it.
    workspace_sent: Cell<RequestId>,
    /// A person's own bytes, by the name of the file.
    own_bytes: RefCell<SortedMap<String, Blob>>,
    /// Goes up when another load begins: the one before stops feeding.
    feeding: Cell<u32>,
    views: RefCell<SortedMap<u32, Vec<Sender<Result<DesignView>>>>>,
    on_crash: RefCell<Vec<Callback<String>>>,
    on_script_edit: RefCell<Vec<Callback<()>>>,
    on_change: RefCell<Vec<Callback<()>>>,
}

type Callback<T> = Rc<dyn Fn(T)>;

impl Client {
    /// Starts the worker and returns at once; requests wait until it is there.
    pub fn start(start: Start) -> Client {
        let inner = Rc::new(Inner {
            start,
            link: RefCell::default(),
            epoch: Cell::default(),
            workspace: RefCell::default(),
            workspace_sent: Cell::default(),
            own_bytes: RefCell::default(),
            feeding: Cell::default(),
            views: RefCell::default(),
            on_crash: RefCell::default(),
            on_script_edit: RefCell::default(),
            on_change: RefCell::default(),
        });
        inner.connect();
        Client { inner }
    }

    /// The samples that are shipped with the page, once the worker is there.
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

    /// Replaces everything by this workspace and loads its source, also if it is the one before. Own data that is stored is read
    /// back, and otherwise loaded again if it was loaded in this page before.
    ///
    /// # Errors
    /// As [`Client::set_workspace`].
    pub async fn open(&self, workspace: Workspace) -> Result<Workspace> {
        self.send_workspace(workspace, LoadSource::Again).await
    }

    /// Replaces the workspace. Events are loaded if the source gives others, and tables are built again if they would differ.
    /// Gives the workspace as it stands then, with the fields of its events.
    ///
    /// # Errors
    /// `InvalidArgument` for what [`Workspace::check`] refuses and for fields that do not fit the events, `NotFound` for a sample
    /// that does not exist. The worker keeps the workspace before.
    pub async fn set_workspace(&self, workspace: Workspace) -> Result<Workspace> {
        self.send_workspace(workspace, LoadSource::IfChanged).await
    }

    async fn send_workspace(&self, workspace: Workspace, load: LoadSource) -> Result<Workspace> {
        let inner = &self.inner;
        let is_loaded = |before: &Workspace| before.source.same_events(&workspace.source);
        let loads = load == LoadSource::Again || !inner.workspace.borrow().as_ref().is_some_and(is_loaded);
        if loads {
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
                // The worker has another one: learn which. If it has stopped, the one that was sent is for the next worker.
                drop(self.workspace().await);
                Err(error)
            }
        }
    }

    /// Whether the worker was asked last for the events of this source.
    pub fn loads(&self, source: &Source) -> bool {
        self.inner.workspace.borrow().as_ref().is_some_and(|workspace| workspace.source.same_events(source))
    }

    /// Notes what the request that was just sent makes of the workspace.
    fn note_sent(&self, workspace: Workspace) {
        let inner = &self.inner;
        inner.workspace.replace(Some(workspace));
        inner.workspace_sent.set(inner.link.borrow().as_ref().map_or(RequestId::default(), Link::last_id));
    }

    /// The workspace as it stands.
    ///
    /// # Errors
    /// `Unavailable` once the worker has stopped.
    pub async fn workspace(&self) -> Result<Workspace> {
        self.ask_workspace(Ask::Workspace).await
    }

    /// The events as they stand. Asked for at once, also when the future waits.
    ///
    /// # Errors
    /// `Unavailable` once the worker has stopped.
    pub fn data(&self) -> impl Future<Output = Result<DataView>> + use<> {
        self.ask_data(Ask::Data)
    }

    /// Texts of at most 1,000 events from `start` on.
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

    /// Ends a load early; what was loaded stays.
    ///
    /// # Errors
    /// `Unavailable` once the worker has stopped.
    pub async fn cancel_load(&self) -> Result<DataView> {
        self.ask_data(Ask::CancelLoad).await
    }

    /// Changes a design, or adds one when `index` is the number of designs. The view that comes back is of the changed design, its
    /// table mostly still to be built.
    ///
    /// # Errors
    /// `NotFound` beyond that, and as [`Client::set_workspace`].
    pub async fn design(&self, index: u32, patch: DesignPatch) -> Result<DesignView> {
        let sent = self.inner.workspace.borrow().clone();
        let mut workspace = match sent {
            Some(workspace) => workspace,
            None => self.workspace().await?,
        };
        workspace.patch_design(index, &patch)?;
        self.set_workspace(workspace).await?;
        self.view(index).await
    }

    /// Lets events arrive at the pace of the cluster settings, or stops that, or begins again, or loads all.
    ///
    /// # Errors
    /// `Unavailable` once the worker has stopped.
    pub async fn play(&self, playback: Playback) -> Result<()> {
        self.ask_done(Ask::Play(playback)).await
    }

    /// A picture of one design. At most one is on its way for each design: those who ask meanwhile share the next.
    ///
    /// # Errors
    /// `NotFound` for a design that does not exist; `Unavailable` once the worker has stopped.
    pub async fn view(&self, index: u32) -> Result<DesignView> {
        let (sender, view) = oneshot();
        let on_its_way = self.inner.views.borrow().contains_key(&index);
        self.inner.views.borrow_mut().get_or_default(index).push(sender);
        if !on_its_way {
            let client = self.clone();
            wasm_bindgen_futures::spawn_local(async move { client.fetch_views(index).await });
        }
        view.await
    }

    /// Begins a read; the first slice is asked for by [`Reading::next`].
    pub fn read(&self, index: u32, query: Query) -> Reading {
        Reading::new(self, index, query)
    }

    /// Asks a table by its name, one of the designs' or another. A read comes in slices: what it answers says where to resume.
    ///
    /// # Errors
    /// What the table refuses, by its code: `NotFound` for a table that does not exist, `FailedPrecondition` for what would make
    /// something else of a design's table. `Unavailable` once the worker has stopped.
    pub async fn request(&self, request: Request) -> Result<Response> {
        // Whole milliseconds, as the clocks of browsers give them.
        let now = js_sys::Date::now() as Timestamp * 1_000;
        self.ask(Ask::Request { request, now }, |answer| match answer {
            Answer::Response(response) => Some(response),
            _ => None,
        })
        .await
    }

    /// Calls back, once for each worker, when it has stopped, with the reason; at once if that has happened.
    pub fn on_crash(&self, callback: impl Fn(String) + 'static) {
        let broken = self.inner.link.borrow().as_ref().and_then(Link::broken);
        if let Some(error) = broken {
            callback(error.message);
        }
        self.inner.on_crash.borrow_mut().push(Rc::new(callback));
    }

    /// Whether the worker has stopped and no other was started yet.
    pub fn has_stopped(&self) -> bool {
        self.inner.link.borrow().as_ref().is_some_and(|link| link.broken().is_some())
    }

    /// Calls back when a script of the page has changed the workspace or its events through [`js`].
    pub fn on_script_edit(&self, callback: impl Fn() + 'static) {
        self.inner.on_script_edit.borrow_mut().push(Rc::new(move |()| callback()));
    }

    /// Calls back when something has changed without a request: what is stored, or the events.
    pub fn on_change(&self, callback: impl Fn() + 'static) {
        self.inner.on_change.borrow_mut().push(Rc::new(move |()| callback()));
    }

    /// Ends the worker, starts another and gives it the same workspace; a person's own bytes follow.
    ///
    /// # Errors
    /// `Unavailable` when the other worker cannot be started, and as [`Client::open`].
    pub async fn restart(&self) -> Result<Workspace> {
        let workspace = self.inner.workspace.borrow().clone();
        self.inner.connect();
        self.ready().await?;
        match workspace {
            Some(workspace) => self.open(workspace).await,
            None => self.workspace().await,
        }
    }

    /// Calls those who registered with [`Client::on_script_edit`].
    fn script_edited(&self) {
        let callbacks = self.inner.on_script_edit.borrow().clone();
        callbacks.iter().for_each(|callback| callback(()));
    }

    /// Goes up with every new worker.
    fn epoch(&self) -> u32 {
        self.inner.epoch.get()
    }

    fn ask<T>(&self, ask: Ask, kind: fn(Answer) -> Option<T>) -> AnswerOf<T> {
        AnswerOf { reply: self.send(&ask), kind }
    }

    /// Asks until no one waits any more. Those who came while a view was on its way get the next: theirs may not be older than
    /// their question.
    async fn fetch_views(&self, index: u32) {
        loop {
            let waiting = std::mem::take(self.inner.views.borrow_mut().get_mut(&index).expect("removed only here"));
            if waiting.is_empty() {
                self.inner.views.borrow_mut().remove(&index);
                return;
            }
            let view = self.ask_view(Ask::View { index }).await;
            for sender in waiting {
                // The receiver may have been dropped.
                drop(sender.send(view.clone()));
            }
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

    fn ask_view(&self, ask: Ask) -> AnswerOf<DesignView> {
        self.ask(ask, |answer| match answer {
            Answer::View(view) => Some(view),
            _ => None,
        })
    }

    fn ask_done(&self, ask: Ask) -> AnswerOf<()> {
        self.ask(ask, |answer| matches!(answer, Answer::Done).then_some(()))
    }
}

impl Inner {
    /// Puts a new worker in the place of the old one, if there was one.
    fn connect(self: &Rc<Self>) {
        // What waits for the old worker fails now.
        drop(self.link.take());
        self.epoch.set(self.epoch.get() + 1);
        self.feeding.set(self.feeding.get() + 1);
        let link = Link::start(&self.start, Box::new(Watcher(Rc::downgrade(self))));
        self.link.replace(Some(link));
        self.workspace_sent.set(RequestId::default());
    }
}

/// Passes on to the client what the link receives.
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

/// Waits for an answer of one kind. By hand, because a state machine for each kind, with the request in it, would be a good
/// part of the page.
struct AnswerOf<T> {
    reply: Reply,
    kind: fn(Answer) -> Option<T>,
}

impl<T> Future for AnswerOf<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T>> {
        Pin::new(&mut self.reply).poll(context).map(|answer| match answer? {
            Answer::Failed(error) => Err(error),
            answer => (self.kind)(answer).ok_or_else(unexpected),
        })
    }
}

/// Both ends are one program, so this is our bug. (The answer itself is not shown: what prints all of them would be a good part
/// of the page.)
fn unexpected() -> Error {
    Error::new(Code::Internal, "the worker answered a request with what is no answer to it")
}

/// Waits without holding anything up.
async fn sleep(millis: i32) {
    let promise = js_sys::Promise::new(&mut |resolve, _| {
        if let Some(window) = web_sys::window() {
            // Without a window there is nothing to wait in.
            drop(window.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, millis));
        }
    });
    drop(JsFuture::from(promise).await as std::result::Result<JsValue, JsValue>);
}
