//! The row key that suits the events of a file: what users look up, then the time, then what tells
//! events apart. It follows from the roles of the fields, and is counted over all loaded events.

mod loaded;
#[cfg(test)]
mod tests;

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;

use tabletop_keys::{
    Field, FieldKind, FieldRole, Part, Template, Transform, edit, edit::part_of, time::TimeFormat,
};

pub use loaded::LoadedEvents;
use loaded::Losses;

/// The largest number of fields that users are offered to look up.
const LOOK_UPS_MAX: usize = 5;
/// Decisions use a sample of this size. What they lead to is counted over all events.
const SAMPLE: usize = 10_000;
/// More values than this are many, however many.
const MANY_VALUES: u64 = 500;
/// The largest number of fields of a key.
const FIELDS_MAX: usize = 6;
/// Separators of fields, the usual one first.
const SEPARATORS: [&str; 6] = [",", "#", "|", "~", ";", "^"];

/// The keys that suit some events, once the role of each field is known.
pub struct DefaultKeys<'e, 'r> {
    events: LoadedEvents<'e>,
    roles: &'r [FieldRole],
    sample: Losses<'e>,
    all: Losses<'e>,
}

impl<'e, 'r> DefaultKeys<'e, 'r> {
    /// Takes all loaded events, and one role per field.
    pub fn new(events: LoadedEvents<'e>, roles: &'r [FieldRole]) -> DefaultKeys<'e, 'r> {
        let step = events.count.div_ceil(SAMPLE).max(1);
        DefaultKeys { events, roles, sample: Losses::of(events, step), all: Losses::of(events, 1) }
    }

    /// Returns the fields that users can look up, the best one first; none if the events have only
    /// times and values. Identifiers that events share are best. Without one, it is a category that
    /// differs between events of the same moment, as in a file with several series.
    pub fn look_ups(&self) -> Vec<usize> {
        let shared = self.with_role(&[FieldRole::SharedIdentifier]);
        let found = if shared.is_empty() { self.with_role(&[FieldRole::Url]) } else { shared };
        let found = if found.is_empty() { self.series() } else { found };
        // A list of things, each of which has one event.
        let things = || self.with_role(&[FieldRole::UniqueIdentifier]);
        let mut found = if found.is_empty() && self.time().is_none() { things() } else { found };
        found.sort_by_cached_key(|at| self.rank(*at));
        found.truncate(LOOK_UPS_MAX);
        found
    }

    /// Returns the template of the key for a field that users look up, or without one.
    pub fn template(&self, look_up: Option<usize>) -> String {
        let mut key = self.first_fields(look_up);
        for losses in [&self.sample, &self.all] {
            self.distinguish(&mut key, losses);
        }
        self.template_of(&key)
    }

    fn with_role(&self, roles: &[FieldRole]) -> Vec<usize> {
        (0..self.roles.len()).filter(|at| roles.contains(&self.roles[*at])).collect()
    }

    fn time(&self) -> Option<usize> {
        self.roles.iter().position(|role| *role == FieldRole::EventTime)
    }

    /// The categories that make several series of the events: words if there are any, as few numbers
    /// are often counts.
    fn series(&self) -> Vec<usize> {
        let Some(time) = self.time() else { return Vec::new() };
        let moments = self.sample.keys(&[time]);
        let several = |at: &usize| self.sample.keys(&[*at, time]) * 2 >= moments * 3;
        let found: Vec<usize> = self.with_role(&[FieldRole::Category]).into_iter().filter(several).collect();
        let is_number =
            |at: &usize| matches!(self.events.fields[*at].kind, FieldKind::Int | FieldKind::Float);
        let words: Vec<usize> = found.iter().copied().filter(|at| !is_number(at)).collect();
        if words.is_empty() { found } else { words }
    }

    /// Whether each event has another value of the field.
    fn is_unique(&self, at: usize) -> bool {
        self.sample.keys(&[at]) == self.sample.count()
    }

    /// The best field to look up has the lowest rank: all events have a value of it, or most of
    /// them, and it has many values that have several events each. Of those, the one with the most
    /// events for each value is best. In a sample, each value would have fewer events than it has.
    fn rank(&self, at: usize) -> (usize, u64, u64) {
        let values = self.all.keys(&[at]).max(1) as u64;
        // In tenths.
        let repeats = self.all.count() as u64 * 10 / values;
        let absent_of_20 = (self.all.absent(&[at]) * 20).div_ceil(self.all.count().max(1));
        let many = values.min(MANY_VALUES).min(repeats.pow(3) / 1_000);
        (absent_of_20, u64::MAX - many, u64::MAX - repeats)
    }

    /// The fields with which the key begins.
    fn first_fields(&self, look_up: Option<usize>) -> Vec<usize> {
        let key: Vec<usize> = look_up.into_iter().chain(self.time()).collect();
        if !key.is_empty() {
            return key;
        }
        let last_choices =
            [FieldRole::Category, FieldRole::OtherTime, FieldRole::PartOfTime, FieldRole::Counter];
        let first = last_choices.iter().find_map(|role| self.with_role(&[*role]).into_iter().next());
        first.or((!self.roles.is_empty()).then_some(0)).into_iter().collect()
    }

    /// Adds the fields that tell events with the same key apart, if there are any. An event without
    /// a value of a field has no key, so fields that some events lack are the last choice.
    fn distinguish(&self, key: &mut Vec<usize>, losses: &Losses) {
        let complete = self.longer(key, losses, |at| losses.absent(&[at]) == 0);
        let lost = losses.of_key(&complete);
        let other = (lost > 0).then(|| self.longer(key, losses, |_| true));
        *key = other.filter(|other| losses.of_key(other) < lost).unwrap_or(complete);
    }

    /// Returns the key with fields that tell events apart, of those that `may` be used.
    fn longer(&self, key: &[usize], losses: &Losses, may: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut key = key.to_vec();
        let with_role = |roles: &[FieldRole]| -> Vec<usize> {
            self.with_role(roles).into_iter().filter(|at| may(*at)).collect()
        };
        // A date is completed by the time of day before anything else is added. Without a date, a
        // number of the event is worth more than a weekday and an hour that do not suffice.
        let (times, mut with_times) = (with_role(&[FieldRole::PartOfTime]), key.clone());
        while let Some((at, lost)) = self.best(&with_times, losses, &times) {
            if lost * 10 > losses.of_key(&with_times) * 9 {
                break;
            }
            with_times.push(at);
        }
        let numbers = with_role(&[FieldRole::UniqueIdentifier, FieldRole::Counter]);
        let number_suffices = || self.best(&key, losses, &numbers).is_some_and(|(_, lost)| lost == 0);
        if self.time().is_some() || losses.of_key(&with_times) == 0 || !number_suffices() {
            key = with_times;
        }
        let (urls, others): (Vec<usize>, Vec<usize>) =
            with_role(&[FieldRole::Url]).into_iter().partition(|at| self.is_unique(*at));
        let single = [
            [with_role(&[FieldRole::UniqueIdentifier, FieldRole::Counter]), urls].concat(),
            [with_role(&[FieldRole::SharedIdentifier, FieldRole::Category]), others].concat(),
            with_role(&[FieldRole::OtherTime]),
        ];
        let start = key.len();
        while losses.of_key(&key) > 0 && key.len() < FIELDS_MAX {
            let candidates: Vec<(usize, usize)> =
                single.iter().filter_map(|fields| self.best(&key, losses, fields)).collect();
            // One that suffices is better than several, and otherwise the one that helps most.
            let Some((at, _)) = candidates
                .iter()
                .find(|(_, lost)| *lost == 0)
                .or(candidates.iter().min_by_key(|(_, lost)| *lost))
            else {
                break;
            };
            key.push(*at);
        }
        // An order comes before the number of its line: the key's beginning then finds more.
        key[start..].sort_by_cached_key(|at| Reverse(losses.keys(&[*at])));
        key
    }

    /// Returns the one of these fields that leaves the fewest events without a key of their own, and
    /// their number; `None` if no field helps.
    fn best(&self, key: &[usize], losses: &Losses, fields: &[usize]) -> Option<(usize, usize)> {
        let lost = losses.of_key(key);
        let after = |at: usize| losses.of_key(&[key, &[at]].concat());
        let open = fields.iter().copied().filter(|at| !key.contains(at));
        let best = open.map(|at| (at, after(at))).min_by_key(|(_, lost)| *lost)?;
        (lost > 0 && key.len() < FIELDS_MAX && best.1 < lost).then_some(best)
    }

    fn template_of(&self, key: &[usize]) -> String {
        let fields = self.events.fields;
        let holds = |separator: &str| {
            // The last field is followed by nothing.
            let followed = key.iter().rev().skip(1);
            let mut texts = followed.filter(|at| fields[**at].kind == FieldKind::Text);
            texts.any(|at| self.events.texts(*at).any(|text| text.contains(separator)))
        };
        let separator = SEPARATORS.into_iter().find(|separator| !holds(separator)).unwrap_or(SEPARATORS[0]);
        let mut parts = Vec::new();
        for at in key {
            if !parts.is_empty() {
                parts.push(Part::Literal(separator.into()));
            }
            parts.push(self.part(*at));
        }
        Template::new(parts, fields).text()
    }

    fn part(&self, at: usize) -> Part {
        let field = &self.events.fields[at];
        let transforms = match field.kind {
            FieldKind::Time => alloc::vec![Transform::Time(TimeFormat::Iso)],
            // All keys sort by their numbers if the longest fits.
            FieldKind::Int => {
                alloc::vec![Transform::Pad(self.events.digits(at).unwrap_or(1))]
            }
            _ => Vec::new(),
        };
        let part = Part::Field { name: field.name.clone(), transforms };
        let placeholder = self.events.placeholder(at).filter(|_| self.all.absent(&[at]) > 0);
        placeholder.and_then(|placeholder| edit::with_placeholder(&part, placeholder)).unwrap_or(part)
    }
}

/// Returns a first template for events of which only the fields are known, until all events are
/// loaded: a text, then the time.
pub fn first_template(fields: &[Field]) -> String {
    let with_kind = |kind| fields.iter().find(|field: &&Field| field.kind == kind);
    let time = with_kind(FieldKind::Time);
    let name = with_kind(FieldKind::Text).or(with_kind(FieldKind::Int)).or(time).or(fields.first());
    let mut parts: Vec<Part> = name.map(|name| part_of(name, None)).into_iter().collect();
    if let Some(time) = time.filter(|time| Some(*time) != name) {
        parts.push(Part::Literal(SEPARATORS[0].into()));
        parts.push(part_of(time, None));
    }
    Template::new(parts, fields).text()
}
