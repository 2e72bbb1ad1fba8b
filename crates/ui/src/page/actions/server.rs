//! The address that a running server prints for its page (`tabletop serve --page`): it contains a
//! token, which the page keeps for its tab.

use std::rc::Rc;

use super::address;
use crate::browser;
use crate::page::state::Action;
use tabletop_workspace::ViewId;

/// The prefix of the token in the address.
const MARK: &str = "#server=";
/// The stored name of the token.
const TOKEN: &str = "server-token";

/// Returns whether the address of the page has a token.
pub fn has_token() -> bool {
    browser::address_hash().starts_with(MARK)
}

/// Returns the token of this tab. A token in the address is removed and the address becomes that of
/// the server view, so that it is not shared by mistake, and a reload works without it.
pub fn server_token() -> Option<Rc<str>> {
    if has_token() { Some(take_token()) } else { browser::session_stored(TOKEN).map(Rc::from) }
}

/// Takes the token out of the address. Only pages of a server call this.
#[inline(never)]
fn take_token() -> Rc<str> {
    let hash = browser::address_hash();
    let token = hash.trim_start_matches(MARK);
    // A browser that stores nothing keeps it until the reload.
    browser::store_for_session(TOKEN, token);
    browser::replace_address(address(ViewId::Server));
    token.into()
}

/// Returns the action that shows the server whose address was opened in this tab.
#[inline(never)]
pub fn open_server() -> Action {
    let token = take_token();
    Action::Look(Box::new(move |look| (look.server, look.view) = (Some(token), ViewId::Server)))
}
