//! The internals of a tablet, and what reads touch of it.

use alloc::format;
use alloc::vec;

use super::*;
use crate::storage::{FileId, MemoryStorage};
use crate::table::compaction::Budget;
use crate::table::plan::Compactions;
use crate::table::touch::TouchedChunk;
use tabletop_model::{
    Code, ColumnFamily, Mutation, ReadRows, RowFilter, RowMutation, RowSet, TableSettings, TableSpec,
    Touched, TouchedRun,
};

fn table() -> Table {
    let settings = TableSettings { block_bytes: 200, sstables_max: 8, ..TableSettings::default() };
    let slow = ColumnFamily { locality_group: 1, ..ColumnFamily::new("slow") };
    Table::new(
        0,
        TableSpec { families: vec![ColumnFamily::new("f"), slow], initial_splits: vec![], settings },
    )
    .unwrap()
}

fn write(table: &mut Table, storage: &mut MemoryStorage, family: &str, key: &str) {
    let value = vec![7; 60].into();
    let set = Mutation::SetCell { family: family.into(), qualifier: "q".into(), timestamp: 0, value };
    table.mutate_row(storage, 0, &RowMutation { key: key.into(), mutations: vec![set] }).unwrap();
}

fn inside(table: &mut Table, storage: &MemoryStorage) -> TabletInside {
    let id = table.tablets[0].id;
    match table.inspect(storage, Inspect::Tablet(id)).unwrap() {
        Inspected::Tablet(inside) => inside,
        other => panic!("{other:?}"),
    }
}

/// Three SSTables: rows 0, 2 … 98, rows 1, 3 … 99, rows 200 … 219, and a fourth with another group.
fn filled(storage: &mut MemoryStorage) -> Table {
    let mut table = table();
    let id = table.tablets[0].id;
    for rows in [(0..100).step_by(2), (1..100).step_by(2), (200..220).step_by(1)] {
        rows.for_each(|row| write(&mut table, storage, "f", &format!("{row:03}")));
        table.flush_tablet(storage, id).unwrap();
    }
    write(&mut table, storage, "slow", "050");
    table.flush_tablet(storage, id).unwrap();
    table
}

fn touch(table: &mut Table, storage: &MemoryStorage, read: &ReadRows) -> Vec<TouchedRun> {
    let TouchedChunk { chunk, touched: Touched { mut tablets } } = table.touch(storage, read).unwrap();
    let same = table.read(&mut storage.clone(), 0, &ReadRows { unmetered: true, ..read.clone() }).unwrap();
    assert_eq!(chunk.rows, same.rows, "the rows are the ones of the read");
    assert_eq!(tablets.len(), 1);
    let runs = tablets.remove(0).runs;
    let (blocks, skips) =
        (runs.iter().map(|run| run.blocks.len() as u64).sum(), runs.iter().map(|run| run.bloom_skips).sum());
    assert_eq!((same.stats.blocks_read + same.stats.cache_hits, same.stats.bloom_skips), (blocks, skips));
    runs
}

fn row(key: &str) -> ReadRows {
    ReadRows { rows: RowSet { keys: vec![key.into()], ranges: vec![] }, ..ReadRows::default() }
}

#[test]
fn a_point_read_touches_one_block_of_one_sstable_and_skips_the_others() {
    let mut storage = MemoryStorage::default();
    let mut table = filled(&mut storage);
    let runs = touch(&mut table, &storage, &row("051"));
    let says: Vec<_> = runs.iter().map(|run| (run.blocks.len(), run.bloom_skips, run.range_skips)).collect();
    // In the order of files: its own, even rows, odd rows, later rows, the other group.
    assert_eq!(says, [(0, 1, 0), (1, 0, 0), (0, 0, 1), (0, 0, 1)]);
    let block = runs[1].blocks[0];
    assert!(block.bytes > 0 && block.block > 0);
}

#[test]
fn a_range_checks_no_bloom_filter_and_a_limit_ends_it_before_the_next_block() {
    let mut storage = MemoryStorage::default();
    let mut table = filled(&mut storage);
    let all = touch(&mut table, &storage, &ReadRows::default());
    let inside = inside(&mut table, &storage);
    for run in &all {
        let view = inside.runs.iter().find(|view| view.file == run.file).unwrap();
        assert_eq!((run.blocks.len() as u32, run.bloom_skips, run.searches), (view.blocks, 0, 1));
    }
    let first = touch(&mut table, &storage, &ReadRows { rows_limit: 1, ..ReadRows::default() });
    let blocks: Vec<_> = first.iter().map(|run| run.blocks.len()).collect();
    assert_eq!(blocks, [1, 0, 0, 0], "SSTables whose first rows come later are not begun");
}

#[test]
fn a_filter_on_families_leaves_other_groups_alone() {
    let mut storage = MemoryStorage::default();
    let mut table = filled(&mut storage);
    let filter = RowFilter::parse("family_name_regex(\"slow\")").0;
    let runs = touch(&mut table, &storage, &ReadRows { filter, ..row("050") });
    let says: Vec<_> = runs.iter().map(|run| (run.group_skips, run.blocks.len())).collect();
    assert_eq!(says, [(1, 0), (1, 0), (1, 0), (0, 1)]);
}

#[test]
fn a_touched_block_is_from_the_cache_only_after_a_read_and_the_touch_leaves_no_trace() {
    let mut storage = MemoryStorage::default();
    let mut table = filled(&mut storage);
    let read = row("051");
    for _ in 0..2 {
        let before = table.view(0);
        let touched = table.touch(&storage, &read).unwrap().touched;
        assert!(touched.tablets[0].runs.iter().flat_map(|run| &run.blocks).all(|block| !block.from_cache));
        assert_eq!(table.view(0), before);
    }
    table.read(&mut storage, 0, &read).unwrap();
    let touched = table.touch(&storage, &read).unwrap().touched;
    assert!(touched.tablets[0].runs.iter().flat_map(|run| &run.blocks).all(|block| block.from_cache));
}

#[test]
fn a_manual_flush_and_a_manual_compaction_change_no_row() {
    let mut storage = MemoryStorage::default();
    let mut table = filled(&mut storage);
    write(&mut table, &mut storage, "f", "051");
    let rows = table.read(&mut storage, 0, &ReadRows::default()).unwrap().rows;
    let before = inside(&mut table, &storage);
    let id = before.tablet;
    assert!(before.memtables[0].bytes > 0 && before.memtables[0].rows == 1);
    let depths: Vec<_> = before.runs.iter().map(|run| (run.depth, run.families.len(), run.rows)).collect();
    assert_eq!(depths, [(0, 1, 1), (0, 1, 20), (0, 1, 50), (1, 1, 50)], "newest first");

    table.flush_tablet(&mut storage, id).unwrap();
    let flushed = inside(&mut table, &storage);
    assert_eq!((flushed.memtables[0].bytes, flushed.memtables[0].rows, flushed.runs.len()), (0, 0, 5));
    assert!(flushed.runs[0].sequence > flushed.runs[1].sequence);
    // Nothing is written twice.
    table.flush_tablet(&mut storage, id).unwrap();
    assert_eq!(inside(&mut table, &storage), flushed);

    table.compact_tablet(id).unwrap();
    assert!(inside(&mut table, &storage).compaction_is_due);
    let mut seen = Vec::new();
    while table.advance(&mut storage, 0, Budget { bytes: 500 }, Compactions::Here).unwrap() {
        seen.extend(inside(&mut table, &storage).compaction);
    }
    assert!(
        seen.iter().any(|step| step.is_major && step.files.len() == 4 && step.written.is_some()),
        "{seen:?}"
    );
    let compacted = inside(&mut table, &storage);
    let depths: Vec<_> = compacted.runs.iter().map(|run| (run.depth, run.rows)).collect();
    assert_eq!(
        (depths, compacted.compaction, compacted.compaction_is_due),
        (vec![(0, 120), (0, 1)], None, false)
    );
    assert_eq!(table.read(&mut storage, 0, &ReadRows::default()).unwrap().rows, rows);
}

#[test]
fn blocks_are_listed_and_read_in_pages() {
    let mut storage = MemoryStorage::default();
    let mut table = filled(&mut storage);
    let run = inside(&mut table, &storage).runs.remove(2);
    let list = |table: &mut Table, from, count| match table
        .inspect(&storage, Inspect::Blocks { file: run.file, from, count })
    {
        Ok(Inspected::Blocks(list)) => list,
        other => panic!("{other:?}"),
    };
    let all = list(&mut table, 0, u32::MAX);
    assert_eq!((all.total, all.blocks.len() as u32), (run.blocks, run.blocks));
    assert_eq!(all.blocks.iter().map(|block| u64::from(block.rows)).sum::<u64>(), run.rows);
    assert_eq!(list(&mut table, 1, 2).blocks, all.blocks[1..3]);
    assert!(list(&mut table, u32::MAX, 2).blocks.is_empty());
    let page = |table: &mut Table, block, from| {
        table.inspect(&storage, Inspect::Block { file: run.file, block, from })
    };
    let Ok(Inspected::Block(first)) = page(&mut table, 0, 0) else { panic!("there is a block 0") };
    assert_eq!(
        (first.total, first.bytes.len() as u32, &first.damage),
        (all.blocks[0].bytes, all.blocks[0].bytes, &None)
    );
    let Ok(Inspected::Block(rest)) = page(&mut table, 0, 10) else { panic!("there is a block 0") };
    assert_eq!((rest.bytes.as_slice(), rest.logical_bytes), (&first.bytes[10..], first.logical_bytes));
    let Ok(Inspected::Block(none)) = page(&mut table, 0, u32::MAX) else { panic!("there is a block 0") };
    assert!(none.bytes.is_empty() && none.parts.is_empty());
}

#[test]
fn what_does_not_exist_is_refused_by_name() {
    let mut storage = MemoryStorage::default();
    let mut table = filled(&mut storage);
    let file = inside(&mut table, &storage).runs[0].file;
    let refused = [
        table.inspect(&storage, Inspect::Tablet(TabletId(99))).err(),
        table.inspect(&storage, Inspect::Blocks { file: 999, from: 0, count: 1 }).err(),
        table.inspect(&storage, Inspect::Block { file, block: 70, from: 0 }).err(),
        table.flush_tablet(&mut storage, TabletId(99)).err(),
        table.compact_tablet(TabletId(99)).err(),
    ];
    for (error, name) in
        refused.into_iter().zip(["tablet 99", "SSTable 999", "block 70", "tablet 99", "tablet 99"])
    {
        let error = error.expect("it is refused");
        assert!(error.code == Code::NotFound && error.message.contains(name), "{error:?}");
    }
}

#[test]
fn a_damaged_block_is_shown_with_its_damage() {
    let mut storage = MemoryStorage::default();
    let mut table = filled(&mut storage);
    let file = inside(&mut table, &storage).runs[0].file;
    let whole = table.inspect(&storage, Inspect::Block { file, block: 0, from: 0 }).unwrap();
    let Inspected::Block(whole) = whole else { panic!("a block") };
    let size = storage.size(FileId(file)).unwrap();
    let mut bytes = storage.read(FileId(file), 0, size as usize).unwrap().to_vec();
    bytes[whole.offset as usize + 3] ^= 0x10;
    let mut copy = MemoryStorage::default();
    while copy.create().unwrap() != FileId(file) {}
    copy.append(FileId(file), bytes).unwrap();
    let damaged = table.inspect(&copy, Inspect::Block { file, block: 0, from: 0 }).unwrap();
    let Inspected::Block(damaged) = damaged else { panic!("a block") };
    let damage = damaged.damage.expect("it is damaged");
    assert!(damage.code == Code::DataLoss && damage.message.contains("checksum"), "{damage:?}");
    assert_eq!((damaged.logical_bytes, damaged.bytes.len()), (None, whole.bytes.len()));
    assert!(damaged.parts.len() < whole.parts.len() || damaged.parts != whole.parts);
}
