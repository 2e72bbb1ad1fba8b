//! One design's table, with its own clock. It is filled with the events that have arrived.
//!
//! Event i arrives at i / pace seconds of the design's clock, at any real speed of writing: the same events result in the same
//! table and the same load, whether they arrive one by one or together. So compaction and splits happen at a count of events,
//! never at a time of the host.

mod refused;

use tabletop_engine::{Budget, Instance, TableHandle};
use tabletop_model::{
    Code, ColumnFamily, Error, ExportPiece, ExportResume, FamilyModification, Mutation, Problem, ReadRows, Result, RowMutation,
    RowsChunk, SortedSet, Span, TableRequest, TableSettings, TableSpec, TableView, Timestamp,
};
use tabletop_schema::{
    ClusterSettings, Design, FamilyRule, Field, Layout, LayoutKind, LayoutWriter, Record, Template, WriteCounts,
};
use tabletop_workload::Events;

use crate::figures::SizeCount;
use crate::hand_writes::HandWrites;
use crate::measure::Measuring;
use crate::picture::Pictures;
use crate::read::no_table;
use crate::scale;
use crate::timeline::{self, Timeline, WorkCounts};
use refused::Refused;

/// Name of the only table in a design's instance.
pub(crate) const TABLE: &str = "events";
/// Number of events after which the table may compact and split. Counted in events, so that slices of time change nothing.
const MAINTENANCE_EVERY: u32 = 32;
/// Compaction budget each time, a millisecond's work: enough to keep up with writing everything about ten times.
const MAINTENANCE_BUDGET: Budget = Budget { bytes: 128 << 10 };

/// Bytes of a cell in addition to its value, approximately.
const CELL_BYTES: usize = 12;

/// Bytes of an aggregated number.
const NUMBER_BYTES: usize = 8;

/// One design and its table.
pub struct DesignTable {
    /// Identifies the design, at any place among the designs.
    pub id: u32,
    pub(crate) design: Design,
    /// The template as typed, with its problems.
    pub(crate) typed: Template,
    pub(crate) problems: Vec<Problem>,
    /// The mapping of the last template without problems. Nothing is built before there is one.
    pub(crate) mapping: Option<EventMapping>,
    pub(crate) table: EventTable,
    /// The table with all events, as these alone have made it: [`DesignTable::note_rest`].
    pub(crate) at_rest: Option<EventTable>,
    pub(crate) timeline: Timeline,
    /// Writes by hand that the table does not have: their rows are of another form, or they were taken back.
    pub(crate) writes_aside: HandWrites,
    /// The number of changes.
    pub(crate) revision: u64,
    pub(crate) pictures: Pictures,
    /// During an export of the table in pieces: the table's first revision, its events, and its edits.
    exported: Option<(u64, u32, u64)>,
    /// The count of the table's logical bytes, if it was asked for.
    pub(crate) size: Option<SizeCount>,
    /// The measurement of access patterns, if it was asked for.
    pub(crate) measuring: Option<Measuring>,
}

/// The way in which events become rows.
pub(crate) struct EventMapping {
    pub(crate) writer: LayoutWriter,
    /// The template as written. The writer's template may omit fields that its layout stores elsewhere.
    pub(crate) written: Template,
    /// For each part of the writer's template, its index in `written`.
    pub(crate) parts: Vec<usize>,
    pub(crate) layout: Layout,
    /// The same as queries by fields see it.
    pub(crate) readable: Layout,
    /// The GC rules of families.
    families: Vec<FamilyRule>,
}

/// The compaction of all SSTables after the last event. It is requested once: with GC rules, each request writes them again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FinalCompaction {
    Due,
    Requested,
    Done,
}

/// A table that is filled event by event.
pub(crate) struct EventTable {
    pub(crate) instance: Instance,
    families: SortedSet<String>,
    /// A person has asked for a flush or a compaction: work may be due between two events.
    pub(crate) has_request: bool,
    /// Names of the families in the order of their creation.
    pub(crate) family_names: Vec<String>,
    /// Events that are in the table, or were refused.
    pub(crate) built: u32,
    /// Bytes of keys and cells written so far.
    pub(crate) bytes: u64,
    /// Bytes of the longest key written so far.
    key_bytes_max: usize,
    /// Cells of events written so far.
    cells: u64,
    pub(crate) tablet_bytes_max: u64,
    compaction: FinalCompaction,
    events_per_second: f64,
    pub(crate) refused: Refused,
    /// The revision of the design at which this table was begun.
    pub(crate) begun: u64,
    /// The time of the newest event that was written: GC rules take it for the present.
    newest: Timestamp,
    /// Number of changes that come from no event.
    pub(crate) edits: u64,
    /// Number of those that were refused when they were done again.
    pub(crate) edits_refused: u32,
    /// The number of all events, as far as it was known before the first one.
    pub(crate) scaled_for: Option<u32>,
    /// Only events, and writes by hand at their moments, have made it what it is.
    pub(crate) is_straight: bool,
}

/// The inputs from which a design's table is built.
#[derive(Clone, Copy)]
pub struct Supply<'a> {
    /// The loaded events.
    pub events: &'a Events,
    /// Number of loaded events that have arrived.
    pub arrived: u32,
    /// Number of all events, if it is known.
    pub total: Option<u32>,
    /// Whether events arrive at the pace of the cluster settings.
    pub playing: bool,
    /// Settings and pace.
    pub cluster: &'a ClusterSettings,
}

impl<'a> Supply<'a> {
    /// All of these events, which have arrived together.
    pub fn all(events: &'a Events, cluster: &'a ClusterSettings) -> Supply<'a> {
        let count = events.len() as u32;
        Supply { events, arrived: count, total: Some(count), playing: false, cluster }
    }
}

/// Whether more events will be written to a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// More events will be written.
    Ongoing,
    /// All events are in the table.
    Ended,
}

impl DesignTable {
    /// Creates a design whose table is empty.
    pub fn new(id: u32, design: &Design, fields: &[Field], cluster: &ClusterSettings) -> DesignTable {
        let (typed, problems) = parse(design, fields);
        // Unlike any revision of an earlier design at this index, which the page would otherwise mistake for this one.
        let revision = (u64::from(id) << 32) + 1;
        let mut design_table = DesignTable {
            id,
            design: design.clone(),
            typed,
            problems,
            mapping: None,
            table: EventTable::new(cluster, revision),
            at_rest: None,
            timeline: Timeline::default(),
            writes_aside: HandWrites::default(),
            revision,
            pictures: Pictures::default(),
            exported: None,
            size: None,
            measuring: None,
        };
        design_table.reform(fields);
        design_table
    }

    /// Returns the name of the design.
    pub fn name(&self) -> &str {
        &self.design.name
    }

    /// Returns the row of an event in this table, whose families it creates.
    ///
    /// # Errors
    /// `FailedPrecondition` for a design without a table; those of the template about the event.
    pub(crate) fn row(&mut self, record: &Record, index: u64) -> Result<RowMutation> {
        let mapping = self.mapping.as_ref().ok_or_else(no_table)?;
        self.table.row(mapping, record, index)
    }

    /// Returns a family that keeps values as they are; `None` if all families aggregate.
    pub(crate) fn plain_family(&mut self) -> Option<String> {
        let families = self.table.handle().describe().families;
        families.into_iter().find(|family| family.aggregate.is_none()).map(|family| family.name)
    }

    /// Returns whether the table has other events than those that have arrived.
    pub fn is_behind(&self, supply: Supply) -> bool {
        self.mapping.is_some() && self.table.built != supply.arrived
    }

    /// Returns whether a table can be built, but is still empty.
    pub fn is_unbuilt(&self) -> bool {
        self.mapping.is_some() && self.table.built == 0
    }

    /// Returns the number of events that are in the table, or were refused.
    pub fn events_built(&self) -> u32 {
        self.table.built
    }

    /// Returns the bytes of the longest row key written so far.
    pub fn key_bytes_max(&self) -> u64 {
        self.table.key_bytes_max as u64
    }

    /// Returns whether compaction is still due: all events are in the table, or a person has asked for it.
    pub(crate) fn is_settling(&self, supply: Supply) -> bool {
        let table = &self.table;
        let is_last = supply.total == Some(table.built) && table.built > 0 && table.compaction != FinalCompaction::Done;
        is_last || table.has_request
    }

    /// Writes at most `count` of the events that have arrived, or goes back when there are more in the table. After the last one,
    /// compacts. Returns whether it did anything.
    pub fn step(&mut self, supply: Supply, count: u32) -> bool {
        if self.mapping.is_some() && self.is_elsewhere(supply) {
            self.travel(supply);
            return true;
        }
        let Some(mapping) = &self.mapping else { return false };
        if self.pictures.look(self.revision, mapping, supply) {
            return true;
        }
        let table = &mut self.table;
        if table.built < supply.arrived {
            if table.built == 0 && !table.choose_scale(mapping, supply) {
                return false;
            }
            let end = supply.arrived.min(table.built.saturating_add(count));
            table.build(mapping, supply, end, &mut self.timeline);
            return true;
        }
        if self.table.has_request {
            self.table.has_request = self.table.maintain();
            return true;
        }
        if self.is_settling(supply) {
            let table = &mut self.table;
            // A row in several SSTables counts several times. No more events follow, so the SSTables are merged.
            if table.compaction == FinalCompaction::Due {
                table.handle().compact();
                table.compaction = FinalCompaction::Requested;
            }
            if !table.maintain() {
                table.compaction = FinalCompaction::Done;
                self.note_rest(supply);
            }
            return true;
        }
        let table = &mut self.table;
        supply.total == Some(table.built) && self.pictures.count_shared(mapping, supply, || table.counts(mapping), count)
    }

    /// Returns the layout of the design.
    pub(crate) fn layout(&self) -> &Layout {
        &self.design.layout
    }

    /// Returns the current families, splits and settings of the table.
    pub fn describe(&mut self) -> TableSpec {
        self.table.handle().describe()
    }

    /// Empties the table's block cache.
    pub(crate) fn forget_blocks(&mut self) {
        self.table.handle().forget_blocks();
    }

    /// Answers a slice of a read of the table, at the design's time.
    ///
    /// # Errors
    /// The engine's errors.
    pub fn read(&mut self, read: &ReadRows) -> Result<RowsChunk> {
        let now = self.table.clock();
        self.table.is_straight &= read.unmetered;
        self.table.handle().read(now, read)
    }

    /// Returns the next piece of the table's export. The file has one state of the table with all its events, so the table must
    /// not grow during the export.
    ///
    /// # Errors
    /// `FailedPrecondition` when the table has changed or still grows.
    pub fn export(&mut self, resume: Option<ExportResume>, growth: Growth) -> Result<ExportPiece> {
        let table = Some((self.table.begun, self.table.built, self.table.edits));
        let before = self.exported.take();
        let refused = |message| Err(Error::new(Code::FailedPrecondition, message));
        if resume.is_some() && before != table {
            return refused("the table has changed during the download: please download it again");
        }
        if growth == Growth::Ongoing {
            return refused("the table is still being built: download it when all its events are written");
        }
        let piece = self.table.handle().export(resume.as_ref())?;
        self.exported = table.filter(|_| piece.resume.is_some());
        Ok(piece)
    }

    pub(crate) fn parse(&mut self, fields: &[Field]) {
        (self.typed, self.problems) = parse(&self.design, fields);
    }

    /// Adapts the mapping to the design if its template has no problems; otherwise keeps the last template, with the design's
    /// layout. A layout with problems keeps the last layout. Returns whether the mapping has changed.
    pub(crate) fn reform(&mut self, fields: &[Field]) -> bool {
        let Design { layout, families, .. } = &self.design;
        let (written, layout) = match (&self.mapping, self.problems.is_empty()) {
            (_, true) => (self.typed.clone(), layout),
            (Some(mapping), false) if !layout.problems(fields).is_empty() => (mapping.written.clone(), &mapping.layout.clone()),
            (Some(mapping), false) => (mapping.written.clone(), layout),
            (None, false) => return false,
        };
        let same_cells = |mapping: &EventMapping| mapping.layout == *layout && mapping.written.fields() == fields;
        let is_same = |mapping: &EventMapping| same_cells(mapping) && mapping.written == written && mapping.families == *families;
        if self.mapping.as_ref().is_some_and(is_same) {
            return false;
        }
        let writer = match self.mapping.take() {
            Some(mapping) if same_cells(&mapping) => mapping.writer.with_keys_of(layout, &written),
            _ => LayoutWriter::new(layout, fields, &written),
        };
        let writer = writer.with_families(families);
        let (parts, layout) = (written.stored_parts(layout), layout.clone());
        let readable = layout.readable(families).into_owned();
        self.mapping = Some(EventMapping { writer, parts, layout, readable, families: families.clone(), written });
        true
    }
}

/// Parses the texts of a design. Problems of its columns have no place in the template: they come after it.
fn parse(design: &Design, fields: &[Field]) -> (Template, Vec<Problem>) {
    let (template, problems) = Template::parse(&design.template, fields);
    if design.layout.kind == LayoutKind::Columns {
        (template, with_columns(design, fields, problems))
    } else {
        (template, problems)
    }
}

#[inline(never)]
fn with_columns(design: &Design, fields: &[Field], mut problems: Vec<Problem>) -> Vec<Problem> {
    let end = design.template.len() as u32;
    let of_columns = design.layout.problems(fields).into_iter();
    problems.extend(of_columns.map(|found| Problem { span: Span { start: end, end }, message: found.text() }));
    problems
}

impl EventTable {
    pub(crate) fn new(cluster: &ClusterSettings, begun: u64) -> EventTable {
        let tablet_bytes_max = cluster.tablet_bytes_max.unwrap_or_else(|| scale::tablet_bytes_max(0));
        let mut instance = Instance::new();
        // The tablets of a picture depend on the events, not on the moments at which somebody looks: garbage goes with compactions
        // that are due for another reason, and with the last one.
        instance.set_gc_delay(i64::MAX);
        let mut table = EventTable {
            instance,
            families: SortedSet::default(),
            has_request: false,
            family_names: Vec::new(),
            built: 0,
            bytes: 0,
            key_bytes_max: 0,
            cells: 0,
            tablet_bytes_max,
            compaction: FinalCompaction::Due,
            events_per_second: cluster.events_per_second,
            refused: Refused::default(),
            begun,
            newest: Timestamp::MIN,
            edits: 0,
            edits_refused: 0,
            scaled_for: None,
            is_straight: true,
        };
        let spec = TableSpec { settings: scale::settings(cluster, tablet_bytes_max), ..TableSpec::default() };
        own(table.instance.create_table(0, TABLE, spec));
        table
    }

    /// Returns a copy that goes on independently; `None` while the table is being compacted.
    pub(crate) fn fork(&self) -> Option<EventTable> {
        Some(EventTable {
            instance: self.instance.fork()?,
            families: self.families.clone(),
            family_names: self.family_names.clone(),
            refused: self.refused.clone(),
            ..*self
        })
    }

    /// Returns how often tablets were split, merged and compacted so far.
    pub(crate) fn work_done(&mut self) -> WorkCounts {
        self.handle().work_counts()
    }

    /// Does a request of a person's again.
    pub(crate) fn write_by_hand(&mut self, request: TableRequest) {
        let response = self.instance.handle(self.clock(), request.of(TABLE));
        self.edits_refused += timeline::refused(&response);
        self.edited();
    }

    /// Returns the microseconds since the first event arrived.
    pub(crate) fn clock(&self) -> Timestamp {
        self.arrival_of(self.built)
    }

    fn arrival_of(&self, index: u32) -> Timestamp {
        (f64::from(index) / self.events_per_second * 1e6) as Timestamp
    }

    /// Before the first event, chooses the thresholds for the size of the whole load. Returns `false` while too few events are
    /// loaded to estimate it.
    fn choose_scale(&mut self, mapping: &EventMapping, supply: Supply) -> bool {
        self.scaled_for = supply.total;
        let (None, Some(total)) = (supply.cluster.tablet_bytes_max, supply.total) else { return true };
        let sample = total.min(scale::SAMPLE_EVENTS);
        if (supply.events.len() as u32) < sample {
            return false;
        }
        // Rows share much, and more of it the more rows there are. The bytes that the second half of the sample adds are
        // typical of all later events.
        let bytes = [sample / 2, sample].map(|count| Self::stored_bytes(mapping, supply, count));
        let added = bytes[1].saturating_sub(bytes[0]) * u64::from(total) / u64::from((sample - sample / 2).max(1));
        self.rescale(supply.cluster, scale::tablet_bytes_max(added));
        true
    }

    /// Returns the bytes of the first events in an SSTable.
    fn stored_bytes(mapping: &EventMapping, supply: Supply, count: u32) -> u64 {
        let cluster = ClusterSettings { tablet_bytes_max: Some(u64::MAX), ..supply.cluster.clone() };
        let mut table = EventTable::new(&cluster, 0);
        // Refusals are reported when the event is written to the table itself.
        supply.events.for_each(0..count, |index, record| _ = table.write(mapping, record, index));
        // With this threshold any memtable is full, and is written.
        let settings = TableSettings { memtable_bytes_max: 1, ..scale::settings(&cluster, u64::MAX) };
        own(table.handle().update_settings(settings));
        while table.maintain() {}
        table.view().tablets.iter().map(|tablet| tablet.bytes).sum()
    }

    fn rescale(&mut self, cluster: &ClusterSettings, tablet_bytes_max: u64) {
        if tablet_bytes_max != self.tablet_bytes_max {
            self.tablet_bytes_max = tablet_bytes_max;
            let settings = scale::settings(cluster, tablet_bytes_max);
            own(self.handle().update_settings(settings));
        }
    }

    /// Writes the events up to `end`.
    fn build(&mut self, mapping: &EventMapping, supply: Supply, end: u32, timeline: &mut Timeline) {
        // A load of unknown length outgrows its thresholds, so they are raised.
        let grows = supply.cluster.tablet_bytes_max.is_none() && supply.total.is_none();
        supply.events.for_each(self.built..end, |index, record| {
            if let Err(error) = self.write(mapping, record, index) {
                self.refused.add(mapping.writer.template(), record, error);
            }
            self.built = index + 1;
            if self.built.is_multiple_of(MAINTENANCE_EVERY) {
                if grows {
                    self.rescale(supply.cluster, scale::tablet_bytes_max(self.bytes).max(self.tablet_bytes_max));
                }
                self.maintain();
                timeline.pass(self);
            }
            if timeline.is_write_due(self) {
                timeline.write(self);
            }
        });
        self.compaction = FinalCompaction::Due;
    }

    /// Returns the row of an event, and creates the families that it needs.
    pub(crate) fn row(&mut self, mapping: &EventMapping, record: &Record, index: u64) -> Result<RowMutation> {
        let row = mapping.writer.write(record, index)?;
        let mut before = "";
        for family in row.mutations.iter().filter_map(Mutation::family) {
            // Cells of one family usually follow each other.
            if family != before && !self.families.contains(family) {
                self.create_family(family, &mapping.families)?;
            }
            before = family;
        }
        Ok(row)
    }

    fn write(&mut self, mapping: &EventMapping, record: &Record, index: u32) -> Result<()> {
        let row = self.row(mapping, record, index.into())?;
        self.bytes += written_bytes(&row);
        self.key_bytes_max = self.key_bytes_max.max(row.key.len());
        let now = self.clock();
        self.handle().mutate_row(now, &row)?;
        self.cells += row.mutations.len() as u64;
        self.newest = self.newest.max(mapping.writer.timestamp(record, index.into()));
        self.instance.set_gc_time(Some(self.newest));
        Ok(())
    }

    #[cold]
    fn create_family(&mut self, name: &str, rules: &[FamilyRule]) -> Result<()> {
        let rule = rules.iter().find(|rule| rule.family == name);
        let gc_rule = rule.map(|rule| rule.gc_rule.clone()).unwrap_or_default();
        let aggregate = rule.and_then(|rule| rule.aggregate);
        let family = ColumnFamily { gc_rule, aggregate, ..ColumnFamily::new(name) };
        self.handle().modify_families(&[FamilyModification::Create(family)])?;
        self.family_names.push(name.into());
        self.families.insert(name.into());
        Ok(())
    }

    /// Returns the time that GC rules take for the present; `None` for a table without events.
    pub(crate) fn gc_time(&self) -> Option<Timestamp> {
        (self.newest > Timestamp::MIN).then_some(self.newest)
    }

    /// Returns the counts of written and of stored events; `None` if the stored ones are not exact, changes other than events are
    /// among them, or some were collected.
    fn counts(&mut self, mapping: &EventMapping) -> Option<WriteCounts> {
        let tablets = self.view().tablets;
        let is_exact = self.edits == 0 && mapping.families.is_empty() && tablets.iter().all(|tablet| tablet.exact);
        is_exact.then(|| WriteCounts {
            events: (self.built - self.refused.events).into(),
            cells: self.cells,
            rows_stored: tablets.iter().map(|tablet| tablet.rows).sum(),
            cells_stored: tablets.iter().map(|tablet| tablet.cells).sum(),
        })
    }

    /// Updates the families after a request that may have changed them.
    pub(crate) fn edited(&mut self) {
        self.edits += 1;
        self.compaction = FinalCompaction::Due;
        self.family_names = self.handle().describe().families.into_iter().map(|family| family.name).collect();
        self.families = self.family_names.iter().cloned().collect();
    }

    /// Compacts and splits for one budget. Returns whether more work is due.
    fn maintain(&mut self) -> bool {
        self.advance(self.clock(), MAINTENANCE_BUDGET)
    }

    /// Compacts and splits at the time `now`, up to about `budget`. Returns whether more work is due.
    pub(crate) fn advance(&mut self, now: Timestamp, budget: Budget) -> bool {
        self.instance.advance(now, budget)
    }

    /// Returns the table's tablets and counts.
    pub(crate) fn view(&mut self) -> TableView {
        let now = self.clock();
        self.handle().view(now)
    }

    pub(crate) fn handle(&mut self) -> TableHandle<'_> {
        own(self.instance.table(TABLE))
    }
}

/// Unwraps an outcome that cannot be an error: the table belongs to this design, and its settings are in bounds.
fn own<T>(outcome: Result<T>) -> T {
    outcome.unwrap_or_else(|error| panic!("the engine refuses a request to a design's own table: {error}"))
}

/// Returns the estimated bytes that a row adds to its table. The engine stores the name of a column once for many cells.
fn written_bytes(row: &RowMutation) -> u64 {
    let cells = row.mutations.iter().map(|mutation| match mutation {
        Mutation::SetCell { value, .. } => value.len() + CELL_BYTES,
        Mutation::AddToCell { .. } => NUMBER_BYTES + CELL_BYTES,
        _ => 0,
    });
    (row.key.len() + cells.sum::<usize>()) as u64
}

#[cfg(test)]
mod tests;
