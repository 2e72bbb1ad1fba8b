//! Flags for how a file is read where its bytes do not say it.

use clap::ValueEnum;
use tabletop_model::did_you_mean;
use tabletop_workspace::{HeaderLine, NumberReading, Reading, TextEncoding, TimeZone};

/// What is otherwise detected in the bytes of a file of events.
#[derive(Debug, clap::Args)]
pub(crate) struct ReadingOptions {
    /// Encoding of the file: UTF-8, windows-1252, UTF-16LE, Shift_JIS, … [default: detected]
    #[arg(long, value_name = "NAME", value_parser = encoding, default_value = "detect", hide_default_value = true)]
    encoding: TextEncoding,
    /// Whether the first line of a CSV file has the names of the columns [default: detected]
    #[arg(long, value_enum, value_name = "WHAT")]
    first_line: Option<FirstLine>,
    /// How numbers are read that can be 1234 or 1.234 [default: detected]
    #[arg(long, value_enum, value_name = "WHAT")]
    numbers: Option<Numbers>,
    /// Time zone of times without one: UTC, an offset such as +02:00, or a place such as
    /// Europe/Berlin
    #[arg(long, value_name = "ZONE", value_parser = time_zone, default_value = "UTC", allow_hyphen_values = true)]
    time_zone: TimeZone,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FirstLine {
    /// It has the names of the columns
    Names,
    /// It is a record: the columns are called column_1, column_2, …
    Record,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Numbers {
    /// 1,234 is 1234, and 1.234 has three decimals
    Point,
    /// 1.234 is 1234, and 1,234 has three decimals
    Comma,
    /// Texts stay as they are written: 12,5 is not a number
    AsWritten,
}

impl ReadingOptions {
    /// Returns what was chosen.
    pub(crate) fn reading(&self) -> Reading {
        let header = match self.first_line {
            None => HeaderLine::Detect,
            Some(FirstLine::Names) => HeaderLine::Present,
            Some(FirstLine::Record) => HeaderLine::Absent,
        };
        let numbers = match self.numbers {
            None => NumberReading::Detect,
            Some(Numbers::Point) => NumberReading::Point,
            Some(Numbers::Comma) => NumberReading::Comma,
            Some(Numbers::AsWritten) => NumberReading::AsWritten,
        };
        Reading { encoding: self.encoding, header, numbers, zone: self.time_zone }
    }
}

fn encoding(label: &str) -> Result<TextEncoding, String> {
    TextEncoding::of_label(label).ok_or_else(|| {
        let labels = TextEncoding::ALL.map(TextEncoding::label);
        format!("choose one of {}{}", labels.join(", "), did_you_mean(label, labels))
    })
}

fn time_zone(text: &str) -> Result<TimeZone, String> {
    TimeZone::new(text).map_err(|error| error.message)
}
