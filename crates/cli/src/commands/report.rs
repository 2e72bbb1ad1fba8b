//! What the reports of several commands have in common.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use clap::ValueEnum;
use serde::Serialize;
use tabletop_views::markdown;

use super::style::{BAD, GOOD};
use super::{Failure, Result, counted};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for the terminal
    Table,
    /// JSON for programs
    Json,
    /// Markdown, for example for a code review
    Markdown,
}

impl Format {
    /// Prints a report in this format.
    pub(crate) fn print(
        self,
        report: &impl Serialize,
        text: impl FnOnce() -> String,
        markdown: impl FnOnce() -> String,
    ) -> Result<()> {
        let printed = match self {
            Format::Table => anstream::stdout().write_all(text().as_bytes()),
            Format::Json => io::stdout().write_all(json(report).as_bytes()),
            Format::Markdown => io::stdout().write_all(markdown().as_bytes()),
        };
        printed.map_err(|error| Failure::of("the output cannot be written", &error))
    }
}

/// Returns the failure of a report in which this many limits are violated.
pub(crate) fn missed(limits: usize) -> Result<()> {
    match limits as u64 {
        0 => Ok(()),
        count => Err(Failure::No(counted(count, "limit is violated", "limits are violated"))),
    }
}

/// The lines below the tables of a report.
pub(crate) struct Verdict {
    /// Remarks that are not failures.
    pub(crate) remarks: Vec<String>,
    /// One line for each failure.
    pub(crate) failures: Vec<String>,
    /// What is written if nothing failed.
    pub(crate) success: &'static str,
}

impl Verdict {
    /// Formats the lines for a terminal, with styles.
    pub(crate) fn text(&self) -> String {
        let mut out: String = self.remarks.iter().map(|line| format!("{line}\n")).collect();
        for line in &self.failures {
            writeln!(out, "{BAD}{line}{BAD:#}").expect("writing to a string cannot fail");
        }
        if self.failures.is_empty() {
            writeln!(out, "{GOOD}{}{GOOD:#}", self.success).expect("writing to a string cannot fail");
        }
        out
    }

    /// Formats the lines as Markdown.
    pub(crate) fn markdown(&self) -> String {
        let failures = self.failures.iter().map(|line| format!("- **{}**\n", markdown::text(line)));
        let mut out: String = list(&self.remarks) + &failures.collect::<String>();
        if self.failures.is_empty() {
            out += &format!("- {}\n", self.success);
        }
        out
    }
}

/// Returns lines as a list in Markdown.
pub(crate) fn list(lines: &[String]) -> String {
    lines.iter().map(|line| format!("- {}\n", markdown::text(line))).collect()
}

/// Formats a report for programs.
pub(crate) fn json(report: &impl Serialize) -> String {
    serde_json::to_string_pretty(report).expect("plain data with texts as keys") + "\n"
}
