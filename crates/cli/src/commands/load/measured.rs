//! The measurements of a load.

use std::collections::BTreeMap;

use serde::Serialize;
use tabletop_cluster::Latencies;
use tonic::{Code, Status};

/// Requests of a stream, or of all streams.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct StreamResult {
    /// The name of the stream.
    pub name: String,
    /// Requests that were due: `due = sent + late + refused`.
    pub due: u64,
    /// Requests that were sent: `sent = answered + errors`.
    pub sent: u64,
    /// Requests that were answered.
    pub answered: u64,
    /// Requests that failed, by the code of gRPC.
    pub errors: BTreeMap<String, u64>,
    /// Requests that were not sent: they found no place in time, or not before the user stopped the
    /// load.
    pub late: u64,
    /// Requests that the design cannot make.
    pub refused: u64,
    /// Half of the answers came within this many microseconds of the time at which the request was
    /// due; `None` without answers.
    pub latency_micros_p50: Option<u64>,
    /// 95 of 100 answers came within this many microseconds of the time at which the request was
    /// due; `None` without answers.
    pub latency_micros_p95: Option<u64>,
    /// 99 of 100 answers came within this many microseconds of the time at which the request was
    /// due; `None` without answers.
    pub latency_micros_p99: Option<u64>,
    /// The slowest answer, in microseconds.
    pub latency_micros_max: u64,
    /// The first error.
    pub first_error: Option<String>,
}

impl StreamResult {
    /// Returns the number of errors of all codes.
    pub fn failed(&self) -> u64 {
        self.errors.values().sum()
    }

    /// Returns the requests that were not answered before their deadline.
    pub fn expired(&self) -> u64 {
        self.late + self.errors.get(&name(Code::DeadlineExceeded)).copied().unwrap_or(0)
    }
}

/// The measurement of a load.
#[derive(Debug)]
pub(super) struct Measured {
    streams: Vec<Stream>,
    /// The time from when each request was due until it was sent.
    delays: Latencies,
    /// Requests that were sent and are not answered yet.
    waiting: u64,
    /// Events since progress was last shown.
    recent: Recent,
}

/// The events since progress was last shown.
#[derive(Debug, Default)]
pub(super) struct Recent {
    pub sent: u64,
    pub failed: u64,
    pub latencies: Latencies,
}

#[derive(Debug, Default)]
struct Stream {
    name: String,
    due: u64,
    sent: u64,
    late: u64,
    refused: u64,
    latencies: Latencies,
    errors: BTreeMap<String, u64>,
    first_error: Option<String>,
}

impl Measured {
    pub fn new(names: impl Iterator<Item = String>) -> Measured {
        let streams = names.map(|name| Stream { name, ..Stream::default() }).collect();
        Measured { streams, delays: Latencies::default(), waiting: 0, recent: Recent::default() }
    }

    /// Counts a request whose time has come.
    pub fn is_due(&mut self, stream: u16) {
        self.of(stream).due += 1;
    }

    /// Counts a request that is no longer sent.
    pub fn is_late(&mut self, stream: u16) {
        self.of(stream).late += 1;
    }

    /// Counts a request that the design cannot make.
    pub fn refuse(&mut self, stream: u16, why: &str) {
        let stream = self.of(stream);
        stream.refused += 1;
        stream.first_error.get_or_insert_with(|| why.into());
    }

    /// Counts a request that is sent this many microseconds after it was due.
    pub fn send(&mut self, stream: u16, delay_micros: u64) {
        self.of(stream).sent += 1;
        self.delays.count(delay_micros);
        self.waiting += 1;
        self.recent.sent += 1;
    }

    /// Counts the end of a request, this many microseconds after it was due.
    pub fn end(&mut self, stream: u16, latency_micros: u64, outcome: Result<(), Status>) {
        // A request that was cancelled may still complete.
        let Some(waiting) = self.waiting.checked_sub(1) else { return };
        self.waiting = waiting;
        match outcome {
            Ok(()) => {
                self.recent.latencies.count(latency_micros);
                self.of(stream).latencies.count(latency_micros);
            }
            Err(status) => {
                self.recent.failed += 1;
                let stream = self.of(stream);
                *stream.errors.entry(name(status.code())).or_default() += 1;
                stream
                    .first_error
                    .get_or_insert_with(|| format!("{}: {}", name(status.code()), status.message()));
            }
        }
    }

    /// Counts requests that are still waiting as cancelled: their answers are no longer awaited.
    pub fn cancel(&mut self) {
        for stream in &mut self.streams {
            let waiting = stream.sent - stream.latencies.len() - stream.errors.values().sum::<u64>();
            if waiting > 0 {
                *stream.errors.entry(name(Code::Cancelled)).or_default() += waiting;
            }
        }
        self.waiting = 0;
    }

    /// Returns the number of requests that wait for an answer.
    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    /// Returns the events since the last call.
    pub fn take_recent(&mut self) -> Recent {
        std::mem::take(&mut self.recent)
    }

    /// Returns the microseconds within which 99 of 100 sent requests were sent after they were due;
    /// `None` if none was sent.
    pub fn delay_micros_p99(&self) -> Option<u64> {
        self.delays.quantile(0.99)
    }

    /// Returns the figures of each stream.
    pub fn streams(&self) -> Vec<StreamResult> {
        self.streams.iter().map(Stream::result).collect()
    }

    /// Returns the figures of all streams together.
    pub fn all(&self) -> StreamResult {
        let mut all = Stream { name: "all".into(), ..Stream::default() };
        for stream in &self.streams {
            all.due += stream.due;
            all.sent += stream.sent;
            all.late += stream.late;
            all.refused += stream.refused;
            all.latencies.add(&stream.latencies);
            for (code, count) in &stream.errors {
                *all.errors.entry(code.clone()).or_default() += count;
            }
            all.first_error = all.first_error.or_else(|| stream.first_error.clone());
        }
        all.result()
    }

    fn of(&mut self, stream: u16) -> &mut Stream {
        &mut self.streams[usize::from(stream)]
    }
}

impl Stream {
    fn result(&self) -> StreamResult {
        StreamResult {
            name: self.name.clone(),
            due: self.due,
            sent: self.sent,
            answered: self.latencies.len(),
            errors: self.errors.clone(),
            late: self.late,
            refused: self.refused,
            latency_micros_p50: self.latencies.quantile(0.5),
            latency_micros_p95: self.latencies.quantile(0.95),
            latency_micros_p99: self.latencies.quantile(0.99),
            latency_micros_max: self.latencies.max(),
            first_error: self.first_error.clone(),
        }
    }
}

fn name(code: Code) -> String {
    format!("{code:?}")
}
