//! The clock of a host.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use tabletop_model::Timestamp;

/// A clock in microseconds.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Returns the time of the system's clock.
pub fn system_clock() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::try_from(since.as_micros()).unwrap_or(Timestamp::MAX)
}
