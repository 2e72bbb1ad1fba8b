use std::collections::BTreeMap;

use tabletop_advice::QueryOutcome;
use tabletop_keys::{CellTime, Column, FamilyRule, FieldKind, LayoutKind, Query};
use tabletop_model::{Aggregate, Cell, FamilyModification, GcRule, ReadRows, Response, TableRequest};
use tabletop_workload::{Events, Generator};
use tabletop_workspace::{Decoding, GeneratorSettings, NamedQuery, ResultColumns, Source, Workspace};

use super::*;
use crate::MeasureStage;

const HOUR: i64 = 3_600_000_000;

/// The versions of each column, newest first, by family, then by row and qualifier.
type Columns = BTreeMap<String, BTreeMap<(Vec<u8>, Vec<u8>), Vec<Cell>>>;

fn events() -> Events {
    events_of(4_000)
}

fn events_of(count: u32) -> Events {
    let Source::Generated(settings) = Workspace::default().source else { panic!("generated events") };
    let mut generator = Generator::new(&GeneratorSettings { events: count, users: 40, ..settings });
    let mut events = Events::new(generator.fields());
    while generator.left() > 0 {
        generator.fill(&mut events, generator.left()).expect("memory");
    }
    events
}

fn design(families: Vec<FamilyRule>) -> Design {
    let layout = Layout::new(LayoutKind::RowPerEntity);
    Design {
        name: "Users".into(),
        template: "{user_token}".into(),
        layout,
        families,
        index_of: None,
        results: None,
    }
}

fn rule(family: &str, gc_rule: GcRule) -> FamilyRule {
    FamilyRule::new(family, gc_rule)
}

fn built(design: &Design, events: &Events) -> DesignTable {
    let cluster = ClusterSettings::default();
    let mut table = DesignTable::new(0, design, events.fields(), &cluster);
    while table.step(Supply::all(events, &cluster), 512) {}
    table
}

fn columns(table: &mut DesignTable) -> Columns {
    let mut columns = Columns::new();
    let chunk = table.read(&ReadRows { unmetered: true, ..ReadRows::default() }).expect("a read");
    for row in chunk.rows {
        for cell in row.cells {
            let family = columns.entry(cell.family.clone()).or_default();
            family.entry((row.key.to_vec(), cell.qualifier.to_vec())).or_default().push(cell);
        }
    }
    columns
}

#[test]
fn rules_collect_by_versions_and_by_the_time_of_the_newest_event() {
    let events = events();
    let all = columns(&mut built(&design(Vec::new()), &events));
    let newest =
        all.values().flat_map(BTreeMap::values).flatten().map(|cell| cell.timestamp).max().expect("cells");
    let rules = vec![rule("click", GcRule::MaxVersions(2)), rule("view", GcRule::MaxAge { micros: HOUR })];
    let mut table = built(&design(rules.clone()), &events);
    let mut expected = all;
    expected.entry("click".into()).or_default().values_mut().for_each(|versions| versions.truncate(2));
    let views = expected.entry("view".into()).or_default();
    let before = views.len();
    views.values_mut().for_each(|versions| versions.retain(|cell| cell.timestamp > newest - HOUR));
    views.retain(|_, versions| !versions.is_empty());
    assert!(
        (1..before).contains(&views.len()),
        "an hour collects some of {before} columns, and leaves {}",
        views.len()
    );
    assert_eq!(columns(&mut table), expected);

    let stored = |table: &mut DesignTable| table.describe().families;
    for FamilyRule { family, gc_rule, .. } in rules {
        let found = stored(&mut table).into_iter().find(|stored| stored.name == family);
        assert_eq!(found.map(|found| found.gc_rule), Some(gc_rule), "{family}");
    }
}

#[test]
fn a_rule_that_the_user_sets_collects_too_and_the_table_comes_to_rest() {
    let (events, cluster) = (events(), ClusterSettings::default());
    let gc_rule = GcRule::MaxAge { micros: HOUR };
    let expected = columns(&mut built(&design(vec![rule("view", gc_rule.clone())]), &events));
    let mut table = built(&design(Vec::new()), &events);
    let update = FamilyModification::Update { family: "view".into(), gc_rule };
    assert_eq!(table.ask_for_user(TableRequest::ModifyFamilies(vec![update]), &mut 0), Response::Done);
    let steps = (0..10_000).find(|_| !table.step(Supply::all(&events, &cluster), 512));
    assert!(steps.is_some(), "it is compacted again and again");
    assert_eq!(columns(&mut table), expected);
}

#[test]
fn another_rule_builds_the_table_again() {
    let (events, cluster) = (events(), ClusterSettings::default());
    let mut table = built(&design(vec![rule("click", GcRule::MaxVersions(1))]), &events);
    let few = columns(&mut table);
    table.redesign(&design(Vec::new()), events.fields(), &cluster);
    assert_eq!(table.events_built(), 0, "cells that were collected do not come back by themselves");
    while table.step(Supply::all(&events, &cluster), 512) {}
    assert_eq!(columns(&mut table), columns(&mut built(&design(Vec::new()), &events)));
    assert_ne!(columns(&mut table), few);
}

#[test]
fn on_the_way_back_a_rule_has_collected_what_it_had_then() {
    // Both ways back pass checkpoints.
    let (events, cluster) = (events_of(12_000), ClusterSettings::default());
    let design = design(vec![rule("view", GcRule::MaxAge { micros: HOUR })]);
    let at = |table: &mut DesignTable, arrived: u32| {
        let supply = Supply { arrived, ..Supply::all(&events, &cluster) };
        while table.step(supply, 512) {}
        columns(table)
    };
    let straight = |arrived: u32, at: &dyn Fn(&mut DesignTable, u32) -> Columns| {
        at(&mut DesignTable::new(0, &design, events.fields(), &cluster), arrived)
    };
    let count = events.len() as u32;
    let mut table = built(&design, &events);
    for arrived in [count / 2, count / 8] {
        assert_eq!(at(&mut table, arrived), straight(arrived, &at), "{arrived} of {count} events");
    }
}

/// Columns with a sum for each type and hour, a count of users for each type, and the latest event.
fn counters(families: Vec<FamilyRule>) -> Design {
    let column = |family: &str, qualifier: &str, value: &str, time| Column {
        family: family.into(),
        qualifier: qualifier.into(),
        value: value.into(),
        time,
    };
    let columns = vec![
        column("count", "{event_type}", "1", CellTime::Bucket(3_600)),
        column("users", "{event_type}", "{user_token}", CellTime::Zero),
        column("last", "", "{*}", CellTime::Zero),
    ];
    let layout = Layout { columns, ..Layout::new(LayoutKind::Columns) };
    Design { template: "{app_id}".into(), layout, families, ..design(Vec::new()) }
}

#[test]
fn families_add_up_what_events_write() {
    let events = events();
    let aggregates =
        |family: &str, aggregate| FamilyRule { aggregate: Some(aggregate), ..rule(family, GcRule::KeepAll) };
    let design =
        counters(vec![aggregates("count", Aggregate::Sum), aggregates("users", Aggregate::DistinctCount)]);
    let mut table = built(&design, &events);
    let found = columns(&mut table);

    let mut counts: BTreeMap<(Vec<u8>, Vec<u8>, i64), i64> = BTreeMap::new();
    let mut users: BTreeMap<(Vec<u8>, Vec<u8>), std::collections::BTreeSet<String>> = BTreeMap::new();
    events.for_each(0..events.len() as u32, |_, record| {
        let text = |name: &str| record.get(name).expect("each event has it").to_owned();
        let micros = tabletop_keys::time::parse(&text("timestamp")).expect("a time");
        let place = (text("app_id").into_bytes(), text("event_type").into_bytes());
        *counts.entry((place.0.clone(), place.1.clone(), micros - micros % HOUR)).or_default() += 1;
        users.entry(place).or_default().insert(text("user_token"));
    });
    let cells = || {
        found["count"]
            .iter()
            .flat_map(|((row, qualifier), cells)| cells.iter().map(move |cell| (row, qualifier, cell)))
    };
    let counted: BTreeMap<_, _> = cells()
        .map(|(row, qualifier, cell)| {
            let number = Aggregate::Sum.number(&cell.value).expect("a sum");
            ((row.clone(), qualifier.clone(), cell.timestamp), number)
        })
        .collect();
    assert_eq!(counted, counts);
    for (place, users) in users {
        let [cell] = &found["users"][&place][..] else { panic!("one cell for each type") };
        let estimate = Aggregate::DistinctCount.number(&cell.value).expect("a sketch") as usize;
        assert_eq!(estimate, users.len(), "few values are counted exactly");
    }
    assert!(found["last"].values().all(|cells| cells.len() == 1));
    let families = table.describe().families;
    let sums = families.iter().find(|family| family.name == "count").and_then(|family| family.aggregate);
    assert_eq!(sums, Some(Aggregate::Sum));
}

#[test]
fn a_layout_with_a_problem_keeps_the_last_table() {
    let (events, cluster) = (events(), ClusterSettings::default());
    let good = counters(Vec::new());
    let mut table = built(&good, &events);
    let before = columns(&mut table);
    let mut wrong = good.clone();
    wrong.layout.columns[0].qualifier = "{event".into();
    table.redesign(&wrong, events.fields(), &cluster);
    while table.step(Supply::all(&events, &cluster), 512) {}
    assert!(!table.problems.is_empty());
    assert!(table.problems[0].message.starts_with("Column 1, qualifier: "), "{:?}", table.problems);
    assert_eq!(columns(&mut table), before);
}

#[test]
fn numbers_that_are_none_are_refused_with_their_column() {
    let events = events_of(1_000);
    let aggregate = FamilyRule { aggregate: Some(Aggregate::Max), ..rule("last", GcRule::KeepAll) };
    let mut table = built(&counters(vec![aggregate]), &events);
    let cluster = ClusterSettings::default();
    let view = table.view(Supply::all(&events, &cluster));
    assert_eq!(view.events_refused, 1_000);
    let refusal = view.refusal.expect("the first one").message;
    assert!(refusal.starts_with("Family last aggregates whole numbers of 64 bits"), "{refusal}");
}

#[test]
fn events_without_a_value_are_counted_in_the_reason() {
    let refusal = |lacking: u32| {
        let mut events =
            Events::new(vec![Field::new("device_id", FieldKind::Text), Field::new("n", FieldKind::Int)]);
        for at in 0..195 {
            events.push(&[(at >= lacking).then_some("d1"), Some("1")]).expect("it fits");
        }
        let design = Design::new("a", "{n}#{device_id}", Layout::new(LayoutKind::Narrow));
        let cluster = ClusterSettings::default();
        let view = built(&design, &events).view(Supply::all(&events, &cluster));
        assert_eq!((view.events_refused, view.events_built), (lacking, 195));
        view.refusal.expect("the first one").message
    };
    assert_eq!(
        refusal(1),
        "This event has no value for device_id, which its row key needs (without: 1 of 195 events): add a value, or remove the event."
    );
    assert!(
        refusal(150).contains("(without: 150 of 195 events): remove {device_id} from the template"),
        "{}",
        refusal(150)
    );
}

#[test]
fn other_reads_between_the_slices_of_a_measurement_change_no_count() {
    let (events, cluster) = (events_of(20_000), ClusterSettings::default());
    let design = Design {
        template: "{user_token}#{timestamp:iso}".into(),
        layout: Layout::new(LayoutKind::Narrow),
        ..design(Vec::new())
    };
    let all = Workspace::default().query;
    let queries = [NamedQuery::new("all", Query { rows_limit: 0, ..all })];
    let stats = |disturbed: bool| {
        let mut table = built(&design, &events);
        let supply = Supply::all(&events, &cluster);
        while table.measure_stage(supply, &queries) == Some(MeasureStage::Counts) {
            table.measure(supply, &queries);
            if disturbed {
                columns(&mut table);
            }
        }
        match &table.costs(supply, &queries).outcomes[..] {
            [QueryOutcome::Answered(cost)] => cost.stats,
            other => panic!("{other:?}"),
        }
    };
    let alone = stats(false);
    assert!(alone.blocks_read > 100, "{alone:?}");
    assert_eq!(stats(true), alone);
}

#[test]
fn reads_change_no_tablet_of_a_table_of_distinct_counts() {
    let (events, cluster) = (events_of(8_000), ClusterSettings::default());
    let column = Column {
        family: "n".into(),
        qualifier: "{event_type}".into(),
        value: "{event_name}".into(),
        time: CellTime::Zero,
    };
    let families = vec![FamilyRule {
        aggregate: Some(Aggregate::DistinctCount),
        ..FamilyRule::new("n", GcRule::KeepAll)
    }];
    let layout = Layout { columns: vec![column], ..Layout::new(LayoutKind::Columns) };
    let design =
        Design { template: "{user_token}#{timestamp:bucket(10m):iso}".into(), layout, ..design(families) };
    let tablets = |events_of_a_step: u32| {
        let mut table = DesignTable::new(0, &design, events.fields(), &cluster);
        assert_eq!(table.problems, []);
        while table.step(Supply::all(&events, &cluster), events_of_a_step) {
            columns(&mut table);
        }
        let tablets = table.table.view().tablets;
        tablets.into_iter().map(|tablet| (tablet.start, tablet.bytes, tablet.rows)).collect::<Vec<_>>()
    };
    let (seldom, often) = (tablets(u32::MAX), tablets(32));
    assert!(seldom.len() > 3, "{seldom:?}");
    assert_eq!(often, seldom);
}

#[test]
fn other_columns_of_results_change_no_table() {
    let events = events();
    let mut table = built(&design(Vec::new()), &events);
    let cluster = ClusterSettings::default();
    let revision = table.view(Supply::all(&events, &cluster)).revision;
    let results = Some(Box::new(ResultColumns { values_as: Decoding::Hex, ..ResultColumns::default() }));
    table.redesign(&Design { results, ..design(Vec::new()) }, events.fields(), &cluster);
    assert_eq!(table.view(Supply::all(&events, &cluster)).revision, revision, "a query is not run again");
    table.redesign(&Design { name: "Other".into(), ..design(Vec::new()) }, events.fields(), &cluster);
    assert!(table.view(Supply::all(&events, &cluster)).revision > revision);
}
