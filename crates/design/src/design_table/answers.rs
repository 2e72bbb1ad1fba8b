//! The comparison of a design's answers with a plain filter over all loaded events.

use tabletop_advice::{QueryOutcome, WrongAnswer};
use tabletop_model::Result;
use tabletop_workspace::NamedQuery;

use super::DesignTable;
use crate::answers::AnswerCheck;
use crate::read::OpenRead;
use crate::supply::Supply;

impl DesignTable {
    /// Compares a slice of the answers, about the work of `count` events, once all events are in the
    /// table. Returns whether there was anything to do.
    pub(super) fn check_answers(&mut self, supply: Supply, count: u32) -> bool {
        let is_complete = supply.total == Some(self.table.built()) && !self.is_settling(supply);
        if !is_complete || !self.has_unchecked_answers(supply) {
            return false;
        }
        let Some(mapping) = &self.mapping else { return false };
        let kept = self.answers.take().filter(|check| check.is_of(mapping, supply));
        let mut check = kept.unwrap_or_else(|| {
            (self.answer_read, self.answer_copy) = (None, self.table.fork());
            AnswerCheck::new(mapping, supply)
        });
        if check.query().is_none() {
            check.slice(mapping, supply, count);
        } else if self.read_answer(&mut check).is_err() {
            check.refused();
        }
        if check.wrong().is_some() {
            (self.answer_read, self.answer_copy) = (None, None);
            if let Some(mapping) = &self.mapping {
                self.pictures.with_examples(mapping, supply, check.examples());
            }
        }
        self.answers = Some(check);
        true
    }

    /// Reads a slice of the next answer from the copy of the table: the cache and the load of the
    /// table stay as they are.
    fn read_answer(&mut self, check: &mut AnswerCheck) -> Result<()> {
        let Some(query) = check.query() else { return Ok(()) };
        let copy = self.answer_copy.take();
        let own = copy.map(|copy| std::mem::replace(&mut self.table, copy));
        let open = self.answer_read.take();
        let read = open.map_or_else(|| OpenRead::begin(self, query).map(OpenRead::unmetered), Ok);
        let chunk = read.and_then(|mut read| Ok((read.next(self)?, read)));
        self.answer_copy = own.map(|own| std::mem::replace(&mut self.table, own));
        let (chunk, read) = chunk?;
        check.returned(&chunk.rows, chunk.complete);
        self.answer_read = (!chunk.complete).then_some(read);
        Ok(())
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
        match self.answers.as_ref().filter(|check| check.is_of(mapping, supply)) {
            Some(check) => check.wrong(),
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
