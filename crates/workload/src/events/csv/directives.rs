//! Lines that begin with `#` and describe a log, in the formats of Zeek (`#fields`) and of the W3C's
//! extended log format (`#Fields:`), which IIS and CloudFront write.
//!
//! They may also be between records, where a program was started again or files were joined, and
//! may then name other columns.

use tabletop_keys::FieldKind;

/// What the directives of a log say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Directives {
    dialect: Dialect,
    /// The delimiter of the values.
    pub(super) delimiter: u8,
    /// The names of the columns.
    pub(super) names: Vec<String>,
    /// The types of the columns, in the words of Zeek.
    types: Vec<String>,
    /// What stands for an absent value, and for an empty one.
    pub(super) unset: String,
    pub(super) empty: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Zeek,
    W3c,
}

impl Directives {
    /// Reads the lines that begin with `#` at the start of a file. `below` is the first line below
    /// them. Returns `None` if no line names columns.
    pub(super) fn of<'t>(lines: impl Iterator<Item = &'t [u8]>, below: &[u8]) -> Option<Directives> {
        let lines: Vec<&[u8]> = lines.collect();
        let is_w3c = |line: &&[u8]| w3c(line).is_some_and(|(name, _)| name == "fields");
        let dialect = if lines.iter().any(is_w3c) {
            Dialect::W3c
        } else {
            lines.iter().find(|line| line.starts_with(b"#fields"))?;
            Dialect::Zeek
        };
        let delimiter = match dialect {
            Dialect::W3c if !below.contains(&b'\t') => b' ',
            Dialect::Zeek | Dialect::W3c => b'\t',
        };
        let mut directives = Directives {
            dialect,
            delimiter,
            names: Vec::new(),
            types: Vec::new(),
            unset: "-".into(),
            empty: (dialect == Dialect::Zeek).then(|| "(empty)".into()),
        };
        for line in lines {
            directives.read(line);
        }
        (!directives.names.is_empty()).then_some(directives)
    }

    /// Reads a line that begins with `#`.
    pub(super) fn read(&mut self, line: &[u8]) {
        match self.dialect {
            Dialect::W3c => {
                if let Some((name, value)) = w3c(line)
                    && name == "fields"
                {
                    self.names = value.split_ascii_whitespace().map(str::to_owned).collect();
                }
            }
            Dialect::Zeek => self.read_zeek(line),
        }
    }

    fn read_zeek(&mut self, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        // The line that names the separator cannot use it.
        if let Some(separator) = text.strip_prefix("#separator ") {
            self.delimiter = match separator.trim().strip_prefix("\\x") {
                Some(digits) => u8::from_str_radix(digits, 16).unwrap_or(self.delimiter),
                None => separator.bytes().next().unwrap_or(self.delimiter),
            };
            return;
        }
        let mut parts = text.split(char::from(self.delimiter)).map(str::to_owned);
        match parts.next().as_deref() {
            Some("#fields") => self.names = parts.collect(),
            Some("#types") => self.types = parts.collect(),
            Some("#unset_field") => self.unset = parts.next().unwrap_or_default(),
            Some("#empty_field") => self.empty = parts.next(),
            _ => {}
        }
    }

    /// Returns the kind of a column, if the log says it: texts may look like numbers.
    pub(super) fn kind(&self, column: usize) -> Option<FieldKind> {
        match self.types.get(column)?.as_str() {
            "time" => Some(FieldKind::Time),
            "count" | "int" | "port" => Some(FieldKind::Int),
            "double" | "interval" => Some(FieldKind::Float),
            "string" | "addr" | "subnet" | "enum" => Some(FieldKind::Text),
            _ => None,
        }
    }

    /// Returns whether a value may be in quotes.
    pub(super) fn has_quotes(&self) -> bool {
        self.dialect == Dialect::W3c
    }

    /// Says where the names of the columns come from.
    pub(super) fn note(&self) -> &'static str {
        match self.dialect {
            Dialect::Zeek => {
                "The file is read as a log of Zeek: the line #fields names the columns, and lines that begin with # are no records."
            }
            Dialect::W3c => {
                "The file is read as a log in the W3C extended format: the line #Fields names the columns, and lines that begin with # are no records."
            }
        }
    }
}

/// Returns the name of a directive of the W3C's format in lower case, and its value.
fn w3c(line: &[u8]) -> Option<(String, &str)> {
    let (name, value) = std::str::from_utf8(line.strip_prefix(b"#")?).ok()?.split_once(':')?;
    Some((name.to_ascii_lowercase(), value))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
