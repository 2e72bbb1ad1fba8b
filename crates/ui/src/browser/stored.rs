//! What the browser stores for this page: local storage for all tabs, session storage for one. Both
//! are synchronous. The script `www/durable.js` copies each change of local storage to a durable
//! place, and restores what a killed browser had not written to the disk.

use js_sys::{JsString, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[cfg(test)]
use super::used;
use super::{window, window_if_any};

#[wasm_bindgen]
extern "C" {
    /// Settles once local storage is restored, or when that takes too long.
    #[wasm_bindgen(thread_local_v2, js_name = tabletopRestored)]
    static RESTORED: Option<Promise>;

    /// Copies what is stored under `name`, or that nothing is.
    #[wasm_bindgen(js_name = tabletopKeep, catch)]
    fn keep(name: &str) -> Result<(), JsValue>;
}

/// Waits until local storage is restored. Call it before anything is read.
pub async fn restored() {
    if let Some(restored) = RESTORED.with(Clone::clone) {
        // It never fails.
        drop(JsFuture::from(restored).await);
    }
}

fn copy(name: &str) {
    // Fails only in a page without the script, which then has local storage alone.
    drop(keep(name));
}

/// Returns what is stored under `name` for this path; one origin can host many pages.
pub fn stored(name: &str) -> Option<String> {
    #[cfg(test)]
    if let Some(text) = used::stored(name) {
        return Some(text);
    }
    window_if_any()?.local_storage().ok()??.get_item(&stored_name(name)).ok()?
}

/// Stores `text` under `name` for this path, durably within a second. Returns `false` if the browser
/// does not allow it.
pub fn store(name: &str, text: &str) -> bool {
    let storage = window().local_storage().ok().flatten();
    let is_stored = storage.is_some_and(|storage| storage.set_item(&stored_name(name), text).is_ok());
    if is_stored {
        copy(name);
    }
    is_stored
}

/// Returns what this tab has stored under `name`.
pub fn session_stored(name: &str) -> Option<String> {
    #[cfg(test)]
    if let Some(text) = used::stored(name) {
        return Some(text);
    }
    window_if_any()?.session_storage().ok()??.get_item(&stored_name(name)).ok()?
}

/// Stores `text` under `name` until the tab is closed. Returns `false` if the browser does not
/// allow it.
pub fn store_for_session(name: &str, text: &str) -> bool {
    let storage = window().session_storage().ok().flatten();
    storage.is_some_and(|storage| storage.set_item(&stored_name(name), text).is_ok())
}

/// Deletes what is stored under `name` for this path, durably within a second.
pub fn remove_stored(name: &str) {
    if let Some(storage) = window().local_storage().ok().flatten() {
        // Fails only in browsers that store nothing.
        drop(storage.remove_item(&stored_name(name)));
        copy(name);
    }
}

/// Returns the length of what is stored under `name` for this path, in UTF-16 units, without
/// copying the text.
pub fn stored_units(name: &str) -> usize {
    let storage = window().local_storage().ok().flatten();
    let text = storage.and_then(|storage| Reflect::get(&storage, &stored_name(name).into()).ok());
    text.and_then(|text| text.dyn_into::<JsString>().ok()).map_or(0, |text| text.length() as usize)
}

/// Returns all names under which something is stored for this path.
pub fn stored_names() -> Vec<String> {
    let Some(storage) = window().local_storage().ok().flatten() else { return Vec::new() };
    let names = (0..storage.length().unwrap_or(0)).filter_map(|at| storage.key(at).ok().flatten());
    let prefix = stored_name("");
    names.filter_map(|name| name.strip_prefix(&prefix).map(String::from)).collect()
}

/// Returns whether `key` of the browser's storage is the one for `name` at this path.
pub fn is_stored_name(key: &str, name: &str) -> bool {
    key == stored_name(name)
}

fn stored_name(name: &str) -> String {
    let path = window().location().pathname().unwrap_or_default();
    let directory = path.rfind('/').map_or("/", |end| &path[..=end]);
    format!("{directory}tabletop.{name}")
}
