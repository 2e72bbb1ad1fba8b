//! A worker that is there before this program. `index.html` starts it, so that both begin at the same time and not one after
//! the other, and keeps its errors until it is taken over here. It says nothing else before it is told what to run.

use js_sys::{Array, Function, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Worker;

/// Under this name: `{ url, worker, errors }`, the last a list of events.
const NAME: &str = "tabletopWorker";

/// Under this name: a function that gives a worker the part of the program that is fetched later. There is none where the program
/// is whole (crates/bundle/src/later.js).
const SHARE: &str = "tabletopShareLater";

/// Sees to it that a worker, which has been told what to run, is given the later part of the program when it is there.
pub(crate) fn share_later(worker: &Worker) {
    if let Ok(share) = Reflect::get(&js_sys::global(), &SHARE.into())
        && let Some(share) = share.dyn_ref::<Function>()
    {
        share.call1(&JsValue::NULL, worker).expect("a module can be sent to a worker");
    }
}

/// A worker, and its errors, which were not handled yet.
pub(crate) struct EarlyWorker {
    pub(crate) worker: Worker,
    errors: Array,
}

impl EarlyWorker {
    /// Takes it over, if there is one of this address. Only the first caller gets it.
    pub(crate) fn take(url: &str) -> Option<EarlyWorker> {
        let page = js_sys::global();
        let early = Reflect::get(&page, &NAME.into()).ok()?;
        let part = |name: &str| Reflect::get(&early, &name.into()).ok();
        if part("url")?.as_string()? != url {
            return None;
        }
        Reflect::delete_property(&page, &NAME.into()).ok()?;
        Some(EarlyWorker { worker: part("worker")?.dyn_into().ok()?, errors: part("errors")?.dyn_into().ok()? })
    }

    /// Calls the listener with the errors from before it was there.
    pub(crate) fn replay(&self, listener: &Function) {
        for event in self.errors.iter() {
            listener.call1(&JsValue::NULL, &event).expect("a listener of ours throws nothing");
        }
    }
}
