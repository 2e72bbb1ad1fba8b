//! The migration during a stream of events.

use alloc::format;

use tabletop_model::escape;
use tabletop_protocol::migration::{MigrationDifference, MigrationStage};

use super::numbers::{count, thousands};

texts!(Migration {
    title: "The migration, live",
    about: |events: u64| {
        format!(
            "The article's three steps on a live stream of {}: writes to both layouts, a backfill in the \
             background, and the switch. Only this section uses these tables. This browser stores one \
             migration: a new one replaces it.",
            count(events, "event", "events")
        )
    },
    from: "From",
    to: "To",
    in_layout: |design: &str, layout: &str| format!("{design}, {layout}"),
    days: "Retention (days)",
    looking: "Looking for a stored migration…",
    begin: "Start with the old table",
    between: |from: &str, to: &str| format!("From {from} to {to}"),
    stored: "Both tables and the current step are stored in this browser: after a reload, a crash or a \
             killed tab, it resumes here.",
    in_memory: "This tab stores nothing (see “Storage in this browser”), so the tables are in memory: a \
                reload ends the migration.",
    resumed: "Resumed from an earlier visit. Events in flight then are in both tables or will be replayed.",
    remove: "Remove both tables",
    /// The second press, and the other answer.
    remove_confirm: "Remove permanently",
    remove_again: "Press again to remove both tables and the migration.",
    replace: "Replace it",
    replace_again: "Press again to replace the stored migration.",
    keep: "Keep",
    /// The stream.
    stream: "Stream",
    play: "Start the stream",
    pause: "Pause the stream",
    rate: "Stream events per second",
    history: |events: u64, of: u64| {
        format!("{} of {} events written before the stream starts", thousands(events), thousands(of))
    },
    is_over: "The stream has ended: its events cannot be replayed with later times.",
    stretched: |times: u64| {
        format!(
            "Events replay in rounds with later timestamps. Time runs {}× faster, so that a round spans 60 \
             days.",
            thousands(times)
        )
    },
    refused: |events: u64, why: &str| {
        format!("{} cannot be written. First reason: {why}", count(events, "event", "events"))
    },
    arrived: "Events arrived",
    now: "Latest time",
    p99_alone: "p99, one table",
    p99_before: "p99, both tables",
    p99: "p99 since the backfill",
    p99_about: "From when a group of events is due until it is stored. The backfill runs in between, and \
                less while the p99 is over 1.5× its earlier value.",
    /// The steps.
    steps: "Steps",
    dual: ("1. Write to both", "From here on, each event is written to both tables."),
    backfill: (
        "2. Backfill",
        "Older events are copied, then each event of one table is looked up in the other.",
    ),
    switch: (
        "3. Switch reads",
        "Reads move to the new table. Then writes to the old table stop and it is dropped.",
    ),
    write_both: "Write to both tables",
    copy: "Backfill",
    copy_on: "Resume the backfill",
    copy_pause: "Pause the backfill",
    copy_again: "Copy and compare again",
    read_new: "Read from the new table",
    read_old: "Read from the old table again",
    drop: "Drop the old table",
    go_on: "Resume the step",
    pause_step: "Pause the step",
    undo: "Undo the migration",
    stage: |stage: Option<MigrationStage>| -> &'static str {
        match stage {
            None => "Only the old table is written.",
            Some(MigrationStage::Creating) => "Creating the new table.",
            Some(MigrationStage::DualWrites) => {
                "Both tables are written. Older events are in the old one only."
            }
            Some(MigrationStage::Backfilling) => "Copying older events.",
            Some(MigrationStage::Verifying) => "Looking up events of the old table in the new one.",
            Some(MigrationStage::VerifyingBack) => "Looking up events of the new table in the old one.",
            Some(MigrationStage::Ready) => "Both tables hold the same events. Reads are from the old one.",
            Some(MigrationStage::Switched) => "Reads are from the new table. Both are written.",
            Some(MigrationStage::Checking) => "Looking up events of the old table in the new one again.",
            Some(MigrationStage::Dropping) => "Dropping the old table.",
            Some(MigrationStage::Done) => "The migration is complete: only the new table is left.",
            Some(MigrationStage::Undoing) => "Dropping the new table.",
            Some(MigrationStage::Undone) => "The migration is undone: only the old table is left.",
        }
    },
    dual_written: |events: u64| format!("{} written to both.", count(events, "event", "events")),
    copied: |events: u64| format!("{} copied.", count(events, "event", "events")),
    not_done: |key: &str| format!("Rows after {key} are not done yet."),
    beside_stream: "Events that arrive during the backfill are checked too. If they arrive faster than it \
                    can keep up, they are held back so that it ends, which raises the p99. Lower the rate \
                    to avoid that.",
    equal: |events: u64| {
        format!("No differences: {} compared, in both directions.", count(events, "event", "events"))
    },
    compared: |events: u64| format!("{} compared.", count(events, "event", "events")),
    difference: |difference: &MigrationDifference| {
        let MigrationDifference { is_in_old, key, event } = difference;
        let table = if *is_in_old { "the old table" } else { "the new table" };
        format!("First difference: only {table} has the event of row {}: {event}", escape(key))
    },
    new_fields: |fields: &str| format!("Only new events have {fields}: the old table does not store it."),
    /// The two tables.
    tables: "The two tables",
    heads: ["Old", "New"],
    rows: "Rows",
    cells: "Cells",
    bytes: "Bytes stored",
    amplification: "Write amplification",
    removed: |days: u32| format!("Rows removed by GC, older than {}", count(days.into(), "day", "days")),
    missing: "Rows not yet in the new table",
    about_number: |number: &str| format!("about {number}"),
    old: "Old table",
    new: "New table",
    both: "Both",
    chart: "Bytes stored while events arrive",
    axes: ["events arrived", "bytes"],
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_names_the_tables_as_the_steps_do() {
        let says = |is_in_old| {
            let difference = MigrationDifference {
                is_in_old,
                key: "a,u\u{e9}".into(),
                event: "app_id a, user_token ué".into(),
            };
            (Migration::ENGLISH.difference)(&difference)
        };
        let old = says(true);
        assert_eq!(
            old,
            "First difference: only the old table has the event of row a,ué: app_id a, user_token ué"
        );
        assert_eq!(says(false), old.replace("old table", "new table"));
        assert!(
            (Migration::ENGLISH.stage)(Some(MigrationStage::Verifying)).contains("the old table"),
            "the same name"
        );
    }
}
