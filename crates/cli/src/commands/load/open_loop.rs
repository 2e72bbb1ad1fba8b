//! The open loop: each request is sent when it is due, whether or not earlier ones are answered.
//!
//! One thread makes the requests and waits for their times, because a sleep of this thread is more
//! exact than a timer of the runtime. Requests that find all places taken wait in order, and their
//! latency counts from the time at which they were due.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use futures_util::future::try_join_all;
use indicatif::ProgressBar;
use serde::Serialize;
use tabletop_keys::rate;
use tabletop_model::Error;
use tabletop_workload::{Arrival, Arrivals};
use tabletop_workspace::Traffic;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tonic::Status;

use super::measured::Measured;
use super::rate::{Control, scaled};
use crate::commands::Result;
use crate::commands::style::tell;
use crate::progress;
use crate::remote::{DataClient, Encoded};

/// Requests are made this long before they are due. A change of the rate takes effect after it.
const AHEAD: Duration = Duration::from_millis(10);
/// The pause while requests wait for a place.
const PAUSE: Duration = Duration::from_micros(500);
/// A request that has waited for a place for this fraction of its deadline is not sent: the rest
/// would hardly be enough for an answer.
const WAITED_MAX: f64 = 0.5;
/// The interval at which progress is shown.
const SHOWN_EVERY: Duration = Duration::from_millis(500);

/// The settings of a loop.
#[derive(Clone, Copy)]
pub(super) struct Loop<'a> {
    /// The number of seconds during which requests become due.
    pub seconds: u32,
    /// The maximum number of requests that wait for an answer.
    pub parallel: u32,
    /// The time for an answer, from the time at which a request is due.
    pub deadline: Duration,
    /// The initial factor of the rates.
    pub factor: f64,
    /// The traffic with its own rates.
    pub base: &'a Traffic,
}

/// A change of the rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct RateChange {
    /// Seconds since the start.
    pub at_seconds: f64,
    /// The factor of the workspace's rates from then on.
    pub factor: f64,
}

/// A loop that has ended.
#[derive(Debug)]
pub(super) struct Run {
    pub measured: Measured,
    /// The number of seconds during which requests became due.
    pub seconds: f64,
    pub rates: Vec<RateChange>,
}

/// Makes the requests of an arrival, which are sent together.
pub(super) type Make<'m> = dyn FnMut(&Arrival) -> tabletop_model::Result<Vec<Encoded>> + 'm;

/// Runs a loop until its time is over or the user stops it, and all answers have arrived or are too
/// late.
///
/// # Errors
/// None for failed requests: they are counted.
pub(super) fn run(
    runtime: &Runtime,
    client: &Arc<DataClient>,
    control: &Control,
    settings: &Loop<'_>,
    arrivals: Arrivals,
    names: impl Iterator<Item = String>,
    make: &mut Make<'_>,
) -> Result<Run> {
    let bar = progress::bar(Some(settings.seconds.into()), "{bar:20} {human_pos} of {human_len} s  {msg}");
    let mut running = Running {
        runtime,
        client,
        settings,
        measured: Arc::new(Mutex::new(Measured::new(names))),
        places: Arc::new(Semaphore::new(settings.parallel as usize)),
        backlog: VecDeque::new(),
        begun: Instant::now(),
        shown: Instant::now(),
        bar,
    };
    let (seconds, rates) = running.send_all(control, arrivals, make);
    running.wait(control, make);
    running.bar.finish_and_clear();
    let mut measured = running.lock();
    measured.cancel();
    let measured = std::mem::replace(&mut *measured, Measured::new(std::iter::empty()));
    Ok(Run { measured, seconds, rates })
}

struct Running<'a> {
    runtime: &'a Runtime,
    client: &'a Arc<DataClient>,
    settings: &'a Loop<'a>,
    measured: Arc<Mutex<Measured>>,
    places: Arc<Semaphore>,
    /// Requests that are due and wait for a place, the oldest first.
    backlog: VecDeque<Arrival>,
    begun: Instant,
    shown: Instant,
    bar: ProgressBar,
}

impl Running<'_> {
    /// Sends requests until the time is over. Returns how long that took, and the changes of the
    /// rate.
    fn send_all(
        &mut self,
        control: &Control,
        mut arrivals: Arrivals,
        make: &mut Make<'_>,
    ) -> (f64, Vec<RateChange>) {
        let end = Duration::from_secs(self.settings.seconds.into());
        let (mut made, mut next) = (Duration::ZERO, Vec::new());
        let mut due = VecDeque::new();
        let mut rates = Vec::new();
        loop {
            let now = self.begun.elapsed();
            if control.is_stopped() {
                return (now.min(end).as_secs_f64(), rates);
            }
            if let Some(wanted) = control.take_rate() {
                let factor = wanted.factor(self.settings.base);
                match scaled(self.settings.base, factor).and_then(|traffic| arrivals.change(&traffic)) {
                    Ok(()) => rates.push(RateChange { at_seconds: made.max(now).as_secs_f64(), factor }),
                    Err(Error { message, .. }) => self.bar.suspend(|| tell(message)),
                }
            }
            if due.is_empty() && made < end {
                made = (now.max(made) + AHEAD).min(end);
                arrivals.tick(made.as_nanos() as u64, &mut next);
                due.extend(next.drain(..));
            }
            while let Some(arrival) =
                due.pop_front_if(|arrival| Duration::from_nanos(arrival.at_nanos) <= self.begun.elapsed())
            {
                self.lock().is_due(arrival.stream);
                self.backlog.push_back(arrival);
                self.send_waiting(make);
            }
            self.send_waiting(make);
            self.show();
            if due.is_empty() && made >= end && now >= end {
                return (end.as_secs_f64(), rates);
            }
            let next = due.front().map_or(made, |arrival| Duration::from_nanos(arrival.at_nanos));
            let pause = next.saturating_sub(self.begun.elapsed());
            sleep(if self.backlog.is_empty() { pause.min(AHEAD) } else { pause.min(PAUSE) });
        }
    }

    /// Sends requests that still wait for a place, and waits for answers until the user aborts.
    fn wait(&mut self, control: &Control, make: &mut Make<'_>) {
        let asked = control.is_stopped();
        loop {
            // A load that is stopped sends no more requests.
            if control.is_stopped() {
                let late: Vec<Arrival> = self.backlog.drain(..).collect();
                let mut measured = self.lock();
                late.iter().for_each(|arrival| measured.is_late(arrival.stream));
            }
            self.send_waiting(make);
            let is_done = self.backlog.is_empty() && self.lock().waiting() == 0;
            if is_done || control.is_aborted() {
                return;
            }
            self.show();
            sleep(if asked { AHEAD } else { PAUSE });
        }
    }

    /// Sends the oldest requests while there are places, and drops requests that have waited too
    /// long.
    fn send_waiting(&mut self, make: &mut Make<'_>) {
        while let Some(arrival) = self.backlog.front().copied() {
            let due = self.begun + Duration::from_nanos(arrival.at_nanos);
            let deadline = due + self.settings.deadline;
            if due.elapsed() >= self.settings.deadline.mul_f64(WAITED_MAX) {
                self.backlog.pop_front();
                self.lock().is_late(arrival.stream);
                continue;
            }
            let Ok(place) = self.places.clone().try_acquire_owned() else { return };
            self.backlog.pop_front();
            let requests = match make(&arrival) {
                Ok(requests) => requests,
                Err(error) => {
                    self.lock().refuse(arrival.stream, &error.message);
                    continue;
                }
            };
            self.lock().send(arrival.stream, micros(due));
            let (client, measured, stream) = (self.client.clone(), self.measured.clone(), arrival.stream);
            self.runtime.spawn(async move {
                let answers = try_join_all(requests.into_iter().map(|request| client.send(request)));
                let outcome = match tokio::time::timeout_at(deadline.into(), answers).await {
                    Ok(outcome) => outcome.map(drop),
                    Err(_) => Err(Status::deadline_exceeded("no answer before the deadline")),
                };
                measured.lock().unwrap_or_else(PoisonError::into_inner).end(stream, micros(due), outcome);
                drop(place);
            });
        }
    }

    /// Shows the progress from time to time.
    fn show(&mut self) {
        let passed = self.shown.elapsed();
        if passed < SHOWN_EVERY {
            return;
        }
        self.shown = Instant::now();
        let (recent, waiting) = {
            let mut measured = self.lock();
            (measured.take_recent(), measured.waiting())
        };
        let per_second = |count: u64| rate(count as f64 / passed.as_secs_f64());
        let p99 = recent
            .latencies
            .quantile(0.99)
            .map_or("-".into(), |micros| format!("{:.1} ms", micros as f64 / 1e3));
        let errors = if recent.failed > 0 {
            format!(", {} errors/s", per_second(recent.failed))
        } else {
            String::new()
        };
        let backlog = if self.backlog.is_empty() {
            String::new()
        } else {
            format!(", {} not sent yet", self.backlog.len())
        };
        self.bar.set_position(self.begun.elapsed().as_secs().min(self.settings.seconds.into()));
        self.bar.set_message(format!(
            "{}/s sent, {}/s answered, p99 {p99}, {waiting} waiting{backlog}{errors}",
            per_second(recent.sent),
            per_second(recent.latencies.len()),
        ));
    }

    fn lock(&self) -> MutexGuard<'_, Measured> {
        self.measured.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the microseconds since a time.
fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}
