//! Decodes values in protobuf's wire format, using the types of messages.
//!
//! ```text
//! message:  (tag, value)*          tag = number of the field * 8 + wire type, as a varint
//! 0  varint    ┌ 7 bits of a number per byte, the lowest first; all but the last byte have the high bit
//! 1  64 bits   │ little endian
//! 2  bytes     │ the length as a varint, then the bytes: a text, bytes, a message, a packed list
//! 3, 4 group   │ fields up to the tag that ends it (proto2)
//! 5  32 bits   └ little endian
//! ```
//!
//! Source: <https://protobuf.dev/programming-guides/encoding/>. Any bytes are accepted: each fault
//! is reported as a [`WireProblem`] with its offset, and everything that can be read is read. Depth
//! and number of values are bounded, so the time is bounded, too.

mod decoder;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;
use core::fmt;

use super::{FieldType, MessageType, Types};
use decoder::Decoder;

/// The maximum number of values of a message that are read, including values in nested messages and
/// lists.
pub const VALUES_MAX: usize = 200_000;
/// The maximum depth of nested messages: at least as deep as other readers of protobuf go, and
/// small enough for the stack of a page.
const DEPTH_MAX: usize = 64;
/// The maximum number of problems that are reported for a value.
const PROBLEMS_MAX: usize = 20;

/// A decoded message.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded<'a> {
    /// The decoded fields.
    pub message: DecodedMessage<'a>,
    /// The problems of its bytes, in the order in which they were found; at most twenty.
    pub problems: Vec<WireProblem>,
}

impl Decoded<'_> {
    /// Returns whether the values that were read have no problems, even if others were left out.
    pub fn is_sound_so_far(&self) -> bool {
        self.problems.iter().all(|problem| problem.kind == WireProblemKind::TooMany)
    }
}

/// A message and its fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DecodedMessage<'a> {
    /// The type; `None` if it is not known.
    pub of: Option<&'a MessageType>,
    /// The fields that its type has, in the order of the bytes. If a field occurs several times,
    /// its values are joined into one list or one message.
    pub fields: Vec<DecodedField<'a>>,
    /// Fields that its type does not have, or whose value does not fit the type.
    pub unknown: Vec<DecodedField<'a>>,
}

/// A field.
#[derive(Clone, Debug, PartialEq)]
pub struct DecodedField<'a> {
    /// The field's number.
    pub number: u32,
    /// The type; `None` for an unknown field.
    pub of: Option<&'a FieldType>,
    /// The offset of its last occurrence.
    pub at: usize,
    /// The field's value.
    pub value: Value<'a>,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// A signed integer.
    Int(i64),
    /// An unsigned integer, or an unknown field of wire type 0, 1 or 5.
    Uint(u64),
    /// A boolean.
    Bool(bool),
    /// A 32-bit floating-point number.
    Float(f32),
    /// A 64-bit floating-point number.
    Double(f64),
    /// A text.
    Text(&'a str),
    /// Bytes, a text that is not UTF-8, or an unknown field of wire type 2.
    Bytes(&'a [u8]),
    /// The number of an enum, with its name if it has one.
    Enum(i32, Option<&'a str>),
    /// A message.
    Message(DecodedMessage<'a>),
    /// A list of `float`.
    Floats(Vec<f32>),
    /// A list of `double`.
    Doubles(Vec<f64>),
    /// Another list.
    List(Vec<Value<'a>>),
    /// Keys and values, in the order of the bytes. If several entries have the same key, the last
    /// one wins.
    Map(Vec<(Value<'a>, Value<'a>)>),
}

/// A fault in the bytes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireProblem {
    /// The offset of the byte.
    pub at: usize,
    /// The kind of fault.
    pub kind: WireProblemKind,
}

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireProblemKind {
    /// The bytes end within a number.
    EndsInNumber,
    /// A varint has more than 64 bits.
    LongNumber,
    /// A tag has the field number 0, or more than 32 bits.
    Tag,
    /// The wire type does not exist.
    WireType(u8),
    /// This many bytes should follow, but there are fewer.
    PastEnd(u64),
    /// A group ends that was never begun.
    EndOfNoGroup,
    /// A group is not closed.
    OpenGroup,
    /// A text is not UTF-8.
    NotText,
    /// The field with this number has a value that does not fit its type. The field is listed as
    /// unknown.
    OtherType(u32),
    /// The message is nested too deeply to be read.
    TooDeep,
    /// There are too many values, and no more are read.
    TooMany,
}

impl fmt::Display for WireProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Byte {}: ", self.at)?;
        match self.kind {
            WireProblemKind::EndsInNumber => f.write_str("the value ends within a number."),
            WireProblemKind::LongNumber => f.write_str("a number has more than 64 bits."),
            WireProblemKind::Tag => f.write_str("a field cannot begin with this byte."),
            WireProblemKind::WireType(wire) => write!(f, "there is no wire type {wire}."),
            WireProblemKind::PastEnd(bytes) => write!(f, "{bytes} bytes should follow, but there are fewer."),
            WireProblemKind::EndOfNoGroup => f.write_str("a group ends that was never begun."),
            WireProblemKind::OpenGroup => f.write_str("this group is not closed."),
            WireProblemKind::NotText => f.write_str("this text is not UTF-8."),
            WireProblemKind::OtherType(number) => {
                write!(f, "the value of field {number} does not fit its type.")
            }
            WireProblemKind::TooDeep => write!(f, "messages deeper than {DEPTH_MAX} are not read."),
            WireProblemKind::TooMany => f.write_str("there are too many values: the rest is not read."),
        }
    }
}

/// Decodes a message, and reads at most `values_max` of its values. Without a type, all its fields
/// are unknown.
pub fn decode<'a>(
    types: &'a Types,
    of: Option<&'a MessageType>,
    bytes: &'a [u8],
    values_max: usize,
) -> Decoded<'a> {
    Decoder::new(types, bytes, values_max).whole(of)
}
