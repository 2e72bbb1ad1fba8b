//! What the table has written and read, and for what: behind the line of its counts.

use tabletop_model::TableView;
use yew::{Html, html};

use crate::app::Actions;
use crate::messages::messages;
use crate::messages::numbers::{bytes, count, thousands};
use crate::shell::as_commands;
use crate::state::State;
use crate::widgets::figures;

/// The table in numbers, and its work for those who open it.
pub fn table_counts(state: &State, actions: &Actions) -> Html {
    let view = &state.view;
    html! {
        <details class="table-counts soft small">
            <summary>{counts(&view.table)}</summary>
            <dl class="stats" aria-label="What the table has written and read">{ figures(&numbers(&view.table)) }</dl>
            { as_commands("tablets", messages().shell.as_commands.tablets, state, actions, true, |commands| Ok(commands.tablets())) }
        </details>
    }
}

fn counts(table: &TableView) -> String {
    let about = if table.tablets.iter().all(|tablet| tablet.exact) { "" } else { "≈ " };
    let rows = table.tablets.iter().map(|tablet| tablet.rows).sum();
    let cells = table.tablets.iter().map(|tablet| tablet.cells).sum();
    let stored = table.tablets.iter().map(|tablet| tablet.bytes).sum();
    format!(
        "{} · {about}{} · {about}{} · {} · {} · {}",
        count(table.tablets.len() as u64, "tablet", "tablets"),
        count(rows, "row", "rows"),
        count(cells, "cell", "cells"),
        bytes(stored),
        count(table.splits, "split", "splits"),
        count(table.minor_compactions + table.major_compactions, "compaction", "compactions"),
    )
}

fn numbers(table: &TableView) -> [(&'static str, String); 12] {
    let work = &table.work;
    [
        ("Data written", bytes(work.user_bytes)),
        ("Memtables flushed", bytes(work.flushed_bytes)),
        ("Compactions read", bytes(work.compaction_bytes_read)),
        ("Compactions wrote", bytes(work.compaction_bytes_written)),
        ("Write amplification", format!("{:.2}", work.write_amplification())),
        ("Writes slowed", thousands(work.writes_slowed)),
        ("Blocks read", thousands(table.blocks_read)),
        ("Cache hits", thousands(table.cache_hits)),
        ("Bloom skips", thousands(table.bloom_skips)),
        ("Bytes read", bytes(table.bytes_read)),
        ("Bytes returned", bytes(table.bytes_returned)),
        ("Read amplification", format!("{:.2}", table.read_amplification())),
    ]
}
