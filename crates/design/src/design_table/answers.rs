//! The comparison of a design's answers with a plain filter over all loaded events.

use tabletop_advice::{QueryOutcome, WrongAnswer};
use tabletop_keys::{FamilyRule, Field, Layout, Query};
use tabletop_workspace::NamedQuery;

use super::DesignTable;
use crate::answers::AnswerCheck;
use crate::event_mapping::EventMapping;
use crate::supply::Supply;

/// What answers depend on. The position among the events is not a part of it: answers are those of the
/// complete table.
#[derive(PartialEq)]
pub(super) struct Basis {
    template: String,
    layout: Layout,
    fields: Vec<Field>,
    families: Vec<FamilyRule>,
    events: u32,
    queries: Vec<(String, Query)>,
}

impl Basis {
    fn of(mapping: &EventMapping, supply: Supply) -> Basis {
        Basis {
            template: mapping.written.text(),
            layout: mapping.layout.clone(),
            fields: mapping.written.fields().to_vec(),
            families: mapping.families.clone(),
            events: supply.events.len() as u32,
            queries: supply.queries.iter().map(|named| (named.name.clone(), named.query.clone())).collect(),
        }
    }
}

impl DesignTable {
    /// Compares a slice of the answers, about the work of `count` events, once all events are in the
    /// table. Returns whether there was anything to do.
    pub(super) fn check_answers(&mut self, supply: Supply, count: u32) -> bool {
        let is_complete = supply.total == Some(self.table.built()) && !self.is_settling(supply);
        if !is_complete || !self.has_unchecked_answers(supply) {
            return false;
        }
        let Some(mapping) = &self.mapping else { return false };
        let basis = Basis::of(mapping, supply);
        let before = self.answers.take().filter(|(of, _)| *of == basis);
        let mut check = before.map_or_else(|| AnswerCheck::new(supply.queries, mapping), |(_, check)| check);
        let copy = check.take_copy().or_else(|| self.table.fork());
        let own = copy.map(|copy| std::mem::replace(&mut self.table, copy));
        if check.slice(self, supply, count).is_err() {
            // What the table refuses to read has no answer that could differ.
            check = AnswerCheck::new(&[], self.mapping.as_ref().expect("it was there"));
        }
        check.keep_copy(own.map(|own| std::mem::replace(&mut self.table, own)));
        if let (Some(mapping), Some(_)) = (&self.mapping, check.wrong()) {
            self.pictures.with_examples(mapping, supply, check.examples());
        }
        self.answers = Some((basis, check));
        true
    }

    /// Returns whether answers are to be compared, and are not yet.
    pub(super) fn has_unchecked_answers(&self, supply: Supply) -> bool {
        let can_check = supply.measures_advice
            && self.problems.is_empty()
            && self.mapping.is_some()
            && !supply.queries.is_empty()
            && !supply.events.is_empty();
        can_check && self.wrong_answers(supply).is_none()
    }

    /// Returns the patterns with a wrong answer; `None` until all answers are compared. Manual writes
    /// are in no event, so a table with some of them is not compared.
    fn wrong_answers(&self, supply: Supply) -> Option<&[WrongAnswer]> {
        let mapping = self.mapping.as_ref()?;
        let known = self.answers.as_ref().filter(|(of, _)| *of == Basis::of(mapping, supply));
        match known {
            Some((_, check)) => check.wrong(),
            None => (self.table.edits() > 0).then_some(&[]),
        }
    }

    /// Returns the patterns with a wrong answer that read this table; `None` until all answers are
    /// compared.
    pub(super) fn own_wrong_answers(&self, supply: Supply) -> Option<Vec<WrongAnswer>> {
        if !supply.measures_advice || supply.queries.is_empty() || !self.problems.is_empty() {
            return Some(Vec::new());
        }
        let reads_this = |named: &NamedQuery| match self.design.index_of {
            Some(_) => named.tables.contains(&self.design.name),
            None => named.tables.is_empty(),
        };
        let reads = |wrong: &&WrongAnswer| {
            supply.queries.iter().any(|named| named.name == wrong.pattern && reads_this(named))
        };
        Some(self.wrong_answers(supply)?.iter().filter(reads).cloned().collect())
    }

    /// Adds how the answers differ to the outcomes of patterns.
    pub(super) fn with_wrong_answers(
        &self,
        supply: Supply,
        queries: &[NamedQuery],
        mut outcomes: Vec<QueryOutcome>,
    ) -> Vec<QueryOutcome> {
        let wrong = self.wrong_answers(supply).unwrap_or_default();
        for (named, outcome) in queries.iter().zip(&mut outcomes) {
            if let QueryOutcome::Answered(cost) = outcome {
                cost.wrong = wrong.iter().find(|wrong| wrong.pattern == named.name).cloned();
            }
        }
        outcomes
    }
}
