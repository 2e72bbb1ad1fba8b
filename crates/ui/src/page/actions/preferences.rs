//! The preferences that this browser stores: sizes, theme, the shell and its language.

use std::ops::RangeInclusive;

use tabletop_shell::Language;
use tabletop_texts::{Locale, set_locale};
use tabletop_workspace::ViewId;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::browser;
use crate::page::state::{Action, LANGUAGES, Look};

/// Width of the left column, px.
pub const SIDE_WIDTH: RangeInclusive<f64> = 280.0..=640.0;
/// The media query of a window whose left column is wider, unless the user has chosen its width
/// (www/style/layout.css).
pub const LARGE: &str = "(min-width: 1920px)";
/// Height of the upper row, px.
pub const UPPER_HEIGHT: RangeInclusive<f64> = 160.0..=900.0;
/// Height of the shell, px.
pub const SHELL_HEIGHT: RangeInclusive<f64> = 120.0..=800.0;
/// The themes as values of the document's attribute; `None` follows the system.
pub const THEMES: [Option<&str>; 3] = [Some("light"), Some("dark"), None];

/// The stored name of the theme. index.html reads it before the first paint.
const THEME: &str = "theme";
/// The stored name of whether the shell is open.
const SHELL_OPEN: &str = "shell-open";
/// The stored names of the views whose left column is folded.
const SIDE_FOLDED: &str = "side-folded";
/// The stored name of the shell's language.
const LANGUAGE: &str = "shell-language";

/// Restores the preferences of the last visit.
pub fn restore(look: &mut Look) {
    look.side = kept_size("side", SIDE_WIDTH, usual_side());
    look.upper = kept_size("upper", UPPER_HEIGHT, look.upper);
    look.shell = kept_size("shell", SHELL_HEIGHT, look.shell);
    look.shell_open = browser::stored(SHELL_OPEN).is_some_and(|text| text == "yes");
    let folded = browser::stored(SIDE_FOLDED).unwrap_or_default();
    look.side_folded = ViewId::ALL
        .iter()
        .copied()
        .filter(|view| folded.split(' ').any(|each| each == view.name()))
        .collect();
    look.language = stored_language();
    look.theme = stored_theme();
    // The default sizes come from the style sheet.
    for (name, size) in [("side", look.side), ("upper", look.upper), ("shell", look.shell)] {
        show_size(name, size);
    }
}

/// Returns the stored size of a pane, or its default, px.
fn kept_size(pane: &str, bounds: RangeInclusive<f64>, usual: f64) -> f64 {
    let kept = browser::stored(pane).and_then(|text| text.parse().ok()).filter(|size: &f64| size.is_finite());
    kept.unwrap_or(usual).clamp(*bounds.start(), *bounds.end())
}

/// Returns the default width of the left column in this window, px.
pub fn usual_side() -> f64 {
    if browser::matches(LARGE) { 480.0 } else { 380.0 }
}

/// Fits the left column to a window whose width has changed, unless the user has chosen a width.
pub fn refit_side() -> Action {
    let size = kept_size("side", SIDE_WIDTH, usual_side());
    show_size("side", size);
    Action::Look(Box::new(move |look| look.side = size))
}

/// Sets the size of a pane, px, and stores it.
pub fn resize(pane: &str, size: f64) {
    browser::store(pane, &size.to_string());
    show_size(pane, size);
}

/// Sets the size through the CSSOM: the policy of the page forbids style attributes.
fn show_size(pane: &str, size: f64) {
    let root = browser::document().document_element().and_then(|root| root.dyn_into::<HtmlElement>().ok());
    if let Some(root) = root {
        // Always a valid length.
        let _ = root.style().set_property(&format!("--{pane}"), &format!("{size}px"));
    }
}

/// Returns the shell's language of the last visit.
pub fn stored_language() -> Language {
    let stored = browser::stored(LANGUAGE);
    let language = LANGUAGES.iter().find(|(_, name)| Some(*name) == stored.as_deref());
    language.map_or(Language::Cbt, |(language, _)| *language)
}

/// Chooses the language of the shell.
pub fn choose_language(language: Language) -> Action {
    let name = LANGUAGES.iter().find(|(each, _)| *each == language).map_or("", |(_, name)| name);
    browser::store(LANGUAGE, name);
    Action::Look(Box::new(move |look| look.language = language))
}

/// Folds the left column of a view, or shows it. Each view remembers it.
pub fn fold_side(look: &mut Look, view: ViewId, fold: bool) {
    look.side_folded.retain(|each| *each != view);
    if fold {
        look.side_folded.push(view);
    }
    let names: Vec<&str> = look.side_folded.iter().map(|view| view.name()).collect();
    browser::store(SIDE_FOLDED, &names.join(" "));
}

/// Opens the shell.
pub fn open_shell() -> Action {
    browser::store(SHELL_OPEN, "yes");
    Action::Look(Box::new(|look| look.shell_open = true))
}

/// Folds the shell.
pub fn fold_shell() -> Action {
    browser::store(SHELL_OPEN, "no");
    Action::Look(Box::new(|look| look.shell_open = false))
}

/// Returns the theme of the last visit.
fn stored_theme() -> Option<&'static str> {
    let stored = browser::stored(THEME)?;
    THEMES.into_iter().flatten().find(|theme| *theme == stored)
}

/// Chooses one of [`THEMES`]. The style sheet applies it.
pub fn choose_theme(theme: Option<&'static str>) -> Action {
    browser::store(THEME, theme.unwrap_or("system"));
    if let Some(root) = browser::document().document_element() {
        // These names are always valid.
        let _ = match theme {
            None => root.remove_attribute("data-theme"),
            Some(theme) => root.set_attribute("data-theme", theme),
        };
    }
    Action::Look(Box::new(move |look| look.theme = theme))
}

/// Chooses the language of the page's texts. Everything is drawn again, without a request to the
/// worker: it sends judgements, and the page has their sentences.
pub fn choose_locale(locale: Locale) -> Action {
    set_locale(locale);
    if let Some(root) = browser::document().document_element() {
        // The name is always valid.
        let _ = root.set_attribute("lang", locale.tag());
    }
    Action::Look(Box::new(move |look| look.locale = locale))
}
