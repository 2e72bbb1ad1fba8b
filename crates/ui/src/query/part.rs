//! What a block of the filter can be told, as data: which fields it has, what stands in them, and the block that another
//! text in one of them makes.

use std::ops::Bound;

use tabletop_model::{Bytes, RowFilter, escape};

use super::notation::{Notation, bytes, decimal, micros, micros_text, pattern_text, whole};
use super::spot::End;
use crate::messages::messages;

/// One thing of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// An RE2 pattern.
    Pattern,
    /// The family of a column range.
    Family,
    /// What an end of a range is.
    Is(End),
    /// The bytes of an end of a range.
    Bound(End),
    /// From this time on.
    From,
    /// Before this time.
    Until,
    /// How many cells.
    Cells,
    /// The share of rows of a sample.
    Share,
    /// A label.
    Label,
    /// A bit mask.
    Mask,
}

impl Part {
    /// On the screen.
    pub fn title(self) -> &'static str {
        let parts = &messages().filter.parts;
        match self {
            Part::Pattern => parts.pattern,
            Part::Family => parts.family,
            Part::Is(end) => end.title_of_choice(),
            Part::Bound(end) => end.title(),
            Part::From => parts.from,
            Part::Until => parts.until,
            Part::Cells => parts.cells,
            Part::Share => parts.share,
            Part::Label => parts.label,
            Part::Mask => parts.mask,
        }
    }

    /// Behind the id of the block.
    pub fn id(self) -> &'static str {
        match self {
            Part::Pattern => "-pattern",
            Part::Family => "-family",
            Part::Is(End::Start) => "-start-is",
            Part::Is(End::End) => "-end-is",
            Part::Bound(End::Start) => "-start",
            Part::Bound(End::End) => "-end",
            Part::From => "-from",
            Part::Until => "-until",
            Part::Cells => "-cells",
            Part::Share => "-share",
            Part::Label => "-label",
            Part::Mask => "-mask",
        }
    }

    /// How its text is read.
    pub fn notation(self) -> Notation {
        match self {
            Part::Pattern => Notation::Pattern,
            Part::Family | Part::Is(_) | Part::Label => Notation::Text,
            Part::Bound(_) | Part::Mask => Notation::Bytes,
            Part::From | Part::Until => Notation::Micros,
            Part::Cells => Notation::Whole,
            Part::Share => Notation::Decimal,
        }
    }
}

/// The parts of a block that filters by itself, each with its text; a combination has none.
pub fn parts(block: &RowFilter) -> Vec<(Part, String)> {
    use RowFilter::{
        ApplyLabel, BlockAll, CellsPerColumnLimit, CellsPerRowLimit, CellsPerRowOffset, Chain, ColumnQualifierRegex, ColumnRange,
        Condition, FamilyNameRegex, Interleave, PassAll, RowKeyRegex, RowSample, Sink, StripValue, TimestampRange, ValueBitmask,
        ValueRange, ValueRegex,
    };
    let one = |part, text| vec![(part, text)];
    match block {
        RowKeyRegex(pattern) | ColumnQualifierRegex(pattern) | ValueRegex(pattern) => one(Part::Pattern, pattern_text(pattern)),
        FamilyNameRegex(pattern) => one(Part::Pattern, pattern.clone()),
        ColumnRange(range) => {
            let mut list = one(Part::Family, range.family.clone());
            list.extend(ends(&range.start, &range.end));
            list
        }
        ValueRange(range) => ends(&range.start, &range.end),
        TimestampRange(range) => vec![(Part::From, micros_text(range.start)), (Part::Until, micros_text(range.end))],
        CellsPerRowOffset(count) | CellsPerRowLimit(count) | CellsPerColumnLimit(count) => one(Part::Cells, count.to_string()),
        RowSample(share) => one(Part::Share, share.to_string()),
        ApplyLabel(label) => one(Part::Label, label.clone()),
        ValueBitmask(mask) => one(Part::Mask, escape(mask)),
        Chain(_) | Interleave(_) | Condition { .. } | Sink(_) | PassAll(_) | BlockAll(_) | StripValue(_) => Vec::new(),
    }
}

fn ends(start: &Bound<Bytes>, end: &Bound<Bytes>) -> Vec<(Part, String)> {
    let mut list = Vec::new();
    for (which, bound) in [(End::Start, start), (End::End, end)] {
        let (choice, bytes) = End::read(bound);
        list.push((Part::Is(which), which.choices()[choice].to_string()));
        list.extend(bytes.map(|bytes| (Part::Bound(which), escape(bytes))));
    }
    list
}

/// The block with another text in one part; nothing if the text does not read as one, or the block has no such part.
pub fn with_part(block: &RowFilter, part: Part, text: &str) -> Option<RowFilter> {
    use RowFilter::{
        ApplyLabel, CellsPerColumnLimit, CellsPerRowLimit, CellsPerRowOffset, ColumnQualifierRegex, ColumnRange, FamilyNameRegex,
        RowKeyRegex, RowSample, TimestampRange, ValueBitmask, ValueRange, ValueRegex,
    };
    let mut next = block.clone();
    match (&mut next, part) {
        (RowKeyRegex(pattern) | ColumnQualifierRegex(pattern) | ValueRegex(pattern), Part::Pattern) => *pattern = text.into(),
        (FamilyNameRegex(pattern), Part::Pattern) => *pattern = text.into(),
        (ColumnRange(range), Part::Family) => range.family = text.into(),
        (ColumnRange(range), part) => set_end(&mut range.start, &mut range.end, part, text)?,
        (ValueRange(range), part) => set_end(&mut range.start, &mut range.end, part, text)?,
        (TimestampRange(range), Part::From) => range.start = micros(text).ok()?,
        (TimestampRange(range), Part::Until) => range.end = micros(text).ok()?,
        (CellsPerRowOffset(count) | CellsPerRowLimit(count) | CellsPerColumnLimit(count), Part::Cells) => {
            *count = whole(text).ok()?;
        }
        (RowSample(share), Part::Share) => *share = decimal(text).ok()?,
        (ApplyLabel(label), Part::Label) => *label = text.into(),
        (ValueBitmask(mask), Part::Mask) => *mask = bytes(text).ok()?,
        _ => return None,
    }
    Some(next)
}

fn set_end(start: &mut Bound<Bytes>, end: &mut Bound<Bytes>, part: Part, text: &str) -> Option<()> {
    match part {
        Part::Is(End::Start) => *start = End::Start.with_choice(start, text),
        Part::Is(End::End) => *end = End::End.with_choice(end, text),
        Part::Bound(End::Start) => *start = End::with_text(start, text)?,
        Part::Bound(End::End) => *end = End::with_text(end, text)?,
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::filter::KINDS;
    use super::*;

    #[test]
    fn every_part_takes_its_own_text_and_is_not_changed_by_it() {
        for kind in &KINDS {
            let block = (kind.make)("f");
            for (part, text) in parts(&block) {
                assert_eq!(part.notation().canonical(&text), Ok(text.clone()), "{} {part:?}", kind.name);
                assert_eq!(with_part(&block, part, &text), Some(block.clone()), "{} {part:?}", kind.name);
            }
        }
    }

    #[test]
    fn a_text_makes_another_block() {
        let made = |text: &str, part, typed| {
            let block = RowFilter::parse(text).0.expect("the test's filter reads");
            with_part(&block, part, typed).map(|block| block.text())
        };
        let said = |text: &str| Some(text.to_string());
        assert_eq!(made("value_regex(\"a\")", Part::Pattern, "\\d+"), said("value_regex(r\"\\d+\")"));
        assert_eq!(made("column_range(\"f\")", Part::Is(End::Start), "after"), said("column_range(\"f\", start_open=\"\")"));
        assert_eq!(
            made("column_range(\"f\", start_open=\"a\")", Part::Bound(End::Start), "b\\x00"),
            said("column_range(\"f\", start_open=\"b\\x00\")")
        );
        assert_eq!(made("value_range(end=\"a\")", Part::Is(End::End), "to the last"), said("value_range()"));
        assert_eq!(made("timestamp_range(0)", Part::Until, "2019-05-28"), said("timestamp_range(0, 1559001600000000)"));
        assert_eq!(made("row_sample(0.5)", Part::Share, "half"), None);
        assert_eq!(made("pass_all", Part::Cells, "1"), None);
    }
}
