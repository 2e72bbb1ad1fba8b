//! Checks a strategy: scores must be in their range, and names must occur once.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use tabletop_model::{Error, Result, did_you_mean};

use super::Strategy;

/// The lowest score. Events and facets that do not count are left out instead.
pub const SCORE_MIN: u32 = 1;
/// The highest score.
pub const SCORE_MAX: u32 = 100;
/// The maximum number of events in a strategy.
pub const EVENT_SCORES_MAX: usize = 100;
/// The maximum number of facets in a strategy. A filter for many facets is long, and Bigtable
/// limits its size.
pub const FACET_SCORES_MAX: usize = 100;
/// The longest window: about ten years.
pub const WINDOW_DAYS_MAX: u32 = 3_660;
/// The maximum length of a type or a name, in characters.
const NAME_CHARS_MAX: usize = 200;

/// A problem in a strategy that must be corrected. Its text is a sentence:
/// `strategy.events[0].score is 101; it must be from 1 to 100: move it into this range, or remove
/// the event.`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrategyProblem {
    /// The part that the user edits.
    pub part: StrategyPart,
    /// The location as in the JSON of a workspace: `strategy.events[0].score`.
    pub place: String,
    /// The problem and its remedy, beginning with a verb and without a trailing period.
    pub why: String,
}

/// A part of a strategy that the user edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrategyPart {
    /// The event with this index.
    Event(usize),
    /// The facet with this index.
    Facet(usize),
    /// [`Strategy::window_days`].
    Window,
    /// A list that is too long.
    Length,
}

impl fmt::Display for StrategyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = if self.why.ends_with(['.', '?']) { "" } else { "." };
        write!(f, "{} {}{end}", self.place, self.why)
    }
}

impl Strategy {
    /// Checks everything that can be checked without events.
    ///
    /// # Errors
    /// `InvalidArgument`: the text of the first problem.
    #[inline(never)]
    pub fn check(&self) -> Result<()> {
        self.problems().first().map_or(Ok(()), |problem| Err(Error::invalid(format!("{problem}"))))
    }

    /// Returns all problems that can be found without events: counts, scores, names that are empty,
    /// long or used twice.
    pub fn problems(&self) -> Vec<StrategyProblem> {
        let mut problems = Vec::new();
        for (list, length, most) in
            [("events", self.events.len(), EVENT_SCORES_MAX), ("facets", self.facets.len(), FACET_SCORES_MAX)]
        {
            if length > most {
                let why = format!(
                    "has {length} entries; at most {most} are allowed: remove those that matter least"
                );
                problems.push(StrategyProblem {
                    part: StrategyPart::Length,
                    place: format!("strategy.{list}"),
                    why,
                });
            }
        }
        for (at, event) in self.events.iter().enumerate() {
            let mut report = |field: &str, why| {
                let place = format!("strategy.events[{at}]{field}");
                problems.push(StrategyProblem { part: StrategyPart::Event(at), place, why });
            };
            for (field, name) in [(".event_type", &event.event_type), (".event_name", &event.event_name)] {
                problem_of_name(name, "an event").into_iter().for_each(|why| report(field, why));
            }
            problem_of_score(event.score, "the event").into_iter().for_each(|why| report(".score", why));
            let is_same = |other: &super::EventScore| {
                (&other.event_type, &other.event_name) == (&event.event_type, &event.event_name)
            };
            if let Some(other) = self.events[..at].iter().position(is_same) {
                let name = format!("{} {}", event.event_type, event.event_name);
                report(
                    "",
                    format!(
                        "is \"{name}\", as in strategy.events[{other}]: keep one of them, with the score that you mean"
                    ),
                );
            }
        }
        for (at, facet) in self.facets.iter().enumerate() {
            let mut report = |field: &str, why| {
                let place = format!("strategy.facets[{at}]{field}");
                problems.push(StrategyProblem { part: StrategyPart::Facet(at), place, why });
            };
            problem_of_name(&facet.facet, "a facet").into_iter().for_each(|why| report(".facet", why));
            problem_of_score(facet.score, "the facet").into_iter().for_each(|why| report(".score", why));
            if let Some(other) = self.facets[..at].iter().position(|other| other.facet == facet.facet) {
                let name = &facet.facet;
                report(
                    ".facet",
                    format!(
                        "is \"{name}\", as in strategy.facets[{other}]: keep one of them, with the score that you mean"
                    ),
                );
            }
        }
        if !(1..=WINDOW_DAYS_MAX).contains(&self.window_days) {
            let why =
                format!("is {}; it must be from 1 to {WINDOW_DAYS_MAX}: 90 days are usual", self.window_days);
            problems.push(StrategyProblem {
                part: StrategyPart::Window,
                place: "strategy.window_days".into(),
                why,
            });
        }
        problems
    }

    /// Returns the entries that do not occur in the data. They have no effect, and are probably
    /// misspelled. `events` are the types and names that occur, `facets` the names of facets.
    pub fn unknown(&self, events: &[(&str, &str)], facets: &[&str]) -> Vec<StrategyProblem> {
        let mut problems = Vec::new();
        for (at, event) in self.events.iter().enumerate() {
            let is_it = |known: &&(&str, &str)| *known == &(&*event.event_type, &*event.event_name);
            if events.iter().any(|known| is_it(&known)) {
                continue;
            }
            let same_type = events
                .iter()
                .filter(|(event_type, _)| *event_type == event.event_type)
                .map(|(_, name)| *name);
            let (field, why) = if same_type.clone().next().is_none() {
                let mut types: Vec<&str> = events.iter().map(|(event_type, _)| *event_type).collect();
                types.dedup();
                let like = did_you_mean(&event.event_type, types);
                ("event_type", format!("is \"{}\", and no event has this type{like}", event.event_type))
            } else {
                let like = did_you_mean(&event.event_name, same_type);
                (
                    "event_name",
                    format!("is \"{}\", and no {} has this name{like}", event.event_name, event.event_type),
                )
            };
            let place = format!("strategy.events[{at}].{field}");
            problems.push(StrategyProblem { part: StrategyPart::Event(at), place, why });
        }
        for (at, facet) in self.facets.iter().enumerate() {
            if !facets.contains(&&*facet.facet) {
                let like = did_you_mean(&facet.facet, facets.iter().copied());
                let why = format!("is \"{}\", and no event has this facet{like}", facet.facet);
                let place = format!("strategy.facets[{at}].facet");
                problems.push(StrategyProblem { part: StrategyPart::Facet(at), place, why });
            }
        }
        problems
    }
}

fn problem_of_name(name: &str, of: &str) -> Option<String> {
    if name.trim().is_empty() {
        return Some(format!("is empty: write the name of {of} as the data has it"));
    }
    let chars = name.chars().count();
    (chars > NAME_CHARS_MAX).then(|| format!("has {chars} characters; at most {NAME_CHARS_MAX} are allowed"))
}

fn problem_of_score(score: u32, what: &str) -> Option<String> {
    let is_in_range = (SCORE_MIN..=SCORE_MAX).contains(&score);
    (!is_in_range)
        .then(|| format!("is {score}; it must be from {SCORE_MIN} to {SCORE_MAX}: move it into this range, or remove {what}"))
}
