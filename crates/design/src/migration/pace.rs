//! Back-pressure: how much a backfill may do between the events of a stream.

/// Number of latencies whose percentile determines the size of a slice.
const WINDOW: usize = 200;
/// Number of latencies since the first slice whose percentile is reported.
const KEPT: usize = 2_000;
/// Number of latencies that are noted before the first slice next to a stream. They are the
/// baseline.
const MEASURE: usize = 50;
/// The largest allowed 99th percentile, as a multiple of the baseline.
const FACTOR_MAX: f64 = 1.5;
/// The maximum number of latencies between two slices: with a rest this long, fewer than one in a
/// hundred latencies is slow.
const REST_MAX: usize = 2 * WINDOW;

/// Number of latencies after which a slice goes before a stream that is late, unless there is a
/// rest.
const LATE_MAX: usize = 16;

/// Events that may arrive in the part that a pass has not reached before the pass must keep up with
/// them, because a pass may begin with small slices.
const HEAD_START: u64 = 5_000;

/// Chooses the size of slices so that the 99th percentile of the stream's latencies stays within
/// 1.5 times the baseline.
///
/// The latencies before the first slice are the baseline. Then, as in congestion control, each
/// slice may be a quarter larger than the one before while the stream stays within the limit, and
/// is half as large once it does not. Slices have at least 16 cells. If these are still too large,
/// there are rests between them. Rests are bounded, so a backfill always makes progress.
///
/// Events that arrive during a pass over a table may belong to the part that the pass has not
/// reached; where the row key begins with the time, all of them do. So the stream waits once there
/// are more of these than 5,000 (a head start) plus half of the events that the pass has looked at.
/// The pass ends before their number exceeds the events that the table had at the beginning, plus
/// about 10,000. The percentile may exceed the limit only while the stream waits.
#[derive(Clone, Debug)]
pub struct Pace {
    before: Latencies,
    /// The latencies since slices were last too large.
    recent: Latencies,
    since: Latencies,
    cells: f64,
    cells_max: f64,
    has_begun: bool,
    /// The length of the rest after a slice, as a number of latencies.
    rest: usize,
    /// The number of latencies since the last slice.
    waited: usize,
    /// Events that have arrived in the part that the pass had not reached.
    came_ahead: u64,
    /// Events that the pass has looked at.
    looked_at: u64,
}

/// The most recent latencies, in microseconds.
#[derive(Clone, Debug)]
pub struct Latencies {
    list: Vec<u64>,
    /// The index of the next latency.
    at: usize,
    kept: usize,
}

impl Latencies {
    /// Creates an empty list that keeps the last `kept` latencies.
    pub fn new(kept: usize) -> Latencies {
        Latencies { list: Vec::new(), at: 0, kept }
    }

    /// Adds a latency, in place of the oldest one once the list is full.
    pub fn note(&mut self, micros: u64) {
        if self.list.len() < self.kept {
            self.list.push(micros);
        } else {
            self.list[self.at % self.kept] = micros;
        }
        self.at += 1;
    }

    /// Returns the 99th percentile; `None` without latencies.
    pub fn p99(&self) -> Option<u64> {
        let mut sorted = self.list.clone();
        sorted.sort_unstable();
        let at = (sorted.len() * 99).div_ceil(100).checked_sub(1)?;
        sorted.get(at).copied()
    }
}

impl Pace {
    /// The smallest number of cells of a slice.
    pub const CELLS_MIN: u64 = 16;

    /// Creates a pace whose slices have at most `cells_max` cells.
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

    /// Notes events that have arrived in the part that a pass has not reached.
    pub fn arrive(&mut self, events: u64) {
        // No pass begins before the baseline is measured.
        if self.has_begun {
            self.came_ahead += events;
        }
    }

    /// Notes events that the pass has looked at.
    pub fn look_at(&mut self, events: u64) {
        self.looked_at += events;
    }

    /// Returns whether events arrive faster than the pass advances. The stream must wait until the
    /// pass has looked at more events.
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

    /// Returns whether slices must wait while the stream runs: during the measurement of the
    /// baseline, or during a rest.
    pub fn rests(&self) -> bool {
        if self.has_begun {
            self.waited < self.rest && !self.is_outrun()
        } else {
            self.before.list.len() < MEASURE
        }
    }

    /// Returns whether the next slice goes before a stream that is late. A stream that is always
    /// late must leave some time for slices, and a stream that outruns the pass must wait.
    pub fn goes_first(&self) -> bool {
        self.is_outrun() || !self.rests() && self.waited >= LATE_MAX
    }

    /// Returns the number of cells of the next slice.
    pub fn next_slice(&mut self) -> u64 {
        let was_running = core::mem::replace(&mut self.has_begun, true);
        if self.is_outrun() {
            // The stream waits on purpose, so its latencies do not show which size is too large.
            self.recent = Latencies::new(WINDOW);
            self.waited = 0;
            return self.cells_max as u64;
        }
        let is_slow = match (self.before.p99(), self.recent.p99()) {
            (Some(before), Some(now)) => now as f64 > before as f64 * FACTOR_MAX,
            // Without a stream there is nothing to delay.
            _ => false,
        };
        if is_slow && self.cells <= Pace::CELLS_MIN as f64 {
            self.rest = (self.rest * 4).clamp(1, REST_MAX);
        } else if self.rest > 0 {
            self.rest -= self.rest.div_ceil(8);
        } else if was_running {
            self.cells = if is_slow { self.cells / 2.0 } else { self.cells * 1.25 }
                .clamp(Pace::CELLS_MIN as f64, self.cells_max);
        }
        if is_slow {
            // Older latencies were caused by larger slices.
            self.recent = Latencies::new(WINDOW);
        }
        self.waited = 0;
        self.cells as u64
    }

    /// Returns the 99th percentile before the first slice, in microseconds.
    pub fn p99_before(&self) -> Option<u64> {
        self.before.p99()
    }

    /// Returns the 99th percentile of the most recent writes since the first slice, in
    /// microseconds.
    pub fn p99(&self) -> Option<u64> {
        self.since.p99()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_ends_although_all_events_arrive_in_the_part_that_it_has_not_reached() {
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
        // A pass that resumes after a pause has the head start again.
        pace.begin_pass();
        pace.arrive(5_000);
        assert!(!pace.is_outrun());
        pace.arrive(1);
        assert!(pace.is_outrun() && !pace.rests());
    }
}
