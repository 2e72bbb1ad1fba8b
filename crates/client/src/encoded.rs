//! Requests whose messages are encoded separately, so that the code for them need not be fetched
//! with the code for the other messages: manual writes, and the patterns of a filter.

use tabletop_model::{Result, wire};
use tabletop_protocol::{Answer, Ask, HandWritesAsk, KeptWrites, MarkAsk, Marks};

use crate::Client;

impl Client {
    /// Returns the manual writes that the user has not undone, to be saved for a reload.
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

    /// Restores the manual writes of an earlier visit: the next workspace that is sent has them, in
    /// the designs with the same names, and no others.
    ///
    /// # Errors
    /// `Unavailable` once the worker has stopped.
    #[inline(never)]
    pub async fn restore_writes(&self, kept: KeptWrites) -> Result<()> {
        self.ask_done(Ask::HandWrites(wire::encode(&HandWritesAsk::Restore(kept)).into())).await
    }

    /// Returns what the patterns of a filter match in cells.
    ///
    /// # Errors
    /// `InvalidArgument` for a filter that a read refuses; `Unavailable` once the worker has
    /// stopped.
    #[inline(never)]
    pub async fn mark(&self, ask: MarkAsk) -> Result<Marks> {
        self.ask(Ask::Mark(wire::encode(&ask).into()), |answer| match answer {
            Answer::Marked(marks) => wire::decode(&marks).ok(),
            _ => None,
        })
        .await
    }
}
