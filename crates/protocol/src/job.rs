//! Jobs: long computations that a host runs for a client, one slice per request.
//!
//! ```text
//! client                        host (worker, server)
//!   Begin(request)  ────────>   opens a run and works for its first slice
//!                   <────────   JobSlice { run, chunk }
//!   Next(run, order) ───────>   works for one more slice
//!                   <────────   JobSlice { run: None, chunk }: the last slice, the run is closed
//!   End(run)        ────────>   closes a run early
//! ```
//! A [`Job`] is the contract: a name and the types that cross the connection. A [`Run`] is one
//! computation in progress: a value with a method that works for one slice. [`Jobs`] is the
//! registry of a host: it owns all open runs, numbers them, evicts the oldest run of a job that has
//! too many, and drops every run whose basis (the events, the design or the workspace that it was
//! begun for) the host no longer has. A run only sees the data with which it was begun.
//!
//! Requests, orders and chunks are encoded separately, so the code for the types of one job is
//! fetched with that job.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tabletop_model::{Bytes, Code, Error, Timestamp, wire};

/// The contract of a long computation between a host and its clients.
pub trait Job: 'static {
    /// The name on the wire, unique among all jobs.
    const NAME: &'static str;
    /// The maximum number of open runs of a host. One more evicts the oldest run, which its client
    /// has most likely abandoned.
    const OPEN_MAX: usize = 1;
    /// The request with which a run is begun.
    type Request: Serialize + DeserializeOwned;
    /// What the client requests of the next slice. The first slice has the default order.
    type Order: Serialize + DeserializeOwned + Default;
    /// What a slice returns.
    type Chunk: Serialize + DeserializeOwned;
}

/// The number of an open run. A host never reuses a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunId(pub u32);

/// A request of a client about a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum JobAsk {
    /// Open a run, and work for its first slice.
    Begin {
        /// The job's [`Job::NAME`].
        job: String,
        /// The encoded [`Job::Request`].
        request: Bytes,
    },
    /// Work for one slice.
    Next {
        /// The run.
        run: RunId,
        /// The encoded [`Job::Order`].
        order: Bytes,
    },
    /// Close a run.
    End(RunId),
}

impl JobAsk {
    /// Opens a run of `J`.
    pub fn begin<J: Job>(request: &J::Request) -> JobAsk {
        JobAsk::Begin { job: J::NAME.into(), request: wire::encode(request).into() }
    }

    /// Requests the next slice of a run of `J`.
    pub fn next<J: Job>(run: RunId, order: &J::Order) -> JobAsk {
        JobAsk::Next { run, order: wire::encode(order).into() }
    }
}

/// The answer to a [`JobAsk`]: a slice, or why there is none.
pub type JobAnswer = Result<JobSlice, JobError>;

/// The wire encoding of a [`JobAnswer`]. An error is encoded separately: a first visit does not
/// have errors, so the code for them need not be fetched together with the code for slices.
pub(crate) mod coded {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use tabletop_model::{Bytes, wire};

    use super::{JobAnswer, JobError, JobSlice};

    pub(crate) fn serialize<S: Serializer>(answer: &JobAnswer, serializer: S) -> Result<S::Ok, S::Error> {
        answer.as_ref().map_err(encoded).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<JobAnswer, D::Error> {
        let answer: Result<JobSlice, Bytes> = Deserialize::deserialize(deserializer)?;
        Ok(answer.map_err(decoded))
    }

    #[cold]
    #[inline(never)]
    fn encoded(error: &JobError) -> Bytes {
        wire::encode(error).into()
    }

    #[cold]
    #[inline(never)]
    fn decoded(bytes: Bytes) -> JobError {
        wire::decode(&bytes).unwrap_or_else(JobError::Failed)
    }
}

/// A slice as it crosses the connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobSlice {
    /// The run, while it is open; `None` after its last slice, and for the answer to
    /// [`JobAsk::End`].
    pub run: Option<RunId>,
    /// The encoded [`Job::Chunk`]; empty for the answer to [`JobAsk::End`].
    pub chunk: Bytes,
}

impl JobSlice {
    /// Decodes the chunk of a run of `J`.
    ///
    /// # Errors
    /// `Failed` if the bytes are not a chunk of this job. Both ends are the same build, so this is
    /// a bug.
    pub fn decode<J: Job>(self) -> Result<Slice<J::Chunk>, JobError> {
        Ok(Slice { run: self.run, chunk: wire::decode(&self.chunk)? })
    }
}

/// A decoded slice.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice<T> {
    /// The run, while it is open.
    pub run: Option<RunId>,
    /// What the slice returns.
    pub chunk: T,
}

/// Why a slice is missing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum JobError {
    /// What the run needs is not ready yet: tables are being built, events loaded, the storage
    /// opened. Retry the request.
    NotReady(Error),
    /// The request does not fit the events, the design or the state that it is for. Change one of
    /// them.
    Unfit(Error),
    /// The run does not exist: it was closed, evicted, or dropped because its events, design or
    /// workspace have changed. Begin a new run.
    Gone,
    /// The slice failed.
    Failed(Error),
}

impl JobError {
    /// Returns the error as an [`Error`] of the API, for clients that do not distinguish these
    /// cases.
    pub fn into_error(self) -> Error {
        match self {
            JobError::NotReady(error) | JobError::Unfit(error) | JobError::Failed(error) => error,
            JobError::Gone => Error::new(
                Code::Cancelled,
                "the run was closed, because its data has changed or too many runs were open: start it again",
            ),
        }
    }
}

impl From<Error> for JobError {
    fn from(error: Error) -> JobError {
        JobError::Failed(error)
    }
}

/// Returns the host's time in microseconds.
pub type Clock<'a> = &'a dyn Fn() -> Timestamp;

/// A computation in progress. `H` is the host, which all its runs share.
pub trait Run<H: ?Sized> {
    /// The contract of the run.
    type Job: Job;

    /// Works for one slice: about 10 ms.
    ///
    /// # Errors
    /// After an error the run stays open, unless it is `Gone`.
    fn next(
        &mut self,
        host: &mut H,
        order: <Self::Job as Job>::Order,
        clock: Clock,
    ) -> Result<Progress<Self::Job>, JobError>;

    /// Returns whether the host still has the events, the designs and the workspace with which the
    /// run was begun.
    fn is_current(&self, host: &H) -> bool;
}

/// A [`Run`] that a host can open.
pub trait Begin<H: ?Sized>: Run<H> + Sized {
    /// Opens a run, and works for at most one slice.
    ///
    /// # Errors
    /// `NotReady` while the host builds or loads what the run needs, `Unfit` for a request that
    /// does not fit.
    fn begin(host: &mut H, request: <Self::Job as Job>::Request, clock: Clock) -> Result<Self, JobError>;
}

/// The result of a slice, and whether it was the last one.
pub enum Progress<J: Job> {
    /// More slices can follow. The client ends the run.
    More(J::Chunk),
    /// The run is complete, and is closed.
    Last(J::Chunk),
}

impl<J: Job> Progress<J> {
    /// Returns `Last` if `is_last`, otherwise `More`.
    pub fn of(chunk: J::Chunk, is_last: bool) -> Progress<J> {
        if is_last { Progress::Last(chunk) } else { Progress::More(chunk) }
    }
}

/// A job that a host runs. `R` is the type of its open runs.
pub struct Kind<H: ?Sized, R: ?Sized = LocalRun<H>> {
    name: &'static str,
    open_max: usize,
    begin: Opens<H, R>,
}

/// Opens a run with an encoded request.
type Opens<H, R> = fn(&mut H, &[u8], Clock) -> Result<Box<R>, JobError>;

/// An open run of a host that stays on one thread.
pub type LocalRun<H> = dyn AnyRun<H>;
/// An open run of a host whose threads take turns.
pub type SentRun<H> = dyn AnyRun<H> + Send;

impl<H: ?Sized + 'static> Kind<H> {
    /// Creates the entry for a job whose runs stay on one thread.
    pub const fn of<R: Begin<H> + 'static>() -> Kind<H> {
        Kind {
            name: R::Job::NAME,
            open_max: R::Job::OPEN_MAX,
            begin: |host, request, clock| Ok(Box::new(begin::<H, R>(host, request, clock)?)),
        }
    }
}

impl<H: ?Sized + 'static> Kind<H, SentRun<H>> {
    /// Creates the entry for a job whose runs can move to another thread between two slices.
    pub const fn sent<R: Begin<H> + Send + 'static>() -> Kind<H, SentRun<H>> {
        Kind {
            name: R::Job::NAME,
            open_max: R::Job::OPEN_MAX,
            begin: |host, request, clock| Ok(Box::new(begin::<H, R>(host, request, clock)?)),
        }
    }
}

impl<H: ?Sized, R: ?Sized> Kind<H, R> {
    /// Returns the job's [`Job::NAME`].
    pub fn name(&self) -> &'static str {
        self.name
    }
}

#[inline(never)]
fn begin<H: ?Sized, R: Begin<H>>(host: &mut H, request: &[u8], clock: Clock) -> Result<R, JobError> {
    R::begin(host, wire::decode(request)?, clock)
}

/// An open run of any job, as the registry owns it.
pub trait AnyRun<H: ?Sized> {
    /// Works for one slice. Returns the encoded chunk, and whether it was the last one.
    ///
    /// # Errors
    /// The errors of [`Run::next`], and `Failed` for an order that cannot be decoded.
    fn next(&mut self, host: &mut H, order: Option<&[u8]>, clock: Clock) -> Result<(Bytes, bool), JobError>;

    /// Calls [`Run::is_current`].
    fn is_current(&self, host: &H) -> bool;
}

impl<H: ?Sized, R: Run<H>> AnyRun<H> for R {
    #[inline(never)]
    fn next(&mut self, host: &mut H, order: Option<&[u8]>, clock: Clock) -> Result<(Bytes, bool), JobError> {
        let order = order.map(wire::decode).transpose()?.unwrap_or_default();
        Ok(match Run::next(self, host, order, clock)? {
            Progress::More(chunk) => (wire::encode(&chunk).into(), false),
            Progress::Last(chunk) => (wire::encode(&chunk).into(), true),
        })
    }

    fn is_current(&self, host: &H) -> bool {
        Run::is_current(self, host)
    }
}

/// The registry of a host: its jobs, and all open runs.
///
/// One thread calls [`Jobs::handle`]. A host with several threads keeps the registry behind a lock.
/// It calls the three steps separately, so that the lock is free while a run works:
/// [`Jobs::choose`], [`Step::work`], [`Jobs::install`].
pub struct Jobs<H: ?Sized + 'static, R: ?Sized + 'static = LocalRun<H>> {
    kinds: &'static [Kind<H, R>],
    /// Ordered by age, the oldest run first.
    open: Vec<Open<R>>,
    last: u32,
}

struct Open<R: ?Sized> {
    id: RunId,
    job: &'static str,
    run: Box<R>,
}

/// The next step of a request. An open run is taken out of the registry until the step is
/// installed.
pub enum Step<H: ?Sized + 'static, R: ?Sized + 'static = LocalRun<H>> {
    /// Opens a run.
    Begin(OpenStep<H, R>, Bytes),
    /// Works for one slice of an open run.
    Next(TakenRun<R>, Bytes),
    /// Nothing: the run was closed.
    End,
}

/// The job of a run that is about to be opened.
pub struct OpenStep<H: ?Sized + 'static, R: ?Sized + 'static>(&'static Kind<H, R>);

/// A run that works for a slice.
pub struct TakenRun<R: ?Sized>(Open<R>);

/// A step that has been executed.
pub struct Done<H: ?Sized + 'static, R: ?Sized + 'static = LocalRun<H>> {
    /// The run, if it stays open.
    run: Option<Open<R>>,
    /// The job, if the run is new.
    opened: Option<&'static Kind<H, R>>,
    answer: Result<Bytes, JobError>,
}

impl<H: ?Sized, R: AnyRun<H> + ?Sized> Jobs<H, R> {
    /// Creates the registry of a host that runs these jobs, without open runs.
    pub const fn new(kinds: &'static [Kind<H, R>]) -> Jobs<H, R> {
        Jobs { kinds, open: Vec::new(), last: 0 }
    }

    /// Handles a request.
    ///
    /// # Errors
    /// `Failed` for a job that this host does not run, `Gone` for a run that is not open, and the
    /// errors of the run.
    pub fn handle(&mut self, host: &mut H, ask: &JobAsk, clock: Clock) -> JobAnswer {
        let done = self.choose(host, ask)?.work(host, clock);
        self.install(done)
    }

    /// Decides what a request does, and closes the runs whose events, design or workspace the host
    /// no longer has.
    ///
    /// # Errors
    /// `Failed` for a job that this host does not run, `Gone` for a run that is not open, or that
    /// is currently working for another request.
    pub fn choose(&mut self, host: &H, ask: &JobAsk) -> Result<Step<H, R>, JobError> {
        self.drop_outdated(host);
        match ask {
            JobAsk::Begin { job, request } => {
                let kind = self.kinds.iter().find(|kind| kind.name == job).ok_or_else(|| unknown(job))?;
                Ok(Step::Begin(OpenStep(kind), request.clone()))
            }
            JobAsk::Next { run, order } => {
                let at = self.open.iter().position(|open| open.id == *run).ok_or(JobError::Gone)?;
                Ok(Step::Next(TakenRun(self.open.remove(at)), order.clone()))
            }
            JobAsk::End(run) => {
                self.open.retain(|open| open.id != *run);
                Ok(Step::End)
            }
        }
    }

    /// Puts the run of a step back into the registry, unless it is complete, and returns the
    /// answer. A new run evicts the oldest run of its job if there are too many.
    ///
    /// # Errors
    /// The errors of the run.
    pub fn install(&mut self, done: Done<H, R>) -> JobAnswer {
        let Done { run, opened, answer } = done;
        let mut id = None;
        if let Some(mut open) = run {
            if let Some(kind) = opened {
                self.last = self.last.wrapping_add(1);
                open.id = RunId(self.last);
                // With fewer open runs in total than this job may have, nothing needs to be
                // evicted.
                if self.open.len() >= kind.open_max {
                    self.evict(kind);
                }
            }
            id = Some(open.id);
            // The list is ordered by id, so the first run of a job in it is the oldest.
            let at = self.open.partition_point(|other| other.id < open.id);
            self.open.insert(at, open);
        }
        Ok(JobSlice { run: id, chunk: answer? })
    }

    /// Closes the runs whose events, design or workspace the host no longer has. A host calls this
    /// when these have changed, to free the memory of the runs at once. [`Jobs::choose`] also closes
    /// them before each step.
    pub fn drop_outdated(&mut self, host: &H) {
        self.open.retain(|open| open.run.is_current(host));
    }

    /// Returns whether a run of a job is open.
    pub fn has_open<J: Job>(&self) -> bool {
        self.open.iter().any(|open| open.job == J::NAME)
    }

    /// Closes the oldest run of a job if the job already has the maximum number of runs.
    #[inline(never)]
    fn evict(&mut self, kind: &Kind<H, R>) {
        let of_kind = |open: &Open<R>| open.job == kind.name;
        if self.open.iter().filter(|open| of_kind(open)).count() >= kind.open_max
            && let Some(oldest) = self.open.iter().position(of_kind)
        {
            self.open.remove(oldest);
        }
    }
}

impl<H: ?Sized, R: AnyRun<H> + ?Sized> Step<H, R> {
    /// Executes the step: works for one slice.
    pub fn work(self, host: &mut H, clock: Clock) -> Done<H, R> {
        let (mut open, opened, order) = match self {
            Step::End => return Done { run: None, opened: None, answer: Ok(Bytes::default()) },
            Step::Next(TakenRun(open), order) => (open, None, Some(order)),
            Step::Begin(OpenStep(kind), request) => match (kind.begin)(host, &request, clock) {
                Ok(run) => (Open { id: RunId(0), job: kind.name, run }, Some(kind), None),
                Err(error) => return Done { run: None, opened: None, answer: Err(error) },
            },
        };
        match open.run.next(host, order.as_deref().map(Vec::as_slice), clock) {
            Ok((chunk, is_last)) => Done { run: (!is_last).then_some(open), opened, answer: Ok(chunk) },
            // If the first slice fails, the client never learns the number of the run, so the run
            // is closed.
            Err(error) => {
                let stays = opened.is_none() && error != JobError::Gone;
                Done { run: stays.then_some(open), opened: None, answer: Err(error) }
            }
        }
    }
}

#[cold]
fn unknown(job: &str) -> JobError {
    let message =
        alloc::format!("this host does not run the job \"{job}\": ask the worker of the page, or the server");
    JobError::Failed(Error::invalid(message))
}

#[cfg(test)]
mod tests;
