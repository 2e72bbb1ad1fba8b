//! What this is, and what it is not.

use wasm_bindgen::JsCast;
use web_sys::HtmlDialogElement;
use yew::{Callback, Html, html};

use crate::browser;
use crate::widgets::{ButtonKind, Icon, push, tool};

/// A button, and the dialog that it opens.
pub fn about() -> Html {
    let open = Callback::from(|()| {
        if let Some(dialog) = dialog() {
            // Fails only when it is open already.
            let _ = dialog.show_modal();
        }
    });
    let close = Callback::from(|()| dialog().iter().for_each(HtmlDialogElement::close));
    html! {
        <>
            { push("About", Some(Icon::Info), ButtonKind::Quiet, false, open) }
            <dialog id="about" class="about" aria-labelledby="about-title">
                <div class="dialog-head">
                    <h2 id="about-title">{"About Tabletop"}</h2>
                    { tool("Close", Icon::Close, false, close) }
                </div>
                <p>
                    {"Tabletop is a workbench for designing row keys and schemas for Bigtable. A real storage engine - commit log, \
                      memtable, SSTables, tablets that split - runs in this page and holds your events. Change the row key or the \
                      layout, and see what becomes of the tablets, the hot spots, the reads and the filters."}
                </p>
                <p>
                    <strong>{"Nothing leaves this browser. "}</strong>
                    {"Events, designs and questions are worked on here; there is no server behind the page."}
                </p>
                <p>
                    <strong>{"Thresholds are scaled down. "}</strong>
                    {"Google publishes no size or load at which Bigtable splits a tablet. Here they are parameters, small enough that \
                      a few thousand events show what millions would. Time is the table's own clock: events arrive at the pace that \
                      you set, so the same events always give the same picture."}
                </p>
                <p>
                    <strong>{"Keys: "}</strong>
                    {"Ctrl+Z and Ctrl+Shift+Z undo and redo any change. Alt+Up and Alt+Down move a part of the key. Arrow keys move \
                      along the tablets, Enter opens one. Ctrl+` goes to the shell and back. Scripts find the same engine as "}
                    <code class="mono">{"window.tabletop"}</code>
                    {"."}
                </p>
                <p class="soft small">
                    {"Not affiliated with Google. Bigtable is a trademark of Google LLC. Licence: MIT or Apache-2.0."}
                </p>
            </dialog>
        </>
    }
}

fn dialog() -> Option<HtmlDialogElement> {
    browser::document().get_element_by_id("about")?.dyn_into().ok()
}
