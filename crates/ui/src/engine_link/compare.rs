//! Requests the figures of all designs, while the screen compares them.

use tabletop_model::Error;

use super::EngineLink;
use crate::state::Action;

impl EngineLink {
    /// Shows the figures of all designs. Returns whether they are still changing.
    pub(super) async fn compare(&self) -> Result<bool, Error> {
        let designs = self.client.compare().await?;
        let changes = designs.iter().any(|figures| figures.changes);
        self.act.emit(Action::Compared(designs));
        Ok(changes)
    }
}
