//! Random rows, read by one thread and by two.

use std::thread;

use super::{Clock, Figure, figure, names, read_rows, some_keys};
use crate::events::Events;
use crate::{Result, Shared};

/// The number of rows that are read by all threads together.
const READS: usize = 100_000;
/// The number of runs with one thread and with two, in turn. The fastest runs count.
const RUNS: usize = 3;

/// Measures reads of random rows with one thread and with two. Each store is shared between threads
/// in its own way.
pub fn read_with_threads<S: Shared>(store: &S, events: &Events, clock: Clock) -> Result<Vec<Figure>> {
    let keys = some_keys(events, READS);
    let (mut one, mut two) = (0f64, 0f64);
    for _ in 0..RUNS {
        one = one.max(rows_per_second(store, &keys, 1, clock)?);
        two = two.max(rows_per_second(store, &keys, 2, clock)?);
    }
    Ok(vec![figure(names::ROW_1, one), figure(names::ROW_2, two), figure(names::THREADS, two / one)])
}

fn rows_per_second<S: Shared>(store: &S, keys: &[Vec<u8>], threads: usize, clock: Clock) -> Result<f64> {
    let stores: Vec<S> = (0..threads).map(|_| store.another()).collect::<Result<_>>()?;
    let parts = keys.chunks(keys.len().div_ceil(threads));
    let start = (clock.now)();
    thread::scope(|scope| {
        let read = |(mut store, keys): (S, _)| scope.spawn(move || read_rows(&mut store, keys));
        let running: Vec<_> = stores.into_iter().zip(parts).map(read).collect();
        running
            .into_iter()
            .try_for_each(|thread| thread.join().map_err(|_| "a thread has panicked".to_string())?.map(drop))
    })?;
    Ok(keys.len() as f64 / ((clock.now)() - start))
}
