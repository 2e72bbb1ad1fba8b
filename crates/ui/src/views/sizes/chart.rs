//! The bars, which the worker counts.

use tabletop_protocol::JobError;
use tabletop_protocol::row_sizes::{RowSizes, RowSizesChunk, RowSizesRequest};
use tabletop_texts::messages;
use tabletop_views::scene::{LIGHT, Scene};
use tabletop_views::sizes::{Counted, scene};
use yew::{Callback, Component, Context, Html, Properties, html};

use crate::browser;
use crate::kit::{ButtonKind, Icon, icon, picture, push};
use crate::page::actions::{JobEvent, UseJob, WorkerJobs};
use crate::page::state::Action;

/// The name of the file.
const FILE: &str = "tabletop-row-sizes.svg";

/// Properties of [`SizesChart`].
#[derive(Properties, PartialEq)]
pub struct SizesChartProps {
    /// The design, its revision, and its events: a count belongs to one such state.
    pub table: (usize, u64, u32),
    /// The name of the design.
    pub name: String,
    pub counted: Counted,
    pub jobs: WorkerJobs,
    /// Announces what became of the file.
    pub on_said: Callback<Action>,
}

/// The rows counted so far. After a change of the table, the earlier ones are shown until the first
/// rows are counted again.
pub struct SizesChart {
    job: UseJob<RowSizes>,
    sizes: RowSizesChunk,
}

pub enum Msg {
    Counted(Box<JobEvent<RowSizes>>),
    Save,
}

impl Component for SizesChart {
    type Message = Msg;
    type Properties = SizesChartProps;

    fn create(ctx: &Context<Self>) -> Self {
        let on_event = ctx.link().callback(|event| Msg::Counted(Box::new(event)));
        let chart = SizesChart { job: ctx.props().jobs.use_job(on_event), sizes: RowSizesChunk::default() };
        chart.count(ctx);
        chart
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &SizesChartProps) -> bool {
        if ctx.props().table.0 != old.table.0 {
            self.sizes = RowSizesChunk::default();
        }
        if ctx.props().table != old.table {
            self.count(ctx);
        }
        true
    }

    fn update(&mut self, ctx: &Context<Self>, message: Msg) -> bool {
        match message {
            Msg::Counted(event) => match self.job.accept(*event) {
                Some(Ok(sizes)) => {
                    if !sizes.complete {
                        self.job.next(());
                    }
                    self.sizes = sizes;
                }
                // The table has changed: its next picture begins another count.
                Some(Err(JobError::Gone)) => self.job.end(),
                // The hook has the error.
                Some(Err(_)) => {}
                None => return false,
            },
            Msg::Save => {
                let Some(scene) = self.scene(ctx) else { return false };
                let is_saved = browser::download(FILE, "image/svg+xml", &scene.file(&LIGHT)).is_ok();
                let common = &messages().common;
                let said = if is_saved { common.downloaded } else { common.download_forbidden };
                ctx.props().on_said.emit(Action::Say(said.into()));
            }
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let says = &messages().sizes;
        let rows = self.sizes.classes.iter().map(|class| class.rows).sum();
        let on_save = ctx.link().callback(|()| Msg::Save);
        html! {
            <>
                if let Some(error) = self.job.error() {
                    <p class="problem" role="alert">{icon(Icon::Error)}<span>{error.message}</span></p>
                }
                if let Some(scene) = self.scene(ctx) {
                    <figure class="sizes-chart">{ picture(&scene) }</figure>
                    { push(says.save, Some(Icon::Download), ButtonKind::Quiet, on_save) }
                }
                <p class="soft small" role="status">{(says.counted)(rows, self.sizes.complete)}</p>
            </>
        }
    }
}

impl SizesChart {
    fn count(&self, ctx: &Context<Self>) {
        self.job.begin(&RowSizesRequest { index: ctx.props().table.0 as u32 });
    }

    fn scene(&self, ctx: &Context<Self>) -> Option<Scene> {
        let props = ctx.props();
        let title = (messages().sizes.pictures[props.counted as usize])(&props.name);
        scene(&self.sizes.classes, props.counted, title)
    }
}
