//! Collects what the figures of designs lack for a report: the picture of each table with its advice, and the points of maps.

use std::rc::Rc;

use tabletop_model::{Error, RowKey};
use tabletop_schema::{DesignView, Template};
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use super::EngineLink;

/// The most points of a map.
const POINTS_MAX: u64 = 5_000;

/// What was collected of one table.
#[derive(Clone)]
pub struct Gathered {
    /// Its picture, with the advice on its design.
    pub view: Rc<DesignView>,
    /// Keys of a table whose key has a Z-order, all or a share of them; empty for others.
    pub keys: Vec<RowKey>,
}

/// A request for all tables of the workspace on the screen.
pub struct GatherRequest {
    /// Receives them in the order of the workspace, or why they cannot be read.
    pub then: Callback<Result<Vec<Gathered>, Error>>,
}

impl EngineLink {
    /// Collects the tables of the workspace on the screen, one after the other.
    #[inline(never)]
    pub fn gather(&self, request: GatherRequest) {
        let link = self.clone();
        spawn_local(async move { request.then.emit(link.gathered().await) });
    }

    async fn gathered(&self) -> Result<Vec<Gathered>, Error> {
        let desired = self.sync.borrow().desired.clone();
        let mut all = Vec::new();
        for (at, design) in desired.designs.iter().enumerate() {
            let view = Rc::new(self.client.view(at as u32).await?);
            let has_map = Template::of_text(&design.template).0.zorder().is_some();
            let rows: u64 = view.table.tablets.iter().map(|tablet| tablet.rows).sum();
            let share = (POINTS_MAX as f64 / rows.max(1) as f64).min(1.0);
            let keys = if has_map && rows > 0 { self.sampled_keys(at, share).await.unwrap_or_default() } else { Vec::new() };
            all.push(Gathered { view, keys });
        }
        Ok(all)
    }
}
