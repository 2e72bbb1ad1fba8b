//! A worker that starts before this program. `index.html` starts it, so that both load at the same
//! time, and collects its errors until the client takes it over. The worker then waits for its
//! first message.

use js_sys::{Array, Function, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Worker;

/// Name of the global property `{ url, worker, errors }`; `errors` is a list of events.
const NAME: &str = "tabletopWorker";

/// Name of a global function that sends a worker the part of the program that is fetched later. It
/// does not exist if the program has only one part (crates/bundle/src/later.js).
const SHARE: &str = "tabletopShareLater";

/// Sends a worker the later part of the program, once it has been fetched. The worker must have
/// received its first message.
pub(crate) fn share_later(worker: &Worker) {
    if let Some(share) = share() {
        share.call1(&JsValue::NULL, worker).expect("a module can be sent to a worker");
    }
}

/// Returns whether a part of the program is fetched later. A program that is built with plain Trunk
/// has only one part.
pub fn has_later_part() -> bool {
    share().is_some()
}

fn share() -> Option<Function> {
    Reflect::get(&js_sys::global(), &SHARE.into()).ok()?.dyn_into().ok()
}

/// A worker, and its errors that have not been handled yet.
pub(crate) struct EarlyWorker {
    pub(crate) worker: Worker,
    errors: Array,
}

impl EarlyWorker {
    /// Takes over the early worker if there is one with this address. Only the first call returns
    /// it.
    pub(crate) fn take(url: &str) -> Option<EarlyWorker> {
        let page = js_sys::global();
        let early = Reflect::get(&page, &NAME.into()).ok()?;
        let part = |name: &str| Reflect::get(&early, &name.into()).ok();
        if part("url")?.as_string()? != url {
            return None;
        }
        Reflect::delete_property(&page, &NAME.into()).ok()?;
        Some(EarlyWorker {
            worker: part("worker")?.dyn_into().ok()?,
            errors: part("errors")?.dyn_into().ok()?,
        })
    }

    /// Calls the listener with the errors that were collected earlier.
    pub(crate) fn replay(&self, listener: &Function) {
        for event in self.errors.iter() {
            listener.call1(&JsValue::NULL, &event).expect("a listener of ours throws nothing");
        }
    }
}
