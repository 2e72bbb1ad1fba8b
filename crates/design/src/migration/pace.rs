//! Back-pressure: how much a backfill may do between the events of a stream.

/// Latencies of which a percentile is taken to choose a slice.
const WINDOW: usize = 200;
/// Latencies of which the percentile since the first slice is taken.
const KEPT: usize = 2_000;
/// Latencies that are noted before the first slice beside a stream: the measure.
const MEASURE: usize = 50;
/// The most that the 99th percentile may grow to, as a multiple of what it was.
const FACTOR_MAX: f64 = 1.5;
/// The most latencies between two slices: so few of them are slow that the percentile is not.
const REST_MAX: usize = 2 * WINDOW;

/// Latencies after which a slice that does not rest goes before a stream that is late.
const LATE_MAX: usize = 16;

/// Chooses the size of slices, so that the 99th percentile of the stream's latencies stays within 1.5 of what it was before.
///
/// Latencies before the first slice are the measure. Then each slice may be a quarter larger than the one before while the stream keeps
/// within the limit, and is half as large once it does not: as congestion control does. Slices do not get smaller than 16 cells. If
/// those are too large still, there are fewer of them, with rests in between, which are bounded: a backfill never stands still.
#[derive(Clone, Debug)]
pub struct Pace {
    before: Latencies,
    /// Since slices were last too large.
    recent: Latencies,
    since: Latencies,
    cells: f64,
    cells_max: f64,
    has_begun: bool,
    /// Latencies to wait for after a slice.
    rest: usize,
    /// Latencies since the last slice.
    waited: usize,
}

/// The last latencies, in microseconds.
#[derive(Clone, Debug)]
pub struct Latencies {
    list: Vec<u64>,
    /// The place of the next one.
    at: usize,
    kept: usize,
}

impl Latencies {
    /// None. The last `kept` ones will be kept.
    pub fn new(kept: usize) -> Latencies {
        Latencies { list: Vec::new(), at: 0, kept }
    }

    /// Adds one, in place of the oldest if there are too many.
    pub fn note(&mut self, micros: u64) {
        if self.list.len() < self.kept {
            self.list.push(micros);
        } else {
            self.list[self.at % self.kept] = micros;
        }
        self.at += 1;
    }

    /// The 99th percentile, if there is any.
    pub fn p99(&self) -> Option<u64> {
        let mut sorted = self.list.clone();
        sorted.sort_unstable();
        let at = (sorted.len() * 99).div_ceil(100).checked_sub(1)?;
        sorted.get(at).copied()
    }
}

impl Pace {
    /// The least cells of a slice.
    pub const CELLS_MIN: u64 = 16;

    /// A pace whose slices have at most `cells_max` cells.
    pub fn new(cells_max: u64) -> Pace {
        Pace {
            before: Latencies::new(WINDOW),
            recent: Latencies::new(WINDOW),
            since: Latencies::new(KEPT),
            cells: Pace::CELLS_MIN as f64,
            cells_max: cells_max.max(Pace::CELLS_MIN) as f64,
            has_begun: false,
            rest: 0,
            waited: 0,
        }
    }

    /// Notes how long a write of the stream took.
    pub fn note(&mut self, micros: u64) {
        if self.has_begun {
            self.recent.note(micros);
            self.since.note(micros);
        } else {
            self.before.note(micros);
        }
        self.waited += 1;
    }

    /// Whether a stream that runs is to go on alone for now: until there is a measure, or during a rest.
    pub fn rests(&self) -> bool {
        if self.has_begun { self.waited < self.rest } else { self.before.list.len() < MEASURE }
    }

    /// Whether the next slice goes before a stream that is late: a stream that is always late must leave it some time.
    pub fn goes_first(&self) -> bool {
        !self.rests() && self.waited >= LATE_MAX
    }

    /// Returns the cells of the next slice.
    pub fn next_slice(&mut self) -> u64 {
        let was_running = core::mem::replace(&mut self.has_begun, true);
        let is_slow = match (self.before.p99(), self.recent.p99()) {
            (Some(before), Some(now)) => now as f64 > before as f64 * FACTOR_MAX,
            // Without a stream nobody waits.
            _ => false,
        };
        if is_slow && self.cells <= Pace::CELLS_MIN as f64 {
            self.rest = (self.rest * 4).clamp(1, REST_MAX);
        } else if self.rest > 0 {
            self.rest -= self.rest.div_ceil(8);
        } else if was_running {
            self.cells = if is_slow { self.cells / 2.0 } else { self.cells * 1.25 }.clamp(Pace::CELLS_MIN as f64, self.cells_max);
        }
        if is_slow {
            // Older latencies are those of the larger slices.
            self.recent = Latencies::new(WINDOW);
        }
        self.waited = 0;
        self.cells as u64
    }

    /// The 99th percentile before the first slice, in microseconds.
    pub fn p99_before(&self) -> Option<u64> {
        self.before.p99()
    }

    /// The 99th percentile of the last writes since the first slice, in microseconds.
    pub fn p99(&self) -> Option<u64> {
        self.since.p99()
    }
}
