//! The migration beside a stream of events.

use alloc::format;
use alloc::string::String;

use tabletop_model::escape;
use tabletop_schema::migration::{MigrationDifference, MigrationStage};

use super::numbers::{count, thousands};

/// Texts of the section.
pub struct Migration {
    pub title: &'static str,
    pub about: fn(events: u64) -> String,
    pub from: &'static str,
    pub to: &'static str,
    pub in_layout: fn(design: &str, layout: &str) -> String,
    pub days: &'static str,
    pub looking: &'static str,
    pub begin: &'static str,
    pub between: fn(from: &str, to: &str) -> String,
    pub stored: &'static str,
    pub in_memory: &'static str,
    pub resumed: &'static str,
    pub remove: &'static str,
    /// The second press, and the other answer.
    pub remove_confirm: &'static str,
    pub remove_again: &'static str,
    pub replace: &'static str,
    pub replace_again: &'static str,
    pub keep: &'static str,
    /// The stream.
    pub stream: &'static str,
    pub play: &'static str,
    pub pause: &'static str,
    pub rate: &'static str,
    pub history: fn(events: u64, of: u64) -> String,
    pub is_over: &'static str,
    pub stretched: fn(times: u64) -> String,
    pub refused: fn(events: u64, why: &str) -> String,
    pub arrived: &'static str,
    pub now: &'static str,
    pub p99_alone: &'static str,
    pub p99_before: &'static str,
    pub p99: &'static str,
    pub p99_about: &'static str,
    /// The steps.
    pub steps: &'static str,
    pub dual: (&'static str, &'static str),
    pub backfill: (&'static str, &'static str),
    pub switch: (&'static str, &'static str),
    pub write_both: &'static str,
    pub copy: &'static str,
    pub copy_on: &'static str,
    pub copy_pause: &'static str,
    pub copy_again: &'static str,
    pub read_new: &'static str,
    pub read_old: &'static str,
    pub drop: &'static str,
    pub go_on: &'static str,
    pub pause_step: &'static str,
    pub undo: &'static str,
    pub stage: fn(stage: Option<MigrationStage>) -> &'static str,
    pub dual_written: fn(events: u64) -> String,
    pub copied: fn(events: u64) -> String,
    pub not_done: fn(key: &str) -> String,
    pub beside_stream: &'static str,
    pub equal: fn(events: u64) -> String,
    pub compared: fn(events: u64) -> String,
    pub difference: fn(&MigrationDifference) -> String,
    pub new_fields: fn(fields: &str) -> String,
    /// The two tables.
    pub tables: &'static str,
    pub heads: [&'static str; 2],
    pub rows: &'static str,
    pub cells: &'static str,
    pub bytes: &'static str,
    pub amplification: &'static str,
    pub removed: fn(days: u32) -> String,
    pub missing: &'static str,
    pub about_number: fn(number: &str) -> String,
    pub old: &'static str,
    pub new: &'static str,
    pub both: &'static str,
    pub chart: &'static str,
    pub axes: [&'static str; 2],
}

pub(super) static ENGLISH: Migration = Migration {
    title: "The migration, live",
    about: |events| {
        format!(
            "The three steps of the article, on a running stream of {}: writes into both layouts, a backfill in the background, and the \
             switch. Only this section uses the tables. This browser keeps one migration: another one replaces it.",
            count(events, "event", "events")
        )
    },
    from: "From the table of",
    to: "To a table of",
    in_layout: |design, layout| format!("{design}, {layout}"),
    days: "Days that are kept",
    looking: "Looking for a stored migration …",
    begin: "Begin with the old table",
    between: |from, to| format!("From {from} to {to}"),
    stored: "Both tables and the step are in this browser's storage: after a reload, a crash or a kill of the tab, it goes on from here.",
    in_memory: "This tab stores nothing (“Storage in this browser” says why), so the tables are in memory: a reload ends the migration.",
    resumed: "An earlier visit has begun this. What was in flight at its end is in both tables, or arrives again.",
    remove: "Remove both tables",
    remove_confirm: "Remove permanently",
    remove_again: "Press again to remove both tables and the migration.",
    replace: "Replace it",
    replace_again: "Press again to replace the stored migration.",
    keep: "Keep",
    stream: "Stream",
    play: "Start the stream",
    pause: "Pause the stream",
    rate: "Events per second of the stream",
    history: |events, of| format!("{} of {} events written before the stream begins", thousands(events), thousands(of)),
    is_over: "The stream has ended: its events cannot be repeated with later times.",
    stretched: |times| {
        format!(
            "The events arrive round after round, each round later than the one before. Times are stretched {}-fold, so that 60 days pass \
             in a round.",
            thousands(times)
        )
    },
    refused: |events, why| format!("{} cannot be written. The first one: {why}", count(events, "event", "events")),
    arrived: "Events arrived",
    now: "Latest time",
    p99_alone: "p99, one table",
    p99_before: "p99, both tables",
    p99: "p99 since the backfill",
    p99_about: "From the moment when a group of events is due to the moment when it is stored. The backfill takes the time in between, and \
                less of it when the p99 leaves 1.5 times what it was.",
    steps: "Steps",
    dual: ("1. Write into both", "From here on, each event is written into both tables."),
    backfill: ("2. Backfill", "Older events are copied, then each event of one table is looked up in the other."),
    switch: ("3. Switch reads", "Reads are from the new table. Then the old one is not written any more, and dropped."),
    write_both: "Write into both tables",
    copy: "Backfill",
    copy_on: "Go on with the backfill",
    copy_pause: "Pause the backfill",
    copy_again: "Copy and compare again",
    read_new: "Read from the new table",
    read_old: "Read from the old table again",
    drop: "Drop the old table",
    go_on: "Go on with the step",
    pause_step: "Pause the step",
    undo: "Undo the migration",
    stage: |stage| match stage {
        None => "Only the old table is written.",
        Some(MigrationStage::Creating) => "The new table is being made.",
        Some(MigrationStage::DualWrites) => "Both tables are written. Older events are in the old one only.",
        Some(MigrationStage::Backfilling) => "Older events are being copied.",
        Some(MigrationStage::Verifying) => "Events of the old table are being looked up in the new one.",
        Some(MigrationStage::VerifyingBack) => "Events of the new table are being looked up in the old one.",
        Some(MigrationStage::Ready) => "Both tables hold the same events. Reads are from the old one.",
        Some(MigrationStage::Switched) => "Reads are from the new table. Both are written.",
        Some(MigrationStage::Checking) => "Events of the old table are being looked up in the new one once more.",
        Some(MigrationStage::Dropping) => "The old table is being dropped.",
        Some(MigrationStage::Done) => "The migration is complete: only the new table is left.",
        Some(MigrationStage::Undoing) => "The new table is being dropped.",
        Some(MigrationStage::Undone) => "The migration is undone: only the old table is left.",
    },
    dual_written: |events| format!("{} written into both.", count(events, "event", "events")),
    copied: |events| format!("{} copied.", count(events, "event", "events")),
    not_done: |key| format!("Rows after {key} are not done yet."),
    beside_stream: "Events that arrive meanwhile are looked at, too. Where too many come into the part that is not done, they wait for it, so \
                    it ends: the p99 rises then. A lower rate of the stream spares that.",
    equal: |events| format!("No difference: {} compared, in both directions.", count(events, "event", "events")),
    compared: |events| format!("{} compared.", count(events, "event", "events")),
    difference: |MigrationDifference { is_in_old, key, event }| {
        let table = if *is_in_old { "the old table" } else { "the new table" };
        format!("The first difference: only {table} has the event of row {}: {event}", escape(key))
    },
    new_fields: |fields| format!("Only new events have {fields}: the old table does not keep it."),
    tables: "The two tables",
    heads: ["Old", "New"],
    rows: "Rows",
    cells: "Cells",
    bytes: "Bytes stored",
    amplification: "Write amplification",
    removed: |days| format!("Rows removed by GC, older than {}", count(days.into(), "day", "days")),
    missing: "Rows not yet in the new table",
    about_number: |number| format!("about {number}"),
    old: "Old table",
    new: "New table",
    both: "Both",
    chart: "Bytes stored while events arrive",
    axes: ["events arrived", "bytes"],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_names_the_tables_as_the_steps_do() {
        let says = |is_in_old| {
            let difference = MigrationDifference { is_in_old, key: "a,u\u{e9}".into(), event: "app_id a, user_token ué".into() };
            (ENGLISH.difference)(&difference)
        };
        let old = says(true);
        assert_eq!(old, "The first difference: only the old table has the event of row a,ué: app_id a, user_token ué");
        assert_eq!(says(false), old.replace("old table", "new table"));
        assert!((ENGLISH.stage)(Some(MigrationStage::Verifying)).contains("the old table"), "the same name");
    }
}
