//! Exported code makes the same keys as the engine from the values of files as users have them: for
//! each file of `tests/files`, the key that the page makes, and a key of all its fields.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use expect_test::expect;
use tabletop_advice::{DefaultKeys, LoadedEvents};
use tabletop_export::{Export, ExportInput, ExportTable, Lang};
use tabletop_keys::{
    Field, FieldKind, FieldRole, Layout, LayoutKind, Part, Placeholder, Record, Template,
    edit::{part_of, with_placeholder},
};
use tabletop_workload::{Events, Reader};
use tabletop_workspace::{Format, OnBadLine, OwnData};

use crate::Test;
use crate::key_programs::{Event, KeySet, keys};
use crate::programs::Program;

pub const TESTS: &[Test] = &[
    Test::new("file_keys::files_are_read_as_they_are_meant", files_are_read_as_they_are_meant),
    Test::of(Program::Python, "file_keys::python", || compare(Lang::Python)),
    Test::of(Program::Node, "file_keys::node", || compare(Lang::Node)),
    Test::of(Program::Java, "file_keys::java", || compare(Lang::Java)),
    Test::of(Program::Rust, "file_keys::rust", || compare(Lang::Rust)),
    Test::of(Program::Go, "file_keys::go", || compare(Lang::Go)),
];

/// The number of events whose roles are found.
const ROLES_EVENTS: u32 = 10_000;

struct File {
    name: String,
    events: Events,
    bad_lines: u64,
    templates: Vec<Template>,
}

fn files() -> Vec<File> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/files");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
        .iter()
        .map(|path| file(path.file_name().unwrap().to_string_lossy().into(), &fs::read(path).unwrap()))
        .collect()
}

fn file(name: String, bytes: &[u8]) -> File {
    let own = OwnData {
        name: name.clone(),
        format: Format::Detect,
        fields: vec![],
        on_bad_line: OnBadLine::Skip,
        reading: Default::default(),
        content: None,
    };
    let (mut reader, mut events) = (Reader::new(&own), Events::default());
    reader.feed(bytes, true, &mut events).unwrap();
    let templates = vec![default_key(&events), all_fields(&events)];
    File { name, events, bad_lines: reader.bad_lines(), templates }
}

/// Returns the key that the page makes when the file is loaded.
fn default_key(events: &Events) -> Template {
    let value = |event, field| events.value(event, field);
    let loaded = LoadedEvents { fields: events.fields(), count: events.len(), value: &value };
    let roles: Vec<FieldRole> = loaded.roles(ROLES_EVENTS).into_iter().map(|found| found.role).collect();
    let keys = DefaultKeys::new(loaded, &roles);
    parsed(&keys.template(keys.look_ups().first().copied()), events.fields())
}

/// Returns a key of all fields, as a user adds them to a key, with a text for absent texts.
fn all_fields(events: &Events) -> Template {
    let part = |field: &Field| {
        let part = part_of(field, None);
        let placeholder = Placeholder::new("none").filter(|_| field.kind == FieldKind::Text);
        placeholder.and_then(|placeholder| with_placeholder(&part, placeholder)).unwrap_or(part)
    };
    let parts = events.fields().iter().flat_map(|field| [Part::Literal("#".into()), part(field)]);
    Template::new(parts, events.fields())
}

fn parsed(text: &str, fields: &[Field]) -> Template {
    let (template, problems) = Template::parse(text, fields);
    assert_eq!(problems, [], "{text}");
    template
}

impl File {
    /// Returns the engine's key of an event in hexadecimal digits, or "error".
    fn key(&self, template: &Template, index: usize) -> String {
        let (mut values, mut key) = (Vec::new(), Vec::new());
        self.events.record(index, &mut values);
        match template.write_key(&Record { fields: self.events.fields(), values: &values }, &mut key) {
            Ok(()) => key.iter().fold(String::new(), |mut out, byte| {
                write!(out, "{byte:02x}").unwrap();
                out
            }),
            Err(_) => "error".into(),
        }
    }

    /// Returns an event as a program has it: parts of a time are fields, of which the code makes one
    /// time.
    fn event(&self, index: usize) -> Event {
        let fields = self.events.fields();
        let named = fields.iter().enumerate().filter(|(_, field)| field.joined(fields).is_empty());
        let text = |(at, field): (usize, &Field)| {
            Some((field.name.clone(), self.events.value(index, at)?.to_owned()))
        };
        named.filter_map(text).collect()
    }

    fn key_set(&self) -> KeySet {
        let templates = self.templates.clone();
        let code = move |lang| templates.iter().map(|template| code(template, lang)).collect();
        KeySet {
            events: (0..self.events.len()).map(|index| self.event(index)).collect(),
            code: Box::new(code),
        }
    }
}

fn code(template: &Template, lang: Lang) -> String {
    let table = ExportTable {
        id: "t",
        template,
        layout: &Layout::new(LayoutKind::Wide),
        families: &[],
        splits: &[],
        queries: &[],
    };
    Export::Key(lang).write(&ExportInput { project: "p", instance: "i", tables: &[table] })
}

fn compare(lang: Lang) {
    let files = files();
    let sets: Vec<KeySet> = files.iter().map(File::key_set).collect();
    let output = keys(lang, &sets);
    let mut lines = output.lines();
    for file in &files {
        for template in &file.templates {
            for index in 0..file.events.len() {
                let expected = file.key(template, index);
                assert_eq!(
                    lines.next(),
                    Some(expected.as_str()),
                    "{}, event {index}, {}: {:?}",
                    file.name,
                    template.text(),
                    file.event(index)
                );
            }
        }
    }
    assert_eq!(lines.next(), None);
}

/// The files are read as they are meant, so that the comparison compares something.
fn files_are_read_as_they_are_meant() {
    let mut all = String::new();
    for file in files() {
        let template = &file.templates[0];
        let keys = (0..file.events.len()).map(|index| file.key(template, index));
        let refused = keys.filter(|key| key == "error").count();
        writeln!(
            all,
            "{}: {} events, {} bad lines, {} without a key {}",
            file.name,
            file.events.len(),
            file.bad_lines,
            refused,
            template.text()
        )
        .unwrap();
    }
    expect![[r#"
        accounting.csv: 20 events, 0 bad lines, 0 without a key {account},{date:iso}
        bank-export.csv: 20 events, 1 bad lines, 0 without a key {Konto},{Buchungstag:iso}
        basic-iso.csv: 20 events, 0 bad lines, 0 without a key {v},{t:iso}
        calendar-columns.csv: 5 events, 0 bad lines, 0 without a key {year month day hour:iso},{No:pad(1)}
        clicks-5-percent-without-user.csv: 17 events, 0 bad lines, 0 without a key {URL}|{Event Time:iso}
        comment-lines.csv: 2 events, 0 bad lines, 0 without a key {time:iso}
        date-and-hour.csv: 4 events, 0 bad lines, 0 without a key {dock},{dteday hr:iso}
        date-and-time-columns.csv: 40 events, 0 bad lines, 0 without a key {Symbol},{Date Time:iso}
        door-badges.jsonl: 300 events, 0 bad lines, 0 without a key {badge},{at.day at.clock:iso}
        float-seconds.csv: 2 events, 0 bad lines, 0 without a key {timestamp:iso}
        german-dates.csv: 20 events, 0 bad lines, 0 without a key {Datum:iso}
        month-columns.csv: 4 events, 0 bad lines, 0 without a key {guest},{arrival_date_year arrival_date_month arrival_date_day_of_month:iso}
        month-names.csv: 20 events, 0 bad lines, 0 without a key {who},{at:iso}
        nanoseconds.csv: 40 events, 0 bad lines, 0 without a key {ts:iso}
        no-header.csv: 3 events, 0 bad lines, 0 without a key {column_2},{column_1:iso}
        orders-date-and-time-of-day.csv: 40 events, 0 bad lines, 0 without a key {Kunde},{Datum Uhrzeit:iso}
        pipe.csv: 2 events, 0 bad lines, 0 without a key {FL_DATE:iso}
        pre-1970.csv: 4 events, 0 bad lines, 0 without a key {time:iso}
        pretty-printed.jsonl: 2 events, 0 bad lines, 0 without a key {time:iso}
        ratings-9-digit-seconds.csv: 40 events, 0 bad lines, 0 without a key {userId:pad(1)},{timestamp:iso}
        row-names.csv: 20 events, 0 bad lines, 0 without a key {column_1}
        sensors-integer-measure.csv: 40 events, 0 bad lines, 0 without a key {site},{time:iso}
        sep-line.csv: 2 events, 0 bad lines, 0 without a key {time:iso}
        spaces.txt: 3 events, 0 bad lines, 0 without a key {column_1 column_2:iso}
        spreadsheet-export.csv: 20 events, 1 bad lines, 0 without a key {Day:iso}
        store-amounts-us-dates.csv: 40 events, 0 bad lines, 0 without a key {store},{date:iso}
        urls.csv: 40 events, 0 bad lines, 0 without a key {url},{fetched:iso}
        utf-16.csv: 20 events, 0 bad lines, 0 without a key {user},{at:iso}
        w3c.log: 20 events, 0 bad lines, 0 without a key {cs-uri-stem},{date time:iso}
        windows-1252.csv: 3 events, 0 bad lines, 0 without a key {Datum:iso}
        zeek.log: 20 events, 0 bad lines, 0 without a key {uid},{ts:iso}
    "#]]
    .assert_eq(&all);
}
