//! The roles that are found in the values of the corpus's files, next to those that were written
//! for them by the rules of `tests/corpus/README.md`.

use tabletop_advice::{FoundRole, LoadedEvents, ROLES_EVENTS};
use tabletop_keys::Field;
use tabletop_workload::Events;

use super::{File, files};

/// Returns the roles of the fields of these events.
pub(super) fn roles(events: &Events) -> Vec<FoundRole> {
    let value = |event, field| events.value_in_file(event, field);
    LoadedEvents { fields: events.fields(), count: events.len(), value: &value }.roles(ROLES_EVENTS)
}

#[test]
fn roles_are_those_that_an_engineer_gives() {
    let (mut right, mut all, mut by_name) = (0, 0, 0);
    let mut wrong = Vec::new();
    for File { entry, events, .. } in files().iter().flatten() {
        for (field, found) in events.fields().iter().zip(roles(events)) {
            let accepted = entry.roles(&field.name);
            all += 1;
            by_name += usize::from(found.by_name);
            right += usize::from(accepted.contains(&found.role));
            if !accepted.contains(&found.role) {
                wrong.push(format!("{}.{}: {found:?}, accepted {accepted:?}", entry.name, field.name));
            }
        }
    }
    println!("{right} of {all} roles are right; {by_name} were chosen by name");
    println!("{}", wrong.join("\n"));
    assert!(right * 100 >= all * 95, "{right} of {all}:\n{}", wrong.join("\n"));
}

#[test]
fn roles_do_not_depend_on_names_unless_they_say_so() {
    for File { entry, events, .. } in files().iter().flatten() {
        let mut renamed = events.clone();
        let fields = events.fields().iter().enumerate();
        let fields = fields.map(|(at, field)| Field { name: format!("f{at}"), ..field.clone() }).collect();
        renamed.set_fields(fields).expect("as many names");
        let found = roles(events);
        for ((field, found), after) in events.fields().iter().zip(found).zip(roles(&renamed)) {
            assert!(found.by_name || after == found, "{}.{}: {found:?}, {after:?}", entry.name, field.name);
        }
    }
}

#[test]
fn roles_do_not_depend_on_the_order_of_columns() {
    for File { entry, events, .. } in files().iter().flatten() {
        let mut fields = events.fields().to_vec();
        fields.reverse();
        let mut reversed = Events::new(fields);
        for index in 0..events.len() {
            let mut values = Vec::new();
            events.record_in_file(index, &mut values);
            values.reverse();
            reversed.push(&values).expect("it fits");
        }
        let mut after = roles(&reversed);
        after.reverse();
        for ((field, found), after) in events.fields().iter().zip(roles(events)).zip(after) {
            assert_eq!(after, found, "{}.{}", entry.name, field.name);
        }
    }
}
