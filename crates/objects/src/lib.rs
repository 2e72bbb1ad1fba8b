//! Objects in a table, as Google stores them for ad personalization: "How Google uses Bigtable for
//! ads personalization", 2023.
//!
//! ```text
//! corpus     table           objects of one kind
//! object     row             named by its id, the row key
//! data type  column family   the schema names its protobuf message, its owner and the origin of its values
//! subtype    column          free: a model, a version, a source
//! value      cell            a serialized message, named by (row id, data type, subtype, time)
//! ```
//!
//! The engine only stores bytes, so nothing here changes a table. [`Types`] are read from the text
//! of .proto files, and [`decode`] reads values by them:
//!
//! ```
//! use tabletop_objects::{Types, decode};
//!
//! let (types, problems) = Types::parse("message Profile { uint32 visits = 1; }");
//! assert!(problems.is_empty());
//! let profile = types.message("Profile");
//! let decoded = decode(&types, profile, &[0x08, 0x07], 10);
//! assert_eq!(decoded.message.fields.len(), 1);
//! ```
//!
//! Crates that parse such texts (`protobuf-parse`, `protox-parse`) need the standard library and a
//! lexer whose tables alone are larger than this crate, so the parser is our own. It reads what the
//! wire format depends on, and skips services, options and extensions.
#![no_std]
extern crate alloc;

mod object;
mod proto;
mod schema;
mod text;
mod types;
mod vector;
mod wire;

pub use object::{DataTypeCells, OBJECT_BYTES_MAX, Object, READ_MICROS_P99_MAX, Subtype};
pub use schema::{
    DATA_TYPE_CHARS_MAX, DATA_TYPES_MAX, DataType, DataTypePart, ObjectSchema, ObjectTypes, PROTO_BYTES_MAX,
};
pub use text::{lines, one_line, value_text};
pub use types::{EnumId, EnumType, FieldType, MessageId, MessageType, Repeats, Scalar, Types, ValueType};
pub use vector::{numbers, packed_floats};
pub use wire::{
    Decoded, DecodedField, DecodedMessage, VALUES_MAX, Value, WireProblem, WireProblemKind, decode,
};
