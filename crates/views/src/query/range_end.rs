//! The ends of a range of keys or of values, as controls show them.

use core::ops::Bound;

use tabletop_model::Bytes;
use tabletop_texts::messages;

use super::notation::bytes;

/// An end of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeEnd {
    /// The start.
    Start,
    /// The end.
    End,
}

impl RangeEnd {
    /// Returns the displayed names: closed, open, absent.
    pub fn choices(self) -> [&'static str; 3] {
        match self {
            RangeEnd::Start => messages().query.start_choices,
            RangeEnd::End => messages().query.end_choices,
        }
    }

    /// Returns the displayed name.
    pub fn title(self) -> &'static str {
        match self {
            RangeEnd::Start => messages().query.start,
            RangeEnd::End => messages().query.end,
        }
    }

    /// Returns the name of the control with the choices.
    pub fn title_of_choice(self) -> &'static str {
        match self {
            RangeEnd::Start => messages().query.start_is,
            RangeEnd::End => messages().query.end_is,
        }
    }

    /// Returns its part of the element id.
    pub(super) fn id(self) -> &'static str {
        match self {
            RangeEnd::Start => "start",
            RangeEnd::End => "end",
        }
    }

    /// Returns the choice of a bound, and its bytes.
    pub fn read(bound: &Bound<Bytes>) -> (usize, Option<&Bytes>) {
        match bound {
            Bound::Included(bytes) => (0, Some(bytes)),
            Bound::Excluded(bytes) => (1, Some(bytes)),
            Bound::Unbounded => (2, None),
        }
    }

    /// Returns the bound as another choice, with its bytes if it has any.
    pub fn with_choice(self, bound: &Bound<Bytes>, text: &str) -> Bound<Bytes> {
        let bytes = RangeEnd::read(bound).1.cloned().unwrap_or_default();
        match self.choices().iter().position(|choice| *choice == text) {
            Some(0) => Bound::Included(bytes),
            Some(1) => Bound::Excluded(bytes),
            _ => Bound::Unbounded,
        }
    }

    /// Returns the bound with other bytes; `None` if the text is invalid.
    pub fn with_text(bound: &Bound<Bytes>, text: &str) -> Option<Bound<Bytes>> {
        let bytes = bytes(text).ok()?;
        Some(match bound {
            Bound::Excluded(_) => Bound::Excluded(bytes),
            _ => Bound::Included(bytes),
        })
    }
}
