//! A worker that is there before this program. `index.html` starts it, so that both begin at the same time and not one after
//! the other, and keeps its errors until it is taken over here. It says nothing else before it is told what to run.

use js_sys::{Array, Function, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Worker;

/// Under this name: `{ url, worker, errors }`, the last a list of events.
const NAME: &str = "tabletopWorker";

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
