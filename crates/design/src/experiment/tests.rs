use tabletop_keys::Encoding;
use tabletop_protocol::experiment::{ExperimentReport, Line, Median};
use tabletop_workload::Generator;
use tabletop_workspace::GeneratorSettings;

use super::*;
use crate::compress::compressed;

fn design(name: &str, template: &str, kind: LayoutKind) -> Design {
    Design::new(name, template, Layout::new(kind))
}

fn events() -> Events {
    let settings = GeneratorSettings { seed: 7, events: 1_500, apps: 2, users: 40, user_skew: 0.5 };
    let mut generator = Generator::new(&settings);
    let mut events = Events::new(generator.fields());
    generator.fill(&mut events, 1_500).expect("they fit");
    events
}

const KEY: &str = "{app_id},{user_token},{timestamp:iso}";

fn settings() -> ExperimentSettings {
    ExperimentSettings {
        designs: vec![
            design("Narrow", KEY, LayoutKind::Narrow),
            design("Wide", KEY, LayoutKind::Wide),
            design("Row per user", KEY, LayoutKind::RowPerEntity),
            design("Salted", "{salt(4)}-{app_id},{user_token},{timestamp:iso}", LayoutKind::Wide),
            design("By time", "{timestamp:iso},{app_id},{user_token}", LayoutKind::Narrow),
        ],
        sizes: 3,
        rounds: 2,
        facets: 3,
        seed: 1,
        strategy: None,
        network: None,
    }
}

/// Runs the experiment with a clock that advances by a microsecond with each call.
fn run(settings: ExperimentSettings, events: &Events) -> ExperimentReport {
    let mut experiment = Experiment::new(settings, events).expect("it can begin");
    let mut micros = 0;
    let mut clock = || {
        micros += 1;
        micros
    };
    let mut steps = 0;
    while experiment.step(events, &mut clock).expect("a step") {
        steps += 1;
        assert!(steps < 10_000);
    }
    let progress = experiment.progress();
    assert_eq!((progress.written, progress.runs), (progress.to_write, progress.runs_total));
    experiment.report().expect("a report")
}

#[test]
fn fewer_than_four_sizes_show_no_line() {
    for sizes in 1..=4 {
        let report = run(ExperimentSettings { rounds: 1, sizes, ..settings() }, &events());
        let lines = report.designs.iter().filter(|design| design.left_out.is_none());
        assert!(lines.clone().count() > 0);
        assert!(lines.clone().all(|design| design.line.is_some() == (sizes >= 4)), "{sizes} sizes");
        let says_growth = report.findings.iter().any(|finding| finding.contains("R\u{b2}"));
        assert_eq!(says_growth, sizes >= 4, "{sizes} sizes: {:?}", report.findings);
        assert!(sizes >= 4 || lines.clone().all(|design| design.article_events_seconds.is_none()));
    }
}

#[test]
fn all_designs_compute_the_same_scores_and_wide_returns_less() {
    let events = events();
    let report = run(settings(), &events);
    assert_eq!((report.events, report.facets.len(), report.facets_asked), (1_500, 12, 3));
    assert!(report.users > 20, "{}", report.users);
    let left_out: Vec<&str> = report
        .designs
        .iter()
        .filter(|design| design.left_out.is_some())
        .map(|design| &*design.name)
        .collect();
    assert_eq!(left_out, ["By time"]);
    // 3 sizes and 11 other numbers of facets, for each of four designs.
    assert_eq!(report.points.len(), 4 * (3 + 11));
    let point = |design: u32, events: u64, facets: u64| {
        report
            .points
            .iter()
            .find(|point| (point.design, point.events, point.facets) == (design, events, facets))
            .expect("a run")
    };
    for size in [500, 1_000, 1_500] {
        for facets in if size == 1_500 { 1..=12 } else { 3..=3 } {
            let base = point(0, size, facets);
            assert!(base.scores > 0 && base.bytes_read > 0 && base.requests > 0);
            for design in 1..4 {
                assert_eq!(point(design, size, facets).scores, base.scores, "{design} {size} {facets}");
            }
        }
    }
    let returned = |design, facets| point(design, 1_500, facets).bytes_returned;
    assert_eq!(returned(0, 1), returned(0, 12), "narrow returns whole cells");
    assert!(
        returned(1, 1) < returned(1, 3) && returned(1, 3) < returned(1, 12),
        "wide returns what is asked for"
    );
    assert!(returned(1, 12) > returned(0, 12), "and more than narrow, if all is asked for");
    // The engine stores each word once, so the wide layout does not take more than the narrow one.
    // A store that compresses blocks of whole cells takes more.
    let [narrow, wide] = [0, 1].map(|design: u32| report.designs[design as usize].compressed);
    assert!(
        (wide.events, narrow.events) == (1_500, 1_500) && wide.compressed_bytes > narrow.compressed_bytes,
        "{narrow:?} {wide:?}"
    );
    assert!(report.designs[0].stored_bytes > 0);
    let speedup = |facets| {
        report
            .speedups
            .iter()
            .find(|speedup| (speedup.design, speedup.facets) == (1, facets))
            .expect("a ratio")
    };
    assert!(speedup(1).bytes_times > 2.0 && speedup(12).bytes_times < 1.0, "{:?}", report.speedups);
    let all = report.findings.join("\n");
    for says in ["3 times faster than narrow", "takes 4 sizes or more", "as good as narrow", "filters"] {
        assert!(all.contains(says), "{says}: {all}");
    }
    assert!(!all.contains("By time"), "{all}");
}

#[test]
fn encodings_are_compared_in_both_kinds_of_values() {
    let report = run(ExperimentSettings { rounds: 1, sizes: 1, ..settings() }, &events());
    let found: Vec<_> = report.encodings.iter().map(|figures| (figures.layout, figures.encoding)).collect();
    let expected = [LayoutKind::Narrow, LayoutKind::RowPerEntity]
        .map(|layout| Encoding::ALL.map(|encoding| (layout, encoding)));
    assert_eq!(found, expected.concat());
    for of_layout in report.encodings.chunks(4) {
        let bytes = |at: usize| of_layout[at].compressed.value_bytes;
        assert!((1..4).all(|at| bytes(at) < bytes(0)), "JSON takes the most bytes: {of_layout:?}");
        for figures in of_layout {
            assert_eq!(figures.compressed.events, 1_500, "{figures:?}");
            // The clock advances by a microsecond with each call.
            assert!(
                figures.stored_bytes > 0
                    && figures.encode_micros.median == 1.0
                    && figures.decode_micros.median == 1.0
            );
        }
    }
    let all = report.findings.join("\n");
    assert!(all.contains("Values with the counts of facets, of 1,500 events. JSON: "), "{all}");
    assert!(all.contains("Values that are whole events") && all.contains("MessagePack: "), "{all}");
}

#[test]
fn a_design_in_any_encoding_has_the_same_scores() {
    let kinds = [LayoutKind::Narrow, LayoutKind::Wide, LayoutKind::RowPerEntity];
    let of = |(kind, encoding)| Design {
        layout: Layout { encoding, ..Layout::new(kind) },
        ..design(&format!("{kind:?} {encoding:?}"), KEY, kind)
    };
    let designs =
        kinds.into_iter().flat_map(|kind| Encoding::ALL.map(|encoding| (kind, encoding))).map(of).collect();
    let report = run(ExperimentSettings { designs, rounds: 1, sizes: 1, ..settings() }, &events());
    assert_eq!(report.points.len(), 12 * 12);
    let base = |facets| report.points.iter().find(|point| point.facets == facets).expect("a run").scores;
    for point in &report.points {
        assert!(point.scores > 0);
        assert_eq!(point.scores, base(point.facets), "{}", report.designs[point.design as usize].name);
    }
}

#[test]
fn a_network_is_added_as_a_stated_model() {
    let events = events();
    let network = Network { round_trip_micros: 1_000.0, bytes_per_second: 1e6 };
    assert!((network.micros(3, 500_000) - 503_000.0).abs() < 1e-6);
    let with = |network| run(ExperimentSettings { network, rounds: 1, sizes: 2, ..settings() }, &events);
    let (without, with) = (with(None), with(Some(network)));
    for (one, other) in without.points.iter().zip(&with.points) {
        assert_eq!(one.network_micros, 0.0);
        assert!((other.network_micros - network.micros(one.requests, one.bytes_returned)).abs() < 1e-6);
        assert!(other.total_micros.median >= other.network_micros);
    }
    let wide = |report: &ExperimentReport| {
        report.speedups.iter().find(|s| (s.design, s.facets) == (1, 3)).expect("a ratio").times
    };
    assert!(wide(&with) > 1.5, "with a slow network wide wins by what it returns: {}", wide(&with));
    assert!(
        with.findings
            .iter()
            .any(|text| text.contains("The network is a model: 1 ms for each request, and 1.00 MB/s"))
    );
}

#[test]
fn the_order_of_runs_depends_on_the_seed_only() {
    let events = events();
    let order = |seed| {
        Experiment::new(ExperimentSettings { seed, ..settings() }, &events).expect("it can begin").runs
    };
    assert_eq!(order(1), order(1));
    assert_ne!(order(1), order(2));
    let sorted = |mut runs: Vec<Planned>| {
        runs.sort_by_key(|run| (run.design, run.size, run.facets));
        runs
    };
    assert_eq!(sorted(order(1)), sorted(order(2)));
}

#[test]
fn a_strategy_says_which_facets_come_first_and_wrong_settings_are_refused() {
    let events = events();
    let strategy = Strategy::new(
        vec![EventScore::new("click", "search", 5)],
        vec![FacetScore::new("stock", 9), FacetScore::new("brand", 2)],
    );
    let experiment = Experiment::new(ExperimentSettings { strategy: Some(strategy), ..settings() }, &events)
        .expect("it can begin");
    assert_eq!(experiment.facets()[..2], ["stock", "brand"]);
    assert_eq!(experiment.facets().len(), 12);
    let asked = experiment.strategy(3);
    assert_eq!((asked.facet_score("stock"), asked.facet_score("brand"), asked.facets.len()), (9, 2, 3));
    let refused = |change: fn(&mut ExperimentSettings)| {
        let mut settings = settings();
        change(&mut settings);
        Experiment::new(settings, &events).map(drop).expect_err("it is refused").message
    };
    assert_eq!(refused(|s| s.sizes = 0), "sizes is 0; it must be from 1 to 10.");
    assert_eq!(refused(|s| s.facets = 13), "facets is 13; it must be from 1 to 12.");
    assert_eq!(refused(|s| s.designs.clear()), "designs is 0; it must be from 1 to 64.");
    let slow = |s: &mut ExperimentSettings| {
        s.network = Some(Network { round_trip_micros: f64::NAN, bytes_per_second: 1.0 });
    };
    assert!(refused(slow).starts_with("The round trip is 0 or more"));
    let mut other = Events::new(vec![tabletop_keys::Field::new("user", FieldKind::Text)]);
    other.push(&[Some("ada")]).expect("it fits");
    let refused = Experiment::new(ExperimentSettings { sizes: 1, ..settings() }, &other)
        .map(drop)
        .expect_err("no facets")
        .message;
    assert!(refused.starts_with("Profiles need events with a time"), "{refused}");
}

#[test]
fn a_line_goes_through_its_points() {
    let line = Line::through(&[(1.0, 5.0), (2.0, 7.0), (4.0, 11.0)]).expect("a line");
    assert!(
        (line.slope - 2.0).abs() < 1e-12
            && (line.intercept - 3.0).abs() < 1e-12
            && (line.r_squared - 1.0).abs() < 1e-12
    );
    assert!((line.at(10.0) - 23.0).abs() < 1e-9);
    let bent = Line::through(&[(1.0, 1.0), (2.0, 4.0), (3.0, 1.0)]).expect("a line");
    assert!(bent.r_squared < 0.01, "{bent:?}");
    assert_eq!(Line::through(&[(1.0, 1.0)]), None);
    assert_eq!(Line::through(&[(1.0, 1.0), (1.0, 2.0)]), None);
    assert_eq!(Median::of(vec![3.0, 1.0, 2.0]), Median { median: 2.0, min: 1.0, max: 3.0 });
    assert_eq!(Median::of(vec![4.0, 1.0]).median, 2.5);
    assert_eq!(Median::of(vec![]), Median::default());
}

#[test]
fn small_values_compress_worse() {
    let cell = |value: &[u8]| tabletop_model::Cell {
        family: "e".into(),
        qualifier: "q".into(),
        timestamp: 0,
        value: value.into(),
        label: None,
    };
    let row = |values: &[&[u8]]| tabletop_model::Row {
        key: "k".into(),
        cells: values.iter().map(|value| cell(value)).collect(),
    };
    let large = compressed(&[row(&[&b"[\"color\",\":\",\"Red\"]".repeat(50)])]);
    let small = compressed(&[row(&[b"[[\":\",\"Red\",1]]"])]);
    assert!(large.compressed_value_bytes * 10 < large.value_bytes, "{large:?}");
    assert!(small.compressed_value_bytes > small.value_bytes, "{small:?}");
    assert_eq!(large.plain_bytes, large.value_bytes + 11);
}
