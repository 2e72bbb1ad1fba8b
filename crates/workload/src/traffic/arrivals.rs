//! The requests of a traffic at their times.

use std::sync::Arc;

use tabletop_model::{Error, Result};
use tabletop_workspace::{Schedule, StreamKind, Traffic};

use super::choice::{Choice, Drawn};
use super::population::Population;
use crate::random::Random;

/// The span in which rates are constant. A schedule changes them in steps of this length.
const STEP_NANOS: u64 = 100_000_000;

const SECOND_NANOS: u64 = 1_000_000_000;

/// The span in which the requests arrive that a replayed request stands for.
const ONE_OF_NANOS: u64 = 1_000_000_000;

/// A request that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The time since the start of the traffic.
    pub at_nanos: u64,
    /// The number of the event that the request is for. Of `n` loaded events, `0..n` are the loaded
    /// ones, and numbers from `n` on are events that the traffic writes, in order.
    pub event: u64,
    /// When the traffic writes this event, in nanoseconds since its start; 0 for a loaded event. It is
    /// the same in each request for the event, and never falls from one event to the next.
    pub event_nanos: u64,
    /// The loaded event that provides the other values of the event: itself, if it is a loaded one.
    pub like: u32,
    /// The index of its stream.
    pub stream: u16,
}

/// Generates the requests of a traffic in the order of their times.
///
/// The streams are Poisson processes, so all of them together are one, too: its rate is the sum of
/// their rates, and each request belongs to a stream with a probability proportional to the
/// stream's rate. Every number depends only on the traffic and on the population, on every machine,
/// and not on the times at which the caller asks for the requests.
#[derive(Clone, Debug)]
pub struct Arrivals {
    population: Arc<Population>,
    streams: Vec<Source>,
    random: Random,
    /// The index of the step that contains the latest request.
    step: u64,
    /// The latest request, in nanoseconds since the start of that step.
    after_nanos: f64,
    /// The mean number of requests from the latest one to the next: exponentially distributed with
    /// mean 1.
    distance: f64,
    /// For each stream, the sum of its rate and the rates of the streams before it during the step,
    /// in requests per nanosecond.
    rates: Vec<f64>,
    /// The time before which all requests were returned. It is within the step, or at its end.
    until_nanos: u64,
    written: u64,
    /// The events that are written, by the second.
    clock: WriteClock,
    /// The loaded events that provide the values of the latest `n` written ones, each at its number
    /// modulo `n`; `None` while they are in the order of the events.
    likes: Option<Vec<u32>>,
}

/// A stream that is ready to draw events.
#[derive(Clone, Debug)]
struct Source {
    choice: Choice,
    writes: bool,
    per_second: f64,
    when: Schedule,
    /// The times of requests that are replayed, in nanoseconds, ascending; empty for a random
    /// stream.
    replayed: Vec<u64>,
    /// The number of requests that arrive for each replayed one.
    one_of: u64,
}

impl Arrivals {
    /// Creates the requests of a traffic from its start.
    ///
    /// # Errors
    /// `InvalidArgument` when there are no events, when a number of the traffic is out of its
    /// range, or when the events lack a field or value that a stream needs. Names of access
    /// patterns are not checked: see [`Traffic::problems`].
    pub fn new(traffic: &Traffic, population: Arc<Population>) -> Result<Arrivals> {
        let mut random = Random::new(traffic.seed);
        let distance = exponential(&mut random);
        let streams = sources(traffic, &population)?;
        let mut arrivals = Arrivals {
            population,
            streams,
            random,
            step: 0,
            after_nanos: 0.0,
            distance,
            rates: Vec::new(),
            until_nanos: 0,
            written: 0,
            clock: WriteClock::default(),
            likes: None,
        };
        arrivals.begin_step();
        arrivals.set_clock();
        Ok(arrivals)
    }

    /// Replaces the traffic, for example when the user changes a rate. Time continues, and so do
    /// the numbers of written events. The population stays, so it must have the fields of both
    /// traffics. Streams in the order of the events start over at the first one.
    ///
    /// # Errors
    /// The errors of [`Arrivals::new`]. After an error, nothing has changed.
    pub fn change(&mut self, traffic: &Traffic) -> Result<()> {
        self.streams = sources(traffic, &self.population)?;
        // The new rates begin where the slices so far end, not at the latest request.
        let now = (self.until_nanos - self.step * STEP_NANOS) as f64;
        self.pass(now.max(self.after_nanos));
        self.begin_step();
        self.set_clock();
        Ok(())
    }

    /// Appends all requests before a time, in nanoseconds since the start, that were not returned
    /// before. The caller can ask for time slices of any length, and gets the same requests.
    pub fn tick(&mut self, until_nanos: u64, out: &mut Vec<Arrival>) {
        let (from_nanos, before) = (self.until_nanos, out.len());
        self.until_nanos = self.until_nanos.max(until_nanos);
        while let Some(at_nanos) = self.next_time() {
            let stream = self.pick();
            let (event, like) = self.draw(stream);
            let loaded = u64::from(self.population.events());
            let event_nanos = event.checked_sub(loaded).map_or(0, |number| self.clock.nanos_of(number));
            out.push(Arrival { at_nanos, event, event_nanos, like, stream: stream as u16 });
        }
        self.replay(from_nanos, before, out);
    }

    /// Adds the requests of traces, starting at a time, to those that were appended, in the order
    /// of their times. Each request refers to a request of its stream by the number of its event.
    fn replay(&self, from_nanos: u64, before: usize, out: &mut Vec<Arrival>) {
        let drawn = out.len();
        for (stream, source) in self.streams.iter().enumerate() {
            let place = |nanos: u64| source.replayed.partition_point(|at| *at < nanos);
            let before = |nanos: u64| (nanos * source.one_of).div_ceil(ONE_OF_NANOS).min(source.one_of);
            for index in place(from_nanos.saturating_sub(ONE_OF_NANOS))..place(self.until_nanos) {
                let recorded = source.replayed[index];
                let copies = [from_nanos, self.until_nanos]
                    .map(|nanos| before(nanos.saturating_sub(recorded).min(ONE_OF_NANOS)));
                for copy in copies[0]..copies[1] {
                    let at_nanos = recorded + copy * ONE_OF_NANOS / source.one_of;
                    let event = index as u64;
                    out.push(Arrival { at_nanos, event, event_nanos: 0, like: 0, stream: stream as u16 });
                }
            }
        }
        if out.len() > drawn {
            out[before..].sort_by_key(|arrival| arrival.at_nanos);
        }
    }

    /// Returns the number of events that the traffic has written.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Moves to the next request and returns its time, or stays if it is not before `until_nanos`.
    fn next_time(&mut self) -> Option<u64> {
        loop {
            // Infinite if no stream has requests.
            let next = self.after_nanos + self.distance / self.rate();
            if next < STEP_NANOS as f64 {
                let at_nanos = self.step * STEP_NANOS + next as u64;
                if at_nanos >= self.until_nanos {
                    return None;
                }
                self.after_nanos = next;
                self.distance = exponential(&mut self.random);
                return Some(at_nanos);
            }
            if (self.step + 1) * STEP_NANOS >= self.until_nanos {
                return None;
            }
            self.pass(STEP_NANOS as f64);
            self.step += 1;
            self.after_nanos = 0.0;
            self.begin_step();
            if (self.step * STEP_NANOS).is_multiple_of(SECOND_NANOS) {
                self.set_clock();
            }
        }
    }

    /// Spaces the events that are written from the start of this step on, until the next second.
    fn set_clock(&mut self) {
        let seconds = (self.step * STEP_NANOS) as f64 / 1e9;
        let writes = self.streams.iter().filter(|stream| stream.writes);
        let per_second = writes.map(|stream| stream.per_second * stream.when.factor(seconds)).sum();
        self.clock.set(self.written, self.step * STEP_NANOS, per_second);
    }

    /// Moves to a time of the step that is before the next request.
    fn pass(&mut self, nanos: f64) {
        self.distance = (self.distance - (nanos - self.after_nanos) * self.rate()).max(0.0);
        self.after_nanos = nanos;
    }

    /// Returns the rate of all streams together during the step.
    fn rate(&self) -> f64 {
        self.rates.last().copied().unwrap_or(0.0)
    }

    /// Computes the rates of a step at its start.
    fn begin_step(&mut self) {
        let seconds = (self.step * STEP_NANOS) as f64 / 1e9;
        let mut sum = 0.0;
        self.rates.clear();
        self.rates.extend(self.streams.iter().map(|stream| {
            sum += stream.per_second * stream.when.factor(seconds) / 1e9;
            sum
        }));
    }

    /// Returns the stream of a request.
    fn pick(&mut self) -> usize {
        // This is less than the sum of all: the largest number below 1 times a sum is rounded to a
        // number below the sum.
        let at = self.random.unit() * self.rate();
        // A stream without requests has the same sum as the one before it, so it is not found.
        self.rates.partition_point(|&sum| sum <= at)
    }

    /// Returns the event of a request, and the loaded event that provides its values.
    #[inline]
    fn draw(&mut self, stream: usize) -> (u64, u32) {
        let source = &mut self.streams[stream];
        let loaded = u64::from(self.population.events());
        let newest = loaded + self.written;
        let (event, like) = match source.choice.draw(&self.population, &mut self.random) {
            Drawn::Loaded(event) => (u64::from(event), event),
            Drawn::Age(age) => {
                let event = newest - 1 - age;
                let like = match &self.likes {
                    Some(likes) if event >= loaded => likes[(event % loaded) as usize],
                    _ => (event % loaded) as u32,
                };
                (event, like)
            }
        };
        if !source.writes {
            return (event, like);
        }
        let like = if matches!(source.choice, Choice::Any) { (newest % loaded) as u32 } else { like };
        if let Some(likes) = &mut self.likes {
            likes[(newest % loaded) as usize] = like;
        } else if u64::from(like) != newest % loaded {
            let mut in_order: Vec<u32> = (0..loaded as u32).collect();
            in_order[(newest % loaded) as usize] = like;
            self.likes = Some(in_order);
        }
        self.written += 1;
        (newest, like)
    }
}

/// When each event is written, in the order of their numbers: evenly within each second, at its rate.
/// The requests themselves come at random times. Their events are as far apart on average, and the time
/// of any of them can be computed again.
#[derive(Clone, Debug, Default)]
struct WriteClock {
    spans: Vec<Span>,
}

/// A second, or the rest of one.
#[derive(Clone, Copy, Debug)]
struct Span {
    /// The number of the first event.
    first: u64,
    /// Its time.
    nanos: u64,
    /// The time from each event to the next.
    gap: f64,
}

impl WriteClock {
    /// Begins a span with event number `first`.
    fn set(&mut self, first: u64, nanos: u64, per_second: f64) {
        let nanos = first.checked_sub(1).map_or(nanos, |last| nanos.max(self.nanos_of(last)));
        let span = Span { first, nanos, gap: SECOND_NANOS as f64 / per_second.max(1.0) };
        match self.spans.last_mut() {
            Some(last) if last.first == first => *last = span,
            _ => self.spans.push(span),
        }
    }

    /// Returns the time of an event, which is before the end of its second.
    fn nanos_of(&self, number: u64) -> u64 {
        let after = self.spans.partition_point(|span| span.first <= number);
        let Some(span) = after.checked_sub(1).map(|at| self.spans[at]) else { return 0 };
        let end = (span.nanos / SECOND_NANOS + 1) * SECOND_NANOS;
        (span.nanos + ((number - span.first) as f64 * span.gap) as u64).min(end - 1)
    }
}

/// Prepares the streams of a traffic.
fn sources(traffic: &Traffic, population: &Population) -> Result<Vec<Source>> {
    traffic.check()?;
    if population.events() == 0 {
        return Err(Error::invalid("There are no events that requests could be for: load some first."));
    }
    let source = |(index, stream): (usize, &tabletop_workspace::Stream)| {
        let choice = Choice::new(&stream.keys, population, traffic.seed).map_err(|error| {
            Error::new(error.code, format!("traffic.streams[{index}] {}.", error.message))
        })?;
        let writes = stream.what == StreamKind::WriteEvents;
        let (per_second, replayed, one_of) = match &stream.what {
            StreamKind::Replay(replay) => {
                (0.0, replay.times().map(|seconds| (seconds * 1e9) as u64).collect(), replay.one_of.into())
            }
            _ => (stream.per_second, Vec::new(), 1),
        };
        Ok(Source { choice, writes, per_second, when: stream.when, replayed, one_of })
    };
    traffic.streams.iter().enumerate().map(source).collect()
}

/// Returns a number with an exponential distribution of mean 1.
fn exponential(random: &mut Random) -> f64 {
    // The argument is never 0, whose logarithm is infinite.
    -libm::log(1.0 - random.unit())
}
