//! How a view uses a run of a job.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

use gloo::timers::future::TimeoutFuture;
use tabletop_client::{Client, JobLine, OpenRun};
use tabletop_model::Error;
use tabletop_protocol::{Job, JobError};
#[cfg(not(test))]
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

/// Milliseconds until a request that came too early is retried.
const RETRY_MILLIS: u32 = 250;
/// Retries of a slice that was not ready, after which the error is shown. A run that cannot start
/// yet is retried until it can.
const TRIES_MAX: u32 = 20;

/// The number of the next run. The runs of all hooks are counted together: a view may get an event
/// of a hook that it has dropped.
static NEWEST: AtomicU32 = AtomicU32::new(1);

/// Where the runs of the page's worker are opened. Without a worker, which is the default, each run
/// fails.
#[derive(Clone, Default)]
pub struct WorkerJobs(pub Option<Rc<dyn JobLine>>);

impl PartialEq for WorkerJobs {
    /// A page has one worker.
    fn eq(&self, _: &WorkerJobs) -> bool {
        true
    }
}

impl WorkerJobs {
    pub(super) fn of(client: &Client) -> WorkerJobs {
        WorkerJobs(Some(Rc::new(client.clone())))
    }

    /// A hook for runs of a job of the worker. `on_event` receives what happens; give each event to
    /// [`UseJob::accept`].
    pub fn use_job<J: Job>(&self, on_event: Callback<JobEvent<J>>) -> UseJob<J> {
        let line = self.0.clone();
        use_job(move |request| Ok(OpenRun::new(line.clone().ok_or(JobError::Gone)?, request)), on_event)
    }
}

/// A hook for runs of a job: one run at a time, and one request at a time. It owns the generation,
/// the retries of requests that came too early, the end of runs that are replaced, and the error.
/// Dropping it ends the run.
pub struct UseJob<J: Job> {
    hook: Rc<Hook<J>>,
}

struct Hook<J: Job> {
    open: Box<Opens<J>>,
    on_event: Callback<JobEvent<J>>,
    /// The number of the run, so that events of earlier runs are ignored.
    generation: Cell<u32>,
    /// The run between two slices.
    run: RefCell<Option<OpenRun<J>>>,
    is_waiting: Cell<bool>,
    error: RefCell<Option<Error>>,
}

/// Opens a run, unless there is no connection.
type Opens<J> = dyn Fn(&<J as Job>::Request) -> Result<OpenRun<J>, JobError>;

/// What has happened to a run.
pub struct JobEvent<J: Job> {
    generation: u32,
    is_repeated: bool,
    answer: Result<J::Chunk, JobError>,
}

impl<J: Job> JobEvent<J> {
    /// Whether the request came too early at first, and was retried.
    pub fn is_repeated(&self) -> bool {
        self.is_repeated
    }
}

/// Makes a hook whose runs `open` opens.
pub(super) fn use_job<J: Job>(
    open: impl Fn(&J::Request) -> Result<OpenRun<J>, JobError> + 'static,
    on_event: Callback<JobEvent<J>>,
) -> UseJob<J> {
    let hook = Hook {
        open: Box::new(open),
        on_event,
        generation: Cell::default(),
        run: RefCell::default(),
        is_waiting: Cell::default(),
        error: RefCell::default(),
    };
    UseJob { hook: Rc::new(hook) }
}

impl<J: Job> UseJob<J> {
    /// Starts a run in place of the current one, and requests its first slice.
    pub fn begin(&self, request: &J::Request) {
        self.open(request, u32::MAX);
    }

    /// Starts a run in place of the current one, and requests its first slice. A run that still
    /// cannot start after the retries of a slice ends with the error.
    pub fn try_begin(&self, request: &J::Request) {
        self.open(request, TRIES_MAX);
    }

    fn open(&self, request: &J::Request, tries_max: u32) {
        self.end();
        match (self.hook.open)(request) {
            Ok(run) => self.hook.request(run, J::Order::default(), tries_max),
            Err(error) => {
                let generation = self.hook.generation.get();
                self.hook.on_event.emit(JobEvent { generation, is_repeated: false, answer: Err(error) });
            }
        }
    }

    /// Requests the next slice, unless a request is in progress or no run is open.
    pub fn next(&self, order: J::Order) {
        if let Some(run) = self.hook.run.take() {
            self.hook.request(run, order, TRIES_MAX);
        }
    }

    /// Ends the run. Its events are ignored.
    pub fn end(&self) {
        self.hook.generation.set(NEWEST.fetch_add(1, Ordering::Relaxed));
        self.hook.is_waiting.set(false);
        self.hook.error.take();
        self.hook.run.take();
    }

    /// Returns the content of an event, and notes its error; `None` for an event of an earlier run.
    pub fn accept(&self, event: JobEvent<J>) -> Option<Result<J::Chunk, JobError>> {
        if event.generation != self.hook.generation.get() {
            return None;
        }
        let error = event.answer.as_ref().err().map(|error| error.clone().into_error());
        self.hook.error.replace(error);
        Some(event.answer)
    }

    /// Whether the next slice can be requested: a run is open, and no request is in progress.
    pub fn is_ready(&self) -> bool {
        self.hook.run.borrow().is_some()
    }

    /// Whether a request is in progress, or about to be retried.
    pub fn is_waiting(&self) -> bool {
        self.hook.is_waiting.get()
    }

    /// The error of the last request.
    pub fn error(&self) -> Option<Error> {
        self.hook.error.borrow().clone()
    }
}

impl<J: Job> Drop for UseJob<J> {
    fn drop(&mut self) {
        // A request in progress holds the run, and drops it when it is answered.
        self.end();
    }
}

impl<J: Job> Hook<J> {
    fn request(self: &Rc<Self>, mut run: OpenRun<J>, order: J::Order, tries_max: u32) {
        self.is_waiting.set(true);
        let (hook, generation) = (self.clone(), self.generation.get());
        spawn_local(async move {
            let mut tries = 0;
            let answer = loop {
                let answer = run.next(&order).await.unwrap_or(Err(JobError::Gone));
                let is_late = hook.generation.get() != generation;
                if is_late {
                    return;
                }
                if !matches!(answer, Err(JobError::NotReady(_))) || tries == tries_max {
                    break answer;
                }
                tries += 1;
                TimeoutFuture::new(RETRY_MILLIS).await;
                if hook.generation.get() != generation {
                    return;
                }
            };
            hook.is_waiting.set(false);
            if run.is_open() {
                hook.run.replace(Some(run));
            }
            hook.on_event.emit(JobEvent { generation, is_repeated: tries > 0, answer });
        });
    }
}

/// Runs what the host of a test has answered by the time the request returns.
#[cfg(test)]
fn spawn_local(answer: impl Future<Output = ()>) {
    futures_util::FutureExt::now_or_never(answer).expect("the host of a test answers at once");
}
