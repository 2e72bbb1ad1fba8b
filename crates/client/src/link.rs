//! The line to one worker: frames out, frames in, and the moment it breaks.
//!
//! A frame is a transferred `ArrayBuffer`: four bytes of request id, little-endian, and the codec's bytes of an [`Ask`] one way
//! and of an [`Answer`] the other. Id 0 is a [`Notice`].

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, ArrayBuffer, Uint8Array};
use tabletop_model::{Code, Error, Result, SortedMap, wire};
use tabletop_schema::{Answer, Ask, Notice};
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, Event, MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::early_worker::{self, EarlyWorker};
use crate::oneshot::{Receiver, Sender, oneshot};

/// Every answer takes about 10 ms, so a worker that is silent for so many seconds while something is asked has died without
/// a message (the browser took its memory, or its process). Seconds are counted by ticks, so a machine that slept counts one.
const SILENT_SECONDS_MAX: u32 = 30;
/// A worker that has not answered yet may still be on its way over a slow network.
const START_SECONDS_MAX: u32 = 120;

/// How a worker is started.
#[derive(Clone, Debug)]
pub struct Start {
    /// Of its script, a module, relative to the page.
    pub url: String,
    /// What the script hears first, before any frame: which program it runs.
    pub first_message: JsValue,
}

/// One worker. Dropping it ends the worker and fails what is waited for.
pub(crate) struct Link {
    shared: Rc<Shared>,
    ticks: i32,
    _listeners: Listeners,
}

/// Of one request to one worker, rising. 0 is no request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RequestId(u32);

/// What an [`Ask`] gets: its [`Answer`], or why there is none.
pub(crate) type Reply = Receiver<Result<Answer>>;

/// Closures live as long as the worker may call them.
struct Listeners {
    _message: Closure<dyn FnMut(MessageEvent)>,
    _error: Closure<dyn FnMut(Event)>,
    _tick: Closure<dyn FnMut()>,
}

struct Shared {
    worker: Option<Worker>,
    state: RefCell<State>,
    watch: Box<dyn Watch>,
}

/// Is called for what no single caller waits for.
pub(crate) trait Watch {
    /// An answer arrived, waited for or not.
    fn answered(&self, request: RequestId, answer: &Answer);
    /// Something has changed without a request.
    fn changed(&self);
    /// The worker is gone. Called once.
    fn broken(&self, error: &Error);
}

#[derive(Default)]
struct State {
    last_id: u32,
    waiting: SortedMap<u32, Sender<Result<Answer>>>,
    /// The worker answers requests.
    ready: bool,
    /// Frames from before it did.
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

    /// Sends one request. A broken line answers with the reason at once.
    pub(crate) fn ask(&self, ask: &Ask) -> Reply {
        self.shared.ask(ask)
    }

    /// The request that was sent last.
    pub(crate) fn last_id(&self) -> RequestId {
        RequestId(self.shared.state.borrow().last_id)
    }

    /// Why the line is broken, if it is.
    pub(crate) fn broken(&self) -> Option<Error> {
        self.shared.state.borrow().broken.clone()
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if let Some(window) = web_sys::window() {
            window.clear_interval_with_handle(self.ticks);
        }
        self.shared.end(&Error::new(Code::Cancelled, "another worker has taken the place of the one that was asked"));
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
                // A panic sends its message first; what stops without one has asked for memory in vain.
                Some(error) if error.message().contains("unreachable") => {
                    "there was no memory left, most likely: load fewer events, or keep fewer designs".into()
                }
                Some(error) => format!("{} ({}:{})", error.message(), error.filename(), error.lineno()),
                None => "its script could not be loaded".into(),
            };
            let line = line.clone();
            wasm_bindgen_futures::spawn_local(async move {
                // The panic's own words travel as a message, which may come a little later than the bare trap.
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
        // Id 0 is the worker's own.
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
            // Only what cannot be cloned or is listed twice is refused: neither can be.
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

    /// Sends what was asked before the worker was ready.
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
        // Who asked may have gone: then nothing may keep an open read in the worker.
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
            self.break_with(format!("it has said nothing for {seconds} seconds"));
        }
    }

    /// Breaks the line for good; the first reason stays.
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

/// What a thrown value says.
pub(crate) fn text_of(thrown: &JsValue) -> String {
    match thrown.dyn_ref::<js_sys::Error>() {
        Some(error) => error.message().into(),
        None => thrown.as_string().unwrap_or_else(|| "for no reason that it gave".into()),
    }
}
