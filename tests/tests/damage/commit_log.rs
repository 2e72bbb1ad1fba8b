//! Damage of the commit log: rows that SSTables have can still be read, but not anything that may
//! lack writes.

use super::*;

fn table_of(splits: Vec<RowKey>) -> (FaultyStorage, Instance<FaultyStorage>) {
    let disk = FaultyStorage::default();
    let (mut engine, _) = Instance::open(disk.clone(), 0).expect("an empty disk");
    create(&mut engine, splits, TableSettings { memtable_bytes_max: 1_000, ..TableSettings::default() });
    (disk, engine)
}

/// Returns the file and the bytes of the only segment of the log.
fn log(files: &Files) -> (FileId, &[u8]) {
    let mut logs = files.iter().filter(|(_, bytes)| bytes[8] == 2);
    let (file, bytes) = logs.next().expect("a log");
    assert_eq!(logs.next(), None, "one segment");
    (*file, bytes)
}

fn rows(engine: &mut Instance<FaultyStorage>, prefix: &str) -> Result<usize, Code> {
    let rows = RowSet::range(RowRange::prefix(prefix));
    let read = ReadRows { rows, ..ReadRows::default() };
    read_all(engine, 0, TABLE, &read).map(|chunk| chunk.rows.len()).map_err(|error| error.code)
}

#[test]
fn what_sstables_have_is_not_looked_for_in_the_log() {
    let (disk, mut engine) = table_of(Vec::new());
    for key in ["a", "b", "c"] {
        write(&mut engine, key, "old").expect("a disk without faults");
    }
    // This writes the data in memory to an SSTable.
    assert_eq!(engine.handle(0, TableRequest::BackUp { backup: BACKUP.into() }.of(TABLE)), Response::Done);
    let stored = log(&disk.contents()).1.len();
    write(&mut engine, "d", "new").expect("a disk without faults");
    engine.confirm();
    let files = disk.contents();
    let (log, bytes) = log(&files);
    for at in HEADER_BYTES..bytes.len() {
        let mut changed = files.clone();
        changed.get_mut(&log).expect("it is there")[at] ^= 1 << (at % 8);
        let (mut engine, report) = open(&changed);
        if at < stored {
            assert!(report.is_whole(), "byte {at}: {report:#?}");
            assert_eq!(rows(&mut engine, ""), Ok(4), "byte {at}");
            write(&mut engine, "e", "newer").expect("a table that misses nothing");
        } else if report.is_whole() {
            // The last record, which does not contain a write.
            assert_eq!(rows(&mut engine, ""), Ok(4), "byte {at}");
        } else {
            assert_eq!(rows(&mut engine, ""), Err(Code::DataLoss), "byte {at}");
        }
    }
}

#[test]
fn a_tablet_that_has_stored_what_was_damaged_is_read() {
    let (disk, mut engine) = table_of(vec!["m".into()]);
    write(&mut engine, "z1", "in memory").expect("a disk without faults");
    let first = log(&disk.contents()).1.len();
    for index in 0..12 {
        write(&mut engine, &format!("a{index:02}"), &"v".repeat(100)).expect("a disk without faults");
    }
    write(&mut engine, "z2", "in memory").expect("a disk without faults");
    engine.confirm();
    let files = disk.contents();
    let (log, _) = log(&files);
    for at in HEADER_BYTES..first {
        let mut changed = files.clone();
        changed.get_mut(&log).expect("it is there")[at] ^= 1 << (at % 8);
        let (mut engine, report) = open(&changed);
        assert!(!report.is_whole(), "byte {at}");
        assert_eq!(
            (rows(&mut engine, "a"), rows(&mut engine, "z")),
            (Ok(12), Err(Code::DataLoss)),
            "byte {at}"
        );
        // Writes after the damage can be exported, too.
        let salvaged = engine.table(TABLE).and_then(|mut table| table.salvage(&"m".into())).expect("rows");
        assert_eq!(
            salvaged.rows.iter().map(|row| row.key.clone()).collect::<Vec<_>>(),
            ["z2".into()],
            "byte {at}"
        );
    }
}
