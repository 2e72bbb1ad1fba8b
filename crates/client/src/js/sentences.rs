//! The sentences of judgements, for scripts of the page.
//!
//! The worker's answers have judgements as data. A script gets the same data together with the
//! sentences that the page shows: a struct such as [`WarningTexts`] has the properties that a
//! `Warning` has for scripts in addition to its data. Where both have a property of one name, the
//! text takes the place of the data. The generated TypeScript types follow the same rule.

use js_sys::{Object, Reflect};
use serde::Serialize;
use tabletop_advice::{Diagnosis, DiagnosisKind, Finding, Fix, Verdict, Warning, WarningKind};
use tabletop_keys::ChipView;
use tabletop_model::Result;
use tabletop_protocol::{ClusterEvent, ClusterEventKind, DesignView, SimulationChunk, SimulationMoment};
use tabletop_texts::advice::Advice;
use tabletop_texts::messages;
use wasm_bindgen::{JsCast, JsValue};

use super::to_js;

/// An answer with judgements.
pub(super) trait Judged: Serialize {
    /// The sentences, in objects and arrays of the same shape as the answer.
    type Texts: Serialize;

    /// Writes the sentences.
    fn texts(&self) -> Self::Texts;
}

/// Converts an answer for a script, with its sentences.
pub(super) fn to_js_with_sentences<T: Judged>(judged: &T) -> Result<JsValue> {
    let value = to_js(judged)?;
    merge(&value, &to_js(&judged.texts())?);
    Ok(value)
}

/// Sets the properties of `texts` in `value` and in its nested objects. The keys of an array
/// are its indices.
fn merge(value: &JsValue, texts: &JsValue) {
    for key in Object::keys(texts.unchecked_ref::<Object>()).iter() {
        // Plain data has no getters that throw.
        let [before, text] = [value, texts].map(|object| Reflect::get(object, &key).unwrap_or_default());
        if before.is_object() && text.is_object() {
            merge(&before, &text);
        } else {
            Reflect::set(value, &key, &text).expect("plain data takes a new property");
        }
    }
}

/// The texts of a design's view.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct DesignViewTexts {
    warnings: Vec<WarningTexts>,
    verdict: VerdictTexts,
    chips: Vec<ChipViewTexts>,
}

/// The texts of a warning.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct WarningTexts {
    /// The rule.
    kind: WarningKind,
    /// The problem and its remedy.
    message: String,
    /// The evidence in the loaded events.
    evidence: String,
    fixes: Vec<FixTexts>,
}

/// The texts of a fix.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct FixTexts {
    /// The label of its button.
    label: String,
}

/// The texts of a verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct VerdictTexts {
    #[serde(skip_serializing_if = "Option::is_none")]
    finding: Option<FindingTexts>,
    /// The message of the warning that explains the finding, if there is one.
    advice: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<FixTexts>,
}

/// The texts of a finding.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FindingTexts {
    /// At any moment the writes go to the ends of a few ranges.
    FewRanges {
        /// The field whose values begin them, or the fields as a list in a sentence.
        field: String,
    },
}

/// The texts of a part of a key.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct ChipViewTexts {
    /// One line on its cost, or an empty text.
    cost: String,
}

/// The texts of a simulation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct SimulationChunkTexts {
    cluster_events: Vec<ClusterEventTexts>,
    moments: Vec<SimulationMomentTexts>,
    diagnoses: Vec<DiagnosisTexts>,
}

/// The texts of an event of nodes or tablets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct ClusterEventTexts {
    /// The kind of the event.
    kind: ClusterEventKind,
    /// The event in words, without its time: `tablet [m, q) from node B to D, 34% of B's work`.
    text: String,
}

/// The texts of a moment of a simulation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct SimulationMomentTexts {
    diagnoses: Vec<DiagnosisTexts>,
}

/// The texts of a diagnosis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct DiagnosisTexts {
    /// The kind of the problem.
    kind: DiagnosisKind,
    /// What is wrong, as a sentence.
    text: String,
    /// The figures that show it, as a sentence.
    evidence: String,
    /// What to do, as a sentence.
    advice: String,
    fixes: Vec<FixTexts>,
}

impl Judged for DesignView {
    type Texts = DesignViewTexts;

    fn texts(&self) -> DesignViewTexts {
        let says = messages().advice;
        let warnings = self.warnings.iter().map(|warning| of_warning(says, warning)).collect();
        let chips = self
            .chips
            .iter()
            .map(|ChipView { cost, .. }| ChipViewTexts { cost: (says.chip)(cost) })
            .collect();
        DesignViewTexts { warnings, verdict: of_verdict(says, &self.verdict), chips }
    }
}

impl Judged for SimulationChunk {
    type Texts = SimulationChunkTexts;

    fn texts(&self) -> SimulationChunkTexts {
        let says = messages().advice;
        let of_all = |all: &[Diagnosis]| all.iter().map(|diagnosis| of_diagnosis(says, diagnosis)).collect();
        let of_moment =
            |moment: &SimulationMoment| SimulationMomentTexts { diagnoses: of_all(&moment.diagnoses) };
        let of_event = |event: &ClusterEvent| ClusterEventTexts {
            kind: event.kind(),
            text: (messages().traffic.player.happened)(event),
        };
        SimulationChunkTexts {
            cluster_events: self.cluster_events.iter().map(of_event).collect(),
            moments: self.moments.iter().map(of_moment).collect(),
            diagnoses: of_all(&self.diagnoses),
        }
    }
}

fn of_warning(says: &Advice, warning: &Warning) -> WarningTexts {
    WarningTexts {
        kind: warning.kind(),
        message: (says.warning)(&warning.cause),
        evidence: (says.evidence)(&warning.cause),
        fixes: of_fixes(says, &warning.fixes),
    }
}

fn of_verdict(says: &Advice, verdict: &Verdict) -> VerdictTexts {
    let finding = match &verdict.finding {
        Finding::FewRanges { fields, .. } => Some(FindingTexts::FewRanges { field: (says.names)(fields) }),
        _ => None,
    };
    let advice = verdict.advice.as_ref().map(|explanation| (says.explanation)(explanation));
    VerdictTexts { finding, advice, fix: verdict.fix.as_ref().map(|fix| of_fix(says, fix)) }
}

fn of_diagnosis(says: &Advice, diagnosis: &Diagnosis) -> DiagnosisTexts {
    DiagnosisTexts {
        kind: diagnosis.kind(),
        text: (says.diagnosis)(diagnosis),
        evidence: (says.diagnosis_evidence)(diagnosis),
        advice: (says.diagnosis_advice)(diagnosis),
        fixes: of_fixes(says, &diagnosis.fixes),
    }
}

fn of_fixes(says: &Advice, fixes: &[Fix]) -> Vec<FixTexts> {
    fixes.iter().map(|fix| of_fix(says, fix)).collect()
}

fn of_fix(says: &Advice, fix: &Fix) -> FixTexts {
    FixTexts { label: (says.fix)(&fix.kind) }
}
