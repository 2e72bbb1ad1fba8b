//! A template bound to the fields of an event set: names are looked up once, before keys are
//! written for many events.

use alloc::vec::Vec;

use super::cut_over::CutOver;
use super::part::{Part, part_fields};
use super::step::{FieldStep, Step};
use crate::salt::salt_width;
use crate::{Field, Roles};

/// The steps that [`super::Template::write_key`] runs.
#[derive(Clone)]
pub(super) struct Bound {
    pub steps: Vec<Step>,
    pub salt: Option<Salt>,
}

/// The salt at the beginning of a template.
#[derive(Clone)]
pub(super) struct Salt {
    pub buckets: u32,
    /// Indices of the parts that are hashed; empty to hash the whole logical key.
    pub over: Vec<usize>,
    /// Number of bytes before the logical key: digits and one punctuation character.
    pub bytes: usize,
    /// The punctuation character, if there is one.
    pub separator: Option<u8>,
    pub cut_over: Option<CutOver>,
}

impl Bound {
    pub fn new(parts: &[Part], fields: &[Field]) -> Self {
        let index = |name: &str| fields.iter().position(|field| field.name == name);
        let steps: Vec<Step> = parts
            .iter()
            .map(|part| match part {
                Part::Literal(text) => Step::Literal(text.as_bytes().to_vec()),
                Part::Salt { buckets, .. } => Step::Salt(salt_width(*buckets)),
                Part::Field { name, transforms } => {
                    Step::Field(FieldStep::new(index(name).map(|index| (index, &fields[index])), transforms))
                }
                Part::ZOrder(zorder) => Step::ZOrder {
                    x: index(&zorder.x.field),
                    y: index(&zorder.y.field),
                    zorder: zorder.clone(),
                },
            })
            .collect();
        let salt = match parts.first() {
            Some(Part::Salt { buckets, over, from }) => {
                let separator = match parts.get(1) {
                    Some(Part::Literal(text)) => text.bytes().next().filter(u8::is_ascii_punctuation),
                    _ => None,
                };
                let holds = |part: &Part| part_fields(part).into_iter().any(|name| over.contains(name));
                let over = (0..parts.len()).filter(|&at| holds(&parts[at])).collect();
                let bytes = salt_width(*buckets) + usize::from(separator.is_some());
                let cut_over = from.map(|from| CutOver { from, time: Roles::of(fields).time });
                Some(Salt { buckets: *buckets, over, bytes, separator, cut_over })
            }
            _ => None,
        };
        Bound { steps, salt }
    }
}

/// Looks up the text of a field of an event by its index.
pub type Values<'a, 'r> = &'a mut dyn FnMut(usize) -> Option<&'r str>;
