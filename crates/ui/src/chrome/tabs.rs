//! On a narrow screen, one pane at a time.

use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::{Callback, Html, KeyboardEvent, Properties, function_component, html};

use crate::browser;

/// A pane of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    /// Where the events come from.
    Data,
    /// Row key and layout.
    Design,
    /// Tablets and keys.
    Tablets,
    /// The question.
    Query,
    /// Its answer.
    Results,
}

impl Pane {
    /// In the order of work.
    pub const ALL: [Pane; 5] = [Pane::Data, Pane::Design, Pane::Tablets, Pane::Query, Pane::Results];

    /// What its tab says.
    pub fn label(self) -> &'static str {
        match self {
            Pane::Data => "Data",
            Pane::Design => "Row key",
            Pane::Tablets => "Tablets",
            Pane::Query => "Query",
            Pane::Results => "Results",
        }
    }

    /// Id of its tab.
    pub fn tab_id(self) -> String {
        format!("tab-{}", self.label().to_lowercase().replace(' ', "-"))
    }
}

/// Id of the panel that the tabs show.
pub const PANEL_ID: &str = "pane";

/// Properties of [`Tabs`].
#[derive(Properties, PartialEq)]
pub struct TabsProps {
    /// The one that shows.
    pub pane: Pane,
    /// Another.
    pub on_select: Callback<Pane>,
}

/// A tablist with one tab stop; arrow keys show the next pane at once.
#[function_component]
pub fn Tabs(props: &TabsProps) -> Html {
    let on_key = {
        let (pane, on_select) = (props.pane, props.on_select.clone());
        Callback::from(move |event: KeyboardEvent| {
            let count = Pane::ALL.len();
            let at = Pane::ALL.iter().position(|each| *each == pane).unwrap_or(0);
            let next = match event.key().as_str() {
                "ArrowRight" => (at + 1) % count,
                "ArrowLeft" => (at + count - 1) % count,
                "Home" => 0,
                "End" => count - 1,
                _ => return,
            };
            event.prevent_default();
            let tab = browser::document().get_element_by_id(&Pane::ALL[next].tab_id());
            if let Some(tab) = tab.and_then(|tab| tab.dyn_into::<HtmlElement>().ok()) {
                // A tab that is shown takes the focus.
                let _ = tab.focus();
            }
            on_select.emit(Pane::ALL[next]);
        })
    };
    html! {
        <div class="tabs" role="tablist" aria-label="Panes" onkeydown={on_key}>
            { for Pane::ALL.map(|pane| html! {
                <button
                    key={pane.label()}
                    type="button"
                    role="tab"
                    id={pane.tab_id()}
                    aria-selected={(pane == props.pane).to_string()}
                    aria-controls={PANEL_ID}
                    tabindex={if pane == props.pane { "0" } else { "-1" }}
                    onclick={props.on_select.reform(move |_| pane)}
                >
                    {pane.label()}
                </button>
            }) }
        </div>
    }
}
