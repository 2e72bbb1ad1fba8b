//! The strip as a table.

use tabletop_texts::messages;
use tabletop_texts::numbers::{bytes, thousands};
use tabletop_views::tablets::words::{count, rate};
use yew::{Html, html};

use super::look::StripLook;
use super::strip::Picture;
use crate::kit::{ButtonKind, Cell, Column, Row, Table, push};
use crate::page::actions::Actions;

/// The columns with their names.
fn columns() -> [Column; 8] {
    let names = &messages().tablets.columns;
    [
        Column::number(names.number),
        Column::text(names.start),
        Column::number(names.rows),
        Column::number(names.stored),
        Column::number(names.sstables),
        Column::number(names.writes),
        Column::number(names.reads),
        Column::text(names.load),
    ]
}

/// The lines that one press of the button adds.
const MORE: usize = 200;

/// Draws one line per tablet in key order, at most `lines` of them and more on demand.
pub fn tablet_table(picture: &Picture, lines: usize, actions: &Actions) -> Html {
    let tablets = &picture.table().tablets;
    let more = tablets.len().saturating_sub(lines).min(MORE);
    html! {
        <div class="tablet-table" tabindex="0" role="region" aria-label={messages().tablets.table}>
            { Table::new(columns(), (0..tablets.len().min(lines)).map(|at| line(picture, at))).draw() }
            if more > 0 {
                { push(&(messages().tablets.show_more)(more, tablets.len() as u64), None, ButtonKind::Plain, actions.part(|look: &mut StripLook| look.table_lines += MORE)) }
            }
        </div>
    }
}

fn line(picture: &Picture, at: usize) -> Row {
    let (tablet, load, verdict) = (&picture.table().tablets[at], &picture.load, &picture.view.verdict);
    let says = &messages().tablets;
    let start = if tablet.start.is_empty() { says.beginning.to_owned() } else { tablet.start.to_string() };
    Row::new([thousands(at as u64 + 1)])
        .key(tablet.id.0)
        .cell(Cell::from(start).class(if tablet.start.is_empty() { "soft" } else { "mono ellipsis" }))
        .cells([count(tablet, tablet.rows), bytes(tablet.bytes), thousands(tablet.sstables.into())])
        .cells([tablet.writes_per_second, tablet.reads_per_second].map(rate))
        .cell(says.levels[verdict.level(at, load.shares[at])])
}
