//! Tests the evaluator of `tabletop-advice`, which judges designs without building their tables, on
//! real tables of the engine: random events, templates, layouts and salts.

use std::collections::{BTreeMap, BTreeSet};

use tabletop_advice::{
    EventHashes, LiveEvents, LiveLoad, LossCount, Losses, Tone, Verdict, field_roles, live_load,
};
use tabletop_design::{DesignTable, Supply};
use tabletop_engine::Instance;
use tabletop_keys::{Field, FieldKind, FieldRole, Layout, LayoutKind, LayoutWriter, Record, Template, time};
use tabletop_model::{ColumnFamily, FamilyModification, Mutation, RowKey, TableSettings, TableSpec};
use tabletop_workload::{Events, random::Random};
use tabletop_workspace::{ClusterSettings, Design, GivenRole};

/// The number of random designs, each with its own events.
const CASES: u64 = 250;
/// A tablet with more than this share of the writes of a moment is hot.
const HOT: f64 = 0.5;
/// Up to this share, writes are even.
const EVEN: f64 = 4.0 / 24.0;
/// The largest share of a tablet of a design with a tick.
const TICK: f64 = 0.375;
/// The largest difference of two shares that count as equal.
const SAME_SHARE: f64 = 0.02;
/// Sizes of tablets that give a table of these events a dozen of them or more.
const TABLET_BYTES_MAX: u64 = 2 << 10;

/// Random events, and a random design for them.
struct Case {
    events: Events,
    design: Design,
}

/// Returns one of several values.
fn one_of<T: Copy>(random: &mut Random, values: &[T]) -> T {
    values[random.below(values.len() as u64) as usize]
}

fn case(seed: u64) -> Case {
    let random = &mut Random::new(seed);
    let fields = [
        ("time", FieldKind::Time),
        ("user", FieldKind::Text),
        ("kind", FieldKind::Text),
        ("number", FieldKind::Int),
        ("celsius", FieldKind::Float),
        ("id", FieldKind::Text),
        ("note", FieldKind::Text),
    ];
    let mut events = Events::new(fields.map(|(name, kind)| Field::new(name, kind)).into());
    let count = 200 + random.below(1_000);
    let users = one_of(random, &[3, 20, 200]);
    let hottest = one_of(random, &[0.0, 0.0, 0.4, 0.8]);
    let kinds = 2 + random.below(6);
    let gap = one_of(random, &[0, 1, 60, 3_600]);
    let duplicates = one_of(random, &[0.0, 0.0, 0.05]);
    let without_time = one_of(random, &[0.0, 0.0, 0.0, 0.01]);
    let mut now = 1_559_001_600_i64;
    let mut last: Option<Vec<Option<String>>> = None;
    for number in 0..count {
        if let Some(last) = last.as_ref().filter(|_| random.unit() < duplicates) {
            let again: Vec<Option<&str>> = last.iter().map(Option::as_deref).collect();
            events.push(&again).expect("memory");
            continue;
        }
        now += random.below(2 * gap + 1) as i64;
        let user = if random.unit() < hottest { 0 } else { random.below(users) };
        let has_note = random.unit() < 0.8;
        let values = vec![
            (random.unit() >= without_time).then(|| time::format(now * 1_000_000)),
            Some(format!("u{user:03}")),
            Some(format!("kind-{}", random.below(kinds))),
            Some((1_000 + number).to_string()),
            Some(format!("{:.1}", random.unit() * 30.0)),
            Some(format!("{:016x}", random.next())),
            has_note.then(|| format!("note {}", random.below(50))),
        ];
        let texts: Vec<Option<&str>> = values.iter().map(Option::as_deref).collect();
        events.push(&texts).expect("memory");
        last = Some(values);
    }
    let mut parts = Vec::new();
    for _ in 0..=random.below(3) {
        let part = one_of(
            random,
            &[
                "{user}",
                "{user}",
                "{kind}",
                "{time:iso}",
                "{time:iso}",
                "{time:reverse_time}",
                "{time:date}",
                "{time:hour}",
                "{number:pad(8)}",
                "{celsius}",
                "{id}",
                "{id:hash(4)}",
                "{note}",
            ],
        );
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    // A key that tells the events apart, as most do.
    if random.below(3) > 0 && !parts.contains(&"{id}") {
        parts.push("{id}");
    }
    let salt = one_of(random, &["", "", "", "{salt(2)}#", "{salt(8)}#", "{salt(32)}#"]);
    let layout = one_of(random, &[LayoutKind::Narrow, LayoutKind::Wide, LayoutKind::RowPerEntity]);
    Case {
        events,
        design: Design::new("Random", &*format!("{salt}{}", parts.join("#")), Layout::new(layout)),
    }
}

/// All values of all events.
fn values(events: &Events) -> Vec<Vec<Option<&str>>> {
    let of = |event| (0..events.fields().len()).map(|field| events.value(event, field)).collect();
    (0..events.len()).map(of).collect()
}

/// What the evaluator says.
struct Evaluated {
    losses: Losses,
    load: Option<LiveLoad>,
    live: Option<LiveEvents>,
}

fn evaluate(case: &Case, template: &Template, records: &[Record], roles: &[FieldRole]) -> Evaluated {
    let (mut hashes, mut count) =
        (EventHashes::default(), LossCount::new(template, &case.design.layout, &[]));
    for record in records {
        hashes.add(record);
        count.add(record);
    }
    let live = LiveEvents::of(records, roles);
    let stored = template.stored(&case.design.layout);
    let load = live.as_ref().and_then(|live| live_load(&stored, records, live, false));
    Evaluated { losses: count.losses(&hashes), load, live }
}

/// What a table has lost of events that all differ.
fn losses_of_table(case: &Case, distinct: &Events) -> Losses {
    let cluster = ClusterSettings::default();
    let (table, view) = built(&case.design, distinct, &cluster, &[]);
    drop(table);
    let sum =
        |of: fn(&tabletop_model::TabletView) -> u64| view.table.tablets.iter().map(of).sum::<u64>() as u32;
    // A narrow or wide row belongs to one event, and a cell of a row per entity does.
    let places = if case.design.layout.kind.shares_rows() {
        sum(|tablet| tablet.cells)
    } else {
        sum(|tablet| tablet.rows)
    };
    let events = distinct.len() as u32;
    let refused = view.events_refused;
    Losses { events, duplicates: 0, refused, shared: events - refused - places }
}

fn built(
    design: &Design,
    events: &Events,
    cluster: &ClusterSettings,
    roles: &[GivenRole],
) -> (DesignTable, tabletop_protocol::DesignView) {
    let mut table = DesignTable::new(1, design, events.fields(), cluster);
    let supply = Supply { roles, ..Supply::all(events, cluster) };
    while table.step(supply, 256) {}
    let view = table.view(supply);
    assert_eq!(view.problems, [], "{}", design.template);
    (table, view)
}

/// The writes of the live events that each tablet of an engine's table with these splits takes.
fn writes(
    case: &Case,
    template: &Template,
    records: &[Record],
    live: &LiveEvents,
    splits: &[RowKey],
) -> Vec<u64> {
    let settings =
        TableSettings { tablet_bytes_max: u64::MAX, tablet_load_max: f64::MAX, ..TableSettings::default() };
    let spec = TableSpec { initial_splits: splits.to_vec(), settings, ..TableSpec::default() };
    let mut instance = Instance::new();
    instance.create_table(0, "live", spec).expect("a table");
    let writer = LayoutWriter::new(&case.design.layout, template.fields(), template);
    let mut families = BTreeSet::new();
    for at in 0..live.len() {
        let values: Vec<Option<&str>> =
            (0..template.fields().len()).map(|field| live.value(records, at, field)).collect();
        let Ok(row) = writer.write(&Record { fields: template.fields(), values: &values }, at as u64) else {
            continue;
        };
        let mut table = instance.table("live").expect("the table");
        for family in row.mutations.iter().filter_map(Mutation::family) {
            if families.insert(family.to_owned()) {
                let created = FamilyModification::Create(ColumnFamily::new(family));
                table.modify_families(&[created]).expect("a family");
            }
        }
        table.mutate_row(at as i64, &row).expect("a row");
    }
    let view = instance.table("live").expect("the table").view(0);
    view.tablets.iter().map(|tablet| tablet.writes).collect()
}

fn share(writes: &[u64]) -> f64 {
    *writes.iter().max().expect("a tablet") as f64 / writes.iter().sum::<u64>().max(1) as f64
}

/// The splits that divide the loaded events into parts of about the same size.
fn even_splits(keys: &BTreeMap<RowKey, u32>, tablets: u32) -> Vec<RowKey> {
    let all: u32 = keys.values().sum();
    let (mut before, mut splits) = (0, Vec::new());
    for (key, events) in keys {
        // A split is at the row of the event with which a part begins.
        let is_start = (1..tablets).any(|part| (before..before + events).contains(&(part * all / tablets)));
        if is_start && before > 0 {
            splits.push(key.clone());
        }
        before += events;
    }
    splits
}

/// The classes of verdicts: whether events are lost, and how the writes of a moment are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    NotJudged,
    Even,
    Uneven,
    Hot,
    LosingNotJudged,
    LosingEven,
    LosingUneven,
    LosingHot,
}

fn class(losses: Losses, share: Option<f64>) -> Class {
    match (share, losses.is_complete()) {
        (None, true) => Class::NotJudged,
        (None, false) => Class::LosingNotJudged,
        (Some(share), true) if share > HOT => Class::Hot,
        (Some(share), true) if share > EVEN => Class::Uneven,
        (Some(_), true) => Class::Even,
        (Some(share), false) if share > HOT => Class::LosingHot,
        (Some(share), false) if share > EVEN => Class::LosingUneven,
        (Some(_), false) => Class::LosingEven,
    }
}

/// What a case contributes to the counts.
struct Outcome {
    class: Class,
    is_salted: bool,
    tone: Tone,
}

fn check(seed: u64) -> Outcome {
    let case = case(seed);
    let Case { events, design } = &case;
    let (template, problems) = Template::parse(&design.template, events.fields());
    let what = format!("seed {seed}, {} {:?}, {} events", design.template, design.layout.kind, events.len());
    assert_eq!(problems, [], "{what}");
    let all = values(events);
    let records: Vec<Record> = all.iter().map(|values| Record { fields: events.fields(), values }).collect();
    let roles: Vec<FieldRole> = field_roles(events.fields(), &all).iter().map(|found| found.role).collect();
    let evaluated = evaluate(&case, &template, &records, &roles);

    // Losses are equal.
    let mut distinct = Events::new(events.fields().to_vec());
    let mut known = BTreeSet::new();
    all.iter()
        .filter(|values| known.insert(*values))
        .for_each(|values| distinct.push(values).expect("memory"));
    let stored = losses_of_table(&case, &distinct);
    let duplicates = (events.len() - distinct.len()) as u32;
    assert_eq!(evaluated.losses, Losses { events: events.len() as u32, duplicates, ..stored }, "{what}");

    // The page counts the same over all events.
    let given: Vec<GivenRole> = events
        .fields()
        .iter()
        .zip(&roles)
        .map(|(field, role)| GivenRole { field: field.name.clone(), role: *role })
        .collect();
    let cluster = ClusterSettings { tablet_bytes_max: Some(TABLET_BYTES_MAX), ..ClusterSettings::default() };
    let (table, view) = built(design, events, &cluster, &given);
    assert_eq!(table.losses(), evaluated.losses, "{what}");

    let mut engine_share = None;
    if let (Some(load), Some(live)) = (evaluated.load, &evaluated.live) {
        let writer = LayoutWriter::new(&design.layout, events.fields(), &template);
        let mut keys = BTreeMap::new();
        for (at, record) in records.iter().enumerate() {
            if let Ok(row) = writer.write(record, at as u64) {
                *keys.entry(row.key).or_insert(0) += 1;
            }
        }
        // Tablets with about the same number of events: the same shares.
        let splits = even_splits(&keys, 24);
        let taken = writes(&case, &template, &records, live, &splits);
        assert!(
            taken.len().abs_diff(load.tablets as usize) <= 1,
            "{what}: {} tablets, {load:?}",
            taken.len()
        );
        assert!((share(&taken) - load.hottest_tablet).abs() <= SAME_SHARE, "{what}: {taken:?}, {load:?}");
        // A tablet for each loaded row, so that a tablet is a row and the gap after it.
        let rows: Vec<RowKey> = keys.keys().skip(1).cloned().collect();
        let finest = share(&writes(&case, &template, &records, live, &rows));
        assert!(finest + SAME_SHARE >= load.hottest_place, "{what}: {finest}, {load:?}");
        // The tablets into which the engine has split the table.
        let own: Vec<RowKey> = view.table.tablets.iter().skip(1).map(|tablet| tablet.start.clone()).collect();
        let by_engine = share(&writes(&case, &template, &records, live, &own));
        engine_share = Some(by_engine.max(finest));
        check_verdict(&view.verdict, by_engine, own.len() + 1, &what);
    }
    let by_evaluator = class(evaluated.losses, evaluated.load.map(|load| load.heat()));
    let by_engine = class(Losses { events: events.len() as u32, duplicates, ..stored }, engine_share);
    assert_eq!(by_evaluator, by_engine, "{what}: {:?}, {engine_share:?}", evaluated.load);
    Outcome { class: by_evaluator, is_salted: template.salts() > 1, tone: view.verdict.tone }
}

/// A tick promises that the engine's tablets take even shares of the events to come.
fn check_verdict(verdict: &Verdict, share: f64, tablets: usize, what: &str) {
    if verdict.tone == Tone::Good {
        assert!(share <= TICK, "{what}: a tick, and one of {tablets} tablets takes {share}");
    }
}

/// All events of an hour have the same salt if the hour is all that it is made of.
#[test]
fn a_salt_that_does_not_part_the_events_of_a_moment_has_no_tick() {
    let mut events =
        Events::new(vec![Field::new("time", FieldKind::Time), Field::new("user", FieldKind::Text)]);
    for at in 0..600 {
        let time = time::format((1_559_001_600 + at * 1_800) * 1_000_000);
        events.push(&[Some(&time), Some(&format!("u{}", at % 40))]).expect("memory");
    }
    let cluster = ClusterSettings { tablet_bytes_max: Some(TABLET_BYTES_MAX), ..ClusterSettings::default() };
    for (template, is_hot) in [("{salt(8)}#{time:hour}", true), ("{salt(8)}#{time:hour}#{user}", false)] {
        let design = Design::new("Hours", template, Layout::new(LayoutKind::RowPerEntity));
        let (_, view) = built(&design, &events, &cluster, &[]);
        assert_eq!(view.verdict.tone == Tone::Hot, is_hot, "{template}: {:?}", view.verdict);
    }
}

#[test]
fn the_evaluator_agrees_with_tables_of_the_engine() {
    let outcomes: Vec<Outcome> = (0..CASES).map(check).collect();
    let mut classes: BTreeMap<Class, u32> = BTreeMap::new();
    outcomes.iter().for_each(|outcome| *classes.entry(outcome.class).or_default() += 1);
    let salted = outcomes.iter().filter(|outcome| outcome.is_salted).count();
    let good = outcomes.iter().filter(|outcome| outcome.tone == Tone::Good).count();
    println!("evaluator: {CASES} designs agree: {classes:?}, {salted} salted, {good} with a tick");
    let is_hard = |outcome: &&Outcome| outcome.is_salted || outcome.class > Class::Uneven;
    assert!(outcomes.iter().filter(is_hard).count() as u64 >= CASES / 3);
    for class in
        [Class::Even, Class::Uneven, Class::Hot, Class::LosingEven, Class::LosingUneven, Class::LosingHot]
    {
        assert!(classes.get(&class).is_some_and(|count| *count >= 4), "{class:?}: {classes:?}");
    }
}
