//! The costs of access patterns on designs, as a grid: the plan, what it reads, and whether it
//! meets its limits.

use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};

use super::super::sheet::{INNER, MARGIN, Sheet};
use crate::in_words::in_words;
use crate::query::limit_count;
use crate::scene::{Paint, Scene, Text};
use tabletop_advice::{DesignCosts, QueryOutcome, Scoreboard, TableState};
use tabletop_texts::messages;
use tabletop_workspace::NamedQuery;

/// The width of the column with the names of patterns, px.
const NAMES: f64 = 260.0;
/// The height of a line of text, and the padding in a cell, px.
const LINE: f64 = 15.0;
const PADDING: f64 = 8.0;

/// A line of text in a cell.
struct Words {
    text: String,
    paint: Paint,
    is_bold: bool,
}

/// Draws the grid below the sentences on the best design.
pub fn board(mut sheet: Sheet, queries: &[NamedQuery], costs: &[DesignCosts], board: &Scoreboard) -> Scene {
    let says = &messages().scoreboard;
    sheet.paragraph(&(messages().advice.ranking)(board), 14.0, Paint::Ink);
    sheet.paragraph(&(messages().advice.ranking_reasons)(board), 12.0, Paint::Soft);
    let strong = |text: &str| vec![Words { text: text.into(), paint: Paint::Ink, is_bold: true }];
    let head =
        core::iter::once(strong(says.pattern)).chain(costs.iter().map(|each| strong(&each.design.name)));
    row(&mut sheet, head.collect());
    for (at, named) in queries.iter().enumerate() {
        let weight = format!("{} {}", named.reads_per_second, (says.per_second)(named.reads_per_second));
        let soft = |text: String| Words { text, paint: Paint::Soft, is_bold: false };
        let mut first = strong(&named.name);
        first.extend([soft(in_words(&named.query)), soft(weight)]);
        let cells = costs.iter().map(|each| cell(named, each, at));
        row(&mut sheet, core::iter::once(first).chain(cells).collect());
    }
    let totals = board.totals.iter().map(|total| {
        let text = total.map_or(says.total_unknown.into(), |total| (says.total_of)(total.blocks));
        strong(&text)
    });
    row(&mut sheet, core::iter::once(strong(says.total)).chain(totals).collect());
    sheet.finish()
}

/// Draws cells next to each other, and a line below them.
fn row(sheet: &mut Sheet, cells: Vec<Vec<Words>>) {
    let width = (INNER - NAMES) / (cells.len() - 1).max(1) as f64;
    let top = sheet.y + PADDING;
    let lines = cells.iter().map(Vec::len).max().unwrap_or(1);
    for (at, cell) in cells.iter().enumerate() {
        let (x, room) =
            if at == 0 { (MARGIN, NAMES) } else { (MARGIN + NAMES + (at - 1) as f64 * width, width) };
        for (line, Words { text, paint, is_bold }) in cell.iter().enumerate() {
            let y = top + LINE * (line as f64 + 0.8);
            sheet.text_within(
                Text { is_bold: *is_bold, ..Text::new((x, y), 12.0, &**text, *paint) },
                room - PADDING,
            );
        }
    }
    sheet.y = top + LINE * lines as f64 + PADDING / 2.0;
    sheet.line((MARGIN, sheet.y), (MARGIN + INNER, sheet.y), Paint::Line);
}

fn cell(named: &NamedQuery, costs: &DesignCosts, at: usize) -> Vec<Words> {
    let says = &messages().scoreboard;
    let one = |text: &str, paint| vec![Words { text: text.into(), paint, is_bold: false }];
    let cost = match (costs.state, costs.outcomes.get(at).unwrap_or(&QueryOutcome::Waiting)) {
        (TableState::Invalid, _) => return one(says.template_invalid, Paint::Hot),
        (TableState::Growing, _) => return one(says.table_grows, Paint::Soft),
        (TableState::Complete, QueryOutcome::Waiting) => return one(says.waiting, Paint::Soft),
        (TableState::Complete, QueryOutcome::Refused(error)) => {
            return vec![
                Words { text: says.no_answer.into(), paint: Paint::Hot, is_bold: true },
                Words { text: error.message.clone(), paint: Paint::Soft, is_bold: false },
            ];
        }
        (TableState::Complete, QueryOutcome::Answered(cost)) => cost,
    };
    let reads_more = cost.scans_more && cost.stats.rows_seen > cost.stats.rows_returned;
    let mut words = vec![
        Words { text: (messages().advice.plan)(cost), paint: Paint::Ink, is_bold: true },
        Words {
            text: (says.rows)(cost.stats.rows_seen, cost.stats.rows_returned),
            paint: if reads_more { Paint::Warn } else { Paint::Ink },
            is_bold: false,
        },
        Words { text: (says.work)(cost), paint: Paint::Soft, is_bold: false },
    ];
    if let Some(wrong) = &cost.wrong {
        words.push(Words { text: (messages().advice.answer)(wrong), paint: Paint::Hot, is_bold: false });
    }
    if cost.stats.rows_returned == 0 {
        words.push(Words { text: says.nothing_found.into(), paint: Paint::Warn, is_bold: false });
    }
    let (limits, missed) = (limit_count(&named.limits), cost.misses(named).len());
    if limits > 0 {
        let (text, paint) = if missed == 0 {
            ((says.kept)(limits), Paint::Good)
        } else {
            ((says.missed)(missed), Paint::Hot)
        };
        words.push(Words { text, paint, is_bold: true });
    }
    words
}
