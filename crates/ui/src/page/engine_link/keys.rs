//! Reads row keys of the design shown, all or a share of them.

use tabletop_client::JobHost;
use tabletop_model::RowKey;
use tabletop_protocol::SampleKeys;
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use super::EngineLink;

/// A request for row keys.
pub struct KeysRequest {
    /// The share of the rows that is read, from 0 to 1.
    pub share: f64,
    /// Receives the keys in their order, or nothing if the table has changed in the meantime.
    pub then: Callback<Option<Vec<RowKey>>>,
}

impl EngineLink {
    /// Reads row keys. It does not count in the load of the tablets, because it is not a query of
    /// the user.
    #[inline(never)]
    pub fn read_keys(&self, request: KeysRequest) {
        let link = self.clone();
        let index = self.sync.borrow().design;
        spawn_local(async move {
            let mut run = link
                .client
                .run::<SampleKeys>(&tabletop_protocol::KeysRequest { index, share: request.share });
            let mut keys = Vec::new();
            while let Some(slice) = run.next(&()).await {
                match slice {
                    Ok(slice) => keys.extend(slice),
                    Err(_) => return request.then.emit(None),
                }
            }
            request.then.emit(Some(keys));
        });
    }
}
