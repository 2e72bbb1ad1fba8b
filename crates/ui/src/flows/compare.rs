//! The view that compares designs.

use tabletop_schema::ViewId;

use super::Page;
use crate::state::Action;

fn open() -> Page {
    let mut page = Page::with(|_| {});
    page.act(Action::Look(Box::new(|look| look.view = ViewId::Compare)));
    page
}

#[test]
fn designs_are_added_moved_and_removed() {
    let mut page = open();
    page.view();
    page.press("Add design");
    assert_eq!(page.view().texts(".design-cards h3"), ["Design 1", "Design 2"]);
}
