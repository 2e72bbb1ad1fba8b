use tabletop_keys::{Layout, LayoutKind};
use tabletop_protocol::ProfilesWork;
use tabletop_workspace::{EventScore, FacetScore};

use super::*;
use crate::test_host::fields;

fn events(lines: &[[&str; 6]]) -> Events {
    let mut events = Events::new(fields());
    lines.iter().for_each(|line| events.push(&line.map(Some)).expect("six values"));
    events
}

fn shop() -> Events {
    events(&[
        ["a", "ada", "2019-05-28T00:00:00Z", "click", "search", "brand:Apple|color:Red"],
        ["a", "bob", "2019-05-28T00:01:00Z", "click", "search", "brand:Sony"],
        ["a", "ada", "2019-05-28T00:02:00Z", "click", "search", "brand:Apple"],
        ["b", "ada", "2019-05-28T00:03:00Z", "click", "search", "brand:Philips"],
        ["a", "ada", "no time", "click", "search", "brand:Apple"],
    ])
}

fn strategy(brand: u32) -> Strategy {
    Strategy::new(
        vec![EventScore::new("click", "search", 2)],
        vec![FacetScore::new("brand", brand), FacetScore::new("color", 1)],
    )
}

fn run(events: &Events, kind: LayoutKind) -> ProfilesRun {
    let design = Design::new("Design", "{app_id},{user_token},{timestamp:iso}", Layout::new(kind));
    ProfilesRun::new(&design, events, &strategy(10)).expect("events of a shop")
}

fn scores(chunk: &ProfilesChunk) -> Vec<(&str, u64)> {
    let user = chunk.user.as_ref().expect("a user was named");
    user.scores.iter().map(|(text, score)| (text.as_str(), *score)).collect()
}

const ADA: Option<(&str, &str)> = Some(("a", "ada"));

#[test]
fn events_stream_into_profiles_and_one_without_a_time_is_counted() {
    let events = shop();
    for kind in [LayoutKind::Narrow, LayoutKind::Wide, LayoutKind::RowPerEntity] {
        let mut run = run(&events, kind);
        let before = run.go(&events, &ProfilesWork::Stream(1), ADA).expect("one event");
        assert_eq!((before.events, before.events_total, before.users), (1, 5, 1));
        assert_eq!(scores(&before), [("brand:Apple", 20), ("color:Red", 2)]);
        let all = run.go(&events, &ProfilesWork::Stream(100), ADA).expect("all of them");
        assert_eq!((all.events, all.users, all.refused), (5, 3, 1));
        assert!(all.refusal.contains("no time"), "{}", all.refusal);
        assert_eq!(scores(&all), [("brand:Apple", 40), ("color:Red", 2)], "{kind:?}");
        let busiest: Vec<_> = all.busiest.iter().map(|of| (&*of.app, &*of.user, of.events)).collect();
        assert_eq!(busiest, [("a", "ada", 2), ("a", "bob", 1), ("b", "ada", 1)]);
        let user = all.user.expect("it was named");
        assert!(user.is_current && user.events.len() == 2 && user.events[0].time > user.events[1].time);
        assert!(user.events.iter().all(|event| event.score == 2 && event.in_window));
        assert!(user.read.cells_returned > 0 && user.read.cells_seen >= user.read.cells_returned);
        assert_eq!(
            user.items.iter().map(|item| item.score).collect::<Vec<_>>(),
            [42, 40, 0, 0],
            "{:?}",
            user.items
        );
        // To repeat the same event changes nothing.
        let again = run.go(&events, &ProfilesWork::Repeat, ADA).expect("it arrives");
        assert_eq!(scores(&again), [("brand:Apple", 40), ("color:Red", 2)]);
    }
}

#[test]
fn a_batch_follows_a_strategy_and_resumes_after_an_interruption() {
    let events = shop();
    let mut run = run(&events, LayoutKind::Wide);
    run.go(&events, &ProfilesWork::Stream(100), None).expect("they arrive");
    let old = run.go(&events, &ProfilesWork::Strategy(strategy(1)), ADA).expect("it is valid");
    assert_eq!(scores(&old)[0], ("brand:Apple", 40), "profiles are those of the previous strategy");
    assert!(!old.user.as_ref().is_some_and(|user| user.is_current));
    run.go(&events, &ProfilesWork::Batch, ADA).expect("a slice");
    run.charge(1_000);
    let interrupted =
        run.go(&events, &ProfilesWork::Interrupt, ADA).expect("it can be").batch.expect("there is one");
    assert!(interrupted.is_interrupted || interrupted.is_done);
    let mut slices = 0;
    let done = loop {
        let chunk = run.go(&events, &ProfilesWork::Batch, ADA).expect("a slice");
        slices += 1;
        if chunk.batch.as_ref().is_some_and(|batch| batch.is_done) {
            break chunk;
        }
        assert!(slices < 100, "{:?}", chunk.batch);
    };
    assert_eq!(scores(&done), [("brand:Apple", 4), ("color:Red", 2)]);
    assert!(done.user.as_ref().is_some_and(|user| user.is_current));
    assert!(done.batch.is_some_and(|batch| batch.users == 3 && batch.micros >= 1_000));
}

#[test]
fn a_user_and_an_app_are_forgotten() {
    let events = shop();
    let mut run = run(&events, LayoutKind::Narrow);
    run.go(&events, &ProfilesWork::Stream(100), None).expect("they arrive");
    assert!(
        run.go(&events, &ProfilesWork::ForgetUser, None)
            .is_err_and(|error| error.message.contains("Choose a user"))
    );
    let user = run.go(&events, &ProfilesWork::ForgetUser, ADA).expect("rows are removed");
    let gone = user.forgotten.clone().expect("it says what was removed");
    assert_eq!((gone.event_rows, gone.profile_rows, gone.rows_left), (2, 1, 0));
    assert!(scores(&user).is_empty() && user.users == 2);
    let app = run.go(&events, &ProfilesWork::ForgetApp, Some(("a", "bob"))).expect("rows are removed");
    let gone = app.forgotten.clone().expect("it says what was removed");
    assert_eq!((gone.event_rows, gone.profile_rows), (1, 1));
    let other = run.go(&events, &ProfilesWork::Nothing, Some(("b", "ada"))).expect("it is there");
    assert_eq!(scores(&other), [("brand:Philips", 20)]);
}
