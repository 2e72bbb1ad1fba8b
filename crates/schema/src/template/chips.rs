//! The effect of each part on a real event, and its cost.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Bytes, Span, escape};

use super::cut_over::cut_over_text;
use super::step::{Step, Width};
use super::{Part, Template, Transform, print};
use crate::texts::{HashUse, list, texts};
use crate::time::TimeFormat;
use crate::{ChipView, Layout, Record};

impl Template {
    /// Returns one chip per part, with its input and output for `record` (empty without a record),
    /// in tables of this layout.
    pub fn chips(&self, layout: &Layout, record: Option<&Record<'_>>) -> Vec<ChipView> {
        let stored = self.stored(layout);
        let parts = self.stored_parts(layout);
        let mut key = Vec::new();
        let has_key = record.is_some_and(|record| stored.write_key(record, &mut key).is_ok());
        let is_unsalted = has_key && stored.is_unsalted(&key);
        let chips = self.parts.iter().enumerate().map(|(written, part)| {
            let Some(at) = parts.iter().position(|&part| part == written) else {
                return left_out(part, self.spans[written]);
            };
            // A salt hashes the parts that are stored.
            let part = &stored.parts[at];
            let value = |name: &str| record.and_then(|record| record.get(name)).unwrap_or_default();
            let input = match part {
                Part::Literal(text) => text.clone(),
                Part::Field { name, .. } => String::from(value(name)),
                Part::Salt { over, .. } if over.is_empty() => escape(stored.logical(&key)),
                Part::Salt { over, .. } => over.iter().map(|name| value(name)).collect::<Vec<_>>().join(", "),
                Part::ZOrder(zorder) => format!("{}, {}", value(&zorder.x.field), value(&zorder.y.field)),
            };
            let mut output = Vec::new();
            match (part, record) {
                (Part::Salt { .. }, _) if has_key && !is_unsalted => {
                    if let Width::Fixed(width) = stored.bound.steps[at].width() {
                        output.extend_from_slice(&key[..width]);
                    }
                }
                (Part::Salt { .. }, _) => {}
                (_, record) => {
                    let values = record.map_or(&[][..], |record| record.values);
                    // A part that cannot be written has no output. The reason is shown with the
                    // refused events.
                    let _ = stored.write_part(at, &mut |index| values.get(index).copied().flatten(), &mut output);
                    if at == 1 && is_unsalted {
                        output.drain(..stored.salt_separator_bytes());
                    }
                }
            }
            ChipView { span: self.spans[written], input, output: Bytes(output), cost: stored.cost(at, part) }
        });
        chips.collect()
    }

    fn cost(&self, at: usize, part: &Part) -> String {
        let says = &texts().chips;
        match part {
            Part::Literal(text) if text.len() > 4 => (says.literal)(text.len()),
            Part::Literal(_) => String::new(),
            Part::Salt { buckets, from: Some(from), .. } => (says.salt_from)(*buckets, &cut_over_text(*from)),
            Part::Salt { buckets, over, .. } if over.is_empty() => (says.salt)(*buckets),
            Part::Salt { buckets, over, .. } => (says.salt_of_fields)(*buckets, &list(over)),
            Part::ZOrder(zorder) => (says.zorder)(zorder.width()),
            Part::Field { transforms, .. } => {
                let width = match self.bound.steps[at] {
                    Step::Field(ref step) => step.width(),
                    _ => Width::Any,
                };
                transforms.last().map_or(String::new(), |transform| transform_cost(*transform, width))
            }
        }
    }
}

/// Returns the chip of a part that stored keys of this layout do not contain.
fn left_out(part: &Part, span: Span) -> ChipView {
    let cost = match part {
        Part::Literal(_) => String::new(),
        _ => String::from(texts().chips.in_timestamps),
    };
    ChipView { span, input: String::new(), output: Bytes::default(), cost }
}

fn transform_cost(transform: Transform, width: Width) -> String {
    let says = &texts().chips;
    let name = &print::transform(transform);
    let bytes = match width {
        Width::Fixed(bytes) | Width::Padded(bytes) => bytes,
        Width::Any => 0,
    };
    match transform {
        Transform::Time(TimeFormat::Iso) => (says.iso)(name, bytes),
        Transform::Time(TimeFormat::ReverseTime) => (says.newest_first)(name, bytes),
        Transform::Time(format) if !format.is_instant() => (says.time_span)(name, bytes),
        Transform::Time(_) => (says.time)(name, bytes),
        Transform::Bucket(seconds) => (says.bucket)(name, &print::interval(seconds)),
        Transform::Pad(_) => (says.pad)(name, bytes),
        Transform::Hash(digits) if digits < 16 => (says.hash)(name, bytes, HashUse::Short),
        Transform::Hash(_) => (says.hash)(name, bytes, HashUse::Long),
        Transform::Reverse => (says.reverse)(name),
        Transform::Upper | Transform::Lower => (says.letter_case)(name),
    }
}
