//! Simulations one after the other, each to its end: a measurement that the user starts.

use tabletop_model::Error;
use tabletop_protocol::{HeatMetric, Simulate, SimulateRequest, SimulationChunk};
use tabletop_workspace::Traffic;
use yew::Callback;

use crate::page::actions::{JobEvent, UseJob, WorkerJobs};

/// A series of simulations on a design, one at a time.
pub struct Series {
    job: UseJob<Simulate>,
    is_running: bool,
    /// The simulation so far.
    current: Option<SimulationChunk>,
    error: Option<Error>,
}

impl Series {
    /// A series that has not started. Give each event to [`Series::take`].
    pub fn new(jobs: &WorkerJobs, on_event: Callback<JobEvent<Simulate>>) -> Series {
        Series { job: jobs.use_job(on_event), is_running: false, current: None, error: None }
    }

    /// Whether a simulation is in progress.
    pub fn is_running(&self) -> bool {
        self.is_running
    }

    /// The error that has ended the series.
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    /// Ends the series, and forgets its error.
    pub fn stop(&mut self) {
        self.job.end();
        (self.is_running, self.current, self.error) = (false, None, None);
    }

    /// Starts a simulation on the design at this index. Without a traffic, the series is over.
    pub fn simulate(&mut self, design: usize, traffic: Option<Traffic>) {
        self.is_running = traffic.is_some();
        if let Some(traffic) = traffic {
            self.job.begin(&SimulateRequest { index: design as u32, traffic });
        }
    }

    /// Takes an event. Returns a simulation that is complete; the caller starts the next one.
    pub fn take(&mut self, event: JobEvent<Simulate>) -> Option<SimulationChunk> {
        let chunk = match self.job.accept(event)? {
            Ok(chunk) => chunk,
            Err(error) => {
                self.stop();
                self.error = Some(error.into_error());
                return None;
            }
        };
        let all = match self.current.take() {
            Some(mut all) => {
                all.extend(chunk);
                all
            }
            None => chunk,
        };
        if all.is_complete() {
            self.job.end();
            return Some(all);
        }
        self.job.next(all.have(HeatMetric::Requests));
        self.current = Some(all);
        None
    }
}
