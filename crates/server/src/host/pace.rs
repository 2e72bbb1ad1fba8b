//! Back-pressure: where compaction has fallen behind, writes wait for it in proportion to their
//! bytes. They hold no lock while they wait, so other writes and all reads continue.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::blocking::blocking;
use crate::lock::lock;

/// The progress of compactions, and the debt of small writes.
#[derive(Debug, Default)]
pub(super) struct Pace {
    progress: Mutex<Progress>,
    changed: Condvar,
    /// Bytes of compaction that small writes owe together.
    owed: AtomicU64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    /// Bytes since the instance was opened.
    bytes: u64,
    /// Whether there is work.
    is_busy: bool,
    /// The number of steps in progress.
    steps: u32,
}

/// A write that owes less than this does not wait for itself.
const SMALL: u64 = 64 << 10;
/// When small writes together owe this much, one of them waits.
const SMALL_TOGETHER: u64 = 4 << 20;
/// The longest that a write waits per `WAIT_BYTES` that it owes, or a part of them.
const WAIT_MAX: Duration = Duration::from_secs(1);
const WAIT_BYTES: u64 = 64 << 20;
/// The maximum number of parts that a wait is divided into.
const PARTS_MAX: u64 = 10;

impl Pace {
    /// Records that the compaction thread runs a step, or found none to run.
    pub fn begin(&self, is_busy: bool) {
        let mut progress = lock(&self.progress);
        progress.is_busy = is_busy;
        progress.steps += u32::from(is_busy);
        drop(progress);
        if !is_busy {
            self.changed.notify_all();
        }
    }

    /// Records that a step of this many bytes has finished.
    pub fn end(&self, bytes: u64) {
        let mut progress = lock(&self.progress);
        progress.bytes += bytes;
        progress.steps -= 1;
        drop(progress);
        self.changed.notify_all();
    }

    /// Waits until no step is in progress. Returns how many there were.
    pub fn wait_for_steps(&self) -> u32 {
        blocking(|| {
            let mut progress = lock(&self.progress);
            let steps = progress.steps;
            while progress.steps > 0 {
                progress = self.changed.wait(progress).unwrap_or_else(PoisonError::into_inner);
            }
            steps
        })
    }

    /// Waits until compactions have done this many bytes, or have nothing left to do.
    pub fn wait(&self, owed: u64) {
        let mut owed = owed;
        if owed < SMALL {
            if self.owed.fetch_add(owed, Ordering::Relaxed) + owed < SMALL_TOGETHER {
                return;
            }
            owed = self.owed.swap(0, Ordering::Relaxed);
        }
        let end = Instant::now() + WAIT_MAX * owed.div_ceil(WAIT_BYTES).clamp(1, PARTS_MAX) as u32;
        blocking(|| {
            let mut progress = lock(&self.progress);
            let enough = progress.bytes.saturating_add(owed);
            while progress.is_busy && progress.bytes < enough {
                let left = end.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return;
                }
                progress =
                    self.changed.wait_timeout(progress, left).unwrap_or_else(PoisonError::into_inner).0;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_waits_for_as_much_as_it_owes() {
        let pace = Pace::default();
        // There is nothing to do.
        pace.wait(100 << 20);
        pace.begin(true);
        let waited = |owed: u64| {
            std::thread::scope(|scope| {
                let write = scope.spawn(|| pace.wait(owed));
                let mut steps = 0;
                while !write.is_finished() {
                    std::thread::sleep(Duration::from_millis(20));
                    pace.end(1 << 20);
                    pace.begin(true);
                    steps += 1;
                }
                steps
            })
        };
        assert!(waited(5 << 20) >= 5);
    }

    #[test]
    fn one_of_many_small_writes_waits_for_all() {
        let pace = Pace::default();
        let owed_after = |writes: u64| {
            (0..writes).for_each(|_| pace.wait(SMALL - 1));
            pace.owed.load(Ordering::Relaxed)
        };
        assert_eq!((owed_after(64), owed_after(1), owed_after(1)), (64 * (SMALL - 1), 0, SMALL - 1));
    }

    #[test]
    fn a_write_does_not_wait_when_compactions_end() {
        let pace = Pace::default();
        pace.begin(true);
        std::thread::scope(|scope| {
            let write = scope.spawn(|| pace.wait(u64::MAX));
            std::thread::sleep(Duration::from_millis(20));
            assert!(!write.is_finished());
            pace.begin(false);
        });
    }
}
