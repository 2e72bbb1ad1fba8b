//! The dialog about the page.

use wasm_bindgen::JsCast;
use web_sys::HtmlDialogElement;
use yew::{Callback, Html, html};

use crate::browser;
use crate::messages::messages;
use crate::widgets::{ButtonKind, Icon, push, tool};

/// Draws a button and the dialog that it opens.
pub fn about() -> Html {
    let open = Callback::from(|()| {
        if let Some(dialog) = dialog() {
            // Fails only if it is already open.
            let _ = dialog.show_modal();
        }
    });
    let close = Callback::from(|()| dialog().iter().for_each(HtmlDialogElement::close));
    let about = &messages().top_bar.about;
    let (privacy, thresholds, keys) = (about.privacy, about.thresholds, about.keys);
    html! {
        <>
            { push(about.open, Some(Icon::Info), ButtonKind::Quiet, open) }
            <dialog id="about" class="about" aria-labelledby="about-title">
                <div class="dialog-head">
                    <h2 id="about-title">{about.title}</h2>
                    { tool(messages().common.close, Icon::Close, close) }
                </div>
                <p>{about.what}</p>
                <p><strong>{privacy.0}</strong>{" "}{privacy.1}</p>
                <p><strong>{thresholds.0}</strong>{" "}{thresholds.1}</p>
                <p><strong>{keys.0}</strong>{" "}{keys.1}{" "}<code class="mono">{"window.tabletop"}</code>{"."}</p>
                <p class="soft small">{about.trademark}</p>
                <p class="soft small">
                    {about.version}{" "}{env!("CARGO_PKG_VERSION")}
                    { for about.licences.map(|(name, address)| html! { <>{" · "}<a href={address}>{name}</a></> }) }
                </p>
            </dialog>
        </>
    }
}

fn dialog() -> Option<HtmlDialogElement> {
    browser::document().get_element_by_id("about")?.dyn_into().ok()
}
