//! Values as lists in a fixed order, in postcard's format
//! (<https://postcard.jamesmunns.com/wire-format>).

use alloc::borrow::Cow;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::facet_count::{FacetCount, FacetNames, texts_of};
use crate::{Field, Record};

pub(super) fn push_counts(counts: &[FacetCount<'_>], names: FacetNames, out: &mut Vec<u8>) {
    match names {
        FacetNames::InValue => {
            let list = counts
                .iter()
                .map(|counted| (&*counted.name, &*counted.operator, &*counted.value, counted.count));
            push(&list.collect::<Vec<_>>(), out);
        }
        FacetNames::InColumn => {
            let list = counts.iter().map(|counted| (&*counted.operator, &*counted.value, counted.count));
            push(&list.collect::<Vec<_>>(), out);
        }
    }
}

pub(super) fn counts(value: &[u8], names: FacetNames) -> Option<Vec<FacetCount<'_>>> {
    Some(match names {
        FacetNames::InValue => {
            let list: Vec<(&str, &str, &str, u32)> = whole(value)?;
            list.into_iter().map(|(name, operator, value, count)| of(name, operator, value, count)).collect()
        }
        FacetNames::InColumn => {
            let list: Vec<(&str, &str, u32)> = whole(value)?;
            list.into_iter().map(|(operator, value, count)| of("", operator, value, count)).collect()
        }
    })
}

fn of<'v>(name: &'v str, operator: &'v str, value: &'v str, count: u32) -> FacetCount<'v> {
    FacetCount {
        name: Cow::Borrowed(name),
        operator: Cow::Borrowed(operator),
        value: Cow::Borrowed(value),
        count,
    }
}

pub(super) fn push_event(event: &Record<'_>, out: &mut Vec<u8>) {
    let fields = event.fields.iter().zip(event.values);
    let texts = fields.map(|(field, value)| value.map_or_else(Vec::new, |text| texts_of(field.kind, text)));
    push(&texts.collect::<Vec<_>>(), out);
}

pub(super) fn read_event<'v>(
    value: &'v [u8],
    fields: &[Field],
    each: &mut dyn FnMut(usize, &'v str),
) -> Option<()> {
    let list: Vec<Vec<&'v str>> = whole(value)?;
    (list.len() == fields.len()).then_some(())?;
    for (at, texts) in list.into_iter().enumerate() {
        texts.into_iter().for_each(|text| each(at, text));
    }
    Some(())
}

fn push(list: &impl Serialize, out: &mut Vec<u8>) {
    out.extend_from_slice(&postcard::to_allocvec(list).expect("memory takes any list of texts"));
}

/// Reads a value, which must not be followed by further bytes.
fn whole<'v, T: Deserialize<'v>>(value: &'v [u8]) -> Option<T> {
    let (list, rest) = postcard::take_from_bytes(value).ok()?;
    rest.is_empty().then_some(list)
}
