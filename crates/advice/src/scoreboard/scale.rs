//! The scale for which designs are compared: what the user expects of the table, rather than the
//! size of the sample.

use serde::{Deserialize, Serialize};
use tabletop_workspace::{Rates, Workspace};

/// The most bytes of a row: Bigtable's recommended limit.
const ROW_BYTES_MAX: f64 = 100e6;

/// What the user expects of a table. What is `None` is not stated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scale {
    /// Events in the table.
    pub events_kept: Option<f64>,
    /// The most writes per second.
    pub writes_per_second: Option<f64>,
    /// Writes that a node takes per second, at the utilization of the workspace.
    pub node_writes: f64,
}

/// The largest row of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LargestRow {
    /// Its bytes.
    pub bytes: u64,
    /// Whether later events are added to it, because its key has no time.
    pub grows: bool,
}

impl LargestRow {
    /// Returns the row that becomes too large first, of the largest rows of several tables: one that
    /// is too large now, then one that grows, although another one is larger in the sample.
    pub fn worst(rows: impl Iterator<Item = LargestRow>) -> Option<LargestRow> {
        rows.max_by_key(|row| (row.bytes as f64 > ROW_BYTES_MAX, row.grows, row.bytes))
    }
}

impl Scale {
    /// Returns the scale that a workspace states.
    pub fn of(workspace: &Workspace) -> Scale {
        let usual = Rates::default();
        let rates = workspace.rates.as_deref().unwrap_or(&usual);
        Scale {
            events_kept: rates.events_kept(),
            writes_per_second: rates.events_per_second_max,
            node_writes: rates.node_writes_per_second * workspace.utilization(),
        }
    }

    /// Returns how many times the table grows that has `events` now; 1 if that is not stated.
    pub fn growth(&self, events: u32) -> f64 {
        self.events_kept.map_or(1.0, |kept| kept / f64::from(events.max(1)))
    }

    /// Returns whether a row of a table with `events` becomes larger than a service allows.
    pub fn is_huge(&self, row: LargestRow, events: u32) -> bool {
        let growth = if row.grows { self.growth(events).max(1.0) } else { 1.0 };
        row.bytes as f64 * growth > ROW_BYTES_MAX
    }

    /// Returns whether one place that gets this share of the writes gets more than a node takes.
    pub fn exceeds_node(&self, share: f64) -> bool {
        self.writes_per_second.is_some_and(|writes| writes * share > self.node_writes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_without_a_time_grows_with_the_events_kept() {
        let scale = |events_kept| Scale { events_kept, ..Scale::default() };
        let row = LargestRow { bytes: 50_000, grows: true };
        assert!(!scale(None).is_huge(row, 1_000));
        assert!(!scale(Some(2e6)).is_huge(row, 1_000));
        assert!(scale(Some(2.1e6)).is_huge(row, 1_000));
        assert!(!scale(Some(1e12)).is_huge(LargestRow { grows: false, ..row }, 1_000));
        assert!(scale(None).is_huge(LargestRow { bytes: 100_000_001, grows: false }, 1_000));
    }

    #[test]
    fn a_row_that_grows_is_worse_than_a_larger_one_that_does_not() {
        let row = |bytes, grows| LargestRow { bytes, grows };
        let worst = |rows: &[LargestRow]| LargestRow::worst(rows.iter().copied());
        assert_eq!(worst(&[row(900, false), row(500, true), row(400, true)]), Some(row(500, true)));
        assert_eq!(worst(&[row(200_000_000, false), row(500, true)]), Some(row(200_000_000, false)));
        assert_eq!(worst(&[]), None);
    }

    #[test]
    fn a_share_of_the_stated_writes_may_exceed_a_node() {
        let scale = |writes_per_second| Scale { writes_per_second, node_writes: 8_400.0, ..Scale::default() };
        assert!(!scale(None).exceeds_node(1.0), "no rate is stated");
        assert!(!scale(Some(8_400.0)).exceeds_node(1.0));
        assert!(scale(Some(84_000.0)).exceeds_node(0.2));
        assert!(!scale(Some(84_000.0)).exceeds_node(0.1));
    }
}
