//! The rows of an answer as text: CSV, JSON and commands of cbt, to copy or to download.

use std::rc::Rc;

use gloo::timers::future::TimeoutFuture;
use tabletop_keys::time;
use tabletop_model::{Cell, Mutation, Row, RowMutation, TableRequest, escape};
use tabletop_shell::{Language, write};
use tabletop_texts::messages;
use tabletop_views::results::plain;
use wasm_bindgen_futures::spawn_local;
use yew::{AttrValue, Callback, Html, html};

use super::pivot::Column;
use crate::browser;
use crate::state::QueryResult;
use crate::widgets::MenuButton;

/// Milliseconds of writing before the page gets a turn.
const TURN_MILLIS: f64 = 12.0;

/// A form of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// CSV with one line per row, with the newest values of the columns.
    Rows,
    /// CSV with one line per version of a cell, with its time.
    Cells,
    /// An array of rows, with the versions of each column and their times.
    Json,
    /// One `cbt set` per row, with all versions and their times.
    Cbt,
}

impl Form {
    /// The forms of rows with their columns across, and of a list of cells.
    pub const OF_PIVOT: &[Form] = &[Form::Rows, Form::Cells, Form::Json, Form::Cbt];
    pub const OF_CELLS: &[Form] = &[Form::Cells, Form::Json, Form::Cbt];

    /// Returns the name of a file and its media type.
    fn file(self) -> (&'static str, &'static str) {
        match self {
            Form::Rows => ("rows.csv", "text/csv"),
            Form::Cells => ("cells.csv", "text/csv"),
            Form::Json => ("rows.json", "application/json"),
            Form::Cbt => ("rows-cbt.txt", "text/plain"),
        }
    }
}

/// The content to write.
#[derive(Clone)]
pub struct Exported {
    /// The answer.
    pub result: Rc<QueryResult>,
    /// The columns; `None` for all.
    pub columns: Option<Rc<Vec<Column>>>,
    /// The name of the table.
    pub table: String,
}

impl Exported {
    /// Writes all rows. The page gets a turn between some of them.
    async fn text(&self, form: Form) -> String {
        let mut text = self.begin(form);
        let mut began = browser::now_millis();
        for (at, row) in self.result.all_rows().enumerate() {
            self.push_row(&mut text, form, at, row);
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

    fn begin(&self, form: Form) -> String {
        match form {
            Form::Rows => {
                let names = self
                    .columns
                    .iter()
                    .flat_map(|columns| columns.iter())
                    .map(|column| csv_field(&column.name()));
                let fields: Vec<String> = std::iter::once("key".into()).chain(names).collect();
                fields.join(",") + "\n"
            }
            Form::Cells => "key,family,qualifier,time,value\n".into(),
            Form::Json => "[".into(),
            Form::Cbt => String::new(),
        }
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

    fn push_row(&self, text: &mut String, form: Form, at: usize, row: &Row) {
        match form {
            Form::Rows => {
                text.push_str(&csv_field(&escape(&row.key)));
                for column in self.columns.iter().flat_map(|columns| columns.iter()) {
                    text.push(',');
                    text.extend(newest(row, column).map(|(_, cell)| csv_field(&plain(&cell.value))));
                }
                text.push('\n');
            }
            Form::Cells => {
                let key = csv_field(&escape(&row.key));
                for cell in self.cells(row) {
                    let (family, qualifier) = (csv_field(&cell.family), csv_field(&escape(&cell.qualifier)));
                    let (time, value) = (time::format(cell.timestamp), csv_field(&plain(&cell.value)));
                    text.push_str(&format!("{key},{family},{qualifier},{time},{value}\n"));
                }
            }
            Form::Json => {
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
            Form::Cbt => {
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

/// Draws the menu of copies and downloads.
pub fn export_menu(forms: &'static [Form], exported: &Exported, say: Callback<&'static str>) -> Html {
    let says = &messages().results.export;
    let name = |form: &Form| match form {
        Form::Rows => says.rows,
        Form::Cells if forms.len() == Form::OF_CELLS.len() => says.csv,
        Form::Cells => says.cells,
        Form::Json => says.json,
        Form::Cbt => says.cbt,
    };
    let ways =
        [says.copy, says.download].into_iter().flat_map(|way| forms.iter().map(move |form| way(name(form))));
    let items: Vec<(AttrValue, AttrValue)> =
        ways.enumerate().map(|(at, text)| (at.to_string().into(), text.into())).collect();
    let on_select = {
        let exported = exported.clone();
        Callback::from(move |way: AttrValue| {
            let Ok(at) = way.parse::<usize>() else { return };
            let (exported, say, form) = (exported.clone(), say.clone(), forms[at % forms.len()]);
            spawn_local(async move {
                let text = exported.text(form).await;
                say.emit(if at < forms.len() {
                    if browser::copy(&text).await { says.copied } else { messages().common.copy_forbidden }
                } else {
                    let (file, kind) = form.file();
                    match browser::download(file, kind, &text) {
                        Ok(()) => says.downloaded,
                        Err(_) => messages().common.download_forbidden,
                    }
                });
            });
        })
    };
    html! { <MenuButton label={says.copy_or_download} {items} end=true {on_select} /> }
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

    fn write_all(form: Form, columns: Option<&[&str]>) -> String {
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
        let exported = Exported { result: Rc::default(), columns, table: "events".into() };
        let mut text = exported.begin(form);
        rows.iter().enumerate().for_each(|(at, row)| exported.push_row(&mut text, form, at, row));
        text
    }

    #[test]
    fn the_newest_values_of_a_row_are_one_line() {
        let both = write_all(Form::Rows, Some(&["x", "y"]));
        assert_eq!(both, "key,f:x,f:y\n\"a,1\",new,\"say \"\"hi\"\"\n\"\nb,,2\n");
    }

    #[test]
    fn all_versions_have_their_times() {
        let (new, old, epoch) =
            ("1970-01-01T00:00:00.002Z", "1970-01-01T00:00:00.001Z", "1970-01-01T00:00:00.000Z");
        let x = format!("key,family,qualifier,time,value\n\"a,1\",f,x,{new},new\n\"a,1\",f,x,{old},old\n");
        assert_eq!(write_all(Form::Cells, Some(&["x"])), x);
        let y = format!("\"a,1\",f,y,{epoch},\"say \"\"hi\"\"\n\"\nb,f,y,{epoch},2\n");
        assert_eq!(write_all(Form::Cells, None), format!("{x}{y}"));
        let versions = format!(r#"[{{"value":"new","time":"{new}"}},{{"value":"old","time":"{old}"}}]"#);
        let first = format!(
            r#"{{"key":"a,1","cells":{{"f:x":{versions},"f:y":[{{"value":"say \"hi\"\u000a","time":"{epoch}"}}]}}}}"#
        );
        let second = format!(r#"{{"key":"b","cells":{{"f:y":[{{"value":"2","time":"{epoch}"}}]}}}}"#);
        assert_eq!(write_all(Form::Json, None), format!("[\n{first},\n{second}"));
        let only_x = format!(r#"{{"key":"a,1","cells":{{"f:x":{versions}}}}}"#);
        assert_eq!(
            write_all(Form::Json, Some(&["x"])),
            format!("[\n{only_x},\n{{\"key\":\"b\",\"cells\":{{}}}}")
        );
        let cbt = write_all(Form::Cbt, None);
        assert_eq!(cbt.lines().filter(|line| line.contains("set events ")).count(), 2, "{cbt}");
        assert!(cbt.contains("f:x=new@2000 f:x=old@1000"), "{cbt}");
    }
}
