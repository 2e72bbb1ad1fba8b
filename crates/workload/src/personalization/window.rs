//! The time whose events count.

use tabletop_model::{Timestamp, TimestampRange};
use tabletop_schema::Strategy;

/// How far the clock that stamps events may be ahead of ours: ten minutes. An event from further in the future is stored, and
/// counts once the profile's time has come near it.
pub const CLOCK_SKEW_MICROS: i64 = 10 * 60 * 1_000_000;

const DAY_MICROS: i64 = 86_400_000_000;
const MILLI_MICROS: i64 = 1_000;

/// The times `[from, until)`, whole milliseconds, in microseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Inclusive.
    pub from: Timestamp,
    /// Exclusive.
    pub until: Timestamp,
}

impl Window {
    /// The window of a profile at the time `now`: from the strategy's days before it, that instant included, to ten minutes after it,
    /// that instant excluded. Both ends are rounded down to milliseconds, as the timestamps of cells are.
    pub fn at(now: Timestamp, strategy: &Strategy) -> Window {
        let rounded = |micros: i64| micros.div_euclid(MILLI_MICROS).max(0) * MILLI_MICROS;
        let days = i64::from(strategy.window_days).saturating_mul(DAY_MICROS);
        let until = rounded(now.saturating_add(CLOCK_SKEW_MICROS)).max(MILLI_MICROS);
        Window { from: rounded(now.saturating_sub(days)), until }
    }

    /// Whether an event of this time counts.
    pub fn contains(&self, time: Timestamp) -> bool {
        (self.from..self.until).contains(&time)
    }

    /// The same as a range of cells.
    pub fn range(&self) -> TimestampRange {
        TimestampRange { start: self.from, end: self.until }
    }
}
