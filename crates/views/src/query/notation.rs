//! The notations of the fields of a query, and their values.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};

use tabletop_keys::{BOX_DEPTH_MAX, time};
use tabletop_model::{Bytes, Problem, RowFilter, Span, escape, unescape};
use tabletop_texts::messages;

/// How the text of a field is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// The text unchanged.
    Text,
    /// Bytes: text with `\n`, `\r`, `\t`, `\\` and `\xHH`.
    Bytes,
    /// Bytes, one string per line; empty lines are skipped.
    Lines,
    /// An RE2 pattern, which has other escapes.
    Pattern,
    /// A whole number of 32 bits.
    Whole,
    /// A limit of rows, not negative; an empty text is 0.
    Limit,
    /// A decimal number.
    Decimal,
    /// A depth of quarters; an empty text means no depth.
    Depth,
    /// The timestamp of a cell: ISO 8601, or a whole number of microseconds; an empty text is 0.
    Micros,
    /// The time of an event, as `keys` reads it; an empty text means no bound.
    Time,
    /// A filter; an empty text means no filter.
    Filter,
}

impl Notation {
    /// Returns the canonical text of the value of a text: texts of equal values give equal results.
    ///
    /// # Errors
    /// The problems of the text with their positions; at least one.
    pub fn canonical(self, text: &str) -> Result<String, Vec<Problem>> {
        if self == Notation::Filter {
            let (filter, mut problems) = RowFilter::parse(text);
            // The engine would refuse the filter.
            problems.extend(
                filter
                    .as_ref()
                    .and_then(|filter| filter.validate().err())
                    .map(|error| everything(text, &error.message)),
            );
            let text = filter.as_ref().map(RowFilter::text).unwrap_or_default();
            return if problems.is_empty() { Ok(text) } else { Err(problems) };
        }
        self.one(text).map_err(|problem| vec![problem])
    }

    fn one(self, text: &str) -> Result<String, Problem> {
        Ok(match self {
            Notation::Text | Notation::Pattern | Notation::Filter => text.to_string(),
            Notation::Bytes => escape(&bytes(text)?),
            Notation::Lines => join_lines(&lines(text)?),
            Notation::Whole => whole(text)?.to_string(),
            Notation::Limit => limit(text)?.to_string(),
            Notation::Decimal => decimal(text)?.to_string(),
            Notation::Depth => depth(text, BOX_DEPTH_MAX)?.map(|depth| depth.to_string()).unwrap_or_default(),
            Notation::Micros => micros_text(micros(text)?),
            Notation::Time => event_time(text)?,
        })
    }
}

/// Reads bytes.
///
/// # Errors
/// A backslash does not start a known escape.
pub fn bytes(text: &str) -> Result<Bytes, Problem> {
    unescape(text).map(Bytes).map_err(|at| bad_escape(text, at, 0))
}

/// Reads one string of bytes per line that is not empty.
///
/// # Errors
/// A backslash does not start a known escape.
pub fn lines(text: &str) -> Result<Vec<Bytes>, Problem> {
    let mut keys = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        let key = unescape(line).map_err(|at| bad_escape(line, at, start))?;
        if !key.is_empty() {
            keys.push(Bytes(key));
        }
        start += line.len() + 1;
    }
    Ok(keys)
}

/// Writes keys as text, one per line.
pub fn join_lines(keys: &[Bytes]) -> String {
    keys.iter().map(|key| escape(key)).collect::<Vec<_>>().join("\n")
}

/// A whole number of 32 bits.
///
/// # Errors
/// The text is not a whole number of 32 bits.
pub fn whole(text: &str) -> Result<i32, Problem> {
    text.trim().parse().map_err(|_| everything(text, messages().query.not_whole))
}

/// Reads a limit of rows; 0 is no limit.
///
/// # Errors
/// The text is not a valid limit.
pub fn limit(text: &str) -> Result<u64, Problem> {
    let digits: String = text.trim().chars().filter(|c| *c != ',').collect();
    if digits.is_empty() {
        return Ok(0);
    }
    digits.parse().map_err(|_| everything(text, messages().query.not_a_limit))
}

/// A decimal number.
///
/// # Errors
/// The text is not a number.
pub fn decimal(text: &str) -> Result<f64, Problem> {
    let number = text.trim().parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| everything(text, messages().query.not_a_number))
}

/// Reads a depth of quarters; an empty text gives `None`.
///
/// # Errors
/// The text is not a whole number, or exceeds `most`.
pub fn depth(text: &str, most: u8) -> Result<Option<u8>, Problem> {
    match text.trim() {
        "" => Ok(None),
        digits => match digits.parse() {
            Ok(depth) if depth <= most => Ok(Some(depth)),
            _ => Err(everything(text, &(messages().query.boxes.not_a_depth)(most))),
        },
    }
}

/// Reads the timestamp of a cell in microseconds; an empty text is 0.
///
/// # Errors
/// The text is not a time.
pub fn micros(text: &str) -> Result<i64, Problem> {
    let text = text.trim();
    match text.parse() {
        _ if text.is_empty() => Ok(0),
        Ok(micros) => Ok(micros),
        Err(_) => time::parse(text).ok_or_else(|| everything(text, messages().query.not_a_cell_time)),
    }
}

/// Writes the text of [`micros`]: the shortest exact ISO 8601, else the number.
pub fn micros_text(micros: i64) -> String {
    if micros == 0 {
        return String::new();
    }
    let iso = time::format(micros);
    if time::parse(&iso) != Some(micros) {
        return micros.to_string();
    }
    match iso.strip_suffix("T00:00:00.000Z").or(iso.strip_suffix(".000Z")) {
        Some(short) => short.into(),
        None => iso,
    }
}

/// Returns the text, if it is a time.
///
/// # Errors
/// The text is not a time.
fn event_time(text: &str) -> Result<String, Problem> {
    if text.is_empty() || time::parse(text).is_some() {
        return Ok(text.to_string());
    }
    Err(everything(text, messages().query.not_an_event_time))
}

/// Returns a pattern as text. Bytes that are not text become `\xHH`, which RE2 reads as these
/// bytes.
pub fn pattern_text(pattern: &[u8]) -> String {
    let mut text = String::with_capacity(pattern.len());
    for chunk in pattern.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

/// Returns the position of a byte, such as `line 2, character 5`, both from 1; without the line if
/// the text has only one.
pub fn place(text: &str, offset: u32) -> String {
    let before = text.get(..offset as usize).unwrap_or(text);
    let character = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
    if text.contains('\n') {
        (messages().query.line_and_character)(before.matches('\n').count() + 1, character)
    } else {
        (messages().query.character)(character)
    }
}

fn bad_escape(text: &str, at: usize, start: usize) -> Problem {
    let shown: String = text[at..].chars().take(if text[at..].starts_with("\\x") { 4 } else { 2 }).collect();
    let span = Span { start: (start + at) as u32, end: (start + at + shown.len()) as u32 };
    Problem { span, message: (messages().query.bad_escape)(&shown) }
}

fn everything(text: &str, message: &str) -> Problem {
    Problem { span: Span { start: 0, end: text.len() as u32 }, message: message.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_texts_of_one_value_are_shown_alike() {
        assert_eq!(Notation::Bytes.canonical("\\x61\\x00"), Ok("a\\x00".into()));
        assert_eq!(Notation::Lines.canonical("a\n\nb\\n\n"), Ok("a\nb\\n".into()));
        assert_eq!(Notation::Whole.canonical(" 07"), Ok("7".into()));
        assert_eq!(Notation::Limit.canonical("1,000"), Ok("1000".into()));
        assert_eq!(Notation::Limit.canonical(""), Ok("0".into()));
        assert_eq!(Notation::Decimal.canonical(".50"), Ok("0.5".into()));
        assert_eq!(Notation::Micros.canonical("2019-05-28"), Ok("2019-05-28".into()));
        assert_eq!(Notation::Micros.canonical("1559001600000000"), Ok("2019-05-28".into()));
        assert_eq!(Notation::Micros.canonical("2019-05-28T02:04:34+02"), Ok("2019-05-28T00:04:34".into()));
        assert_eq!(
            Notation::Micros.canonical("2019-05-28T00:04:34.5"),
            Ok("2019-05-28T00:04:34.500Z".into())
        );
        assert_eq!(Notation::Micros.canonical("1559001600000001"), Ok("1559001600000001".into()));
        assert_eq!(Notation::Micros.canonical("0"), Ok("".into()));
        assert_eq!(Notation::Pattern.canonical("\\d+\\"), Ok("\\d+\\".into()));
    }

    #[test]
    fn a_filter_that_the_engine_refuses_is_not_right() {
        let refused = Notation::Filter.canonical("chain(pass_all)").unwrap_err();
        assert!(
            refused[0]
                .message
                .starts_with("Error in field 'chain' : Chain must contain at least two filters"),
            "{refused:?}"
        );
        assert!(Notation::Filter.canonical("chain(pass_all, block_all)").is_ok());
    }

    #[test]
    fn a_problem_says_where_it_is() {
        let problem = lines("ab\nc\\q").unwrap_err();
        assert_eq!(
            (problem.span, place("ab\nc\\q", problem.span.start).as_str()),
            (Span { start: 4, end: 6 }, "line 2, character 2")
        );
        assert!(problem.message.starts_with("\\q is not an escape"));
        assert_eq!(place("\u{e9}\\x4", bytes("\u{e9}\\x4").unwrap_err().span.start), "character 2");
        for (notation, text) in [
            (Notation::Whole, "1.5"),
            (Notation::Whole, ""),
            (Notation::Limit, "-1"),
            (Notation::Decimal, "inf"),
            (Notation::Micros, "yesterday"),
            (Notation::Time, "2019-13-01"),
        ] {
            assert!(notation.canonical(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_pattern_of_any_bytes_has_a_text() {
        assert_eq!(pattern_text(b"a\\d\xff."), "a\\d\\xff.");
    }
}
