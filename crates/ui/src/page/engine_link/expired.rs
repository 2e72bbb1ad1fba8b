//! Counts the cells of the design shown that GC rules collect now.

use tabletop_client::JobHost;
use tabletop_model::{Error, ExpiredCells, RowKey};
use tabletop_protocol::{ExpiredCount, JobError};
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use super::EngineLink;

/// A request for a count.
pub struct ExpiredRequest {
    /// The row whose cells are counted and listed; `None` to count those of all rows.
    pub row: Option<RowKey>,
    /// Takes the count.
    pub answer: Callback<Result<ExpiredCells, Error>>,
}

impl EngineLink {
    /// Counts expired cells. The count does not add to the load of the tablets.
    #[inline(never)]
    pub fn count_expired(&self, request: ExpiredRequest) {
        let link = self.clone();
        let index = self.sync.borrow().design;
        spawn_local(async move {
            let mut run = link
                .client
                .run::<ExpiredCount>(&tabletop_protocol::ExpiredRequest { index, row: request.row });
            let mut counted = Err(JobError::Gone);
            while let Some(slice) = run.next(&()).await {
                counted = slice;
                if counted.is_err() {
                    break;
                }
            }
            request.answer.emit(counted.map_err(JobError::into_error));
        });
    }
}
