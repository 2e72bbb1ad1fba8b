//! google.bigtable.v2.Bigtable: reads and writes of rows.

mod answers;
mod chunks;
mod read_rows;
mod requests;
mod samples;

use std::sync::Arc;

use base64::Engine;
use bytes::Bytes;
use googleapis_tonic_google_bigtable_v2::google::bigtable::v2 as proto;
use prost::Message;
use tabletop_model::{CheckAndMutateRow, RowMutation};
use tonic::Status;
use tonic::metadata::MetadataMap;

use self::chunks::Chunks;
use self::read_rows::{Extras, ReadStream};
use self::requests::{
    CheckAndMutateRowCall, MutateRowCall, MutateRowsCall, ReadModifyWriteRowCall, ReadRowsCall,
    SampleRowKeysCall, Target,
};
use super::admin::Admin;
use super::authorized_view::{self, View};
use super::memory::Held;
use super::names;
use super::rpc::{Answering, Call, Methods, Work, listed, streamed, unary, unimplemented};
use super::status::{invalid, status};
use crate::host::{Host, Served};
use crate::live::{Live, LiveCall, Written};

/// The data service.
#[derive(Clone)]
pub(crate) struct Data {
    host: Arc<Host>,
    /// Has the authorized views and the app profiles.
    admin: Arc<Admin>,
    /// Counts the rows, if the server has a page.
    live: Option<Arc<Live>>,
}

/// The targets of a request.
struct Found {
    served: Arc<Served>,
    table: String,
    view: Option<View>,
    /// Counts the call.
    call: Option<LiveCall>,
}

impl Data {
    pub fn new(host: Arc<Host>, admin: Arc<Admin>) -> Data {
        Data { host, admin, live: None }
    }

    /// Makes the service count rows.
    pub fn with_live(self, live: Arc<Live>) -> Data {
        Data { live: Some(live), ..self }
    }
}

impl Methods for Data {
    const NAME: &'static str = "google.bigtable.v2.Bigtable";

    fn call(self, method: &str, call: Call) -> Answering {
        // A write in memory is short; a write in a data folder waits for the disk. Reads are served
        // from the cache, or from the operating system's cache. A read may wait for a writer that
        // waits for the disk, but then every other call to the instance waits, too.
        let write = if self.host.folder().is_some() { Work::Long } else { Work::Short };
        match method {
            "ReadRows" => streamed(call, Work::Short, move |asked, metadata, held| {
                self.read_rows(asked, metadata, held)
            }),
            "SampleRowKeys" => listed(call, Work::Short, move |asked| self.sample_row_keys(asked)),
            "MutateRow" => unary(call, write, move |asked| self.mutate_row(asked)),
            "MutateRows" => listed(call, Work::Long, move |asked| self.mutate_rows(asked)),
            "CheckAndMutateRow" => unary(call, write, move |asked| self.check_and_mutate_row(asked)),
            "ReadModifyWriteRow" => unary(call, write, move |asked| self.read_modify_write_row(asked)),
            "PingAndWarm" => unary(call, Work::Short, move |asked| self.ping_and_warm(asked)),
            "ExecuteQuery" | "PrepareQuery" => {
                unimplemented(method, "Tabletop has no SQL; read rows with a filter")
            }
            "ReadChangeStream" | "GenerateInitialChangeStreamPartitions" => {
                unimplemented(method, "Tabletop keeps no change streams; read the rows")
            }
            "OpenTable" | "OpenAuthorizedView" | "OpenMaterializedView" => {
                unimplemented(method, "Tabletop has no sessions; use ReadRows and MutateRow")
            }
            "GetClientConfiguration" => {
                unimplemented(method, "Tabletop has no advice for clients; use their defaults")
            }
            _ => unimplemented(
                method,
                "google.bigtable.v2.Bigtable has no such method, or it is newer than this version",
            ),
        }
    }
}

impl Data {
    fn read_rows(
        &self,
        call: ReadRowsCall,
        metadata: &MetadataMap,
        held: Held,
    ) -> Result<ReadStream, Status> {
        let ReadRowsCall { target, mut read, rows_limit, with_stats } = call;
        let Found { served, table, view, call } = self.find(&target)?;
        read.rows_limit = u64::try_from(rows_limit).map_err(|_| {
            invalid(format!("Error in field 'rows_limit' : {rows_limit} is negative: use 0 for no limit"))
        })?;
        // Each read samples different rows, but all slices of a read sample the same.
        read.sample_seed = served.new_seed();
        if let Some(view) = &view {
            authorized_view::restrict_read(view, &mut read).map_err(status)?;
        }
        let user_agent = metadata.get("user-agent").and_then(|agent| agent.to_str().ok()).unwrap_or_default();
        let extras = Extras { stats: with_stats, last_scanned: takes_last_scanned(metadata) };
        ReadStream::start(served, table, read, Chunks::for_client(user_agent), extras, held, call)
    }

    fn sample_row_keys(&self, call: SampleRowKeysCall) -> Result<Vec<Bytes>, Status> {
        let Found { served, table, view, .. } = self.find(&call.target)?;
        let mut sampled = served.sample_row_keys(&table).map_err(status)?;
        if let Some(range) = &call.range {
            sampled = samples::within(sampled, range)?;
        }
        if let Some(view) = &view {
            // The last sample is the end of the table, or of the range. It is the end of the view,
            // too.
            let end = sampled.pop();
            sampled.retain(|sample| view.sees_row(&sample.key));
            sampled.extend(end);
        }
        Ok(answers::samples(sampled))
    }

    fn mutate_row(&self, call: MutateRowCall) -> Result<proto::MutateRowResponse, Status> {
        let Found { served, table, view, call: counted } = self.find(&call.target)?;
        if let Some(view) = &view {
            authorized_view::check_row_mutation(view, &call.row)?;
        }
        let written = counted.is_some().then(|| Written::of(&call.row));
        let outcomes = served.mutate_rows(table, vec![call.row]);
        let done = outcomes.and_then(|outcomes| outcomes.into_iter().next().flatten().map_or(Ok(()), Err));
        count_write(counted, done.is_err(), || written.into_iter().collect());
        done.map(|()| proto::MutateRowResponse {}).map_err(status)
    }

    fn mutate_rows(&self, call: MutateRowsCall) -> Result<Vec<Bytes>, Status> {
        let Found { served, table, view, call: counted } = self.find(&call.target)?;
        // Entries that are invalid, or outside the view, fail alone. They keep their indices.
        let count = call.entries.len();
        let mut broken = Vec::new();
        let mut entries: Vec<RowMutation> = Vec::with_capacity(count);
        for (index, entry) in call.entries.into_iter().enumerate() {
            let checked = entry.map_err(status).and_then(|entry| {
                view.as_ref().map_or(Ok(()), |view| authorized_view::check_row_mutation(view, &entry))?;
                Ok(entry)
            });
            match checked {
                Ok(entry) => entries.push(entry),
                Err(status) => broken.push((index, status)),
            }
        }
        let all_are_broken = entries.is_empty() && count > 0;
        let written: Vec<Written> =
            if counted.is_some() { entries.iter().map(Written::of).collect() } else { Vec::new() };
        let done = if all_are_broken { Ok(Vec::new()) } else { served.mutate_rows(table, entries) };
        count_write(counted, done.is_err(), || {
            let outcomes = done.iter().flatten();
            written
                .into_iter()
                .zip(outcomes)
                .filter(|(_, outcome)| outcome.is_none())
                .map(|(row, _)| row)
                .collect()
        });
        let done = done.map_err(status)?;
        let (mut done, mut broken) = (done.into_iter(), broken.into_iter().peekable());
        let outcome = |index| match broken.next_if(|(place, _)| *place == index) {
            Some((_, status)) => Some(status),
            None => done.next().flatten().map(status),
        };
        let outcomes: Vec<_> = (0..count).map(outcome).collect();
        Ok(answers::outcomes(&outcomes))
    }

    fn check_and_mutate_row(
        &self,
        mut call: CheckAndMutateRowCall,
    ) -> Result<proto::CheckAndMutateRowResponse, Status> {
        let Found { served, table, view, call: counted } = self.find(&call.target)?;
        if let Some(view) = &view {
            authorized_view::restrict_check(view, &mut call.check)?;
        }
        let CheckAndMutateRow { key, on_match, otherwise, .. } = &call.check;
        let branches =
            counted.is_some().then(|| [otherwise, on_match].map(|mutations| Written::at(key, mutations)));
        let matched = served.check_and_mutate_row(table, call.check);
        count_write(counted, matched.is_err(), || {
            let taken = matched.iter().copied().map(usize::from).next().unwrap_or_default();
            branches.into_iter().flatten().skip(taken).take(1).collect()
        });
        let predicate_matched = matched.map_err(status)?;
        Ok(proto::CheckAndMutateRowResponse { predicate_matched })
    }

    fn read_modify_write_row(
        &self,
        call: ReadModifyWriteRowCall,
    ) -> Result<proto::ReadModifyWriteRowResponse, Status> {
        let Found { served, table, view, call: counted } = self.find(&call.target)?;
        if let Some(view) = &view {
            authorized_view::check_read_modify_write(view, &call.row)?;
        }
        let row = served.read_modify_write_row(table, call.row);
        if let Some(mut counted) = counted {
            row.iter().for_each(|row| counted.modified(row));
            counted.end_write(row.is_err());
        }
        let row = row.map_err(status)?;
        Ok(proto::ReadModifyWriteRowResponse { row: Some(answers::row(row)) })
    }

    fn ping_and_warm(&self, call: proto::PingAndWarmRequest) -> Result<proto::PingAndWarmResponse, Status> {
        // Clients ping before a table, and with it the instance, is created.
        let instance = names::instance(&call.name)?;
        self.admin.check_app_profile(&instance, &call.app_profile_id)?;
        Ok(proto::PingAndWarmResponse {})
    }

    /// Finds the instance, the table and the view of a request.
    fn find(&self, target: &Target) -> Result<Found, Status> {
        if !target.materialized_view.is_empty() {
            return Err(Status::unimplemented("Tabletop has no materialized views: read the table"));
        }
        let (instance, table, view) = match target.view.as_str() {
            "" => {
                let (instance, table) = names::table(&target.table)?;
                (instance, table, None)
            }
            name => {
                let (instance, table, view) = self.admin.authorized_view(name)?;
                (instance, table, Some(view))
            }
        };
        let served = self.host.instance(&instance).map_err(status)?;
        self.admin.check_app_profile(&instance, &target.app_profile)?;
        let call = self.live.as_ref().and_then(|live| live.begin(&served, &instance, &table));
        Ok(Found { served, table, view, call })
    }
}

/// Counts a call that has written these rows, unless it was rejected.
fn count_write(call: Option<LiveCall>, is_refused: bool, rows: impl FnOnce() -> Vec<Written>) {
    let Some(mut call) = call else { return };
    if !is_refused {
        call.wrote(&rows());
    }
    call.end_write(is_refused);
}

/// Returns whether a client accepts messages about the last row that was scanned.
fn takes_last_scanned(metadata: &MetadataMap) -> bool {
    let Some(flags) = metadata.get("bigtable-features").and_then(|flags| flags.to_str().ok()) else {
        return false;
    };
    // Some clients use the URL alphabet of base64, and some omit the padding.
    let flags = flags.trim_end_matches('=').replace('-', "+").replace('_', "/");
    let flags = base64::engine::general_purpose::STANDARD_NO_PAD.decode(flags);
    flags.is_ok_and(|flags| {
        proto::FeatureFlags::decode(&flags[..]).is_ok_and(|flags| flags.last_scanned_row_responses)
    })
}
