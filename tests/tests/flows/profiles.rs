//! Profiles of users: a strategy changes all of them, a user is forgotten, and the batch is
//! interrupted. The experiment measures what they cost.

use tabletop_keys::{Encoding, LayoutKind};
use tabletop_texts::locale;
use tabletop_workspace::{Example, Source, ViewId, Workspace};

use super::Page;
use super::story::Story;
use crate::page::state::Action;
use crate::views::profiles::experiment::{ExperimentProps, ExperimentView};
use crate::views::profiles::{ProfilesProps, ProfilesView, strategy_of};

const KEY: &str = "{app_id},{user_token},{timestamp:iso}";

/// Opens the view of a design with the user at the front, and lets all events arrive.
fn open() -> Story<ProfilesView> {
    let mut page = Page::with(|workspace| workspace.designs[0].template = KEY.into());
    page.show(ViewId::Profiles);
    let mut story = story(page);
    story.press("Play events");
    assert!(story.draw().says("2,000 / 2,000"));
    assert!(!scores(&mut story).is_empty());
    story
}

fn story(page: Page) -> Story<ProfilesView> {
    Story::open(page, |state, actions| {
        let strategy = strategy_of(&state.workspace, &state.preview).expect("a strategy");
        ProfilesProps::of_page(state, actions, strategy)
    })
}

/// A purchase, and 19 days later a click and a view.
const THREE_EVENTS: &str = "app_id,user_token,timestamp,event_type,event_name,facets
shop,ann,2024-01-01T00:00:00Z,conversion,checkout,brand:Apple|color:Black
shop,ann,2024-01-20T00:00:00Z,click,search,brand:Sony|color:Black
shop,ann,2024-01-20T00:00:01Z,view,home,brand:Apple|color:Red
";

/// Returns the values of facets in the profile, each with its score.
fn scored(story: &mut Story<ProfilesView>) -> Vec<String> {
    let drawn = story.draw();
    let names = drawn.texts(".profiles-scores .name").into_iter();
    names.zip(drawn.texts(".profiles-scores .num")).map(|(name, score)| format!("{name} {score}")).collect()
}

fn scores(story: &mut Story<ProfilesView>) -> Vec<String> {
    story.draw().texts(".profiles-scores li")
}

fn items(story: &mut Story<ProfilesView>) -> Vec<String> {
    story.draw().texts(".profiles-items .name")
}

/// Returns the figures of the streaming pipeline, and of the batch once there was one.
fn pipelines(story: &mut Story<ProfilesView>) -> Vec<Vec<String>> {
    let all = story.draw().texts(".profiles-pipelines dd");
    all.chunks(4).map(<[String]>::to_vec).collect()
}

#[test]
fn a_change_of_the_strategy_changes_all_profiles() {
    let mut story = open();
    let (before, items_before) = (scores(&mut story), items(&mut story));
    assert!(before.concat().contains("brand:"));
    let brand = "Score of brand as a number";
    assert_eq!(story.fill(brand, "101"), Err("Enter a whole number from 0 to 100.".into()));
    story.fill(brand, "0").expect("a score");
    assert!(!scores(&mut story).concat().contains("brand:"), "no brand counts");
    assert_eq!(pipelines(&mut story)[1][3], "done", "the batch has recomputed all");
    assert_ne!(items(&mut story), items_before, "the shop has another order");
    let strategy = story.page.state.workspace.strategy.as_ref().expect("a strategy");
    assert!(strategy.facets.iter().all(|facet| facet.facet != "brand"));
    story.page.act(Action::Undo);
    story.follow();
    assert_eq!((scores(&mut story), items(&mut story)), (before, items_before));
}

#[test]
fn a_preset_scores_and_days_decide_what_counts() {
    let mut page =
        Page::with_own(THREE_EVENTS.into(), |workspace| workspace.designs[0].template = KEY.into());
    page.show(ViewId::Profiles);
    let mut story = story(page);
    story.press("Play events");
    // A conversion has 100, a click 40 and a view 10; a brand has 100 and a color 60.
    assert_eq!(
        scored(&mut story),
        ["brand:Apple 11,000", "color:Black 8,400", "brand:Sony 4,000", "color:Red 600"]
    );
    story.draw();
    story.press("Only what was bought");
    assert_eq!(scored(&mut story), ["brand:Apple 10,000", "color:Black 6,000"]);
    story.fill("Score of color as a number", "59").expect("a score");
    assert_eq!(scored(&mut story), ["brand:Apple 10,000", "color:Black 5,900"]);
    story.fill("Score of click search as a number", "50").expect("a score");
    assert_eq!(scored(&mut story), ["brand:Apple 10,000", "color:Black 8,850", "brand:Sony 5,000"]);
    let drawn = story.draw();
    let sliders = drawn.attributes("input[type=range]", "aria-label").into_iter();
    let mut sliders = sliders.zip(drawn.attributes("input[type=range]", "value"));
    assert!(sliders.any(|slider| slider == ("Score of click search".into(), "50".into())), "it follows");
    story.fill("Window (days)", "10").expect("days");
    assert_eq!(scored(&mut story), ["brand:Sony 5,000", "color:Black 2,950"]);
    assert!(story.draw().says("too old"), "the purchase is outside the window");
    let strategy = story.page.state.workspace.strategy.as_ref().expect("a strategy");
    assert_eq!((strategy.window_days, strategy.events.len()), (10, 2));
}

#[test]
fn an_event_that_arrives_twice_counts_once_and_a_user_is_forgotten() {
    let mut story = open();
    let before = scores(&mut story);
    story.press("Replay last event");
    assert_eq!(scores(&mut story), before);
    story.press("Forget this user");
    let drawn = story.draw();
    assert!(drawn.says("removed. A read of the same rows returns 0."));
    assert!(drawn.says("No profile: none of this user's events count."));
    assert!(scores(&mut story).is_empty());
    // When the pipelines start over, the user has a profile like all others.
    story.press("Start over");
    assert_eq!(scores(&mut story), before);
}

#[test]
fn the_batch_resumes_from_its_checkpoint_and_an_app_is_forgotten() {
    let mut story = open();
    story.press_both("Recompute all", "Interrupt");
    assert_ne!(pipelines(&mut story)[1][3], "done");
    story.press("Resume");
    assert!(story.draw().says("Resumed from the checkpoint."));
    assert_eq!(pipelines(&mut story)[1][3], "done");
    let users = |story: &mut Story<ProfilesView>| story.draw().texts(".profiles-user option");
    let selected = story.draw().texts(".profiles-user option[selected]").concat();
    let app = format!("{}, ", selected.split(", ").next().expect("an app"));
    let of_app = |users: &[String]| users.iter().filter(|user| user.starts_with(&app)).count();
    assert!(story.page.can("Recompute all") && of_app(&users(&mut story)) > 1);
    let before = pipelines(&mut story)[0][1].clone();
    story.press("Forget this app");
    let drawn = story.draw();
    assert!(drawn.says("profiles removed. A read of the same rows returns 0."));
    assert!(drawn.says("No profile: none of this user's events count."));
    assert_eq!(of_app(&users(&mut story)), 0);
    assert_ne!(pipelines(&mut story)[0][1], before);
}

#[test]
fn each_user_gets_another_order_of_the_same_items() {
    let workspace = Workspace::from_json(Example::QueryTime.json()).expect("a workspace");
    let mut page = Page::with(move |now| *now = workspace);
    page.show(ViewId::Profiles);
    let mut story = story(page);
    story.press("Play events");
    let first = items(&mut story);
    let number = |text: &str| text.replace(',', "").parse::<u64>();
    for [score, reasons] in story
        .draw()
        .texts(".profiles-items .num")
        .into_iter()
        .zip(story.draw().texts(".profiles-items .reasons"))
        .map(|(score, reasons)| [score, reasons])
    {
        let sum: u64 =
            reasons.split(" + ").filter_map(|reason| number(reason.rsplit(' ').next()?).ok()).sum();
        assert_eq!(Ok(sum), number(&score), "the values of facets make the scores: {reasons}");
    }
    let moved = story.draw().texts(".profiles-items .soft");
    assert!(moved.iter().any(|text| text.starts_with("up ") || text.starts_with("down ")), "{moved:?}");
    let users = story.draw().texts(".profiles-user option");
    story.fill("User", &users[1]).expect("a user");
    let second = items(&mut story);
    let sorted = |mut items: Vec<String>| {
        items.sort();
        items
    };
    assert_ne!(first, second);
    assert_eq!(sorted(first), sorted(second));
}

fn experiment(mut page: Page) -> Story<ExperimentView> {
    page.show(ViewId::Profiles);
    Story::<ExperimentView>::open(page, |state, actions| ExperimentProps {
        events: state.view.events_total,
        facets: 12,
        jobs: actions.jobs.clone(),
        locale: locale(),
    })
}

#[test]
fn the_example_of_wide_rows_runs_the_experiment_on_its_designs() {
    let workspace = Workspace::from_json(Example::WhyWide.json()).expect("a workspace");
    let mut story = experiment(Page::with(move |now| {
        *now = workspace;
        let Source::Generated(generated) = &mut now.source else { panic!("generated events") };
        generated.events = 1_000;
    }));
    for (name, number) in [("Sizes", "2"), ("Rounds", "1")] {
        story.fill(name, number).expect("a number");
    }
    story.press("Run the experiment");
    let drawn = story.draw();
    let findings = drawn.texts(".experiment-findings li");
    assert!(
        findings.iter().any(|text| text.contains("(The article: wide is 3 times faster than narrow.)")),
        "{findings:?}"
    );
    let percent = |asked: &str| -> u32 {
        let begin = format!("{asked} facets, wide is ");
        let finding = findings.iter().find_map(|text| text.split_once(&begin)).expect("a finding").1;
        let (_, bytes) = finding.split_once("returns ").expect("its bytes");
        bytes.split_once("% of its bytes").and_then(|(percent, _)| percent.parse().ok()).expect("a share")
    };
    assert!(percent("for 3 of 12") < 100 && percent("for all 12") > 100, "{findings:?}");
    let mut designs: Vec<String> =
        drawn.rows("details tbody tr").into_iter().map(|mut row| row.swap_remove(0)).collect();
    designs.dedup();
    assert_eq!(designs, ["narrow", "wide", "row per entity"], "the designs of the example are the article's");
}

#[test]
fn a_design_takes_part_in_the_experiment_and_a_network_changes_its_figures() {
    let page = Page::with(|workspace: &mut Workspace| {
        let design = &mut workspace.designs[0];
        (design.name, design.template) = ("in protobuf".into(), KEY.into());
        (design.layout.kind, design.layout.encoding) = (LayoutKind::Wide, Encoding::Protobuf);
        let Source::Generated(generated) = &mut workspace.source else { panic!("generated events") };
        generated.events = 1_000;
    });
    let mut story = experiment(page);
    assert!(story.draw().says("all profiles are computed from 1,000 events"));
    for name in ["Facets requested", "Sizes", "Rounds"] {
        story.fill(name, "1").expect("a number");
    }
    story.press("Run the experiment");
    let drawn = story.draw();
    assert!(drawn.says("These figures do not include a network"), "{}", drawn.text());
    let rows = drawn.rows("details tbody tr");
    let mut designs: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    designs.dedup();
    for design in ["narrow", "wide", "row per entity", "in protobuf"] {
        assert!(designs.contains(&design), "{design} is not in {designs:?}");
    }
    assert!(rows.iter().all(|row| row[10] == "–"), "without a network: {rows:?}");
    let is_of_encoding = |line: &String| line.contains(" facet counts ") || line.contains(" whole events ");
    let encodings: Vec<String> =
        drawn.texts(".profiles-events tbody tr").into_iter().filter(is_of_encoding).collect();
    let of = |values: &str| {
        ["JSON", "protobuf", "compact list", "MessagePack"].map(|encoding| format!("{encoding} {values}"))
    };
    let expected = [of("facet counts"), of("whole events")].concat();
    assert!(
        encodings.iter().zip(&expected).all(|(line, expected)| line.starts_with(expected))
            && encodings.len() == 8,
        "{encodings:?}"
    );
    story.fill("Add a network", "true").expect("a checkbox");
    story.fill("Round trip (ms)", "200").expect("a time");
    story.press("Run the experiment");
    let drawn = story.draw();
    assert!(drawn.says("The network is a model: 200 ms for each request"));
    let times: Vec<String> =
        drawn.rows("details tbody tr").into_iter().map(|mut row| row.swap_remove(10)).collect();
    assert!(times.iter().all(|time| time.ends_with(" ms") || time.ends_with(" s")), "{times:?}");
}
