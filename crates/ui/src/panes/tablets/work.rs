//! The bytes that the table has written and read, below the line of its counts.

use tabletop_model::TableView;
use tabletop_texts::messages;
use tabletop_texts::numbers::{bytes, thousands};
use tabletop_texts::tablets::Counts;
use tabletop_views::tablets::words::{read_amplification, write_amplification};
use yew::{Html, html};

use crate::kit::figures;
use crate::page::actions::Actions;
use crate::page::state::PageState;
use crate::panes::shell::as_commands;

/// Draws the counts of the table, and its work on demand.
pub fn table_counts(state: &PageState, actions: &Actions) -> Html {
    let view = &state.view;
    let counts = counts(&view.table);
    html! {
        <details class="table-counts soft small">
            <summary>{(messages().tablets.size)(&counts)}</summary>
            <p>{(messages().tablets.counts)(&counts)}</p>
            <dl class="stats" aria-label={messages().tablets.work.title}>{ figures(&numbers(&view.table)) }</dl>
            { as_commands("tablets", messages().shell.as_commands.tablets, state, actions, &|commands| Ok(commands.tablets())) }
        </details>
    }
}

fn counts(table: &TableView) -> Counts {
    Counts {
        tablets: table.tablets.len() as u64,
        exact: table.tablets.iter().all(|tablet| tablet.exact),
        rows: table.tablets.iter().map(|tablet| tablet.rows).sum(),
        cells: table.tablets.iter().map(|tablet| tablet.cells).sum(),
        bytes: table.tablets.iter().map(|tablet| tablet.bytes).sum(),
        splits: table.splits,
        merges: table.merges,
        compactions: table.minor_compactions + table.major_compactions,
    }
}

fn numbers(table: &TableView) -> [(&'static str, String); 12] {
    let (work, names) = (&table.work, &messages().tablets.work);
    [
        (names.written, bytes(work.user_bytes)),
        (names.flushed, bytes(work.flushed_bytes)),
        (names.compactions_read, bytes(work.compaction_bytes_read)),
        (names.compactions_wrote, bytes(work.compaction_bytes_written)),
        (names.write_amplification, write_amplification(work)),
        (names.writes_slowed, thousands(work.writes_slowed)),
        (names.blocks_read, thousands(table.blocks_read)),
        (names.cache_hits, thousands(table.cache_hits)),
        (names.bloom_skips, thousands(table.bloom_skips)),
        (names.bytes_read, bytes(table.bytes_read)),
        (names.bytes_returned, bytes(table.bytes_returned)),
        (names.read_amplification, read_amplification(table)),
    ]
}
