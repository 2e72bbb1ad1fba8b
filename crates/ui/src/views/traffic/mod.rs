//! The view that puts traffic on a design: which nodes carry it, how long requests take, and what
//! helps.
//!
//! The worker simulates; the page plays what it has received, at a speed that the user chooses. A
//! change of the traffic, of the cluster or of the design starts another simulation, which is shown
//! once it has reached the position shown.

mod charts;
mod fly;
pub mod formula;
mod load_all;
mod log;
mod nodes;
mod places;
pub mod player;
pub mod scaling;
mod series;
mod setup;
pub mod side;
pub mod situations;
mod streams;
mod variant;

use std::ops::{Bound, Range};
use std::rc::Rc;

use tabletop_advice::first_traffic;
use tabletop_keys::{Query, RowChoice};
use tabletop_model::{RowKey, RowRange};
use tabletop_protocol::{EventsView, HeatMetric, Playback, Simulate};
use tabletop_texts::{Locale, locale, messages};
use tabletop_views::traffic::Simulated;
use tabletop_workspace::{ClusterChange, Traffic, ViewId, Workspace};
use yew::{Callback, Html, Properties, html};

use crate::browser::{self, Timer};
use crate::kit::{Context, Icon, Keep, Label, Stateful, icon, select};
use crate::page::actions::{Actions, JobEvent, WorkerJobs, show_view};
use crate::page::state::{Edit, PageState};
use crate::panes::diagnoses::{Remedy, Undiagnosed, diagnoses};
use crate::panes::heatmap::Heatmap;
use crate::views::view::{Frame, Section, View, play_events};
use fly::Flight;
use formula::Formula;
use load_all::LoadAll;
use nodes::{NodeAction, Nodes, Scaler};
use places::place;
use player::{Play, SPEEDS};
use scaling::Scaling;
use side::{edited, side};
use situations::Situations;
use variant::{Compared, Variant, have_same_tables};

/// Seconds of a run before which nothing found does not mean that nothing is wrong: the traffic of one
/// second is spread over its tablets by chance.
const JUDGED_FROM: u32 = 5;
/// Milliseconds between two ticks while the clock runs.
const TICK_MILLIS: u32 = 100;
/// Milliseconds without another change before a simulation starts.
const QUIET_MILLIS: u32 = 250;

/// The view.
pub const VIEW: View = View {
    id: ViewId::Traffic,
    name: || messages().top_bar.traffic,
    frame: Frame::Section(Section { title: || messages().traffic.title, summary, draw, side: Some(side) }),
    play: play_events,
    place,
    has_figures: false,
};

/// Returns one line on the traffic.
fn summary(state: &PageState) -> String {
    let traffic = traffic_of(&state.workspace, &state.preview);
    (messages().traffic.summary)(
        traffic.peak_per_second(),
        traffic.is_constant(),
        traffic.run.nodes,
        traffic.run.seconds,
    )
}

/// Draws the content of the view.
#[inline(never)]
fn draw(state: &PageState, actions: &Actions) -> Html {
    let says = &messages().traffic;
    if let Some(why) = state.no_table() {
        return html! {
            <div class="inside-empty">
                <p class="headline">{why.title()}</p>
                <p>{why.advice()}</p>
            </div>
        };
    }
    let view = &state.view;
    let is_ready =
        view.events_total > 0 && view.events_built >= view.events_total && !view.building && !view.settling;
    if !is_ready {
        let is_waiting = view.events_arrived < view.events_total;
        return html! {
            <div class="inside-empty">
                <p class="headline">{says.waits}</p>
                <p>{says.waits_about}</p>
                <LoadAll {is_waiting} on_load={actions.play.reform(|()| Playback::Finish)} />
            </div>
        };
    }
    html! {
        <Keep<TrafficView> ..TrafficProps::of(state, actions) />
    }
}

/// Returns the traffic of a workspace, or the one that suits its events.
fn traffic_of(workspace: &Workspace, preview: &EventsView) -> Traffic {
    match &workspace.traffic {
        Some(traffic) => (**traffic).clone(),
        None => first_traffic(workspace, &preview.fields, &sample(preview)),
    }
}

fn sample(preview: &EventsView) -> Vec<Vec<Option<&str>>> {
    preview.events.iter().map(|event| event.iter().map(Option::as_deref).collect()).collect()
}

/// Properties of [`TrafficView`].
#[derive(Properties, PartialEq)]
pub struct TrafficProps {
    workspace: Rc<Workspace>,
    /// Index of the design shown.
    design: usize,
    /// The revision of its table.
    revision: u64,
    /// The first events, for presets.
    preview: Rc<EventsView>,
    on_edit: Callback<Edit>,
    jobs: WorkerJobs,
    /// Shows the rows of `[start, end)`.
    on_show_rows: Callback<(RowKey, RowKey)>,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    locale: Locale,
}

impl TrafficProps {
    /// Returns the properties on a page.
    pub fn of(state: &PageState, actions: &Actions) -> TrafficProps {
        let on_show_rows = {
            let (query, act) = (actions.query.clone(), actions.act.clone());
            Callback::from(move |(start, end): (RowKey, RowKey)| {
                let end = if end.is_empty() { Bound::Unbounded } else { Bound::Excluded(end) };
                let rows = RowChoice::Range(RowRange { start: Bound::Included(start), end });
                query.emit(Query { rows, filter: None, rows_limit: 100, reversed: false });
                show_view(&act, ViewId::Design);
            })
        };
        TrafficProps {
            workspace: state.workspace.clone(),
            design: state.design,
            revision: state.view.revision,
            preview: state.preview.clone(),
            on_edit: actions.edit.clone(),
            jobs: actions.jobs.clone(),
            on_show_rows,
            locale: locale(),
        }
    }
}

/// The view, with its simulations and its clock.
pub struct TrafficView {
    traffic: Rc<Traffic>,
    compared: Compared,
    /// The simulations that are shown next to each other.
    variants: Vec<Variant>,
    begins: Option<Timer>,
    clock: Option<Timer>,
    ticked_at: f64,
    /// The position shown, in seconds.
    position: f64,
    /// Index in [`SPEEDS`].
    speed: usize,
    metric: HeatMetric,
    /// The tablet that the user has selected.
    tablet: Option<u32>,
    /// The node whose tablets are all shown.
    whole_node: Option<u32>,
    /// Buckets that the heatmap highlights for a diagnosis.
    shown_buckets: Option<Range<usize>>,
    /// The stream whose curves are drawn, from 1; 0 for all.
    curves_of: usize,
    flight: Flight,
}

/// What happens to the view.
pub enum Msg {
    Begin,
    /// Something has happened to the simulation of a variant.
    Simulated(usize, JobEvent<Simulate>),
    Tick,
    Play(Play),
    Node(NodeAction),
    Metric(HeatMetric),
    Compared(usize),
    Remedy(Remedy),
    /// The stream whose curves are drawn, from 1; 0 for all.
    CurvesOf(usize),
}

impl Stateful for TrafficView {
    type Message = Msg;
    type Properties = TrafficProps;

    fn create(ctx: &Context<Self>) -> Self {
        let props = ctx.props();
        let traffic = Rc::new(traffic_of(&props.workspace, &props.preview));
        let moves = !browser::reduced_motion();
        let mut view = TrafficView {
            position: if moves { 0.0 } else { traffic.run.seconds.into() },
            traffic,
            compared: Compared::Nothing,
            variants: Vec::new(),
            begins: None,
            clock: None,
            ticked_at: 0.0,
            speed: 2,
            metric: HeatMetric::Requests,
            tablet: None,
            whole_node: None,
            shown_buckets: None,
            curves_of: 0,
            flight: Flight::new(moves),
        };
        view.begin(ctx);
        if moves {
            view.set_playing(ctx, true);
        }
        view
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &TrafficProps) -> bool {
        let props = ctx.props();
        let traffic = traffic_of(&props.workspace, &props.preview);
        let is_other = traffic != *self.traffic
            || (props.design, props.revision) != (old.design, old.revision)
            || !have_same_tables(&props.workspace.designs, &old.workspace.designs)
            || props.workspace.queries != old.workspace.queries
            || props.workspace.cluster != old.workspace.cluster;
        if props.workspace.name != old.workspace.name
            || !props.workspace.source.same_events(&old.workspace.source)
        {
            // Another workspace starts at its own beginning.
            self.position = if browser::reduced_motion() { traffic.run.seconds.into() } else { 0.0 };
            self.set_playing(ctx, !browser::reduced_motion());
        }
        if is_other {
            self.position = self.position.min(traffic.run.seconds.into());
            self.traffic = Rc::new(traffic);
            self.begin_soon(ctx);
        }
        true
    }

    fn update(&mut self, ctx: &Context<Self>, message: Msg) -> bool {
        match message {
            Msg::Begin => self.begin(ctx),
            Msg::Simulated(at, event) => return self.take(at, event),
            Msg::Tick => return self.tick(ctx),
            Msg::Play(Play::Toggle) => {
                let playing = self.clock.is_none();
                if playing && self.position >= self.total().into() {
                    self.position = 0.0;
                }
                self.set_playing(ctx, playing);
            }
            Msg::Play(Play::Seek(second)) => self.position = second.min(self.total()).into(),
            Msg::Play(Play::Step(seconds)) => {
                self.position = self.second().saturating_add_signed(seconds).min(self.total()).into();
            }
            Msg::Play(Play::Speed(speed)) => self.speed = speed,
            Msg::Node(NodeAction::Select(tablet)) => self.tablet = tablet,
            Msg::Node(NodeAction::ShowAll(node)) => self.whole_node = node,
            Msg::Node(NodeAction::Change(what)) => {
                let at_seconds = next_second(self.position);
                self.edit(ctx, move |traffic| {
                    let at = traffic.run.changes.partition_point(|change| change.at_seconds <= at_seconds);
                    traffic.run.changes.insert(at, ClusterChange { at_seconds, what: what.clone() });
                });
            }
            Msg::Metric(metric) => {
                self.metric = metric;
                self.request_more();
            }
            Msg::Compared(at) => {
                let choices = Compared::choices(&ctx.props().workspace, ctx.props().design, &self.traffic);
                self.compared = choices.get(at).map_or(Compared::Nothing, |(_, compared)| *compared);
                self.begin(ctx);
            }
            Msg::Remedy(Remedy::Design(fix)) => ctx.props().on_edit.emit(Edit::Fix(Box::new(fix.patch))),
            Msg::Remedy(Remedy::Cluster(fix)) => {
                self.edit(ctx, move |traffic| traffic.run.apply(fix));
            }
            Msg::Remedy(Remedy::Show((from, until))) => {
                self.shown_buckets = Some(from as usize..until as usize);
            }
            Msg::CurvesOf(of) => self.curves_of = of,
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let says = &messages().traffic;
        let second = self.second();
        html! {
            <>
                { self.head(ctx) }
                if let Some(first) = self.variants.first().and_then(Variant::shown) {
                    { player::player(first, second, self.clock.is_some(), self.speed, &ctx.link().callback(Msg::Play)) }
                }
                <div class="traffic-folds">
                    if let Some(first) = self.variants.first().and_then(Variant::shown) {
                        <Keep<Formula> nodes={self.traffic.run.nodes} simulated={first.totals.first().map(|all| all.latency_micros[2]).filter(|p99| *p99 > 0)}>
                            <Keep<Situations> design={ctx.props().design} revision={ctx.props().revision} storage={self.traffic.run.storage}
                                jobs={ctx.props().jobs.clone()} />
                        </Keep<Formula>>
                    }
                    <Keep<Scaling> design={ctx.props().design} revision={ctx.props().revision} storage={self.traffic.run.storage}
                        jobs={ctx.props().jobs.clone()} />
                </div>
                <div class={if self.variants.len() > 1 { "traffic-variants two" } else { "traffic-variants" }}>
                    { for self.variants.iter().enumerate().map(|(at, variant)| self.variant(ctx, at, variant)) }
                </div>
                <p class="soft small" role="status">{ self.progress(says) }</p>
            </>
        }
    }

    fn rendered(&mut self) {
        self.flight.rendered();
    }
}

impl TrafficView {
    fn total(&self) -> u32 {
        self.traffic.run.seconds
    }

    /// The second shown.
    fn second(&self) -> u32 {
        self.position as u32
    }

    /// Changes the traffic of the workspace.
    fn edit(&self, ctx: &Context<Self>, change: impl Fn(&mut Traffic) + 'static) {
        ctx.props().on_edit.emit(edited(&self.traffic, change));
    }

    /// Starts other simulations after a short time without changes.
    fn begin_soon(&mut self, ctx: &Context<Self>) {
        let link = ctx.link().clone();
        self.begins = Some(Timer::after(QUIET_MILLIS, move || link.send_message(Msg::Begin)));
    }

    fn begin(&mut self, ctx: &Context<Self>) {
        let props = ctx.props();
        let choices = Compared::choices(&props.workspace, props.design, &self.traffic);
        if !choices.iter().any(|(_, compared)| *compared == self.compared) {
            self.compared = Compared::Nothing;
        }
        let wanted =
            self.compared.variants(&props.workspace, &props.preview.fields, props.design, &self.traffic);
        let mut before = std::mem::take(&mut self.variants).into_iter();
        self.variants = wanted.into_iter().map(|wanted| wanted.after(before.next())).collect();
        let problems = self.problems(ctx);
        if problems.is_empty() {
            for (at, variant) in self.variants.iter_mut().enumerate() {
                variant.begin(&props.jobs, ctx.link().callback(move |event| Msg::Simulated(at, event)));
            }
        }
    }

    /// Requests what the simulations shown lack.
    fn request_more(&mut self) {
        let metric = self.metric;
        self.variants.iter_mut().for_each(|variant| variant.request_more(metric));
    }

    fn take(&mut self, at: usize, event: JobEvent<Simulate>) -> bool {
        let (metric, second) = (self.metric, self.second());
        let Some(variant) = self.variants.get_mut(at) else { return false };
        let is_new = variant.take(event, second);
        variant.request_more(metric);
        is_new
    }

    fn set_playing(&mut self, ctx: &Context<Self>, playing: bool) {
        self.ticked_at = browser::now_millis();
        let link = ctx.link().clone();
        self.clock = playing.then(|| Timer::every(TICK_MILLIS, move || link.send_message(Msg::Tick)));
    }

    /// Advances the clock, up to what is simulated.
    fn tick(&mut self, ctx: &Context<Self>) -> bool {
        let now = browser::now_millis();
        let passed = (now - std::mem::replace(&mut self.ticked_at, now)) / 1_000.0;
        let until = self.variants.iter().map(Variant::seconds).min().unwrap_or(0);
        let before = self.second();
        // After a change, the clock waits until the new simulation has reached the position.
        self.position =
            (self.position + passed * f64::from(SPEEDS[self.speed])).min(until.into()).max(self.position);
        if self.position >= self.total().into() {
            self.set_playing(ctx, false);
        }
        self.second() != before || self.clock.is_none()
    }

    fn problems(&self, ctx: &Context<Self>) -> Vec<String> {
        let props = ctx.props();
        let problems = self.traffic.problems(&props.preview.fields, &props.workspace.queries);
        problems.iter().map(ToString::to_string).collect()
    }

    /// Draws the diagnoses of the first simulation, and the choice of the simulation to compare
    /// with.
    fn head(&self, ctx: &Context<Self>) -> Html {
        let says = &messages().traffic;
        let props = ctx.props();
        let choices = Compared::choices(&props.workspace, props.design, &self.traffic);
        let texts: Vec<&str> = choices.iter().map(|(text, _)| text.as_str()).collect();
        let taken = choices.iter().position(|(_, compared)| *compared == self.compared);
        let problems = self.problems(ctx);
        html! {
            <div class="traffic-top">
                if !problems.is_empty() {
                    <div class="problem" role="alert">
                        {icon(Icon::Error)}
                        <div><strong>{says.wrong}</strong>{ for problems.into_iter().map(|problem| html! { <p>{problem}</p> }) }</div>
                    </div>
                } else if let Some(first) = self.variants.first().and_then(Variant::shown) {
                    { self.diagnoses(ctx, first) }
                }
                if choices.len() > 1 {
                    { select(Label::Shown(says.compare_with), &texts, taken, ctx.link().callback(Msg::Compared)) }
                }
            </div>
        }
    }

    /// Draws the problems that the seconds before the position show.
    fn diagnoses(&self, ctx: &Context<Self>, simulated: &Simulated) -> Html {
        let says = &messages().traffic.diagnoses;
        let (list, when) = match simulated.moment(self.second()) {
            Some(moment) => (&moment.diagnoses, Some((says.when)(moment.second))),
            None => (&simulated.diagnoses, None),
        };
        let nodes = simulated.second(self.second()).map(|second| second.nodes.iter().map(|node| node.cpu));
        let busiest = nodes.into_iter().flatten().fold(0.0, f32::max);
        let target = self.traffic.run.thresholds.cpu_target;
        let none = match simulated.overloaded(self.second()) {
            Some(second) => {
                let busiest = second.nodes.iter().map(|node| node.cpu).fold(0.0, f32::max);
                Undiagnosed::Strained((says.strained)(busiest, second.all.expired, second.waiting()))
            }
            None if f64::from(busiest) > target => {
                Undiagnosed::Strained((says.above_target)(busiest, target))
            }
            None if self.second() < JUDGED_FROM => Undiagnosed::Early((says.early)(JUDGED_FROM)),
            None => Undiagnosed::Good((says.none)(busiest, target)),
        };
        html! {
            <>
                { diagnoses(list, &none, when, &ctx.link().callback(Msg::Remedy)) }
                if simulated.is_complete() && self.second() >= self.total() {
                    { player::spells(simulated, &ctx.link().callback(Msg::Play)) }
                }
            </>
        }
    }

    /// Draws one simulation: its heatmap, nodes, curves and figures.
    fn variant(&self, ctx: &Context<Self>, at: usize, variant: &Variant) -> Html {
        let says = &messages().traffic;
        let title = (self.variants.len() > 1).then(|| html! { <h3>{variant.title()}</h3> });
        if let Some(error) = variant.error() {
            return html! { <section key={at} class="traffic-variant">{title}<p class="problem" role="alert">{icon(Icon::Error)}{error.message.clone()}</p></section> };
        }
        let Some(simulated) = variant.shown() else {
            return html! { <section key={at} class="traffic-variant">{title}<p class="soft">{(says.computing)(0, self.total())}</p></section> };
        };
        let position = self.second();
        let tablets = simulated.tablets(position);
        html! {
            <section key={at} class="traffic-variant" aria-label={variant.title().to_owned()}>
                {title}
                if let Some(error) = &simulated.refusal {
                    <p class="problem" role="alert">{icon(Icon::Warning)}{(says.refused)(&error.message)}</p>
                }
                if let Some(log) = simulated.log.filter(|log| log.is_converted || log.unread > 0) {
                    <p class="soft">{(says.log_keys)(log)}</p>
                }
                <Heatmap matrix={simulated.heat.clone()} places={simulated.places.clone()} keys={variant.keys().clone()}
                    seconds_total={simulated.seconds_total} at={self.position} metric={self.metric}
                    marked={self.shown_buckets.clone().filter(|_| at == 0)}
                    on_metric={ctx.link().callback(Msg::Metric)} on_show_rows={ctx.props().on_show_rows.clone()} />
                if let Some(second) = simulated.second(position) {
                    { Nodes {
                        second,
                        scaler: Scaler::at(simulated, position, &self.traffic.run),
                        tablets: &tablets,
                        selected: self.tablet.filter(|_| at == 0),
                        whole: self.whole_node,
                        goes_on: next_second(self.position) < self.total(),
                        on_action: &ctx.link().callback(Msg::Node),
                    }.draw() }
                }
                { charts::charts(simulated, position, self.curves_of, ctx.link().callback(Msg::CurvesOf)) }
                { charts::totals(simulated, position) }
                { player::events(simulated, position, &ctx.link().callback(Msg::Play)) }
            </section>
        }
    }

    fn progress(&self, says: &tabletop_texts::traffic::Traffic) -> String {
        let Some(variant) = self.variants.first() else { return String::new() };
        match variant.shown() {
            Some(shown) if variant.is_complete() => (says.executed)(shown.executed_every),
            _ => (says.computing)(variant.seconds(), self.total()),
        }
    }
}

/// Returns the second at which a change made now takes effect.
fn next_second(position: f64) -> u32 {
    position as u32 + 1
}
