//! Collects the figures of designs that a report still needs: the state of each table with its
//! advice, and the points of maps.

use tabletop_client::JobHost;
use tabletop_model::Error;
use tabletop_protocol::{Gather, GatheredTable, JobError};
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use super::EngineLink;

/// A request for all tables of the workspace shown.
pub struct GatherRequest {
    /// Receives the tables in the order of the workspace, or why they cannot be read.
    pub then: Callback<Result<Vec<GatheredTable>, Error>>,
}

impl EngineLink {
    /// Collects the tables of the workspace shown, one after the other.
    #[inline(never)]
    pub fn gather(&self, request: GatherRequest) {
        let link = self.clone();
        spawn_local(async move { request.then.emit(link.gathered().await.map_err(JobError::into_error)) });
    }

    async fn gathered(&self) -> Result<Vec<GatheredTable>, JobError> {
        let mut run = self.client.run::<Gather>(&());
        let mut all = Vec::new();
        while let Some(table) = run.next(&()).await {
            all.extend(table?);
        }
        Ok(all)
    }
}
