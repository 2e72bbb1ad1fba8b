//! Requests the timeline of the table shown, once the later part of the program has arrived: a
//! first visit does not wait for it.

use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;

use super::EngineLink;
use crate::browser;
use crate::page::state::{Action, Timeline};

/// Milliseconds between two polls while events arrive.
const LOOK_MILLIS: f64 = 250.0;

impl EngineLink {
    /// Shows what the first picture does not wait for, such as the timeline: its code has arrived.
    #[inline(never)]
    pub fn show_rest(&self) {
        self.client.set_first_look(false);
        self.sync.borrow_mut().timeline.is_shown = true;
        self.act.emit(Action::Look(Box::new(|look| look.is_complete = true)));
        self.watch_soon();
    }

    /// Requests the timeline of the design shown.
    #[inline(never)]
    pub(super) fn look_at_timeline(&self, playing: bool) {
        let design = {
            let mut sync = self.sync.borrow_mut();
            let now = browser::now_millis();
            let is_early = playing && now - sync.timeline.asked_at < LOOK_MILLIS;
            if is_early || std::mem::replace(&mut sync.timeline.is_asked, true) {
                return;
            }
            sync.timeline.asked_at = now;
            sync.design
        };
        let link = self.clone();
        spawn_local(async move {
            let timeline = link.client.timeline(design).await;
            let is_new = {
                let look = &mut link.sync.borrow_mut().timeline;
                look.is_asked = false;
                // A design that was removed in the meantime has none.
                let before = std::mem::replace(&mut look.last, timeline.ok().map(Rc::new));
                look.last.clone().filter(|timeline| before.as_ref() != Some(timeline))
            };
            if let Some(timeline) = is_new {
                link.act.emit(Action::part(move |look: &mut Timeline| look.view = Some(timeline)));
            }
        });
    }
}
