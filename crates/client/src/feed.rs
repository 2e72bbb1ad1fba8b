//! Sends the user's own events to the worker, slice by slice. The next slice is read from the file
//! while the worker processes the last one.
//!
//! Before that, the whole file is read once for its digest. Events are stored under the digest from
//! the first one on, so that even an interrupted load does not leave events whose file is not
//! known.

use js_sys::{Array, ArrayBuffer, JsString, Uint8Array};
use tabletop_model::{Code, Error, Result};
use tabletop_protocol::{Ask, DataView, LoadState, SetView};
use tabletop_workspace::{ContentDigest, ContentHasher, OwnData, Source, Workspace};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use crate::Client;
use crate::link::text_of;
use crate::own_bytes::OwnBytes;

/// Number of bytes per message: few enough that the worker reads them within one slice of work.
const SLICE_BYTES: u32 = 256 << 10;
/// Number of bytes per slice of a digest, which takes a millisecond or two.
const DIGEST_SLICE_BYTES: u32 = 1 << 20;

impl Client {
    /// Loads the user's own events from a file. Completes when all bytes are read (the tables
    /// follow later), when the user has cancelled the load, or when the reader has stopped at an
    /// error: see the state in the result.
    ///
    /// # Errors
    /// `Cancelled` if another load or workspace has replaced this one; `Unavailable` if the file
    /// can no longer be read.
    pub async fn load_blob(
        &self,
        blob: Blob,
        own: OwnData,
        on_progress: &dyn Fn(DataView),
    ) -> Result<DataView> {
        let own = self.identify(&blob, own).await?;
        self.remember(&blob, &own);
        let data = self.feed(&blob, own, on_progress).await?;
        // The worker has written the detected fields into the workspace. A restart needs them, too.
        self.workspace().await?;
        Ok(data)
    }

    /// Loads the user's own events from a text: see [`Client::load_blob`].
    ///
    /// # Errors
    /// The errors of [`Client::load_blob`].
    pub async fn load_text(
        &self,
        text: String,
        own: OwnData,
        on_progress: &dyn Fn(DataView),
    ) -> Result<DataView> {
        self.load_blob(blob_of(&text.into(), &own)?, own, on_progress).await
    }

    /// Reads a file for its digest, unless `own` has it already, and returns `own` with it.
    ///
    /// # Errors
    /// `Cancelled` if another load or workspace has replaced this one; `Unavailable` if the file
    /// cannot be read.
    pub async fn identify(&self, blob: &Blob, own: OwnData) -> Result<OwnData> {
        if own.content.is_some() {
            return Ok(own);
        }
        let turn = self.next_load();
        let mut hasher = ContentHasher::new();
        let mut start = 0.0;
        while start < blob.size() {
            let bytes = slice_at(blob, start, DIGEST_SLICE_BYTES)
                .await
                .map_err(|error| unreadable(&own.name, &error))?;
            hasher.add(&Uint8Array::new(bytes.unchecked_ref::<ArrayBuffer>()).to_vec());
            if self.inner.loads.get() != turn {
                return Err(replaced(&own.name));
            }
            start += f64::from(DIGEST_SLICE_BYTES);
        }
        Ok(OwnData { content: Some(hasher.digest()), ..own })
    }

    /// Counts a load. Earlier loads that have not begun yet end.
    pub(crate) fn next_load(&self) -> u32 {
        let turn = self.inner.loads.get() + 1;
        self.inner.loads.set(turn);
        turn
    }

    /// Stores the bytes of a file. Files with the same name and different contents are different
    /// files.
    fn remember(&self, blob: &Blob, own: &OwnData) {
        let Some(content) = own.content else { return };
        let mut files = self.inner.own_bytes.borrow_mut();
        files.retain(|file| (&file.name, file.content) != (&own.name, content));
        files.push(OwnBytes { name: own.name.clone(), content, blob: blob.clone() });
    }

    /// Returns the file with this digest. If `own` does not have a digest, returns the last file
    /// with its name.
    fn bytes_of(&self, own: &OwnData) -> Option<(Blob, ContentDigest)> {
        let files = self.inner.own_bytes.borrow();
        let is_it = |file: &&OwnBytes| {
            file.name == own.name && own.content.is_none_or(|content| content == file.content)
        };
        files.iter().rfind(is_it).map(|file| (file.blob.clone(), file.content))
    }

    /// Returns whether this page has read this file, and can send it to the worker again.
    pub fn has_bytes(&self, own: &OwnData) -> bool {
        self.bytes_of(own).is_some()
    }

    /// Loads own data again in the background, if this page has its bytes and the worker has not
    /// stored all of them.
    pub(crate) fn feed_again(&self, own: OwnData) {
        if let Some((blob, content)) = self.bytes_of(&own) {
            let own = OwnData { content: Some(content), ..own };
            let (client, turn) = (self.clone(), self.inner.feeding.get());
            wasm_bindgen_futures::spawn_local(async move {
                let ended = |set: &SetView| set.shown && set.state != LoadState::Interrupted;
                let reads_back = client.storage().await.is_ok_and(|storage| storage.sets.iter().any(ended));
                if !reads_back && client.inner.feeding.get() == turn {
                    // The outcome is part of the state of the data.
                    drop(client.feed(&blob, own, &|_| {}).await);
                }
            });
        }
    }

    async fn feed(&self, blob: &Blob, own: OwnData, on_progress: &dyn Fn(DataView)) -> Result<DataView> {
        let turn = self.inner.feeding.get() + 1;
        self.inner.feeding.set(turn);
        let name = own.name.clone();
        let begun = self.ask_data(Ask::BeginOwn(own.clone()));
        let workspace = self.inner.workspace.borrow().clone();
        if let Some(workspace) = workspace {
            self.note_sent(Workspace { source: Source::Own(own), ..workspace });
        }
        begun.await?;
        let total = blob.size();
        let mut start = 0.0;
        let mut slice = slice_at(blob, start, SLICE_BYTES);
        loop {
            let bytes = match slice.await {
                Ok(buffer) => Uint8Array::new(buffer.unchecked_ref::<ArrayBuffer>()).to_vec(),
                Err(error) => {
                    self.cancel_load().await?;
                    return Err(unreadable(&name, &error));
                }
            };
            if self.inner.feeding.get() != turn {
                return Err(replaced(&name));
            }
            start += f64::from(SLICE_BYTES);
            let last = start >= total;
            let answer = self.ask_data(Ask::OwnBytes { bytes: bytes.into(), last });
            slice = slice_at(blob, start, SLICE_BYTES);
            let data = answer.await?;
            if self.inner.feeding.get() != turn {
                return Err(replaced(&name));
            }
            on_progress(data.clone());
            if last || data.state != LoadState::Loading {
                return Ok(data);
            }
        }
    }
}

/// Begins to read one slice. A slice beyond the end is empty.
fn slice_at(blob: &Blob, start: f64, bytes: u32) -> JsFuture {
    let end = start + f64::from(bytes);
    match blob.slice_with_f64_and_f64(start, end) {
        Ok(slice) => JsFuture::from(slice.array_buffer()),
        Err(error) => JsFuture::from(js_sys::Promise::reject(&error)),
    }
}

/// Returns a text as a file in memory.
pub(crate) fn blob_of(text: &JsString, own: &OwnData) -> Result<Blob> {
    Blob::new_with_str_sequence(&Array::of1(text)).map_err(|error| unreadable(&own.name, &error))
}

fn replaced(name: &str) -> Error {
    Error::new(Code::Cancelled, format!("another load has replaced {name}"))
}

fn unreadable(name: &str, error: &JsValue) -> Error {
    Error::new(
        Code::Unavailable,
        format!(
            "{name} can no longer be read ({}): if it was moved or changed, choose it again",
            text_of(error)
        ),
    )
}
