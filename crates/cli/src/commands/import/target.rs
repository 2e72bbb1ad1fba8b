//! The table of an import. The table and its families are created when they are first needed.

use std::collections::BTreeMap;

use indicatif::ProgressBar;
use tabletop_model::{Aggregate, Code, ColumnFamily, FamilyModification, RowMutation, TableSpec};
use tabletop_server::table_settings;

use crate::commands::instance::OpenedInstance;
use crate::commands::rows::RowLine;
use crate::commands::stream::{Batch, Spot};
use crate::commands::style::tell;
use crate::commands::{Failure, Result, counted};

/// The table that rows are written to.
pub(super) struct Target<'a> {
    opened: &'a OpenedInstance,
    table: &'a str,
    /// Whether the table exists. It is created with its first family, so that a file which cannot
    /// be read leaves no table.
    is_made: bool,
    /// The families that exist, by name.
    families: BTreeMap<String, Option<Aggregate>>,
    batch: Batch<'a>,
}

impl<'a> Target<'a> {
    /// Opens a table, whether it exists or not.
    pub(super) fn new(opened: &'a OpenedInstance, table: &'a str, keep_going: bool) -> Result<Target<'a>> {
        let (is_made, families) = match opened.with(|instance, _| Ok(instance.table(table)?.describe())) {
            Ok(spec) => {
                (true, spec.families.into_iter().map(|family| (family.name, family.aggregate)).collect())
            }
            Err(error) if error.code == Code::NotFound => (false, BTreeMap::new()),
            Err(error) => return Err(error.into()),
        };
        Ok(Target { opened, table, is_made, families, batch: Batch::new(opened, table, keep_going) })
    }

    /// Creates the families that do not exist.
    pub(super) fn make_families(&mut self, families: &[ColumnFamily]) -> Result<()> {
        let mut modifications = Vec::new();
        for family in families {
            match self.families.get(&family.name) {
                None => modifications.push(FamilyModification::Create(family.clone())),
                Some(aggregate) if *aggregate == family.aggregate => {}
                Some(_) => {
                    let (name, table) = (&family.name, self.table);
                    return Err(Failure::Wrong(format!(
                        "family \"{name}\" of table \"{table}\" has another aggregate than in the file: choose another --table"
                    )));
                }
            }
        }
        if !self.is_made {
            let spec =
                TableSpec { families: families.to_vec(), settings: table_settings(), ..TableSpec::default() };
            self.opened.create_table(self.table, spec)?;
            self.is_made = true;
        } else if !modifications.is_empty() {
            self.opened.with(|instance, _| instance.table(self.table)?.modify_families(&modifications))?;
        }
        self.families.extend(families.iter().map(|family| (family.name.clone(), family.aggregate)));
        Ok(())
    }

    /// Creates a family that keeps all cells, if there is none of this name.
    pub(super) fn make_family(&mut self, name: &str) -> Result<()> {
        if self.families.contains_key(name) {
            return Ok(());
        }
        self.make_families(&[ColumnFamily::new(name)])
    }

    /// Adds a row of a file of rows.
    pub(super) fn add(&mut self, row: RowLine, spot: Spot) -> Result<()> {
        if row.cells.is_empty() {
            return Err(spot.named(Failure::Wrong(format!(
                "row \"{}\" has no cells: a row needs at least one",
                row.row
            ))));
        }
        for cell in &row.cells {
            self.make_family(&cell.family).map_err(|failure| spot.named(failure))?;
        }
        let families = &self.families;
        let mutation = row.into_mutation(|family| families.get(family).is_some_and(Option::is_some));
        self.batch.add(mutation, spot)
    }

    /// Adds a row whose families exist.
    pub(super) fn add_mutation(&mut self, row: RowMutation, spot: Spot) -> Result<()> {
        self.batch.add(row, spot)
    }

    /// Writes the buffered rows.
    pub(super) fn write(&mut self) -> Result<()> {
        self.batch.write()
    }

    /// Writes the buffered rows, and reports the number of written records. `what` is their name in
    /// the singular and in the plural.
    pub(super) fn end(mut self, bar: &ProgressBar, what: [&str; 2], left_out: u64) -> Result<()> {
        self.batch.write()?;
        bar.finish_and_clear();
        let [one, many] = what;
        let written = counted(self.batch.written, &format!("{one} was"), &format!("{many} were"));
        tell(format!("{written} written to table {}.", self.table));
        match left_out + self.batch.left_out {
            0 => Ok(()),
            left_out => {
                Err(Failure::No(format!("{} left out", counted(left_out, "record was", "records were"))))
            }
        }
    }
}
