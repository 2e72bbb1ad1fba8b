use super::*;
use crate::Workspace;
use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec;
use expect_test::expect;

fn strategy() -> Strategy {
    Strategy::new(
        vec![EventScore::new("click", "homepage", 10), EventScore::new("conversion", "checkout", 100)],
        vec![FacetScore::new("brand", 50)],
    )
}

fn refused(change: impl FnOnce(&mut Strategy)) -> String {
    let mut changed = strategy();
    change(&mut changed);
    let workspace = Workspace { strategy: Some(Box::new(changed)), ..Workspace::default() };
    workspace.check().expect_err("it is wrong").message
}

#[test]
fn scores_are_found_by_type_and_name() {
    let strategy = strategy();
    assert_eq!((strategy.event_score("click", "homepage"), strategy.event_score("click", "search")), (10, 0));
    assert_eq!((strategy.facet_score("brand"), strategy.facet_score("Brand")), (50, 0));
    assert_eq!(strategy.check(), Ok(()));
}

#[test]
fn each_problem_says_what_is_wrong_where_and_what_to_do() {
    expect!["strategy.events[1].score is 101; it must be from 1 to 100: move it into this range, or remove the event."]
        .assert_eq(&refused(|s| s.events[1].score = 101));
    expect!["strategy.facets[0].score is 0; it must be from 1 to 100: move it into this range, or remove the facet."]
        .assert_eq(&refused(|s| s.facets[0].score = 0));
    expect!["strategy.events[0].event_name is empty: write the name of an event as the data has it."]
        .assert_eq(&refused(|s| s.events[0].event_name = " ".into()));
    expect![[
        r#"strategy.events[2] is "click homepage", as in strategy.events[0]: keep one of them, with the score that you mean."#
    ]]
    .assert_eq(&refused(|s| s.events.push(EventScore::new("click", "homepage", 20))));
    expect![[
        r#"strategy.facets[1].facet is "brand", as in strategy.facets[0]: keep one of them, with the score that you mean."#
    ]]
    .assert_eq(&refused(|s| s.facets.push(FacetScore::new("brand", 20))));
    expect!["strategy.window_days is 0; it must be from 1 to 3660: 90 days are usual."]
        .assert_eq(&refused(|s| s.window_days = 0));
    expect!["strategy.facets has 101 entries; at most 100 are allowed: remove those that matter least."]
        .assert_eq(&refused(|s| s.facets = (0..101).map(|at| FacetScore::new(at.to_string(), 1)).collect()));
    expect!["strategy.facets[0].facet has 201 characters; at most 200 are allowed."]
        .assert_eq(&refused(|s| s.facets[0].facet = "x".repeat(201)));
    // An editor shows all problems at once.
    let mut several = strategy();
    (several.events[0].score, several.facets[0].score, several.window_days) = (0, 200, 9_999);
    let parts: Vec<StrategyPart> = several.problems().into_iter().map(|problem| problem.part).collect();
    assert_eq!(parts, [StrategyPart::Event(0), StrategyPart::Facet(0), StrategyPart::Window]);
}

#[test]
fn entries_that_no_event_has_are_reported_with_a_similar_name() {
    let events = [("click", "homepage"), ("click", "search"), ("conversion", "checkout")];
    assert_eq!(strategy().unknown(&events, &["brand"]), []);
    let wrong = Strategy::new(
        vec![
            EventScore::new("click", "homepag", 1),
            EventScore::new("clik", "search", 1),
            EventScore::new("click", "search", 1),
        ],
        vec![FacetScore::new("brnd", 1)],
    );
    let texts: Vec<String> = wrong.unknown(&events, &["brand"]).iter().map(ToString::to_string).collect();
    expect![[r#"
        [
            "strategy.events[0].event_name is \"homepag\", and no click has this name. Did you mean homepage?",
            "strategy.events[1].event_type is \"clik\", and no event has this type. Did you mean click?",
            "strategy.facets[0].facet is \"brnd\", and no event has this facet. Did you mean brand?",
        ]
    "#]]
    .assert_debug_eq(&texts);
}

#[test]
fn a_strategy_belongs_to_its_workspace_and_links_without_one_still_open() {
    let workspace = Workspace { strategy: Some(Box::new(strategy())), ..Workspace::default() };
    let json = workspace.to_json();
    expect![[r#""strategy":{"events":[{"event_type":"click","event_name":"homepage","score":10},{"event_type":"conversion","event_name":"checkout","score":100}],"facets":[{"facet":"brand","score":50}],"window_days":90}"#]]
        .assert_eq(&json[json.find("\"strategy\"").expect("it has one")..json.find(",\"arrived\"").expect("it follows")]);
    assert_eq!(Workspace::from_json(&json), Ok(workspace));
    let before = Workspace::default().to_json().replace(",\"strategy\":null", "");
    assert!(!before.contains("strategy"));
    assert_eq!(Workspace::from_json(&before), Ok(Workspace::default()));
    // In a file written manually, the window may be left out, and an unknown key is refused.
    let by_hand = |strategy: &str| {
        before.replace(",\"arrived\"", &alloc::format!(",\"strategy\":{strategy},\"arrived\""))
    };
    let read =
        Workspace::from_json(&by_hand(r#"{"facets":[{"facet":"brand","score":1}]}"#)).expect("it is right");
    assert_eq!(read.strategy, Some(Box::new(Strategy::new(vec![], vec![FacetScore::new("brand", 1)]))));
    let refused = Workspace::from_json(&by_hand(r#"{"facet":[]}"#)).expect_err("facets").message;
    assert!(refused.contains("unknown field `facet`"), "{refused}");
}
