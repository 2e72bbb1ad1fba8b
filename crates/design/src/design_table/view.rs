//! Views of a design for the page, cheap enough to be taken many times a second.

use tabletop_keys::{KeyView, Record};
use tabletop_model::{ReadRows, RowFilter, RowRange, RowSet, TableView};
use tabletop_protocol::DesignView;

use super::DesignTable;
use crate::pictures::middle_key;
use crate::supply::Supply;

/// Number of keys in each of the three lists.
const KEYS: u64 = 6;

/// One end of a set of rows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    First,
    Last,
}

impl DesignTable {
    /// Returns the current state of the design.
    pub fn view(&mut self, supply: Supply) -> DesignView {
        let building = self.is_behind(supply);
        let middle =
            self.mapping.as_ref().and_then(|mapping| middle_key(mapping, supply, self.table.built()));
        let from_middle = RowRange {
            start: middle.map_or(std::ops::Bound::Unbounded, std::ops::Bound::Included),
            ..RowRange::ALL
        };
        let last_keys = self.keys(RowSet::all(), End::Last);
        let table = self.tablets();
        let verdict = self.verdict(supply, &table);
        DesignView {
            newest_write: 0,
            revision: self.revision,
            events_built: self.table.built(),
            events_arrived: supply.arrived,
            events_total: supply.total.unwrap_or(supply.events.len() as u32),
            playing: supply.playing,
            building,
            clock_micros: self.table.clock(),
            settling: self.is_settling(supply),
            problems: self.problems.clone(),
            warnings: self.pictures.warnings().to_vec(),
            advising: self.is_advising(supply),
            verdict,
            chips: first_record(supply, |record| self.typed.chips(self.layout(), record)),
            first_keys: self.keys(RowSet::all(), End::First),
            middle_keys: self.keys(RowSet::range(from_middle), End::First),
            last_keys,
            families: self.table.family_names().to_vec(),
            columns: self.pictures.columns().to_vec(),
            gc_time: self.table.gc_time(),
            events_refused: self.table.refused().events,
            refusal: self
                .table
                .refused()
                .reason(self.mapping.as_ref().map(|mapping| &mapping.written), self.table.built()),
            tablet_bytes_max: self.table.tablet_bytes_max(),
            table,
        }
    }

    /// Returns the table's tablets.
    pub fn tablets(&mut self) -> TableView {
        self.table.view()
    }

    /// Returns the keys at one end of a set of rows, in the engine's order.
    fn keys(&mut self, rows: RowSet, end: End) -> Vec<KeyView> {
        let first_cell = RowFilter::Chain(vec![RowFilter::CellsPerRowLimit(1), RowFilter::StripValue(true)]);
        let reversed = end == End::Last;
        let read = ReadRows {
            rows,
            filter: Some(first_cell),
            rows_limit: KEYS,
            reversed,
            unmetered: true,
            ..ReadRows::default()
        };
        let Ok(chunk) = self.read(&read) else { return Vec::new() };
        let Some(mapping) = &self.mapping else { return Vec::new() };
        let mut keys: Vec<KeyView> = chunk.rows.iter().map(|row| mapping.key_view(&row.key)).collect();
        if reversed {
            keys.reverse();
        }
        keys
    }
}

fn first_record<T>(supply: Supply, use_it: impl FnOnce(Option<&Record>) -> T) -> T {
    if supply.events.is_empty() {
        return use_it(None);
    }
    let mut values = Vec::new();
    supply.events.record(0, &mut values);
    use_it(Some(&Record { fields: supply.events.fields(), values: &values }))
}
