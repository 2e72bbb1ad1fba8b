//! Flags for how a file is read where its bytes do not say it.

use clap::ValueEnum;
use tabletop_model::did_you_mean;
use tabletop_workspace::{HeaderLine, Reading, TextEncoding};

/// What is otherwise detected in the bytes of a file of events.
#[derive(Debug, clap::Args)]
pub(crate) struct ReadingOptions {
    /// Encoding of the file: UTF-8, windows-1252, UTF-16LE, Shift_JIS, … [default: detected]
    #[arg(long, value_name = "NAME", value_parser = encoding, default_value = "detect", hide_default_value = true)]
    encoding: TextEncoding,
    /// Whether the first line of a CSV file has the names of the columns [default: detected]
    #[arg(long, value_enum, value_name = "WHAT")]
    first_line: Option<FirstLine>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FirstLine {
    /// It has the names of the columns
    Names,
    /// It is a record: the columns are called column_1, column_2, …
    Record,
}

impl ReadingOptions {
    /// Returns what was chosen.
    pub(crate) fn reading(&self) -> Reading {
        let header = match self.first_line {
            None => HeaderLine::Detect,
            Some(FirstLine::Names) => HeaderLine::Present,
            Some(FirstLine::Record) => HeaderLine::Absent,
        };
        Reading { encoding: self.encoding, header }
    }
}

fn encoding(label: &str) -> Result<TextEncoding, String> {
    TextEncoding::of_label(label).ok_or_else(|| {
        let labels = TextEncoding::ALL.map(TextEncoding::label);
        format!("choose one of {}{}", labels.join(", "), did_you_mean(label, labels))
    })
}
