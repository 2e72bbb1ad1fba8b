//! The tabs of a narrow page.

use tabletop_texts::messages;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::{Html, KeyboardEvent, TargetCast, html};

use crate::browser;
use crate::kit::callback;
use crate::page::actions::Actions;
use crate::page::state::Pane;

/// The panes in the order of work.
const PANES: [Pane; 6] = [Pane::Data, Pane::Design, Pane::Tablets, Pane::Query, Pane::Results, Pane::Shell];

/// Id of the panel that the tabs show.
pub const PANEL_ID: &str = "pane";

/// Returns the id of a pane's tab.
pub fn tab_id(pane: Pane) -> &'static str {
    match pane {
        Pane::Data => "tab-data",
        Pane::Design => "tab-design",
        Pane::Tablets => "tab-tablets",
        Pane::Query => "tab-query",
        Pane::Results => "tab-results",
        Pane::Shell => "tab-shell",
    }
}

fn label(pane: Pane) -> &'static str {
    let panes = &messages().panes;
    match pane {
        Pane::Data => panes.data,
        Pane::Design => panes.design_tab,
        Pane::Tablets => panes.tablets,
        Pane::Query => panes.query,
        Pane::Results => panes.results,
        Pane::Shell => panes.shell,
    }
}

/// Draws a tablist with one tab stop. Arrow keys show the next pane immediately.
pub fn tabs(shown: Pane, actions: &Actions) -> Html {
    let on_select = actions.look_at(|look, pane: Pane| look.pane = pane);
    let on_key = callback(&on_select, move |on_select, event: KeyboardEvent| {
        // Use the current pane, not the one that was drawn: keys can come faster than drawings.
        let focused = event.target_dyn_into::<HtmlElement>().map(|tab| tab.id());
        let at = PANES.iter().position(|pane| focused.as_deref() == Some(tab_id(*pane)));
        let at = at.or_else(|| PANES.iter().position(|pane| *pane == shown)).unwrap_or(0);
        let next = match event.key().as_str() {
            "ArrowRight" => (at + 1) % PANES.len(),
            "ArrowLeft" => (at + PANES.len() - 1) % PANES.len(),
            "Home" => 0,
            "End" => PANES.len() - 1,
            _ => return,
        };
        event.prevent_default();
        let tab = browser::document().get_element_by_id(tab_id(PANES[next]));
        if let Some(tab) = tab.and_then(|tab| tab.dyn_into::<HtmlElement>().ok()) {
            // A tab that is shown takes the focus.
            let _ = tab.focus();
        }
        on_select.emit(PANES[next]);
    });
    let tab = |pane: Pane| {
        let selected = pane == shown;
        html! {
            <button
                type="button"
                role="tab"
                id={tab_id(pane)}
                aria-selected={if selected { "true" } else { "false" }}
                aria-controls={PANEL_ID}
                tabindex={if selected { "0" } else { "-1" }}
                onclick={on_select.reform(move |_| pane)}
            >
                {label(pane)}
            </button>
        }
    };
    html! { <div class="tabs" role="tablist" aria-label={messages().panes.list} onkeydown={on_key}>{ for PANES.map(tab) }</div> }
}
