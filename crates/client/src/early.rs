//! A worker that is there before this program. `index.html` starts it, so that both are loaded at the same time and not one
//! after the other, and keeps what it says until it is taken over here.

use js_sys::{Array, Function, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Worker;

/// Under this name: `{ url, worker, messages, errors }`, the lists with the events of these kinds.
const NAME: &str = "tabletopWorker";

/// A worker, and the events that nobody has handled yet.
pub(crate) struct Early {
    pub(crate) worker: Worker,
    messages: Array,
    errors: Array,
}

impl Early {
    /// Takes it over, if there is one of this address. Only the first caller gets it.
    pub(crate) fn take(url: &str) -> Option<Early> {
        let page = js_sys::global();
        let early = Reflect::get(&page, &NAME.into()).ok()?;
        let part = |name: &str| Reflect::get(&early, &name.into()).ok();
        if part("url")?.as_string()? != url {
            return None;
        }
        Reflect::delete_property(&page, &NAME.into()).ok()?;
        let (worker, messages, errors) = (part("worker")?, part("messages")?, part("errors")?);
        Some(Early { worker: worker.dyn_into().ok()?, messages: messages.dyn_into().ok()?, errors: errors.dyn_into().ok()? })
    }

    /// Tells the listeners of today what happened before them.
    pub(crate) fn retell(&self, message: &Function, error: &Function) {
        for (events, listener) in [(&self.messages, message), (&self.errors, error)] {
            for event in events.iter() {
                listener.call1(&JsValue::NULL, &event).expect("a listener of ours throws nothing");
            }
        }
    }
}
