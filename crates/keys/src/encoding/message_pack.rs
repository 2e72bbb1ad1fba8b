//! Values in MessagePack (<https://github.com/msgpack/msgpack/blob/master/spec.md>): lists and maps
//! as in JSON.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use rmp::{Marker, decode, encode};

use super::facet_count::{FacetCount, FacetNames, texts_of};
use crate::{Field, FieldKind, Record};

/// Why writing cannot fail: the value of a cell is far shorter than MessagePack's limits, and is
/// written to memory.
const WRITTEN: &str = "memory takes all bytes";

pub(super) fn push_counts(counts: &[FacetCount<'_>], names: FacetNames, out: &mut Vec<u8>) {
    encode::write_array_len(out, counts.len() as u32).expect(WRITTEN);
    for counted in counts {
        let texts = [&counted.name, &counted.operator, &counted.value];
        let texts = &texts[usize::from(names == FacetNames::InColumn)..];
        encode::write_array_len(out, texts.len() as u32 + 1).expect(WRITTEN);
        for text in texts {
            encode::write_str(out, text).expect(WRITTEN);
        }
        encode::write_uint(out, counted.count.into()).expect(WRITTEN);
    }
}

pub(super) fn counts(value: &[u8], names: FacetNames) -> Option<Vec<FacetCount<'_>>> {
    let mut rest = value;
    let length = decode::read_array_len(&mut rest).ok()?;
    let mut counts = Vec::new();
    for _ in 0..length {
        let has_name = names == FacetNames::InValue;
        (decode::read_array_len(&mut rest).ok()? == if has_name { 4 } else { 3 }).then_some(())?;
        let name = if has_name { text(&mut rest)? } else { "" };
        let (operator, value) = (text(&mut rest)?, text(&mut rest)?);
        let [name, operator, value] = [name, operator, value].map(Cow::Borrowed);
        counts.push(FacetCount { name, operator, value, count: decode::read_int(&mut rest).ok()? });
    }
    rest.is_empty().then_some(counts)
}

pub(super) fn push_event(event: &Record<'_>, out: &mut Vec<u8>) {
    encode::write_map_len(out, event.values.iter().flatten().count() as u32).expect(WRITTEN);
    let fields = event.fields.iter().zip(event.values);
    for (field, value) in fields.filter_map(|(field, value)| Some((field, (*value)?))) {
        encode::write_str(out, &field.name).expect(WRITTEN);
        let texts = texts_of(field.kind, value);
        if field.kind == FieldKind::Facets {
            encode::write_array_len(out, texts.len() as u32).expect(WRITTEN);
        }
        texts.iter().for_each(|text| encode::write_str(out, text).expect(WRITTEN));
    }
}

pub(super) fn read_event<'v>(
    value: &'v [u8],
    fields: &[Field],
    each: &mut dyn FnMut(usize, &'v str),
) -> Option<()> {
    let mut rest = value;
    let length = decode::read_map_len(&mut rest).ok()?;
    for _ in 0..length {
        let name = text(&mut rest)?;
        let at = fields.iter().position(|field| field.name == name)?;
        let is_list = matches!(
            Marker::from_u8(*rest.first()?),
            Marker::FixArray(_) | Marker::Array16 | Marker::Array32
        );
        let texts = if is_list { decode::read_array_len(&mut rest).ok()? } else { 1 };
        for _ in 0..texts {
            each(at, text(&mut rest)?);
        }
    }
    rest.is_empty().then_some(())
}

/// Takes a text.
fn text<'v>(rest: &mut &'v [u8]) -> Option<&'v str> {
    let (text, after) = decode::read_str_from_slice(*rest).ok()?;
    *rest = after;
    Some(text)
}
