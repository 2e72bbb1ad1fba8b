//! The effect of each part on a real event, and its cost.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Bytes, Span, escape};

use super::step::{Step, Width};
use super::{Part, Template, Transform, print};
use crate::time::TimeFormat;
use crate::{ChipView, Layout, Record};

impl Template {
    /// Returns one chip per part, with its input and output for `record` (empty without one) in tables of this layout.
    pub fn chips(&self, layout: &Layout, record: Option<&Record<'_>>) -> Vec<ChipView> {
        let stored = self.stored(layout);
        let parts = self.stored_parts(layout);
        let mut key = Vec::new();
        let has_key = record.is_some_and(|record| stored.write_key(record, &mut key).is_ok());
        let chips = self.parts.iter().enumerate().map(|(written, part)| {
            let Some(at) = parts.iter().position(|&part| part == written) else {
                return left_out(part, self.spans[written]);
            };
            // A salt is over the parts that remain.
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
                (Part::Salt { .. }, _) if has_key => {
                    if let Width::Fixed(width) = stored.bound.steps[at].width() {
                        output.extend_from_slice(&key[..width]);
                    }
                }
                (Part::Salt { .. }, _) => {}
                (_, record) => {
                    let values = record.map_or(&[][..], |record| record.values);
                    // A part that cannot be written has no output; the reason is with the refused events.
                    let _ = stored.write_part(at, &mut |index| values.get(index).copied().flatten(), &mut output);
                }
            }
            ChipView { span: self.spans[written], input, output: Bytes(output), cost: stored.cost(at, part) }
        });
        chips.collect()
    }

    fn cost(&self, at: usize, part: &Part) -> String {
        match part {
            Part::Literal(text) if text.len() > 4 => format!("{} bytes in every key", text.len()),
            Part::Literal(_) => String::new(),
            Part::Salt { buckets, over } if over.is_empty() => format!("salt {buckets}: a prefix scan becomes {buckets} scans"),
            Part::Salt { buckets, over } => {
                format!("salt {buckets}: one scan when {} is known, else {buckets} scans", over.join(" and "))
            }
            Part::ZOrder(zorder) => {
                format!("zorder: {} bytes. Nearby points get nearby keys; you cannot query one axis alone.", zorder.width())
            }
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

/// The chip of a part that keys of this layout do not contain.
fn left_out(part: &Part, span: Span) -> ChipView {
    let cost = match part {
        Part::Literal(_) => String::new(),
        _ => String::from("not in the key of an entity: the cells' timestamps contain it"),
    };
    ChipView { span, input: String::new(), output: Bytes::default(), cost }
}

fn transform_cost(transform: Transform, width: Width) -> String {
    let name = print::transform(transform);
    let bytes = match width {
        Width::Fixed(bytes) | Width::Padded(bytes) => bytes,
        Width::Any => 0,
    };
    match transform {
        Transform::Time(TimeFormat::Iso) => format!("{name} takes {bytes} bytes; millis takes 13"),
        Transform::Time(TimeFormat::ReverseTime) => format!("{name}: {bytes} bytes; the newest comes first"),
        Transform::Time(format) if !format.is_instant() => format!("{name}: {bytes} bytes; all events of one {name} share them"),
        Transform::Time(_) => format!("{name}: {bytes} bytes"),
        Transform::Bucket(seconds) => format!("{name}: all events of {} share these bytes", print::interval(seconds)),
        Transform::Pad(_) => format!("{name}: always {bytes} digits; a longer number is refused"),
        Transform::Hash(digits) if digits < 16 => {
            format!("{name}: {bytes} bytes; only whole values can be looked up, no prefixes, no ranges, and some share a hash")
        }
        Transform::Hash(_) => format!("{name}: {bytes} bytes; only whole values can be looked up, no prefixes, no ranges"),
        Transform::Reverse => format!("{name}: whole values and endings can be looked up, ranges cannot"),
        Transform::Upper | Transform::Lower => format!("{name}: values that differ in case share a key"),
    }
}
