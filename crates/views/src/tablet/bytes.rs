//! The bytes of a block in lines of 16, cut where the parts of the format end.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use tabletop_model::{BlockPage, PartKind};

/// Bytes in a line.
const LINE: usize = 16;

/// A line of bytes.
#[derive(Debug, PartialEq)]
pub struct BytesLine {
    /// The first byte.
    pub at: usize,
    /// The pieces of parts in it: the number of the part, if it is known, and its bytes.
    pub pieces: Vec<(Option<usize>, Range<usize>)>,
}

/// Cuts the shown bytes into lines, and lines where parts end.
pub fn lines_of(page: &BlockPage) -> Vec<BytesLine> {
    let mut part = 0;
    let line = |at: usize| {
        let end = (at + LINE).min(page.bytes.len());
        let (mut from, mut pieces) = (at, Vec::new());
        while from < end {
            while page.parts.get(part).is_some_and(|part| (part.at + part.length) as usize <= from) {
                part += 1;
            }
            let here = page.parts.get(part).filter(|part| part.at as usize <= from);
            let to = here.map_or(end, |part| end.min((part.at + part.length) as usize));
            pieces.push((here.map(|_| part), from..to));
            from = to;
        }
        BytesLine { at, pieces }
    };
    (0..page.bytes.len()).step_by(LINE).map(line).collect()
}

/// Writes bytes as numbers.
pub fn hex_bytes(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x} ")).collect()
}

/// Writes bytes as text, with a dot for a byte that is not a printable character.
pub fn ascii_bytes(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| if (0x20..0x7f).contains(byte) { char::from(*byte) } else { '·' }).collect()
}

/// Returns the number of the colour and the name of a kind.
pub fn group_of(kind: PartKind) -> usize {
    match kind {
        PartKind::RowCount
        | PartKind::KeysLength
        | PartKind::DataLength
        | PartKind::ColumnCount
        | PartKind::QualifierLength
        | PartKind::RestLength
        | PartKind::CellCount
        | PartKind::ValueLength => 0,
        PartKind::SharedLength => 1,
        PartKind::Key => 2,
        PartKind::Restart | PartKind::RowEnd => 3,
        PartKind::RowHead => 4,
        PartKind::Family | PartKind::Qualifier | PartKind::Column => 5,
        PartKind::BaseTime | PartKind::Time => 6,
        PartKind::Value | PartKind::Tokens => 7,
        PartKind::Word => 8,
        PartKind::Deletes | PartKind::Checksum => 9,
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use tabletop_model::BlockPart;
    use tabletop_texts::messages;

    use super::*;

    fn part(at: u32, length: u32) -> BlockPart {
        BlockPart { at, length, kind: PartKind::Key, text: String::new(), column: None }
    }

    #[test]
    fn lines_are_cut_where_parts_end() {
        let parts = vec![part(0, 3), part(3, 15), part(18, 1)];
        let page = BlockPage { bytes: vec![0; 20], total: 20, parts, ..BlockPage::default() };
        let pieces: Vec<_> = lines_of(&page).into_iter().map(|line| (line.at, line.pieces)).collect();
        let expected = [
            (0, vec![(Some(0), 0..3), (Some(1), 3..16)]),
            (16, vec![(Some(1), 16..18), (Some(2), 18..19), (None, 19..20)]),
        ];
        assert_eq!(pieces, expected, "the last byte is after the damage");
        assert_eq!(lines_of(&BlockPage::default()), []);
    }

    #[test]
    fn bytes_are_written_as_numbers_and_as_text() {
        assert_eq!(
            (hex_bytes(b"a\x00\xff"), ascii_bytes(b"a\x00~\x7f")),
            ("61 00 ff ".into(), "a·~·".into())
        );
    }

    #[test]
    fn each_kind_has_a_name_in_the_legend() {
        let kinds = [PartKind::RowCount, PartKind::SharedLength, PartKind::Word, PartKind::Checksum];
        assert_eq!(kinds.map(group_of), [0, 1, 8, messages().inside.bytes.groups.len() - 1]);
    }
}
