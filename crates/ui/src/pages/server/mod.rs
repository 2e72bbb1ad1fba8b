//! The view of a running server that serves this page: its tables, what clients do to them, queries. The shell stands below it.
//!
//! The view asks once a second while somebody sees it, with at most one request of each kind under way. A connection that has ended is made
//! again, more and more rarely; what was seen stays on the screen.

mod details;
mod draw;
mod key_parts;
mod list;
mod reading;
mod results;
mod states;
mod table;

use std::ops::Range;
use std::rc::Rc;

use gloo_timers::callback::Interval;
use tabletop_client::Connection;
use tabletop_model::{Error, Request, Response, RowKey, RowMutation, TableRequest};
use tabletop_schema::{HeatMetric, LiveHave, LiveServer, LiveTable, LiveTableView, Query};
use tabletop_shell::Language;
use tabletop_texts::messages;
use yew::{Callback, Component, Context, Html, Properties, html};

use crate::actions::{Actions, ServerLink, ShellAction};
use crate::browser;
use crate::state::{Action, Edit, PageState};
use key_parts::KeyParts;
use list::busiest;
use reading::Reading;
use results::KeptResults;
use states::{Phase, back_off, can_mend};
use table::SeenTable;

/// Milliseconds between two looks at the server.
const LOOK_MILLIS: u32 = 1_000;

/// Draws the view.
#[inline(never)]
pub fn server_pane(token: &Rc<str>, is_shown: bool, state: &PageState, actions: &Actions) -> Html {
    html! {
        <ServerView token={token.clone()} {is_shown} language={state.look.language} server={actions.server.clone()} on_act={actions.act.clone()}
            on_shell={actions.shell.clone()} />
    }
}

/// Properties of [`ServerView`].
#[derive(Properties, PartialEq)]
pub struct ServerProps {
    /// The token of the server.
    token: Rc<str>,
    /// The view is on the screen. If not, it asks nothing and draws nothing, and keeps what it has.
    is_shown: bool,
    /// The language of commands.
    language: Language,
    server: ServerLink,
    on_act: Callback<Action>,
    on_shell: Callback<ShellAction>,
}

/// The view, with what it has seen of the server.
pub struct ServerView {
    phase: Phase,
    /// Attempts to connect since the last one with success.
    attempts: u32,
    /// Counts connections, so that events and answers of earlier ones are ignored.
    generation: u32,
    clock: Option<Interval>,
    seen: Option<LiveServer>,
    is_looking: bool,
    is_asking: bool,
    by_load: bool,
    chosen: Option<LiveTable>,
    table: Option<SeenTable>,
    /// Why the server does not show the table.
    refusal: Option<Error>,
    metric: HeatMetric,
    is_paused: bool,
    /// Index in [`draw::WINDOWS`].
    window: usize,
    /// Buckets that the heatmap shows, as a diagnosis names them.
    shown_buckets: Option<Range<usize>>,
    parts: KeyParts,
    results: KeptResults,
    /// The same for each drawing: a table whose schema is being typed is not drawn again by each look at the server.
    on_results: Callback<Edit>,
    reading: Reading,
}

/// What happens to the view.
pub enum Msg {
    Connection(u32, Connection),
    Tick,
    Retry,
    Looked(u32, Box<Result<LiveServer, Error>>),
    Table(u32, LiveTable, Box<Result<LiveTableView, Error>>),
    ByLoad,
    Choose(LiveTable),
    Open(String),
    Metric(HeatMetric),
    Pause,
    Window(usize),
    Buckets((u32, u32)),
    Template(String),
    ShowRows((RowKey, RowKey)),
    Query(Query),
    Run,
    Cancel,
    Rows(u32, Box<Result<Response, Error>>),
    Write(RowMutation),
    Results(Edit),
    Done(Result<Response, Error>),
    Say(&'static str),
}

impl Component for ServerView {
    type Message = Msg;
    type Properties = ServerProps;

    fn create(ctx: &Context<Self>) -> Self {
        ctx.props().server.on_pause(ctx.link().callback(|()| Msg::Pause));
        let mut view = ServerView {
            phase: Phase::Connecting,
            attempts: 0,
            generation: 0,
            clock: None,
            seen: None,
            is_looking: false,
            is_asking: false,
            by_load: false,
            chosen: None,
            table: None,
            refusal: None,
            metric: HeatMetric::Requests,
            is_paused: false,
            window: 0,
            shown_buckets: None,
            parts: KeyParts::of(LiveTable::default()),
            results: KeptResults::default(),
            on_results: ctx.link().callback(Msg::Results),
            reading: Reading::default(),
        };
        if ctx.props().is_shown {
            view.appear(ctx);
        }
        view
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &ServerProps) -> bool {
        let props = ctx.props();
        if props.token != old.token {
            // The server was started again, and its address opened here.
            self.attempts = 0;
            self.connect(ctx);
        }
        match (props.is_shown, old.is_shown) {
            (true, false) => self.appear(ctx),
            (false, true) => self.clock = None,
            _ => {}
        }
        true
    }

    fn update(&mut self, ctx: &Context<Self>, message: Msg) -> bool {
        match message {
            Msg::Connection(generation, event) if generation == self.generation => self.connection_changed(ctx, event),
            Msg::Looked(generation, answer) if generation == self.generation => self.looked(ctx, *answer),
            Msg::Table(generation, table, answer) if generation == self.generation => self.told(ctx, &table, *answer),
            Msg::Connection(..) | Msg::Looked(..) | Msg::Table(..) => return false,
            Msg::Tick => return self.tick(ctx),
            Msg::Retry => self.connect(ctx),
            Msg::ByLoad => self.by_load = !self.by_load,
            Msg::Choose(table) => self.choose(ctx, table),
            Msg::Open(instance) => {
                let answer = ctx.link().callback(Msg::Done);
                ctx.props().server.send(instance, Request::ListTables, answer);
            }
            Msg::Metric(metric) => {
                self.metric = metric;
                self.ask(ctx);
            }
            Msg::Pause => {
                self.is_paused = !self.is_paused;
                self.ask(ctx);
            }
            Msg::Window(window) => self.window = window,
            Msg::Buckets((from, until)) => self.shown_buckets = Some(from as usize..until as usize),
            Msg::Template(text) => self.parts.set(text),
            Msg::ShowRows((start, end)) => {
                self.reading.show(start, end);
                self.run(ctx);
                browser::focus("#server-query-title".into());
            }
            Msg::Query(query) => self.reading.query = query,
            Msg::Run => self.run(ctx),
            Msg::Cancel => self.reading.cancel(),
            Msg::Rows(turn, response) => {
                if let Some(next) = self.reading.take(turn, *response) {
                    self.read(ctx, turn, TableRequest::ReadRows(next));
                }
            }
            Msg::Write(row) => self.write(ctx, row),
            Msg::Results(Edit::Results(results)) => self.results.set(results),
            // Results edit nothing else.
            Msg::Results(_) => return false,
            Msg::Done(response) => match response {
                Ok(Response::Refused(error)) | Err(error) => self.act(ctx, Action::Refused(error)),
                Ok(Response::Mutated(outcomes)) => match outcomes.into_iter().flatten().next() {
                    Some(error) => self.act(ctx, Action::Refused(error)),
                    None => {
                        self.act(ctx, Action::Say(messages().server.written.into()));
                        self.run(ctx);
                    }
                },
                Ok(_) => self.look(ctx),
            },
            Msg::Say(text) => self.act(ctx, Action::Say(text.into())),
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        // Elements of the other views may have the same ids.
        if ctx.props().is_shown {
            self.draw(ctx)
        } else {
            html! {}
        }
    }
}

impl ServerView {
    /// The view is on the screen from now on.
    fn appear(&mut self, ctx: &Context<Self>) {
        let link = ctx.link().clone();
        self.clock = Some(Interval::new(LOOK_MILLIS, move || link.send_message(Msg::Tick)));
        if self.generation == 0 {
            self.connect(ctx);
        }
        self.look(ctx);
        self.ask(ctx);
    }

    fn act(&self, ctx: &Context<Self>, action: Action) {
        ctx.props().on_act.emit(action);
    }

    fn connect(&mut self, ctx: &Context<Self>) {
        self.generation += 1;
        let generation = self.generation;
        (self.is_looking, self.is_asking) = (false, false);
        if let Phase::Broken { retry_in, .. } = &mut self.phase {
            *retry_in = 0;
        }
        let on_event = ctx.link().callback(move |event| Msg::Connection(generation, event));
        ctx.props().server.connect(&ctx.props().token, on_event);
    }

    fn connection_changed(&mut self, ctx: &Context<Self>, event: Connection) {
        match event {
            Connection::Ready => {
                if matches!(self.phase, Phase::Broken { .. }) {
                    self.act(ctx, Action::Say(messages().server.mended.into()));
                }
                (self.phase, self.attempts) = (Phase::Open, 0);
                self.look(ctx);
                self.ask(ctx);
            }
            Connection::Ended(error) => {
                self.phase = Phase::Broken { error, retry_in: back_off(self.attempts) };
                self.attempts += 1;
            }
        }
    }

    /// A second has passed.
    fn tick(&mut self, ctx: &Context<Self>) -> bool {
        if browser::is_in_background() {
            return false;
        }
        match &mut self.phase {
            Phase::Connecting => return false,
            Phase::Open => {
                self.look(ctx);
                self.ask(ctx);
                return false;
            }
            Phase::Broken { error, .. } if !can_mend(error) => return false,
            // The attempt is under way.
            Phase::Broken { retry_in: 0, .. } => return false,
            Phase::Broken { retry_in, .. } => {
                *retry_in -= 1;
                if *retry_in == 0 {
                    self.connect(ctx);
                }
            }
        }
        true
    }

    /// Asks what the server has.
    fn look(&mut self, ctx: &Context<Self>) {
        if self.phase != Phase::Open || std::mem::replace(&mut self.is_looking, true) {
            return;
        }
        let generation = self.generation;
        ctx.props().server.look(ctx.link().callback(move |answer| Msg::Looked(generation, Box::new(answer))));
    }

    fn looked(&mut self, ctx: &Context<Self>, answer: Result<LiveServer, Error>) {
        self.is_looking = false;
        // The connection says by itself that it has ended.
        let Ok(server) = answer else { return };
        let first = busiest(&server).map(|(table, _)| table);
        self.seen = Some(server);
        if let (None, Some(table)) = (&self.chosen, first) {
            self.choose(ctx, table);
        }
    }

    /// Asks what clients do to the table on the screen.
    fn ask(&mut self, ctx: &Context<Self>) {
        let Some(chosen) = self.chosen.clone().filter(|_| self.phase == Phase::Open) else { return };
        if (self.is_paused && self.table.is_some()) || std::mem::replace(&mut self.is_asking, true) {
            return;
        }
        let none = LiveHave { metric: self.metric, ..LiveHave::default() };
        let have = self.table.as_ref().map_or(none, |table| table.have(self.metric));
        let (generation, table) = (self.generation, chosen.clone());
        let answer = ctx.link().callback(move |answer| Msg::Table(generation, table.clone(), Box::new(answer)));
        ctx.props().server.table(chosen, have, answer);
    }

    fn told(&mut self, ctx: &Context<Self>, table: &LiveTable, answer: Result<LiveTableView, Error>) {
        self.is_asking = false;
        if self.chosen.as_ref() != Some(table) {
            // Another one was chosen meanwhile.
            return self.ask(ctx);
        }
        match answer {
            Ok(view) => {
                let seen = match self.table.take() {
                    Some(table) => table.with(view),
                    None => SeenTable::new(view),
                };
                self.parts.learn(seen.heat.starts());
                let is_other_metric = seen.heat.metric() != self.metric;
                self.table = Some(seen);
                self.refusal = None;
                if is_other_metric {
                    self.ask(ctx);
                }
            }
            Err(error) => {
                let is_gone = self.seen.as_ref().is_some_and(|server| !has_table(server, table));
                self.refusal = Some(error);
                if is_gone {
                    // Its tests have deleted it. The next look chooses another one.
                    (self.chosen, self.table) = (None, None);
                }
            }
        }
    }

    fn choose(&mut self, ctx: &Context<Self>, table: LiveTable) {
        let props = ctx.props();
        let is_other_instance = self.chosen.as_ref().is_none_or(|chosen| chosen.instance != table.instance);
        props.server.choose(Some(&table.instance));
        self.parts = KeyParts::of(table.clone());
        self.results = KeptResults::of(&table);
        self.chosen = Some(table);
        (self.table, self.refusal, self.shown_buckets, self.is_paused) = (None, None, None, false);
        self.reading = Reading::following(&self.reading);
        self.ask(ctx);
        if is_other_instance {
            props.on_shell.emit(ShellAction::Known);
            // The heading of the shell names the instance.
            self.act(ctx, Action::Look(Box::new(|_| {})));
        }
    }

    fn run(&mut self, ctx: &Context<Self>) {
        let template = self.parts.template.clone();
        if let Some((turn, rows)) = self.reading.begin(&template) {
            self.read(ctx, turn, TableRequest::ReadRows(rows));
        }
    }

    fn read(&self, ctx: &Context<Self>, turn: u32, request: TableRequest) {
        if let Some(LiveTable { instance, table }) = self.chosen.clone() {
            let answer = ctx.link().callback(move |response| Msg::Rows(turn, Box::new(response)));
            ctx.props().server.send(instance, request.of(table), answer);
        }
    }

    fn write(&self, ctx: &Context<Self>, row: RowMutation) {
        if let Some(LiveTable { instance, table }) = self.chosen.clone() {
            let request = TableRequest::MutateRows(vec![row]).of(table);
            ctx.props().server.send(instance, request, ctx.link().callback(Msg::Done));
        }
    }
}

fn has_table(server: &LiveServer, table: &LiveTable) -> bool {
    let instance = server.instances.iter().find(|instance| instance.name == table.instance);
    instance.is_some_and(|instance| instance.tables_left_out > 0 || instance.tables.iter().any(|it| it.table == table.table))
}
