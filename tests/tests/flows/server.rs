//! The view of a running server, on a page that no server serves and on one that a server serves.

use tabletop_workspace::ViewId;

use super::Page;
use crate::chrome::top_bar;
use crate::page::actions::offered;
use crate::page::state::Action;

#[test]
fn without_a_token_the_view_is_not_offered() {
    let mut page = Page::with(|_| {});
    let tabs = |page: &mut Page| page.draw(top_bar).texts(".views a");
    let is_offered = |page: &mut Page| tabs(page).contains(&"Server".to_owned());
    assert!(tabs(&mut page).contains(&"Traffic".to_owned()) && !is_offered(&mut page));
    assert_eq!(
        offered(ViewId::Server, &page.state.look),
        ViewId::Design,
        "a link to it shows the first view"
    );
    page.act(Action::Look(Box::new(|look| look.server = Some("token".into()))));
    assert!(is_offered(&mut page));
    assert_eq!(offered(ViewId::Server, &page.state.look), ViewId::Server);
}
