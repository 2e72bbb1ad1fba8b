//! A scan of a table in slices. If the key is salted, it consists of several reads, which are
//! merged in the order of logical keys.

use tabletop_keys::{Merge, Template};
use tabletop_model::{ReadRows, ReadStats, Result, Row, RowKeySample};

use crate::tables::Tables;

/// The minimum number of cells of a slice of one of several reads: with fewer, resuming costs more
/// than reading.
const PART_CELLS_MIN: u64 = 250;

/// The state of a scan between two slices.
pub(crate) struct Scan {
    parts: Vec<Part>,
    requests: u64,
    merge: Merge,
    samples: Vec<RowKeySample>,
}

struct Part {
    read: ReadRows,
    stats: ReadStats,
    /// Approximate offsets in the table: of the first row, of the last row that was read, and of
    /// the end.
    bytes: [u64; 3],
}

impl Scan {
    /// Creates a scan of these parts of a plan for keys of `template`. `samples` are used to
    /// estimate its progress.
    pub fn new(template: &Template, reads: Vec<ReadRows>, samples: Vec<RowKeySample>) -> Scan {
        let parts: Vec<Part> = reads
            .into_iter()
            .map(|read| {
                let ends =
                    read.rows.ranges.first().map(|first| {
                        (first.ends().0, read.rows.ranges.last().and_then(|last| last.ends().1))
                    });
                let (start, end) = ends.unwrap_or_default();
                let from = offset(&samples, &start);
                let until = end.map_or_else(
                    || samples.last().map_or(0, |last| last.offset_bytes),
                    |end| offset(&samples, &end),
                );
                Part { read, stats: ReadStats::default(), bytes: [from, from, until.max(from)] }
            })
            .collect();
        Scan { merge: Merge::new(template, parts.len(), false, 0), parts, requests: 0, samples }
    }

    /// Reads a slice of about `cells_max` cells. Returns the next rows, and whether the scan is
    /// complete.
    pub fn next(&mut self, tables: &mut Tables, table: &str, cells_max: u64) -> Result<(Vec<Row>, bool)> {
        let waiting: Vec<usize> = self.merge.waiting().collect();
        let slice = match waiting.len() as u64 {
            0 | 1 => cells_max.max(1),
            parts => (cells_max / parts).max(PART_CELLS_MIN),
        };
        for at in waiting {
            let part = &mut self.parts[at];
            let chunk = tables.read(table, ReadRows { slice_cells_max: slice, ..part.read.clone() })?;
            self.requests += 1;
            self.merge.push(at, chunk.rows, chunk.resume.is_none());
            part.bytes[1] = match &chunk.resume {
                Some(resume) => offset(&self.samples, &resume.after).clamp(part.bytes[0], part.bytes[2]),
                None => part.bytes[2],
            };
            (part.stats, part.read.resume) = (chunk.stats, chunk.resume);
        }
        Ok((self.merge.pull(), self.merge.is_complete()))
    }

    /// Returns the share of the bytes that have been read, from 0 to 1; `None` if the table is too
    /// small for an estimate.
    pub fn share(&self) -> Option<f64> {
        let sum = |of: fn(&Part) -> u64| self.parts.iter().map(of).sum::<u64>();
        let all = sum(|part| part.bytes[2] - part.bytes[0]);
        (all > 0).then(|| sum(|part| part.bytes[1] - part.bytes[0]) as f64 / all as f64)
    }

    /// Returns what all reads have looked at and returned, and the number of requests.
    pub fn stats(&self) -> (ReadStats, u64) {
        let stats = self.parts.iter().fold(ReadStats::default(), |sum, part| ReadStats {
            rows_seen: sum.rows_seen + part.stats.rows_seen,
            rows_returned: sum.rows_returned + part.stats.rows_returned,
            cells_seen: sum.cells_seen + part.stats.cells_seen,
            cells_returned: sum.cells_returned + part.stats.cells_returned,
            bytes_read: sum.bytes_read + part.stats.bytes_read,
            bytes_returned: sum.bytes_returned + part.stats.bytes_returned,
            ..sum
        });
        (stats, self.requests)
    }
}

/// Returns the approximate number of bytes before a key in its table.
fn offset(samples: &[RowKeySample], key: &[u8]) -> u64 {
    samples
        .iter()
        .take_while(|sample| !sample.key.is_empty() && sample.key.as_slice() <= key)
        .last()
        .map_or(0, |sample| sample.offset_bytes)
}
