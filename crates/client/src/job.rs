//! Runs of jobs of a worker or a server, slice by slice.

use std::marker::PhantomData;
use std::rc::Rc;

use tabletop_model::{Bytes, Code, Error, Result, wire};
use tabletop_schema::{Answer, Ask, Job, JobAsk, JobError, RunId};

use crate::link::Reply;
use crate::{Client, unexpected};

/// A connection to a host that runs jobs: the worker, or a server.
pub trait JobHost {
    /// Opens a run. [`OpenRun::next`] requests the first slice.
    fn run<J: Job>(&self, request: &J::Request) -> OpenRun<J>;
}

/// Sends requests about runs.
pub(crate) trait JobLine {
    /// Sends a request.
    fn send(&self, ask: &Ask) -> Reply;

    /// Number of the host, counted up when another one takes its place. A run of an earlier host is lost.
    fn epoch(&self) -> u32;
}

/// A run of a job, slice by slice, each on request. Dropping it closes the run.
pub struct OpenRun<J: Job> {
    run: RawRun,
    job: PhantomData<fn() -> J>,
}

/// A run whose chunks are bytes: the code is the same for all jobs.
struct RawRun {
    line: Rc<dyn JobLine>,
    epoch: u32,
    state: State,
    /// Kept here, so that a cancelled call of `next` loses no slice.
    pending: Option<Reply>,
}

enum State {
    /// Not open yet: the request that opens it.
    New(JobAsk),
    Open(RunId),
    Closed,
}

impl<J: Job> OpenRun<J> {
    pub(crate) fn new(line: Rc<dyn JobLine>, request: &J::Request) -> OpenRun<J> {
        let state = State::New(JobAsk::begin::<J>(request));
        OpenRun { run: RawRun { epoch: line.epoch(), line, state, pending: None }, job: PhantomData }
    }

    /// The next slice, or nothing when the run is closed. The first slice, which opens the run, has the default order. After
    /// `NotReady` the same call can be repeated.
    ///
    /// # Errors
    /// The errors of the run; `Failed` once the host has stopped, `Gone` when another host has taken its place.
    pub async fn next(&mut self, order: &J::Order) -> Option<Result<J::Chunk, JobError>> {
        let order = if let State::Open(_) = self.run.state { wire::encode(order).into() } else { Bytes::default() };
        let chunk = self.run.next(order).await?;
        Some(chunk.and_then(|chunk| wire::decode(&chunk).map_err(JobError::Failed)))
    }

    /// Whether more slices can be requested.
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

    /// Returns why there is no slice, and whether the run can be asked again.
    #[cold]
    #[inline(never)]
    fn failed(&mut self, answer: Result<Answer>) -> JobError {
        let error = match answer {
            Ok(Answer::Job(Err(error))) => error,
            Err(error) if error.code == Code::Cancelled => JobError::Gone,
            Ok(Answer::Failed(error)) | Err(error) => JobError::Failed(error),
            Ok(_) => JobError::Failed(unexpected()),
        };
        // A run that is open stays open after an error, unless it is gone.
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
        // A slice in progress closes the run when it arrives and its receiver is gone.
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

/// Runs a job that has one slice.
///
/// # Errors
/// The errors of the run.
pub async fn run_once<J: Job>(host: &impl JobHost, request: &J::Request) -> Result<J::Chunk> {
    let first = host.run::<J>(request).next(&J::Order::default()).await;
    first.unwrap_or(Err(JobError::Gone)).map_err(JobError::into_error)
}

/// The error of a run that is closed before its last slice.
pub(crate) fn closed() -> Error {
    JobError::Gone.into_error()
}
