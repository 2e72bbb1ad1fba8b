//! The view of profiles: what a strategy and a schema do to an application that personalizes.
//!
//! The worker runs the pipelines; the page asks for one slice after another, and shows one user. A change of the strategy is an edit of
//! the workspace, after which the batch computes all profiles again.

mod chart;
mod contents;
mod encodings;
mod experiment;
mod migration;
mod pipelines;
mod strategy;
mod user;

use std::rc::Rc;

use tabletop_model::Error;
use tabletop_schema::{
    Design, EventsView, LoadState, ProfilesAsk, ProfilesChunk, ProfilesForgotten, ProfilesId, ProfilesJob, Roles, Strategy,
    Workspace, facets, strategy_presets,
};
use tabletop_texts::messages;
use yew::{Callback, Component, Context, Html, Properties, html};

use crate::actions::{Actions, ExperimentRequest, MigrationRequest, ProfilesRequest};
use crate::browser;
use crate::state::{Edit, NoTable, PageState};
use crate::widgets::{ButtonKind, Icon, icon, push};
use contents::contents;
use experiment::ExperimentView;
use migration::MigrationView;

/// Events that one request lets arrive at most.
const STREAMED: u32 = 400;
/// A key with which the events of an app and a user are one range.
const KEY: &str = "{app_id},{user_token},{timestamp:iso}";

/// Returns one line on the profiles.
pub fn profiles_summary(state: &PageState) -> String {
    let strategy = strategy_of(&state.workspace, &state.preview);
    strategy.map(|of| (messages().profiles.summary)(of.events.len(), of.facets.len(), of.window_days)).unwrap_or_default()
}

/// Draws the content of the view.
#[inline(never)]
pub fn profiles_pane(state: &PageState, actions: &Actions) -> Html {
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
            { contents(actions) }
            <ProfilesView workspace={state.workspace.clone()} design={state.design} events={state.view.events_total} strategy={Rc::new(strategy)}
                preview={state.preview.clone()} on_edit={actions.edit.clone()} on_profiles={actions.profiles.clone()} on_experiment={actions.experiment.clone()}
                on_migration={actions.migration.clone()} />
        </>
    }
}

/// Returns the strategy of a workspace, or the first preset for its events; `None` for events without types, names and facets.
fn strategy_of(workspace: &Workspace, preview: &EventsView) -> Option<Strategy> {
    match &workspace.strategy {
        Some(strategy) => Some((**strategy).clone()),
        None => presets(preview).into_iter().next().map(|preset| preset.strategy),
    }
}

fn presets(preview: &EventsView) -> Vec<tabletop_schema::StrategyPreset> {
    let (events, names) = kinds(preview);
    let events: Vec<(&str, &str)> = events.iter().map(|(of, name)| (of.as_str(), name.as_str())).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    strategy_presets(&events, &names)
}

/// Returns the types and names of events, and the names of facets, in the order in which they occur.
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
    /// Index of the design on the screen.
    design: usize,
    /// All events.
    events: u32,
    strategy: Rc<Strategy>,
    /// The first events, for names.
    preview: Rc<EventsView>,
    on_edit: Callback<Edit>,
    on_profiles: Callback<ProfilesRequest>,
    on_experiment: Callback<ExperimentRequest>,
    on_migration: Callback<MigrationRequest>,
}

impl ProfilesProps {
    fn of(&self) -> Option<&Design> {
        self.workspace.designs.get(self.design)
    }

    /// Whether the same tables would be made.
    fn has_same_tables(&self, other: &ProfilesProps) -> bool {
        let same_design = match (self.of(), other.of()) {
            (Some(a), Some(b)) => (&a.template, &a.layout, &a.families) == (&b.template, &b.layout, &b.families),
            _ => false,
        };
        same_design && self.events == other.events && self.workspace.source.same_events(&other.workspace.source)
    }
}

/// The view and its pipelines.
pub struct ProfilesView {
    id: Option<ProfilesId>,
    chunk: Rc<ProfilesChunk>,
    error: Option<String>,
    /// App and name of the user on the screen.
    user: Option<(String, String)>,
    is_streaming: bool,
    is_batching: bool,
    /// Jobs that a person asked for.
    jobs: Vec<ProfilesJob>,
    /// The last thing that was removed.
    forgotten: Option<ProfilesForgotten>,
    waits: bool,
    /// Counts pipelines, so that answers about earlier ones are ignored.
    generation: u32,
}

/// What happens to the view.
pub enum Msg {
    Answered {
        generation: u32,
        answer: Box<Result<Option<ProfilesChunk>, Error>>,
    },
    /// Lets events arrive, or stops.
    Stream(bool),
    /// Computes all profiles again, or stops.
    Batch(bool),
    Job(ProfilesJob),
    User(usize),
    Restart,
    Key,
}

impl Component for ProfilesView {
    type Message = Msg;
    type Properties = ProfilesProps;

    fn create(ctx: &Context<Self>) -> Self {
        let mut view = ProfilesView {
            id: None,
            chunk: Rc::default(),
            error: None,
            user: None,
            // Nothing moves by itself for people who want it so.
            is_streaming: !browser::reduced_motion(),
            is_batching: false,
            jobs: Vec::new(),
            forgotten: None,
            waits: false,
            generation: 0,
        };
        view.begin(ctx);
        view
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &ProfilesProps) -> bool {
        let props = ctx.props();
        if !props.has_same_tables(old) {
            self.begin(ctx);
        } else if props.strategy != old.strategy {
            self.jobs.push(ProfilesJob::Strategy((*props.strategy).clone()));
            self.is_batching = true;
            self.go_on(ctx);
        }
        true
    }

    fn update(&mut self, ctx: &Context<Self>, message: Msg) -> bool {
        match message {
            Msg::Answered { generation, answer } => return generation == self.generation && self.answered(ctx, *answer),
            Msg::Stream(on) => self.is_streaming = on,
            Msg::Batch(on) => {
                self.is_batching = on;
                if !on {
                    self.jobs.push(ProfilesJob::Interrupt);
                }
            }
            Msg::Job(job) => self.jobs.push(job),
            Msg::User(at) => {
                self.user = self.chunk.busiest.get(at).map(|of| (of.app.clone(), of.user.clone()));
                self.forgotten = None;
                self.jobs.push(ProfilesJob::Look);
            }
            Msg::Restart => self.begin(ctx),
            Msg::Key => {
                ctx.props().on_edit.emit(Edit::Template(KEY.into()));
                return false;
            }
        }
        self.go_on(ctx);
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let says = &messages().profiles;
        let link = ctx.link();
        let presets = presets(&ctx.props().preview);
        html! {
            <div class="profiles">
                if let Some(error) = &self.error {
                    <div class="problem" role="alert">
                        { icon(Icon::Error) }
                        <p>{ error.clone() }</p>
                        if self.can_have_key(ctx.props()) {
                            { push(says.set_key, None, ButtonKind::Primary, link.callback(|()| Msg::Key)) }
                        }
                    </div>
                }
                { strategy::editor(&ctx.props().strategy, &presets, &kinds(&ctx.props().preview), &ctx.props().on_edit) }
                if self.id.is_some() {
                    { pipelines::pipelines(self, link) }
                    { user::user(self, link) }
                }
                <ExperimentView events={ctx.props().events} facets={kinds(&ctx.props().preview).1.len() as u32}
                    on_experiment={ctx.props().on_experiment.clone()} />
                <MigrationView workspace={ctx.props().workspace.clone()} design={ctx.props().design} events={ctx.props().events}
                    on_migration={ctx.props().on_migration.clone()} />
            </div>
        }
    }

    fn destroy(&mut self, ctx: &Context<Self>) {
        self.end(ctx);
    }
}

impl ProfilesView {
    fn end(&mut self, ctx: &Context<Self>) {
        if let Some(id) = self.id.take() {
            ctx.props().on_profiles.emit(ProfilesRequest { ask: ProfilesAsk::End(id), answer: Callback::noop() });
        }
    }

    /// Begins with empty tables.
    fn begin(&mut self, ctx: &Context<Self>) {
        self.end(ctx);
        self.generation += 1;
        self.jobs.clear();
        (self.error, self.forgotten, self.is_batching) = (None, None, false);
        // What had begun goes on with other tables.
        self.is_streaming |= self.chunk.events > 0;
        self.chunk = Rc::default();
        self.waits = false;
        let props = ctx.props();
        self.send(ctx, ProfilesAsk::Begin { index: props.design as u32, strategy: (*props.strategy).clone() });
    }

    fn send(&mut self, ctx: &Context<Self>, ask: ProfilesAsk) {
        self.waits = true;
        let generation = self.generation;
        let answer = ctx.link().callback(move |answer| Msg::Answered { generation, answer: Box::new(answer) });
        ctx.props().on_profiles.emit(ProfilesRequest { ask, answer });
    }

    /// Asks for the next slice, if there is something to do and no request is under way.
    fn go_on(&mut self, ctx: &Context<Self>) {
        let Some(id) = self.id.filter(|_| !self.waits) else { return };
        let job = if !self.jobs.is_empty() {
            self.jobs.remove(0)
        } else if self.is_streaming {
            ProfilesJob::Stream(STREAMED)
        } else if self.is_batching {
            ProfilesJob::Batch
        } else {
            return;
        };
        self.send(ctx, ProfilesAsk::Go { id, job, user: self.user.clone() });
    }

    fn answered(&mut self, ctx: &Context<Self>, answer: Result<Option<ProfilesChunk>, Error>) -> bool {
        self.waits = false;
        match answer {
            Ok(Some(chunk)) => {
                self.error = None;
                self.id = chunk.id.or(self.id);
                self.forgotten = chunk.forgotten.clone().or(self.forgotten.take());
                self.is_streaming &= chunk.events < chunk.events_total;
                self.is_batching &= !chunk.batch.as_ref().is_some_and(|batch| batch.is_done) || !self.jobs.is_empty();
                if self.user.is_none() && !chunk.busiest.is_empty() {
                    self.user = chunk.busiest.first().map(|of| (of.app.clone(), of.user.clone()));
                    self.jobs.push(ProfilesJob::Look);
                }
                self.chunk = Rc::new(chunk);
            }
            Ok(None) => {}
            Err(error) => {
                self.error = Some(error.message);
                (self.is_streaming, self.is_batching) = (self.is_streaming && self.id.is_none(), false);
                self.jobs.clear();
            }
        }
        self.go_on(ctx);
        true
    }

    /// Whether the events have the fields of [`KEY`], and the design has another key.
    fn can_have_key(&self, props: &ProfilesProps) -> bool {
        let has = |name: &str| props.preview.fields.iter().any(|field| field.name == name);
        self.id.is_none()
            && ["app_id", "user_token", "timestamp"].into_iter().all(has)
            && props.of().is_some_and(|of| of.template != KEY)
    }
}
