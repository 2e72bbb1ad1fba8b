//! Suggests what users look up, with the key and the access patterns that follow from it.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_keys::{Field, FieldKind, FieldRole, Query, RowChoice, is_placeholder, time};
use tabletop_model::order::sorted;
use tabletop_workspace::{NamedQuery, QUERIES_MAX, QUERY_NAME_CHARS_MAX, Workspace};

use crate::default_key::{DefaultKeys, LoadedEvents};
use crate::field_roles::field_roles;
use crate::names;

/// The maximum number of events from which the values of access patterns are taken: a sample of all
/// events.
pub const SUGGEST_EVENTS: u32 = 1_000;
/// The maximum number of values of a field for which a pattern with one of its values is suggested.
const GROUP_VALUES_MAX: usize = 20;
/// A value with a smaller share of the events (in percent) is not typical.
const SHARE_PERCENT_MIN: usize = 2;
/// Spans of time, in seconds. The longest one that is at most a fifth of the time of all events is
/// suggested.
const SPANS: [i64; 8] = [365 * DAY, 30 * DAY, 7 * DAY, DAY, 3_600, 600, 60, 1];
const SPANS_PER_EXTENT: i64 = 5;
const DAY: i64 = 86_400;
/// Guessed reads per second: for the entity that a user waits for, and for anything else.
const OF_ONE: f64 = 100.0;
const OF_MANY: f64 = 1.0;

/// The number of rows of the pattern that reads the last ones of an entity.
const LAST_ROWS: u64 = 10;
/// The maximum number of other identifiers for which a pattern is suggested.
const OTHERS_MAX: usize = 1;

/// What users may look up, with the design and the questions that follow from it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LookUp {
    /// The name of the field; `None` if the events have only times and values.
    pub field: Option<String>,
    /// The template of the row key that suits it.
    pub template: String,
    /// Access patterns with values of the events.
    pub patterns: Vec<NamedQuery>,
}

impl LookUp {
    /// Returns the access patterns that are about the field; all of them without a field.
    pub fn own_patterns(&self) -> impl Iterator<Item = &NamedQuery> {
        self.patterns.iter().filter(|named| {
            let RowChoice::Fields { equals, .. } = &named.query.rows else { return false };
            self.field.as_ref().is_none_or(|field| equals.iter().any(|(name, _)| name == field))
        })
    }

    /// Adds the access patterns about the field to a workspace that does not have them.
    pub fn add_patterns(&self, workspace: &mut Workspace) {
        for named in self.own_patterns() {
            let is_new = |known: &NamedQuery| known.query != named.query && known.name != named.name;
            if workspace.queries.len() < QUERIES_MAX && workspace.queries.iter().all(is_new) {
                workspace.queries.push(named.clone());
            }
        }
    }

    /// Makes this field the one that is looked up instead of `before`: its access patterns replace
    /// the other's, and its row key replaces the other's in designs whose key is not edited.
    pub fn replace(&self, before: &LookUp, workspace: &mut Workspace) {
        let is_own = |named: &NamedQuery| before.own_patterns().any(|own| own.query == named.query);
        workspace.queries.retain(|named| !is_own(named));
        self.add_patterns(workspace);
        for design in workspace.designs.iter_mut().filter(|design| design.template == before.template) {
            design.template.clone_from(&self.template);
        }
    }
}

/// Returns what users may look up in these events, the best field first: at least one, unless there
/// are no events. `roles` has one role per field.
pub fn look_ups(events: LoadedEvents, roles: &[FieldRole]) -> Vec<LookUp> {
    if events.count == 0 {
        return Vec::new();
    }
    let keys = DefaultKeys::new(events, roles);
    let sample = Sample { fields: events.fields, events: &events.sample(SUGGEST_EVENTS), roles };
    let fields = keys.look_ups();
    let look_up = |entity: Option<usize>| LookUp {
        field: entity.map(|at| events.fields[at].name.clone()),
        template: keys.template(entity),
        patterns: sample.patterns(entity, &fields),
    };
    match fields.as_slice() {
        [] => alloc::vec![look_up(None)],
        fields => fields.iter().map(|at| look_up(Some(*at))).collect(),
    }
}

/// Returns the index of the field that identifies a user, a device or the like, in a sample of the
/// events; `None` if there is none.
pub(crate) fn entity_of(fields: &[Field], events: &[Vec<Option<&str>>]) -> Option<usize> {
    let roles: Vec<FieldRole> = field_roles(fields, events).into_iter().map(|found| found.role).collect();
    let value = |event: usize, field: usize| events[event].get(field).copied().flatten();
    let events = LoadedEvents { fields, count: events.len(), value: &value };
    DefaultKeys::new(events, &roles).look_ups().first().copied()
}

/// A sample of the events, and the role of each field.
struct Sample<'e> {
    fields: &'e [Field],
    events: &'e [Vec<Option<&'e str>>],
    roles: &'e [FieldRole],
}

impl Sample<'_> {
    /// Suggests access patterns: one entity, one entity in a span of time, its last events, one of
    /// each other identifier, all events of a category, and everything in a span of time. Their
    /// values come from real events, so each pattern finds something. Weights are guesses: 100
    /// reads per second for one entity, 1 for others and spans.
    fn patterns(&self, entity: Option<usize>, identifiers: &[usize]) -> Vec<NamedQuery> {
        let Sample { fields, events, roles } = *self;
        let time = roles.iter().position(|role| *role == FieldRole::EventTime);
        let instants: Vec<i64> = time
            .iter()
            .flat_map(|at| texts_of(events, *at).into_iter().filter_map(|text| fields[*at].micros(text)))
            .collect();
        let span = span_of(&instants);
        let example = Example::find(fields, events, entity, time);
        let mut suggested = Vec::new();
        let mut suggest = |name: String, reads_per_second: f64, query: Query| {
            // The name of a field may be longer than that of a pattern.
            let name: String = name.chars().take(QUERY_NAME_CHARS_MAX).collect();
            suggested.push(NamedQuery { reads_per_second, ..NamedQuery::new(name, query) });
        };
        let all = |rows: RowChoice| Query { rows, filter: None, rows_limit: 0, reversed: false };
        let equal = |at: usize, text: &str| RowChoice::Fields {
            equals: alloc::vec![(fields[at].name.clone(), text.to_string())],
            from: None,
            until: None,
        };
        if let (Some(at), Some(text)) = (entity, example.entity) {
            let (name, rows) = (fields[at].name.as_str(), equal(at, text));
            suggest(names::one(name), OF_ONE, all(rows.clone()));
            if let (Some(seconds), Some(instant)) = (span, example.instant) {
                suggest(names::one_in(name, seconds), OF_ONE, all(within(&rows, instant, seconds)));
            }
            if time.is_some() {
                let last = Query { rows_limit: LAST_ROWS, reversed: true, ..all(rows) };
                suggest(names::last(LAST_ROWS, name), OF_ONE, last);
            }
        }
        // Cells with facets do not contain the other fields, so only a key could find them.
        let has_facets = fields.iter().any(|field| field.kind == FieldKind::Facets);
        let others = identifiers.iter().filter(|at| Some(**at) != entity && !has_facets);
        let others = others.filter_map(|at| Some((*at, *texts_of(events, *at).first()?)));
        for (at, text) in others.take(OTHERS_MAX) {
            suggest(names::one(&fields[at].name), OF_MANY, all(equal(at, text)));
        }
        let is_category = |at: &usize| roles[*at] == FieldRole::Category && !identifiers.contains(at);
        let categories = (0..fields.len()).filter(is_category);
        let category = categories.filter_map(|at| Some((at, typical(&texts_of(events, at))?))).next();
        if let Some((at, text)) = category {
            suggest(names::all(&fields[at].name), OF_MANY, all(equal(at, text)));
        }
        if let (Some(seconds), Some(instant)) = (span, example.instant.or(instants.first().copied())) {
            let every = RowChoice::Fields { equals: Vec::new(), from: None, until: None };
            suggest(names::all_in(seconds), OF_MANY, all(within(&every, instant, seconds)));
        }
        suggested
    }
}

/// Limits rows to the span of time that contains an instant. Spans of days begin at midnight.
fn within(rows: &RowChoice, instant: i64, seconds: i64) -> RowChoice {
    let RowChoice::Fields { equals, .. } = rows else { return rows.clone() };
    let unit = seconds.min(DAY);
    let start = instant.div_euclid(1_000_000).div_euclid(unit) * unit;
    let [from, until] =
        [start, start + seconds].map(|seconds| Some(time::format(seconds * 1_000_000).replace(".000Z", "Z")));
    RowChoice::Fields { equals: equals.clone(), from, until }
}

/// Returns the texts of a field, except those that mean "no value".
fn texts_of<'e>(events: &[Vec<Option<&'e str>>], at: usize) -> Vec<&'e str> {
    let values = events.iter().filter_map(|event| event.get(at).copied().flatten());
    values.filter(|text| !text.is_empty() && !is_placeholder(text)).collect()
}

/// An entity that exists, and the time of one of its events.
#[derive(Default)]
struct Example<'e> {
    entity: Option<&'e str>,
    instant: Option<i64>,
}

impl<'e> Example<'e> {
    /// Takes the event in the middle, or the next one that has both. Active entities are read
    /// often, so any event is a good example.
    fn find(
        fields: &[Field],
        events: &[Vec<Option<&'e str>>],
        entity: Option<usize>,
        time: Option<usize>,
    ) -> Example<'e> {
        let value = |event: &Vec<Option<&'e str>>, at: Option<usize>| {
            let text = event.get(at?).copied().flatten()?;
            (!text.is_empty() && !is_placeholder(text)).then_some(text)
        };
        let (before, after) = events.split_at(events.len() / 2);
        let mut found = Example::default();
        for event in after.iter().chain(before) {
            let of_entity = value(event, entity);
            let instant = value(event, time).and_then(|text| fields[time?].micros(text));
            if (of_entity.is_some() || entity.is_none()) && (instant.is_some() || time.is_none()) {
                return Example { entity: of_entity, instant };
            }
            if found.entity.is_none() {
                found.entity = of_entity;
            }
        }
        found
    }
}

/// Returns the span in seconds that suits these instants; `None` if they are all about the same.
fn span_of(instants: &[i64]) -> Option<i64> {
    let extent = (instants.iter().max()? - instants.iter().min()?) / 1_000_000;
    SPANS.into_iter().find(|seconds| seconds * SPANS_PER_EXTENT <= extent)
}

/// Returns the rarest value that is still typical, if there are few distinct values that occur
/// repeatedly.
fn typical<'e>(values: &[&'e str]) -> Option<&'e str> {
    let in_order = sorted(values.to_vec(), Ord::cmp);
    let groups: Vec<&[&str]> = in_order.chunk_by(|one, other| one == other).collect();
    let is_usual =
        |group: &&&[&str]| group.len() > 1 && group.len() * 100 >= values.len() * SHARE_PERCENT_MIN;
    if !(2..=GROUP_VALUES_MAX).contains(&groups.len()) {
        return None;
    }
    let rarest = groups.iter().filter(is_usual).min_by_key(|group| group.len())?[0];
    values.iter().copied().find(|value| *value == rarest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use tabletop_keys::FieldKind::{Facets, Float, Int, Text, Time};

    /// What is suggested for these events: the best field and the key, and the patterns.
    fn said(list: &[(&str, FieldKind)], events: &[Vec<String>]) -> Vec<String> {
        let fields: Vec<Field> = list.iter().map(|(name, kind)| Field::new(*name, *kind)).collect();
        let events: Vec<Vec<Option<&str>>> = events
            .iter()
            .map(|event| event.iter().map(|text| Some(&**text).filter(|text| *text != "-")).collect())
            .collect();
        let roles: Vec<FieldRole> = field_roles(&fields, &events).iter().map(|found| found.role).collect();
        let value = |event: usize, field: usize| events[event][field];
        let loaded = LoadedEvents { fields: &fields, count: events.len(), value: &value };
        let found = look_ups(loaded, &roles);
        let words = |named: &NamedQuery| {
            let RowChoice::Fields { equals, from, until } = &named.query.rows else { panic!("{named:?}") };
            let equals: Vec<String> = equals.iter().map(|(name, text)| format!("{name}={text}")).collect();
            let times: Vec<&str> = [from, until].into_iter().flatten().map(String::as_str).collect();
            let limit = if named.query.reversed { " backward" } else { "" };
            let text = format!(
                "{} {}/s: {} {}{limit}",
                named.name,
                named.reads_per_second,
                equals.join(","),
                times.join(" ")
            );
            text.trim().to_string()
        };
        let Some(best) = found.first() else { return Vec::new() };
        let first = format!("{}: {}", best.field.as_deref().unwrap_or("-"), best.template);
        core::iter::once(first).chain(best.patterns.iter().map(words)).collect()
    }

    fn event(values: &[&str]) -> Vec<String> {
        values.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn patterns_of_a_set_of_events_have_its_values() {
        let fields = [
            ("app", Text),
            ("user_token", Text),
            ("timestamp", Time),
            ("event_type", Text),
            ("facets", Facets),
        ];
        let events: Vec<Vec<String>> = (0..400)
            .map(|n: u32| {
                let time = format!("2019-05-28T{:02}:{:02}:30Z", n / 60, n % 60);
                let kind = if n % 10 == 7 { "buy" } else { "view" };
                event(&["app-1", &format!("u{}", n % 40), &time, kind, "brand:a"])
            })
            .collect();
        assert_eq!(
            said(&fields, &events),
            [
                "user_token: {user_token},{timestamp:iso}",
                "One user_token 100/s: user_token=u0",
                "One user_token, 1 hour 100/s: user_token=u0 2019-05-28T03:00:00Z 2019-05-28T04:00:00Z",
                "Last 10 of one user_token 100/s: user_token=u0  backward",
                "All of one event_type 1/s: event_type=buy",
                "Everything in 1 hour 1/s:  2019-05-28T03:00:00Z 2019-05-28T04:00:00Z",
            ],
            "an app that all events have is not a group"
        );
    }

    #[test]
    fn what_the_events_lack_is_not_suggested() {
        assert_eq!(said(&[], &[]), Vec::<String>::new());
        assert_eq!(
            said(&[("user_id", Text), ("at", Time)], &[]),
            Vec::<String>::new(),
            "there are no values yet"
        );
        let numbers: Vec<Vec<String>> = (0..100)
            .map(|n| event(&[&format!("{n}.5"), &format!("20{:02}-01-01", n), &((n * 7) % 50).to_string()]))
            .collect();
        assert_eq!(
            said(&[("celsius", Float), ("day", Time), ("humidity", Int)], &numbers),
            ["-: {day:iso}", "Everything in 1 year 1/s:  2050-01-01T00:00:00Z 2051-01-01T00:00:00Z"],
            "a number is not an entity"
        );
        let one_moment: Vec<Vec<String>> =
            (0..20).map(|n| event(&[&format!("u{}", n % 5), "2020-01-01"])).collect();
        let patterns = said(&[("user", Text), ("day", Time)], &one_moment);
        assert_eq!(patterns[1], "One user 100/s: user=u0");
        assert!(
            patterns[1..].iter().all(|pattern| !pattern.contains("day")),
            "one moment has no spans: {patterns:?}"
        );
    }

    #[test]
    fn an_event_without_the_value_is_not_an_example() {
        let mut events: Vec<Vec<String>> = (0..20).map(|_| event(&["-", "-"])).collect();
        events.extend((0..10).map(|n| event(&[&format!("u{}", n % 3), &format!("2020-01-{:02}", n + 1)])));
        let patterns = said(&[("user_id", Text), ("at", Time)], &events);
        assert_eq!(patterns[1], "One user_id 100/s: user_id=u0");
        assert_eq!(
            patterns[2],
            "One user_id, 1 day 100/s: user_id=u0 2020-01-01T00:00:00Z 2020-01-02T00:00:00Z"
        );
    }
}
