//! The door to what this page keeps: one tab at a time goes through it.
//!
//! A Web Lock is held for as long as the worker lives, however it ends. Lock and folder are named by the page's path, for one
//! origin may hold many pages.

use js_sys::{Array, Function, Promise, Reflect, encode_uri_component};
use tabletop_model::{Code, Error, Result};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{DedicatedWorkerGlobalScope, StorageManager};

use crate::opfs::Opfs;

/// Milliseconds after which whoever holds the lock is taken for another tab: a page that is reloaded needs a moment to go.
const PATIENCE_MILLIS: i32 = 1_000;
/// How often files are tried again, which may still be open in a worker that has just ended.
const TRIES: u32 = 10;
const TRY_MILLIS: i32 = 100;

#[wasm_bindgen]
extern "C" {
    type LockManager;

    /// Calls back with the lock once it is free, and holds it until what that gives is settled.
    #[wasm_bindgen(method)]
    fn request(this: &LockManager, name: &str, callback: &Function) -> Promise;
}

/// A place in the line before the door.
pub(crate) struct Door {
    scope: DedicatedWorkerGlobalScope,
    storage: StorageManager,
    name: String,
    /// Kept once it is this worker's turn.
    granted: Promise,
}

impl Door {
    /// Stands in line.
    ///
    /// # Errors
    /// When the browser has no locks or no storage for this page.
    pub(crate) fn new(scope: &DedicatedWorkerGlobalScope) -> Result<Door> {
        let of_navigator = |name: &str| {
            let found = Reflect::get(&scope.navigator(), &name.into()).unwrap_or_default();
            if found.is_object() { Ok(found) } else { Err(without(&format!("it has no navigator.{name} for this page"))) }
        };
        let locks: LockManager = of_navigator("locks")?.unchecked_into();
        let storage = of_navigator("storage")?.unchecked_into();
        let name = name_of(&scope.location().pathname());
        let granted = Promise::new(&mut |granted, _| {
            let hold = Closure::once_into_js(move |_lock: JsValue| {
                granted.call1(&JsValue::NULL, &JsValue::TRUE).expect("a promise takes any value");
                // Never settled: held until the worker ends.
                Promise::new(&mut |_, _| {})
            });
            // What is refused is never granted, as if another tab held it.
            drop(locks.request(&name, hold.unchecked_ref()));
        });
        Ok(Door { scope: scope.clone(), storage, name, granted })
    }

    /// Whether it is this worker's turn within a moment.
    pub(crate) async fn opens_soon(&self) -> bool {
        let first = Promise::race(&Array::of2(&self.granted, &self.pause(PATIENCE_MILLIS)));
        JsFuture::from(first).await.is_ok_and(|granted| granted.is_truthy())
    }

    /// Waits for this worker's turn, however long.
    pub(crate) async fn opens(&self) {
        drop(JsFuture::from(self.granted.clone()).await);
    }

    /// Opens the files.
    ///
    /// # Errors
    /// What the browser says.
    pub(crate) async fn enter(&self) -> Result<Opfs> {
        let mut tries = 0;
        loop {
            match Opfs::open(&self.storage, &self.name).await {
                // What is forbidden stays so; all else may be of a worker that is on its way out.
                Err(refusal) if !refusal.starts_with("SecurityError") && tries < TRIES => {
                    tries += 1;
                    drop(JsFuture::from(self.pause(TRY_MILLIS)).await);
                }
                opened => return opened.map_err(|refusal| without(&refusal)),
            }
        }
    }

    fn pause(&self, millis: i32) -> Promise {
        Promise::new(&mut |resolve, _| {
            drop(self.scope.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, millis));
        })
    }
}

/// The name of what the page of a path keeps: the worker's script lies beside it.
fn name_of(script: &str) -> String {
    let directory = script.rfind('/').map_or("/", |end| &script[..=end]);
    // A name has no slash.
    format!("tabletop {}", String::from(encode_uri_component(directory)))
}

fn without(why: &str) -> Error {
    let message = format!(
        "this browser keeps nothing for the page ({why}): what you load is there until the page is closed. A private window, or a \
         setting that blocks site data, may be why"
    );
    Error::new(Code::Unavailable, message)
}
