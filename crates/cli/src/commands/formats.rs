//! `format-file=` of `cbt read` and `cbt lookup`: a file that says how the values of columns are
//! displayed.
//!
//! The encodings are the same as in cbt, except for ProtocolBuffer, which would need a compiler of
//! .proto files. Two bugs of cbt are not reproduced: `int8` and `uint8` take one byte, and `L`
//! means LittleEndian.

mod yaml;

use std::collections::BTreeMap;

use serde_json::Value;
use tabletop_model::did_you_mean;
use tabletop_shell::{Formats, quote};

use self::yaml::Node;

/// The names of an encoding and a type. An empty name inherits from the level above.
#[derive(Clone, Debug, Default, PartialEq)]
struct Named {
    encoding: String,
    kind: String,
}

/// A column family of a format file.
#[derive(Debug, Default)]
struct Family {
    default: Named,
    columns: BTreeMap<String, Named>,
}

/// A format file.
#[derive(Debug, Default)]
struct FormatFile {
    default: Named,
    columns: BTreeMap<String, Named>,
    families: BTreeMap<String, Family>,
}

/// How a value is displayed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shown {
    Quoted,
    Hex,
    Json,
    Numbers { kind: Kind, is_little_endian: bool },
}

/// A number of some bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Signed(usize),
    Unsigned(usize),
    Float(usize),
}

/// Reads a format file.
///
/// # Errors
/// The first mistake in the file, with its line or column.
pub(crate) fn read(bytes: &[u8]) -> Result<Box<dyn Formats>, String> {
    let text = str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_string())?;
    Ok(Box::new(FormatFile::of(yaml::parse(text)?)?))
}

const FILE: [&str; 6] = [
    "default_encoding",
    "default_type",
    "columns",
    "families",
    "protocol_buffer_definitions",
    "protocol_buffer_paths",
];
const FAMILY: [&str; 3] = ["default_encoding", "default_type", "columns"];
const COLUMN: [&str; 2] = ["encoding", "type"];

impl FormatFile {
    fn of(node: Node) -> Result<FormatFile, String> {
        let mut fields = fields("the file", node, &FILE)?;
        let mut file = FormatFile {
            default: default(&mut fields)?,
            columns: columns("columns", &mut fields)?,
            families: BTreeMap::new(),
        };
        for (name, node) in map("families", fields.remove("families").unwrap_or_default())? {
            let mut fields = self::fields(&format!("family {name}"), node, &FAMILY)?;
            let (default, columns) = (
                default_of(&file.default, default(&mut fields)?),
                columns(&format!("columns of family {name}"), &mut fields)?,
            );
            file.families.insert(name, Family { default, columns });
        }
        for (name, named) in &file.columns {
            shown(&default_of(&file.default, named.clone()))
                .map_err(|why| format!("column {name}: {why}"))?;
        }
        for (family, Family { default, columns }) in &file.families {
            for (name, named) in columns {
                shown(&default_of(default, named.clone()))
                    .map_err(|why| format!("column {family}:{name}: {why}"))?;
            }
        }
        Ok(file)
    }

    fn named(&self, family: &str, qualifier: &str) -> Named {
        let (default, columns) = match self.families.get(family) {
            Some(family) => (&family.default, &family.columns),
            None => (&self.default, &self.columns),
        };
        default_of(default, columns.get(qualifier).cloned().unwrap_or_default())
    }
}

impl Formats for FormatFile {
    fn value(&self, family: &str, qualifier: &[u8], value: &[u8]) -> Result<String, String> {
        let text = match shown(&self.named(family, &String::from_utf8_lossy(qualifier)))? {
            Shown::Quoted => quote(value),
            Shown::Hex => value.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" "),
            Shown::Json => json(value)?,
            Shown::Numbers { kind, is_little_endian } => numbers(value, kind, is_little_endian)?,
        };
        Ok(text)
    }
}

fn map(what: &str, node: Node) -> Result<Vec<(String, Node)>, String> {
    match node {
        Node::Map(fields) => Ok(fields),
        Node::Text(text) if text.is_empty() => Ok(Vec::new()),
        Node::Text(_) | Node::List(_) => Err(format!("{what} must have lines of the form name: value")),
    }
}

/// Returns the fields of a mapping, which may have only those in `known`.
fn fields(what: &str, node: Node, known: &[&str]) -> Result<BTreeMap<String, Node>, String> {
    let fields = map(what, node)?;
    for (name, _) in &fields {
        if !known.contains(&name.as_str()) {
            let hint = did_you_mean(name, known.iter().copied());
            return Err(format!("{what} has the unknown name {name}{hint}"));
        }
    }
    Ok(fields.into_iter().collect())
}

fn text(fields: &mut BTreeMap<String, Node>, name: &str) -> Result<String, String> {
    match fields.remove(name).unwrap_or_default() {
        Node::Text(text) => Ok(text),
        Node::Map(_) | Node::List(_) => Err(format!("{name} must be one word")),
    }
}

fn default(fields: &mut BTreeMap<String, Node>) -> Result<Named, String> {
    Ok(Named { encoding: text(fields, "default_encoding")?, kind: text(fields, "default_type")? })
}

fn columns(what: &str, fields: &mut BTreeMap<String, Node>) -> Result<BTreeMap<String, Named>, String> {
    let columns = map(what, fields.remove("columns").unwrap_or_default())?;
    let column = |(name, node): (String, Node)| {
        let mut fields = self::fields(&format!("column {name}"), node, &COLUMN)?;
        let named = Named { encoding: text(&mut fields, "encoding")?, kind: text(&mut fields, "type")? };
        Ok((name, named))
    };
    columns.into_iter().map(column).collect()
}

fn default_of(default: &Named, named: Named) -> Named {
    let or = |text: String, default: &String| if text.is_empty() { default.clone() } else { text };
    Named { encoding: or(named.encoding, &default.encoding), kind: or(named.kind, &default.kind) }
}

fn shown(Named { encoding, kind }: &Named) -> Result<Shown, String> {
    let is_little_endian = match encoding.to_ascii_lowercase().as_str() {
        "" => return Ok(Shown::Quoted),
        "hex" | "h" => return Ok(Shown::Hex),
        "json" | "j" => return Ok(Shown::Json),
        "bigendian" | "binary" | "b" => false,
        "littleendian" | "l" => true,
        "protocolbuffer" | "protocol-buffer" | "protocol_buffer" | "proto" | "p" => {
            return Err(
                "the encoding ProtocolBuffer is not supported by tabletop: use Hex, or Google's cbt".into()
            );
        }
        _ => {
            let known = ["Hex", "BigEndian", "LittleEndian", "JSON"];
            let hint = did_you_mean(encoding, known);
            return Err(format!("there is no encoding {encoding}{hint}"));
        }
    };
    let kind = match kind.to_ascii_lowercase().as_str() {
        "int8" => Kind::Signed(1),
        "int16" => Kind::Signed(2),
        "int32" => Kind::Signed(4),
        "int64" => Kind::Signed(8),
        "uint8" => Kind::Unsigned(1),
        "uint16" => Kind::Unsigned(2),
        "uint32" => Kind::Unsigned(4),
        "uint64" => Kind::Unsigned(8),
        "float32" => Kind::Float(4),
        "float64" => Kind::Float(8),
        "" => return Err(format!("the encoding {encoding} needs a type, for example int64")),
        _ => {
            return Err(format!(
                "there is no type {kind}: use int8 to int64, uint8 to uint64, float32 or float64"
            ));
        }
    };
    Ok(Shown::Numbers { kind, is_little_endian })
}

/// Formats a number, or a list of several.
fn numbers(value: &[u8], kind: Kind, is_little_endian: bool) -> Result<String, String> {
    let (Kind::Signed(size) | Kind::Unsigned(size) | Kind::Float(size)) = kind;
    if !value.len().is_multiple_of(size) {
        return Err(format!(
            "it has {} bytes, which is not a multiple of the {size} bytes of its type",
            value.len()
        ));
    }
    let number = |bytes: &[u8]| {
        let push = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        let bits =
            if is_little_endian { bytes.iter().rev().fold(0, push) } else { bytes.iter().fold(0, push) };
        let unused = 64 - 8 * size as u32;
        match kind {
            Kind::Unsigned(_) => bits.to_string(),
            Kind::Signed(_) => ((bits << unused) as i64 >> unused).to_string(),
            Kind::Float(4) => {
                let number = f32::from_bits(bits as u32);
                float(f64::from(number), &number.to_string(), &format!("{number:e}"))
            }
            Kind::Float(_) => {
                let number = f64::from_bits(bits);
                float(number, &number.to_string(), &format!("{number:e}"))
            }
        }
    };
    let all: Vec<String> = value.chunks_exact(size).map(number).collect();
    Ok(if let [one] = all.as_slice() { one.clone() } else { format!("[{}]", all.join(" ")) })
}

/// Writes a number as Go's `%v`: with an exponent if it is below -4 or above 20.
fn float(number: f64, plain: &str, scientific: &str) -> String {
    if number.is_nan() {
        return "NaN".into();
    }
    if number.is_infinite() {
        return if number > 0.0 { "+Inf" } else { "-Inf" }.into();
    }
    let (digits, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    match exponent.parse::<i32>().unwrap_or_default() {
        -4..=20 => plain.into(),
        exponent => format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs()),
    }
}

/// Formats JSON as cbt does: names in order, numbers with two decimal places.
fn json(value: &[u8]) -> Result<String, String> {
    let value: Value = serde_json::from_slice(value).map_err(|error| format!("it is not JSON: {error}"))?;
    Ok(json_value(&value, "").trim_start_matches('\n').into())
}

fn json_value(value: &Value, indent: &str) -> String {
    let inner = format!("  {indent}");
    match value {
        Value::Null => "<nil>".into(),
        Value::Bool(value) => value.to_string(),
        Value::String(text) => format!("{indent}{:>6}", quote(text.as_bytes())),
        Value::Number(number) => format!("{indent}{:6.2}", number.as_f64().unwrap_or_default()),
        Value::Array(items) => {
            let lines: String = items.iter().map(|item| format!("{}\n", json_value(item, &inner))).collect();
            format!("\n{indent}[\n{lines}{indent}]")
        }
        Value::Object(fields) => {
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort_unstable();
            let line = |name: &String| format!("{indent}{name}: {}\n", json_value(&fields[name], &inner));
            format!("\n{}", names.into_iter().map(line).collect::<String>())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(file: &str, column: &str, value: &[u8]) -> Result<String, String> {
        read(file.as_bytes())?.value("f", column.as_bytes(), value)
    }

    #[test]
    fn values_are_shown_by_the_encoding_of_their_column() {
        let file = "\
default_encoding: hex   # of all others
protocol_buffer_definitions:
  - cat.proto
columns:
  text: {}
  n: { }
families:
  f:
    default_encoding: BigEndian
    default_type: int32
    columns:
      plain:
        encoding: \"JSON\"
      'little':
        encoding: L
        type: UINT16
      small:
        type: int8
      real:
        type: float32
  g:
    columns:
      double: 
        encoding: b
        type: float64
";
        let shown = |column, bytes: &[u8]| value(file, column, bytes).unwrap();
        assert_eq!(shown("other", &[0xff, 0xff, 0xff, 0xfe]), "-2");
        assert_eq!(shown("other", &[0, 0, 0, 1, 0, 0, 1, 0]), "[1 256]");
        assert_eq!(shown("other", &[]), "[]");
        assert_eq!(shown("little", &[1, 0]), "1");
        assert_eq!(shown("small", &[0x80, 7]), "[-128 7]");
        assert_eq!(shown("real", &1.1_f32.to_be_bytes()), "1.1");
        let file = read(file.as_bytes()).unwrap();
        let double = |number: f64| file.value("g", b"double", &number.to_be_bytes()).unwrap();
        let shown = [0.0, 1e20, 1e21, 1.5e-4, 1.5e-5, -2.5, f64::NEG_INFINITY, f64::INFINITY].map(double);
        assert_eq!(
            shown,
            ["0", "100000000000000000000", "1e+21", "0.00015", "1.5e-05", "-2.5", "-Inf", "+Inf"]
        );
        assert_eq!(file.value("h", b"other", b"a\xff"), Ok("61 ff".into()));
        assert_eq!(file.value("h", b"text", b""), Ok("".into()));
        let error = file.value("f", b"other", b"abc").unwrap_err();
        assert!(error.contains("3 bytes") && error.contains("4 bytes"), "{error}");
    }

    #[test]
    fn json_is_shown_as_in_cbt() {
        let shown = |text: &str| value("default_encoding: json", "q", text.as_bytes());
        assert_eq!(shown(r#"{"name": "Brave", "age": 2}"#).unwrap(), "age:     2.00\nname:   \"Brave\"\n");
        assert_eq!(shown(r#"[1, "a", {"b": null}]"#).unwrap(), "[\n    1.00\n     \"a\"\n\n  b: <nil>\n\n]");
        assert!(shown("{").unwrap_err().contains("not JSON"));
    }

    #[test]
    fn mistakes_are_named() {
        for (file, why) in [
            ("default_encodin: hex", "unknown name default_encodin. Did you mean default_encoding"),
            ("columns:\n  a:\n    encoding: hexx", "column a: there is no encoding hexx. Did you mean Hex"),
            ("columns:\n  a:\n    encoding: b", "column a: the encoding b needs a type"),
            (
                "families:\n  f:\n    columns:\n      a:\n        encoding: b\n        type: int7",
                "column f:a: there is no type int7",
            ),
            (
                "columns:\n  cat:\n    encoding: ProtocolBuffer\n    type: Cat",
                "column cat: the encoding ProtocolBuffer is not supported",
            ),
            ("columns:\n  - a", "columns must have lines"),
            ("default_type:\n  a: b", "default_type must be one word"),
            ("a", "the file must have lines"),
            ("a: }", "line 1"),
        ] {
            let error = read(file.as_bytes()).err().unwrap_or_default();
            assert!(error.contains(why), "{file}: {error}");
        }
        assert!(read(b"\xff").is_err_and(|why| why.contains("UTF-8")));
        assert_eq!(value("", "q", b"a"), Ok("\"a\"".into()));
    }
}
