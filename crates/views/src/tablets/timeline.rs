//! The timeline: the positions among the events to which its controls go, and its marks.

use alloc::string::String;
use core::fmt::Write;

/// Width of the drawing of marks; the page stretches it.
const WIDTH: u64 = 1_000;
/// Events of a step: the number after which the engine checks what is due.
const BATCH: u32 = 32;
/// Approximate steps from the first event to the last.
const STEPS: u32 = 100;
/// The steps of Page Up and Page Down.
pub const PAGE_STEPS: u32 = 10;

/// Positions to go to from the current one, in events; `None` where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Targets {
    /// The position before the last split.
    pub split_before: Option<u32>,
    /// A step earlier.
    pub back: Option<u32>,
    /// A step later.
    pub forward: Option<u32>,
    /// The next known split.
    pub split_after: Option<u32>,
}

impl Targets {
    /// Returns the positions around one among `total` events, with these splits.
    pub fn around(at: u32, total: u32, splits: &[u32]) -> Targets {
        let step = step_of(total);
        Targets {
            split_before: splits.iter().rev().find(|split| **split < at).copied(),
            back: (at > 0).then(|| at.saturating_sub(1) / step * step),
            forward: (at < total).then(|| (at / step + 1).saturating_mul(step).min(total)),
            split_after: splits.iter().find(|split| **split > at).copied(),
        }
    }
}

/// Returns the events of a step: whole batches, about a hundredth of all events.
pub fn step_of(total: u32) -> u32 {
    (total / STEPS / BATCH).max(1) * BATCH
}

/// Returns a path with a line from `top` to `bottom` for each moment, or for several that are drawn
/// at the same position.
pub fn marks_of(moments: impl IntoIterator<Item = u32>, total: u32, (top, bottom): (u32, u32)) -> String {
    let mut path = String::new();
    let mut last = None;
    for moment in moments {
        let x = u64::from(moment) * WIDTH / u64::from(total.max(1));
        if last.replace(x) != Some(x) {
            let _ = write!(path, "M{x} {top}V{bottom}");
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_whole_batches_and_end_at_the_ends() {
        assert_eq!([10, 1_000, 20_000, 1_000_000].map(step_of), [32, 32, 192, 9_984]);
        let none = Targets { split_before: None, back: None, forward: None, split_after: None };
        assert_eq!(Targets::around(0, 0, &[]), none);
        assert_eq!(
            Targets::around(0, 100, &[64]),
            Targets { forward: Some(32), split_after: Some(64), ..none }
        );
        let middle = Targets { split_before: Some(32), back: Some(32), forward: Some(96), split_after: None };
        assert_eq!(
            Targets::around(64, 100, &[32, 64]),
            middle,
            "the split of this moment is neither before nor after"
        );
        assert_eq!(Targets::around(70, 100, &[]), Targets { back: Some(64), forward: Some(96), ..none });
        assert_eq!(
            Targets::around(100, 100, &[64]),
            Targets { split_before: Some(64), back: Some(96), ..none }
        );
    }

    #[test]
    fn moments_at_one_place_are_one_line() {
        assert_eq!(marks_of([], 0, (0, 9)), "");
        assert_eq!(marks_of([0, 1, 2_000, 2_001, 4_000], 4_000, (3, 9)), "M0 3V9M500 3V9M1000 3V9");
    }
}
