//! A change to a design that may be offered as a fix.

use alloc::vec::Vec;

use tabletop_keys::{Layout, Template};
use tabletop_workspace::DesignPatch;

use super::sample::Sample;
use super::{Fix, FixEffect, FixKind};

/// A change that may help.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// What it does, step by step.
    pub kinds: Vec<FixKind>,
    pub template: Template,
    /// Another layout, if it changes that.
    pub layout: Option<Layout>,
    /// Whether it is offered only if the writes are even with it.
    pub must_spread: bool,
}

impl Candidate {
    pub fn new(kinds: Vec<FixKind>, template: Template) -> Candidate {
        Candidate { kinds, template, layout: None, must_spread: false }
    }

    /// Returns the fix, with what was measured of it.
    pub fn into_fix(self, sample: &Sample, effect: FixEffect) -> Fix {
        let mut kinds = self.kinds;
        let kind = match kinds.pop() {
            Some(only) if kinds.is_empty() => only,
            last => FixKind::Several(kinds.into_iter().chain(last).collect()),
        };
        let template = (self.template != *sample.written).then(|| self.template.text());
        Fix { kind, patch: DesignPatch { template, layout: self.layout, ..DesignPatch::default() }, effect }
    }
}
