//! From a file to a comparison: the question what the user looks up, its access patterns, and the
//! row key that follows from them.

use tabletop_workspace::ViewId;

use super::Page;
use crate::page::state::{Action, Pane};

/// Orders of customers in shops: each minute has one, and the number of the order comes first.
fn orders() -> String {
    let mixed = |n: u32| n.wrapping_mul(2_654_435_761).rotate_left(15).wrapping_mul(2_246_822_519) >> 8;
    let line = |n: u32| {
        let (day, hour, minute) = (1 + n / 1440, n / 60 % 24, n % 60);
        let (customer, shop) = (mixed(n) % 300, mixed(n + 7) % 40);
        let time = format!("2026-01-{day:02}T{hour:02}:{minute:02}:00Z");
        format!("{:08x},{},C{customer:03},S{shop:02},{time}\n", mixed(n + 1), mixed(n + 3) % 9_000)
    };
    std::iter::once("order,cents,customer,shop,at\n".to_owned()).chain((0..3_000).map(line)).collect()
}

fn names(page: &Page) -> Vec<&str> {
    page.state.workspace.queries.iter().map(|named| named.name.as_str()).collect()
}

#[test]
fn a_file_leads_to_a_question_whose_answer_is_compared() {
    let mut page = Page::with(|_| {});
    page.load("orders.csv", &orders());
    assert_eq!(page.state.design().template, "{customer},{at:iso}");
    let drawn = page.pane(Pane::Design);
    assert!(drawn.says("What do you look up?") && drawn.says("1 range"), "{}", drawn.text());
    let own = ["One customer", "One customer, 7 days", "Last 10 of one customer"];
    assert_eq!(names(&page)[..1], own[..1]);
    let before = page.state.workspace.clone();

    // Another answer replaces the patterns and the key, in one step.
    page.fill("What do you look up?", "shop").expect("it is a choice");
    assert_eq!(page.state.design().template, "{shop},{at:iso}");
    assert!(names(&page).iter().all(|name| !name.contains("customer")), "{:?}", names(&page));
    page.act(Action::Undo);
    assert_eq!(page.state.workspace, before);

    // An edited key stays.
    page.template("{shop},{order}");
    page.pane(Pane::Design);
    page.fill("What do you look up?", "shop").expect("it is a choice");
    assert_eq!(page.state.design().template, "{shop},{order}");

    // The patterns are measured in Compare.
    page.show(ViewId::Compare);
    let drawn = page.view();
    assert!(drawn.texts("button.score-cell").iter().any(|cell| cell.starts_with("One shop on Design 1")));
}

#[test]
fn a_key_that_the_user_has_edited_stays_when_the_load_ends() {
    let mut page = Page::with(|_| {});
    page.load("orders.csv", &orders());
    page.template("{order}");
    page.look();
    assert_eq!(page.state.design().template, "{order}");
}

#[test]
fn compare_without_access_patterns_leads_to_the_question() {
    let mut page = Page::with(|_| {});
    page.show(ViewId::Compare);
    page.view();
    page.press("What do you look up?");
    assert_eq!(page.state.look.pane, Pane::Design);
    page.pane(Pane::Design);
    assert!(names(&page).is_empty());
    page.fill("What do you look up?", "app_id").expect("it is a choice");
    assert_eq!(names(&page)[0], "One app_id");
    assert!(page.view().texts(".score-name").contains(&"One app_id".to_owned()));
}
