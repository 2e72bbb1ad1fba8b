//! Judgements as sentences: warnings and their fixes, the verdict, diagnoses of traffic, the cost
//! of the parts of a key.

mod chips;
mod comparisons;
mod diagnoses;
mod fixes;
mod keys;
mod layouts;
mod patterns;
mod phrases;
mod proposals;
mod salts;
mod scoreboards;
#[cfg(test)]
mod tests;
mod values;
mod verdict;

use alloc::string::String;
use alloc::vec::Vec;

use tabletop_advice::{
    Cause, Comparison, DesignFigures, Diagnosis, Effect, Explanation, Figure, FixKind, QueryCost, Scoreboard,
    Verdict,
};
use tabletop_keys::ChipCost;
use tabletop_workspace::TradeOff;

/// Renders judgements, which are data in `advice`.
pub struct Advice {
    /// The problem of a warning and its remedy.
    pub warning: fn(&Cause) -> String,
    /// What the loaded events show of the problem.
    pub evidence: fn(&Cause) -> String,
    /// What explains a verdict.
    pub explanation: fn(&Explanation) -> String,
    /// The label of a button that changes a design.
    pub fix: fn(&FixKind) -> String,
    /// A verdict in one sentence.
    pub headline: fn(&Verdict) -> String,
    /// A second sentence of a verdict, which explains idle tablets.
    pub note: fn(&Verdict) -> Option<&'static str>,
    /// What is wrong with the traffic.
    pub diagnosis: fn(&Diagnosis) -> String,
    /// The figures that show the problem of a diagnosis.
    pub diagnosis_evidence: fn(&Diagnosis) -> String,
    /// What to do about the problem of a diagnosis.
    pub diagnosis_advice: fn(&Diagnosis) -> String,
    /// The cost of a part of a key in one line; empty if there is nothing to say.
    pub chip: fn(&ChipCost) -> String,
    /// What a proposed design serves, and what it gives up.
    pub proposal: fn(&[TradeOff]) -> String,
    /// Names as a list in a sentence.
    pub names: fn(&[String]) -> String,
    /// The value of a figure with its unit.
    pub figure: fn(Figure, f64) -> String,
    /// The values before and after an edit with their units.
    pub effect: fn(&Effect) -> [String; 2],
    /// Which of the compared designs is best by their figures.
    pub comparison: fn(&Comparison, &[DesignFigures]) -> String,
    /// Why the best design is best, and where it loses; empty if no design is best.
    pub comparison_reasons: fn(&Comparison, &[DesignFigures]) -> String,
    /// How the rows of an access pattern are found: `8 ranges`.
    pub plan: fn(&QueryCost) -> String,
    /// Which design wins for the access patterns.
    pub ranking: fn(&Scoreboard) -> String,
    /// Why the winning design wins, and where it loses; empty if no design wins.
    pub ranking_reasons: fn(&Scoreboard) -> String,
    /// What to know about the answers before comparing them.
    pub ranking_notes: fn(&Scoreboard) -> Vec<String>,
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
    proposal: proposals::message,
    names: phrases::list,
    figure: comparisons::value,
    effect: comparisons::effect,
    comparison: comparisons::headline,
    comparison_reasons: comparisons::reasons,
    plan: scoreboards::plan,
    ranking: scoreboards::headline,
    ranking_reasons: scoreboards::reasons,
    ranking_notes: scoreboards::notes,
};
