//! What separates the cells of a line.

use std::ops::Range;

use tabletop_keys::is_placeholder;

use super::start::Value;

/// The common delimiters, the most common first.
pub(super) const COMMON: [u8; 4] = [b',', b';', b'\t', b'|'];
/// One line in this many may have another number of cells.
const OTHERS_ONE_OF: usize = 5;

/// Between cells of which texts have quotes.
const QUOTED_SPACES: Delimiter = Delimiter::Byte(b' ');

/// What separates the cells of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delimiter {
    /// One character. A cell between quotes may contain it.
    Byte(u8),
    /// `::`.
    Colons,
    /// One or more spaces or tabs, as in tables whose columns are aligned.
    Spaces,
}

impl Delimiter {
    /// The delimiters of several characters. Their cells have no quotes.
    pub(super) const SEVERAL: [Delimiter; 2] = [Delimiter::Colons, Delimiter::Spaces];

    /// Returns the ranges of the cells of a line without quotes.
    pub(super) fn ranges(self, line: &str) -> Vec<Range<usize>> {
        let cells: Vec<&str> = match self {
            Delimiter::Byte(byte) => line.split(char::from(byte)).collect(),
            Delimiter::Colons => line.split("::").collect(),
            Delimiter::Spaces => line.split_ascii_whitespace().collect(),
        };
        let start = |cell: &str| cell.as_ptr() as usize - line.as_ptr() as usize;
        cells.into_iter().map(|cell| start(cell)..start(cell) + cell.len()).collect()
    }

    /// Returns the delimiter that is not a common one and divides these lines, the first of a file, alike.
    pub(super) fn unusual(lines: &[&[u8]]) -> Option<Delimiter> {
        let lines: Vec<&[u8]> = lines.iter().copied().filter(|line| !line.trim_ascii().is_empty()).collect();
        if is_quoted_table(&lines) {
            return Some(QUOTED_SPACES);
        }
        Delimiter::SEVERAL.into_iter().find(|delimiter| delimiter.divides(&lines))
    }

    /// Returns whether this delimiter, of several characters, divides nearly all lines into as many cells
    /// as the first one, or one more where a header has no name for the first column, with values among
    /// them, and no common delimiter does.
    fn divides(self, lines: &[&[u8]]) -> bool {
        let is_other =
            |line: &&[u8]| line.contains(&b'"') || line.starts_with(b"{") || line.starts_with(b"[");
        if lines.len() < 2 || lines.iter().any(is_other) {
            return false;
        }
        let is_common = |byte: &u8| {
            let width = cells(lines[0], Delimiter::Byte(*byte)).len();
            width > 1 && are_alike(lines, Delimiter::Byte(*byte), width)
        };
        let first = cells(lines[0], self).len();
        let alike = [first, first + 1].into_iter().find(|width| *width > 1 && are_alike(lines, self, *width));
        let Some(count) = alike.filter(|_| first > 1 && !COMMON.iter().any(is_common)) else { return false };
        // An address can have `::` as well, and sentences and times have spaces.
        let values_min = match self {
            _ if count == 2 => 2,
            Delimiter::Spaces => count.div_ceil(2),
            Delimiter::Colons | Delimiter::Byte(_) => 1,
        };
        let is_value = |text: &String| matches!(Value::of(text), Value::Number | Value::Time);
        let has_values = |line: &&&[u8]| {
            cells(line, self).iter().filter(|cell| is_value(cell)).count() >= values_min
                && Value::of(String::from_utf8_lossy(line).trim()) == Value::Text
        };
        // The first line may be a header.
        lines[1..].iter().filter(has_values).count() * 2 > lines.len() - 1
    }

    /// Says that a file has this delimiter.
    pub(super) fn note(self) -> &'static str {
        match self {
            Delimiter::Colons => "The columns are separated by ::, without quotes.",
            Delimiter::Spaces => "The columns are separated by spaces, without quotes.",
            Delimiter::Byte(_) => "The columns are separated by spaces, with quotes around texts.",
        }
    }
}

/// Returns whether nearly all lines below the first have this number of cells.
fn are_alike(lines: &[&[u8]], delimiter: Delimiter, width: usize) -> bool {
    let others = lines[1..].iter().filter(|line| cells(line, delimiter).len() != width).count();
    others * OTHERS_ONE_OF <= lines.len()
}

/// Returns whether nearly all lines have values and texts in quotes with one space between two, as R
/// writes them. The header may have no name for the first column.
fn is_quoted_table(lines: &[&[u8]]) -> bool {
    let [header, records @ ..] = lines else { return false };
    let width = |line: &[u8]| {
        let (mut quoted, mut width) = (false, 0);
        let parts = line.trim_ascii_end().split(|byte| {
            quoted ^= *byte == b'"';
            !quoted && *byte == b' '
        });
        for part in parts {
            let is_text = part.len() > 1 && part.starts_with(b"\"") && part.ends_with(b"\"");
            let text = String::from_utf8_lossy(part);
            let is_value = || {
                matches!(Value::of(&text), Value::Number | Value::Time)
                    || is_placeholder(&text)
                    || ["TRUE", "FALSE", "Inf", "-Inf"].contains(&&*text)
            };
            if !is_text && !is_value() {
                return 0;
            }
            width += 1;
        }
        width
    };
    let count = records.first().map_or(0, |record| width(record));
    let others = records.iter().filter(|record| width(record) != count).count();
    let names = width(header);
    count > 1
        && (names == count || names + 1 == count)
        && others * OTHERS_ONE_OF <= records.len()
        && lines.iter().any(|line| line.contains(&b'"'))
}

/// Returns the delimiter of a line such as `sep=;`, which spreadsheets write and read.
pub(super) fn separator_line(line: &[u8]) -> Option<Delimiter> {
    let line = line.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(line);
    let (name, rest) = line.split_at_checked(4)?;
    match rest {
        [delimiter] if name.eq_ignore_ascii_case(b"sep=") && delimiter.is_ascii() => {
            Some(Delimiter::Byte(*delimiter))
        }
        _ => None,
    }
}

/// Returns the most frequent delimiter in a line outside of quotes, or the comma if there is none.
pub(super) fn detect_delimiter(line: &[u8]) -> Delimiter {
    let mut counts = COMMON.map(|delimiter| (delimiter, 0));
    let mut quoted = false;
    for &byte in line {
        quoted ^= byte == b'"';
        if let Some((_, count)) = counts.iter_mut().find(|(delimiter, _)| !quoted && *delimiter == byte) {
            *count += 1;
        }
    }
    // The first one of equal counts wins; `max_by_key` would return the last.
    Delimiter::Byte(counts.iter().rev().max_by_key(|(_, count)| count).expect("four of them").0)
}

/// Returns the texts of the cells of a line, without quotes around them.
pub(super) fn cells(line: &[u8], delimiter: Delimiter) -> Vec<String> {
    let Delimiter::Byte(delimiter) = delimiter else {
        let text = String::from_utf8_lossy(line);
        return delimiter.ranges(&text).into_iter().map(|range| text[range].trim().to_owned()).collect();
    };
    let mut quoted = false;
    let parts = line.split(|byte| {
        quoted ^= *byte == b'"';
        !quoted && *byte == delimiter
    });
    let text = |part: &[u8]| String::from_utf8_lossy(part).trim().trim_matches('"').to_owned();
    parts.map(text).collect()
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
