//! Throughput against nodes, measured by simulation: with even traffic, and with one hot row.

use tabletop_model::Error;
use tabletop_schema::{
    HeatMetric, KeyChoice, Schedule, SimulateAsk, SimulationChunk, StorageMedium, Stream, StreamKind, TRAFFIC_PER_SECOND_MAX,
    Traffic, TrafficRun,
};
use yew::{Callback, Component, Context, Html, Properties, html};

use crate::actions::SimulateRequest;
use crate::messages::messages;
use crate::messages::numbers::thousands;
use crate::widgets::{ButtonKind, push};

/// Numbers of nodes, ascending.
const NODES: [u32; 6] = [1, 2, 4, 8, 16, 32];
/// Rows of a scan: enough that few requests keep a node busy, and few beside those of a tablet, so that a scan is the work of one.
const ROWS: u32 = 10;
/// Requests per second that are more than one node answers.
const FIRST_RATE: f64 = 30_000.0;
/// Requests per second, as a multiple of what the nodes can answer: each node is busy, also one with fewer rows.
const OVERLOAD: f64 = 1.8;
/// Seconds of a measurement; the last two count.
const SECONDS: u32 = 4;
/// Tablets, at least: enough to balance the most nodes.
const TABLETS: u32 = 256;
/// The share of the hot row.
const HOT_SHARE: f64 = 0.95;
const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 160.0;

/// Properties of [`Scaling`].
#[derive(Properties, PartialEq)]
pub struct ScalingProps {
    /// Index of the design.
    pub design: usize,
    /// The revision of its table: a measurement of another one is dropped.
    pub revision: u64,
    pub storage: StorageMedium,
    pub on_simulate: Callback<SimulateRequest>,
}

/// The measurement, and what it has found.
pub struct Scaling {
    /// Counts measurements, so that answers to earlier ones are ignored.
    turn: u32,
    is_running: bool,
    /// Answers per second with even traffic, then with a hot row, each in the order of [`NODES`].
    answered: [Vec<f64>; 2],
    current: Option<SimulationChunk>,
    error: Option<Error>,
}

pub enum Msg {
    Start,
    Answered(u32, Box<Result<Option<SimulationChunk>, Error>>),
}

impl Component for Scaling {
    type Message = Msg;
    type Properties = ScalingProps;

    fn create(_: &Context<Self>) -> Self {
        Scaling { turn: 0, is_running: false, answered: Default::default(), current: None, error: None }
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &ScalingProps) -> bool {
        let new = ctx.props();
        if (new.design, new.revision, new.storage) != (old.design, old.revision, old.storage) {
            self.stop(ctx);
            self.answered = Default::default();
        }
        true
    }

    fn update(&mut self, ctx: &Context<Self>, message: Msg) -> bool {
        match message {
            Msg::Start => {
                self.stop(ctx);
                self.answered = Default::default();
                (self.is_running, self.error) = (true, None);
                self.begin(ctx);
            }
            Msg::Answered(turn, answer) if turn == self.turn => self.take(ctx, *answer),
            Msg::Answered(..) => return false,
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let says = &messages().traffic.scaling;
        let start = (!self.is_running).then(|| ctx.link().callback(|()| Msg::Start));
        let [even, hot] = &self.answered;
        html! {
            <details class="traffic-scaling">
                <summary>{says.title}</summary>
                <p>{says.about}</p>
                { push(says.measure, None, ButtonKind::Plain, start) }
                if self.is_running { <span class="soft num">{(says.progress)(even.len() + hot.len(), 2 * NODES.len())}</span> }
                if let Some(error) = &self.error { <p class="problem" role="alert">{error.message.clone()}</p> }
                if !even.is_empty() { { chart(even, hot) } }
            </details>
        }
    }

    fn destroy(&mut self, ctx: &Context<Self>) {
        self.stop(ctx);
    }
}

impl Scaling {
    /// Ends the simulation under way.
    fn stop(&mut self, ctx: &Context<Self>) {
        self.turn += 1;
        self.is_running = false;
        if let Some(chunk) = self.current.take() {
            ctx.props().on_simulate.emit(SimulateRequest { ask: SimulateAsk::End(chunk.id), answer: Callback::noop() });
        }
    }

    /// Begins the next simulation, if there is one left.
    fn begin(&mut self, ctx: &Context<Self>) {
        let [even, hot] = &self.answered;
        let (nodes, keys) = match (NODES.get(even.len()), NODES.get(hot.len())) {
            (Some(nodes), _) => (*nodes, KeyChoice::AsEvents),
            (None, Some(nodes)) => (*nodes, KeyChoice::Hot { field: None, value: None, share: HOT_SHARE }),
            (None, None) => {
                self.is_running = false;
                return;
            }
        };
        let per_second = even.first().map_or(FIRST_RATE, |one| OVERLOAD * one * f64::from(nodes)).min(TRAFFIC_PER_SECOND_MAX);
        let what = StreamKind::Scans { rows: ROWS };
        let streams = vec![Stream { name: "scans".into(), what, per_second, keys, when: Schedule::Constant }];
        let run =
            TrafficRun { nodes, seconds: SECONDS, storage: ctx.props().storage, tablets_min: TABLETS, ..TrafficRun::default() };
        let traffic = Traffic { streams, seed: 1, run, ..Traffic::default() };
        self.ask(ctx, SimulateAsk::Begin { index: ctx.props().design as u32, traffic });
    }

    fn ask(&self, ctx: &Context<Self>, ask: SimulateAsk) {
        let turn = self.turn;
        let answer = ctx.link().callback(move |answer| Msg::Answered(turn, Box::new(answer)));
        ctx.props().on_simulate.emit(SimulateRequest { ask, answer });
    }

    fn take(&mut self, ctx: &Context<Self>, answer: Result<Option<SimulationChunk>, Error>) {
        let chunk = match answer {
            Ok(Some(chunk)) => chunk,
            Ok(None) => return,
            Err(error) => {
                self.stop(ctx);
                self.error = Some(error);
                return;
            }
        };
        let all = match self.current.take() {
            Some(mut all) => {
                all.extend(chunk);
                all
            }
            None => chunk,
        };
        if !all.is_complete() {
            let have = all.have(HeatMetric::Requests);
            self.current = Some(all);
            return self.ask(ctx, SimulateAsk::More(have));
        }
        ctx.props().on_simulate.emit(SimulateRequest { ask: SimulateAsk::End(all.id), answer: Callback::noop() });
        let last = &all.history[all.history.len().saturating_sub(2)..];
        let answered = last.iter().map(|second| f64::from(second.all.answered)).sum::<f64>() / last.len().max(1) as f64;
        let of = usize::from(self.answered[0].len() == NODES.len());
        self.answered[of].push(answered);
        self.begin(ctx);
    }
}

/// Draws both curves, the line of a throughput that grows with the nodes, and the figures.
fn chart(even: &[f64], hot: &[f64]) -> Html {
    let says = &messages().traffic.scaling;
    let one = even[0].max(1.0);
    let most = NODES[NODES.len() - 1];
    let (x, y) = (
        |nodes: u32| f64::from(nodes) / f64::from(most) * WIDTH,
        |answered: f64| HEIGHT - answered / one / f64::from(most) * HEIGHT,
    );
    let curve = |answered: &[f64]| -> String {
        NODES.iter().zip(answered).map(|(nodes, answered)| format!("{:.1},{:.1} ", x(*nodes), y(*answered))).collect()
    };
    let line = |(at, nodes): (usize, &u32)| {
        let cell = |list: &[f64]| {
            list.get(at).map_or_else(Html::default, |answered| {
                html! { <>{(says.per_second)(*answered as u64)}{" · "}{(says.times)(answered / one)}</> }
            })
        };
        html! {
            <tr>
                <th scope="row" class="num">{thousands((*nodes).into())}</th>
                <td class="num">{cell(even)}</td>
                <td class="num">{cell(hot)}</td>
            </tr>
        }
    };
    html! {
        <div class="scaling-result">
            <figure class="traffic-chart">
                <svg role="img" aria-label={says.title} viewBox={format!("0 0 {WIDTH} {HEIGHT}")} preserveAspectRatio="none">
                    <line class="now" x1="0" y1={HEIGHT.to_string()} x2={WIDTH.to_string()} y2="0" />
                    <polyline class="answered" points={curve(even)} />
                    <polyline class="expired" points={curve(hot)} />
                </svg>
                <p class="curve-keys small">
                    <span class="curve-key"><i class="answered" aria-hidden="true"></i>{says.even}</span>
                    <span class="curve-key"><i class="expired" aria-hidden="true"></i>{says.hot}</span>
                </p>
            </figure>
            <div class="traffic-totals">
                <table>
                    <thead><tr><th scope="col">{says.nodes}</th><th scope="col">{says.even}</th><th scope="col">{says.hot}</th></tr></thead>
                    <tbody>{ for NODES.iter().enumerate().map(line) }</tbody>
                </table>
            </div>
        </div>
    }
}
