//! Detects writes that concentrate in one place or in a few places.
//!
//! The events of one moment are made of the loaded ones, and their keys are put among the loaded
//! keys. With a good key, they fall all over the table. With a key that starts with a time, they fall
//! on one place. This applies to the logical key: a salt multiplies such places by the number of its
//! buckets.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use tabletop_keys::{FieldRole, Layout, Part, Record, Roles, Template, Transform, part_fields};

use super::fixes::{self, salted};
use super::sample::{EVENTS_MIN, Sample, shorten};
use super::{Cause, Fix, FixKind, PatternCause, RisingEvidence, SkewCause, TimeRemedy, Warning, WarningKind};
use crate::key_list::Keys;

/// Up to this number, the places that take all writes of a moment are too few.
pub(super) const PLACES_TOO_FEW: u32 = 4;
/// The share of the events of a moment in one place of a key that grows.
const RISING_MIN: f64 = 0.5;
/// A tablet with at most this share of the writes needs no salt: the table spreads.
pub(super) const HEAT_OF_SPREAD: f64 = 4.0 / 24.0;
/// The fewest keys of a table that can be split into tablets.
const KEYS_MIN: usize = 32;
/// The fewest distinct beginnings of keys that spread the writes enough, however many events each has.
const BEGINNINGS_MIN: usize = 32;
/// The fewest that do if the events of one moment are even among them.
const EVEN_BEGINNINGS_MIN: usize = 21;
/// A row with this share of all events makes its tablet hot. So do keys that start with the same
/// value before a time, because new keys are adjacent.
const HOT_SHARE: f64 = 0.2;

/// Advice for a load that only the tablets show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skew {
    /// The problem.
    pub cause: SkewCause,
    /// A change that removes the problem.
    pub fix: Option<Fix>,
}

impl Skew {
    /// Returns whether the sample shows the cause: one row, or one value, has a large part of the
    /// events.
    pub fn is_seen(&self) -> bool {
        self.cause != SkewCause::Range
    }
}

/// The places of rows that are written at about the same time, without the salt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Pattern {
    /// Spread over the whole table, according to the sample.
    #[default]
    Spread,
    /// Next to each other; the place moves on as the key grows.
    Rising,
    /// At the ends of a few ranges.
    FewRanges {
        /// The number of ranges.
        ranges: u32,
        /// The fields whose values begin them.
        fields: Vec<String>,
    },
    /// In this many rows.
    FewRows(u32),
}

/// The pattern of a sample.
pub(super) fn of(sample: &Sample) -> Pattern {
    of_keys(sample, sample.template, &sample.keys)
}

/// The pattern of the same events under another template.
pub(super) fn of_template(sample: &Sample, template: &Template, layout: &Layout) -> Pattern {
    let stored = template.stored(layout);
    let (keys, _) = Keys::of(&stored, &sample.records);
    of_keys(sample, &stored, &keys)
}

fn of_keys(sample: &Sample, template: &Template, keys: &Keys) -> Pattern {
    let Some(first) = first_field_part(template).filter(|_| keys.len() > 0) else { return Pattern::Spread };
    let Some(load) = sample.load_of_stored(template, true) else {
        return if leads_with_instant(template, first) { Pattern::Rising } else { Pattern::Spread };
    };
    let parts = first..template.parts().len();
    let time = parts.clone().find(|&part| orders_by_clock(sample, template, part));
    if time == Some(first) && load.heat() >= RISING_MIN {
        return Pattern::Rising;
    }
    let distinct = logical(template, keys).distinct();
    if keys.len() >= EVENTS_MIN * 4 && distinct < KEYS_MIN {
        return Pattern::FewRows(distinct as u32);
    }
    // Times after few beginnings: one place per beginning takes writes. (Without a time, events
    // that arrive together are only similar, for example those of one session. This passes.)
    let Some(time) = time.filter(|&time| time > first) else { return Pattern::Spread };
    let beginnings = beginnings(template, &sample.records, first..time).distinct();
    let is_even = load.heat() <= HEAT_OF_SPREAD;
    if beginnings < if is_even { EVEN_BEGINNINGS_MIN } else { BEGINNINGS_MIN } {
        Pattern::FewRanges { ranges: beginnings as u32, fields: names(template, first..time) }
    } else {
        Pattern::Spread
    }
}

/// The keys without their salts.
fn logical(template: &Template, keys: &Keys) -> Keys {
    let mut logical = Keys::default();
    keys.iter().for_each(|key| logical.push(template.logical(key)));
    logical
}

/// Whether a part puts the events of one moment next to each other.
fn orders_by_clock(sample: &Sample, template: &Template, part: usize) -> bool {
    !is_scattered(&template.parts()[part]) && sample.follows_clock(template, part)
}

/// The warning about the pattern of a key without a salt.
pub(super) fn warning(sample: &Sample, pattern: &Pattern) -> Option<Warning> {
    let first = first_field_part(sample.template)?;
    match pattern {
        Pattern::FewRows(rows) => Some(few_rows(sample, first, *rows)),
        Pattern::Rising => Some(rising(sample, first)),
        Pattern::FewRanges { ranges, fields } => few_ranges(sample, first, *ranges, fields),
        Pattern::Spread => None,
    }
}

/// Advice for the case that one tablet takes far more than the others and no pattern explains it:
/// one row, or one range of keys.
pub(super) fn skew(sample: &Sample, pattern: &Pattern, warnings: &[Warning]) -> Skew {
    let (_, share) = sample.largest_row();
    if share >= HOT_SHARE {
        let fix = warnings
            .iter()
            .find(|warning| warning.kind() == WarningKind::SharedKey)
            .and_then(|shared| shared.fixes.first());
        return Skew { cause: SkewCause::Row(share), fix: fix.cloned() };
    }
    // An existing salt has not helped, and a load that is nearly even needs none.
    let is_even = sample.load().is_none_or(|load| load.heat() <= HEAT_OF_SPREAD);
    let fix = if is_even { None } else { salted(sample) };
    // Other patterns have a warning of their own.
    let value = if *pattern == Pattern::Spread { hot_value(sample) } else { None };
    Skew { cause: value.unwrap_or_default(), fix }
}

/// Returns whether neighbours in time are no neighbours in the key.
fn is_scattered(part: &Part) -> bool {
    let scatters = |each: &Transform| matches!(each, Transform::Hash(_) | Transform::Reverse);
    matches!(part, Part::Field { transforms, .. } if transforms.iter().any(scatters))
}

/// Returns the value before the time of the key that a large part of the events has, if there is
/// one.
#[inline(never)]
fn hot_value(sample: &Sample) -> Option<SkewCause> {
    let template = sample.template;
    let first =
        first_field_part(template).filter(|_| template.salts() == 1 && sample.keys.len() >= EVENTS_MIN)?;
    let time = time_after(template, first).filter(|&time| !is_scattered(&template.parts()[time]))?;
    // Literals before the time separate it, and are not a part of the value.
    let last = sample.field_parts().take_while(|&part| part < time).last()?;
    let values = beginnings(template, &sample.records, first..last + 1);
    let order = values.sorted();
    let largest = order
        .chunk_by(|&one, &other| values.get(one) == values.get(other))
        .max_by_key(|group| group.len())?;
    let share = largest.len() as f64 / values.len() as f64;
    let value = shorten(values.get(largest[0]));
    let fields = names(template, first..time);
    (share >= HOT_SHARE).then(|| SkewCause::Value { value, fields, share, time: sample.field(time) })
}

fn rising(sample: &Sample, first: usize) -> Warning {
    let fixes = fixes::of_rising(sample, first);
    let shown = match sample.load_of_stored(sample.template, true) {
        None => RisingEvidence::TooFewEvents(sample.keys.len() as u32),
        Some(load) => RisingEvidence::OneMoment { percent: in_percent(load.heat()) },
    };
    let is_salt = |fix: &Fix| matches!(fix.kind, FixKind::Salt(_));
    let can_only_be_salted = !fixes.is_empty() && fixes.iter().all(is_salt);
    let fields = sample.fields(first);
    let is_of_time = |name: &String| {
        let at = sample.written.fields().iter().position(|field| field.name == *name);
        at.is_some_and(|at| sample.role(at) == FieldRole::PartOfTime)
    };
    let cause = if sample.is_time(first) || fields.iter().any(is_of_time) {
        let remedy = match () {
            () if can_only_be_salted => TimeRemedy::Salt,
            () if fixes::repeats_time(sample, first) => TimeRemedy::LeaveOut,
            () => TimeRemedy::StartWithAnother,
        };
        PatternCause::LeadingTime { time: sample.field(first), remedy, shown }
    } else {
        PatternCause::LeadingOrder { fields, is_alone: can_only_be_salted, shown }
    };
    sample.warning(Cause::Pattern(cause), Some(first), fixes)
}

fn few_ranges(sample: &Sample, first: usize, ranges: u32, fields: &[String]) -> Option<Warning> {
    let parts = first..sample.template.parts().len();
    let time = parts.clone().find(|&part| orders_by_clock(sample, sample.template, part))?;
    let hottest_percent = in_percent(sample.load().map_or(0.0, |load| load.heat()));
    let cause = PatternCause::FewRanges {
        ranges,
        fields: fields.to_vec(),
        time: sample.field(time),
        hottest_percent,
    };
    Some(sample.warning(Cause::Pattern(cause), Some(time), fixes::of_few_ranges(sample, time)))
}

fn in_percent(share: f64) -> u32 {
    libm::round(share * 100.0) as u32
}

fn few_rows(sample: &Sample, first: usize, rows: u32) -> Warning {
    let cause = PatternCause::FewRows { rows, events: sample.keys.len() as u32 };
    sample.warning(Cause::Pattern(cause), Some(first), fixes::of_few_rows(sample))
}

/// The first part that holds a field.
pub(super) fn first_field_part(template: &Template) -> Option<usize> {
    template.parts().iter().position(|part| matches!(part, Part::Field { .. } | Part::ZOrder(_)))
}

/// The first time after the part at `first`.
fn time_after(template: &Template, first: usize) -> Option<usize> {
    (first + 1..template.parts().len()).find(|&part| super::sample::is_time(template, part))
}

/// The names of the fields of these parts.
fn names(template: &Template, parts: Range<usize>) -> Vec<String> {
    template.parts()[parts].iter().flat_map(part_fields).cloned().collect()
}

/// The texts of these parts.
#[inline(never)]
fn beginnings(template: &Template, records: &[Record], parts: Range<usize>) -> Keys {
    let mut texts = Keys::default();
    let mut text = Vec::new();
    for record in records {
        text.clear();
        let value = &mut |field| record.values.get(field).copied().flatten();
        if parts.clone().all(|part| template.write_part(part, value, &mut text).is_ok()) {
            texts.push(&text);
        }
    }
    texts
}

/// Returns the part with which the keys of a stored template without a salt start if it is the exact
/// time of events.
pub(super) fn leading_time(template: &Template) -> Option<usize> {
    first_field_part(template).filter(|&first| template.salts() == 1 && leads_with_instant(template, first))
}

/// Whether the part writes the exact time of events in a form that sorts by time.
fn leads_with_instant(template: &Template, part: usize) -> bool {
    let fields = template.fields();
    let Some(time) = Roles::of(fields).time else { return false };
    let Part::Field { name, transforms } = &template.parts()[part] else { return false };
    let is_instant = matches!(transforms[..], [Transform::Time(format)] if format.is_instant());
    fields[time].name == *name && is_instant
}
