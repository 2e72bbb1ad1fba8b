//! The views and their addresses.

use tabletop_schema::ViewId;
use yew::{Callback, MouseEvent};

use crate::browser;
use crate::state::{Action, Look};

/// Returns the address of a view, relative to that of the page.
pub fn address(view: ViewId) -> &'static str {
    match view.query() {
        "" => "./",
        query => query,
    }
}

/// Returns the view that the address of the page names.
pub fn view_of_address() -> ViewId {
    ViewId::of_query(&browser::address_query())
}

/// Returns a view, or the first one in place of one that this page does not have: a link may come from the page of a server.
pub fn offered(view: ViewId, look: &Look) -> ViewId {
    if view.needs_server() && look.server.is_none() { ViewId::ALL[0] } else { view }
}

/// Returns a callback that shows a view whose link was clicked. Its address goes into the history of the tab. A click that opens
/// another tab is the browser's.
pub fn open_view(act: &Callback<Action>, view: ViewId) -> Callback<MouseEvent> {
    let act = act.clone();
    Callback::from(move |event: MouseEvent| {
        if !(event.ctrl_key() || event.meta_key() || event.shift_key()) {
            event.prevent_default();
            show_view(&act, view);
        }
    })
}

/// Shows a view, and puts its address into the history of the tab.
pub fn show_view(act: &Callback<Action>, view: ViewId) {
    if view_of_address() != view {
        browser::push_address(address(view));
    }
    act.emit(follow_address());
}

/// Returns the action that shows the view of the address, as after a step back or forward in the history.
pub fn follow_address() -> Action {
    let view = view_of_address();
    Action::Look(Box::new(move |look| look.view = offered(view, look)))
}
