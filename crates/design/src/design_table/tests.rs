use std::collections::BTreeMap;

use tabletop_model::{Cell, GcRule, ReadRows};
use tabletop_schema::{GeneratorSettings, LayoutKind, Source, Workspace};
use tabletop_workload::Generator;

use super::*;

const HOUR: i64 = 3_600_000_000;

/// The versions of each column, the newest first, by family and by row and qualifier.
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
    let layout = Layout { kind: LayoutKind::RowPerEntity, family_field: None };
    Design { name: "Users".into(), template: "{user_token}".into(), layout, families }
}

fn rule(family: &str, gc_rule: GcRule) -> FamilyRule {
    FamilyRule { family: family.into(), gc_rule }
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
    let newest = all.values().flat_map(BTreeMap::values).flatten().map(|cell| cell.timestamp).max().expect("cells");
    let rules = vec![rule("click", GcRule::MaxVersions(2)), rule("view", GcRule::MaxAge { micros: HOUR })];
    let mut table = built(&design(rules.clone()), &events);
    let mut expected = all;
    expected.entry("click".into()).or_default().values_mut().for_each(|versions| versions.truncate(2));
    let views = expected.entry("view".into()).or_default();
    let before = views.len();
    views.values_mut().for_each(|versions| versions.retain(|cell| cell.timestamp > newest - HOUR));
    views.retain(|_, versions| !versions.is_empty());
    assert!((1..before).contains(&views.len()), "an hour collects some of {before} columns, and leaves {}", views.len());
    assert_eq!(columns(&mut table), expected);

    let stored = |table: &mut DesignTable| table.describe().families;
    for FamilyRule { family, gc_rule } in rules {
        let found = stored(&mut table).into_iter().find(|stored| stored.name == family);
        assert_eq!(found.map(|found| found.gc_rule), Some(gc_rule), "{family}");
    }
}

#[test]
fn a_rule_that_a_person_sets_collects_too_and_the_table_comes_to_rest() {
    let (events, cluster) = (events(), ClusterSettings::default());
    let gc_rule = GcRule::MaxAge { micros: HOUR };
    let expected = columns(&mut built(&design(vec![rule("view", gc_rule.clone())]), &events));
    let mut table = built(&design(Vec::new()), &events);
    let update = FamilyModification::Update { family: "view".into(), gc_rule };
    assert_eq!(table.ask_for_person(TableRequest::ModifyFamilies(vec![update])), Response::Done);
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
    // Checkpoints lie between the two ways back.
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
