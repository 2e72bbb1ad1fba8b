//! Fixes: changes to a design that remove a warning.
//!
//! A fix that moves or adds a field is tried on the sample first. It is not offered if it causes
//! another hotspot. A salt, a separator and a hash need no trial. So a user who applies one fix
//! after another never returns to the first design.

use alloc::string::String;
use alloc::vec::Vec;

use tabletop_keys::{
    Field, FieldKind, FieldRole, Layout, LayoutKind, Part, Template, Transform, edit,
    time::TimeFormat,
    zorder::{ZOrder, ZOutput},
};
use tabletop_workspace::DesignPatch;

use super::pattern::{self, Pattern};
use super::sample::{Keys, Sample, identities};
use super::{Fix, FixKind};

/// The number of salts of a fix: enough to spread the writes, few enough for a scan.
const SALTS: u32 = 8;
/// Separators to try, the usual ones first.
const SEPARATORS: [&str; 6] = ["#", "|", "~", "/", ";", "^"];
/// The fewest distinct values of a field that can begin a key.
const VALUES_MIN: usize = 32;
/// Endings of field names that suggest an identifier.
const NAMES: [&str; 10] =
    ["id", "user", "customer", "device", "token", "account", "name", "key", "code", "sensor"];

impl Fix {
    fn template(kind: FixKind, template: &Template) -> Fix {
        Fix { kind, patch: DesignPatch { template: Some(template.text()), ..DesignPatch::default() } }
    }
}

/// Fixes for a key that grows from its first part on.
pub(super) fn of_rising(sample: &Sample, first: usize) -> Vec<Fix> {
    let moved = to_the_end(sample, first).filter(|(_, template)| spreads(sample, template));
    let moved =
        moved.or_else(|| entity_first(sample, first).filter(|(_, template)| spreads(sample, template)));
    moved_or_salted(sample, moved)
}

/// Returns the fix that moves parts, if any, and the salts.
fn moved_or_salted(sample: &Sample, moved: Option<(FixKind, Template)>) -> Vec<Fix> {
    let moved = moved.map(|(kind, template)| Fix::template(kind, &template));
    moved.into_iter().chain(salted(sample.written)).collect()
}

/// Fixes for few values before the time at `time`.
pub(super) fn of_few_ranges(sample: &Sample, time: usize) -> Vec<Fix> {
    let moved = to_the_end(sample, time).filter(|(_, template)| spreads(sample, template));
    let moved = moved.or_else(|| {
        let slot = slot_of(sample.written, sample.parts[time])?;
        let field = unused_entity(sample)?;
        let template = inserted(sample.written, edit::part_of(field), slot);
        spreads(sample, &template)
            .then(|| (FixKind::PutBefore { field: field.name.clone(), next: sample.field(time) }, template))
    });
    moved_or_salted(sample, moved)
}

/// Fixes for too few rows. A salt does not add rows.
pub(super) fn of_few_rows(sample: &Sample) -> Vec<Fix> {
    let Some(field) = unused_entity(sample) else { return Vec::new() };
    let written = sample.written;
    let time = edit::solids(written).iter().position(|&part| super::sample::is_time(written, part));
    let template = inserted(written, edit::part_of(field), time.unwrap_or(usize::MAX));
    let kind = match time {
        Some(_) => FixKind::PutBeforeTime(field.name.clone()),
        None => FixKind::AddToEnd(alloc::vec![field.name.clone()]),
    };
    spreads(sample, &template).then(|| Fix::template(kind, &template)).into_iter().collect()
}

/// Fixes for a salt of some fields that is not used evenly.
pub(super) fn of_uneven_salt(sample: &Sample) -> Vec<Fix> {
    let template = over_whole_key(sample.written);
    template.map(|template| Fix::template(FixKind::SaltOverKey, &template)).into_iter().collect()
}

/// Returns a template whose salt is over the whole key; `None` if it is already, or if there is no
/// salt.
pub(super) fn over_whole_key(template: &Template) -> Option<Template> {
    let mut parts = template.parts().to_vec();
    parts.iter_mut().find_map(|part| match part {
        Part::Salt { over, .. } if !over.is_empty() => {
            over.clear();
            Some(())
        }
        _ => None,
    })?;
    Some(Template::new(parts, template.fields()))
}

/// Fixes for too few salts.
pub(super) fn of_few_salts(sample: &Sample) -> Vec<Fix> {
    alloc::vec![Fix::template(FixKind::Salt(SALTS), &edit::with_salt(sample.written, Some(SALTS)))]
}

/// Fixes for a cut-over with all events on one side.
pub(super) fn of_cut_over(sample: &Sample) -> Vec<Fix> {
    alloc::vec![Fix::template(FixKind::RemoveCutOver, &edit::with_cut_over(sample.written, None))]
}

/// Fixes for a salt that only scatters an area.
pub(super) fn of_scattered_area(sample: &Sample) -> Vec<Fix> {
    alloc::vec![Fix::template(FixKind::RemoveSalt, &edit::with_salt(sample.written, None))]
}

/// Fixes for events that share a key and lose data, or share a row although the layout does not
/// intend it.
pub(super) fn of_shared_keys<'t>(sample: &Sample<'t, '_>) -> Vec<Fix> {
    let written = sample.written;
    let fields = written.fields();
    let time = fields.iter().find(|field| field.kind == FieldKind::Time && !uses(written, field));
    // In a row per entity the time is in the cells already.
    let time = time.filter(|_| !sample.layout.kind.shares_rows());
    let (entity, distinction) = (unused_entity(sample), unused_distinction(sample));
    // The time comes first, so that the times of an entity are one range, unless the key needs the
    // other field to spread its events.
    let both = |first: Option<&'t Field>, second: Option<&'t Field>| {
        first.zip(second).map(|(one, two)| alloc::vec![one, two])
    };
    let alone = |field: Option<&'t Field>| field.map(|field| alloc::vec![field]);
    let candidates = [
        alone(time),
        both(time, entity),
        alone(entity),
        both(entity, time),
        both(time, distinction),
        alone(distinction),
    ];
    let candidates = candidates.into_iter().flatten().filter_map(|added| {
        let template = added
            .iter()
            .fold(written.clone(), |template, field| edit::append(&template, edit::part_of(field)));
        let kind = FixKind::AddToEnd(added.iter().map(|field| field.name.clone()).collect());
        let shared = shared_keys(&template, sample);
        // With one event per row, rows are no longer entities.
        let keeps_entities = !sample.layout.kind.shares_rows() || !has_one_event_per_row(&template, sample);
        let helps = shared < shared_keys(written, sample) && keeps_entities && spreads(sample, &template);
        helps.then_some((shared, Fix::template(kind, &template)))
    });
    // The first of the candidates that leave the fewest shared keys.
    candidates.min_by_key(|(shared, _)| *shared).map(|(_, fix)| fix).into_iter().collect()
}

/// Fixes for a layout without effect. `part` (of the stored template) is a time that a layout
/// cannot move into the timestamps.
pub(super) fn of_layout_without_effect(sample: &Sample, part: Option<usize>) -> Vec<Fix> {
    let written = sample.written;
    let as_instant = part.and_then(|part| {
        let at = sample.parts[part];
        let Part::Field { name, .. } = &written.parts()[at] else { return None };
        let iso =
            Part::Field { name: name.clone(), transforms: alloc::vec![Transform::Time(TimeFormat::Iso)] };
        let template = edit::replace(written, at, iso);
        // Without the time, some events must share a row.
        (!has_one_event_per_row(&template, sample) && spreads(sample, &template))
            .then(|| Fix::template(FixKind::WriteAsIso(name.clone()), &template))
    });
    let narrow = Layout { kind: LayoutKind::Narrow, ..sample.layout.clone() };
    let use_narrow = spreads_as_narrow(sample);
    let narrow = Fix {
        kind: FixKind::UseNarrow,
        patch: DesignPatch { layout: Some(narrow), ..DesignPatch::default() },
    };
    as_instant.into_iter().chain(use_narrow.then_some(narrow)).collect()
}

/// Fixes for a time with reversed characters: a time that counts down, at a place where it does no
/// harm.
pub(super) fn of_reversed_time(sample: &Sample, part: usize) -> Vec<Fix> {
    let written = sample.written;
    let at = sample.parts[part];
    let Part::Field { name, .. } = &written.parts()[at] else { return Vec::new() };
    let counting_down =
        Part::Field { name: name.clone(), transforms: alloc::vec![Transform::Time(TimeFormat::ReverseTime)] };
    let template = edit::replace(written, at, counting_down);
    let in_place = spreads(sample, &template).then(|| (FixKind::ReverseTime, template.clone()));
    let last = edit::solids(&template).len() - 1;
    let moved = || {
        let slot = slot_of(&template, at).filter(|&slot| slot < last)?;
        Some((FixKind::ReverseTimeAtEnd, edit::move_solid(&template, slot, last)))
    };
    let after_entity = || {
        let field = unused_entity(sample)?;
        Some((
            FixKind::StartWithAndReverseTime(field.name.clone()),
            edit::prepend(&template, edit::part_of(field)),
        ))
    };
    let salt = || {
        edit::salt(&template)
            .is_none()
            .then(|| (FixKind::ReverseTimeAndSalt(SALTS), edit::with_salt(&template, Some(SALTS))))
    };
    let candidate = in_place
        .or_else(|| moved().filter(|(_, template)| spreads(sample, template)))
        .or_else(|| after_entity().filter(|(_, template)| spreads(sample, template)))
        .or_else(salt);
    candidate.map(|(kind, template)| Fix::template(kind, &template)).into_iter().collect()
}

/// A fix that salts the key, if it has no salt yet: the keys spread over one range per salt.
pub(super) fn salted(template: &Template) -> Option<Fix> {
    salted_template(template).map(|template| Fix::template(FixKind::Salt(SALTS), &template))
}

/// Returns a fix that salts the whole key, so that keys which are next to each other spread; `None`
/// if it has a salt.
pub fn salt_fix(template: &Template) -> Option<Fix> {
    salted(template)
}

/// Returns the template with a salt; `None` if it has one.
pub(super) fn salted_template(template: &Template) -> Option<Template> {
    edit::salt(template).is_none().then(|| edit::with_salt(template, Some(SALTS)))
}

/// Returns the template with an unused field at its end that leaves fewer events with a shared key;
/// `None` if each event has its own cells, or no field helps.
pub(super) fn distinguishing(sample: &Sample) -> Option<Template> {
    let shared = shared_keys(sample.written, sample);
    if shared == 0 {
        return None;
    }
    let fields = [unused_entity(sample), unused_distinction(sample)].into_iter().flatten();
    let templates = fields.map(|field| edit::append(sample.written, edit::part_of(field)));
    let (left, template) =
        templates.map(|template| (shared_keys(&template, sample), template)).min_by_key(|(left, _)| *left)?;
    (left < shared).then_some(template)
}

/// Fixes for a whole number without padding: 10 digits, or 19 if a value is longer.
pub(super) fn of_unpadded(sample: &Sample, part: usize) -> Vec<Fix> {
    let at = sample.parts[part];
    let Part::Field { name, transforms } = &sample.written.parts()[at] else { return Vec::new() };
    let longest = sample.values(name).iter().map(|text| text.len()).max().unwrap_or(0);
    let digits = if longest <= 10 { 10 } else { 19 };
    let mut transforms = transforms.clone();
    transforms.push(Transform::Pad(digits));
    let template = edit::replace(sample.written, at, Part::Field { name: name.clone(), transforms });
    causes_no_new_pattern(sample, &template)
        .then(|| Fix::template(FixKind::Pad(digits), &template))
        .into_iter()
        .collect()
}

/// Fixes for a time that is written as in the data: a form that sorts.
pub(super) fn of_raw_time(sample: &Sample, part: usize) -> Vec<Fix> {
    let at = sample.parts[part];
    let Part::Field { name, .. } = &sample.written.parts()[at] else { return Vec::new() };
    let iso = Part::Field { name: name.clone(), transforms: alloc::vec![Transform::Time(TimeFormat::Iso)] };
    let template = edit::replace(sample.written, at, iso);
    causes_no_new_pattern(sample, &template)
        .then(|| Fix::template(FixKind::WriteAsIso(name.clone()), &template))
        .into_iter()
        .collect()
}

/// A fix for two coordinates, with their names: one Z-order of both.
pub(super) fn of_coordinates(sample: &Sample) -> Option<(String, String, Fix)> {
    let (x, y) = edit::coordinates(sample.written.fields())?;
    let at = |name: &str| {
        let is_it = |part: &Part| matches!(part, Part::Field { name: each, .. } if each == name);
        sample.written.parts().iter().position(is_it)
    };
    let (at_x, at_y) = (at(&x)?, at(&y)?);
    let (first, second) = (at_x.min(at_y), at_x.max(at_y));
    let kind = FixKind::ZOrder { x: x.clone(), y: y.clone() };
    let template = edit::remove(sample.written, second);
    let zorder = ZOrder { output: ZOutput::Hex, ..ZOrder::new(x.clone(), y.clone()) };
    let template = edit::replace(&template, first, Part::ZOrder(zorder));
    causes_no_new_pattern(sample, &template).then(|| (x, y, Fix::template(kind, &template)))
}

/// Fixes for a separator inside values: a separator that no value contains.
pub(super) fn of_separator(sample: &Sample, part: usize) -> Vec<Fix> {
    let at = sample.parts[part] + 1;
    let Some(Part::Literal(now)) = sample.written.parts().get(at) else { return Vec::new() };
    let holds = |separator: &str| {
        sample
            .records
            .iter()
            .flat_map(|record| record.values.iter().flatten())
            .any(|value| value.contains(separator))
    };
    let unused = SEPARATORS.iter().find(|separator| !now.contains(**separator) && !holds(separator));
    let fix = |separator: &&str| {
        let template = edit::replace(sample.written, at, Part::Literal((**separator).into()));
        Fix::template(FixKind::SeparateWith((*separator).into()), &template)
    };
    unused.map(fix).into_iter().collect()
}

/// Fixes for a long value: its hash.
pub(super) fn of_long_part(sample: &Sample, part: usize) -> Vec<Fix> {
    let at = sample.parts[part];
    let Part::Field { name, transforms } = &sample.written.parts()[at] else { return Vec::new() };
    let mut transforms = transforms.clone();
    transforms.push(Transform::Hash(16));
    let template = edit::replace(sample.written, at, Part::Field { name: name.clone(), transforms });
    alloc::vec![Fix::template(FixKind::Hash(name.clone()), &template)]
}

/// Returns the field that a key should start with, or `None` if each text or whole number has few
/// values. A field with repeated values and a name that suggests an identifier is best, then a text
/// with repeated values, then a field with such a name, then any other. `values` returns the texts
/// of a field; if it returns none, names and kinds decide.
fn entity_field<'f, 'v>(fields: &'f [Field], values: &dyn Fn(&str) -> Vec<&'v str>) -> Option<&'f Field> {
    let rank = |field: &&'f Field| {
        let texts = values(&field.name);
        let mut keys = Keys::default();
        texts.iter().for_each(|text| keys.push(text.as_bytes()));
        let distinct = keys.distinct();
        // With few events, fewer distinct values are enough.
        let has_many = texts.is_empty() || distinct >= VALUES_MIN.min(texts.len() / 4).max(2);
        if !has_many {
            return None;
        }
        let named = is_identifier(&field.name);
        let comes_again = distinct * 10 <= texts.len() * 9;
        Some((named && comes_again, comes_again && field.kind == FieldKind::Text, named))
    };
    let mut best: Option<(&Field, (bool, bool, bool))> = None;
    for field in fields.iter().filter(|field| matches!(field.kind, FieldKind::Text | FieldKind::Int)) {
        if let Some(rank) = rank(&field)
            && best.is_none_or(|(_, before)| rank > before)
        {
            best = Some((field, rank));
        }
    }
    best.map(|(field, _)| field)
}

/// Whether the name of a field suggests an identifier.
fn is_identifier(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    NAMES.iter().any(|end| name.ends_with(end))
}

/// Whether the part at `at` (of the stored template) is a span of a time that the key has as an
/// instant after it.
pub(super) fn repeats_time(sample: &Sample, at: usize) -> bool {
    let parts = sample.written.parts();
    let Part::Field { name, transforms } = &parts[sample.parts[at]] else { return false };
    let is_exact =
        |transforms: &[Transform]| matches!(transforms, [Transform::Time(format)] if format.is_instant());
    let after = &parts[sample.parts[at] + 1..];
    sample.is_time(at)
        && !is_exact(transforms)
        && after
            .iter()
            .any(|part| matches!(part, Part::Field { name: other, transforms } if other == name && is_exact(transforms)))
}

/// Moves the part at `at` (of the stored template) to the end, or removes it if the end would only
/// repeat it.
fn to_the_end(sample: &Sample, at: usize) -> Option<(FixKind, Template)> {
    let written = sample.written;
    if repeats_time(sample, at) {
        let part = Template::new([written.parts()[sample.parts[at]].clone()], written.fields());
        return Some((FixKind::Remove(part.text()), edit::remove(written, sample.parts[at])));
    }
    let slot = slot_of(written, sample.parts[at])?;
    let last = edit::solids(written).len() - 1;
    let kind = FixKind::MoveToEnd(edit::name(&written.parts()[sample.parts[at]]));
    (slot < last).then(|| (kind, edit::move_solid(written, slot, last)))
}

/// Puts an unused field with many values before the first part.
fn entity_first(sample: &Sample, first: usize) -> Option<(FixKind, Template)> {
    let field = unused_entity(sample)?;
    let next = edit::name(&sample.written.parts()[sample.parts[first]]);
    Some((
        FixKind::PutBefore { field: field.name.clone(), next },
        edit::prepend(sample.written, edit::part_of(field)),
    ))
}

/// Returns a field with many values that the template does not use yet and that names something
/// events share. A key never gets a measure or a part of a time: users do not ask by them.
fn unused_entity<'t>(sample: &Sample<'t, '_>) -> Option<&'t Field> {
    unused(sample, FieldRole::can_lead)
}

/// Returns a field that the template does not use yet and that can tell events apart at the end of
/// a key.
fn unused_distinction<'t>(sample: &Sample<'t, '_>) -> Option<&'t Field> {
    unused(sample, |role| matches!(role, FieldRole::UniqueIdentifier | FieldRole::Counter))
}

fn unused<'t>(sample: &Sample<'t, '_>, suits: impl Fn(FieldRole) -> bool) -> Option<&'t Field> {
    let fields = sample.written.fields();
    let is_open = |at: &usize| !uses(sample.written, &fields[*at]) && suits(sample.role(*at));
    let open: Vec<Field> = (0..fields.len()).filter(is_open).map(|at| fields[at].clone()).collect();
    let name = entity_field(&open, &|name| sample.values(name))?.name.clone();
    fields.iter().find(|field| field.name == name)
}

fn uses(template: &Template, field: &Field) -> bool {
    template.parts().iter().any(|part| tabletop_keys::part_fields(part).contains(&&field.name))
}

fn slot_of(template: &Template, part: usize) -> Option<usize> {
    edit::solids(template).iter().position(|&solid| solid == part)
}

/// Inserts a solid part at the place `slot` among the solid parts.
fn inserted(template: &Template, part: Part, slot: usize) -> Template {
    let added = edit::append(template, part);
    let last = edit::solids(&added).len() - 1;
    edit::move_solid(&added, last, slot.min(last))
}

/// Whether the events spread over the whole table under this template.
pub(super) fn spreads(sample: &Sample, template: &Template) -> bool {
    match pattern::of_template(template, sample.layout, &sample.records) {
        Pattern::Spread => true,
        Pattern::Rising | Pattern::FewRanges { .. } => template.salts() > 1,
        Pattern::FewRows(_) => false,
    }
}

/// Whether the events spread over the whole table, or over the salts, if the layout is narrow.
pub(super) fn spreads_as_narrow(sample: &Sample) -> bool {
    let narrow = Layout { kind: LayoutKind::Narrow, ..sample.layout.clone() };
    pattern::of_template(sample.written, &narrow, &sample.records) == Pattern::Spread
        || sample.written.salts() > 1
}

/// Whether a template causes no pattern that did not exist before.
fn causes_no_new_pattern(sample: &Sample, template: &Template) -> bool {
    spreads(sample, template) || !spreads(sample, sample.written)
}

/// The number of events that are not distinguished from an earlier one.
fn shared_keys(template: &Template, sample: &Sample) -> usize {
    let (keys, _) = identities(template, sample);
    keys.len() - keys.distinct()
}

/// Whether each event has its own row.
fn has_one_event_per_row(template: &Template, sample: &Sample) -> bool {
    let (keys, _) = Keys::of(&template.stored(sample.layout), &sample.records);
    keys.distinct() == keys.len()
}
