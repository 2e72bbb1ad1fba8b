//! Flags for how a file is read where its bytes do not say it.

use std::path::PathBuf;

use clap::ValueEnum;
use tabletop_model::did_you_mean;
use tabletop_workload::choices;
use tabletop_workspace::{HeaderLine, NumberReading, Reading, TextEncoding, TimeZone};

/// The events of a command that reads a workspace.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct EventsOptions {
    /// File of events to use instead of the workspace's [default for a workspace with your own
    /// events: the file of that name in its folder]
    #[arg(long = "events", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadingOptions,
    /// Leave out records of the events that cannot be read, instead of failing
    #[arg(long)]
    pub(crate) allow_bad_records: bool,
}

/// What is otherwise detected in the bytes of a file of events, or saved in the workspace.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ReadingOptions {
    /// Encoding of the file: UTF-8, windows-1252, UTF-16LE, Shift_JIS, … [default: detected]
    #[arg(long, value_name = "NAME", value_parser = encoding)]
    encoding: Option<TextEncoding>,
    /// Whether the first line of a CSV file has the names of the columns [default: detected]
    #[arg(long, value_enum, value_name = "WHAT")]
    first_line: Option<FirstLine>,
    /// How numbers are read that can be 1234 or 1.234 [default: detected]
    #[arg(long, value_enum, value_name = "WHAT")]
    numbers: Option<Numbers>,
    /// Time zone of times without one: UTC, an offset such as +02:00, or a place such as
    /// Europe/Berlin [default: UTC]
    #[arg(long, value_name = "ZONE", value_parser = time_zone, allow_hyphen_values = true)]
    time_zone: Option<TimeZone>,
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
    /// Returns whether anything was chosen.
    pub(crate) fn is_any(&self) -> bool {
        self.encoding.is_some()
            || self.first_line.is_some()
            || self.numbers.is_some()
            || self.time_zone.is_some()
    }

    /// Returns what was chosen, and the rest as it is in `saved`.
    pub(crate) fn reading(&self, saved: Reading) -> Reading {
        let header = match self.first_line {
            None => saved.header,
            Some(FirstLine::Names) => HeaderLine::Present,
            Some(FirstLine::Record) => HeaderLine::Absent,
        };
        let numbers = match self.numbers {
            None => saved.numbers,
            Some(Numbers::Point) => NumberReading::Point,
            Some(Numbers::Comma) => NumberReading::Comma,
            Some(Numbers::AsWritten) => NumberReading::AsWritten,
        };
        let (encoding, zone) =
            (self.encoding.unwrap_or(saved.encoding), self.time_zone.unwrap_or(saved.zone));
        Reading { encoding, header, numbers, zone }
    }
}

/// Names the option that solves a problem of a file, if there is one.
pub(crate) fn with_option(message: &str) -> String {
    let options = [
        (choices::ENCODING, "--encoding"),
        (choices::FIRST_LINE, "--first-line"),
        (choices::NUMBERS, "--numbers"),
    ];
    match options.iter().find(|(choice, _)| message.contains(choice)) {
        Some((choice, option)) => message.replace(choice, &format!("{choice} ({option})")),
        None => message.to_owned(),
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
