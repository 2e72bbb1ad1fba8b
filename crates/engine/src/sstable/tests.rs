//! Written rows are read back, and damage is reported.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use expect_test::expect;
use proptest::prelude::*;

use super::{SsTable, StoredCursor, Writer};
use crate::cache::Blocks;
use crate::cell_key::CellKey;
use crate::columns::FamilyId;
use crate::filter::Needed;
use crate::key_range::KeyRange;
use crate::storage::{FileId, MemoryStorage, Storage, StorageError};
use crate::tombstones::{ColumnTombstone, Tombstones};

/// Cells by column, then newest first.
pub(super) type Cells = BTreeMap<(FamilyId, Vec<u8>, core::cmp::Reverse<i64>), Vec<u8>>;
pub(super) type Content = (Cells, Option<Tombstones>);
pub(super) type Rows = BTreeMap<Vec<u8>, Content>;

pub(super) fn write(rows: &Rows, block_bytes: u32) -> (MemoryStorage, FileId) {
    let mut storage = MemoryStorage::default();
    let mut writer = Writer::new(&mut storage, block_bytes, 7, 1).unwrap();
    for (key, (cells, tombstones)) in rows {
        writer.begin_row(key, tombstones.as_ref());
        for ((family, qualifier, time), value) in cells {
            writer.cell(*family, qualifier, time.0, value);
        }
        writer.end_row();
    }
    let table = writer.finish(&mut storage).unwrap().expect("rows");
    (storage, table.file)
}

fn read(
    storage: &MemoryStorage,
    file: FileId,
    range: &KeyRange,
    reversed: bool,
) -> Result<Vec<(Vec<u8>, Content)>, StorageError> {
    let table = SsTable::open(storage, file)?;
    let blocks = Blocks::uncached(storage);
    let mut cursor = StoredCursor::new(&blocks, &table, range.bounds(), reversed)?;
    let mut rows = Vec::new();
    while let Some(key) = cursor.key() {
        let key = key.to_vec();
        let tombstones = cursor.tombstones().cloned();
        let mut cells = Cells::new();
        while let Some(mut cell) = cursor.next_cell(Needed::All)? {
            cursor.resolve(&mut cell)?;
            let (family, qualifier) = cursor.column(&cell);
            cells.insert(
                (family, qualifier.to_vec(), core::cmp::Reverse(cell.timestamp)),
                cursor.value(&cell).to_vec(),
            );
        }
        rows.push((key, (cells, tombstones)));
        cursor.next_row()?;
    }
    Ok(rows)
}

/// Returns the cells of a row by the fast path, if it applies to it.
fn hand_out(storage: &MemoryStorage, table: &SsTable, key: &[u8]) -> Option<Cells> {
    let range = KeyRange::row(key);
    let mut cells = Cells::new();
    let blocks = Blocks::uncached(storage);
    let mut cursor = StoredCursor::new(&blocks, table, range.bounds(), false).unwrap();
    let handed_out = cursor.hand_out(None, |_, family, qualifier, time, value| {
        cells.insert((family, qualifier.to_vec(), core::cmp::Reverse(time)), value.to_vec());
    });
    handed_out.unwrap().is_some().then_some(cells)
}

/// Copies the rows to other files, leaving out rows that span several blocks.
fn copy(storage: &MemoryStorage, file: FileId) -> Result<(MemoryStorage, Vec<FileId>), StorageError> {
    let table = SsTable::open(storage, file)?;
    let mut copies = storage.clone();
    let mut writer = Writer::new(&mut copies, 500, 7, 2)?;
    let all = KeyRange::all();
    let blocks = Blocks::uncached(storage);
    let mut cursor = StoredCursor::new(&blocks, &table, all.bounds(), false)?;
    while let Some(key) = cursor.key() {
        cursor.check_row(writer.last_key())?;
        writer.begin_row(key, cursor.tombstones());
        if !cursor.copy(&mut writer)? {
            while let Some(mut cell) = cursor.next_cell(Needed::All)? {
                cursor.resolve(&mut cell)?;
                let (family, qualifier) = cursor.column(&cell);
                writer.cell(family, qualifier, cell.timestamp, cursor.value(&cell));
            }
        }
        writer.end_row();
        cursor.next_row()?;
    }
    let copied = writer.finish(&mut copies)?;
    Ok((copies, copied.iter().map(|table| table.file).collect()))
}

pub(super) fn any_rows() -> impl Strategy<Value = Rows> {
    let bytes = |max| prop::collection::vec(prop_oneof![Just(0u8), Just(b'a'), any::<u8>()], 0..max);
    let time =
        prop_oneof![Just(0i64), 0..5i64, Just(i64::MAX / 1000), 1_700_000_000_000..1_700_000_100_000i64];
    let cell = ((0u16..3, bytes(4), time.prop_map(|t| core::cmp::Reverse(t * 1000))), bytes(20));
    let tombstone =
        (0u16..3, bytes(3), 0i64..5, prop_oneof![Just(i64::MAX), (5i64..9).prop_map(|t| t * 1000)]);
    let tombstones =
        (any::<bool>(), prop::collection::vec(0u16..4, 0..2), prop::collection::vec(tombstone, 0..3));
    let tombstones = prop::option::weighted(0.2, tombstones).prop_map(|made| {
        made.map(|(row, families, columns)| {
            let mut tombstones = Tombstones::default();
            for (family, qualifier, start, end) in columns {
                let column = ColumnTombstone { family, qualifier, start: start * 1000, end };
                tombstones.add(&Tombstones { columns: alloc::vec![column], ..Tombstones::default() });
            }
            tombstones.add(&Tombstones { row, families, ..Tombstones::default() });
            tombstones
        })
        .filter(|tombstones: &Tombstones| !tombstones.is_empty())
    });
    let piece = prop::sample::select(alloc::vec![
        "{\"plan\":\"free\",",
        "\"country\":\"DE\",",
        "\"n\":",
        "and so on ",
        "x"
    ]);
    let text = prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat().into_bytes());
    let value = prop_oneof![3 => bytes(20), 2 => bytes(2), 2 => text, 1 => prop::collection::vec(any::<u8>(), 60..300)];
    let any_cells = prop::collection::btree_map(cell.prop_map(|(k, _)| k), value.clone(), 0..20);
    // Rows of one shape and time, with repeated values.
    let alike =
        (0u16..3, 1usize..6, 0i64..3, prop::collection::vec(prop_oneof![4 => bytes(1), 1 => value], 6));
    let alike = alike.prop_map(|(family, count, time, values)| {
        let column = |at: usize| (family, alloc::vec![b'q', at as u8], core::cmp::Reverse(time * 1000));
        values.into_iter().take(count).enumerate().map(|(at, value)| (column(at), value)).collect::<Cells>()
    });
    let row = (prop_oneof![any_cells, alike], tombstones);
    let key = bytes(5).prop_map(|mut key| {
        key.push(b'k');
        key
    });
    prop::collection::btree_map(key, row, 1..60)
        .prop_map(|mut rows| {
            rows.retain(|_, (cells, tombstones)| !cells.is_empty() || tombstones.is_some());
            rows
        })
        .prop_filter("rows", |rows| !rows.is_empty())
}

fn key_end() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(alloc::vec![0u8, b'a', b'b', 255]), 0..20)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn written_rows_are_read(rows in any_rows(), block_bytes in prop_oneof![1u32..10, 10u32..2000], pick in any::<(prop::sample::Index, prop::sample::Index)>()) {
        let (storage, file) = write(&rows, block_bytes);
        let keys: Vec<_> = rows.keys().cloned().collect();
        let (a, b) = (keys[pick.0.index(keys.len())].clone(), keys[pick.1.index(keys.len())].clone());
        for range in [
            KeyRange::all(),
            KeyRange::row(&a),
            KeyRange { start: a.clone(), end: Some(b.clone()) },
            KeyRange { start: b"b".to_vec(), end: Some(a.clone()) },
            KeyRange { start: b, end: None },
        ] {
            let mut expected: Vec<_> = rows.iter().filter(|(key, _)| range.contains(key)).map(|(k, v)| (k.clone(), v.clone())).collect();
            prop_assert_eq!(&read(&storage, file, &range, false).unwrap(), &expected, "{:?}", range);
            expected.reverse();
            prop_assert_eq!(&read(&storage, file, &range, true).unwrap(), &expected, "backwards {:?}", range);
        }
        let (copies, copied) = copy(&storage, file).unwrap();
        let expected: Vec<_> = rows.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
        prop_assert_eq!(&read(&copies, copied[0], &KeyRange::all(), false).unwrap(), &expected, "copied");
        let table = SsTable::open(&storage, file).unwrap();
        prop_assert!(keys.iter().all(|key| table.may_hold(SsTable::hash(key))));
        for (key, (cells, _)) in &rows {
            if let Some(quick) = hand_out(&storage, &table, key) {
                prop_assert_eq!(&quick, cells, "{:?}", key);
            }
        }
        prop_assert_eq!(table.index.blocks.iter().map(|block| block.rows as usize).sum::<usize>(), rows.len());
        prop_assert_eq!(table.index.blocks.iter().map(|block| block.cells as usize).sum::<usize>(), rows.values().map(|row| row.0.len()).sum::<usize>());
    }

    /// The cells after any place in a row are found; in a file that does not name cells, by reading
    /// all of them if need be.
    #[test]
    fn cells_are_skipped(rows in any_rows(), block_bytes in 1u32..200, picks in prop::collection::vec(any::<[prop::sample::Index; 3]>(), 1..10)) {
        let (storage, file) = write(&rows, block_bytes);
        let (named, mut unnamed) = (SsTable::open(&storage, file).unwrap(), SsTable::open(&storage, file).unwrap());
        unnamed.index.forget_cells();
        for [row, from, to] in picks {
            let (key, (cells, _)) = rows.iter().nth(row.index(rows.len())).unwrap();
            if cells.is_empty() {
                continue;
            }
            // Some cells are read, then cells up to a place are skipped.
            let (read, skipped) = (from.index(cells.len()), to.index(cells.len()));
            let ((family, qualifier, time), _) = cells.iter().nth(skipped).unwrap();
            let place = CellKey { family: *family, qualifier, timestamp: time.0 };
            for table in [&named, &unnamed] {
                let blocks = Blocks::uncached(&storage);
                let range = KeyRange::row(key);
                let mut cursor = StoredCursor::new(&blocks, table, range.bounds(), false).unwrap();
                for _ in 0..read {
                    cursor.next_cell(Needed::All).unwrap();
                }
                cursor.skip_past(&place).unwrap();
                let mut left = Vec::new();
                while let Some(cell) = cursor.next_cell(Needed::All).unwrap() {
                    let (family, qualifier) = cursor.column(&cell);
                    left.push((family, qualifier.to_vec(), core::cmp::Reverse(cell.timestamp)));
                }
                let all: Vec<_> = cells.keys().skip(read).cloned().collect();
                let after: Vec<_> = cells.keys().skip(read.max(skipped + 1)).cloned().collect();
                if table.index.names_cells() {
                    prop_assert_eq!(left, after);
                } else {
                    prop_assert!(left.ends_with(&after) && all.ends_with(&left));
                }
                cursor.next_row().unwrap();
                prop_assert!(cursor.key().is_none());
            }
        }
    }

    /// For keys with common prefixes, and keys close to them, a search finds what a search of all
    /// rows finds.
    #[test]
    fn keys_are_found(
        begin in "[ab]{0,20}",
        keys in prop::collection::btree_set(key_end(), 1..200),
        wanted in prop::collection::vec((any::<prop::sample::Index>(), 0usize..24, key_end()), 1..20),
        block_bytes in 100u32..4000,
    ) {
        let keys = keys.iter().map(|end| [begin.as_bytes(), end].concat()).collect::<BTreeSet<_>>();
        let cells = Cells::from([((0, Vec::new(), core::cmp::Reverse(0)), Vec::new())]);
        let rows = keys.iter().map(|key| (key.clone(), (cells.clone(), None))).collect();
        let (storage, file) = write(&rows, block_bytes);
        for (key, kept, end) in wanted {
            let key = key.get(&Vec::from_iter(&keys)).as_slice();
            let wanted = [&key[..kept.min(key.len())], &end].concat();
            let found = |range, reversed| {
                let rows = read(&storage, file, &range, reversed).unwrap();
                rows.into_iter().map(|row| row.0).collect::<Vec<_>>()
            };
            let expected = keys.range(wanted.clone()..).cloned().collect::<Vec<_>>();
            prop_assert_eq!(found(KeyRange { start: wanted.clone(), end: None }, false), expected, "from {:?}", &wanted);
            let expected = keys.range(..wanted.clone()).rev().cloned().collect::<Vec<_>>();
            prop_assert_eq!(found(KeyRange { start: Vec::new(), end: Some(wanted.clone()) }, true), expected, "below {:?}", wanted);
        }
    }

    /// A flipped bit anywhere is found by a checksum, and its place is reported.
    #[test]
    fn flipped_bits_are_data_loss(rows in any_rows(), at in any::<prop::sample::Index>(), bit in 0u8..8) {
        let (storage, file) = write(&rows, 100);
        let mut bytes = storage.read(file, 0, storage.size(file).unwrap() as usize).unwrap().to_vec();
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        let (storage, file) = holding(bytes);
        match read(&storage, file, &KeyRange::all(), false) {
            Err(StorageError::Corrupt { found, expected, .. }) => prop_assert!(!found.is_empty() && !expected.is_empty()),
            other => prop_assert!(false, "{:?}", other),
        }
    }

    /// Even when the checksums are right, invalid bytes yield an error or different rows, and never
    /// a panic.
    #[test]
    fn no_bytes_panic(rows in any_rows(), changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let (storage, file) = write(&rows, 300);
        let table = SsTable::open(&storage, file).unwrap();
        let size = storage.size(file).unwrap() as usize;
        let mut bytes = storage.read(file, 0, size).unwrap().to_vec();
        let mut sections: Vec<_> = table.index.blocks.iter().map(|b| (b.offset as usize, b.length as usize)).collect();
        let footer = size - super::FOOTER_BYTES;
        let mut offset = sections.last().map(|(offset, length)| offset + length).unwrap();
        for field in [8, 12, 16] {
            let length = u32::from_le_bytes(bytes[footer + field..footer + field + 4].try_into().unwrap()) as usize;
            sections.push((offset, length));
            offset += length;
        }
        for (at, byte) in changes {
            let at = crate::log::file_header::HEADER_BYTES + at.index(footer - crate::log::file_header::HEADER_BYTES);
            bytes[at] = byte;
        }
        for (offset, length) in sections {
            let end = offset + length - super::CHECKSUM_BYTES;
            let mut section = bytes[offset..end].to_vec();
            super::finish(&mut section, super::seed(table.header, offset as u64));
            bytes[offset..offset + length].copy_from_slice(&section);
        }
        let (storage, file) = holding(bytes);
        for reversed in [false, true] {
            let _ = read(&storage, file, &KeyRange::all(), reversed);
            let _ = read(&storage, file, &KeyRange { start: b"a".to_vec(), end: Some(b"k".to_vec()) }, reversed);
        }
        let _ = copy(&storage, file);
    }

    #[test]
    fn random_bytes_are_data_loss(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let (storage, file) = holding(bytes);
        let is_corrupt = matches!(read(&storage, file, &KeyRange::all(), false), Err(StorageError::Corrupt { .. }));
        prop_assert!(is_corrupt);
    }
}

fn holding(bytes: Vec<u8>) -> (MemoryStorage, FileId) {
    let mut storage = MemoryStorage::default();
    let file = storage.create().unwrap();
    storage.append(file, bytes).unwrap();
    (storage, file)
}

/// The bytes of a small file, which later releases must still be able to read: a change here
/// changes the format.
#[test]
fn the_format_matches_its_drawing() {
    let cell = |family, qualifier: &str, time: i64| {
        (family, qualifier.as_bytes().to_vec(), core::cmp::Reverse(time * 1000))
    };
    let column = ColumnTombstone { family: 0, qualifier: b"b".to_vec(), start: 5000, end: i64::MAX };
    let tombstones = Tombstones { row: false, families: alloc::vec![1], columns: alloc::vec![column] };
    let rows = Rows::from([
        (
            b"row1".to_vec(),
            (Cells::from([(cell(0, "a", 7), b"x".to_vec()), (cell(0, "a", 3), b"yz".to_vec())]), None),
        ),
        (b"row2".to_vec(), (Cells::from([(cell(0, "a", 9), b"".to_vec())]), Some(tombstones))),
    ]);
    let (storage, file) = write(&rows, 1000);
    let bytes = storage.read(file, 0, storage.size(file).unwrap() as usize).unwrap();
    let lines: Vec<String> =
        bytes.chunks(16).map(|line| format!("{}\n", line.escape_ascii()).replace(' ', "\\x20")).collect();
    expect![[r#"
        TableTop\x03\x00\x00\x00\x02\x00\x00\x00
        \x07\x00\x00\x00\x00\x00\x00\x00\xa8V\x91]\xbf\x04\xaa\x02
        \x01\x00\x00\x00\x00\x00\x00\x00\x02\x0e\t\x17\x02\x00\x01a
        \x00\x01b\x00\x04row1\x03\x012\x00\x00\x0b\x00
        \x17\x00\x02\x02\x01\x00\x04x\x01\x07\x08yz\x01\x00\x01
        \x01\x01\x03\x05\x00\x01\x04\x01\x00\xe81\x86@\xc3p]
        M\x00\x00\x00\xeb\xa6\x1bX\x9di\xc54\x01\x00\x04r
        ow19\x02\x03\x00\x04row2\xec\xc71\xf2
        k\x1a\n\x92\x00\x80\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00
        \x00\x00\x00\x00\x00\x00\x00\x20\x00\x00\x00\x00\x00\x00\x80\x00
        \x00\x00\x00\x00\x00\x00\x00@\x00\x00\x00\x10\x00\x00@\x00
        \x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x00\x00\x00\x80\x10
        \x10\x00\x02\x00\x81\xf8\xe7\xe6\xb3\x90\xe5\x02\x01\x01\x01\x00
        \x03\x01\x02\xf0.\xd0\x8c\x01\x8b(\x13\xec\xfec\x8b}
        a\x00\x00\x00\x00\x00\x00\x00\x0b\x00\x00\x00\x18\x00\x00\x00
        H\x00\x00\x00\x14\x00\x00\x00\"\xdd.\x94\xa5=\x9d\x0e
    "#]]
    .assert_eq(&lines.concat());
}

/// The bytes of a file with shared columns, shapes, words and tokens.
#[test]
fn the_dictionary_matches_its_drawing() {
    let text = |n: usize| {
        format!("{{\"plan\":\"free\",\"tags\":[\"a\",\"b\"],\"country\":\"DE\",\"visits\":{n},\"text\":\"and so on\"}}")
            .into_bytes()
    };
    let row = |n: usize| {
        let column = |qualifier: &str| {
            (0, qualifier.as_bytes().to_vec(), core::cmp::Reverse(7_000_000 + n as i64 * 1000))
        };
        let mut cells = Cells::from([(column("a"), b"on".to_vec()), (column("b"), b"off".to_vec())]);
        if n > 4 {
            cells.insert(column("c"), text(n));
        }
        (format!("row{n}").into_bytes(), (cells, None))
    };
    let rows: Rows = (0..9).map(row).collect();
    let (storage, file) = write(&rows, 20);
    let table = SsTable::open(&storage, file).unwrap();
    let dictionary = table.read_dictionary(&storage).unwrap();
    assert_eq!(
        (dictionary.column_count(), dictionary.shape(0), dictionary.shape(1)),
        (3, Some(&[0, 1][..]), Some(&[0, 1, 2][..]))
    );
    let bytes = storage.read(file, 0, storage.size(file).unwrap() as usize).unwrap();
    let from = table.index.blocks[5].offset as usize;
    let lines: Vec<String> = bytes[from..]
        .chunks(24)
        .map(|line| format!("{}\n", line.escape_ascii()).replace(' ', "\\x20"))
        .collect();
    expect![[r#"
        \x01\xbem\x06\x14\x00\x00\x04row7\x00\x00\x14\x00\x10\x00\x01\x03>M\x02\x00
        \x03\x00\x04\x00\x01\xff7,\x05\x00\x06\x00\xef\xf6\x94\x18\xfa\xddX\n\x01\xc0m\x06
        \x14\x00\x00\x04row8\x00\x00\x14\x00\x10\x00\x01\x03>M\x02\x00\x03\x00\x04\x00
        \x01\xff8,\x05\x00\x06\x00\xea\xf6>\xac\xd7-`x\x03\x00\x01a\x00\x01b\x00
        \x01c\x02\x02\x00\x01\x03\x00\x01\x02\x07\x02\x03\x20\x0f\t\x0c\x07onoff{
        \"plan\":\"free\",\"tags\":[\"a
        \",\"b\"],\"country\":\"DE\",\"v
        isits\":\"text\":\"and\x20so\x20on
        \"}\xff\x91\xf3O\x01q\x7f\xa5\x07\x00\x04row0*\x01\x02\x00\x03\x011
        *\x02\x04\x00\x03\x013)\x02\x04\x00\x03\x015r\x01\x03\x00\x03\x0160\x01\x03
        \x00\x03\x017,\x01\x03\x00\x03\x018,\x01\x03\x00\x04row8\x84\xfch\xe1
        \xcbk\x88\x86\x00\x80\x00\x00\x00\x04\x00\x01\x00\x02\x00\x80\x04\x00\x20\x00\x00\x00\x00\x20
        \x80\x04\x80\x00\x08\x00\x80\x01\x00\x00\x00\x00\x000\x00C\x07\x00\x00\x10\x00\x00C\x80
        \x20\x00B\x80\x10\x20\x20\x10\x00\x10\x90\x08\t\x04\x80\x10\x10\x80\x02\xe4\xff\x13\xfa%
        \xedI\xc1`\x00\x00\x01\x00\x16\x00\x01\x80\xbf\xd6\x06\x80\xbc\xd7\x06|1:\xe3:
        \x0c\x06\xc1\x9f\x01\x00\x00\x00\x00\x00\x00r\x00\x00\x00B\x00\x00\x00H\x00\x00\x00\x17
        \x00\x00\x00&]\xb1s\xcfgyV
    "#]]
    .assert_eq(&lines.concat());
}

/// The checksums are right, so only the order shows the damage.
#[test]
fn rows_that_do_not_ascend_are_not_copied() {
    let cells = Cells::from([((0, b"q".to_vec(), core::cmp::Reverse(0)), b"v".to_vec())]);
    let rows = [b"kb", b"kd"].map(|key| (key.to_vec(), (cells.clone(), None)));
    let (storage, file) = write(&Rows::from(rows), 1000);
    let table = SsTable::open(&storage, file).unwrap();
    let block = table.index.blocks[0].clone();
    for (last, is_copied) in [(b'c', true), (b'b', false), (b'a', false)] {
        let mut bytes = storage.read(file, 0, storage.size(file).unwrap() as usize).unwrap().to_vec();
        let section = &mut bytes[block.offset as usize..][..block.length as usize];
        let at = section.iter().position(|byte| *byte == b'd').unwrap();
        section[at] = last;
        let mut changed = section[..section.len() - super::CHECKSUM_BYTES].to_vec();
        super::finish(&mut changed, super::seed(table.header, block.offset));
        section.copy_from_slice(&changed);
        let (storage, file) = holding(bytes);
        assert_eq!(copy(&storage, file).is_ok(), is_copied, "{last}");
    }
}

#[test]
fn a_block_in_the_place_of_another_is_damage() {
    let cells = |value: u8| Cells::from([((0, b"q".to_vec(), core::cmp::Reverse(0)), alloc::vec![value; 3])]);
    let rows: Rows = (b'a'..=b'z').map(|key| (alloc::vec![key], (cells(key), None))).collect();
    let (storage, file) = write(&rows, 1);
    let table = SsTable::open(&storage, file).unwrap();
    let pair = table
        .index
        .blocks
        .windows(2)
        .find(|pair| pair[0].length == pair[1].length)
        .expect("rows that are alike");
    let (first, second) = (&pair[0], &pair[1]);
    let length = first.length as usize;
    let mut bytes = storage.read(file, 0, storage.size(file).unwrap() as usize).unwrap().to_vec();
    let (low, high) = bytes.split_at_mut(second.offset as usize);
    low[first.offset as usize..][..length].swap_with_slice(&mut high[..length]);
    let (storage, file) = holding(bytes);
    let error = read(&storage, file, &KeyRange::all(), false).unwrap_err();
    assert!(matches!(error, StorageError::Corrupt { offset, .. } if offset == first.offset), "{error}");
}

#[test]
fn damage_names_its_position() {
    let rows = Rows::from([(
        b"k".to_vec(),
        (Cells::from([((0, b"q".to_vec(), core::cmp::Reverse(0)), b"v".to_vec())]), None),
    )]);
    let (storage, file) = write(&rows, 1000);
    let mut bytes = storage.read(file, 0, storage.size(file).unwrap() as usize).unwrap().to_vec();
    bytes[crate::log::file_header::HEADER_BYTES + 3] ^= 1;
    let (storage, file) = holding(bytes);
    let error = tabletop_model::Error::from(read(&storage, file, &KeyRange::all(), false).unwrap_err());
    expect!["DataLoss: stored bytes are not what was written: file 0, offset 40, found 21 bytes of checksum 61b5c79b22bc1427, expected checksum 55dac7995076ab57, as stored after them"].assert_eq(&format!("{:?}: {}", error.code, error.message));
}
