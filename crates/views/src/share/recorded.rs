//! What the sender of a link has measured on events that are not in the link: the sentences and
//! tables of a report, and at the sender's wish some of the events.
//!
//! ```text
//! 2026-11-27                       the day of the measurement, in UTC
//! D <tab> name <tab> template      a design, as it was measured
//! P <tab> heading <tab> sentences  a part of the report
//! H <tab> cell <tab> cell …        the headings of its table
//! L <tab> cell <tab> cell …        a line of it
//! E <tab> JSON                     an event
//! ```

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use tabletop_keys::Record;
use tabletop_protocol::EventsView;
use tabletop_workspace::Workspace;

use super::measured::{Measured, Part};

/// The maximum number of bytes of the text: a link with it stays below 8 kB, as texts of figures
/// deflate to a third or less.
const BYTES_MAX: usize = 16 << 10;
/// The maximum number of events in a link.
pub const EVENTS_MAX: usize = 200;

/// What the sender of a link has measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Year, month and day.
    pub day: [u32; 3],
    /// The name and the template of each design.
    designs: Vec<(String, String)>,
    /// The parts of the report.
    pub parts: Vec<RecordedPart>,
    /// Events as JSON objects.
    pub events: Vec<String>,
}

/// A part of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedPart {
    /// Its heading.
    pub title: String,
    /// The verdict.
    pub sentences: String,
    /// A heading for each column.
    pub head: Vec<String>,
    /// The lines, whose first cells name them.
    pub lines: Vec<Vec<String>>,
}

impl Recorded {
    /// Writes what is measured now; an empty text if nothing is. `day` is the day as in ISO 8601.
    /// With `events`, the text has the first of them.
    pub fn write(
        day: &str,
        workspace: &Workspace,
        measured: &Measured,
        events: Option<&EventsView>,
    ) -> String {
        let parts = measured.parts();
        if parts.is_empty() {
            return String::new();
        }
        let mut out = day.to_owned();
        let mut add = |cells: &mut dyn Iterator<Item = &str>, bytes_max: usize| {
            let cells: Vec<String> = cells.map(|cell| cell.replace(['\t', '\n', '\r'], " ")).collect();
            let line = cells.join("\t");
            if out.len() + line.len() < bytes_max {
                out.push('\n');
                out.push_str(&line);
            }
        };
        for design in &workspace.designs {
            add(&mut ["D", &design.name, &design.template].into_iter(), usize::MAX);
        }
        for Part { title, sentences, table } in &parts {
            add(&mut ["P", title, sentences].into_iter(), BYTES_MAX);
            add(&mut core::iter::once("H").chain(table.head().iter().map(String::as_str)), BYTES_MAX);
            for line in table.lines() {
                add(&mut core::iter::once("L").chain(line.iter().map(String::as_str)), BYTES_MAX);
            }
        }
        for values in events.map(|view| view.events.iter().take(EVENTS_MAX)).into_iter().flatten() {
            let fields = events.map(|view| &view.fields[..]).unwrap_or_default();
            let values: Vec<Option<&str>> = values.iter().map(Option::as_deref).collect();
            let mut json = Vec::new();
            Record { fields, values: &values }.push_json(&mut json);
            add(&mut ["E", &String::from_utf8_lossy(&json)].into_iter(), 3 * BYTES_MAX);
        }
        out
    }

    /// Reads such a text; `None` for any other.
    pub fn read(text: &str) -> Option<Recorded> {
        let mut lines = text.lines();
        let day: Vec<u32> = lines.next()?.split('-').filter_map(|number| number.parse().ok()).collect();
        let day: [u32; 3] = day.try_into().ok()?;
        let mut recorded = Recorded { day, ..Recorded::default() };
        if !(1..=12).contains(&day[1]) || !(1..=31).contains(&day[2]) {
            return None;
        }
        for line in lines {
            let (kind, rest) = line.split_once('\t')?;
            let mut cells = rest.split('\t').map(ToString::to_string);
            match kind {
                "D" => recorded.designs.push((cells.next()?, cells.next()?)),
                "P" => recorded.parts.push(RecordedPart {
                    title: cells.next()?,
                    sentences: cells.next()?,
                    ..RecordedPart::default()
                }),
                "H" => recorded.parts.last_mut()?.head = cells.collect(),
                "L" => recorded.parts.last_mut()?.lines.push(cells.collect()),
                "E" => recorded.events.push(rest.to_owned()),
                // A later build may have written more.
                _ => {}
            }
        }
        (!recorded.parts.is_empty()).then_some(recorded)
    }

    /// Returns whether these designs were measured: after an edit, the figures are those of others.
    pub fn is_of(&self, workspace: &Workspace) -> bool {
        let plain = |text: &str| text.replace(['\t', '\n', '\r'], " ");
        self.designs.len() == workspace.designs.len()
            && self.designs.iter().zip(&workspace.designs).all(|((name, template), design)| {
                *name == plain(&design.name) && *template == plain(&design.template)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "2026-11-27\nD\tDesign 1\t{timestamp:iso},{app_id},{user_token}\nP\tFigures\tA wins.\n\
                        H\tFigure\tA\nL\tRows\t12\nX\tlater\nE\t{\"a\":\"\\tb\"}";

    #[test]
    fn a_record_is_read() {
        let recorded = Recorded::read(TEXT).expect("it is a record");
        assert_eq!(recorded.day, [2026, 11, 27]);
        assert_eq!(recorded.parts[0].sentences, "A wins.");
        assert_eq!(recorded.parts[0].lines, [["Rows", "12"]]);
        assert_eq!(recorded.events, ["{\"a\":\"\\tb\"}"]);
        let mut workspace = Workspace::default();
        assert!(recorded.is_of(&workspace));
        workspace.designs[0].template = "{app_id}".into();
        assert!(!recorded.is_of(&workspace), "other designs were not measured");
    }

    #[test]
    fn other_texts_are_no_records() {
        for text in
            ["", "2026-11-27", "2026-13-01\nP\ta\tb", "today\nP\ta\tb", "2026-11-27\nL\tx", "2026-11-27\nP"]
        {
            assert_eq!(Recorded::read(text), None, "{text:?}");
        }
    }
}
