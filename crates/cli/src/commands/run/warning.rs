//! A warning in the report for programs: its data, with the sentences that a user reads.

use serde::Serialize;
use tabletop_advice::{Cause, Fix, FixEffect, FixKind, Warning, WarningKind};
use tabletop_texts::messages;
use tabletop_workspace::DesignPatch;

/// A warning and its sentences.
#[derive(Debug, Serialize)]
pub(crate) struct WrittenWarning {
    /// The rule.
    kind: WarningKind,
    /// Index of the part of the template that it is about, if any.
    part: Option<u32>,
    /// The problem and its remedy.
    pub(crate) message: String,
    /// What the loaded events show of it.
    pub(crate) evidence: String,
    /// The problem, with its numbers and names.
    cause: Cause,
    /// Changes that remove it, the best first.
    fixes: Vec<WrittenFix>,
}

/// A fix and its label.
#[derive(Debug, Serialize)]
struct WrittenFix {
    /// What it does, as a sentence.
    label: String,
    /// What it does.
    kind: FixKind,
    /// The change.
    patch: DesignPatch,
    /// What it changes, as measured.
    effect: FixEffect,
}

impl From<Warning> for WrittenWarning {
    fn from(warning: Warning) -> WrittenWarning {
        let says = messages().advice;
        WrittenWarning {
            kind: warning.kind(),
            part: warning.part,
            message: (says.warning)(&warning.cause),
            evidence: (says.evidence)(&warning.cause),
            cause: warning.cause,
            fixes: warning.fixes.into_iter().map(WrittenFix::from).collect(),
        }
    }
}

impl From<Fix> for WrittenFix {
    fn from(Fix { kind, patch, effect }: Fix) -> WrittenFix {
        WrittenFix { label: (messages().advice.fix)(&kind), kind, patch, effect }
    }
}
