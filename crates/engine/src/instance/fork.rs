//! Copies of an instance in memory, which evolve independently.

use super::Instance;
use crate::storage::MemoryStorage;

impl Instance<MemoryStorage> {
    /// Returns a copy that evolves independently: the same calls at the same times give the same
    /// results on both. The two share SSTables. Memtables are copied, so a copy costs time and
    /// memory in proportion to their size. The block cache of the copy is empty.
    ///
    /// Returns `None` while a compaction is in progress, and for an instance that has backups or
    /// imports, or whose tables survive the process.
    pub fn fork(&self) -> Option<Self> {
        if self.is_durable || !self.backups.is_empty() || !self.imports.is_empty() {
            return None;
        }
        let mut fork = Instance {
            damage: self.damage.clone(),
            limits: self.limits,
            turn: self.turn,
            has_flushed: self.has_flushed,
            gc_delay: self.gc_delay,
            gc_time: self.gc_time,
            ..Instance::on(self.storage.clone())
        };
        for (at, (id, table)) in self.tables.iter().enumerate() {
            fork.add_table(at, id, table.fork()?);
        }
        Some(fork)
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::vec;
    use alloc::vec::Vec;

    use tabletop_model::{
        ColumnFamily, DropRowRange, Mutation, ReadRows, Row, RowMutation, SERVER_TIME, TableSettings,
        TableSpec, TableView, Timestamp,
    };

    use super::*;
    use crate::Budget;

    const STEPS: i64 = 6_000;

    fn small() -> Instance {
        let mut instance = Instance::new();
        let settings = TableSettings {
            block_bytes: 1 << 10,
            memtable_bytes_max: 4 << 10,
            sstables_max: 3,
            tablet_bytes_max: 16 << 10,
            ..TableSettings::default()
        };
        let spec = TableSpec { settings, families: vec![ColumnFamily::new("f")], ..TableSpec::default() };
        instance.create_table(0, "t", spec).unwrap();
        instance
    }

    /// Makes one write, and sometimes more: deletes, dropped rows, maintenance.
    fn step(instance: &mut Instance, at: i64) {
        let now = at * 10_000;
        let key = format!("row#{:05}", at * 7_919 % 4_000);
        let mut table = instance.table("t").unwrap();
        let set = Mutation::SetCell {
            family: "f".into(),
            qualifier: format!("q{}", at % 3).into(),
            timestamp: SERVER_TIME,
            value: vec![at as u8; 20].into(),
        };
        let mutations = if at % 11 == 0 { vec![Mutation::DeleteFromRow] } else { vec![set] };
        table.mutate_row(now, &RowMutation { key: key.as_str().into(), mutations }).unwrap();
        if at % 997 == 0 {
            table
                .drop_row_range(&DropRowRange::Prefix(format!("row#{:03}", at % 400).as_str().into()))
                .unwrap();
        }
        if at % 32 == 0 {
            instance.advance(now, Budget { bytes: 8 << 10 });
        }
    }

    fn seen(instance: &mut Instance, now: Timestamp) -> (TableView, Vec<Row>) {
        let mut table = instance.table("t").unwrap();
        let view = table.view(now);
        // A read changes the counts of reads, so it is unmetered and comes last.
        let read = ReadRows { unmetered: true, ..ReadRows::default() };
        (view, table.read(now, &read).unwrap().rows)
    }

    #[test]
    fn a_copy_behaves_like_its_original_and_neither_sees_the_other() {
        let mut straight = small();
        let mut forks = Vec::new();
        for at in 0..STEPS {
            step(&mut straight, at);
            if at % 500 == 17 {
                forks.extend(straight.fork().map(|fork| (at, fork)));
            }
        }
        assert!(forks.len() > 4, "compactions are short: {}", forks.len());
        let expected = seen(&mut straight, STEPS * 10_000);
        assert!(expected.0.splits > 3 && expected.0.major_compactions > 3, "{:?}", expected.0);
        for (from, mut fork) in forks {
            let mut again = fork.fork().expect("nothing is under way");
            (from + 1..STEPS).for_each(|at| step(&mut fork, at));
            assert!(seen(&mut fork, STEPS * 10_000) == expected, "the copy of step {from}");
            drop(fork);
            (from + 1..STEPS).for_each(|at| step(&mut again, at));
            assert!(seen(&mut again, STEPS * 10_000) == expected, "the copy of the copy of step {from}");
            assert_eq!(
                again.storage().file_count(),
                straight.storage().file_count(),
                "files that were replaced are removed"
            );
        }
        assert!(seen(&mut straight, STEPS * 10_000).1 == expected.1, "the original has its files");
    }
}
