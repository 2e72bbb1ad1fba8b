//! Simulations of traffic on designs, continued slice by slice as the page asks for more.

use std::sync::Arc;

use tabletop_design::{Setting, SimulationRun};
use tabletop_model::{Code, Error, Result, wire};
use tabletop_schema::{Answer, HeatMetric, SimulateAsk, SimulationHave, SimulationId, Traffic, tables_of_designs};
use tabletop_workload::Population;

use super::{Session, supply};

/// Most simulations at a time. One more drops the oldest.
const SIMULATIONS_MAX: usize = 4;
/// Requests of one slice, about: some milliseconds of work.
const REQUESTS_PER_SLICE: f64 = 20_000.0;
/// Tenths of a second that one slice simulates at most.
const TENTHS_MAX: f64 = 20.0;

/// A simulation under way.
pub(super) struct OpenSimulation {
    id: SimulationId,
    run: SimulationRun,
    /// Tenths of a second in a slice.
    tenths: u32,
}

impl Session {
    /// Begins, continues or ends simulations.
    #[inline(never)]
    pub(super) fn simulate(&mut self, ask: &[u8]) -> Result<Answer> {
        let ask = wire::decode(ask).map_err(|_| Error::invalid("this is no request for a simulation"))?;
        let have = match ask {
            SimulateAsk::End(id) => {
                self.simulations.retain(|open| open.id != id);
                return Ok(Answer::Done);
            }
            SimulateAsk::More(have) => have,
            SimulateAsk::Begin { index, traffic } => {
                let id = self.begin_simulation(index, &traffic)?;
                SimulationHave { id, seconds: 0, cluster_events: 0, places: 0, metric: HeatMetric::default(), heat: 0 }
            }
        };
        let ended = || Error::new(Code::Cancelled, "this simulation was dropped: begin it again");
        let open = self.simulations.iter_mut().find(|open| open.id == have.id).ok_or_else(ended)?;
        open.run.step(self.load.events(), open.tenths);
        Ok(Answer::Simulated(wire::encode(&open.run.chunk(&have)).into()))
    }

    fn begin_simulation(&mut self, index: u32, traffic: &Traffic) -> Result<SimulationId> {
        let supply = supply(&self.load, &self.arrival, &self.workspace.cluster);
        let index = index as usize;
        let missing = || Error::not_found(format!("there is no design {index}, or it is an index table of another one"));
        let of = tables_of_designs(&self.workspace.designs).into_iter().find(|of| of.start == index).ok_or_else(missing)?;
        let tables: Vec<_> = self.design_tables[of].iter().collect();
        if tables.iter().any(|table| table.is_behind(supply) || table.is_unbuilt()) {
            let message = "the design's tables are still being built: wait until all events are in them";
            return Err(Error::new(Code::FailedPrecondition, message));
        }
        let (events, queries) = (self.load.events(), &self.workspace.queries);
        if let Some(problem) = traffic.problems(events.fields(), queries).first() {
            return Err(Error::invalid(problem.to_string()));
        }
        let population = Arc::new(Population::new(events, events.len(), traffic));
        let setting = Setting { events, traffic, queries, tablets: &self.workspace.cluster };
        let run = SimulationRun::new(&tables, &setting, population)?;
        self.last_read = self.last_read.wrapping_add(1);
        let id = SimulationId(self.last_read);
        let peak: f64 = traffic.streams.iter().map(|stream| stream.per_second * stream.when.peak()).sum();
        let tenths = (REQUESTS_PER_SLICE / (peak / 10.0).max(1.0)).clamp(1.0, TENTHS_MAX) as u32;
        self.simulations.push(OpenSimulation { id, run, tenths });
        if self.simulations.len() > SIMULATIONS_MAX {
            self.simulations.remove(0);
        }
        Ok(id)
    }
}
