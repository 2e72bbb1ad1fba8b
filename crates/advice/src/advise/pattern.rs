//! Detects writes that concentrate in one place or in a few places.
//!
//! Keys are ranked by their bytes, and events are examined in windows of their arrival. With a good
//! key, each window spreads over all ranks. With a key that starts with a time, each window falls
//! on a narrow stretch, and the next window on the stretch after it. This applies to the logical
//! key: a salt multiplies such places by the number of its buckets.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use tabletop_keys::{Layout, Part, Record, Roles, Template, Transform, part_fields};
use tabletop_model::order::sorted;

use super::fixes::{self, salted};
use super::sample::{Keys, Sample, shorten};
use super::{
    Cause, Fix, PatternCause, RisingEvidence, SaltUse, Side, SkewCause, TimeRemedy, Warning, WarningKind,
    salts,
};

/// Up to this number, the places that take all writes of a moment are too few.
pub(super) const PLACES_TOO_FEW: u32 = 4;
/// Fewer events show no pattern.
pub(super) const EVENTS_MIN: usize = 60;
/// In a key that grows, eight of ten events of a window lie within this share of the ranks, or
/// less.
const STRETCH_MAX: f64 = 0.25;
/// A window that touches no more than this share of the key space shows that few ranges take its
/// writes.
const TOUCHED_MAX: f64 = 0.4;
/// The fewest keys of a table that can be split into tablets.
const KEYS_MIN: usize = 32;
/// The fewest distinct beginnings of keys that spread the writes enough.
const BEGINNINGS_MIN: usize = 32;
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
    Evidence::of(sample.template, &sample.records, logical(sample.template, &sample.keys)).pattern
}

/// The pattern of the same events under another template.
pub(super) fn of_template(template: &Template, layout: &Layout, records: &[Record]) -> Pattern {
    let stored = template.stored(layout);
    let (keys, _) = Keys::of(&stored, records);
    Evidence::of(&stored, records, logical(&stored, &keys)).pattern
}

/// The keys without their salts.
fn logical(template: &Template, keys: &Keys) -> Keys {
    let mut logical = Keys::default();
    keys.iter().for_each(|key| logical.push(template.logical(key)));
    logical
}

/// The measurements of a sample's keys.
struct Evidence {
    pattern: Pattern,
    /// The spread of the logical keys, if there are enough of them.
    spread: Option<Spread>,
    keys: Keys,
    order: Vec<usize>,
}

impl Evidence {
    fn of(template: &Template, records: &[Record], keys: Keys) -> Evidence {
        let order = keys.sorted();
        let spread = (order.len() >= EVENTS_MIN).then(|| Spread::of(&keys, &order));
        let pattern = match first_field_part(template).filter(|_| keys.len() > 0) {
            Some(first) => pattern(template, records, first, spread.as_ref(), order.len()),
            None => Pattern::Spread,
        };
        Evidence { pattern, spread, keys, order }
    }
}

fn pattern(
    template: &Template,
    records: &[Record],
    first: usize,
    spread: Option<&Spread>,
    count: usize,
) -> Pattern {
    let Some(spread) = spread else {
        return if leads_with_instant(template, first) { Pattern::Rising } else { Pattern::Spread };
    };
    if spread.stretch <= STRETCH_MAX && spread.keys >= KEYS_MIN || leads_with_instant(template, first) {
        return Pattern::Rising;
    }
    if count >= EVENTS_MIN * 4 && spread.keys < KEYS_MIN {
        return Pattern::FewRows(spread.keys as u32);
    }
    // Times after few beginnings: one place per beginning takes writes. (Without a time, events
    // that arrive together are only similar, for example those of one session. This passes.)
    let Some(time) = time_after(template, first) else { return Pattern::Spread };
    let beginnings = beginnings(template, records, first..time).distinct();
    if beginnings < BEGINNINGS_MIN {
        Pattern::FewRanges { ranges: beginnings as u32, fields: names(template, first..time) }
    } else {
        Pattern::Spread
    }
}

/// The warning about a pattern, or about a salt that does not help against it.
pub(super) fn warning(sample: &Sample, pattern: &Pattern, salt: Option<SaltUse>) -> Option<Warning> {
    let first = first_field_part(sample.template)?;
    match (pattern, salt) {
        (Pattern::FewRows(rows), _) => Some(few_rows(sample, first, *rows)),
        (_, Some(salt)) => salts::warning(sample, pattern, salt),
        (Pattern::Rising, None) => Some(rising(sample, first)),
        (Pattern::FewRanges { ranges, fields }, None) => few_ranges(sample, first, *ranges, fields),
        (Pattern::Spread, None) => None,
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
    // An existing salt has not helped.
    let fix = salted(sample.written);
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

/// The spread of the windows of arrival over the keys.
struct Spread {
    /// The share of all ranks between the first and the last tenth of a window's events, on
    /// average.
    stretch: f64,
    /// The share of the parts of the key space that a window touches, on average.
    touched: f64,
    /// Different keys.
    keys: usize,
}

impl Spread {
    fn of(keys: &Keys, order: &[usize]) -> Spread {
        let count = order.len();
        // Equal keys share the rank of the first of them.
        let mut ranks = alloc::vec![0; count];
        let mut different = 0;
        for (at, &index) in order.iter().enumerate() {
            let is_new = at == 0 || keys.get(index) != keys.get(order[at - 1]);
            different += usize::from(is_new);
            ranks[index] = if is_new { at } else { ranks[order[at - 1]] };
        }
        let window = (count / 20).clamp(12, 100);
        let buckets = window / 4;
        let bucket = |rank: usize| rank * buckets / count;
        let mut used = sorted(ranks.iter().map(|&rank| bucket(rank)).collect(), usize::cmp);
        used.dedup();
        let (mut stretch, mut touched, mut windows) = (0, 0, 0);
        for events in ranks.chunks_exact(window) {
            let events = sorted(events.to_vec(), usize::cmp);
            stretch += events[window - 1 - window / 10] - events[window / 10];
            touched += events.chunk_by(|one, other| bucket(*one) == bucket(*other)).count();
            windows += 1;
        }
        let share = |sum: usize, of: usize| sum as f64 / (windows * of).max(1) as f64;
        Spread { stretch: share(stretch, count), touched: share(touched, used.len()), keys: different }
    }
}

fn rising(sample: &Sample, first: usize) -> Warning {
    let Evidence { keys, order, spread, .. } =
        Evidence::of(sample.template, &sample.records, logical(sample.template, &sample.keys));
    let fixes = fixes::of_rising(sample, first);
    let shown = match spread {
        None => RisingEvidence::TooFewEvents(order.len() as u32),
        Some(spread) if spread.stretch > STRETCH_MAX || spread.keys < KEYS_MIN => RisingEvidence::Unsorted,
        Some(_) => evidence_of_rising(&keys),
    };
    let can_only_be_salted = fixes.len() == 1;
    let cause = if sample.is_time(first) {
        let remedy = match () {
            () if can_only_be_salted => TimeRemedy::Salt,
            () if fixes::repeats_time(sample, first) => TimeRemedy::LeaveOut,
            () => TimeRemedy::StartWithAnother,
        };
        PatternCause::LeadingTime { time: sample.field(first), remedy, shown }
    } else {
        PatternCause::LeadingOrder { fields: sample.fields(first), is_alone: can_only_be_salted, shown }
    };
    sample.warning(Cause::Pattern(cause), Some(first), fixes)
}

fn evidence_of_rising(keys: &Keys) -> RisingEvidence {
    let count = keys.len();
    let (mut above, mut below) = (0, 0);
    let (mut highest, mut lowest) = (keys.get(0), keys.get(0));
    for key in keys.iter().skip(1) {
        if key > highest {
            (highest, above) = (key, above + 1);
        } else if key < lowest {
            (lowest, below) = (key, below + 1);
        }
    }
    if above.max(below) * 2 > count {
        let side = if above >= below { Side::Greater } else { Side::Smaller };
        return RisingEvidence::OneSide { count: above.max(below) as u32, all: count as u32, side };
    }
    let last = count / 10;
    let recent: Vec<&[u8]> = (count - last..count).map(|at| keys.get(at)).collect();
    let recent = sorted(recent, Ord::cmp);
    let between = |key: &&[u8]| *key >= recent[last / 10] && *key <= recent[last - 1 - last / 10];
    let percent = (keys.iter().filter(between).count() * 100 / count) as u32;
    RisingEvidence::NarrowStretch { last_events: last as u32, percent }
}

fn few_ranges(sample: &Sample, first: usize, ranges: u32, fields: &[String]) -> Option<Warning> {
    let time = time_after(sample.template, first)?;
    let spread = Spread::of(&sample.keys, &sample.keys.sorted());
    let touched_percent = (spread.touched <= TOUCHED_MAX).then_some((spread.touched * 100.0) as u32);
    let cause = PatternCause::FewRanges {
        ranges,
        fields: fields.to_vec(),
        time: sample.field(time),
        touched_percent,
    };
    Some(sample.warning(Cause::Pattern(cause), Some(time), fixes::of_few_ranges(sample, time)))
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

/// Whether the part writes the exact time of events in a form that sorts by time.
fn leads_with_instant(template: &Template, part: usize) -> bool {
    let fields = template.fields();
    let Some(time) = Roles::of(fields).time else { return false };
    let Part::Field { name, transforms } = &template.parts()[part] else { return false };
    let is_instant = matches!(transforms[..], [Transform::Time(format)] if format.is_instant());
    fields[time].name == *name && is_instant
}
