//! The pipelines of profiles on a loaded table of events.

use tabletop_design::Tables;
use tabletop_design::personalization::{Batch, PersonalTables, Personalization};
use tabletop_keys::{Field, FieldKind, LayoutKind, Record, time};
use tabletop_model::{ReadRows, Timestamp};
use tabletop_workload::personalization::{read_profile, split_key};
use tabletop_workspace::{Design, Strategy};

use super::{PROFILES, TABLE, text};
use crate::events::{APP, Event, Events};
use crate::profiles::{Sum, now, strategies};
use crate::{Layout, Result};

/// Number of cells in a slice of the batch, as in the page. The state is written after each slice.
const SLICE_CELLS: u64 = 10_000;
/// Cells of a slice that reads profiles.
const READ_CELLS: u64 = 50_000;

/// Both pipelines. Their tables are an argument of each call.
pub struct Pipelines {
    personal: Personalization,
    fields: Vec<Field>,
    now: Timestamp,
    batch: Option<Batch>,
}

impl Pipelines {
    /// Prepares the pipelines for a table with these events in a layout.
    pub fn new(layout: Layout, events: &Events) -> Result<Self> {
        let fields = fields();
        let names = PersonalTables { events: TABLE.into(), profiles: PROFILES.into() };
        let [strategy, _] = strategies();
        let personal = Personalization::new(&design(layout), &fields, &strategy, names).map_err(text)?;
        Ok(Pipelines { personal, fields, now: now(events), batch: None })
    }

    /// Creates the table of profiles.
    pub fn create(&self, tables: &mut Tables) -> tabletop_model::Result<()> {
        self.personal.create_tables(tables)
    }

    /// Begins the batch with another strategy.
    pub fn begin(&mut self, tables: &mut Tables, strategy: &Strategy) -> tabletop_model::Result<()> {
        self.personal.set_strategy(strategy)?;
        self.batch = Some(Batch::start(tables, &self.personal, None, self.now)?);
        Ok(())
    }

    /// Does a slice of the batch. Returns whether work remains.
    pub fn step(&mut self, tables: &mut Tables) -> tabletop_model::Result<bool> {
        match &mut self.batch {
            Some(batch) => batch.step(tables, &self.personal, SLICE_CELLS),
            None => Ok(false),
        }
    }

    /// Lets an event arrive: writes the event, and then the profile of its user.
    pub fn stream(&mut self, tables: &mut Tables, event: &Event) -> tabletop_model::Result<()> {
        self.now = self.now.max(event.micros);
        let (time, facets) = (time::format(event.micros), event.facets_text());
        let values =
            [APP, event.user.as_str(), time.as_str(), event.kind, event.name, facets.as_str()].map(Some);
        let record = Record { fields: &self.fields, values: &values };
        self.personal.stream(tables, self.now, &record).map(drop)
    }

    /// Returns the checksum of all stored profiles.
    pub fn sum(&self, tables: &mut Tables) -> tabletop_model::Result<u64> {
        let mut sum = Sum::default();
        let mut read = ReadRows { slice_cells_max: READ_CELLS, ..ReadRows::default() };
        loop {
            let chunk = tables.read(PROFILES, read.clone())?;
            for row in &chunk.rows {
                // The other row is the state of the batch.
                let Ok((_, user)) = split_key(&row.key) else { continue };
                for (facet, score) in &read_profile(row).profile.scores {
                    sum.add(&format!("{user}|{facet}|{score}"));
                }
            }
            if chunk.resume.is_none() {
                return Ok(sum.value());
            }
            read.resume = chunk.resume;
        }
    }
}

/// The fields of events, with the names that give them their roles.
fn fields() -> Vec<Field> {
    [
        ("app_id", FieldKind::Text),
        ("user_token", FieldKind::Text),
        ("timestamp", FieldKind::Time),
        ("event_type", FieldKind::Text),
        ("event_name", FieldKind::Text),
        ("facets", FieldKind::Facets),
    ]
    .map(|(name, kind)| Field::new(name, kind))
    .into()
}

/// The design of the rows that [`Events::row`] makes.
fn design(layout: Layout) -> Design {
    let kind = match layout {
        Layout::Narrow => LayoutKind::Narrow,
        Layout::Wide => LayoutKind::Wide,
    };
    Design::new("events", "{app_id},{user_token},{timestamp:iso}", tabletop_keys::Layout::new(kind))
}

#[cfg(test)]
mod tests {
    use tabletop_keys::{LayoutWriter, Template};

    use super::*;

    /// The benchmark writes its own rows, so that all stores have the same ones. This test checks
    /// that the product would write the same rows.
    #[test]
    fn rows_are_those_that_the_product_writes() {
        let (events, fields) = (Events::new(1, 1_000), fields());
        for layout in [Layout::Narrow, Layout::Wide] {
            let design = design(layout);
            let (template, problems) = Template::parse(&design.template, &fields);
            assert!(problems.is_empty(), "{problems:?}");
            let writer = LayoutWriter::new(&design.layout, &fields, &template);
            for index in 0..100 {
                let (event, row) = (events.event(index), events.row(index, layout));
                let (time, facets) = (time::format(event.micros), event.facets_text());
                let values =
                    [APP, event.user.as_str(), time.as_str(), event.kind, event.name, facets.as_str()]
                        .map(Some);
                let written = writer
                    .write(&Record { fields: &fields, values: &values }, 0)
                    .expect("an event has all fields");
                assert_eq!(written.key.as_slice(), row.key);
                assert_eq!(written.mutations.len(), row.cells.len(), "{layout:?}");
            }
        }
    }
}
