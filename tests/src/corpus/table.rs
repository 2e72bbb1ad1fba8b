//! Events as a table of texts, which can be changed and written as a file again.

use tabletop_workload::Events;

use tabletop_keys::{push_csv, time};

/// Names of fields, and for each event a text per field; `None` if the event does not have a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The names of the fields.
    pub names: Vec<String>,
    /// The values of each event, in the order of the fields.
    pub rows: Vec<Vec<Option<String>>>,
}

impl Table {
    /// Copies events, in the order of their file. A time that the reader has made of several columns is written as a program
    /// writes it, because other names of the columns do not show it.
    pub fn of(events: &Events) -> Table {
        let fields = events.fields();
        let names = fields.iter().map(|field| field.name.clone()).collect();
        let are_joined: Vec<bool> = fields.iter().map(|field| !field.joined(fields).is_empty()).collect();
        let text = |(at, text): (usize, &str)| match fields[at].micros(text) {
            Some(micros) if are_joined[at] => time::format(micros),
            _ => text.to_owned(),
        };
        let mut values = Vec::new();
        let mut row = |index: usize| {
            events.record_in_file(index, &mut values);
            values.iter().enumerate().map(|(at, value)| value.map(|value| text((at, value)))).collect()
        };
        let rows = (0..events.len()).map(&mut row).collect();
        Table { names, rows }
    }

    /// Returns the index of a field.
    ///
    /// # Panics
    /// Panics if there is no such field.
    pub fn index(&self, name: &str) -> usize {
        let index = self.names.iter().position(|other| other == name);
        index.unwrap_or_else(|| panic!("there is no field {name} in {:?}", self.names))
    }

    /// Returns the values of a field that are not absent.
    pub fn column(&self, index: usize) -> impl Iterator<Item = &str> + Clone {
        self.rows.iter().filter_map(move |row| row[index].as_deref())
    }

    /// Writes a CSV file with a header line.
    pub fn to_csv(&self) -> Vec<u8> {
        let mut out = Vec::new();
        line(&mut out, self.names.iter().map(|name| Some(name.as_str())));
        for row in &self.rows {
            line(&mut out, row.iter().map(Option::as_deref));
        }
        out
    }
}

fn line<'a>(out: &mut Vec<u8>, cells: impl Iterator<Item = Option<&'a str>>) {
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            out.push(b',');
        }
        match cell {
            None => {}
            // An empty cell without quotes is absent.
            Some("") => out.extend_from_slice(b"\"\""),
            Some(text) => push_csv(out, text),
        }
    }
    out.push(b'\n');
}
