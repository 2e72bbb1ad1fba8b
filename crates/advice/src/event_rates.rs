//! How often the loaded events came: what a user's own rates begin with.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_keys::FieldRole;
use tabletop_model::order::sorted;

use crate::default_key::LoadedEvents;
use crate::evaluate::event_time;

/// The most events whose times are read.
const EVENTS: usize = 100_000;
/// The fewest times of a sample in a minute that show how many events that minute has.
const SAMPLED_MIN: usize = 20;
const MINUTE_MICROS: i64 = 60_000_000;
const DAY_MICROS: f64 = 86_400e6;

/// How often the loaded events came, by their times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventRates {
    /// Events per day: their number by the time from the first to the last one.
    pub per_day: f64,
    /// Events per second in the busiest minute. `None` if times are coarser than a minute, or if too few
    /// events were looked at.
    pub per_second_max: Option<f64>,
}

impl LoadedEvents<'_> {
    /// Finds out how often the events came, whose fields have these roles. `None` if they have no times,
    /// or all the same.
    pub fn rates(&self, roles: &[FieldRole]) -> Option<EventRates> {
        let at = event_time(self.fields, roles)?;
        let step = self.count.div_ceil(EVENTS).max(1);
        let time = |event| self.fields[at].micros((self.value)(event, at)?);
        let times = sorted((0..self.count).step_by(step).filter_map(time).collect(), Ord::cmp);
        let (first, last) = (*times.first()?, *times.last()?);
        let span = last.saturating_sub(first) as f64;
        if span <= 0.0 {
            return None;
        }
        let minutes: Vec<i64> = times.iter().map(|time| time.div_euclid(MINUTE_MICROS)).collect();
        let busiest = minutes.chunk_by(|one, other| one == other).map(<[i64]>::len).max().unwrap_or_default();
        let tells_minutes = times.iter().any(|time| time.rem_euclid(60 * MINUTE_MICROS) != 0)
            && (step == 1 || busiest >= SAMPLED_MIN);
        Some(EventRates {
            per_day: (times.len() * step) as f64 * DAY_MICROS / span,
            per_second_max: tells_minutes.then(|| (busiest * step) as f64 / 60.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::{String, ToString};

    use tabletop_keys::{Field, FieldKind};

    use super::*;

    fn rates(count: usize, time: impl Fn(usize) -> String) -> Option<EventRates> {
        let fields = [Field::new("at", FieldKind::Time)];
        let times: Vec<String> = (0..count).map(time).collect();
        let value = |event: usize, _: usize| times.get(event).map(String::as_str);
        LoadedEvents { fields: &fields, count, value: &value }.rates(&[FieldRole::EventTime])
    }

    #[test]
    fn rates_are_those_of_the_times() {
        let each_minute = rates(1_441, |at| (1_700_000_040 + 60 * at).to_string());
        assert_eq!(
            each_minute.map(|rates| (rates.per_day as u32, rates.per_second_max)),
            Some((1_441, Some(1.0 / 60.0)))
        );
        // 100 of 300 events are in one minute.
        let burst = |at: usize| 1_700_000_040 + if at < 100 { at / 2 } else { 3_600 * at };
        let found = rates(300, |at| burst(at).to_string()).unwrap();
        assert_eq!(found.per_second_max, Some(100.0 / 60.0));
        // Hours, days, and a sample of which each minute has one tell nothing of a minute.
        for text in [
            |at: usize| format!("2024-01-01T{:02}:00:00Z", at % 24),
            |at: usize| format!("2024-01-{:02}", at % 28 + 1),
        ] {
            assert_eq!(rates(300, text).unwrap().per_second_max, None);
        }
        let sparse = rates(200_000, |at| (1_700_000_000 + 30 * at).to_string()).unwrap();
        assert_eq!((sparse.per_second_max, sparse.per_day as u32), (None, 2_880));
        let dense = rates(200_000, |at| (1_700_000_040 + at / 20).to_string()).unwrap();
        assert_eq!(dense.per_second_max, Some(20.0));
        assert_eq!(rates(10, |_| "2024-01-01".into()), None);
        assert_eq!(rates(10, |_| "soon".into()), None);
    }
}
