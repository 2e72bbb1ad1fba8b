//! Values in protobuf's wire format (<https://protobuf.dev/programming-guides/encoding/>), read
//! without copies.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use prost::encoding::{
    DecodeContext, WireType, decode_key, decode_varint, encode_key, encode_varint, skip_field,
};

use super::facet_count::{FacetCount, FacetNames, texts_of};
use crate::{Field, Record};

/// The field number in `FacetCounts`.
const COUNTS: u32 = 1;
/// The field numbers in `FacetCount`.
const NAME: u32 = 1;
const OPERATOR: u32 = 2;
const VALUE: u32 = 3;
const COUNT: u32 = 4;

pub(super) fn push_counts(counts: &[FacetCount<'_>], names: FacetNames, out: &mut Vec<u8>) {
    let mut message = Vec::with_capacity(64);
    for counted in counts {
        message.clear();
        if names == FacetNames::InValue {
            push_bytes(NAME, counted.name.as_bytes(), &mut message);
        }
        push_bytes(OPERATOR, counted.operator.as_bytes(), &mut message);
        push_bytes(VALUE, counted.value.as_bytes(), &mut message);
        encode_key(COUNT, WireType::Varint, &mut message);
        encode_varint(counted.count.into(), &mut message);
        push_bytes(COUNTS, &message, out);
    }
}

pub(super) fn counts(value: &[u8]) -> Option<Vec<FacetCount<'_>>> {
    let mut counts = Vec::new();
    read(value, &mut |tag, content| {
        let Content::Bytes(message) = content else { return None };
        if tag == COUNTS {
            counts.push(count(message)?);
        }
        Some(())
    })?;
    Some(counts)
}

fn count(message: &[u8]) -> Option<FacetCount<'_>> {
    let (mut texts, mut count) = ([""; 3], 0);
    read(message, &mut |tag, content| {
        match (tag, content) {
            (NAME..=VALUE, Content::Bytes(text)) => {
                texts[(tag - NAME) as usize] = core::str::from_utf8(text).ok()?;
            }
            (COUNT, Content::Number(number)) => count = u32::try_from(number).ok()?,
            (NAME..=COUNT, _) => return None,
            _ => {}
        }
        Some(())
    })?;
    let [name, operator, value] = texts.map(Cow::Borrowed);
    Some(FacetCount { name, operator, value, count })
}

pub(super) fn push_event(event: &Record<'_>, out: &mut Vec<u8>) {
    for (at, (field, value)) in event.fields.iter().zip(event.values).enumerate() {
        for text in value.iter().flat_map(|text| texts_of(field.kind, text)) {
            push_bytes(at as u32 + 1, text.as_bytes(), out);
        }
    }
}

pub(super) fn read_event<'v>(
    value: &'v [u8],
    fields: &[Field],
    each: &mut dyn FnMut(usize, &'v str),
) -> Option<()> {
    read(value, &mut |tag, content| {
        let at = (tag as usize).checked_sub(1).filter(|at| *at < fields.len());
        let (Some(at), Content::Bytes(text)) = (at, content) else { return None };
        each(at, core::str::from_utf8(text).ok()?);
        Some(())
    })
}

fn push_bytes(tag: u32, bytes: &[u8], out: &mut Vec<u8>) {
    encode_key(tag, WireType::LengthDelimited, out);
    encode_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// The content of a message's field.
enum Content<'v> {
    /// A text or a message.
    Bytes(&'v [u8]),
    Number(u64),
}

/// Calls `each` with the number and the content of each field of a message. Fields with wire types
/// that no message here uses are skipped.
fn read<'v>(mut message: &'v [u8], each: &mut dyn FnMut(u32, Content<'v>) -> Option<()>) -> Option<()> {
    while !message.is_empty() {
        let (tag, wire_type) = decode_key(&mut message).ok()?;
        match wire_type {
            WireType::LengthDelimited => {
                let length = usize::try_from(decode_varint(&mut message).ok()?).ok()?;
                let (content, rest) = message.split_at_checked(length)?;
                message = rest;
                each(tag, Content::Bytes(content))?;
            }
            WireType::Varint => each(tag, Content::Number(decode_varint(&mut message).ok()?))?,
            other => skip_field(other, tag, &mut message, DecodeContext::default()).ok()?,
        }
    }
    Some(())
}
