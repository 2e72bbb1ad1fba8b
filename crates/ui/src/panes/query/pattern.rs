//! Shows an access pattern in the query pane.

use tabletop_workspace::{NamedQuery, ViewId};
use yew::Callback;

use super::QueryLook;
use crate::browser;
use crate::page::actions::{Actions, show_view};
use crate::page::state::{Action, Edit, PageState, Pane};

/// Finds the list of access patterns in the query pane.
pub const QUERY_LIST: &str = ".named select";

/// Shows an access pattern in its pane, and goes to `pane`.
pub fn show_query(named: &NamedQuery, actions: &Actions, pane: Pane) {
    actions.edit.emit(Edit::Query(named.query.clone()));
    let name = named.name.clone();
    actions.act.emit(Action::Look(Box::new(move |look| {
        let query = look.part_mut::<QueryLook>();
        (query.named, query.naming) = (Some(name), None);
        look.pane = pane;
        look.folded.retain(|folded| *folded != "query");
    })));
}

/// Returns a callback that shows an access pattern in the query pane.
pub fn edit_pattern(named: &NamedQuery, state: &PageState, actions: &Actions) -> Callback<()> {
    let (named, actions, is_narrow) = (named.clone(), actions.clone(), state.look.narrow);
    Callback::from(move |()| {
        show_query(&named, &actions, Pane::Query);
        if is_narrow {
            show_view(&actions.act, ViewId::Design);
        }
        browser::focus(QUERY_LIST.into());
    })
}
