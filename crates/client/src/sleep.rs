//! A pause.

use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

/// Waits without blocking the page.
pub(crate) async fn sleep(millis: i32) {
    let promise = js_sys::Promise::new(&mut |resolve, _| {
        if let Some(window) = web_sys::window() {
            // Timers need a window.
            drop(window.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, millis));
        }
    });
    drop(JsFuture::from(promise).await as std::result::Result<JsValue, JsValue>);
}
