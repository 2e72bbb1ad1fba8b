//! Numbers with leading zeros, and keys that pad them.

use super::*;

const PLAIN: &str = "{app_id},{user_token},{timestamp:iso}";
const PADDED: &str = "{app_id},{user_token:pad(5)},{timestamp:iso}";

/// An event of a user with a number as the table writes it.
fn of_number(n: u64) -> EventTexts {
    let mut texts = event(n);
    texts[1] = Some((n % 7).to_string());
    texts
}

/// An event of a user with a number in three digits.
fn of_digits(n: u64) -> EventTexts {
    let mut texts = event(n);
    texts[1] = Some(format!("{:03}", n % 7));
    texts
}

/// Migrates ten events that the old table has, and ten that arrive before the backfill. Returns the
/// number of events in the new table.
fn moved(from: (&str, LayoutKind), to: (&str, LayoutKind), event: fn(u64) -> EventTexts) -> Result<usize> {
    let mut host = Host::holding(from, (0..10).map(event));
    let mut migration = host.open(from, to, 0)?;
    for n in 10..20 {
        host.write_event(&mut migration, &event(n))?;
    }
    for _ in 0..100 {
        if !host.ask(|tables| migration.step(tables, 7))? {
            break;
        }
    }
    let status = migration.status();
    assert_eq!((status.stage, status.difference), (MigrationStage::Ready, None), "{from:?} {to:?}");
    let rows = host.ask(|tables| tables.read_all("new", ReadRows::default()))?;
    migration.to.stored.read(&rows).map(|events| events.len())
}

#[test]
fn numbers_are_moved_where_their_texts_survive_or_are_those_of_tables() {
    let all: [fn(u64) -> EventTexts; 2] = [of_number, of_digits];
    let entity = |template| (template, LayoutKind::RowPerEntity);
    for (from, to, events) in [
        ((PADDED, LayoutKind::Narrow), (PLAIN, LayoutKind::Narrow), &all[..]),
        ((PADDED, LayoutKind::Wide), (PADDED, LayoutKind::Narrow), &all),
        ((PADDED, LayoutKind::Narrow), entity(PADDED), &all),
        ((PADDED, LayoutKind::Narrow), entity(PLAIN), &all),
        ((PADDED, LayoutKind::Narrow), entity("{user_token:hash},{app_id}"), &all),
        (entity(PADDED), (PADDED, LayoutKind::Narrow), &all),
        (entity(PADDED), (PLAIN, LayoutKind::Narrow), &all),
        (entity(PLAIN), (PLAIN, LayoutKind::Narrow), &all),
        (entity(PLAIN), entity(PADDED), &all),
        ((PLAIN, LayoutKind::Narrow), (PADDED, LayoutKind::Narrow), &all[..1]),
        (entity(PLAIN), (PADDED, LayoutKind::Wide), &all[..1]),
    ] {
        for event in events {
            assert_eq!(moved(from, to, *event), Ok(20), "{from:?} {to:?} {:?}", event(1)[1]);
        }
    }
}

#[test]
fn a_row_with_zeros_that_the_new_table_would_lose_is_named() {
    let refused = [
        ((PLAIN, LayoutKind::Narrow), (PADDED, LayoutKind::Narrow)),
        ((PLAIN, LayoutKind::RowPerEntity), (PADDED, LayoutKind::Wide)),
        (("{app_id},{user_token:reverse},{timestamp:iso}", LayoutKind::Wide), (PADDED, LayoutKind::Narrow)),
    ];
    for (from, to) in refused {
        let error = moved(from, to, of_digits).expect_err("it is refused");
        assert_eq!(error.code, Code::FailedPrecondition, "{error}");
        assert!(
            error.message.starts_with("Row ")
                && error.message.contains(" has user_token as the event writes it"),
            "{error}"
        );
    }
}
