//! Reads files, and converts those that the product's reader does not read today to files with the
//! same events that it reads.

use tabletop_keys::time::{self, DateFormat};
use tabletop_workload::{Events, Reader};
use tabletop_workspace::{Format, OnBadLine, OwnData};

use super::entry::{Needs, TimeUnit};
use super::table::Table;
use super::windows_1252;

/// What the product's reader made of a file.
#[derive(Debug)]
pub struct Reading {
    /// The events.
    pub events: Events,
    /// The number of lines that could not be read.
    pub bad_lines: u64,
    /// The reason why reading stopped before the end of the file.
    pub error: Option<String>,
}

/// Reads a file with the product's reader.
pub fn read(bytes: &[u8]) -> Reading {
    let own = OwnData {
        name: String::new(),
        format: Format::Detect,
        fields: Vec::new(),
        on_bad_line: OnBadLine::Skip,
        reading: Default::default(),
        content: None,
    };
    let mut reader = Reader::new(&own);
    let mut events = Events::default();
    let error = reader.feed(bytes, true, &mut events).err().map(|error| error.to_string());
    Reading { events, bad_lines: reader.bad_lines(), error }
}

/// Returns a file that the reader reads, with the events that it would read from `bytes` if it had
/// what it needs.
pub(super) fn converted(bytes: &[u8], needs: &Needs) -> Vec<u8> {
    let table = || Table::of(&read(bytes).events);
    match needs {
        Needs::Windows1252 => bytes.iter().map(|byte| windows_1252::decode(*byte)).collect::<String>().into(),
        Needs::Header(names) => {
            let header = Table { names: names.clone(), rows: Vec::new() };
            [header.to_csv(), bytes.to_vec()].concat()
        }
        Needs::Delimiter(delimiter) => {
            let text = String::from_utf8_lossy(bytes);
            assert!(!text.contains('\t'), "a file without tabs");
            text.replace(*delimiter, "\t").into()
        }
        Needs::Epoch { field, unit } => with_times(table(), field, |text| epoch(text, *unit)).to_csv(),
        Needs::Format { field, format } => {
            let format = DateFormat::new(format).expect("a format of times");
            with_times(table(), field, |text| format.parse(text)).to_csv()
        }
        Needs::Joined { name, fields, format } => {
            let mut table = table();
            let format = DateFormat::new(format).expect("a format of times");
            let columns: Vec<usize> = fields.iter().map(|field| table.index(field)).collect();
            table.names.push(name.clone());
            for row in &mut table.rows {
                let texts: Option<Vec<&str>> = columns.iter().map(|column| row[*column].as_deref()).collect();
                let joined = texts.map(|texts| texts.join(" "));
                row.push(joined);
            }
            with_times(table, name, |text| format.parse(text)).to_csv()
        }
    }
}

/// Writes the times of a field as ISO 8601.
///
/// # Panics
/// Panics if a text is not a time.
fn with_times(mut table: Table, field: &str, micros: impl Fn(&str) -> Option<i64>) -> Table {
    let column = table.index(field);
    for row in &mut table.rows {
        if let Some(text) = &mut row[column] {
            let instant = micros(text).unwrap_or_else(|| panic!("{field}: {text} is not a time"));
            *text = time::format(instant);
        }
    }
    table
}

/// Returns the microseconds since 1970 that a count means.
fn epoch(text: &str, unit: TimeUnit) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let whole: i64 = whole.parse().ok()?;
    match unit {
        TimeUnit::Seconds => {
            let digits: String = fraction.chars().chain("000000".chars()).take(6).collect();
            Some(whole * 1_000_000 + digits.parse::<i64>().ok()?)
        }
        TimeUnit::Nanoseconds => Some(whole / 1_000),
    }
}
