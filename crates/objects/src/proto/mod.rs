//! The text of .proto files: tokens, then declarations, then types whose names are resolved.

mod declare;
mod lex;
mod resolve;
#[cfg(test)]
mod tests;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Problem, Span};

use super::Types;
use super::schema::PROTO_BYTES_MAX;

/// The maximum number of problems that are reported for a text.
const PROBLEMS_MAX: usize = 20;

/// The messages that every text can use. In Google's files, they only differ by comments and
/// options.
const WELL_KNOWN: &str = r#"
syntax = "proto3";
package google.protobuf;
message Any { string type_url = 1; bytes value = 2; }
message Duration { int64 seconds = 1; int32 nanos = 2; }
message Empty {}
message FieldMask { repeated string paths = 1; }
message Timestamp { int64 seconds = 1; int32 nanos = 2; }
message DoubleValue { double value = 1; }
message FloatValue { float value = 1; }
message Int64Value { int64 value = 1; }
message UInt64Value { uint64 value = 1; }
message Int32Value { int32 value = 1; }
message UInt32Value { uint32 value = 1; }
message BoolValue { bool value = 1; }
message StringValue { string value = 1; }
message BytesValue { bytes value = 1; }
message Struct { map<string, Value> fields = 1; }
message Value {
  oneof kind {
    NullValue null_value = 1;
    double number_value = 2;
    string string_value = 3;
    bool bool_value = 4;
    Struct struct_value = 5;
    ListValue list_value = 6;
  }
}
message ListValue { repeated Value values = 1; }
enum NullValue { NULL_VALUE = 0; }
"#;

impl Types {
    /// Parses the text of .proto files, one after the other; each begins with `syntax` or
    /// `edition`. Returns what could be read, with the problems of the text.
    ///
    /// ```
    /// use tabletop_objects::Types;
    ///
    /// let (types, problems) = Types::parse("syntax = \"proto3\"; package ads; message Profile { repeated string interests = 1; }");
    /// assert!(problems.is_empty());
    /// let profile = types.message("ads.Profile").expect("it is in the text");
    /// assert_eq!(profile.field(1).map(|field| field.name.as_str()), Some("interests"));
    /// ```
    pub fn parse(text: &str) -> (Types, Vec<Problem>) {
        let mut declared = declare::Declared::default();
        declare::read(WELL_KNOWN, &mut declared);
        let own = declared.messages.len();
        if text.len() > PROTO_BYTES_MAX {
            let message = format!(
                "The text has {} bytes; at most {PROTO_BYTES_MAX} are read: leave out what is not needed to read the values.",
                text.len()
            );
            let span = Span { start: PROTO_BYTES_MAX as u32, end: text.len() as u32 };
            return (resolve::resolve(&declared, own).0, Vec::from([Problem { span, message }]));
        }
        let mut problems = declare::read(text, &mut declared);
        let (types, unresolved) = resolve::resolve(&declared, own);
        problems.extend(unresolved);
        let mut problems = Problem::in_order(problems);
        problems.truncate(PROBLEMS_MAX);
        (types, problems)
    }
}

/// Returns the full name of a declaration in a package or a message.
fn within(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.into() } else { format!("{scope}.{name}") }
}
