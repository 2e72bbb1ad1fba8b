//! Requests by table name: to the tables of designs, and to other tables that the user creates.

use tabletop_design::{DesignTable, SLICE_CELLS};
use tabletop_engine::{Budget, Instance};
use tabletop_model::{
    Code, Error, Mutation, Request, Response, Result, SERVER_TIME, TableRequest, Timestamp, did_you_mean,
    order::sorted,
};
use tabletop_workspace::Workspace;

/// Compaction budget per step for the tables that the user creates.
const MAINTENANCE_BUDGET: Budget = Budget { bytes: 128 << 10 };

/// Tables that do not belong to a design. They live as long as the worker.
pub(crate) struct Tables {
    instance: Instance,
    /// Whether compaction may be due.
    is_behind: bool,
}

impl Tables {
    pub(crate) fn new() -> Tables {
        Tables { instance: Instance::new(), is_behind: false }
    }

    /// Compacts with one budget. Returns whether there was anything to do.
    pub(crate) fn step(&mut self, now: Timestamp) -> bool {
        let worked = self.is_behind || self.instance.next_work() <= now;
        self.is_behind = worked && self.instance.advance(now, MAINTENANCE_BUDGET);
        worked
    }

    /// Returns the milliseconds after which background work is due, at most a minute; `None` if
    /// there will be none.
    pub(crate) fn wait(&self, now: Timestamp) -> Option<u32> {
        let next = Some(self.instance.next_work()).filter(|next| *next < Timestamp::MAX)?;
        Some((next.saturating_sub(now) / 1_000 + 1).clamp(1, 60_000) as u32)
    }

    /// Sends the request to the table that it names: the table of a design, at the time of that
    /// design, or another table. A write to the table of a design increases `newest_write`.
    pub(crate) fn ask(
        &mut self,
        workspace: &Workspace,
        design_tables: &mut [DesignTable],
        newest_write: &mut u32,
        now: Timestamp,
        request: Request,
    ) -> Result<Response> {
        let ids = workspace.table_ids();
        let (table, mut request) = match request {
            Request::Table { table, request } => (table, request),
            Request::ListTables => return Ok(Response::Tables(self.all_ids(ids))),
            other => return Ok(self.ask_own(now, other)),
        };
        let slice = match &mut request {
            TableRequest::ReadRows(read) => Some(&mut read.slice_cells_max),
            TableRequest::CountExpired(count) => Some(&mut count.slice_cells_max),
            _ => None,
        };
        if let Some(most) = slice {
            *most = if *most == 0 { SLICE_CELLS } else { SLICE_CELLS.min(*most) };
        }
        if let Some(at) = ids.iter().position(|id| *id == table)
            && let Some(design_table) = design_tables.get_mut(at)
        {
            may_be_done(&request, &table, &workspace.designs[at].name)?;
            stamp(&mut request, now);
            return Ok(design_table.ask_for_user(request, newest_write));
        }
        match self.ask_own(now, request.of(table.as_str())) {
            // The instance does not have the tables of designs, and the user may have meant one of
            // those.
            Response::Refused(error)
                if error.code == Code::NotFound && self.instance.table(&table).is_err() =>
            {
                let meant = did_you_mean(&table, self.all_ids(ids).iter().map(String::as_str));
                Ok(Response::Refused(Error::not_found(format!("table \"{table}\" not found{meant}"))))
            }
            response => Ok(response),
        }
    }

    /// Sends the request to the tables of this instance.
    fn ask_own(&mut self, now: Timestamp, request: Request) -> Response {
        self.is_behind = true;
        self.instance.handle(now, request)
    }

    /// Returns the ids of all tables.
    fn all_ids(&self, mut ids: Vec<String>) -> Vec<String> {
        ids.extend(self.instance.table_ids().map(String::from));
        let mut ids = sorted(ids, String::cmp);
        // A design may have the same name as another table.
        ids.dedup();
        ids
    }
}

/// Refuses requests that would make a design's table differ from what the page shows.
fn may_be_done(request: &TableRequest, table: &str, design: &str) -> Result<()> {
    let refuse = |code, message: String| Err(Error::new(code, message));
    match request {
        TableRequest::Create(_) | TableRequest::Restore { .. } | TableRequest::Import { .. } => refuse(
            Code::AlreadyExists,
            format!(
                "table \"{table}\" already exists: it is the table of the design \"{design}\". Choose another name"
            ),
        ),
        TableRequest::Delete => refuse(
            Code::FailedPrecondition,
            format!(
                "table \"{table}\" cannot be deleted: the page builds it for the design \"{design}\". Delete its rows, or delete \
                 the design, instead"
            ),
        ),
        TableRequest::UpdateSettings(_) => refuse(
            Code::FailedPrecondition,
            format!(
                "the thresholds of table \"{table}\" are set in the page: change them next to the tablets"
            ),
        ),
        TableRequest::BackUp { .. } => refuse(
            Code::FailedPrecondition,
            format!(
                "table \"{table}\" cannot be backed up here: download it from the menu of the workspace instead"
            ),
        ),
        _ => Ok(()),
    }
}

/// Replaces the server's time in cells with the user's clock. The clock of a design counts the time
/// in which its events have arrived, so its time would be useless in a cell.
fn stamp(request: &mut TableRequest, now: Timestamp) {
    // The server's time is in whole milliseconds.
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
        TableRequest::MutateRows(entries) => {
            entries.iter_mut().for_each(|entry| stamp_all(&mut entry.mutations));
        }
        TableRequest::CheckAndMutateRow(check) => {
            stamp_all(&mut check.on_match);
            stamp_all(&mut check.otherwise);
        }
        _ => {}
    }
}
