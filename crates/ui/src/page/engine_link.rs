//! The page's end of the link to the engine. It sends the workspace, and requests pictures while
//! they change.

mod compare;
mod events;
mod expired;
mod gather;
mod hand_writes;
mod inside;
mod job;
mod keys;
mod measure;
mod server;
mod shell;
mod simulate;
mod storage;
mod sync;
mod timeline;
mod trace;
mod watch;

use std::cell::RefCell;
use std::mem::replace;
use std::rc::Rc;

use gloo::timers::future::TimeoutFuture;
use tabletop_client::{Client, JobHost, ScriptEdit, Start};
use tabletop_model::{Code, Error};
use tabletop_protocol::{Playback, QueryOnDesign, ReadQuery};
use tabletop_workspace::{OwnData, Source, ViewId, Workspace};
use wasm_bindgen_futures::spawn_local;
use web_sys::Blob;
use yew::Callback;

use crate::browser;
use crate::page::state::{Action, QueryResult};
pub use events::EventsRequest;
pub use expired::ExpiredRequest;
pub use gather::GatherRequest;
pub use inside::InsideAction;
#[cfg(test)]
pub use inside::tablet_to_show;
pub use job::{JobEvent, UseJob, WorkerJobs};
pub use keys::KeysRequest;
pub use server::ServerLink;
pub use simulate::ReplayRequest;
pub use sync::OnScreen;
use sync::{SyncState, Unsent};
pub use trace::MarkRequest;

/// The address of the worker's script, which index.html also starts.
const WORKER: &str = "./tabletop-worker.js";

/// The page's end of the link to the engine. All clones share one state.
#[derive(Clone)]
pub struct EngineLink {
    client: Client,
    act: Callback<Action>,
    sync: Rc<RefCell<SyncState>>,
    /// The running server that serves the page, if one does.
    server: ServerLink,
    /// Whether the user does not prefer reduced motion.
    motion: bool,
}

impl EngineLink {
    /// Starts the engine with the workspace `desired`. Generated events arrive live unless the user
    /// prefers reduced motion. `writes` are the manual writes of an earlier visit.
    pub fn start(act: Callback<Action>, desired: Rc<Workspace>, writes: Option<String>) -> EngineLink {
        let client = Client::start(Start { url: WORKER.into(), first_message: browser::this_program() });
        client.set_first_look(true);
        tabletop_client::js::install(&client);
        let sync = SyncState::new(desired);
        let (sync, server) = (Rc::new(RefCell::new(sync)), ServerLink::default());
        let link = EngineLink { client, act, sync, server, motion: !browser::reduced_motion() };
        let crashed = link.act.clone();
        link.client.on_crash(move |reason| crashed.emit(Action::Crashed(reason)));
        let scripted = link.clone();
        link.client.on_script_edit(move |edit| scripted.adopt(edit));
        let changed = link.clone();
        link.client.on_change(move || {
            changed.sync.borrow_mut().events_loaded = None;
            changed.watch_soon();
            changed.look_at_storage();
        });
        let (started, first) = (link.clone(), link.clone());
        spawn_local(async move {
            // The crash banner shows the error.
            if let Ok(samples) = started.client.ready().await {
                started.act.emit(Action::Ready(samples));
            }
        });
        if let Some(writes) = writes {
            link.restore_writes(&writes);
        }
        spawn_local(async move { first.send_all().await });
        link
    }

    /// Where runs of jobs are opened.
    pub fn jobs(&self) -> WorkerJobs {
        WorkerJobs::of(&self.client)
    }

    /// The connection to the running server that serves the page.
    pub fn server(&self) -> &ServerLink {
        &self.server
    }

    /// Sets the workspace and which part of it is shown.
    pub fn set_desired(&self, desired: Rc<Workspace>, on_screen: OnScreen) {
        let other_picture = {
            let mut sync = self.sync.borrow_mut();
            if !sync.has_same_events(&sync.desired.source, &desired.source) {
                // Rows of the previous events are dropped, as in the page's state. Rows that still
                // arrive are ignored.
                sync.query += 1;
                sync.shown = Rc::default();
                // Answers to earlier requests are outdated.
                sync.events_are_others();
            }
            sync.desired = desired;
            let OnScreen { design, view, compares, suggests } = on_screen;
            let before = OnScreen {
                design: replace(&mut sync.design, design),
                view: replace(&mut sync.view, view),
                compares: replace(&mut sync.compares, compares),
                suggests: replace(&mut sync.suggests, suggests),
            };
            before != on_screen
        };
        if other_picture {
            self.watch_soon();
        }
        let link = self.clone();
        spawn_local(async move { link.send_if_idle().await });
    }

    /// Marks for the benchmark that the user has just changed a design.
    pub fn design_edited(&self) {
        browser::mark("tabletop-design-sent");
        self.sync.borrow_mut().design_edited = true;
    }

    /// Reads a file for its digest. Returns nothing if it cannot be read, which is shown, or if the
    /// user has chosen something else in the meantime.
    pub async fn identify(&self, blob: &Blob, own: OwnData) -> Option<OwnData> {
        self.client.identify(blob, own).await.map_err(|error| self.refused(error)).ok()
    }

    /// Takes the user's own events: the bytes of the source that the workspace names next.
    pub fn choose_own(&self, blob: Blob, own: OwnData) {
        self.sync.borrow_mut().own_chosen = Some((blob, own));
        let link = self.clone();
        spawn_local(async move {
            // After the screen has changed, one message sends all changes.
            TimeoutFuture::new(0).await;
            link.send_if_idle().await;
        });
    }

    /// Changes how events arrive.
    pub fn play(&self, playback: Playback) {
        self.act(move |link| async move { link.client.play(playback).await });
    }

    /// Undoes the manual writes with these numbers, and redoes all others.
    #[inline(never)]
    pub fn take_back(&self, numbers: &[u32]) {
        let numbers = numbers.to_vec();
        self.act(move |link| async move { link.client.take_back(numbers).await });
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
            // The new engine gets the workspace again, with the manual writes.
            link.send_writes().await;
            link.client.set_workspace(opened.clone()).await?;
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

    /// Runs the query shown, and cancels the previous one.
    pub fn ask(&self) {
        let (turn, design) = self.next_query();
        let (query, before) = {
            let mut sync = self.sync.borrow_mut();
            sync.asked_design =
                sync.desired.designs.get(design as usize).map(|asked| (design, asked.clone()));
            (sync.desired.query.clone(), sync.shown.clone())
        };
        self.act.emit(Action::Asked(query.clone()));
        self.show(before.again(&query));
        let filters = query.filter.is_some();
        if self.sync.borrow().view == ViewId::Tablet {
            self.touch_first(turn, &query);
        }
        let mut run = self.client.run::<ReadQuery>(&QueryOnDesign { index: design, query });
        let link = self.clone();
        spawn_local(async move {
            let mut result = link.sync.borrow().shown.clone();
            let mut shown_at = browser::now_millis();
            while let Some(chunk) = run.next(&()).await {
                if link.sync.borrow().query != turn {
                    return;
                }
                let (complete, next) = match chunk {
                    Ok(chunk) => (chunk.complete, result.with(chunk)),
                    Err(error) => (true, result.failed(error.into_error())),
                };
                result = Rc::new(next);
                // A long read arrives in many slices. The screen shows a dozen per second.
                let now = browser::now_millis();
                if complete || now - shown_at > 80.0 {
                    shown_at = now;
                    link.show((*result).clone());
                }
            }
            if filters && result.complete() {
                link.count_nodes(turn, design, &result.query());
            }
            // The read counts in the tablets.
            link.watch_soon();
        });
    }

    /// Cancels the query that is running.
    pub fn give_up(&self) {
        self.next_query();
        let shown = self.sync.borrow().shown.clone();
        self.show(shown.cancelled());
    }

    fn show(&self, result: QueryResult) {
        let result = Rc::new(result);
        self.sync.borrow_mut().shown = result.clone();
        self.act.emit(Action::Result(result));
    }

    fn next_query(&self) -> (u32, u32) {
        let mut sync = self.sync.borrow_mut();
        sync.query += 1;
        (sync.query, sync.design)
    }

    /// Runs an action and then polls its effect.
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

    /// Shows a refusal. A cancelled request is not an error, and a stopped worker has its own
    /// banner.
    fn refused(&self, error: Error) {
        if error.code != Code::Cancelled && !self.client.has_stopped() {
            self.act.emit(Action::Refused(error));
        }
    }

    /// Sends the workspace, unless it is being sent or the first one has not been sent yet.
    async fn send_if_idle(&self) {
        let go = {
            let sync = self.sync.borrow();
            sync.sent.is_some() && !sync.sending
        };
        if go {
            self.send_all().await;
        }
    }

    /// Sends the workspace shown until the engine has it, one message at a time. The next message
    /// contains only the latest state of what was typed in the meantime.
    async fn send_all(&self) {
        self.sync.borrow_mut().sending = true;
        loop {
            let Some(next) = self.sync.borrow_mut().next_to_send() else { break };
            if let Err(error) = self.send(next).await {
                // A refused workspace is sent again after the user has changed it.
                self.refused(error);
            }
            self.watch_soon();
        }
        self.sync.borrow_mut().sending = false;
    }

    /// Sends the workspace. Loads own events that were just chosen. The client loads events that
    /// the page had before; events of an earlier visit are stored in this browser, or missing.
    async fn send(&self, next: Unsent) -> Result<(), Error> {
        let Unsent { workspace, other_events, chosen } = next;
        // These requests follow the workspace, so that the first picture arrives with the answer.
        if other_events {
            self.begin_to_play(&workspace);
        }
        self.watch_soon();
        self.client.set_workspace((*workspace).clone()).await?;
        if other_events {
            self.sync.borrow_mut().own_missing = false;
            self.act.emit(Action::OwnFound);
        }
        if let Some((blob, own)) = chosen {
            let link = self.clone();
            spawn_local(async move {
                match link.client.load_blob(blob, own, &|data| link.show_data(data)).await {
                    // The loop may have shown a newer state in the meantime, and requests again.
                    Ok(_) => link.sync.borrow_mut().events_loaded = None,
                    Err(error) => link.refused(error),
                }
                link.watch_soon();
            });
        }
        Ok(())
    }

    /// Plays the generated events, so that the user sees tablets split, unless the workspace has a
    /// position.
    fn begin_to_play(&self, workspace: &Workspace) {
        if self.motion && workspace.arrived.is_none() && matches!(workspace.source, Source::Generated(_)) {
            self.play(Playback::Play);
        }
    }

    /// Shows what a script of the page has changed. What the user has edited in the meantime is
    /// sent after it.
    fn adopt(&self, edit: ScriptEdit) {
        {
            let mut sync = self.sync.borrow_mut();
            // The workspace of the script, or one that the page has sent after it.
            sync.sent = self.client.last_workspace().map(Rc::new);
            sync.events_are_others();
            sync.own_missing = false;
        }
        self.act.emit(Action::Adopt(Box::new(edit)));
        self.watch_soon();
    }
}
