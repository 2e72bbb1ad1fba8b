//! Requests what the nodes of a filter did, after the rows have arrived: the read itself counts
//! only its cost.

use std::rc::Rc;

use tabletop_client::JobHost;
use tabletop_keys::Query;
use tabletop_model::{Error, wire};
use tabletop_protocol::{MarkAsk, Marks, TraceQuery, TraceRequest};
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use super::EngineLink;
use crate::page::state::{Action, FilterCounts};

/// A request for what the patterns of a filter match in cells.
pub struct MarkRequest {
    /// The request.
    pub ask: MarkAsk,
    /// Receives the answer.
    pub then: Callback<Result<Marks, Error>>,
}

impl EngineLink {
    /// Requests what the patterns of a filter match in cells.
    #[inline(never)]
    pub fn mark(&self, request: MarkRequest) {
        let link = self.clone();
        spawn_local(async move { request.then.emit(link.client.mark(request.ask).await) });
    }

    /// Counts the cells at each node of the filter of an answered query, which is encoded. A later
    /// query cancels the count.
    #[inline(never)]
    pub(super) fn count_nodes(&self, turn: u32, index: u32, query: &[u8]) {
        let Ok(query) = wire::decode::<Query>(query) else { return };
        let Some(filter) = query.filter.clone() else { return };
        let link = self.clone();
        spawn_local(async move {
            let mut run = link.client.run::<TraceQuery>(&TraceRequest { index, query, cells: false });
            // The read was answered. If its trace is refused because the table was rebuilt, another
            // read follows.
            while let Some(Ok(chunk)) = run.next(&()).await {
                if link.sync.borrow().query != turn {
                    return;
                }
                if chunk.complete {
                    link.act.emit(Action::FilterCounts(Rc::new(FilterCounts { filter, nodes: chunk.nodes })));
                    return;
                }
            }
        });
    }
}
