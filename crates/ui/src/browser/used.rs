//! What the controls of a drawing do, for tests without a browser: a drawing notes each control that
//! is enabled, and a test uses it by its name.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use yew::Callback;

/// Uses a control with a text: what is typed, or which choice is taken. The error is what the
/// control says about a text that it refuses.
pub type Use = Rc<dyn Fn(&str) -> Result<(), String>>;

thread_local! {
    static CONTROLS: RefCell<Vec<(String, Use)>> = const { RefCell::new(Vec::new()) };
    static FOCUS: Cell<Option<String>> = const { Cell::new(None) };
    static STORED: RefCell<Vec<(String, String)>> = const { RefCell::new(Vec::new()) };
}

/// Notes a control.
pub fn note(name: &str, does: impl Fn(&str) -> Result<(), String> + 'static) {
    CONTROLS.with_borrow_mut(|controls| controls.push((name.to_owned(), Rc::new(does))));
}

/// Notes a button.
pub fn note_button(name: &str, on_click: &Callback<()>) {
    let on_click = on_click.clone();
    note(name, move |_| {
        on_click.emit(());
        Ok(())
    });
}

/// Notes a checkbox, which is used with `true` or `false`.
pub fn note_checkbox(name: &str, on_change: &Callback<bool>) {
    let on_change = on_change.clone();
    note(name, move |text| {
        let is_checked = text.parse().map_err(|_| format!("{text:?} is neither true nor false"))?;
        on_change.emit(is_checked);
        Ok(())
    });
}

/// Notes a list of choices.
pub fn note_choices(name: &str, texts: &[&str], on_select: &Callback<usize>) {
    let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
    let on_select = on_select.clone();
    note(name, move |text| {
        let at = texts.iter().position(|each| each == text);
        on_select.emit(at.ok_or_else(|| format!("{text:?} is not among {texts:?}"))?);
        Ok(())
    });
}

/// Notes where the focus goes.
pub fn note_focus(selector: String) {
    FOCUS.set(Some(selector));
}

/// Returns the controls since the last call, in the order of the drawing.
pub fn take_controls() -> Vec<(String, Use)> {
    CONTROLS.take()
}

/// Returns the selector of what gets the focus.
pub fn take_focus() -> Option<String> {
    FOCUS.take()
}

/// Makes the page find a text that an earlier visit has stored.
pub fn store(name: &str, text: &str) {
    STORED.with_borrow_mut(|stored| stored.push((name.to_owned(), text.to_owned())));
}

/// Returns such a text.
pub fn stored(name: &str) -> Option<String> {
    STORED.with_borrow(|stored| stored.iter().rev().find(|(of, _)| of == name).map(|(_, text)| text.clone()))
}
