//! The load of a tablet: rows read and written in each of the last seconds.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use tabletop_model::Timestamp;

/// Microseconds of a second.
const SECOND: i64 = 1_000_000;
/// The largest window in seconds.
const WINDOW_MAX: u32 = 3_600;
/// A longer window counts several seconds together, so that it takes no more memory.
const PARTS_MAX: i64 = 120;
/// The number of rows that can be read for the cost of writing one: about what the benchmark
/// measures. Bigtable splits by the work of its nodes, not by rows.
const READS_A_WRITE: f64 = 8.0;
/// The number of recent writes that are kept to show where writes go.
const RECENT_KEYS: usize = 32;

/// Counts of the seconds of a window that ends now, and totals.
#[derive(Clone, Debug)]
pub(crate) struct TabletLoad {
    /// The parts of the window with counts, by their first second, in ascending order. An idle
    /// tablet thus takes no memory for them.
    seconds: VecDeque<(i64, Counts)>,
    /// The length of the window in seconds.
    length: i64,
    /// The length of a part in seconds: one, unless the window is long.
    part: i64,
    /// The latest second that was counted.
    latest: i64,
    window: Counts,
    pub total: Counts,
    /// Keys of the latest writes, oldest first; they show where writes go.
    recent: VecDeque<Vec<u8>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Rows that reads examined.
    pub reads: u64,
    /// Rows that were written.
    pub writes: u64,
    /// Slices of reads.
    pub scans: u64,
}

impl TabletLoad {
    pub fn new(now: Timestamp, window_seconds: u32) -> TabletLoad {
        TabletLoad::at(now.div_euclid(SECOND), window_length(window_seconds))
    }

    fn at(second: i64, length: i64) -> TabletLoad {
        TabletLoad {
            seconds: VecDeque::new(),
            length,
            part: (length / PARTS_MAX).max(1),
            latest: second,
            window: Counts::default(),
            total: Counts::default(),
            recent: VecDeque::new(),
        }
    }

    pub fn count(&mut self, now: Timestamp, reads: u64, writes: u64) {
        self.pass_time(now);
        let counts = Counts { reads, writes, scans: u64::from(reads > 0) };
        self.add(self.latest, counts);
        self.total.add(counts);
    }

    /// Returns the counts of each minute, in the window that ends now, in which anything was
    /// counted, by the minute's first second. The first minute may have begun before the window.
    pub fn minutes(&self, now: Timestamp) -> Vec<(i64, Counts)> {
        let before = now.div_euclid(SECOND).max(self.latest) - self.length;
        let mut minutes: Vec<(i64, Counts)> = Vec::new();
        for &(second, counts) in self.seconds.iter().filter(|(second, _)| *second > before) {
            let minute = second - second.rem_euclid(60);
            match minutes.last_mut() {
                Some((last, known)) if *last == minute => known.add(counts),
                _ => minutes.push((minute, counts)),
            }
        }
        minutes
    }

    /// Returns reads and writes per second, over the window that ends now.
    pub fn rates(&self, now: Timestamp) -> (f64, f64) {
        let before = now.div_euclid(SECOND).max(self.latest) - self.length;
        let mut sum = Counts::default();
        self.seconds.iter().filter(|(second, _)| *second > before).for_each(|(_, counts)| sum.add(*counts));
        (sum.reads as f64 / self.length as f64, sum.writes as f64 / self.length as f64)
    }

    /// Returns the work of reads and writes together, in rows written per second, over the window
    /// that ended with the last count.
    pub fn rate(&self) -> f64 {
        (self.window.reads as f64 / READS_A_WRITE + self.window.writes as f64) / self.length as f64
    }

    /// Returns the time at which nothing will have been read or written for a whole window, if
    /// nothing is counted until then.
    pub fn idle_from(&self) -> Timestamp {
        let last = self.seconds.iter().rev().find(|(_, counts)| *counts != Counts::default());
        let from = last.map_or(Timestamp::MIN, |(second, _)| second + self.part - 1 + self.length);
        if from <= self.latest { Timestamp::MIN } else { from.saturating_mul(SECOND) }
    }

    /// Counts a write of the row `key`.
    pub fn count_write(&mut self, now: Timestamp, key: &[u8]) {
        self.count(now, 0, 1);
        if self.recent.len() < RECENT_KEYS {
            self.recent.push_back(key.to_vec());
        } else if let Some(mut oldest) = self.recent.pop_front() {
            oldest.clear();
            oldest.extend_from_slice(key);
            self.recent.push_back(oldest);
        }
    }

    /// Returns the load of the halves of a tablet that is split at `key`, with totals of 0. Writes
    /// of the window are divided as the latest keys are, so that the half that stays hot shows it
    /// immediately; reads are halved.
    pub fn split(&self, key: &[u8]) -> (TabletLoad, TabletLoad) {
        let (low_keys, high_keys): (VecDeque<_>, VecDeque<_>) =
            self.recent.iter().cloned().partition(|recent| recent.as_slice() < key);
        let share = (low_keys.len() as u64, self.recent.len() as u64);
        let half = |recent| TabletLoad { recent, ..TabletLoad::at(self.latest, self.length) };
        let (mut low, mut high) = (half(low_keys), half(high_keys));
        for &(second, counts) in &self.seconds {
            let low_writes = counts.writes * share.0 / share.1.max(1);
            let low_counts = Counts { reads: counts.reads / 2, writes: low_writes, scans: counts.scans / 2 };
            low.add(second, low_counts);
            high.add(
                second,
                Counts {
                    reads: counts.reads - low_counts.reads,
                    writes: counts.writes - low_writes,
                    scans: counts.scans - low_counts.scans,
                },
            );
        }
        (low, high)
    }

    /// Returns the counts over a window of another length.
    pub fn with_window(&self, window_seconds: u32) -> TabletLoad {
        let mut load = TabletLoad {
            recent: self.recent.clone(),
            total: self.total,
            ..TabletLoad::at(self.latest, window_length(window_seconds))
        };
        let before = load.latest - load.length;
        let kept = self.seconds.iter().filter(|(second, _)| *second > before);
        kept.for_each(|&(second, counts)| load.add(second, counts));
        load
    }

    /// Moves the window to `now`. A time that goes backwards counts as the latest second.
    fn pass_time(&mut self, now: Timestamp) {
        let second = now.div_euclid(SECOND);
        if second <= self.latest {
            return;
        }
        while let Some((_, gone)) = self.seconds.pop_front_if(|(counted, _)| *counted <= second - self.length)
        {
            self.window.reads -= gone.reads;
            self.window.writes -= gone.writes;
            self.window.scans -= gone.scans;
        }
        self.latest = second;
    }

    /// Adds to a second of the window: the latest one with counts, or a later one.
    fn add(&mut self, second: i64, counts: Counts) {
        let second = second - second.rem_euclid(self.part);
        match self.seconds.back_mut() {
            Some((last, known)) if *last == second => known.add(counts),
            _ => self.seconds.push_back((second, counts)),
        }
        self.window.add(counts);
    }
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.reads += other.reads;
        self.writes += other.writes;
        self.scans += other.scans;
    }
}

fn window_length(seconds: u32) -> i64 {
    seconds.clamp(1, WINDOW_MAX).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_before_the_window_do_not_count() {
        let mut load = TabletLoad::new(0, 10);
        load.count(0, 0, 100);
        load.count(5 * SECOND, 50, 0);
        assert_eq!(load.rates(9 * SECOND), (5.0, 10.0));
        assert_eq!(load.rates(10 * SECOND), (5.0, 0.0));
        assert_eq!(load.idle_from(), 15 * SECOND);
        load.count(14 * SECOND, 0, 0);
        assert_eq!(load.idle_from(), 15 * SECOND, "nothing was found");
        load.count(15 * SECOND, 0, 0);
        assert!(load.idle_from() <= 0, "even when time goes backwards");
        load.count(1_000 * SECOND, 0, 1);
        assert_eq!((load.rate(), load.total), (0.1, Counts { reads: 50, writes: 101, scans: 1 }));
    }

    #[test]
    fn a_window_takes_little_memory_and_that_of_an_idle_tablet_none() {
        let mut load = TabletLoad::new(0, WINDOW_MAX);
        assert_eq!(load.seconds.capacity(), 0);
        (0..10_000).for_each(|second| load.count(second * SECOND, 1, 0));
        assert_eq!(load.seconds.len(), PARTS_MAX as usize);
        assert!((load.rate() * READS_A_WRITE - 1.0).abs() < 0.01, "{}", load.rate());
        assert_eq!(load.idle_from(), (10_000 / 30 * 30 + 29 + 3_600) * SECOND);
    }

    #[test]
    fn minutes_are_those_of_the_clock() {
        let mut load = TabletLoad::new(0, WINDOW_MAX);
        for second in [59, 60, 75, 119, 3_000] {
            load.count(second * SECOND, 10, 0);
            load.count(second * SECOND, 0, 1);
        }
        let counts = |times: u64| Counts { reads: 10 * times, writes: times, scans: times };
        assert_eq!(load.minutes(3_001 * SECOND), [(0, counts(1)), (60, counts(3)), (3_000, counts(1))]);
        assert_eq!(
            load.minutes(3_700 * SECOND),
            [(3_000, counts(1))],
            "the window is over for the first ones"
        );
        assert_eq!(load.minutes(7_000 * SECOND), []);
    }

    #[test]
    fn other_windows_keep_the_rate() {
        let mut load = TabletLoad::new(0, 4);
        (0..8).for_each(|second| load.count(second * SECOND, 0, 20));
        assert_eq!(load.with_window(2).rate(), 20.0);
        assert_eq!(load.with_window(8).rate(), 10.0);
    }

    #[test]
    fn a_split_divides_the_load_by_key() {
        let mut load = TabletLoad::new(0, 10);
        (0..60_u8).for_each(|key| load.count_write(0, &[key]));
        assert_eq!(
            (load.split(&[30]).0.rate(), load.split(&[30]).1.rate()),
            (0.3, 5.7),
            "of the last 32, two are below"
        );
        assert_eq!((load.split(&[28]).0.rate(), load.split(&[28]).1.rate()), (0.0, 6.0));
        assert_eq!(load.split(&[44]).0.split(&[36]).0.rate(), 1.5, "and a half is split by its own keys");
        let untouched = TabletLoad::new(0, 10).split(&[7]);
        assert_eq!((untouched.0.rate(), untouched.1.rate()), (0.0, 0.0));
    }
}
