//! Reads files with traces of requests.

use js_sys::Uint8Array;
use tabletop_client::run_once;
use tabletop_model::Error;
use tabletop_protocol::{ReadTrace, TraceFile};
use tabletop_texts::messages;
use tabletop_workspace::TraceStreams;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::File;
use yew::Callback;

use super::EngineLink;

/// Size of the largest trace that the page reads, in bytes. Only a sample of its requests is kept.
const TRACE_BYTES_MAX: f64 = 32e6;
/// The maximum number of characters of a file's name in the names of its streams.
const NAME_CHARS: usize = 30;

/// A file with a trace, and where its streams go.
pub struct ReplayRequest {
    /// The file with the trace.
    pub file: File,
    /// The index of the design shown.
    pub design: usize,
    /// Receives the streams, or why there are none.
    pub answer: Callback<Result<TraceStreams, Error>>,
}

impl EngineLink {
    /// Turns a file with a trace into streams.
    #[inline(never)]
    pub fn replay(&self, request: ReplayRequest) {
        let client = self.client.clone();
        spawn_local(async move {
            let ReplayRequest { file, design, answer } = request;
            if file.size() > TRACE_BYTES_MAX {
                return answer.emit(Err(Error::invalid(messages().traffic.streams.trace_too_large)));
            }
            let Ok(bytes) = JsFuture::from(file.array_buffer()).await else {
                return answer.emit(Err(Error::invalid(messages().common.file_unreadable)));
            };
            let name = file.name();
            let name = name.rsplit_once('.').map_or(name.as_str(), |(name, _)| name);
            let name = name.chars().take(NAME_CHARS).collect();
            let file =
                TraceFile { name, design: design as u32, bytes: Uint8Array::new(&bytes).to_vec().into() };
            answer.emit(run_once::<ReadTrace>(&client, &file).await);
        });
    }
}
