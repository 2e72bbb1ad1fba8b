//! Rows as lines of text: the format of `tabletop export` and `tabletop import`.
//!
//! JSON lines: first the families of the table, then one row per line.
//!
//! ```text
//! {"families":[{"name":"d","gc_rule":{"max_versions":1},"aggregate":null,"locality_group":0}]}
//! {"row":"user 1","cells":[{"family":"d","qualifier":"name","timestamp":1000,"value":"Ann"}]}
//! ```
//!
//! CSV: one cell per line after the header `row,family,qualifier,timestamp,value`. The cells of a
//! row follow each other.
//!
//! Bytes that are text are written unchanged, other bytes as `\xff`, a line feed as `\n`, and a
//! backslash as `\\`. Timestamps are microseconds.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use tabletop_model::{Bytes, ColumnFamily, Mutation, Row, RowMutation, Timestamp, unescape};

/// The header of CSV.
pub(crate) const HEADER: [&str; 5] = ["row", "family", "qualifier", "timestamp", "value"];

/// A line of JSON.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Line {
    /// The first line.
    Families(Families),
    /// Every other line.
    Row(RowLine),
}

/// The families of the table.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Families {
    pub(crate) families: Vec<ColumnFamily>,
}

/// One row.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RowLine {
    pub(crate) row: Bytes,
    pub(crate) cells: Vec<CellLine>,
}

/// One cell.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CellLine {
    pub(crate) family: String,
    pub(crate) qualifier: Bytes,
    pub(crate) timestamp: Timestamp,
    pub(crate) value: Bytes,
}

impl From<Row> for RowLine {
    fn from(row: Row) -> RowLine {
        let cells = row.cells.into_iter();
        let cells = cells.map(|cell| CellLine {
            family: cell.family,
            qualifier: cell.qualifier,
            timestamp: cell.timestamp,
            value: cell.value,
        });
        RowLine { row: row.key, cells: cells.collect() }
    }
}

impl RowLine {
    /// Converts the row to mutations. A cell of an aggregate family is merged, because its value is
    /// already aggregated.
    pub(crate) fn into_mutation(self, is_aggregate: impl Fn(&str) -> bool) -> RowMutation {
        let mutation = |CellLine { family, qualifier, timestamp, value }: CellLine| {
            if is_aggregate(&family) {
                Mutation::MergeToCell { family, qualifier, timestamp, input: value }
            } else {
                Mutation::SetCell { family, qualifier, timestamp, value }
            }
        };
        RowMutation { key: self.row, mutations: self.cells.into_iter().map(mutation).collect() }
    }

    /// Writes the row as lines of CSV.
    pub(crate) fn write_csv(&self, out: &mut impl Write) -> io::Result<()> {
        for cell in &self.cells {
            let timestamp = cell.timestamp.to_string();
            let values = [
                self.row.to_string(),
                cell.family.clone(),
                cell.qualifier.to_string(),
                timestamp,
                cell.value.to_string(),
            ];
            let values: Vec<String> = values.iter().map(|value| csv(value)).collect();
            writeln!(out, "{}", values.join(","))?;
        }
        Ok(())
    }

    /// Parses a line of CSV into a row key and a cell.
    ///
    /// # Errors
    /// The column that is wrong, and why.
    pub(crate) fn from_csv(values: &[Option<&str>]) -> Result<(Bytes, CellLine), String> {
        let text = |column: usize| values.get(column).copied().flatten().unwrap_or_default();
        let bytes = |column: usize| {
            let wrong = |at: usize| {
                let name = HEADER[column];
                format!(
                    "{name}: the backslash at byte {at} does not begin an escape: write \\\\ for a backslash, \\xff for a byte"
                )
            };
            unescape(text(column)).map(Bytes).map_err(wrong)
        };
        let wrong = |_| format!("timestamp: \"{}\" is not a number of microseconds", text(3));
        let timestamp = text(3).parse().map_err(wrong)?;
        Ok((
            bytes(0)?,
            CellLine { family: text(1).into(), qualifier: bytes(2)?, timestamp, value: bytes(4)? },
        ))
    }
}

/// Writes a value of CSV, in quotes if necessary.
fn csv(value: &str) -> String {
    if value.contains([',', '"', ';', '\t']) || value.starts_with(' ') || value.ends_with(' ') {
        return format!("\"{}\"", value.replace('"', "\"\""));
    }
    value.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletop_model::Cell;

    fn row() -> Row {
        let cell = |qualifier: &[u8], timestamp, value: &[u8]| Cell {
            family: "d".into(),
            qualifier: qualifier.into(),
            timestamp,
            value: value.into(),
            label: None,
        };
        let cells = vec![
            cell(b"", 0, b""),
            cell(b"a,\"b\"", 1_000, b"\xff\x00\r\n\t"),
            cell(b" \\x ", 2_000, "\u{e9}".as_bytes()),
        ];
        Row { key: Bytes(b"k\xfe;".to_vec()), cells }
    }

    #[test]
    fn a_row_survives_json() {
        let line = RowLine::from(row());
        let text = serde_json::to_string(&Line::Row(RowLine::from(row()))).unwrap();
        assert!(
            text.starts_with(
                r#"{"row":"k\\xfe;","cells":[{"family":"d","qualifier":"","timestamp":0,"value":""},"#
            ),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<Line>(&text).unwrap(), Line::Row(line));
        assert!(serde_json::from_str::<Line>("{\"row\":\"a\",\"cells\":[],\"more\":1}").is_err());
    }

    #[test]
    fn a_row_survives_csv() {
        let mut text = Vec::new();
        RowLine::from(row()).write_csv(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(
            text,
            "k\\xfe;,d,,0,\n".replace("k\\xfe;", "\"k\\xfe;\"")
                + "\"k\\xfe;\",d,\"a,\"\"b\"\"\",1000,\\xff\\x00\\r\\n\\t\n\"k\\xfe;\",d,\" \\\\x \",2000,\u{e9}\n"
        );
        let (key, cell) = RowLine::from_csv(&[Some("k\\xfe;"), Some("d"), None, Some("0"), None]).unwrap();
        assert_eq!((key, cell), (row().key, RowLine::from(row()).cells.remove(0)));
        assert!(
            RowLine::from_csv(&[Some("k"), Some("d"), None, Some("soon"), None])
                .unwrap_err()
                .starts_with("timestamp: ")
        );
        assert!(
            RowLine::from_csv(&[Some("\\k"), Some("d"), None, Some("0"), None])
                .unwrap_err()
                .starts_with("row: ")
        );
    }
}
