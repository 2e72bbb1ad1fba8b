//! Recently read blocks, kept so that the next read of one of their rows finds them already
//! checked.
//!
//! Where storage holds files in memory, a block shares their bytes, so a cached block costs about a
//! hundred bytes. The cache still saves verifying the checksum, which is most of the work of a
//! point read.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::Cell;
use core::ops::Deref;

use crate::dictionaries::Dictionaries;
use crate::shared::Shared;
use crate::sstable::{Block, Dictionary, SsTable};
use crate::storage::{FileId, Storage, StorageError};

/// Blocks by file and number. The oldest blocks that were not used again are evicted (the CLOCK
/// algorithm).
#[derive(Debug, Default)]
pub(crate) struct BlockCache {
    /// The dictionaries of all tables of the instance.
    pub dictionaries: Arc<Shared<Dictionaries>>,
    bytes_max: u64,
    bytes: u64,
    slots: Vec<Slot>,
    /// The slot that begins each chain of slots with the same hash, plus 1. The length is a power
    /// of two.
    chains: Vec<u32>,
    /// Slots that hold no block.
    free: Vec<u32>,
    /// The slot that is examined next when room is needed (the hand of CLOCK).
    hand: usize,
}

#[derive(Debug)]
struct Slot {
    file: FileId,
    number: u32,
    block: Option<Arc<Block>>,
    was_used: bool,
    /// The next slot of the chain, plus 1.
    next: u32,
}

/// Approximate overhead of a block in bytes, in addition to its contents.
const BLOCK_BYTES: u64 = 128;

impl BlockCache {
    /// Creates a cache with room for `bytes_max` bytes of blocks.
    pub fn new(bytes_max: u64) -> Self {
        BlockCache { bytes_max, ..BlockCache::default() }
    }

    /// Changes the capacity.
    pub fn resize(&mut self, bytes_max: u64) {
        self.bytes_max = bytes_max;
        self.make_room(0);
    }

    /// Returns the total bytes of the cached blocks.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Evicts blocks until at most `bytes` are left, starting with blocks that were not used again.
    pub fn shrink(&mut self, bytes: u64) {
        let room = core::mem::replace(&mut self.bytes_max, bytes);
        self.make_room(0);
        self.bytes_max = room;
    }

    pub fn get(&mut self, file: FileId, number: u32) -> Option<Arc<Block>> {
        let slot = self.find(file, number)?;
        let slot = &mut self.slots[slot];
        slot.was_used = true;
        slot.block.clone()
    }

    /// Returns a block without counting that as a use.
    pub fn peek(&self, file: FileId, number: u32) -> Option<Arc<Block>> {
        self.find(file, number).and_then(|slot| self.slots[slot].block.clone())
    }

    /// Caches a block, unless it is cached already or there is no room for it. With `may_displace`,
    /// other blocks are evicted to make room.
    pub fn insert(&mut self, file: FileId, number: u32, block: &Arc<Block>, may_displace: bool) {
        let bytes = cost(block);
        let is_too_much = bytes > self.bytes_max || !may_displace && self.bytes + bytes > self.bytes_max;
        // Another thread may have read it at the same time.
        if is_too_much || self.find(file, number).is_some() {
            return;
        }
        self.make_room(bytes);
        self.bytes += bytes;
        let slot = Slot { file, number, block: Some(block.clone()), was_used: false, next: 0 };
        let at = match self.free.pop() {
            Some(at) => {
                self.slots[at as usize] = slot;
                at as usize
            }
            None => {
                self.slots.push(slot);
                self.slots.len() - 1
            }
        };
        if self.slots.len() > self.chains.len() {
            self.chains = alloc::vec![0; self.slots.len().next_power_of_two().max(16)];
            for slot in 0..self.slots.len() {
                if self.slots[slot].block.is_some() {
                    self.chain(slot);
                }
            }
        } else {
            self.chain(at);
        }
    }

    /// Removes the blocks of a file that is being removed.
    pub fn forget(&mut self, file: FileId) {
        for slot in 0..self.slots.len() {
            if self.slots[slot].file == file && self.slots[slot].block.is_some() {
                self.remove(slot);
            }
        }
    }

    fn make_room(&mut self, bytes: u64) {
        while self.bytes + bytes > self.bytes_max && self.bytes > 0 {
            self.hand = if self.hand + 1 < self.slots.len() { self.hand + 1 } else { 0 };
            let slot = &mut self.slots[self.hand];
            if slot.block.is_some() && !core::mem::take(&mut slot.was_used) {
                self.remove(self.hand);
            }
        }
    }

    fn find(&self, file: FileId, number: u32) -> Option<usize> {
        let mut slot = *self.chains.get(self.chain_of(file, number))?;
        loop {
            let at = slot.checked_sub(1)? as usize;
            let known = &self.slots[at];
            if known.number == number && known.file == file {
                return Some(at);
            }
            slot = known.next;
        }
    }

    fn chain_of(&self, file: FileId, number: u32) -> usize {
        let mixed = (file.0 << 32 ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 40) as usize & self.chains.len().wrapping_sub(1)
    }

    fn chain(&mut self, slot: usize) {
        let chain = self.chain_of(self.slots[slot].file, self.slots[slot].number);
        self.slots[slot].next = core::mem::replace(&mut self.chains[chain], slot as u32 + 1);
    }

    fn remove(&mut self, slot: usize) {
        let chain = self.chain_of(self.slots[slot].file, self.slots[slot].number);
        let next = self.slots[slot].next;
        let mut at = self.chains[chain];
        if at == slot as u32 + 1 {
            self.chains[chain] = next;
        } else {
            while self.slots[at as usize - 1].next != slot as u32 + 1 {
                at = self.slots[at as usize - 1].next;
            }
            self.slots[at as usize - 1].next = next;
        }
        if let Some(block) = self.slots[slot].block.take() {
            self.bytes -= cost(&block);
        }
        self.free.push(slot as u32);
    }
}

fn cost(block: &Block) -> u64 {
    block.bytes().len() as u64 + BLOCK_BYTES
}

/// Receives what one request touches, for requests that ask for it.
pub(crate) trait Watch {
    /// The tablet with this index is read from here on.
    fn tablet(&self, index: usize);
    /// An SSTable of that tablet was searched.
    fn search(&self, file: FileId, search: Search);
    /// A block was read. A block that is read twice is reported twice.
    fn block(&self, file: FileId, block: u32, bytes: u32, from_cache: bool);
}

/// The outcome of a search in an SSTable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Search {
    /// The search has begun. Its blocks are read when the read reaches them.
    Begun,
    /// The Bloom filter rules the row out.
    RuledOut,
    /// The SSTable has no key in the range.
    OutOfRange,
    /// The filter needs no column of its locality group.
    OtherGroup,
}

/// Reads blocks for one request, and counts them.
pub(crate) struct Blocks<'a> {
    pub storage: &'a dyn Storage,
    cache: Option<&'a Shared<BlockCache>>,
    counts: Cell<BlockCounts>,
    /// Bytes of the blocks that cursors hold.
    held: Cell<u64>,
    /// Receives what the request touches, if that is recorded. Such a request leaves the cache
    /// unchanged.
    watch: Option<&'a dyn Watch>,
}

/// A block that a cursor holds.
pub(crate) struct HeldBlock<'a> {
    block: Arc<Block>,
    blocks: &'a Blocks<'a>,
}

/// The cost of reading blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BlockCounts {
    /// Blocks that were read from storage.
    pub blocks_read: u64,
    /// Bytes of these blocks.
    pub bytes_read: u64,
    /// Blocks that were in the cache.
    pub cache_hits: u64,
}

impl BlockCounts {
    /// Adds the counts of another request.
    pub fn add(&mut self, other: &BlockCounts) {
        self.blocks_read += other.blocks_read;
        self.bytes_read += other.bytes_read;
        self.cache_hits += other.cache_hits;
    }
}

impl<'a> Blocks<'a> {
    /// Reads all blocks from storage: for callers that read each block once.
    pub fn uncached(storage: &'a dyn Storage) -> Self {
        Blocks { storage, cache: None, counts: Cell::default(), held: Cell::default(), watch: None }
    }

    /// Uses a cache.
    pub fn cached(storage: &'a dyn Storage, cache: &'a Shared<BlockCache>) -> Self {
        Blocks { storage, cache: Some(cache), counts: Cell::default(), held: Cell::default(), watch: None }
    }

    /// Reads through a cache without changing it, and records what is touched.
    pub fn noted(storage: &'a dyn Storage, cache: &'a Shared<BlockCache>, watch: &'a dyn Watch) -> Self {
        Blocks { watch: Some(watch), ..Blocks::cached(storage, cache) }
    }

    /// Records that the tablet with this index is read from here on.
    #[inline]
    pub fn enter_tablet(&self, index: usize) {
        if let Some(watch) = self.watch {
            watch.tablet(index);
        }
    }

    /// Records a search in an SSTable of that tablet.
    #[inline]
    pub fn note(&self, file: FileId, search: Search) {
        if let Some(watch) = self.watch {
            watch.search(file, search);
        }
    }

    /// Returns the cost of the blocks read so far.
    pub fn counts(&self) -> BlockCounts {
        self.counts.get()
    }

    /// Reads a block. In a long scan, which must not evict the blocks of other requests, the block
    /// is cached only if there is room.
    pub fn hold(
        &'a self,
        table: &SsTable,
        number: usize,
        is_scan: bool,
    ) -> Result<HeldBlock<'a>, StorageError> {
        let block = self.read(table, number, is_scan)?;
        self.held.set(self.held.get() + block.bytes().len() as u64);
        #[cfg(test)]
        most_held::note(self.held.get());
        Ok(HeldBlock { block, blocks: self })
    }

    /// Returns the bytes of the blocks that cursors hold.
    pub fn held_bytes(&self) -> u64 {
        self.held.get()
    }

    /// Returns the dictionary of a table. If there is a cache, the dictionary stays in memory
    /// afterwards.
    pub fn dictionary(&self, table: &SsTable) -> Result<Arc<Dictionary>, StorageError> {
        let known = table.loaded.lock().get();
        known.map_or_else(|| self.load(table), Ok)
    }

    #[cold]
    fn load(&self, table: &SsTable) -> Result<Arc<Dictionary>, StorageError> {
        let dictionary = Arc::new(table.read_dictionary(self.storage)?);
        let mut loaded = table.loaded.lock();
        if let Some(known) = loaded.get() {
            // Another thread has read it at the same time.
            return Ok(known);
        }
        loaded.set(&dictionary);
        drop(loaded);
        if let Some(cache) = self.cache {
            let dictionaries = cache.lock().dictionaries.clone();
            dictionaries.lock().keep(&table.loaded, &dictionary);
        }
        Ok(dictionary)
    }

    fn read(&self, table: &SsTable, number: usize, is_scan: bool) -> Result<Arc<Block>, StorageError> {
        if let Some(watch) = self.watch {
            return self.read_noted(table, number, watch);
        }
        let mut counts = self.counts.get();
        let found = self.cache.and_then(|cache| cache.lock().get(table.file, number as u32));
        if let Some(block) = found {
            counts.cache_hits += 1;
            self.counts.set(counts);
            return Ok(block);
        }
        let block = Arc::new(table.read_block(self.storage, number)?);
        counts.blocks_read += 1;
        counts.bytes_read += block.bytes().len() as u64;
        self.counts.set(counts);
        if let Some(cache) = self.cache {
            cache.lock().insert(table.file, number as u32, &block, !is_scan);
        }
        Ok(block)
    }

    #[cold]
    #[inline(never)]
    fn read_noted(
        &self,
        table: &SsTable,
        number: usize,
        watch: &dyn Watch,
    ) -> Result<Arc<Block>, StorageError> {
        let found = self.cache.and_then(|cache| cache.lock().peek(table.file, number as u32));
        let from_cache = found.is_some();
        let block = found.map_or_else(|| table.read_block(self.storage, number).map(Arc::new), Ok)?;
        watch.block(table.file, number as u32, block.bytes().len() as u32, from_cache);
        Ok(block)
    }
}

impl Deref for HeldBlock<'_> {
    type Target = Block;

    #[inline]
    fn deref(&self) -> &Block {
        &self.block
    }
}

impl Drop for HeldBlock<'_> {
    fn drop(&mut self) {
        self.blocks.held.set(self.blocks.held.get() - self.block.bytes().len() as u64);
    }
}

/// The peak number of bytes of blocks that a test's reads and compactions held at once.
#[cfg(test)]
pub(crate) mod most_held {
    use core::cell::Cell;

    std::thread_local! {
        static MOST: Cell<u64> = const { Cell::new(0) };
    }

    pub fn note(bytes: u64) {
        MOST.set(MOST.get().max(bytes));
    }

    /// Returns the peak since the last call.
    pub fn take() -> u64 {
        MOST.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::Slice;
    use proptest::prelude::*;

    fn block(filler: usize) -> Arc<Block> {
        // One row with an empty key.
        let mut payload = alloc::vec![1, 0, 2, filler as u8, 0, 0, 0, 0, 0, filler as u8, 0];
        payload.resize(payload.len() + filler, 7);
        let checksum = xxhash_rust::xxh3::xxh3_64(&payload);
        payload.extend_from_slice(&checksum.to_le_bytes());
        Arc::new(Block::open(Slice::from(payload), 0).unwrap())
    }

    #[test]
    fn a_block_without_rows_is_damage() {
        let mut payload = alloc::vec![0, 0, 0, 0, 0];
        let checksum = xxhash_rust::xxh3::xxh3_64(&payload);
        payload.extend_from_slice(&checksum.to_le_bytes());
        assert!(Block::open(Slice::from(payload), 0).is_err());
    }

    proptest! {
        #[test]
        fn the_cache_holds_inserted_blocks_within_its_size(
            steps in prop::collection::vec((0u64..3, 0u32..40, any::<bool>(), any::<bool>(), 0usize..100), 1..300),
        ) {
            let mut cache = BlockCache::new(2_000);
            let mut last = std::collections::BTreeMap::new();
            for (file, number, asks, displaces, size) in steps {
                if size == 0 {
                    cache.forget(FileId(file));
                    last.retain(|(of, _), _| *of != file);
                    prop_assert!((0..40).all(|number| cache.get(FileId(file), number).is_none()));
                } else if let Some(found) = cache.get(FileId(file), number) {
                    prop_assert!(Arc::ptr_eq(&found, &last[&(file, number)]));
                } else if !asks {
                    let new = block(size);
                    let is_kept = displaces || cache.bytes + cost(&new) <= 2_000;
                    cache.insert(FileId(file), number, &new, displaces);
                    prop_assert_eq!(cache.get(FileId(file), number).is_some(), is_kept);
                    last.insert((file, number), new);
                }
                let held: u64 = cache.slots.iter().filter_map(|slot| slot.block.as_deref().map(cost)).sum();
                prop_assert!(held == cache.bytes && held <= 2_000);
            }
        }
    }

    #[test]
    fn blocks_that_are_used_again_stay() {
        let mut cache = BlockCache::new(cost(&block(10)) * 4);
        for number in 0..100 {
            cache.insert(FileId(1), number, &block(10), true);
            cache.get(FileId(1), 0);
        }
        assert!(cache.get(FileId(1), 0).is_some() && cache.get(FileId(1), 50).is_none());
        cache.resize(0);
        assert!(cache.get(FileId(1), 0).is_none());
    }
}
