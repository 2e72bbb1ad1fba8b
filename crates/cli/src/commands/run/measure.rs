//! Builds one design, runs the access patterns on it, and measures both.

use std::time::Instant;

use crate::progress;
use serde::Serialize;
use tabletop_design::{DesignTable, OpenRead, Supply};
use tabletop_model::{Error, Problem, ReadStats};
use tabletop_schema::{Design, DesignCost, Layout, Miss, NamedQuery, Query, ReadId, TableLoad, Warning, Workspace};
use tabletop_workload::Events;

use super::grid::on_one_line;

/// The events of one step. The progress bar moves between two steps.
const STEP_EVENTS: u32 = 1_000;

/// A design and its table, measured.
#[derive(Debug, Serialize)]
pub(crate) struct Measured {
    pub(crate) name: String,
    pub(crate) template: String,
    pub(crate) layout: Layout,
    /// The problems of the template. With a problem, nothing is built.
    pub(crate) problems: Vec<Problem>,
    pub(crate) rows: u64,
    pub(crate) cells: u64,
    pub(crate) bytes: u64,
    pub(crate) tablets: usize,
    pub(crate) splits: u64,
    pub(crate) tablet_bytes_max: u64,
    /// The writes per second of the hottest tablet, divided by those of the median one; `None` if the latter has none.
    pub(crate) hottest_times_median: Option<f64>,
    pub(crate) cost: DesignCost,
    /// The error of the first event that was refused.
    pub(crate) refusal: Option<Error>,
    pub(crate) warnings: Vec<Warning>,
    /// The design's limits that are missed.
    pub(crate) misses: Vec<Miss>,
    pub(crate) elapsed_micros: u64,
    /// The access patterns.
    pub(crate) queries: Vec<MeasuredQuery>,
}

/// The measurement of an access pattern on a design.
#[derive(Debug, Serialize)]
pub(crate) struct MeasuredQuery {
    pub(crate) name: String,
    /// Why the design cannot answer it.
    pub(crate) error: Option<Error>,
    pub(crate) stats: ReadStats,
    pub(crate) ranges: u32,
    pub(crate) scans_more: bool,
    pub(crate) elapsed_micros: u64,
    /// The access pattern has a limit.
    pub(crate) is_limited: bool,
    pub(crate) misses: Vec<Miss>,
}

impl Measured {
    /// Returns the number of missed limits and unanswered access patterns.
    pub(crate) fn failures(&self) -> usize {
        let of_query = |measured_query: &MeasuredQuery| measured_query.misses.len() + usize::from(measured_query.error.is_some());
        self.misses.len() + self.queries.iter().map(of_query).sum::<usize>()
    }
}

/// Builds a design as the page does, and runs the access patterns on it.
pub(crate) fn design(design: &Design, workspace: &Workspace, events: &Events, queries: &[NamedQuery]) -> Measured {
    let count = events.len() as u32;
    let supply = Supply::all(events, &workspace.cluster);
    let mut design_table: DesignTable = DesignTable::new(0, design, events.fields(), &workspace.cluster);
    let bar = progress::bar(Some(count.into()), "{bar:30} {human_pos} events in {msg}");
    bar.set_message(on_one_line(&design.name));
    let begun = Instant::now();
    while design_table.step(supply, STEP_EVENTS) {
        bar.set_position(design_table.events_built().into());
    }
    bar.finish_and_clear();
    let elapsed_micros = micros(begun);
    let view = design_table.view(supply);
    let load = TableLoad::of(&view.table);
    let sum = |of: fn(&tabletop_model::TabletView) -> u64| view.table.tablets.iter().map(of).sum::<u64>();
    let bytes = sum(|tablet| tablet.bytes);
    let cost = DesignCost {
        hottest_tablet_share: load.hottest_share(),
        key_bytes: design_table.key_bytes_max(),
        bytes_per_event: bytes as f64 / f64::from(count.max(1)),
        events_refused: view.events_refused.into(),
    };
    let is_built = view.problems.is_empty();
    Measured {
        name: design.name.clone(),
        template: design.template.clone(),
        layout: design.layout.clone(),
        rows: sum(|tablet| tablet.rows),
        cells: sum(|tablet| tablet.cells),
        bytes,
        tablets: view.table.tablets.len(),
        splits: view.table.splits,
        tablet_bytes_max: view.tablet_bytes_max,
        hottest_times_median: load.hottest_times_median(),
        misses: if is_built { workspace.limits.misses(&cost) } else { Vec::new() },
        cost,
        refusal: view.refusal,
        warnings: view.warnings,
        elapsed_micros,
        queries: if is_built {
            queries.iter().map(|named| measure_query(&mut design_table, named)).collect()
        } else {
            Vec::new()
        },
        problems: view.problems,
    }
}

/// Runs an access pattern with an empty block cache, so that the order of access patterns does not matter.
fn measure_query(design_table: &mut DesignTable, named: &NamedQuery) -> MeasuredQuery {
    forget_blocks(design_table);
    let begun = Instant::now();
    let answer = read(design_table, &named.query);
    let elapsed_micros = micros(begun);
    let mut measured_query = MeasuredQuery {
        name: named.name.clone(),
        error: None,
        stats: ReadStats::default(),
        ranges: 0,
        scans_more: false,
        elapsed_micros,
        is_limited: !named.limits.is_empty(),
        misses: Vec::new(),
    };
    match answer {
        Ok((stats, ranges, scans_more)) => {
            (measured_query.stats, measured_query.ranges, measured_query.scans_more) = (stats, ranges, scans_more);
            measured_query.misses = named.limits.misses(&stats, ranges);
        }
        Err(error) => measured_query.error = Some(error),
    }
    measured_query
}

fn read(design_table: &mut DesignTable, query: &Query) -> tabletop_model::Result<(ReadStats, u32, bool)> {
    let mut read = OpenRead::begin(design_table, query)?;
    loop {
        let chunk = read.next(ReadId(0), design_table)?;
        if chunk.complete {
            return Ok((chunk.stats, chunk.ranges, chunk.scans_more));
        }
    }
}

/// Empties the table's block cache.
fn forget_blocks(design_table: &mut DesignTable) {
    let settings = design_table.describe().settings;
    for cache_bytes_max in [0, settings.cache_bytes_max] {
        let changed = design_table.update_settings(tabletop_model::TableSettings { cache_bytes_max, ..settings.clone() });
        changed.expect("any size of the cache is valid");
    }
}

fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}
