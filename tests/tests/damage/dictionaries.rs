//! The dictionary of an SSTable is read together with the first of its blocks. Its damage affects
//! exactly the rows that need it.

use std::ops::Range;

use super::*;

const ROWS: usize = 30;

/// A table of two tablets, each with its rows in SSTables.
fn stored() -> Files {
    let disk = FaultyStorage::default();
    let (mut engine, _) = Instance::open(disk.clone(), 0).expect("an empty disk");
    // Blocks of some rows, and one run for each tablet.
    let settings = TableSettings {
        block_bytes: 200,
        memtable_bytes_max: 500,
        tablet_load_max: 1e9,
        ..TableSettings::default()
    };
    create(&mut engine, vec!["m".into()], settings);
    for tablet in ["a", "z"] {
        for row in 0..ROWS {
            write(&mut engine, &format!("{tablet}{row:02}"), &value(row)).expect("a disk without faults");
        }
    }
    engine.table(TABLE).expect("it is there").compact();
    engine.settle(0);
    disk.contents()
}

fn value(row: usize) -> String {
    format!("\"a frequent word\",\"another of {}\",\"and a third\",{row}", row % 3)
}

/// Returns the location of the dictionary in an SSTable, according to its footer.
fn dictionary(bytes: &[u8]) -> Range<usize> {
    let footer = bytes.last_chunk::<32>().expect("a footer");
    let start = u64::from_le_bytes(footer[..8].try_into().expect("eight bytes")) as usize;
    start..start + u32::from_le_bytes(footer[8..12].try_into().expect("four bytes")) as usize
}

fn read_tablet(engine: &mut Instance<FaultyStorage>, tablet: &str) -> Result<Vec<Row>, Error> {
    let rows = RowSet::range(RowRange::prefix(tablet));
    read_all(engine, 0, TABLE, &ReadRows { rows, ..ReadRows::default() }).map(|chunk| chunk.rows)
}

/// Checks a table in which the dictionaries of one tablet's SSTables are damaged.
fn check_tablet(disk: &FaultyStorage, damaged: &str, rows: &[Row], what: &str) {
    let (mut engine, report) = Instance::open(disk.clone(), 0).expect("damage is not an error");
    assert!(report.is_whole(), "{what}: a dictionary is not read before it is needed: {report:?}");
    let other = if damaged == "a" { "z" } else { "a" };
    for round in ["opened", "compacted"] {
        assert_eq!(
            read_tablet(&mut engine, damaged).map_err(|error| error.code),
            Err(Code::DataLoss),
            "{what}, {round}"
        );
        assert_eq!(read_tablet(&mut engine, other).as_deref(), Ok(rows), "{what}, {round}");
        // The file does not have rows in this range.
        let is_new = usize::from(round == "compacted");
        let new = read_tablet(&mut engine, &format!("{damaged}x"));
        assert_eq!(new.map(|rows| rows.len()), Ok(is_new), "{what}, {round}");
        // One key is between the others, so that there is something to compact.
        for key in [format!("{damaged}05"), format!("{damaged}x")] {
            write(&mut engine, &key, "new").expect("a table that is not read-only");
        }
        engine.table(TABLE).expect("it is there").compact();
        engine.settle(0);
    }
    let mut table = engine.table(TABLE).expect("it is there");
    assert_eq!(table.view(0).work_error.map(|error| error.code), Some(Code::DataLoss), "{what}");
    let (mut salvaged, mut missing, mut from) = (Vec::new(), Vec::new(), Some(RowKey::default()));
    while let Some(key) = from {
        let part = table.salvage(&key).expect("a disk that can be read");
        salvaged.extend(part.rows);
        missing.extend(part.missing);
        from = part.next;
    }
    let (others, left): (Vec<Row>, Vec<Row>) =
        salvaged.into_iter().partition(|row| row.key.as_slice().starts_with(other.as_bytes()));
    // The last row before the damage may be left out, because some of its cells might be missing.
    assert!(others == rows || others == rows[..ROWS - 1], "{what}: {others:?}");
    let is_missing = |row: &&Row| {
        missing.iter().any(|(start, end)| *start <= row.key && (end.is_empty() || row.key < *end))
    };
    assert_eq!(rows[others.len()..].iter().filter(is_missing).count(), ROWS - others.len(), "{what}");
    assert!(left.len() <= 1, "{what}: of the tablet at most the new row is left: {left:?}");
}

#[test]
fn damage_of_a_dictionary_is_that_of_the_rows_that_need_it() {
    let files = stored();
    let (mut engine, _) = open(&files);
    let rows = ["a", "z"].map(|tablet| read_tablet(&mut engine, tablet).expect("no damage"));
    assert_eq!([rows[0].len(), rows[1].len()], [ROWS; 2]);
    let of_tablet = |tablet: &str| {
        let is_of = |bytes: &&Vec<u8>| {
            bytes[8] == 3
                && bytes[HEADER_BYTES..].windows(3).any(|key| key == format!("{tablet}00").as_bytes())
        };
        files.iter().find(|(_, bytes)| is_of(bytes)).map(|(file, _)| *file).expect("an SSTable of the tablet")
    };
    for (damaged, rows) in [("a", &rows[1]), ("z", &rows[0])] {
        let file = of_tablet(damaged);
        let place = dictionary(&files[&file]);
        assert!(place.len() > 40, "{place:?}");
        for at in place.clone().step_by(7) {
            let mut changed = files.clone();
            changed.get_mut(&file).expect("it is there")[at] ^= 1 << (at % 8);
            check_tablet(
                &FaultyStorage::holding(&changed),
                damaged,
                rows,
                &format!("byte {at} of {place:?} of file {}", file.0),
            );
        }
        let disk = FaultyStorage::holding(&files);
        disk.lose(file, place.start as u64 + 3..place.start as u64 + 4);
        check_tablet(&disk, damaged, rows, &format!("bytes of file {} that cannot be read", file.0));
    }
}

/// A dictionary with a correct checksum in the wrong place.
#[test]
fn the_dictionary_of_another_file_is_damage() {
    let files = stored();
    let tables: Vec<FileId> =
        files.iter().filter(|(_, bytes)| bytes[8] == 3).map(|(file, _)| *file).collect();
    let [first, second] = tables[..] else { panic!("{} SSTables", tables.len()) };
    let (to, from) = (dictionary(&files[&first]), dictionary(&files[&second]));
    assert_eq!(to, from, "the tablets are alike");
    let mut changed = files.clone();
    changed.get_mut(&first).expect("it is there")[to].copy_from_slice(&files[&second][from]);
    let (mut engine, _) = open(&changed);
    assert_eq!(read(&mut engine).map_err(|error| error.code), Err(Code::DataLoss));
}

/// If the storage temporarily cannot read something, this is not damage, and the next request reads
/// it again.
#[test]
fn a_dictionary_that_could_not_be_read_once_is_read_again() {
    let files = stored();
    let disk = FaultyStorage::holding(&files);
    let (mut engine, _) = Instance::open(disk.clone(), 0).expect("a disk without faults");
    disk.fail(Some(Fault { at: 0, kind: FaultKind::NotDone }));
    assert_eq!(read_tablet(&mut engine, "a").map_err(|error| error.code), Err(Code::Unavailable));
    disk.fail(None);
    assert_eq!(read_tablet(&mut engine, "a").map(|rows| rows.len()), Ok(ROWS));
}
