//! Throughput against nodes, measured by simulation: with even traffic, and with one hot row.

use tabletop_protocol::{Simulate, scaling_answered};
use tabletop_texts::numbers::thousands;
use tabletop_texts::{Locale, locale, messages};
use tabletop_views::{charts::against_diagonal, scene::Paint};
use tabletop_workspace::{SCALING_NODES, ScalingKeys, StorageMedium, Traffic};
use yew::{Html, Properties, html};

use super::series::Series;
use crate::kit::{ButtonKind, Cell, Context, Row, Stateful, Table, columns, curve_key, picture, push};
use crate::page::actions::{JobEvent, WorkerJobs};

/// Properties of [`Scaling`].
#[derive(Properties, PartialEq)]
pub struct ScalingProps {
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

/// The measurement, and its results.
pub struct Scaling {
    series: Series,
    /// Answers per second with even traffic, then with a hot row, each in the order of
    /// [`SCALING_NODES`].
    answered: [Vec<f64>; 2],
}

pub enum Msg {
    Start,
    Series(JobEvent<Simulate>),
}

impl Stateful for Scaling {
    type Message = Msg;
    type Properties = ScalingProps;

    fn create(ctx: &Context<Self>) -> Self {
        Scaling {
            series: Series::new(&ctx.props().jobs, ctx.link().callback(Msg::Series)),
            answered: Default::default(),
        }
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &ScalingProps) -> bool {
        let new = ctx.props();
        if (new.design, new.revision, new.storage) != (old.design, old.revision, old.storage) {
            self.series.stop();
            self.answered = Default::default();
        }
        true
    }

    fn update(&mut self, ctx: &Context<Self>, message: Msg) -> bool {
        match message {
            Msg::Start => {
                self.series.stop();
                self.answered = Default::default();
            }
            Msg::Series(event) => {
                let Some(all) = self.series.take(event) else { return true };
                let of = usize::from(self.answered[0].len() == SCALING_NODES.len());
                self.answered[of].push(scaling_answered(&all.history));
            }
        }
        self.series.simulate(ctx.props().design, self.next(ctx.props().storage));
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let says = &messages().traffic.scaling;
        let start = (!self.series.is_running()).then(|| ctx.link().callback(|()| Msg::Start));
        let [even, hot] = &self.answered;
        html! {
            <details class="traffic-scaling">
                <summary>{says.title}</summary>
                <p>{says.about}</p>
                { push(says.measure, None, ButtonKind::Plain, start) }
                if self.series.is_running() {
                    <span class="soft num">{(says.progress)(even.len() + hot.len(), 2 * SCALING_NODES.len())}</span>
                }
                if let Some(error) = self.series.error() { <p class="problem" role="alert">{error.message.clone()}</p> }
                if !even.is_empty() { { chart(even, hot) } }
            </details>
        }
    }
}

impl Scaling {
    /// Returns the next traffic, if there is one left.
    fn next(&self, storage: StorageMedium) -> Option<Traffic> {
        let [even, hot] = &self.answered;
        let (keys, of) = if even.len() < SCALING_NODES.len() {
            (ScalingKeys::Even, even)
        } else {
            (ScalingKeys::OneRow, hot)
        };
        let nodes = *SCALING_NODES.get(of.len())?;
        Some(Traffic::scaling(keys, nodes, of.first().copied(), storage))
    }
}

/// Draws both curves, the line of a throughput that grows with the nodes, and the figures.
fn chart(even: &[f64], hot: &[f64]) -> Html {
    let says = &messages().traffic.scaling;
    let most = SCALING_NODES[SCALING_NODES.len() - 1];
    // Each line starts at what one node answers.
    let one = |of: &[f64]| of.first().copied().unwrap_or(1.0).max(1.0);
    let times = |answered: &[f64]| answered.iter().map(|count| *count / one(answered)).collect();
    let lines = [(Paint::Part(1), times(even)), (Paint::Hot, times(hot))];
    let line = |(at, nodes): (usize, &u32)| {
        let cell = |list: &[f64]| {
            list.get(at).map_or_else(Html::default, |answered| {
                html! { <>{(says.per_second)(*answered as u64)}{" · "}{(says.times)(answered / one(list))}</> }
            })
        };
        Row::named(Cell::from(thousands((*nodes).into())).class("num")).cells([cell(even), cell(hot)])
    };
    let columns = columns([says.nodes, says.even, says.hot], 1..3);
    html! {
        <div class="scaling-result">
            <figure class="traffic-chart">
                { picture(&against_diagonal(says.title, &SCALING_NODES, most, &lines)) }
                <p class="curve-keys small">
                    { curve_key(lines[0].0, says.even, None) }
                    { curve_key(lines[1].0, says.hot, None) }
                </p>
            </figure>
            <div class="traffic-totals">
                { Table::new(columns, SCALING_NODES.iter().enumerate().map(line)).draw() }
            </div>
        </div>
    }
}
