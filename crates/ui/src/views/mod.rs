//! The views of the page. Each is a value in its own folder, and [`VIEWS`] is the list of them.
//!
//! A view imports what it shares with others from `pages`, and never another view.

pub mod compare;
pub mod design;
pub mod profiles;
pub mod server;
pub mod tablet;
pub mod traffic;
pub mod view;

use tabletop_workspace::ViewId;

use crate::page::state::Look;
pub use view::{Frame, Section, Target, View};

/// The views in the order of their tabs, which is that of [`ViewId::ALL`].
pub static VIEWS: [&View; 6] =
    [&design::VIEW, &compare::VIEW, &tablet::VIEW, &traffic::VIEW, &profiles::VIEW, &server::VIEW];

const _: () = {
    assert!(VIEWS.len() == ViewId::ALL.len(), "there is a view for each id");
    let mut at = 0;
    while at < VIEWS.len() {
        assert!(VIEWS[at].id as usize == at, "the views are in the order of their ids");
        at += 1;
    }
};

/// Returns the view with this id.
pub fn view(id: ViewId) -> &'static View {
    VIEWS[id as usize]
}

/// Returns the views that this page offers.
pub fn offered(look: &Look) -> impl Iterator<Item = &'static View> {
    let has_server = look.server.is_some();
    VIEWS.into_iter().filter(move |view| has_server || !view.id.needs_server())
}
