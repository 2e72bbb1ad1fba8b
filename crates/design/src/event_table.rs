//! A table that is filled with events, and has a clock of its own.
//!
//! Event i arrives at i / pace seconds of the table's clock, however fast the events are really
//! written. So the same events result in the same table and the same load, whether they arrive one
//! by one or all at once: compaction and splits happen at a count of events, never at a time of the
//! host.

mod refused;

use tabletop_advice::WriteCounts;
use tabletop_engine::{Budget, Instance, TableHandle};
use tabletop_keys::{FamilyRule, Record};
use tabletop_model::{
    ColumnFamily, FamilyModification, Mutation, ReadRows, Response, Result, RowMutation, RowsChunk,
    SortedSet, TableRequest, TableSettings, TableSpec, TableView, Timestamp,
};
use tabletop_workspace::ClusterSettings;

use crate::event_mapping::EventMapping;
use crate::scale;
use crate::supply::Supply;
use refused::Refused;

/// Name of the only table in a design's instance.
const TABLE: &str = "events";
/// Number of events after which the table may compact and split. It is counted in events, so the
/// size of a slice does not matter.
const MAINTENANCE_EVERY: u32 = 32;
/// The budget of each maintenance, about a millisecond of work: enough to keep up with writing
/// everything about ten times.
const MAINTENANCE_BUDGET: Budget = Budget { bytes: 128 << 10 };

/// Bytes of a cell in addition to its value, approximately.
const CELL_BYTES: usize = 12;

/// Bytes of an aggregated number.
const NUMBER_BYTES: usize = 8;

/// Numbers of splits, merges and compactions so far.
pub(crate) type WorkCounts = [u64; 3];

/// The compaction of all SSTables after the last event. It is requested only once: under GC rules,
/// each request would rewrite them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FinalCompaction {
    Due,
    Requested,
    Done,
}

/// A table that is filled event by event.
pub(crate) struct EventTable {
    instance: Instance,
    families: SortedSet<String>,
    /// Whether the user has requested a flush or a compaction, so work may be due between two
    /// events.
    has_request: bool,
    /// Names of the families, in the order in which they were created.
    family_names: Vec<String>,
    /// Events that are in the table, or were refused.
    built: u32,
    /// Bytes of keys and cells written so far.
    bytes: u64,
    /// Bytes of the longest key written so far.
    key_bytes_max: usize,
    /// Cells of events written so far.
    cells: u64,
    tablet_bytes_max: u64,
    compaction: FinalCompaction,
    events_per_second: f64,
    refused: Refused,
    /// The revision of the design at which this table was begun.
    begun: u64,
    /// The time of the newest event that was written: GC rules use it as the current time.
    newest: Timestamp,
    /// Number of changes that do not come from events.
    edits: u64,
    /// Number of replayed manual writes that the table has refused.
    edits_refused: u32,
    /// The number of all events, as known before the first event was written.
    scaled_for: Option<u32>,
    /// Built from events and replayed manual writes only, without reads or requests of the user.
    is_straight: bool,
}

impl EventTable {
    pub(crate) fn new(cluster: &ClusterSettings, begun: u64) -> EventTable {
        let tablet_bytes_max = cluster.tablet_bytes_max.unwrap_or_else(|| scale::tablet_bytes_max(0));
        let mut instance = Instance::new();
        // The tablets on the screen must depend on the events, not on when the user looks at them.
        // So garbage is collected only by compactions that are due for another reason, and by the
        // final one.
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

    /// Returns the number of events that are in the table, or were refused.
    pub(crate) fn built(&self) -> u32 {
        self.built
    }

    /// Returns the number of changes that do not come from events.
    pub(crate) fn edits(&self) -> u64 {
        self.edits
    }

    /// Returns how many replayed manual writes the table has refused.
    pub(crate) fn edits_refused(&self) -> u32 {
        self.edits_refused
    }

    /// Returns the bytes of keys and cells written so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the bytes of the longest key written so far.
    pub(crate) fn key_bytes_max(&self) -> usize {
        self.key_bytes_max
    }

    /// Returns the revision of the design at which this table was begun.
    pub(crate) fn begun(&self) -> u64 {
        self.begun
    }

    /// Notes the revision of the design at which this table takes the place of another one.
    pub(crate) fn begin(&mut self, revision: u64) {
        self.begun = revision;
    }

    /// Returns what identifies the content of the table: its first revision, and its numbers of
    /// events and edits.
    pub(crate) fn content(&self) -> (u64, u32, u64) {
        (self.begun, self.built, self.edits)
    }

    /// Returns the number of all events, as known before the first event was written.
    pub(crate) fn scaled_for(&self) -> Option<u32> {
        self.scaled_for
    }

    /// Returns whether the table was built from events and replayed manual writes only.
    pub(crate) fn is_straight(&self) -> bool {
        self.is_straight
    }

    /// Returns the events that were refused.
    pub(crate) fn refused(&self) -> &Refused {
        &self.refused
    }

    /// Returns the names of the families, in the order in which they were created.
    pub(crate) fn family_names(&self) -> &[String] {
        &self.family_names
    }

    /// Returns the size above which a tablet is split.
    pub(crate) fn tablet_bytes_max(&self) -> u64 {
        self.tablet_bytes_max
    }

    /// Returns an independent copy; `None` while the table is being compacted.
    pub(crate) fn fork(&self) -> Option<EventTable> {
        Some(EventTable {
            instance: self.instance.fork()?,
            families: self.families.clone(),
            family_names: self.family_names.clone(),
            refused: self.refused.clone(),
            ..*self
        })
    }

    /// Returns the numbers of splits, merges and compactions so far.
    pub(crate) fn work_done(&mut self) -> WorkCounts {
        self.handle().work_counts()
    }

    /// Replays a manual write.
    pub(crate) fn write_by_hand(&mut self, request: TableRequest) {
        let response = self.instance.handle(self.clock(), request.of(TABLE));
        self.edits_refused += refused(&response);
        self.edited();
    }

    /// Returns the microseconds since the first event arrived.
    pub(crate) fn clock(&self) -> Timestamp {
        self.arrival_of(self.built)
    }

    fn arrival_of(&self, index: u32) -> Timestamp {
        (f64::from(index) / self.events_per_second * 1e6) as Timestamp
    }

    /// Chooses the split threshold for the size of the whole load, before the first event is
    /// written. Returns `false` while too few events are loaded to estimate that size.
    pub(crate) fn choose_scale(&mut self, mapping: &EventMapping, supply: Supply) -> bool {
        self.scaled_for = supply.total;
        let (None, Some(total)) = (supply.cluster.tablet_bytes_max, supply.total) else { return true };
        let sample = total.min(scale::SAMPLE_EVENTS);
        if (supply.events.len() as u32) < sample {
            return false;
        }
        // Rows share much of their content, and the more rows there are, the more they share. So
        // the bytes that the second half of the sample adds are a better estimate for all later
        // events than the bytes of the first half. Example: the first 128 events take 10 kB and all
        // 256 take 16 kB. Each further 128 events count as 6 kB.
        let bytes = [sample / 2, sample].map(|count| Self::stored_bytes(mapping, supply, count));
        let added =
            bytes[1].saturating_sub(bytes[0]) * u64::from(total) / u64::from((sample - sample / 2).max(1));
        self.rescale(supply.cluster, scale::tablet_bytes_max(added));
        true
    }

    /// Returns the bytes that the first `count` events take in an SSTable.
    fn stored_bytes(mapping: &EventMapping, supply: Supply, count: u32) -> u64 {
        let cluster = ClusterSettings { tablet_bytes_max: Some(u64::MAX), ..supply.cluster.clone() };
        let mut table = EventTable::new(&cluster, 0);
        // Refusals are reported when the event is written to the table itself.
        supply.events.for_each(0..count, |index, record| _ = table.write(mapping, record, index));
        // With this threshold any memtable is full, so the maintenance writes it out.
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

    /// Writes the events up to `end`. Calls `written` after each event and the maintenance that was
    /// due after it.
    pub(crate) fn build(
        &mut self,
        mapping: &EventMapping,
        supply: Supply,
        end: u32,
        mut written: impl FnMut(&mut EventTable),
    ) {
        // Without a known total, the load outgrows the thresholds, so they are raised as it grows.
        let grows = supply.is_scaled() && supply.total.is_none();
        supply.events.for_each(self.built..end, |index, record| {
            if let Err(error) = self.write(mapping, record, index) {
                self.refused.add(mapping.writer.template(), record, error);
            }
            self.built = index + 1;
            if self.is_maintained() {
                if grows {
                    self.rescale(
                        supply.cluster,
                        scale::tablet_bytes_max(self.bytes).max(self.tablet_bytes_max),
                    );
                }
                self.maintain();
            }
            written(self);
        });
        self.compaction = FinalCompaction::Due;
    }

    /// Returns the row of an event, and creates the families that it needs.
    pub(crate) fn row(&mut self, mapping: &EventMapping, record: &Record, index: u64) -> Result<RowMutation> {
        let row = mapping.writer.write(record, index)?;
        let mut before = "";
        for family in row.mutations.iter().filter_map(Mutation::family) {
            // Consecutive cells usually have the same family, so most look-ups are skipped.
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

    /// Returns the time that GC rules use as the current time; `None` for a table without events.
    pub(crate) fn gc_time(&self) -> Option<Timestamp> {
        (self.newest > Timestamp::MIN).then_some(self.newest)
    }

    /// Returns the counts of written and of stored events. `None` if the stored ones are not known
    /// exactly, if the table has changes other than events, or if GC has removed some.
    pub(crate) fn counts(&mut self, mapping: &EventMapping) -> Option<WriteCounts> {
        let tablets = self.view().tablets;
        let is_exact =
            self.edits == 0 && mapping.families.is_empty() && tablets.iter().all(|tablet| tablet.exact);
        is_exact.then(|| WriteCounts {
            events: (self.built - self.refused.events).into(),
            cells: self.cells,
            rows_stored: tablets.iter().map(|tablet| tablet.rows).sum(),
            cells_stored: tablets.iter().map(|tablet| tablet.cells).sum(),
        })
    }

    /// Answers a user's request. From then on, more than events has shaped the table.
    pub(crate) fn ask(&mut self, request: TableRequest) -> Response {
        let compacts = matches!(
            request,
            TableRequest::Flush(_) | TableRequest::CompactTablet(_) | TableRequest::Compact
        );
        self.has_request |= compacts;
        self.is_straight = false;
        self.instance.handle(self.clock(), request.of(TABLE))
    }

    /// Answers a slice of a read at the table's time. A metered read may shape the tablets.
    pub(crate) fn read(&mut self, read: &ReadRows) -> Result<RowsChunk> {
        self.is_straight &= read.unmetered;
        let now = self.clock();
        self.handle().read(now, read)
    }

    /// Updates the families after a request that may have changed them.
    pub(crate) fn edited(&mut self) {
        self.edits += 1;
        self.compaction = FinalCompaction::Due;
        self.family_names = self.handle().describe().families.into_iter().map(|family| family.name).collect();
        self.families = self.family_names.iter().cloned().collect();
    }

    /// Returns whether maintenance is due, or was just done, after the current number of events.
    pub(crate) fn is_maintained(&self) -> bool {
        self.built.is_multiple_of(MAINTENANCE_EVERY)
    }

    /// Returns whether the user has requested a flush or a compaction that is not complete.
    pub(crate) fn has_request(&self) -> bool {
        self.has_request
    }

    /// Does a slice of the flush or compaction that the user has requested.
    pub(crate) fn do_request(&mut self) {
        self.has_request = self.maintain();
    }

    /// Returns whether all `total` events are in the table and the final compaction is not
    /// complete.
    pub(crate) fn is_unsettled(&self, total: Option<u32>) -> bool {
        total == Some(self.built) && self.built > 0 && self.compaction != FinalCompaction::Done
    }

    /// Does a slice of the final compaction. Returns whether it is complete.
    pub(crate) fn settle(&mut self) -> bool {
        // A row in several SSTables would count several times. Since no events follow, the SSTables
        // are merged.
        if self.compaction == FinalCompaction::Due {
            self.handle().compact();
            self.compaction = FinalCompaction::Requested;
        }
        let is_done = !self.maintain();
        if is_done {
            self.compaction = FinalCompaction::Done;
        }
        is_done
    }

    /// Compacts and splits with one budget. Returns whether more work is due.
    fn maintain(&mut self) -> bool {
        self.advance(self.clock(), MAINTENANCE_BUDGET)
    }

    /// Compacts and splits at the time `now`, up to about `budget`. Returns whether more work is
    /// due.
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

/// Unwraps a result that cannot be an error: the table belongs to this design, and its settings are
/// within bounds.
fn own<T>(outcome: Result<T>) -> T {
    outcome.unwrap_or_else(|error| panic!("the engine refuses a request to a design's own table: {error}"))
}

/// Returns an estimate of the bytes that a row adds to its table. The engine stores the name of a
/// column once for many cells.
fn written_bytes(row: &RowMutation) -> u64 {
    let cells = row.mutations.iter().map(|mutation| match mutation {
        Mutation::SetCell { value, .. } => value.len() + CELL_BYTES,
        Mutation::AddToCell { .. } => NUMBER_BYTES + CELL_BYTES,
        _ => 0,
    });
    (row.key.len() + cells.sum::<usize>()) as u64
}

/// Returns how many entries of a request the table has refused.
fn refused(response: &Response) -> u32 {
    match response {
        Response::Refused(_) => 1,
        Response::Mutated(errors) => errors.iter().flatten().count() as u32,
        _ => 0,
    }
}
