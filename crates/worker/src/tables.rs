//! Requests by the names of tables: those of the designs, each in its design, and those that people make beside them.

use tabletop_cluster::{Budget, Instance};
use tabletop_design::{DesignTable, SLICE_CELLS, TABLE, unexpected};
use tabletop_model::order::sorted;
use tabletop_model::{Code, Error, Mutation, Request, Response, Result, SERVER_TIME, Timestamp, did_you_mean};
use tabletop_schema::Workspace;

use crate::files::Files;

/// What the tables of people may compact in one step.
const CHORES: Budget = Budget { bytes: 128 << 10 };

/// Tables that are of no design. They live as long as the worker.
pub(crate) struct Tables {
    instance: Instance<Files>,
    /// There may be something to compact.
    is_behind: bool,
    /// When somebody last asked.
    now: Timestamp,
}

impl Tables {
    pub(crate) fn new() -> Tables {
        Tables { instance: Instance::on(Files::default()), is_behind: false, now: 0 }
    }

    /// Does what waits, for one budget. Returns whether it did anything.
    pub(crate) fn step(&mut self) -> bool {
        let worked = self.is_behind;
        self.is_behind = worked && self.instance.advance(self.now, CHORES);
        worked
    }

    /// Asks the table that the request names: that of a design, at the time of its design, or one of these.
    pub(crate) fn ask(
        &mut self,
        workspace: &Workspace,
        design_tables: &mut [DesignTable<Files>],
        now: Timestamp,
        mut request: Request,
    ) -> Result<Response> {
        if let Request::ReadRows { read, .. } = &mut request {
            let most = read.slice_cells_max;
            read.slice_cells_max = if most == 0 { SLICE_CELLS } else { most.min(SLICE_CELLS) };
        }
        let ids = workspace.table_ids();
        let table = table_of(&mut request).and_then(|table| ids.iter().position(|id| id == table));
        let Some(at) = table else {
            return Ok(self.ask_own(now, request, ids));
        };
        may_be_done(&request, &ids[at], &workspace.designs[at].name)?;
        let design_table = design_tables.get_mut(at).ok_or_else(|| unexpected("request"))?;
        stamp(&mut request, now);
        if let Some(table) = table_of(&mut request) {
            *table = TABLE.into();
        }
        Ok(design_table.ask_for_person(request))
    }

    /// Asks one of these tables; `designs` are those of the designs.
    fn ask_own(&mut self, now: Timestamp, mut request: Request, designs: Vec<String>) -> Response {
        self.now = now;
        self.is_behind = true;
        let asked = table_of(&mut request).cloned();
        match (self.instance.handle(now, request), asked) {
            (Response::Tables(_), _) => Response::Tables(self.all_ids(designs)),
            // The instance knows nothing of the designs' tables, one of which may be meant.
            (Response::Refused(error), Some(table)) if error.code == Code::NotFound && self.instance.table(&table).is_err() => {
                let meant = did_you_mean(&table, self.all_ids(designs).iter().map(String::as_str));
                Response::Refused(Error::not_found(format!("table \"{table}\" not found{meant}")))
            }
            (response, _) => response,
        }
    }

    /// All tables that can be asked.
    fn all_ids(&mut self, mut ids: Vec<String>) -> Vec<String> {
        if let Response::Tables(own) = self.instance.handle(self.now, Request::ListTables) {
            ids.extend(own);
        }
        let mut ids = sorted(ids, String::cmp);
        // A design may have been given the name of one of these.
        ids.dedup();
        ids
    }
}

/// The table that a request is about, or would make.
fn table_of(request: &mut Request) -> Option<&mut String> {
    match request {
        Request::CreateTable { table, .. }
        | Request::RestoreTable { table, .. }
        | Request::ImportTable { table, .. }
        | Request::DeleteTable { table }
        | Request::GetTable { table }
        | Request::UpdateSettings { table, .. }
        | Request::ModifyFamilies { table, .. }
        | Request::MutateRows { table, .. }
        | Request::CheckAndMutateRow { table, .. }
        | Request::ReadModifyWriteRow { table, .. }
        | Request::DropRowRange { table, .. }
        | Request::ReadRows { table, .. }
        | Request::SampleRowKeys { table }
        | Request::CompactTable { table }
        | Request::BackUpTable { table, .. }
        | Request::ExportTable { table, .. }
        | Request::ViewTable { table } => Some(table),
        Request::ListTables | Request::ListBackups | Request::DeleteBackup { .. } => None,
    }
}

/// Refuses what would make of a design's table something else than what the page shows.
fn may_be_done(request: &Request, table: &str, design: &str) -> Result<()> {
    let refuse = |code, message: String| Err(Error::new(code, message));
    match request {
        Request::CreateTable { .. } | Request::RestoreTable { .. } | Request::ImportTable { .. } => refuse(
            Code::AlreadyExists,
            format!("table \"{table}\" exists already: it is the table of the design \"{design}\". Choose another name"),
        ),
        Request::DeleteTable { .. } => refuse(
            Code::FailedPrecondition,
            format!(
                "table \"{table}\" cannot be deleted: the page builds it for the design \"{design}\". Delete its rows instead, or \
                 take the design away"
            ),
        ),
        Request::UpdateSettings { .. } => refuse(
            Code::FailedPrecondition,
            format!("the thresholds of table \"{table}\" are those of the page: change them beside the tablets"),
        ),
        Request::BackUpTable { .. } => refuse(
            Code::FailedPrecondition,
            format!("table \"{table}\" cannot be backed up here: download it from the menu of the workspace instead"),
        ),
        _ => Ok(()),
    }
}

/// Gives cells that are written at the server's time the person's: the clock of a design says how long its events have been
/// arriving, which is of no use as the time of a cell.
fn stamp(request: &mut Request, now: Timestamp) {
    // The server's time is one of whole milliseconds.
    let now = now - now.rem_euclid(1_000);
    let stamp_all = |mutations: &mut Vec<Mutation>| {
        for mutation in mutations {
            if let Mutation::SetCell { timestamp, .. } = mutation
                && *timestamp == SERVER_TIME
            {
                *timestamp = now;
            }
        }
    };
    match request {
        Request::MutateRows { entries, .. } => entries.iter_mut().for_each(|entry| stamp_all(&mut entry.mutations)),
        Request::CheckAndMutateRow { check, .. } => {
            stamp_all(&mut check.on_match);
            stamp_all(&mut check.otherwise);
        }
        _ => {}
    }
}
