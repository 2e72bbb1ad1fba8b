//! Counts the cells of the design on the screen that GC rules collect now.

use tabletop_model::{Code, CountExpired, Error, ExpiredCells, Response, RowKey, TableRequest};
use tabletop_texts::messages;
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use super::EngineLink;

/// The most cells of one row that are listed. More versions than these are not shown.
const LISTED_MAX: u32 = 10_000;

/// A request for a count.
pub struct ExpiredRequest {
    /// The row whose cells are counted and listed; `None` to count those of all rows.
    pub row: Option<RowKey>,
    /// Takes the count.
    pub answer: Callback<Result<ExpiredCells, Error>>,
}

impl EngineLink {
    /// Counts expired cells. It counts as no load of the tablets.
    #[inline(never)]
    pub fn count_expired(&self, request: ExpiredRequest) {
        let link = self.clone();
        spawn_local(async move {
            let table = {
                let sync = link.sync.borrow();
                sync.desired.table_ids().swap_remove(sync.design as usize)
            };
            let counted = link.expired_cells(&table, request.row).await;
            request.answer.emit(counted);
        });
    }

    async fn expired_cells(&self, table: &str, row: Option<RowKey>) -> Result<ExpiredCells, Error> {
        let listed_max = if row.is_some() { LISTED_MAX } else { 0 };
        let mut ask = CountExpired { row, listed_max, ..CountExpired::default() };
        let mut sum = ExpiredCells::default();
        loop {
            match self.client.request(TableRequest::CountExpired(ask.clone()).of(table)).await? {
                Response::Expired(slice) => sum.add(slice),
                Response::Refused(error) => return Err(error),
                _ => return Err(Error::new(Code::Internal, messages().results.expired.no_count)),
            }
            ask.resume = sum.resume.take();
            if ask.resume.is_none() {
                return Ok(sum);
            }
        }
    }
}
