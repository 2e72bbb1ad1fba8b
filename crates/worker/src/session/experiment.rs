//! The experiment of the article, continued slice by slice as the page asks for more.

use tabletop_design::experiment::{Experiment, ExperimentSettings, article_designs};
use tabletop_model::{Code, Error, Result, Timestamp, wire};
use tabletop_schema::experiment::{
    EXPERIMENT_EVENTS_MAX, ExperimentAsk, ExperimentChoice, ExperimentChunk, ExperimentId, ExperimentReport,
};
use tabletop_schema::{Answer, Design};
use tabletop_workload::Events;

use super::Session;

/// Microseconds after which a slice ends.
const SLICE_MICROS: Timestamp = 12_000;
/// The order of the runs.
const SEED: u64 = 1;

/// An experiment under way.
pub(super) struct OpenExperiment {
    id: ExperimentId,
    /// Events of its own: others may be loaded meanwhile.
    events: Events,
    experiment: Experiment,
    report: Option<ExperimentReport>,
}

impl Session {
    /// Begins, continues or ends the experiment. `clock` returns microseconds.
    #[inline(never)]
    pub(crate) fn experiment(&mut self, ask: &[u8], clock: &dyn Fn() -> Timestamp) -> Result<Answer> {
        let id = match wire::decode(ask).map_err(|_| Error::invalid("this is no request for an experiment"))? {
            ExperimentAsk::End(id) => {
                self.experiment.take_if(|open| open.id == id);
                return Ok(Answer::Done);
            }
            ExperimentAsk::More(id) => id,
            ExperimentAsk::Begin(choice) => self.begin_experiment(choice)?,
        };
        let ended = || Error::new(Code::Cancelled, "this experiment was dropped: begin it again");
        let open = self.experiment.as_mut().filter(|open| open.id == id).ok_or_else(ended)?;
        open.go_on(clock)?;
        let chunk = ExperimentChunk { id, progress: open.experiment.progress(), report: open.report.clone() };
        Ok(Answer::Experiment(wire::encode(&chunk).into()))
    }

    fn begin_experiment(&mut self, choice: ExperimentChoice) -> Result<ExperimentId> {
        let all = self.load.events();
        let mut events = Events::new(all.fields().to_vec());
        let mut values = Vec::new();
        for index in 0..all.len().min(EXPERIMENT_EVENTS_MAX as usize) {
            all.record(index, &mut values);
            events.push(&values)?;
        }
        let mut designs = article_designs();
        let own = self.workspace.designs.iter().filter(|design| design.index_of.is_none() && !is_one_of(&designs, design));
        let own: Vec<Design> = own.cloned().collect();
        designs.extend(own);
        let ExperimentChoice { facets, sizes, rounds, network } = choice;
        let strategy = self.workspace.strategy.as_deref().cloned();
        let settings = ExperimentSettings { designs, sizes, rounds, facets, seed: SEED, strategy, network };
        let experiment = Experiment::new(settings, &events)?;
        self.last_read = self.last_read.wrapping_add(1);
        let id = ExperimentId(self.last_read);
        self.experiment = Some(OpenExperiment { id, events, experiment, report: None });
        Ok(id)
    }
}

/// Whether a design makes the same tables as one of these. Measured twice, it would only fill the charts.
fn is_one_of(designs: &[Design], design: &Design) -> bool {
    let tables = (&design.template, &design.layout, &design.families);
    designs.iter().any(|known| (&known.template, &known.layout, &known.families) == tables)
}

impl OpenExperiment {
    /// Works for a slice of time.
    fn go_on(&mut self, clock: &dyn Fn() -> Timestamp) -> Result<()> {
        if self.report.is_some() {
            return Ok(());
        }
        let until = clock() + SLICE_MICROS;
        let mut micros = || u64::try_from(clock()).unwrap_or_default();
        loop {
            if !self.experiment.step(&self.events, &mut micros)? {
                self.report = Some(self.experiment.report()?);
                return Ok(());
            }
            if clock() >= until {
                return Ok(());
            }
        }
    }
}
