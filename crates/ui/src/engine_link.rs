//! The page's end of the link to the engine: sends it the workspace, and pulls pictures while there is something to see.

mod csv;
mod shell;
mod storage;

use std::cell::RefCell;
use std::rc::Rc;

use gloo_timers::future::TimeoutFuture;
use tabletop_client::{Client, Start};
use tabletop_model::{Code, Error};
use tabletop_schema::{DataView, LoadState, OwnData, Persistence, Playback, Source, Workspace};
use wasm_bindgen_futures::spawn_local;
use web_sys::Blob;
use yew::Callback;

use crate::browser;
use crate::state::{Action, QueryResult};

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

/// The page's end of the link to the engine. Cheap to clone: all clones are one.
#[derive(Clone)]
pub struct EngineLink {
    client: Client,
    act: Callback<Action>,
    sync: Rc<RefCell<SyncState>>,
    motion: bool,
}

/// What the engine was sent, and what it was asked.
struct SyncState {
    /// The workspace on the screen.
    desired: Rc<Workspace>,
    design: u32,
    /// The workspace that the engine was sent last; nothing before the first.
    sent: Option<Rc<Workspace>>,
    /// A workspace is being sent.
    sending: bool,
    /// Pictures are being pulled.
    watching: bool,
    /// Something has changed since the last picture.
    changed: bool,
    /// Goes up whenever the events may have become others.
    events_version: u32,
    /// How many there are, once no more can come: then there is no need to ask.
    events_loaded: Option<u32>,
    /// How many the preview shows; nothing when they may be others by now.
    previewed: Option<u32>,
    /// The rows on the screen.
    shown: Rc<QueryResult>,
    /// Goes up with every question: an earlier one is given up.
    question: u32,
    /// The workspace names a file whose bytes are neither here nor stored: nothing is to come.
    own_missing: bool,
    /// Events are still being stored.
    storing: bool,
    /// A file that was just chosen, until it is sent.
    own_chosen: Option<(Blob, OwnData)>,
    /// A person has changed a design, and its table is still to be painted.
    design_edited: bool,
    interactive: bool,
    shell: shell::Work,
}

/// What is to be sent next.
struct Unsent {
    workspace: Rc<Workspace>,
    /// The engine loads other events than before.
    other_events: bool,
    /// The bytes of its source.
    chosen: Option<(Blob, OwnData)>,
}

impl SyncState {
    fn events_are_others(&mut self) {
        self.events_version += 1;
        (self.events_loaded, self.previewed) = (None, None);
    }

    /// Takes note that the workspace on the screen is sent, if it differs from what was sent last or a file was chosen for it.
    fn next_to_send(&mut self) -> Option<Unsent> {
        let workspace = self.desired.clone();
        // The same name may stand for other bytes: a file that was chosen is loaded though the workspace may be the same.
        let chosen = self.own_chosen.take_if(|(_, own)| Source::Own(own.clone()).same_events(&workspace.source));
        let same = |sent: &Rc<Workspace>| Rc::ptr_eq(sent, &workspace) || *sent == workspace;
        if chosen.is_none() && self.sent.as_ref().is_some_and(same) {
            return None;
        }
        let before = self.sent.replace(workspace.clone());
        let source = before.as_ref().map(|before| &before.source);
        let other_events = chosen.is_some() || !source.is_some_and(|source| source.same_events(&workspace.source));
        if other_events || source != Some(&workspace.source) {
            self.events_are_others();
        }
        Some(Unsent { workspace, other_events, chosen })
    }
}

impl EngineLink {
    /// Starts the engine with the workspace `desired`. With `motion`, generated events arrive live from the beginning.
    pub fn start(act: Callback<Action>, desired: Rc<Workspace>, motion: bool) -> EngineLink {
        let client = Client::start(Start { url: WORKER.into(), first_message: browser::this_program() });
        tabletop_client::js::install(&client);
        let sync = SyncState {
            desired,
            design: 0,
            sent: None,
            sending: false,
            watching: false,
            changed: false,
            events_version: 0,
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
        let link = EngineLink { client, act, sync: Rc::new(RefCell::new(sync)), motion };
        let crashed = link.act.clone();
        link.client.on_crash(move |reason| crashed.emit(Action::Crashed(reason)));
        let scripted = link.clone();
        link.client.on_script_edit(move || scripted.clone().adopt());
        let changed = link.clone();
        link.client.on_change(move || {
            changed.sync.borrow_mut().events_loaded = None;
            changed.watch_soon();
            changed.look_at_storage();
        });
        let (started, first) = (link.clone(), link.clone());
        spawn_local(async move {
            // The crash banner says what goes wrong here.
            if let Ok(samples) = started.client.ready().await {
                started.act.emit(Action::Ready(samples));
            }
        });
        spawn_local(async move { first.send_all().await });
        link
    }

    /// The screen shows this workspace and design now.
    pub fn set_desired(&self, desired: Rc<Workspace>, design: u32) {
        let other_design = {
            let mut sync = self.sync.borrow_mut();
            if !sync.desired.source.same_events(&desired.source) {
                // As the state does: rows of the events before go, and those that are still under way come too late.
                sync.question += 1;
                sync.shown = Rc::default();
                // What was asked about them before is of no use either.
                sync.events_are_others();
            }
            sync.desired = desired;
            std::mem::replace(&mut sync.design, design) != design
        };
        if other_design {
            self.watch_soon();
        }
        let link = self.clone();
        spawn_local(async move { link.send_if_idle().await });
    }

    /// Notes that a person has just changed a design, for the benchmark.
    pub fn design_edited(&self) {
        browser::mark("tabletop-design-sent");
        self.sync.borrow_mut().design_edited = true;
    }

    /// A person's own events: the bytes of the source that the workspace names next.
    pub fn choose_own(&self, blob: Blob, own: OwnData) {
        self.sync.borrow_mut().own_chosen = Some((blob, own));
        let link = self.clone();
        spawn_local(async move {
            // The screen first: then one message does it all.
            TimeoutFuture::new(0).await;
            link.send_if_idle().await;
        });
    }

    /// Changes how events arrive.
    pub fn play(&self, playback: Playback) {
        self.act(move |link| async move { link.client.play(playback).await });
    }

    /// Ends a load early.
    pub fn cancel_load(&self) {
        self.act(|link| async move {
            let data = link.client.cancel_load().await?;
            link.act.emit(Action::Data(data));
            Ok(())
        });
    }

    /// Starts another engine with the same workspace.
    pub fn restart(&self) {
        self.act(|link| async move {
            link.sync.borrow_mut().sent = None;
            let opened = link.client.restart().await?;
            link.begin_to_play(&opened);
            {
                let mut sync = link.sync.borrow_mut();
                sync.sent = Some(Rc::new(opened));
                sync.events_are_others();
            }
            link.act.emit(Action::Restarted);
            link.send_all().await;
            Ok(())
        });
    }

    /// Asks the question on the screen; what was asked before is given up.
    pub fn ask(&self) {
        let (turn, design) = self.next_question();
        let (query, before) = {
            let sync = self.sync.borrow();
            (sync.desired.query.clone(), sync.shown.clone())
        };
        self.act.emit(Action::Asked(query.clone()));
        self.show(before.again(&query));
        let mut reading = self.client.read(design, query);
        let link = self.clone();
        spawn_local(async move {
            let mut result = link.sync.borrow().shown.clone();
            let mut shown_at = browser::now_millis();
            while let Some(chunk) = reading.next().await {
                if link.sync.borrow().question != turn {
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
                    link.show((*result).clone());
                }
            }
            // The tablets have one read more.
            link.watch_soon();
        });
    }

    /// Gives up the question that is under way.
    pub fn give_up(&self) {
        self.next_question();
        let shown = self.sync.borrow().shown.clone();
        self.show(shown.cancelled());
    }

    fn show(&self, result: QueryResult) {
        let result = Rc::new(result);
        self.sync.borrow_mut().shown = result.clone();
        self.act.emit(Action::Result(result));
    }

    fn next_question(&self) -> (u32, u32) {
        let mut sync = self.sync.borrow_mut();
        sync.question += 1;
        (sync.question, sync.design)
    }

    /// Does one thing and then watches what becomes of it.
    fn act<F>(&self, action: impl FnOnce(EngineLink) -> F + 'static)
    where
        F: Future<Output = Result<(), Error>> + 'static,
    {
        let link = self.clone();
        spawn_local(async move {
            if let Err(error) = action(link.clone()).await {
                link.refused(error);
            }
            link.watch_soon();
        });
    }

    /// Shows a refusal. What was given up for something else is none, and a worker that has stopped has a banner of its own.
    fn refused(&self, error: Error) {
        if error.code != Code::Cancelled && !self.client.has_stopped() {
            self.act.emit(Action::Refused(error));
        }
    }

    /// Sends the workspace, unless that is under way, or the engine has not been sent any yet.
    async fn send_if_idle(&self) {
        let go = {
            let sync = self.sync.borrow();
            sync.sent.is_some() && !sync.sending
        };
        if go {
            self.send_all().await;
        }
    }

    /// Sends the workspace on the screen until the engine has it. One message at a time: what is typed meanwhile is in the next, and
    /// only the newest of it.
    async fn send_all(&self) {
        self.sync.borrow_mut().sending = true;
        loop {
            let Some(next) = self.sync.borrow_mut().next_to_send() else { break };
            if let Err(error) = self.send(next).await {
                // What was refused is sent again when the person has changed it.
                self.refused(error);
            }
            self.watch_soon();
        }
        self.sync.borrow_mut().sending = false;
    }

    /// Sends the workspace. Own events that were just chosen are loaded here; those that the page had before are loaded by the
    /// client; those of an earlier visit are stored in this browser, or missing.
    async fn send(&self, next: Unsent) -> Result<(), Error> {
        let Unsent { workspace, other_events, chosen } = next;
        // These ask after this has been sent, so that the first picture comes with the answer.
        if other_events {
            self.begin_to_play(&workspace);
        }
        self.watch_soon();
        self.client.set_workspace((*workspace).clone()).await?;
        if other_events {
            self.sync.borrow_mut().own_missing = false;
            self.act.emit(Action::OwnMissing(false));
        }
        if let Some((blob, own)) = chosen {
            let link = self.clone();
            spawn_local(async move {
                match link.client.load_blob(blob, own, &|data| link.show_data(data)).await {
                    // It is older than what the loop may have shown meanwhile: that asks again.
                    Ok(_) => link.sync.borrow_mut().events_loaded = None,
                    Err(error) => link.refused(error),
                }
                link.watch_soon();
            });
        }
        Ok(())
    }

    /// Shows the events as they stand, if they are of the source on the screen.
    fn show_data(&self, data: DataView) {
        if !self.client.loads(&self.sync.borrow().desired.source) {
            return;
        }
        let missing = data.state == LoadState::Awaited && data.keeping != Persistence::Opening && !self.has_bytes();
        if missing != std::mem::replace(&mut self.sync.borrow_mut().own_missing, missing) {
            self.act.emit(Action::OwnMissing(missing));
        }
        self.act.emit(Action::Data(data));
    }

    /// Whether this page has the bytes of the source, so that they are on their way when the engine waits for them.
    fn has_bytes(&self) -> bool {
        let sync = self.sync.borrow();
        let Some(Source::Own(own)) = sync.sent.as_ref().map(|sent| &sent.source) else { return false };
        self.client.has_bytes(&own.name) || sync.own_chosen.as_ref().is_some_and(|(_, chosen)| chosen.name == own.name)
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
                let workspace = Rc::new(workspace);
                {
                    let mut sync = self.sync.borrow_mut();
                    sync.sent = Some(workspace.clone());
                    sync.events_are_others();
                    sync.own_missing = false;
                }
                self.act.emit(Action::Adopt(workspace));
                self.watch_soon();
            }
        });
    }

    /// Pulls pictures until nothing moves any more. At most one loop runs, and it has at most one question under way.
    fn watch_soon(&self) {
        self.sync.borrow_mut().changed = true;
        let link = self.clone();
        spawn_local(async move {
            if std::mem::replace(&mut link.sync.borrow_mut().watching, true) {
                return;
            }
            let done = link.watch().await;
            link.sync.borrow_mut().watching = false;
            if let Err(error) = done {
                link.refused(error);
            }
        });
    }

    async fn watch(&self) -> Result<(), Error> {
        loop {
            let (design, version, loaded) = {
                let mut sync = self.sync.borrow_mut();
                sync.changed = false;
                (sync.design, sync.events_version, sync.events_loaded)
            };
            // Both are asked for before either is waited for.
            let data = loaded.is_none().then(|| self.client.data());
            let view = self.client.view(design).await?;
            let (events, loading) = match (data, loaded) {
                (Some(data), _) => self.watch_data(data.await?, version),
                (None, loaded) => (loaded.unwrap_or(0), false),
            };
            let (playing, building, settling) = (view.playing, view.building, view.settling);
            let shows_rows = view.events_built > 0 || !loading;
            self.act.emit(Action::View(Rc::new(view)));
            browser::next_frame().await;
            self.mark_painted(shows_rows, playing || !building).await;
            self.show_preview(events).await?;
            let storing = self.sync.borrow().storing;
            if !(loading || playing || building || settling || storing || self.sync.borrow().changed) {
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

    /// Shows the events, which were asked for when they had this version; gives their number, and whether more are to come.
    fn watch_data(&self, data: DataView, version: u32) -> (u32, bool) {
        let events = data.events;
        let is_coming = data.state == LoadState::Awaited && self.has_bytes();
        let loading = data.state == LoadState::Loading || is_coming;
        {
            let mut sync = self.sync.borrow_mut();
            if sync.events_version != version || !self.client.loads(&sync.desired.source) {
                // These are of another source.
                return (0, true);
            }
            sync.storing = data.keeping == Persistence::Here && data.kept.is_some_and(|kept| kept < events);
            if !loading && !sync.storing {
                sync.events_loaded = Some(events);
            }
        }
        self.show_data(data);
        (events, loading)
    }

    /// Shows the first of so many events, unless it does already. Enough to fill the preview, or all there is.
    async fn show_preview(&self, events: u32) -> Result<(), Error> {
        let wanted = events.min(PREVIEW_EVENTS);
        if self.sync.borrow().previewed.is_none_or(|shown| shown < wanted) {
            self.sync.borrow_mut().previewed = Some(0);
            let events = self.client.events(0, PREVIEW_EVENTS).await?;
            // They may have become others meanwhile.
            if let Some(shown) = &mut self.sync.borrow_mut().previewed {
                *shown = events.events.len() as u32;
            }
            self.act.emit(Action::Preview(events));
        }
        Ok(())
    }

    /// Tells the benchmark what has just been painted: rows, and all of them if the table is built.
    async fn mark_painted(&self, shows_rows: bool, built: bool) {
        let (edited, first) = {
            let mut sync = self.sync.borrow_mut();
            let edited = built && !sync.sending && std::mem::take(&mut sync.design_edited);
            (edited, shows_rows && !std::mem::replace(&mut sync.interactive, true))
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
