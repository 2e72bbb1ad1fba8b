//! The costs of access patterns on designs, as a grid: what the plan is, what it reads, and whether it keeps its limits.

use tabletop_schema::{DesignCosts, NamedQuery, QueryOutcome, Scoreboard, TableState};
use tabletop_texts::messages;

use super::sheet::{Colors, INNER, MARGIN, Picture, Sheet, Text};
use crate::pages::in_words::in_words;
use crate::query::limit_count;

/// The width of the column with the names of patterns, px.
const NAMES: f64 = 260.0;
/// The height of a line of text, and the room in a cell, px.
const LINE: f64 = 15.0;
const PADDING: f64 = 8.0;

/// A line of text in a cell.
struct Words {
    text: String,
    color: &'static str,
    is_bold: bool,
}

/// Draws the grid below the sentences on the best design.
pub fn board(mut sheet: Sheet, queries: &[NamedQuery], costs: &[DesignCosts], board: &Scoreboard) -> Picture {
    let (says, colors) = (&messages().scoreboard, sheet.colors);
    sheet.paragraph(&(messages().advice.ranking)(board), 14.0, colors.ink);
    sheet.paragraph(&(messages().advice.ranking_reasons)(board), 12.0, colors.soft);
    let strong = |text: &str| vec![Words { text: text.into(), color: colors.ink, is_bold: true }];
    let head = std::iter::once(strong(says.pattern)).chain(costs.iter().map(|each| strong(&each.design.name)));
    row(&mut sheet, head.collect());
    for (at, named) in queries.iter().enumerate() {
        let weight = format!("{} {}", named.reads_per_second, says.per_second);
        let soft = |text: String| Words { text, color: colors.soft, is_bold: false };
        let mut first = strong(&named.name);
        first.extend([soft(in_words(&named.query)), soft(weight)]);
        let cells = costs.iter().map(|each| cell(named, each, at, colors));
        row(&mut sheet, std::iter::once(first).chain(cells).collect());
    }
    let totals = board.totals.iter().map(|total| {
        let text = total.map_or(says.total_unknown.into(), |total| (says.total_of)(total.blocks));
        strong(&text)
    });
    row(&mut sheet, std::iter::once(strong(says.total)).chain(totals).collect());
    sheet.finish()
}

/// Draws cells beside each other, and a line below them.
fn row(sheet: &mut Sheet, cells: Vec<Vec<Words>>) {
    let colors = sheet.colors;
    let width = (INNER - NAMES) / (cells.len() - 1).max(1) as f64;
    let top = sheet.y + PADDING;
    let lines = cells.iter().map(Vec::len).max().unwrap_or(1);
    for (at, cell) in cells.iter().enumerate() {
        let (x, room) = if at == 0 { (MARGIN, NAMES) } else { (MARGIN + NAMES + (at - 1) as f64 * width, width) };
        for (line, Words { text, color, is_bold }) in cell.iter().enumerate() {
            let y = top + LINE * (line as f64 + 0.8);
            sheet.text_within(Text { x, y, size: 12.0, color, is_bold: *is_bold }, text, room - PADDING);
        }
    }
    sheet.y = top + LINE * lines as f64 + PADDING / 2.0;
    sheet.line((MARGIN, sheet.y), (MARGIN + INNER, sheet.y), colors.line);
}

fn cell(named: &NamedQuery, costs: &DesignCosts, at: usize, colors: &'static Colors) -> Vec<Words> {
    let says = &messages().scoreboard;
    let one = |text: &str, color| vec![Words { text: text.into(), color, is_bold: false }];
    let cost = match (costs.state, costs.outcomes.get(at).unwrap_or(&QueryOutcome::Waiting)) {
        (TableState::Invalid, _) => return one(says.template_invalid, colors.hot),
        (TableState::Growing, _) => return one(says.table_grows, colors.soft),
        (TableState::Complete, QueryOutcome::Waiting) => return one(says.waiting, colors.soft),
        (TableState::Complete, QueryOutcome::Refused(error)) => {
            return vec![
                Words { text: says.no_answer.into(), color: colors.hot, is_bold: true },
                Words { text: error.message.clone(), color: colors.soft, is_bold: false },
            ];
        }
        (TableState::Complete, QueryOutcome::Answered(cost)) => cost,
    };
    let reads_more = cost.scans_more && cost.stats.rows_seen > cost.stats.rows_returned;
    let mut words = vec![
        Words { text: (messages().advice.plan)(cost), color: colors.ink, is_bold: true },
        Words {
            text: (says.rows)(cost.stats.rows_seen, cost.stats.rows_returned),
            color: if reads_more { colors.warn } else { colors.ink },
            is_bold: false,
        },
        Words { text: (says.work)(cost), color: colors.soft, is_bold: false },
    ];
    if cost.stats.rows_returned == 0 {
        words.push(Words { text: says.nothing_found.into(), color: colors.warn, is_bold: false });
    }
    let (limits, missed) = (limit_count(&named.limits), cost.misses(named).len());
    if limits > 0 {
        let (text, color) = if missed == 0 { ((says.kept)(limits), colors.good) } else { ((says.missed)(missed), colors.hot) };
        words.push(Words { text, color, is_bold: true });
    }
    words
}
