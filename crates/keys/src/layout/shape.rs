//! The shape of the cells that a layout writes for a set of fields.

use super::{Layout, LayoutKind};
use crate::roles::{EventRoles, Roles};

/// The shape of the cells for a layout and a set of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The narrow schema of Algolia's article.
    NarrowEvent(EventRoles),
    /// The wide schema of Algolia's article.
    WideEvent(EventRoles),
    /// One cell with the record.
    Record {
        /// The field whose value is the qualifier.
        qualifier: Option<usize>,
        /// The field whose value is the family. It has precedence over the layout's family field.
        family: Option<usize>,
    },
    /// One cell per field.
    Fields,
    /// The cells that the user describes.
    Columns,
}

impl Shape {
    pub(crate) fn of(layout: &Layout, roles: &Roles) -> Shape {
        match (layout.kind, roles.event) {
            (LayoutKind::Narrow, Some(event)) => Shape::NarrowEvent(event),
            (LayoutKind::Wide, Some(event)) => Shape::WideEvent(event),
            (LayoutKind::RowPerEntity, event) => {
                Shape::Record { qualifier: roles.event_name, family: event.map(|event| event.event_type) }
            }
            (LayoutKind::Narrow, None) => Shape::Record { qualifier: None, family: None },
            (LayoutKind::Wide, None) => Shape::Fields,
            (LayoutKind::Columns, _) => Shape::Columns,
        }
    }
}
