//! The page's side of the talk with the engine: tells it what changed, and pulls pictures while there is something to see.

mod shell;
mod storage;

use std::cell::RefCell;
use std::rc::Rc;

use gloo_timers::future::TimeoutFuture;
use tabletop_client::{Client, Start};
use tabletop_model::{Code, Error};
use tabletop_schema::{DataView, Keeping, LoadState, OwnData, Playback, Source, Workspace};
use wasm_bindgen_futures::spawn_local;
use web_sys::Blob;
use yew::Callback;

use crate::browser;
use crate::results::QueryResult;
use crate::state::Action;
use crate::sync::{Step, next_step, same_events};

/// The worker's script beside the page, as index.html starts it too.
const WORKER: &str = "./tabletop-worker.js";
/// Events of the preview.
const PREVIEW_EVENTS: u32 = 50;
/// Milliseconds between two pictures while events arrive at their pace: often enough to see tablets split.
const PLAY_MILLIS: u32 = 60;
/// The same while a table is built as fast as it goes: each picture takes time from the building.
const BUILD_MILLIS: u32 = 20;
/// The same while nothing moves but the number of events that are stored.
const STORE_MILLIS: u32 = 150;

/// The talk with the engine. Cheap to clone: all clones are one.
#[derive(Clone)]
pub struct Session {
    client: Client,
    act: Callback<Action>,
    talk: Rc<RefCell<Talk>>,
    motion: bool,
}

struct Talk {
    /// What is on the screen.
    wanted: Rc<Workspace>,
    design: u32,
    /// What the engine has, as far as it has been told; nothing before the first `open`.
    told: Option<Workspace>,
    /// Somebody is telling it.
    telling: bool,
    /// Somebody is pulling pictures.
    watching: bool,
    /// Something has happened since the last picture.
    stirred: bool,
    /// Goes up whenever the events may have become others.
    events_turn: u32,
    /// How many there are, once no more can come: then nobody needs to ask.
    events_loaded: Option<u32>,
    /// How many the preview shows; nothing when they may be others by now.
    previewed: Option<u32>,
    /// The rows on the screen.
    shown: Rc<QueryResult>,
    /// Goes up with every question: an earlier one is given up.
    question: u32,
    /// The workspace names a file whose bytes nobody has: nothing is to come.
    own_missing: bool,
    /// Events are still being stored.
    storing: bool,
    /// A file that was just chosen.
    own_chosen: Option<(Blob, OwnData)>,
    /// Revision after the last edit of a design that is still to be painted.
    design_edited: bool,
    interactive: bool,
    shell: shell::Work,
}

impl Talk {
    fn events_are_others(&mut self) {
        self.events_turn += 1;
        (self.events_loaded, self.previewed) = (None, None);
    }
}

impl Session {
    /// Starts the engine with `wanted`. With `motion`, generated events arrive live from the beginning.
    pub fn start(act: Callback<Action>, wanted: Rc<Workspace>, motion: bool) -> Session {
        let client = Client::start(Start { url: WORKER.into(), first_message: browser::this_program() });
        tabletop_client::js::install(&client);
        let talk = Talk {
            wanted,
            design: 0,
            told: None,
            telling: false,
            watching: false,
            stirred: false,
            events_turn: 0,
            events_loaded: None,
            previewed: None,
            shown: Rc::default(),
            question: 0,
            own_missing: false,
            storing: false,
            own_chosen: None,
            design_edited: false,
            interactive: false,
            shell: shell::Work::default(),
        };
        let session = Session { client, act, talk: Rc::new(RefCell::new(talk)), motion };
        let crashed = session.act.clone();
        session.client.on_crash(move |reason| crashed.emit(Action::Crashed(reason)));
        let changed = session.clone();
        session.client.on_change(move || changed.clone().adopt());
        let stirred = session.clone();
        session.client.on_stir(move || {
            stirred.talk.borrow_mut().events_loaded = None;
            stirred.watch_soon();
            stirred.look_at_storage();
        });
        let (greeted, first) = (session.clone(), session.clone());
        spawn_local(async move {
            // What goes wrong here the crash banner says.
            if let Ok(samples) = greeted.client.ready().await {
                greeted.act.emit(Action::Ready(samples));
            }
        });
        // Nothing waits for the handshake: if the ends do not fit, the line breaks.
        spawn_local(async move { first.tell().await });
        session
    }

    /// The screen shows this workspace and design now.
    pub fn want(&self, wanted: Rc<Workspace>, design: u32) {
        let mut talk = self.talk.borrow_mut();
        let other_design = talk.design != design;
        if !same_events(&talk.wanted.source, &wanted.source) {
            // As the state does: rows of the events before go, and those that are still under way come too late.
            talk.question += 1;
            talk.shown = Rc::default();
        }
        talk.wanted = wanted;
        talk.design = design;
        drop(talk);
        if other_design {
            self.watch_soon();
        }
        let session = self.clone();
        spawn_local(async move { session.tell_if_idle().await });
    }

    /// Notes that a person has just changed a design, for the benchmark.
    pub fn design_edited(&self) {
        browser::mark("tabletop-design-sent");
        self.talk.borrow_mut().design_edited = true;
    }

    /// A person's own events: the bytes behind the source that the workspace names next.
    pub fn choose_own(&self, blob: Blob, own: OwnData) {
        let mut talk = self.talk.borrow_mut();
        talk.own_chosen = Some((blob, own));
        // The same name may stand for other bytes now, so the workspace may not differ: the engine is told in any case.
        if let Some(told) = &mut talk.told {
            told.source = Source::Sample(String::new());
        }
        drop(talk);
        let session = self.clone();
        spawn_local(async move {
            // The screen first: then one `open` does it all.
            TimeoutFuture::new(0).await;
            session.tell_if_idle().await;
        });
    }

    /// Changes how events arrive.
    pub fn play(&self, playback: Playback) {
        self.act(move |session| async move { session.client.play(playback).await });
    }

    /// Ends a load early.
    pub fn cancel_load(&self) {
        self.act(|session| async move {
            let data = session.client.cancel_load().await?;
            session.act.emit(Action::Data(data));
            Ok(())
        });
    }

    /// Starts another engine with the same workspace.
    pub fn restart(&self) {
        self.act(|session| async move {
            session.talk.borrow_mut().told = None;
            let told = session.client.restart().await?;
            session.begin_to_play(&told);
            {
                let mut talk = session.talk.borrow_mut();
                talk.told = Some(told);
                talk.events_are_others();
            }
            session.act.emit(Action::Restarted);
            session.tell().await;
            Ok(())
        });
    }

    /// Asks the question on the screen; what was asked before is given up.
    pub fn ask(&self) {
        let (turn, design) = self.next_question();
        let (query, before) = {
            let talk = self.talk.borrow();
            (talk.wanted.query.clone(), talk.shown.clone())
        };
        self.act.emit(Action::Asked(query.clone()));
        self.show(before.again(&query));
        let mut reading = self.client.read(design, query);
        let session = self.clone();
        spawn_local(async move {
            let mut result = session.talk.borrow().shown.clone();
            let mut shown_at = browser::now_millis();
            while let Some(chunk) = reading.next().await {
                if session.talk.borrow().question != turn {
                    return;
                }
                let (complete, next) = match chunk {
                    Ok(chunk) => (chunk.complete, result.with(chunk)),
                    Err(error) => (true, result.failed(error)),
                };
                result = Rc::new(next);
                // A long read comes in many slices; a person sees a dozen a second.
                let now = browser::now_millis();
                if complete || now - shown_at > 80.0 {
                    shown_at = now;
                    session.show((*result).clone());
                }
            }
            // The tablets have one read more.
            session.watch_soon();
        });
    }

    /// Gives up the question that is under way.
    pub fn give_up(&self) {
        self.next_question();
        let shown = self.talk.borrow().shown.clone();
        self.show(shown.cancelled());
    }

    fn show(&self, result: QueryResult) {
        let result = Rc::new(result);
        self.talk.borrow_mut().shown = result.clone();
        self.act.emit(Action::Result(result));
    }

    fn next_question(&self) -> (u32, u32) {
        let mut talk = self.talk.borrow_mut();
        talk.question += 1;
        (talk.question, talk.design)
    }

    /// Does one thing and then watches what becomes of it.
    fn act<F>(&self, action: impl FnOnce(Session) -> F + 'static)
    where
        F: Future<Output = Result<(), Error>> + 'static,
    {
        let session = self.clone();
        spawn_local(async move {
            if let Err(error) = action(session.clone()).await {
                session.refused(error);
            }
            session.watch_soon();
        });
    }

    /// Shows a refusal. What was given up for something else is none, and a worker that has stopped has a banner of its own.
    fn refused(&self, error: Error) {
        if error.code != Code::Cancelled && !self.client.has_stopped() {
            self.act.emit(Action::Refused(error));
        }
    }

    /// Tells the engine, unless somebody does, or it has not been told anything yet.
    async fn tell_if_idle(&self) {
        let go = {
            let talk = self.talk.borrow();
            talk.told.is_some() && !talk.telling
        };
        if go {
            self.tell().await;
        }
    }

    /// Tells the engine what differs, until nothing does. One step at a time: what is typed meanwhile is in the next, and only the
    /// newest of it.
    async fn tell(&self) {
        self.talk.borrow_mut().telling = true;
        while let Some(step) = self.next_step() {
            let wanted = self.talk.borrow().wanted.clone();
            let done = self.do_step(step, &wanted).await;
            if let Err(error) = done {
                // What was refused is not asked for again until the person changes it.
                self.talk.borrow_mut().told = Some((*wanted).clone());
                self.refused(error);
            }
            self.watch_soon();
        }
        self.talk.borrow_mut().telling = false;
    }

    fn next_step(&self) -> Option<Step> {
        let talk = self.talk.borrow();
        match &talk.told {
            None => Some(Step::Open),
            Some(told) => next_step(told, &talk.wanted),
        }
    }

    async fn do_step(&self, step: Step, wanted: &Rc<Workspace>) -> Result<(), Error> {
        let client = &self.client;
        match step {
            Step::Open => self.open(wanted).await?,
            Step::SetFields(fields) => {
                let data = client.set_fields(fields.clone()).await?;
                self.act.emit(Action::Data(data));
                self.talk.borrow_mut().events_are_others();
                self.told(|told| {
                    if let Source::Own(own) = &mut told.source {
                        own.fields = fields;
                    }
                });
            }
            Step::RemoveDesign(index) => {
                client.remove_design(index).await?;
                self.told(|told| drop(told.remove_design(index)));
            }
            Step::Design(index, patch) => {
                // Its view is of an empty table: the first picture, some milliseconds later, shows as much and more.
                client.design(index, patch.clone()).await?;
                self.told(|told| drop(told.patch_design(index, &patch)));
            }
            Step::Cluster(cluster) => {
                client.cluster(cluster.clone()).await?;
                self.told(|told| told.cluster = cluster);
            }
            Step::KeepQuery(query) => {
                client.keep_query(query.clone()).await?;
                self.told(|told| told.query = query);
            }
            Step::KeepQueries(queries, limits) => {
                client.keep_queries(queries.clone(), limits.clone()).await?;
                self.told(|told| (told.queries, told.limits) = (queries, limits));
            }
        }
        Ok(())
    }

    /// Shows the events as they stand. Fields that the engine has detected need not be told to it, and cannot be while it loads.
    fn show_data(&self, data: DataView) {
        self.told(|told| {
            if let Source::Own(own) = &mut told.source
                && own.fields.is_empty()
            {
                own.fields.clone_from(&data.fields);
            }
        });
        let missing = data.state == LoadState::Awaited && data.keeping != Keeping::Opening && !self.has_bytes();
        if missing != std::mem::replace(&mut self.talk.borrow_mut().own_missing, missing) {
            self.act.emit(Action::OwnMissing(missing));
        }
        self.act.emit(Action::Data(data));
    }

    /// Whether this page has the bytes behind the source, so that they are on their way when they are awaited.
    fn has_bytes(&self) -> bool {
        let talk = self.talk.borrow();
        let Some(Source::Own(own)) = talk.told.as_ref().map(|told| &told.source) else { return false };
        self.client.has_bytes(&own.name) || talk.own_chosen.as_ref().is_some_and(|(_, chosen)| chosen.name == own.name)
    }

    fn told(&self, note: impl FnOnce(&mut Workspace)) {
        if let Some(told) = &mut self.talk.borrow_mut().told {
            note(told);
        }
    }

    /// Begins again with `wanted`. Own events that were just chosen are fed here; those that the page had before are fed by the
    /// client; those of an earlier visit are kept in this browser, or missing.
    async fn open(&self, wanted: &Rc<Workspace>) -> Result<(), Error> {
        // These send right behind what this sends, so that the first picture comes with the answer.
        self.begin_to_play(wanted);
        self.watch_soon();
        self.client.open((**wanted).clone()).await?;
        {
            let mut talk = self.talk.borrow_mut();
            talk.told = Some((**wanted).clone());
            talk.events_are_others();
            talk.own_missing = false;
        }
        self.act.emit(Action::OwnMissing(false));
        if let Source::Own(_) = &wanted.source {
            let session = self.clone();
            spawn_local(async move {
                let chosen = session.talk.borrow_mut().own_chosen.take();
                let Some((blob, own)) = chosen else { return };
                match session.client.load_blob(blob, own, &|data| session.show_data(data)).await {
                    // It is older than what the loop may have shown meanwhile: that asks again.
                    Ok(_) => session.talk.borrow_mut().events_loaded = None,
                    Err(error) => session.refused(error),
                }
                session.watch_soon();
            });
        }
        Ok(())
    }

    /// A part of generated events is there at once; the rest shows how tablets split.
    fn begin_to_play(&self, workspace: &Workspace) {
        if self.motion && matches!(workspace.source, Source::Generated(_)) {
            self.play(Playback::Play);
        }
    }

    /// Takes over what a script of the page has put into the engine.
    fn adopt(self) {
        spawn_local(async move {
            if let Ok(workspace) = self.client.workspace().await {
                let mut talk = self.talk.borrow_mut();
                talk.told = Some(workspace.clone());
                talk.events_are_others();
                talk.own_missing = false;
                drop(talk);
                self.act.emit(Action::Adopt(Rc::new(workspace)));
                self.watch_soon();
            }
        });
    }

    /// Pulls pictures until nothing moves any more. At most one loop runs, and it has at most one question under way.
    fn watch_soon(&self) {
        self.talk.borrow_mut().stirred = true;
        let session = self.clone();
        spawn_local(async move {
            if std::mem::replace(&mut session.talk.borrow_mut().watching, true) {
                return;
            }
            let done = session.watch().await;
            session.talk.borrow_mut().watching = false;
            if let Err(error) = done {
                session.refused(error);
            }
        });
    }

    async fn watch(&self) -> Result<(), Error> {
        loop {
            let (design, turn, loaded) = {
                let mut talk = self.talk.borrow_mut();
                talk.stirred = false;
                (talk.design, talk.events_turn, talk.events_loaded)
            };
            // Both are asked for before either is waited for.
            let data = loaded.is_none().then(|| self.client.data());
            let view = self.client.view(design).await?;
            let (events, loading) = match (data, loaded) {
                (Some(data), _) => self.watch_data(data.await?, turn),
                (None, loaded) => (loaded.unwrap_or(0), false),
            };
            let (playing, building, settling) = (view.playing, view.building, view.settling);
            let shows_rows = view.events_built > 0 || !loading;
            self.act.emit(Action::View(Rc::new(view)));
            browser::next_frame().await;
            self.mark_painted(shows_rows, playing || !building).await;
            self.show_preview(events).await?;
            let storing = self.talk.borrow().storing;
            if !(loading || playing || building || settling || storing || self.talk.borrow().stirred) {
                return Ok(());
            }
            if playing {
                TimeoutFuture::new(PLAY_MILLIS).await;
            } else if building || settling {
                TimeoutFuture::new(BUILD_MILLIS).await;
            } else if storing {
                TimeoutFuture::new(STORE_MILLIS).await;
            }
        }
    }

    /// Shows the events that were asked for in this turn; gives their number, and whether more are to come.
    fn watch_data(&self, data: DataView, turn: u32) -> (u32, bool) {
        let events = data.events;
        let is_coming = data.state == LoadState::Awaited && self.has_bytes();
        let loading = data.state == LoadState::Loading || is_coming;
        {
            let mut talk = self.talk.borrow_mut();
            talk.storing = data.keeping == Keeping::Here && data.kept.is_some_and(|kept| kept < events);
            if !loading && !talk.storing && talk.events_turn == turn {
                talk.events_loaded = Some(events);
            }
        }
        self.show_data(data);
        (events, loading)
    }

    /// Shows the first of so many events, unless it does already. Enough to fill the preview, or all there is.
    async fn show_preview(&self, events: u32) -> Result<(), Error> {
        let wanted = events.min(PREVIEW_EVENTS);
        if self.talk.borrow().previewed.is_none_or(|shown| shown < wanted) {
            self.talk.borrow_mut().previewed = Some(0);
            let events = self.client.events(0, PREVIEW_EVENTS).await?;
            // They may have become others meanwhile.
            if let Some(shown) = &mut self.talk.borrow_mut().previewed {
                *shown = events.events.len() as u32;
            }
            self.act.emit(Action::Preview(events));
        }
        Ok(())
    }

    /// Tells the benchmark what has just been painted: rows, and all of them if the table is built.
    async fn mark_painted(&self, shows_rows: bool, built: bool) {
        let (edited, first) = {
            let mut talk = self.talk.borrow_mut();
            let telling = talk.telling;
            let edited = built && !telling && std::mem::take(&mut talk.design_edited);
            (edited, shows_rows && !std::mem::replace(&mut talk.interactive, true))
        };
        if edited || first {
            TimeoutFuture::new(0).await;
        }
        if first {
            browser::mark("tabletop-interactive");
        }
        if edited {
            browser::mark("tabletop-design-painted");
        }
    }
}
