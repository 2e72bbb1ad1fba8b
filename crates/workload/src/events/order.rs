//! The order in which events arrive.
//!
//! A file of a log is in the order in which its events arrived, even if a few of them came late. A
//! file that is sorted by something else, such as all events of one customer and then those of the
//! next, says nothing about their arrival. Its events arrive in the order of their times, and
//! events at one time in the order of the file.

use tabletop_keys::Roles;
use tabletop_model::Timestamp;
use tabletop_workspace::LoadProblem;

use super::Events;

/// The maximum number of events whose times are compared to find out whether a file is in their
/// order.
const COMPARED_MAX: usize = 4_096;
/// In a file that is in the order of times, one in this many events may be earlier than one before
/// it, and one in this many may have no time.
const ONE_OF: usize = 100;

/// Says that events arrive in the order of this field.
pub fn arrival_note(field: &str) -> LoadProblem {
    let message = format!(
        "The file is not in the order of time: its events arrive in the order of {field}, and those at one time in the order of the file."
    );
    LoadProblem { line: 1, column: 1, message, lost: false }
}

impl Events {
    /// Arranges the events in the order in which they arrive. Returns whether that is another order
    /// than before.
    pub fn arrange(&mut self) -> bool {
        let order = self.order_of_times().unwrap_or_default();
        let changes = order != self.order;
        self.order = order;
        changes
    }

    /// Returns the name of the field in whose order the events arrive; `None` if they arrive in the
    /// order of their file.
    pub fn arranged_by(&self) -> Option<&str> {
        let at = Roles::of(&self.fields).time.filter(|_| !self.order.is_empty())?;
        Some(&self.fields[at].name)
    }

    /// Returns the indices of the events in the order of their times; `None` if the file is in this
    /// order, or its times do not give one.
    fn order_of_times(&self) -> Option<Vec<u32>> {
        let at = Roles::of(&self.fields).time?;
        let time = |index: usize| self.fields[at].micros(self.value_in_file(index, at)?);
        let step = self.len().div_ceil(COMPARED_MAX).max(1);
        let (mut newest, mut compared, mut late, mut lack) = (Timestamp::MIN, 0, 0, 0);
        for index in (0..self.len()).step_by(step) {
            compared += 1;
            match time(index) {
                None => lack += 1,
                Some(time) => {
                    late += usize::from(time < newest);
                    newest = newest.max(time);
                }
            }
        }
        if late * ONE_OF <= compared || lack * ONE_OF > compared {
            return None;
        }
        // An event without a time arrives with the event before it.
        let mut last = Timestamp::MIN;
        let mut timed: Vec<(Timestamp, u32)> = (0..self.len())
            .map(|index| {
                last = time(index).unwrap_or(last);
                (last, index as u32)
            })
            .collect();
        timed.sort_unstable();
        Some(timed.into_iter().map(|(_, index)| index).collect())
    }
}

#[cfg(test)]
mod tests {
    use tabletop_keys::{Field, FieldKind};

    use super::*;

    /// Returns the numbers of events at these times, in the order in which they arrive.
    fn arranged(times: &[&str]) -> (Vec<String>, bool) {
        let mut events =
            Events::new(vec![Field::new("n", FieldKind::Int), Field::new("at", FieldKind::Time)]);
        for (n, time) in times.iter().enumerate() {
            events
                .push(&[Some(&n.to_string()), Some(time).filter(|time| !time.is_empty()).copied()])
                .expect("room");
        }
        let changed = events.arrange();
        assert!(!events.arrange(), "again");
        let mut order = Vec::new();
        events.for_each(0..events.len() as u32, |_, record| {
            order.push(record.get("n").expect("it has one").to_owned());
        });
        assert!((0..times.len()).all(|index| events.value(index, 0) == Some(&order[index])));
        (order, changed)
    }

    #[test]
    fn a_file_of_one_entity_after_another_is_arranged_by_time() {
        let (order, changed) =
            arranged(&["2026-01-01", "2026-01-03", "2026-01-01", "2026-01-02", "2026-01-03"]);
        assert_eq!(
            (order.join(""), changed),
            ("02314".into(), true),
            "equal times stay in the order of the file"
        );
        let (order, _) = arranged(&["2026-01-04", "2026-01-03", "2026-01-02"]);
        assert_eq!(order.join(""), "210", "newest first");
    }

    #[test]
    fn a_log_with_a_few_late_events_stays_as_it_is() {
        let mut times: Vec<String> = (0..1_000).map(|n| (1_700_000_000 + n * 60).to_string()).collect();
        times.swap(500, 501);
        let texts: Vec<&str> = times.iter().map(String::as_str).collect();
        assert!(!arranged(&texts).1);
        let without: Vec<&str> = (0..1_000).map(|n| if n % 50 == 0 { "" } else { texts[999 - n] }).collect();
        assert!(!arranged(&without).1, "two in a hundred have no time");
        let one: Vec<&str> = (0..1_000).map(|n| if n == 1 { "" } else { texts[999 - n] }).collect();
        let (order, changed) = arranged(&one);
        assert_eq!((order[998].as_str(), order[999].as_str(), changed), ("0", "1", true));
        assert!(!arranged(&[]).1);
        assert!(!arranged(&["x", "y"]).1);
    }
}
