//! The effect of each part on a real event, and its cost.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_model::{Bytes, Span, escape};

use super::cut_over::cut_over_text;
use super::part::{Part, Transform};
use super::step::{Step, Width};
use super::{Template, print};
use crate::time::TimeFormat;
use crate::{Layout, Record};

/// The effect of one part of a template on a real event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChipView {
    /// The place of the part in the template's text.
    pub span: Span,
    /// The input texts.
    pub input: String,
    /// The output bytes.
    pub output: Bytes,
    /// The cost of the part.
    pub cost: ChipCost,
}

/// What a part of a key costs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChipCost {
    /// Nothing that matters.
    #[default]
    Nothing,
    /// A literal text in every key.
    Literal {
        /// Bytes in each key.
        bytes: u32,
    },
    /// A salt over the whole key.
    Salt {
        /// The salts.
        salts: u32,
    },
    /// A salt over some fields.
    SaltOfFields {
        /// The salts.
        salts: u32,
        /// The fields.
        fields: Vec<String>,
    },
    /// A salt with a cut-over.
    SaltFrom {
        /// The salts.
        salts: u32,
        /// The cut-over, as the template writes it.
        from: String,
    },
    /// Two numbers in a Z-order.
    ZOrder {
        /// Bytes in each key.
        bytes: u32,
    },
    /// The layout leaves the part out of the key: it is in the timestamps of the cells.
    InTimestamps,
    /// The last transform of a field.
    Transform {
        /// The transform, as the template writes it.
        name: String,
        /// The cost of the transform.
        cost: TransformCost,
    },
}

/// What the transform of a field costs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TransformCost {
    /// A time as text.
    Iso {
        /// Bytes in each key.
        bytes: u32,
    },
    /// A time that counts down.
    NewestFirst {
        /// Bytes in each key.
        bytes: u32,
    },
    /// A span of time, which events share.
    TimeSpan {
        /// Bytes in each key.
        bytes: u32,
    },
    /// An exact time.
    Time {
        /// Bytes in each key.
        bytes: u32,
    },
    /// A bucket of time, which events share.
    Bucket {
        /// The length, as the template writes it.
        interval: String,
    },
    /// A number with leading zeros.
    Pad {
        /// The number of digits.
        digits: u32,
    },
    /// A hash.
    Hash {
        /// Bytes in each key.
        bytes: u32,
        /// Whether some values have the same one.
        is_short: bool,
    },
    /// Reversed characters.
    Reverse,
    /// A reversed domain.
    ReverseDomain,
    /// A text for absent values.
    Or,
    /// Upper or lower case.
    LetterCase,
}

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
                    let _ =
                        stored.write_part(at, &mut |index| values.get(index).copied().flatten(), &mut output);
                    if at == 1 && is_unsalted {
                        output.drain(..stored.salt_separator_bytes());
                    }
                }
            }
            ChipView { span: self.spans[written], input, output: Bytes(output), cost: stored.cost(at, part) }
        });
        chips.collect()
    }

    fn cost(&self, at: usize, part: &Part) -> ChipCost {
        match part {
            Part::Literal(text) if text.len() > 4 => ChipCost::Literal { bytes: text.len() as u32 },
            Part::Literal(_) => ChipCost::Nothing,
            Part::Salt { buckets, from: Some(from), .. } => {
                ChipCost::SaltFrom { salts: *buckets, from: cut_over_text(*from) }
            }
            Part::Salt { buckets, over, .. } if over.is_empty() => ChipCost::Salt { salts: *buckets },
            Part::Salt { buckets, over, .. } => {
                ChipCost::SaltOfFields { salts: *buckets, fields: over.clone() }
            }
            Part::ZOrder(zorder) => ChipCost::ZOrder { bytes: zorder.width() as u32 },
            Part::Field { transforms, .. } => {
                let width = match self.bound.steps[at] {
                    Step::Field(ref step) => step.width(),
                    _ => Width::Any,
                };
                transforms.last().map_or(ChipCost::Nothing, |transform| ChipCost::Transform {
                    name: print::transform(*transform),
                    cost: transform_cost(*transform, width),
                })
            }
        }
    }
}

/// Returns the chip of a part that stored keys of this layout do not contain.
fn left_out(part: &Part, span: Span) -> ChipView {
    let cost = match part {
        Part::Literal(_) => ChipCost::Nothing,
        _ => ChipCost::InTimestamps,
    };
    ChipView { span, input: String::new(), output: Bytes::default(), cost }
}

fn transform_cost(transform: Transform, width: Width) -> TransformCost {
    let bytes = match width {
        Width::Fixed(bytes) | Width::Padded(bytes) => bytes as u32,
        Width::Any => 0,
    };
    match transform {
        Transform::Time(TimeFormat::Iso) => TransformCost::Iso { bytes },
        Transform::Time(TimeFormat::ReverseTime) => TransformCost::NewestFirst { bytes },
        Transform::Time(format) if !format.is_instant() => TransformCost::TimeSpan { bytes },
        Transform::Time(_) => TransformCost::Time { bytes },
        Transform::Bucket(seconds) => TransformCost::Bucket { interval: print::interval(seconds) },
        Transform::Pad(_) => TransformCost::Pad { digits: bytes },
        Transform::Hash(digits) => TransformCost::Hash { bytes, is_short: digits < 16 },
        Transform::Or(_) => TransformCost::Or,
        Transform::Reverse => TransformCost::Reverse,
        Transform::ReverseDomain => TransformCost::ReverseDomain,
        Transform::Upper | Transform::Lower => TransformCost::LetterCase,
    }
}
