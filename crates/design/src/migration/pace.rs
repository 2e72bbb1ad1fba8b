//! Back-pressure: how much a backfill may do between the events of a stream.

/// Latencies of which a percentile is taken.
const WINDOW: usize = 200;
/// The most that the 99th percentile may grow to, as a multiple of what it was.
const FACTOR_MAX: f64 = 1.5;
const CELLS_MIN: f64 = 16.0;

/// Chooses the size of slices, so that the 99th percentile of the stream's latencies stays within 1.5 of what it was before.
///
/// Latencies before the first slice are the measure. Then each slice may be a quarter larger than the one before while the stream keeps
/// within the limit, and is half as large once it does not: as congestion control does. Slices do not get smaller than 16 cells, so a
/// backfill ends, however busy the stream is.
#[derive(Clone, Debug)]
pub struct Pace {
    before: Vec<u64>,
    recent: Vec<u64>,
    at: usize,
    cells: f64,
    cells_max: f64,
    has_begun: bool,
}

impl Pace {
    /// A pace whose slices have at most `cells_max` cells.
    pub fn new(cells_max: u64) -> Pace {
        let cells_max = (cells_max as f64).max(CELLS_MIN);
        Pace { before: Vec::new(), recent: Vec::new(), at: 0, cells: CELLS_MIN, cells_max, has_begun: false }
    }

    /// Notes how long a write of the stream took.
    pub fn note(&mut self, micros: u64) {
        let list = if self.has_begun { &mut self.recent } else { &mut self.before };
        if list.len() < WINDOW {
            list.push(micros);
        } else {
            list[self.at % WINDOW] = micros;
        }
        self.at += 1;
    }

    /// Returns the cells of the next slice.
    pub fn next_slice(&mut self) -> u64 {
        let was_running = core::mem::replace(&mut self.has_begun, true);
        let is_slow = match (self.p99_before(), self.p99()) {
            (Some(before), Some(now)) => now as f64 > before as f64 * FACTOR_MAX,
            // Without a stream nobody waits.
            _ => false,
        };
        if was_running {
            self.cells = if is_slow { self.cells / 2.0 } else { self.cells * 1.25 }.clamp(CELLS_MIN, self.cells_max);
        }
        if is_slow {
            // Older latencies are those of the larger slices.
            self.recent.clear();
        }
        self.cells as u64
    }

    /// The 99th percentile before the first slice, in microseconds.
    pub fn p99_before(&self) -> Option<u64> {
        percentile(&self.before)
    }

    /// The 99th percentile of the last writes since, in microseconds.
    pub fn p99(&self) -> Option<u64> {
        percentile(&self.recent)
    }
}

fn percentile(latencies: &[u64]) -> Option<u64> {
    let mut sorted = latencies.to_vec();
    sorted.sort_unstable();
    let at = (sorted.len() * 99).div_ceil(100).checked_sub(1)?;
    sorted.get(at).copied()
}
