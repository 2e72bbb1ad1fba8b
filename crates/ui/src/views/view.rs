//! What a view is: the value by which the page knows it.

use tabletop_protocol::Playback;
use tabletop_workspace::{Place, ViewId};
use yew::Html;

use crate::page::actions::Actions;
use crate::page::state::{Look, PageState, Pane};

/// A view: everything that the page knows of it.
pub struct View {
    /// The id, which is its name in addresses.
    pub id: ViewId,
    /// Returns the name on its tab.
    pub name: fn() -> &'static str,
    /// The position on the page, and what is drawn there.
    pub frame: Frame,
    /// Starts or stops what moves in the view, for the space bar.
    pub play: fn(&Actions),
    /// Returns where the view has a part of the page that a text points at; `None` for a part of
    /// another view.
    pub place: fn(Place) -> Option<Target>,
    /// Whether it shows figures of all designs: the engine computes them only while they are
    /// visible.
    pub has_figures: bool,
}

/// The position of a view.
pub enum Frame {
    /// The panes of the design shown. The column of other views has some of them, too.
    Panes,
    /// A section to the right of the column.
    Section(Section),
    /// The whole page, without the column. Such a view is drawn hidden while another one is shown,
    /// so it keeps its state.
    Whole {
        /// Returns the heading.
        title: fn() -> &'static str,
        /// Draws the content; the second value says whether the view is visible.
        draw: fn(&PageState, bool, &Actions) -> Html,
    },
}

/// Where a view has a part of the page.
pub struct Target {
    /// The pane that contains it on a narrow page.
    pub pane: Pane,
    /// The selector of its element.
    pub selector: String,
    /// Unfolds what contains it, or selects its tab.
    pub opens: Option<fn(&mut Look)>,
}

impl Target {
    /// A part that is always open.
    pub fn new(pane: Pane, selector: impl Into<String>) -> Target {
        Target { pane, selector: selector.into(), opens: None }
    }
}

/// A view that is one section.
pub struct Section {
    /// Returns the heading.
    pub title: fn() -> &'static str,
    /// Returns the line next to the heading.
    pub summary: fn(&PageState) -> String,
    /// Draws the content.
    pub draw: fn(&PageState, &Actions) -> Html,
    /// Draws the causes of what the view shows, which are in the left column in place of the query,
    /// and below the content on a narrow page; `None` for a view with the usual column.
    pub side: Option<fn(&PageState, &Actions) -> Html>,
}

/// Plays the events of the page, or pauses them.
pub fn play_events(actions: &Actions) {
    actions.play.emit(Playback::Toggle);
}
