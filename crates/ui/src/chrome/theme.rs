//! The switch of the theme: light, dark, or follow the system.

use tabletop_texts::messages;
use yew::{Callback, Html};

use crate::kit::{Icon, segmented_icons};
use crate::page::actions::{Actions, THEMES, choose_theme};
use crate::page::state::PageState;

/// Draws three icons, one of them selected.
pub fn theme_switch(state: &PageState, actions: &Actions) -> Html {
    let bar = &messages().top_bar;
    let choices = [(bar.light, Icon::Sun), (bar.dark, Icon::Moon), (bar.system, Icon::Display)];
    let taken = THEMES.iter().position(|theme| *theme == state.look.theme);
    let on_select: Callback<usize> = actions.act.reform(|at: usize| choose_theme(THEMES[at]));
    segmented_icons(bar.theme, &choices, taken, on_select)
}
