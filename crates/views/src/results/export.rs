//! The rows of an answer as text: CSV, JSON and commands of cbt.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use tabletop_keys::time;
use tabletop_model::{Cell, Mutation, Row, RowMutation, TableRequest, escape};
use tabletop_shell::{Language, write};

use super::{Column, plain};

/// A form of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportForm {
    /// CSV with one line per row, with the newest values of the columns.
    Rows,
    /// CSV with one line per version of a cell, with its time.
    Cells,
    /// An array of rows, with the versions of each column and their times.
    Json,
    /// One `cbt set` per row, with all versions and their times.
    Cbt,
}

impl ExportForm {
    /// The forms of rows with their columns across.
    pub const OF_PIVOT: &[ExportForm] =
        &[ExportForm::Rows, ExportForm::Cells, ExportForm::Json, ExportForm::Cbt];
    /// The forms of a list of cells.
    pub const OF_CELLS: &[ExportForm] = &[ExportForm::Cells, ExportForm::Json, ExportForm::Cbt];

    /// Returns the name of a file and its media type.
    pub fn file(self) -> (&'static str, &'static str) {
        match self {
            ExportForm::Rows => ("rows.csv", "text/csv"),
            ExportForm::Cells => ("cells.csv", "text/csv"),
            ExportForm::Json => ("rows.json", "application/json"),
            ExportForm::Cbt => ("rows-cbt.txt", "text/plain"),
        }
    }
}

/// The rows to write.
#[derive(Clone)]
pub struct ExportedRows {
    /// The columns; `None` for all.
    pub columns: Option<Rc<Vec<Column>>>,
    /// The name of the table.
    pub table: String,
}

impl ExportedRows {
    /// Begins a text: its headings.
    pub fn begin(&self, form: ExportForm) -> String {
        match form {
            ExportForm::Rows => {
                let names = self
                    .columns
                    .iter()
                    .flat_map(|columns| columns.iter())
                    .map(|column| csv_field(&column.name()));
                let fields: Vec<String> = core::iter::once("key".into()).chain(names).collect();
                fields.join(",") + "\n"
            }
            ExportForm::Cells => "key,family,qualifier,time,value\n".into(),
            ExportForm::Json => "[".into(),
            ExportForm::Cbt => String::new(),
        }
    }

    /// Ends a text.
    pub fn end(form: ExportForm) -> &'static str {
        if form == ExportForm::Json { "\n]\n" } else { "" }
    }

    /// Returns the cells of a row that are written, in the order of the columns; without columns,
    /// in the order of the row.
    fn cells<'r>(&self, row: &'r Row) -> Vec<&'r Cell> {
        match &self.columns {
            None => row.cells.iter().collect(),
            Some(columns) => {
                columns.iter().flat_map(|column| row.cells.iter().filter(|cell| column.has(cell))).collect()
            }
        }
    }

    /// Writes a row, the one at this position.
    pub fn push_row(&self, text: &mut String, form: ExportForm, at: usize, row: &Row) {
        match form {
            ExportForm::Rows => {
                text.push_str(&csv_field(&escape(&row.key)));
                for column in self.columns.iter().flat_map(|columns| columns.iter()) {
                    text.push(',');
                    text.extend(newest(row, column).map(|(_, cell)| csv_field(&plain(&cell.value))));
                }
                text.push('\n');
            }
            ExportForm::Cells => {
                let key = csv_field(&escape(&row.key));
                for cell in self.cells(row) {
                    let (family, qualifier) = (csv_field(&cell.family), csv_field(&escape(&cell.qualifier)));
                    let (time, value) = (time::format(cell.timestamp), csv_field(&plain(&cell.value)));
                    text.push_str(&format!("{key},{family},{qualifier},{time},{value}\n"));
                }
            }
            ExportForm::Json => {
                text.push_str(if at == 0 { "\n" } else { ",\n" });
                text.push_str(&format!("{{\"key\":{},\"cells\":{{", json_text(&escape(&row.key))));
                let mut last: Option<&Cell> = None;
                for cell in self.cells(row) {
                    match last {
                        Some(last) if last.family == cell.family && last.qualifier == cell.qualifier => {
                            text.push(',');
                        }
                        last => {
                            let name = json_text(&format!("{}:{}", cell.family, escape(&cell.qualifier)));
                            text.push_str(&format!("{}{name}:[", if last.is_some() { "]," } else { "" }));
                        }
                    }
                    let (value, time) =
                        (json_text(&plain(&cell.value)), json_text(&time::format(cell.timestamp)));
                    text.push_str(&format!("{{\"value\":{value},\"time\":{time}}}"));
                    last = Some(cell);
                }
                text.push_str(if last.is_some() { "]}}" } else { "}}" });
            }
            ExportForm::Cbt => {
                let set = |cell: &Cell| {
                    let Cell { family, qualifier, timestamp, value, .. } = cell.clone();
                    Mutation::SetCell { family, qualifier, timestamp, value }
                };
                let mutations: Vec<Mutation> = self.cells(row).into_iter().map(set).collect();
                if !mutations.is_empty() {
                    let entries = vec![RowMutation { key: row.key.clone(), mutations }];
                    for command in write(Language::Cbt, &TableRequest::MutateRows(entries).of(&self.table)) {
                        text.push_str(&command);
                        text.push('\n');
                    }
                }
            }
        }
    }
}

/// Returns the newest cell of a column, with its index in the row.
pub fn newest<'r>(row: &'r Row, column: &Column) -> Option<(usize, &'r Cell)> {
    row.cells.iter().enumerate().find(|(_, cell)| column.has(cell))
}

fn csv_field(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}

fn json_text(text: &str) -> String {
    let mut json = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            '\0'..' ' => json.push_str(&format!("\\u{:04x}", c as u32)),
            _ => json.push(c),
        }
    }
    json.push('"');
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_all(form: ExportForm, columns: Option<&[&str]>) -> String {
        let cell = |qualifier: &str, timestamp, value: &str| Cell {
            family: "f".into(),
            qualifier: qualifier.into(),
            timestamp,
            value: value.into(),
            label: None,
        };
        let rows = [
            Row {
                key: "a,1".into(),
                cells: vec![cell("x", 2_000, "new"), cell("x", 1_000, "old"), cell("y", 0, "say \"hi\"\n")],
            },
            Row { key: "b".into(), cells: vec![cell("y", 0, "2")] },
        ];
        let column =
            |qualifier: &&str| Column { family: "f".into(), qualifier: (*qualifier).into(), rows: 1 };
        let columns = columns.map(|names| Rc::new(names.iter().map(column).collect()));
        let exported = ExportedRows { columns, table: "events".into() };
        let mut text = exported.begin(form);
        rows.iter().enumerate().for_each(|(at, row)| exported.push_row(&mut text, form, at, row));
        text
    }

    #[test]
    fn the_newest_values_of_a_row_are_one_line() {
        let both = write_all(ExportForm::Rows, Some(&["x", "y"]));
        assert_eq!(both, "key,f:x,f:y\n\"a,1\",new,\"say \"\"hi\"\"\n\"\nb,,2\n");
    }

    #[test]
    fn all_versions_have_their_times() {
        let (new, old, epoch) =
            ("1970-01-01T00:00:00.002Z", "1970-01-01T00:00:00.001Z", "1970-01-01T00:00:00.000Z");
        let x = format!("key,family,qualifier,time,value\n\"a,1\",f,x,{new},new\n\"a,1\",f,x,{old},old\n");
        assert_eq!(write_all(ExportForm::Cells, Some(&["x"])), x);
        let y = format!("\"a,1\",f,y,{epoch},\"say \"\"hi\"\"\n\"\nb,f,y,{epoch},2\n");
        assert_eq!(write_all(ExportForm::Cells, None), format!("{x}{y}"));
        let versions = format!(r#"[{{"value":"new","time":"{new}"}},{{"value":"old","time":"{old}"}}]"#);
        let first = format!(
            r#"{{"key":"a,1","cells":{{"f:x":{versions},"f:y":[{{"value":"say \"hi\"\u000a","time":"{epoch}"}}]}}}}"#
        );
        let second = format!(r#"{{"key":"b","cells":{{"f:y":[{{"value":"2","time":"{epoch}"}}]}}}}"#);
        assert_eq!(write_all(ExportForm::Json, None), format!("[\n{first},\n{second}"));
        let only_x = format!(r#"{{"key":"a,1","cells":{{"f:x":{versions}}}}}"#);
        assert_eq!(
            write_all(ExportForm::Json, Some(&["x"])),
            format!("[\n{only_x},\n{{\"key\":\"b\",\"cells\":{{}}}}")
        );
        let cbt = write_all(ExportForm::Cbt, None);
        assert_eq!(cbt.lines().filter(|line| line.contains("set events ")).count(), 2, "{cbt}");
        assert!(cbt.contains("f:x=new@2000 f:x=old@1000"), "{cbt}");
    }
}
