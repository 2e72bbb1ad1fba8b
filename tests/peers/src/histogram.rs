//! A histogram of the times of many operations, whose memory does not grow with their number.

/// The slots of each power of two: a quantile is too high by at most a 64th.
const PARTS: u64 = 64;

/// Counts of times.
#[derive(Clone, Debug)]
pub struct Histogram {
    counts: Vec<u64>,
    all: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram { counts: vec![0; slot(u64::MAX) + 1], all: 0 }
    }
}

impl Histogram {
    /// Adds a time in seconds.
    pub fn add(&mut self, seconds: f64) {
        self.counts[slot((seconds * 1e9) as u64)] += 1;
        self.all += 1;
    }

    /// Returns the time in seconds that this share of the operations did not exceed.
    pub fn quantile(&self, share: f64) -> f64 {
        let mut left = (self.all as f64 * share).ceil() as u64;
        for (slot, count) in self.counts.iter().enumerate() {
            if *count >= left {
                return end(slot) as f64 / 1e9;
            }
            left -= count;
        }
        f64::NAN
    }
}

/// Returns the slot of a time in nanoseconds.
fn slot(nanos: u64) -> usize {
    if nanos < PARTS {
        return nanos as usize;
    }
    let shift = nanos.ilog2() - PARTS.ilog2();
    (u64::from(shift) * PARTS + (nanos >> shift)) as usize
}

/// Returns the last time of a slot.
fn end(slot: usize) -> u64 {
    let slot = slot as u64;
    if slot < PARTS {
        return slot;
    }
    let shift = slot / PARTS - 1;
    ((slot - shift * PARTS) << shift) + ((1 << shift) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_ends_where_the_next_begins() {
        for nanos in (0..100_000).chain([u64::MAX / 3, u64::MAX - 1]) {
            let slot = slot(nanos);
            assert!(end(slot) >= nanos && (slot == 0 || end(slot - 1) < nanos), "{nanos}");
            assert!(end(slot) - nanos <= nanos / PARTS, "{nanos}");
        }
    }

    #[test]
    fn a_quantile_is_that_of_the_sorted_times() {
        let mut histogram = Histogram::default();
        (1..=1_000).for_each(|micros| histogram.add(f64::from(micros) / 1e6));
        for (share, micros) in [(0.5, 500.0), (0.99, 990.0), (0.999, 999.0), (1.0, 1_000.0)] {
            let ratio = histogram.quantile(share) * 1e6 / micros;
            assert!((0.999..1.02).contains(&ratio), "{share}: {ratio}");
        }
    }
}
