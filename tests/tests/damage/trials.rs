//! Random damage of every kind, to every kind of file: there must be no panic, no wrong answer
//! without a report, and no removal of a file that is needed.
//!
//! `DAMAGE_TRIALS=100000` runs that many trials, and `DAMAGE_SEED` repeats the trials of a seed,
//! which is printed.

use std::env;
use std::time::{SystemTime, UNIX_EPOCH};

use tabletop_engine::LargeWrite;
use tabletop_model::DropRowRange;
use tabletop_tests::faulty::chance;

use super::*;

const TRIALS: u64 = 3_000;
const TABLES: [&str; 2] = ["t", "other"];

/// One kind of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Flip,
    Zero,
    Truncate,
    Extend,
    /// Two parts of a file are swapped.
    Exchange,
    Swap,
    /// One file replaces another one.
    Duplicate,
    /// A file is replaced with an earlier version of itself.
    Older,
    Remove,
}

const KINDS: [Kind; 9] = [
    Kind::Flip,
    Kind::Zero,
    Kind::Truncate,
    Kind::Extend,
    Kind::Exchange,
    Kind::Swap,
    Kind::Duplicate,
    Kind::Older,
    Kind::Remove,
];

/// The files of two tables and a backup, and their expected contents.
struct Stored {
    files: Files,
    /// The same files at an earlier moment.
    older: Files,
    /// The rows of each table.
    rows: Vec<Vec<Row>>,
}

#[test]
fn random_damage_is_never_silent() {
    let number = |name: &str| env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    let seed = number("DAMAGE_SEED").unwrap_or_else(clock);
    println!("DAMAGE_SEED={seed}");
    let stored = Stored::new();
    assert_eq!(opened(&stored.files).0.contents(), stored.files, "nothing is removed without damage");
    for trial in 0..number("DAMAGE_TRIALS").unwrap_or(TRIALS) {
        stored.check(seed, trial);
    }
}

impl Stored {
    fn new() -> Stored {
        let disk = FaultyStorage::default();
        let (mut engine, _) = Instance::open(disk.clone(), 0).expect("an empty disk");
        let settings = TableSettings {
            block_bytes: 100,
            memtable_bytes_max: 600,
            sstables_max: 3,
            tablet_bytes_max: 2_500,
            tablet_load_max: 1e9,
            ..TableSettings::default()
        };
        for table in TABLES {
            let families = ["f", "e"].map(ColumnFamily::new).to_vec();
            let spec = TableSpec { families, initial_splits: Vec::new(), settings: settings.clone() };
            engine.create_table(0, table, spec).expect("a disk without faults");
        }
        let mut older = Files::new();
        let mut large = None;
        for index in 0..120_u64 {
            for table in TABLES {
                let family = if index % 7 == 0 { "e" } else { "f" }.into();
                let value = format!("value {index} of {table}").as_str().into();
                let set = Mutation::SetCell { family, qualifier: "q".into(), timestamp: 1_000, value };
                let row = RowMutation {
                    key: format!("row{:02}", index * 7 % 61).as_str().into(),
                    mutations: vec![set],
                };
                engine
                    .table(table)
                    .and_then(|mut table| table.mutate_row(0, &row))
                    .expect("a disk without faults");
            }
            match index {
                40 => engine.back_up(0, "t", BACKUP).expect("a disk without faults"),
                60 => engine.settle(0),
                // Other writes are logged while it is in progress.
                105 => large = Some(begin_large(&mut engine, "t")),
                112 => {
                    let mut large = large.take().expect("it was begun");
                    large.log(&mut disk.clone());
                    engine
                        .table("t")
                        .and_then(|mut table| table.end_large_write(large))
                        .expect("a disk without faults");
                }
                80 => older = disk.contents(),
                100 => {
                    let drop = DropRowRange::Prefix("row3".into());
                    engine
                        .table("t")
                        .and_then(|mut table| table.drop_row_range(&drop))
                        .expect("a disk without faults");
                }
                _ => {}
            }
        }
        // This write is never completed.
        begin_large(&mut engine, "other");
        engine.confirm();
        let rows = TABLES.map(|table| read_table(&mut engine, table).expect("a table")).to_vec();
        let files = disk.contents();
        // Some files belong to unfinished compactions, which opening removes.
        let (disk, _) = opened(&files);
        Stored { files: disk.contents(), older, rows }
    }

    fn check(&self, seed: u64, trial: u64) {
        let mut chance = chance(seed.wrapping_add(trial.wrapping_mul(0x2545_f491_4f6c_dd1d)));
        let kind = KINDS[chance(KINDS.len() as u64) as usize];
        let mut pick = |count: usize| chance(count as u64) as usize;
        let numbers: Vec<FileId> = self.files.keys().copied().collect();
        let (target, other) = (numbers[pick(numbers.len())], numbers[pick(numbers.len())]);
        let mut changed = self.files.clone();
        let mut bytes = changed.remove(&target).expect("it is there");
        let what = format!(
            "DAMAGE_SEED={seed}, trial {trial}: {kind:?} of file {} of {} bytes",
            target.0,
            bytes.len()
        );
        let at = pick(bytes.len());
        // A file that ends between two records looks complete.
        let mut may_be_older = false;
        match kind {
            Kind::Flip => bytes[at] ^= 1 << pick(8),
            Kind::Zero => bytes.iter_mut().skip(at).take(1 + pick(300)).for_each(|byte| *byte = 0),
            Kind::Truncate => {
                bytes.truncate(at);
                may_be_older = record_ends(&self.files[&target]).contains(&at);
            }
            Kind::Extend => bytes.extend((0..1 + pick(100)).map(|_| pick(256) as u8)),
            Kind::Exchange => {
                let length = 1 + pick(bytes.len() / 2);
                let (first, second) = (pick(bytes.len() - 2 * length + 1), bytes.len() - length);
                let (low, high) = bytes.split_at_mut(second);
                low[first..first + length].swap_with_slice(high);
            }
            Kind::Swap => {
                bytes = changed.insert(other, bytes).unwrap_or_else(|| self.files[&target].clone());
            }
            Kind::Duplicate => bytes.clone_from(&self.files[&other]),
            Kind::Older => {
                let Some(before) = self.older.get(&target) else { return };
                bytes.clone_from(before);
                may_be_older = true;
            }
            Kind::Remove => {}
        }
        if kind != Kind::Remove {
            changed.insert(target, bytes);
        }
        let (disk, (mut engine, report)) = opened(&changed);
        let after = disk.contents();
        let removed: Vec<FileId> = changed.keys().filter(|file| !after.contains_key(file)).copied().collect();
        // A useless file that was replaced is removed again.
        let is_of_no_use = |file: &FileId| matches!(kind, Kind::Duplicate | Kind::Swap) && *file == target;
        let is_sstable = |file: &FileId| changed[file][8] == 3;
        // The segment of a large write that was only begun.
        let is_empty = |file: &FileId| changed[file].len() == HEADER_BYTES;
        let may_go =
            |file: &FileId| is_of_no_use(file) || may_be_older && (is_sstable(file) || is_empty(file));
        assert!(removed.iter().all(may_go), "{what}: {removed:?} are removed\n{report:#?}");
        for settled in [false, true] {
            for (table, right) in TABLES.iter().zip(&self.rows) {
                let torn = report.tables.iter().any(|found| found.table == *table && found.torn_bytes > 0);
                match read_table(&mut engine, table) {
                    Ok(rows) => {
                        assert!(
                            rows == *right || torn || may_be_older,
                            "{what}: {table} is wrong, settled {settled}\n{report:#?}"
                        );
                    }
                    Err(error) => {
                        assert_eq!(error.code, Code::DataLoss, "{what}: {error}");
                        assert!(
                            !report.is_whole()
                                || settled
                                || kind == Kind::Flip
                                || bytes_may_be_of_a_block(kind),
                            "{what}: {error}"
                        );
                    }
                }
            }
            if !settled {
                engine.settle(0);
            }
        }
    }
}

/// Begins a large write, for which the manifest names the next segment of the log.
fn begin_large(engine: &mut Instance<FaultyStorage>, table: &str) -> LargeWrite {
    let set = Mutation::SetCell {
        family: "f".into(),
        qualifier: "q".into(),
        timestamp: 1_000,
        value: vec![7; 3_000].into(),
    };
    let row = RowMutation { key: "row17".into(), mutations: vec![set] };
    let mut large = engine
        .readers()
        .table(table)
        .and_then(|reader| reader.large_write(0, &row).ok())
        .expect("a valid row");
    engine
        .table(table)
        .and_then(|mut table| table.begin_large_write(&mut large))
        .expect("a disk without faults");
    large
}

/// Damage of a block is found when it is read.
fn bytes_may_be_of_a_block(kind: Kind) -> bool {
    matches!(kind, Kind::Zero | Kind::Exchange | Kind::Older)
}

fn opened(files: &Files) -> (FaultyStorage, (Instance<FaultyStorage>, Recovery)) {
    let disk = FaultyStorage::holding(files);
    // Only the backup's own file refers to it, so the host must name it.
    let opened = Instance::open_expecting(disk.clone(), 0, &[BACKUP.into()]).expect("damage is not an error");
    (disk, opened)
}
