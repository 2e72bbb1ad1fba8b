//! The views of the page. Each is a value in a folder of its own, and [`VIEWS`] is the list of them.
//!
//! A view imports what several of them draw from `pages`, and never another view.

pub mod compare;
pub mod design;
pub mod profiles;
pub mod server;
pub mod tablet;
pub mod traffic;

use tabletop_schema::{Place, Playback, ViewId};
use yew::Html;

use crate::actions::Actions;
use crate::state::{Look, PageState, Pane};

/// The views in the order of their tabs, which is that of [`ViewId::ALL`].
pub static VIEWS: [&View; 6] = [&design::VIEW, &compare::VIEW, &tablet::VIEW, &traffic::VIEW, &profiles::VIEW, &server::VIEW];

const _: () = {
    assert!(VIEWS.len() == ViewId::ALL.len(), "there is a view for each id");
    let mut at = 0;
    while at < VIEWS.len() {
        assert!(VIEWS[at].id as usize == at, "the views are in the order of their ids");
        at += 1;
    }
};

/// A view: all that the page knows of it.
pub struct View {
    /// The id, which is its name in addresses.
    pub id: ViewId,
    /// Returns the name on its tab.
    pub name: fn() -> &'static str,
    /// Its place on the page, and what is drawn there.
    pub frame: Frame,
    /// Starts or stops what moves in the view, for the space bar.
    pub play: fn(&Actions),
    /// Returns where the view has a part of the page that a text points at; `None` for a part of another view.
    pub place: fn(Place) -> Option<Target>,
    /// Whether it shows figures of all designs: the engine computes them only while they are on the screen.
    pub has_figures: bool,
}

/// The place of a view.
pub enum Frame {
    /// The panes of the design on the screen. The column of other views has some of them, too.
    Panes,
    /// A section to the right of the column.
    Section(Section),
    /// The whole page, without the column. Such a view is drawn hidden while another one is shown, so it keeps what it has seen.
    Whole {
        /// Returns the heading.
        title: fn() -> &'static str,
        /// Draws the content; the second value says whether the view is on the screen.
        draw: fn(&PageState, bool, &Actions) -> Html,
    },
}

/// Where a view has a part of the page.
pub struct Target {
    /// The pane that has it on a narrow page.
    pub pane: Pane,
    /// The selector of its element.
    pub selector: String,
    /// The part of the pane that has to be unfolded for it.
    pub unfolds: Option<&'static str>,
}

impl Target {
    /// A part that needs no unfolding.
    fn new(pane: Pane, selector: impl Into<String>) -> Target {
        Target { pane, selector: selector.into(), unfolds: None }
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
}

/// Returns the view with this id.
pub fn view(id: ViewId) -> &'static View {
    VIEWS[id as usize]
}

/// Returns the views that this page offers.
pub fn offered(look: &Look) -> impl Iterator<Item = &'static View> {
    let has_server = look.server.is_some();
    VIEWS.into_iter().filter(move |view| has_server || !view.id.needs_server())
}

/// Lets the events of the page arrive, or stops them.
fn play_events(actions: &Actions) {
    actions.play.emit(Playback::Toggle);
}
