//! What the page of a server receives: what the server has, what clients do to a table, and
//! responses of an instance.

use std::path::Path;
use std::sync::Arc;

use googleapis_tonic_google_bigtable_admin_v2::google::bigtable::admin::v2 as proto;
use tabletop_engine::{CellRef, RowVisitor};
use tabletop_model::{
    Cell, Code, Error, ReadRows, Request, Response, Result, Row, RowKey, RowsChunk, TableRequest, TableSpec,
    Timestamp,
};
use tabletop_protocol::{
    LIVE_MESSAGE_BYTES_MAX, LiveFigures, LiveHave, LiveInstance, LiveServer, LiveTable, LiveTableView,
};

use super::Live;
use crate::grpc::{Api, names};
use crate::host::{InstanceName, Served, table_settings};
use crate::lock::lock;

/// The maximum number of tables of an instance that are listed.
const TABLES_MAX: usize = 1_000;
/// The maximum number of cells that a slice of a read examines, and the bytes after which it ends.
const SLICE_CELLS_MAX: u64 = 20_000;
const SLICE_BYTES: usize = 1 << 20;

/// The state that the runs of all connected pages share: the API, and the counts of its tables.
#[derive(Clone)]
pub(crate) struct LiveHost {
    api: Api,
    live: Arc<Live>,
    /// The address at which clients reach the API.
    address: Arc<str>,
}

impl LiveHost {
    /// Creates the host of an API that counts in `live` and that clients reach at an address.
    pub fn new(api: Api, live: Arc<Live>, address: &str) -> LiveHost {
        LiveHost { api, live, address: address.into() }
    }

    /// Completes the seconds that have passed. Called once a second. It may wait for a disk.
    pub fn tick(&self) {
        self.live.tick(self.api.host());
    }

    /// Returns the time of the server.
    pub fn now(&self) -> Timestamp {
        self.api.host().now()
    }

    /// Returns what the server has.
    ///
    /// # Errors
    /// Errors of listing the data folder.
    pub fn server(&self) -> Result<LiveServer> {
        let host = self.api.host();
        let instances = host.instances()?.into_iter().map(|name| self.instance(&name)).collect();
        let clients = self.api.stats().map_or(0, |stats| stats.clients());
        Ok(LiveServer {
            address: self.address.to_string(),
            data: host.folder().map(|folder| shown(folder.root())),
            now: host.now(),
            clients: u32::try_from(clients).unwrap_or(u32::MAX),
            instances,
        })
    }

    fn instance(&self, name: &InstanceName) -> LiveInstance {
        let shown = format!("projects/{}/instances/{}", name.project, name.instance);
        let Some(served) = self.api.host().opened(name) else {
            return LiveInstance { name: shown, ..LiveInstance::default() };
        };
        let ids = served.with(|instance, _| Ok(instance.table_ids().map(String::from).collect::<Vec<_>>()));
        let (ids, trouble) = ids.map_or_else(|error| (Vec::new(), Some(error)), |ids| (ids, None));
        // An instance that was deleted in the meantime has none.
        let tables: Vec<LiveFigures> =
            ids.iter().take(TABLES_MAX).filter_map(|table| self.figures(&served, name, table).ok()).collect();
        let tables_left_out = u32::try_from(ids.len().saturating_sub(TABLES_MAX)).unwrap_or(u32::MAX);
        LiveInstance { name: shown, tables, tables_left_out, is_open: true, trouble }
    }

    fn figures(&self, served: &Served, instance: &InstanceName, table: &str) -> Result<LiveFigures> {
        let view = served.with(|instance, now| Ok(instance.table(table)?.view(now)))?;
        let (reads_per_second, writes_per_second) =
            self.live.known(instance, table).map_or((0.0, 0.0), |counts| {
                let mut counts = lock(&counts);
                counts.advance(served.now());
                counts.rates()
            });
        Ok(LiveFigures {
            table: table.into(),
            rows: view.tablets.iter().map(|tablet| tablet.rows).sum(),
            bytes: view.tablets.iter().map(|tablet| tablet.bytes).sum(),
            tablets: view.tablets.len() as u32,
            reads_per_second,
            writes_per_second,
        })
    }

    /// Returns the part of what clients do to a table that the page is missing.
    ///
    /// # Errors
    /// `NotFound` when there is no such table, and errors of opening the instance.
    pub fn table(&self, name: &LiveTable, have: LiveHave) -> Result<LiveTableView> {
        let instance = names::instance(&name.instance).map_err(|status| Error::invalid(status.message()))?;
        let served = self.api.host().instance(&instance)?;
        let (mut view, spec) = served.with(|instance, now| {
            let mut table = instance.table(&name.table)?;
            Ok((table.view(now), table.describe()))
        })?;
        let counts = self.live.counts(&served, &instance, &name.table)?;
        let mut counts = lock(&counts);
        counts.advance(served.now());
        counts.note_places(&view);
        counts.set_tablet_rates(&mut view);
        let metric = have.metric;
        // If the page's copy is from an earlier counter, everything is sent.
        let have = if have.epoch == counts.epoch() { have } else { LiveHave::default() };
        let (history_from, history) = counts.history_since(&have);
        Ok(LiveTableView {
            epoch: counts.epoch(),
            began: counts.began(),
            seconds: counts.seconds(),
            view,
            spec,
            history_from,
            history,
            places: counts.places_since(&have),
            heat: counts.columns_since(have.heat, metric),
            diagnoses: counts.diagnoses(),
        })
    }

    /// Answers a request of the page, if a client's request would have the same effect.
    ///
    /// # Errors
    /// The reason why the request is rejected.
    pub fn respond(&self, instance: &str, request: Request) -> Result<Response> {
        let host = self.api.host();
        let name = names::instance(instance).map_err(|status| Error::invalid(status.message()))?;
        let (table, request) = match request {
            Request::Table { table, request } => (table, request),
            Request::DeleteBackup { .. } => {
                return Err(unsupported("backups are deleted with a client of the admin API"));
            }
            request => return Ok(host.instance(&name)?.handle(request)),
        };
        match request {
            TableRequest::Create(spec) => {
                let served = host.instance_or_new(&name)?;
                let spec = TableSpec { settings: table_settings(), ..spec };
                Ok(served.handle(TableRequest::Create(spec).of(table)))
            }
            TableRequest::Delete => {
                // As for a client: a table may be protected, and can be undeleted for some days.
                let request = proto::DeleteTableRequest { name: format!("{instance}/tables/{table}") };
                self.api.admin().delete_table(request).map_err(|status| {
                    let code = if status.code() == tonic::Code::NotFound {
                        Code::NotFound
                    } else {
                        Code::FailedPrecondition
                    };
                    Error::new(code, status.message())
                })?;
                Ok(Response::Done)
            }
            TableRequest::Restore { .. } | TableRequest::Import { .. } => Err(unsupported(
                "tables are restored and imported with a client of the admin API, and with `tabletop import`",
            )),
            TableRequest::ReadRows(read) => {
                read_slice(&*host.instance(&name)?, &table, read).map(Response::Rows)
            }
            request => Ok(host.instance(&name)?.handle(request.of(table))),
        }
    }
}

/// Returns the error for an answer that does not fit in a message.
pub(super) fn too_long(bytes: usize) -> Error {
    let message =
        format!("the answer has {bytes} bytes, more than fit in a message: read fewer or smaller cells");
    Error::new(Code::FailedPrecondition, message)
}

fn unsupported(why: &str) -> Error {
    Error::new(Code::FailedPrecondition, format!("the page of a server cannot do this: {why}"))
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Reads a slice, concurrently with changes.
fn read_slice(served: &Served, table: &str, mut read: ReadRows) -> Result<RowsChunk> {
    read.slice_cells_max = match read.slice_cells_max {
        0 => SLICE_CELLS_MAX,
        cells => cells.min(SLICE_CELLS_MAX),
    };
    let mut rows = Collected::default();
    let scan = served.read_into(table, &read, &mut rows)?;
    if rows.bytes > LIVE_MESSAGE_BYTES_MAX {
        return Err(too_long(rows.bytes));
    }
    Ok(RowsChunk { rows: rows.rows, stats: scan.stats, resume: scan.resume })
}

/// The rows of a slice.
#[derive(Default)]
struct Collected {
    rows: Vec<Row>,
    bytes: usize,
}

impl RowVisitor for Collected {
    fn row(&mut self, key: &[u8]) {
        self.bytes += key.len();
        self.rows.push(Row { key: RowKey::from(key), cells: Vec::new() });
    }

    fn cell(&mut self, cell: CellRef<'_>) {
        let CellRef { family, qualifier, timestamp, value, label } = cell;
        self.bytes += family.len() + qualifier.len() + value.len();
        if self.bytes > LIVE_MESSAGE_BYTES_MAX {
            // The rows do not fit in an answer, which says so.
            self.rows = Vec::new();
            return;
        }
        let label = label.map(Into::into);
        let cell = Cell {
            family: family.into(),
            qualifier: qualifier.into(),
            timestamp,
            value: value.into(),
            label,
        };
        self.rows.last_mut().into_iter().for_each(|row| row.cells.push(cell.clone()));
    }

    fn is_full(&self) -> bool {
        self.bytes >= SLICE_BYTES
    }
}
