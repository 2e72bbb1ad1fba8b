//! The lines before the first record of a CSV file: which delimiter it has, what is skipped, and
//! whether there is a header.

use tabletop_keys::{Field, is_placeholder, time};
use tabletop_workspace::HeaderLine;

use super::super::log::choices;
use super::super::numbers::{DecimalMark, plain};
use super::delimiter::{Delimiter, cells, detect_delimiter, separator_line};
use super::directives::Directives;
use super::titles::{self, HeaderFit};

/// The number of lines that are compared with the first one.
const LINES_COMPARED: usize = 10;
/// The bytes in which these lines are searched.
pub(super) const LINES_BYTES_MAX: usize = 1 << 20;
/// A row of numbers of at least this length that rise evenly, such as years, is a header.
const EVEN_MIN: usize = 3;

/// The number of changes between letters, digits and other characters that show the form of a line.
const FORM_LENGTH: usize = 12;
/// The maximum number of characters of a title that a note shows.
const TITLE_SHOWN: usize = 40;

/// How a CSV file begins.
pub(in super::super) struct CsvStart {
    /// The delimiter.
    pub(super) delimiter: Delimiter,
    /// Whether the first line has the names of the columns.
    pub(super) has_header: bool,
    /// The lines that begin with `#`, if they name the columns.
    pub(super) directives: Option<Directives>,
    /// How the names of the header belong to the columns.
    pub(super) fit: HeaderFit,
    /// The number of bytes before the first line.
    pub(in super::super) used: usize,
    /// Whether the header begins with `#`, so that lines below it that do so, too, are no records.
    pub(super) comments_follow: bool,
    /// What was detected and is not self-evident.
    pub(in super::super) notes: Vec<String>,
}

impl CsvStart {
    /// Reads the start of a file. Returns `None` if more bytes are needed.
    pub(in super::super) fn of(
        text: &[u8],
        last: bool,
        header: HeaderLine,
        given: &[Field],
    ) -> Option<CsvStart> {
        let lines = Lines { text, last };
        let (mut used, mut named) = (0, None);
        let mut line = lines.at(0)?;
        if let Some(delimiter) = separator_line(line.text) {
            (used, named) = (line.next, Some(delimiter));
            line = lines.not_blank_at(used)?;
            used = line.start;
        }
        // A `#` may begin a comment, and it may begin a header.
        let mut above = Vec::new();
        while line.text.starts_with(b"#") && line.next < text.len() {
            above.push(line);
            line = lines.not_blank_at(line.next)?;
        }
        let comments: Vec<&[u8]> = above.iter().map(|line| line.text).collect();
        if let Some(start) = directives(&comments, &line, last, header) {
            return start;
        }
        if line.text.starts_with(b"#") && !last {
            return None;
        }
        let (skipped, mut has_names) = (!above.is_empty(), false);
        if skipped {
            let delimiter = if named.is_none() { named.or(lines.unusual_delimiter(&line)?) } else { named };
            let names = above_columns(&above, line.text, delimiter).filter(|_| header != HeaderLine::Absent);
            has_names = names.is_some();
            used = names.map_or(line.start, |names| names.start + names.text.len() - bare(names.text).len());
            line = lines.at(used)?;
        }
        let unusual = if named.is_none() { lines.unusual_delimiter(&line)? } else { None };
        let named = named.or(unusual);
        let mut delimiter = named.unwrap_or_else(|| detect_delimiter(line.text));
        let table = titles::find(&lines, line.start, named, delimiter, given, header != HeaderLine::Absent)?;
        let mut titles = None;
        if let Some(table) = table {
            titles =
                (table.titles > 0).then(|| titles_note(table.titles, &cells(line.text, table.delimiter)));
            line = lines.at(table.start)?;
            (used, delimiter) = (table.start, table.delimiter);
        }
        let fit = table.map_or(HeaderFit::Same, |table| table.fit);
        let has_header = match header {
            HeaderLine::Present => true,
            HeaderLine::Detect if fit != HeaderFit::Same => true,
            HeaderLine::Absent => false,
            HeaderLine::Detect => !lines.is_record(&line, delimiter, given)?,
        };
        let note = match (has_header, header) {
            (false, HeaderLine::Detect) => {
                let names = match cells(line.text, delimiter).len() {
                    1 => "The field is called column_1.".to_owned(),
                    count => format!("The fields are called column_1 to column_{count}."),
                };
                Some(format!(
                    "The first line is read as a record, because its values are of the same kinds as those below it. {names} If that is wrong, {}.",
                    choices::FIRST_LINE
                ))
            }
            _ if skipped => Some("The lines that begin with # are comments, and are skipped.".to_owned()),
            _ => None,
        };
        let separated = unusual.map(|delimiter| delimiter.note().to_owned());
        let fitted = fit.note().map(str::to_owned);
        let notes = titles.into_iter().chain(separated).chain(fitted).chain(note).collect();
        let comments_follow = has_names;
        Some(CsvStart { delimiter, has_header, directives: None, fit, used, comments_follow, notes })
    }
}

/// Returns how a log begins whose lines with `#` name its columns: `Some(None)` if more bytes are
/// needed, and `None` if the file is not such a log.
fn directives(
    comments: &[&[u8]],
    below: &Line<'_>,
    last: bool,
    header: HeaderLine,
) -> Option<Option<CsvStart>> {
    // A log may have no records yet.
    let is_empty = below.text.is_empty() || below.text.starts_with(b"#");
    let at_end = below.text.starts_with(b"#").then_some(below.text);
    let line = if is_empty { b"" } else { below.text };
    let directives = Directives::of(comments.iter().copied().chain(at_end), line)?;
    if is_empty && !last {
        return Some(None);
    }
    let line = line.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    let count = if directives.has_quotes() {
        cells(line.trim_ascii_end(), Delimiter::Byte(directives.delimiter)).len()
    } else {
        line.split(|byte| *byte == directives.delimiter).count()
    };
    if header == HeaderLine::Absent || !is_empty && count != directives.names.len() {
        return None;
    }
    let used = if is_empty { below.next } else { below.start };
    let notes = vec![directives.note().to_owned()];
    let (delimiter, fit) = (Delimiter::Byte(directives.delimiter), HeaderFit::Same);
    Some(Some(CsvStart {
        delimiter,
        has_header: true,
        directives: Some(directives),
        fit,
        used,
        comments_follow: false,
        notes,
    }))
}

/// Says which lines are above the table.
fn titles_note(count: usize, first: &[String]) -> String {
    let text: String = first.join(" ").trim().chars().take(TITLE_SHOWN).collect();
    if count == 1 {
        format!("The line \"{text}\" above the table is a title, and not read as a record.")
    } else {
        format!("The {count} lines above the table, from \"{text}\" on, are titles, and not read as records.")
    }
}

/// The lines of the start of a file.
pub(super) struct Lines<'t> {
    pub(super) text: &'t [u8],
    pub(super) last: bool,
}

#[derive(Clone, Copy)]
pub(super) struct Line<'t> {
    pub(super) start: usize,
    pub(super) text: &'t [u8],
    /// The start of the next line.
    pub(super) next: usize,
}

impl<'t> Lines<'t> {
    /// Returns the line at this position, which ends outside of quotes; `None` if its end has not
    /// arrived.
    pub(super) fn at(&self, start: usize) -> Option<Line<'t>> {
        let rest = &self.text[start..];
        let (mut quoted, is_comment) = (false, rest.starts_with(b"#"));
        let end = rest.iter().take(LINES_BYTES_MAX).position(|byte| {
            quoted ^= *byte == b'"' && !is_comment;
            !quoted && matches!(byte, b'\n' | b'\r')
        });
        match end {
            Some(end) => Some(Line { start, text: &rest[..end], next: start + end + 1 }),
            None if self.last || rest.len() >= LINES_BYTES_MAX => {
                let end = rest.len().min(LINES_BYTES_MAX);
                Some(Line { start, text: &rest[..end], next: self.text.len() })
            }
            None => None,
        }
    }

    /// Returns the next line that is not empty, from this position on.
    pub(super) fn not_blank_at(&self, start: usize) -> Option<Line<'t>> {
        let blank = self.text[start..].iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
        self.at(start + blank)
    }

    /// Returns the delimiter that is not a common one and divides the first lines alike: `Some(None)` if
    /// there is none, `None` if more bytes are needed.
    fn unusual_delimiter(&self, first: &Line<'t>) -> Option<Option<Delimiter>> {
        if !Delimiter::SEVERAL.iter().any(|delimiter| cells(first.text, *delimiter).len() > 1) {
            return Some(None);
        }
        let (mut texts, mut next) = (vec![first.text], first.next);
        while texts.len() < LINES_COMPARED && next < first.next + LINES_BYTES_MAX {
            if next >= self.text.len() && self.last {
                break;
            }
            let line = self.not_blank_at(next)?;
            next = line.next;
            texts.push(line.text);
        }
        Some(Delimiter::unusual(&texts))
    }

    /// Returns whether the first line, which has no delimiter, is one of a log: it has numbers and
    /// other characters in the same form as the line below it. `None` if more bytes are needed.
    fn is_line_of_log(&self, first: &Line<'t>) -> Option<bool> {
        let of_first = form(first.text);
        if of_first.len() < FORM_LENGTH || !of_first.contains(&b'0') {
            return Some(false);
        }
        if self.last && first.next >= self.text.len() {
            return Some(false);
        }
        Some(form(self.not_blank_at(first.next)?.text) == of_first)
    }

    /// Returns whether the first line is a record: its values are of the same kinds as those below
    /// it. `None` if more bytes are needed.
    fn is_record(&self, first: &Line<'t>, delimiter: Delimiter, given: &[Field]) -> Option<bool> {
        let top = cells(first.text, delimiter);
        if top.len() == 1 && Value::of(&top[0]) == Value::Text {
            return self.is_line_of_log(first);
        }
        // The first column of a header may have no name, as that of a pivot table. A record may lack
        // any value but its first.
        if top.iter().all(|cell| cell.is_empty() || Value::of(cell) == Value::Text)
            || top[0].is_empty()
            || given.iter().any(|field| top.contains(&field.name))
            || rises_evenly(&top)
        {
            return Some(false);
        }
        let mut below = Vec::new();
        let mut next = first.next;
        while below.len() < LINES_COMPARED && next < first.next + LINES_BYTES_MAX {
            if next >= self.text.len() && self.last {
                break;
            }
            let line = self.not_blank_at(next)?;
            next = line.next;
            below.push(cells(line.text, delimiter));
        }
        below.retain(|cells| cells.len() == top.len());
        // Among names and other years, a year is the name of a column.
        let has_years = top.iter().filter(|cell| is_year(cell)).count() > 1
            || top.iter().any(|cell| Value::of(cell) == Value::Text);
        Some(!below.is_empty() && (0..top.len()).all(|column| is_alike(&top, &below, column, has_years)))
    }
}

/// Returns how a text is made of words, numbers and other characters, up to a length.
fn form(text: &[u8]) -> Vec<u8> {
    let class = |byte: &u8| match byte {
        b'0'..=b'9' => b'0',
        byte if byte.is_ascii_alphabetic() || !byte.is_ascii() => b'a',
        byte => *byte,
    };
    let mut form: Vec<u8> = text.iter().map(class).collect();
    form.dedup();
    form.truncate(FORM_LENGTH);
    form
}

/// The kind of a value: enough to tell a record from a line of column names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Absent,
    Number,
    Time,
    Text,
}

impl Value {
    pub(super) fn of(text: &str) -> Value {
        let is_number = |text: &str| {
            let starts = |first: char| first.is_ascii_digit() || matches!(first, '-' | '+' | '.' | ',');
            text.starts_with(starts) && text.replace(',', ".").parse::<f64>().is_ok()
                || [DecimalMark::Point, DecimalMark::Comma].iter().any(|mark| plain(text, *mark).is_some())
        };
        if is_placeholder(text) {
            Value::Absent
        } else if is_number(text) {
            Value::Number
        } else if time::parse(text).is_some() || !time::DateFormat::guesses(text).is_empty() {
            Value::Time
        } else {
            Value::Text
        }
    }
}

/// Returns whether the value in this column of the first line is of the kind of those below it, and a
/// year only if they are years, where the first line may have years.
fn is_alike(top: &[String], below: &[Vec<String>], column: usize, has_years: bool) -> bool {
    let text = &top[column];
    let values = || below.iter().map(|cells| cells[column].as_str()).filter(|text| !is_placeholder(text));
    match Value::of(text) {
        Value::Absent => true,
        // A name above numbers is the name of a column.
        Value::Text => values().next().is_none() || values().any(|text| Value::of(text) == Value::Text),
        kind => {
            values().all(|other| Value::of(other) == kind && (!has_years || !is_year(text) || is_year(other)))
        }
    }
}

fn is_year(text: &str) -> bool {
    text.len() == 4 && text.parse::<u32>().is_ok_and(|year| (1800..2200).contains(&year))
}

/// Returns whether the numbers among these texts are several, and rise by the same step, as years
/// do.
fn rises_evenly(texts: &[String]) -> bool {
    let numbers: Vec<f64> = texts.iter().filter_map(|text| text.parse().ok()).collect();
    numbers.len() >= EVEN_MIN
        && numbers[1] > numbers[0]
        && numbers.windows(2).all(|pair| pair[1] - pair[0] == numbers[1] - numbers[0])
}

/// Returns the line with the names of the columns, among lines `above` a record that begin with `#`: the
/// last one, or the one before it where the last has their units, which occur again.
fn above_columns<'t>(above: &[Line<'t>], record: &[u8], delimiter: Option<Delimiter>) -> Option<Line<'t>> {
    let names = |line: &Line| names_columns(line.text, record, delimiter);
    let has_equal = |line: &Line| {
        let mut names = cells(bare(line.text), delimiter.unwrap_or_else(|| detect_delimiter(record)));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        names.len() < count
    };
    let (last, others) = above.split_last()?;
    let before = others.last().filter(|before| has_equal(last) && names(before) && !has_equal(before));
    names(last).then(|| *before.unwrap_or(last))
}

/// Returns a line without the `#` at its start.
fn bare(line: &[u8]) -> &[u8] {
    &line[line.iter().take_while(|byte| matches!(byte, b'#' | b' ')).count()..]
}

/// Returns whether a line that begins with `#` has the names of the columns: the line below it has
/// as many cells, and values among them.
fn names_columns(comment: &[u8], below: &[u8], delimiter: Option<Delimiter>) -> bool {
    let delimiter = delimiter.unwrap_or_else(|| detect_delimiter(below));
    let (names, values) = (cells(bare(comment), delimiter), cells(below, delimiter));
    let is_value = |text: &String| matches!(Value::of(text), Value::Number | Value::Time);
    names.len() == values.len() && names.len() > 1 && values.iter().any(is_value)
}
