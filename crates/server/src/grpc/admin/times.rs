//! Conversions of protobuf's times.

use tabletop_model::Timestamp;

/// A day in microseconds.
pub(super) const DAY: i64 = 24 * 60 * 60 * 1_000_000;

/// Converts microseconds to a time.
pub(super) fn time(micros: Timestamp) -> Option<prost_types::Timestamp> {
    let nanos = micros.rem_euclid(1_000_000) as i32 * 1_000;
    Some(prost_types::Timestamp { seconds: micros.div_euclid(1_000_000), nanos })
}

/// Converts a time to microseconds. Times out of range become the first or the last timestamp.
pub(super) fn micros(time: &prost_types::Timestamp) -> Timestamp {
    time.seconds.saturating_mul(1_000_000).saturating_add(i64::from(time.nanos) / 1_000)
}

/// Converts a duration to microseconds; `None` if it is too long.
pub(super) fn length(duration: &prost_types::Duration) -> Option<i64> {
    duration.seconds.checked_mul(1_000_000)?.checked_add(i64::from(duration.nanos) / 1_000)
}

/// Converts microseconds to a duration.
pub(super) fn duration(micros: i64) -> prost_types::Duration {
    prost_types::Duration { seconds: micros / 1_000_000, nanos: (micros % 1_000_000) as i32 * 1_000 }
}
