//! Latencies as counts, from which quantiles can be computed.

use alloc::vec::Vec;

/// Values below `2 * STEPS` have one bucket each. Above, each power of two is divided into this
/// many buckets, so a quantile is off by at most one part in 128.
const STEPS: u64 = 64;
const STEP_BITS: u32 = 6;
/// Larger values count as this one: 12 days in microseconds.
const VALUE_MAX: u64 = (1 << 40) - 1;

/// Latencies in microseconds, counted in buckets whose width grows with the value. The memory that
/// they take does not depend on their number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Latencies {
    /// Counts by bucket; shorter while there are no larger values.
    counts: Vec<u64>,
    count: u64,
    sum: u64,
    max: u64,
}

impl Latencies {
    /// Counts a latency of this many microseconds.
    pub fn count(&mut self, micros: u64) {
        let bucket = bucket(micros.min(VALUE_MAX));
        if bucket >= self.counts.len() {
            self.counts.resize(bucket + 1, 0);
        }
        self.counts[bucket] += 1;
        self.count += 1;
        self.sum += micros;
        self.max = self.max.max(micros);
    }

    /// Adds the latencies of another series.
    pub fn add(&mut self, other: &Latencies) {
        if other.counts.len() > self.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        self.counts.iter_mut().zip(&other.counts).for_each(|(count, more)| *count += more);
        self.count += other.count;
        self.sum += other.sum;
        self.max = self.max.max(other.max);
    }

    /// Removes all latencies.
    pub fn clear(&mut self) {
        self.counts.clear();
        (self.count, self.sum, self.max) = (0, 0, 0);
    }

    /// Returns the number of latencies.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the mean in microseconds, or `None` without latencies.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// Returns the largest latency in microseconds.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// Returns the latency in microseconds that the share `q`, 0 to 1, of all latencies does not
    /// exceed. Returns `None` without latencies.
    pub fn quantile(&self, q: f64) -> Option<u64> {
        if self.count == 0 {
            return None;
        }
        let rank = (libm::ceil(q * self.count as f64) as u64).clamp(1, self.count);
        let mut before = 0;
        let at = self.counts.iter().position(|count| {
            before += count;
            before >= rank
        });
        at.map(|bucket| middle(bucket).min(self.max))
    }
}

/// Returns the bucket of a value.
fn bucket(value: u64) -> usize {
    let shift = (64 - value.leading_zeros()).saturating_sub(STEP_BITS + 1);
    (u64::from(shift) * STEPS + (value >> shift)) as usize
}

/// Returns the middle of a bucket.
fn middle(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    let shift = (bucket / STEPS).saturating_sub(1);
    let low = (bucket - shift * STEPS) << shift;
    low + (1 << shift) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_is_in_a_bucket_near_it() {
        for value in
            (0..10_000).chain((14..40).flat_map(|bits| [(1 << bits) - 1, 1 << bits, (1 << bits) + 12_345]))
        {
            let middle = middle(bucket(value));
            assert!(middle.abs_diff(value) * 128 <= value, "{value}: {middle}");
        }
        assert!((0..100_000).all(|value| bucket(value) <= bucket(value + 1)));
    }

    #[test]
    fn quantiles_are_those_of_the_sorted_values() {
        let mut values: Vec<u64> = (0..10_000u64).map(|n| n * n % 1_000_003).collect();
        let mut latencies = Latencies::default();
        values.iter().for_each(|&value| latencies.count(value));
        values.sort_unstable();
        for (q, index) in [(0.0, 0), (0.5, 4_999), (0.99, 9_899), (1.0, 9_999)] {
            let (found, expected) = (latencies.quantile(q).unwrap(), values[index]);
            assert!(found.abs_diff(expected) * 128 <= expected, "{q}: {found}, not {expected}");
        }
        assert_eq!(latencies.max(), values[9_999]);
        assert_eq!(latencies.mean(), Some(values.iter().sum::<u64>() as f64 / 10_000.0));
    }

    #[test]
    fn two_series_add_up_to_the_series_of_both() {
        let (mut low, mut high, mut both) =
            (Latencies::default(), Latencies::default(), Latencies::default());
        for value in 0..1_000 {
            if value % 3 == 0 {
                low.count(value);
            } else {
                high.count(value * 1_000);
            }
            both.count(if value % 3 == 0 { value } else { value * 1_000 });
        }
        low.add(&high);
        assert_eq!(low, both);
        low.clear();
        assert_eq!(low, Latencies::default());
        assert_eq!(low.quantile(0.99), None);
    }
}
