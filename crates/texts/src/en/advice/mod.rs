//! Judgements, which are data in `advice`, as sentences: warnings and their fixes, the verdict,
//! diagnoses of traffic, the cost of the parts of a key.

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
    Cause, Comparison, DesignFigures, Diagnosis, Effect, Explanation, Figure, FixEffect, FixKind, QueryCost,
    Scoreboard, Verdict, WrongAnswer,
};
use tabletop_keys::ChipCost;
use tabletop_workspace::TradeOff;

texts!(Advice {
    /// The problem of a warning and its remedy.
    warning: |cause: &Cause| match cause {
        Cause::Pattern(cause) => patterns::message(cause),
        Cause::Salt(cause) => salts::message(cause),
        Cause::Key(cause) => keys::message(cause),
        Cause::Layout(cause) => layouts::message(cause),
        Cause::Value(cause) => values::message(cause),
    },
    /// What the loaded events show of the problem.
    evidence: |cause: &Cause| match cause {
        Cause::Pattern(cause) => patterns::evidence(cause),
        Cause::Salt(cause) => salts::evidence(cause),
        Cause::Key(cause) => keys::evidence(cause),
        Cause::Layout(cause) => layouts::evidence(cause),
        Cause::Value(cause) => values::evidence(cause),
    },
    /// What explains a verdict.
    explanation: |explanation: &Explanation| match explanation {
        Explanation::Warning(cause) => (Advice::ENGLISH.warning)(cause),
        Explanation::Skew(cause) => patterns::skew(cause),
    },
    /// The label of a button that changes a design.
    fix: |fix: &FixKind| fixes::label(fix),
    /// Shown in the place of fixes until they are measured.
    measuring: "Measuring fixes…",
    /// What a fix changes, as measured; empty if nothing that is measured.
    fix_effect: |effect: &FixEffect| fixes::effect(effect),
    /// A verdict in one sentence.
    headline: |verdict: &Verdict| verdict::headline(verdict),
    answer: |wrong: &WrongAnswer| verdict::answer(wrong),
    /// A second sentence of a verdict, which explains idle tablets.
    note: |verdict: &Verdict| -> Option<String> { verdict::note(verdict) },
    /// What is wrong with the traffic.
    diagnosis: |diagnosis: &Diagnosis| diagnoses::text(&diagnosis.symptom),
    /// The figures that show the problem of a diagnosis.
    diagnosis_evidence: |diagnosis: &Diagnosis| diagnoses::evidence(&diagnosis.symptom),
    /// What to do about the problem of a diagnosis.
    diagnosis_advice: |diagnosis: &Diagnosis| diagnoses::advice(diagnosis),
    /// The cost of a part of a key in one line; empty if there is nothing to say.
    chip: |cost: &ChipCost| chips::cost(cost),
    /// What a proposed design serves, and what it gives up.
    proposal: |of: &[TradeOff]| proposals::message(of),
    /// Names as a list in a sentence.
    names: |names: &[String]| phrases::list(names),
    /// The value of a figure with its unit.
    figure: |figure: Figure, value: f64| comparisons::value(figure, value),
    /// The values before and after an edit with their units.
    effect: |effect: &Effect| -> [String; 2] { comparisons::effect(effect) },
    /// Which of the compared designs is best by their figures.
    comparison: |comparison: &Comparison, designs: &[DesignFigures]| {
        comparisons::headline(comparison, designs)
    },
    /// Why the best design is best, and where it loses; empty if no design is best.
    comparison_reasons: |comparison: &Comparison, designs: &[DesignFigures]| {
        comparisons::reasons(comparison, designs)
    },
    /// How the rows of an access pattern are found: `8 ranges`.
    plan: |cost: &QueryCost| scoreboards::plan(cost),
    /// Which design wins for the access patterns.
    ranking: |board: &Scoreboard| scoreboards::headline(board),
    /// Why the winning design wins, and where it loses; empty if no design wins.
    ranking_reasons: |board: &Scoreboard| scoreboards::reasons(board),
    /// What to know about the answers before comparing them.
    ranking_notes: |board: &Scoreboard| -> Vec<String> { scoreboards::notes(board) },
});
