//! Traffic on a design: its streams and cluster are edited, it is shown at any moment, and compared.

use serde_json::{Value, json};
use tabletop_advice::first_traffic;
use tabletop_keys::{Layout, LayoutKind};
use tabletop_texts::locale;
use tabletop_workspace::{Design, Traffic, ViewId, Workspace};
use yew::Html;

use super::Page;
use super::drawn::Drawn;
use super::story::Story;
use crate::page::state::Action;
use crate::views::traffic::formula::{Formula, FormulaProps};
use crate::views::traffic::player::Play;
use crate::views::traffic::scaling::{Scaling, ScalingProps};
use crate::views::traffic::side::side;
use crate::views::traffic::situations::{Situations, SituationsProps};
use crate::views::traffic::{Msg, TrafficProps, TrafficView};

const SPREAD: &str = "{user_token},{timestamp:iso}";

/// Opens the view of a design that spreads its load, with a traffic as scripts write it.
fn open_with(traffic: Value, others: &'static [&'static str]) -> Story<TrafficView> {
    let mut page = Page::with(|workspace| {
        workspace.designs[0].template = SPREAD.into();
        for name in others {
            workspace.designs.push(Design::new(
                *name,
                "{app_id},{user_token},{timestamp:iso}",
                Layout::new(LayoutKind::Narrow),
            ));
        }
    });
    let mut workspace = page.workspace();
    workspace["traffic"] = traffic;
    let workspace: Workspace = serde_json::from_value(workspace).expect("a workspace");
    page.edit(move |now| now.clone_from(&workspace));
    page.show(ViewId::Traffic);
    let mut story = Story::open(page, TrafficProps::of);
    story.side = Some(side);
    story
}

fn reads(name: &str, per_second: u32) -> Value {
    json!({"name": name, "what": "point_reads", "per_second": per_second})
}

/// The traffic in the workspace, which has one once it has been edited.
fn traffic(story: &Story<TrafficView>) -> &Traffic {
    story.page.state.workspace.traffic.as_ref().expect("a traffic")
}

fn seek(story: &mut Story<TrafficView>, second: u32) -> Drawn {
    story.send(Msg::Play(Play::Seek(second)));
    story.draw()
}

/// Lets the simulation of an edited traffic begin, as the view does after a short time.
fn begin(story: &mut Story<TrafficView>) -> Drawn {
    story.send(Msg::Begin);
    let drawn = story.draw();
    assert!(drawn.says("is executed"), "the simulation is over");
    drawn
}

fn diagnoses(drawn: &Drawn) -> String {
    drawn.texts(".traffic-diagnoses").concat()
}

#[test]
fn streams_and_cluster_are_edited() {
    let mut story = open_with(Value::Null, &[]);
    assert_eq!(story.page.state.workspace.traffic, None, "a first traffic is not in the workspace");
    story.press("YCSB B: mostly reads");
    assert_eq!(traffic(&story).streams.len(), 2);
    story.press("Add stream");
    assert_eq!(traffic(&story).streams.len(), 3);
    story.fill("Seconds", "20").expect("seconds");
    story.fill("Nodes", "3").expect("nodes");
    assert_eq!((traffic(&story).run.nodes, traffic(&story).run.seconds), (3, 20));
    assert!(story.page.summary().contains("3 nodes"));
    story.press("Remove stream Stream 3");
    assert_eq!(traffic(&story).streams.len(), 2);
    story.page.act(Action::Undo);
    assert_eq!(traffic(&story).streams.len(), 3);
    assert_eq!(
        story.fill("Per second", "-5").map_err(|why| why.starts_with("Enter a number from 0")),
        Err(true)
    );
}

#[test]
fn the_cluster_changes_at_the_next_second() {
    let mut story =
        open_with(json!({"streams": [reads("reads", 500)], "run": {"nodes": 2, "seconds": 20}}), &[]);
    // A change takes effect at the next second, and there is none after the last one.
    for (second, has_effect) in [(20, false), (19, false), (18, true)] {
        let drawn = seek(&mut story, second);
        for control in ["Add a node now", "Fail node A now"] {
            assert_eq!(story.page.can(control), has_effect, "{control} at {second}");
        }
        assert_eq!(drawn.says("so changing nodes has no effect"), !has_effect);
        assert_eq!(drawn.attributes(".tablet-chip", "draggable")[0], has_effect.to_string());
    }
    seek(&mut story, 0);
    story.press("Add a node now");
    assert_eq!(
        story.page.workspace()["traffic"]["run"]["changes"],
        json!([{"at_seconds": 1, "what": {"nodes": 3}}])
    );
    assert!(begin(&mut story).says("0:01 resize to 3 nodes"));
    story.press("Fail node A now");
    assert!(begin(&mut story).says("0:01 node A fails"));
    let tablet = story.page.named("tablet from");
    story.press(&tablet);
    story.draw();
    let place = story.page.named("Move tablet from");
    story.fill(&place, "to B").expect("a node");
    assert_eq!(traffic(&story).run.changes.len(), 3);
    begin(&mut story);
    assert!(seek(&mut story, 10).says("node A failed"), "the events until the moment are listed");
    story.press("Remove: 0:01 node A fails");
    assert_eq!(traffic(&story).run.changes.len(), 2);
}

#[test]
fn a_change_of_the_cluster_keeps_the_position() {
    let mut story =
        open_with(json!({"streams": [reads("reads", 100)], "run": {"nodes": 2, "seconds": 60}}), &[]);
    for change in ["Add a node now", "Fail node A now"] {
        seek(&mut story, 20);
        story.press("Play traffic");
        story.press(change);
        story.send(Msg::Begin);
        story.send(Msg::Tick);
        let drawn = story.draw();
        let position = (20..30).find(|second| drawn.says(&format!("0:{second} of 1:00")));
        assert!(position.is_some(), "{change}: {}", drawn.text());
        story.press("Pause traffic");
    }
}

#[test]
fn problems_of_all_moments_are_listed_at_the_end() {
    let sale = json!({"name": "sale", "what": "point_reads", "per_second": 10, "keys": {"hot": {"share": 1.0}},
        "when": {"sudden": {"factor": 800, "from_seconds": 10, "for_seconds": 10}}});
    let run = json!({"nodes": 2, "seconds": 60});
    let mut story = open_with(json!({"streams": [reads("reads", 1_000), sale], "run": run}), &[]);
    let drawn = story.draw();
    assert!(drawn.says("1:00 of 1:00") && drawn.says("Over the whole run"), "{}", drawn.text());
    let found = drawn.texts(".traffic-spells li").concat();
    assert!(found.contains("Hot row.") && found.contains("0:1"), "{found}");
    assert!(!seek(&mut story, 30).says("Over the whole run"));
}

#[test]
fn time_is_played_and_stepped() {
    let run = json!({"nodes": 2, "seconds": 60, "changes": [{"at_seconds": 20, "what": {"fail": "B"}}]});
    let mut story = open_with(json!({"streams": [reads("reads", 100)], "run": run}), &[]);
    assert!(story.draw().says("1:00 of 1:00"), "without motion, it opens at the end");
    for (button, position) in [
        ("Back 1 s", "0:59"),
        ("From the start", "0:00"),
        ("Forward 1 s", "0:01"),
        ("From the start", "0:00"),
    ] {
        story.press(button);
        assert!(story.draw().says(&format!("{position} of 1:00")), "{button}");
    }
    story.press("Play traffic");
    story.draw();
    assert!(story.page.can("Pause traffic"));
    story.press("Pause traffic");
    story.draw();
    assert!(story.page.can("Play traffic"));
}

#[test]
fn diagnoses_and_totals_follow_the_position() {
    let sale = json!({"name": "sale", "what": "point_reads", "per_second": 10, "keys": {"hot": {"share": 1.0}},
        "when": {"sudden": {"factor": 800, "from_seconds": 20, "for_seconds": 10}}});
    let run = json!({"nodes": 2, "seconds": 60, "changes": [{"at_seconds": 50, "what": {"fail": "B"}}]});
    let mut story = open_with(json!({"streams": [reads("reads", 1_000), sale], "run": run}), &[]);
    for (second, found) in
        [(10, "No hotspot"), (28, "Hot row."), (54, "Node B has failed"), (18, "No hotspot")]
    {
        let drawn = seek(&mut story, second);
        assert!(diagnoses(&drawn).contains(found), "at {second}: {}", diagnoses(&drawn));
        assert!(drawn.says(&format!("All requests until 0:{second:02}")));
    }
}

#[test]
fn too_few_nodes_are_helped_by_a_fix() {
    let mut story =
        open_with(json!({"streams": [reads("reads", 30_000)], "run": {"nodes": 1, "seconds": 20}}), &[]);
    assert!(diagnoses(&story.draw()).contains("Too few nodes."));
    story.fill("CPU target (%)", "90").expect("a target");
    assert_eq!(traffic(&story).run.thresholds.cpu_target, 0.9);
    let drawn = begin(&mut story);
    assert!(diagnoses(&drawn).contains("use at most 90% of their cores"), "{}", diagnoses(&drawn));
    let fix = story.page.named("Use ");
    story.press(&fix);
    assert!(traffic(&story).run.nodes > 1);
    assert!(!diagnoses(&begin(&mut story)).contains("Too few nodes."));
}

#[test]
fn the_same_is_shown_without_its_load_test() {
    let mut story = open_with(
        json!({"streams": [reads("reads", 1_000)], "run": {"nodes": 2, "seconds": 20}}),
        &["User first"],
    );
    assert!(!story.page.summary().contains("up to "), "the rate is constant");
    assert!(story.fill("Load test before the peak", "yes").is_err(), "a checkbox is true or false");
    assert_eq!(traffic(&story).run.load_test, None);
    story.fill("Load test before the peak", "true").expect("a checkbox");
    assert_eq!(traffic(&story).run.load_test.map(|test| test.per_second), Some(20_000.0));
    assert!(begin(&mut story).says("Load test"));
    assert!(story.page.summary().contains("up to 21,000 requests/s on 2 nodes"), "{}", story.page.summary());
    let arrived = |story: &mut Story<TrafficView>, with: &str| -> Vec<String> {
        story.fill("Compare with", with).expect("a choice");
        let lines = story.draw().rows(".traffic-totals tbody tr").into_iter();
        lines.filter(|line| line[0] == "All streams").map(|mut line| line.swap_remove(1)).collect()
    };
    let without = arrived(&mut story, "Without the load test");
    assert!(without.len() == 2 && without[0] != without[1], "{without:?}");
    let other = arrived(&mut story, "User first");
    assert!(other.len() == 2 && other[0] == other[1], "both designs have the same requests: {other:?}");
}

#[test]
fn a_mistake_is_explained_and_the_page_continues() {
    let mut story = open_with(
        json!({"streams": [{"name": "a", "what": {"pattern": "gone"}, "per_second": 100}], "run": {"nodes": 2, "seconds": 20}}),
        &[],
    );
    assert!(story.draw().says("no access pattern has this name"));
    story.press("YCSB C: only reads");
    begin(&mut story);
}

#[test]
fn curves_are_of_one_stream_or_of_all() {
    let mut story = open_with(
        json!({"streams": [reads("often", 900), reads("seldom", 100)], "run": {"nodes": 2, "seconds": 10}}),
        &[],
    );
    let arrived = |story: &mut Story<TrafficView>, of: &str| -> u32 {
        story.fill("Curves of", of).expect("a choice");
        let keys = story.draw().texts(".curve-key");
        let digits: String = keys
            .iter()
            .find(|key| key.starts_with("arrived"))
            .expect("a curve")
            .chars()
            .filter(char::is_ascii_digit)
            .collect();
        digits.parse().expect("a figure")
    };
    let seldom = arrived(&mut story, "seldom");
    assert!(story.draw().says("maximum"));
    let often = arrived(&mut story, "often");
    assert!(seldom > 0 && seldom < often / 4, "{seldom}, {often}");
}

#[test]
fn the_heatmap_has_a_hint_for_a_mouse_and_one_for_fingers() {
    let mut story =
        open_with(json!({"streams": [reads("reads", 100)], "run": {"nodes": 2, "seconds": 5}}), &[]);
    let drawn = story.draw();
    // The style sheet shows the one of the pointer, as it does on the map.
    assert_eq!(
        drawn.texts(".heat-foot .for-pointer span"),
        [
            "Drag a rectangle to zoom, or use Ctrl and the wheel. Click a cell to pin its figures.",
            "Tap a cell to pin its figures. Two fingers zoom, one scrolls the page.",
        ]
    );
    assert_eq!(drawn.attributes(".heat-foot .for-pointer span", "class"), ["touch"], "the second one");
}

#[test]
fn the_formula_follows_the_nodes_until_another_number_is_entered() {
    let page =
        open_with(json!({"streams": [reads("reads", 100)], "run": {"nodes": 2, "seconds": 5}}), &[]).page;
    let mut story = Story::<Formula>::open(page, |state, _| FormulaProps {
        nodes: state.workspace.traffic.as_ref().map_or(0, |traffic| traffic.run.nodes),
        simulated: Some(1_500),
        children: Html::default(),
        locale: locale(),
    });
    let result = |story: &mut Story<Formula>| story.draw().texts(".formula-result").concat();
    assert_eq!(result(&mut story), "p99 = 60.0 ms");
    let set_nodes = |workspace: &mut Workspace| workspace.traffic.as_mut().expect("a traffic").run.nodes = 4;
    story.page.edit(set_nodes);
    story.follow();
    assert_eq!(result(&mut story), "p99 = 57.0 ms");
    assert!(story.draw().says("Simulated with 4 nodes: p99 ="));
    story.fill("Nodes (n)", "2").expect("nodes");
    assert_eq!(result(&mut story), "p99 = 60.0 ms");
}

#[test]
fn three_situations_are_simulated_next_to_the_formula() {
    let page = open_with(json!(null), &[]).page;
    let mut story = Story::<Situations>::open(page, |state, actions| SituationsProps {
        design: state.design,
        revision: state.view.revision,
        storage: first_traffic(&state.workspace, &[], &[]).run.storage,
        jobs: actions.jobs.clone(),
        locale: locale(),
    });
    story.press("Simulate three situations");
    let drawn = story.draw();
    assert!(drawn.says("They differ because") && drawn.says("The examples with a hot key read a larger row"));
    let rows = drawn.rows(".traffic-situations tbody tr");
    let figure = |row: usize, column: usize| -> f64 {
        let text = rows[row][column].split(' ').next().expect("a figure");
        text.parse().unwrap_or_else(|_| panic!("{text} is not a number"))
    };
    assert_eq!([0, 1, 2].map(|row| figure(row, 1).round()), [10.0, 60.0, 57.0], "by the formula");
    assert!(figure(1, 2) > 2.0 * figure(0, 2), "a hot key makes it worse");
    assert!(figure(2, 2) > 2.0 * figure(0, 2), "more nodes hardly help");
}

#[test]
fn throughput_grows_with_the_nodes_unless_a_row_is_hot() {
    let page = open_with(json!(null), &[]).page;
    let mut story = Story::<Scaling>::open(page, |state, actions| ScalingProps {
        design: state.design,
        revision: state.view.revision,
        storage: first_traffic(&state.workspace, &[], &[]).run.storage,
        jobs: actions.jobs.clone(),
        locale: locale(),
    });
    story.press("Measure 1 to 32 nodes");
    let rows = story.draw().rows(".scaling-result tbody tr");
    // `tabletop-design` checks the figures of these simulations.
    let times = |line: usize, column: usize| -> f64 {
        let text =
            rows[line][column].rsplit("· ").next().expect("a figure").trim_end_matches('\u{d7}').trim();
        text.parse().unwrap_or_else(|_| panic!("{text} is not a number"))
    };
    assert_eq!(
        rows.iter().map(|line| line[0].as_str()).collect::<Vec<_>>(),
        ["1", "2", "4", "8", "16", "32"]
    );
    assert_eq!([times(0, 1), times(0, 2)], [1.0; 2]);
    assert!(times(5, 1) > 25.0 && times(5, 2) < 2.0, "{} and {}", times(5, 1), times(5, 2));
}
