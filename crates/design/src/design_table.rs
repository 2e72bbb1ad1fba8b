//! One design at work: a table of its own, on a clock of its own, that fills with the events that have arrived.
//!
//! Event i arrives at i / pace seconds of the design's clock, however fast it is really written: the same events give the same
//! table and the same load, live or all at once. So everything that shapes the table happens at a count of events, never at a
//! moment of the host.

use tabletop_engine::{Budget, Instance, MemoryStorage, Storage, TableHandle};
use tabletop_model::{
    Code, ColumnFamily, Error, ExportPiece, ExportResume, FamilyModification, Mutation, Problem, ReadRows, Response, Result,
    RowMutation, RowsChunk, SortedSet, TableRequest, TableSettings, TableSpec, TableView, Timestamp,
};
use tabletop_schema::{ClusterSettings, Design, Field, Layout, LayoutWriter, Record, Template};
use tabletop_workload::Events;

use crate::picture::Pictures;
use crate::scale;

/// The one table of a design's instance.
const TABLE: &str = "events";
/// After so many events the table may compact and split. A number of events, so that slices of time change nothing.
const CHORES_EVERY: u32 = 32;
/// What it may compact then, a millisecond's work: enough to keep up with writing everything about ten times.
const CHORES: Budget = Budget { bytes: 128 << 10 };

/// Of a cell beside its value, about.
const CELL_BYTES: usize = 12;

/// One design, its table and what is known of both.
pub struct DesignTable<S = MemoryStorage> {
    /// Names the design, whatever its place among the designs.
    pub id: u32,
    design: Design,
    /// As typed, with its problems.
    pub(crate) typed: Template,
    pub(crate) problems: Vec<Problem>,
    /// The last template without problems; nothing is built before there was one.
    pub(crate) form: Option<Form>,
    pub(crate) table: EventTable<S>,
    /// Goes up with every change.
    pub(crate) revision: u64,
    pub(crate) pictures: Pictures,
    /// While the table is taken out piece by piece: which one it is, its events, and its edits.
    exported: Option<(u64, u32, u64)>,
}

/// How events become rows.
pub(crate) struct Form {
    pub(crate) writer: LayoutWriter,
    /// As it was written: the writer's template may leave out what its layout stores elsewhere.
    pub(crate) written: Template,
    /// Of each part of the writer's template its index in the one as it was written.
    pub(crate) parts: Vec<usize>,
    pub(crate) layout: Layout,
}

/// A table that is filled, event by event.
pub(crate) struct EventTable<S> {
    instance: Instance<S>,
    families: SortedSet<String>,
    /// The same, in the order of their creation.
    pub(crate) family_names: Vec<String>,
    /// Events that are in it, or were refused.
    pub(crate) built: u32,
    /// By keys and cells as they were written.
    bytes: u64,
    /// Of the longest key that was written.
    key_bytes_max: usize,
    pub(crate) tablet_bytes_max: u64,
    /// All is built and compacted.
    settled: bool,
    events_per_second: f64,
    pub(crate) refused: u32,
    pub(crate) refusal: Option<Error>,
    /// The revision of the design that this table was begun for.
    pub(crate) begun: u64,
    /// Changes that are of no event.
    edits: u64,
}

/// What a design is built from.
#[derive(Clone, Copy)]
pub struct Supply<'a> {
    /// Those that are loaded.
    pub events: &'a Events,
    /// How many of them have arrived.
    pub arrived: u32,
    /// How many there will be, when that is known.
    pub total: Option<u32>,
    /// Thresholds and pace.
    pub cluster: &'a ClusterSettings,
}

impl<S: Storage + Default> DesignTable<S> {
    /// A design whose table is still to be built.
    pub fn new(id: u32, design: &Design, fields: &[Field], cluster: &ClusterSettings) -> DesignTable<S> {
        let (typed, problems) = Template::parse(&design.template, fields);
        // None that an earlier design in the same place had: the page would take the tables for one.
        let revision = (u64::from(id) << 32) + 1;
        let mut design_table = DesignTable {
            id,
            design: design.clone(),
            typed,
            problems,
            form: None,
            table: EventTable::new(cluster, revision),
            revision,
            pictures: Pictures::default(),
            exported: None,
        };
        design_table.reform(fields);
        design_table
    }

    /// Takes a changed design over. A table that would be the same stays.
    pub fn redesign(&mut self, design: &Design, fields: &[Field], cluster: &ClusterSettings) {
        self.design.clone_from(design);
        (self.typed, self.problems) = Template::parse(&design.template, fields);
        self.revision += 1;
        if self.reform(fields) {
            self.begin_again(cluster);
        }
    }

    /// Takes over what the events' fields have become. Fields that came behind the others leave the table as it is.
    pub fn refit(&mut self, fields: &[Field], cluster: &ClusterSettings) {
        if self.typed.fields() == fields {
            return;
        }
        let grown = fields.starts_with(self.typed.fields());
        (self.typed, self.problems) = Template::parse(&self.design.template, fields);
        self.revision += 1;
        let written = self.form.take().map(|form| form.written);
        let reformed = self.reform(fields);
        if !(grown && self.table.built > 0 && reformed && self.form.as_ref().map(|form| &form.written) == written.as_ref()) {
            self.begin_again(cluster);
        }
    }

    /// Builds the table again from the first event.
    pub fn begin_again(&mut self, cluster: &ClusterSettings) {
        self.revision += 1;
        self.table = EventTable::new(cluster, self.revision);
    }

    /// Whether events that have arrived are not in the table yet.
    pub fn is_behind(&self, supply: Supply) -> bool {
        self.form.is_some() && self.table.built < supply.arrived
    }

    /// Whether a table can be built, and nothing is in it yet.
    pub fn is_unbuilt(&self) -> bool {
        self.form.is_some() && self.table.built == 0
    }

    /// Events that are in the table, or were refused.
    pub fn events_built(&self) -> u32 {
        self.table.built
    }

    /// Bytes of the longest row key that was written.
    pub fn key_bytes_max(&self) -> u64 {
        self.table.key_bytes_max as u64
    }

    /// Whether all events are in the table and there is something left to compact.
    pub(crate) fn is_settling(&self, supply: Supply) -> bool {
        let table = &self.table;
        supply.total == Some(table.built) && table.built > 0 && !table.settled
    }

    /// Writes at most `count` of the events that have arrived; when all are there, does what is left to compact. Returns whether
    /// it did anything.
    pub fn step(&mut self, supply: Supply, count: u32) -> bool {
        let Some(form) = &self.form else { return false };
        if self.pictures.look(self.revision, form, supply) {
            return true;
        }
        let table = &mut self.table;
        if table.built < supply.arrived {
            if table.built == 0 && !table.choose_scale(form, supply) {
                return false;
            }
            let end = supply.arrived.min(table.built.saturating_add(count));
            table.build(form, supply, end);
            return true;
        }
        if self.is_settling(supply) {
            let table = &mut self.table;
            // Rows that lie in several SSTables count several times: no more is to come, so they are brought together.
            table.handle().compact();
            table.settled = !table.chores();
            return true;
        }
        false
    }

    /// As the design has it.
    pub(crate) fn layout(&self) -> &Layout {
        &self.design.layout
    }

    /// The families, splits and thresholds of the table, as they are now.
    pub fn describe(&mut self) -> TableSpec {
        self.table.handle().describe()
    }

    /// Changes the thresholds of the table.
    ///
    /// # Errors
    /// `InvalidArgument` for thresholds that make no sense.
    pub fn update_settings(&mut self, settings: TableSettings) -> Result<()> {
        self.table.handle().update_settings(settings)
    }

    /// Answers a slice of a read of the table, at the design's time.
    ///
    /// # Errors
    /// What the engine says against the read.
    pub fn read(&mut self, read: &ReadRows) -> Result<RowsChunk> {
        let now = self.table.clock();
        self.table.handle().read(now, read)
    }

    /// Does what a person asks of the table by its name. What they change stays until the table is built again.
    pub fn ask_for_person(&mut self, request: TableRequest) -> Response {
        let edits = request.edits();
        let response = self.table.instance.handle(self.table.clock(), request.of(TABLE));
        if edits && !matches!(response, Response::Refused(_)) {
            self.table.edited();
            self.revision += 1;
            // What is said of the events stays true.
            self.pictures.carry(self.revision - 1, self.revision);
        }
        response
    }

    /// The next piece of the table as a file. A file is of one table, and has all its events: it is taken while the table does
    /// not grow.
    ///
    /// # Errors
    /// `FailedPrecondition` when it is another one by now, or still grows.
    pub fn export(&mut self, resume: Option<ExportResume>, grows: bool) -> Result<ExportPiece> {
        let table = Some((self.table.begun, self.table.built, self.table.edits));
        let before = self.exported.take();
        let refused = |message| Err(Error::new(Code::FailedPrecondition, message));
        if resume.is_some() && before != table {
            return refused("the table has changed during the download: please download it again");
        }
        if grows {
            return refused("the table is still being built: it can be downloaded when all its events are in it");
        }
        let piece = self.table.handle().export(resume.as_ref())?;
        self.exported = table.filter(|_| piece.resume.is_some());
        Ok(piece)
    }

    /// Makes the form fit the design, if its template has no problems; else keeps the last template, in the design's layout.
    /// Returns whether the form has changed.
    fn reform(&mut self, fields: &[Field]) -> bool {
        let written = match (&self.form, self.problems.is_empty()) {
            (_, true) => self.typed.clone(),
            (Some(form), false) => form.written.clone(),
            (None, false) => return false,
        };
        let layout = &self.design.layout;
        let same_cells = |form: &Form| form.layout == *layout && form.written.fields() == fields;
        if self.form.as_ref().is_some_and(|form| same_cells(form) && form.written == written) {
            return false;
        }
        let writer = match self.form.take() {
            Some(form) if same_cells(&form) => form.writer.with_keys_of(layout, &written),
            _ => LayoutWriter::new(layout, fields, &written),
        };
        self.form = Some(Form { writer, parts: written.stored_parts(layout), layout: layout.clone(), written });
        true
    }
}

impl<S: Storage + Default> EventTable<S> {
    fn new(cluster: &ClusterSettings, begun: u64) -> EventTable<S> {
        let tablet_bytes_max = cluster.tablet_bytes_max.unwrap_or_else(|| scale::tablet_bytes_max(0));
        let mut table = EventTable {
            instance: Instance::on(S::default()),
            families: SortedSet::default(),
            family_names: Vec::new(),
            built: 0,
            bytes: 0,
            key_bytes_max: 0,
            tablet_bytes_max,
            settled: false,
            events_per_second: cluster.events_per_second,
            refused: 0,
            refusal: None,
            begun,
            edits: 0,
        };
        let spec = TableSpec { settings: scale::settings(cluster, tablet_bytes_max), ..TableSpec::default() };
        own(table.instance.create_table(0, TABLE, spec));
        table
    }

    /// Microseconds since the first event arrived.
    pub(crate) fn clock(&self) -> Timestamp {
        self.arrival_of(self.built)
    }

    fn arrival_of(&self, index: u32) -> Timestamp {
        (f64::from(index) / self.events_per_second * 1e6) as Timestamp
    }

    /// Before the first event: fits the thresholds to what the whole load will come to. Returns false while too little of it is
    /// there to tell.
    fn choose_scale(&mut self, form: &Form, supply: Supply) -> bool {
        let (None, Some(total)) = (supply.cluster.tablet_bytes_max, supply.total) else { return true };
        let sample = total.min(scale::SAMPLE_EVENTS);
        if (supply.events.len() as u32) < sample {
            return false;
        }
        // Rows share much, and the more of them the more: what the later half of the sample adds stands for all that follows.
        let bytes = [sample / 2, sample].map(|count| Self::stored_bytes(form, supply, count));
        let added = bytes[1].saturating_sub(bytes[0]) * u64::from(total) / u64::from((sample - sample / 2).max(1));
        self.rescale(supply.cluster, scale::tablet_bytes_max(added));
        true
    }

    /// What the first events take in an SSTable.
    fn stored_bytes(form: &Form, supply: Supply, count: u32) -> u64 {
        let cluster = ClusterSettings { tablet_bytes_max: Some(u64::MAX), ..supply.cluster.clone() };
        let mut table = EventTable::<S>::new(&cluster, 0);
        // What is refused is told when it is written to the table itself.
        supply.events.for_each(0..count, |index, record| _ = table.write(form, record, index));
        // Any memtable is full then, and is written.
        let settings = TableSettings { memtable_bytes_max: 1, ..scale::settings(&cluster, u64::MAX) };
        own(table.handle().update_settings(settings));
        while table.chores() {}
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
    fn build(&mut self, form: &Form, supply: Supply, end: u32) {
        // A load of unknown length outgrows its thresholds: they follow.
        let grows = supply.cluster.tablet_bytes_max.is_none() && supply.total.is_none();
        supply.events.for_each(self.built..end, |index, record| {
            if let Err(error) = self.write(form, record, index) {
                self.refused += 1;
                self.refusal.get_or_insert(error);
            }
            self.built = index + 1;
            if self.built.is_multiple_of(CHORES_EVERY) {
                if grows {
                    self.rescale(supply.cluster, scale::tablet_bytes_max(self.bytes).max(self.tablet_bytes_max));
                }
                self.chores();
            }
        });
        self.settled = false;
    }

    fn write(&mut self, form: &Form, record: &Record, index: u32) -> Result<()> {
        let row = form.writer.write(record, index.into())?;
        let family = form.writer.family_of(record);
        if !self.families.contains(&*family) {
            let modifications = [FamilyModification::Create(ColumnFamily::new(family.clone()))];
            self.handle().modify_families(&modifications)?;
            self.family_names.push(family.clone().into_owned());
            self.families.insert(family.into_owned());
        }
        self.bytes += written_bytes(&row);
        self.key_bytes_max = self.key_bytes_max.max(row.key.len());
        let now = self.clock();
        self.handle().mutate_row(now, &row)
    }

    /// Follows a change that is of no event: families may have come and gone.
    fn edited(&mut self) {
        self.edits += 1;
        self.settled = false;
        self.family_names = self.handle().describe().families.into_iter().map(|family| family.name).collect();
        self.families = self.family_names.iter().cloned().collect();
    }

    /// Compacts and splits for one budget; returns whether more is to do.
    fn chores(&mut self) -> bool {
        self.instance.advance(self.clock(), CHORES)
    }

    /// The table's tablets and counts.
    pub(crate) fn view(&mut self) -> TableView {
        let now = self.clock();
        self.handle().view(now)
    }

    pub(crate) fn handle(&mut self) -> TableHandle<'_, S> {
        own(self.instance.table(TABLE))
    }
}

/// The outcome of what cannot be refused: the table is this one's own, and its settings are in bounds.
fn own<T>(outcome: Result<T>) -> T {
    outcome.unwrap_or_else(|error| panic!("the engine refuses a design its own table: {error}"))
}

/// About what a row adds to its table: the engine keeps the name of a column once for many cells.
fn written_bytes(row: &RowMutation) -> u64 {
    let cells = row.mutations.iter().map(|mutation| match mutation {
        Mutation::SetCell { value, .. } => value.len() + CELL_BYTES,
        _ => 0,
    });
    (row.key.len() + cells.sum::<usize>()) as u64
}
