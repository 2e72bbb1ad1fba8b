//! The views and their addresses.

use yew::{Callback, MouseEvent};

use crate::browser;
use crate::state::{Action, Look, View};

/// Returns the address of a view, relative to that of the page.
pub fn address(view: View) -> &'static str {
    match view {
        View::Design => "./",
        View::Compare => "?view=compare",
        View::Tablet => "?view=tablet",
        View::Traffic => "?view=traffic",
        View::Profiles => "?view=profiles",
        View::Server => "?view=server",
    }
}

/// Returns the view that the address of the page names.
pub fn view_of_address() -> View {
    // A query may have more than this one, as when a host adds its own.
    let query = browser::address_query();
    if query.contains("view=compare") {
        View::Compare
    } else if query.contains("view=tablet") {
        View::Tablet
    } else if query.contains("view=traffic") {
        View::Traffic
    } else if query.contains("view=profiles") {
        View::Profiles
    } else if query.contains("view=server") {
        View::Server
    } else {
        View::Design
    }
}

/// Returns a view, or that of the design in place of one that this page does not have: a link may come from the page of a server.
pub fn offered(view: View, look: &Look) -> View {
    if view == View::Server && look.server.is_none() { View::Design } else { view }
}

/// Returns a callback that shows a view whose link was clicked. Its address goes into the history of the tab. A click that opens
/// another tab is the browser's.
pub fn open_view(act: &Callback<Action>, view: View) -> Callback<MouseEvent> {
    let act = act.clone();
    Callback::from(move |event: MouseEvent| {
        if !(event.ctrl_key() || event.meta_key() || event.shift_key()) {
            event.prevent_default();
            show_view(&act, view);
        }
    })
}

/// Shows a view, and puts its address into the history of the tab.
pub fn show_view(act: &Callback<Action>, view: View) {
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
