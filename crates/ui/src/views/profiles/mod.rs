//! The Profiles view: what a strategy and a schema do to an application that personalizes.
//!
//! The worker runs the pipelines; the page requests one slice after another, and shows one user. A
//! change of the strategy is an edit of the workspace, after which the batch recomputes all
//! profiles.

mod contents;
mod encodings;
pub mod experiment;
pub mod migration;
mod pipelines;
mod strategy;
mod user;

use std::rc::Rc;

use tabletop_advice::strategy_presets;
use tabletop_keys::{Roles, facets};
use tabletop_protocol::{
    EventsView, JobError, LoadState, Profiles, ProfilesChunk, ProfilesForgotten, ProfilesOrder,
    ProfilesRequest, ProfilesWork,
};
use tabletop_texts::{Locale, locale, messages};
use tabletop_workspace::{Design, Place, Strategy, ViewId, Workspace};
use yew::{Callback, Html, Properties, html};

use crate::browser;
use crate::kit::{ButtonKind, Context, Icon, Keep, Stateful, icon, push};
use crate::page::actions::{Actions, JobEvent, UseJob, WorkerJobs};
use crate::page::state::{Edit, Look, NoTable, PageState, Pane};
use crate::views::view::{Frame, Section, Target, View, play_events};
use contents::{PANEL, Tab, contents, open};
use experiment::ExperimentView;
use migration::MigrationView;
use tabletop_views::profiles::Plan;

/// A key with which the events of an app and a user are in one range.
const KEY: &str = "{app_id},{user_token},{timestamp:iso}";

/// The view.
pub const VIEW: View = View {
    id: ViewId::Profiles,
    name: || messages().top_bar.profiles,
    frame: Frame::Section(Section { title: || messages().profiles.title, summary, draw, side: None }),
    play: play_events,
    place,
    has_figures: false,
};

/// Returns where the view has a part.
fn place(place: Place) -> Option<Target> {
    let (selector, opens): (_, fn(&mut Look)) = match place {
        Place::Strategy => (".profiles-strategy", |look| open(look, Tab::Live)),
        // A design that makes no profiles shows a problem in place of these.
        Place::Pipelines => {
            (".profiles-pipelines, .profiles:not(:has(.profiles-pipelines)) > .problem", |look| {
                open(look, Tab::Live);
            })
        }
        Place::User => (".profiles-user, .profiles:not(:has(.profiles-user)) > .problem", |look| {
            open(look, Tab::Live);
        }),
        Place::Experiment => (".profiles-experiment", |look| open(look, Tab::Experiment)),
        Place::Migration => (".profiles-migration", |look| open(look, Tab::Migration)),
        _ => return None,
    };
    Some(Target { opens: Some(opens), ..Target::new(Pane::Design, selector) })
}

/// Returns one line on the profiles.
fn summary(state: &PageState) -> String {
    let strategy = strategy_of(&state.workspace, &state.preview);
    strategy
        .map(|of| (messages().profiles.summary)(of.events.len(), of.facets.len(), of.window_days))
        .unwrap_or_default()
}

/// Draws the content of the view.
#[inline(never)]
fn draw(state: &PageState, actions: &Actions) -> Html {
    let says = &messages().profiles;
    let is_coming = state.data.state == LoadState::Loading || state.no_table() == Some(NoTable::Loading);
    let is_ready = state.view.events_total > 0 && !is_coming;
    let Some(strategy) = strategy_of(&state.workspace, &state.preview).filter(|_| is_ready) else {
        let (title, about) = if is_ready { says.no_strategy } else { says.waits };
        return html! {
            <div class="inside-empty">
                <p class="headline">{title}</p>
                <p>{about}</p>
            </div>
        };
    };
    html! {
        <>
            { contents(state, actions) }
            <Keep<ProfilesView> ..ProfilesProps::of_page(state, actions, strategy) />
        </>
    }
}

/// Returns the strategy of a workspace, or the first preset for its events; `None` for events
/// without types, names and facets.
pub fn strategy_of(workspace: &Workspace, preview: &EventsView) -> Option<Strategy> {
    match &workspace.strategy {
        Some(strategy) => Some((**strategy).clone()),
        None => presets(preview).into_iter().next().map(|preset| preset.strategy),
    }
}

fn presets(preview: &EventsView) -> Vec<tabletop_advice::StrategyPreset> {
    let (events, names) = kinds(preview);
    let events: Vec<(&str, &str)> = events.iter().map(|(of, name)| (of.as_str(), name.as_str())).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    strategy_presets(&events, &names)
}

/// Returns the types and names of events, and the names of facets, in the order in which they
/// occur.
fn kinds(preview: &EventsView) -> (Vec<(String, String)>, Vec<String>) {
    let (mut events, mut names) = (Vec::new(), Vec::new());
    let Some(roles) = Roles::of(&preview.fields).event else { return (events, names) };
    for values in &preview.events {
        let value = |field: usize| values.get(field).and_then(Option::as_deref).unwrap_or_default();
        let event = (value(roles.event_type).to_owned(), value(roles.event_name).to_owned());
        if !event.0.is_empty() && !events.contains(&event) {
            events.push(event);
        }
        facets::parse(value(roles.facets), |facet| {
            if !names.iter().any(|name| name == facet.name) {
                names.push(facet.name.to_owned());
            }
        });
    }
    (events, names)
}

/// Properties of [`ProfilesView`].
#[derive(Properties, PartialEq)]
pub struct ProfilesProps {
    workspace: Rc<Workspace>,
    /// Index of the design shown.
    design: usize,
    /// The number of all events.
    events: u32,
    strategy: Rc<Strategy>,
    /// The first events, for names.
    preview: Rc<EventsView>,
    tab: Tab,
    on_edit: Callback<Edit>,
    jobs: WorkerJobs,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    locale: Locale,
}

impl ProfilesProps {
    /// Returns the properties on a page with this strategy.
    pub fn of_page(state: &PageState, actions: &Actions, strategy: Strategy) -> ProfilesProps {
        ProfilesProps {
            workspace: state.workspace.clone(),
            design: state.design,
            events: state.view.events_total,
            strategy: Rc::new(strategy),
            preview: state.preview.clone(),
            tab: contents::shown(state),
            on_edit: actions.edit.clone(),
            jobs: actions.jobs.clone(),
            locale: locale(),
        }
    }

    fn of(&self) -> Option<&Design> {
        self.workspace.designs.get(self.design)
    }

    /// Whether the same tables would be made.
    fn has_same_tables(&self, other: &ProfilesProps) -> bool {
        let same_design = match (self.of(), other.of()) {
            (Some(a), Some(b)) => {
                (&a.template, &a.layout, &a.families) == (&b.template, &b.layout, &b.families)
            }
            _ => false,
        };
        same_design
            && self.events == other.events
            && self.workspace.source.same_events(&other.workspace.source)
    }
}

/// The view and its pipelines.
pub struct ProfilesView {
    job: UseJob<Profiles>,
    /// The last slice; `None` until the pipelines have begun.
    chunk: Option<ProfilesChunk>,
    /// App and name of the user shown.
    user: Option<(String, String)>,
    plan: Plan,
    /// The last removal.
    forgotten: Option<ProfilesForgotten>,
}

/// What happens to the view.
pub enum Msg {
    Answered(Box<JobEvent<Profiles>>),
    /// Plays the events, or pauses them.
    Stream(bool),
    /// Recomputes all profiles, or stops.
    Batch(bool),
    Work(ProfilesWork),
    User(usize),
    Restart,
    Key,
}

impl Stateful for ProfilesView {
    type Message = Msg;
    type Properties = ProfilesProps;

    fn create(ctx: &Context<Self>) -> Self {
        let mut view = ProfilesView {
            job: ctx.props().jobs.use_job(ctx.link().callback(|event| Msg::Answered(Box::new(event)))),
            chunk: None,
            user: None,
            // Respects prefers-reduced-motion.
            plan: Plan { is_streaming: !browser::reduced_motion(), ..Plan::default() },
            forgotten: None,
        };
        view.begin(ctx);
        view
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &ProfilesProps) -> bool {
        let props = ctx.props();
        if !props.has_same_tables(old) {
            self.begin(ctx);
        } else if props.strategy != old.strategy {
            self.plan.asked.push(ProfilesWork::Strategy((*props.strategy).clone()));
            self.plan.is_batching = true;
            self.go_on();
        }
        true
    }

    fn update(&mut self, ctx: &Context<Self>, message: Msg) -> bool {
        match message {
            Msg::Answered(event) => {
                let Some(answer) = self.job.accept(*event) else { return false };
                self.answered(ctx, answer);
            }
            Msg::Stream(on) => self.plan.is_streaming = on,
            Msg::Batch(on) => {
                self.plan.is_batching = on;
                if !on {
                    self.plan.asked.push(ProfilesWork::Interrupt);
                }
            }
            Msg::Work(work) => self.plan.asked.push(work),
            Msg::User(at) => {
                self.user = self.chunk.as_ref().and_then(|chunk| user_at(chunk, at));
                self.forgotten = None;
                self.plan.asked.push(ProfilesWork::Nothing);
            }
            Msg::Restart => self.begin(ctx),
            Msg::Key => {
                ctx.props().on_edit.emit(Edit::Template(KEY.into()));
                return false;
            }
        }
        self.go_on();
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let says = &messages().profiles;
        let link = ctx.link();
        let presets = presets(&ctx.props().preview);
        html! {
            <div id={PANEL} class={ctx.props().tab.class()} role="tabpanel" aria-label={ctx.props().tab.name()}>
                if let Some(error) = self.job.error() {
                    <div class="problem" role="alert">
                        { icon(Icon::Error) }
                        <p>{ error.message }</p>
                        if self.can_have_key(ctx.props()) {
                            { push(says.set_key, None, ButtonKind::Primary, link.callback(|()| Msg::Key)) }
                        }
                    </div>
                }
                { strategy::editor(&ctx.props().strategy, &presets, &kinds(&ctx.props().preview), &ctx.props().on_edit) }
                if let Some(chunk) = &self.chunk {
                    { pipelines::pipelines(&self.plan, chunk, link) }
                    { user::user(self, chunk, link) }
                }
                <Keep<ExperimentView> events={ctx.props().events} facets={kinds(&ctx.props().preview).1.len() as u32}
                    jobs={ctx.props().jobs.clone()} />
                <Keep<MigrationView> workspace={ctx.props().workspace.clone()} design={ctx.props().design} events={ctx.props().events}
                    jobs={ctx.props().jobs.clone()} />
            </div>
        }
    }
}

impl ProfilesView {
    /// Starts over with empty tables.
    fn begin(&mut self, ctx: &Context<Self>) {
        let had_events = self.chunk.take().is_some_and(|chunk| chunk.events > 0);
        // A stream that had started continues with other tables.
        self.plan = Plan { is_streaming: self.plan.is_streaming || had_events, ..Plan::default() };
        self.forgotten = None;
        let props = ctx.props();
        self.job.begin(&ProfilesRequest { index: props.design as u32, strategy: (*props.strategy).clone() });
    }

    /// Requests the next slice, if there is something to do and no request is in progress.
    fn go_on(&mut self) {
        if self.job.is_ready()
            && let Some(work) = self.plan.take_next()
        {
            self.job.next(ProfilesOrder { work, user: self.user.clone() });
        }
    }

    fn answered(&mut self, ctx: &Context<Self>, answer: Result<ProfilesChunk, JobError>) {
        match answer {
            Ok(mut chunk) => {
                self.forgotten = chunk.forgotten.take().or(self.forgotten.take());
                self.plan.note(&chunk);
                if self.user.is_none() && !chunk.busiest.is_empty() {
                    self.user = user_at(&chunk, 0);
                    self.plan.asked.push(ProfilesWork::Nothing);
                }
                self.chunk = Some(chunk);
            }
            // The design or the events have changed. A run that ends before its first slice would
            // be restarted forever.
            Err(JobError::Gone) if self.chunk.is_some() => self.begin(ctx),
            // Pipelines that cannot start will stream once another design allows it.
            Err(_) => {
                self.plan =
                    Plan { is_streaming: self.plan.is_streaming && self.chunk.is_none(), ..Plan::default() }
            }
        }
    }

    /// Whether the events have the fields of [`KEY`], and the design has another key.
    fn can_have_key(&self, props: &ProfilesProps) -> bool {
        let has = |name: &str| props.preview.fields.iter().any(|field| field.name == name);
        self.chunk.is_none()
            && ["app_id", "user_token", "timestamp"].into_iter().all(has)
            && props.of().is_some_and(|of| of.template != KEY)
    }
}

/// The app and the name of one of the users with most events.
fn user_at(chunk: &ProfilesChunk, at: usize) -> Option<(String, String)> {
    chunk.busiest.get(at).map(|of| (of.app.clone(), of.user.clone()))
}
