//! Light, dark, or as the system has it.

use yew::{Callback, Html};

use crate::app::Actions;
use crate::browser;
use crate::messages::messages;
use crate::state::{Action, State};
use crate::widgets::{Icon, segmented_icons};

/// The name under which the choice is kept; index.html reads it before the first paint.
const NAME: &str = "theme";
/// As the document's attribute says it; nothing for that of the system.
const THEMES: [Option<&str>; 3] = [Some("light"), Some("dark"), None];

/// Three icons, one of them taken.
pub fn theme_switch(state: &State, actions: &Actions) -> Html {
    let bar = &messages().top_bar;
    let choices = [(bar.light, Icon::Sun), (bar.dark, Icon::Moon), (bar.system, Icon::Display)];
    let taken = THEMES.iter().position(|theme| *theme == state.look.theme);
    let on_select: Callback<usize> = actions.act.reform(|at: usize| {
        let theme = THEMES[at];
        browser::store(NAME, theme.unwrap_or("system"));
        show(theme);
        Action::Look(Box::new(move |look| look.theme = theme))
    });
    segmented_icons(bar.theme, &choices, taken, on_select)
}

/// The theme that was chosen at the last visit.
pub fn stored_theme() -> Option<&'static str> {
    let stored = browser::stored(NAME)?;
    THEMES.into_iter().flatten().find(|theme| *theme == stored)
}

/// The style sheet does the rest.
fn show(theme: Option<&str>) {
    let Some(root) = browser::document().document_element() else { return };
    // The names are ours and always valid.
    let _ = match theme {
        None => root.remove_attribute("data-theme"),
        Some(theme) => root.set_attribute("data-theme", theme),
    };
}
