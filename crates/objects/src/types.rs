//! The types of messages, as the wire format needs them.

use alloc::string::String;
use alloc::vec::Vec;

/// Messages and enums that refer to each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Types {
    // Invariant: each id in a field is a valid index of these lists.
    pub(super) messages: Vec<MessageType>,
    pub(super) enums: Vec<EnumType>,
    /// The messages, ordered by name. Messages with the same name are in the order of the text.
    pub(super) by_name: Vec<MessageId>,
    /// Messages with a lower index are the well-known ones of `proto`.
    pub(super) own: usize,
}

/// A message of [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageId(pub(super) u32);

/// An enum of [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnumId(pub(super) u32);

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageType {
    /// The full name, including the package: `ads.Profile`.
    pub name: String,
    /// The fields, ordered by number. Each number occurs once.
    pub fields: Vec<FieldType>,
    /// Whether it is an entry of a map, with a key and a value. The text cannot refer to it by
    /// name.
    pub is_map_entry: bool,
}

/// A field of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldType {
    /// The field's name.
    pub name: String,
    /// The field number, 1 to 536,870,911.
    pub number: u32,
    /// The type of one value.
    pub value: ValueType,
    /// How often it can occur.
    pub repeats: Repeats,
    /// The number of the oneof that it belongs to, within its message.
    pub oneof: Option<u32>,
}

/// How often a field can occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// At most once. If it occurs several times, the last one wins.
    Once,
    /// Any number of times.
    List,
    /// Any number of times, as entries with a key and a value.
    Map,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// A number or bytes.
    Scalar(Scalar),
    /// A number with a name.
    Enum(EnumId),
    /// Fields.
    Message(MessageId),
}

/// The scalar types of protobuf, by their names there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `double`.
    Double,
    /// `float`.
    Float,
    /// `int32`.
    Int32,
    /// `int64`.
    Int64,
    /// `uint32`.
    Uint32,
    /// `uint64`.
    Uint64,
    /// `sint32`: small negative numbers are short.
    Sint32,
    /// `sint64`.
    Sint64,
    /// `fixed32`.
    Fixed32,
    /// `fixed64`.
    Fixed64,
    /// `sfixed32`.
    Sfixed32,
    /// `sfixed64`.
    Sfixed64,
    /// `bool`.
    Bool,
    /// `string`: UTF-8.
    Text,
    /// `bytes`.
    Bytes,
}

/// An enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumType {
    /// The full name, including the package.
    pub name: String,
    /// Names and numbers, ordered by number. Names with the same number are in the order of the
    /// text.
    pub values: Vec<(String, i32)>,
}

impl Types {
    /// Returns the message with this full name.
    pub fn message(&self, name: &str) -> Option<&MessageType> {
        let at = self.by_name.partition_point(|id| self.message_of(*id).name.as_str() < name);
        self.by_name.get(at).map(|id| self.message_of(*id)).filter(|message| message.name == name)
    }

    /// Returns the names of the text's messages, in their order.
    pub fn message_names(&self) -> impl Iterator<Item = &str> {
        let own = self.messages.get(self.own..).unwrap_or_default();
        own.iter().filter(|message| !message.is_map_entry).map(|message| message.name.as_str())
    }

    pub(super) fn message_of(&self, id: MessageId) -> &MessageType {
        &self.messages[id.0 as usize]
    }

    pub(super) fn enum_of(&self, id: EnumId) -> &EnumType {
        &self.enums[id.0 as usize]
    }
}

impl MessageType {
    /// Returns the field with this number.
    pub fn field(&self, number: u32) -> Option<&FieldType> {
        let at = self.fields.binary_search_by_key(&number, |field| field.number).ok()?;
        Some(&self.fields[at])
    }
}

impl EnumType {
    /// Returns the first name of an enum's number.
    pub fn name_of(&self, number: i32) -> Option<&str> {
        let at = self.values.partition_point(|value| value.1 < number);
        self.values.get(at).filter(|value| value.1 == number).map(|value| value.0.as_str())
    }
}

impl Scalar {
    /// Returns the scalar with this name in a .proto file.
    pub fn of_name(name: &str) -> Option<Scalar> {
        Some(match name {
            "double" => Scalar::Double,
            "float" => Scalar::Float,
            "int32" => Scalar::Int32,
            "int64" => Scalar::Int64,
            "uint32" => Scalar::Uint32,
            "uint64" => Scalar::Uint64,
            "sint32" => Scalar::Sint32,
            "sint64" => Scalar::Sint64,
            "fixed32" => Scalar::Fixed32,
            "fixed64" => Scalar::Fixed64,
            "sfixed32" => Scalar::Sfixed32,
            "sfixed64" => Scalar::Sfixed64,
            "bool" => Scalar::Bool,
            "string" => Scalar::Text,
            "bytes" => Scalar::Bytes,
            _ => return None,
        })
    }

    /// Returns whether the scalar can be the key of a map.
    pub fn is_key(self) -> bool {
        !matches!(self, Scalar::Double | Scalar::Float | Scalar::Bytes)
    }
}
