//! The examples under load: `tabletop simulate` measures each, and checks that what their texts say
//! is true.

use std::sync::Arc;

use serde_json::Value;
use tabletop_advice::{Diagnosis, DiagnosisKind};
use tabletop_design::{DesignTable, Setting, SimulationRun, Supply};
use tabletop_keys::thousands;
use tabletop_protocol::{HeatMetric, SimulationHave};
use tabletop_texts::example_texts::ExampleText;
use tabletop_texts::messages;
use tabletop_workload::Population;
use tabletop_workspace::{Example, ExampleKind, KeyChoice, Place, Traffic, Workspace};

use super::examples::{events_of, text, titled};
use super::{Folder, tabletop};

/// An example with the report of its simulation.
struct Simulated {
    example: Example,
    workspace: Workspace,
    run: Value,
}

impl Simulated {
    fn of(title: &str) -> Simulated {
        let example = titled(title);
        let workspace = Workspace::from_json(example.json()).expect("a workspace");
        let folder = Folder::new();
        let file = folder.write("example.json", example.json());
        let report = tabletop(&["simulate", &file, "--format", "json", "--timeline"]).ok();
        let mut report: Value = serde_json::from_str(&report).expect("JSON");
        assert_eq!(report["runs"].as_array().map(Vec::len), Some(1), "{title}: one design is simulated");
        Simulated { example, workspace, run: report["runs"][0].take() }
    }

    /// A figure of the run.
    fn number(&self, place: &str) -> f64 {
        self.run
            .pointer(place)
            .and_then(Value::as_f64)
            .unwrap_or_else(|| panic!("there is no {place}: {:#}", self.run))
    }

    fn p99(&self) -> String {
        self.latency("p99")
    }

    /// A latency of all requests.
    fn latency(&self, which: &str) -> String {
        millis(self.number(&format!("/all/latency_micros_{which}")))
    }

    fn busiest_node(&self) -> String {
        percent(self.number("/cpu_hottest_node"))
    }

    fn mean_of_nodes(&self) -> String {
        percent(self.number("/cpu_mean"))
    }

    fn expired(&self) -> u64 {
        self.number("/all/expired") as u64
    }

    fn traffic(&self) -> &Traffic {
        self.workspace.traffic.as_ref().expect("it has traffic")
    }

    /// Returns the seconds at which a line of the timeline says this.
    fn times_of(&self, what: &str) -> Vec<u32> {
        let lines = self.run["timeline"].as_array().map(Vec::as_slice).unwrap_or_default();
        let lines =
            lines.iter().map(|line| line.as_str().expect("a line")).filter(|line| line.contains(what));
        lines
            .map(|line| line["t = ".len()..].split_once(" s:").expect("a time").0.parse().expect("seconds"))
            .collect()
    }

    /// Asserts that the text says this.
    #[track_caller]
    fn says(&self, what: &str) {
        let ExampleText { title, about, .. } = text(self.example);
        assert!(about.contains(what), "{title}: it does not say \"{what}\"");
    }
}

/// Formats a latency as the report does.
fn millis(micros: f64) -> String {
    match micros {
        micros if micros < 9_995.0 => format!("{:.2} ms", micros / 1e3),
        micros if micros < 99_950.0 => format!("{:.1} ms", micros / 1e3),
        micros => format!("{} ms", thousands((micros / 1e3).round() as u64)),
    }
}

fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

#[test]
fn each_has_one_design_and_follows_the_others() {
    let all = Example::ALL;
    let is_under_load = |example: &&Example| example.kind() == ExampleKind::Load;
    let first = all.iter().position(|example| is_under_load(&example)).expect("some are under load");
    assert_eq!(all[first..].iter().filter(is_under_load).count(), 13, "they are the last");
    assert_eq!(all.len() - first, 13);
    for example in &all[first..] {
        let workspace = Workspace::from_json(example.json()).expect("a workspace");
        assert_eq!((workspace.designs.len(), workspace.arrived), (1, Some(20_000)), "{example:?}");
    }
}

#[test]
fn a_hot_key_is_slow_with_two_nodes_and_with_four() {
    let even = Simulated::of("No hot key: 2 nodes");
    let hot = Simulated::of("A hot key: 2 nodes");
    let more = Simulated::of("A hot key: 4 nodes");
    let Traffic { streams, run, .. } = even.traffic();
    assert_eq!(run.nodes, 2);
    even.says(&format!(
        "{} reads per second of {} rows",
        thousands(streams[0].per_second as u64),
        rows(&even)
    ));
    even.says(&format!(
        "take {} of the busier node on average, and the p99 is {}.",
        even.busiest_node(),
        even.p99()
    ));

    let KeyChoice::Hot { share, .. } = hot.traffic().streams[0].keys else { panic!("one key is hot") };
    assert_eq!((hot.traffic().run.nodes, hot.traffic().streams[0].per_second), (2, streams[0].per_second));
    hot.says(&format!("one row gets {:.1}% of the same reads", share * 100.0));
    assert!(
        (hot.number("/hottest_tablet_share") - share).abs() < 0.005,
        "the row has a tablet to itself, or nearly"
    );
    hot.says(&format!(
        "its node is at {} on average, and the p99 rises from {} to {}.",
        hot.busiest_node(),
        even.p99(),
        hot.p99()
    ));
    let p99 = |of: &Simulated| of.number("/all/latency_micros_p99");
    assert!((5.5..6.5).contains(&(p99(&hot) / p99(&even))), "six times as much");

    assert_eq!((more.traffic().run.nodes, &more.traffic().streams), (4, &hot.traffic().streams));
    more.says(&format!("the p99 only falls from {} to {}.", hot.p99(), more.p99()));
    more.says(&format!("On average all 4 nodes are at {},", more.mean_of_nodes()));
    more.says(&format!("is still at {}.", more.busiest_node()));
    assert!((0.9..1.0).contains(&(p99(&more) / p99(&hot))), "nearly the same");
    for simulated in [&even, &hot, &more] {
        assert_eq!(simulated.expired(), 0);
    }
}

#[test]
fn the_three_keys_of_twitter() {
    let time = Simulated::of("Twitter's key 1 under load: time first");
    let advertiser = Simulated::of("Twitter's key 2 under load: advertiser first");
    let reversed = Simulated::of("Twitter's key 3 under load: advertiser reversed");
    for other in [&advertiser, &reversed] {
        assert_eq!(other.traffic(), time.traffic());
        assert_eq!(other.expired(), 0);
    }
    assert_eq!((time.traffic().run.nodes, time.traffic().run.seconds), (4, 60));
    time.says(&format!(
        "one of 4 nodes is at {} on average, and the mean of all is {}.",
        time.busiest_node(),
        time.mean_of_nodes()
    ));
    time.says(&format!("{} requests wait for 10 s and expire", thousands(time.expired())));
    assert!(time.number("/splits") > 50.0, "splits do not help, as often as it splits");

    let per_second: f64 = time.traffic().streams.iter().map(|stream| stream.per_second).sum();
    advertiser.says(&format!("{} requests per second go to all 4 nodes", thousands(per_second as u64)));
    advertiser.says(&format!(
        "the busiest is at {} on average. The p99 is {},",
        advertiser.busiest_node(),
        advertiser.p99()
    ));
    reversed.says(&format!("the p99 is {} as with the second key", reversed.p99()));
    assert_eq!(reversed.p99(), advertiser.p99());
    reversed.says(&format!("the busiest of 4 nodes is at {} on average.", reversed.busiest_node()));
}

#[test]
fn a_celebrity_with_and_without_a_salt() {
    let (unsalted, salted) = (Simulated::of("A celebrity, unsalted"), Simulated::of("A celebrity, salted"));
    assert_eq!(salted.traffic(), unsalted.traffic());
    assert_eq!((unsalted.traffic().run.nodes, unsalted.traffic().run.seconds), (4, 60));
    let KeyChoice::Hot { share, .. } = unsalted.traffic().streams[0].keys else { panic!("one user is hot") };
    unsalted.says(&format!("{} of the new replies are for one user", percent(share)));
    unsalted.says(&format!(
        "one of 4 nodes is at {} on average, and the mean of all is {}.",
        unsalted.busiest_node(),
        unsalted.mean_of_nodes()
    ));
    unsalted.says(&format!("{} requests expire, although the tablet splits", thousands(unsalted.expired())));
    assert!(unsalted.number("/splits") > 10.0);

    salted.says(&format!("the busiest of 4 nodes is at {} on average,", salted.busiest_node()));
    salted.says(&format!("the p99 is {} instead of {}.", salted.p99(), unsalted.p99()));
    assert_eq!(salted.expired(), 0);
    let ranges = |of: &Simulated| {
        let folder = Folder::new();
        let report =
            tabletop(&["run", &folder.write("example.json", of.example.json()), "--format", "json"]).ok();
        let report: Value = serde_json::from_str(&report).expect("JSON");
        report.pointer("/designs/0/queries/0/ranges").and_then(Value::as_u64).expect("a number of ranges")
    };
    salted.says(&format!("it is {} ranges instead of {}.", ranges(&salted), ranges(&unsalted)));
}

#[test]
fn a_flash_sale_with_and_without_a_load_test() {
    let (cold, warm) = (Simulated::of("A flash sale, cold"), Simulated::of("A flash sale after a load test"));
    assert_eq!(warm.traffic().streams, cold.traffic().streams);
    let stream = &cold.traffic().streams[0];
    let normal = stream.per_second;
    cold.says(&format!(
        "raises {} reads per second to {} at {} s",
        normal,
        thousands((normal * stream.when.factor(90.0)) as u64),
        (0..180).find(|second| stream.when.factor((*second).into()) > 1.0).expect("there is a sale")
    ));
    let (splits, moves) = (cold.times_of("split at"), cold.times_of("from node A to B"));
    assert!(splits[0] >= 90 && moves[0] >= 90, "nothing happens before the sale");
    assert_eq!(cold.number("/tablets"), 1.0 + splits.len() as f64, "it begins with one tablet");
    cold.says(&format!("splits at {} s, and halves move at {} s,", splits[0], moves[0]));
    cold.says(&format!("the p99 is {}, and the longest takes {}.", cold.p99(), cold.latency("max")));

    let test = warm.traffic().run.load_test.expect("a load test");
    warm.says(&format!(
        "{} random reads per second from {} s to {} s",
        thousands(test.per_second as u64),
        test.from_seconds,
        test.from_seconds + test.for_seconds
    ));
    let (splits, moves) = (warm.times_of("split at"), warm.times_of("from node A to B"));
    warm.says(&format!(
        "splits the tablet at {} s, and a half moves to the other node at {} s.",
        splits[0], moves[0]
    ));
    assert!(moves.last() < Some(&90), "the sale finds both nodes ready");
    // The first stream is the sale's; the load test is a separate one.
    let of_sale = |which: &str| millis(warm.number(&format!("/streams/0/latency_micros_{which}")));
    assert_eq!(warm.run["streams"][0]["name"], stream.name.as_str());
    warm.says(&format!(
        "the p99 of its reads is {} instead of {}, and the longest takes {}.",
        of_sale("p99"),
        cold.p99(),
        of_sale("max")
    ));
    assert_eq!((cold.expired(), warm.expired()), (0, 0));
}

#[test]
fn a_resize_before_and_during_a_peak() {
    let (before, during) = (Simulated::of("Resize before a peak"), Simulated::of("Resize during a peak"));
    assert_eq!(during.traffic().streams, before.traffic().streams);
    let stream = &before.traffic().streams[0];
    let is_peak = |second: &u32| stream.when.factor((*second).into()) > 1.0;
    let begin = (0..540).find(is_peak).expect("there is a peak");
    let end = (begin..540).find(|second| !is_peak(second)).expect("it ends");

    let moves = before.times_of("to C,");
    let moved = moves.iter().filter(|second| **second < begin).count();
    assert!(moved >= 3, "tablets move to the new node before the peak: {moves:?}");
    before.says(&format!("A third node is added at {} s", before.times_of("node C added")[0]));
    before.says(&format!(
        "by {} s {moved} of the {} tablets have moved to it",
        moves[moved - 1],
        before.number("/tablets")
    ));
    let peak = stream.per_second * stream.when.peak();
    before.says(&format!("The peak of {} reads per second at {begin} s", thousands(peak as u64)));
    before.says(&format!("the p99 is {}.", before.p99()));

    let added = during.times_of("node C added")[0];
    during.says(&format!("is added at {added} s, {} s after the peak has begun", added - begin));
    let moved = during.times_of("to C,").iter().filter(|second| (begin..end).contains(*second)).count();
    during.says(&format!(
        "until the peak ends at {end} s only {moved} of the {} tablets",
        during.number("/tablets")
    ));
    during.says(&format!("The p99 is {} instead of {}:", during.p99(), before.p99()));
}

#[test]
fn a_node_that_fails() {
    let simulated = Simulated::of("A node fails");
    assert_eq!(simulated.traffic().run.nodes, 3);
    simulated.says(&format!("Node B of 3 fails at {} s", simulated.times_of("node B failed")[0]));
    simulated.says(&format!("the longest takes {}, and none expires.", simulated.latency("max")));
    assert_eq!(simulated.expired(), 0);
    let replaced = simulated.times_of("replaces a failed one")[0];
    simulated.says(&format!(
        "replaces it at {replaced} s, and 95% of all requests take at most {}.",
        simulated.latency("p95")
    ));
    assert!(
        simulated.times_of("from node").iter().all(|second| *second >= replaced),
        "tablets move to the empty node only"
    );
}

#[test]
fn what_a_phrase_points_at_is_diagnosed_and_not_where_nothing_is_wrong() {
    let sequential = DiagnosisKind::SequentialWrites;
    for (title, kind) in [
        ("No hot key: 2 nodes", None),
        ("A hot key: 2 nodes", Some(DiagnosisKind::HotRow)),
        ("Twitter's key 1 under load: time first", Some(sequential)),
        ("Twitter's key 2 under load: advertiser first", None),
        ("Twitter's key 3 under load: advertiser reversed", None),
        ("A celebrity, unsalted", Some(DiagnosisKind::SequentialPrefix)),
        ("A celebrity, salted", None),
    ] {
        let example = titled(title);
        let points = text(example).places.iter().any(|(_, place)| *place == Place::Diagnoses);
        assert_eq!(points, kind.is_some(), "{title}");
        let found = diagnoses(example);
        assert_eq!(found.first().map(Diagnosis::kind), kind, "{title}: {found:?}");
        if kind == Some(DiagnosisKind::HotRow) {
            let row = "819a3c99-6949-457a-90f5-724ca5769250";
            assert!(
                (messages().advice.diagnosis_evidence)(&found[0]).contains(row)
                    && example.json().contains(row),
                "its query reads the row of the hot key: {found:?}"
            );
        }
    }
}

/// The problems that the simulation shows, the most serious first.
fn diagnoses(example: Example) -> Vec<Diagnosis> {
    let events = events_of(example.json());
    let Workspace { designs, queries, cluster, traffic, .. } =
        Workspace::from_json(example.json()).expect("a workspace");
    let traffic = traffic.expect("it has traffic");
    let mut table = DesignTable::new(0, &designs[0], events.fields(), &cluster);
    while table.step(Supply::all(&events, &cluster), 1_000) {}
    let setting = Setting { events: &events, traffic: &traffic, queries: &queries, tablets: &cluster };
    let population = Arc::new(Population::new(&events, events.len(), &traffic));
    let mut run = SimulationRun::new(&[&table], &setting, population).expect("it can be simulated");
    while run.step(&events, 1) {}
    run.chunk(&SimulationHave::nothing(HeatMetric::Requests)).diagnoses
}

/// The number of rows of the design.
fn rows(simulated: &Simulated) -> u64 {
    let folder = Folder::new();
    let report =
        tabletop(&["run", &folder.write("example.json", simulated.example.json()), "--format", "json"]).ok();
    let report: Value = serde_json::from_str(&report).expect("JSON");
    report.pointer("/designs/0/rows").and_then(Value::as_u64).expect("a number of rows")
}
