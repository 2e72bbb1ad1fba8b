//! Sends rows: concurrent requests, retries, progress.

use std::collections::VecDeque;
use std::error::Error as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use tabletop_model::{Error, Result, printable};
use tonic::{Code, Status};

use super::load::{BulkLoad, Entry};
use super::saved_progress::SavedProgress;
use crate::commands::style::tell;
use crate::remote::Remote;

const FIRST_DELAY: Duration = Duration::from_millis(50);
const DELAY_MAX: Duration = Duration::from_secs(5);

/// The speed and patience of a load.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    pub parallel: usize,
    /// The maximum number of rows per second.
    pub rate: Option<f64>,
    /// The time without a successful write after which the load fails.
    pub patience: Duration,
}

/// The counts of this run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sent {
    pub rows: u64,
    pub cells: u64,
    pub requests: u64,
    /// The number of requests that repeated entries.
    pub retries: u64,
}

/// The state that workers share.
struct Shared {
    /// Ranges that no worker has begun.
    waiting: VecDeque<usize>,
    state: SavedProgress,
    sent: Sent,
    /// The earliest start of the next request.
    next: Instant,
    /// The time of the last successful write.
    success: Instant,
    /// Whether the progress cannot be stored, which is reported once.
    is_unkept: bool,
}

struct Job {
    remote: Arc<Remote>,
    load: BulkLoad,
    pace: Pace,
    shared: Mutex<Shared>,
    progress: ProgressBar,
}

/// Writes the entries that the state does not have. After a failure, the state holds the progress.
pub(super) async fn send(remote: Remote, load: BulkLoad, state: SavedProgress, pace: Pace) -> Result<Sent> {
    let progress = crate::progress::bar(
        Some(load.rows),
        "{bar:30} {human_pos}/{human_len} rows  {per_sec}  {eta} left  {msg}",
    );
    progress.set_position(state.rows_done(&load));
    progress.reset_eta();
    let waiting =
        (0..load.ranges.len()).filter(|&range| state.done(range) < load.ranges[range].len()).collect();
    let now = Instant::now();
    let shared = Shared { waiting, state, sent: Sent::default(), next: now, success: now, is_unkept: false };
    let job = Arc::new(Job { remote: Arc::new(remote), load, pace, shared: Mutex::new(shared), progress });
    let mut workers = tokio::task::JoinSet::new();
    for _ in 0..pace.parallel {
        let job = job.clone();
        workers.spawn(async move { job.work().await });
    }
    let mut failure = None;
    while let Some(done) = workers.join_next().await {
        let done = done.unwrap_or_else(|_| {
            Err(Error::new(tabletop_model::Code::Internal, "A worker panicked: this is a bug of Tabletop."))
        });
        if let Err(error) = done {
            failure.get_or_insert(error);
            workers.abort_all();
        }
    }
    job.progress.finish_and_clear();
    let Some(job) = Arc::into_inner(job) else {
        return Err(
            failure.unwrap_or_else(|| Error::new(tabletop_model::Code::Internal, "A worker has not ended."))
        );
    };
    let mut shared = job.shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    match failure {
        None => {
            shared.state.remove();
            Ok(shared.sent)
        }
        Some(mut error) => {
            if shared.state.save().is_ok() && !error.message.is_empty() {
                error
                    .message
                    .push_str(" The rows written so far are kept: run the same command again to resume.");
            }
            Err(error)
        }
    }
}

impl Job {
    /// Writes ranges until none is left.
    async fn work(&self) -> Result<()> {
        loop {
            let (range, mut done) = {
                let mut shared = self.lock();
                let Some(range) = shared.waiting.pop_front() else { return Ok(()) };
                (range, shared.state.done(range))
            };
            while done < self.load.ranges[range].len() {
                let entries = self.load.request(range, done);
                self.wait_for_turn(entries.len()).await;
                self.write(entries).await?;
                done += entries.len();
                self.note(range, done, entries);
            }
        }
    }

    async fn wait_for_turn(&self, rows: usize) {
        let Some(rate) = self.pace.rate else { return };
        let at = {
            let mut shared = self.lock();
            let at = shared.next.max(Instant::now());
            shared.next = at + Duration::from_secs_f64(rows as f64 / rate);
            at
        };
        tokio::time::sleep_until(at.into()).await;
    }

    /// Writes entries until all of them are written, and retries errors that may be temporary.
    async fn write(&self, entries: &[Entry]) -> Result<()> {
        let mut left: Vec<&Entry> = entries.iter().collect();
        let mut delay = FIRST_DELAY;
        // The wait for the rate limit does not count.
        let begun = Instant::now();
        loop {
            let count = left.len();
            let why = match self.remote.write(&left, &self.load.aggregates).await {
                Ok(answers) => {
                    let mut why = None;
                    let mut again = Vec::new();
                    for (entry, answer) in left.into_iter().zip(answers) {
                        match answer {
                            Some(status) if status.code() == Code::Ok => continue,
                            Some(status) if !may_be_tried_again(&status) => {
                                return Err(self.remote.refused(&format!("row {} of", entry.key), &status));
                            }
                            answer => why = answer.or(why),
                        }
                        again.push(entry);
                    }
                    left = again;
                    why.unwrap_or_else(|| Status::unavailable("the answer ended early"))
                }
                Err(status) if may_be_tried_again(&status) || is_transport_error(&status) => status,
                Err(status) => return Err(self.remote.refused("rows of", &status)),
            };
            let is_success = left.len() < count;
            {
                let mut shared = self.lock();
                shared.sent.requests += 1;
                shared.sent.retries += u64::from(!left.is_empty());
                if is_success {
                    shared.success = Instant::now();
                } else if shared.success.max(begun).elapsed() > self.pace.patience {
                    let mut error = self.remote.refused("rows of", &why);
                    error.message.push_str(&format!(
                        " Nothing could be written for {} seconds.",
                        self.pace.patience.as_secs()
                    ));
                    return Err(error);
                }
            }
            if left.is_empty() {
                self.progress.set_message("");
                return Ok(());
            }
            if is_success {
                delay = FIRST_DELAY;
            }
            self.progress.set_message(format!("waiting: {}", printable(why.message())));
            tokio::time::sleep(delay).await;
            delay = (delay * 2).min(DELAY_MAX);
        }
    }

    fn note(&self, range: usize, done: usize, entries: &[Entry]) {
        let rows = entries.iter().filter(|entry| entry.ends_row).count() as u64;
        self.progress.inc(rows);
        let mut shared = self.lock();
        shared.sent.rows += rows;
        shared.sent.cells += entries.iter().map(|entry| entry.cells.len() as u64).sum::<u64>();
        if let Err(error) = shared.state.advance(range, done)
            && !std::mem::replace(&mut shared.is_unkept, true)
        {
            self.progress.suspend(|| {
                tell(format!("The progress cannot be stored, so a later run would start over: {error}"));
            });
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether Bigtable's own clients retry this status.
fn may_be_tried_again(status: &Status) -> bool {
    matches!(status.code(), Code::Unavailable | Code::DeadlineExceeded | Code::Aborted)
}

/// Returns whether the connection or the server failed during a request. Retrying it is safe.
fn is_transport_error(status: &Status) -> bool {
    status.source().is_some() || matches!(status.code(), Code::Cancelled | Code::Unknown | Code::Internal)
}
