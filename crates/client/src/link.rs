//! The connection to a worker or a server: sends and receives frames, and detects that the other
//! end has stopped.
//!
//! A frame is an `ArrayBuffer`: four bytes of request id, little-endian, then the codec's bytes of
//! an [`Ask`] to the other end, or of an [`Answer`] from it. Id 0 is a [`Notice`]. A [`Transport`]
//! carries frames; everything else is the same for all of them.

mod socket;
mod worker;

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use futures_channel::oneshot::{self, Receiver, Sender};
use js_sys::{ArrayBuffer, Uint8Array};
use tabletop_model::{Code, Error, Result, SortedMap, wire};
use tabletop_protocol::{Answer, Ask, JobAsk, JobSlice, Notice};
use wasm_bindgen::prelude::*;
use web_sys::MessageEvent;

use worker::WorkerTransport;

pub(crate) use socket::SocketTransport;
pub use worker::Start;

/// Seconds of silence during a request after which the other end counts as dead. Every answer of a
/// worker takes about 10 ms, and the browser may end a worker without an event. Seconds are counted
/// in timer ticks, so the time during which a machine is suspended counts as one.
const SILENT_SECONDS_MAX: u32 = 30;
/// Seconds of silence before the first answer after which the other end counts as dead. There are
/// more of them, because a worker may still be loading over a slow network.
const START_SECONDS_MAX: u32 = 120;

/// One connection. Dropping it ends the connection and fails its requests.
pub(crate) struct Link {
    shared: Rc<Shared>,
    ticks: i32,
    _tick: Closure<dyn FnMut()>,
}

/// The number of a request on one connection, which increases with each one. 0 is never the number
/// of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RequestId(u32);

/// The [`Answer`] to an [`Ask`], or the reason why there is no answer.
pub(crate) type Reply = Receiver<Result<Answer>>;

/// Carries frames to the other end of a connection. Frames from there go to a [`Line`].
pub(crate) trait Transport {
    /// Sends a frame. Does nothing once the connection has ended.
    fn post(&self, frame: &[u8]);
    /// Ends the connection: no more frames arrive.
    fn end(&self);
    /// Returns the messages about the other end.
    fn says(&self) -> Says;
}

/// The messages about the other end of a connection.
pub(crate) struct Says {
    /// Why a request fails once the other end has stopped (no trailing period).
    pub(crate) stopped: &'static str,
    /// Why a request is not answered if the page has begun another connection.
    pub(crate) replaced: &'static str,
}

/// Receives the frames of a transport. It does not keep the connection alive.
#[derive(Clone)]
pub(crate) struct Line(Weak<Shared>);

struct Shared {
    transport: Box<dyn Transport>,
    state: RefCell<LinkState>,
    watch: Box<dyn Watch>,
}

/// Receives events of the connection.
pub(crate) trait Watch {
    /// Called for every answer, even if its receiver no longer exists.
    fn answered(&self, request: RequestId, answer: &Answer);
    /// Called when the other end begins to answer requests.
    fn ready(&self) {}
    /// Called when something has changed without a request.
    fn changed(&self);
    /// Called once, when the other end stops.
    fn broken(&self, error: &Error);
}

#[derive(Default)]
struct LinkState {
    last_id: u32,
    waiting: SortedMap<u32, Sender<Result<Answer>>>,
    /// Whether the other end answers requests yet.
    ready: bool,
    /// Frames that wait until the other end answers requests.
    held: Vec<Vec<u8>>,
    silent_seconds: u32,
    broken: Option<Error>,
}

impl Link {
    /// Starts the worker.
    pub(crate) fn start(start: &Start, watch: Box<dyn Watch>) -> Link {
        Link::open(watch, |line| WorkerTransport::start(start, line))
    }

    /// Opens a connection. `transport` creates the transport of its frames, and the reason if that
    /// has failed.
    pub(crate) fn open<T: Transport + 'static>(
        watch: Box<dyn Watch>,
        transport: impl FnOnce(Line) -> (T, Option<String>),
    ) -> Link {
        let mut refusal = None;
        let shared = Rc::new_cyclic(|line| {
            let (transport, refused) = transport(Line(line.clone()));
            refusal = refused;
            Shared { transport: Box::new(transport), state: RefCell::default(), watch }
        });
        let line = Line(Rc::downgrade(&shared));
        let tick: Closure<dyn FnMut()> = Closure::new(move || line.with(Shared::tick));
        let ticks = web_sys::window()
            .and_then(|window| {
                let tick = tick.as_ref().unchecked_ref();
                window.set_interval_with_callback_and_timeout_and_arguments_0(tick, 1_000).ok()
            })
            .unwrap_or_default();
        if let Some(refusal) = refusal {
            shared.break_with(Code::Unavailable, refusal);
        }
        Link { shared, ticks, _tick: tick }
    }

    /// Sends a request. If the other end has stopped, the reply is the reason.
    pub(crate) fn ask(&self, ask: &Ask) -> Reply {
        self.shared.ask(ask)
    }

    /// Returns the id of the last request.
    pub(crate) fn last_id(&self) -> RequestId {
        RequestId(self.shared.state.borrow().last_id)
    }

    /// Returns why the other end has stopped, if it has.
    pub(crate) fn broken(&self) -> Option<Error> {
        self.shared.state.borrow().broken.clone()
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if let Some(window) = web_sys::window() {
            window.clear_interval_with_handle(self.ticks);
        }
        let replaced = self.shared.transport.says().replaced;
        self.shared.end(&Error::new(Code::Cancelled, replaced));
    }
}

impl Line {
    /// Receives a frame.
    pub(crate) fn receive(&self, event: &MessageEvent) {
        self.with(|shared| shared.receive(event));
    }

    /// Ends the connection, because the other end has stopped. If there are several reasons, the
    /// first one is kept.
    pub(crate) fn break_with(&self, code: Code, reason: String) {
        self.with(|shared| shared.break_with(code, reason));
    }

    fn with(&self, act: impl FnOnce(&Shared)) {
        if let Some(shared) = self.0.upgrade() {
            act(&shared);
        }
    }
}

impl Shared {
    fn ask(&self, ask: &Ask) -> Reply {
        let mut state = self.state.borrow_mut();
        if let Some(error) = &state.broken {
            return refused(error.clone());
        }
        let (sender, reply) = oneshot::channel();
        // Id 0 is reserved for notices.
        state.last_id = state.last_id.checked_add(1).unwrap_or(1);
        let id = state.last_id;
        state.waiting.insert(id, sender);
        let mut frame = id.to_le_bytes().to_vec();
        frame.extend(wire::encode(ask));
        if state.ready {
            self.transport.post(&frame);
        } else {
            state.held.push(frame);
        }
        reply
    }

    fn receive(&self, event: &MessageEvent) {
        self.state.borrow_mut().silent_seconds = 0;
        let Ok(buffer) = event.data().dyn_into::<ArrayBuffer>() else { return };
        let frame = Uint8Array::new(&buffer).to_vec();
        let Some((id, body)) = frame.split_first_chunk::<4>() else { return };
        match u32::from_le_bytes(*id) {
            0 => match wire::decode(body) {
                Ok(Notice::Ready) => self.send_held(),
                Ok(Notice::Crashed { message }) => self.break_with(Code::Unavailable, message),
                Ok(Notice::Changed) => self.watch.changed(),
                Err(error) => self.break_with(Code::Unavailable, error.message),
            },
            id => self.answer(id, wire::decode(body)),
        }
    }

    /// Sends the requests that waited for the other end.
    fn send_held(&self) {
        let held = {
            let mut state = self.state.borrow_mut();
            state.ready = true;
            std::mem::take(&mut state.held)
        };
        held.iter().for_each(|frame| self.transport.post(frame));
        self.watch.ready();
    }

    fn answer(&self, id: u32, answer: Result<Answer>) {
        if let Ok(answer) = &answer {
            self.watch.answered(RequestId(id), answer);
        }
        let waiting = self.state.borrow_mut().waiting.remove(&id);
        // If the receiver no longer exists, its run must not stay open.
        let Some(sender) = waiting else { return };
        if let Err(Ok(Answer::Job(Ok(JobSlice { run: Some(run), .. })))) = sender.send(answer) {
            drop(self.ask(&Ask::Job(JobAsk::End(run))));
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
            self.break_with(Code::Unavailable, format!("it has not answered for {seconds} seconds"));
        }
    }

    /// Ends the connection. If there are several reasons, the first one is kept.
    fn break_with(&self, code: Code, reason: String) {
        if self.state.borrow().broken.is_none() {
            let error = Error::new(code, format!("{}: {reason}", self.transport.says().stopped));
            self.end(&error);
            self.watch.broken(&error);
        }
    }

    fn end(&self, error: &Error) {
        self.transport.end();
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

/// Returns a reply that has already arrived: the reason why there is no answer.
pub(crate) fn refused(error: Error) -> Reply {
    let (sender, reply) = oneshot::channel();
    // The receiver still exists here.
    drop(sender.send(Err(error)));
    reply
}

/// Returns the message of a thrown value.
pub(crate) fn text_of(thrown: &JsValue) -> String {
    match thrown.dyn_ref::<js_sys::Error>() {
        Some(error) => error.message().into(),
        None => thrown.as_string().unwrap_or_else(|| "it did not give a reason".into()),
    }
}
