//! Fixes: changes to a design that remove a warning.
//!
//! This module lists the changes that could help, the best first; [`super::offer`] measures them and
//! offers those that do. So a user who applies one fix after another never returns to the first
//! design.

use alloc::string::String;
use alloc::vec::Vec;

use tabletop_keys::{
    Field, FieldRole, Layout, LayoutKind, Part, RowChoice, Template, Transform, edit,
    time::TimeFormat,
    zorder::{ZOrder, ZOutput},
};
use tabletop_model::order::sorted;
use tabletop_workspace::{DesignPatch, NamedQuery};

use super::candidate::Candidate;
use super::distinguish::{digits, part, uses, with_distinctions};
use super::offer::{Claim, offered, pattern_effects, rows_found};
use super::pattern::{self, HEAT_OF_SPREAD, Pattern};
use super::sample::Sample;
use super::{Counted, Fix, FixEffect, FixKind};
use crate::key_list::Keys;

/// The number of salts of a fix: enough to spread the writes, few enough for a scan.
const SALTS: u32 = 8;
/// Separators to try, the usual ones first.
const SEPARATORS: [&str; 6] = ["#", "|", "~", "/", ";", "^"];
/// The most fields that are tried at the front of a key.
const LEADING_MAX: usize = 3;
/// The fewest distinct values of a field that can begin a key.
const VALUES_MIN: usize = 32;

/// Fixes for a key that grows from its first part on.
pub(super) fn of_rising(sample: &Sample, first: usize) -> Vec<Fix> {
    let moved = to_the_end(sample, first);
    let next = |template: &Template| {
        let first = super::pattern::first_field_part(template)?;
        Some(edit::name(&template.parts()[first]))
    };
    let with_entity = |(kinds, template): (Vec<FixKind>, Template), field: &Field| {
        let put = FixKind::PutBefore { field: field.name.clone(), next: next(&template)? };
        let kinds = kinds.into_iter().chain([put]).collect();
        Some(Candidate::new(kinds, edit::prepend(&template, part(sample, field))))
    };
    let mut group: Vec<Candidate> = Vec::new();
    group.extend(moved.clone().map(|(kind, template)| Candidate::new(alloc::vec![kind], template)));
    let bases = [
        moved.map(|(kind, template)| (alloc::vec![kind], template)),
        Some((Vec::new(), sample.written.clone())),
    ];
    for field in leading_fields(sample) {
        let candidates = bases.iter().flatten().filter_map(|base| with_entity(base.clone(), field));
        // The few values of a category would be as many hot places.
        let must_spread = is_category(sample, field);
        let candidates: Vec<Candidate> =
            candidates.map(|candidate| Candidate { must_spread, ..candidate }).collect();
        // Identifiers that rise with the time are hot, too.
        let salted = candidates.first().and_then(with_salt);
        let salted = salted.filter(|salted| scans(sample, &salted.template) < scans(sample, sample.written));
        group.extend(candidates.into_iter().chain(salted));
    }
    group.extend(reversed(sample, first));
    by_reads(offered(sample, Claim::Heat, [by_scans(sample, group), salts(sample)]))
}

/// Reverses an identifier that rises, at the part `first` of the stored template: its last characters
/// vary most, and one of them is still found in one range.
fn reversed(sample: &Sample, first: usize) -> Option<Candidate> {
    let at = sample.parts[first];
    let Part::Field { name, transforms } = &sample.written.parts()[at] else { return None };
    let field = sample.written.fields().iter().position(|field| field.name == *name)?;
    let is_identifier = matches!(
        sample.role(field),
        FieldRole::SharedIdentifier | FieldRole::UniqueIdentifier | FieldRole::Counter
    );
    if !is_identifier || sample.is_time(first) {
        return None;
    }
    let transforms = transforms.iter().copied().chain([Transform::Reverse]).collect();
    let template = edit::replace(sample.written, at, Part::Field { name: name.clone(), transforms });
    Some(Candidate::new(alloc::vec![FixKind::Reverse(name.clone())], template))
}

/// The candidate with a salt, if it has none.
fn with_salt(candidate: &Candidate) -> Option<Candidate> {
    let template = salted_template(&candidate.template)?;
    let kinds = candidate.kinds.iter().cloned().chain([FixKind::Salt(SALTS)]).collect();
    Some(Candidate { kinds, template, must_spread: false, ..candidate.clone() })
}

/// Puts fixes last that make access patterns scan the table, and before them those that make a pattern
/// read other rows as well: a time at the end no longer bounds what is read.
fn by_reads(fixes: Vec<Fix>) -> Vec<Fix> {
    let order = |fix: &Fix| {
        let patterns = || fix.effect.patterns.iter();
        let scans = patterns().filter(|pattern| pattern.after.is_scan()).count();
        (scans, patterns().filter(|pattern| pattern.adds_other_rows()).count())
    };
    sorted(fixes, |one, other| order(one).cmp(&order(other)))
}

/// Orders candidates as [`by_reads`] orders fixes.
fn by_scans(sample: &Sample, group: Vec<Candidate>) -> Vec<Candidate> {
    let worse = |candidate: &Candidate| {
        let effects = pattern_effects(sample, &candidate.template, sample.layout);
        let others = effects.iter().filter(|pattern| pattern.adds_other_rows()).count();
        (scans(sample, &candidate.template), others)
    };
    let worse: Vec<(usize, usize)> = group.iter().map(worse).collect();
    let order = sorted((0..group.len()).collect(), |one: &usize, other| worse[*one].cmp(&worse[*other]));
    order.into_iter().map(|at| group[at].clone()).collect()
}

/// The number of access patterns that scan the table, of those that are read at a rate.
fn scans(sample: &Sample, template: &Template) -> usize {
    let is_scanned = |named: &&NamedQuery| {
        named.reads_per_second > 0.0 && rows_found(template, sample.layout, named).is_scan()
    };
    sample.context.queries.iter().filter(is_scanned).count()
}

/// Fixes for few values before the time at `time`.
pub(super) fn of_few_ranges(sample: &Sample, time: usize) -> Vec<Fix> {
    let mut group: Vec<Candidate> = Vec::new();
    group
        .extend(to_the_end(sample, time).map(|(kind, template)| Candidate::new(alloc::vec![kind], template)));
    if let Some(slot) = slot_of(sample.written, sample.parts[time]) {
        for field in leading_fields(sample).filter(|field| !is_category(sample, field)) {
            let kind = FixKind::PutBefore { field: field.name.clone(), next: sample.field(time) };
            let template = inserted(sample.written, part(sample, field), slot);
            group.push(Candidate::new(alloc::vec![kind], template));
        }
    }
    // A load that is nearly even needs no salt, whose price every read pays.
    let is_even = sample.load().is_some_and(|load| load.heat() <= HEAT_OF_SPREAD);
    let salts = if is_even { Vec::new() } else { salts(sample) };
    by_reads(offered(sample, Claim::Heat, [by_scans(sample, group), salts]))
}

/// Fixes for too few rows. A salt does not add rows.
pub(super) fn of_few_rows(sample: &Sample) -> Vec<Fix> {
    let written = sample.written;
    let time = edit::solids(written).iter().position(|&part| super::sample::is_time(written, part));
    let candidate = |field: &Field| {
        let template = inserted(written, part(sample, field), time.unwrap_or(usize::MAX));
        let kind = match time {
            Some(_) => FixKind::PutBeforeTime(field.name.clone()),
            None => FixKind::AddToEnd(alloc::vec![field.name.clone()]),
        };
        Candidate::new(alloc::vec![kind], template)
    };
    let group = leading_fields(sample).map(candidate).collect();
    offered(sample, Claim::Heat, [group])
}

/// Fixes for a key that begins with the identifier at `first`: what events share comes before it, then
/// the time.
pub(super) fn of_only_identifier(sample: &Sample, first: usize) -> Vec<Fix> {
    let name = edit::name(&sample.written.parts()[sample.parts[first]]);
    let moved = to_the_end(sample, first);
    let candidate = |field: &Field| {
        let put = |next: String| FixKind::PutBefore { field: field.name.clone(), next };
        let (kinds, template) = match moved.clone() {
            Some((kind, template)) => {
                let next = super::pattern::first_field_part(&template).map(|part| &template.parts()[part]);
                (alloc::vec![kind, put(next.map(edit::name).unwrap_or_default())], template)
            }
            None => (alloc::vec![put(name.clone())], sample.written.clone()),
        };
        Candidate::new(kinds, edit::prepend(&template, part(sample, field)))
    };
    let group = leading_fields(sample).map(candidate).collect();
    offered(sample, Claim::Reads, [group])
}

/// Fixes for a salt of some fields that is not used evenly.
pub(super) fn of_uneven_salt(sample: &Sample) -> Vec<Fix> {
    let template = over_whole_key(sample.written);
    let candidate = template.map(|template| Candidate::new(alloc::vec![FixKind::SaltOverKey], template));
    offered(sample, Claim::Heat, [candidate.into_iter().collect()])
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
    let template = edit::with_salt(sample.written, Some(SALTS));
    let candidate = Candidate::new(alloc::vec![FixKind::Salt(SALTS)], template);
    offered(sample, Claim::Heat, [alloc::vec![candidate]])
}

/// Fixes for a cut-over with all events on one side.
pub(super) fn of_cut_over(sample: &Sample) -> Vec<Fix> {
    let template = edit::with_cut_over(sample.written, None);
    one(sample, FixKind::RemoveCutOver, template)
}

/// Fixes for a salt that keys do not need.
pub(super) fn of_needless_salt(sample: &Sample) -> Vec<Fix> {
    one(sample, FixKind::RemoveSalt, edit::with_salt(sample.written, None))
}

/// A fix of a value, if it costs neither events nor spread.
fn one(sample: &Sample, kind: FixKind, template: Template) -> Vec<Fix> {
    offered(sample, Claim::Other, [alloc::vec![Candidate::new(alloc::vec![kind], template)]])
}

/// Fixes for events that share a key and lose data, or share a row although the layout does not
/// intend it.
pub(super) fn of_shared_keys(sample: &Sample) -> Vec<Fix> {
    if sample.counted().shared == 0 {
        return Vec::new();
    }
    let nothing = Candidate::new(Vec::new(), sample.written.clone());
    offered(sample, Claim::Losses, [alloc::vec![nothing]])
}

/// Returns the parts of the written template whose field some events of the sample lack.
pub(super) fn absent_parts(sample: &Sample) -> Vec<usize> {
    let fields = sample.written.fields();
    let lacks = |part: &&usize| {
        let Part::Field { name, transforms } = &sample.written.parts()[**part] else { return false };
        let Some(at) = fields.iter().position(|field| field.name == *name) else { return false };
        !matches!(transforms.first(), Some(Transform::Or(_)))
            && sample.records.iter().any(|record| record.value(at).is_none())
    };
    sample.parts.iter().filter(lacks).copied().collect()
}

/// Fixes for events that lack the fields of these parts of the written template: a text instead of an
/// absent value, with a salt if too many have it, or another field.
pub(super) fn of_absent(sample: &Sample, parts: &[usize]) -> Vec<Fix> {
    let written = sample.written;
    let (kinds, template) = with_placeholders(sample, written, parts);
    let mut group = Vec::new();
    if !kinds.is_empty() {
        group.push(Candidate::new(kinds.clone(), template.clone()));
        group.extend(salted_template(&template).map(|template| {
            let kinds = kinds.into_iter().chain([FixKind::Salt(SALTS)]).collect();
            Candidate { must_spread: true, ..Candidate::new(kinds, template) }
        }));
    }
    let others = parts.iter().take(1).flat_map(|at| {
        let replaced = edit::name(&written.parts()[*at]);
        let is_whole = |field: &&Field| {
            let at = written.fields().iter().position(|other| other.name == field.name);
            at.is_some_and(|at| sample.records.iter().all(|record| record.value(at).is_some()))
        };
        leading_fields(sample).filter(is_whole).map(move |field| {
            let kind = FixKind::Replace { field: replaced.clone(), with: field.name.clone() };
            Candidate::new(alloc::vec![kind], edit::replace(written, *at, part(sample, field)))
        })
    });
    let others = others.collect();
    offered(sample, Claim::Losses, [group, others])
}

/// Returns the template with a text for absent values in each of these parts that can have one, and
/// what that does.
pub(super) fn with_placeholders(
    sample: &Sample,
    template: &Template,
    parts: &[usize],
) -> (Vec<FixKind>, Template) {
    let mut kinds = Vec::new();
    let mut template = template.clone();
    for at in parts {
        let part = &template.parts()[*at];
        let name = edit::name(part);
        let Some(field) = template.fields().iter().find(|field| field.name == name) else { continue };
        let Some(placeholder) = edit::free_placeholder(field.kind, sample.values(&name).into_iter()) else {
            continue;
        };
        let Some(part) = edit::with_placeholder(part, placeholder) else { continue };
        kinds.push(FixKind::Or { field: name, text: placeholder.text().into() });
        template = edit::replace(&template, *at, part);
    }
    (kinds, template)
}

/// Returns the key of the sample, or the one with the fewest changes at its end or with a salt that
/// loses no event and spreads the writes.
pub(super) fn complete(sample: &Sample) -> Option<Template> {
    let (_, own) = with_placeholders(sample, sample.written, &absent_parts(sample));
    let nothing = Candidate::new(Vec::new(), own.clone());
    let longer = with_distinctions(sample, &nothing).map(|candidate| candidate.template);
    let mut all = [own].into_iter().chain(longer).flat_map(|template| {
        let salted = salted_template(&template);
        [template].into_iter().chain(salted)
    });
    let is_complete = |template: &Template| {
        sample.losses_of(template, sample.layout).is_complete()
            && spreads(sample, template, sample.layout)
            && !matches!((sample.context.counts)(template, sample.layout), Counted::All(losses) if !losses.is_complete())
    };
    all.find(is_complete)
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
        (!has_one_event_per_row(&template, sample))
            .then(|| Candidate::new(alloc::vec![FixKind::WriteAsIso(name.clone())], template))
    });
    let layout = Layout { kind: LayoutKind::Narrow, ..sample.layout.clone() };
    let narrow = Candidate {
        layout: Some(layout),
        ..Candidate::new(alloc::vec![FixKind::UseNarrow], written.clone())
    };
    offered(sample, Claim::Other, [as_instant.into_iter().collect(), alloc::vec![narrow]])
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
    let in_place = Candidate::new(alloc::vec![FixKind::ReverseTime], template.clone());
    let last = edit::solids(&template).len() - 1;
    let moved = slot_of(&template, at).filter(|&slot| slot < last).map(|slot| {
        Candidate::new(alloc::vec![FixKind::ReverseTimeAtEnd], edit::move_solid(&template, slot, last))
    });
    let after_entity = leading_fields(sample).map(|field| {
        let kind = FixKind::StartWithAndReverseTime(field.name.clone());
        Candidate::new(alloc::vec![kind], edit::prepend(&template, self::part(sample, field)))
    });
    let salt = edit::salt(&template).is_none().then(|| {
        let kind = FixKind::ReverseTimeAndSalt(SALTS);
        Candidate::new(alloc::vec![kind], edit::with_salt(&template, Some(SALTS)))
    });
    let all = [in_place].into_iter().chain(moved).chain(after_entity).chain(salt);
    offered(sample, Claim::Other, [all.collect()])
}

/// A fix that salts the key, if it has no salt yet and if that spreads the writes.
pub(super) fn salted(sample: &Sample) -> Option<Fix> {
    offered(sample, Claim::Heat, [salts(sample)]).into_iter().next()
}

/// Salts the key, with fields that distinguish its events.
fn salts(sample: &Sample) -> Vec<Candidate> {
    let template = salted_template(sample.written);
    let candidate = template.map(|template| Candidate::new(alloc::vec![FixKind::Salt(SALTS)], template));
    candidate.into_iter().collect()
}

/// Returns a fix that salts the whole key, so that keys which are next to each other spread; `None`
/// if it has a salt.
pub fn salt_fix(template: &Template) -> Option<Fix> {
    let salted = salted_template(template)?;
    let patch = DesignPatch { template: Some(salted.text()), ..DesignPatch::default() };
    Some(Fix { kind: FixKind::Salt(SALTS), patch, effect: FixEffect::default() })
}

/// Returns the template with a salt; `None` if it has one.
pub(super) fn salted_template(template: &Template) -> Option<Template> {
    edit::salt(template).is_none().then(|| edit::with_salt(template, Some(SALTS)))
}

/// Fixes for a whole number without padding: as many digits as the longest value.
pub(super) fn of_unpadded(sample: &Sample, part: usize) -> Vec<Fix> {
    let at = sample.parts[part];
    let Part::Field { name, transforms } = &sample.written.parts()[at] else { return Vec::new() };
    let Some(digits) = digits(sample, name) else { return Vec::new() };
    let mut transforms = transforms.clone();
    transforms.push(Transform::Pad(digits));
    let template = edit::replace(sample.written, at, Part::Field { name: name.clone(), transforms });
    one(sample, FixKind::Pad(digits), template)
}

/// Fixes for a time that is written as in the data: a form that sorts.
pub(super) fn of_raw_time(sample: &Sample, part: usize) -> Vec<Fix> {
    let at = sample.parts[part];
    let Part::Field { name, .. } = &sample.written.parts()[at] else { return Vec::new() };
    let iso = Part::Field { name: name.clone(), transforms: alloc::vec![Transform::Time(TimeFormat::Iso)] };
    let template = edit::replace(sample.written, at, iso);
    one(sample, FixKind::WriteAsIso(name.clone()), template)
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
    let fix = one(sample, kind, template).pop()?;
    Some((x, y, fix))
}

/// Fixes for a separator inside values: a separator that no value contains.
pub(super) fn of_separator(sample: &Sample, part: usize) -> Vec<Fix> {
    let at = sample.parts[part] + 1;
    let Some(Part::Literal(now)) = sample.written.parts().get(at) else { return Vec::new() };
    let holds = |separator: &str| {
        let of_sample = sample
            .records
            .iter()
            .flat_map(|record| record.values.iter().flatten())
            .any(|value| value.contains(separator));
        of_sample || (sample.context.holds)(separator).unwrap_or(false)
    };
    let unused = SEPARATORS.iter().find(|separator| !now.contains(**separator) && !holds(separator));
    let Some(separator) = unused else { return Vec::new() };
    let template = edit::replace(sample.written, at, Part::Literal((*separator).into()));
    one(sample, FixKind::SeparateWith((*separator).into()), template)
}

/// Fixes for a long value: its hash.
pub(super) fn of_long_part(sample: &Sample, part: usize) -> Vec<Fix> {
    let at = sample.parts[part];
    let Part::Field { name, transforms } = &sample.written.parts()[at] else { return Vec::new() };
    let mut transforms = transforms.clone();
    transforms.push(Transform::Hash(16));
    let template = edit::replace(sample.written, at, Part::Field { name: name.clone(), transforms });
    one(sample, FixKind::Hash(name.clone()), template)
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

/// The fields that can begin a key and that the template does not use yet, the best first: those by
/// which the access patterns select, then identifiers with many values, the coarser one first, then
/// other identifiers, then categories. A key never begins with a measure or a part of a time, because
/// users do not ask by them.
fn leading_fields<'t>(sample: &Sample<'t, '_>) -> impl Iterator<Item = &'t Field> {
    let fields = sample.written.fields();
    let reads = |name: &str| {
        let of_query = |named: &&NamedQuery| match &named.query.rows {
            RowChoice::Fields { equals, .. } => equals.iter().any(|(field, _)| field == name),
            _ => false,
        };
        sample.context.queries.iter().filter(of_query).map(|named| named.reads_per_second).sum::<f64>()
    };
    let mut found: Vec<(f64, usize, isize, &Field)> = Vec::new();
    for (at, field) in fields.iter().enumerate() {
        let role = sample.role(at);
        if uses(sample.written, field) || !role.can_lead() {
            continue;
        }
        let mut keys = Keys::default();
        sample.values(&field.name).iter().for_each(|text| keys.push(text.as_bytes()));
        let distinct = keys.distinct();
        if distinct < 2 {
            continue;
        }
        let is_many = distinct >= VALUES_MIN;
        let rank = match role {
            FieldRole::SharedIdentifier if is_many => 0,
            FieldRole::SharedIdentifier => 1,
            FieldRole::Url => 2,
            _ => 3,
        };
        let values = distinct as isize;
        found.push((-reads(&field.name), rank, if rank == 0 { values } else { -values }, field));
    }
    let found =
        sorted(found, |one, other| one.0.total_cmp(&other.0).then((one.1, one.2).cmp(&(other.1, other.2))));
    found.into_iter().take(LEADING_MAX).map(|(_, _, _, field)| field)
}

fn is_category(sample: &Sample, field: &Field) -> bool {
    let at = sample.written.fields().iter().position(|other| other.name == field.name);
    at.is_some_and(|at| sample.role(at) == FieldRole::Category)
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

/// Whether the events of a moment spread under this template: over the whole table, or over its
/// salts.
pub(super) fn spreads(sample: &Sample, template: &Template, layout: &Layout) -> bool {
    match pattern::of_template(sample, template, layout) {
        Pattern::Spread => true,
        Pattern::Rising | Pattern::FewRanges { .. } => template.salts() > 1,
        Pattern::FewRows(_) => false,
    }
}

/// Whether the events spread over the whole table, or over the salts, if the layout is narrow.
pub(super) fn spreads_as_narrow(sample: &Sample) -> bool {
    let narrow = Layout { kind: LayoutKind::Narrow, ..sample.layout.clone() };
    spreads(sample, sample.written, &narrow)
}

/// Whether each event has its own row.
pub(super) fn has_one_event_per_row(template: &Template, sample: &Sample) -> bool {
    let (keys, _) = Keys::of(&template.stored(sample.layout), &sample.records);
    keys.distinct() == keys.len()
}
