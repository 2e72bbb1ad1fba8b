//! The period of time whose events count.

use tabletop_model::{Timestamp, TimestampRange};
use tabletop_workspace::Strategy;

/// How far the clock that stamps events may be ahead: ten minutes. An event from further in the
/// future is stored, and counts once the time of the profile has come near it.
pub const CLOCK_SKEW_MICROS: i64 = 10 * 60 * 1_000_000;

const DAY_MICROS: i64 = 86_400_000_000;
const MILLI_MICROS: i64 = 1_000;

/// The times `[from, until)`, in whole milliseconds, as microseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The start, inclusive.
    pub from: Timestamp,
    /// The end, exclusive.
    pub until: Timestamp,
}

impl Window {
    /// Returns the window of a profile at the time `now`: from the strategy's number of days before
    /// it, inclusive, to ten minutes after it, exclusive. Both ends are rounded down to
    /// milliseconds, as the timestamps of cells are.
    pub fn at(now: Timestamp, strategy: &Strategy) -> Window {
        let rounded = |micros: i64| micros.div_euclid(MILLI_MICROS).max(0) * MILLI_MICROS;
        let days = i64::from(strategy.window_days).saturating_mul(DAY_MICROS);
        let until = rounded(now.saturating_add(CLOCK_SKEW_MICROS)).max(MILLI_MICROS);
        Window { from: rounded(now.saturating_sub(days)), until }
    }

    /// Returns whether an event at this time counts.
    pub fn contains(&self, time: Timestamp) -> bool {
        (self.from..self.until).contains(&time)
    }

    /// Returns the window as a range of cells' timestamps.
    pub fn range(&self) -> TimestampRange {
        TimestampRange { start: self.from, end: self.until }
    }
}
