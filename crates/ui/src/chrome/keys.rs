//! The dialog that lists the keyboard shortcuts, and whether single keys work.

use tabletop_texts::messages;
use web_sys::HtmlInputElement;
use yew::{Callback, Event, Html, TargetCast, html};

use crate::browser;
use crate::kit::{Column, Icon, Row, Table, tool};
use crate::page::actions::Actions;
use crate::page::state::{Action, Part};

const DIALOG: &str = "keys";
/// The stored name of whether single keys work.
const SINGLE: &str = "single-keys";

/// The dialog with the keys.
#[derive(Clone, Default)]
pub struct KeysDialog {
    /// Whether the dialog is open.
    pub open: bool,
}

impl Part for KeysDialog {}

/// Returns whether keys without Ctrl or Alt work outside fields.
pub fn single_keys_work() -> bool {
    browser::stored(SINGLE).is_none_or(|text| text != "no")
}

/// Opens the dialog.
pub fn open_keys(act: &Callback<Action>) {
    act.emit(Action::part(|look: &mut KeysDialog| look.open = true));
    browser::open_dialog(DIALOG);
}

/// Draws the dialog, once it has been opened.
#[inline(never)]
pub fn keys_dialog(actions: &Actions) -> Html {
    let says = &messages().palette.keys;
    let on_single = actions.act.reform(|event: Event| {
        let works = event.target_unchecked_into::<HtmlInputElement>().checked();
        browser::store(SINGLE, if works { "yes" } else { "no" });
        Action::Look(Box::new(|_| ()))
    });
    let line = |line: &'static str| {
        let mut parts = line.split(" | ").map(|part| html! { {part} });
        let mut next = || parts.next().unwrap_or_default();
        Row::new([next(), html! { <kbd>{next()}</kbd> }, next()])
    };
    html! {
        <dialog id={DIALOG} class="keys-dialog" aria-labelledby="keys-title" onclose={actions.part(|look: &mut KeysDialog| look.open = false).reform(|_| ())}>
            <div class="dialog-head">
                <h2 id="keys-title">{says.title}</h2>
                { tool(messages().common.close, Icon::Close, Callback::from(|()| browser::close_dialog(DIALOG))) }
            </div>
            { Table::new([says.place, says.key, says.action].map(Column::text), says.all.lines().map(line)).draw() }
            <label class="single-keys">
                <input type="checkbox" checked={single_keys_work()} onchange={on_single} />
                <span>{says.single}</span>
            </label>
        </dialog>
    }
}
