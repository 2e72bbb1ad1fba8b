//! The key that the page makes when a file is loaded, next to the keys that were written for it.

use std::collections::HashSet;
use tabletop_advice::{DefaultKeys, LoadedEvents};

use tabletop_keys::{FieldRole, Layout, LayoutKind, LayoutWriter, Record, Template, part_fields};
use tabletop_tests::corpus::distinct_events;
use tabletop_workload::Events;

use super::roles::roles;
use super::{File, files};

/// The fewest files whose default key is acceptable.
const ACCEPTABLE_MIN: usize = 55;
/// The fewest files whose default key is acceptable, at the latest with the salt that the page then
/// offers: the events have only a time.
const ACCEPTABLE_WITH_SALT_MIN: usize = 67;
/// The fewest files whose events users look up by the field that the page preselects.
const SENSIBLE_MIN: usize = 68;
/// The most files whose default key loses events: no field that may be in a key tells them apart.
const LOSING_MAX: usize = 2;

/// Returns the template of the default key, and the field that users are first offered to look up.
pub(super) fn default_key(events: &Events) -> (Template, Option<String>) {
    let roles: Vec<FieldRole> = roles(events).into_iter().map(|found| found.role).collect();
    let value = |event, field| events.value_in_file(event, field);
    let loaded = LoadedEvents { fields: events.fields(), count: events.len(), value: &value };
    let keys = DefaultKeys::new(loaded, &roles);
    let look_up = keys.look_ups().first().copied();
    let (template, problems) = Template::parse(&keys.template(look_up), events.fields());
    assert_eq!(problems, [], "{}", template.text());
    (template, look_up.map(|at| events.fields()[at].name.clone()))
}

fn fields(template: &Template) -> Vec<&str> {
    template.parts().iter().flat_map(part_fields).map(String::as_str).collect()
}

#[test]
fn default_keys_are_those_that_an_engineer_accepts() {
    let (mut acceptable, mut salted, mut sensible, mut all) = (0, 0, 0, 0);
    let mut others = Vec::new();
    for File { entry, events, .. } in files().iter().flatten() {
        let (template, look_up) = default_key(events);
        let names = fields(&template);
        all += 1;
        let (is_accepted, is_with_salt) = (entry.accepts(&names, false), entry.accepts(&names, true));
        acceptable += usize::from(is_accepted);
        salted += usize::from(!is_accepted && is_with_salt);
        let look_up_suits = match &look_up {
            Some(name) => entry.look_up.iter().any(|known| known == entry.same.get(name).unwrap_or(name)),
            None => entry.look_up.is_empty(),
        };
        sensible += usize::from(look_up_suits);
        if !(is_accepted || is_with_salt) || !look_up_suits {
            others.push(format!(
                "{}: {} (looks up {look_up:?}, {:?})",
                entry.name,
                template.text(),
                entry.look_up
            ));
        }
    }
    println!(
        "{acceptable} of {all} default keys are acceptable, {salted} more with a salt; {sensible} look-ups are"
    );
    println!("{}", others.join("\n"));
    let others = others.join("\n");
    assert!(acceptable >= ACCEPTABLE_MIN, "{acceptable} of {all}:\n{others}");
    assert!(acceptable + salted >= ACCEPTABLE_WITH_SALT_MIN, "{acceptable} and {salted} of {all}:\n{others}");
    assert!(sensible >= SENSIBLE_MIN, "{sensible} of {all}:\n{others}");
}

#[test]
fn default_keys_begin_with_what_can_lead() {
    for File { entry, events, .. } in files().iter().flatten() {
        let (template, _) = default_key(events);
        let first = fields(&template)[0];
        let found = events.fields().iter().zip(roles(events)).find(|(field, _)| field.name == first);
        let never = [
            FieldRole::Measure,
            FieldRole::Counter,
            FieldRole::FreeText,
            FieldRole::PartOfTime,
            FieldRole::OtherTime,
        ];
        let found = found.expect("a field").1.role;
        // Some files have nothing else.
        let has_others = events.fields().iter().any(|field| !never.contains(&entry.role(&field.name)));
        let roles = [found, entry.role(first)];
        let may_lead = roles.iter().all(|role| !never.contains(role)) || !has_others;
        assert!(may_lead, "{}: {} begins with {roles:?}", entry.name, template.text());
    }
}

#[test]
fn default_keys_lose_no_event_that_they_can_keep() {
    let mut losing = Vec::new();
    for File { entry, events, .. } in files().iter().flatten() {
        let (template, _) = default_key(events);
        let layout = Layout::new(LayoutKind::Narrow);
        let writer = LayoutWriter::new(&layout, events.fields(), &template);
        let (mut values, mut identities) = (Vec::new(), HashSet::new());
        for index in 0..events.len() {
            events.record(index, &mut values);
            let record = Record { fields: events.fields(), values: &values };
            identities.extend(writer.identity(layout.kind, &record, index as u64).ok());
        }
        let lost = distinct_events(events) - identities.len();
        if lost > 0 {
            losing.push(format!("{}: {} loses {lost} of {}", entry.name, template.text(), events.len()));
        }
    }
    println!("{} default keys lose events:\n{}", losing.len(), losing.join("\n"));
    assert!(losing.len() <= LOSING_MAX, "{}", losing.join("\n"));
}
