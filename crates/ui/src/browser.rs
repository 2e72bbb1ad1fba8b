//! The browser's functions that the page calls in addition to Yew's.

mod pointing;
mod raster;
mod stored;
mod timer;
#[cfg(test)]
pub mod used;
mod utf16;

use js_sys::{Array, Date, Object, Reflect};
pub use pointing::{has_left_screen, point_at, scroll_to_beginning};
pub use raster::{can_copy_pictures, copy_png, png_of, png_of_canvas};
pub use stored::{
    is_stored_name, remove_stored, restored, session_stored, store, store_for_session, stored, stored_names,
    stored_units,
};
pub use timer::Timer;
pub use utf16::{byte_at, units_at};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    Blob, BlobPropertyBag, Document, Element, File, HtmlAnchorElement, HtmlDialogElement, HtmlElement,
    HtmlInputElement, ResizeObserver, Response, Url, Window,
};

/// Returns the window; a page always has one.
pub fn window() -> Window {
    web_sys::window().expect("a page has a window")
}

/// Returns the window; `None` in tests that draw the page without a browser.
pub fn window_if_any() -> Option<Window> {
    if cfg!(all(test, not(target_arch = "wasm32"))) { None } else { Some(window()) }
}

/// Returns the root element of the document.
pub fn root() -> Option<Element> {
    window_if_any()?.document()?.document_element()
}

/// Returns the document; a window always has one.
pub fn document() -> Document {
    window().document().expect("a window has a document")
}

#[wasm_bindgen]
extern "C" {
    type ImportMeta;

    #[wasm_bindgen(method, getter)]
    fn url(this: &ImportMeta) -> String;

    /// `import.meta` of the script that wasm-bindgen wrote for this program.
    #[wasm_bindgen(thread_local_v2, js_namespace = import, js_name = meta)]
    static META: ImportMeta;
}

/// Returns this program for a worker: `{ script, module }`, the address of its script and the
/// compiled module.
pub fn this_program() -> JsValue {
    let program = Object::new();
    for (name, value) in [("script", META.with(ImportMeta::url).into()), ("module", wasm_bindgen::module())] {
        Reflect::set(&program, &name.into(), &value).expect("a fresh object takes any property");
    }
    program.into()
}

/// Returns the milliseconds since the page was opened; they never go back.
pub fn now_millis() -> f64 {
    if cfg!(test) {
        return 0.0;
    }
    window().performance().map_or(0.0, |performance| performance.now())
}

/// Returns the local date and time to the second: `2026-11-21 18:59:06`.
pub fn local_time() -> String {
    if cfg!(test) {
        return "2026-11-27 18:59:06".into();
    }
    time_text(&Date::new_0())
}

/// Returns the local date and time of a moment in milliseconds since 1970, to the minute:
/// `2026-11-21 18:59`.
pub fn local_minute(millis: f64) -> String {
    let mut text = time_text(&Date::new(&millis.into()));
    text.truncate(16);
    text
}

fn time_text(now: &Date) -> String {
    let (month, day) = (now.get_month() + 1, now.get_date());
    let (hours, minutes, seconds) = (now.get_hours(), now.get_minutes(), now.get_seconds());
    format!("{}-{month:02}-{day:02} {hours:02}:{minutes:02}:{seconds:02}", now.get_full_year())
}

/// Returns whether the user prefers reduced motion.
pub fn reduced_motion() -> bool {
    cfg!(test) || matches("(prefers-reduced-motion: reduce)")
}

/// Returns whether a media query matches now.
pub fn matches(query: &str) -> bool {
    let list = window_if_any().and_then(|window| window.match_media(query).ok().flatten());
    list.is_some_and(|list| list.matches())
}

/// Returns the part of the address from the question mark to the end.
pub fn address_query() -> String {
    window_if_any().and_then(|window| window.location().search().ok()).unwrap_or_default()
}

/// Returns the part of the address from `#` to the end.
pub fn address_hash() -> String {
    window().location().hash().unwrap_or_default()
}

/// Removes the part of the address from `#` to the end, without adding to the history.
pub fn drop_address_hash() {
    let location = window().location();
    replace_address(&[location.pathname(), location.search()].map(Result::unwrap_or_default).concat());
}

/// Returns the origin of the page: scheme, host and port.
pub fn origin() -> String {
    window().location().origin().unwrap_or_default()
}

/// Replaces the address of the page, without adding to the history.
pub fn replace_address(address: &str) {
    if let Some(history) = window_if_any().and_then(|window| window.history().ok()) {
        // Fails only for an address of another host.
        drop(history.replace_state_with_url(&JsValue::NULL, "", Some(address)));
    }
}

/// Returns whether the page is hidden: another tab is in front of it.
pub fn is_in_background() -> bool {
    document().hidden()
}

/// Returns the address of the page up to its path.
pub fn page_address() -> String {
    let Some(location) = window_if_any().map(|window| window.location()) else { return String::new() };
    [location.origin(), location.pathname()].map(Result::unwrap_or_default).concat()
}

/// Adds an address to the history of the tab, which shows it.
pub fn push_address(address: &str) {
    if let Some(history) = window_if_any().and_then(|window| window.history().ok()) {
        // Fails only for an address of another host.
        drop(history.push_state_with_url(&JsValue::NULL, "", Some(address)));
    }
}

/// Returns the still of index.html, as long as it covers the page.
pub fn still() -> Option<Element> {
    window_if_any()?.document()?.get_element_by_id("still")
}

/// Removes the still, so that the page is visible.
pub fn uncover() {
    if let Some(still) = still() {
        still.remove();
    }
}

/// Marks a moment for the benchmark.
pub fn mark(name: &str) {
    if let Some(performance) = window().performance() {
        // The benchmark reports a mark that is missing.
        drop(performance.mark(name));
    }
}

/// Waits until the browser is about to paint.
pub async fn next_frame() {
    let promise = js_sys::Promise::new(&mut |resolve, _| {
        // A hidden page gets its frames later.
        drop(window().request_animation_frame(&resolve));
    });
    drop(JsFuture::from(promise).await);
}

/// Waits until the page has drawn what `selector` finds. A busy page draws some frames after a
/// change. Returns `None` if it does not appear, or if the focus moves while waiting: the user is
/// then busy somewhere else.
pub async fn drawn(selector: &str) -> Option<HtmlElement> {
    const FRAMES_MAX: usize = 300;
    next_frame().await;
    let focused = document().active_element();
    for _ in 0..FRAMES_MAX {
        let found = document().query_selector(selector).ok().flatten();
        if let Some(element) = found.and_then(|element| element.dyn_into().ok()) {
            return Some(element);
        }
        next_frame().await;
        let now = document().active_element();
        // The body has the focus when the focused element was removed.
        if now != focused && now.is_some_and(|now| now.tag_name() != "BODY") {
            return None;
        }
    }
    None
}

/// Moves the focus to what `selector` finds, once the page has drawn it.
pub fn focus(selector: String) {
    #[cfg(test)]
    return used::note_focus(selector);
    #[cfg(not(test))]
    spawn_local(async move {
        if let Some(element) = drawn(&selector).await {
            // Fails only for an element that is not shown.
            drop(element.focus());
        }
    });
}

/// Whether the browser shows the focus: the user moved it by keys.
pub fn shows_focus() -> bool {
    let document = window_if_any().and_then(|window| window.document());
    document.is_some_and(|document| document.query_selector(":focus-visible").ok().flatten().is_some())
}

/// Moves the focus to an element that is already on the page.
pub fn focus_now(id: &str) {
    let element = window_if_any().and_then(|window| window.document()?.get_element_by_id(id));
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        // Fails only for an element that is not shown.
        drop(element.focus());
    }
}

/// Opens a dialog once the page has drawn it.
pub fn open_dialog(id: &'static str) {
    spawn_local(async move {
        if let Some(dialog) = drawn(&format!("#{id}")).await {
            // Fails only if it is already open.
            let _ = dialog.unchecked_into::<HtmlDialogElement>().show_modal();
        }
    });
}

/// Closes a dialog, if it exists.
pub fn close_dialog(id: &str) {
    dialog(id).iter().for_each(HtmlDialogElement::close);
}

fn dialog(id: &str) -> Option<HtmlDialogElement> {
    document().get_element_by_id(id)?.dyn_into().ok()
}

/// Offers `text` of the media type `kind` as a download.
///
/// # Errors
/// The browser refuses the download.
pub fn download(file: &str, kind: &str, text: &str) -> Result<(), JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    offer(file, &Blob::new_with_str_sequence_and_options(&Array::of1(&text.into()), &options)?)
}

/// Offers a file as a download.
///
/// # Errors
/// The browser refuses the download.
pub fn offer(file: &str, content: &Blob) -> Result<(), JsValue> {
    let url = Url::create_object_url_with_blob(content)?;
    let link: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    link.set_href(&url);
    link.set_download(file);
    link.click();
    Url::revoke_object_url(&url)
}

/// Returns the text of a file of the page; `None` if it cannot be fetched.
pub async fn fetched(file: &str) -> Option<String> {
    let response: Response = JsFuture::from(window().fetch_with_str(file)).await.ok()?.dyn_into().ok()?;
    if !response.ok() {
        return None;
    }
    JsFuture::from(response.text().ok()?).await.ok()?.as_string()
}

/// Removes the chosen file from an input, so that the same file can be chosen again after a change.
pub fn take_file(input: &HtmlInputElement, take: impl FnOnce(File)) {
    if let Some(file) = input.files().and_then(|files| files.get(0)) {
        take(file);
    }
    input.set_value("");
}

/// Copies `text` to the clipboard. Returns whether the browser allowed it.
pub async fn copy(text: &str) -> bool {
    JsFuture::from(window().navigator().clipboard().write_text(text)).await.is_ok()
}

/// Scrolls a list just enough to show one of its lines. The style sheet makes offsets relative to
/// the list.
pub fn scroll_in_list(line_id: &str) {
    let line = document().get_element_by_id(line_id).and_then(|line| line.dyn_into::<HtmlElement>().ok());
    let Some((line, list)) = line.and_then(|line| line.parent_element().map(|list| (line, list))) else {
        return;
    };
    let (top, bottom) = (line.offset_top(), line.offset_top() + line.offset_height());
    if top < list.scroll_top() {
        list.set_scroll_top(top);
    } else if bottom > list.scroll_top() + list.client_height() {
        list.set_scroll_top(bottom - list.client_height());
    }
}

/// Scrolls just enough to show an element.
pub fn scroll_to_see(element: &Element) {
    let options = web_sys::ScrollIntoViewOptions::new();
    options.set_block(web_sys::ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

/// Calls back with the size of an element, now and after each change, until the returned function
/// is called.
pub fn observe_size(
    element: Option<Element>,
    mut on_size: impl FnMut((f64, f64)) + 'static,
) -> impl FnOnce() {
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
