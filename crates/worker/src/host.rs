//! The host of a session in a Web Worker: passes frames to a [`Session`] and gives it time between
//! frames.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use tabletop_model::{Code, Error, Result, Timestamp};
use tabletop_protocol::Notice;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DedicatedWorkerGlobalScope, MessageChannel, MessageEvent, Performance, Response};

use crate::frame::{self, Request};
use crate::opfs::Opfs;
use crate::tab_lock::TabLock;
use crate::{Fetch, Next, Session, SharedStorage, StorageEvent};

/// Length of a slice. Messages are answered between slices, so an answer is delayed by at most one
/// slice and one step, except for the answer to a view.
const SLICE_MICROS: Timestamp = 8_000;
/// A view of a table that is being built waits up to this long for the rest of the table. Each view
/// costs the page and the browser about 20 ms, in which the worker builds thousands of events.
const VIEW_WAIT_MICROS: Timestamp = 100_000;
/// Number of events per step: a fraction of a millisecond.
const STEP_EVENTS: u32 = 64;

/// Starts a session in this worker. The session sends a message when it is ready, and then answers
/// requests.
pub fn start() {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    report_panics();
    Host::start(scope);
}

/// The browser side of one session.
struct Host {
    scope: DedicatedWorkerGlobalScope,
    performance: Performance,
    session: RefCell<Session>,
    /// The host posts a message to itself after each slice. The message is queued behind waiting
    /// requests, so slices and requests take turns.
    turns: MessageChannel,
    turn_is_coming: Cell<bool>,
    /// The request for a view that waits for its table, and the time until which it waits.
    waiting_view: RefCell<Option<(Timestamp, Request)>>,
    /// The time at which the next timer fires.
    timer: Cell<Option<Timestamp>>,
    /// Ticket of the last file that was fetched.
    ticket: Cell<Option<u32>>,
    tab_lock: OnceCell<TabLock>,
    /// The files of this page, once they are open.
    folder: RefCell<Option<Opfs>>,
    preparing_files: Cell<bool>,
}

impl Host {
    fn start(scope: DedicatedWorkerGlobalScope) {
        let host = Rc::new(Host {
            performance: scope.performance().expect("a worker has a clock"),
            session: RefCell::new(Session::of_first_visit()),
            turns: MessageChannel::new().expect("a worker has channels"),
            turn_is_coming: Cell::new(false),
            waiting_view: RefCell::new(None),
            timer: Cell::new(None),
            ticket: Cell::new(None),
            tab_lock: OnceCell::new(),
            folder: RefCell::new(None),
            preparing_files: Cell::new(false),
            scope,
        });
        let receiver = host.clone();
        let on_message =
            Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| receiver.receive(&event));
        host.scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        let turned = host.clone();
        let on_turn = Closure::<dyn Fn()>::new(move || {
            turned.turn_is_coming.set(false);
            turned.work();
        });
        host.turns.port1().set_onmessage(Some(on_turn.as_ref().unchecked_ref()));
        // The closures live as long as the worker.
        on_message.forget();
        on_turn.forget();
        post(&host.scope, &frame::notice(&Notice::Ready));
        spawn_local(host.clone().wait_for_storage());
    }

    /// Microseconds since the worker started.
    fn now(&self) -> Timestamp {
        (self.performance.now() * 1e3) as Timestamp
    }

    fn receive(self: &Rc<Self>, event: &MessageEvent) {
        let bytes = Uint8Array::new(&event.data()).to_vec();
        let Some(request) = Request::read(&bytes) else { return };
        if request.can_wait(&self.session.borrow()) {
            let until = self.now() + VIEW_WAIT_MICROS;
            // Only one view waits at a time, so an earlier one is answered now.
            self.answer_view(self.waiting_view.replace(Some((until, request))));
        } else {
            // Requests are answered in order, so a waiting view is answered first.
            let waiting = self.waiting_view.take();
            self.answer_view(waiting);
            self.answer(request);
        }
        self.fetch_next_file();
        if self.session.borrow_mut().take_reopen_request() {
            spawn_local(self.clone().open_storage());
        }
        self.take_turn();
    }

    fn answer(&self, request: Request) {
        let answer = request.answer(&mut self.session.borrow_mut(), || self.now());
        post(&self.scope, &answer);
    }

    fn answer_view(&self, waiting: Option<(Timestamp, Request)>) {
        if let Some((_, request)) = waiting {
            self.answer(request);
        }
    }

    /// Waits until no other tab holds the storage of this page, and opens it.
    async fn wait_for_storage(self: Rc<Self>) {
        let lock = match TabLock::new(&self.scope) {
            Ok(lock) => lock,
            Err(error) => return self.on_storage_event(StorageEvent::Without(error)),
        };
        let lock = self.tab_lock.get_or_init(|| lock);
        match self.wait_for(lock).await {
            Ok(true) => self.clone().open_storage().await,
            // The page lets the user decide whether this tab takes over, because its events may
            // differ from those of the other tab.
            Ok(false) => self.on_storage_event(StorageEvent::OtherTabGone),
            Err(error) => self.on_storage_event(StorageEvent::Without(error)),
        }
    }

    /// Waits for the lock. Returns whether it was free.
    async fn wait_for(self: &Rc<Self>, lock: &TabLock) -> Result<bool> {
        if lock.acquire_soon().await? {
            return Ok(true);
        }
        self.on_storage_event(StorageEvent::OtherTab);
        lock.acquire().await?;
        Ok(false)
    }

    async fn open_storage(self: Rc<Self>) {
        let Some(lock) = self.tab_lock.get() else { return };
        let answered = Rc::new(Cell::new(false));
        let (host, has_answered) = (self.clone(), answered.clone());
        spawn_local(async move {
            let Some(lock) = host.tab_lock.get() else { return };
            let no_answer = lock.no_answer().await;
            if !has_answered.get() {
                host.on_storage_event(StorageEvent::Without(no_answer));
            }
        });
        let opened = lock.open_files().await;
        answered.set(true);
        match opened {
            Ok(folder) => {
                self.folder.replace(Some(folder.clone()));
                self.on_storage_event(StorageEvent::Files(SharedStorage(Rc::new(RefCell::new(folder)))));
            }
            Err(error) => {
                lock.release();
                self.on_storage_event(StorageEvent::Without(error));
            }
        }
    }

    fn on_storage_event(self: &Rc<Self>, event: StorageEvent) {
        self.session.borrow_mut().on_storage_event(self.now(), event);
        self.take_turn();
    }

    /// Creates and deletes files. A browser only does this between requests.
    fn prepare_files(self: &Rc<Self>) {
        let needs_files = |folder: &&Opfs| folder.needs_preparing() && !self.preparing_files.replace(true);
        let Some(folder) = self.folder.borrow().as_ref().filter(needs_files).cloned() else { return };
        let host = self.clone();
        spawn_local(async move {
            folder.prepare_files().await;
            host.preparing_files.set(false);
            host.take_turn();
        });
    }

    /// Works for one slice, then schedules the next one as the session requires.
    fn work(self: &Rc<Self>) {
        let until = self.now() + SLICE_MICROS;
        let next = loop {
            let now = self.now();
            let next = self.session.borrow_mut().advance(now, STEP_EVENTS);
            if next != Next::Now || now >= until {
                break next;
            }
        };
        let is_due = |(until, request): &mut (Timestamp, Request)| {
            next != Next::Now || self.now() >= *until || !request.can_wait(&self.session.borrow())
        };
        self.answer_view(self.waiting_view.borrow_mut().take_if(is_due));
        if self.session.borrow_mut().take_changed() {
            post(&self.scope, &frame::notice(&Notice::Changed));
        }
        self.prepare_files();
        match next {
            Next::Now => self.take_turn(),
            Next::In { millis } => self.set_timer(millis),
            Next::Asked => {}
        }
    }

    fn take_turn(&self) {
        if !self.turn_is_coming.replace(true) {
            self.turns.port2().post_message(&JsValue::NULL).expect("nothing can be cloned");
        }
    }

    fn set_timer(self: &Rc<Self>, millis: u32) {
        let due = self.now() + Timestamp::from(millis) * 1_000;
        if self.timer.get().is_some_and(|set| set <= due) {
            return;
        }
        self.timer.set(Some(due));
        let host = self.clone();
        let ring = Closure::once_into_js(move || {
            // Another timer with a different time may have been set since.
            if host.timer.get() == Some(due) {
                host.timer.set(None);
            }
            host.work();
        });
        self.scope
            .set_timeout_with_callback_and_timeout_and_arguments_0(ring.unchecked_ref(), millis as i32)
            .expect("a worker has timers");
    }

    fn fetch_next_file(self: &Rc<Self>) {
        let Some(fetch) = self.session.borrow().next_fetch() else { return };
        if self.ticket.replace(Some(fetch.ticket)) == Some(fetch.ticket) {
            return;
        }
        let host = self.clone();
        spawn_local(async move {
            let file = fetch_file(&host.scope, &fetch).await;
            host.session.borrow_mut().fetched(fetch.ticket, file);
            host.take_turn();
        });
    }
}

/// Fetches a file by its path relative to the worker's script, which is in the folder of the page.
async fn fetch_file(scope: &DedicatedWorkerGlobalScope, fetch: &Fetch) -> Result<Vec<u8>> {
    let failed = |why: String| {
        let message =
            format!("{} could not be fetched ({why}): check the network, then choose it again", fetch.path);
        Error::new(Code::Unavailable, message)
    };
    let thrown = |error: JsValue| {
        failed(error.dyn_ref::<js_sys::Error>().map_or_else(String::new, |error| error.message().into()))
    };
    let response = JsFuture::from(scope.fetch_with_str(&fetch.path)).await.map_err(thrown)?;
    let response: Response = response.unchecked_into();
    if !response.ok() {
        return Err(failed(format!("the server answered {}", response.status())));
    }
    let buffer = JsFuture::from(response.array_buffer().map_err(thrown)?).await.map_err(thrown)?;
    Ok(Uint8Array::new(&buffer).to_vec())
}

fn post(scope: &DedicatedWorkerGlobalScope, frame: &[u8]) {
    let buffer = Uint8Array::from(frame).buffer();
    scope
        .post_message_with_transfer(&buffer, &Array::of1(&buffer))
        .expect("a fresh buffer can be transferred");
}

/// Reports panics, which are bugs in Tabletop. The console gets the message with the stack, and the
/// page gets the message for its crash screen.
fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        console_error_panic_hook::hook(panic);
        let message = panic.to_string();
        // A panic hook must be `Send`, so it cannot capture the scope and looks it up again.
        post(&js_sys::global().unchecked_into(), &frame::notice(&Notice::Crashed { message }));
    }));
}
