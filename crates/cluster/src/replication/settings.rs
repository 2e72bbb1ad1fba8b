//! The settings of a replicated table.

use alloc::format;

use tabletop_model::{Error, Result, Timestamp};

use super::routes::Routing;
use super::topology::DELAY_MAX;
use crate::cost::{CostModel, Medium};
use crate::{Nanos, SECOND};

/// The latest time at the beginning, in microseconds since 1970: in the year 5138.
const CLOCK_MAX: Timestamp = 100_000_000_000_000_000;

/// The settings of a [`super::World`]. Google publishes none of these figures; all are assumed.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldSettings {
    /// The seed of jitter and of late and repeated messages.
    pub seed: u64,
    /// The time at the beginning, in microseconds since 1970.
    pub start: Timestamp,
    /// How writes travel between clusters.
    pub routing: Routing,
    /// The time between two heartbeats of a replica, which advance its low watermarks elsewhere.
    pub heartbeat: Nanos,
    /// The time from a failure or a recovery to new routes.
    pub reroute_after: Nanos,
    /// The maximum difference between a cluster's clock and the true time, in microseconds.
    pub clock_error_max: i64,
    /// The time after the second read of a consistent read at which the first hedged read is sent,
    /// and between two hedged reads.
    pub hedge_after: Nanos,
    /// The time after which a replica that could not satisfy a consistent read is asked again.
    pub retry_after: Nanos,
    /// Messages that arrive late, of a thousand.
    pub late_per_mille: u32,
    /// The largest additional delay of a late message.
    pub late_max: Nanos,
    /// Messages that arrive twice, of a thousand.
    pub repeated_per_mille: u32,
    /// How the work of a request is converted to time.
    pub cost: CostModel,
}

impl Default for WorldSettings {
    fn default() -> Self {
        WorldSettings {
            seed: 1,
            start: 1_700_000_000_000_000,
            routing: Routing::Direct,
            heartbeat: SECOND / 10,
            reroute_after: SECOND,
            clock_error_max: 7_000,
            hedge_after: SECOND / 50,
            retry_after: SECOND / 50,
            late_per_mille: 0,
            late_max: 0,
            repeated_per_mille: 0,
            cost: CostModel::on(Medium::Ssd),
        }
    }
}

impl WorldSettings {
    /// Checks that the settings are valid.
    ///
    /// # Errors
    /// `InvalidArgument`, with the setting that is out of range.
    pub fn validate(&self) -> Result<()> {
        for (name, value) in [("heartbeat", self.heartbeat), ("retry_after", self.retry_after)] {
            if value < 1_000 {
                return Err(Error::invalid(format!(
                    "{name} is {value} nanoseconds: it must be at least a microsecond"
                )));
            }
        }
        let delays = [
            ("heartbeat", self.heartbeat),
            ("reroute_after", self.reroute_after),
            ("hedge_after", self.hedge_after),
            ("retry_after", self.retry_after),
            ("late_max", self.late_max),
        ];
        if let Some((name, value)) = delays.iter().find(|(_, value)| *value > DELAY_MAX) {
            return Err(Error::invalid(format!("{name} is {value} nanoseconds: it must be at most an hour")));
        }
        for (name, value) in
            [("late_per_mille", self.late_per_mille), ("repeated_per_mille", self.repeated_per_mille)]
        {
            if value > 1_000 {
                return Err(Error::invalid(format!("{name} is {value}: it must be at most 1000")));
            }
        }
        if self.clock_error_max < 0
            || self.start < self.clock_error_max
            || self.start.max(self.clock_error_max) > CLOCK_MAX
        {
            return Err(Error::invalid(format!(
                "clock_error_max is {} microseconds and start is {}: neither the error nor a clock may be \
                 negative or above {CLOCK_MAX}",
                self.clock_error_max, self.start
            )));
        }
        Ok(())
    }
}
