//! What another visit needs to resume a migration, stored as a row of a separate table.
//!
//! ```text
//! row      run
//! family   r, one version
//! columns  workspace    a workspace as JSON: the source of the events, the old and the new design
//!          retention    days
//!          stream       numbers with spaces between them: events of a round, events that have arrived, the time from which times are
//!                       stretched, how many times, the earliest time of the first round (- for none), the latest time so far, how much
//!                       later the present round is, events refused; times in microseconds
//!          refusal      why the first of them was refused
//! ```
//! The state of the migration itself is in another table: [`super::super::STATE_TABLE`].

use tabletop_model::{Code, ColumnFamily, Error, GcRule, Mutation, Result, Row, RowMutation};
use tabletop_workspace::Workspace;

use super::stream::Stream;
use crate::tables::Tables;

/// The table with this row.
pub(super) const RUN_TABLE: &str = "migration_run";
const FAMILY: &str = "r";
const KEY: &str = "run";

/// The content of the row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SavedRun {
    /// The source of the events, the old and the new design.
    pub workspace: Workspace,
    /// The age in days above which GC removes events.
    pub retention_days: u32,
    /// The progress of the stream.
    pub stream: Stream,
}

impl SavedRun {
    /// Creates the table and the row. From then on another visit resumes the migration.
    pub fn create(&self, tables: &mut Tables) -> Result<()> {
        let family = ColumnFamily { gc_rule: GcRule::MaxVersions(1), ..ColumnFamily::new(FAMILY) };
        tables.create_or_complete(RUN_TABLE, vec![family])?;
        let mut mutations = vec![
            set("workspace", self.workspace.to_json()),
            set("retention", self.retention_days.to_string()),
        ];
        mutations.extend(self.stream_cells());
        tables.write(RUN_TABLE, vec![RowMutation { key: KEY.into(), mutations }])
    }

    /// Writes the progress of the stream. Later events may be in the tables already: they arrive
    /// again, and change nothing.
    pub fn note(&self, tables: &mut Tables) -> Result<()> {
        tables.write(RUN_TABLE, vec![RowMutation { key: KEY.into(), mutations: self.stream_cells().into() }])
    }

    fn stream_cells(&self) -> [Mutation; 2] {
        let Stream { round, arrived, anchor, stretch, first, now, shift, refused, refusal } = &self.stream;
        let first = first.map_or("-".into(), |first| first.to_string());
        let numbers = format!("{round} {arrived} {anchor} {stretch} {first} {now} {shift} {refused}");
        [set("stream", numbers), set("refusal", refusal.clone())]
    }

    /// Reads the row, if there is one.
    ///
    /// # Errors
    /// `DataLoss` for a row that this build cannot read.
    pub fn load(tables: &mut Tables) -> Result<Option<SavedRun>> {
        if !tables.names()?.iter().any(|name| name == RUN_TABLE) {
            return Ok(None);
        }
        let Some(row) = tables.read_row(RUN_TABLE, KEY)? else { return Ok(None) };
        let wrong = || {
            Error::new(
                Code::DataLoss,
                format!("The row {KEY} of the table {RUN_TABLE} cannot be read: begin the migration again."),
            )
        };
        read(&row).map(Some).ok_or_else(wrong)
    }
}

fn read(row: &Row) -> Option<SavedRun> {
    let text = |name: &str| {
        let cell = row.cells.iter().find(|cell| cell.qualifier.as_slice() == name.as_bytes())?;
        str::from_utf8(&cell.value).ok()
    };
    let workspace =
        Workspace::from_json(text("workspace")?).ok().filter(|workspace| workspace.designs.len() == 2)?;
    let numbers: Vec<&str> = text("stream")?.split(' ').collect();
    let [round, arrived, anchor, stretch, first, now, shift, refused] = numbers.as_slice() else {
        return None;
    };
    let first = if *first == "-" { None } else { Some(first.parse().ok()?) };
    let stream = Stream {
        round: round.parse().ok()?,
        arrived: arrived.parse().ok()?,
        anchor: anchor.parse().ok()?,
        stretch: stretch.parse().ok()?,
        first,
        now: now.parse().ok()?,
        shift: shift.parse().ok()?,
        refused: refused.parse().ok()?,
        refusal: text("refusal")?.into(),
    };
    Some(SavedRun { workspace, retention_days: text("retention")?.parse().ok()?, stream })
}

fn set(name: &str, value: String) -> Mutation {
    Mutation::SetCell { family: FAMILY.into(), qualifier: name.into(), timestamp: 0, value: value.into() }
}
