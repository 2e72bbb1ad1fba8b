//! The views and their addresses.

use tabletop_workspace::ViewId;
use yew::{Callback, MouseEvent};

use crate::browser;
use crate::page::state::{Action, Look};

/// Returns the address of a view, relative to that of the page.
pub fn address(view: ViewId) -> &'static str {
    match view.query() {
        "" => "./",
        query => query,
    }
}

/// Returns the view named by the page's address.
pub fn view_of_address() -> ViewId {
    ViewId::of_query(&browser::address_query())
}

/// Returns a view, or the default one if this page does not have it: a link may come from the page
/// of a server.
pub fn offered(view: ViewId, look: &Look) -> ViewId {
    if view.needs_server() && look.server.is_none() { ViewId::ALL[0] } else { view }
}

/// Returns a callback that shows a view whose link was clicked and adds its address to the tab's
/// history. A click that opens another tab is left to the browser.
pub fn open_view(act: &Callback<Action>, view: ViewId) -> Callback<MouseEvent> {
    let act = act.clone();
    Callback::from(move |event: MouseEvent| {
        if !(event.ctrl_key() || event.meta_key() || event.shift_key()) {
            event.prevent_default();
            show_view(&act, view);
        }
    })
}

/// Shows a view, and adds its address to the tab's history.
pub fn show_view(act: &Callback<Action>, view: ViewId) {
    if view_of_address() != view {
        browser::push_address(address(view));
    }
    act.emit(follow_address());
}

/// Returns the action that shows the view of the address, as after a step back or forward in the
/// history.
pub fn follow_address() -> Action {
    let view = view_of_address();
    Action::Look(Box::new(move |look| look.view = offered(view, look)))
}
