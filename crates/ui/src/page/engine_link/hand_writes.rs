//! Saves the manual writes for a reload, and replays them.

use gloo::timers::future::TimeoutFuture;
use tabletop_client::json;
use tabletop_model::{Code, Error};
use tabletop_protocol::KeptWrites;
use tabletop_texts::messages;
use wasm_bindgen_futures::spawn_local;

use super::EngineLink;
use crate::page::state::Action;

/// Milliseconds without another write or edit after which the manual writes are saved.
const KEEP_MILLIS: u32 = 100;

impl EngineLink {
    /// Requests the manual writes after a delay. The state receives their text.
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
            // A stopped engine has nothing new. What was saved stays.
            let Ok(kept) = link.client.kept_writes().await else { return };
            let text = if kept.designs.is_empty() { String::new() } else { json::write_writes(&kept) };
            link.sync.borrow_mut().writes.last = kept;
            link.act.emit(Action::WritesKept(text.into()));
        });
    }

    /// Replays saved manual writes: the next workspace sent to the engine includes them. If the
    /// text cannot be read there are none, and the page says so.
    #[inline(never)]
    pub fn restore_writes(&self, text: &str) {
        let kept = if text.is_empty() { Some(KeptWrites::default()) } else { json::read_writes(text) };
        let is_damaged = kept.is_none();
        self.sync.borrow_mut().writes.last = kept.unwrap_or_default();
        let link = self.clone();
        spawn_local(async move {
            if is_damaged {
                link.act
                    .emit(Action::Refused(Error::new(Code::DataLoss, messages().workspaces.damaged_writes)));
            }
            link.send_writes().await;
        });
    }

    /// Sends the writes that were saved last.
    #[inline(never)]
    pub(super) async fn send_writes(&self) {
        let kept = self.sync.borrow().writes.last.clone();
        // The crash banner shows the error.
        drop(self.client.restore_writes(kept).await);
    }
}
