//! Requests whose messages are encoded on their own, so that the code for them need not be fetched with the code for the other
//! messages: manual writes, and the patterns of a filter.

use tabletop_model::{Result, wire};
use tabletop_schema::{Answer, Ask, HandWritesAsk, KeptWrites, MarkAsk, Marks};

use crate::Client;

impl Client {
    /// The writes by hand that the person has not taken back, to be kept for a reload.
    ///
    /// # Errors
    /// `Unavailable` once the worker has stopped.
    #[inline(never)]
    pub async fn kept_writes(&self) -> Result<KeptWrites> {
        self.ask(Ask::HandWrites(wire::encode(&HandWritesAsk::Keep).into()), |answer| match answer {
            Answer::HandWrites(kept) => wire::decode(&kept).ok(),
            _ => None,
        })
        .await
    }

    /// Does writes by hand of an earlier visit again: the next workspace that is sent has them, in designs of the same names, and no others.
    ///
    /// # Errors
    /// `Unavailable` once the worker has stopped.
    #[inline(never)]
    pub async fn restore_writes(&self, kept: KeptWrites) -> Result<()> {
        self.ask_done(Ask::HandWrites(wire::encode(&HandWritesAsk::Restore(kept)).into())).await
    }

    /// What the patterns of a filter name in cells.
    ///
    /// # Errors
    /// `InvalidArgument` for a filter that a read refuses; `Unavailable` once the worker has stopped.
    #[inline(never)]
    pub async fn mark(&self, ask: MarkAsk) -> Result<Marks> {
        self.ask(Ask::Mark(wire::encode(&ask).into()), |answer| match answer {
            Answer::Marked(marks) => wire::decode(&marks).ok(),
            _ => None,
        })
        .await
    }
}
