//! The tabs of the view, in the order of the articles.

use tabletop_texts::messages;
use tabletop_workspace::Place;
use yew::{Html, html};

use crate::kit::{ButtonKind, push, tab_list};
use crate::page::actions::Actions;
use crate::page::state::{Look, PageState, Part};

/// Id of the element that shows the content of the selected tab.
pub const PANEL: &str = "profiles-panel";

/// A tab of the view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// Strategy, pipelines, and one user.
    #[default]
    Live,
    /// Narrow against wide.
    Experiment,
    /// A migration between layouts.
    Migration,
}

impl Tab {
    const ALL: [Tab; 3] = [Tab::Live, Tab::Experiment, Tab::Migration];

    /// Returns the text on the tab.
    pub fn name(self) -> &'static str {
        let says = &messages().profiles;
        match self {
            Tab::Live => says.live,
            Tab::Experiment => says.experiment.title,
            Tab::Migration => says.migration.title,
        }
    }

    /// Returns the classes with which the style sheet hides what is on other tabs: hidden parts
    /// keep their state.
    pub fn class(self) -> &'static str {
        match self {
            Tab::Live => "profiles of-live",
            Tab::Experiment => "profiles of-experiment",
            Tab::Migration => "profiles of-migration",
        }
    }
}

#[derive(Clone, Default)]
struct TabLook(Tab);

impl Part for TabLook {}

/// Selects a tab.
pub fn open(look: &mut Look, tab: Tab) {
    look.part_mut::<TabLook>().0 = tab;
}

/// Returns the selected tab.
pub fn shown(state: &PageState) -> Tab {
    state.look.part::<TabLook>().0
}

/// Draws the tabs, and a button for objects, which have their own view.
pub fn contents(state: &PageState, actions: &Actions) -> Html {
    let says = &messages().profiles;
    let shown = shown(state);
    let at = Tab::ALL.iter().position(|tab| *tab == shown).unwrap_or(0);
    let on_select = actions.part_at(|look: &mut TabLook, at: usize| look.0 = Tab::ALL[at]);
    html! {
        <div class="profiles-contents">
            { tab_list(says.contents, &Tab::ALL.map(Tab::name), at, PANEL, on_select) }
            { push(says.objects, None, ButtonKind::Quiet, actions.place.reform(|()| Place::RowViews)) }
        </div>
    }
}
