//! The views of the page. Each is a value in its own folder, and [`VIEWS`] is the list of them,
//! which comes from [`each_view`](tabletop_workspace::each_view). To add a view, write its folder, and
//! name the view there.
//!
//! A view imports what it shares with others from `panes`, and never another view.

pub mod view;

use tabletop_workspace::ViewId;

use crate::page::state::Look;
pub use view::{Frame, Section, Target, View};

macro_rules! list {
    ($(#[doc = $about:literal] $id:ident = $name:ident,)+) => {
        $(pub mod $name;)+

        /// The views in the order of their tabs, which is that of [`ViewId::ALL`].
        pub static VIEWS: [&View; ViewId::ALL.len()] = [$({
            assert!($name::VIEW.id as usize == ViewId::$id as usize, "the view in the folder has another id");
            &$name::VIEW
        }),+];
    };
}

tabletop_workspace::each_view!(list);

/// Returns the view with this id.
pub fn view(id: ViewId) -> &'static View {
    VIEWS[id as usize]
}

/// Returns the views that this page offers.
pub fn offered(look: &Look) -> impl Iterator<Item = &'static View> {
    let has_server = look.server.is_some();
    VIEWS.into_iter().filter(move |view| has_server || !view.id.needs_server())
}
