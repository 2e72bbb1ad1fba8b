//! The matches of the filter's patterns in the visible cells. The engine finds them: the page
//! requests them for the lines that it draws, one request at a time, so that the cost does not
//! depend on the number of rows. A read without patterns needs none of this.

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::ops::Range;

use tabletop_keys::Query;
use tabletop_model::{CellPart, Error, PatternMatch, Row, RowFilter, wire};
use tabletop_protocol::{MarkAsk, Marks};

use super::QueryResult;

/// The maximum number of cells of a request.
const ASKED_MAX: usize = 400;
/// The maximum number of cells whose marks are kept. If the user scrolls through more, they are
/// requested again.
const KEPT_MAX: usize = 20_000;
/// Bytes shown before the first match, and bytes that are drawn from there.
const CONTEXT: usize = 24;
const DRAWN_MAX: usize = 320;

/// A cell of an answer: the index of its row, and its own index in the row.
pub type CellPlace = (usize, usize);

/// The marks of an answer.
#[derive(Default)]
pub struct MarkBook {
    answer: Rc<QueryResult>,
    /// The filter of the answer, if it has patterns.
    filter: Option<RowFilter>,
    known: BTreeMap<CellPlace, Vec<PatternMatch>>,
    waits: bool,
    /// Increments with each new answer, and with what arrives.
    pub turn: u32,
}

impl MarkBook {
    /// Starts over with another answer.
    pub fn follow(&mut self, answer: &Rc<QueryResult>) {
        if answer.stale() {
            return;
        }
        if self.answer.query() != answer.query() || !answer.continues(&self.answer) {
            self.forget();
            self.waits = false;
            self.turn += 1;
            let filter = wire::decode::<Query>(&answer.query()).ok().and_then(|query| query.filter);
            self.filter = filter.filter(has_patterns);
        }
        self.answer = answer.clone();
    }

    /// Forgets all marks. A first visit has none, and does not need the code.
    fn forget(&mut self) {
        if !self.known.is_empty() {
            self.known.clear();
        }
    }

    /// Returns what is marked in a part of a cell, in order and without overlaps.
    pub fn of(&self, place: CellPlace, part: CellPart) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for found in self.known.get(&place).into_iter().flatten().filter(|found| found.part == part) {
            push_range(&mut ranges, found);
        }
        ranges
    }

    /// Returns the request for the unknown marks of these cells; `None` while another one is in
    /// flight, and if there is nothing to request.
    pub fn ask(&mut self, wanted: impl Iterator<Item = CellPlace>) -> Option<(Vec<CellPlace>, MarkAsk)> {
        let filter = self.filter.as_ref().filter(|_| !self.waits && !self.answer.stale())?;
        let mut places: Vec<CellPlace> =
            wanted.filter(|place| !self.known.contains_key(place)).take(ASKED_MAX).collect();
        places.sort_unstable();
        let mut rows: Vec<Row> = Vec::new();
        let mut last = None;
        places.retain(|&(row, cell)| {
            let Some((row_of, cell)) = self.answer.row(row).and_then(|of| Some((of, of.cells.get(cell)?)))
            else {
                return false;
            };
            if last != Some(row) {
                rows.push(Row { key: row_of.key.clone(), cells: Vec::new() });
                last = Some(row);
            }
            rows.last_mut().into_iter().for_each(|row| row.cells.push(cell.clone()));
            true
        });
        let ask = (!places.is_empty()).then(|| MarkAsk { filter: filter.clone(), rows })?;
        self.waits = true;
        Some((places, ask))
    }

    /// Notes an answer to the request of a turn. Cells of a request that failed have no marks.
    pub fn take(&mut self, turn: u32, places: Vec<CellPlace>, marks: Result<Marks, Error>) {
        if self.turn != turn {
            return;
        }
        self.waits = false;
        self.turn += 1;
        if self.known.len() > KEPT_MAX {
            self.known.clear();
        }
        let mut found = marks.unwrap_or_default().0.into_iter().flatten();
        self.known.extend(places.into_iter().map(|place| (place, found.next().unwrap_or_default())));
    }
}

/// Returns whether a filter has a pattern.
fn has_patterns(filter: &RowFilter) -> bool {
    let is_pattern = matches!(
        filter,
        RowFilter::RowKeyRegex(_)
            | RowFilter::FamilyNameRegex(_)
            | RowFilter::ColumnQualifierRegex(_)
            | RowFilter::ValueRegex(_)
    );
    is_pattern || filter.children().into_iter().flatten().any(has_patterns)
}

/// Adds a match to ordered ranges. Overlapping ones are merged.
pub fn push_range(ranges: &mut Vec<Range<usize>>, found: &PatternMatch) {
    let next = found.start as usize..found.end as usize;
    match ranges.last_mut() {
        _ if next.is_empty() => {}
        Some(last) if next.start <= last.end => last.end = last.end.max(next.end),
        _ => ranges.push(next),
    }
}

/// The drawn part of a text with marks.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkedText<'t> {
    /// The pieces, and whether each is marked.
    pub pieces: Vec<(&'t [u8], bool)>,
    /// Whether text before them is left out.
    pub is_cut_before: bool,
    /// Whether text after them is left out.
    pub is_cut_after: bool,
}

/// Cuts a text at the ends of the ranges. Text far to the left of the first range would be out of
/// sight, so it is left out.
pub fn marked_text<'t>(text: &'t [u8], ranges: &[Range<usize>]) -> MarkedText<'t> {
    let from = ranges.first().map_or(0, |first| first.start.saturating_sub(CONTEXT)).min(text.len());
    let end = text.len().min(from + DRAWN_MAX);
    let mut done = from;
    let mut pieces = Vec::new();
    for range in ranges {
        let (start, until) = (range.start.clamp(done, end), range.end.clamp(done, end));
        pieces.push((&text[done..start], false));
        pieces.push((&text[start..until], true));
        done = until;
    }
    pieces.push((&text[done..end], false));
    pieces.retain(|(bytes, _)| !bytes.is_empty());
    MarkedText { pieces, is_cut_before: from > 0, is_cut_after: end < text.len() }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::{String, ToString};
    use alloc::vec;

    use tabletop_keys::RowChoice;
    use tabletop_model::{Cell, ReadStats, escape};
    use tabletop_protocol::QueryChunk;

    use super::*;

    fn found(start: u32, end: u32) -> PatternMatch {
        PatternMatch { part: CellPart::Value, start, end }
    }

    fn shown(text: &str, ranges: &[Range<usize>]) -> String {
        let show = |(bytes, is_marked): (&[u8], bool)| {
            let text = escape(bytes);
            if is_marked { format!("[{text}]") } else { text }
        };
        marked_text(text.as_bytes(), ranges).pieces.into_iter().map(show).collect()
    }

    #[test]
    fn all_matches_are_marked() {
        assert_eq!(shown("a brand, a brand", &[2..7, 11..16]), "a [brand], a [brand]");
        assert_eq!(shown("ab", core::slice::from_ref(&(0..2))), "[ab]");
        let long = format!("{}x{}", "-".repeat(100), "y".repeat(1_000));
        assert_eq!(
            shown(&long, &[100..101, 600..601]),
            format!("{}[x]{}", "-".repeat(CONTEXT), "y".repeat(DRAWN_MAX - CONTEXT - 1))
        );
        assert_eq!(shown("ab", &[1..9, 12..14]), "a[b]", "beyond the end");
    }

    #[test]
    fn ranges_that_overlap_are_one() {
        let mut ranges = Vec::new();
        for one in [found(0, 0), found(1, 3), found(1, 2), found(2, 5), found(7, 8)] {
            push_range(&mut ranges, &one);
        }
        assert_eq!(ranges, [1..5, 7..8]);
    }

    fn answer(filter: Option<RowFilter>, keys: &[&str]) -> Rc<QueryResult> {
        let cell = |name: &str| Cell {
            family: "f".into(),
            qualifier: name.into(),
            timestamp: 0,
            value: "v".into(),
            label: None,
        };
        let rows =
            keys.iter().map(|key| Row { key: (*key).into(), cells: vec![cell("a"), cell("b")] }).collect();
        let query = Query { rows: RowChoice::All, filter, rows_limit: 0, reversed: false };
        let stats = ReadStats::default();
        let chunk =
            QueryChunk { rows, stats, ranges: 1, scans_more: false, elapsed_micros: 0, complete: true };
        Rc::new(QueryResult::default().again(&query).with(chunk))
    }

    #[test]
    fn only_drawn_cells_are_requested_and_only_once() {
        let mut book = MarkBook::default();
        let pattern = RowFilter::ValueRegex("v".into());
        book.follow(&answer(Some(pattern.clone()), &["a", "b", "c"]));
        let drawn = [(1, 1), (1, 0), (2, 0), (9, 9)];
        let (places, ask) = book.ask(drawn.into_iter()).expect("nothing is known");
        assert_eq!(places, [(1, 0), (1, 1), (2, 0)]);
        assert_eq!(
            ask.rows.iter().map(|row| (row.key.to_string(), row.cells.len())).collect::<Vec<_>>(),
            [("b".into(), 2), ("c".into(), 1)]
        );
        assert_eq!(book.ask([(0, 0)].into_iter()), None, "one at a time");
        let turn = book.turn;
        book.take(turn, places, Ok(Marks(vec![vec![vec![], vec![found(0, 1)]], vec![vec![found(0, 1)]]])));
        assert_eq!(
            (book.of((1, 0), CellPart::Value), book.of((1, 1), CellPart::Value)),
            (vec![], core::iter::once(0..1).collect())
        );
        assert!(book.of((1, 1), CellPart::Key).is_empty());
        assert_eq!(book.ask([(1, 0), (2, 0)].into_iter()), None, "they are known");
        // Another answer has other marks, and marks for the earlier one are ignored.
        let (places, _) = book.ask([(0, 0)].into_iter()).expect("it is new");
        let turn = book.turn;
        book.follow(&answer(Some(pattern), &["x"]));
        book.take(turn, places, Ok(Marks(vec![vec![vec![found(0, 1)]]])));
        assert!(book.of((0, 0), CellPart::Value).is_empty());
        book.follow(&answer(Some(RowFilter::CellsPerRowLimit(1)), &["x"]));
        assert_eq!(book.ask([(0, 0)].into_iter()), None, "no pattern, no marks");
    }
}
