//! The connection to one worker: sends and receives frames, and detects that the worker has stopped.
//!
//! A frame is a transferred `ArrayBuffer`: four bytes of request id, little-endian, then the codec's bytes, of an [`Ask`] to the
//! worker or of an [`Answer`] from it. Id 0 is a [`Notice`].

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, ArrayBuffer, Uint8Array};
use tabletop_model::{Code, Error, Result, SortedMap, wire};
use tabletop_schema::{Answer, Ask, Notice};
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, Event, MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::early_worker::{self, EarlyWorker};
use crate::oneshot::{Receiver, Sender, oneshot};

/// Seconds of silence during a request after which the worker counts as dead: every answer takes about 10 ms, and the browser may
/// end a worker without an event. Seconds are counted by timer ticks, so a suspended machine counts one.
const SILENT_SECONDS_MAX: u32 = 30;
/// The same before the first answer, because the worker may still be loading over a slow network.
const START_SECONDS_MAX: u32 = 120;

/// The parameters to start a worker with.
#[derive(Clone, Debug)]
pub struct Start {
    /// Address of its script, a module, relative to the page.
    pub url: String,
    /// The first message to the script, before any frame: it names the program to run.
    pub first_message: JsValue,
}

/// One worker. Dropping it ends the worker and fails its requests.
pub(crate) struct Link {
    shared: Rc<Shared>,
    ticks: i32,
    _listeners: Listeners,
}

/// Number of a request to one worker, counted up. 0 is no request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RequestId(u32);

/// The [`Answer`] to an [`Ask`], or the reason why there is none.
pub(crate) type Reply = Receiver<Result<Answer>>;

/// Closures must live as long as the worker may call them.
struct Listeners {
    _message: Closure<dyn FnMut(MessageEvent)>,
    _error: Closure<dyn FnMut(Event)>,
    _tick: Closure<dyn FnMut()>,
}

struct Shared {
    worker: Option<Worker>,
    state: RefCell<LinkState>,
    watch: Box<dyn Watch>,
}

/// Receives events of the connection.
pub(crate) trait Watch {
    /// Called for every answer, even if its receiver is gone.
    fn answered(&self, request: RequestId, answer: &Answer);
    /// Called when something has changed without a request.
    fn changed(&self);
    /// Called once, when the worker has stopped.
    fn broken(&self, error: &Error);
}

#[derive(Default)]
struct LinkState {
    last_id: u32,
    waiting: SortedMap<u32, Sender<Result<Answer>>>,
    /// Whether the worker answers requests yet.
    ready: bool,
    /// Frames that wait until it does.
    held: Vec<Vec<u8>>,
    silent_seconds: u32,
    broken: Option<Error>,
}

impl Link {
    /// Starts the worker.
    pub(crate) fn start(start: &Start, watch: Box<dyn Watch>) -> Link {
        let url = &start.url;
        let early = EarlyWorker::take(url);
        let begin = || {
            let options = WorkerOptions::new();
            options.set_type(WorkerType::Module);
            Worker::new_with_options(url, &options)
        };
        let started = early.as_ref().map_or_else(begin, |early| Ok(early.worker.clone()));
        let (worker, refusal) = match started {
            Ok(worker) => (Some(worker), None),
            Err(error) => (None, Some(format!("the browser would not start {url}: {}", text_of(&error)))),
        };
        let shared = Rc::new(Shared { worker, state: RefCell::default(), watch });
        let listeners = Listeners::new(&shared);
        let (message, error) = (listeners._message.as_ref().unchecked_ref(), listeners._error.as_ref().unchecked_ref());
        if let Some(worker) = &shared.worker {
            worker.set_onmessage(Some(message));
            worker.set_onerror(Some(error));
            worker.post_message(&start.first_message).expect("what a worker is started with can be cloned");
            early_worker::share_later(worker);
        }
        if let Some(early) = early {
            early.replay(error);
        }
        let ticks = web_sys::window()
            .and_then(|window| {
                let tick = listeners._tick.as_ref().unchecked_ref();
                window.set_interval_with_callback_and_timeout_and_arguments_0(tick, 1_000).ok()
            })
            .unwrap_or_default();
        if let Some(refusal) = refusal {
            shared.break_with(refusal);
        }
        Link { shared, ticks, _listeners: listeners }
    }

    /// Sends one request. If the worker has stopped, the reply is the reason.
    pub(crate) fn ask(&self, ask: &Ask) -> Reply {
        self.shared.ask(ask)
    }

    /// Id of the last request.
    pub(crate) fn last_id(&self) -> RequestId {
        RequestId(self.shared.state.borrow().last_id)
    }

    /// The reason why the worker has stopped, if it has.
    pub(crate) fn broken(&self) -> Option<Error> {
        self.shared.state.borrow().broken.clone()
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if let Some(window) = web_sys::window() {
            window.clear_interval_with_handle(self.ticks);
        }
        self.shared.end(&Error::new(Code::Cancelled, "the worker was replaced by another one during the request"));
    }
}

impl Listeners {
    fn new(shared: &Rc<Shared>) -> Listeners {
        let line = Rc::downgrade(shared);
        let message = move |event: MessageEvent| {
            if let Some(shared) = line.upgrade() {
                shared.receive(&event);
            }
        };
        let line = Rc::downgrade(shared);
        let error = move |event: Event| {
            let message = match event.dyn_ref::<ErrorEvent>() {
                // A panic sends its message first. A trap without a message is a failed allocation.
                Some(error) if error.message().contains("unreachable") => {
                    "there was no memory left, most likely: load fewer events, or keep fewer designs".into()
                }
                Some(error) => format!("{} ({}:{})", error.message(), error.filename(), error.lineno()),
                None => "its script could not be loaded".into(),
            };
            let line = line.clone();
            wasm_bindgen_futures::spawn_local(async move {
                // The panic's message may arrive a little later than the trap.
                crate::sleep(100).await;
                if let Some(shared) = line.upgrade() {
                    shared.break_with(message);
                }
            });
        };
        let line = Rc::downgrade(shared);
        let tick = move || {
            if let Some(shared) = line.upgrade() {
                shared.tick();
            }
        };
        Listeners { _message: Closure::new(message), _error: Closure::new(error), _tick: Closure::new(tick) }
    }
}

impl Shared {
    fn ask(&self, ask: &Ask) -> Reply {
        let mut state = self.state.borrow_mut();
        if let Some(error) = &state.broken {
            return Reply::ready(Err(error.clone()));
        }
        let (sender, reply) = oneshot();
        // Id 0 is reserved for notices.
        state.last_id = state.last_id.checked_add(1).unwrap_or(1);
        let id = state.last_id;
        state.waiting.insert(id, sender);
        let mut frame = id.to_le_bytes().to_vec();
        frame.extend(wire::encode(ask));
        if state.ready {
            self.post(&frame);
        } else {
            state.held.push(frame);
        }
        reply
    }

    fn post(&self, frame: &[u8]) {
        if let Some(worker) = &self.worker {
            let buffer = Uint8Array::from(frame).buffer();
            // Only uncloneable values or duplicates are refused, and this is neither.
            worker.post_message_with_transfer(&buffer, &Array::of1(&buffer)).expect("a fresh buffer can be transferred");
        }
    }

    fn receive(&self, event: &MessageEvent) {
        self.state.borrow_mut().silent_seconds = 0;
        let Ok(buffer) = event.data().dyn_into::<ArrayBuffer>() else { return };
        let frame = Uint8Array::new(&buffer).to_vec();
        let Some((id, body)) = frame.split_first_chunk::<4>() else { return };
        match u32::from_le_bytes(*id) {
            0 => match wire::decode(body) {
                Ok(Notice::Ready) => self.send_held(),
                Ok(Notice::Crashed { message }) => self.break_with(message),
                Ok(Notice::Changed) => self.watch.changed(),
                Err(error) => self.break_with(error.message),
            },
            id => self.answer(id, wire::decode(body)),
        }
    }

    /// Sends the requests that waited for the worker.
    fn send_held(&self) {
        let held = {
            let mut state = self.state.borrow_mut();
            state.ready = true;
            std::mem::take(&mut state.held)
        };
        held.iter().for_each(|frame| self.post(frame));
    }

    fn answer(&self, id: u32, answer: Result<Answer>) {
        if let Ok(answer) = &answer {
            self.watch.answered(RequestId(id), answer);
        }
        let waiting = self.state.borrow_mut().waiting.remove(&id);
        // The receiver may be gone: its open read must not stay in the worker.
        if let Some(Ok(Answer::Rows(chunk))) = waiting.and_then(|sender| sender.send(answer))
            && !chunk.complete
        {
            drop(self.ask(&Ask::CancelRead(chunk.read)));
        }
    }

    fn tick(&self) {
        let silent = {
            let mut state = self.state.borrow_mut();
            let idle = state.broken.is_some() || (state.ready && state.waiting.is_empty());
            state.silent_seconds = if idle { 0 } else { state.silent_seconds + 1 };
            let most = if state.ready { SILENT_SECONDS_MAX } else { START_SECONDS_MAX };
            (state.silent_seconds > most).then_some(most)
        };
        if let Some(seconds) = silent {
            self.break_with(format!("it has not answered for {seconds} seconds"));
        }
    }

    /// Ends the connection. The first reason is kept.
    fn break_with(&self, reason: String) {
        if self.state.borrow().broken.is_none() {
            let error = Error::new(Code::Unavailable, format!("the worker has stopped: {reason}"));
            self.end(&error);
            self.watch.broken(&error);
        }
    }

    fn end(&self, error: &Error) {
        if let Some(worker) = &self.worker {
            worker.set_onmessage(None);
            worker.set_onerror(None);
            worker.terminate();
        }
        let waiting = {
            let mut state = self.state.borrow_mut();
            state.held.clear();
            state.broken.get_or_insert_with(|| error.clone());
            std::mem::take(&mut state.waiting)
        };
        for sender in waiting.into_values() {
            // The receiver may have been dropped.
            drop(sender.send(Err(error.clone())));
        }
    }
}

/// The message of a thrown value.
pub(crate) fn text_of(thrown: &JsValue) -> String {
    match thrown.dyn_ref::<js_sys::Error>() {
        Some(error) => error.message().into(),
        None => thrown.as_string().unwrap_or_else(|| "it gave no reason".into()),
    }
}
