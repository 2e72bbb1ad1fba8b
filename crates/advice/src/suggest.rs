//! Suggests access patterns that suit the fields of the events, with values that the events have.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use tabletop_keys::{Field, FieldKind, Query, Roles, RowChoice, is_placeholder, time};
use tabletop_model::{RowFilter, order::sorted};
use tabletop_workspace::NamedQuery;

use crate::advise::is_identifier;
use crate::{entity_field, names};

/// The maximum number of events that [`suggest_queries`] uses: a sample of all events.
pub const SUGGEST_EVENTS: u32 = 1_000;
/// The maximum number of fields with few values for which a pattern is suggested.
const GROUPS_MAX: usize = 2;
/// The maximum number of values of such a field.
const GROUP_VALUES_MAX: usize = 20;
/// A value with a smaller share of the events (in percent) is not typical.
const SHARE_PERCENT_MIN: usize = 2;
/// Spans of time, in seconds. The longest one that is at most a fifth of the time of all events is
/// suggested.
const SPANS: [i64; 8] = [365 * DAY, 30 * DAY, 7 * DAY, DAY, 3_600, 600, 60, 1];
const SPANS_PER_EXTENT: i64 = 5;
const DAY: i64 = 86_400;
/// Guessed reads per second: for the entity that a user waits for, for a group or a span, and for a
/// report on everything.
const OF_ONE: f64 = 100.0;
const OF_MANY: f64 = 1.0;
const OF_ALL: f64 = 0.1;

/// Suggests access patterns from a sample of the events, which have one value per field: one
/// entity, one entity in a span of time, the latest of each, all events of a group, and everything
/// in a span of time. Their values come from real events, so each pattern finds something. Weights
/// are guesses: 100 reads per second for one entity, 1 for a group or a span, 0.1 for everything.
pub fn suggest_queries(fields: &[Field], events: &[Vec<Option<&str>>]) -> Vec<NamedQuery> {
    let texts_of = |at: usize| texts_of(events, at);
    let entity = entity_of(fields, events);
    let time = Roles::of(fields).time;
    let instants: Vec<i64> = time
        .iter()
        .flat_map(|at| texts_of(*at).into_iter().filter_map(|text| fields[*at].micros(text)))
        .collect();
    let span = span_of(&instants);
    let example = Example::find(fields, events, entity, time);
    let mut suggested = Vec::new();
    let mut suggest = |name: String, reads_per_second: f64, rows: RowChoice, filter: Option<RowFilter>| {
        let query = Query { rows, filter, rows_limit: 0, reversed: false };
        suggested.push(NamedQuery { reads_per_second, ..NamedQuery::new(name, query) });
    };
    let equal = |at: usize, text: &str| alloc::vec![(fields[at].name.clone(), text.to_string())];
    let between = |instant: i64, seconds: i64| {
        // Spans of days begin at midnight.
        let unit = seconds.min(DAY);
        let start = instant.div_euclid(1_000_000).div_euclid(unit) * unit;
        [start, start + seconds].map(|seconds| Some(time::format(seconds * 1_000_000).replace(".000Z", "Z")))
    };
    if let (Some(at), Some(text)) = (entity, example.entity) {
        let name = fields[at].name.as_str();
        suggest(
            names::one(name),
            OF_ONE,
            RowChoice::Fields { equals: equal(at, text), from: None, until: None },
            None,
        );
        if let (Some(seconds), Some(instant)) = (span, example.instant) {
            let [from, until] = between(instant, seconds);
            let name = names::one_in(name, seconds);
            suggest(name, OF_ONE, RowChoice::Fields { equals: equal(at, text), from, until }, None);
        }
        if time.is_some() {
            suggest(names::latest(name), OF_ALL, RowChoice::All, Some(RowFilter::CellsPerColumnLimit(1)));
        }
    }
    let is_group =
        |at: &usize| Some(*at) != entity && matches!(fields[*at].kind, FieldKind::Text | FieldKind::Bool);
    let groups = (0..fields.len()).filter(is_group).filter_map(|at| Some((at, typical(&texts_of(at))?)));
    for (at, text) in groups.take(GROUPS_MAX) {
        let rows = RowChoice::Fields { equals: equal(at, text), from: None, until: None };
        suggest(names::all(&fields[at].name), OF_MANY, rows, None);
    }
    if let (Some(seconds), Some(instant)) = (span, example.instant.or(instants.first().copied())) {
        let [from, until] = between(instant, seconds);
        let rows = RowChoice::Fields { equals: Vec::new(), from, until };
        suggest(names::all_in(seconds), OF_MANY, rows, None);
    }
    suggested
}

/// Returns the index of the field that identifies a user, a device or the like, in a sample of the
/// events; `None` if there is none.
pub(crate) fn entity_of(fields: &[Field], events: &[Vec<Option<&str>>]) -> Option<usize> {
    let index_of = |name: &str| fields.iter().position(|field| field.name == name);
    let entity =
        entity_field(fields, &|name| index_of(name).map(|at| texts_of(events, at)).unwrap_or_default());
    let entity = entity.filter(|field| field.kind == FieldKind::Text || is_identifier(&field.name));
    entity.and_then(|field| index_of(&field.name))
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
    use FieldKind::{Facets, Float, Int, Text, Time};

    fn said(list: &[(&str, FieldKind)], events: &[Vec<String>]) -> Vec<String> {
        let fields: Vec<Field> = list.iter().map(|(name, kind)| Field::new(*name, *kind)).collect();
        let events: Vec<Vec<Option<&str>>> = events
            .iter()
            .map(|event| event.iter().map(|text| Some(&**text).filter(|text| *text != "-")).collect())
            .collect();
        let suggested = suggest_queries(&fields, &events);
        let words = |named: &NamedQuery| {
            let (equals, from, until) = match &named.query.rows {
                RowChoice::Fields { equals, from, until } => (equals.clone(), from.clone(), until.clone()),
                RowChoice::All => (Vec::new(), None, Some("all rows".into())),
                other => panic!("{other:?}"),
            };
            let equals: Vec<String> =
                equals.iter().map(|(name, text)| alloc::format!("{name}={text}")).collect();
            let times = [from, until].map(Option::unwrap_or_default).join(" ");
            let filter = named.query.filter.as_ref().map(RowFilter::text).unwrap_or_default();
            alloc::format!(
                "{} {}/s: {} {times} {filter}",
                named.name,
                named.reads_per_second,
                equals.join(",")
            )
        };
        suggested.iter().map(|named| words(named).trim().to_string()).collect()
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
                let time = alloc::format!("2019-05-28T{:02}:{:02}:30Z", n / 60, n % 60);
                let kind = if n % 10 == 7 { "buy" } else { "view" };
                event(&["app-1", &alloc::format!("u{}", n % 40), &time, kind, "brand:a"])
            })
            .collect();
        assert_eq!(
            said(&fields, &events),
            [
                "One user_token 100/s: user_token=u0",
                "One user_token, 1 hour 100/s: user_token=u0 2019-05-28T03:00:00Z 2019-05-28T04:00:00Z",
                "Latest of each user_token 0.1/s:   all rows cells_per_column_limit(1)",
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
            .map(|n| {
                event(&[&n.to_string(), &alloc::format!("2020-{:02}-01", n % 12 + 1), &(n % 50).to_string()])
            })
            .collect();
        assert_eq!(
            said(&[("celsius", Float), ("day", Time), ("humidity", Int)], &numbers),
            ["Everything in 30 days 1/s:  2020-03-01T00:00:00Z 2020-03-31T00:00:00Z"],
            "a number is not an entity"
        );
        let one_moment: Vec<Vec<String>> =
            (0..20).map(|n| event(&[&alloc::format!("u{}", n % 5), "2020-01-01"])).collect();
        let patterns = said(&[("user", Text), ("day", Time)], &one_moment);
        assert_eq!(patterns[0], "One user 100/s: user=u0");
        assert!(
            patterns.iter().all(|pattern| !pattern.contains("day")),
            "one moment has no spans: {patterns:?}"
        );
    }

    #[test]
    fn an_event_without_the_value_is_not_an_example() {
        let mut events: Vec<Vec<String>> = (0..20).map(|_| event(&["-", "-"])).collect();
        events.extend(
            (0..10).map(|n| event(&[&alloc::format!("u{}", n % 3), &alloc::format!("2020-01-{:02}", n + 1)])),
        );
        let patterns = said(&[("user_id", Text), ("at", Time)], &events);
        assert_eq!(patterns[0], "One user_id 100/s: user_id=u0");
        assert_eq!(
            patterns[1],
            "One user_id, 1 day 100/s: user_id=u0 2020-01-01T00:00:00Z 2020-01-02T00:00:00Z"
        );
    }
}
