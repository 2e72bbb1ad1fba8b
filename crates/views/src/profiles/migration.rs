//! What the next slice of a migration does, and the reaction to an error.

use tabletop_protocol::{
    JobError,
    migration::{MigrationDecision, MigrationOrder, MigrationStep},
};

/// A request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// To find the migration of the events.
    Find,
    /// To start a migration.
    Begin,
    /// For a slice.
    Step(MigrationStep),
}

impl Asked {
    /// The decision that the request carries.
    pub fn decision(self) -> Option<MigrationDecision> {
        match self {
            Asked::Step(MigrationStep::Work(order)) => order.decision,
            _ => None,
        }
    }
}

/// The work of the next slices.
#[derive(Default)]
pub struct Plan {
    /// Whether events arrive.
    pub is_streaming: bool,
    /// Whether the step continues by itself.
    pub is_working: bool,
    /// A decision of the user that was not requested yet.
    pub decision: Option<MigrationDecision>,
    /// Whether the user has confirmed the removal of the tables. Set until it is answered.
    pub is_removing: bool,
}

impl Plan {
    /// Notes a decision of the user, and the work that belongs to it.
    pub fn decide(&mut self, decision: MigrationDecision) {
        self.decision = Some(decision);
        self.is_working |= matches!(
            decision,
            MigrationDecision::Drop | MigrationDecision::Undo | MigrationDecision::CopyAgain
        );
    }

    /// Whether to request a slice now. `fills` means that events are written before the stream
    /// starts, `pauses` that the stream is between two slices.
    pub fn is_due(&self, fills: bool, pauses: bool) -> bool {
        let hurries = self.is_removing || self.decision.is_some() || self.is_working || fills;
        hurries || self.is_streaming && !pauses
    }

    /// What the next slice does. It takes the decision.
    pub fn step(&mut self, rate: u32) -> MigrationStep {
        if self.is_removing {
            return MigrationStep::Remove;
        }
        let events_per_second = if self.is_streaming { rate } else { 0 };
        MigrationStep::Work(MigrationOrder {
            decision: self.decision.take(),
            events_per_second,
            works: self.is_working,
        })
    }
}

/// The reaction to an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failed {
    /// Nothing: the tables are about to be removed.
    Ignore,
    /// The migration is looked up, with its new stage.
    Find,
    /// The migration no longer exists.
    Forget,
    /// Stream and step stop, and the user resumes them.
    Stop,
}

/// Returns the reaction to an error of a request. `is_repeated` means that the request came too
/// early before.
pub fn on_error(error: &JobError, asked: Asked, is_repeated: bool, is_removing: bool) -> Failed {
    match (error, asked) {
        (JobError::Gone, _) => Failed::Forget,
        (_, Asked::Step(MigrationStep::Work(_))) if is_removing => Failed::Ignore,
        // The first request had stored the decision before it failed, so the repeated one does not
        // fit any more.
        (JobError::Unfit(_), _) if is_repeated && asked.decision().is_some() => Failed::Find,
        _ => Failed::Stop,
    }
}

#[cfg(test)]
mod tests {
    use tabletop_model::Error;

    use super::*;

    fn work(decision: Option<MigrationDecision>) -> Asked {
        Asked::Step(MigrationStep::Work(MigrationOrder { decision, ..MigrationOrder::default() }))
    }

    #[test]
    fn a_request_has_the_decision_of_its_order() {
        let drop = Some(MigrationDecision::Drop);
        let asked = [work(drop), work(None), Asked::Step(MigrationStep::Remove), Asked::Begin, Asked::Find];
        assert_eq!(asked.map(Asked::decision), [drop, None, None, None, None]);
    }

    #[test]
    fn only_a_stream_pauses_between_slices() {
        let stream = Plan { is_streaming: true, ..Plan::default() };
        assert!(stream.is_due(false, false) && !stream.is_due(false, true) && stream.is_due(true, true));
        let work = Plan { is_streaming: true, is_working: true, ..Plan::default() };
        assert!(work.is_due(false, true));
        assert!(!Plan::default().is_due(false, false));
    }

    #[test]
    fn a_decision_is_requested_once_and_a_removal_until_it_is_answered() {
        let mut plan = Plan { is_streaming: true, ..Plan::default() };
        plan.decide(MigrationDecision::Undo);
        let order = |decision| MigrationOrder { decision, events_per_second: 800, works: true };
        assert_eq!(plan.step(800), MigrationStep::Work(order(Some(MigrationDecision::Undo))));
        assert_eq!(plan.step(800), MigrationStep::Work(order(None)));
        plan.is_removing = true;
        assert_eq!([plan.step(800), plan.step(800)], [MigrationStep::Remove; 2]);
        assert!(plan.is_due(false, true));
    }

    #[test]
    fn a_stored_decision_is_found_and_other_errors_stop() {
        let decided = work(Some(MigrationDecision::Switch));
        let unfit = JobError::Unfit(Error::invalid("the stage is another one"));
        let failed = JobError::Failed(Error::invalid("the worker has stopped"));
        assert_eq!(on_error(&unfit, decided, true, false), Failed::Find);
        assert_eq!(on_error(&unfit, decided, false, false), Failed::Stop, "the decision was not stored");
        assert_eq!(on_error(&unfit, work(None), true, false), Failed::Stop);
        assert_eq!(on_error(&failed, decided, true, false), Failed::Stop);
        assert_eq!(on_error(&JobError::Gone, decided, true, false), Failed::Forget);
    }

    #[test]
    fn errors_before_a_removal_are_ignored_and_its_own_error_stops() {
        let failed = JobError::Failed(Error::invalid("the file is full"));
        assert_eq!(on_error(&failed, work(None), false, true), Failed::Ignore);
        assert_eq!(on_error(&JobError::Gone, work(None), false, true), Failed::Forget);
        assert_eq!(on_error(&failed, Asked::Step(MigrationStep::Remove), true, true), Failed::Stop);
        assert_eq!(
            on_error(&failed, Asked::Find, false, true),
            Failed::Stop,
            "it would be looked for without end"
        );
    }
}
