//! What the pane of the events keeps for itself.

use tabletop_workspace::{Format, LoadProblem, OnBadLine, Reading};

use crate::page::state::{Change, Part};

/// The choices of the pane that are not those of the workspace yet.
#[derive(Clone, Debug)]
pub struct DataLook {
    /// The kind of source that the pane shows, if it is not that of the workspace.
    pub source: Option<SourceKind>,
    /// How the next own events are read.
    pub reading: (Format, OnBadLine, Reading),
    /// Notes on the events that were closed.
    pub notes_read: Vec<LoadProblem>,
    /// Whether the user pressed the button that loads a text, and there was none.
    pub paste_missing: bool,
    /// The last time format that was typed, if it is invalid.
    pub time_format: Option<TypedFormat>,
}

impl Default for DataLook {
    fn default() -> Self {
        DataLook {
            source: None,
            reading: (Format::Detect, OnBadLine::Skip, Reading::default()),
            notes_read: Vec::new(),
            paste_missing: false,
            time_format: None,
        }
    }
}

impl Part for DataLook {
    fn follow(&mut self, change: &Change) {
        match change {
            Change::Workspace => self.source = None,
            Change::Source => (self.source, self.paste_missing) = (None, false),
            _ => {}
        }
    }
}

/// A source of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// Generated from a seed.
    Generated,
    /// Shipped with the page.
    Sample,
    /// The user's own events.
    Own,
}

/// A time format that is being typed, or that is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedFormat {
    /// The field.
    pub field: String,
    /// As typed.
    pub text: String,
    /// The error in it, once it is complete.
    pub wrong: Option<String>,
}
