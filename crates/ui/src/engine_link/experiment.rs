//! Sends requests about the experiment of the article.

use tabletop_model::Error;
use tabletop_schema::experiment::{ExperimentAsk, ExperimentChunk};
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use super::EngineLink;

/// A request about an experiment, and where its answer goes.
pub struct ExperimentRequest {
    /// The request.
    pub ask: ExperimentAsk,
    /// Takes the answer; an end has no chunk.
    pub answer: Callback<Result<Option<ExperimentChunk>, Error>>,
}

impl EngineLink {
    /// Sends a request about an experiment.
    #[inline(never)]
    pub fn experiment(&self, request: ExperimentRequest) {
        let client = self.client.clone();
        spawn_local(async move { request.answer.emit(client.experiment(request.ask).await) });
    }
}
