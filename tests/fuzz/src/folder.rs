//! Fuzzes the files of a data folder.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use tabletop_engine::FileId;
use tabletop_engine::Instance;
use tabletop_model::{
    Aggregate, AggregateInput, Code, ColumnFamily, DropRowRange, FamilyModification, GcRule,
};
use tabletop_model::{Mutation, ReadRows, Response, RowMutation, TableRequest, TableSettings, TableSpec};
use tabletop_tests::faulty::FaultyStorage;
use tabletop_tests::{Database, read_all};

use crate::table::{NOW, TABLE};

mod pieces;

use pieces::Piece;

/// Files by number, each divided into the pieces that have checksums.
type Files = BTreeMap<FileId, Vec<Piece>>;

/// Edits the files of a table and corrects their checksums. Then opens, reads, writes and compacts
/// the table, and checks that each step returns rows or an error that names damage.
pub fn data_folder(input: &[u8]) {
    static STORED: OnceLock<Files> = OnceLock::new();
    let mut files = STORED.get_or_init(stored).clone();
    let mut input = Input(input);
    while !input.0.is_empty() {
        edit(&mut files, &mut input);
    }
    let written: BTreeMap<FileId, Vec<u8>> =
        files.iter().map(|(file, all)| (*file, pieces::assemble(all))).collect();
    let opened = Instance::open(FaultyStorage::holding(&written), NOW);
    let (mut engine, _) = opened.expect("damage must not prevent opening");
    let read = |engine: &mut Instance<FaultyStorage>, table: &str, reversed| {
        let read = ReadRows { reversed, ..ReadRows::default() };
        if let Err(error) = read_all(engine, NOW, table, &read) {
            assert!(matches!(error.code, Code::DataLoss | Code::NotFound), "{error}");
        }
    };
    read(&mut engine, TABLE, false);
    let restore = TableRequest::Restore { backup: "b".into() }.of("restored");
    if engine.handle(NOW, restore) == Response::Done {
        read(&mut engine, "restored", true);
    }
    let entries = vec![RowMutation { key: "new".into(), mutations: vec![set("f", "q", "v")] }];
    engine.handle(NOW, TableRequest::MutateRows(entries).of(TABLE));
    engine.handle(NOW, TableRequest::Compact.of(TABLE));
    engine.settle(NOW);
    read(&mut engine, TABLE, true);
    engine.handle(NOW, TableRequest::SampleRowKeys.of(TABLE));
    engine.handle(NOW, TableRequest::View.of(TABLE));
    engine.handle(NOW, TableRequest::Delete.of(TABLE));
}

/// The rest of the input. After its end, all bytes are zero.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::from(u16::from_le_bytes([self.byte(), self.byte()])) % limit.max(1)
    }
}

fn edit(files: &mut Files, input: &mut Input) {
    let kind = input.byte();
    let at = input.below(files.len());
    let Some(file) = files.values_mut().nth(at) else { return };
    let at = input.below(file.len());
    let length = file.len();
    let Some(piece) = file.get_mut(at) else { return };
    let place = input.below(piece.payload.len() + 1);
    let value = input.byte();
    match kind % 8 {
        0 | 1 => piece.payload.iter_mut().skip(place).take(1).for_each(|byte| *byte = value),
        2 => piece.payload.insert(place, value),
        3 => drop(piece.payload.drain(place..(place + usize::from(value % 16)).min(piece.payload.len()))),
        4 => {
            // A number at its maximum.
            let bytes = if value < 128 { [0xff; 8] } else { [0x7f; 8] };
            let width = usize::from(value % 9);
            let room = piece.payload.len() - place;
            piece.payload[place..]
                .iter_mut()
                .zip(&bytes[..width.min(room)])
                .for_each(|(byte, new)| *byte = *new);
        }
        5 => piece.synced = u64::from(value) * place as u64,
        6 => file.swap(at, usize::from(value) % length),
        _ if value < 32 => drop(file.remove(at)),
        _ => {
            let copy = file[at].clone();
            file.insert(at, copy);
        }
    }
}

fn set(family: &str, qualifier: &str, value: &str) -> Mutation {
    Mutation::SetCell {
        family: family.into(),
        qualifier: qualifier.into(),
        timestamp: 1_000,
        value: value.into(),
    }
}

/// Returns the files of a table with all features, and of a backup.
fn stored() -> Files {
    let disk = FaultyStorage::default();
    let (mut engine, _) = Instance::open(disk.clone(), NOW).expect("an empty disk");
    let settings = TableSettings {
        block_bytes: 150,
        memtable_bytes_max: 700,
        sstables_max: 3,
        tablet_bytes_max: 3_000,
        ..TableSettings::default()
    };
    let sums = ColumnFamily { aggregate: Some(Aggregate::Sum), ..ColumnFamily::new("s") };
    let families =
        vec![ColumnFamily::new("f"), ColumnFamily { locality_group: 1, ..ColumnFamily::new("e") }, sums];
    let create = TableRequest::Create(TableSpec { families, settings, ..TableSpec::default() }).of(TABLE);
    let mut ask = |request| {
        let answer = engine.handle(NOW, request);
        assert!(!matches!(answer, Response::Refused(_)), "{answer:?}");
    };
    ask(create);
    for index in 0..40 {
        let key = format!("user{:02}", index * 7 % 23);
        let sum = Mutation::AddToCell {
            family: "s".into(),
            qualifier: "n".into(),
            timestamp: 0,
            input: AggregateInput::Int(index),
        };
        let mutations = vec![
            set("f", "click,color", &format!("value {index}")),
            Mutation::DeleteFromFamily { family: "e".into() },
            set("e", "q", "a word that comes again"),
            sum,
        ];
        ask(TableRequest::MutateRows(vec![RowMutation { key: key.as_str().into(), mutations }]).of(TABLE));
        match index {
            20 => ask(TableRequest::BackUp { backup: "b".into() }.of(TABLE)),
            30 => ask(TableRequest::DropRowRange(DropRowRange::Prefix("user1".into())).of(TABLE)),
            35 => {
                let update =
                    FamilyModification::Update { family: "f".into(), gc_rule: GcRule::MaxVersions(2) };
                ask(TableRequest::ModifyFamilies(vec![update]).of(TABLE));
            }
            _ => {}
        }
    }
    drop(engine);
    disk.contents().iter().map(|(file, bytes)| (*file, pieces::cut(bytes))).collect()
}
