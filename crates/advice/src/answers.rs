//! Answers to access patterns that differ from a plain filter over the events.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{Advice, Explanation, Finding, Tone, Verdict, WarningKind};

/// An access pattern whose answer differs from a plain filter over all loaded events.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrongAnswer {
    /// The name of the pattern.
    pub pattern: String,
    /// The fields and their values for which it was read; none for all events.
    pub values: Vec<(String, String)>,
    /// The events that a plain filter returns.
    pub events: u32,
    /// The number of these that the design does not return.
    pub missing: u32,
    /// The number of other events that it returns.
    pub others: u32,
    /// Whether a GC rule has collected the missing events.
    pub is_collected: bool,
}

impl WrongAnswer {
    /// Returns how many events are missing or too many.
    pub fn wrong(&self) -> u32 {
        self.missing + self.others
    }
}

/// The result of comparing the answers of a design with a plain filter.
#[derive(Clone, Copy, Debug)]
pub enum Answers<'a> {
    /// They are still being compared.
    Awaited,
    /// The answers that differ.
    Compared(&'a [WrongAnswer]),
}

impl Verdict {
    /// Returns the verdict on a design with these answers. A wrong answer comes after lost events and
    /// before the spread of the writes, and a tick waits until the answers are compared.
    #[must_use]
    pub fn with_answers(self, answers: Answers<'_>, advice: &Advice) -> Verdict {
        let wrong = match answers {
            Answers::Awaited if self.tone == Tone::Good => return Verdict { tone: Tone::Plain, ..self },
            Answers::Compared(wrong)
                if !matches!(self.finding, Finding::NoRows | Finding::Incomplete { .. }) =>
            {
                wrong.iter().max_by_key(|one| one.wrong())
            }
            Answers::Awaited | Answers::Compared(_) => None,
        };
        let Some(wrong) = wrong.cloned() else { return self };
        let tone = if self.tone == Tone::Hot { Tone::Hot } else { Tone::Caution };
        let separator = |wrong: &WrongAnswer| {
            let of_kind = |kind| advice.warnings.iter().find(|warning| warning.kind() == kind);
            of_kind(WarningKind::SeparatorInsideValue).filter(|_| wrong.others > 0)
        };
        let warning = separator(&wrong);
        Verdict {
            tone,
            advice: warning.map(|warning| Explanation::Warning(warning.cause.clone())),
            fix: warning.and_then(|warning| warning.fixes.first().cloned()),
            finding: Finding::WrongAnswer(wrong),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread() -> Verdict {
        Verdict {
            tone: Tone::Good,
            finding: Finding::Spread { busy: 9, tablets: 9, hottest_share: 0.1 },
            ..Verdict::default()
        }
    }

    #[test]
    fn a_tick_waits_for_the_answers_and_a_wrong_one_takes_it_away() {
        let advice = Advice::default();
        assert_eq!(spread().with_answers(Answers::Awaited, &advice).tone, Tone::Plain);
        assert_eq!(spread().with_answers(Answers::Compared(&[]), &advice), spread());
        let one = WrongAnswer { pattern: "One store".into(), missing: 2, ..WrongAnswer::default() };
        let other = WrongAnswer { pattern: "One user".into(), others: 3, ..WrongAnswer::default() };
        let judged = spread().with_answers(Answers::Compared(&[one, other.clone()]), &advice);
        assert_eq!((judged.tone, judged.finding), (Tone::Caution, Finding::WrongAnswer(other)));
    }

    #[test]
    fn lost_events_come_first_and_a_hot_design_stays_hot() {
        let advice = Advice::default();
        let wrong = [WrongAnswer { missing: 1, ..WrongAnswer::default() }];
        let losing =
            Verdict { finding: Finding::Incomplete { losses: crate::Losses::default() }, ..spread() };
        assert_eq!(losing.clone().with_answers(Answers::Compared(&wrong), &advice), losing);
        let hot = Verdict { tone: Tone::Hot, ..spread() };
        assert_eq!(hot.with_answers(Answers::Compared(&wrong), &advice).tone, Tone::Hot);
    }
}
