//! Reads files as the product does: their events arrive in the order of their times.

use tabletop_workload::{Events, Reader};
use tabletop_workspace::{Format, OnBadLine, OwnData};

/// What the product's reader made of a file.
#[derive(Debug)]
pub struct Reading {
    /// The events.
    pub events: Events,
    /// The number of lines that could not be read.
    pub bad_lines: u64,
    /// The reason why reading stopped before the end of the file.
    pub error: Option<String>,
}

/// Reads a file with the product's reader.
pub fn read(bytes: &[u8]) -> Reading {
    let own = OwnData {
        name: String::new(),
        format: Format::Detect,
        fields: Vec::new(),
        on_bad_line: OnBadLine::Skip,
        reading: Default::default(),
        content: None,
    };
    let mut reader = Reader::new(&own);
    let mut events = Events::default();
    let error = reader.feed(bytes, true, &mut events).err().map(|error| error.to_string());
    events.arrange();
    Reading { events, bad_lines: reader.bad_lines(), error }
}
