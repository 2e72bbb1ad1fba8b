//! The strip as a table.

use yew::{Html, html};

use super::look::StripLook;
use super::strip::Picture;
use super::words::{count, rate};
use crate::actions::Actions;
use crate::messages::messages;
use crate::messages::numbers::{bytes, thousands};
use crate::widgets::{ButtonKind, push};

/// The kind of a column's values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Numbers,
    Text,
}

/// The columns with their names.
fn columns() -> [(&'static str, Holds); 8] {
    let names = &messages().tablets.columns;
    [
        (names.number, Holds::Numbers),
        (names.start, Holds::Text),
        (names.rows, Holds::Numbers),
        (names.stored, Holds::Numbers),
        (names.sstables, Holds::Numbers),
        (names.writes, Holds::Numbers),
        (names.reads, Holds::Numbers),
        (names.load, Holds::Text),
    ]
}
/// The lines that one press of the button adds.
const MORE: usize = 200;

/// Draws one line per tablet in key order, at most `lines` of them and more on demand.
pub fn tablet_table(picture: &Picture, lines: usize, actions: &Actions) -> Html {
    let tablets = &picture.table().tablets;
    let head = |(name, holds): (&'static str, Holds)| html! { <th scope="col" class={(holds == Holds::Numbers).then_some("num")}>{name}</th> };
    let more = tablets.len().saturating_sub(lines).min(MORE);
    html! {
        <div class="tablet-table" tabindex="0" role="region" aria-label={messages().tablets.table}>
            <table>
                <thead><tr>{ for columns().map(head) }</tr></thead>
                <tbody>{ for (0..tablets.len().min(lines)).map(|at| line(picture, at)) }</tbody>
            </table>
            if more > 0 {
                { push(&(messages().tablets.show_more)(more, tablets.len() as u64), None, ButtonKind::Plain, actions.part(|look: &mut StripLook| look.table_lines += MORE)) }
            }
        </div>
    }
}

fn line(picture: &Picture, at: usize) -> Html {
    let (tablet, load, verdict) = (&picture.table().tablets[at], &picture.load, &picture.view.verdict);
    let says = &messages().tablets;
    let start = if tablet.start.is_empty() { says.beginning.to_owned() } else { tablet.start.to_string() };
    let number = |text: String| html! { <td class="num">{text}</td> };
    html! {
        <tr key={tablet.id.0}>
            { number(thousands(at as u64 + 1)) }
            <td class={if tablet.start.is_empty() { "soft" } else { "mono ellipsis" }}>{start}</td>
            { number(count(tablet, tablet.rows)) }
            { number(bytes(tablet.bytes)) }
            { number(thousands(tablet.sstables.into())) }
            { number(rate(tablet.writes_per_second)) }
            { number(rate(tablet.reads_per_second)) }
            <td>{says.levels[verdict.level(at, load.shares[at])]}</td>
        </tr>
    }
}
