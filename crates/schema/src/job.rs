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
//! A [`Job`] is the contract: a name and the types that cross the connection. A [`Run`] is one computation in progress: a value
//! with a method that works for one slice. [`Jobs`] is the registry of a host: it owns all open runs, numbers them, evicts the
//! oldest run of a job that has too many, and drops every run whose basis (the events, the design or the workspace that it was
//! begun for) the host no longer has. A run never sees other data than the data that it was begun with.
//!
//! Requests, orders and chunks are encoded on their own, so the code for the types of one job is fetched with that job.

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
    /// The most open runs of a host. One more evicts the oldest, which its client has most likely abandoned.
    const OPEN_MAX: usize = 1;
    /// What a run is begun with.
    type Request: Serialize + DeserializeOwned;
    /// What the client wants of the next slice. The first slice has the default order.
    type Order: Serialize + DeserializeOwned + Default;
    /// What a slice returns.
    type Chunk: Serialize + DeserializeOwned;
}

/// The number of an open run. A host uses a number once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunId(pub u32);

/// A request of a client about a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum JobAsk {
    /// Open a run, and work for its first slice.
    Begin {
        /// [`Job::NAME`].
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

/// The code of a [`JobAnswer`]. An error is encoded on its own: a first visit has none, so the code for it need not be fetched with the
/// code for slices.
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
    /// The run, while it is open; `None` after its last slice, and for the answer to [`JobAsk::End`].
    pub run: Option<RunId>,
    /// The encoded [`Job::Chunk`]; empty for the answer to [`JobAsk::End`].
    pub chunk: Bytes,
}

impl JobSlice {
    /// Decodes the chunk of a run of `J`.
    ///
    /// # Errors
    /// `Failed` if the bytes are not a chunk of this job: both ends are one build, so this is a bug.
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

/// Why there is no slice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum JobError {
    /// What the run needs is not ready yet: tables are being built, events loaded, the storage opened. Repeat the request.
    NotReady(Error),
    /// The request does not fit the events, the design or the state that it is for. Change one of them.
    Unfit(Error),
    /// There is no such run: it was closed, evicted, or dropped because its events, design or workspace have changed. Begin again.
    Gone,
    /// The slice failed.
    Failed(Error),
}

impl JobError {
    /// The error as one of the API, for clients that do not tell the cases apart.
    pub fn into_error(self) -> Error {
        match self {
            JobError::NotReady(error) | JobError::Unfit(error) | JobError::Failed(error) => error,
            JobError::Gone => Error::new(
                Code::Cancelled,
                "the run was closed, because its data have changed or too many runs were open: begin it again",
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

/// A computation in progress. `H` is the host: what all its runs share.
pub trait Run<H: ?Sized> {
    /// Its contract.
    type Job: Job;

    /// Works for one slice: about 10 ms.
    ///
    /// # Errors
    /// After an error the run stays open, unless it is `Gone`.
    fn next(&mut self, host: &mut H, order: <Self::Job as Job>::Order, clock: Clock) -> Result<Progress<Self::Job>, JobError>;

    /// Whether the host still has the events, the designs and the workspace that the run was begun for.
    fn is_current(&self, host: &H) -> bool;
}

/// A [`Run`] that a host can open.
pub trait Begin<H: ?Sized>: Run<H> + Sized {
    /// Opens a run. Works for one slice at most.
    ///
    /// # Errors
    /// `NotReady` while the host builds or loads what the run needs, `Unfit` for a request that does not fit.
    fn begin(host: &mut H, request: <Self::Job as Job>::Request, clock: Clock) -> Result<Self, JobError>;
}

/// What a slice returns, and whether it was the last one.
pub enum Progress<J: Job> {
    /// More slices can follow. The client ends the run.
    More(J::Chunk),
    /// The run is complete, and is closed.
    Last(J::Chunk),
}

impl<J: Job> Progress<J> {
    /// `Last` if `is_last`.
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
    /// The job of a run that stays on one thread.
    pub const fn of<R: Begin<H> + 'static>() -> Kind<H> {
        Kind {
            name: R::Job::NAME,
            open_max: R::Job::OPEN_MAX,
            begin: |host, request, clock| Ok(Box::new(begin::<H, R>(host, request, clock)?)),
        }
    }
}

impl<H: ?Sized + 'static> Kind<H, SentRun<H>> {
    /// The job of a run that can go to another thread between two slices.
    pub const fn sent<R: Begin<H> + Send + 'static>() -> Kind<H, SentRun<H>> {
        Kind {
            name: R::Job::NAME,
            open_max: R::Job::OPEN_MAX,
            begin: |host, request, clock| Ok(Box::new(begin::<H, R>(host, request, clock)?)),
        }
    }
}

impl<H: ?Sized, R: ?Sized> Kind<H, R> {
    /// [`Job::NAME`].
    pub fn name(&self) -> &'static str {
        self.name
    }
}

#[inline(never)]
fn begin<H: ?Sized, R: Begin<H>>(host: &mut H, request: &[u8], clock: Clock) -> Result<R, JobError> {
    R::begin(host, wire::decode(request)?, clock)
}

/// A run of any job, as a registry owns it.
pub trait AnyRun<H: ?Sized> {
    /// Works for one slice. Returns the encoded chunk, and whether it was the last one.
    ///
    /// # Errors
    /// The errors of [`Run::next`], and `Failed` for an order that cannot be decoded.
    fn next(&mut self, host: &mut H, order: Option<&[u8]>, clock: Clock) -> Result<(Bytes, bool), JobError>;

    /// [`Run::is_current`].
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
/// One thread calls [`Jobs::handle`]. A host with many threads shares the registry behind a lock, and takes the three steps apart, so
/// that the lock is free while a run works: [`Jobs::choose`], [`Step::work`], [`Jobs::install`].
pub struct Jobs<H: ?Sized + 'static, R: ?Sized + 'static = LocalRun<H>> {
    kinds: &'static [Kind<H, R>],
    /// The oldest first.
    open: Vec<Open<R>>,
    last: u32,
}

struct Open<R: ?Sized> {
    id: RunId,
    job: &'static str,
    run: Box<R>,
}

/// What a request does next. An open run is taken out of the registry until the step is installed.
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

/// A step that is done.
pub struct Done<H: ?Sized + 'static, R: ?Sized + 'static = LocalRun<H>> {
    /// The run, if it stays open.
    run: Option<Open<R>>,
    /// The job of a run that is new.
    opened: Option<&'static Kind<H, R>>,
    answer: Result<Bytes, JobError>,
}

impl<H: ?Sized, R: AnyRun<H> + ?Sized> Jobs<H, R> {
    /// The registry of a host that runs these jobs. No run is open.
    pub const fn new(kinds: &'static [Kind<H, R>]) -> Jobs<H, R> {
        Jobs { kinds, open: Vec::new(), last: 0 }
    }

    /// Does a request.
    ///
    /// # Errors
    /// `Failed` for a job that this host does not run, `Gone` for a run that is not open, and the errors of the run.
    pub fn handle(&mut self, host: &mut H, ask: &JobAsk, clock: Clock) -> JobAnswer {
        let done = self.choose(host, ask)?.work(host, clock);
        self.install(done)
    }

    /// Decides what a request does, and closes the runs whose events, design or workspace the host no longer has.
    ///
    /// # Errors
    /// `Failed` for a job that this host does not run, `Gone` for a run that is not open, or that works for another request.
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

    /// Puts the run of a step back, unless it is complete, and returns the answer. A new run evicts the oldest run of its job if there
    /// are too many.
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
                // Fewer runs than one job may have need no look.
                if self.open.len() >= kind.open_max {
                    self.evict(kind);
                }
            }
            id = Some(open.id);
            // In the order of their ids, so that the first one of a job is the oldest.
            let at = self.open.partition_point(|other| other.id < open.id);
            self.open.insert(at, open);
        }
        Ok(JobSlice { run: id, chunk: answer? })
    }

    /// Closes the runs whose events, design or workspace the host no longer has. A host calls this when they have changed, so that
    /// the memory of these runs is free at once; [`Jobs::choose`] does so before each step, too.
    pub fn drop_outdated(&mut self, host: &H) {
        self.open.retain(|open| open.run.is_current(host));
    }

    /// Whether a run of a job is open.
    pub fn has_open<J: Job>(&self) -> bool {
        self.open.iter().any(|open| open.job == J::NAME)
    }

    /// Closes the oldest run of a job that has no room for another one.
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
    /// Does the step: works for one slice.
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
            // The client does not know the number of a run whose first slice has failed.
            Err(error) => {
                let stays = opened.is_none() && error != JobError::Gone;
                Done { run: stays.then_some(open), opened: None, answer: Err(error) }
            }
        }
    }
}

#[cold]
fn unknown(job: &str) -> JobError {
    let message = alloc::format!("this host does not run the job \"{job}\": ask the worker of the page, or the server");
    JobError::Failed(Error::invalid(message))
}

#[cfg(test)]
mod tests;
