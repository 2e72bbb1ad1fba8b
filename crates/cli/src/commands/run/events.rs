//! The events of a workspace.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::progress;
use tabletop_model::Result as Answer;
use tabletop_workload::{Events, Generator, Reader, arrival_note, sample, samples};
use tabletop_workspace::{ContentHasher, Format, LoadProblem, OnBadLine, OwnData, Source};

use crate::commands::reading::{EventsOptions, with_option};
use crate::commands::style::tell;
use crate::commands::{Failure, Result, counted, stream};

/// The bytes of one read, and the events that are generated in one step.
const PIECE_BYTES: usize = 1 << 20;
const PIECE_EVENTS: u32 = 10_000;

/// The samples are part of the program, so that it needs no other files.
const SAMPLES: [(&str, &[u8]); 6] = [
    ("data/clicks.csv", include_bytes!("../../../../../www/data/clicks.csv")),
    ("data/earthquakes.csv", include_bytes!("../../../../../www/data/earthquakes.csv")),
    ("data/phones.csv", include_bytes!("../../../../../www/data/phones.csv")),
    ("data/profiles.csv", include_bytes!("../../../../../www/data/profiles.csv")),
    ("data/purchases.csv", include_bytes!("../../../../../www/data/purchases.csv")),
    ("data/weather.csv", include_bytes!("../../../../../www/data/weather.csv")),
];

/// Events and their origin.
pub(crate) struct Loaded {
    pub(crate) events: Events,
    /// The origin, in words.
    pub(crate) source: String,
    /// The number of records that could not be read.
    pub(crate) bad_lines: u64,
    /// The problems of the first of these records, and notes on how the others were read.
    pub(crate) problems: Vec<LoadProblem>,
}

impl Loaded {
    /// Reports the records that were left out.
    pub(crate) fn tell_bad_records(&self) {
        let Some(first) = self.problems.iter().find(|problem| problem.lost) else { return };
        tell(format!(
            "{}: {} left out. The first: line {}, column {}: {}",
            self.source,
            counted(self.bad_lines, "record is", "records are"),
            first.line,
            first.column,
            with_option(&first.message)
        ));
    }
}

/// Loads the events of `source`, or of another file in its place. A source with the user's own
/// events is read from the workspace's folder.
pub(crate) fn load(source: &Source, workspace: &Path, options: &EventsOptions) -> Result<Loaded> {
    let chosen = |own: &OwnData| OwnData {
        reading: options.reading.reading(own.reading),
        on_bad_line: if options.allow_bad_records { OnBadLine::Skip } else { own.on_bad_line },
        ..own.clone()
    };
    match (source, options.file.as_deref()) {
        (Source::Sample(_) | Source::Generated(_), None) if options.reading.is_any() => {
            Err(Failure::Wrong(
                "--encoding, --first-line, --numbers and --time-zone are for a file of events: name it with --events FILE"
                    .into(),
            ))
        }
        (Source::Own(own), Some(file)) => read_file(&chosen(own), file),
        (Source::Own(own), None) => {
            let file = workspace.with_file_name(&own.name);
            if !file.is_file() {
                return Err(Failure::Wrong(format!(
                    "the events \"{}\" are not in the workspace's folder: name their file with --events FILE",
                    own.name
                )));
            }
            read_file(&chosen(own), &file)
        }
        (_, Some(file)) => {
            let own = OwnData {
                name: file.display().to_string(),
                format: Format::Detect,
                fields: vec![],
                on_bad_line: OnBadLine::Stop,
                reading: Default::default(),
                content: None,
            };
            read_file(&chosen(&own), file)
        }
        (Source::Sample(name), None) => read_sample(name),
        (Source::Generated(settings), None) => {
            let mut generator = Generator::new(settings);
            let bar = progress::bar(Some(generator.left().into()), "{bar:30} {human_pos} events generated");
            let mut events = Events::new(generator.fields());
            while generator.left() > 0 {
                generator.fill(&mut events, PIECE_EVENTS)?;
                bar.set_position(events.len() as u64);
            }
            bar.finish_and_clear();
            Ok(Loaded {
                events,
                source: format!("generated from seed {}", settings.seed),
                bad_lines: 0,
                problems: vec![],
            })
        }
    }
}

fn read_sample(name: &str) -> Result<Loaded> {
    let known = sample(name)
        .and_then(|sample| Some((SAMPLES.iter().find(|(path, _)| *path == sample.path)?.1, sample.own)));
    let Some((bytes, own)) = known else {
        let names: Vec<String> = samples().into_iter().map(|sample| sample.name).collect();
        return Err(Failure::Wrong(format!(
            "source.sample: there is no sample \"{name}\": the samples are {}",
            names.join(", ")
        )));
    };
    read(&own, bytes, format!("sample {name}"))
}

fn read_file(own: &OwnData, file: &Path) -> Result<Loaded> {
    // Events of a workspace must be a file that can be read again, so `-` does not mean standard
    // input here.
    File::open(file).map_err(|error| Failure::of(file.display(), &error))?;
    let (source, bar) = stream::open(file)?;
    let loaded = read(own, source, file.display().to_string());
    bar.finish_and_clear();
    loaded
}

fn read(own: &OwnData, mut source: impl Read, name: String) -> Result<Loaded> {
    let mut reader = Reader::new(own);
    let mut events = Events::default();
    let mut buffer = vec![0; PIECE_BYTES];
    let mut content = ContentHasher::new();
    loop {
        let length = source.read(&mut buffer).map_err(|error| Failure::of(&name, &error))?;
        content.add(&buffer[..length]);
        let fed: Answer<()> = reader.feed(&buffer[..length], length == 0, &mut events);
        fed.map_err(|error| {
            let is_bad_record = own.on_bad_line == OnBadLine::Stop && reader.bad_lines() > 0;
            let skip = if is_bad_record { " (--allow-bad-records leaves such records out.)" } else { "" };
            Failure::Wrong(format!("{name}: {}{skip}", with_option(&error.to_string())))
        })?;
        if length == 0 {
            break;
        }
    }
    if events.is_empty() {
        return Err(Failure::Wrong(format!("{name}: there are no events")));
    }
    let mut problems = reader.problems().to_vec();
    if events.arrange() {
        problems.splice(0..0, events.arranged_by().map(arrival_note));
    }
    for note in problems.iter().filter(|problem| !problem.lost) {
        tell(format!("{name}: line {}, column {}: {}", note.line, note.column, with_option(&note.message)));
    }
    // A file of the same name may be a newer one. It is read, and the report says so.
    let is_other = own.content.is_some_and(|expected| expected != content.digest());
    let source =
        if is_other { format!("{name}, whose content differs from the workspace's file") } else { name };
    Ok(Loaded { events, source, bad_lines: reader.bad_lines(), problems })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_is_in_the_program() {
        for info in samples() {
            let loaded = read_sample(&info.name).expect("a sample");
            assert_eq!(loaded.events.len() as u32, info.events, "{}", info.name);
        }
        assert!(
            matches!(read_sample("nothing"), Err(Failure::Wrong(message)) if message.contains("earthquakes"))
        );
    }
}
