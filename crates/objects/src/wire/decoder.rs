//! Decodes the bytes of a message.

use alloc::vec::Vec;
use core::ops::Range;

use super::{
    DEPTH_MAX, Decoded, DecodedField, DecodedMessage, PROBLEMS_MAX, Value, WireProblem, WireProblemKind,
};
use crate::{FieldType, MessageType, Repeats, Scalar, Types, ValueType};

/// Each value searches its field among the fields that its message has so far. To bound the time, a
/// value counts once more for each 256 fields in its message: twice in a message with 256 fields,
/// three times with 512.
const FIELDS_OF_ONE_VALUE: usize = 256;

/// Decodes one value.
pub struct Decoder<'a> {
    types: &'a Types,
    /// The bytes of the whole value, because the positions of problems refer to it.
    bytes: &'a [u8],
    /// The number of values that may still be read.
    left: usize,
    /// Whether the limit was reached and values were left out.
    is_full: bool,
    problems: Vec<WireProblem>,
}

/// The location of a message: its bytes, or the bytes that must contain the end of its group.
#[derive(Clone, Copy)]
struct Place {
    from: usize,
    end: usize,
    /// The number of the field, if the message is a group.
    group: Option<u32>,
    depth: usize,
}

/// What follows a tag.
#[derive(Clone)]
enum Raw {
    Varint(u64),
    Fixed64([u8; 8]),
    Fixed32([u8; 4]),
    Bytes(Range<usize>),
    /// A group, which begins after the tag.
    Group,
}

impl<'a> Decoder<'a> {
    /// Creates a decoder that reads at most `values_max` values of these bytes.
    pub fn new(types: &'a Types, bytes: &'a [u8], values_max: usize) -> Decoder<'a> {
        Decoder { types, bytes, left: values_max, is_full: false, problems: Vec::new() }
    }

    /// Decodes the message that all bytes consist of.
    pub fn whole(mut self, of: Option<&'a MessageType>) -> Decoded<'a> {
        let mut message = DecodedMessage { of, ..DecodedMessage::default() };
        let place = Place { from: 0, end: self.bytes.len(), group: None, depth: 0 };
        self.message(&mut message, place);
        Decoded { message, problems: self.problems }
    }

    /// Reads the fields of a message. Returns its end; `None` if nothing more can be read of these
    /// bytes.
    fn message(&mut self, into: &mut DecodedMessage<'a>, place: Place) -> Option<usize> {
        let mut at = place.from;
        while at < place.end {
            if !self.take(at, into.fields.len()) {
                return None;
            }
            let tag_at = at;
            let (tag, after) = self.varint(at, place.end)?;
            let Ok(number @ 1..=0x1fff_ffff) = u32::try_from(tag >> 3) else {
                return self.stop(tag_at, WireProblemKind::Tag);
            };
            let raw = match tag & 7 {
                0 => {
                    let (value, end) = self.varint(after, place.end)?;
                    at = end;
                    Raw::Varint(value)
                }
                1 => {
                    let raw = Raw::Fixed64(self.fixed(after, place.end)?);
                    at = after + 8;
                    raw
                }
                5 => {
                    let raw = Raw::Fixed32(self.fixed(after, place.end)?);
                    at = after + 4;
                    raw
                }
                2 => {
                    let (len, from) = self.varint(after, place.end)?;
                    if len > (place.end - from) as u64 {
                        return self.stop(tag_at, WireProblemKind::PastEnd(len));
                    }
                    at = from + len as usize;
                    Raw::Bytes(from..at)
                }
                3 => {
                    at = after;
                    Raw::Group
                }
                4 if place.group == Some(number) => return Some(after),
                4 => return self.stop(tag_at, WireProblemKind::EndOfNoGroup),
                wire => return self.stop(tag_at, WireProblemKind::WireType(wire as u8)),
            };
            let field = Found { number, at: tag_at, after: at, end: place.end, depth: place.depth };
            at = self.field(into, field, raw)?;
        }
        match place.group {
            Some(_) => self.stop(place.from, WireProblemKind::OpenGroup),
            None => Some(at),
        }
    }

    /// Adds a field to its message. Returns the end of the field.
    fn field(&mut self, into: &mut DecodedMessage<'a>, found: Found, raw: Raw) -> Option<usize> {
        let of = into.of.and_then(|of| of.field(found.number));
        if let Some(of) = of {
            if let (Raw::Bytes(range), ValueType::Scalar(_) | ValueType::Enum(_), Repeats::List) =
                (&raw, of.value, of.repeats)
                && !matches!(of.value, ValueType::Scalar(Scalar::Text | Scalar::Bytes))
            {
                let range = range.clone();
                self.packed(entry(into, of, found.at, || empty_list(of.value)), of, range);
                return Some(found.after);
            }
            if let ValueType::Message(id) = of.value
                && matches!(raw, Raw::Bytes(_) | Raw::Group)
            {
                return self.submessage(into, of, self.types.message_of(id), found, raw);
            }
            if let Some(value) = self.single(of.value, &raw) {
                match of.repeats {
                    Repeats::Once => set(into, of, found.at, value),
                    Repeats::List | Repeats::Map => {
                        push(entry(into, of, found.at, || empty_list(of.value)), value);
                    }
                }
                return Some(found.after);
            }
            self.report(found.at, WireProblemKind::OtherType(found.number));
        }
        self.unknown(into, found, raw)
    }

    /// Adds a nested message.
    fn submessage(
        &mut self,
        into: &mut DecodedMessage<'a>,
        of: &'a FieldType,
        message: &'a MessageType,
        found: Found,
        raw: Raw,
    ) -> Option<usize> {
        let Some(place) = self.place_within(&found, &raw) else {
            // The end of a group is only known once the group is read.
            return if matches!(raw, Raw::Group) { None } else { self.unknown(into, found, raw) };
        };
        let fresh = || DecodedMessage { of: Some(message), ..DecodedMessage::default() };
        let read = match of.repeats {
            Repeats::Once => {
                // If a message field occurs again, its fields are merged into the first occurrence.
                match entry(into, of, found.at, || Value::Message(fresh())) {
                    Value::Message(message) => self.message(message, place),
                    _ => None,
                }
            }
            Repeats::List => {
                let mut message = fresh();
                let read = self.message(&mut message, place);
                push(entry(into, of, found.at, || empty_list(of.value)), Value::Message(message));
                read
            }
            Repeats::Map => {
                let mut fields = fresh();
                let read = self.message(&mut fields, place);
                let pair = (self.part_of_entry(&mut fields, 1), self.part_of_entry(&mut fields, 2));
                if let Value::Map(entries) = entry(into, of, found.at, || Value::Map(Vec::new())) {
                    entries.push(pair);
                }
                read
            }
        };
        match raw {
            // A fault inside a message with a length does not affect what follows it.
            Raw::Bytes(_) => Some(found.after),
            _ => read,
        }
    }

    /// Removes and returns the key or the value of a map entry; the default of its type if it is
    /// missing.
    fn part_of_entry(&self, entry: &mut DecodedMessage<'a>, number: u32) -> Value<'a> {
        match entry.fields.iter().position(|field| field.number == number) {
            Some(at) => entry.fields.swap_remove(at).value,
            None => match entry.of.and_then(|of| of.field(number)).map(|field| field.value) {
                Some(ValueType::Message(id)) => Value::Message(DecodedMessage {
                    of: Some(self.types.message_of(id)),
                    ..DecodedMessage::default()
                }),
                Some(ValueType::Enum(id)) => Value::Enum(0, self.types.enum_of(id).name_of(0)),
                Some(ValueType::Scalar(scalar)) => default_of(scalar),
                None => Value::Bytes(&[]),
            },
        }
    }

    /// Adds a field that the type of its message does not have.
    fn unknown(&mut self, into: &mut DecodedMessage<'a>, found: Found, raw: Raw) -> Option<usize> {
        let mut after = Some(found.after);
        let value = match &raw {
            Raw::Varint(value) => Value::Uint(*value),
            Raw::Fixed64(bytes) => Value::Uint(u64::from_le_bytes(*bytes)),
            Raw::Fixed32(bytes) => Value::Uint(u32::from_le_bytes(*bytes).into()),
            Raw::Bytes(range) => Value::Bytes(&self.bytes[range.clone()]),
            Raw::Group => {
                let place = self.place_within(&found, &raw)?;
                let mut message = DecodedMessage::default();
                after = self.message(&mut message, place);
                Value::Message(message)
            }
        };
        into.unknown.push(DecodedField { number: found.number, of: None, at: found.at, value });
        after
    }

    /// Returns the location of the message in a field; `None` if it is nested too deeply.
    fn place_within(&mut self, found: &Found, raw: &Raw) -> Option<Place> {
        let depth = found.depth + 1;
        if depth > DEPTH_MAX {
            return self.stop(found.at, WireProblemKind::TooDeep);
        }
        Some(match raw {
            Raw::Bytes(range) => Place { from: range.start, end: range.end, group: None, depth },
            _ => Place { from: found.after, end: found.end, group: Some(found.number), depth },
        })
    }

    /// Adds the numbers of a packed list.
    fn packed(&mut self, list: &mut Value<'a>, of: &FieldType, range: Range<usize>) {
        let width = match of.value {
            ValueType::Scalar(Scalar::Double | Scalar::Fixed64 | Scalar::Sfixed64) => 8,
            ValueType::Scalar(Scalar::Float | Scalar::Fixed32 | Scalar::Sfixed32) => 4,
            _ => 0,
        };
        let mut at = range.start;
        while at < range.end {
            if !self.take(at, 0) {
                return;
            }
            let raw = match width {
                8 => self.fixed(at, range.end).map(|bytes| (Raw::Fixed64(bytes), at + 8)),
                4 => self.fixed(at, range.end).map(|bytes| (Raw::Fixed32(bytes), at + 4)),
                _ => self.varint(at, range.end).map(|(value, after)| (Raw::Varint(value), after)),
            };
            let Some((raw, after)) = raw else { return };
            if let Some(value) = self.single(of.value, &raw) {
                push(list, value);
            }
            at = after;
        }
    }

    /// Returns a value as this type; `None` if the type cannot have such a value.
    fn single(&mut self, of: ValueType, raw: &Raw) -> Option<Value<'a>> {
        Some(match (of, raw) {
            (ValueType::Enum(id), Raw::Varint(value)) => {
                let number = *value as i32;
                Value::Enum(number, self.types.enum_of(id).name_of(number))
            }
            (ValueType::Scalar(scalar), raw) => match (scalar, raw) {
                (Scalar::Int32, Raw::Varint(value)) => Value::Int((*value as i32).into()),
                (Scalar::Int64, Raw::Varint(value)) => Value::Int(*value as i64),
                (Scalar::Uint32, Raw::Varint(value)) => Value::Uint((*value as u32).into()),
                (Scalar::Uint64, Raw::Varint(value)) => Value::Uint(*value),
                (Scalar::Sint32, Raw::Varint(value)) => {
                    Value::Int((unzigzag((*value as u32).into()) as i32).into())
                }
                (Scalar::Sint64, Raw::Varint(value)) => Value::Int(unzigzag(*value)),
                (Scalar::Bool, Raw::Varint(value)) => Value::Bool(*value != 0),
                (Scalar::Fixed32, Raw::Fixed32(bytes)) => Value::Uint(u32::from_le_bytes(*bytes).into()),
                (Scalar::Sfixed32, Raw::Fixed32(bytes)) => Value::Int(i32::from_le_bytes(*bytes).into()),
                (Scalar::Float, Raw::Fixed32(bytes)) => Value::Float(f32::from_le_bytes(*bytes)),
                (Scalar::Fixed64, Raw::Fixed64(bytes)) => Value::Uint(u64::from_le_bytes(*bytes)),
                (Scalar::Sfixed64, Raw::Fixed64(bytes)) => Value::Int(i64::from_le_bytes(*bytes)),
                (Scalar::Double, Raw::Fixed64(bytes)) => Value::Double(f64::from_le_bytes(*bytes)),
                (Scalar::Bytes, Raw::Bytes(range)) => Value::Bytes(&self.bytes[range.clone()]),
                (Scalar::Text, Raw::Bytes(range)) => {
                    let bytes = &self.bytes[range.clone()];
                    match core::str::from_utf8(bytes) {
                        Ok(text) => Value::Text(text),
                        Err(error) => {
                            self.report(range.start + error.valid_up_to(), WireProblemKind::NotText);
                            Value::Bytes(bytes)
                        }
                    }
                }
                _ => return None,
            },
            _ => return None,
        })
    }

    fn varint(&mut self, at: usize, end: usize) -> Option<(u64, usize)> {
        let mut value = 0;
        for step in 0..10 {
            let Some(&byte) = self.bytes[..end].get(at + step) else {
                return self.stop(at, WireProblemKind::EndsInNumber);
            };
            if step == 9 && byte > 1 {
                break;
            }
            value |= u64::from(byte & 0x7f) << (7 * step);
            if byte < 0x80 {
                return Some((value, at + step + 1));
            }
        }
        self.stop(at, WireProblemKind::LongNumber)
    }

    fn fixed<const N: usize>(&mut self, at: usize, end: usize) -> Option<[u8; N]> {
        match self.bytes[..end].get(at..at + N).and_then(|bytes| bytes.try_into().ok()) {
            Some(bytes) => Some(bytes),
            None => self.stop(at, WireProblemKind::EndsInNumber),
        }
    }

    /// Returns whether one more value may be read into a message with this many fields.
    fn take(&mut self, at: usize, fields: usize) -> bool {
        if let Some(left) = self.left.checked_sub(1 + fields / FIELDS_OF_ONE_VALUE) {
            self.left = left;
            return true;
        }
        if !self.is_full {
            self.report(at, WireProblemKind::TooMany);
        }
        self.is_full = true;
        // Set to zero, so that nothing else is read, even into a message with fewer fields.
        self.left = 0;
        false
    }

    fn stop<T>(&mut self, at: usize, kind: WireProblemKind) -> Option<T> {
        self.report(at, kind);
        None
    }

    fn report(&mut self, at: usize, kind: WireProblemKind) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(WireProblem { at, kind });
        }
    }
}

/// The position of a field.
struct Found {
    number: u32,
    /// The offset of its tag.
    at: usize,
    /// The first byte after it, or for a group, after its tag.
    after: usize,
    /// The end of its message.
    end: usize,
    /// The depth of its message.
    depth: usize,
}

/// Returns the value of a field in its message. `first` creates it when the field occurs for the
/// first time.
fn entry<'m, 'a>(
    into: &'m mut DecodedMessage<'a>,
    of: &'a FieldType,
    at: usize,
    first: impl FnOnce() -> Value<'a>,
) -> &'m mut Value<'a> {
    if of.oneof.is_some() {
        // Of a oneof, the last field wins.
        into.fields.retain(|other| {
            other.number == of.number || other.of.is_none_or(|other| other.oneof != of.oneof)
        });
    }
    let place = into.fields.iter().position(|field| field.number == of.number).unwrap_or_else(|| {
        into.fields.push(DecodedField { number: of.number, of: Some(of), at, value: first() });
        into.fields.len() - 1
    });
    let field = &mut into.fields[place];
    field.at = at;
    &mut field.value
}

fn set<'a>(into: &mut DecodedMessage<'a>, of: &'a FieldType, at: usize, value: Value<'a>) {
    *entry(into, of, at, || Value::Bool(false)) = value;
}

fn push<'a>(list: &mut Value<'a>, value: Value<'a>) {
    match (list, value) {
        (Value::Floats(list), Value::Float(value)) => list.push(value),
        (Value::Doubles(list), Value::Double(value)) => list.push(value),
        (Value::List(list), value) => list.push(value),
        _ => {}
    }
}

fn empty_list(of: ValueType) -> Value<'static> {
    match of {
        ValueType::Scalar(Scalar::Float) => Value::Floats(Vec::new()),
        ValueType::Scalar(Scalar::Double) => Value::Doubles(Vec::new()),
        _ => Value::List(Vec::new()),
    }
}

fn default_of(scalar: Scalar) -> Value<'static> {
    match scalar {
        Scalar::Double => Value::Double(0.0),
        Scalar::Float => Value::Float(0.0),
        Scalar::Int32
        | Scalar::Int64
        | Scalar::Sint32
        | Scalar::Sint64
        | Scalar::Sfixed32
        | Scalar::Sfixed64 => Value::Int(0),
        Scalar::Uint32 | Scalar::Uint64 | Scalar::Fixed32 | Scalar::Fixed64 => Value::Uint(0),
        Scalar::Bool => Value::Bool(false),
        Scalar::Text => Value::Text(""),
        Scalar::Bytes => Value::Bytes(&[]),
    }
}

/// Returns the signed number of a `sint`: 0, -1, 1, -2, …
fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}
