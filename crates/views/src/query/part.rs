//! The fields of a block as data: their texts, and the block with another text in one of them.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Bound;

use tabletop_model::{Bytes, RowFilter, escape};
use tabletop_texts::messages;

use super::notation::{Notation, bytes, decimal, micros, micros_text, pattern_text, whole};
use super::range_end::RangeEnd;

/// One field of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockPart {
    /// An RE2 pattern.
    Pattern,
    /// The family of a column range.
    Family,
    /// The kind of an end of a range.
    Is(RangeEnd),
    /// The bytes of an end of a range.
    Bound(RangeEnd),
    /// The time from which cells are returned.
    From,
    /// The time before which cells are returned.
    Until,
    /// The number of cells.
    Cells,
    /// The share of rows of a sample.
    Share,
    /// A label.
    Label,
    /// A bit mask.
    Mask,
}

impl BlockPart {
    /// Returns the displayed name.
    pub fn title(self) -> &'static str {
        let parts = &messages().filter.parts;
        match self {
            BlockPart::Pattern => parts.pattern,
            BlockPart::Family => parts.family,
            BlockPart::Is(end) => end.title_of_choice(),
            BlockPart::Bound(end) => end.title(),
            BlockPart::From => parts.from,
            BlockPart::Until => parts.until,
            BlockPart::Cells => parts.cells,
            BlockPart::Share => parts.share,
            BlockPart::Label => parts.label,
            BlockPart::Mask => parts.mask,
        }
    }

    /// Returns the suffix of the field's id after the id of the block.
    pub fn id(self) -> &'static str {
        match self {
            BlockPart::Pattern => "-pattern",
            BlockPart::Family => "-family",
            BlockPart::Is(RangeEnd::Start) => "-start-is",
            BlockPart::Is(RangeEnd::End) => "-end-is",
            BlockPart::Bound(RangeEnd::Start) => "-start",
            BlockPart::Bound(RangeEnd::End) => "-end",
            BlockPart::From => "-from",
            BlockPart::Until => "-until",
            BlockPart::Cells => "-cells",
            BlockPart::Share => "-share",
            BlockPart::Label => "-label",
            BlockPart::Mask => "-mask",
        }
    }

    /// Returns the notation of its text.
    pub fn notation(self) -> Notation {
        match self {
            BlockPart::Pattern => Notation::Pattern,
            BlockPart::Family | BlockPart::Is(_) | BlockPart::Label => Notation::Text,
            BlockPart::Bound(_) | BlockPart::Mask => Notation::Bytes,
            BlockPart::From | BlockPart::Until => Notation::Micros,
            BlockPart::Cells => Notation::Whole,
            BlockPart::Share => Notation::Decimal,
        }
    }
}

/// Returns the fields of a block with their texts. A combination has none.
pub fn parts(block: &RowFilter) -> Vec<(BlockPart, String)> {
    use RowFilter::{
        ApplyLabel, BlockAll, CellsPerColumnLimit, CellsPerRowLimit, CellsPerRowOffset, Chain,
        ColumnQualifierRegex, ColumnRange, Condition, FamilyNameRegex, Interleave, PassAll, RowKeyRegex,
        RowSample, Sink, StripValue, TimestampRange, ValueBitmask, ValueRange, ValueRegex,
    };
    let one = |part, text| vec![(part, text)];
    match block {
        RowKeyRegex(pattern) | ColumnQualifierRegex(pattern) | ValueRegex(pattern) => {
            one(BlockPart::Pattern, pattern_text(pattern))
        }
        FamilyNameRegex(pattern) => one(BlockPart::Pattern, pattern.clone()),
        ColumnRange(range) => {
            let mut list = one(BlockPart::Family, range.family.clone());
            list.extend(ends(&range.start, &range.end));
            list
        }
        ValueRange(range) => ends(&range.start, &range.end),
        TimestampRange(range) => {
            vec![(BlockPart::From, micros_text(range.start)), (BlockPart::Until, micros_text(range.end))]
        }
        CellsPerRowOffset(count) | CellsPerRowLimit(count) | CellsPerColumnLimit(count) => {
            one(BlockPart::Cells, count.to_string())
        }
        RowSample(share) => one(BlockPart::Share, share.to_string()),
        ApplyLabel(label) => one(BlockPart::Label, label.clone()),
        ValueBitmask(mask) => one(BlockPart::Mask, escape(mask)),
        Chain(_) | Interleave(_) | Condition { .. } | Sink(_) | PassAll(_) | BlockAll(_) | StripValue(_) => {
            Vec::new()
        }
    }
}

fn ends(start: &Bound<Bytes>, end: &Bound<Bytes>) -> Vec<(BlockPart, String)> {
    let mut list = Vec::new();
    for (which, bound) in [(RangeEnd::Start, start), (RangeEnd::End, end)] {
        let (choice, bytes) = RangeEnd::read(bound);
        list.push((BlockPart::Is(which), which.choices()[choice].to_string()));
        list.extend(bytes.map(|bytes| (BlockPart::Bound(which), escape(bytes))));
    }
    list
}

/// Returns the block with another text in one field; `None` if the text is invalid or the block has
/// no such field.
pub fn with_part(block: &RowFilter, part: BlockPart, text: &str) -> Option<RowFilter> {
    use RowFilter::{
        ApplyLabel, CellsPerColumnLimit, CellsPerRowLimit, CellsPerRowOffset, ColumnQualifierRegex,
        ColumnRange, FamilyNameRegex, RowKeyRegex, RowSample, TimestampRange, ValueBitmask, ValueRange,
        ValueRegex,
    };
    let mut next = block.clone();
    match (&mut next, part) {
        (RowKeyRegex(pattern) | ColumnQualifierRegex(pattern) | ValueRegex(pattern), BlockPart::Pattern) => {
            *pattern = text.into();
        }
        (FamilyNameRegex(pattern), BlockPart::Pattern) => *pattern = text.into(),
        (ColumnRange(range), BlockPart::Family) => range.family = text.into(),
        (ColumnRange(range), part) => set_end(&mut range.start, &mut range.end, part, text)?,
        (ValueRange(range), part) => set_end(&mut range.start, &mut range.end, part, text)?,
        (TimestampRange(range), BlockPart::From) => range.start = micros(text).ok()?,
        (TimestampRange(range), BlockPart::Until) => range.end = micros(text).ok()?,
        (
            CellsPerRowOffset(count) | CellsPerRowLimit(count) | CellsPerColumnLimit(count),
            BlockPart::Cells,
        ) => {
            *count = whole(text).ok()?;
        }
        (RowSample(share), BlockPart::Share) => *share = decimal(text).ok()?,
        (ApplyLabel(label), BlockPart::Label) => *label = text.into(),
        (ValueBitmask(mask), BlockPart::Mask) => *mask = bytes(text).ok()?,
        _ => return None,
    }
    Some(next)
}

fn set_end(start: &mut Bound<Bytes>, end: &mut Bound<Bytes>, part: BlockPart, text: &str) -> Option<()> {
    match part {
        BlockPart::Is(RangeEnd::Start) => *start = RangeEnd::Start.with_choice(start, text),
        BlockPart::Is(RangeEnd::End) => *end = RangeEnd::End.with_choice(end, text),
        BlockPart::Bound(RangeEnd::Start) => *start = RangeEnd::with_text(start, text)?,
        BlockPart::Bound(RangeEnd::End) => *end = RangeEnd::with_text(end, text)?,
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
        assert_eq!(made("value_regex(\"a\")", BlockPart::Pattern, "\\d+"), said("value_regex(r\"\\d+\")"));
        assert_eq!(
            made("column_range(\"f\")", BlockPart::Is(RangeEnd::Start), "after"),
            said("column_range(\"f\", start_open=\"\")")
        );
        assert_eq!(
            made("column_range(\"f\", start_open=\"a\")", BlockPart::Bound(RangeEnd::Start), "b\\x00"),
            said("column_range(\"f\", start_open=\"b\\x00\")")
        );
        assert_eq!(
            made("value_range(end=\"a\")", BlockPart::Is(RangeEnd::End), "to the last"),
            said("value_range()")
        );
        assert_eq!(
            made("timestamp_range(0)", BlockPart::Until, "2019-05-28"),
            said("timestamp_range(0, 1559001600000000)")
        );
        assert_eq!(made("row_sample(0.5)", BlockPart::Share, "half"), None);
        assert_eq!(made("pass_all", BlockPart::Cells, "1"), None);
    }
}
