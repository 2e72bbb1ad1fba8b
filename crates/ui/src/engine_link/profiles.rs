//! Sends requests about profiles.

use tabletop_model::Error;
use tabletop_schema::{ProfilesAsk, ProfilesChunk};
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use super::EngineLink;

/// A request about profiles, and where its answer goes.
pub struct ProfilesRequest {
    /// The request.
    pub ask: ProfilesAsk,
    /// Takes the answer; an end has no chunk.
    pub answer: Callback<Result<Option<ProfilesChunk>, Error>>,
}

impl EngineLink {
    /// Sends a request about profiles.
    #[inline(never)]
    pub fn profiles(&self, request: ProfilesRequest) {
        let client = self.client.clone();
        spawn_local(async move { request.answer.emit(client.profiles(request.ask).await) });
    }
}
