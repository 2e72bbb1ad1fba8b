//! The little that the page needs of the browser beside Yew.

mod utf16;

use js_sys::{Array, Date, Object, Reflect};
pub use utf16::{byte_at, units_at};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, Document, Element, File, HtmlAnchorElement, HtmlInputElement, ResizeObserver, Url, Window};

/// The window; a page has one.
pub fn window() -> Window {
    web_sys::window().expect("a page has a window")
}

/// The document; a window has one.
pub fn document() -> Document {
    window().document().expect("a window has a document")
}

#[wasm_bindgen]
extern "C" {
    type ImportMeta;

    #[wasm_bindgen(method, getter)]
    fn url(this: &ImportMeta) -> String;

    /// Of the script that wasm-bindgen wrote for this program.
    #[wasm_bindgen(thread_local_v2, js_namespace = import, js_name = meta)]
    static META: ImportMeta;
}

/// The program that runs here, for a worker to run it too: `{ script, module }`, its script's address and what was compiled.
pub fn this_program() -> JsValue {
    let program = Object::new();
    for (name, value) in [("script", META.with(ImportMeta::url).into()), ("module", wasm_bindgen::module())] {
        Reflect::set(&program, &name.into(), &value).expect("a fresh object takes any property");
    }
    program.into()
}

/// Milliseconds since the page began, rising.
pub fn now_millis() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}

/// Date and time where the person is, to the second: `2026-11-21 18:59:06`.
pub fn local_time() -> String {
    let now = Date::new_0();
    let (month, day) = (now.get_month() + 1, now.get_date());
    let (hours, minutes, seconds) = (now.get_hours(), now.get_minutes(), now.get_seconds());
    format!("{}-{month:02}-{day:02} {hours:02}:{minutes:02}:{seconds:02}", now.get_full_year())
}

/// Whether the person asks for little motion.
pub fn reduced_motion() -> bool {
    matches("(prefers-reduced-motion: reduce)")
}

/// Whether a media query holds now.
pub fn matches(query: &str) -> bool {
    window().match_media(query).ok().flatten().is_some_and(|list| list.matches())
}

/// Marks a moment for the benchmark.
pub fn mark(name: &str) {
    if let Some(performance) = window().performance() {
        // A mark that fails is missing from the benchmark, which says so.
        drop(performance.mark(name));
    }
}

/// Waits until the browser is about to paint.
pub async fn next_frame() {
    let promise = js_sys::Promise::new(&mut |resolve, _| {
        // Without a frame there is nothing to wait for; a hidden page gets its frames later.
        drop(window().request_animation_frame(&resolve));
    });
    drop(JsFuture::from(promise).await);
}

/// What was kept under `name` for this path: one origin may hold many pages.
pub fn stored(name: &str) -> Option<String> {
    window().local_storage().ok()??.get_item(&stored_name(name)).ok()?
}

/// Keeps `text` under `name` for this path; `false` if the browser does not let it.
pub fn store(name: &str, text: &str) -> bool {
    let storage = window().local_storage().ok().flatten();
    storage.is_some_and(|storage| storage.set_item(&stored_name(name), text).is_ok())
}

/// What was kept under `name` since the tab was opened.
pub fn session_stored(name: &str) -> Option<String> {
    window().session_storage().ok()??.get_item(&stored_name(name)).ok()?
}

/// Keeps `text` under `name` until the tab is closed; `false` if the browser does not let it.
pub fn store_for_session(name: &str, text: &str) -> bool {
    let storage = window().session_storage().ok().flatten();
    storage.is_some_and(|storage| storage.set_item(&stored_name(name), text).is_ok())
}

fn stored_name(name: &str) -> String {
    let path = window().location().pathname().unwrap_or_default();
    let directory = path.rfind('/').map_or("/", |end| &path[..=end]);
    format!("{directory}tabletop.{name}")
}

/// Offers `text`, which is of the kind `kind`, as a download.
///
/// # Errors
/// What the browser says against it.
pub fn download(file: &str, kind: &str, text: &str) -> Result<(), JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    offer(file, &Blob::new_with_str_sequence_and_options(&Array::of1(&text.into()), &options)?)
}

/// Offers a file as a download.
///
/// # Errors
/// What the browser says against it.
pub fn offer(file: &str, content: &Blob) -> Result<(), JsValue> {
    let url = Url::create_object_url_with_blob(content)?;
    let link: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    link.set_href(&url);
    link.set_download(file);
    link.click();
    Url::revoke_object_url(&url)
}

/// The file that was chosen. The same one may be chosen again, after it was changed.
pub fn take_file(input: &HtmlInputElement, take: impl FnOnce(File)) {
    if let Some(file) = input.files().and_then(|files| files.get(0)) {
        take(file);
    }
    input.set_value("");
}

/// Copies `text`; whether the browser let it.
pub async fn copy(text: &str) -> bool {
    JsFuture::from(window().navigator().clipboard().write_text(text)).await.is_ok()
}

/// Calls back with the size of an element, now and whenever it changes, until the answer is called.
pub fn observe_size(element: Option<Element>, mut on_size: impl FnMut((f64, f64)) + 'static) -> impl FnOnce() {
    let observed = element.and_then(|element| {
        let target = element.clone();
        let callback = Closure::<dyn FnMut()>::new(move || {
            on_size((f64::from(target.client_width()), f64::from(target.client_height())));
        });
        let observer = ResizeObserver::new(callback.as_ref().unchecked_ref()).ok()?;
        observer.observe(&element);
        Some((observer, callback))
    });
    move || {
        if let Some((observer, _callback)) = observed {
            observer.disconnect();
        }
    }
}
