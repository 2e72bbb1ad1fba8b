//! The timeline: steps, splits, manual writes and merges at their moments.

use tabletop_keys::{Query, RowChoice};
use tabletop_model::{DropRowRange, Mutation, RowMutation, TableRequest};
use tabletop_protocol::Playback;
use tabletop_workspace::Workspace;

use super::Page;
use super::drawn::Drawn;
use crate::page::state::Action;
use crate::panes::tablets::playback_bar;

fn bar(page: &mut Page) -> Drawn {
    page.draw(playback_bar)
}

/// Presses a button, and returns the position and the number of tablets.
fn pressed(page: &mut Page, button: &str) -> (u32, usize) {
    bar(page);
    page.press(button);
    (page.state.view.events_arrived, page.state.view.table.tablets.len())
}

#[test]
fn steps_go_back_and_forward_and_from_split_to_split() {
    let mut page = Page::with(|_| {});
    pressed(&mut page, "Simulation settings");
    assert_eq!(pressed(&mut page, "Step back").0, 1_984);
    assert_eq!(pressed(&mut page, "Step back").0, 1_952);
    let (at, tablets) = pressed(&mut page, "Step forward");
    assert_eq!(at, 1_984);
    assert!(bar(&mut page).says("1,984 of 2,000 events"));
    let last = pressed(&mut page, "Previous split");
    assert!(last.0 < 1_984 && last.1 <= tablets, "{last:?}");
    let before = pressed(&mut page, "Previous split");
    assert!(before.0 < last.0 && before.1 < last.1, "fewer tablets before a split: {before:?}, {last:?}");
    assert_eq!(pressed(&mut page, "Next split"), last);
}

fn write(page: &mut Page, row: &str) {
    let (family, qualifier) = ("view".into(), "hand".into());
    let cell = Mutation::SetCell { family, qualifier, timestamp: 0, value: "1".into() };
    page.request(TableRequest::MutateRows(vec![RowMutation { key: row.into(), mutations: vec![cell] }]));
    page.look();
}

fn has(page: &mut Page, row: &str) -> bool {
    let rows = RowChoice::Prefix(row.into());
    page.read(0, Query { rows, ..Workspace::default().query }).rows.len() == 1
}

#[test]
fn a_manual_write_stays_at_its_position() {
    let mut page = Page::with(|_| {});
    write(&mut page, "zz-late");
    assert!(has(&mut page, "zz-late"));
    assert!(bar(&mut page).says("manual writes at 1 point"));
    page.seek(192);
    assert!(bar(&mut page).says("1 manual write is later on the timeline"));
    assert!(!has(&mut page, "zz-late"), "it was not written yet");
    write(&mut page, "zz-early");
    assert!(has(&mut page, "zz-early"));
    page.seek(2_000);
    assert!(has(&mut page, "zz-early") && has(&mut page, "zz-late"));
    assert!(!bar(&mut page).says("later on the timeline"));
}

#[test]
fn writes_that_an_edit_shelves_are_reported_and_each_is_a_step_of_undo() {
    let mut page = Page::with(|_| {});
    write(&mut page, "zz-one");
    write(&mut page, "zz-two");
    assert!(bar(&mut page).says("This browser stores them; files and links do not contain them."));
    page.template("{user_token}");
    let shelved = "2 manual writes are shelved: made for another row key or layout. Undo restores them.";
    assert!(bar(&mut page).says(shelved), "{}", bar(&mut page).text());
    assert!(!has(&mut page, "zz-one"), "it belongs to the other key");
    let both = |page: &mut Page| [has(page, "zz-one"), has(page, "zz-two")];
    for (step, expected) in [
        (Action::Undo, [true, true]),
        // The steps before are the writes themselves.
        (Action::Undo, [true, false]),
        (Action::Undo, [false, false]),
        (Action::Redo, [true, false]),
    ] {
        page.act(step);
        assert_eq!(both(&mut page), expected);
        assert!(!bar(&mut page).says("shelved: made for"));
    }
}

#[test]
fn tablets_that_are_emptied_are_merged_and_marks_show_when() {
    // Tablets are merged after ten seconds of the table's clock without writes.
    let mut page = Page::with(|workspace| workspace.cluster.events_per_second = 20.0);
    pressed(&mut page, "Simulation settings");
    let merges = |page: &mut Page| {
        let drawn = bar(page);
        let said = drawn.texts(".moment-count").into_iter().find(|text| text.contains("merges"));
        (drawn.attributes(".moments .moment-merge", "d").concat(), said)
    };
    assert_eq!(merges(&mut page), (String::new(), None));
    let all = page.state.view.table.tablets.len();
    page.seek(960);
    let before = page.state.view.table.tablets.len();
    assert!(before > 8, "{before} tablets");
    page.request(TableRequest::DropRowRange(DropRowRange::All));
    page.look();
    assert!(page.read(0, Workspace::default().query).rows.is_empty(), "no row is left");
    page.seek(2_000);
    let (marks, said) = merges(&mut page);
    let moments: usize =
        said.and_then(|text| text.split(' ').nth(2)?.parse().ok()).expect("merges at some moments");
    let places: Vec<u32> = marks
        .split('M')
        .skip(1)
        .map(|mark| mark.split(' ').next().and_then(|x| x.parse().ok()).expect("a place"))
        .collect();
    assert!(moments >= places.len() && places[0] > 480, "{moments} moments at {places:?}");
    let view = page.state.view.clone();
    assert!(view.table.tablets.len() + before / 2 <= all, "half of the emptied tablets are merged");
    assert_eq!(
        view.table.tablets.len() as u64 + view.table.merges,
        1 + view.table.splits,
        "one more for each split, one less for each merge"
    );
}

#[test]
fn events_are_played_at_their_own_times() {
    // 900 events in one second, and 100 in the 100 seconds after it.
    let line = |at: i64| format!("user-{},{}\n", at % 7, 1_700_000_000_000 + 1_000 * (at - 899).max(0));
    let text = "user,at\n".to_owned() + &(0..1_000).map(line).collect::<String>();
    let mut page = Page::with_own(text, |workspace| workspace.designs[0].template = "{user},{at:iso}".into());
    assert!(bar(&mut page).says("1,000 of 1,000 events"));
    pressed(&mut page, "Simulation settings");
    page.play(Playback::Restart, 10);
    let at = page.state.view.events_arrived;
    assert!((900..1_000).contains(&at), "the burst has arrived at once: {at}");
    assert!(bar(&mut page).says("at the events' own times"));
    page.press("Pause");
    assert!(!bar(&mut page).says("at the events' own times"), "it has no own times while it stands");
    let paused = page.state.view.events_arrived;
    page.play(Playback::Toggle, 40);
    assert!(page.state.view.events_arrived > paused, "it resumes there");
    page.look();
    assert!(bar(&mut page).says("1,000 of 1,000 events"));
}
