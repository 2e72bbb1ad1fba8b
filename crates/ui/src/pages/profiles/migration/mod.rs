//! The migration of a table to another layout, beside a stream of events: three steps, each of which can be paused and undone.
//!
//! The page asks for one slice after another. What it asks for is not kept: after a reload, the worker finds the tables, and a person goes
//! on with the stream and the step.

mod dashboard;
mod focus;
mod steps;

use std::rc::Rc;

use gloo_timers::callback::Timeout;
use tabletop_model::{Code, Error};
use tabletop_schema::migration::{
    MIGRATION_EVENTS_MAX, MigrationAsk, MigrationChoice, MigrationChunk, MigrationDecision, MigrationId, MigrationOrder,
    MigrationStage,
};
use tabletop_schema::{Design, Layout, LayoutKind, Workspace};
use tabletop_texts::common::NumberKind;
use tabletop_texts::messages;
use yew::html::Scope;
use yew::{Callback, Component, Context, Html, Properties, html};

use crate::actions::MigrationRequest;
use crate::pages::compare::layout_name;
use crate::widgets::{ButtonKind, Icon, Label, Number, icon, number_field, push, select};
use dashboard::Samples;

/// What a person is asked before it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    /// Whether both tables are removed.
    Remove,
    /// Whether another one takes the place of the stored one.
    Replace,
}

/// The days of the article.
const DAYS: u32 = 90;
/// Events per second of the stream.
const RATE: u32 = 800;
/// Between two requests while only events arrive: then the worker has little to do, and the page neither.
const STREAM_MILLIS: u32 = 50;
/// Before a request is repeated that the storage has refused: the worker makes empty files meanwhile.
const RETRY_MILLIS: u32 = 250;
/// Repetitions after which an error is shown.
const TRIES_MAX: u32 = 20;

/// Properties of [`MigrationView`].
#[derive(Properties, PartialEq)]
pub struct MigrationProps {
    pub workspace: Rc<Workspace>,
    /// Index of the design on the screen.
    pub design: usize,
    /// All events.
    pub events: u32,
    pub on_migration: Callback<MigrationRequest>,
}

/// What was chosen, and how far it is.
pub struct MigrationView {
    /// The design of the old table; that on the screen if nothing was chosen.
    from: Option<usize>,
    /// The place of the design of the new table in the list.
    to: usize,
    days: u32,
    rate: u32,
    id: Option<MigrationId>,
    chunk: Option<Rc<MigrationChunk>>,
    samples: Samples,
    error: Option<Error>,
    is_streaming: bool,
    is_working: bool,
    decision: Option<MigrationDecision>,
    question: Option<Question>,
    /// The last request, to be repeated.
    asked: MigrationAsk,
    waits: bool,
    tries: u32,
    timer: Option<Timeout>,
    said: &'static str,
    /// The section had the focus when an answer came that changes the buttons, or when its button was pressed.
    had_focus: bool,
    /// Such an answer is to be drawn.
    has_changed: bool,
    /// Counts sets of events, so that answers about earlier ones are ignored.
    generation: u32,
}

/// What happens to the migration.
pub enum Msg {
    Answered(u32, Box<Result<Option<MigrationChunk>, Error>>),
    Begin,
    From(usize),
    To(usize),
    Days(u32),
    Rate(u32),
    Stream(bool),
    Work(bool),
    Decide(MigrationDecision),
    Remove,
    /// No to the question.
    Keep,
    /// Goes on after a while, or asks the same again.
    Next,
}

impl Component for MigrationView {
    type Message = Msg;
    type Properties = MigrationProps;

    fn create(ctx: &Context<Self>) -> Self {
        let mut view = MigrationView {
            from: None,
            to: 0,
            days: DAYS,
            rate: RATE,
            id: None,
            chunk: None,
            samples: Samples::default(),
            error: None,
            is_streaming: false,
            is_working: false,
            decision: None,
            question: None,
            asked: MigrationAsk::Find,
            waits: false,
            tries: 0,
            timer: None,
            said: "",
            had_focus: false,
            has_changed: false,
            generation: 0,
        };
        view.send(ctx, MigrationAsk::Find);
        view
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &MigrationProps) -> bool {
        let props = ctx.props();
        if props.events != old.events || !props.workspace.source.same_events(&old.workspace.source) {
            self.generation += 1;
            self.forget();
            self.had_focus = false;
            self.send(ctx, MigrationAsk::Find);
        }
        true
    }

    fn update(&mut self, ctx: &Context<Self>, message: Msg) -> bool {
        match message {
            Msg::Answered(generation, answer) => {
                if generation != self.generation {
                    return false;
                }
                let before = self.buttons();
                self.answered(ctx, *answer);
                if self.buttons() != before || self.error.is_some() {
                    self.had_focus |= focus::is_here();
                    self.has_changed = true;
                }
            }
            Msg::Begin => {
                let choice = self.choice(ctx.props());
                // The button cannot be pressed until the answer comes.
                self.had_focus = focus::is_here();
                self.samples = Samples::default();
                self.timer = None;
                self.error = None;
                self.send(ctx, choice.map_or(MigrationAsk::Find, MigrationAsk::Begin));
            }
            Msg::From(at) => (self.from, self.to) = (Some(at), 0),
            Msg::To(at) => self.to = at,
            Msg::Days(days) => self.days = days,
            Msg::Rate(rate) => self.rate = rate,
            Msg::Stream(on) => self.is_streaming = on,
            Msg::Work(on) => self.is_working = on,
            // A second click while the first is under way is none: what it asks for would not be possible any more.
            Msg::Decide(decision) if self.is_asked(|asked| decision_of(asked) == Some(decision)) => return false,
            Msg::Remove if self.is_asked(|asked| matches!(asked, MigrationAsk::Remove(_))) => return false,
            Msg::Decide(decision) => {
                self.decision = Some(decision);
                self.is_working |=
                    matches!(decision, MigrationDecision::Drop | MigrationDecision::Undo | MigrationDecision::CopyAgain);
            }
            // What is confirmed is under way: it is sent again until the files answer.
            Msg::Keep if self.is_confirmed() => return false,
            Msg::Keep => {
                // The error is what the question is about, unless it is of something else.
                if self.question.take() == Some(Question::Replace) {
                    self.error = None;
                }
                // The button goes.
                (self.had_focus, self.has_changed) = (focus::is_here(), true);
            }
            Msg::Remove if self.question != Some(Question::Remove) => self.question = Some(Question::Remove),
            Msg::Remove => {
                (self.is_streaming, self.is_working) = (false, false);
                if let Some(id) = self.id {
                    // Answers to slices before it are of no use.
                    self.generation += 1;
                    self.timer = None;
                    self.send(ctx, MigrationAsk::Remove(id));
                }
            }
            Msg::Next => {
                self.timer = None;
                if self.tries > 0 {
                    self.send(ctx, self.asked.clone());
                }
            }
        }
        self.go_on(ctx);
        true
    }

    fn rendered(&mut self, _: &Context<Self>, _: bool) {
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
                } else if self.is_asked(|asked| *asked == MigrationAsk::Find) {
                    // Nothing can begin before it is known whether there is one.
                    <p class="soft small" role="status">{says.looking}</p>
                } else {
                    { self.choices(ctx) }
                }
                if let Some(error) = &self.error {
                    <p class="problem" role="alert">{icon(Icon::Error)}<span>{error.message.clone()}</span></p>
                }
                <p class="visually-hidden" role="status">{self.said}</p>
            </section>
        }
    }
}

impl MigrationView {
    /// Sends a request in place of a later one. One is under way at most.
    fn send(&mut self, ctx: &Context<Self>, ask: MigrationAsk) {
        self.waits = true;
        self.asked = ask.clone();
        let generation = self.generation;
        let answer = ctx.link().callback(move |answer| Msg::Answered(generation, Box::new(answer)));
        ctx.props().on_migration.emit(MigrationRequest { ask, answer });
    }

    /// Asks for the next slice, if there is something to do and no request is under way.
    fn go_on(&mut self, ctx: &Context<Self>) {
        let Some(id) = self.id.filter(|_| !self.waits && self.tries == 0) else { return };
        // After an error, a person goes on.
        let fills = self.error.is_none() && self.chunk.as_ref().is_some_and(|chunk| is_filling(chunk));
        let hurries = self.decision.is_some() || self.is_working || fills;
        if hurries || self.is_streaming && self.timer.is_none() {
            self.timer = None;
            let events_per_second = if self.is_streaming { self.rate } else { 0 };
            let order = MigrationOrder { decision: self.decision.take(), events_per_second, works: self.is_working };
            self.send(ctx, MigrationAsk::Go { id, order });
        }
    }

    fn answered(&mut self, ctx: &Context<Self>, answer: Result<Option<MigrationChunk>, Error>) {
        self.waits = false;
        let has_tried = std::mem::take(&mut self.tries);
        match answer {
            Ok(Some(chunk)) => self.take(ctx, chunk),
            Ok(None) => self.forget(),
            // Events or the storage may be on their way.
            Err(error) if error.code == Code::Unavailable && (has_tried < TRIES_MAX || self.asked == MigrationAsk::Find) => {
                self.tries = has_tried + 1;
                self.wait(ctx, RETRY_MILLIS);
            }
            // The decision was stored before the error that came after it.
            Err(error) if error.code == Code::FailedPrecondition && has_tried > 0 && decision_of(&self.asked).is_some() => {
                self.send(ctx, MigrationAsk::Find);
            }
            Err(error) => {
                if error.code == Code::Cancelled {
                    self.forget();
                }
                let replaces = error.code == Code::AlreadyExists && matches!(self.asked, MigrationAsk::Begin(_));
                self.question = replaces.then_some(Question::Replace);
                (self.is_streaming, self.is_working, self.decision) = (false, false, None);
                self.error = Some(error);
            }
        }
    }

    fn take(&mut self, ctx: &Context<Self>, chunk: MigrationChunk) {
        self.error = None;
        self.question.take_if(|question| *question == Question::Replace);
        self.id = Some(chunk.visit.id);
        // Whether work goes on after a decision, its answer says.
        if self.decision.is_none() {
            self.is_working &= !waits_for_a_person(&chunk);
        }
        if self.is_streaming && chunk.stream.is_over {
            (self.is_streaming, self.said) = (false, messages().profiles.migration.is_over);
        }
        let before = self.chunk.as_ref().map(|before| before.stage);
        if before.is_some_and(|before| before != chunk.stage) {
            self.said = (messages().profiles.migration.stage)(chunk.stage);
        }
        self.samples.add(&chunk);
        self.chunk = Some(Rc::new(chunk));
        if self.is_streaming {
            self.wait(ctx, STREAM_MILLIS);
        }
    }

    /// What says which buttons there are.
    fn buttons(&self) -> Option<(Option<MigrationStage>, bool)> {
        self.chunk.as_ref().map(|chunk| (chunk.stage, chunk.difference.is_some()))
    }

    /// Whether such a request is under way, or about to be repeated.
    /// Whether what a person has confirmed is under way.
    fn is_confirmed(&self) -> bool {
        self.is_asked(|asked| matches!(asked, MigrationAsk::Begin(_) | MigrationAsk::Remove(_)))
    }

    fn is_asked(&self, is_such: impl Fn(&MigrationAsk) -> bool) -> bool {
        (self.waits || self.tries > 0) && is_such(&self.asked)
    }

    fn wait(&mut self, ctx: &Context<Self>, millis: u32) {
        let link = ctx.link().clone();
        self.timer = Some(Timeout::new(millis, move || link.send_message(Msg::Next)));
    }

    fn forget(&mut self) {
        (self.id, self.chunk, self.error, self.decision, self.question, self.timer) = (None, None, None, None, None, None);
        (self.is_streaming, self.is_working, self.waits, self.tries) = (false, false, false, 0);
        self.samples = Samples::default();
    }

    /// The place of the design of the old table.
    fn from(&self, props: &MigrationProps) -> usize {
        self.from.filter(|at| *at < props.workspace.designs.len()).unwrap_or(props.design)
    }

    /// The place of the design of the new table; the first one if designs were removed since.
    fn to(&self, props: &MigrationProps) -> usize {
        if self.to < targets(&props.workspace, self.from(props)).len() { self.to } else { 0 }
    }

    fn choice(&self, props: &MigrationProps) -> Option<MigrationChoice> {
        let from = props.workspace.designs.get(self.from(props))?.clone();
        let to = targets(&props.workspace, self.from(props)).into_iter().nth(self.to(props))?;
        let replaces_other = self.question == Some(Question::Replace);
        Some(MigrationChoice { from, to, retention_days: self.days, replaces_other })
    }

    fn choices(&self, ctx: &Context<Self>) -> Html {
        let (says, link, props) = (&messages().profiles.migration, ctx.link(), ctx.props());
        let from: Vec<&str> = props.workspace.designs.iter().map(|design| design.name.as_str()).collect();
        let targets = targets(&props.workspace, self.from(props));
        let to: Vec<&str> = targets.iter().map(|design| design.name.as_str()).collect();
        let days = Number { value: self.days.into(), min: 1.0, max: 36_500.0, step: 1.0, kind: NumberKind::Whole };
        html! {
            <>
                <div class="traffic-fields">
                    { select(Label::Shown(says.from), &from, Some(self.from(props)), link.callback(Msg::From)) }
                    { select(Label::Shown(says.to), &to, Some(self.to(props)), link.callback(Msg::To)) }
                    { number_field(says.days, days, link.callback(|days: f64| Msg::Days(days as u32))) }
                </div>
                { self.ask_first(Question::Replace, says.begin, ButtonKind::Primary, (!self.waits).then(|| link.callback(|()| Msg::Begin)), link) }
            </>
        }
    }

    /// Draws a button that loses work when it is pressed twice. It stays the same one.
    fn ask_first(
        &self,
        question: Question,
        label: &'static str,
        kind: ButtonKind,
        on_click: Option<Callback<()>>,
        link: &Scope<MigrationView>,
    ) -> Html {
        let says = &messages().profiles.migration;
        let is_asked = self.question == Some(question);
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
        let (text, sign) = if self.is_streaming { (says.pause, Icon::Pause) } else { (says.play, Icon::Play) };
        let on = !self.is_streaming;
        let toggle = (!stream.is_over && (!fills || self.error.is_some())).then(|| link.callback(move |()| Msg::Stream(on)));
        let rate = Number { value: self.rate.into(), min: 50.0, max: 5_000.0, step: 50.0, kind: NumberKind::Whole };
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

/// Whether events are being written before the stream begins.
fn is_filling(chunk: &MigrationChunk) -> bool {
    chunk.stream.arrived < chunk.stream.history
}

/// The decision of a request.
fn decision_of(ask: &MigrationAsk) -> Option<MigrationDecision> {
    match ask {
        MigrationAsk::Go { order, .. } => order.decision,
        _ => None,
    }
}

/// Whether nothing goes on without a decision.
fn waits_for_a_person(chunk: &MigrationChunk) -> bool {
    let ends = [None, Some(MigrationStage::Ready), Some(MigrationStage::Switched), Some(MigrationStage::Done)];
    chunk.difference.is_some() || ends.contains(&chunk.stage)
}

/// Returns the designs that a design can become: itself in the other layouts of the article, and the other designs.
fn targets(workspace: &Workspace, from: usize) -> Vec<Design> {
    let Some(design) = workspace.designs.get(from) else { return Vec::new() };
    let kinds = [LayoutKind::Wide, LayoutKind::Narrow, LayoutKind::RowPerEntity];
    let in_layout = |kind: LayoutKind| Design {
        name: (messages().profiles.migration.in_layout)(&design.name, layout_name(kind)),
        layout: Layout { encoding: design.layout.encoding, ..Layout::new(kind) },
        ..design.clone()
    };
    let others = workspace.designs.iter().enumerate().filter(|(at, other)| *at != from && other.index_of.is_none());
    let layouts = kinds.into_iter().filter(|kind| *kind != design.layout.kind).map(in_layout);
    layouts.chain(others.map(|(_, other)| other.clone())).collect()
}

#[cfg(test)]
mod tests {
    use tabletop_schema::Encoding;

    use super::*;

    #[test]
    fn a_request_has_the_decision_of_its_order() {
        let go = |decision| {
            let order = MigrationOrder { decision, ..MigrationOrder::default() };
            decision_of(&MigrationAsk::Go { id: MigrationId(1), order })
        };
        assert_eq!(go(Some(MigrationDecision::Drop)), Some(MigrationDecision::Drop));
        assert_eq!((go(None), decision_of(&MigrationAsk::Find)), (None, None));
    }

    #[test]
    fn a_design_becomes_one_in_another_layout_or_another_design() {
        let mut workspace = Workspace::default();
        let second = Design { name: "Second".into(), ..workspace.designs[0].clone() };
        let index = Design { name: "Index".into(), index_of: Some("Second".into()), ..second.clone() };
        workspace.designs.extend([second, index]);
        let names = |from| targets(&workspace, from).into_iter().map(|design| design.name).collect::<Vec<_>>();
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
