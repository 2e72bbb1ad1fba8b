//! Back-pressure: where compaction has fallen behind, writes wait for it in proportion to their
//! bytes. They hold no lock while they wait, so other writes and all reads continue.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
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
        let Some(owed) = self.due(owed) else { return };
        blocking(|| {
            self.wait_for(owed, Instant::now, |progress, left| {
                self.changed.wait_timeout(progress, left).unwrap_or_else(PoisonError::into_inner).0
            });
        });
    }

    /// Returns the bytes for which a write that owes this many waits itself: a small one waits for
    /// all small ones, once they owe enough together.
    fn due(&self, owed: u64) -> Option<u64> {
        if owed >= SMALL {
            return Some(owed);
        }
        let enough = self.owed.fetch_add(owed, Ordering::Relaxed) + owed >= SMALL_TOGETHER;
        enough.then(|| self.owed.swap(0, Ordering::Relaxed))
    }

    /// Waits for this many bytes. `pause` returns after a change of the progress, or after the time
    /// that is left.
    fn wait_for<'a>(
        &'a self,
        owed: u64,
        now: impl Fn() -> Instant,
        pause: impl Fn(MutexGuard<'a, Progress>, Duration) -> MutexGuard<'a, Progress>,
    ) {
        let end = now() + WAIT_MAX * owed.div_ceil(WAIT_BYTES).clamp(1, PARTS_MAX) as u32;
        let mut progress = lock(&self.progress);
        let enough = progress.bytes.saturating_add(owed);
        while progress.is_busy && progress.bytes < enough {
            let left = end.saturating_duration_since(now());
            if left.is_zero() {
                return;
            }
            progress = pause(progress, left);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::mpsc::channel;

    use super::*;

    /// Lets a write wait in virtual time for compactions whose steps take `step` and do 1 MiB each.
    /// They have nothing left to do after `steps`. Returns the steps and the time that it waits.
    fn waits(owed: u64, step: Duration, steps: u32) -> (u32, Duration) {
        let (pace, start, done) = (Pace::default(), Instant::now(), Cell::new(0));
        pace.begin(true);
        let passed = || step * done.get();
        pace.wait_for(
            owed,
            || start + passed(),
            |progress, _| {
                drop(progress);
                done.set(done.get() + 1);
                pace.end(1 << 20);
                pace.begin(done.get() < steps);
                lock(&pace.progress)
            },
        );
        (done.get(), passed())
    }

    #[test]
    fn a_write_waits_for_as_much_as_it_owes() {
        let fast = Duration::from_millis(1);
        assert_eq!(waits(5 << 20, fast, 1_000).0, 5);
        assert_eq!(waits((5 << 20) + 1, fast, 1_000).0, 6);
        assert_eq!(waits(100 << 20, fast, 3).0, 3, "compactions end before");
        let idle = Pace::default();
        idle.wait_for(u64::MAX, Instant::now, |_, _| panic!("there is nothing to wait for"));
    }

    #[test]
    fn the_time_of_a_wait_is_limited_by_what_is_owed() {
        let slow = Duration::from_millis(500);
        assert_eq!(waits(WAIT_BYTES, slow, 1_000).1, WAIT_MAX);
        assert_eq!(waits(WAIT_BYTES + 1, slow, 1_000).1, 2 * WAIT_MAX);
        assert_eq!(waits(u64::MAX, slow, 1_000).1, 10 * WAIT_MAX);
    }

    #[test]
    fn one_of_many_small_writes_waits_for_all() {
        let pace = Pace::default();
        let due = || pace.due(SMALL - 1);
        assert!((0..64).all(|_| due().is_none()));
        assert_eq!((due(), due()), (Some(65 * (SMALL - 1)), None));
        assert_eq!(pace.due(SMALL), Some(SMALL), "a large one waits for itself only");
    }

    #[test]
    fn a_write_that_waits_is_woken_when_compactions_end() {
        let pace = Pace::default();
        pace.begin(true);
        let (begins, begun) = channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                pace.wait_for(u64::MAX, Instant::now, |progress, left| {
                    // The lock is held until the wait has begun, so `begin` cannot come before.
                    begins.send(()).expect("the test waits");
                    let (progress, result) = pace.changed.wait_timeout(progress, left).expect("no panic");
                    assert!(!result.timed_out(), "it is woken");
                    progress
                });
            });
            begun.recv().expect("the write waits");
            pace.begin(false);
        });
    }
}
