//! Keeps the writes by hand for a reload, and does them again.

use gloo::timers::future::TimeoutFuture;
use tabletop_client::json;
use tabletop_model::{Code, Error};
use tabletop_schema::KeptWrites;
use tabletop_texts::messages;
use wasm_bindgen_futures::spawn_local;

use super::EngineLink;
use crate::state::Action;

/// Milliseconds without another write or edit after which the writes are kept.
const KEEP_MILLIS: u32 = 100;

/// What the page keeps of the writes by hand.
#[derive(Default)]
pub struct WritesKept {
    /// Goes up with each request, which replaces the one before.
    turn: u32,
    /// Those that were kept or restored last, for another engine.
    last: KeptWrites,
}

impl EngineLink {
    /// Requests the writes by hand, a moment later. The state receives their text.
    #[inline(never)]
    pub fn keep_writes(&self) {
        let turn = {
            let mut sync = self.sync.borrow_mut();
            sync.writes.turn += 1;
            sync.writes.turn
        };
        let link = self.clone();
        spawn_local(async move {
            TimeoutFuture::new(KEEP_MILLIS).await;
            if link.sync.borrow().writes.turn != turn {
                return;
            }
            // An engine that has stopped has nothing new. What was kept stays.
            let Ok(kept) = link.client.kept_writes().await else { return };
            let text = if kept.designs.is_empty() { String::new() } else { json::write_writes(&kept) };
            link.sync.borrow_mut().writes.last = kept;
            link.act.emit(Action::WritesKept(text.into()));
        });
    }

    /// Does writes by hand again that were kept: the next workspace that the engine is sent has them. A text that cannot be read has none,
    /// and the page says so.
    #[inline(never)]
    pub fn restore_writes(&self, text: &str) {
        let kept = if text.is_empty() { Some(KeptWrites::default()) } else { json::read_writes(text) };
        let is_damaged = kept.is_none();
        self.sync.borrow_mut().writes.last = kept.unwrap_or_default();
        let link = self.clone();
        spawn_local(async move {
            if is_damaged {
                link.act.emit(Action::Refused(Error::new(Code::DataLoss, messages().workspaces.damaged_writes)));
            }
            link.send_writes().await;
        });
    }

    /// Sends the writes that were kept last.
    #[inline(never)]
    pub(super) async fn send_writes(&self) {
        let kept = self.sync.borrow().writes.last.clone();
        // The crash banner shows an error of this.
        drop(self.client.restore_writes(kept).await);
    }
}
