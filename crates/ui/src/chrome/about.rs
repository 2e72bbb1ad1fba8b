//! The dialog about the page.

use tabletop_texts::messages;
use yew::{Callback, Html, html};

use crate::browser;
use crate::kit::{Icon, tool};
use crate::page::actions::Actions;
use crate::page::state::{PageState, Part};

const DIALOG: &str = "about";

/// The dialog about the page.
#[derive(Clone, Default)]
struct AboutLook {
    /// Whether the dialog has been opened, so that it is drawn.
    open: bool,
}

impl Part for AboutLook {}

/// Returns a callback that opens the dialog.
pub fn open_about(actions: &Actions) -> Callback<()> {
    let draw = actions.part(|look: &mut AboutLook| look.open = true);
    Callback::from(move |()| {
        draw.emit(());
        browser::open_dialog(DIALOG);
    })
}

/// Draws the dialog once it has been opened: a first visit does not need its texts.
pub fn about(state: &PageState) -> Html {
    if state.look.part::<AboutLook>().open {
        about_dialog()
    } else {
        html! {}
    }
}

#[inline(never)]
fn about_dialog() -> Html {
    let close = Callback::from(|()| browser::close_dialog(DIALOG));
    let about = &messages().top_bar.about;
    let (privacy, thresholds, keys) = (about.privacy, about.thresholds, about.keys);
    html! {
            <dialog id={DIALOG} class="about" aria-labelledby="about-title">
                <div class="dialog-head">
                    <h2 id="about-title">{about.title}</h2>
                    { tool(messages().common.close, Icon::Close, close) }
                </div>
                <p>{about.what}</p>
                <p><strong>{privacy.0}</strong>{" "}{privacy.1}</p>
                <p><strong>{thresholds.0}</strong>{" "}{thresholds.1}</p>
                <p><strong>{keys.0}</strong>{" "}{keys.1}{" "}<code class="mono">{"window.tabletop"}</code>{"."}</p>
                <p><a href={about.guide.1} target="_blank" rel="noopener noreferrer">{about.guide.0}</a></p>
                <p class="soft small">{about.trademark}</p>
                <p class="soft small">
                    {about.version}{" "}{env!("CARGO_PKG_VERSION")}
                    { for about.licences.map(|(name, address)| html! { <>{" · "}<a href={address}>{name}</a></> }) }
                </p>
            </dialog>
    }
}
