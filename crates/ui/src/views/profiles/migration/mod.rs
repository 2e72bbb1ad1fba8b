//! The migration of a table to another layout during a stream of events: three steps, each of which
//! can be paused and undone.
//!
//! The page requests one slice after another. The requests are not stored: after a reload, the
//! worker finds the tables, and the user resumes the stream and the step.

mod dashboard;
mod focus;
mod steps;

use std::rc::Rc;

use tabletop_keys::{Layout, LayoutKind};
use tabletop_protocol::{
    JobError,
    migration::{
        MIGRATION_EVENTS_MAX, Migrate, MigrationChoice, MigrationChunk, MigrationDecision, MigrationRequest,
        MigrationSlice, MigrationStage,
    },
};
use tabletop_texts::common::NumberKind;
use tabletop_texts::{Locale, locale, messages};
use tabletop_workspace::{Design, Workspace};
use yew::{AttrValue, Callback, Html, Properties, html};

use crate::browser::Timer;
use crate::kit::{
    ButtonKind, Context, Icon, Label, Link, Number, Stateful, icon, number_field, push, select,
};
use crate::page::actions::{JobEvent, UseJob, WorkerJobs};
use tabletop_views::{
    in_words::layout_name,
    profiles::{
        Samples,
        migration::{Asked, Failed, Plan, on_error},
    },
};

/// A question that the user must confirm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    /// Whether both tables are removed.
    Remove,
    /// Whether another one replaces the stored one.
    Replace,
}

/// The days of the article.
const DAYS: u32 = 90;
/// Events per second of the stream.
const RATE: u32 = 800;
/// Milliseconds between two slices while only events arrive: the worker and the page have little to
/// do then.
const STREAM_MILLIS: u32 = 50;

/// Properties of [`MigrationView`].
#[derive(Properties, PartialEq)]
pub struct MigrationProps {
    pub workspace: Rc<Workspace>,
    /// Index of the design shown.
    pub design: usize,
    /// The number of all events.
    pub events: u32,
    pub jobs: WorkerJobs,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    pub locale: Locale,
}

/// The choices, and the progress.
pub struct MigrationView {
    /// The design of the old table; the design shown if nothing was chosen.
    from: Option<usize>,
    /// The index of the design of the new table in the list.
    to: usize,
    days: u32,
    rate: u32,
    job: UseJob<Migrate>,
    /// The last request.
    asked: Asked,
    chunk: Option<MigrationChunk>,
    samples: Samples,
    plan: Plan,
    /// The question to the user, and its subject.
    question: Option<(Question, AttrValue)>,
    /// Until the next slice of a stream.
    pause: Option<Timer>,
    said: &'static str,
    /// Whether the section had the focus when an answer changed the buttons, or when its button was
    /// pressed.
    had_focus: bool,
    /// Whether such an answer must be drawn.
    has_changed: bool,
}

/// What happens to the migration.
pub enum Msg {
    Answered(JobEvent<Migrate>),
    Begin,
    From(usize),
    To(usize),
    Days(u32),
    Rate(u32),
    Stream(bool),
    Work(bool),
    Decide(MigrationDecision),
    Remove,
    /// The user declines the question.
    Keep,
    /// The pause between two slices of a stream is over.
    Next,
}

impl Stateful for MigrationView {
    type Message = Msg;
    type Properties = MigrationProps;

    fn create(ctx: &Context<Self>) -> Self {
        let mut view = MigrationView {
            from: None,
            to: 0,
            days: DAYS,
            rate: RATE,
            job: ctx.props().jobs.use_job(ctx.link().callback(Msg::Answered)),
            asked: Asked::Find,
            chunk: None,
            samples: Samples::default(),
            plan: Plan::default(),
            question: None,
            pause: None,
            said: "",
            had_focus: false,
            has_changed: false,
        };
        view.find();
        view
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &MigrationProps) -> bool {
        let props = ctx.props();
        if props.events != old.events || !props.workspace.source.same_events(&old.workspace.source) {
            self.forget();
            self.had_focus = false;
            self.find();
        }
        true
    }

    fn update(&mut self, ctx: &Context<Self>, message: Msg) -> bool {
        match message {
            Msg::Answered(event) => {
                let is_repeated = event.is_repeated();
                let Some(answer) = self.job.accept(event) else { return false };
                let before = self.buttons();
                self.answered(ctx, answer, is_repeated);
                if self.buttons() != before || self.problem().is_some() {
                    self.had_focus |= focus::is_here();
                    self.has_changed = true;
                }
            }
            Msg::Begin => {
                // The button cannot be pressed until the answer comes.
                self.had_focus = focus::is_here();
                self.samples = Samples::default();
                match self.choice(ctx.props()) {
                    Some(choice) => {
                        self.asked = Asked::Begin;
                        self.job.try_begin(&MigrationRequest::Begin(choice));
                    }
                    None => self.find(),
                }
            }
            Msg::From(at) => (self.from, self.to) = (Some(at), 0),
            Msg::To(at) => self.to = at,
            Msg::Days(days) => self.days = days,
            Msg::Rate(rate) => self.rate = rate,
            Msg::Stream(on) => self.plan.is_streaming = on,
            Msg::Work(on) => self.plan.is_working = on,
            // Ignore a second click while the first is pending: its action would no longer be
            // possible.
            Msg::Decide(decision) if self.is_asked(|asked| asked.decision() == Some(decision)) => {
                return false;
            }
            Msg::Remove if self.plan.is_removing => return false,
            Msg::Decide(decision) => self.plan.decide(decision),
            // What the user has confirmed is in progress: the request is retried until the files
            // answer.
            Msg::Keep if self.is_confirmed() => return false,
            Msg::Keep => {
                self.question = None;
                // The button is removed.
                (self.had_focus, self.has_changed) = (focus::is_here(), true);
            }
            Msg::Remove if !self.asks(Question::Remove) => {
                self.question = Some((Question::Remove, AttrValue::default()));
            }
            Msg::Remove => {
                self.plan = Plan { is_removing: true, ..Plan::default() };
                self.pause = None;
            }
            Msg::Next => self.pause = None,
        }
        self.go_on();
        true
    }

    fn rendered(&mut self) {
        if std::mem::take(&mut self.has_changed) && std::mem::take(&mut self.had_focus) {
            focus::find_again();
        }
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let says = &messages().profiles.migration;
        html! {
            <section class="profiles-migration" aria-labelledby="profiles-migration-title">
                <h3 id="profiles-migration-title" tabindex="-1">{says.title}</h3>
                <p class="soft">{(says.about)(ctx.props().events.min(MIGRATION_EVENTS_MAX).into())}</p>
                if let Some(chunk) = &self.chunk {
                    { self.head(chunk, ctx) }
                    { steps::steps(self, chunk, ctx.link()) }
                    { dashboard::dashboard(chunk, &self.samples) }
                } else if self.is_asked(|asked| asked == Asked::Find) {
                    // Nothing can start before it is known whether there is one.
                    <p class="soft small" role="status">{says.looking}</p>
                } else {
                    { self.choices(ctx) }
                }
                if let Some(problem) = self.problem() {
                    <p class="problem" role="alert">{icon(Icon::Error)}<span>{problem}</span></p>
                }
                <p class="visually-hidden" role="status">{self.said}</p>
            </section>
        }
    }
}

impl MigrationView {
    /// Looks for the migration of these events.
    fn find(&mut self) {
        self.asked = Asked::Find;
        self.job.begin(&MigrationRequest::Find);
    }

    /// Requests the next slice, if there is something to do and no request is in progress.
    fn go_on(&mut self) {
        let Some(chunk) = self.chunk.as_ref().filter(|_| !self.job.is_waiting()) else { return };
        // After an error, the user resumes.
        let fills = is_filling(chunk) && self.job.error().is_none();
        if !self.plan.is_due(fills, self.pause.is_some()) {
            return;
        }
        self.pause = None;
        if self.job.is_ready() {
            let step = self.plan.step(self.rate);
            self.asked = Asked::Step(step);
            self.job.next(step);
        } else {
            // The migration was looked up after a decision, with an error that has closed the run.
            self.find();
        }
    }

    fn answered(&mut self, ctx: &Context<Self>, answer: Result<MigrationSlice, JobError>, is_repeated: bool) {
        match answer {
            Ok(MigrationSlice::At(chunk)) => self.take(ctx, *chunk),
            Ok(MigrationSlice::Absent) => self.forget(),
            Ok(MigrationSlice::Occupied(of_others)) => {
                self.plan = Plan::default();
                self.question = Some((Question::Replace, of_others.into()));
            }
            Err(error) => match on_error(&error, self.asked, is_repeated, self.plan.is_removing) {
                Failed::Ignore => {}
                Failed::Find => self.find(),
                Failed::Forget => self.forget(),
                Failed::Stop => (self.plan, self.question) = (Plan::default(), None),
            },
        }
    }

    fn take(&mut self, ctx: &Context<Self>, chunk: MigrationChunk) {
        self.question.take_if(|(question, _)| *question == Question::Replace);
        // The answer to a decision says whether work continues.
        if self.plan.decision.is_none() {
            self.plan.is_working &= !waits_for_the_user(&chunk);
        }
        if self.plan.is_streaming && chunk.stream.is_over {
            (self.plan.is_streaming, self.said) = (false, messages().profiles.migration.is_over);
        }
        let before = self.chunk.as_ref().map(|before| before.stage);
        if before.is_some_and(|before| before != chunk.stage) {
            self.said = (messages().profiles.migration.stage)(chunk.stage);
        }
        self.samples.add(&chunk);
        self.chunk = Some(chunk);
        if self.plan.is_streaming {
            let link = ctx.link().clone();
            self.pause = Some(Timer::after(STREAM_MILLIS, move || link.send_message(Msg::Next)));
        }
    }

    /// What determines the buttons.
    fn buttons(&self) -> Option<(Option<MigrationStage>, bool)> {
        self.chunk.as_ref().map(|chunk| (chunk.stage, chunk.difference.is_some()))
    }

    /// The text of the error, or of the question whether a stored migration is replaced.
    fn problem(&self) -> Option<AttrValue> {
        match &self.question {
            Some((Question::Replace, of_others)) => (!self.job.is_waiting()).then(|| of_others.clone()),
            // Errors of slices before a removal are irrelevant.
            _ => self.job.error().filter(|_| !self.plan.is_removing).map(|error| error.message.into()),
        }
    }

    /// Whether the user is asked this question.
    fn asks(&self, question: Question) -> bool {
        self.question.as_ref().is_some_and(|(asked, _)| *asked == question)
    }

    /// Whether what the user has confirmed is in progress.
    fn is_confirmed(&self) -> bool {
        self.plan.is_removing || self.is_asked(|asked| asked == Asked::Begin)
    }

    /// Whether such a request is in progress, or about to be retried.
    fn is_asked(&self, is_such: impl Fn(Asked) -> bool) -> bool {
        self.job.is_waiting() && is_such(self.asked)
    }

    fn forget(&mut self) {
        (self.chunk, self.question, self.pause) = (None, None, None);
        (self.plan, self.samples) = (Plan::default(), Samples::default());
    }

    /// The index of the design of the old table.
    fn from(&self, props: &MigrationProps) -> usize {
        self.from.filter(|at| *at < props.workspace.designs.len()).unwrap_or(props.design)
    }

    /// The index of the design of the new table; the first one if designs were removed since.
    fn to(&self, props: &MigrationProps) -> usize {
        if self.to < targets(&props.workspace, self.from(props)).len() { self.to } else { 0 }
    }

    fn choice(&self, props: &MigrationProps) -> Option<MigrationChoice> {
        let from = props.workspace.designs.get(self.from(props))?.clone();
        let to = targets(&props.workspace, self.from(props)).into_iter().nth(self.to(props))?;
        let replaces_other = self.asks(Question::Replace);
        Some(MigrationChoice { from, to, retention_days: self.days, replaces_other })
    }

    fn choices(&self, ctx: &Context<Self>) -> Html {
        let (says, link, props) = (&messages().profiles.migration, ctx.link(), ctx.props());
        let from: Vec<&str> = props.workspace.designs.iter().map(|design| design.name.as_str()).collect();
        let targets = targets(&props.workspace, self.from(props));
        let to: Vec<&str> = targets.iter().map(|design| design.name.as_str()).collect();
        let days =
            Number { value: self.days.into(), min: 1.0, max: 36_500.0, step: 1.0, kind: NumberKind::Whole };
        html! {
            <>
                <div class="traffic-fields">
                    { select(Label::Shown(says.from), &from, Some(self.from(props)), link.callback(Msg::From)) }
                    { select(Label::Shown(says.to), &to, Some(self.to(props)), link.callback(Msg::To)) }
                    { number_field(says.days, days, link.callback(|days: f64| Msg::Days(days as u32))) }
                </div>
                { self.ask_first(Question::Replace, says.begin, ButtonKind::Primary, (!self.job.is_waiting()).then(|| link.callback(|()| Msg::Begin)), link) }
            </>
        }
    }

    /// Draws a button that loses work when it is pressed twice. It stays the same button.
    fn ask_first(
        &self,
        question: Question,
        label: &'static str,
        kind: ButtonKind,
        on_click: Option<Callback<()>>,
        link: &Link<MigrationView>,
    ) -> Html {
        let says = &messages().profiles.migration;
        let is_asked = self.asks(question);
        let (yes, again, sign) = match question {
            Question::Remove => (says.remove_confirm, says.remove_again, None),
            Question::Replace => (says.replace, says.replace_again, Some(Icon::Play)),
        };
        html! {
            <span class="delete" role="group" aria-label={label}>
                { push(if is_asked { yes } else { label }, sign, if is_asked { ButtonKind::Plain } else { kind }, on_click) }
                if is_asked && !self.is_confirmed() { { push(says.keep, None, ButtonKind::Quiet, link.callback(|()| Msg::Keep)) } }
                <span class="visually-hidden" role="status">if is_asked { {again} }</span>
            </span>
        }
    }

    /// Draws what is migrated, and the stream.
    fn head(&self, chunk: &MigrationChunk, ctx: &Context<Self>) -> Html {
        let (says, link, stream) = (&messages().profiles.migration, ctx.link(), &chunk.stream);
        let fills = is_filling(chunk);
        let (text, sign) =
            if self.plan.is_streaming { (says.pause, Icon::Pause) } else { (says.play, Icon::Play) };
        let on = !self.plan.is_streaming;
        let toggle = (!stream.is_over && (!fills || self.job.error().is_some()))
            .then(|| link.callback(move |()| Msg::Stream(on)));
        let rate =
            Number { value: self.rate.into(), min: 50.0, max: 5_000.0, step: 50.0, kind: NumberKind::Whole };
        html! {
            <>
                <p class="headline">{(says.between)(&chunk.designs[0], &chunk.designs[1])}</p>
                <p class="small">{if chunk.visit.is_stored { says.stored } else { says.in_memory }}</p>
                if chunk.visit.is_resumed { <p class="small">{says.resumed}</p> }
                <div class="traffic-head">
                    <h4>{says.stream}</h4>
                    { push(text, Some(sign), ButtonKind::Plain, toggle) }
                    { number_field(says.rate, rate, link.callback(|rate: f64| Msg::Rate(rate as u32))) }
                    { self.ask_first(Question::Remove, says.remove, ButtonKind::Quiet, Some(link.callback(|()| Msg::Remove)), link) }
                </div>
                if fills { <p class="small num">{(says.history)(stream.arrived, stream.history)}</p> }
                if stream.stretch > 1 { <p class="soft small">{(says.stretched)(stream.stretch)}</p> }
                if stream.is_over { <p class="small">{says.is_over}</p> }
                if stream.refused > 0 { <p class="small">{(says.refused)(stream.refused, &stream.refusal)}</p> }
            </>
        }
    }
}

/// Whether events are being written before the stream starts.
fn is_filling(chunk: &MigrationChunk) -> bool {
    chunk.stream.arrived < chunk.stream.history
}

/// Whether the step does not continue without a decision of the user.
fn waits_for_the_user(chunk: &MigrationChunk) -> bool {
    let ends =
        [None, Some(MigrationStage::Ready), Some(MigrationStage::Switched), Some(MigrationStage::Done)];
    chunk.difference.is_some() || ends.contains(&chunk.stage)
}

/// Returns the designs that a design can migrate to: itself in the other layouts of the article,
/// and the other designs.
fn targets(workspace: &Workspace, from: usize) -> Vec<Design> {
    let Some(design) = workspace.designs.get(from) else { return Vec::new() };
    let kinds = [LayoutKind::Wide, LayoutKind::Narrow, LayoutKind::RowPerEntity];
    let in_layout = |kind: LayoutKind| Design {
        name: (messages().profiles.migration.in_layout)(&design.name, layout_name(kind)),
        layout: Layout { encoding: design.layout.encoding, ..Layout::new(kind) },
        ..design.clone()
    };
    let others =
        workspace.designs.iter().enumerate().filter(|(at, other)| *at != from && other.index_of.is_none());
    let layouts = kinds.into_iter().filter(|kind| *kind != design.layout.kind).map(in_layout);
    layouts.chain(others.map(|(_, other)| other.clone())).collect()
}

#[cfg(test)]
mod tests {
    use tabletop_keys::Encoding;

    use super::*;

    #[test]
    fn a_design_becomes_one_in_another_layout_or_another_design() {
        let mut workspace = Workspace::default();
        let second = Design { name: "Second".into(), ..workspace.designs[0].clone() };
        let index = Design { name: "Index".into(), index_of: Some("Second".into()), ..second.clone() };
        workspace.designs.extend([second, index]);
        let names =
            |from| targets(&workspace, from).into_iter().map(|design| design.name).collect::<Vec<_>>();
        assert_eq!(names(0), ["Design 1, Wide", "Design 1, Row per entity", "Second"]);
        assert_eq!(names(1).last().map(String::as_str), Some("Design 1"));
        assert!(names(9).is_empty());
    }

    #[test]
    fn a_design_in_another_layout_keeps_its_encoding() {
        let mut workspace = Workspace::default();
        workspace.designs[0].layout.encoding = Encoding::MessagePack;
        let encodings = targets(&workspace, 0).into_iter().map(|design| design.layout.encoding);
        assert_eq!(encodings.collect::<Vec<_>>(), [Encoding::MessagePack; 2]);
    }
}
