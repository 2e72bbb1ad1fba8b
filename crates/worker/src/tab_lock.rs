//! The lock on what this page stores: one tab at a time has it.
//!
//! A Web Lock is held until the worker ends, however it does, or until it finds that it cannot open the files. Lock and folder
//! are named by the page's path, for one origin may hold many pages.

use js_sys::{Array, Function, Promise, Reflect, encode_uri_component};
use tabletop_model::{Code, Error, Result};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{DedicatedWorkerGlobalScope, StorageManager};

use crate::opfs::{Opfs, text_of};

/// Milliseconds after which the holder of the lock is taken for another tab: a page that is reloaded needs a moment to go.
const PATIENCE_MILLIS: i32 = 1_000;
/// How often files are tried again, which may still be open in a worker that has just ended.
const TRIES: u32 = 10;
const TRY_MILLIS: i32 = 100;
/// Milliseconds without an answer after which the page goes on without its storage, until one comes.
const SILENCE_MILLIS: i32 = 10_000;

#[wasm_bindgen]
extern "C" {
    type LockManager;

    /// Calls back with the lock once it is free, and holds it until what that gives is settled.
    #[wasm_bindgen(method)]
    fn request(this: &LockManager, name: &str, callback: &Function) -> Promise;
}

/// A request for the lock, which is granted when its turn has come.
pub(crate) struct TabLock {
    scope: DedicatedWorkerGlobalScope,
    storage: StorageManager,
    name: String,
    /// Resolves once this worker has the lock; rejects if the browser refuses it.
    granted: Promise,
    /// Gives the lock back.
    unlock: Function,
}

impl TabLock {
    /// Asks for the lock.
    ///
    /// # Errors
    /// When the browser has no locks or no storage for this page.
    pub(crate) fn new(scope: &DedicatedWorkerGlobalScope) -> Result<TabLock> {
        let of_navigator = |name: &str| {
            let found = Reflect::get(&scope.navigator(), &name.into()).unwrap_or_default();
            if found.is_object() { Ok(found) } else { Err(without(&format!("it has no navigator.{name} here"))) }
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

    /// Whether this worker gets the lock within a moment.
    ///
    /// # Errors
    /// What the browser says against the lock.
    pub(crate) async fn acquire_soon(&self) -> Result<bool> {
        let first = Promise::race(&Array::of2(&self.granted, &self.pause(PATIENCE_MILLIS)));
        JsFuture::from(first).await.map(|granted| granted.is_truthy()).map_err(refused)
    }

    /// Waits for the lock, however long.
    ///
    /// # Errors
    /// As there.
    pub(crate) async fn acquire(&self) -> Result<()> {
        JsFuture::from(self.granted.clone()).await.map(drop).map_err(refused)
    }

    /// Gives the lock to the next that waits.
    pub(crate) fn release(&self) {
        settle(&self.unlock);
    }

    /// Opens the files that the lock is for.
    ///
    /// # Errors
    /// What the browser says.
    pub(crate) async fn open_files(&self) -> Result<Opfs> {
        let mut tries = 0;
        loop {
            match Opfs::open(&self.storage, &self.name).await {
                // All else may be of a worker that is on its way out.
                Err(refusal) if !is_forbidden(&refusal) && tries < TRIES => {
                    tries += 1;
                    drop(JsFuture::from(self.pause(TRY_MILLIS)).await);
                }
                opened => return opened.map_err(|refusal| without(&refusal)),
            }
        }
    }

    /// Waits for so long that a person should know that the browser does not answer; says so.
    pub(crate) async fn no_answer(&self) -> Error {
        drop(JsFuture::from(self.pause(SILENCE_MILLIS)).await);
        without_because("it does not answer", "should it answer later, the page goes on with what is kept")
    }

    fn pause(&self, millis: i32) -> Promise {
        Promise::new(&mut |resolve, _| {
            drop(self.scope.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, millis));
        })
    }
}

/// The name of what the page of a path stores: the worker's script lies beside it.
fn name_of(script: &str) -> String {
    let directory = script.rfind('/').map_or("/", |end| &script[..=end]);
    // A name has no slash.
    format!("tabletop {}", String::from(encode_uri_component(directory)))
}

/// A promise, and what resolves it when it is called.
fn settled_by_hand() -> (Promise, Function) {
    let mut settle = None;
    let promise = Promise::new(&mut |resolve, _| settle = Some(resolve));
    (promise, settle.expect("a promise is made at once"))
}

fn settle(promise: &Function) {
    promise.call1(&JsValue::NULL, &JsValue::TRUE).expect("a promise takes any value");
}

fn refused(thrown: JsValue) -> Error {
    without(&text_of(&thrown))
}

/// Why nothing is kept, in the browser's words, and what may be done about it.
fn without(why: &str) -> Error {
    let hint = if is_forbidden(why) {
        "a private window, or a setting that blocks site data, may be the reason"
    } else if why.starts_with("it ") {
        "a newer browser, or the page's address with https, may help"
    } else {
        "other tabs of this page may have to be closed; then reload it"
    };
    without_because(why, hint)
}

fn without_because(why: &str, hint: &str) -> Error {
    let message =
        format!("this browser keeps nothing for the page ({why}), so what you load is there until it is closed; {hint}");
    Error::new(Code::Unavailable, message)
}

/// What is forbidden stays so.
fn is_forbidden(refusal: &str) -> bool {
    refusal.starts_with("SecurityError") || refusal.starts_with("NotAllowedError")
}
