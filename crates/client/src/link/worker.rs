//! A worker as the other end of a connection.

use js_sys::{Array, Uint8Array};
use tabletop_model::Code;
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, Event, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::{Line, Says, Transport, text_of};
use crate::early_worker::{self, EarlyWorker};

/// The parameters for starting a worker.
#[derive(Clone, Debug)]
pub struct Start {
    /// Address of its script, a module, relative to the page.
    pub url: String,
    /// The first message to the script, before any frame, which names the program to run.
    pub first_message: JsValue,
}

/// A worker, or nothing if the browser refused to start it.
pub(crate) struct WorkerTransport {
    worker: Option<Worker>,
    /// The closures must live as long as the worker may call them.
    _listeners: Listeners,
}

struct Listeners {
    _message: Closure<dyn FnMut(MessageEvent)>,
    _error: Closure<dyn FnMut(Event)>,
}

impl WorkerTransport {
    /// Starts the worker.
    pub(crate) fn start(start: &Start, line: Line) -> (WorkerTransport, Option<String>) {
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
        let listeners = Listeners::new(line);
        let (message, error) =
            (listeners._message.as_ref().unchecked_ref(), listeners._error.as_ref().unchecked_ref());
        if let Some(worker) = &worker {
            worker.set_onmessage(Some(message));
            worker.set_onerror(Some(error));
            worker.post_message(&start.first_message).expect("what a worker is started with can be cloned");
            early_worker::share_later(worker);
        }
        if let Some(early) = early {
            early.replay(error);
        }
        (WorkerTransport { worker, _listeners: listeners }, refusal)
    }
}

impl Transport for WorkerTransport {
    fn post(&self, frame: &[u8]) {
        if let Some(worker) = &self.worker {
            let buffer = Uint8Array::from(frame).buffer();
            // Only values that cannot be cloned, and duplicates, are refused. This is neither.
            worker
                .post_message_with_transfer(&buffer, &Array::of1(&buffer))
                .expect("a fresh buffer can be transferred");
        }
    }

    fn end(&self) {
        if let Some(worker) = &self.worker {
            worker.set_onmessage(None);
            worker.set_onerror(None);
            worker.terminate();
        }
    }

    fn says(&self) -> Says {
        Says {
            stopped: "the worker has stopped",
            replaced: "the worker was replaced by another one during the request",
        }
    }
}

impl Listeners {
    fn new(line: Line) -> Listeners {
        let received = line.clone();
        let message = move |event: MessageEvent| received.receive(&event);
        let error = move |event: Event| {
            let message = match event.dyn_ref::<ErrorEvent>() {
                // A panic sends its message first. A trap without a message is a failed allocation.
                Some(error) if error.message().contains("unreachable") => {
                    "most likely it ran out of memory: load fewer events, or delete some designs".into()
                }
                Some(error) => format!("{} ({}:{})", error.message(), error.filename(), error.lineno()),
                None => "its script could not be loaded".into(),
            };
            let line = line.clone();
            wasm_bindgen_futures::spawn_local(async move {
                // The panic's message may arrive slightly later than the trap.
                crate::sleep(100).await;
                line.break_with(Code::Unavailable, message);
            });
        };
        Listeners { _message: Closure::new(message), _error: Closure::new(error) }
    }
}
