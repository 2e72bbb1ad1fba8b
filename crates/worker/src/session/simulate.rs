//! Simulations of traffic on designs, continued slice by slice as the page asks for more.

use std::ops::Range;
use std::sync::Arc;

use tabletop_design::{DesignTable, Setting, SimulationRun, Supply};
use tabletop_model::{Bytes, Code, Error, Result, wire};
use tabletop_schema::{
    Answer, HeatMetric, REPLAY_KEPT_MAX, SimulateAsk, SimulationHave, SimulationId, Stream, Traffic, tables_of_designs,
};
use tabletop_workload::{Population, Trace};

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

/// A table that is built again from all events.
pub(super) struct BuiltAgain {
    /// The design's table on the screen, and its revision.
    of: (u32, u64),
    table: DesignTable,
}

/// Makes streams of a trace, so few that a workspace can keep them.
fn read_trace(name: &str, bytes: &[u8]) -> Result<Bytes> {
    let (trace, problems) = Trace::read(bytes);
    if trace.requests().is_empty() {
        let why =
            problems.first().map_or("it has no lines".into(), |problem| format!("line {}: {}", problem.line, problem.message));
        return Err(Error::invalid(format!("the file has no request to replay; {why}")));
    }
    Ok(wire::encode(&trace.streams(name, REPLAY_KEPT_MAX, problems)).into())
}

impl Session {
    /// Begins, continues or ends simulations.
    #[inline(never)]
    pub(super) fn simulate(&mut self, ask: &[u8]) -> Result<Answer> {
        let ask = wire::decode(ask).map_err(|_| Error::invalid("this is no request for a simulation"))?;
        let have = match ask {
            SimulateAsk::End(id) => {
                self.simulations.retain(|open| open.id != id);
                if self.simulations.is_empty() {
                    self.built_again.clear();
                }
                return Ok(Answer::Done);
            }
            SimulateAsk::More(have) => have,
            SimulateAsk::ReadTrace { name, bytes } => return read_trace(&name, &bytes).map(Answer::Simulated),
            SimulateAsk::Begin { index, traffic } => {
                let id = self.begin_simulation(index, &traffic)?;
                SimulationHave::nothing(id, HeatMetric::default())
            }
        };
        let ended = || Error::new(Code::Cancelled, "this simulation was dropped: begin it again");
        let open = self.simulations.iter_mut().find(|open| open.id == have.id).ok_or_else(ended)?;
        open.run.step(self.load.events(), open.tenths);
        Ok(Answer::Simulated(wire::encode(&open.run.chunk(&have)).into()))
    }

    fn begin_simulation(&mut self, index: u32, traffic: &Traffic) -> Result<SimulationId> {
        let index = index as usize;
        let missing = || Error::not_found(format!("there is no design {index}, or it is an index table of another one"));
        let of = tables_of_designs(&self.workspace.designs).into_iter().find(|of| of.start == index).ok_or_else(missing)?;
        self.bring_to_rest(of.clone())?;
        let (events, queries) = (self.load.events(), &self.workspace.queries);
        if let Some(problem) = traffic.problems(events.fields(), queries).first() {
            return Err(Error::invalid(problem.to_string()));
        }
        let population = Arc::new(Population::new(events, events.len(), traffic));
        let setting = Setting { events, traffic, queries, tablets: &self.workspace.cluster };
        let tables: Vec<_> = self.design_tables[of].iter().map(|table| self.table_at_rest(table)).collect();
        let run = SimulationRun::new(&tables, &setting, population)?;
        self.last_read = self.last_read.wrapping_add(1);
        let id = SimulationId(self.last_read);
        let peak: f64 = traffic.streams.iter().map(Stream::peak_per_second).sum();
        let tenths = (REQUESTS_PER_SLICE / (peak / 10.0).max(1.0)).clamp(1.0, TENTHS_MAX) as u32;
        self.simulations.push(OpenSimulation { id, run, tenths });
        if self.simulations.len() > SIMULATIONS_MAX {
            self.simulations.remove(0);
        }
        Ok(id)
    }

    /// Sees to it that there is a table at rest for each of these designs.
    ///
    /// # Errors
    /// `FailedPrecondition` while one is being built, `NotFound` for a design that has no table, `InvalidArgument` without events.
    fn bring_to_rest(&mut self, designs: Range<usize>) -> Result<()> {
        let supply = supply(&self.load, &self.arrival, &self.workspace.cluster);
        if supply.events.is_empty() && !self.load.is_loading() {
            return Err(Error::invalid("there are no events that requests could be for: load some first"));
        }
        let mut all_rest = !self.load.is_loading();
        for table in &self.design_tables[designs] {
            if !table.has_template() {
                let message = "the design has no table yet: correct its template first";
                return Err(Error::new(Code::NotFound, message));
            }
            let of = (table.id, table.revision());
            let rests = |again: &BuiltAgain| again.of == of && again.table.has_rest(supply.events);
            if table.has_rest(supply.events) || self.built_again.iter().any(rests) {
                continue;
            }
            all_rest = false;
            if !self.load.is_loading() && !table.comes_to_rest(supply) && !self.built_again.iter().any(|again| again.of == of) {
                self.built_again.retain(|again| again.of.0 != table.id);
                self.built_again.push(BuiltAgain { of, table: table.again(&self.workspace.cluster) });
            }
        }
        let message = "the design's tables are still being built: wait until all events are in them";
        if all_rest { Ok(()) } else { Err(Error::new(Code::FailedPrecondition, message)) }
    }

    /// Returns the table from which simulations of a design begin.
    fn table_at_rest<'a>(&'a self, table: &'a DesignTable) -> &'a DesignTable {
        let again = self.built_again.iter().find(|again| again.of == (table.id, table.revision()));
        again.filter(|_| !table.has_rest(self.load.events())).map_or(table, |again| &again.table)
    }

    /// Goes on with the tables that are built again. Returns whether there was anything to do.
    pub(super) fn build_again(&mut self, count: u32) -> bool {
        if self.load.is_loading() {
            return false;
        }
        let tables = &self.design_tables;
        self.built_again.retain(|again| tables.iter().any(|table| again.of == (table.id, table.revision())));
        let supply = Supply::all(self.load.events(), &self.workspace.cluster);
        let mut worked = false;
        for again in &mut self.built_again {
            worked |= again.table.step(supply, count);
        }
        worked
    }
}
