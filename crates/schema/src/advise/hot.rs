//! Whether writes come together in one place, or a few.
//!
//! Keys are ranked by their bytes, and events looked at in windows of their arrival. In a good key each window falls all
//! over the ranks; behind a time each falls on a narrow stretch, and the next one beside it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::order::sorted;

use super::{Sample, of_events};
use crate::numbers::thousands;
use crate::template::{Part, Transform};
use crate::time::TimeFormat;
use crate::{FieldKind, Roles, Warning, WarningKind};

/// Fewer events show no pattern.
const EVENTS_MIN: usize = 60;
/// Of this share of the ranks, or less, eight of ten events of a window are on one stretch.
const STRETCH_MAX: f64 = 0.25;
/// A window that touches no more than this share of the key space is crowded.
const TOUCHED_MAX: f64 = 0.4;
/// Keys that a table needs at least, to be cut into tablets at all.
const KEYS_MIN: usize = 32;
/// Different beginnings from which on they are places enough.
const BEGINNINGS_MIN: usize = 32;

pub(super) fn rising_or_few(sample: &Sample) -> Option<Warning> {
    let first = sample.field_parts().next().filter(|_| sample.keys.len() > 0)?;
    let is_salted = sample.template.salts() > 1;
    let order = sample.keys.sorted();
    let spread = (order.len() >= EVENTS_MIN && !is_salted).then(|| Spread::of(sample, &order));
    if spread.as_ref().is_some_and(|spread| spread.stretch <= STRETCH_MAX && spread.keys >= KEYS_MIN) {
        return Some(rising(sample, first, &order));
    }
    if !is_salted && leads_with_instant(sample, first) {
        let name = sample.name(first);
        let evidence = match spread {
            None => {
                format!(
                    "{} events do not show it yet; many that arrive one after the other will.",
                    thousands(sample.keys.len() as u64)
                )
            }
            Some(_) => format!("These events are not in the order of {name}, but live ones arrive as time goes on."),
        };
        return Some(sample.warning(WarningKind::MonotonicFirstField, Some(first), time_message(&name), evidence));
    }
    let keys = order.chunk_by(|&one, &other| sample.keys.get(one) == sample.keys.get(other)).count();
    if order.len() >= EVENTS_MIN * 4 && keys < KEYS_MIN {
        let message = format!(
            "There are few different keys, and a row is never split, so few tablets can share the load: \
             add a field with many values behind {}.",
            sample.name(first)
        );
        let evidence = format!("{} events have {keys} different row keys.", thousands(order.len() as u64));
        return Some(sample.warning(WarningKind::LowCardinalityPrefix, Some(first), message, evidence));
    }
    few(sample, first, &spread.filter(|spread| spread.touched <= TOUCHED_MAX)?)
}

/// Where the windows of arrival fall.
struct Spread {
    /// The share of all ranks between the first and the last tenth of a window's events, in the mean.
    stretch: f64,
    /// The share of the parts of the key space that a window touches, in the mean.
    touched: f64,
    /// Different keys.
    keys: usize,
}

impl Spread {
    fn of(sample: &Sample, order: &[usize]) -> Spread {
        let count = order.len();
        // Equal keys have one rank: the first of theirs.
        let mut ranks = alloc::vec![0; count];
        let mut keys = 0;
        for (at, &index) in order.iter().enumerate() {
            let is_new = at == 0 || sample.keys.get(index) != sample.keys.get(order[at - 1]);
            keys += usize::from(is_new);
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
        Spread { stretch: share(stretch, count), touched: share(touched, used.len()), keys }
    }
}

fn rising(sample: &Sample, first: usize, order: &[usize]) -> Warning {
    let count = order.len();
    let name = sample.name(first);
    let message = if is_time(sample, first) {
        time_message(&name)
    } else {
        format!(
            "Events arrive in the order of {name}, so all writes of a moment go to one tablet. A number that counts up is \
             better reversed, hashed or salted; a file that is sorted by {name} is hot only while it is loaded."
        )
    };
    let (mut above, mut below) = (0, 0);
    let (mut highest, mut lowest) = (sample.keys.get(0), sample.keys.get(0));
    for key in sample.keys.iter().skip(1) {
        if key > highest {
            (highest, above) = (key, above + 1);
        } else if key < lowest {
            (lowest, below) = (key, below + 1);
        }
    }
    let evidence = if above.max(below) * 2 > count {
        let side = if above >= below { "greater" } else { "smaller" };
        format!("{} have a row key {side} than all before them.", of_events(above.max(below), count))
    } else {
        let last = count / 10;
        let recent: Vec<&[u8]> = (count - last..count).map(|at| sample.keys.get(at)).collect();
        let recent = sorted(recent, Ord::cmp);
        let between = |key: &&[u8]| *key >= recent[last / 10] && *key <= recent[last - 1 - last / 10];
        let share = sample.keys.iter().filter(between).count() * 100 / count;
        format!("Eight of ten of the last {} events lie within {share} % of the keys.", thousands(last as u64))
    };
    sample.warning(WarningKind::MonotonicFirstField, Some(first), message, evidence)
}

fn time_message(name: &str) -> String {
    format!(
        "The key begins with {name}, so every write of a moment goes to one tablet, whatever the number of nodes. \
         Put what is asked for first, and {name} behind it, or salt the key."
    )
}

/// Times behind few beginnings: as many hot places as there are beginnings. (Without a time, events that arrive together
/// are only alike, those of one session say: that passes.)
fn few(sample: &Sample, first: usize, spread: &Spread) -> Option<Warning> {
    let time = sample.field_parts().find(|&part| part != first && is_time(sample, part))?;
    let beginnings = sample.outputs(first);
    let order = beginnings.sorted();
    let distinct = order.chunk_by(|&one, &other| beginnings.get(one) == beginnings.get(other)).count();
    if distinct >= BEGINNINGS_MIN {
        return None;
    }
    let (name, behind) = (sample.name(first), sample.name(time));
    let message = format!(
        "Few values of {name} stand before {behind}, so at any moment all writes go to as few places. \
         Put a field with many values between them, or salt the key."
    );
    let evidence = format!(
        "{} different values of {name}; events that arrive together touch {} % of the keys.",
        thousands(distinct as u64),
        (spread.touched * 100.0) as u32
    );
    Some(sample.warning(WarningKind::LowCardinalityPrefix, Some(time), message, evidence))
}

fn is_time(sample: &Sample, part: usize) -> bool {
    let fields = sample.template.fields();
    matches!(&sample.template.parts()[part], Part::Field { name, .. }
        if fields.iter().any(|field| field.name == *name && field.kind == FieldKind::Time))
}

/// Whether the part writes the events' time, to the instant, in an order of time.
fn leads_with_instant(sample: &Sample, part: usize) -> bool {
    let fields = sample.template.fields();
    let Some(time) = Roles::of(fields).time else { return false };
    let Part::Field { name, transforms } = &sample.template.parts()[part] else { return false };
    let is_instant = match transforms[..] {
        [Transform::Time(format)] => format.is_instant() || format == TimeFormat::ReverseTime,
        _ => false,
    };
    fields[time].name == *name && is_instant
}
