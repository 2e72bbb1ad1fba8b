//! Row keys of acceptable designs, built for real.

use std::collections::HashSet;

use tabletop_keys::time::TimeFormat;
use tabletop_keys::{Field, FieldKind, Layout, LayoutKind, LayoutWriter, Part, Record, Template, Transform};
use tabletop_workload::Events;

use super::entry::{AcceptableKey, Salting};

/// The text for absent values.
const PLACEHOLDER: &str = "-";
/// The salts of a key that needs one.
const SALTS: u32 = 8;

/// Returns the template of an acceptable key: whole numbers are padded to the longest value, times
/// are written in full, and the salt is there only if it is needed.
pub fn template_of(key: &AcceptableKey, events: &Events) -> Template {
    let mut parts = Vec::new();
    if key.salt == Salting::Needed {
        parts.push(Part::Salt { buckets: SALTS, over: Vec::new(), from: None });
        parts.push(Part::Literal("-".into()));
    }
    for (at, name) in key.fields.iter().enumerate() {
        if at > 0 {
            parts.push(Part::Literal("#".into()));
        }
        let transforms = events.fields().iter().position(|field| field.name == *name);
        let transforms = transforms.map(|field| transforms_of(events, field)).unwrap_or_default();
        parts.push(Part::Field { name: name.clone(), transforms });
    }
    Template::new(parts, events.fields())
}

fn transforms_of(events: &Events, field: usize) -> Vec<Transform> {
    let values = || (0..events.len()).filter_map(|event| events.value(event, field));
    match events.fields()[field].kind {
        FieldKind::Time => vec![Transform::Time(TimeFormat::Iso)],
        FieldKind::Int => {
            let longest = values().map(|text| text.trim_start_matches('-').len()).max();
            vec![Transform::Pad(longest.unwrap_or(1) as u8)]
        }
        _ => Vec::new(),
    }
}

/// Returns the number of events that differ from each other. Exact duplicates count as one event.
pub fn distinct_events(events: &Events) -> usize {
    let mut values = Vec::new();
    let event = |index| {
        events.record(index, &mut values);
        values.clone()
    };
    (0..events.len()).map(event).collect::<HashSet<_>>().len()
}

/// Returns the number of distinct events that a table with this key loses, because they have the
/// identity of another event.
///
/// # Errors
/// The first event that the key refuses, and the problems of the template.
pub fn lost_events(key: &AcceptableKey, events: &Events) -> Result<usize, String> {
    let text = template_of(key, events).text();
    let (template, problems) = Template::parse(&text, events.fields());
    if !problems.is_empty() {
        return Err(format!("{text}: {problems:?}"));
    }
    let layout = Layout::new(LayoutKind::Narrow);
    let writer = LayoutWriter::new(&layout, events.fields(), &template);
    let in_key: Vec<bool> =
        events.fields().iter().map(|Field { name, .. }| key.fields.contains(name)).collect();
    let mut identities = HashSet::new();
    let mut values = Vec::new();
    for index in 0..events.len() {
        events.record(index, &mut values);
        if key.placeholder {
            let absent =
                values.iter_mut().zip(&in_key).filter(|(value, is_in_key)| value.is_none() && **is_in_key);
            absent.for_each(|(value, _)| *value = Some(PLACEHOLDER));
        }
        let record = Record { fields: events.fields(), values: &values };
        let identity = writer.identity(layout.kind, &record, index as u64);
        identities.insert(identity.map_err(|error| format!("{text}, event {index}: {error}"))?);
    }
    Ok(distinct_events(events) - identities.len())
}
