//! A mixed load of reads, writes and deletes of single rows, in a table that keeps the newest
//! version.

use tabletop_workload::random::Random;

use super::{BATCH, Clock, Figure, READS_SEED, figure, names};
use crate::events::Events;
use crate::fold::fold;
use crate::histogram::Histogram;
use crate::{Cell, Change, Columns, Layout, Result, Row, Rows, Store, Visitor};

/// The column of all rows.
const FAMILY: &str = "click";
const QUALIFIER: &[u8] = b"product";
/// A mark of keys without a row.
const NONE: u32 = u32::MAX;

/// The rows that the load has written and not deleted.
pub struct Mixed<'a> {
    events: &'a Events,
    random: Random,
    /// The numbers of the keys with a row, in any order.
    live: Vec<u32>,
    /// For each key, its position in `live`, and the length of its value.
    places: Vec<(u32, u16)>,
    /// The number of changes so far.
    changes: u64,
}

/// One operation.
enum Operation<B> {
    Read(Vec<u8>),
    Write(B),
}

impl<'a> Mixed<'a> {
    /// Creates a load with the keys of these events.
    pub fn new(events: &'a Events) -> Self {
        let places = vec![(NONE, 0); events.count as usize];
        Mixed { events, random: Random::new(READS_SEED), live: Vec::new(), places, changes: 0 }
    }

    /// Writes every other row, in batches. It is not measured.
    pub fn fill<S: Store>(&mut self, store: &mut S) -> Result<()> {
        let numbers: Vec<u32> = (0..self.places.len() as u32).step_by(2).collect();
        for part in numbers.chunks(BATCH as usize) {
            let rows: Vec<Row> = part.iter().map(|number| self.put(*number)).collect();
            store.write(store.batch(&rows))?;
        }
        store.settle()
    }

    /// Returns the bytes of the rows: keys, columns, times and values.
    pub fn live_bytes(&self) -> u64 {
        let row = |number: &u32| {
            let key = self.events.key(u64::from(*number)).len() + FAMILY.len() + QUALIFIER.len();
            (key + size_of::<i64>() + usize::from(self.places[*number as usize].1)) as u64
        };
        self.live.iter().map(row).sum()
    }

    /// Creates the next operation. Half of the writes replace a row; the others take any key, which
    /// mostly has no row.
    fn next<S: Store>(&mut self, store: &S) -> Operation<S::Batch> {
        let kind = self.random.below(10);
        let keys = self.places.len() as u64;
        let number = match kind {
            7..9 => self.random.below(keys) as u32,
            _ => self.live[self.random.below(self.live.len() as u64) as usize],
        };
        match kind {
            0..5 => Operation::Read(self.events.key(number.into())),
            5..9 => Operation::Write(store.batch(&[self.put(number)])),
            _ => Operation::Write(store.batch(&[self.delete(number)])),
        }
    }

    fn put(&mut self, number: u32) -> Row {
        self.changes += 1;
        let value = self.events.row(self.changes % self.events.count, Layout::Narrow).cells.remove(0).value;
        let (place, length) = &mut self.places[number as usize];
        *length = value.len() as u16;
        if *place == NONE {
            *place = self.live.len() as u32;
            self.live.push(number);
        }
        self.row(number, value, Change::Put)
    }

    fn delete(&mut self, number: u32) -> Row {
        self.changes += 1;
        let place = std::mem::replace(&mut self.places[number as usize].0, NONE) as usize;
        self.live.swap_remove(place);
        if let Some(moved) = self.live.get(place) {
            self.places[*moved as usize].0 = place as u32;
        }
        self.row(number, Vec::new(), Change::Delete)
    }

    fn row(&self, number: u32, value: Vec<u8>, change: Change) -> Row {
        let cells = vec![Cell { family: FAMILY, qualifier: QUALIFIER.into(), value }];
        Row { key: self.events.key(number.into()), time: self.changes as i64 * 1_000, cells, change }
    }
}

/// Measures a number of operations, and the slowest writes. Creating the operations is not
/// measured.
pub fn mixed<S: Store>(
    store: &mut S,
    load: &mut Mixed<'_>,
    count: u64,
    synced: bool,
    clock: Clock,
) -> Result<Vec<Figure>> {
    let mut writes = Histogram::default();
    let mut values = Values::default();
    let (mut making, mut reads, mut left) = (0.0, 0, count);
    let start = (clock.now)();
    while left > 0 {
        let part = left.min(BATCH);
        left -= part;
        let begun = (clock.own)();
        let operations: Vec<_> = (0..part).map(|_| load.next(store)).collect();
        making += (clock.own)() - begun;
        for operation in operations {
            match operation {
                Operation::Read(key) => {
                    reads += 1;
                    store.read(Rows::One(&key), Columns::One(FAMILY, QUALIFIER), &mut values)?;
                }
                Operation::Write(batch) => {
                    let begun = (clock.now)();
                    store.write(batch)?;
                    writes.add((clock.now)() - begun);
                }
            }
        }
    }
    let seconds = (clock.now)() - start - making;
    if values.count != reads {
        return Err(format!("{} of {reads} rows were found", values.count));
    }
    let (all, write) = if synced {
        (names::MIXED_SYNCED, names::MIXED_WRITE_SYNCED)
    } else {
        (names::MIXED, names::MIXED_WRITE)
    };
    let all = Figure { work: all.into(), value: count as f64 / seconds, checksum: values.sum };
    Ok(vec![all, figure(write, writes.quantile(0.999) * 1e6)])
}

/// The checksum of values. It excludes times, which differ between the stores.
#[derive(Default)]
struct Values {
    count: u64,
    sum: u64,
}

impl Visitor for Values {
    fn row(&mut self, _: &[u8]) {}

    fn cell(&mut self, _: &[u8], _: &[u8], _: i64, value: &[u8]) {
        self.count += 1;
        self.sum = self.sum.rotate_left(5) ^ fold(value);
    }
}
