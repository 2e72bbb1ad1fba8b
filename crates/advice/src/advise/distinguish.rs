//! Adds fields to a key that tell its events apart.

use alloc::vec::Vec;

use tabletop_keys::{Field, FieldKind, FieldRole, Part, Template, edit, is_placeholder};

use super::FixKind;
use super::candidate::Candidate;
use super::sample::{Sample, identities};

/// The most fields besides the time that are added to tell events apart.
const DISTINCTIONS_MAX: usize = 3;

/// The candidate with unused fields at its end that tell apart events which would share a key: the
/// time first, then identifiers, then categories. A key never gets a measure. They are made one after
/// the other, because each is as expensive as a sort of all keys.
pub(super) fn with_distinctions<'s>(
    sample: &'s Sample,
    candidate: &'s Candidate,
) -> impl Iterator<Item = Candidate> + 's {
    let fields = sample.written.fields();
    let open = |suits: &dyn Fn(FieldRole) -> bool| -> Vec<&'s Field> {
        let is_open = |at: &usize| !uses(&candidate.template, &fields[*at]) && suits(sample.role(*at));
        (0..fields.len()).filter(is_open).map(|at| &fields[at]).collect()
    };
    // In a row per entity the time is in the cells already.
    let mut times = open(&|role| role == FieldRole::EventTime);
    times.retain(|field| field.kind == FieldKind::Time && !sample.layout.kind.shares_rows());
    // A date is the time of events whose time of day is another field.
    let whole_time: Vec<&Field> =
        times.iter().copied().chain(open(&|role| role == FieldRole::PartOfTime)).collect();
    let unique = open(&|role| role == FieldRole::UniqueIdentifier);
    let mut shared =
        open(&|role| matches!(role, FieldRole::SharedIdentifier | FieldRole::Url | FieldRole::Category));
    // A field with one value, or with none, tells nothing apart.
    shared.retain(|field| {
        let mut values = sample.values(&field.name).into_iter().filter(|text| !is_placeholder(text));
        values.next().is_some_and(|first| values.any(|other| other != first))
    });
    let counters = open(&|role| role == FieldRole::Counter);
    let mut bases = alloc::vec![times, whole_time, Vec::new()];
    bases.dedup();
    let firsts = bases.clone().into_iter().filter(|base| !base.is_empty());
    let longer = bases.into_iter().flat_map(move |base| {
        let with = |field: &&'s Field| base.iter().copied().chain([*field]).collect::<Vec<&Field>>();
        let unique: Vec<Vec<&Field>> = unique.iter().map(with).collect();
        let counters: Vec<Vec<&Field>> = counters.iter().map(with).collect();
        let greedy = telling_most_apart(sample, candidate, base.clone(), shared.clone());
        unique.into_iter().chain(greedy).chain(counters)
    });
    firsts.chain(longer).map(move |list| {
        let names = list.iter().map(|field| field.name.clone()).collect();
        let kinds = candidate.kinds.iter().cloned().chain([FixKind::AddToEnd(names)]).collect();
        let template = extended(sample, &candidate.template, &list);
        Candidate { kinds, template, ..candidate.clone() }
    })
}

/// Adds one field after the other, each time the one that tells most events apart.
fn telling_most_apart<'s>(
    sample: &'s Sample,
    candidate: &'s Candidate,
    mut list: Vec<&'s Field>,
    mut left: Vec<&'s Field>,
) -> impl Iterator<Item = Vec<&'s Field>> + 's {
    let mut steps = 0;
    core::iter::from_fn(move || {
        let shared_by = |field: &&'s Field| {
            let list: Vec<&Field> = list.iter().copied().chain([*field]).collect();
            shared_keys(&extended(sample, &candidate.template, &list), sample)
        };
        let best = left.iter().copied().min_by_key(shared_by).filter(|_| steps < DISTINCTIONS_MAX)?;
        steps += 1;
        list.push(best);
        left.retain(|field| field.name != best.name);
        Some(list.clone())
    })
}

fn extended(sample: &Sample, template: &Template, added: &[&Field]) -> Template {
    added.iter().fold(template.clone(), |template, field| edit::append(&template, part(sample, field)))
}

/// A part for a field. A whole number has as many digits as the longest value.
pub(super) fn part(sample: &Sample, field: &Field) -> Part {
    let is_number = field.kind == FieldKind::Int;
    edit::part_of(field, if is_number { digits(sample, &field.name) } else { None })
}

/// The digits of the longest whole number of a field.
pub(super) fn digits(sample: &Sample, name: &str) -> Option<u8> {
    (sample.context.digits)(name).or_else(|| edit::digits(sample.values(name)))
}

pub(super) fn uses(template: &Template, field: &Field) -> bool {
    template.parts().iter().any(|part| tabletop_keys::part_fields(part).contains(&&field.name))
}

/// The number of events that are not distinguished from an earlier one.
fn shared_keys(template: &Template, sample: &Sample) -> usize {
    let (keys, _) = identities(template, sample.layout, sample);
    keys.len() - keys.distinct()
}
