//! The jobs that a connected page runs on the server: it watches the server and its tables, and
//! sends requests to instances.

use std::sync::Mutex;

use tabletop_model::{Code, Error, Response, wire};
use tabletop_protocol::{
    Answer, Ask, AskInstance, Begin, Clock, InstanceRequest, JobAnswer, JobAsk, JobError, Jobs, Kind,
    LIVE_MESSAGE_BYTES_MAX, LiveHave, LiveTable, Progress, Run, SentRun, WatchServer, WatchTable,
};

use super::answer::{LiveHost, too_long};
use crate::lock::lock;

/// The jobs of a server.
const KINDS: &[Kind<LiveHost, SentRun<LiveHost>>] =
    &[Kind::sent::<ServerWatch>(), Kind::sent::<TableWatch>(), Kind::sent::<InstanceAsk>()];
/// The longest chunk: everything else in a message takes less than the rest.
const CHUNK_BYTES_MAX: usize = LIVE_MESSAGE_BYTES_MAX - 64;

/// One connected page, with its open runs. They end with the connection.
pub(crate) struct LiveSession {
    host: LiveHost,
    jobs: Mutex<Jobs<LiveHost, SentRun<LiveHost>>>,
}

impl LiveSession {
    /// Creates the session of a page that has just connected.
    pub fn new(host: LiveHost) -> LiveSession {
        LiveSession { host, jobs: Mutex::new(Jobs::new(KINDS)) }
    }

    /// Answers a request in the wire encoding, with an answer that fits in a message. It may wait
    /// for a disk.
    pub fn answer(&self, ask: &[u8]) -> Vec<u8> {
        let answer = match wire::decode(ask) {
            Ok(Ask::Job(ask)) => Answer::Job(self.run(&ask)),
            Ok(_) => Answer::Failed(Error::new(
                Code::FailedPrecondition,
                "a server only runs jobs: send this request to a worker",
            )),
            Err(error) => Answer::Failed(error),
        };
        wire::encode(&answer)
    }

    fn run(&self, ask: &JobAsk) -> JobAnswer {
        let mut host = self.host.clone();
        let step = lock(&self.jobs).choose(&host, ask)?;
        // The lock is free in between, so other requests of the page do not wait for the same disk.
        let done = step.work(&mut host, &|| self.host.now());
        let slice = lock(&self.jobs).install(done)?;
        if slice.chunk.len() <= CHUNK_BYTES_MAX {
            return Ok(slice);
        }
        if let (JobAsk::Begin { .. }, Some(run)) = (ask, slice.run) {
            // The page does not learn the number of this run, so it could not end it.
            drop(lock(&self.jobs).choose(&host, &JobAsk::End(run)));
        }
        Err(JobError::Failed(too_long(slice.chunk.len())))
    }
}

/// A run of [`WatchServer`].
struct ServerWatch;

impl Begin<LiveHost> for ServerWatch {
    fn begin(_: &mut LiveHost, (): (), _: Clock) -> Result<ServerWatch, JobError> {
        Ok(ServerWatch)
    }
}

impl Run<LiveHost> for ServerWatch {
    type Job = WatchServer;

    fn next(&mut self, host: &mut LiveHost, (): (), _: Clock) -> Result<Progress<WatchServer>, JobError> {
        Ok(Progress::More(host.server()?))
    }

    fn is_current(&self, _: &LiveHost) -> bool {
        true
    }
}

/// A run of [`WatchTable`].
struct TableWatch(LiveTable);

impl Begin<LiveHost> for TableWatch {
    fn begin(_: &mut LiveHost, table: LiveTable, _: Clock) -> Result<TableWatch, JobError> {
        Ok(TableWatch(table))
    }
}

impl Run<LiveHost> for TableWatch {
    type Job = WatchTable;

    fn next(
        &mut self,
        host: &mut LiveHost,
        have: LiveHave,
        _: Clock,
    ) -> Result<Progress<WatchTable>, JobError> {
        Ok(Progress::More(host.table(&self.0, have)?))
    }

    /// If the table is deleted, the run reports an error but does not end: clients may create the
    /// table again.
    fn is_current(&self, _: &LiveHost) -> bool {
        true
    }
}

/// A run of [`AskInstance`], until its only slice.
struct InstanceAsk(Option<InstanceRequest>);

impl Begin<LiveHost> for InstanceAsk {
    fn begin(_: &mut LiveHost, request: InstanceRequest, _: Clock) -> Result<InstanceAsk, JobError> {
        Ok(InstanceAsk(Some(request)))
    }
}

impl Run<LiveHost> for InstanceAsk {
    type Job = AskInstance;

    fn next(&mut self, host: &mut LiveHost, (): (), _: Clock) -> Result<Progress<AskInstance>, JobError> {
        let InstanceRequest { instance, request } = self.0.take().ok_or(JobError::Gone)?;
        Ok(Progress::Last(host.respond(&instance, request).unwrap_or_else(Response::Refused)))
    }

    fn is_current(&self, _: &LiveHost) -> bool {
        true
    }
}
