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

/// Events that may come into the part that a pass has not reached before it must keep up with them: it may begin with small slices.
const HEAD_START: u64 = 5_000;

/// Chooses the size of slices, so that the 99th percentile of the stream's latencies stays within 1.5 of what it was before.
///
/// Latencies before the first slice are the measure. Then each slice may be a quarter larger than the one before while the stream keeps
/// within the limit, and is half as large once it does not: as congestion control does. Slices do not get smaller than 16 cells. If
/// those are too large still, there are fewer of them, with rests in between, which are bounded: a backfill never stands still.
///
/// Events that arrive beside a pass over a table may come into the part that it has not reached: all of them, where the row key begins
/// with the time. So the stream waits once there are more of these than half of the events that the pass has looked at, and a head start
/// of 5,000. The pass ends before about as many have come as the table had at its beginning, and 10,000. Only where the stream waits may
/// the percentile leave the limit.
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
    /// Events that have come into the part that the pass had not reached.
    came_ahead: u64,
    /// Events that the pass has looked at.
    looked_at: u64,
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
            came_ahead: 0,
            looked_at: 0,
        }
    }

    /// Begins a pass over a table, or resumes one that was paused.
    pub fn begin_pass(&mut self) {
        (self.came_ahead, self.looked_at) = (0, 0);
    }

    /// Notes events that have come into the part that a pass has not reached.
    pub fn arrive(&mut self, events: u64) {
        // Until there is a measure, there is no pass.
        if self.has_begun {
            self.came_ahead += events;
        }
    }

    /// Notes events that the pass has looked at.
    pub fn look_at(&mut self, events: u64) {
        self.looked_at += events;
    }

    /// Whether more events have lengthened the pass than it can keep up with. The stream waits until it has looked at more.
    pub fn is_outrun(&self) -> bool {
        self.came_ahead > HEAD_START + self.looked_at / 2
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
        if self.has_begun { self.waited < self.rest && !self.is_outrun() } else { self.before.list.len() < MEASURE }
    }

    /// Whether the next slice goes before a stream that is late: a stream that is always late must leave it some time, and one that
    /// outruns it waits.
    pub fn goes_first(&self) -> bool {
        self.is_outrun() || !self.rests() && self.waited >= LATE_MAX
    }

    /// Returns the cells of the next slice.
    pub fn next_slice(&mut self) -> u64 {
        let was_running = core::mem::replace(&mut self.has_begun, true);
        if self.is_outrun() {
            // The stream waits on purpose: its latencies say nothing of the size that leaves it room.
            self.recent = Latencies::new(WINDOW);
            self.waited = 0;
            return self.cells_max as u64;
        }
        let is_slow = match (self.before.p99(), self.recent.p99()) {
            (Some(before), Some(now)) => now as f64 > before as f64 * FACTOR_MAX,
            // Without a stream, no event waits.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_ends_although_all_events_come_into_the_part_that_it_has_not_reached() {
        const ROWS: u64 = 20_000;
        const CELLS_MAX: u64 = 2_000;
        let mut pace = Pace::new(CELLS_MAX);
        (0..100).for_each(|n| pace.note(n));
        pace.next_slice();
        pace.begin_pass();
        let (mut ahead, mut arrived, mut latency) = (ROWS, 0, 1_000);
        while ahead > 0 {
            let is_outrun = pace.is_outrun();
            if pace.goes_first() {
                let slice = pace.next_slice();
                assert!(!is_outrun || slice == CELLS_MAX, "{slice} cells");
                let looked_at = slice.min(ahead);
                pace.look_at(looked_at);
                ahead -= looked_at;
            } else {
                (ahead, arrived, latency) = (ahead + 256, arrived + 256, latency + 1_000);
                pace.arrive(256);
                pace.note(latency);
            }
            assert!(arrived < ROWS + 11_000, "{ahead} events are ahead of it");
        }
        // A pass that was paused has the head start again.
        pace.begin_pass();
        pace.arrive(5_000);
        assert!(!pace.is_outrun());
        pace.arrive(1);
        assert!(pace.is_outrun() && !pace.rests());
    }
}
