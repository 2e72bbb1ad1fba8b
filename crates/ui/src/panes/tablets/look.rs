//! What the pane of the tablets keeps for itself.

use tabletop_model::TabletId;

use crate::page::state::{Measure, Part, RangeEnd};

/// How the tablets are shown, and which one the user points at.
#[derive(Clone, Debug)]
pub struct StripLook {
    /// The figure that the width of a tablet shows.
    pub measure: Measure,
    /// The zoom of the strip; 1 fits all tablets into the pane, if possible.
    pub zoom: f64,
    /// Whether the strip is shown as a table.
    pub as_table: bool,
    /// Whether the settings of the simulation are shown.
    pub has_settings: bool,
    /// The number of lines of the table of tablets.
    pub table_lines: usize,
    /// The end of a tablet's range whose key was copied last.
    pub copied: Option<RangeEnd>,
    /// The tablet whose points, or whose place on the strip, are pointed at, where a map is shown.
    pub pointed: Option<TabletId>,
}

impl Part for StripLook {}

impl Default for StripLook {
    fn default() -> Self {
        StripLook {
            measure: Measure::Bytes,
            zoom: 1.0,
            as_table: false,
            has_settings: false,
            table_lines: 200,
            copied: None,
            pointed: None,
        }
    }
}
