//! What the user has said about the values of a table.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_model::{Cell, Error, Problem, Result};

use super::{Decoded, MessageType, Types, decode, one_line};

/// The maximum size of the text of .proto files, which must fit into a link together with the rest
/// of a workspace.
pub const PROTO_BYTES_MAX: usize = 64 << 10;
/// The maximum number of data types: about as many families as a table should have.
pub const DATA_TYPES_MAX: usize = 100;
/// The maximum length of a part of a data type, in characters.
pub const DATA_TYPE_CHARS_MAX: usize = 200;

/// The maximum number of values that are read for one line: the dimensions of an embedding.
const LINE_VALUES_MAX: usize = 4_096;

/// The schema of a corpus: its messages, and the message of each data type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ObjectSchema {
    /// The text of .proto files, one after the other, as typed. It may have problems.
    pub proto: String,
    /// The data types. Each family occurs once.
    pub data_types: Vec<DataType>,
}

/// A data type: the values of a column family.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DataType {
    /// The family.
    pub family: String,
    /// The full name of the message that each value is, including the package; empty if it is not
    /// known.
    pub message: String,
    /// Who is responsible for the values, such as a team.
    pub owner: String,
    /// Where the values come from: a pipeline, a model.
    pub provenance: String,
}

/// A part of a data type that the user types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataTypePart {
    /// [`DataType::message`].
    Message,
    /// [`DataType::owner`].
    Owner,
    /// [`DataType::provenance`].
    Provenance,
}

impl ObjectSchema {
    /// Returns the data type of a family.
    pub fn data_type(&self, family: &str) -> Option<&DataType> {
        self.data_types.iter().find(|of| of.family == family)
    }

    /// Sets a part of the data type of a family. A data type whose parts are all empty is removed.
    pub fn set(&mut self, family: &str, part: DataTypePart, text: String) {
        let mut of = self
            .data_type(family)
            .cloned()
            .unwrap_or_else(|| DataType { family: family.into(), ..DataType::default() });
        match part {
            DataTypePart::Message => of.message = text,
            DataTypePart::Owner => of.owner = text,
            DataTypePart::Provenance => of.provenance = text,
        }
        self.data_types.retain(|other| other.family != family);
        if of != (DataType { family: family.into(), ..DataType::default() })
            && self.data_types.len() < DATA_TYPES_MAX
        {
            self.data_types.push(of);
            self.data_types.sort_by(|one, other| one.family.cmp(&other.family));
        }
    }

    /// Returns whether the schema is empty.
    pub fn is_empty(&self) -> bool {
        self.proto.is_empty() && self.data_types.is_empty()
    }

    /// Checks lengths and names. A text with problems is accepted, because the user may still be
    /// typing it.
    ///
    /// # Errors
    /// `InvalidArgument`; the message names the location, which begins with `place`.
    #[inline(never)]
    pub fn check(&self, place: &str) -> Result<()> {
        let refuse = |part: &str, why: String| Err(Error::invalid(format!("{place}.{part} {why}.")));
        if self.proto.len() > PROTO_BYTES_MAX {
            return refuse(
                "proto",
                format!("has {} bytes; at most {PROTO_BYTES_MAX} are allowed", self.proto.len()),
            );
        }
        if self.data_types.len() > DATA_TYPES_MAX {
            let why = format!("has {} entries; at most {DATA_TYPES_MAX} are allowed", self.data_types.len());
            return refuse("data_types", why);
        }
        for (at, of) in self.data_types.iter().enumerate() {
            let parts = [
                ("family", &of.family),
                ("message", &of.message),
                ("owner", &of.owner),
                ("provenance", &of.provenance),
            ];
            if let Some((part, _)) =
                parts.into_iter().find(|(_, text)| text.chars().count() > DATA_TYPE_CHARS_MAX)
            {
                let why = format!("is longer than {DATA_TYPE_CHARS_MAX} characters");
                return refuse(&format!("data_types[{at}].{part}"), why);
            }
            if of.family.is_empty() {
                return refuse(
                    &format!("data_types[{at}].family"),
                    "is empty; it must name a column family".into(),
                );
            }
            if let Some(other) = self.data_types[..at].iter().position(|other| other.family == of.family) {
                let why = format!("is \"{}\", as in data_types[{other}]", of.family);
                return refuse(&format!("data_types[{at}].family"), why);
            }
        }
        Ok(())
    }
}

/// A schema whose text is parsed, which can read the values of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectTypes {
    schema: ObjectSchema,
    types: Types,
    problems: Vec<Problem>,
}

impl ObjectTypes {
    /// Parses the text of a schema.
    pub fn new(schema: ObjectSchema) -> ObjectTypes {
        let (types, problems) = Types::parse(&schema.proto);
        ObjectTypes { schema, types, problems }
    }

    /// Returns the schema.
    pub fn schema(&self) -> &ObjectSchema {
        &self.schema
    }

    /// Returns the messages of its text.
    pub fn types(&self) -> &Types {
        &self.types
    }

    /// Returns the problems of its text.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns the message type of a family's values, if it is declared.
    pub fn message_of(&self, family: &str) -> Option<&MessageType> {
        let of = self.schema.data_type(family).filter(|of| !of.message.is_empty())?;
        self.types.message(&of.message)
    }

    /// Decodes a value of a family. Without a message type, all fields are unknown: they have
    /// numbers, but no names.
    pub fn decode<'a>(&'a self, family: &str, value: &'a [u8], values_max: usize) -> Decoded<'a> {
        decode(&self.types, self.message_of(family), value, values_max)
    }

    /// Returns the value of a cell on one line of about `chars_max` characters; `None` if it does
    /// not decode without problems.
    pub fn line(&self, cell: &Cell, chars_max: usize) -> Option<String> {
        let decoded = self.decode(&cell.family, &cell.value, LINE_VALUES_MAX);
        decoded.is_sound_so_far().then(|| {
            let mut line = one_line(&decoded.message, chars_max);
            // Values that were not read are left out in the same way as values that do not fit on
            // the line.
            if !(decoded.problems.is_empty() || line.ends_with('…')) {
                line.push('…');
            }
            line
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_type_of_which_nothing_is_known_is_left_out() {
        let mut schema = ObjectSchema::default();
        schema.set("b", DataTypePart::Message, "Profile".into());
        schema.set("a", DataTypePart::Owner, "team".into());
        schema.set("b", DataTypePart::Provenance, "nightly".into());
        let families: Vec<&str> = schema.data_types.iter().map(|of| of.family.as_str()).collect();
        assert_eq!(families, ["a", "b"]);
        assert_eq!(
            schema.data_type("b").map(|of| (&*of.message, &*of.provenance)),
            Some(("Profile", "nightly"))
        );
        schema.set("a", DataTypePart::Owner, String::new());
        assert_eq!(schema.data_types.len(), 1);
        schema.set("b", DataTypePart::Message, String::new());
        schema.set("b", DataTypePart::Provenance, String::new());
        assert!(schema.is_empty());
    }

    #[test]
    fn a_line_says_that_values_are_left_out() {
        let mut schema =
            ObjectSchema { proto: "message M { repeated bool a = 1; }".into(), ..ObjectSchema::default() };
        schema.set("f", DataTypePart::Message, "M".into());
        let types = ObjectTypes::new(schema);
        // In 5,000 bytes of a packed list, each byte is a value, and the list itself is one more.
        let value = [&[0x0a_u8, 0x88, 0x27][..], &[1; 5_000]].concat();
        let cell =
            Cell { family: "f".into(), qualifier: "".into(), timestamp: 0, value: value.into(), label: None };
        assert_eq!(types.line(&cell, 100).as_deref(), Some("a: [4,095 values]…"));
        let whole = Cell { value: Vec::from([0x0a_u8, 0x01, 0x01]).into(), ..cell };
        assert_eq!(types.line(&whole, 100).as_deref(), Some("a: [true]"));
    }

    #[test]
    fn each_wrong_entry_is_reported_with_its_place() {
        let of = |family: &str| DataType { family: family.into(), ..DataType::default() };
        let refused = |data_types| {
            let schema = ObjectSchema { data_types, ..ObjectSchema::default() };
            schema.check("objects").expect_err("it is wrong").message
        };
        assert_eq!(
            refused(Vec::from([of("")])),
            "objects.data_types[0].family is empty; it must name a column family."
        );
        assert_eq!(
            refused(Vec::from([of("a"), of("a")])),
            "objects.data_types[1].family is \"a\", as in data_types[0]."
        );
        let long = DataType { owner: "x".repeat(DATA_TYPE_CHARS_MAX + 1), ..of("a") };
        assert_eq!(refused(Vec::from([long])), "objects.data_types[0].owner is longer than 200 characters.");
        let many = (0..=DATA_TYPES_MAX).map(|at| of(&format!("f{at}"))).collect();
        assert_eq!(refused(many), "objects.data_types has 101 entries; at most 100 are allowed.");
        let text = ObjectSchema { proto: " ".repeat(PROTO_BYTES_MAX + 1), ..ObjectSchema::default() };
        assert!(
            text.check("objects")
                .is_err_and(|error| error.message.starts_with("objects.proto has 65537 bytes"))
        );
        assert_eq!(
            ObjectSchema { proto: "messag".into(), ..ObjectSchema::default() }.check("objects"),
            Ok(())
        );
    }
}
