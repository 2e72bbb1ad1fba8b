//! Statistics of a server in Prometheus format: calls by method and code, their latencies, and
//! figures of tables.
//!
//! Calls and clients are counted as they happen. Everything else is looked up on request. The
//! number of time series is bounded: methods are those that the server answers, and only a limited
//! number of tables have their own series (`stats/tables.rs`).

mod exposition;
mod page;
mod tables;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tonic::Code;

use crate::host::Host;
use crate::lock::lock;
use exposition::{Exposition, Kind};

pub(crate) use page::{Page, serve};

/// The upper bounds of the latency histograms, in seconds. A last bucket is unbounded.
const BOUNDS: [f64; 16] =
    [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
/// The label for methods that do not exist or are not supported, because clients can make up names.
const OTHER: &str = "other";
/// The codes of gRPC: 0 to 16.
const CODES: usize = 17;

/// Counts of calls and clients.
#[derive(Debug)]
pub struct Stats {
    /// Calls by service and method.
    calls: Mutex<BTreeMap<&'static str, BTreeMap<String, Calls>>>,
    in_progress: AtomicU64,
    clients: AtomicU64,
    clients_all: AtomicU64,
    clients_refused: AtomicU64,
    /// Seconds since 1970.
    started: f64,
}

/// The calls of a method that have ended.
#[derive(Debug, Default)]
struct Calls {
    by_code: [u64; CODES],
    /// Counts by bucket; the last one is beyond all bounds.
    by_latency: [u64; BOUNDS.len() + 1],
    seconds: f64,
}

/// A call in progress. Dropping it counts a call that its client has cancelled.
pub(crate) struct CallTimer {
    stats: Arc<Stats>,
    service: &'static str,
    method: String,
    begun: Instant,
    has_ended: bool,
}

/// A connected client, counted until this is dropped.
pub(crate) struct Connected(Arc<Stats>);

impl Default for Stats {
    fn default() -> Stats {
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        Stats {
            calls: Mutex::default(),
            in_progress: AtomicU64::new(0),
            clients: AtomicU64::new(0),
            clients_all: AtomicU64::new(0),
            clients_refused: AtomicU64::new(0),
            started,
        }
    }
}

impl Stats {
    /// Begins to time a call of a service that the server has.
    pub(crate) fn begin(self: &Arc<Stats>, service: &'static str, method: &str) -> CallTimer {
        self.in_progress.fetch_add(1, Ordering::Relaxed);
        CallTimer {
            stats: self.clone(),
            service,
            method: method.into(),
            begun: Instant::now(),
            has_ended: false,
        }
    }

    /// Counts a client that has connected.
    pub(crate) fn connect(self: &Arc<Stats>) -> Connected {
        self.clients.fetch_add(1, Ordering::Relaxed);
        self.clients_all.fetch_add(1, Ordering::Relaxed);
        Connected(self.clone())
    }

    /// Returns the number of clients that are connected.
    pub(crate) fn clients(&self) -> u64 {
        self.clients.load(Ordering::Relaxed)
    }

    /// Counts a client that is rejected because there are too many.
    pub(crate) fn refuse(&self) {
        self.clients_refused.fetch_add(1, Ordering::Relaxed);
    }

    fn count(&self, service: &'static str, method: &str, code: Code, latency: Duration) {
        // Only unsupported methods have this code, so there are never more other labels than the
        // server has methods.
        let method = if code == Code::Unimplemented { OTHER } else { method };
        let mut calls = lock(&self.calls);
        let of_service = calls.entry(service).or_default();
        if !of_service.contains_key(method) {
            of_service.insert(method.into(), Calls::default());
        }
        let Some(calls) = of_service.get_mut(method) else { return };
        let seconds = latency.as_secs_f64();
        calls.by_code[code as usize % CODES] += 1;
        calls.by_latency[BOUNDS.partition_point(|bound| *bound < seconds)] += 1;
        calls.seconds += seconds;
    }

    /// Writes all statistics. This waits briefly for each open instance and does not open others.
    pub(crate) fn text(&self, host: &Host, call_bytes: u64) -> String {
        let mut out = Exposition::default();
        self.write_calls(&mut out);
        let mut one = |name: &str, kind: Kind, help: &str, value: u64| {
            out.family(name, kind, help);
            out.sample(name, &[], value);
        };
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        one(
            "tabletop_calls_in_progress",
            Kind::Gauge,
            "Calls whose answer is not complete.",
            of(&self.in_progress),
        );
        one(
            "tabletop_call_memory_bytes",
            Kind::Gauge,
            "Memory of requests and of answers that are not sent yet.",
            call_bytes,
        );
        one("tabletop_clients", Kind::Gauge, "Connections that are open.", of(&self.clients));
        one(
            "tabletop_clients_total",
            Kind::Counter,
            "Connections that were accepted.",
            of(&self.clients_all),
        );
        one(
            "tabletop_clients_refused_total",
            Kind::Counter,
            "Connections that were refused because there were too many.",
            of(&self.clients_refused),
        );
        tables::write(host, &mut out);
        out.family("tabletop_healthy", Kind::Gauge, "1 if /healthz answers ok.");
        out.sample("tabletop_healthy", &[], u64::from(host.health().is_ok()));
        if let Some(bytes) = resident_bytes() {
            out.family("process_resident_memory_bytes", Kind::Gauge, "Resident memory size in bytes.");
            out.sample("process_resident_memory_bytes", &[], bytes);
        }
        let name = "process_start_time_seconds";
        out.family(name, Kind::Gauge, "Start time of the process since unix epoch in seconds.");
        out.sample(name, &[], self.started);
        out.into_text()
    }

    fn write_calls(&self, out: &mut Exposition) {
        let calls = lock(&self.calls);
        let methods = || {
            calls
                .iter()
                .flat_map(|(service, of)| of.iter().map(move |(method, calls)| (*service, method, calls)))
        };
        let name = "tabletop_requests_total";
        out.family(name, Kind::Counter, "Calls that have ended, by the code of their answer.");
        for (service, method, calls) in methods() {
            for (code, count) in calls.by_code.iter().enumerate().filter(|(_, count)| **count > 0) {
                let code = format!("{:?}", Code::from_i32(code as i32));
                out.sample(name, &[("service", service), ("method", method), ("code", &code)], *count);
            }
        }
        let name = "tabletop_request_duration_seconds";
        out.family(
            name,
            Kind::Histogram,
            "Time from the head of a call to the end of its answer, which a slow client delays.",
        );
        for (service, method, calls) in methods() {
            let labels = [("service", service), ("method", method)];
            out.histogram(name, &labels, &BOUNDS, &calls.by_latency, calls.seconds);
        }
    }
}

impl CallTimer {
    /// Ends the call.
    pub(crate) fn end(mut self, code: Code) {
        self.has_ended = true;
        self.stats.count(self.service, &self.method, code, self.begun.elapsed());
    }
}

impl Drop for CallTimer {
    fn drop(&mut self) {
        self.stats.in_progress.fetch_sub(1, Ordering::Relaxed);
        if !self.has_ended {
            self.stats.count(self.service, &self.method, Code::Cancelled, self.begun.elapsed());
        }
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.clients.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Returns the memory of this process, where the operating system reports it in a file.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_by_code_and_latency() {
        let stats = Arc::new(Stats::default());
        let count =
            |method: &str, code, micros| stats.count("s", method, code, Duration::from_micros(micros));
        count("Read", Code::Ok, 100);
        count("Read", Code::Ok, 101);
        count("Read", Code::NotFound, 20_000_000);
        (0..100).for_each(|number| count(&format!("Made{number}"), Code::Unimplemented, 1));
        stats.begin("s", "Read").end(Code::Ok);
        drop(stats.begin("s", "Read"));
        let waiting = stats.begin("s", "Read");
        let text = stats.text(&Host::in_memory(|| 0), 5);
        drop(waiting);
        let says = |line: &str| assert!(text.lines().any(|found| found == line), "{line}: {text}");
        says(r#"tabletop_requests_total{service="s",method="Read",code="Ok"} 3"#);
        says(r#"tabletop_requests_total{service="s",method="Read",code="NotFound"} 1"#);
        says(r#"tabletop_requests_total{service="s",method="Read",code="Cancelled"} 1"#);
        says(r#"tabletop_requests_total{service="s",method="other",code="Unimplemented"} 100"#);
        says(r#"tabletop_request_duration_seconds_bucket{service="s",method="other",le="0.0001"} 100"#);
        says(r#"tabletop_request_duration_seconds_bucket{service="s",method="Read",le="10"} 4"#);
        says(r#"tabletop_request_duration_seconds_bucket{service="s",method="Read",le="+Inf"} 5"#);
        says(r#"tabletop_request_duration_seconds_count{service="s",method="Read"} 5"#);
        says("tabletop_calls_in_progress 1");
        says("tabletop_call_memory_bytes 5");
        assert!(!text.contains("Made"), "methods that clients make up have no series of their own");
    }
}
