//! The data stored in this browser, to view, export and delete it. Also exports tables as files.

use js_sys::{Array, Promise, Reflect};
use tabletop_model::{Code, Error, ExportPiece, Result};
use tabletop_protocol::{Answer, Ask, LinesView, StorageView};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, StorageEstimate, StorageManager};

use crate::link::text_of;
use crate::{AnswerOf, Client};

/// The browser's estimate of the space that all pages of this origin share.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Room {
    /// Bytes in use, approximately.
    pub used: f64,
    /// Bytes that the browser allows.
    pub quota: f64,
    /// Whether the browser deletes the data only when the user requests it.
    pub persisted: bool,
}

impl Client {
    /// Returns what is stored, and whether this tab stores more.
    ///
    /// # Errors
    /// `Unavailable` once the worker has stopped.
    pub async fn storage(&self) -> Result<StorageView> {
        self.ask_storage(Ask::Storage).await
    }

    /// Stores events in this tab from now on, if the other tab has closed.
    ///
    /// # Errors
    /// `Unavailable` once the worker has stopped.
    pub async fn keep_here(&self) -> Result<StorageView> {
        self.ask_storage(Ask::KeepHere).await
    }

    /// Deletes a stored set.
    ///
    /// # Errors
    /// `NotFound` for a set that does not exist, `FailedPrecondition` while another tab has the
    /// storage, `Unavailable` once the worker has stopped.
    pub async fn delete_set(&self, set: u32) -> Result<StorageView> {
        self.ask_storage(Ask::DeleteSet { set }).await
    }

    /// Deletes all stored sets, readable or not.
    ///
    /// # Errors
    /// `FailedPrecondition` while another tab has the storage,
    /// `Unavailable` once the worker has stopped.
    pub async fn delete_sets(&self) -> Result<StorageView> {
        self.ask_storage(Ask::DeleteSets).await
    }

    /// Exports a stored set as a file of JSON lines. Returns the file and the number of events that
    /// could not be read.
    ///
    /// # Errors
    /// `NotFound` for a set that does not exist, `ResourceExhausted` if the browser has no room for
    /// the file, `Unavailable` once the worker has stopped.
    pub async fn export_set(&self, set: u32) -> Result<(Blob, u32)> {
        // Each part is passed to the browser immediately, so that the whole set is never in this
        // program's memory at once.
        let (parts, mut unreadable, mut next) = (Array::new(), 0, Some(0));
        while let Some(start) = next {
            let part = self.ask_lines(Ask::ExportSet { set, start }).await?;
            parts.push(&js_sys::Uint8Array::from(part.lines.as_slice()));
            unreadable += part.unreadable;
            next = part.next;
        }
        Ok((file_of(&parts)?, unreadable))
    }

    /// Exports a design's table as one file, which an instance can import.
    ///
    /// # Errors
    /// `FailedPrecondition` while the table is being built, or if it changes during the export,
    /// `NotFound` for a design that does not exist, `ResourceExhausted` if the browser has no room
    /// for the file, `Unavailable` once the worker has stopped.
    pub async fn export_table(&self, index: u32) -> Result<Blob> {
        let (parts, mut resume) = (Array::new(), None);
        loop {
            let piece = self.ask_piece(Ask::ExportTable { index, resume }).await?;
            parts.push(&js_sys::Uint8Array::from(piece.bytes.as_slice()));
            if piece.resume.is_none() {
                return file_of(&parts);
            }
            resume = piece.resume;
        }
    }

    /// Returns the browser's estimate of space, if it offers one.
    pub async fn room(&self) -> Option<Room> {
        let storage = manager()?;
        let estimate: StorageEstimate = JsFuture::from(storage.estimate().ok()?).await.ok()?.unchecked_into();
        let number = |name: &str| Reflect::get(&estimate, &name.into()).ok()?.as_f64();
        Some(Room {
            used: number("usage")?,
            quota: number("quota")?,
            persisted: answer(storage.persisted()).await,
        })
    }

    /// Requests that the browser never deletes data of this page without the user's consent.
    /// Returns whether it agrees.
    pub async fn persist(&self) -> bool {
        match manager() {
            Some(storage) => answer(storage.persist()).await,
            None => false,
        }
    }

    fn ask_storage(&self, ask: Ask) -> AnswerOf<StorageView> {
        self.ask(ask, |answer| match answer {
            Answer::Storage(view) => Some(view),
            _ => None,
        })
    }

    fn ask_piece(&self, ask: Ask) -> AnswerOf<ExportPiece> {
        self.ask(ask, |answer| match answer {
            Answer::Exported(piece) => Some(piece),
            _ => None,
        })
    }

    fn ask_lines(&self, ask: Ask) -> AnswerOf<LinesView> {
        self.ask(ask, |answer| match answer {
            Answer::Lines(lines) => Some(lines),
            _ => None,
        })
    }
}

fn file_of(parts: &Array) -> Result<Blob> {
    let file = Blob::new_with_u8_array_sequence(parts);
    file.map_err(|error| Error::new(Code::ResourceExhausted, text_of(&error)))
}

/// Returns the storage manager. It does not exist in a page that was not loaded over HTTPS.
fn manager() -> Option<StorageManager> {
    let navigator = web_sys::window()?.navigator();
    let storage = Reflect::get(&navigator, &"storage".into()).ok()?;
    storage.is_object().then(|| storage.unchecked_into())
}

async fn answer(asked: std::result::Result<Promise, JsValue>) -> bool {
    match asked {
        Ok(promise) => JsFuture::from(promise).await.is_ok_and(|yes| yes.is_truthy()),
        Err(_) => false,
    }
}
