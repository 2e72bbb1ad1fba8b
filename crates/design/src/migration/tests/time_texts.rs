//! Old row keys with a time in the event's own format, and tables that keep only the value of the
//! time.

use super::*;

const PLAIN: &str = "{app_id},{user_token},{timestamp}";
const ISO: &str = "{app_id},{user_token},{timestamp:iso}";

/// An event whose time is not in the format in which tables write it.
fn own_text(n: u64) -> EventTexts {
    let mut event = event(n);
    let text = event[2].as_mut().expect("a time");
    *text = text.replace(".000Z", "Z");
    event
}

/// Works until a decision is needed.
fn work(host: &mut Host, migration: &mut Migration) -> Result<MigrationStage> {
    while host.ask(|tables| migration.step(tables, 7))? {}
    assert_eq!(migration.status().difference, None);
    Ok(migration.status().stage)
}

#[test]
fn a_row_that_could_not_be_looked_up_from_the_new_table_is_named_and_the_migration_undone() {
    for (from, to) in [
        ((PLAIN, LayoutKind::Narrow), (ISO, LayoutKind::Narrow)),
        ((PLAIN, LayoutKind::Narrow), ("{timestamp:date},{app_id},{user_token}", LayoutKind::Wide)),
        (("{timestamp:reverse},{app_id},{user_token}", LayoutKind::Wide), (ISO, LayoutKind::Wide)),
        // Here the old table has lost the text.
        (("{app_id},{user_token},{timestamp:hash}", LayoutKind::Narrow), (ISO, LayoutKind::RowPerEntity)),
    ] {
        let mut host = Host::holding(from, (0..30).map(own_text));
        let mut migration = host.open(from, to, 0).expect("it begins");
        let error = work(&mut host, &mut migration).expect_err("it is refused");
        assert_eq!(
            (error.code, migration.status().stage),
            (Code::FailedPrecondition, MigrationStage::Backfilling),
            "{error}"
        );
        assert!(
            error.message.starts_with("Row ")
                && error.message.contains(" has timestamp as the event writes it"),
            "{error}"
        );
        assert_eq!(migration.status().copied, 0, "{from:?} {to:?}");
        // The same holds with an event in flight, which is copied first.
        host.left = 3;
        assert!(host.write_event(&mut migration, &own_text(40)).is_err(), "it is killed");
        host.left = u64::MAX;
        let mut migration = host.open(from, to, 0).expect("it is still there");
        host.ask(|tables| migration.undo(tables)).expect("it can be undone");
        assert_eq!(host.ask(|tables| migration.step(tables, 7)), Ok(false));
        assert_eq!(host.names(), ["old", STATE_TABLE]);
    }
}

#[test]
fn one_that_comes_behind_the_backfill_is_found_by_the_comparison() {
    let (from, to) = ((PLAIN, LayoutKind::Narrow), (ISO, LayoutKind::Narrow));
    let mut host = Host::holding(from, (0..30).map(event));
    let mut migration = host.open(from, to, 0).expect("it begins");
    while migration.status().stage != MigrationStage::Verifying {
        host.ask(|tables| migration.step(tables, 7)).expect("a step");
    }
    host.write_event(&mut migration, &own_text(40)).expect("it is stored");
    let error = work(&mut host, &mut migration).expect_err("it is refused");
    assert!(
        error.code == Code::FailedPrecondition
            && error.message.contains("T00:40:00Z of Narrow has timestamp"),
        "{error}"
    );
}

#[test]
fn times_are_moved_where_their_texts_survive_or_are_those_of_tables() {
    let all: [fn(u64) -> EventTexts; 2] = [event, own_text];
    for (from, to, events) in [
        ((PLAIN, LayoutKind::Narrow), (ISO, LayoutKind::Narrow), &all[..1]),
        (
            ("{timestamp:hash},{app_id},{user_token}", LayoutKind::Wide),
            (ISO, LayoutKind::RowPerEntity),
            &all[..1],
        ),
        ((PLAIN, LayoutKind::Narrow), (PLAIN, LayoutKind::Wide), &all),
        ((PLAIN, LayoutKind::Narrow), ("{timestamp:reverse},{app_id},{user_token}", LayoutKind::Wide), &all),
        ((PLAIN, LayoutKind::Narrow), (ISO, LayoutKind::RowPerEntity), &all),
        // Its key has no time.
        ((PLAIN, LayoutKind::RowPerEntity), (ISO, LayoutKind::Wide), &all),
        ((ISO, LayoutKind::Narrow), ("{app_id},{user_token}", LayoutKind::Wide), &all),
    ] {
        for event in events {
            let mut host = Host::holding(from, (0..30).map(event));
            let mut migration = host.open(from, to, 0).expect("it begins");
            let stage = work(&mut host, &mut migration);
            assert_eq!(stage, Ok(MigrationStage::Ready), "{from:?} {to:?} {:?}", event(1)[2]);
            assert_eq!(migration.status().compared, 30);
        }
    }
}

/// Migrates ten events that the old table has, and ten that arrive before the backfill. Returns the
/// rows and the events of the new table.
fn moved_during_new_events(
    from: (&str, LayoutKind),
    to: (&str, LayoutKind),
    event: fn(u64) -> EventTexts,
) -> Result<[usize; 2]> {
    let mut host = Host::holding(from, (0..10).map(event));
    let mut migration = host.open(from, to, 0)?;
    for n in 10..20 {
        host.write_event(&mut migration, &event(n))?;
    }
    let stage = work(&mut host, &mut migration)?;
    assert_eq!((stage, migration.status().copied), (MigrationStage::Ready, 20), "{from:?} {to:?}");
    let rows = host.ask(|tables| tables.read_all("new", ReadRows::default()))?;
    let events = migration.to.stored.read(&rows)?;
    Ok([rows.len(), events.len()])
}

#[test]
fn an_event_that_arrives_is_written_as_it_is_copied() {
    for to in [
        (PLAIN, LayoutKind::Narrow),
        (PLAIN, LayoutKind::Wide),
        ("{timestamp:reverse},{app_id},{user_token}", LayoutKind::Narrow),
    ] {
        for of in [event, own_text] {
            let moved = moved_during_new_events((ISO, LayoutKind::Narrow), to, of).expect("it is copied");
            assert_eq!(moved[0], 20, "a row of each event: {to:?} {:?}", of(1)[2]);
        }
    }
    let entity = ("{app_id},{user_token}#{timestamp:hash}", LayoutKind::RowPerEntity);
    assert_eq!(moved_during_new_events((ISO, LayoutKind::Narrow), entity, own_text), Ok([20, 20]));
}

#[test]
fn times_in_an_own_format_are_moved_as_texts_or_refused_at_the_start() {
    let mut own = fields();
    own[2].format = Some(tabletop_keys::time::DateFormat::new("%d.%m.%Y %H:%M").expect("a format"));
    let (narrow, wide) = (|template| (template, LayoutKind::Narrow), (PLAIN, LayoutKind::Wide));
    let entity = (ISO, LayoutKind::RowPerEntity);
    for (from, to, is_moved) in [
        (narrow(PLAIN), wide, true),
        (entity, narrow(PLAIN), true),
        (narrow(ISO), wide, false),
        (entity, narrow(ISO), false),
        (narrow(PLAIN), narrow(ISO), false),
    ] {
        let (mut host, from, to) = (Host::new(), design(from), design(to));
        let mut old = Side::new("old", &from, &own).expect("a design");
        let texts = |n: u64| {
            let mut texts = event(n);
            texts[2] = Some(format!("28.05.2019 00:{n:02}"));
            texts
        };
        host.ask(|tables| {
            tables.create_or_complete("old", vec![])?;
            old.store(tables, (0..20).map(|n| old.write_texts(&own, &texts(n))).collect::<Result<_>>()?)
        })
        .expect("it is stored");
        let plan = MigrationPlan { from: ("old", &from), to: ("new", &to), fields: &own, since: 0 };
        let opened = host.ask(|tables| Migration::open(tables, &plan));
        if is_moved {
            let mut migration = opened.expect("it begins");
            assert_eq!(work(&mut host, &mut migration), Ok(MigrationStage::Ready), "{from:?} {to:?}");
        } else {
            let error = opened.map(drop).expect_err("it is refused");
            assert!(
                error.message.starts_with("The times of timestamp are read in a format of their own"),
                "{error}"
            );
            assert_eq!(host.names(), ["old"]);
        }
    }
}
