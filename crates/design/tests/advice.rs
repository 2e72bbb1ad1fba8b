//! Checks the adviser's verdicts on real tables: each sample of the page, under each layout and
//! salt, while events arrive and at the end, and every design that the adviser's own fixes lead to.
//!
//! `advice/*.txt` are the expected verdicts. `UPDATE=1` writes the actual ones instead of comparing
//! them: review the changes.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::path::PathBuf;

use tabletop_advice::{
    Cause, Explanation, Finding, Fix, FixKind, KeyCause, KeyLoss, KeyRemedy, SkewCause, Tone, Warning,
    WarningKind,
};
use tabletop_design::{DesignTable, Supply};
use tabletop_keys::{Field, FieldKind, Layout, LayoutKind, Template, edit};
use tabletop_protocol::DesignView;
use tabletop_workload::{Events, Generator, Reader, Sample, sample};
use tabletop_workspace::{ClusterSettings, Design, GeneratorSettings, Source, Workspace};

/// The fractions of all events, in sixteenths, after which the verdict is checked.
const MOMENTS: [u32; 6] = [1, 2, 4, 8, 12, 16];
/// No salt, a small salt, and the salts that the page offers.
const SALTS: [Option<u32>; 6] = [None, Some(2), Some(4), Some(8), Some(16), Some(32)];
/// The maximum number of consecutive fixes.
const CHAIN_MAX: usize = 5;

#[test]
fn generated_events() {
    let Source::Generated(settings) = Workspace::default().source else {
        panic!("the page begins with generated events")
    };
    let events = generated(&GeneratorSettings { events: 4_000, ..settings });
    check(
        "generated",
        &events,
        &[
            "{timestamp:iso},{app_id},{user_token}",
            "{app_id}",
            "{app_id},{timestamp:iso}",
            "{user_token},{timestamp:reverse}",
            "{timestamp:reverse},{user_token}",
            "{app_id},{user_token},{timestamp:hash}",
            "{timestamp:hour},{user_token},{timestamp:iso}",
            "{event_type},{timestamp:iso},{user_token}",
            "{user_token:hash},{timestamp:iso}",
            "{salt(8, user_token)}-{user_token},{timestamp:iso}",
        ],
    );
}

#[test]
fn earthquakes() {
    check(
        "earthquakes",
        &of_sample("earthquakes", u32::MAX),
        &["{longitude},{latitude},{time:iso}", "{time}", "{network},{time:iso}"],
    );
}

#[test]
fn purchases() {
    check(
        "purchases",
        &of_sample("purchases", 12_000),
        &["{date:date},{customer},{order}", "{date:iso},{customer},{order}", "{customer}"],
    );
}

#[test]
fn weather() {
    check("weather", &of_sample("weather", u32::MAX), &["{time:iso}", "{time:month},{time:iso}"]);
}

#[test]
fn clicks() {
    check(
        "clicks",
        &of_sample("clicks", 12_000),
        &["{user_id},{time:iso},{event}", "{event},{time:iso}", "{platform}"],
    );
}

/// Checks the first lesson of the page with all its events: a hot key, and its salts.
#[test]
fn a_salted_key_has_no_hot_tablet_at_any_number_of_tablets() {
    let Source::Generated(settings) = Workspace::default().source else {
        panic!("the page begins with generated events")
    };
    let events = generated(&settings);
    for tablet_bytes_max in [16 << 10, 100 << 10, 1 << 20] {
        let cluster =
            ClusterSettings { tablet_bytes_max: Some(tablet_bytes_max), ..ClusterSettings::default() };
        for salts in [4, 8, 16] {
            let template = format!("{{salt({salts})}}-{{timestamp:iso}},{{app_id}},{{user_token}}");
            for view in views(&events, &FixedDesign { template, layout: narrow() }, &cluster) {
                let verdict = &view.verdict;
                let what =
                    format!("{salts} salts, {} tablets: {:?}", view.table.tablets.len(), verdict.finding);
                assert_eq!(verdict.hot, [] as [u32; 0], "{what}");
                assert_eq!(verdict.advice.is_some(), verdict.tone == Tone::Caution, "{what}");
                let expected = match (view.table.tablets.len(), salts) {
                    (1, _) => Tone::Plain,
                    (_, 4) => Tone::Caution,
                    _ => Tone::Good,
                };
                assert_eq!(verdict.tone, expected, "{what}");
            }
        }
        let template = "{timestamp:iso},{app_id},{user_token}".to_owned();
        for view in views(&events, &FixedDesign { template, layout: narrow() }, &cluster) {
            let expected = if view.table.tablets.len() == 1 { Tone::Plain } else { Tone::Hot };
            assert_eq!(
                view.verdict.tone,
                expected,
                "{} tablets: {:?}",
                view.table.tablets.len(),
                view.verdict.finding
            );
        }
    }
}

/// If few values precede the time, only as many tablets take the writes of a moment as there are
/// values, however many tablets the table has.
#[test]
fn few_values_before_a_time_are_never_good() {
    let samples = [("earthquakes", "{network},{time:iso}", 12), ("clicks", "{event},{time:iso}", 18)];
    for (name, template, values) in samples {
        let events = of_sample(name, 12_000);
        let (parsed, _) = Template::parse(template, events.fields());
        for (kind, salts) in [LayoutKind::Narrow, LayoutKind::Wide]
            .into_iter()
            .flat_map(|kind| SALTS.map(|salts| (kind, salts)))
        {
            let template = edit::with_salt(&parsed, salts).text();
            let design = FixedDesign { template: template.clone(), layout: Layout::new(kind) };
            for view in views(&events, &design, &ClusterSettings::default()) {
                let finding = &view.verdict.finding;
                if salts.is_none() && view.table.tablets.len() > 1 {
                    let is_few = matches!(finding, Finding::FewRanges { ranges, .. } if *ranges == values);
                    assert!(
                        is_few || matches!(finding, Finding::Incomplete { .. }),
                        "{template}: {finding:?}"
                    );
                }
                assert!(
                    salts.is_some_and(|salts| salts > 4) || view.verdict.tone != Tone::Good,
                    "{template}: {finding:?}"
                );
                assert!(
                    view.verdict.advice.is_some()
                        || view.verdict.tone != Tone::Caution
                        || matches!(finding, Finding::Incomplete { .. }),
                    "no reason: {template}: {finding:?}"
                );
            }
        }
    }
}

/// The sample for advice has 2,000 events, but the counts of the table include all events.
#[test]
fn replaced_events_are_counted_in_the_whole_table() {
    let events = of_sample("clicks", u32::MAX);
    let state = FixedDesign { template: "{user_id},{time:iso},{event}".into(), layout: narrow() };
    let views = views(&events, &state, &ClusterSettings::default());
    let last = views.last().expect("there are moments");
    // Events that are equal in all fields are one event.
    assert_eq!(last.verdict.tone, Tone::Good);
    let shared: Vec<&Warning> =
        last.warnings.iter().filter(|warning| warning.kind() == WarningKind::SharedKey).collect();
    let [Warning { cause: Cause::Key(KeyCause::Counted { counts, loss: KeyLoss::Events, .. }), .. }] =
        shared[..]
    else {
        panic!("one warning counts all events: {shared:#?}")
    };
    assert_eq!((counts.replaced(), counts.events), (30, events.len() as u64));
    assert_eq!(last.table.tablets.iter().map(|tablet| tablet.rows).sum::<u64>() + 30, events.len() as u64);
}

#[test]
fn a_single_replaced_event_is_found_with_its_fix() {
    let fields = vec![
        Field::new("sensor", FieldKind::Text),
        Field::new("time", FieldKind::Time),
        Field::new("n", FieldKind::Int),
    ];
    let mut events = Events::new(fields);
    for index in 0..10_000_u32 {
        // The events at 3,333 and 3,334 are not in the sample.
        let at = if index == 3_334 { 3_333 } else { index };
        let sensor = format!("s{}", at * 7 % 499);
        let (time, n) = ((1_700_000_000 + at).to_string(), index.to_string());
        events.push(&[Some(sensor.as_str()), Some(time.as_str()), Some(n.as_str())]).unwrap();
    }
    let fixes = |kind| {
        let state = FixedDesign { template: "{sensor},{time:iso}".into(), layout: Layout::new(kind) };
        let views = views(&events, &state, &ClusterSettings::default());
        let last = views.into_iter().next_back().expect("there are moments");
        let warning = last.warnings.into_iter().find(|warning| warning.kind() == WarningKind::SharedKey);
        let warning = warning.expect("an event is lost");
        let Cause::Key(KeyCause::Counted { counts, loss, remedy: KeyRemedy::AddField }) = warning.cause
        else {
            panic!("all events are counted: {:?}", warning.cause)
        };
        assert_eq!(counts.events, 10_000);
        let fixes: Vec<FixKind> = warning.fixes.into_iter().map(|fix| fix.kind).collect();
        (loss, counts.shared(), counts.replaced(), fixes)
    };
    let distinguished = vec![FixKind::AddToEnd(vec!["n".to_owned()])];
    assert_eq!(fixes(LayoutKind::Narrow), (KeyLoss::Events, 1, 1, distinguished));
    let (loss, shared, replaced, _) = fixes(LayoutKind::Wide);
    assert_eq!((loss, shared, replaced), (KeyLoss::Cells, 1, 3));
    let (loss, _, replaced, _) = fixes(LayoutKind::RowPerEntity);
    assert_eq!(loss, KeyLoss::SharedCells);
    assert!(replaced > 0);
}

/// One device has a third of the events. It is not hot, and the headline's share alone does not
/// explain the advice.
#[test]
fn a_value_that_has_a_third_of_the_events_is_named() {
    let fields = vec![
        Field::new("device", FieldKind::Text),
        Field::new("time", FieldKind::Time),
        Field::new("n", FieldKind::Int),
    ];
    let mut events = Events::new(fields);
    for index in 0..20_000_u32 {
        let device = if index % 3 == 0 { "d500".into() } else { format!("d{}", 100 + index * 7919 % 700) };
        let (time, n) = ((1_700_000_000 + index).to_string(), index.to_string());
        events.push(&[Some(device.as_str()), Some(time.as_str()), Some(n.as_str())]).unwrap();
    }
    let cluster = ClusterSettings { tablet_bytes_max: Some(40 << 10), ..ClusterSettings::default() };
    let last = |template: &str| {
        let state = FixedDesign { template: template.into(), layout: narrow() };
        views(&events, &state, &cluster).pop().expect("there are moments").verdict
    };
    let verdict = last("{device}#{time:iso}");
    assert_eq!(verdict.tone, Tone::Plain, "{:?}", verdict.finding);
    let Some(Explanation::Skew(SkewCause::Value { value, fields, share, time })) = &verdict.advice else {
        panic!("the device is named: {verdict:?}")
    };
    assert_eq!(
        (value.as_str(), fields.as_slice(), time.as_str()),
        ("d500", &["device".to_owned()][..], "time")
    );
    assert!((0.32..0.35).contains(share), "{share}");
    let salted = last(&verdict.fix.and_then(|fix| fix.patch.template).expect("a salt"));
    assert_eq!((&salted.advice, salted.tone), (&None, Tone::Good), "{:?}", salted.finding);
    // The rows of the device are spread over its part of the table.
    for template in ["{device}#{n:hash}#{time:iso}", "{device}#{time:hash}"] {
        assert_eq!(last(template).advice, None, "{template}");
    }
}

/// A design that is reached by applying fixes.
#[derive(Clone, Debug, PartialEq)]
struct FixedDesign {
    template: String,
    layout: Layout,
}

impl FixedDesign {
    fn after(&self, fix: &Fix) -> FixedDesign {
        FixedDesign {
            template: fix.patch.template.clone().unwrap_or_else(|| self.template.clone()),
            layout: fix.patch.layout.clone().unwrap_or_else(|| self.layout.clone()),
        }
    }
}

fn narrow() -> Layout {
    Layout::new(LayoutKind::Narrow)
}

/// A design with its tone, its fixes and its warnings after all events.
type Judged = (FixedDesign, Tone, Vec<Fix>, Vec<Warning>);

/// Checks the verdicts on all designs that can be reached from these templates by fixes, and
/// compares them with the file.
fn check(name: &str, events: &Events, templates: &[&str]) {
    let mut states = VecDeque::new();
    for template in templates {
        for kind in [LayoutKind::Narrow, LayoutKind::Wide, LayoutKind::RowPerEntity] {
            for salts in SALTS {
                let (parsed, problems) = Template::parse(template, events.fields());
                assert_eq!(problems, [], "{template}");
                let template = edit::with_salt(&parsed, salts).text();
                states.push_back(FixedDesign { template, layout: Layout::new(kind) });
            }
        }
    }
    let mut judged: Vec<Judged> = Vec::new();
    let mut report = String::new();
    while let Some(state) = states.pop_front() {
        if judged.iter().any(|(known, ..)| *known == state) {
            continue;
        }
        let views = views(events, &state, &ClusterSettings::default());
        let last = views.last().expect("there are moments");
        check_consistency(&state, &views);
        write_report(&mut report, &state, &views);
        let fixes: Vec<Fix> = last
            .warnings
            .iter()
            .flat_map(|warning| warning.fixes.clone())
            .chain(last.verdict.fix.clone())
            .collect();
        states.extend(fixes.iter().map(|fix| state.after(fix)));
        judged.push((state, last.verdict.tone, fixes, last.warnings.clone()));
    }
    for (state, ..) in &judged {
        follow(&judged, &mut vec![state.clone()]);
    }
    compare(name, &report);
}

/// Follows every fix of the last design on the path, recursively. No fix may cause an alarm, return
/// to an earlier design, or lead to an endless chain.
fn follow(judged: &[Judged], path: &mut Vec<FixedDesign>) {
    let find = |state: &FixedDesign| judged.iter().find(|(known, ..)| known == state).expect("it was judged");
    let (state, tone, fixes, warnings) = find(path.last().expect("it has a start"));
    assert!(path.len() <= CHAIN_MAX, "no end of fixes: {path:#?}");
    for fix in fixes {
        let next = state.after(fix);
        assert!(!path.contains(&next), "{:?} undoes a fix: {path:#?}", fix.kind);
        let (_, next_tone, _, next_warnings) = find(&next);
        for warning in warnings
            .iter()
            .filter(|warning| warning.fixes.contains(fix) && warning.kind() != WarningKind::SharedKey)
        {
            let remains =
                next_warnings.iter().find(|next| next.kind() == warning.kind() && next.part == warning.part);
            assert!(remains.is_none(), "{:?} leaves its warning: {state:#?}: {remains:#?}", fix.kind);
        }
        let brings_alarm = *next_tone == Tone::Hot && (*tone != Tone::Hot || fixes.first() == Some(fix));
        assert!(!brings_alarm, "{:?} causes an alarm: {state:#?}", fix.kind);
        path.push(next);
        follow(judged, path);
        path.pop();
    }
}

/// Checks that headline, advice and warnings agree, and stay consistent.
fn check_consistency(state: &FixedDesign, views: &[DesignView]) {
    let judged: Vec<&DesignView> = views.iter().filter(|view| view.verdict.tone != Tone::Plain).collect();
    let (_, arriving) = views.split_last().expect("there are moments");
    for view in arriving.iter().filter(|view| matches!(view.verdict.finding, Finding::Spread { .. })) {
        let (tone, tablets) = (view.verdict.tone, view.table.tablets.len());
        assert!(
            tone != Tone::Good || tablets >= 12,
            "{state:?}: good with {tablets} tablets, while events arrive"
        );
    }
    for view in &judged {
        let (verdict, first) = (&view.verdict, judged[0]);
        let what = format!("{state:?}, {} tablets: {:?}", view.table.tablets.len(), verdict.finding);
        assert_eq!(
            verdict.tone, first.verdict.tone,
            "the verdict changes while events arrive: {what}; before: {:?}",
            first.verdict.finding
        );
        let is_incomplete = matches!(view.verdict.finding, Finding::Incomplete { .. });
        let doubts = is_incomplete || view.warnings.iter().any(|warning| warning.kind().limits_load());
        assert!(!(verdict.tone == Tone::Good && doubts), "good despite a warning: {what}");
        // A file in another order than its time does not show the hot tablet of live events.
        assert!(
            verdict.tone == Tone::Hot || verdict.hot.is_empty(),
            "flames, but not in the headline: {what}"
        );
        if let Some(advice) = &verdict.advice {
            let warning =
                view.warnings.iter().find(|warning| Explanation::Warning(warning.cause.clone()) == *advice);
            let limits_load = view.warnings.iter().any(|warning| warning.kind().limits_load());
            assert!(warning.is_some() || !limits_load, "the advice is none of the warnings: {what}");
            assert!(
                warning.is_none_or(|warning| warning.fixes.first() == verdict.fix.as_ref()),
                "another fix: {what}"
            );
        }
    }
}

/// Returns the views of a design at each of the moments.
fn views(events: &Events, state: &FixedDesign, cluster: &ClusterSettings) -> Vec<DesignView> {
    let design = Design::new("Design", state.template.clone(), state.layout.clone());
    let count = events.len() as u32;
    let mut table: DesignTable = DesignTable::new(0, &design, events.fields(), cluster);
    let view = |moment: &u32| {
        let supply =
            Supply { arrived: (count * moment).div_ceil(16), playing: true, ..Supply::all(events, cluster) };
        while table.step(supply, 1_000) {}
        table.view(supply)
    };
    MOMENTS.iter().map(view).collect()
}

/// Writes one line: the key and the layout, the tone at each moment, the finding after all events,
/// and each warning with its part, its kind and its fixes.
fn write_report(report: &mut String, state: &FixedDesign, views: &[DesignView]) {
    let last = views.last().expect("there are moments");
    let tones: String = views.iter().map(|view| letter_of(view.verdict.tone)).collect();
    write!(
        report,
        "{} | {} | {tones} | {}",
        state.template,
        name_of(state.layout.kind),
        finding(&last.verdict.finding)
    )
    .unwrap();
    match &last.verdict.advice {
        Some(Explanation::Warning(cause)) => write!(report, " < {:?}", cause.kind()).unwrap(),
        Some(Explanation::Skew(cause)) => write!(report, " < {cause:?}").unwrap(),
        None => {}
    }
    for warning in &last.warnings {
        let part = warning.part.map_or(String::new(), |part| format!(" {part}"));
        let fixes: Vec<String> = warning.fixes.iter().map(|fix| format!("{:?}", fix.kind)).collect();
        write!(report, " | {:?}{part} [{}]", warning.kind(), fixes.join(", ")).unwrap();
    }
    report.push('\n');
}

fn letter_of(tone: Tone) -> char {
    match tone {
        Tone::Plain => '.',
        Tone::Good => 'g',
        Tone::Caution => 'c',
        Tone::Hot => 'H',
    }
}

/// Writes a finding: its kind, its share in percent, and the places among all tablets.
fn finding(finding: &Finding) -> String {
    let percent = |share: &f64| format!("{:.0}%", share * 100.0);
    match finding {
        Finding::NoRows => "no rows".into(),
        Finding::OneTablet => "1 tablet".into(),
        Finding::Idle { tablets } => format!("idle of {tablets}"),
        Finding::Concentrated { busy, tablets, share } => {
            format!("concentrated {} in {busy} of {tablets}", percent(share))
        }
        Finding::ConcentratedLive { busy, tablets } => format!("concentrated live in {busy} of {tablets}"),
        Finding::FewRanges { ranges, fields, hottest_share } => {
            format!("few ranges {} in {ranges} of {}", percent(hottest_share), fields.join("+"))
        }
        Finding::NotJudged { events } => format!("not judged: {events}"),
        Finding::Incomplete { losses } => {
            format!("refused {}, shared {} of {}", losses.refused, losses.shared, losses.events)
        }
        Finding::WrongAnswer(wrong) => {
            format!(
                "{}: {} missing, {} others of {}",
                wrong.pattern, wrong.missing, wrong.others, wrong.events
            )
        }
        Finding::HotWhileLoading { share, tablets, live_share } => {
            format!("hot while loading {} in 1 of {tablets}, live {}", percent(share), percent(live_share))
        }
        Finding::FewRows { rows } => format!("few rows {rows}"),
        Finding::Salted { salts, tablets, one_place_each } => {
            let places = if *one_place_each { "places" } else { "groups of places" };
            format!("salted {salts} {places} of {tablets}")
        }
        Finding::UnevenSalt { salts, used, share } => {
            format!("uneven salt {} in {used} of {salts}", percent(share))
        }
        Finding::Skewed { share, tablets } => format!("skewed {} in 1 of {tablets}", percent(share)),
        Finding::LargeRow { busy, tablets, share } => {
            format!("large row {} in {busy} of {tablets}", percent(share))
        }
        Finding::Spread { busy, tablets, hottest_share } => {
            format!("spread {} in {busy} of {tablets}", percent(hottest_share))
        }
    }
}

fn name_of(kind: LayoutKind) -> &'static str {
    match kind {
        LayoutKind::Narrow => "narrow",
        LayoutKind::Wide => "wide",
        LayoutKind::RowPerEntity => "row per entity",
        LayoutKind::Columns => "columns",
    }
}

fn compare(name: &str, actual: &str) {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "tests", "advice", &format!("{name}.txt")].iter().collect();
    if std::env::var_os("UPDATE").is_some() {
        return std::fs::write(&path, actual).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let different = expected.lines().zip(actual.lines()).find(|(expected, actual)| expected != actual);
    if let Some((expected, actual)) = different {
        panic!("{} (UPDATE=1 writes the actual text):\n-{expected}\n+{actual}", path.display());
    }
    assert_eq!(
        expected.lines().count(),
        actual.lines().count(),
        "{} (UPDATE=1 writes the actual text)",
        path.display()
    );
}

fn generated(settings: &GeneratorSettings) -> Events {
    let mut generator = Generator::new(settings);
    let mut events = Events::new(generator.fields());
    while generator.left() > 0 {
        generator.fill(&mut events, generator.left()).unwrap();
    }
    events
}

/// Returns the first `most` events of a sample that is shipped with the page.
fn of_sample(name: &str, most: u32) -> Events {
    let Sample { path, own } = sample(name).unwrap();
    let file: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "..", "www", &path].iter().collect();
    let (mut reader, mut all) = (Reader::new(&own), Events::default());
    reader.feed(&std::fs::read(file).unwrap(), true, &mut all).unwrap();
    let mut events = Events::new(all.fields().to_vec());
    let mut values = Vec::new();
    for index in 0..all.len().min(most as usize) {
        all.record(index, &mut values);
        events.push(&values).unwrap();
    }
    events
}
