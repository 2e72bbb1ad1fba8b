//! A simulation of the view, from its request on. The one before stays on the screen until the next has reached its moment.

use std::rc::Rc;

use tabletop_model::{Code, Error};
use tabletop_schema::{Field, HeatMetric, SimulateAsk, SimulationChunk, SimulationId, Template, Traffic, Workspace};
use tabletop_texts::messages;

use super::simulated::Simulated;
use crate::state::StoredKeys;

/// What is simulated beside the traffic on the design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// Nothing.
    Nothing,
    /// The same traffic on another design.
    Design(usize),
    /// The traffic without its load test.
    WithoutLoadTest,
}

impl Beside {
    /// Returns what can be beside the traffic, with its text.
    pub fn choices(workspace: &Workspace, design: usize, traffic: &Traffic) -> Vec<(String, Beside)> {
        let says = &messages().traffic;
        let mut choices = vec![(says.alone.to_owned(), Beside::Nothing)];
        if traffic.run.load_test.is_some() {
            choices.push((says.without_load_test.into(), Beside::WithoutLoadTest));
        }
        let others = workspace.designs.iter().enumerate().filter(|(at, other)| *at != design && other.index_of.is_none());
        choices.extend(others.map(|(at, other)| (other.name.clone(), Beside::Design(at))));
        choices
    }

    /// Returns the simulations that are shown.
    pub fn variants(self, workspace: &Workspace, fields: &[Field], design: usize, traffic: &Traffic) -> Vec<Variant> {
        let mut all = vec![Variant::new(workspace, fields, design, traffic.clone())];
        match self {
            Beside::Nothing => {}
            Beside::Design(other) => all.push(Variant::new(workspace, fields, other, traffic.clone())),
            Beside::WithoutLoadTest => {
                let mut without = traffic.clone();
                without.run.load_test = None;
                let title = messages().traffic.without_load_test.to_owned();
                all.push(Variant { title, ..Variant::new(workspace, fields, design, without) });
            }
        }
        all
    }
}

/// One of the simulations side by side.
pub struct Variant {
    title: String,
    design: usize,
    traffic: Traffic,
    /// The keys of its table.
    keys: Rc<StoredKeys>,
    /// The one before, as long as the current one has not reached the moment on the screen.
    before: Option<Simulated>,
    current: Option<Simulated>,
    error: Option<Error>,
    /// A request is under way.
    is_asked: bool,
    /// The metric that the last answer had no columns of.
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
            is_asked: false,
            asked_metric: HeatMetric::Requests,
        }
    }

    /// Returns it with what was on the screen at its place before.
    pub fn after(self, before: Option<Variant>) -> Variant {
        let same = before.filter(|before| before.design == self.design && before.title == self.title);
        Variant { before: same.and_then(|before| before.current.or(before.before)), ..self }
    }

    /// Returns the simulation that the worker has for it.
    pub fn id(&self) -> Option<SimulationId> {
        self.current.as_ref().map(|current| current.id)
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

    /// Returns what the screen shows.
    pub fn shown(&self) -> Option<&Simulated> {
        self.before.as_ref().or(self.current.as_ref())
    }

    /// Returns the seconds that are simulated.
    pub fn seconds(&self) -> u32 {
        self.current.as_ref().map_or(0, |current| current.seconds)
    }

    /// Returns whether nothing more comes.
    pub fn is_complete(&self) -> bool {
        self.current.as_ref().is_some_and(|current| current.is_complete())
    }

    /// Returns the next request, if there is one to send: the begin, more seconds, or the columns of another metric.
    pub fn next_ask(&mut self, metric: HeatMetric) -> Option<SimulateAsk> {
        if self.is_asked || self.error.is_some() {
            return None;
        }
        let ask = match &self.current {
            None => SimulateAsk::Begin { index: self.design as u32, traffic: self.traffic.clone() },
            Some(current) if current.is_complete() && self.asked_metric == metric => return None,
            Some(current) => {
                self.asked_metric = metric;
                SimulateAsk::More(current.have(metric))
            }
        };
        self.is_asked = true;
        Some(ask)
    }

    /// Takes an answer while the screen shows a moment. Returns whether to ask again later.
    pub fn take(&mut self, answer: Result<Option<SimulationChunk>, Error>, second: u32) -> bool {
        self.is_asked = false;
        match answer {
            Ok(Some(chunk)) => {
                match &mut self.current {
                    Some(current) => current.extend(chunk),
                    current => *current = Some(Simulated::new(chunk)),
                }
                if self.is_complete() || self.seconds() > second {
                    self.before = None;
                }
                false
            }
            Ok(None) => false,
            // The table is being built again: the picture of it is a moment old.
            Err(error) if error.code == Code::FailedPrecondition => true,
            // The worker has dropped it.
            Err(error) if error.code == Code::Cancelled && self.current.is_some() => {
                self.before = self.current.take();
                false
            }
            Err(error) => {
                self.error = Some(error);
                false
            }
        }
    }
}
