//! Imports the events of a file as rows of a design.

use std::io::Read;

use tabletop_keys::{CellTime, Column, Field, Layout, LayoutKind, LayoutWriter, Template, time::DateFormat};
use tabletop_model::Mutation;
use tabletop_workload::{Events, Reader};
use tabletop_workspace::{Format, OwnData};

use super::Options;
use super::replaced::Replaced;
use super::target::Target;
use crate::commands::instance::OpenedInstance;
use crate::commands::reading::with_option;
use crate::commands::shell::described;
use crate::commands::stream::Spot;
use crate::commands::style::tell;
use crate::commands::{Failure, Result, counted, stream};

/// The bytes of one read.
const PIECE_BYTES: usize = 1 << 20;
/// The approximate number of events in memory at a time, and the maximum number of bytes of their
/// texts.
const EVENTS_MAX: usize = 20_000;
const TEXT_BYTES_MAX: u64 = 16 << 20;

/// Imports each event into the table.
pub(super) fn import(
    options: &Options,
    opened: &OpenedInstance,
    table: &str,
    template: &str,
    format: Format,
) -> Result<()> {
    let own = OwnData {
        name: options.file.display().to_string(),
        format,
        fields: Vec::new(),
        on_bad_line: options.on_bad_line(),
        reading: options.reading.reading(Default::default()),
        content: None,
    };
    let (family_field, columns) = (options.family_field.clone(), options.column.clone());
    let layout = Layout { family_field, columns, ..Layout::new(options.layout.into()) };
    let mut target = Target::new(opened, table, options.keep_going)?;
    let mut writer: Option<(Vec<Field>, LayoutWriter)> = None;
    let (mut refused, mut before_1970) = (0, 0_u64);
    let mut replaced = Replaced::default();
    let (source, bar) = stream::open(&options.file)?;
    let reader = Reader::new(&own).with_times(options.time_format.clone());
    let left_out = each_part(source, reader, |events, first| {
        let unknown = options
            .time_format
            .iter()
            .find(|(name, _)| !events.fields().iter().any(|field| field.name == *name));
        if let Some((name, _)) = unknown {
            let names: Vec<&str> = events.fields().iter().map(|field| field.name.as_str()).collect();
            return Err(Failure::Wrong(format!(
                "--time-format: there is no field \"{name}\": the fields are {}",
                names.join(", ")
            )));
        }
        // A record of JSON may have new fields.
        let (_, writer) = match &mut writer {
            Some(known) if known.0 == events.fields() => known,
            known => {
                known.insert((events.fields().to_vec(), new_writer(template, &layout, events.fields())?))
            }
        };
        let mut result = Ok(());
        events.for_each(0..events.len() as u32, |index, record| {
            if result.is_err() {
                return;
            }
            let number = first + u64::from(index);
            let spot = Spot { what: "event", number: number + 1 };
            before_1970 += u64::from(writer.is_before_1970(record));
            result = match writer.write(record, number) {
                Ok(row) => {
                    replaced.see(&row);
                    let mut families = row.mutations.iter().filter_map(Mutation::family);
                    families
                        .try_for_each(|family| target.make_family(family))
                        .and_then(|()| target.add_mutation(row, spot))
                }
                Err(error) if options.keep_going => {
                    refused += 1;
                    bar.suspend(|| tell(format!("{spot}: {error}")));
                    Ok(())
                }
                Err(error) => Err(spot.named(error.into())),
            };
        });
        result
    })?;
    if before_1970 > 0 {
        tell(format!(
            "{} before 1970, where cell times begin: their cells have the number of the event as their time.",
            counted(before_1970, "event is", "events are")
        ));
    }
    if let Some(message) = replaced.message() {
        tell(message);
    }
    // The number of rows is not known: events with the same key form one row.
    target.end(&bar, ["event", "events"], left_out + refused)
}

/// Parses `FIELD=FORMAT` of the command line.
pub(super) fn time_format(text: &str) -> std::result::Result<(String, DateFormat), String> {
    let (field, format) = text.split_once('=').ok_or("write the field, =, and its format: when=%d/%m/%Y")?;
    let format = DateFormat::new(format).map_err(|error| error.message)?;
    Ok((field.to_owned(), format))
}

/// Parses `FAMILY:QUALIFIER=VALUE` of the command line. Separators within braces belong to a field:
/// `e:{at:hour}={price}`.
pub(super) fn column(text: &str) -> std::result::Result<Column, String> {
    let form = "write the family, :, the qualifier, =, and the value: e:price={price}";
    let (family, rest) = split_outside_braces(text, ':').ok_or(form)?;
    let (qualifier, value) = split_outside_braces(rest, '=').ok_or(form)?;
    Ok(Column {
        family: family.into(),
        qualifier: qualifier.into(),
        value: value.into(),
        time: CellTime::Event,
    })
}

/// Divides a text at the first separator that is not in braces. A doubled brace is a literal one:
/// `{{:}}` has a separator outside of braces.
fn split_outside_braces(text: &str, mark: char) -> Option<(&str, &str)> {
    let (mut is_inside, mut chars) = (false, text.char_indices().peekable());
    while let Some((at, c)) = chars.next() {
        match c {
            '{' | '}' if !is_inside && chars.next_if(|(_, next)| *next == c).is_some() => {}
            '{' => is_inside = true,
            '}' => is_inside = false,
            c if c == mark && !is_inside => return Some((&text[..at], &text[at + c.len_utf8()..])),
            _ => {}
        }
    }
    None
}

fn new_writer(template: &str, layout: &Layout, fields: &[Field]) -> Result<LayoutWriter> {
    if let Some(name) =
        layout.family_field.as_ref().filter(|name| !fields.iter().any(|field| field.name == **name))
    {
        let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        return Err(Failure::Wrong(format!(
            "--family-field: there is no field \"{name}\": the fields are {}",
            names.join(", ")
        )));
    }
    let (parsed, problems) = Template::parse(template, fields);
    if !problems.is_empty() {
        return Err(Failure::Wrong(format!("--template: {}", described(template, &problems))));
    }
    let mut layout = layout.clone();
    if layout.kind == LayoutKind::Columns && layout.columns.is_empty() {
        layout.columns = Layout::columns_of(fields);
    }
    if let Some(problem) = layout.problems(fields).first() {
        return Err(Failure::Wrong(format!("--column: {}", problem.text())));
    }
    Ok(LayoutWriter::new(&layout, fields, &parsed))
}

/// Calls `each` with the events of a file, some at a time, and the number of events before them.
/// Reports the records that cannot be read, and returns their number.
pub(super) fn each_part(
    mut source: impl Read,
    mut reader: Reader,
    mut each: impl FnMut(&Events, u64) -> Result<()>,
) -> Result<u64> {
    let mut events = Events::default();
    let mut buffer = vec![0; PIECE_BYTES];
    let mut first = 0;
    loop {
        let read =
            source.read(&mut buffer).map_err(|error| Failure::of("the file cannot be read", &error))?;
        let is_last = read == 0;
        reader
            .feed(&buffer[..read], is_last, &mut events)
            .map_err(|error| Failure::Wrong(with_option(&error.to_string())))?;
        let is_much = events.len() >= EVENTS_MAX || events.bytes() >= TEXT_BYTES_MAX;
        // The types of the fields are known after a thousand records.
        if is_last || is_much && reader.is_settled() {
            if !events.is_empty() {
                each(&events, first)?;
            }
            first += events.len() as u64;
            events = Events::new(events.fields().to_vec());
        }
        if is_last {
            break;
        }
    }
    for problem in reader.problems() {
        tell(format!("line {}, column {}: {}", problem.line, problem.column, with_option(&problem.message)));
    }
    Ok(reader.bad_lines())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_divided_outside_of_braces() {
        let read = |text: &str| column(text).map(|column| [column.family, column.qualifier, column.value]);
        let texts = |texts: [&str; 3]| Ok(texts.map(String::from));
        assert_eq!(read("e:price={price}"), texts(["e", "price", "{price}"]));
        assert_eq!(read("{kind}:{at:hour}={a}={b}"), texts(["{kind}", "{at:hour}", "{a}={b}"]));
        assert_eq!(read("e:{zorder(x, y, first=y)}="), texts(["e", "{zorder(x, y, first=y)}", ""]));
        assert_eq!(read("e:{{=}}"), texts(["e", "{{", "}}"]));
        assert_eq!(read("e:={*}"), texts(["e", "", "{*}"]));
        for wrong in ["", "e", "e:q", "e=q:v", "{a:b}", "e:{a=b}"] {
            assert!(read(wrong).unwrap_err().contains("e:price={price}"), "{wrong}");
        }
    }
}
