//! Requests the figures of all designs while the screen compares them, and proposals of others.

use tabletop_model::Error;
use wasm_bindgen_futures::spawn_local;

use super::EngineLink;
use crate::state::Action;

impl EngineLink {
    /// Shows designs for the access patterns.
    pub fn propose_designs(&self) {
        let link = self.clone();
        spawn_local(async move {
            match link.client.propose_designs().await {
                Ok(designs) => link.act.emit(Action::Proposed(designs)),
                Err(error) => link.refused(error),
            }
        });
    }

    /// Shows the figures of all designs. Returns whether they are still changing.
    pub(super) async fn compare(&self) -> Result<bool, Error> {
        let designs = self.client.compare().await?;
        let changes = designs.iter().any(|figures| figures.changes);
        self.act.emit(Action::Compared(designs));
        Ok(changes)
    }
}
