//! A table of the experiment: the first events of a set, in one design, compacted.

use tabletop_engine::{Budget, Instance};
use tabletop_keys::{Field, Layout, LayoutWriter, RowChoice, Template};
use tabletop_model::{
    Code, ColumnFamily, Error, FamilyModification, Mutation, ReadRows, Request, Result, SortedSet,
    TableSettings, TableSpec,
};
use tabletop_protocol::experiment::Compressed;
use tabletop_workload::Events;
use tabletop_workload::personalization::{EventReader, UserKeys, UserRoles, Window};
use tabletop_workspace::Design;

use crate::compress::compressed;
use crate::personalization::Scan;
use crate::tables::Tables;

/// The name of every table. Each has its own instance.
pub(super) const NAME: &str = "events";
/// Large enough that no tablet of an experiment splits: all designs are compared on a single
/// tablet.
const UNLIMITED: u64 = 1 << 40;

/// A table that is filled with the first events.
pub(super) struct ExperimentTable {
    instance: Instance,
    written_template: Template,
    /// The template of the stored keys.
    pub template: Template,
    layout: Layout,
    writer: LayoutWriter,
    families: SortedSet<String>,
    size: u32,
    written: u32,
    refused: u32,
    is_compacting: bool,
    is_complete: bool,
}

impl ExperimentTable {
    /// Prepares tables of a design.
    ///
    /// # Errors
    /// `FailedPrecondition` for a design whose tables cannot make profiles.
    pub fn prepare<'d>(
        design: &'d Design,
        fields: &'d [Field],
        roles: UserRoles,
    ) -> Result<(UserKeys, impl Fn(u32) -> ExperimentTable + 'd)> {
        let (template, problems) = Template::parse(&design.template, fields);
        if let Some(problem) = problems.first() {
            return Err(Error::new(
                Code::FailedPrecondition,
                format!("The row key has a problem: {}", problem.message),
            ));
        }
        if design.families.iter().any(|family| family.aggregate.is_some()) {
            return Err(Error::new(
                Code::FailedPrecondition,
                "Families that aggregate do not keep events: remove the aggregates.",
            ));
        }
        EventReader::new(&design.layout, fields, &tabletop_workspace::Strategy::new(vec![], vec![]))?;
        let keys = UserKeys::of(&template, &design.layout, roles)?;
        let writer = LayoutWriter::new(&design.layout, fields, &template);
        Ok((keys, move |size| ExperimentTable {
            instance: Instance::new(),
            template: writer.template().clone(),
            written_template: template.clone(),
            layout: design.layout.clone(),
            writer: writer.clone(),
            families: SortedSet::default(),
            size,
            written: 0,
            refused: 0,
            is_compacting: false,
            is_complete: false,
        }))
    }

    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Returns the number of events that were written or refused.
    pub fn written(&self) -> u32 {
        self.written
    }

    /// Returns the number of events that the design cannot write.
    pub fn refused(&self) -> u32 {
        self.refused
    }

    /// Writes the next events, or compacts the table once all are written.
    pub fn fill(&mut self, events: &Events, count: u32) -> Result<()> {
        if self.written == 0 && self.families.is_empty() {
            let settings = TableSettings {
                memtable_bytes_max: 4 << 20,
                tablet_bytes_max: UNLIMITED,
                tablet_load_max: UNLIMITED as f64,
                ..TableSettings::default()
            };
            match self.instance.create_table(0, NAME, TableSpec { settings, ..TableSpec::default() }) {
                Err(error) if error.code != Code::AlreadyExists => return Err(error),
                _ => {}
            }
        }
        if self.written < self.size {
            let end = self.size.min(self.written.saturating_add(count));
            let mut failed = None;
            events.for_each(self.written..end, |index, record| {
                match self.writer.write(record, index.into()) {
                    Ok(row) => {
                        if failed.is_none() {
                            failed = self.write(&row).err();
                        }
                    }
                    // Every design reports how many events it refuses.
                    Err(_) => self.refused += 1,
                }
            });
            self.written = end;
            self.instance.advance(0, Budget { bytes: 8 << 20 });
            return failed.map_or(Ok(()), Err);
        }
        if !core::mem::replace(&mut self.is_compacting, true) {
            // After this, all rows are in one SSTable, so a run reads blocks instead of memory.
            let mut table = self.instance.table(NAME)?;
            for tablet in table.view(0).tablets {
                table.flush(tablet.id)?;
            }
            table.compact();
        }
        self.is_complete = !self.instance.advance(0, Budget { bytes: 8 << 20 });
        Ok(())
    }

    fn write(&mut self, row: &tabletop_model::RowMutation) -> Result<()> {
        for family in row.mutations.iter().filter_map(Mutation::family) {
            if !self.families.contains(family) {
                self.instance
                    .table(NAME)?
                    .modify_families(&[FamilyModification::Create(ColumnFamily::new(family))])?;
                self.families.insert(family.into());
            }
        }
        self.instance.table(NAME)?.mutate_row(0, row)
    }

    /// Begins a scan of all events that `reader` needs, with an empty block cache.
    pub fn scan(&mut self, reader: &EventReader, window: Window) -> Result<Scan> {
        self.instance.table(NAME)?.forget_blocks();
        let plan = self.written_template.plan(&RowChoice::All, &self.layout)?;
        let filter = plan.filter(Some(&reader.filter(window)));
        let read = |rows| ReadRows { rows, filter: filter.clone(), ..ReadRows::default() };
        Ok(Scan::new(&self.template, plan.parts.into_iter().map(read).collect(), Vec::new()))
    }

    /// Calls `act` with the table.
    pub fn ask<T>(&mut self, act: impl FnOnce(&mut Tables) -> T) -> T {
        let mut ask = |request: Request| self.instance.handle(0, request);
        act(&mut Tables::new(&mut ask))
    }

    /// Returns the bytes of the table's files.
    pub fn stored_bytes(&mut self) -> Result<u64> {
        Ok(self.instance.table(NAME)?.view(0).tablets.iter().map(|tablet| tablet.bytes).sum())
    }

    /// Returns how well the cells of the first rows compress.
    pub fn compressed(&mut self) -> Result<Compressed> {
        let read = ReadRows { slice_cells_max: 50_000, ..ReadRows::default() };
        let chunk = self.ask(|tables| tables.read(NAME, read))?;
        Ok(compressed(&chunk.rows))
    }
}
