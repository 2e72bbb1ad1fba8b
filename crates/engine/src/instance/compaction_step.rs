//! Steps of compactions, which the host runs concurrently with reads and writes.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::storage::{FileId, Storage, StorageError};
use crate::table::compaction::Budget;
use crate::table::flushing::{Flushing, Written};
use crate::table::merging::Progress;
use crate::table::run::Run;

/// A part of a compaction, with everything it needs of its table. A step that is never put back
/// leaves a file, which is removed when the storage is opened again; until then the table is not
/// compacted.
#[derive(Debug)]
pub struct CompactionStep {
    pub(super) table: String,
    pub(super) work: Work,
}

#[derive(Debug)]
pub(super) enum Work {
    /// A minor compaction. `written` is `None` until it has run.
    Flush { flushing: Flushing, written: Option<Result<Written, StorageError>> },
    /// A part of a merging or major compaction.
    Merge {
        file: FileId,
        /// The runs that the step has open.
        runs: [Arc<[Run]>; 2],
        progress: Result<Progress, StorageError>,
    },
}

impl CompactionStep {
    /// Writes memtables, or merges a part of about the size of `budget`. `storage` is the storage
    /// of the instance.
    #[must_use]
    pub fn run(self, storage: &mut dyn Storage, budget: Budget) -> CompactionStep {
        let work = match self.work {
            Work::Flush { flushing, written } => {
                let written = written.or_else(|| Some(flushing.run(storage)));
                Work::Flush { flushing, written }
            }
            Work::Merge { file, runs, progress } => {
                let mut left = budget.bytes;
                let progress = progress.and_then(|progress| match progress {
                    Progress::More(merging) => merging.run(storage, &mut left),
                    done => Ok(done),
                });
                Work::Merge { file, runs, progress }
            }
        };
        CompactionStep { work, ..self }
    }
}

impl Work {
    /// Returns the runs that the step has open.
    pub fn runs(&self) -> Vec<Run> {
        match self {
            Work::Flush { flushing, .. } => {
                flushing.parts.iter().flat_map(|part| &part.older).cloned().collect()
            }
            Work::Merge { runs, .. } => runs.iter().flat_map(|runs| runs.iter()).cloned().collect(),
        }
    }

    /// Removes the files that the step has written.
    pub fn discard(self, storage: &mut dyn Storage) -> Result<(), StorageError> {
        match self {
            Work::Flush { written: Some(Ok(written)), .. } => {
                written.iter().map(|(_, table)| storage.remove(table.file)).fold(Ok(()), Result::and)
            }
            Work::Flush { .. } => Ok(()),
            Work::Merge { file, .. } => storage.remove(file),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::vec::Vec;
    use proptest::prelude::*;
    use std::vec;
    use tabletop_model::{
        ColumnFamily, DropRowRange, FamilyModification, GcRule, Mutation, ReadRows, Row, RowMutation,
        TableSettings, TableSpec,
    };

    use super::*;
    use crate::{Instance, MemoryStorage};

    #[derive(Clone, Debug)]
    enum Step {
        Put(u8, u8),
        Delete(u8),
        Compact,
        Drop(u8),
        Rule(i32),
        Split(u64),
        Recreate,
        BackUp,
        DeleteBackup,
        Reopen,
        /// Takes a step of a compaction, unless two are out already: a minor one and another.
        Take(u64),
        /// Puts back the step that was taken first.
        PutBack,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            12 => (0..30_u8, any::<u8>()).prop_map(|(key, value)| Step::Put(key, value)),
            3 => (0..30_u8).prop_map(Step::Delete),
            1 => Just(Step::Compact),
            1 => (0..3_u8).prop_map(Step::Drop),
            1 => (1..4_i32).prop_map(Step::Rule),
            1 => (1_000..4_000_u64).prop_map(Step::Split),
            1 => Just(Step::Recreate),
            1 => Just(Step::BackUp),
            1 => Just(Step::DeleteBackup),
            1 => Just(Step::Reopen),
            8 => (1..3_000_u64).prop_map(Step::Take),
            8 => Just(Step::PutBack),
        ];
        prop::collection::vec(step, 1..200)
    }

    fn spec() -> TableSpec {
        let settings = TableSettings {
            memtable_bytes_max: 600,
            tablet_bytes_max: 4_000,
            block_bytes: 200,
            sstables_max: 2,
            ..TableSettings::default()
        };
        TableSpec { families: vec![ColumnFamily::new("f")], settings, ..TableSpec::default() }
    }

    fn rows(instance: &mut Instance) -> Vec<Row> {
        instance.table("t").unwrap().read(0, &ReadRows::default()).unwrap().rows
    }

    /// Changes an instance. It does not matter whether a backup exists already or is missing.
    fn act(instance: &mut Instance, step: &Step, time: i64) {
        let mut write = |key: u8, mutations| {
            let key = format!("{}{key:02}", key % 3).as_str().into();
            instance.table("t").unwrap().mutate_row(0, &RowMutation { key, mutations }).unwrap();
        };
        match *step {
            Step::Put(key, value) => {
                let value = vec![value; 60].into();
                write(
                    key,
                    vec![Mutation::SetCell {
                        family: "f".into(),
                        qualifier: "q".into(),
                        timestamp: time * 1_000,
                        value,
                    }],
                );
            }
            Step::Delete(key) => write(key, vec![Mutation::DeleteFromRow]),
            Step::Compact => instance.table("t").unwrap().compact(),
            Step::Drop(prefix) => {
                let prefix = format!("{prefix}").as_str().into();
                instance.table("t").unwrap().drop_row_range(&DropRowRange::Prefix(prefix)).unwrap();
            }
            Step::Rule(versions) => {
                let update =
                    FamilyModification::Update { family: "f".into(), gc_rule: GcRule::MaxVersions(versions) };
                instance.table("t").unwrap().modify_families(&[update]).unwrap();
            }
            Step::Split(bytes) => {
                let settings = TableSettings { tablet_bytes_max: bytes, ..spec().settings };
                instance.table("t").unwrap().update_settings(settings).unwrap();
            }
            Step::Recreate => {
                instance.delete_table("t").unwrap();
                instance.create_table(0, "t", spec()).unwrap();
            }
            Step::BackUp => drop(instance.back_up(0, "t", "b")),
            Step::DeleteBackup => drop(instance.delete_backup("b")),
            Step::Reopen | Step::Take(_) | Step::PutBack => {}
        }
    }

    /// Returns the newest cell of each row; GC rules decide how many more there are.
    fn newest(rows: Vec<Row>) -> Vec<Row> {
        rows.into_iter().map(|row| Row { cells: row.cells.into_iter().take(1).collect(), ..row }).collect()
    }

    #[test]
    fn steps_of_one_kind_do_not_keep_others_waiting() {
        let mut instance = Instance::open(MemoryStorage::default(), 0).unwrap().0;
        instance.create_table(0, "t", spec()).unwrap();
        for key in 0..30 {
            (0..4).for_each(|value| act(&mut instance, &Step::Put(key, value), i64::from(value)));
        }
        instance.table("t").unwrap().compact();
        instance.advance_apart(0, Budget { bytes: 1 << 20 });
        for key in 0..30 {
            act(&mut instance, &Step::Put(key, 9), 9);
        }
        let (mut flushes, mut merges) = (0, 0);
        for _ in 0..10 {
            let Some(step) = instance.take_step(0) else { break };
            match step.work {
                // Storage refuses the write.
                Work::Flush { .. } => flushes += 1,
                Work::Merge { .. } => merges += 1,
            }
            instance.put_back(0, step).unwrap();
        }
        assert_eq!((flushes, merges), (5, 5));
    }

    proptest! {
        /// Whatever happens to a table while a step is out, its rows equal those of a table without
        /// compactions, and no file is left that nothing needs.
        #[test]
        fn a_table_changes_as_it_likes_during_a_step(steps in steps()) {
            let mut apart = Instance::open(MemoryStorage::default(), 0).unwrap().0;
            let mut plain = Instance::new();
            for instance in [&mut apart, &mut plain] {
                instance.create_table(0, "t", spec()).unwrap();
            }
            let mut out: Vec<CompactionStep> = Vec::new();
            for (time, step) in steps.iter().enumerate() {
                act(&mut apart, step, time as i64);
                act(&mut plain, step, time as i64);
                match step {
                    Step::Take(bytes) if out.len() < 2 => {
                        apart.advance_apart(time as i64, Budget { bytes: 1 << 20 });
                        // This storage has one copy of the files, so what a step writes is in them
                        // at once. Every other step runs only when it is put back.
                        let step = apart.take_step(time as i64);
                        let run = |step: CompactionStep| if bytes % 2 == 0 { step } else { step.run(&mut apart.storage, Budget { bytes: *bytes }) };
                        out.extend(step.map(run));
                    }
                    Step::PutBack if !out.is_empty() => {
                        // Changes during the step may have removed its file.
                        let step = out.remove(0).run(&mut apart.storage, Budget { bytes: 500 });
                        apart.put_back(time as i64, step).unwrap();
                    }
                    Step::Reopen => {
                        // What the steps have written is lost.
                        out.clear();
                        apart = Instance::open(apart.storage().clone(), 0).unwrap().0;
                    }
                    _ => {}
                }
                prop_assert_eq!(newest(rows(&mut apart)), newest(rows(&mut plain)));
            }
            out.into_iter().for_each(|step| apart.put_back(1_000, step).unwrap());
            while apart.advance(1_000, Budget { bytes: 1 << 20 }) {}
            let expected = newest(rows(&mut plain));
            prop_assert_eq!(newest(rows(&mut apart)), expected.clone());
            let files = apart.storage().files().unwrap();
            let mut again = Instance::open(apart.storage().clone(), 0).unwrap().0;
            prop_assert_eq!(newest(rows(&mut again)), expected);
            // A manifest stays until the next start if its table was deleted while a backup or a
            // step had another file of it.
            let deleted = steps.iter().filter(|step| matches!(step, Step::Recreate)).count();
            let (left, needed) = (files.len(), again.storage().files().unwrap().len());
            prop_assert!((needed..=needed + deleted * 2).contains(&left), "{} files, {} are needed", left, needed);
        }
    }
}
