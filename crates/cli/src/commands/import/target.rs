//! The table that rows go into: it and its families are made when they are needed.

use std::collections::BTreeMap;

use indicatif::ProgressBar;
use tabletop_cli::table_settings;
use tabletop_model::{Aggregate, Code, ColumnFamily, FamilyModification, Request, Response, RowMutation, TableSpec};
use tabletop_schema::thousands;

use crate::commands::place::Opened;
use crate::commands::rows::RowLine;
use crate::commands::stream::Batch;
use crate::commands::{Failure, Result};

/// Where rows go.
pub(super) struct Target<'a> {
    opened: &'a Opened,
    table: &'a str,
    /// By name, those that are there.
    families: BTreeMap<String, Option<Aggregate>>,
    batch: Batch<'a>,
}

impl<'a> Target<'a> {
    /// A table, which is made without families if it is not there.
    pub(super) fn new(opened: &'a Opened, table: &'a str) -> Result<Target<'a>> {
        let families = match opened.served().handle(Request::GetTable { table: table.into() }) {
            Response::Spec(spec) => spec.families.into_iter().map(|family| (family.name, family.aggregate)).collect(),
            Response::Refused(error) if error.code == Code::NotFound => {
                let spec = TableSpec { settings: table_settings(), ..TableSpec::default() };
                opened.ask(Request::CreateTable { table: table.into(), spec })?;
                BTreeMap::new()
            }
            Response::Refused(error) => return Err(error.into()),
            _ => BTreeMap::new(),
        };
        Ok(Target { opened, table, families, batch: Batch::new(opened, table) })
    }

    /// Makes those of the families that are not there.
    pub(super) fn make_families(&mut self, families: &[ColumnFamily]) -> Result<()> {
        let mut modifications = Vec::new();
        for family in families {
            match self.families.get(&family.name) {
                None => modifications.push(FamilyModification::Create(family.clone())),
                Some(aggregate) if *aggregate == family.aggregate => {}
                Some(_) => {
                    let (name, table) = (&family.name, self.table);
                    return Err(Failure::Wrong(format!(
                        "family \"{name}\" of table \"{table}\" aggregates in another way than in the file: choose another --table"
                    )));
                }
            }
        }
        if !modifications.is_empty() {
            self.opened.ask(Request::ModifyFamilies { table: self.table.into(), modifications })?;
            self.families.extend(families.iter().map(|family| (family.name.clone(), family.aggregate)));
        }
        Ok(())
    }

    /// Makes a family that keeps all, if there is none of this name.
    pub(super) fn make_family(&mut self, name: &str) -> Result<()> {
        if self.families.contains_key(name) {
            return Ok(());
        }
        self.make_families(&[ColumnFamily::new(name)])
    }

    /// Adds a row of a file of rows.
    pub(super) fn add(&mut self, row: RowLine) -> Result<()> {
        for cell in &row.cells {
            self.make_family(&cell.family)?;
        }
        if row.cells.is_empty() {
            return Err(Failure::Wrong(format!("row \"{}\" has no cells: there is no such row", row.row)));
        }
        let families = &self.families;
        let mutation = row.into_mutation(|family| families.get(family).is_some_and(Option::is_some));
        self.batch.add(mutation)
    }

    /// Adds a row whose families are there.
    pub(super) fn add_mutation(&mut self, row: RowMutation) -> Result<()> {
        self.batch.add(row)
    }

    /// Writes what waits.
    pub(super) fn write(&mut self) -> Result<()> {
        self.batch.write()
    }

    /// Writes what waits, and says what was done.
    pub(super) fn end(mut self, bar: &ProgressBar, left_out: u64) -> Result<()> {
        self.batch.write()?;
        bar.finish_and_clear();
        let written = self.batch.written;
        let rows = if written == 1 { "row was" } else { "rows were" };
        eprintln!("{} {rows} written to table {}.", thousands(written), self.table);
        match left_out {
            0 => Ok(()),
            left_out => Err(Failure::No(format!("{} records were left out", thousands(left_out)))),
        }
    }
}
