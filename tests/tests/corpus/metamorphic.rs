//! Changes of a file that must not change the advice on it: other names of fields, another order
//! of columns, and the same events once more, a period later.

use std::collections::BTreeMap;

use tabletop_keys::{FieldRole, Template};
use tabletop_tests::corpus::{Table, a_period_later, permuted, read, renamed};
use tabletop_workload::Events;

use super::chains::first_steps;
use super::default_keys::default_key;
use super::roles::roles;
use super::{File, files, in_parallel};

/// The fewest files of which a change leaves roles, default key and first advice as they are: other
/// names, another order, and a period later, with which some roles become certain and others change.
const SAME_MIN: [usize; 3] = [74, 71, 58];

/// The advice on a file, with the names of the original.
#[derive(Debug, PartialEq)]
struct Said {
    roles: BTreeMap<String, FieldRole>,
    /// The fields of the default key, in their order.
    key: Vec<String>,
    /// The fields of the key to which each first advice leads.
    steps: Vec<Vec<String>>,
}

fn said(events: &Events, time: Option<&str>, original: &dyn Fn(&str) -> String) -> Said {
    let fields = |template: &str| {
        let (template, _) = Template::parse(template, events.fields());
        let names = template.parts().iter().flat_map(tabletop_keys::part_fields);
        names.map(|name| original(name)).collect::<Vec<String>>()
    };
    let found = events.fields().iter().zip(roles(events));
    let steps = time.map(|time| first_steps(events, time)).unwrap_or_default();
    Said {
        roles: found.map(|(field, found)| (original(&field.name), found.role)).collect(),
        key: fields(&default_key(events).0.text()),
        steps: steps.iter().map(|template| fields(template)).collect(),
    }
}

/// Compares the advice on the variants of a file: other names, another order, and a period later.
fn variants(File { entry, events, .. }: &File) -> [Option<String>; 3] {
    let table = Table::of(events);
    let same = |name: &str| name.to_owned();
    let before = said(events, entry.time.as_deref(), &same);
    let of = |table: &Table| read(&table.to_csv()).events;
    let difference =
        |after: Said| (after != before).then(|| format!("{}: {before:?}\n  {after:?}", entry.name));
    // Where names broke ties, other names may break them in another way.
    let by_name = roles(events).iter().any(|found| found.by_name);
    let number = |name: &str| name[1..].parse::<usize>().expect("a number") - 1;
    let other_names = (!by_name).then(|| {
        let variant = of(&renamed(&table));
        let time = entry.time.as_ref().map(|time| format!("f{}", table.index(time) + 1));
        said(&variant, time.as_deref(), &|name| table.names[number(name)].clone())
    });
    let other_order = said(&of(&permuted(&table, 3)), entry.time.as_deref(), &same);
    let later = said(&of(&a_period_later(&table, entry, 7)), entry.time.as_deref(), &same);
    [other_names.and_then(&difference), difference(other_order), difference(later)]
}

#[test]
fn names_order_and_a_longer_file_change_neither_roles_nor_advice() {
    let all: Vec<&File> = files().iter().flatten().collect();
    let found = in_parallel(all.clone(), &variants);
    for (at, change) in ["other names", "another order", "a period later"].into_iter().enumerate() {
        let different: Vec<&str> = found.iter().filter_map(|file| file[at].as_deref()).collect();
        let same = all.len() - different.len();
        println!("{change}: {same} of {} are the same\n{}", all.len(), different.join("\n"));
        assert!(same >= SAME_MIN[at], "{change}: {same} of {}\n{}", all.len(), different.join("\n"));
    }
}
