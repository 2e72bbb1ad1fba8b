//! Old row keys with a time as the event writes it, and tables that keep only the time.

use super::*;

const PLAIN: &str = "{app_id},{user_token},{timestamp}";
const ISO: &str = "{app_id},{user_token},{timestamp:iso}";

/// An event whose time is not written as tables write it.
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
        assert_eq!((error.code, migration.status().stage), (Code::FailedPrecondition, MigrationStage::Backfilling), "{error}");
        assert!(error.message.starts_with("Row ") && error.message.contains(" has timestamp as the event writes it"), "{error}");
        assert_eq!(migration.status().copied, 0, "{from:?} {to:?}");
        // Also with an event in flight, which is copied first.
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
    assert!(error.code == Code::FailedPrecondition && error.message.contains("T00:40:00Z of Narrow has timestamp"), "{error}");
}

#[test]
fn times_are_moved_where_their_texts_survive_or_are_those_of_tables() {
    let all: [fn(u64) -> EventTexts; 2] = [event, own_text];
    for (from, to, events) in [
        ((PLAIN, LayoutKind::Narrow), (ISO, LayoutKind::Narrow), &all[..1]),
        (("{timestamp:hash},{app_id},{user_token}", LayoutKind::Wide), (ISO, LayoutKind::RowPerEntity), &all[..1]),
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
