//! Checks the adviser's verdicts on real tables: each sample of the page, under each layout and
//! salt, while events arrive and at the end, and every design that the adviser's own fixes lead to.
//!
//! `advice/*.txt` are the expected verdicts. `UPDATE=1` writes the actual ones instead of comparing
//! them: review the changes.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::path::PathBuf;

use tabletop_design::{DesignTable, Supply};
use tabletop_schema::{
    ClusterSettings, Design, DesignView, Field, FieldKind, Finding, Fix, GeneratorSettings, Layout, LayoutKind, Source, Template,
    Tone, Warning, WarningKind, Workspace, edit,
};
use tabletop_workload::{Events, Generator, Reader, Sample, sample};

/// The fractions of all events, in sixteenths, after which the verdict is checked.
const MOMENTS: [u32; 6] = [1, 2, 4, 8, 12, 16];
/// No salt, a small salt, and the salts that the page offers.
const SALTS: [Option<u32>; 6] = [None, Some(2), Some(4), Some(8), Some(16), Some(32)];
/// The maximum number of consecutive fixes.
const CHAIN_MAX: usize = 5;

#[test]
fn generated_events() {
    let Source::Generated(settings) = Workspace::default().source else { panic!("the page begins with generated events") };
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
    check("clicks", &of_sample("clicks", 12_000), &["{user_id},{time:iso},{event}", "{event},{time:iso}", "{platform}"]);
}

/// Checks the first lesson of the page with all its events: a hot key, and its salts.
#[test]
fn a_salted_key_has_no_hot_tablet_at_any_number_of_tablets() {
    let Source::Generated(settings) = Workspace::default().source else { panic!("the page begins with generated events") };
    let events = generated(&settings);
    for tablet_bytes_max in [16 << 10, 100 << 10, 1 << 20] {
        let cluster = ClusterSettings { tablet_bytes_max: Some(tablet_bytes_max), ..ClusterSettings::default() };
        for salts in [4, 8, 16] {
            let template = format!("{{salt({salts})}}-{{timestamp:iso}},{{app_id}},{{user_token}}");
            for view in views(&events, &FixedDesign { template, layout: narrow() }, &cluster) {
                let verdict = &view.verdict;
                let what = format!("{salts} salts, {} tablets: {}", view.table.tablets.len(), verdict.headline());
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
            assert_eq!(view.verdict.tone, expected, "{} tablets: {}", view.table.tablets.len(), view.verdict.headline());
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
        for (kind, salts) in [LayoutKind::Narrow, LayoutKind::Wide].into_iter().flat_map(|kind| SALTS.map(|salts| (kind, salts)))
        {
            let template = edit::with_salt(&parsed, salts).text();
            let design = FixedDesign { template: template.clone(), layout: Layout::new(kind) };
            for view in views(&events, &design, &ClusterSettings::default()) {
                let headline = view.verdict.headline();
                if salts.is_none() && view.table.tablets.len() > 1 {
                    assert!(headline.starts_with(&format!("At most {values} tablets")), "{template}: {headline}");
                }
                assert!(salts.is_some_and(|salts| salts > 4) || view.verdict.tone != Tone::Good, "{template}: {headline}");
                assert!(view.verdict.advice.is_some() || view.verdict.tone != Tone::Caution, "no reason: {template}: {headline}");
            }
        }
    }
}

/// The sample for advice has 2,000 events, but the counts of the table include all events.
#[test]
fn replaced_events_are_counted_in_the_whole_table() {
    let events = of_sample("clicks", u32::MAX);
    let expected = format!("Later events with the same row key replace 30 of {} events", thousands(events.len()));
    let state = FixedDesign { template: "{user_id},{time:iso},{event}".into(), layout: narrow() };
    let views = views(&events, &state, &ClusterSettings::default());
    let last = views.last().expect("there are moments");
    assert_eq!(last.verdict.tone, Tone::Caution);
    let shared: Vec<&str> = messages_of(last, WarningKind::SharedKey).collect();
    assert!(shared.len() == 1 && shared[0].starts_with(&expected), "{shared:?}");
    assert_eq!(last.table.tablets.iter().map(|tablet| tablet.rows).sum::<u64>() + 30, events.len() as u64);
}

#[test]
fn a_single_replaced_event_is_found_with_its_fix() {
    let fields =
        vec![Field::new("sensor", FieldKind::Text), Field::new("time", FieldKind::Time), Field::new("n", FieldKind::Int)];
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
        let warning = last.warnings.into_iter().find(|warning| warning.kind == WarningKind::SharedKey);
        let warning = warning.expect("an event is lost");
        (warning.message, warning.fixes.into_iter().map(|fix| fix.label).collect::<Vec<String>>())
    };
    let remedy = "add a field that distinguishes them to the end of the key";
    let expected = format!("Later events with the same row key replace 1 of 10,000 events: {remedy}.");
    assert_eq!(fixes(LayoutKind::Narrow), (expected, vec!["Add n to the end".to_owned()]));
    let expected = format!("The row key of 1 of 10,000 events belongs to an earlier one (cells replaced: 3): {remedy}.");
    assert_eq!(fixes(LayoutKind::Wide).0, expected);
    let expected = "Later events with the same row, column and millisecond replace 1 of 10,000 events";
    assert!(fixes(LayoutKind::RowPerEntity).0.starts_with(expected));
}

/// One device has a third of the events. It is not hot, and the headline's share alone does not
/// explain the advice.
#[test]
fn a_value_that_has_a_third_of_the_events_is_named() {
    let fields =
        vec![Field::new("device", FieldKind::Text), Field::new("time", FieldKind::Time), Field::new("n", FieldKind::Int)];
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
    assert_eq!(verdict.tone, Tone::Plain, "{}", verdict.headline());
    assert_eq!(
        verdict.advice.as_deref(),
        Some(
            "33 % of the events have the device \"d500\". Their keys follow each other in time, so one tablet takes them all, \
             however many there are. Put a field with many values before time, or salt the key."
        ),
        "{}",
        verdict.headline()
    );
    let salted = last(&verdict.fix.and_then(|fix| fix.patch.template).expect("a salt"));
    assert_eq!((salted.advice.as_deref(), salted.tone), (None, Tone::Good), "{}", salted.headline());
    // The rows of the device are spread over its part of the table.
    for template in ["{device}#{n:hash}#{time:iso}", "{device}#{time:hash}"] {
        assert_eq!(last(template).advice, None, "{template}");
    }
}

fn messages_of(view: &DesignView, kind: WarningKind) -> impl Iterator<Item = &str> {
    view.warnings.iter().filter(move |warning| warning.kind == kind).map(|warning| warning.message.as_str())
}

fn thousands(count: usize) -> String {
    format!("{},{:03}", count / 1000, count % 1000)
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
        let fixes: Vec<Fix> =
            last.warnings.iter().flat_map(|warning| warning.fixes.clone()).chain(last.verdict.fix.clone()).collect();
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
        assert!(!path.contains(&next), "{} undoes a fix: {path:#?}", fix.label);
        let (_, next_tone, _, next_warnings) = find(&next);
        for warning in warnings.iter().filter(|warning| warning.fixes.contains(fix) && warning.kind != WarningKind::SharedKey) {
            let remains = next_warnings.iter().find(|next| next.kind == warning.kind && next.part == warning.part);
            assert!(remains.is_none(), "{} leaves its warning: {state:#?}: {remains:#?}", fix.label);
        }
        let brings_alarm = *next_tone == Tone::Hot && (*tone != Tone::Hot || fixes.first() == Some(fix));
        assert!(!brings_alarm, "{} causes an alarm: {state:#?}", fix.label);
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
        assert!(tone != Tone::Good || tablets >= 12, "{state:?}: good with {tablets} tablets, while events arrive");
    }
    for view in &judged {
        let (verdict, first) = (&view.verdict, judged[0]);
        let what = format!("{state:?}, {} tablets: {}", view.table.tablets.len(), verdict.headline());
        assert_eq!(
            verdict.tone,
            first.verdict.tone,
            "the verdict changes while events arrive: {what}; before: {}",
            first.verdict.headline()
        );
        let doubts = view.warnings.iter().any(|warning| warning.kind.prevents_good());
        assert!(!(verdict.tone == Tone::Good && doubts), "good despite a warning: {what}");
        assert_eq!(verdict.tone == Tone::Hot, !verdict.hot.is_empty(), "flames and headline differ: {what}");
        if let Some(advice) = &verdict.advice {
            let warning = view.warnings.iter().find(|warning| warning.message == *advice);
            let limits_load = view.warnings.iter().any(|warning| warning.kind.limits_load());
            assert!(warning.is_some() || !limits_load, "the advice is none of the warnings: {what}");
            assert!(warning.is_none_or(|warning| warning.fixes.first() == verdict.fix.as_ref()), "another fix: {what}");
        }
    }
}

/// Returns the views of a design at each of the moments.
fn views(events: &Events, state: &FixedDesign, cluster: &ClusterSettings) -> Vec<DesignView> {
    let design = Design::new("Design", state.template.clone(), state.layout.clone());
    let count = events.len() as u32;
    let mut table: DesignTable = DesignTable::new(0, &design, events.fields(), cluster);
    let view = |moment: &u32| {
        let supply = Supply { arrived: (count * moment).div_ceil(16), playing: true, ..Supply::all(events, cluster) };
        while table.step(supply, 1_000) {}
        table.view(supply)
    };
    MOMENTS.iter().map(view).collect()
}

fn write_report(report: &mut String, state: &FixedDesign, views: &[DesignView]) {
    let last = views.last().expect("there are moments");
    writeln!(report, "{}  {}", state.template, name_of(state.layout.kind)).unwrap();
    let tones: Vec<String> = views.iter().map(|view| format!("{:?}", view.verdict.tone).to_lowercase()).collect();
    writeln!(report, "  {}", tones.join(" ")).unwrap();
    writeln!(report, "  {}", last.verdict.headline()).unwrap();
    if let Some(note) = last.verdict.note() {
        writeln!(report, "  {note}").unwrap();
    }
    if let Some(advice) = &last.verdict.advice {
        writeln!(report, "  > {advice}{}", last.verdict.fix.as_ref().map_or(String::new(), |fix| format!(" [{}]", fix.label)))
            .unwrap();
    }
    for warning in &last.warnings {
        let fixes: Vec<String> = warning.fixes.iter().map(|fix| format!(" [{}]", fix.label)).collect();
        writeln!(report, "  ! {}{}", warning.message, fixes.concat()).unwrap();
    }
    report.push('\n');
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
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "advice", &format!("{name}.txt")].iter().collect();
    if std::env::var_os("UPDATE").is_some() {
        return std::fs::write(&path, actual).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let different = expected.lines().zip(actual.lines()).find(|(expected, actual)| expected != actual);
    if let Some((expected, actual)) = different {
        panic!("{} (UPDATE=1 writes the actual text):\n-{expected}\n+{actual}", path.display());
    }
    assert_eq!(expected.lines().count(), actual.lines().count(), "{} (UPDATE=1 writes the actual text)", path.display());
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
