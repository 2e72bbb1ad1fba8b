//! Sends requests about the migration beside a stream.

use tabletop_model::Error;
use tabletop_schema::migration::{MigrationAsk, MigrationChunk};
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use super::EngineLink;

/// A request about the migration, and where its answer goes.
pub struct MigrationRequest {
    /// The request.
    pub ask: MigrationAsk,
    /// Takes the answer; there is no chunk where there is no migration.
    pub answer: Callback<Result<Option<MigrationChunk>, Error>>,
}

impl EngineLink {
    /// Sends a request about the migration.
    #[inline(never)]
    pub fn migrate(&self, request: MigrationRequest) {
        let client = self.client.clone();
        spawn_local(async move { request.answer.emit(client.migrate(request.ask).await) });
    }
}
