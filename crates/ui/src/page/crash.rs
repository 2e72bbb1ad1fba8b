//! The screen after a panic. It is plain DOM, because the code that draws the page may be what
//! failed.

use std::cell::RefCell;
use std::panic::PanicHookInfo;

use tabletop_texts::messages;
use wasm_bindgen::prelude::*;
use web_sys::Element;

use crate::browser;

thread_local! {
    /// The last workspace shown, as JSON.
    static WORKSPACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps the workspace for the crash screen.
pub fn keep(workspace: &str) {
    WORKSPACE.with(|kept| *kept.borrow_mut() = workspace.into());
}

/// Makes each panic show the crash screen, with the message and location of the panic for a report.
/// The console gets the stack.
pub fn install() {
    // Without this call Yew would set its own hook.
    yew::set_custom_panic_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        let place =
            info.location().map(|place| format!("{}:{}", place.file(), place.line())).unwrap_or_default();
        // If the screen cannot be drawn, the page is left unchanged.
        drop(draw(&message(info), &place));
    }));
}

fn message(info: &PanicHookInfo) -> String {
    let payload = info.payload();
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    message.unwrap_or("no message").into()
}

fn draw(message: &str, place: &str) -> Result<(), JsValue> {
    let document = browser::document();
    let Some(body) = document.body() else { return Ok(()) };
    let screen = element("main", "crash")?;
    screen.set_attribute("role", "alert")?;
    let says = &messages().banners;
    screen.append_child(&text_element("h1", says.crashed)?.into())?;
    screen.append_child(&text_element("p", says.crashed_what_now)?.into())?;
    let buttons = element("p", "crash-buttons")?;
    buttons.append_child(
        &button("button primary", says.reload, || drop(browser::window().location().reload()))?.into(),
    )?;
    let save = || {
        let kept = WORKSPACE.with(|kept| kept.borrow().clone());
        drop(browser::download("tabletop-workspace.json", "application/json", &kept));
    };
    buttons.append_child(&button("button", messages().top_bar.save, save)?.into())?;
    screen.append_child(&buttons)?;
    screen.append_child(&text_element("p", says.report)?.into())?;
    screen.append_child(&text_element("pre", &format!("{message}\n{place}"))?.into())?;
    body.replace_children_with_node_1(&screen);
    Ok(())
}

fn element(tag: &str, class: &str) -> Result<Element, JsValue> {
    let element = browser::document().create_element(tag)?;
    element.set_class_name(class);
    Ok(element)
}

fn text_element(tag: &str, text: &str) -> Result<Element, JsValue> {
    let element = element(tag, "")?;
    element.set_text_content(Some(text));
    Ok(element)
}

fn button(class: &str, label: &str, act: fn()) -> Result<Element, JsValue> {
    let button = element("button", class)?;
    button.set_text_content(Some(label));
    let listener = Closure::<dyn FnMut()>::new(act);
    button.add_event_listener_with_callback("click", listener.as_ref().unchecked_ref())?;
    // The listener lives as long as this final screen.
    listener.forget();
    Ok(button)
}
