//! Deletions on a full storage, while something else holds the files of what is deleted.

use std::cell::RefCell;

use tabletop_engine::{Budget, CellRef, Instance, RowVisitor};
use tabletop_model::{Code, ColumnFamily, Error, Mutation, ReadRows, RowMutation, TableSettings, TableSpec};
use tabletop_tests::faulty::{FaultyStorage, chance};
use tabletop_tests::read_all;

use super::{COPY, TABLE, reopen};

const BACKUP: &str = "b";
const ROWS: usize = 20;

/// What holds the files of a table during its deletion.
#[derive(Clone, Copy, Debug)]
enum Holder {
    Nothing,
    Step,
    Read,
}

/// Deletes the table during a read of it, at the first row.
struct DeletesAtFirstRow<'a> {
    engine: &'a RefCell<Instance<FaultyStorage>>,
    table: &'a str,
    deleted: Option<Result<(), Error>>,
}

impl RowVisitor for DeletesAtFirstRow<'_> {
    fn row(&mut self, _: &[u8]) {
        self.deleted.get_or_insert_with(|| self.engine.borrow_mut().delete_table(self.table));
    }

    fn cell(&mut self, _: CellRef<'_>) {}
}

/// A table with several SSTables and no log, a backup of it, and a table that was restored from the
/// backup: the three share all files.
fn three_with_the_same_files(disk: &FaultyStorage) -> Instance<FaultyStorage> {
    let (mut engine, _) = Instance::open(disk.clone(), 0).expect("an empty disk");
    let settings = TableSettings { memtable_bytes_max: 300, sstables_max: 1, ..TableSettings::default() };
    let spec = TableSpec { families: vec![ColumnFamily::new("f")], settings, ..TableSpec::default() };
    engine.create_table(0, TABLE, spec).unwrap();
    for row in 0..ROWS {
        let value = vec![7; 100].into();
        let set = Mutation::SetCell { family: "f".into(), qualifier: "q".into(), timestamp: 0, value };
        let row = RowMutation { key: format!("{row}").as_str().into(), mutations: vec![set] };
        engine.table(TABLE).unwrap().mutate_row(0, &row).unwrap();
    }
    engine.back_up(0, TABLE, BACKUP).unwrap();
    engine.restore_table(0, BACKUP, COPY).unwrap();
    engine
}

/// The storage has no room to record a deletion, and the deletion removes no file, because others
/// share them. What is deleted afterwards removes them. A deletion that was acknowledged stays one;
/// a table whose deletion was refused keeps all its rows.
#[test]
fn a_deletion_that_cannot_be_recorded_is_refused_or_done() {
    let mut refused = [0; 3];
    for seed in 0..96 {
        let holder = [Holder::Nothing, Holder::Step, Holder::Read][seed as usize % 3];
        let (is_put_back, deletes_others, crashes) = (seed & 8 == 0, seed & 16 == 0, seed & 32 == 0);
        let deleted_table = if seed & 4 == 0 { COPY } else { TABLE };
        let disk = FaultyStorage::default();
        let mut engine = three_with_the_same_files(&disk);
        let mut step = None;
        if matches!(holder, Holder::Step) {
            engine.table(deleted_table).unwrap().compact();
            engine.advance_apart(0, Budget { bytes: 1 << 20 });
            step = std::iter::from_fn(|| engine.take_step(0)).last();
            assert!(step.is_some(), "seed {seed}: nothing to compact");
        }
        let bytes: usize = disk.contents().values().map(Vec::len).sum();
        disk.limit(Some(bytes as u64));
        let engine = RefCell::new(engine);
        let deleted = if matches!(holder, Holder::Read) {
            let reader = engine.borrow().readers().table(deleted_table).unwrap();
            let mut visitor = DeletesAtFirstRow { engine: &engine, table: deleted_table, deleted: None };
            let read = ReadRows { unmetered: true, ..ReadRows::default() };
            let _ = reader.read_into(&disk, 0, &read, &mut visitor);
            visitor.deleted.expect("the table has rows")
        } else {
            engine.borrow_mut().delete_table(deleted_table)
        };
        let mut engine = engine.into_inner();
        let mut expected: Vec<&str> = vec![COPY, TABLE];
        match deleted {
            Ok(()) => expected.retain(|table| *table != deleted_table),
            Err(error) => {
                assert_eq!(error.code, Code::ResourceExhausted, "seed {seed}: {error}");
                refused[seed as usize % 3] += 1;
            }
        }
        // Now there is room.
        disk.limit(None);
        if deletes_others {
            engine.delete_backup(BACKUP).unwrap();
            let other = if deleted_table == COPY { TABLE } else { COPY };
            engine.delete_table(other).unwrap();
            expected.retain(|table| *table != other);
        }
        if let Some(step) = step.filter(|_| is_put_back) {
            engine.put_back(0, step).unwrap();
        }
        drop(engine);
        if crashes {
            disk.crash(chance(seed));
        } else {
            disk.restart();
        }
        let mut engine = reopen(&disk, 0).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(engine.table_ids().collect::<Vec<_>>(), expected, "seed {seed}, {holder:?}");
        for table in expected {
            let read = ReadRows { unmetered: true, ..ReadRows::default() };
            assert_eq!(read_all(&mut engine, 0, table, &read).unwrap().rows.len(), ROWS, "seed {seed}");
        }
    }
    assert!(refused[0] == 0 && refused[1] > 0 && refused[2] > 0, "{refused:?}");
}
