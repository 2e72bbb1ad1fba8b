//! The description of a set: one human-readable row after the rows of its events.

use tabletop_keys::{Field, FieldKind, time::DateFormat};
use tabletop_model::{Bytes, Cell, Code, Error, Mutation, Result, Row, RowKey, RowMutation};
use tabletop_protocol::LoadState;
use tabletop_workspace::{
    ContentDigest, Format, HeaderLine, LoadProblem, NumberReading, OnBadLine, OwnData, Reading, TextEncoding,
    TimeZone,
};

use super::{Set, foreign, set_cell};
use crate::load::Seen;

/// The version of the format of this row and of the events' rows.
const VERSION: &str = "1";
const ABOUT: &str = "about";
/// The column with the digest of the file. Sets of earlier builds do not have it.
const CONTENT: &str = "content";
const FIELD: &str = "field";
const PROBLEM: &str = "problem";

const FORMATS: [(Format, &str); 3] =
    [(Format::Detect, "detect"), (Format::Csv, "csv"), (Format::JsonLines, "json_lines")];
/// The columns with the choices about reading. Sets of earlier builds do not have them, and neither
/// has a set for which nothing was chosen.
const ENCODING: &str = "encoding";
const HEADER: &str = "header";
const NUMBERS: &str = "numbers";
const ZONE: &str = "zone";
const HEADERS: [(HeaderLine, &str); 3] =
    [(HeaderLine::Detect, "detect"), (HeaderLine::Present, "present"), (HeaderLine::Absent, "absent")];
const NUMBER_READINGS: [(NumberReading, &str); 4] = [
    (NumberReading::Detect, "detect"),
    (NumberReading::Point, "point"),
    (NumberReading::Comma, "comma"),
    (NumberReading::AsWritten, "as_written"),
];
const BAD_LINES: [(OnBadLine, &str); 2] = [(OnBadLine::Skip, "skip"), (OnBadLine::Stop, "stop")];
const KINDS: [(FieldKind, &str); 7] = [
    (FieldKind::Text, "text"),
    (FieldKind::Int, "int"),
    (FieldKind::Float, "float"),
    (FieldKind::Bool, "bool"),
    (FieldKind::Time, "time"),
    (FieldKind::Facets, "facets"),
    (FieldKind::Json, "json"),
];

/// All families except the family of the texts.
pub(super) const FAMILIES: [&str; 3] = [ABOUT, FIELD, PROBLEM];

/// Returns the key of the description. It sorts after the rows of all events, because a set never
/// has that many.
pub(super) fn key() -> RowKey {
    "about".into()
}

/// Returns the row that describes a set. It replaces the earlier one.
pub(super) fn write(set: &Set) -> RowMutation {
    let mut mutations = vec![Mutation::DeleteFromRow];
    let (state, message) = match &set.state {
        LoadState::Loaded => ("loaded", ""),
        LoadState::Cancelled => ("cancelled", ""),
        LoadState::Failed(error) => ("failed ", error.message.as_str()),
        LoadState::Loading | LoadState::Interrupted | LoadState::Awaited => ("loading", ""),
    };
    let about = [
        ("version", VERSION.into()),
        ("name", set.own.name.clone()),
        ("format", word_of(&FORMATS, set.own.format).into()),
        ("on_bad_line", word_of(&BAD_LINES, set.own.on_bad_line).into()),
        ("state", format!("{state}{message}")),
        ("events", set.events.to_string()),
        ("bytes", set.seen.bytes.to_string()),
        ("bad_lines", set.seen.bad_lines.to_string()),
    ];
    mutations.extend(about.iter().map(|(name, text)| set_cell(ABOUT, name.as_bytes(), text)));
    mutations.extend(set.own.content.map(|content| set_cell(ABOUT, CONTENT.as_bytes(), &content.text())));
    mutations.extend(reading_cells(set.own.reading));
    let indices = || (0_u16..).map(u16::to_be_bytes);
    for (index, Field { name, kind, format }) in indices().zip(&set.own.fields) {
        mutations.push(set_cell(FIELD, &index, &format!("{} {name}", word_of(&KINDS, *kind))));
        if let Some(format) = format {
            mutations.push(set_cell(ABOUT, &time_format(&index), format.as_str()));
        }
    }
    for (index, LoadProblem { line, column, message, lost }) in indices().zip(&set.seen.problems) {
        if !lost {
            mutations.push(set_cell(ABOUT, &note(&index), ""));
        }
        mutations.push(set_cell(PROBLEM, &index, &format!("{line} {column} {message}")));
    }
    RowMutation { key: key(), mutations }
}

/// Returns the cells of what was chosen.
fn reading_cells(reading: Reading) -> impl Iterator<Item = Mutation> {
    let Reading { encoding, header, numbers, zone } = reading;
    let cells = [
        (encoding != TextEncoding::Detect).then(|| (ENCODING, encoding.label().to_owned())),
        (header != HeaderLine::Detect).then(|| (HEADER, word_of(&HEADERS, header).to_owned())),
        (numbers != NumberReading::Detect).then(|| (NUMBERS, word_of(&NUMBER_READINGS, numbers).to_owned())),
        (zone != TimeZone::Utc).then(|| (ZONE, zone.to_string())),
    ];
    cells.into_iter().flatten().map(|(name, text)| set_cell(ABOUT, name.as_bytes(), &text))
}

/// Reads the description of the set with this number.
///
/// # Errors
/// `FailedPrecondition` for a row of a newer build, `DataLoss` for an invalid one.
pub(super) fn read(number: u32, row: &Row) -> Result<Set> {
    let version =
        row.cells.iter().find(|cell| cell.qualifier.0 == b"version").and_then(|cell| text(&cell.value));
    match version {
        Some(VERSION) => set_of(number, row).ok_or_else(|| foreign("the row that describes the events")),
        Some(other) => Err(Error::new(
            Code::FailedPrecondition,
            format!(
                "these events were stored by a newer build (version {other}, this one reads {VERSION}): reload the page"
            ),
        )),
        None => Err(foreign("the row that describes the events")),
    }
}

fn set_of(number: u32, row: &Row) -> Option<Set> {
    let cells = |family: &'static str| row.cells.iter().filter(move |cell| cell.family == family);
    let about = |name: &str| {
        cells(ABOUT).find(|cell| cell.qualifier.0 == name.as_bytes()).and_then(|cell| text(&cell.value))
    };
    let field = |cell: &Cell| {
        let (kind, name) = text(&cell.value)?.split_once(' ')?;
        let format = cells(ABOUT).find(|other| other.qualifier.0 == time_format(&cell.qualifier));
        let format = format.map(|format| DateFormat::new(text(&format.value)?).ok());
        Some(Field {
            format: format.map_or(Some(None), |read| read.map(Some))?,
            ..Field::new(name, meaning_of(&KINDS, kind)?)
        })
    };
    let bad_lines: u64 = about("bad_lines")?.parse().ok()?;
    let problem = |cell: &Cell| {
        let mut parts = text(&cell.value)?.splitn(3, ' ');
        let (line, column) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        // Sets of earlier builds do not mark notes. If no lines were lost, all problems are notes.
        let lost = bad_lines > 0 && !cells(ABOUT).any(|other| other.qualifier.0 == note(&cell.qualifier));
        Some(LoadProblem { line, column, message: parts.next()?.into(), lost })
    };
    let own = OwnData {
        name: about("name")?.into(),
        format: meaning_of(&FORMATS, about("format")?)?,
        fields: cells(FIELD).map(field).collect::<Option<_>>()?,
        on_bad_line: meaning_of(&BAD_LINES, about("on_bad_line")?)?,
        reading: Reading {
            encoding: about(ENCODING).map_or(Some(TextEncoding::Detect), TextEncoding::of_label)?,
            header: about(HEADER).map_or(Some(HeaderLine::Detect), |word| meaning_of(&HEADERS, word))?,
            numbers: about(NUMBERS)
                .map_or(Some(NumberReading::Detect), |word| meaning_of(&NUMBER_READINGS, word))?,
            zone: about(ZONE).map_or(Some(TimeZone::Utc), |text| TimeZone::new(text).ok())?,
        },
        content: match about(CONTENT) {
            Some(text) => Some(ContentDigest::new(text).ok()?),
            None => None,
        },
    };
    let state = match about("state")?.split_once(' ').unwrap_or((about("state")?, "")) {
        ("loading", _) => LoadState::Loading,
        ("loaded", _) => LoadState::Loaded,
        ("cancelled", _) => LoadState::Cancelled,
        ("failed", message) => LoadState::Failed(Error::invalid(message)),
        _ => return None,
    };
    let problems = cells(PROBLEM).map(problem).collect::<Option<_>>()?;
    let seen = Seen { bytes: about("bytes")?.parse().ok()?, bad_lines, problems };
    Some(Set { number, own, trouble: None, events: about("events")?.parse().ok()?, state, seen })
}

/// Returns the column with the time format of the field with this qualifier.
fn time_format(field: &[u8]) -> Vec<u8> {
    [b"time_format ", field].concat()
}

/// Returns the column that marks the problem with this qualifier as a note.
fn note(problem: &[u8]) -> Vec<u8> {
    [b"note ", problem].concat()
}

fn text(bytes: &Bytes) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

fn word_of<T: Copy + PartialEq>(words: &[(T, &'static str)], meaning: T) -> &'static str {
    words.iter().find(|(known, _)| *known == meaning).map_or("", |(_, word)| word)
}

fn meaning_of<T: Copy>(words: &[(T, &'static str)], word: &str) -> Option<T> {
    words.iter().find(|(_, known)| *known == word).map(|(meaning, _)| *meaning)
}
