//! Imports the events of a file as rows of a design.

use std::io::Read;

use tabletop_model::Mutation;
use tabletop_schema::time::DateFormat;
use tabletop_schema::{Field, Format, Layout, LayoutWriter, OwnData, Template};
use tabletop_workload::{Events, Reader};

use super::Options;
use super::target::Target;
use crate::commands::instance::OpenedInstance;
use crate::commands::shell::described;
use crate::commands::stream::Spot;
use crate::commands::style::tell;
use crate::commands::{Failure, Result, stream};

/// The bytes of one read.
const PIECE_BYTES: usize = 1 << 20;
/// About the most events in memory at a time, and the most bytes of their texts.
const EVENTS_MAX: usize = 20_000;
const TEXT_BYTES_MAX: u64 = 16 << 20;

/// Imports each event into the table.
pub(super) fn import(options: &Options, opened: &OpenedInstance, table: &str, template: &str, format: Format) -> Result<()> {
    let own = OwnData {
        name: options.file.display().to_string(),
        format,
        fields: Vec::new(),
        on_bad_line: options.on_bad_line(),
        content: None,
    };
    let layout = Layout { family_field: options.family_field.clone(), ..Layout::new(options.layout.into()) };
    let mut target = Target::new(opened, table, options.keep_going)?;
    let mut writer: Option<(Vec<Field>, LayoutWriter)> = None;
    let mut refused = 0;
    let (source, bar) = stream::open(&options.file)?;
    let reader = Reader::new(&own).with_times(options.time_format.clone());
    let left_out = each_part(source, reader, |events, first| {
        let unknown = options.time_format.iter().find(|(name, _)| !events.fields().iter().any(|field| field.name == *name));
        if let Some((name, _)) = unknown {
            let names: Vec<&str> = events.fields().iter().map(|field| field.name.as_str()).collect();
            return Err(Failure::Wrong(format!("--time-format: there is no field \"{name}\"; there are {}", names.join(", "))));
        }
        // A record of JSON may have new fields.
        let (_, writer) = match &mut writer {
            Some(known) if known.0 == events.fields() => known,
            known => known.insert((events.fields().to_vec(), new_writer(template, &layout, events.fields())?)),
        };
        let mut result = Ok(());
        events.for_each(0..events.len() as u32, |index, record| {
            if result.is_err() {
                return;
            }
            let number = first + u64::from(index);
            let spot = Spot { what: "event", number: number + 1 };
            result = match writer.write(record, number) {
                Ok(row) => {
                    let mut families = row.mutations.iter().filter_map(Mutation::family);
                    families.try_for_each(|family| target.make_family(family)).and_then(|()| target.add_mutation(row, spot))
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
    // The number of rows is not known: events with the same key are one row.
    target.end(&bar, ["event", "events"], left_out + refused)
}

/// Parses `FIELD=FORMAT` of the command line.
pub(super) fn time_format(text: &str) -> std::result::Result<(String, DateFormat), String> {
    let (field, format) = text.split_once('=').ok_or("write the field, =, and its format: when=%d/%m/%Y")?;
    let format = DateFormat::new(format).map_err(|error| error.message)?;
    Ok((field.to_owned(), format))
}

fn new_writer(template: &str, layout: &Layout, fields: &[Field]) -> Result<LayoutWriter> {
    if let Some(name) = layout.family_field.as_ref().filter(|name| !fields.iter().any(|field| field.name == **name)) {
        let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        return Err(Failure::Wrong(format!("--family-field: there is no field \"{name}\"; there are {}", names.join(", "))));
    }
    let (parsed, problems) = Template::parse(template, fields);
    if !problems.is_empty() {
        return Err(Failure::Wrong(format!("--template: {}", described(template, &problems))));
    }
    Ok(LayoutWriter::new(layout, fields, &parsed))
}

/// Calls `each` with the events of a file, some at a time, and the number of events before them. Reports the records that cannot
/// be read, and returns their number.
pub(super) fn each_part(
    mut source: impl Read,
    mut reader: Reader,
    mut each: impl FnMut(&Events, u64) -> Result<()>,
) -> Result<u64> {
    let mut events = Events::default();
    let mut buffer = vec![0; PIECE_BYTES];
    let mut first = 0;
    loop {
        let read = source.read(&mut buffer).map_err(|error| Failure::of("the file cannot be read", &error))?;
        let is_last = read == 0;
        reader.feed(&buffer[..read], is_last, &mut events)?;
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
        tell(format!("line {}, column {}: {}", problem.line, problem.column, problem.message));
    }
    Ok(reader.bad_lines())
}
