//! Jobs that need nothing from their host but its designs. Each run is a value that a worker opens
//! for a page, and that a command line or a test calls in a loop.
//!
//! A run holds its own `Arc` of the events that it reads, or its own tables, or the number of a
//! table between two rebuilds. So a run only ever sees the data with which it was begun: once the
//! host has other data, [`Run::is_current`] returns `false`, and the host's registry drops the run.
//!
//! [`Run::is_current`]: tabletop_protocol::Run::is_current

mod experiment;
mod profiles;
mod reads;
mod simulate;

use std::ops::Range;
use std::sync::Arc;

use tabletop_model::{Code, Error};
use tabletop_protocol::JobError;
use tabletop_workload::Events;
use tabletop_workspace::{Design, NamedQuery, Workspace};

use crate::design_table::DesignTable;
use crate::read::TableOf;
use crate::supply::Supply;
pub use experiment::{ExperimentRun, OpenExperiment};
pub use profiles::OpenProfiles;
pub use reads::{ExpiredCount, GatherRun, KeySample, MeasureRun, QueryTouch, ReadOnDesigns};
pub use simulate::{OpenSimulation, TraceReader};

/// A host of designs: a workspace, its events, and one table for each of its designs, in their
/// order.
pub trait DesignHost {
    /// The workspace.
    fn workspace(&self) -> &Workspace;

    /// The version of the workspace. It changes with each edit.
    fn workspace_version(&self) -> u64;

    /// The loaded events.
    fn events(&self) -> &Arc<Events>;

    /// Whether more events may follow.
    fn is_loading(&self) -> bool;

    /// The tables of the designs.
    fn tables(&self) -> &[DesignTable];

    /// Returns the supply from which the tables are built, the access patterns of the workspace,
    /// and the tables, so that a caller can work on the tables.
    fn parts(&mut self) -> (Supply<'_>, &[NamedQuery], &mut [DesignTable]);

    /// Makes sure that each of these designs has a settled table ([`DesignTable::has_rest`]).
    ///
    /// # Errors
    /// `NotReady` while a table is being built, `Unfit` for a design without a table and without
    /// events.
    fn bring_to_rest(&mut self, designs: Range<usize>) -> Result<(), JobError>;

    /// The table from which simulations of the design at this index begin. It is settled after
    /// [`DesignHost::bring_to_rest`].
    fn table_at_rest(&self, index: usize) -> &DesignTable;
}

/// Returns the table of the design at an index.
fn table_at(tables: &mut [DesignTable], index: u32) -> Result<&mut DesignTable, JobError> {
    let count = tables.len();
    tables.get_mut(index as usize).ok_or_else(|| no_design(index, count))
}

/// Returns the table that a run reads. If it no longer exists, the registry has dropped the run.
fn find(of: TableOf, tables: &mut [DesignTable]) -> Result<&mut DesignTable, JobError> {
    let at = of.find(tables).ok_or(JobError::Gone)?;
    Ok(&mut tables[at])
}

fn no_design(index: u32, count: usize) -> JobError {
    let message = format!("there is no design {index}: the workspace has {count}, counted from 0");
    JobError::Unfit(Error::not_found(message))
}

/// Checks that the load is complete. A run that held the events during a load would force the load
/// to copy them.
fn check_loaded(host: &(impl DesignHost + ?Sized)) -> Result<(), JobError> {
    if !host.is_loading() {
        return Ok(());
    }
    let message = "the events are still being loaded: try again when the load is complete";
    Err(JobError::NotReady(Error::new(Code::Unavailable, message)))
}

/// Returns whether the tables of two designs have the same rows and rules.
fn has_same_tables(a: &Design, b: &Design) -> bool {
    (&a.template, &a.layout, &a.families) == (&b.template, &b.layout, &b.families)
}
