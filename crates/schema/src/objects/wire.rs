//! Values in protobuf's wire format, by the types of messages.
//!
//! ```text
//! message:  (tag, value)*          tag = number of the field * 8 + wire type, as a varint
//! 0  varint    ┌ 7 bits of a number per byte, the lowest first; all but the last byte have the high bit
//! 1  64 bits   │ little endian
//! 2  bytes     │ their length as a varint, then they: a text, bytes, a message, a packed list
//! 3, 4 group   │ fields up to the tag that ends it (proto2)
//! 5  32 bits   └ little endian
//! ```
//!
//! Source: <https://protobuf.dev/programming-guides/encoding/>. Any bytes can be given: what is wrong is a [`WireProblem`] at its byte,
//! and what can be read is read. Depth and number of values are bounded, so any bytes are read in a bounded time.

mod decoder;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;
use core::fmt;

use super::{FieldType, MessageType, Types};
use decoder::Decoder;

/// The most values of a message that are read, those within messages and lists included.
pub const VALUES_MAX: usize = 200_000;
/// The deepest message within messages: as deep as other readers of protobuf go, at least, and few enough for the stack of a page.
const DEPTH_MAX: usize = 64;
/// The most problems that are reported of one value.
const PROBLEMS_MAX: usize = 20;

/// A message as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded<'a> {
    /// Its fields.
    pub message: DecodedMessage<'a>,
    /// What is wrong with its bytes, in the order of reading; at most twenty.
    pub problems: Vec<WireProblem>,
}

impl Decoded<'_> {
    /// Returns whether nothing is wrong with the values that were read, however many were left out.
    pub fn is_sound_so_far(&self) -> bool {
        self.problems.iter().all(|problem| problem.kind == WireProblemKind::TooMany)
    }
}

/// A message and its fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DecodedMessage<'a> {
    /// Its type, if that is known.
    pub of: Option<&'a MessageType>,
    /// The fields of its type that occur, in the order of the bytes. Several occurrences are one list, or one message.
    pub fields: Vec<DecodedField<'a>>,
    /// Fields that its type does not have, or not with such a value.
    pub unknown: Vec<DecodedField<'a>>,
}

/// A field.
#[derive(Clone, Debug, PartialEq)]
pub struct DecodedField<'a> {
    /// Its number.
    pub number: u32,
    /// Its type, unless it is unknown.
    pub of: Option<&'a FieldType>,
    /// The byte at which its last occurrence begins, counted from 0.
    pub at: usize,
    /// Its value.
    pub value: Value<'a>,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// A signed integer.
    Int(i64),
    /// An unsigned integer. Also an unknown field of wire type 0, 1 or 5.
    Uint(u64),
    /// A truth value.
    Bool(bool),
    /// A number of 32 bits.
    Float(f32),
    /// A number of 64 bits.
    Double(f64),
    /// A text.
    Text(&'a str),
    /// Bytes: also a text that is not UTF-8, and an unknown field of wire type 2.
    Bytes(&'a [u8]),
    /// A number of an enum, with its name if it has one.
    Enum(i32, Option<&'a str>),
    /// A message.
    Message(DecodedMessage<'a>),
    /// A list of `float`.
    Floats(Vec<f32>),
    /// A list of `double`.
    Doubles(Vec<f64>),
    /// Another list.
    List(Vec<Value<'a>>),
    /// Keys and values, in the order of the bytes. Of several entries with one key, the last counts.
    Map(Vec<(Value<'a>, Value<'a>)>),
}

/// Something that is wrong with the bytes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireProblem {
    /// The byte, counted from 0.
    pub at: usize,
    /// What it is.
    pub kind: WireProblemKind,
}

/// What can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireProblemKind {
    /// The bytes end within a number.
    EndsInNumber,
    /// A varint has more than 64 bits.
    LongNumber,
    /// A tag has the field number 0, or more than 32 bits.
    Tag,
    /// There is no such wire type.
    WireType(u8),
    /// This many bytes should follow, and fewer do.
    PastEnd(u64),
    /// A group ends that has not begun.
    EndOfNoGroup,
    /// A group has no end.
    OpenGroup,
    /// A text is not UTF-8.
    NotText,
    /// A field has this number, and a value that does not suit its type: it is listed as unknown.
    OtherType(u32),
    /// Messages within messages are not read any deeper.
    TooDeep,
    /// No further values are read.
    TooMany,
}

impl fmt::Display for WireProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Byte {}: ", self.at)?;
        match self.kind {
            WireProblemKind::EndsInNumber => f.write_str("the value ends within a number."),
            WireProblemKind::LongNumber => f.write_str("a number has more than 64 bits."),
            WireProblemKind::Tag => f.write_str("this begins no field."),
            WireProblemKind::WireType(wire) => write!(f, "there is no wire type {wire}."),
            WireProblemKind::PastEnd(bytes) => write!(f, "{bytes} bytes should follow, and fewer do."),
            WireProblemKind::EndOfNoGroup => f.write_str("a group ends that has not begun."),
            WireProblemKind::OpenGroup => f.write_str("this group has no end."),
            WireProblemKind::NotText => f.write_str("this text is not UTF-8."),
            WireProblemKind::OtherType(number) => write!(f, "the value of field {number} is not of its type."),
            WireProblemKind::TooDeep => write!(f, "messages deeper than {DEPTH_MAX} are not read."),
            WireProblemKind::TooMany => f.write_str("what follows is not read: there are too many values."),
        }
    }
}

/// Reads a message, and at most `values_max` values of it. Without a type all its fields are unknown.
pub fn decode<'a>(types: &'a Types, of: Option<&'a MessageType>, bytes: &'a [u8], values_max: usize) -> Decoded<'a> {
    Decoder::new(types, bytes, values_max).whole(of)
}
