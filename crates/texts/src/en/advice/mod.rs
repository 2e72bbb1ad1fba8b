//! Judgements as sentences: warnings and their fixes, the verdict, diagnoses of traffic, the cost of the parts of a key.

mod chips;
mod diagnoses;
mod fixes;
mod keys;
mod layouts;
mod patterns;
mod salts;
#[cfg(test)]
mod tests;
mod values;
mod verdict;

use alloc::format;
use alloc::string::String;

use tabletop_schema::{Cause, ChipCost, Diagnosis, Explanation, FixKind, Verdict};

use super::numbers::thousands;

/// Renders judgements, which are data in `schema`.
pub struct Advice {
    /// The problem of a warning and its remedy.
    pub warning: fn(&Cause) -> String,
    /// What the loaded events show of it.
    pub evidence: fn(&Cause) -> String,
    /// What explains a verdict.
    pub explanation: fn(&Explanation) -> String,
    /// The label of a button that changes a design.
    pub fix: fn(&FixKind) -> String,
    /// A verdict in one sentence.
    pub headline: fn(&Verdict) -> String,
    /// A second sentence about idle tablets.
    pub note: fn(&Verdict) -> Option<&'static str>,
    /// What is wrong with the traffic.
    pub diagnosis: fn(&Diagnosis) -> String,
    /// The figures that show it.
    pub diagnosis_evidence: fn(&Diagnosis) -> String,
    /// What to do.
    pub diagnosis_advice: fn(&Diagnosis) -> String,
    /// The cost of a part of a key in one line; empty if there is nothing to say.
    pub chip: fn(&ChipCost) -> String,
}

pub const ENGLISH: Advice = Advice {
    warning: |cause| match cause {
        Cause::Pattern(cause) => patterns::message(cause),
        Cause::Salt(cause) => salts::message(cause),
        Cause::Key(cause) => keys::message(cause),
        Cause::Layout(cause) => layouts::message(cause),
        Cause::Value(cause) => values::message(cause),
    },
    evidence: |cause| match cause {
        Cause::Pattern(cause) => patterns::evidence(cause),
        Cause::Salt(cause) => salts::evidence(cause),
        Cause::Key(cause) => keys::evidence(cause),
        Cause::Layout(cause) => layouts::evidence(cause),
        Cause::Value(cause) => values::evidence(cause),
    },
    explanation: |explanation| match explanation {
        Explanation::Warning(cause) => (ENGLISH.warning)(cause),
        Explanation::Skew(cause) => patterns::skew(cause),
    },
    fix: fixes::label,
    headline: verdict::headline,
    note: verdict::note,
    diagnosis: |diagnosis| diagnoses::text(&diagnosis.symptom),
    diagnosis_evidence: |diagnosis| diagnoses::evidence(&diagnosis.symptom),
    diagnosis_advice: diagnoses::advice,
    chip: chips::cost,
};

/// Names as a list in a sentence.
fn list(names: &[String]) -> String {
    names.join(" and ")
}

/// Formats a count as `3 of 2,000 events`.
fn of_events(count: u32, all: u32) -> String {
    format!("{} of {} events", thousands(count.into()), thousands(all.into()))
}

/// Formats a share of 1 as `42 %`.
fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}
