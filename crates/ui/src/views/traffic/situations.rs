//! Three situations, even traffic and a hot key on two and four nodes: simulated, next to the
//! result of the formula for a hot key.

use tabletop_protocol::{Simulate, SimulationChunk, scaling_answered};
use tabletop_texts::{Locale, locale, messages};
use tabletop_workspace::{Situation, StorageMedium};
use yew::{Html, Properties, html};

use super::formula::p99;
use super::series::Series;
use crate::kit::{ButtonKind, Context, Row, Stateful, Table, columns, push};
use crate::page::actions::{JobEvent, WorkerJobs};

/// Properties of [`Situations`].
#[derive(Properties, PartialEq)]
pub struct SituationsProps {
    /// Index of the design.
    pub design: usize,
    /// The revision of its table: a measurement of another one is dropped.
    pub revision: u64,
    pub storage: StorageMedium,
    pub jobs: WorkerJobs,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    pub locale: Locale,
}

/// The result of simulating a situation.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Found {
    /// The 99th percentile, in microseconds.
    p99: u64,
    /// The share of its cores that the busiest node used on average, 0 to 1.
    cpu: f64,
}

/// The measurement, and its results.
pub struct Situations {
    series: Series,
    /// Reads of the hot row that one node answers per second, once it is measured.
    one: Option<f64>,
    found: Vec<Found>,
}

pub enum Msg {
    Start,
    Series(JobEvent<Simulate>),
}

impl Stateful for Situations {
    type Message = Msg;
    type Properties = SituationsProps;

    fn create(ctx: &Context<Self>) -> Self {
        Situations {
            series: Series::new(&ctx.props().jobs, ctx.link().callback(Msg::Series)),
            one: None,
            found: Vec::new(),
        }
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &SituationsProps) -> bool {
        let new = ctx.props();
        if (new.design, new.revision, new.storage) != (old.design, old.revision, old.storage) {
            self.series.stop();
            (self.one, self.found) = (None, Vec::new());
        }
        true
    }

    fn update(&mut self, ctx: &Context<Self>, message: Msg) -> bool {
        match message {
            Msg::Start => {
                self.series.stop();
                (self.one, self.found) = (None, Vec::new());
            }
            Msg::Series(event) => {
                let Some(all) = self.series.take(event) else { return true };
                match self.one {
                    None => self.one = Some(scaling_answered(&all.history)),
                    Some(_) => self.found.push(Found::of(&all)),
                }
            }
        }
        let storage = ctx.props().storage;
        let next = match self.one {
            None => Some(Situation::measures_one(storage)),
            Some(one) => {
                Situation::ALL.get(self.found.len()).map(|situation| situation.traffic(one, storage))
            }
        };
        self.series.simulate(ctx.props().design, next);
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let says = &messages().traffic.formula;
        let start = (!self.series.is_running()).then(|| ctx.link().callback(|()| Msg::Start));
        html! {
            <div class="traffic-situations">
                { push(says.simulate, None, ButtonKind::Plain, start) }
                if self.series.is_running() {
                    <span class="soft num">{(messages().traffic.scaling.progress)(self.found.len(), Situation::ALL.len())}</span>
                }
                if let Some(error) = self.series.error() { <p class="problem" role="alert">{error.message.clone()}</p> }
                if let Some(one) = self.one {
                    <p class="soft">{(says.situations_of)(Situation::reads_per_second(one))}</p>
                }
                if let [first, ..] = self.found[..] { { table(&self.found, first) } }
                if let [even, two, four] = self.found[..] {
                    <p>{(says.differ)(even.p99, (two.p99, two.cpu), (four.p99, four.cpu))}</p>
                }
            </div>
        }
    }
}

impl Found {
    fn of(all: &SimulationChunk) -> Found {
        let nodes = all.history.first().map_or(0, |second| second.nodes.len());
        let of_node = |at: usize| {
            let cpus =
                all.history.iter().filter_map(|second| second.nodes.get(at)).map(|node| f64::from(node.cpu));
            cpus.sum::<f64>() / all.history.len().max(1) as f64
        };
        let p99 = all.totals.first().map_or(0, |all| all.latency_micros[2]);
        Found { p99, cpu: (0..nodes).map(of_node).fold(0.0, f64::max) }
    }
}

/// Draws the situations: by the formula and simulated, in milliseconds and as a multiple of the
/// first.
fn table(found: &[Found], first: Found) -> Html {
    let says = &messages().traffic.formula;
    let times = messages().traffic.scaling.times;
    let formula = |situation: &Situation| p99(situation.t(), situation.r(), situation.nodes());
    let base = formula(&Situation::ALL[0]);
    let line = |(situation, found): (&Situation, &Found)| {
        let by_formula = formula(situation);
        let both = |millis: f64, factor: f64| format!("{} · {}", (says.millis)(millis), times(factor));
        Row::named((says.situation)(situation.nodes(), situation.r()))
            .cell(both(by_formula, by_formula / base))
            .cell(both(found.p99 as f64 / 1e3, found.p99 as f64 / first.p99.max(1) as f64))
            .cell((messages().traffic.nodes.cpu)((found.cpu * 100.0).round() as u32))
    };
    Table::new(columns(says.heads, 1..4), Situation::ALL.iter().zip(found).map(line))
        .caption("soft small", says.situations)
        .within("traffic-totals", says.situations)
}
