//! Checks that a design whose answers differ from a plain filter over the events is judged accordingly.

use proptest::prelude::{Strategy, any, proptest};
use proptest::test_runner::Config;

use tabletop_advice::{
    DesignCosts, Finding, FixKind, QueryOutcome, Scale, Scoreboard, Tone, Total, WrongAnswer,
};
use tabletop_design::{DesignTable, OpenRead, Supply};
use tabletop_keys::{FamilyRule, Field, FieldKind, Layout, LayoutKind, Query, RowChoice, time::DateFormat};
use tabletop_model::{GcRule, RowFilter};
use tabletop_protocol::DesignView;
use tabletop_workload::{Events, Generator};
use tabletop_workspace::{
    ClusterSettings, Design, Example, GeneratorSettings, NamedQuery, Source, Workspace,
};

/// Visits of users to stores, one per second.
fn visits<'v>(visits: impl Iterator<Item = (&'v str, String)>) -> Events {
    let fields = vec![
        Field::new("store", FieldKind::Text),
        Field::new("user", FieldKind::Text),
        Field::new("time", FieldKind::Time),
    ];
    let mut events = Events::new(fields);
    for (at, (store, user)) in visits.enumerate() {
        let time = (1_700_000_000 + at).to_string();
        events.push(&[Some(store), Some(&user), Some(&time)]).expect("there is memory");
    }
    events
}

fn named(name: &str, equals: &[(&str, &str)]) -> NamedQuery {
    let equals = equals.iter().map(|(field, text)| ((*field).into(), (*text).into())).collect();
    let rows = RowChoice::Fields { equals, from: None, until: None };
    NamedQuery::new(name, Query { rows, filter: None, rows_limit: 0, reversed: false })
}

fn design(template: &str, kind: LayoutKind, families: &[FamilyRule]) -> Design {
    Design {
        name: template.into(),
        template: template.into(),
        layout: Layout::new(kind),
        families: families.to_vec(),
        ..tabletop_workspace::Workspace::default().designs.swap_remove(0)
    }
}

/// Builds the table of a design, and returns it with its view and its costs.
fn built(design: &Design, events: &Events, queries: &[NamedQuery]) -> (DesignTable, DesignView, DesignCosts) {
    let cluster = ClusterSettings::default();
    let supply = Supply { queries, ..Supply::all(events, &cluster) };
    let mut table = DesignTable::new(0, design, events.fields(), &cluster);
    while table.step(supply, 1_000) {
        let view = table.view(supply);
        assert!(view.verdict.tone != Tone::Good || !view.advising, "a tick waits: {view:?}");
    }
    while table.measure(supply, queries) {
        table.charge_measurement(1);
    }
    let costs = table.costs(supply, queries);
    let view = table.view(supply);
    (table, view, costs)
}

fn wrong(costs: &DesignCosts) -> Vec<&WrongAnswer> {
    costs
        .outcomes
        .iter()
        .filter_map(|outcome| match outcome {
            QueryOutcome::Answered(cost) => cost.wrong.as_ref(),
            _ => None,
        })
        .collect()
}

#[test]
fn a_value_with_the_separator_is_in_the_answer_for_another_value() {
    // One store in 4,000 events has the separator in its name: it is in no sample.
    let store = |at: u32| if at == 2_221 { "a#b" } else { ["a", "b", "c"][at as usize % 3] };
    let events = visits((0..4_000).map(|at| (store(at), format!("u{}", at * 7919 % 997))));
    let queries = [named("One store", &[("store", "c")])];
    let confused = design("{store}#{user}#{time:iso}", LayoutKind::Narrow, &[]);
    let (_, view, costs) = built(&confused, &events, &queries);
    let Finding::WrongAnswer(found) = &view.verdict.finding else { panic!("{:?}", view.verdict) };
    assert_eq!(
        (found.pattern.as_str(), &found.values[0].1[..], found.missing, found.others),
        ("One store", "a", 0, 1)
    );
    assert_ne!(view.verdict.tone, Tone::Good);
    let fix = view.verdict.fix.as_ref().expect("another separator helps");
    assert!(matches!(fix.kind, FixKind::SeparateWith(_)), "{fix:?}");
    // The fix does what it says, and a design that is right wins over a cheaper one that is not.
    let fixed = Design {
        template: fix.patch.template.clone().expect("a template"),
        name: "fixed".into(),
        ..confused
    };
    let (_, view, right) = built(&fixed, &events, &queries);
    assert!(!matches!(view.verdict.finding, Finding::WrongAnswer(_)), "{:?}", view.verdict);
    assert!(wrong(&right).is_empty(), "{right:?}");
    let total = Total::of(&queries, &costs, &Scale::default()).expect("it is measured");
    assert!(!total.standing.can_win());
    let all = [costs, right];
    let board = Scoreboard::new(&queries, &all, &Scale::default());
    assert!(matches!(board.ranking, tabletop_advice::Ranking::Best { design: 1, .. }), "{:?}", board.ranking);
}

#[test]
fn a_pattern_that_is_refused_hides_no_wrong_answer_of_another_one() {
    let store = |at: u32| if at == 700 { "a#b" } else { ["a", "b", "c"][at as usize % 3] };
    let events = visits((0..1_000).map(|at| (store(at), format!("u{at}"))));
    let confused = design("{store}#{user}#{time:iso}", LayoutKind::Narrow, &[]);
    let refused = |name: &str| {
        let mut refused = named(name, &[("store", "b")]);
        // A chain needs two filters.
        refused.query.filter = Some(RowFilter::Chain(vec![RowFilter::CellsPerRowLimit(1)]));
        refused
    };
    let asked = named("One store", &[("store", "c")]);
    for queries in [vec![refused("Before"), asked.clone()], vec![asked, refused("After")]] {
        let (_, view, _) = built(&confused, &events, &queries);
        let Finding::WrongAnswer(found) = &view.verdict.finding else { panic!("{:?}", view.verdict) };
        assert_eq!((found.pattern.as_str(), found.others), ("One store", 1));
    }
}

#[test]
fn a_gc_rule_that_collects_what_a_pattern_asks_for_is_a_wrong_answer() {
    let events = visits((0..2_000).map(|at| ("a", format!("u{}", at * 7919 % 97))));
    let one = named("One user", &[("user", "u3")]);
    let last = |rows| {
        let mut last = named("Last of one user", &[("user", "u3")]);
        (last.query.rows_limit, last.query.reversed) = (rows, true);
        last
    };
    let latest = NamedQuery::new(
        "Latest of each",
        Query {
            rows: RowChoice::All,
            filter: Some(RowFilter::CellsPerColumnLimit(1)),
            rows_limit: 0,
            reversed: false,
        },
    );
    let queries = [one, last(2), latest];
    let layout = LayoutKind::RowPerEntity;
    let (_, view, kept) = built(&design("{user}", layout, &[]), &events, &queries);
    assert!(wrong(&kept).is_empty(), "{kept:?}");
    let family = view.families[0].clone();
    let rules = [
        (GcRule::MaxVersions(1), vec!["One user", "Last of one user"]),
        (GcRule::MaxVersions(2), vec!["One user"]),
        (GcRule::MaxVersions(1_000), vec![]),
        (GcRule::MaxAge { micros: 1_000_000_000 }, vec!["One user"]),
        (GcRule::MaxAge { micros: 1_000_000 }, vec!["One user", "Last of one user", "Latest of each"]),
        (GcRule::MaxAge { micros: 3_000_000_000 }, vec![]),
    ];
    for (rule, expected) in rules {
        let with = design("{user}", layout, &[FamilyRule::new(&family, rule.clone())]);
        let (_, view, costs) = built(&with, &events, &queries);
        let found: Vec<&str> = wrong(&costs).iter().map(|wrong| wrong.pattern.as_str()).collect();
        assert_eq!(found, expected, "{rule:?}");
        assert!(wrong(&costs).iter().all(|wrong| wrong.is_collected && wrong.others == 0), "{costs:?}");
        let is_said = matches!(view.verdict.finding, Finding::WrongAnswer(_) | Finding::Incomplete { .. });
        assert_eq!(is_said, !expected.is_empty(), "{rule:?}: {:?}", view.verdict);
    }
}

#[test]
fn a_text_for_absent_values_that_some_event_has_is_in_the_answer() {
    let fields = vec![Field::new("user", FieldKind::Text), Field::new("time", FieldKind::Time)];
    let with = |text: &'static str| {
        let mut events = Events::new(fields.clone());
        for at in 0..1_000_u32 {
            let user = format!("u{}", at * 7919 % 31);
            let user = match at % 50 {
                0 => None,
                1 => Some(text),
                _ => Some(user.as_str()),
            };
            let time = (1_700_000_000 + at).to_string();
            events.push(&[user, Some(&time)]).expect("there is memory");
        }
        events
    };
    let queries = [named("One user", &[("user", "u3")])];
    let template = design("{user:or(none)}#{time:iso}", LayoutKind::Narrow, &[]);
    let (_, _, costs) = built(&template, &with("none"), &queries);
    assert!(matches!(wrong(&costs)[..], [WrongAnswer { others: 20, missing: 0, .. }]), "{costs:?}");
    let (_, _, costs) = built(&template, &with("known"), &queries);
    assert!(wrong(&costs).is_empty(), "{costs:?}");
}

/// Values of few characters, which contain separators often.
fn stores() -> impl Strategy<Value = Vec<(String, String)>> {
    let text = || "[ab#.]{1,3}";
    proptest::collection::vec((text(), text()), 60..120)
}

proptest! {
    #![proptest_config(Config { cases: 60, ..Config::default() })]

    /// The answers to all values are compared with a plain filter, one by one.
    #[test]
    fn a_wrong_answer_to_any_value_is_found(
        pairs in stores(),
        at in 0..5_usize,
        by_user in any::<bool>(),
    ) {
        let events = visits(pairs.iter().map(|(store, user)| (store.as_str(), user.clone())));
        let template = [
            "{store}#{user}#{time:iso}",
            "{store}{user}#{time:iso}",
            "{salt(3)}-{store}#{user}.{time:iso}",
            "{store:hash}#{user}#{time:iso}",
            "{time:iso}#{store}#{user}",
        ][at];
        let of = |value: &str| named("One", &[(if by_user { "user" } else { "store" }, value)]);
        let values = || pairs.iter().map(|(store, user)| if by_user { user } else { store });
        let queries = [of(values().next().expect("there are events"))];
        let (mut table, _, costs) = built(&design(template, LayoutKind::Narrow, &[]), &events, &queries);
        let mut is_wrong = false;
        for value in values() {
            let mut read = OpenRead::begin(&table, &of(value).query).expect("it can be read");
            let mut rows = 0;
            loop {
                let chunk = read.next(&mut table).expect("it is read");
                rows += chunk.rows.len();
                if chunk.complete {
                    break;
                }
            }
            is_wrong |= rows != values().filter(|other| *other == value).count();
        }
        proptest::prop_assert_eq!(!wrong(&costs).is_empty(), is_wrong, "{}", template);
    }
}

/// Formats of times whose texts do not sort as the times do, and one whose texts do.
#[test]
fn the_newest_rows_and_a_span_are_right_where_the_key_has_the_text_of_a_time() {
    let fields = |format: &str| {
        let mut time = Field::new("at", FieldKind::Time);
        time.format = DateFormat::new(format).ok();
        assert!(time.format.is_some(), "{format}");
        vec![Field::new("device", FieldKind::Text), time]
    };
    let write = |format: &str, at: u32| match format {
        "%d/%m/%Y %H:%M" => format!("{:02}/{:02}/2024 {:02}:00", at / 24 % 28 + 1, at / 672 + 1, at % 24),
        "%b %d, %Y %I:%M %p" => {
            let month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun"][at as usize / 672];
            let (hour, half) = (at % 24, if at % 24 < 12 { "AM" } else { "PM" });
            format!("{month} {}, 2024 {}:00 {half}", at / 24 % 28 + 1, (hour + 11) % 12 + 1)
        }
        _ => format!("2024-{:02}-{:02} {:02}:00", at / 672 + 1, at / 24 % 28 + 1, at % 24),
    };
    for format in ["%d/%m/%Y %H:%M", "%b %d, %Y %I:%M %p", "%Y-%m-%d %H:%M"] {
        let mut events = Events::new(fields(format));
        for at in 0..2_000_u32 {
            let (device, time) = (format!("d{}", at * 7919 % 13), write(format, at));
            events.push(&[Some(&device), Some(&time)]).expect("there is memory");
        }
        let mut last = named("Last 10", &[("device", "d3")]);
        (last.query.rows_limit, last.query.reversed) = (10, true);
        let mut span = named("A day", &[("device", "d3")]);
        let RowChoice::Fields { from, until, .. } = &mut span.query.rows else { unreachable!() };
        (*from, *until) = (Some("2024-02-10".into()), Some("2024-02-12".into()));
        let queries = [last, span];
        for template in ["{device}#{at}", "{device}#{at:iso}", "{at}#{device}", "{device}#{at:reverse_time}"]
        {
            let (_, view, costs) = built(&design(template, LayoutKind::Narrow, &[]), &events, &queries);
            assert!(wrong(&costs).is_empty(), "{format}, {template}: {:?}, {costs:?}", view.verdict);
            let [QueryOutcome::Answered(last), QueryOutcome::Answered(span)] = &costs.outcomes[..] else {
                panic!("{format}, {template}: {costs:?}")
            };
            println!(
                "{format}, {template}: {:?} {:?}, {:?} {}",
                last.kind, last.newest, span.kind, span.scans_more
            );
        }
    }
}

#[test]
fn the_designs_of_the_examples_answer_as_a_plain_filter_does() {
    let mut all = Vec::new();
    for example in Example::ALL {
        let workspace = Workspace::from_json(example.json()).expect("an example");
        let Source::Generated(settings) = &workspace.source else { continue };
        let mut generator = Generator::new(&GeneratorSettings { events: 3_000, ..settings.clone() });
        let mut events = Events::new(generator.fields());
        while generator.left() > 0 {
            generator.fill(&mut events, generator.left()).expect("there is memory");
        }
        for design in &workspace.designs {
            let (_, _, costs) = built(design, &events, &workspace.queries);
            let wrong = wrong(&costs).into_iter().cloned().collect::<Vec<WrongAnswer>>();
            if !wrong.is_empty() {
                all.push(format!("{}, {}: {wrong:?}", example.id(), design.name));
            }
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}
