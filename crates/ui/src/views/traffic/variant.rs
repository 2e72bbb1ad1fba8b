//! A simulation of the view, from its request. The previous one stays visible until the new one has
//! reached its position.

use std::rc::Rc;

use tabletop_keys::{Field, Template};
use tabletop_model::Error;
use tabletop_protocol::{HeatMetric, JobError, Simulate, SimulateRequest};
use tabletop_texts::messages;
use tabletop_views::traffic::Simulated;
use tabletop_workspace::{Design, Traffic, Workspace};
use yew::Callback;

use crate::page::actions::{JobEvent, UseJob, WorkerJobs};
use crate::page::state::StoredKeys;

/// What is simulated next to the traffic on the design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// Nothing.
    Nothing,
    /// The same traffic on another design.
    Design(usize),
    /// The traffic without its load test.
    WithoutLoadTest,
}

impl Compared {
    /// Returns the simulations to compare with, with their texts.
    pub fn choices(workspace: &Workspace, design: usize, traffic: &Traffic) -> Vec<(String, Compared)> {
        let says = &messages().traffic;
        let mut choices = vec![(says.alone.to_owned(), Compared::Nothing)];
        if traffic.run.load_test.is_some() {
            choices.push((says.without_load_test.into(), Compared::WithoutLoadTest));
        }
        let others = workspace
            .designs
            .iter()
            .enumerate()
            .filter(|(at, other)| *at != design && other.index_of.is_none());
        choices.extend(others.map(|(at, other)| (other.name.clone(), Compared::Design(at))));
        choices
    }

    /// Returns the simulations that are shown.
    pub fn variants(
        self,
        workspace: &Workspace,
        fields: &[Field],
        design: usize,
        traffic: &Traffic,
    ) -> Vec<Variant> {
        let mut all = vec![Variant::new(workspace, fields, design, traffic.clone())];
        match self {
            Compared::Nothing => {}
            Compared::Design(other) => {
                let mut traffic = traffic.clone();
                // In a workspace of an earlier build, a log has the keys of the design shown.
                let Design { template, layout, .. } = &workspace.designs[design];
                let form = Template::parse(template, fields).0.stored(layout).text();
                traffic.change_replays(|replay| {
                    if replay.keys.is_empty() {
                        replay.keys.clone_from(&form);
                    }
                });
                all.push(Variant::new(workspace, fields, other, traffic));
            }
            Compared::WithoutLoadTest => {
                let mut without = traffic.clone();
                without.run.load_test = None;
                let title = messages().traffic.without_load_test.to_owned();
                all.push(Variant { title, ..Variant::new(workspace, fields, design, without) });
            }
        }
        all
    }
}

/// One of the simulations that are compared.
pub struct Variant {
    title: String,
    design: usize,
    traffic: Traffic,
    /// The keys of its table.
    keys: Rc<StoredKeys>,
    /// The previous simulation, until the current one has reached the position shown.
    before: Option<Simulated>,
    current: Option<Simulated>,
    error: Option<Error>,
    /// The simulation in the worker, once it has started.
    job: Option<UseJob<Simulate>>,
    /// The metric whose columns the last answer lacked.
    asked_metric: HeatMetric,
}

impl Variant {
    fn new(workspace: &Workspace, fields: &[Field], index: usize, traffic: Traffic) -> Variant {
        let design = &workspace.designs[index];
        let (template, _) = Template::parse(&design.template, fields);
        Variant {
            title: design.name.clone(),
            design: index,
            traffic,
            keys: Rc::new(StoredKeys::new(&template, &design.layout)),
            before: None,
            current: None,
            error: None,
            job: None,
            asked_metric: HeatMetric::Requests,
        }
    }

    /// Returns the variant, which shows the simulation of `before` until its own has caught up.
    pub fn after(self, before: Option<Variant>) -> Variant {
        let same = before.filter(|before| before.design == self.design && before.title == self.title);
        Variant { before: same.and_then(|before| before.current.or(before.before)), ..self }
    }

    pub fn title(&self) -> &str {
        &self.title
    }

    pub fn keys(&self) -> &Rc<StoredKeys> {
        &self.keys
    }

    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    /// Returns the simulation that is shown.
    pub fn shown(&self) -> Option<&Simulated> {
        self.before.as_ref().or(self.current.as_ref())
    }

    /// Returns the seconds that are simulated.
    pub fn seconds(&self) -> u32 {
        self.current.as_ref().map_or(0, |current| current.seconds)
    }

    /// Returns whether the simulation is complete.
    pub fn is_complete(&self) -> bool {
        self.current.as_ref().is_some_and(|current| current.is_complete())
    }

    /// Starts the simulation.
    pub fn begin(&mut self, jobs: &WorkerJobs, on_event: Callback<JobEvent<Simulate>>) {
        let job = self.job.insert(jobs.use_job(on_event));
        job.begin(&SimulateRequest { index: self.design as u32, traffic: self.traffic.clone() });
    }

    /// Requests more seconds, or the columns of another metric, unless nothing is missing or a
    /// request is in progress.
    pub fn request_more(&mut self, metric: HeatMetric) {
        let (Some(job), Some(current)) = (self.job.as_ref().filter(|job| job.is_ready()), &self.current)
        else {
            return;
        };
        if !current.is_complete() || self.asked_metric != metric {
            self.asked_metric = metric;
            job.next(current.have(metric));
        }
    }

    /// Takes an event while a second is shown. Returns whether it changes anything.
    pub fn take(&mut self, event: JobEvent<Simulate>, second: u32) -> bool {
        let Some(answer) = self.job.as_ref().and_then(|job| job.accept(event)) else { return false };
        match answer {
            Ok(chunk) => {
                match &mut self.current {
                    Some(current) => current.extend(chunk),
                    current => *current = Some(Simulated::new(chunk)),
                }
                if self.is_complete() || self.seconds() > second {
                    self.before = None;
                }
            }
            // The design or the events have changed: the view is about to start another simulation.
            Err(JobError::Gone) if self.current.is_some() => self.before = self.current.take(),
            Err(error) => self.error = Some(error.into_error()),
        }
        true
    }
}

/// Returns whether designs are equal except for how their results are displayed.
pub fn have_same_tables(one: &[Design], other: &[Design]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| one.differs_at_most_in_results(other))
}
