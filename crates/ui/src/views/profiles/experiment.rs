//! The article's experiment: the batch job on the same events in several layouts, measured in this
//! browser.

use std::rc::Rc;

use tabletop_keys::{bytes, thousands};
use tabletop_protocol::experiment::{
    EXPERIMENT_EVENTS_MAX, ExperimentChoice, ExperimentChunk, ExperimentProgress, ExperimentReport, Network,
    RunExperiment,
};
use tabletop_texts::numbers::duration;
use tabletop_texts::{Locale, locale, messages};
use tabletop_views::{
    charts::{AxesChart, Series},
    scene::LIGHT,
};
use yew::{Html, Properties, html};

use super::encodings::encodings;
use crate::browser;
use crate::kit::{
    ButtonKind, Context, FormNumber, Icon, Place, Row, Stateful, Table, Ways, checked, columns, form, icon,
    number, picture, push, save_file,
};
use crate::page::actions::{JobEvent, UseJob, WorkerJobs};

/// The shortest round trip of a network in the page, and the round trip of another zone, in ms.
const ROUND_TRIP: f64 = 0.5;
/// The bandwidth of a network, in MB/s.
const BANDWIDTH: f64 = 125.0;

/// Properties of [`ExperimentView`].
#[derive(Properties, PartialEq)]
pub struct ExperimentProps {
    /// The number of loaded events: if it changes, figures are outdated.
    pub events: u32,
    /// The number of facets that the events have.
    pub facets: u32,
    pub jobs: WorkerJobs,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    pub locale: Locale,
}

/// The choices, and the progress.
pub struct ExperimentView {
    choice: ExperimentChoice,
    /// Milliseconds of a round trip, and MB/s, of the network that is added.
    network: (bool, f64, f64),
    job: UseJob<RunExperiment>,
    progress: Option<ExperimentProgress>,
    /// The last figures, kept while others are measured.
    report: Option<Rc<ExperimentReport>>,
    said: &'static str,
}

/// A file of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum File {
    Png,
    Svg,
}

/// What happens to the experiment.
pub enum Msg {
    Start,
    Stop,
    Answered(Box<JobEvent<RunExperiment>>),
    Choose(Place<ExperimentView>, Option<f64>),
    Network(bool),
    Save(usize, File),
    Csv,
    Saved(bool),
}

impl Stateful for ExperimentView {
    type Message = Msg;
    type Properties = ExperimentProps;

    fn create(ctx: &Context<Self>) -> Self {
        ExperimentView {
            choice: ExperimentChoice { facets: 3, sizes: 4, rounds: 3, network: None },
            network: (false, ROUND_TRIP, BANDWIDTH),
            job: ctx.props().jobs.use_job(ctx.link().callback(|event| Msg::Answered(Box::new(event)))),
            progress: None,
            report: None,
            said: "",
        }
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &ExperimentProps) -> bool {
        if ctx.props().events != old.events {
            self.job.end();
            self.report = None;
        }
        true
    }

    fn update(&mut self, ctx: &Context<Self>, message: Msg) -> bool {
        match message {
            Msg::Start => self.start(ctx),
            Msg::Stop => self.job.end(),
            Msg::Answered(event) => match self.job.accept(*event) {
                Some(Ok(chunk)) => self.take(chunk),
                // The hook has the error.
                Some(Err(_)) => {}
                None => return false,
            },
            Msg::Choose(place, value) => place.set(self, value),
            Msg::Network(is_on) => self.network.0 = is_on,
            Msg::Save(at, file) => self.save(ctx, at, file),
            Msg::Csv => {
                let Some(report) = &self.report else { return false };
                self.said =
                    saved(browser::download("tabletop-experiment.csv", "text/csv", &report.csv()).is_ok());
            }
            Msg::Saved(is_saved) => self.said = saved(is_saved),
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let (says, link) = (&messages().profiles.experiment, ctx.link());
        let events = ctx.props().events.min(EXPERIMENT_EVENTS_MAX);
        html! {
            <section class="profiles-experiment" aria-labelledby="profiles-experiment-title">
                <h3 id="profiles-experiment-title">{says.title}</h3>
                <p class="soft">{(says.about)(events.into())}</p>
                { self.choices(ctx) }
                <div class="traffic-head">
                    if self.job.is_waiting() {
                        { push(says.stop, Some(Icon::Pause), ButtonKind::Plain, link.callback(|()| Msg::Stop)) }
                    } else {
                        { push(says.start, Some(Icon::Play), ButtonKind::Primary, link.callback(|()| Msg::Start)) }
                    }
                    { self.progress() }
                </div>
                if let Some(error) = self.job.error() {
                    <p class="problem" role="alert">{icon(Icon::Error)}<span>{error.message}</span></p>
                }
                if let Some(report) = &self.report { { self.report(report, ctx) } }
                <p class="visually-hidden" role="status">{self.said}</p>
            </section>
        }
    }
}

fn saved(is_saved: bool) -> &'static str {
    let common = &messages().common;
    if is_saved { common.downloaded } else { common.download_forbidden }
}

impl ExperimentView {
    fn start(&mut self, ctx: &Context<Self>) {
        let (is_on, round_trip, bandwidth) = self.network;
        let network = is_on
            .then_some(Network { round_trip_micros: round_trip * 1e3, bytes_per_second: bandwidth * 1e6 });
        let facets = self.choice.facets.clamp(1, ctx.props().facets.max(1));
        (self.progress, self.said) = (None, "");
        self.job.begin(&ExperimentChoice { facets, network, ..self.choice });
    }

    fn take(&mut self, chunk: ExperimentChunk) {
        self.progress = Some(chunk.progress);
        match chunk.report {
            Some(report) => {
                (self.report, self.said) = (Some(Rc::new(report)), messages().profiles.experiment.done);
            }
            None => self.job.next(()),
        }
    }

    fn choices(&self, ctx: &Context<Self>) -> Html {
        let (says, link) = (&messages().profiles.experiment, ctx.link());
        let whole = |label, max: u32, number: Ways<ExperimentView, f64>| {
            FormNumber::whole(label, (1.0, max.into()), number)
        };
        let any = |label, bounds, number: Ways<ExperimentView, f64>| {
            FormNumber::any(label, bounds, number).step(0.5)
        };
        let fields = |numbers: Vec<FormNumber<ExperimentView>>| {
            form(numbers, self, |place| link.callback(move |value| Msg::Choose(place, value)))
                .collect::<Html>()
        };
        let choices = vec![
            whole(says.facets, ctx.props().facets.max(1), number!(choice.facets as u32)),
            whole(says.sizes, 10, number!(choice.sizes as u32)),
            whole(says.rounds, 20, number!(choice.rounds as u32)),
        ];
        let network = vec![
            any(says.round_trip, (0.0, 10_000.0), number!(network.1)),
            any(says.bandwidth, (0.001, 1e6), number!(network.2)),
        ];
        let is_on = self.network.0;
        let onchange = checked(says.network, &link.callback(Msg::Network));
        html! {
            <div class="traffic-fields">
                { fields(choices) }
                <label class="check" title={says.network_about}>
                    <input type="checkbox" checked={is_on} {onchange} />
                    <span>{says.network}</span>
                </label>
                if is_on { { fields(network) } }
            </div>
        }
    }

    fn progress(&self) -> Html {
        let Some(of) = self.progress.filter(|_| self.job.is_waiting()) else { return html! {} };
        let says = &messages().profiles.experiment;
        let (done, all) =
            if of.written < of.to_write { (of.written, of.to_write) } else { (of.runs, of.runs_total) };
        let text =
            if of.written < of.to_write { (says.writing)(done, all) } else { (says.running)(done, all) };
        html! {
            <>
                <progress max={all.to_string()} value={done.to_string()} aria-label={says.title}></progress>
                <span class="soft num">{text}</span>
            </>
        }
    }

    fn report(&self, report: &Rc<ExperimentReport>, ctx: &Context<Self>) -> Html {
        let (says, link) = (&messages().profiles.experiment, ctx.link());
        let chart = |(at, chart): (usize, AxesChart)| {
            let save = |text: &str, file: File| {
                save_file(
                    text,
                    &(says.save)(text, &chart.title),
                    link.callback(move |()| Msg::Save(at, file)),
                )
            };
            html! {
                <figure class="experiment-chart">
                    { picture(&chart.scene()) }
                    <div class="heat-files">{ save(says.files[0], File::Png) }{ save(says.files[1], File::Svg) }</div>
                </figure>
            }
        };
        let left_out = report
            .designs
            .iter()
            .filter_map(|design| Some((says.left_out)(&design.name, design.left_out.as_ref()?)));
        html! {
            <>
                <div class="experiment-charts">{ for charts(report).into_iter().enumerate().map(chart) }</div>
                <ul class="experiment-findings">{ for report.findings.iter().map(|text| html! { <li>{text.clone()}</li> }) }</ul>
                { for left_out.map(|text| html! { <p class="soft small">{text}</p> }) }
                { encodings(report) }
                { push(says.files[2], Some(Icon::Download), ButtonKind::Quiet, link.callback(|()| Msg::Csv)) }
                <details>
                    <summary>{says.figures}</summary>
                    { table(report) }
                </details>
            </>
        }
    }

    fn save(&mut self, ctx: &Context<Self>, at: usize, file: File) {
        let Some(chart) = self.report.as_ref().and_then(|report| charts(report).into_iter().nth(at)) else {
            return;
        };
        let (scene, name) = (chart.scene(), format!("tabletop-experiment-{}", at + 1));
        let svg = scene.file(&LIGHT);
        if file == File::Svg {
            self.said = saved(browser::download(&format!("{name}.svg"), "image/svg+xml", &svg).is_ok());
            return;
        }
        let saved = ctx.link().callback(Msg::Saved);
        wasm_bindgen_futures::spawn_local(async move {
            let png = browser::png_of(svg, scene.size).await;
            saved.emit(png.is_ok_and(|png| browser::offer(&format!("{name}.png"), &png).is_ok()));
        });
    }
}

/// Returns the charts of a report: time against events, speed and bytes against facets, bytes
/// stored.
fn charts(report: &ExperimentReport) -> Vec<AxesChart> {
    let says = &messages().profiles.experiment;
    let taking_part = || report.designs.iter().enumerate().filter(|(_, design)| design.left_out.is_none());
    let points = |design: usize| report.points.iter().filter(move |point| point.design as usize == design);
    let by_size = taking_part().map(|(at, design)| Series {
        name: design.name.clone(),
        color: at,
        points: points(at)
            .filter(|point| point.facets == report.facets_asked)
            .map(|point| {
                [
                    point.events as f64,
                    point.total_micros.median,
                    point.total_micros.min,
                    point.total_micros.max,
                ]
            })
            .collect(),
        line: design.line.map(|line| (line.intercept, line.slope)),
    });
    let speed = taking_part().skip(1).map(|(at, design)| Series {
        name: design.name.clone(),
        color: at,
        points: report
            .speedups
            .iter()
            .filter(|speedup| speedup.design as usize == at)
            .map(|speedup| [speedup.facets as f64, speedup.times, speedup.times, speedup.times])
            .collect(),
        line: None,
    });
    let returned = taking_part().map(|(at, design)| Series {
        name: design.name.clone(),
        color: at,
        points: points(at)
            .filter(|point| point.events == report.events)
            .map(|point| {
                [
                    point.facets as f64,
                    point.bytes_returned as f64,
                    point.bytes_returned as f64,
                    point.bytes_returned as f64,
                ]
            })
            .collect(),
        line: None,
    });
    let stored = taking_part().map(|(at, design)| {
        let bytes = design.compressed.bytes_of(report.events - design.events_refused);
        Series { name: design.name.clone(), color: at, points: vec![[0.0, bytes, bytes, bytes]], line: None }
    });
    let whole = |value: f64| thousands(value as u64);
    let size = |value: f64| bytes(value as u64);
    let first = report.designs.first().map_or("", |design| &design.name);
    vec![
        AxesChart {
            title: (says.time_title)(report.facets_asked),
            axes: [says.events_axis, says.time_axis],
            texts: [whole, |micros| if micros == 0.0 { "0".into() } else { duration(micros as u64) }],
            series: by_size.collect(),
            level: None,
        },
        AxesChart {
            title: (says.speed_title)(first),
            axes: [says.facets_axis, says.speed_axis],
            texts: [whole, |times| format!("{times:.1}×")],
            series: speed.collect(),
            level: Some((3.0, says.article_level)),
        },
        AxesChart {
            title: says.returned_title.into(),
            axes: [says.facets_axis, says.bytes_axis],
            texts: [whole, size],
            series: returned.collect(),
            level: None,
        },
        AxesChart {
            title: says.stored_title.into(),
            axes: ["", says.bytes_axis],
            texts: [whole, size],
            series: stored.collect(),
            level: None,
        },
    ]
}

fn table(report: &ExperimentReport) -> Html {
    let says = &messages().profiles.experiment;
    let line = |point: &tabletop_protocol::experiment::PointFigures| {
        let counts = [point.events, point.facets, point.rows, point.cells, point.cells_returned];
        let times = [
            point.server_micros.median,
            point.client_micros.median,
            point.network_micros,
            point.total_micros.median,
        ];
        let time = |micros: f64| if micros == 0.0 { "–".into() } else { duration(micros as u64) };
        Row::named(&report.designs[point.design as usize].name)
            .cells(counts.map(thousands))
            .cells([point.bytes_read, point.bytes_returned].map(bytes))
            .cells(times.map(time))
    };
    Table::new(columns(says.heads, 1..12), report.points.iter().map(line))
        .within("profiles-events", says.figures)
}
