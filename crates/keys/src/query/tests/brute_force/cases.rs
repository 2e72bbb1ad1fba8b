//! Random cases: a template, a layout, events, and what is asked of them.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::Event;
use crate::query::tests::{event_fields, fields};
use crate::{Field, FieldKind, Layout, LayoutKind, RowChoice, time};

/// As many fields as those of events, without facets: a table of any kind.
fn record_fields() -> Vec<Field> {
    use FieldKind::{Bool, Int, Text, Time};
    fields(&[
        ("app", Text),
        ("user", Text),
        ("timestamp", Time),
        ("event_type", Text),
        ("city", Text),
        ("n", Int),
        ("paid", Bool),
    ])
}

fn part_texts() -> Vec<&'static str> {
    vec![
        "{app}",
        "{app:reverse}",
        "{app:hash(2)}",
        "{user}",
        "{user}",
        "{user:hash}",
        "{user:upper}",
        "{user:reverse_domain}",
        "{user:or(unknown)}",
        "{user:or(none):hash}",
        "{timestamp}",
        "{timestamp:iso}",
        "{timestamp:iso}",
        "{timestamp:reverse_time}",
        "{timestamp:millis}",
        "{timestamp:seconds}",
        "{timestamp:date}",
        "{timestamp:month}",
        "{timestamp:hour}",
        "{timestamp:hour:hash(4)}",
        "{timestamp:iso:reverse}",
        "{timestamp:bucket(5m):iso}",
        "{timestamp:bucket(7d):reverse_time}",
        "{timestamp:bucket(7h):date}",
        "{n:pad(4)}",
        "{n}",
        "{event_type}",
        "{zorder(n, n, bits=4, x=-100..100, y=-100..100, as=bytes)}",
    ]
}

const TIMES: [&str; 12] = [
    "2019-05-28T00:00:00.000Z",
    "2019-05-28T00:00:00.001Z",
    "2019-05-28T00:04:59.999Z",
    "2019-05-28T00:05:00.000Z",
    "2019-05-28T07:30:00.250Z",
    "2019-05-28T23:59:59.999Z",
    "2019-05-29T00:00:00.000Z",
    "2019-05-29T12:00:00.500Z",
    "2019-05-31T23:00:00.000Z",
    "2019-06-01T00:00:00.000Z",
    "2019-06-20T06:00:00.000Z",
    "2020-01-01T00:00:00.000Z",
];

/// Values without the separators of the templates below.
fn event(is_event: bool) -> impl Strategy<Value = Event> {
    let names = if is_event {
        vec!["home", "search", "a\"b;c", "d.e"]
    } else {
        vec!["Paris", "Rome \"x\"", "true", "12"]
    };
    let last = if is_event {
        vec!["brand:Apple|color:Black", "brand:Sony", ""]
    } else {
        vec!["true", "false", "maybe"]
    };
    (
        select(vec!["a", "ab", "b", "\u{e9}"]),
        select(vec!["u1", "u2", "U2", "u10", ""]),
        select(TIMES.to_vec()),
        select(vec!["click", "view", "click it"]),
        select(names),
        select(vec!["1", "2", "10", "-3", "-12", "007"]),
        (any::<bool>(), proptest::option::of(select(last))),
    )
        .prop_map(|(app, user, time, kind, name, n, (has_name, last))| {
            let mut event: Event =
                [app, user, time, kind, name, n].map(|text| Some(text.to_string())).to_vec();
            event[4].take_if(|_| !has_name);
            event.push(last.map(String::from));
            event
        })
}

/// A table with its events, a query, and how it is read.
#[derive(Clone, Debug)]
pub struct Case {
    pub fields: Vec<Field>,
    pub text: String,
    pub layout: Layout,
    pub events: Vec<Event>,
    pub choice: RowChoice,
    pub salt: String,
    pub cut_over: String,
    pub reversed: bool,
    pub limit: u64,
    pub slice: usize,
}

pub fn case() -> impl Strategy<Value = Case> {
    (any::<bool>(), proptest::collection::vec((select(part_texts()), select(vec!["#", "|", "::"])), 1..5))
        .prop_flat_map(|(is_event, parts)| {
            let fields = if is_event { event_fields() } else { record_fields() };
            let text: String =
                parts.iter().enumerate().fold(String::new(), |text, (at, (part, separator))| {
                    text + if at > 0 { separator } else { "" } + part
                });
            let in_key: Vec<String> =
                fields.iter().map(|f| f.name.clone()).filter(|n| text.contains(&format!("{{{n}"))).collect();
            let kind = select(vec![
                LayoutKind::Narrow,
                LayoutKind::Wide,
                LayoutKind::RowPerEntity,
                LayoutKind::Columns,
            ]);
            let family = select(vec![None, Some("event_type".to_string()), Some("n".to_string())]);
            let asked = proptest::collection::vec((0..fields.len(), any::<Index>()), 0..3);
            let time = || {
                proptest::option::of((
                    select(TIMES.to_vec()),
                    select(vec![0i64, 1, 500, 1000, -1000, 3_600_000_000]),
                ))
            };
            let over = any::<Index>();
            (
                Just((fields, text, in_key)),
                (kind, family),
                proptest::collection::vec(event(is_event), 1..25),
                (asked, time(), time()),
                (2u32..20, any::<bool>(), over, select(vec!["-", "#", ""]), select(TIMES.to_vec())),
                (any::<bool>(), 0u64..6, 1usize..4),
            )
                .prop_map(
                    |(
                        (fields, text, in_key),
                        (kind, family_field),
                        events,
                        (asked, from, until),
                        salt,
                        (reversed, limit, slice),
                    )| {
                        let moved =
                            |(text, micros): (&str, i64)| (time::parse(text).unwrap() + micros).to_string();
                        let mut equals: Vec<(String, String)> = Vec::new();
                        for (field, event) in asked {
                            if let Some(text) = &event.get(&events)[field] {
                                equals.push((fields[field].name.clone(), text.clone()));
                            }
                        }
                        let (buckets, has_fields, over, separator, cut_over) = salt;
                        let salt = match over {
                            over if has_fields && !in_key.is_empty() => {
                                format!("{buckets}, {}", over.get(&in_key))
                            }
                            _ => format!("{buckets}"),
                        };
                        let cut_over = format!("{{salt({salt}, from={cut_over})}}{separator}");
                        let salt = format!("{{salt({salt})}}{separator}");
                        let choice =
                            RowChoice::Fields { equals, from: from.map(moved), until: until.map(moved) };
                        let layout = Layout { family_field, columns: columns(&fields), ..Layout::new(kind) };
                        Case { fields, text, layout, events, choice, salt, cut_over, reversed, limit, slice }
                    },
                )
        })
}

/// Columns that contain each field, in a value, a qualifier or a family.
fn columns(fields: &[Field]) -> Vec<crate::Column> {
    let column = |(at, field): (usize, &Field)| {
        let (name, field) = (&field.name, format!("{{{}}}", field.name));
        let [family, qualifier, value] = match at % 3 {
            0 => ["d".to_string(), name.clone(), field],
            1 => ["q".to_string(), format!("{name}={field}"), String::new()],
            _ => [field, name.clone(), "x".to_string()],
        };
        crate::Column { family, qualifier, value, time: crate::CellTime::Event }
    };
    fields.iter().enumerate().map(column).collect()
}
