//! Runs of jobs of a worker or a server, slice by slice.

use std::marker::PhantomData;
use std::rc::Rc;

use futures_channel::oneshot::Receiver;
use tabletop_model::{Bytes, Code, Error, Result, wire};
use tabletop_protocol::{Answer, Ask, Job, JobAsk, JobError, RunId};

use crate::link::Reply;
use crate::{Client, unexpected};

/// A connection to a host that runs jobs: the worker, or a server.
pub trait JobHost {
    /// Opens a run. [`OpenRun::next`] requests the first slice.
    fn run<J: Job>(&self, request: &J::Request) -> OpenRun<J>;
}

/// Sends requests about runs to a host.
pub trait JobLine {
    /// Sends a request.
    fn send(&self, ask: &Ask) -> Receiver<Result<Answer>>;

    /// The number of the host, which increases when another host takes its place. Runs of an
    /// earlier host are lost.
    fn epoch(&self) -> u32;
}

/// A run of a job, whose slices are requested one by one. Dropping it closes the run.
pub struct OpenRun<J: Job> {
    run: RawRun,
    job: PhantomData<fn() -> J>,
}

/// A run whose chunks are bytes, so that its code is shared by all jobs.
struct RawRun {
    line: Rc<dyn JobLine>,
    epoch: u32,
    state: State,
    /// Stored here, so that a cancelled call of `next` does not lose a slice.
    pending: Option<Reply>,
}

enum State {
    /// Not open yet, with the request that opens it.
    New(JobAsk),
    Open(RunId),
    Closed,
}

impl<J: Job> OpenRun<J> {
    /// Makes a run that opens with this request, on this line.
    pub fn new(line: Rc<dyn JobLine>, request: &J::Request) -> OpenRun<J> {
        let state = State::New(JobAsk::begin::<J>(request));
        OpenRun { run: RawRun { epoch: line.epoch(), line, state, pending: None }, job: PhantomData }
    }

    /// Requests the next slice; `None` once the run is closed. The first slice, which opens the
    /// run, has the default order. After `NotReady`, the call can be retried.
    ///
    /// # Errors
    /// The errors of the run; `Failed` once the host has stopped, `Gone` if another host has taken
    /// its place.
    pub async fn next(&mut self, order: &J::Order) -> Option<Result<J::Chunk, JobError>> {
        let order =
            if let State::Open(_) = self.run.state { wire::encode(order).into() } else { Bytes::default() };
        let chunk = self.run.next(order).await?;
        Some(chunk.and_then(|chunk| wire::decode(&chunk).map_err(JobError::Failed)))
    }

    /// Returns whether more slices can be requested.
    pub fn is_open(&self) -> bool {
        !matches!(self.run.state, State::Closed)
    }
}

impl RawRun {
    async fn next(&mut self, order: Bytes) -> Option<Result<Bytes, JobError>> {
        if self.epoch != self.line.epoch() {
            let was_closed = matches!(std::mem::replace(&mut self.state, State::Closed), State::Closed);
            return (!was_closed).then_some(Err(JobError::Gone));
        }
        if self.pending.is_none() {
            let ask = match &self.state {
                State::New(begin) => begin.clone(),
                State::Open(run) => JobAsk::Next { run: *run, order },
                State::Closed => return None,
            };
            self.pending = Some(self.line.send(&Ask::Job(ask)));
        }
        let answer = self.pending.as_mut()?.await.unwrap_or_else(|_| Err(unexpected()));
        self.pending = None;
        Some(self.take(answer))
    }

    fn take(&mut self, answer: Result<Answer>) -> Result<Bytes, JobError> {
        match answer {
            Ok(Answer::Job(Ok(slice))) => {
                self.state = slice.run.map_or(State::Closed, State::Open);
                Ok(slice.chunk)
            }
            answer => Err(self.failed(answer)),
        }
    }

    /// Returns why the slice is missing, and updates the state: after some errors the run stays
    /// open.
    #[cold]
    #[inline(never)]
    fn failed(&mut self, answer: Result<Answer>) -> JobError {
        let error = match answer {
            Ok(Answer::Job(Err(error))) => error,
            Err(error) if error.code == Code::Cancelled => JobError::Gone,
            Ok(Answer::Failed(error)) | Err(error) => JobError::Failed(error),
            Ok(_) => JobError::Failed(unexpected()),
        };
        // An open run stays open after an error, unless it is `Gone`.
        let stays = match &self.state {
            State::Open(_) => error != JobError::Gone,
            _ => matches!(error, JobError::NotReady(_)),
        };
        if !stays {
            self.state = State::Closed;
        }
        error
    }
}

impl Drop for RawRun {
    fn drop(&mut self) {
        // If a slice is in progress, the run is closed when that slice arrives and its receiver no
        // longer exists.
        if let (State::Open(run), None) = (&self.state, &self.pending)
            && self.epoch == self.line.epoch()
        {
            drop(self.line.send(&Ask::Job(JobAsk::End(*run))));
        }
    }
}

impl JobLine for Client {
    fn send(&self, ask: &Ask) -> Reply {
        self.send(ask)
    }

    fn epoch(&self) -> u32 {
        self.inner.epoch.get()
    }
}

impl JobHost for Client {
    fn run<J: Job>(&self, request: &J::Request) -> OpenRun<J> {
        OpenRun::new(Rc::new(self.clone()), request)
    }
}

/// Runs a job that has only one slice.
///
/// # Errors
/// The errors of the run.
pub async fn run_once<J: Job>(host: &impl JobHost, request: &J::Request) -> Result<J::Chunk> {
    let first = host.run::<J>(request).next(&J::Order::default()).await;
    first.unwrap_or(Err(JobError::Gone)).map_err(JobError::into_error)
}

/// Returns the error of a run that was closed before its last slice.
pub(crate) fn closed() -> Error {
    JobError::Gone.into_error()
}
