//! A table of one row with many columns, which keeps the newest version.

use tabletop_workload::random::Random;

use super::{BATCH, Clock, Figure, READS_SEED, figure, names};
use crate::events::Events;
use crate::fold::Checksum;
use crate::{Cell, Change, Columns, Result, Row, Rows, Store};

/// The number of columns, each with a number of 8 bytes.
pub const CELLS: u64 = 1_000_000;
/// Coprime to [`CELLS`], so that columns are written in a different order than they are sorted.
const STRIDE: u64 = 381_966_011;
const FAMILY: &str = "e";
/// The number of reads of a column, of increments, and of reads of the first columns.
const ONES: usize = 20_000;
const FIRSTS: usize = 5_000;
const FIRST: usize = 100;

/// Measures the load of the row, and reads and increments in it.
pub fn wide_row<S: Store>(store: &mut S, events: &Events, clock: Clock) -> Result<Vec<Figure>> {
    let key = events.key(0);
    let mut making = 0.0;
    let start = (clock.now)();
    for first in (0..CELLS).step_by(BATCH as usize) {
        let begun = (clock.own)();
        let column =
            |index| Cell { family: FAMILY, qualifier: name(index * STRIDE % CELLS), value: number(index) };
        let mut cells: Vec<Cell> = (first..CELLS.min(first + BATCH)).map(column).collect();
        cells.sort_by(|a, b| a.qualifier.cmp(&b.qualifier));
        let batch = store.batch(&[Row { key: key.clone(), time: 0, cells, change: Change::Put }]);
        making += (clock.own)() - begun;
        store.write(batch)?;
    }
    store.settle()?;
    let seconds = (clock.now)() - start - making;
    let mut figures = vec![figure(names::CELLS, CELLS as f64 / seconds)];

    let mut random = Random::new(READS_SEED);
    let columns: Vec<Vec<u8>> = (0..ONES).map(|_| name(random.below(CELLS))).collect();
    let mut measure = |work: &str, count: usize, act: &mut dyn FnMut(usize) -> Result<u64>| {
        let start = (clock.now)();
        let mut checksum = 0u64;
        for index in 0..count {
            checksum = checksum.rotate_left(5) ^ act(index)?;
        }
        figures.push(Figure { work: work.into(), value: count as f64 / ((clock.now)() - start), checksum });
        Ok::<(), String>(())
    };
    let read = |store: &mut S, columns, wanted| {
        let mut cells = Checksum::default();
        store.read(Rows::One(&key), columns, &mut cells)?;
        if cells.cells == wanted {
            Ok(cells.sum)
        } else {
            Err(format!("{} cells were read, not {wanted}", cells.cells))
        }
    };
    measure(names::CELLS_ONE, ONES, &mut |index| read(store, Columns::One(FAMILY, &columns[index]), 1))?;
    measure(names::CELLS_FIRST, FIRSTS, &mut |_| read(store, Columns::First(FIRST), FIRST as u64))?;
    measure(names::CELLS_ADD, ONES, &mut |index| store.increment(&key, FAMILY, &columns[index]))?;
    Ok(figures)
}

/// Returns the qualifier of a column.
fn name(column: u64) -> Vec<u8> {
    format!("c{column:07}").into()
}

fn number(number: u64) -> Vec<u8> {
    number.to_be_bytes().into()
}
