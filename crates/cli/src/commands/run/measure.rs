//! Builds one design, runs the access patterns on it, and measures both.

use std::time::Instant;

use crate::progress;
use serde::Serialize;
use tabletop_advice::{DesignCosts, QueryOutcome, Scale, TableLoad, Total, WrongAnswer};
use tabletop_design::{DesignTable, OpenRead, Supply};
use tabletop_keys::{FamilyRule, Layout, PlanKind};
use tabletop_model::{ColumnFamily, Error, Problem, ReadRows, ReadStats};
use tabletop_texts::messages;
use tabletop_workload::Events;
use tabletop_workspace::{Design, DesignCost, Miss, NamedQuery, Workspace, tables_of_designs};

use super::grid::on_one_line;
use super::instance::OnInstance;
use super::warning::WrittenWarning;
use crate::overwritten::Overwritten;

/// The events of one step. The progress bar moves between two steps.
const STEP_EVENTS: u32 = 1_000;

/// A design and its table, measured.
#[derive(Debug, Serialize)]
pub(crate) struct Measured {
    pub(crate) name: String,
    /// The design to which the table belongs, if it is an index table. The access patterns that
    /// read it are listed under that design.
    pub(crate) index_of: Option<String>,
    pub(crate) template: String,
    pub(crate) layout: Layout,
    /// The GC rules of families that do not keep all cells.
    pub(crate) families: Vec<FamilyRule>,
    /// The problems of the template. If there are any, nothing is built.
    pub(crate) problems: Vec<Problem>,
    pub(crate) rows: u64,
    pub(crate) cells: u64,
    pub(crate) bytes: u64,
    pub(crate) tablets: usize,
    pub(crate) splits: u64,
    pub(crate) tablet_bytes_max: u64,
    /// The writes per second of the hottest tablet, divided by the writes of the median one; `None`
    /// if the median one has none.
    pub(crate) hottest_times_median: Option<f64>,
    pub(crate) cost: DesignCost,
    /// The events that later ones replace, if there are any.
    pub(crate) overwritten: Option<Overwritten>,
    /// The error of the first event that was rejected.
    pub(crate) refusal: Option<Error>,
    pub(crate) warnings: Vec<WrittenWarning>,
    /// The design's limits that are violated.
    pub(crate) misses: Vec<Miss>,
    pub(crate) elapsed_micros: u64,
    /// The access patterns.
    pub(crate) queries: Vec<MeasuredQuery>,
    /// The work of the access patterns per second, at their weights.
    pub(crate) total: Option<MeasuredTotal>,
    /// The costs that these figures describe.
    #[serde(skip)]
    pub(crate) costs: DesignCosts,
    /// The table's families.
    #[serde(skip)]
    pub(crate) column_families: Vec<ColumnFamily>,
    /// The reads that answer each access pattern from this table; empty for one that it cannot
    /// answer.
    #[serde(skip)]
    pub(crate) reads: Vec<Vec<ReadRows>>,
}

/// The work of all access patterns per second.
#[derive(Debug, Serialize)]
pub(crate) struct MeasuredTotal {
    /// The figure by which designs are ranked.
    pub(crate) blocks_per_second: f64,
    pub(crate) rows_seen_per_second: f64,
    pub(crate) cells_seen_per_second: f64,
}

/// The measurement of an access pattern on a design.
#[derive(Debug, Serialize)]
pub(crate) struct MeasuredQuery {
    pub(crate) name: String,
    /// The index table that it reads; `None` for the design's own table.
    pub(crate) table: Option<String>,
    /// The weight in the total.
    pub(crate) reads_per_second: f64,
    /// The reason if the design cannot answer it.
    pub(crate) error: Option<Error>,
    /// The way in which its rows are found; `None` if it has no answer.
    pub(crate) kind: Option<PlanKind>,
    /// The way in which its rows are found, in words.
    #[serde(skip)]
    pub(crate) plan: String,
    pub(crate) stats: ReadStats,
    pub(crate) ranges: u32,
    pub(crate) scans_more: bool,
    /// How the answer differs from a plain filter over all events, if it does.
    pub(crate) wrong: Option<WrongAnswer>,
    /// The number of timings. An expensive access pattern has one.
    pub(crate) timings: u32,
    /// The median of the timings, for one read.
    pub(crate) elapsed_micros: u64,
    /// Whether the access pattern has a limit.
    pub(crate) is_limited: bool,
    pub(crate) misses: Vec<Miss>,
    /// What a real instance has counted, if one was queried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) instance: Option<OnInstance>,
}

impl Measured {
    /// Returns the number of violated limits, unanswered access patterns and wrong answers.
    pub(crate) fn failures(&self) -> usize {
        let misses = |query: &MeasuredQuery| {
            query.misses.len() + query.instance.as_ref().map_or(0, |asked| asked.misses.len())
        };
        self.misses.len()
            + self.unanswered()
            + self.wrong_answers()
            + self.queries.iter().map(misses).sum::<usize>()
    }

    /// Returns the number of access patterns whose answers differ from a plain filter.
    pub(crate) fn wrong_answers(&self) -> usize {
        self.queries.iter().filter(|query| query.wrong.is_some()).count()
    }

    /// Returns the number of access patterns without an answer, here or on an instance.
    pub(crate) fn unanswered(&self) -> usize {
        let of_query = |query: &MeasuredQuery| {
            let of_instance = query.instance.as_ref().is_some_and(|asked| asked.error.is_some());
            usize::from(query.error.is_some()) + usize::from(of_instance)
        };
        self.queries.iter().map(of_query).sum()
    }
}

/// Builds a design as the page does, and runs the access patterns on it.
pub(crate) fn design(
    design: &Design,
    workspace: &Workspace,
    events: &Events,
    queries: &[NamedQuery],
) -> Measured {
    let count = events.len() as u32;
    let supply = Supply {
        roles: &workspace.roles,
        queries: &workspace.queries,
        ..Supply::all(events, &workspace.cluster)
    };
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
        events_overwritten: design_table.losses().shared.into(),
    };
    let is_built = view.problems.is_empty();
    let costs = measure_queries(&mut design_table, supply, queries);
    let reads = |named: &NamedQuery| OpenRead::parts_of(&design_table, &named.query).unwrap_or_default();
    let reads = queries.iter().map(reads).collect();
    Measured {
        name: design.name.clone(),
        index_of: design.index_of.clone(),
        template: design.template.clone(),
        layout: design.layout.clone(),
        families: design.families.clone(),
        rows: sum(|tablet| tablet.rows),
        cells: sum(|tablet| tablet.cells),
        bytes,
        tablets: view.table.tablets.len(),
        splits: view.table.splits,
        tablet_bytes_max: view.tablet_bytes_max,
        hottest_times_median: load.hottest_times_median(),
        misses: if is_built { workspace.limits.misses(&cost) } else { Vec::new() },
        cost,
        overwritten: Overwritten::of(design, events),
        refusal: view.refusal,
        warnings: view.warnings.into_iter().map(WrittenWarning::from).collect(),
        elapsed_micros,
        queries: Vec::new(),
        total: None,
        costs,
        column_families: design_table.describe().families,
        reads,
        problems: view.problems,
    }
}

/// Gives each design the access patterns that read one of its tables, and their total.
pub(crate) fn assign(tables: &mut [Measured], queries: &[NamedQuery], scale: &Scale) {
    let costs: Vec<DesignCosts> = tables.iter().map(|table| table.costs.clone()).collect();
    let designs: Vec<Design> = costs.iter().map(|costs| costs.design.clone()).collect();
    let of_designs = DesignCosts::of_designs(&costs, queries);
    for (of, costs) in tables_of_designs(&designs).into_iter().zip(of_designs) {
        let query = |(named, outcome): (&NamedQuery, &QueryOutcome)| {
            let at = named.table_of(&designs, &of);
            let table = (at != of.start).then(|| designs[at].name.clone());
            MeasuredQuery { table, ..MeasuredQuery::new(named, outcome) }
        };
        tables[of.start].queries = queries.iter().zip(&costs.outcomes).map(query).collect();
        tables[of.start].total = Total::of(queries, &costs, scale).map(|total| MeasuredTotal {
            blocks_per_second: total.blocks,
            rows_seen_per_second: total.rows,
            cells_seen_per_second: total.cells,
        });
    }
}

impl MeasuredQuery {
    /// Creates the measurement with this outcome.
    fn new(named: &NamedQuery, outcome: &QueryOutcome) -> MeasuredQuery {
        let mut measured_query = MeasuredQuery {
            name: named.name.clone(),
            table: None,
            reads_per_second: named.reads_per_second,
            error: None,
            kind: None,
            plan: "-".into(),
            stats: ReadStats::default(),
            ranges: 0,
            scans_more: false,
            wrong: None,
            timings: 0,
            elapsed_micros: 0,
            is_limited: !named.limits.is_empty(),
            misses: Vec::new(),
            instance: None,
        };
        match outcome {
            QueryOutcome::Answered(cost) => {
                measured_query.kind = Some(cost.kind);
                measured_query.plan = (messages().advice.plan)(cost);
                measured_query.stats = cost.stats;
                (measured_query.ranges, measured_query.scans_more) = (cost.ranges, cost.scans_more);
                (measured_query.timings, measured_query.elapsed_micros) = (cost.timings, cost.elapsed_micros);
                measured_query.wrong.clone_from(&cost.wrong);
                measured_query.misses = cost.misses(named);
            }
            QueryOutcome::Refused(error) => measured_query.error = Some(error.clone()),
            QueryOutcome::Waiting => unreachable!("everything is measured"),
        }
        measured_query
    }

    /// Returns the microseconds of one thread that all its reads per second take.
    pub(crate) fn micros_per_second(&self) -> f64 {
        self.reads_per_second * self.elapsed_micros as f64
    }
}

/// Measures the access patterns on a complete table.
fn measure_queries(design_table: &mut DesignTable, supply: Supply, queries: &[NamedQuery]) -> DesignCosts {
    loop {
        let begun = Instant::now();
        if !design_table.measure(supply, queries) {
            return design_table.costs(supply, queries);
        }
        design_table.charge_measurement(micros(begun));
    }
}

fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}
