//! The clock of the events: when each event arrives if all of them are played in a given time, at
//! their own times.
//!
//! A position is a number of events, with a fraction between two of them. Playback advances in
//! proportion to the events' own times: a burst passes quickly and a quiet time slowly. If there
//! are many events, only the times of [`KNOTS_MAX`] of them are read, and the events between two of
//! these arrive evenly.

use tabletop_keys::Roles;
use tabletop_model::Timestamp;
use tabletop_workload::Events;

/// Maximum number of events whose times are read: a few milliseconds of work.
const KNOTS_MAX: usize = 4_096;
/// One in this many events may be earlier than one before it, and then arrives together with that
/// one. If there are more, the events are not in the order of their times, and do not have a clock.
const LATE_ONE_OF: usize = 10;

/// The times of events, in the order in which they arrive.
#[derive(Debug, PartialEq)]
pub(crate) struct EventClock {
    /// Positions and their times, both ascending. The first position is 0, and the last one is the
    /// number of all events.
    knots: Vec<(f64, f64)>,
}

impl EventClock {
    /// Reads the clock of all events; `None` if they do not have times, or are not in the order of
    /// their times.
    pub(crate) fn of(events: &Events) -> Option<EventClock> {
        let at = Roles::of(events.fields()).time?;
        let field = &events.fields()[at];
        let mut values = Vec::new();
        let step = events.len().div_ceil(KNOTS_MAX).max(1);
        let last = events.len().checked_sub(1)?;
        let times = (0..last).step_by(step).chain([last]).filter_map(|index| {
            events.record(index, &mut values);
            Some((index, field.micros(values[at]?)?))
        });
        EventClock::from_times(&times.collect::<Vec<_>>(), events.len())
    }

    /// Makes a clock from the times of some events, given their indices.
    fn from_times(times: &[(usize, Timestamp)], count: usize) -> Option<EventClock> {
        let (first, mut newest) = (times.first()?.1, Timestamp::MIN);
        let mut late = 0;
        let mut knots = vec![(0.0, 0.0)];
        for (index, time) in times {
            late += usize::from(*time < newest);
            newest = newest.max(*time);
            // An event is in the table once its time is reached.
            knots.push(((index + 1) as f64, newest.saturating_sub(first) as f64));
        }
        let whole = newest.saturating_sub(first);
        if let Some(last) = knots.last_mut() {
            last.0 = count as f64;
        }
        (whole > 0 && late * LATE_ONE_OF <= times.len()).then_some(EventClock { knots })
    }

    /// Returns the position that is reached when the share `share` of the whole time has passed
    /// since `position`, at most the number of all events.
    pub(crate) fn after(&self, position: f64, share: f64) -> f64 {
        let whole = self.knots.last().map_or(0.0, |last| last.1);
        let time = along(&self.knots, position, |knot| *knot) + share * whole;
        // If several positions have the same time, take the last one, because all events of one
        // moment arrive together.
        along(&self.knots, time, |knot| (knot.1, knot.0)).max(position)
    }
}

/// Interpolates linearly between the knots: returns the second number at `x`. The first numbers of
/// the knots must not descend.
fn along(knots: &[(f64, f64)], x: f64, pair: impl Fn(&(f64, f64)) -> (f64, f64)) -> f64 {
    let after = knots.partition_point(|knot| pair(knot).0 <= x);
    let Some(before) = after.checked_sub(1).map(|at| pair(&knots[at])) else { return 0.0 };
    match knots.get(after).map(pair) {
        Some(next) => before.1 + (next.1 - before.1) * (x - before.0) / (next.0 - before.0),
        None => before.1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Timestamp = 1_000_000;

    fn clock(seconds: &[i64]) -> Option<EventClock> {
        let times: Vec<_> = seconds.iter().map(|second| second * SECOND).enumerate().collect();
        EventClock::from_times(&times, seconds.len())
    }

    #[test]
    fn a_burst_arrives_at_once_and_a_quiet_time_passes_slowly() {
        // Four events within two seconds, nothing for eight seconds, then one more.
        let clock = clock(&[100, 100, 101, 101, 110]).expect("they are in order");
        assert_eq!(clock.after(0.0, 0.05), 2.5, "half of the first second");
        assert_eq!(clock.after(0.0, 0.1), 4.0, "the burst");
        let quiet = clock.after(0.0, 0.5);
        assert!(quiet > 4.0 && quiet < 5.0, "{quiet}");
        assert_eq!(clock.after(quiet, 0.5), 5.0);
        assert_eq!(clock.after(5.0, 0.5), 5.0, "it ends with the last event");
    }

    #[test]
    fn small_steps_end_where_one_large_step_ends() {
        let seconds: Vec<i64> = (0..300).map(|at| at * at / 7).collect();
        let clock = clock(&seconds).expect("they are in order");
        let mut position = 0.0;
        for step in 1..=1_000 {
            let before = position;
            position = clock.after(position, 0.001);
            assert!(position >= before, "step {step}: {before} to {position}");
            if step == 500 {
                let direct = clock.after(0.0, 0.5);
                assert!((position - direct).abs() < 1e-6, "{position} and {direct}");
            }
        }
        assert!(position > 299.999, "{position}");
    }

    #[test]
    fn events_that_are_not_in_order_or_at_one_time_have_no_clock() {
        assert_eq!(clock(&[]), None);
        assert_eq!(clock(&[7, 7, 7]), None);
        assert_eq!(clock(&[5, 4, 3, 2, 1]), None);
        let nearly = [0, 10, 20, 15, 30, 40, 50, 60, 70, 80];
        let clock = clock(&nearly).expect("one of ten is late");
        assert_eq!(clock.after(0.0, 0.25), 4.0, "a late event arrives with the one before it");
    }

    #[test]
    fn events_between_those_whose_times_are_read_arrive_evenly() {
        let clock = EventClock::from_times(&[(0, 0), (100, SECOND), (150, 9 * SECOND)], 151)
            .expect("they are in order");
        assert_eq!(clock.after(0.0, 0.5 / 9.0), 51.0);
        assert_eq!(clock.after(0.0, 5.0 / 9.0), 126.0);
        assert_eq!(clock.after(151.0, 0.1), 151.0);
    }
}
