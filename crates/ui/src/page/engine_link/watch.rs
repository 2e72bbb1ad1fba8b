//! Requests pictures of the table: while it changes, the page requests the next picture after it
//! has painted the previous one.

use std::rc::Rc;

use gloo::timers::future::TimeoutFuture;
use tabletop_client::has_later_part;
use tabletop_model::Error;
use tabletop_protocol::{DataView, LoadState, Persistence};
use tabletop_workspace::{Source, ViewId};
use wasm_bindgen_futures::spawn_local;

use super::EngineLink;
use crate::browser;
use crate::page::state::Action;

/// Events in the preview, and in each part of the list of events.
pub(super) const PREVIEW_EVENTS: u32 = 50;
/// Milliseconds between two pictures while events arrive at their pace: often enough to see tablets
/// split.
const PLAY_MILLIS: u32 = 100;
/// Milliseconds between two pictures while a built table is compacted, or designs are compared.
/// While a table is built at full speed, the worker decides when it answers.
const SETTLE_MILLIS: u32 = 20;
/// Milliseconds between two pictures while only the number of stored events changes.
const STORE_MILLIS: u32 = 150;

/// The content of a painted picture.
struct Painted {
    /// Whether there are rows. They are visible once the still is removed.
    rows: bool,
    /// Whether the table is built, or its events arrive at their pace.
    all: bool,
}

/// The state of the events.
struct Arrived {
    events: u32,
    /// Whether more events will follow.
    more: bool,
}

impl EngineLink {
    /// Requests pictures until nothing changes. At most one loop runs, with at most one request at
    /// a time.
    pub fn watch_soon(&self) {
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
            // Both requests are sent before the first answer.
            let data = loaded.is_none().then(|| self.client.data());
            let view = self.client.view(design).await?;
            let Arrived { events, more: loading } = match (data, loaded) {
                (Some(data), _) => self.watch_data(data.await?, version),
                (None, loaded) => Arrived { events: loaded.unwrap_or(0), more: false },
            };
            let (playing, building, settling) = (view.playing, view.building, view.settling);
            let advising = view.advising && self.sync.borrow().timeline.is_shown;
            let shows_rows = view.events_built > 0 || !loading;
            let view = Rc::new(view);
            if self.is_of_this_source(version) {
                self.act.emit(Action::View(view.clone()));
            }
            if self.sync.borrow().timeline.is_shown {
                self.look_at_timeline(playing);
            }
            browser::next_frame().await;
            self.mark_painted(Painted { rows: shows_rows, all: playing || !building }).await;
            self.show_preview(events).await?;
            let (storing, shown, compares, suggests) = {
                let sync = self.sync.borrow();
                (sync.storing, sync.view, sync.compares, sync.suggests)
            };
            // When other designs are shown as well, pictures may take longer.
            let comparing = compares && self.compare((!loading).then_some(events)).await?;
            if suggests && !loading {
                self.suggest_once(events).await?;
            }
            if shown == ViewId::Tablet {
                self.look_inside(view);
            }
            if !(loading
                || playing
                || building
                || settling
                || advising
                || storing
                || comparing
                || self.sync.borrow().changed)
            {
                return Ok(());
            }
            if playing {
                TimeoutFuture::new(PLAY_MILLIS).await;
            } else if settling || advising || comparing {
                TimeoutFuture::new(SETTLE_MILLIS).await;
            } else if storing {
                TimeoutFuture::new(STORE_MILLIS).await;
            }
        }
    }

    /// Returns whether an answer, which was requested at this version of the events, belongs to the
    /// current source. A script may have started to load other events that the page does not know
    /// yet: their position is not that of its workspace.
    fn is_of_this_source(&self, version: u32) -> bool {
        let sync = self.sync.borrow();
        sync.events_version == version && self.client.loads(&sync.desired.source)
    }

    /// Shows the events, which were requested at this version.
    fn watch_data(&self, data: DataView, version: u32) -> Arrived {
        let events = data.events;
        let is_coming = data.state == LoadState::Awaited && self.has_bytes();
        let loading = data.state == LoadState::Loading || is_coming;
        let stored = {
            if !self.is_of_this_source(version) {
                return Arrived { events: 0, more: true };
            }
            let mut sync = self.sync.borrow_mut();
            let was_storing = sync.storing;
            sync.storing = data.keeping == Persistence::Here && data.kept.is_some_and(|kept| kept < events);
            if !loading && !sync.storing {
                sync.events_loaded = Some(events);
            }
            was_storing && !sync.storing
        };
        if stored {
            // A list that was read before is outdated.
            self.look_at_storage();
        }
        self.show_data(data);
        Arrived { events, more: loading }
    }

    /// Shows the first events, unless the preview is full or has all of them.
    async fn show_preview(&self, events: u32) -> Result<(), Error> {
        let wanted = events.min(PREVIEW_EVENTS);
        if self.sync.borrow().previewed.is_none_or(|shown| shown < wanted) {
            self.sync.borrow_mut().previewed = Some(0);
            let events = self.client.events(0, PREVIEW_EVENTS).await?;
            // The events may have changed in the meantime.
            if let Some(shown) = &mut self.sync.borrow_mut().previewed {
                *shown = events.events.len() as u32;
            }
            self.act.emit(Action::Preview(events));
        }
        Ok(())
    }

    /// Marks for the benchmark what has just been painted.
    async fn mark_painted(&self, painted: Painted) {
        let (edited, first) = {
            let mut sync = self.sync.borrow_mut();
            let edited = painted.all && !sync.sending && std::mem::take(&mut sync.design_edited);
            (
                edited,
                painted.rows && browser::still().is_none() && !std::mem::replace(&mut sync.interactive, true),
            )
        };
        if edited || first {
            TimeoutFuture::new(0).await;
        }
        if first {
            browser::mark("tabletop-interactive");
            // A program in two parts shows it when the later part has arrived (app/listen.rs).
            if !has_later_part() {
                self.show_rest();
            }
        }
        if edited {
            browser::mark("tabletop-design-painted");
        }
    }

    /// Shows the state of the events, if they belong to the current source.
    pub fn show_data(&self, mut data: DataView) {
        if !self.client.loads(&self.sync.borrow().desired.source) {
            return;
        }
        {
            let mut sync = self.sync.borrow_mut();
            // The events of a workspace that is not sent yet are not known.
            let is_sent =
                sync.sent.as_ref().is_some_and(|sent| sent.source.same_events(&sync.desired.source));
            data.content = data.content.filter(|_| is_sent);
            sync.content = data.content;
        }
        let missing =
            data.state == LoadState::Awaited && data.keeping != Persistence::Opening && !self.has_bytes();
        if missing != std::mem::replace(&mut self.sync.borrow_mut().own_missing, missing) {
            self.act.emit(if missing { Action::OwnMissing } else { Action::OwnFound });
        }
        self.act.emit(Action::Data(data));
    }

    /// Returns whether this page has the bytes of the source and sends them.
    fn has_bytes(&self) -> bool {
        let sync = self.sync.borrow();
        let Some(Source::Own(own)) = sync.sent.as_ref().map(|sent| &sent.source) else { return false };
        self.client.has_bytes(own) || sync.own_chosen.as_ref().is_some_and(|(_, chosen)| chosen.may_be(own))
    }
}
