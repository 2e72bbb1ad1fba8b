//! A read in slices.

use tabletop_model::{Code, Error, Result};
use tabletop_schema::{Answer, Ask, Query, QueryChunk, ReadId};

use crate::link::Reply;
use crate::{Client, unexpected};

/// Rows of a query, slice by slice, each on request. Dropping it cancels the read.
pub struct Reading {
    client: Client,
    /// Number of the worker that holds the read.
    epoch: u32,
    next: Next,
    /// Kept here, so that a cancelled call of `next` loses no rows.
    pending: Option<Reply>,
}

enum Next {
    Begin(u32, Query),
    More(ReadId),
    Nothing,
}

impl Reading {
    pub(crate) fn new(client: &Client, index: u32, query: Query) -> Reading {
        Reading { client: client.clone(), epoch: client.epoch(), next: Next::Begin(index, query), pending: None }
    }

    /// The next slice, or nothing when all rows were returned or the read has failed.
    ///
    /// # Errors
    /// `InvalidArgument` for a query that is not valid, `NotFound` for a design that does not exist, `Cancelled` when the design
    /// was deleted or the worker replaced; `Unavailable` once the worker has stopped.
    pub async fn next(&mut self) -> Option<Result<QueryChunk>> {
        if self.epoch != self.client.epoch() {
            let open = !matches!(self.next, Next::Nothing);
            self.next = Next::Nothing;
            return open.then(|| Err(Error::new(Code::Cancelled, "the worker was restarted during the read: read again")));
        }
        if self.pending.is_none() {
            let ask = match &self.next {
                Next::Begin(index, query) => Ask::Read { index: *index, query: query.clone() },
                Next::More(read) => Ask::ReadMore(*read),
                Next::Nothing => return None,
            };
            self.pending = Some(self.client.send(&ask));
        }
        let answer = self.pending.as_mut()?.await.unwrap_or_else(|_| Err(unexpected()));
        self.pending = None;
        self.next = Next::Nothing;
        Some(match answer {
            Ok(Answer::Rows(chunk)) => {
                if !chunk.complete {
                    self.next = Next::More(chunk.read);
                }
                Ok(chunk)
            }
            Ok(Answer::Failed(error)) | Err(error) => Err(error),
            Ok(_) => Err(unexpected()),
        })
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        // A slice under way cancels the read when it arrives and its receiver is gone.
        if let (Next::More(read), None) = (&self.next, &self.pending)
            && self.epoch == self.client.epoch()
        {
            drop(self.client.send(&Ask::CancelRead(*read)));
        }
    }
}
