//! The load of all events.

use super::{BATCH, Clock, Figure, figure, names};
use crate::events::Events;
use crate::histogram::Histogram;
use crate::{Layout, Result, Row, Store};

/// Writes all events in the order of time. Measures the cells per second, including compaction, and
/// the slowest writes. Creating the batches is not measured.
pub fn load<S: Store>(
    store: &mut S,
    events: &Events,
    layout: Layout,
    synced: bool,
    clock: Clock,
) -> Result<Vec<Figure>> {
    let (mut making, mut cells, mut first) = (0.0, 0, 0);
    let mut writes = Histogram::default();
    let start = (clock.now)();
    while first < events.count {
        let begun = (clock.own)();
        let end = events.count.min(first + BATCH);
        let rows: Vec<Row> = (first..end).map(|index| events.row(index, layout)).collect();
        cells += rows.iter().map(|row| row.cells.len()).sum::<usize>();
        let batch = store.batch(&rows);
        drop(rows);
        making += (clock.own)() - begun;
        let begun = (clock.now)();
        store.write(batch)?;
        writes.add((clock.now)() - begun);
        first = end;
    }
    store.settle()?;
    let seconds = (clock.now)() - start - making;
    let (load, write) =
        if synced { (names::LOAD_SYNCED, names::WRITE_SYNCED) } else { (names::LOAD, names::WRITE) };
    Ok(vec![figure(load, cells as f64 / seconds), figure(write, writes.quantile(0.999) * 1e3)])
}
