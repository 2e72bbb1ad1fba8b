//! Events written as CSV: RFC 4180, and common variants (other delimiters and line ends, no header
//! line, lines before the header).

mod delimiter;
mod directives;
mod start;
mod titles;
mod totals;

use std::ops::Range;

use tabletop_keys::{Field, FieldKind, thousands};
use tabletop_model::Result;

use super::join::Join;
use super::log::choices;
use super::output::{FIELDS_MAX, Output};
use super::read::BYTE_ORDER_MARK;
use delimiter::Delimiter;
use directives::Directives;
pub(super) use start::CsvStart;
use titles::HeaderFit;
use totals::Totals;

/// Reads CSV record by record. An empty line is not a record. An empty cell without quotes is
/// absent.
#[derive(Clone, Debug)]
pub(super) struct Csv {
    delimiter: Delimiter,
    /// Whether the first line has the names of the columns.
    has_header: bool,
    /// The lines that begin with `#`, if they name the columns.
    directives: Option<Directives>,
    /// Whether lines with `#` between the header and the first record are no records.
    comments_follow: bool,
    fit: HeaderFit,
    given: Vec<Field>,
    /// The number of columns in the header; 0 before it is read.
    columns: usize,
    /// The names of the columns in the first directives.
    first_names: Vec<String>,
    /// The column of each cell of a record, if later directives name other columns than the first.
    places: Option<Vec<Option<usize>>>,
    /// The current record: its cells, the start of the last one, and the number of bytes scanned.
    cells: Vec<Cell>,
    cell_start: usize,
    scanned: usize,
    state: CellState,
    /// Whether there was a record below the header. (Events may have been removed since.)
    has_records: bool,
    totals: Totals,
    /// The header line, and whether a record is like it.
    header_line: Vec<u8>,
    has_header_again: bool,
    /// Whether some line had only delimiters.
    has_blank_records: bool,
    /// Whether the current record is too long, so that the rest of its line is dropped.
    skipping: bool,
}

#[derive(Clone, Debug)]
struct Cell {
    /// The range within the record, without quotes.
    range: Range<usize>,
    quoted: bool,
    /// Whether the cell has doubled quotes.
    escaped: bool,
}

/// The position of the next byte within a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CellState {
    /// At the start of a cell.
    Start,
    /// In a cell without quotes; quotes within it are text.
    Plain,
    /// Between quotes.
    Quoted { escaped: bool },
    /// After a quote that ends the cell, unless it is doubled.
    Quote { escaped: bool },
}

/// How the scan of a record ended.
enum Scan {
    /// The record ends at this offset, before its line end.
    Record(usize),
    /// Text follows a closing quote at this offset.
    AfterQuote(usize),
    /// The end of the record has not arrived yet.
    More,
}

impl Csv {
    pub(super) fn new(start: CsvStart, given: Vec<Field>) -> Self {
        Csv {
            delimiter: start.delimiter,
            has_header: start.has_header,
            directives: start.directives,
            comments_follow: start.comments_follow,
            fit: start.fit,
            given,
            columns: 0,
            first_names: Vec::new(),
            places: None,
            cells: Vec::new(),
            cell_start: 0,
            scanned: 0,
            state: CellState::Start,
            has_records: false,
            totals: Totals::default(),
            header_line: Vec::new(),
            has_header_again: false,
            has_blank_records: false,
            skipping: false,
        }
    }

    /// Reads the next record of `rest`. Returns the number of bytes read, or 0 if it needs more.
    pub(super) fn step(&mut self, rest: &[u8], last: bool, out: &mut Output<'_>) -> Result<usize> {
        if self.columns == 0
            && let Some(directives) = &self.directives
        {
            self.first_names.clone_from(&directives.names);
            let names = directives.names.iter().map(|name| (0, name.clone())).collect();
            self.header(names, b"", out)?;
        }
        if self.skipping {
            let end = line_end(rest);
            self.skipping = end.is_none();
            return Ok(end.map_or(rest.len(), |end| end + 1));
        }
        if self.scanned == 0 && matches!(rest.first(), None | Some(b'\n' | b'\r')) {
            if rest.is_empty() && last && self.columns > 0 && !self.has_records && out.log.bad_lines == 0 {
                out.note(rest, 0, "There is a header line and no record below it.");
            }
            if rest.is_empty()
                && last
                && let Some((position, message)) = self.totals.end()
            {
                out.log.note(position, message);
            }
            return Ok(rest.len().min(1));
        }
        // Files were joined that each begin with a byte order mark.
        if self.scanned == 0 && self.columns > 0 && rest.starts_with(BYTE_ORDER_MARK) {
            return Ok(BYTE_ORDER_MARK.len());
        }
        if self.scanned == 0 && self.columns > 0 && !last && BYTE_ORDER_MARK.starts_with(rest) {
            return Ok(0);
        }
        if self.scanned == 0
            && rest[0] == b'#'
            && self.comments_follow
            && !self.has_records
            && self.columns > 0
        {
            self.skipping = true;
            return self.step(rest, last, out);
        }
        if self.scanned == 0 && rest[0] == b'#' && self.directives.is_some() {
            return Ok(self.directive(rest, last, out));
        }
        match self.scan(&rest[..rest.len().min(out.record_bytes_max)]) {
            Scan::Record(end) => {
                self.finish(rest, end, out)?;
                // The second character of a two-character line end is skipped as an empty line.
                Ok(end + 1)
            }
            Scan::AfterQuote(at) => {
                let opened = self.cell_start;
                // A quote that is meant as text opens a cell, and the next quote, some lines below,
                // closes it.
                let (at, message) = match line_end(&rest[opened..at]) {
                    Some(_) => (
                        opened,
                        "The quote that opens here ends on a later line, with text after it: close it here, or double the quotes within the cell.",
                    ),
                    None => (
                        at,
                        "There is text after the closing quote of this cell: double the quotes within it.",
                    ),
                };
                self.give_up(rest, last, at, out, message)
            }
            Scan::More
                if rest.len() > out.record_bytes_max && !matches!(self.state, CellState::Quoted { .. }) =>
            {
                if self.columns == 0 {
                    return Err(out.fatal(rest, 0, "The header line does not end. Is this a text file?"));
                }
                out.too_long(rest)?;
                Ok(self.skip_line(rest))
            }
            Scan::More
                if rest.len() > out.record_bytes_max
                    || (last && matches!(self.state, CellState::Quoted { .. })) =>
            {
                let opened = self.cell_start;
                self.give_up(
                    rest,
                    true,
                    opened,
                    out,
                    "The quote that opens here is never closed: close it, or double it within a cell.",
                )
            }
            Scan::More if last => {
                let state = self.state;
                self.end_cell(state, rest.len());
                self.finish(rest, rest.len(), out)?;
                Ok(rest.len())
            }
            Scan::More => Ok(0),
        }
    }

    /// Scans to the end of the record, or of `rest`.
    fn scan(&mut self, rest: &[u8]) -> Scan {
        let mut at = self.scanned;
        // A line with a delimiter of several characters is one cell here, which is divided later.
        let delimiter = if let Delimiter::Byte(byte) = self.delimiter { byte } else { b'\n' };
        while at < rest.len() {
            let byte = rest[at];
            let ends = byte == delimiter || byte == b'\n' || byte == b'\r';
            match self.state {
                CellState::Start if byte == b'"' && self.has_quotes() => {
                    self.state = CellState::Quoted { escaped: false }
                }
                CellState::Quoted { escaped } => {
                    let quote = rest[at..].iter().position(|&byte| byte == b'"');
                    at += quote.unwrap_or(rest.len() - at);
                    if quote.is_some() {
                        self.state = CellState::Quote { escaped };
                    }
                }
                CellState::Quote { .. } if byte == b'"' => self.state = CellState::Quoted { escaped: true },
                CellState::Quote { .. } if !ends => {
                    self.scanned = at;
                    return Scan::AfterQuote(at);
                }
                state if ends => {
                    self.end_cell(state, at);
                    if matches!(byte, b'\n' | b'\r') {
                        return Scan::Record(at);
                    }
                    self.cell_start = at + 1;
                    self.state = CellState::Start;
                }
                _ => {
                    self.state = CellState::Plain;
                    let plain = rest[at..]
                        .iter()
                        .position(|&byte| byte == delimiter || byte == b'\n' || byte == b'\r');
                    at += plain.unwrap_or(rest.len() - at);
                    continue;
                }
            }
            at += 1;
        }
        self.scanned = rest.len();
        Scan::More
    }

    fn end_cell(&mut self, state: CellState, at: usize) {
        let cell = match state {
            CellState::Quote { escaped } | CellState::Quoted { escaped } => {
                Cell { range: self.cell_start + 1..at - 1, quoted: true, escaped }
            }
            CellState::Start | CellState::Plain => {
                Cell { range: self.cell_start..at, quoted: false, escaped: false }
            }
        };
        self.cells.push(cell);
    }

    fn reset(&mut self) {
        self.cells.clear();
        self.cell_start = 0;
        self.scanned = 0;
        self.state = CellState::Start;
    }

    /// Reports a record with unbalanced quotes. Its end is unknown, so the lines after its first
    /// one are read again.
    fn give_up(
        &mut self,
        rest: &[u8],
        last: bool,
        at: usize,
        out: &mut Output<'_>,
        message: &str,
    ) -> Result<usize> {
        if self.columns == 0 {
            return Err(out.fatal(rest, at, message));
        }
        if line_end(rest).is_none() && !last && rest.len() <= out.record_bytes_max {
            return Ok(0);
        }
        out.bad(rest, at, message)?;
        Ok(self.skip_line(rest))
    }

    /// Returns the number of bytes to the end of the first line of `rest`, or all of them if the
    /// end has not arrived.
    fn skip_line(&mut self, rest: &[u8]) -> usize {
        self.reset();
        let end = line_end(rest);
        self.skipping = end.is_none();
        end.map_or(rest.len(), |end| end + 1)
    }

    /// Adds the record `[0, end)`, whose cells are known.
    fn finish(&mut self, rest: &[u8], end: usize, out: &mut Output<'_>) -> Result<()> {
        let taken = self.take(&rest[..end], out);
        self.reset();
        taken
    }

    /// Returns whether cells may be in quotes.
    fn has_quotes(&self) -> bool {
        !Delimiter::SEVERAL.contains(&self.delimiter)
            && self.directives.as_ref().is_none_or(Directives::has_quotes)
    }

    /// Reads a line between records that begins with `#`. Returns the number of bytes read, or 0 if
    /// its end has not arrived.
    fn directive(&mut self, rest: &[u8], last: bool, out: &mut Output<'_>) -> usize {
        let limited = &rest[..rest.len().min(out.record_bytes_max)];
        let (end, is_whole) = (line_end(limited), last && limited.len() == rest.len());
        let Some(directives) = self.directives.as_mut().filter(|_| end.is_some() || is_whole) else {
            return if limited.len() < rest.len() { self.skip_line(rest) } else { 0 };
        };
        let line = &rest[..end.unwrap_or(rest.len())];
        let before = directives.names.clone();
        directives.read(line);
        if directives.names != before {
            let first_names = &self.first_names;
            let place = |name: &String| first_names.iter().position(|first| first == name);
            let places: Vec<Option<usize>> = directives.names.iter().map(place).collect();
            let unknown: Vec<&str> = directives
                .names
                .iter()
                .zip(&places)
                .filter(|(_, place)| place.is_none())
                .map(|(name, _)| name.as_str())
                .collect();
            let message = if unknown.is_empty() {
                "From here on, the columns are in another order or fewer.".to_owned()
            } else {
                format!(
                    "From here on, there are columns that the first lines do not name, and that are not read: {}.",
                    unknown.join(", ")
                )
            };
            out.note(rest, 0, message);
            self.places = Some(places);
        }
        end.map_or(rest.len(), |end| end + 1)
    }

    fn take(&mut self, record: &[u8], out: &mut Output<'_>) -> Result<()> {
        let text = match std::str::from_utf8(record) {
            Ok(text) => text,
            Err(error) if self.columns == 0 => {
                return Err(out.fatal(
                    record,
                    error.valid_up_to(),
                    &format!("This is not UTF-8: {}, or save it as UTF-8.", choices::ENCODING),
                ));
            }
            Err(error) => return out.not_utf8(record, error.valid_up_to()),
        };
        if Delimiter::SEVERAL.contains(&self.delimiter) {
            let plain = |range| Cell { range, quoted: false, escaped: false };
            self.cells = self.delimiter.ranges(text).into_iter().map(plain).collect();
            if self.cells.is_empty() {
                return Ok(());
            }
        }
        if self.columns == 0 {
            let names = self.cells.iter().map(|cell| (cell.range.start, unescape(&text[cell.range.clone()])));
            self.header(self.fit.apply(names.collect()), record, out)?;
            if self.has_header {
                self.header_line = record.to_vec();
                return Ok(());
            }
        }
        // Files were joined.
        if self.columns > 1 && record == self.header_line {
            if !std::mem::replace(&mut self.has_header_again, true) {
                out.note(
                    record,
                    0,
                    "The header occurs again from here on: such lines are not read as records.",
                );
            }
            return Ok(());
        }
        self.has_records = true;
        // Some programs end each line with a space.
        if self.delimiter == Delimiter::Byte(b' ')
            && self.cells.last().is_some_and(|cell| cell.range.is_empty() && !cell.quoted)
        {
            self.cells.pop();
        }
        let (count, columns) = (self.cells.len(), self.places.as_ref().map_or(self.columns, Vec::len));
        if count != columns {
            let at = self.cells.get(columns).map_or(record.len(), |extra| extra.range.start);
            let plural = if count == 1 { "" } else { "s" };
            let first = if self.has_header { "the header" } else { "the first" };
            let message = format!(
                "This line has {count} column{plural} and {first} {columns}: add or remove delimiters, or quote the cell."
            );
            return out.bad(record, at, message);
        }
        if columns > 1
            && self.cells.iter().all(|cell| !cell.quoted && text[cell.range.clone()].trim().is_empty())
        {
            if !std::mem::replace(&mut self.has_blank_records, true) {
                out.note(record, 0, "This line has only delimiters: such lines are read as empty lines.");
            }
            return Ok(());
        }
        let position = out.position;
        if self.totals.see(self.cells.iter().map(|cell| &text[cell.range.clone()]), || position) {
            let message = "This line is a total of the lines above it, and not read as a record.";
            return out.bad(record, 0, message);
        }
        let escaped = self.cells.iter().filter(|cell| cell.escaped);
        let unescaped: Vec<String> = escaped.map(|cell| unescape(&text[cell.range.clone()])).collect();
        let mut next_unescaped = unescaped.iter();
        let directives = self.directives.as_ref();
        let mut values = self.cells.iter().map(|Cell { range, quoted, escaped }| {
            let value = if *escaped {
                next_unescaped.next().map(String::as_str)
            } else {
                (*quoted || !range.is_empty()).then(|| &text[range.clone()])
            };
            let value = match directives {
                Some(of) if !quoted && value == Some(of.unset.as_str()) => None,
                Some(of) if value.is_some() && value == of.empty.as_deref() => Some(""),
                _ => value,
            };
            value.map(|value| (range.start, value))
        });
        let Some(places) = &self.places else { return out.push(record, values) };
        let mut placed = vec![None; self.columns];
        for place in places {
            let value = values.next().flatten();
            if let Some(at) = place {
                placed[*at] = value;
            }
        }
        out.push(record, placed.into_iter())
    }

    /// Adds a field for each of these names, which are at these offsets in `line`.
    fn header(&mut self, names: Vec<(usize, String)>, line: &[u8], out: &mut Output<'_>) -> Result<()> {
        self.columns = names.len();
        if self.delimiter == Delimiter::Byte(b';') {
            out.detector.set_semicolons();
        }
        if self.columns > FIELDS_MAX {
            let message = format!(
                "The header has {} columns, more than the limit of {}: remove some.",
                thousands(self.columns as u64),
                thousands(FIELDS_MAX as u64)
            );
            return Err(out.fatal(line, 0, &message));
        }
        for (index, (at, name)) in names.into_iter().enumerate() {
            let numbered = format!("column_{}", index + 1);
            let name = if self.has_header { name.trim() } else { &numbered };
            // There are as many fields as before: they are the same columns, which the user may
            // have renamed.
            let given = if self.given.len() == self.columns {
                self.given.get(index)
            } else {
                self.given.iter().find(|field| field.name == name)
            };
            if let Some(field) = given.filter(|field| !out.has_field(&field.name)) {
                out.add_field(field.clone(), true);
                continue;
            }
            let unique = if name.is_empty() { out.unused_name(&numbered) } else { out.unused_name(name) };
            if name.is_empty() {
                out.note(line, at, format!("This column has no name: it gets the name `{unique}`."));
            } else if unique != name {
                let message =
                    format!("An earlier column is called `{name}` too: this one gets the name `{unique}`.");
                out.note(line, at, message);
            }
            let kind = self.directives.as_ref().and_then(|directives| directives.kind(index));
            out.add_field(Field::new(unique, kind.unwrap_or(FieldKind::Text)), kind.is_some());
        }
        // Fields of an earlier reading may have the time of two columns.
        let join = self.given.iter().find_map(|field| {
            let is_new = !out.has_field(&field.name);
            let fields = out.events.fields();
            Some((field, Join::given(field, fields.len(), fields).filter(|_| is_new)?))
        });
        if let Some((field, _)) = join {
            out.add_field(field.clone(), true);
        }
        out.detector.may_join(join.map(|(_, join)| join));
        Ok(())
    }
}

fn line_end(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'))
}

fn unescape(text: &str) -> String {
    text.replace("\"\"", "\"")
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
