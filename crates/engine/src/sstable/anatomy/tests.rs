//! The parts of blocks match what a reader decodes, and damage ends them.

use std::vec;

use proptest::prelude::*;
use tabletop_model::escape;

use super::super::tests::{Rows, any_rows, write};
use super::super::{SsTable, StoredCursor, checked};
use super::*;
use crate::cache::Blocks;
use crate::filter::Needed;
use crate::key_range::KeyRange;
use crate::storage::{MemoryStorage, Storage};

const FAMILIES: [&str; 4] = ["a", "bb", "", "d"];

fn families() -> Vec<String> {
    FAMILIES.map(String::from).to_vec()
}

/// Returns the parts of a block, in pages of this size.
fn parts(
    storage: &MemoryStorage,
    table: &SsTable,
    block: usize,
    page: usize,
) -> (Vec<u8>, Vec<BlockPart>, u64, Option<Damage>) {
    let section = table.read_section(storage, block).unwrap().to_vec();
    let dictionary = table.read_dictionary(storage).unwrap_or_default();
    let (mut parts, mut logical, mut damage) = (Vec::new(), 0, None);
    for from in (0..section.len()).step_by(page) {
        let anatomy =
            Anatomy::of(&section, table.block_seed(block), &dictionary, &families(), from..from + page);
        for part in anatomy.parts {
            assert!(
                part.at < (from + page) as u32 && (part.at + part.length) as usize > from,
                "{part:?} is not in its page"
            );
            if parts.last() != Some(&part) {
                parts.push(part);
            }
        }
        (logical, damage) = (anatomy.logical_bytes, anatomy.damage);
    }
    (section, parts, logical, damage)
}

/// Texts of the keys, of the columns of cells with their times and values, and the number of
/// deletions, as a reader finds them.
type Texts = (Vec<String>, Vec<(String, String)>, usize);

fn texts(parts: &[BlockPart]) -> Texts {
    let values = [PartKind::Word, PartKind::Value, PartKind::Tokens];
    let of = |kind| parts.iter().filter(move |part| part.kind == kind).map(|part| part.text.clone());
    // An empty value does not get a part; its length gets one.
    let is_value = |part: &&BlockPart| {
        values.contains(&part.kind) || part.kind == PartKind::ValueLength && part.text == "0"
    };
    let value = |part: &BlockPart| match part.kind {
        PartKind::ValueLength => String::new(),
        _ => part.text.clone(),
    };
    let cells = parts.iter().filter(is_value).map(|part| (part.column.clone().unwrap(), value(part)));
    (of(PartKind::Key).collect(), cells.collect(), of(PartKind::Deletes).count())
}

fn read(storage: &MemoryStorage, table: &SsTable) -> (Texts, u64) {
    let (mut keys, mut cells, mut deletes, mut logical) = (Vec::new(), Vec::new(), 0, 0);
    let (blocks, all) = (Blocks::uncached(storage), KeyRange::all());
    let mut cursor = StoredCursor::new(&blocks, table, all.bounds(), false).unwrap();
    while let Some(key) = cursor.key() {
        keys.push(text(key));
        logical += key.len() as u64;
        deletes += usize::from(cursor.tombstones().is_some());
        while let Some(mut cell) = cursor.next_cell(Needed::All).unwrap() {
            cursor.resolve(&mut cell).unwrap();
            let (family, qualifier) = cursor.column(&cell);
            let name = FAMILIES[usize::from(family)];
            logical += (name.len() + qualifier.len() + 8 + cursor.value(&cell).len()) as u64;
            cells.push((cut(format!("{name}:{}", escape(qualifier))), text(cursor.value(&cell))));
        }
        cursor.next_row().unwrap();
    }
    ((keys, cells, deletes), logical)
}

fn open(rows: &Rows, block_bytes: u32) -> (MemoryStorage, SsTable) {
    let (storage, file) = write(rows, block_bytes);
    let table = SsTable::open(&storage, file).unwrap();
    (storage, table)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn parts_say_what_a_reader_decodes(rows in any_rows(), block_bytes in 20u32..2000, page in 1usize..300) {
        let (storage, table) = open(&rows, block_bytes);
        let (mut found, mut logical, mut repeated) = ((Vec::new(), Vec::new(), 0), 0, 0);
        for block in 0..table.index.blocks.len() {
            let (section, parts, bytes, damage) = parts(&storage, &table, block, page);
            prop_assert_eq!(damage, None);
            let mut end = 0;
            for part in &parts {
                prop_assert_eq!(part.at, end);
                end += part.length;
            }
            prop_assert_eq!(end as usize, section.len());
            let (mut keys, cells, deletes) = texts(&parts);
            if table.index.blocks[block].continues {
                repeated += table.index.first_key(block).len() as u64;
                keys.remove(0);
            }
            logical += bytes;
            found.0.extend(keys);
            found.1.extend(cells);
            found.2 += deletes;
        }
        let (expected, bytes) = read(&storage, &table);
        prop_assert_eq!(found, expected);
        prop_assert_eq!(logical - repeated, bytes);
    }

    #[test]
    fn damaged_bytes_end_the_parts(rows in any_rows(), changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6), seals in any::<bool>()) {
        let (storage, table) = open(&rows, 500);
        let mut section = table.read_section(&storage, 0).unwrap().to_vec();
        let dictionary = table.read_dictionary(&storage).unwrap();
        let before = section.clone();
        let payload = section.len() - CHECKSUM_BYTES;
        changes.iter().for_each(|(at, byte)| section[at.index(payload)] = *byte);
        if seals {
            // Invalid bytes under a correct checksum.
            let mut sealed = section[..payload].to_vec();
            super::super::finish(&mut sealed, table.block_seed(0));
            section = sealed;
        }
        let all = 0..section.len();
        let anatomy = Anatomy::of(&section, table.block_seed(0), &dictionary, &families(), all);
        // A change may write what was already there.
        prop_assert_eq!(anatomy.damage.is_none(), section == before || seals && anatomy.damage.is_none());
        prop_assert_eq!(checked(&section, table.block_seed(0)).is_err(), !seals && section != before);
        let mut end = 0;
        for part in &anatomy.parts {
            prop_assert_eq!(part.at, end);
            end += part.length;
        }
        prop_assert!(end as usize <= section.len());
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let anatomy = Anatomy::of(&bytes, 0, &Dictionary::default(), &[], 0..bytes.len());
        prop_assert!(anatomy.damage.is_some());
    }
}

#[test]
fn a_block_is_read_aloud() {
    let mut rows = Rows::new();
    for key in ["user#1", "user#2"] {
        let cells = [((0, b"q".to_vec(), core::cmp::Reverse(5_000)), key.as_bytes().to_vec())];
        rows.insert(key.into(), (cells.into_iter().collect(), None));
    }
    let (storage, table) = open(&rows, 500);
    let (.., parts, _, _) = {
        let (section, parts, logical, damage) = parts(&storage, &table, 0, 1_000);
        assert_eq!(damage, None);
        (section, parts, logical, ())
    };
    let said: Vec<_> = parts.iter().map(|part| (part.kind, part.text.as_str())).collect();
    let keys: Vec<_> =
        said.iter().filter(|(kind, _)| matches!(kind, PartKind::SharedLength | PartKind::Key)).collect();
    assert_eq!(
        keys,
        vec![
            &(PartKind::SharedLength, "0"),
            &(PartKind::Key, "user#1"),
            &(PartKind::SharedLength, "5"),
            &(PartKind::Key, "user#2")
        ]
    );
    assert_eq!(said[..2], [(PartKind::RowCount, "2"), (PartKind::BaseTime, "5000")]);
    assert!(storage.size(table.file).unwrap() > 0);
}
