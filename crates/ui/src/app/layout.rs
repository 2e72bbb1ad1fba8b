//! Where each pane stands: a column and two rows with lines between them that can be moved, or one pane at a time.

use tabletop_shell::Language;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::{Callback, Html, html};

use super::Actions;
use crate::browser;
use crate::chrome::{PANEL_ID, tab_id, tabs};
use crate::messages::messages;
use crate::shell::LANGUAGES;
use crate::state::{Action, Look, State};
use crate::widgets::{Direction, Separator};

/// Least and greatest width of the column, px.
const SIDE: (f64, f64) = (280.0, 640.0);
/// Least and greatest height of the upper row, px.
const UPPER: (f64, f64) = (160.0, 900.0);
/// Least and greatest height of the shell, px.
const SHELL: (f64, f64) = (120.0, 800.0);
/// The name under which it is kept that the shell is not folded.
const SHELL_OPEN: &str = "shell-open";
/// The name under which its language is kept.
const LANGUAGE: &str = "shell-language";

/// Sizes and theme as they were at the last visit.
pub fn restore(look: &mut Look) {
    let kept = |name: &str| browser::stored(name).and_then(|text| text.parse().ok()).filter(|size: &f64| size.is_finite());
    look.side = kept("side").unwrap_or(look.side).clamp(SIDE.0, SIDE.1);
    look.upper = kept("upper").unwrap_or(look.upper).clamp(UPPER.0, UPPER.1);
    look.shell = kept("shell").unwrap_or(look.shell).clamp(SHELL.0, SHELL.1);
    look.shell_open = browser::stored(SHELL_OPEN).is_some_and(|text| text == "yes");
    look.language = stored_language();
    look.theme = crate::chrome::stored_theme();
    // The style sheet has the usual sizes.
    resize("--side", look.side);
    resize("--upper", look.upper);
    resize("--shell", look.shell);
}

/// The language of the shell at the last visit.
pub fn stored_language() -> Language {
    let stored = browser::stored(LANGUAGE);
    let language = LANGUAGES.iter().find(|(_, name)| Some(*name) == stored.as_deref());
    language.map_or(Language::Cbt, |(language, _)| *language)
}

/// Another language from now on.
pub fn speak(language: Language) -> Action {
    let name = LANGUAGES.iter().find(|(each, _)| *each == language).map_or("", |(_, name)| name);
    browser::store(LANGUAGE, name);
    Action::Look(Box::new(move |look| look.language = language))
}

/// Opens or folds the shell.
pub fn show_shell(open: bool) -> Action {
    browser::store(SHELL_OPEN, if open { "yes" } else { "no" });
    Action::Look(Box::new(move |look| look.shell_open = open))
}

/// What stands where, when all panes are shown.
pub struct Panes {
    /// The column at the left.
    pub side: [Html; 3],
    /// The row above.
    pub upper: Html,
    /// Beside it.
    pub inspector: Option<Html>,
    /// The row below.
    pub lower: Html,
    /// Below all.
    pub shell: Html,
}

/// All panes at once: a column, a row above with the inspector beside it, a row below, and the shell at the bottom.
pub fn wide(state: &State, actions: &Actions, panes: Panes) -> Html {
    let Panes { side, upper, inspector, lower, shell } = panes;
    let (look, usual, panes_text) = (&state.look, Look::default(), &messages().panes);
    let on_side = on_resize(actions, "side", |look, size| look.side = size);
    let on_shell = on_resize(actions, "shell", |look, size| look.shell = size);
    let on_upper = on_resize(actions, "upper", |look, size| look.upper = size);
    html! {
        <main class="workbench">
            <div class="side">{ for side }</div>
            <Separator label={panes_text.side_width} direction={Direction::Vertical} value={look.side} usual={usual.side}
                min={SIDE.0} max={SIDE.1} on_change={on_side} />
            <div class="centre">
                <div class="upper"><div class="upper-main">{upper}</div>if let Some(inspector) = inspector { {inspector} }</div>
                <Separator label={panes_text.tablets_height} direction={Direction::Horizontal} value={look.upper} usual={usual.upper}
                    min={UPPER.0} max={UPPER.1} on_change={on_upper} />
                {lower}
                if look.shell_open {
                    <Separator label={panes_text.shell_height} direction={Direction::Horizontal} value={look.shell} usual={usual.shell} from_end=true
                        min={SHELL.0} max={SHELL.1} on_change={on_shell} />
                }
                <div class={if look.shell_open { "bottom open" } else { "bottom" }}>{shell}</div>
            </div>
        </main>
    }
}

/// One pane at a time.
pub fn narrow(state: &State, actions: &Actions, pane: Html) -> Html {
    html! {
        <main class="single">
            { tabs(state.look.pane, actions) }
            <div class="single-scroll">
                <div id={PANEL_ID} class="single-pane" role="tabpanel" aria-labelledby={tab_id(state.look.pane)}>{pane}</div>
            </div>
        </main>
    }
}

fn on_resize(actions: &Actions, name: &'static str, change: fn(&mut Look, f64)) -> Callback<f64> {
    actions.act.reform(move |size: f64| {
        browser::store(name, &size.to_string());
        resize(&format!("--{name}"), size);
        Action::Look(Box::new(move |look| change(look, size)))
    })
}

/// The policy of the page forbids style attributes, not this.
fn resize(property: &str, size: f64) {
    let root = browser::document().document_element().and_then(|root| root.dyn_into::<HtmlElement>().ok());
    if let Some(root) = root {
        // Always a valid length.
        let _ = root.style().set_property(property, &format!("{size}px"));
    }
}
