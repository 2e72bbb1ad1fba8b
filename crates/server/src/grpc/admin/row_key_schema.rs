//! Row key schemas. They are for SQL, which this server does not have; they are checked, stored and
//! returned. The rules are those of `Table.row_key_schema` in the protos.

use proto::r#type::r#struct::encoding::{DelimitedBytes, Encoding};
use proto::r#type::{Kind, Struct};
use tabletop_model::ColumnFamily;
use tonic::Status;

use super::proto;
use crate::grpc::status::invalid;

/// The longest delimiter, in bytes.
const DELIMITER_BYTES_MAX: usize = 50;
/// Names of columns in SQL.
const RESERVED: [&str; 2] = ["_key", "_timestamp"];

/// Checks the schema of a table with these families.
///
/// # Errors
/// `INVALID_ARGUMENT`, with the field, for a schema that breaks a rule.
pub(super) fn check(schema: &Struct, families: &[ColumnFamily]) -> Result<(), Status> {
    for (index, field) in schema.fields.iter().enumerate() {
        let refused = |problem: &str| {
            Err(refused(&format!("Error in field 'fields' : Error in element #{index} : {problem}")))
        };
        let name = field.field_name.as_str();
        if name.is_empty() {
            return refused("field_name is empty: name the field");
        }
        if RESERVED.contains(&name) {
            return refused(&format!("field_name \"{name}\" is reserved: choose another"));
        }
        if families.iter().any(|family| family.name == name) {
            return refused(&format!(
                "field_name \"{}\" is the name of a column family: choose another",
                name.escape_debug()
            ));
        }
        let kind = field.r#type.as_ref().and_then(|r#type| r#type.kind.as_ref());
        let has_encoding = match kind {
            None => return refused("type is missing"),
            Some(Kind::BytesType(bytes)) => {
                bytes.encoding.is_some_and(|encoding| encoding.encoding.is_some())
            }
            Some(Kind::StringType(string)) => {
                string.encoding.is_some_and(|encoding| encoding.encoding.is_some())
            }
            Some(Kind::Int64Type(int64)) => {
                int64.encoding.is_some_and(|encoding| encoding.encoding.is_some())
            }
            Some(Kind::TimestampType(timestamp)) => {
                timestamp.encoding.is_some_and(|encoding| encoding.encoding.is_some())
            }
            Some(_) => {
                return refused("type must be one of bytes_type, string_type, int64_type, timestamp_type");
            }
        };
        if !has_encoding {
            return refused("the type's encoding is missing");
        }
    }
    match schema.encoding.as_ref().and_then(|encoding| encoding.encoding.as_ref()) {
        None => Err(refused(
            "Error in field 'encoding' : it is missing: set singleton, delimited_bytes or ordered_code_bytes",
        )),
        Some(Encoding::Singleton(_)) if schema.fields.len() != 1 => Err(refused(
            "Error in field 'encoding' : singleton is for exactly one field: use delimited_bytes or ordered_code_bytes",
        )),
        Some(Encoding::DelimitedBytes(DelimitedBytes { delimiter }))
            if delimiter.is_empty() || delimiter.len() > DELIMITER_BYTES_MAX =>
        {
            Err(refused(&format!(
                "Error in field 'encoding' : delimiter must have 1 to {DELIMITER_BYTES_MAX} bytes"
            )))
        }
        Some(_) => Ok(()),
    }
}

/// Checks an update: a schema may be added, or removed with `ignore_warnings`, but not changed.
///
/// # Errors
/// `INVALID_ARGUMENT` for any other update.
pub(super) fn check_update(
    request: &proto::UpdateTableRequest,
    before: Option<&Struct>,
) -> Result<(), Status> {
    let given = request.table.as_ref().and_then(|table| table.row_key_schema.as_ref());
    match (before, given) {
        (Some(before), Some(given)) if before != given => {
            Err(refused("a schema cannot be changed: remove it first, then add the new one"))
        }
        (Some(_), None) if !request.ignore_warnings => {
            Err(refused("removing the schema may break queries: set ignore_warnings to remove it"))
        }
        _ => Ok(()),
    }
}

fn refused(problem: &str) -> Status {
    invalid(format!("Error in field 'row_key_schema' : {problem}"))
}

#[cfg(test)]
mod tests {
    use proto::r#type::string::encoding::{Encoding as StringEncoding, Utf8Bytes};
    use proto::r#type::r#struct::encoding::{OrderedCodeBytes, Singleton};
    use proto::r#type::r#struct::{self, Field};
    use proto::r#type::{String as StringType, string};

    use super::*;

    fn field(name: &str, kind: Option<Kind>) -> Field {
        Field { field_name: name.into(), r#type: Some(proto::Type { kind }) }
    }

    fn text() -> Option<Kind> {
        let encoding = Some(StringEncoding::Utf8Bytes(Utf8Bytes::default()));
        Some(Kind::StringType(StringType { encoding: Some(string::Encoding { encoding }) }))
    }

    fn schema(fields: &[Field], encoding: Option<Encoding>) -> Struct {
        Struct { fields: fields.to_vec(), encoding: Some(r#struct::Encoding { encoding }) }
    }

    fn delimited(delimiter: &[u8]) -> Option<Encoding> {
        Some(Encoding::DelimitedBytes(DelimitedBytes { delimiter: delimiter.into() }))
    }

    #[test]
    fn invalid_schemas_are_refused() {
        let families = [ColumnFamily::new("f")];
        let problem =
            |schema: &Struct| check(schema, &families).map_err(|status| status.message().to_string());
        let (id, date) = (field("id", text()), field("date", text()));
        let single = Some(Encoding::Singleton(Singleton {}));
        for right in [
            schema(std::slice::from_ref(&id), single),
            schema(&[id.clone(), date.clone()], delimited(b"#")),
            schema(&[id.clone(), date.clone()], Some(Encoding::OrderedCodeBytes(OrderedCodeBytes {}))),
        ] {
            assert_eq!(problem(&right), Ok(()));
        }
        let one = |field: Field| schema(&[field], delimited(b"#"));
        let plain = Some(Kind::StringType(StringType { encoding: None }));
        for (wrong, words) in [
            (
                schema(&[id.clone(), date.clone()], Some(Encoding::Singleton(Singleton {}))),
                "exactly one field",
            ),
            (schema(std::slice::from_ref(&id), None), "'encoding' : it is missing"),
            (Struct { fields: vec![id.clone()], encoding: None }, "'encoding' : it is missing"),
            (schema(std::slice::from_ref(&id), delimited(b"")), "1 to 50 bytes"),
            (schema(&[id], delimited(&[b'#'; 51])), "1 to 50 bytes"),
            (one(field("", text())), "element #0 : field_name is empty"),
            (one(field("f", text())), "column family"),
            (one(field("_key", text())), "reserved"),
            (one(field("id", None)), "type is missing"),
            (one(field("id", plain)), "encoding is missing"),
            (one(field("id", Some(Kind::BoolType(Default::default())))), "one of bytes_type"),
        ] {
            let problem = problem(&wrong).unwrap_err();
            assert!(
                problem.starts_with("Error in field 'row_key_schema'") && problem.contains(words),
                "{problem}"
            );
        }
    }
}
