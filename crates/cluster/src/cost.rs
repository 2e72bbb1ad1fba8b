//! The time that work takes. The counts come from the engine; the costs are calibrated with the
//! figures that Google publishes.

use tabletop_model::{ReadStats, TableWork};

use crate::Nanos;

/// The storage of a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Medium {
    /// Solid state.
    #[default]
    Ssd,
    /// Spinning disks.
    Hdd,
}

/// The work of a request, as the engine counted it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Rows that were examined.
    pub rows_seen: u64,
    /// Cells that were examined.
    pub cells_seen: u64,
    /// Bytes that were returned.
    pub bytes_returned: u64,
    /// Places of the storage from which blocks were read: one per tablet, for its first block.
    pub seeks: u64,
    /// Bytes of the blocks that were read from storage.
    pub bytes_read: u64,
    /// Blocks that were in the cache.
    pub cache_hits: u64,
    /// SSTables that a Bloom filter ruled out.
    pub bloom_skips: u64,
    /// Rows that were written.
    pub rows_written: u64,
    /// Bytes of keys, columns, times and values that were written to the commit log and to the
    /// memtable.
    pub bytes_written: u64,
    /// Bytes that flushes and compactions read and wrote at the same time.
    pub bytes_compacted: u64,
}

impl Work {
    /// Returns the work of a read.
    pub fn of_read(stats: &ReadStats) -> Work {
        Work {
            rows_seen: stats.rows_seen,
            cells_seen: stats.cells_seen,
            bytes_returned: stats.bytes_returned,
            seeks: stats.blocks_read.min(stats.tablets_touched.max(1)),
            bytes_read: stats.bytes_read,
            cache_hits: stats.cache_hits,
            bloom_skips: stats.bloom_skips,
            ..Work::default()
        }
    }

    /// Sets the bytes that were written and compacted to the difference between two counts of a
    /// table.
    pub fn charge(&mut self, before: &TableWork, after: &TableWork) {
        let compacted = |work: &TableWork| {
            work.flushed_bytes + work.compaction_bytes_read + work.compaction_bytes_written
        };
        self.bytes_written = after.user_bytes - before.user_bytes;
        self.bytes_compacted = compacted(after) - compacted(before);
    }

    /// Returns the same work without a cache, if blocks have this size.
    pub(crate) fn missed(&self, block_bytes: u64) -> Work {
        let bytes_read = self.bytes_read + self.cache_hits * block_bytes;
        let seeks = if bytes_read > 0 { self.seeks.max(1) } else { 0 };
        Work { seeks, bytes_read, cache_hits: 0, ..*self }
    }

    /// Returns the same work with all blocks, of this size, in the cache.
    pub(crate) fn found(&self, block_bytes: u64) -> Work {
        let cache_hits = self.cache_hits + self.bytes_read.div_ceil(block_bytes.max(1));
        Work { seeks: 0, bytes_read: 0, cache_hits, ..*self }
    }

    /// Returns a share of the work, `part` of `whole`.
    pub(crate) fn share(&self, part: u64, whole: u64) -> Work {
        let of = |count: u64| (u128::from(count) * u128::from(part) / u128::from(whole.max(1))) as u64;
        Work {
            rows_seen: of(self.rows_seen),
            cells_seen: of(self.cells_seen),
            bytes_returned: of(self.bytes_returned),
            seeks: of(self.seeks),
            bytes_read: of(self.bytes_read),
            cache_hits: of(self.cache_hits),
            bloom_skips: of(self.bloom_skips),
            rows_written: of(self.rows_written),
            bytes_written: of(self.bytes_written),
            bytes_compacted: of(self.bytes_compacted),
        }
    }
}

/// Converts work to time. A test calibrates it: with rows of 1 kB that are not in the cache, a node
/// on SSD does about 17,000 point reads or 14,000 writes per second, or scans 220 MB per second; on
/// HDD 500, 10,000 and 180 (<https://cloud.google.com/bigtable/docs/performance>).
///
/// Times are nanoseconds of one core.
#[derive(Clone, Debug, PartialEq)]
pub struct CostModel {
    /// Cores of a node.
    pub cores: u32,
    /// The round trip between client and node, in nanoseconds.
    pub network_nanos: Nanos,
    /// Receiving, decoding and answering a request.
    pub request_nanos: f64,
    /// Examining a row.
    pub row_seen_nanos: f64,
    /// Examining a cell.
    pub cell_seen_nanos: f64,
    /// Returning a byte.
    pub byte_returned_nanos: f64,
    /// Reading the first block at a place of the storage.
    pub seek_nanos: f64,
    /// Reading a byte from storage.
    pub byte_read_nanos: f64,
    /// Finding a block in the cache.
    pub cache_hit_nanos: f64,
    /// Ruling out an SSTable with a Bloom filter.
    pub bloom_skip_nanos: f64,
    /// Writing a row.
    pub row_written_nanos: f64,
    /// Writing a byte to the commit log and to the memtable.
    pub byte_written_nanos: f64,
    /// Reading or writing a byte in a flush or a compaction.
    pub byte_compacted_nanos: f64,
}

impl CostModel {
    /// Returns the costs of a node on SSD or HDD.
    pub fn on(medium: Medium) -> CostModel {
        let ssd = CostModel {
            cores: 4,
            network_nanos: 1_000_000,
            request_nanos: 116_000.0,
            row_seen_nanos: 4_000.0,
            cell_seen_nanos: 2_000.0,
            byte_returned_nanos: 8.0,
            seek_nanos: 34_000.0,
            byte_read_nanos: 4.0,
            cache_hit_nanos: 5_000.0,
            bloom_skip_nanos: 500.0,
            row_written_nanos: 103_000.0,
            byte_written_nanos: 40.0,
            byte_compacted_nanos: 8.0,
        };
        match medium {
            Medium::Ssd => ssd,
            Medium::Hdd => {
                CostModel { seek_nanos: 7_700_000.0, byte_read_nanos: 5.0, byte_written_nanos: 150.0, ..ssd }
            }
        }
    }

    /// Returns the CPU time that a request takes.
    pub fn service_nanos(&self, work: &Work) -> Nanos {
        let terms = [
            (1, self.request_nanos),
            (work.rows_seen, self.row_seen_nanos),
            (work.cells_seen, self.cell_seen_nanos),
            (work.bytes_returned, self.byte_returned_nanos),
            (work.seeks, self.seek_nanos),
            (work.bytes_read, self.byte_read_nanos),
            (work.cache_hits, self.cache_hit_nanos),
            (work.bloom_skips, self.bloom_skip_nanos),
            (work.rows_written, self.row_written_nanos),
            (work.bytes_written, self.byte_written_nanos),
            (work.bytes_compacted, self.byte_compacted_nanos),
        ];
        terms.iter().map(|(count, nanos)| *count as f64 * nanos).sum::<f64>() as Nanos
    }

    /// Returns the number of requests with this service time that a node answers per second.
    pub fn per_second(&self, service_nanos: f64) -> f64 {
        f64::from(self.cores) * 1e9 / service_nanos
    }
}
