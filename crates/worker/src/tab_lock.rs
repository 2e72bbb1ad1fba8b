//! The lock on the storage of this page, which only one tab holds at a time.
//!
//! A Web Lock is held until the worker ends for any reason, or until the worker cannot open the
//! files. Lock and folder are named by the page's path, because one origin may serve several pages.

use js_sys::{Array, Function, Promise, Reflect, encode_uri_component};
use tabletop_model::{Code, Error, Result};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{DedicatedWorkerGlobalScope, StorageManager};

use crate::opfs::{Opfs, text_of};

/// Milliseconds after which the holder of the lock counts as another tab. The worker of a reloaded
/// page needs time to end; on a loaded machine, more than a second.
const PATIENCE_MILLIS: i32 = 3_000;
/// Number of attempts to open files, which may still be open in a worker that is ending.
const TRIES: u32 = 10;
const TRY_MILLIS: i32 = 100;
/// Milliseconds without an answer from the browser after which the page continues without storage.
const SILENCE_MILLIS: i32 = 10_000;

#[wasm_bindgen]
extern "C" {
    type LockManager;

    /// Calls `callback` when the lock is free, and holds it until the promise that the callback
    /// returns is settled.
    #[wasm_bindgen(method)]
    fn request(this: &LockManager, name: &str, callback: &Function) -> Promise;
}

/// A request for the lock. Requests are granted in order.
pub(crate) struct TabLock {
    scope: DedicatedWorkerGlobalScope,
    storage: StorageManager,
    name: String,
    /// Resolves when this worker has the lock; rejects if the browser refuses it.
    granted: Promise,
    /// Releases the lock.
    unlock: Function,
}

impl TabLock {
    /// Requests the lock.
    ///
    /// # Errors
    /// An error if the browser does not offer locks or storage to this page.
    pub(crate) fn new(scope: &DedicatedWorkerGlobalScope) -> Result<TabLock> {
        let of_navigator = |name: &str| {
            let found = Reflect::get(&scope.navigator(), &name.into()).unwrap_or_default();
            if found.is_object() {
                Ok(found)
            } else {
                Err(without(&format!("it does not have navigator.{name} here")))
            }
        };
        let locks: LockManager = of_navigator("locks")?.unchecked_into();
        let storage = of_navigator("storage")?.unchecked_into();
        let name = name_of(&scope.location().pathname());
        let (held, unlock) = settled_by_hand();
        let (granted, grant) = settled_by_hand();
        let hold = Closure::once_into_js(move |_lock: JsValue| {
            settle(&grant);
            held
        });
        let requested = locks.request(&name, hold.unchecked_ref());
        let granted = Promise::race(&Array::of2(&granted, &requested));
        Ok(TabLock { scope: scope.clone(), storage, name, granted, unlock })
    }

    /// Returns whether this worker gets the lock within a short time.
    ///
    /// # Errors
    /// The browser's message about the lock.
    pub(crate) async fn acquire_soon(&self) -> Result<bool> {
        let first = Promise::race(&Array::of2(&self.granted, &self.pause(PATIENCE_MILLIS)));
        JsFuture::from(first).await.map(|granted| granted.is_truthy()).map_err(refused)
    }

    /// Waits for the lock without a time limit.
    ///
    /// # Errors
    /// The browser's message about the lock.
    pub(crate) async fn acquire(&self) -> Result<()> {
        JsFuture::from(self.granted.clone()).await.map(drop).map_err(refused)
    }

    /// Releases the lock to the next worker in line.
    pub(crate) fn release(&self) {
        settle(&self.unlock);
    }

    /// Opens the files that the lock protects.
    ///
    /// # Errors
    /// The browser's message.
    pub(crate) async fn open_files(&self) -> Result<Opfs> {
        let mut tries = 0;
        loop {
            match Opfs::open(&self.storage, &self.name).await {
                // The files may still be open in a worker that is ending.
                Err(refusal) if !is_forbidden(&refusal) && tries < TRIES => {
                    tries += 1;
                    drop(JsFuture::from(self.pause(TRY_MILLIS)).await);
                }
                opened => return opened.map_err(|refusal| without(&refusal)),
            }
        }
    }

    /// Waits until the browser counts as unresponsive, and returns the error to show.
    pub(crate) async fn no_answer(&self) -> Error {
        drop(JsFuture::from(self.pause(SILENCE_MILLIS)).await);
        without_because("it does not answer", "if it answers later, the page continues with the stored data")
    }

    fn pause(&self, millis: i32) -> Promise {
        Promise::new(&mut |resolve, _| {
            drop(self.scope.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, millis));
        })
    }
}

/// Returns the name of the storage of the page at this path. The worker's script is in the folder
/// of the page.
fn name_of(script: &str) -> String {
    let directory = script.rfind('/').map_or("/", |end| &script[..=end]);
    // A name must not contain a slash.
    format!("tabletop {}", String::from(encode_uri_component(directory)))
}

/// Returns a promise, and the function that resolves it.
fn settled_by_hand() -> (Promise, Function) {
    let mut settle = None;
    let promise = Promise::new(&mut |resolve, _| settle = Some(resolve));
    (promise, settle.expect("a promise is made synchronously"))
}

fn settle(promise: &Function) {
    promise.call1(&JsValue::NULL, &JsValue::TRUE).expect("a promise takes any value");
}

fn refused(thrown: JsValue) -> Error {
    without(&text_of(&thrown))
}

/// Returns the error for a page without storage: the browser's reason, and a hint.
fn without(why: &str) -> Error {
    let hint = if is_forbidden(why) {
        "the reason may be a private window, or a setting that blocks site data"
    } else if why.starts_with("it ") {
        "a newer browser, or an https address, may help"
    } else {
        "close the other tabs of this page, then reload it"
    };
    without_because(why, hint)
}

fn without_because(why: &str, hint: &str) -> Error {
    let message = format!(
        "this browser cannot store data for the page ({why}), so what you load is lost when you close it; {hint}"
    );
    Error::new(Code::Unavailable, message)
}

/// Returns whether a refusal is permanent.
fn is_forbidden(refusal: &str) -> bool {
    refusal.starts_with("SecurityError") || refusal.starts_with("NotAllowedError")
}
