//! Sends requests about simulations.

use tabletop_model::Error;
use tabletop_schema::{SimulateAsk, SimulationChunk};
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use super::EngineLink;

/// A request about a simulation, and where its answer goes.
pub struct SimulateRequest {
    /// The request.
    pub ask: SimulateAsk,
    /// Takes the answer; an end has no chunk.
    pub answer: Callback<Result<Option<SimulationChunk>, Error>>,
}

impl EngineLink {
    /// Sends a request about a simulation.
    #[inline(never)]
    pub fn simulate(&self, request: SimulateRequest) {
        let client = self.client.clone();
        spawn_local(async move { request.answer.emit(client.simulate(request.ask).await) });
    }
}
