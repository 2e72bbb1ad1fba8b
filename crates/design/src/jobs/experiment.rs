//! Runs of the article's experiment.

use std::sync::Arc;

use tabletop_model::{Result, Timestamp};
use tabletop_protocol::{
    Begin, Clock, JobError, Progress, Run,
    experiment::{
        EXPERIMENT_EVENTS_MAX, ExperimentChoice, ExperimentChunk, ExperimentProgress, ExperimentReport,
        RunExperiment,
    },
};
use tabletop_workload::Events;
use tabletop_workspace::{Design, Strategy};

use super::{DesignHost, check_loaded, has_same_tables};
use crate::experiment::{Experiment, ExperimentSettings, article_designs};

/// Microseconds after which a slice ends.
const SLICE_MICROS: Timestamp = 12_000;
/// The seed of the order of the runs in the page.
const SEED: u64 = 1;

/// An experiment and the events that it reads.
pub struct ExperimentRun {
    events: Events,
    experiment: Experiment,
}

impl ExperimentRun {
    /// Prepares an experiment with these events.
    ///
    /// # Errors
    /// The errors of [`Experiment::new`].
    pub fn new(settings: ExperimentSettings, events: Events) -> Result<ExperimentRun> {
        let experiment = Experiment::new(settings, &events)?;
        Ok(ExperimentRun { events, experiment })
    }

    /// Works for a slice of time. Returns the figures once everything is measured.
    ///
    /// # Errors
    /// The errors of the engine.
    pub fn work(&mut self, clock: Clock) -> Result<Option<ExperimentReport>> {
        let until = clock() + SLICE_MICROS;
        let mut micros = || u64::try_from(clock()).unwrap_or_default();
        loop {
            if !self.experiment.step(&self.events, &mut micros)? {
                return self.experiment.report().map(Some);
            }
            if clock() >= until {
                return Ok(None);
            }
        }
    }

    /// Returns how much is done.
    pub fn progress(&self) -> ExperimentProgress {
        self.experiment.progress()
    }
}

/// An experiment of the page, and the designs and events that it was begun with.
pub struct OpenExperiment {
    run: ExperimentRun,
    events: Arc<Events>,
    designs: Vec<Design>,
    strategy: Option<Strategy>,
}

impl<H: DesignHost + ?Sized> Begin<H> for OpenExperiment {
    fn begin(host: &mut H, choice: ExperimentChoice, _: Clock) -> Result<OpenExperiment, JobError> {
        check_loaded(host)?;
        let all = host.events();
        let mut events = Events::new(all.fields().to_vec());
        let mut values = Vec::new();
        for index in 0..all.len().min(EXPERIMENT_EVENTS_MAX as usize) {
            all.record(index, &mut values);
            events.push(&values)?;
        }
        let workspace = host.workspace();
        let mut designs = article_designs();
        let own = workspace
            .designs
            .iter()
            .filter(|design| design.index_of.is_none() && !has_tables_of(&designs, design));
        let own: Vec<Design> = own.cloned().collect();
        designs.extend(own);
        let ExperimentChoice { facets, sizes, rounds, network } = choice;
        let strategy = workspace.strategy.as_deref().cloned();
        let settings = ExperimentSettings {
            designs,
            sizes,
            rounds,
            facets,
            seed: SEED,
            strategy: strategy.clone(),
            network,
        };
        let run = ExperimentRun::new(settings, events).map_err(JobError::Unfit)?;
        Ok(OpenExperiment { run, events: all.clone(), designs: workspace.designs.clone(), strategy })
    }
}

impl<H: DesignHost + ?Sized> Run<H> for OpenExperiment {
    type Job = RunExperiment;

    fn next(&mut self, _: &mut H, (): (), clock: Clock) -> Result<Progress<RunExperiment>, JobError> {
        let report = self.run.work(clock)?;
        let is_last = report.is_some();
        Ok(Progress::of(ExperimentChunk { progress: self.run.progress(), report }, is_last))
    }

    fn is_current(&self, host: &H) -> bool {
        let (now, then) = (&host.workspace().designs, &self.designs);
        Arc::ptr_eq(&self.events, host.events())
            && host.workspace().strategy.as_deref() == self.strategy.as_ref()
            && now.len() == then.len()
            && now.iter().zip(then).all(|(now, then)| has_same_tables(now, then))
    }
}

/// Returns whether `design` has the same tables as one of these designs. To measure them twice
/// would only clutter the charts.
fn has_tables_of(designs: &[Design], design: &Design) -> bool {
    designs.iter().any(|known| has_same_tables(known, design))
}
