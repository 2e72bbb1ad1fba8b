//! A pivot as text: CSV, JSON and commands of cbt, of the rows and columns that are shown.

use gloo_timers::future::TimeoutFuture;
use tabletop_model::{Cell, Mutation, Row, RowMutation, TableRequest, escape};
use tabletop_schema::time;
use tabletop_shell::{Language, write};

use super::columns::Column;
use crate::browser;
use crate::results::details::plain;
use crate::state::QueryResult;

/// Milliseconds of writing before the page gets a turn.
const TURN_MILLIS: f64 = 12.0;

/// A form of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A header and one line per row, with the newest values.
    Csv,
    /// An array of rows, with the newest values and their times.
    Json,
    /// One `cbt set` per row, with the newest values and their times.
    Cbt,
}

impl Form {
    /// All forms in the order of the menu.
    pub const ALL: [Form; 3] = [Form::Csv, Form::Json, Form::Cbt];

    /// Returns the name of a file and its media type.
    pub fn file(self) -> (&'static str, &'static str) {
        match self {
            Form::Csv => ("rows.csv", "text/csv"),
            Form::Json => ("rows.json", "application/json"),
            Form::Cbt => ("rows-cbt.txt", "text/plain"),
        }
    }
}

/// Writes all rows of a result. The page gets a turn between some of them.
pub async fn text_of(form: Form, result: &QueryResult, columns: &[Column], table: &str) -> String {
    let mut text = begin(form, columns);
    let mut began = browser::now_millis();
    for (at, row) in result.all_rows().enumerate() {
        push_row(&mut text, form, at, row, columns, table);
        if browser::now_millis() - began > TURN_MILLIS {
            TimeoutFuture::new(0).await;
            began = browser::now_millis();
        }
    }
    if form == Form::Json {
        text.push_str("\n]\n");
    }
    text
}

fn begin(form: Form, columns: &[Column]) -> String {
    match form {
        Form::Csv => {
            let names = columns.iter().map(|column| csv_field(&column.name()));
            let fields: Vec<String> = std::iter::once("key".into()).chain(names).collect();
            fields.join(",") + "\n"
        }
        Form::Json => "[".into(),
        Form::Cbt => String::new(),
    }
}

fn push_row(text: &mut String, form: Form, at: usize, row: &Row, columns: &[Column], table: &str) {
    let cells = columns.iter().map(|column| (column, newest(row, column)));
    match form {
        Form::Csv => {
            text.push_str(&csv_field(&escape(&row.key)));
            for (_, cell) in cells {
                text.push(',');
                text.extend(cell.map(|cell| csv_field(&plain(&cell.value))));
            }
            text.push('\n');
        }
        Form::Json => {
            text.push_str(if at == 0 { "\n" } else { ",\n" });
            let member = |(column, cell): (&Column, Option<&Cell>)| {
                let cell = cell?;
                let (value, time) = (json_text(&plain(&cell.value)), json_text(&time::format(cell.timestamp)));
                Some(format!("{}:{{\"value\":{value},\"time\":{time}}}", json_text(&column.name())))
            };
            let members: Vec<String> = cells.filter_map(member).collect();
            text.push_str(&format!("{{\"key\":{},\"cells\":{{{}}}}}", json_text(&escape(&row.key)), members.join(",")));
        }
        Form::Cbt => {
            let set = |(_, cell): (&Column, Option<&Cell>)| {
                let Cell { family, qualifier, timestamp, value, .. } = cell?.clone();
                Some(Mutation::SetCell { family, qualifier, timestamp, value })
            };
            let mutations: Vec<Mutation> = cells.filter_map(set).collect();
            if !mutations.is_empty() {
                let entries = vec![RowMutation { key: row.key.clone(), mutations }];
                for command in write(Language::Cbt, &TableRequest::MutateRows(entries).of(table)) {
                    text.push_str(&command);
                    text.push('\n');
                }
            }
        }
    }
}

/// Returns the newest cell of a column.
pub fn newest<'r>(row: &'r Row, column: &Column) -> Option<&'r Cell> {
    row.cells.iter().find(|cell| cell.family == column.family && cell.qualifier == column.qualifier)
}

fn csv_field(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
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

    fn write_all(form: Form) -> String {
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
        let column = |qualifier: &str| Column { family: "f".into(), qualifier: qualifier.into(), rows: 1 };
        let columns = [column("x"), column("y")];
        let mut text = begin(form, &columns);
        rows.iter().enumerate().for_each(|(at, row)| push_row(&mut text, form, at, row, &columns, "events"));
        text
    }

    #[test]
    fn each_row_is_one_line() {
        assert_eq!(write_all(Form::Csv), "key,f:x,f:y\n\"a,1\",new,\"say \"\"hi\"\"\n\"\nb,,2\n");
        assert_eq!(
            write_all(Form::Json),
            "[\n{\"key\":\"a,1\",\"cells\":{\"f:x\":{\"value\":\"new\",\"time\":\"1970-01-01T00:00:00.002Z\"},\
             \"f:y\":{\"value\":\"say \\\"hi\\\"\\u000a\",\"time\":\"1970-01-01T00:00:00.000Z\"}}},\n\
             {\"key\":\"b\",\"cells\":{\"f:y\":{\"value\":\"2\",\"time\":\"1970-01-01T00:00:00.000Z\"}}}"
        );
        let cbt = write_all(Form::Cbt);
        assert_eq!(cbt.lines().filter(|line| line.contains("set events ")).count(), 2, "{cbt}");
        assert!(!cbt.contains("old"), "{cbt}");
    }
}
