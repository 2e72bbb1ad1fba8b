//! Latencies, counted such that their quantiles can be computed.

use alloc::vec;
use alloc::vec::Vec;

/// Latencies of up to 2^24 microseconds, 17 s, are distinguished; larger ones count as this. A
/// quantile is off by at most one part in 32.
const LATENCY_BITS: u32 = 24;
const STEP_BITS: u32 = 4;
/// The number of counters that a set of latencies takes.
pub(crate) const STEPS: usize = ((LATENCY_BITS - STEP_BITS) as usize + 1) << STEP_BITS;

/// A set of latencies in microseconds. It takes 1.3 kB, regardless of their number.
#[derive(Clone, Debug)]
pub struct Latencies {
    counts: Vec<u32>,
    count: u32,
    max: u32,
}

impl Default for Latencies {
    fn default() -> Latencies {
        Latencies { counts: vec![0; STEPS], count: 0, max: 0 }
    }
}

impl Latencies {
    /// Adds a latency.
    pub fn add(&mut self, micros: u64) {
        self.counts[step(micros)] += 1;
        self.count += 1;
        self.max = self.max.max(u32::try_from(micros).unwrap_or(u32::MAX));
    }

    /// Returns the median, the 95th and 99th percentile, and the maximum, or 0 without latencies.
    /// Removes all latencies.
    pub fn take(&mut self) -> [u32; 4] {
        let of = |percent| quantile(&self.counts, self.count, percent).min(self.max);
        let taken = [of(50), of(95), of(99), self.max];
        if self.count > 0 {
            self.counts.fill(0);
            (self.count, self.max) = (0, 0);
        }
        taken
    }
}

/// Returns the index of a latency. Values below 32 have one index each; above, a power of two has
/// 16.
pub(crate) fn step(micros: u64) -> usize {
    let micros = micros.min((1 << LATENCY_BITS) - 1);
    let shift = (64 - micros.leading_zeros()).saturating_sub(STEP_BITS + 1);
    ((shift as usize) << STEP_BITS) + (micros >> shift) as usize
}

/// Returns the microseconds that this percentage of the latencies does not exceed, or 0 without
/// latencies.
pub(crate) fn quantile(latencies: &[u32], count: u32, percent: u64) -> u32 {
    if count == 0 {
        return 0;
    }
    let rank = (u64::from(count) * percent).div_ceil(100) as u32;
    let mut before = 0;
    let at = latencies.iter().position(|number| {
        before += number;
        before >= rank
    });
    let at = at.unwrap_or(STEPS - 1) as u32;
    let shift = (at >> STEP_BITS).saturating_sub(1);
    ((at - (shift << STEP_BITS)) << shift) + (1 << shift) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_near_those_of_the_numbers() {
        let mut latencies = Latencies::default();
        (1..=1_000).rev().for_each(|millis| latencies.add(millis * 1_000));
        let found = latencies.take();
        for (found, expected) in found.into_iter().zip([500_000.0, 950_000.0, 990_000.0, 1_000_000.0]) {
            assert!((f64::from(found) / expected - 1.0).abs() < 0.035, "{found} {expected}");
        }
        assert_eq!(latencies.take(), [0; 4]);
        latencies.add(7);
        assert_eq!(latencies.take(), [7; 4]);
        latencies.add(u64::MAX);
        assert_eq!(latencies.take()[3], u32::MAX);
    }
}
