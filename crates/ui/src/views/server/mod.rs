//! The view of a running server that serves this page: its tables, what clients do to them,
//! queries. The shell is below it.
//!
//! The view has one run of a job for the contents of the server, and one for the table shown. While
//! it is visible, it requests a slice of each once per second. A lost connection is re-established,
//! at growing intervals, and with it the runs; the last data received stay visible.

mod details;
mod draw;
mod key_parts;
mod list;
mod results;
mod states;

use std::ops::Range;
use std::rc::Rc;

use gloo::timers::callback::Interval;
use tabletop_client::Connection;
use tabletop_keys::Query;
use tabletop_model::{Error, ReadRows, Request, Response, RowKey, RowMutation, TableRequest};
use tabletop_protocol::{
    AskInstance, HeatMetric, InstanceRequest, Job, JobError, LiveHave, LiveServer, LiveTable, LiveTableView,
    WatchServer, WatchTable,
};
use tabletop_shell::Language;
use tabletop_texts::{Locale, locale, messages};
use tabletop_workspace::ViewId;
use yew::{Callback, Component, Context, Html, Properties, html};

use crate::browser;
use crate::page::actions::{Actions, JobEvent, ServerLink, ShellAction, UseJob};
use crate::page::state::{Action, Edit, PageState};
use crate::views::view::{Frame, View};
use key_parts::{parts_of, set_parts};
use results::KeptResults;
use states::{Phase, back_off};
use tabletop_views::server::{KeyParts, Reading, SeenTable, busiest_table};

/// Milliseconds between two polls of the server.
const LOOK_MILLIS: u32 = 1_000;

/// The view.
pub const VIEW: View = View {
    id: ViewId::Server,
    name: || messages().top_bar.server,
    frame: Frame::Whole { title: || messages().server.title, draw },
    // The events of the page are not visible while this view is.
    play: |actions| actions.server.pause(),
    place: |_| None,
    has_figures: false,
};

/// Draws the view, on a page that a server serves.
fn draw(state: &PageState, is_shown: bool, actions: &Actions) -> Html {
    let Some(token) = &state.look.server else { return html! {} };
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
    /// Whether the view is visible. If not, it requests nothing and draws nothing, and keeps its
    /// data.
    is_shown: bool,
    /// The language of commands.
    language: Language,
    server: ServerLink,
    on_act: Callback<Action>,
    on_shell: Callback<ShellAction>,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    locale: Locale,
}

/// The view, with the data received from the server.
pub struct ServerView {
    phase: Phase,
    /// Attempts to connect since the last successful one.
    attempts: u32,
    clock: Option<Interval>,
    /// Receives what the server has.
    server_run: UseJob<WatchServer>,
    seen: Option<LiveServer>,
    by_load: bool,
    chosen: Option<LiveTable>,
    /// Receives what clients do to the chosen table.
    table_run: UseJob<WatchTable>,
    table: Option<SeenTable>,
    /// Why the server does not show the table.
    refusal: Option<Error>,
    metric: HeatMetric,
    is_paused: bool,
    /// Index in [`draw::WINDOWS`].
    window: usize,
    /// Buckets that the heatmap highlights for a diagnosis.
    shown_buckets: Option<Range<usize>>,
    parts: KeyParts,
    results: KeptResults,
    /// The same pointer for each drawing: a table whose schema is being typed is not redrawn by
    /// each poll of the server.
    on_results: Callback<Edit>,
    /// Reads a slice of the rows of the query.
    read_run: UseJob<AskInstance>,
    reading: Reading,
}

/// What happens to the view.
pub enum Msg {
    Connection(Connection),
    Tick,
    Retry,
    Looked(Box<JobEvent<WatchServer>>),
    Table(Box<JobEvent<WatchTable>>),
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
    Rows(Box<JobEvent<AskInstance>>),
    Write(RowMutation),
    Results(Edit),
    Done(Result<Response, Error>),
    Say(&'static str),
}

impl Component for ServerView {
    type Message = Msg;
    type Properties = ServerProps;

    fn create(ctx: &Context<Self>) -> Self {
        let (server, link) = (&ctx.props().server, ctx.link());
        server.on_pause(link.callback(|()| Msg::Pause));
        let mut view = ServerView {
            phase: Phase::New,
            attempts: 0,
            clock: None,
            server_run: server.use_job(link.callback(|event| Msg::Looked(Box::new(event)))),
            seen: None,
            by_load: false,
            chosen: None,
            table_run: server.use_job(link.callback(|event| Msg::Table(Box::new(event)))),
            table: None,
            refusal: None,
            metric: HeatMetric::Requests,
            is_paused: false,
            window: 0,
            shown_buckets: None,
            parts: parts_of(LiveTable::default()),
            results: KeptResults::default(),
            on_results: link.callback(Msg::Results),
            read_run: server.use_job(link.callback(|event| Msg::Rows(Box::new(event)))),
            reading: Default::default(),
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
            Msg::Connection(event) => self.connection_changed(ctx, event),
            Msg::Looked(event) => match self.server_run.accept(*event) {
                Some(Ok(server)) => self.looked(ctx, server),
                // The connection reports that it has ended.
                Some(Err(_)) | None => return false,
            },
            Msg::Table(event) => match self.table_run.accept(*event) {
                Some(answer) => self.told(answer),
                None => return false,
            },
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
                self.ask();
            }
            Msg::Pause => {
                self.is_paused = !self.is_paused;
                self.ask();
            }
            Msg::Window(window) => self.window = window,
            Msg::Buckets((from, until)) => self.shown_buckets = Some(from as usize..until as usize),
            Msg::Template(text) => set_parts(&mut self.parts, text),
            Msg::ShowRows((start, end)) => {
                self.reading.show(start, end);
                self.run();
                browser::focus("#server-query-title".into());
            }
            Msg::Query(query) => self.reading.query = query,
            Msg::Run => self.run(),
            Msg::Cancel => {
                self.read_run.end();
                self.reading.cancel();
            }
            Msg::Rows(event) => {
                let Some(response) = self.read_run.accept(*event) else { return false };
                let next = self.reading.take(response, browser::now_millis());
                self.read(next);
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
                        self.run();
                    }
                },
                Ok(_) => self.look(),
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
    /// The view becomes visible.
    fn appear(&mut self, ctx: &Context<Self>) {
        let link = ctx.link().clone();
        self.clock = Some(Interval::new(LOOK_MILLIS, move || link.send_message(Msg::Tick)));
        if self.phase == Phase::New {
            self.connect(ctx);
        }
        self.look();
        self.ask();
    }

    fn act(&self, ctx: &Context<Self>, action: Action) {
        ctx.props().on_act.emit(action);
    }

    fn connect(&mut self, ctx: &Context<Self>) {
        self.end_runs();
        match &mut self.phase {
            Phase::New => self.phase = Phase::Connecting,
            Phase::Broken { retry_in, .. } => *retry_in = 0,
            Phase::Connecting | Phase::Open | Phase::Refused(_) => {}
        }
        // A connection that is replaced reports nothing more.
        ctx.props().server.connect(&ctx.props().token, ctx.link().callback(Msg::Connection));
    }

    fn connection_changed(&mut self, ctx: &Context<Self>, event: Connection) {
        match event {
            Connection::Ready => {
                if self.phase.is_broken() {
                    self.act(ctx, Action::Say(messages().server.mended.into()));
                }
                (self.phase, self.attempts) = (Phase::Open, 0);
                self.look();
                self.ask();
            }
            Connection::Refused(error) => {
                self.end_runs();
                self.phase = Phase::Refused(error);
            }
            Connection::Ended(error) => {
                self.end_runs();
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
            Phase::New | Phase::Connecting | Phase::Refused(_) => return false,
            Phase::Open => {
                self.look();
                self.ask();
                return false;
            }
            // The attempt is in progress.
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

    /// Ends the runs of a connection that has ended.
    fn end_runs(&self) {
        self.server_run.end();
        self.table_run.end();
    }

    /// Requests what the server has.
    fn look(&self) {
        if self.phase == Phase::Open {
            request_slice(&self.server_run, &(), || ());
        }
    }

    fn looked(&mut self, ctx: &Context<Self>, server: LiveServer) {
        let first = busiest_table(&server).map(|(table, _)| table);
        self.seen = Some(server);
        if let (None, Some(table)) = (&self.chosen, first) {
            self.choose(ctx, table);
        }
    }

    /// Requests what clients do to the table shown.
    fn ask(&mut self) {
        let Some(chosen) = self.chosen.as_ref().filter(|_| self.phase == Phase::Open) else { return };
        if self.is_paused && self.table.is_some() {
            return;
        }
        let (metric, table) = (self.metric, &mut self.table);
        if !self.table_run.is_ready() && !self.table_run.is_waiting() {
            table.iter_mut().for_each(SeenTable::forget);
        }
        let nothing = LiveHave { metric, ..LiveHave::default() };
        request_slice(&self.table_run, chosen, || table.as_ref().map_or(nothing, |table| table.have(metric)));
    }

    fn told(&mut self, answer: Result<LiveTableView, JobError>) {
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
                    self.ask();
                }
            }
            // The server has closed the run: the next tick starts another one.
            Err(JobError::Gone) => {}
            Err(error) => {
                let is_gone = self
                    .seen
                    .as_ref()
                    .zip(self.chosen.as_ref())
                    .is_some_and(|(server, table)| !has_table(server, table));
                self.refusal = Some(error.into_error());
                if is_gone {
                    // A client has deleted it, as tests do. The next poll chooses another one.
                    self.table_run.end();
                    (self.chosen, self.table) = (None, None);
                }
            }
        }
    }

    fn choose(&mut self, ctx: &Context<Self>, table: LiveTable) {
        let props = ctx.props();
        let is_other_instance = self.chosen.as_ref().is_none_or(|chosen| chosen.instance != table.instance);
        props.server.choose(Some(&table.instance));
        self.parts = parts_of(table.clone());
        self.results = KeptResults::of(&table);
        self.chosen = Some(table);
        (self.table, self.refusal, self.shown_buckets, self.is_paused) = (None, None, None, false);
        self.table_run.end();
        self.read_run.end();
        self.reading = Reading::default();
        self.ask();
        if is_other_instance {
            props.on_shell.emit(ShellAction::Known);
            // The heading of the shell names the instance.
            self.act(ctx, Action::Look(Box::new(|_| {})));
        }
    }

    fn run(&mut self) {
        self.read_run.end();
        let first = self.reading.begin(&self.parts.template, browser::now_millis());
        self.read(first);
    }

    /// Reads the next slice of rows, if there is one. Each is a request of its own.
    fn read(&self, rows: Option<ReadRows>) {
        if let Some((rows, LiveTable { instance, table })) = rows.zip(self.chosen.clone()) {
            self.read_run
                .begin(&InstanceRequest { instance, request: TableRequest::ReadRows(rows).of(table) });
        }
    }

    fn write(&self, ctx: &Context<Self>, row: RowMutation) {
        if let Some(LiveTable { instance, table }) = self.chosen.clone() {
            let request = TableRequest::MutateRows(vec![row]).of(table);
            ctx.props().server.send(instance, request, ctx.link().callback(Msg::Done));
        }
    }
}

/// Requests the next slice of a run, or starts it. Does nothing while a request is in progress.
fn request_slice<J: Job>(run: &UseJob<J>, request: &J::Request, order: impl FnOnce() -> J::Order) {
    if run.is_ready() {
        run.next(order());
    } else if !run.is_waiting() {
        run.begin(request);
    }
}

fn has_table(server: &LiveServer, table: &LiveTable) -> bool {
    let instance = server.instances.iter().find(|instance| instance.name == table.instance);
    instance.is_some_and(|instance| {
        instance.tables_left_out > 0 || instance.tables.iter().any(|it| it.table == table.table)
    })
}
