//! Writes that share a sync. They are logged at once but become visible only after the sync, so
//! that no reader sees what a crash may undo. Requests that read before they write see the held
//! writes before them.

use alloc::boxed::Box;
use alloc::vec::Vec;

use tabletop_model::{Result, Timestamp};

use crate::change::Changes;
use crate::log::LogPlace;
use crate::log::commit_log::decode;
use crate::storage::{Storage, StorageError};
use crate::table::Table;
use crate::table::held_writes::HeldWrite;
use crate::table::mutate::Touched;

impl Table {
    /// Holds the writes that follow until [`Table::release_writes`]. A table that syncs nothing
    /// holds nothing.
    pub fn hold_writes(&mut self) {
        if self.durable.as_ref().is_some_and(|durable| durable.is_synced()) {
            self.held = Some(Box::default());
        }
    }

    /// Syncs the held writes, makes them visible, and stops holding writes.
    ///
    /// # Errors
    /// `Unavailable` when some may be lost: none of them is visible, but they may be found when the
    /// table is opened again. Until then the table rejects writes.
    pub fn release_writes(&mut self, storage: &mut dyn Storage) -> Result<()> {
        let applied = self.apply_held(storage);
        // If an earlier sync has failed, its error is returned.
        let error = self.held.take().and_then(|held| held.into_error());
        if let Some((now, touched)) = error.map_or(applied, Err)? {
            self.maintain_touched(storage, now, touched);
        }
        Ok(())
    }

    /// Holds a write that was logged.
    #[cold]
    pub(crate) fn hold(
        &mut self,
        storage: &mut dyn Storage,
        now: Timestamp,
        changes: &Changes<'_>,
        place: LogPlace,
    ) -> Result<()> {
        if self.held.as_mut().is_some_and(|held| held.add(now, changes, place)) {
            self.sync_held(storage)?;
        }
        Ok(())
    }

    /// Syncs the held writes and makes them visible. Nothing may be recorded as stored before this.
    /// Tablets are neither split nor merged: a later call does the work that is due.
    pub(crate) fn sync_held(&mut self, storage: &mut dyn Storage) -> core::result::Result<(), StorageError> {
        if self.held.is_some()
            && let Some((_, touched)) = self.apply_held(storage)?
        {
            touched.tablets.iter().for_each(|&index| self.note_check(index));
        }
        Ok(())
    }

    /// Syncs the held writes and makes them visible. Returns the tablets that they touched, with
    /// the time of the last write.
    #[cold]
    fn apply_held(
        &mut self,
        storage: &mut dyn Storage,
    ) -> core::result::Result<Option<(Timestamp, Touched)>, StorageError> {
        let Some(held) = self.held.as_mut() else { return Ok(None) };
        let writes = held.take_writes();
        if writes.is_empty() {
            return Ok(None);
        }
        let synced = self.durable.as_mut().map_or(Ok(()), |durable| durable.sync(storage));
        held.note_sync(&synced);
        synced?;
        let mut decoded = Vec::with_capacity(writes.len());
        for HeldWrite { encoded, .. } in &writes {
            decoded.push(decode(encoded).map_err(|_| damaged_in_memory())?);
        }
        let applied: Vec<_> =
            writes.iter().zip(&decoded).map(|(write, changes)| (write.now, write.place, changes)).collect();
        let now = applied.last().map_or(0, |(now, ..)| *now);
        Ok(Some((now, self.apply_writes(storage, &applied))))
    }
}

/// Returns the error for an encoded write that cannot be decoded.
pub(crate) fn damaged_in_memory() -> StorageError {
    StorageError::Unknown("a write in memory is damaged".into())
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::{String, ToString};
    use proptest::prelude::*;
    use std::vec;
    use tabletop_model::{
        CheckAndMutateRow, ColumnFamily, Mutation, ReadModify, ReadModifyWriteRow, ReadModifyWriteRule,
        ReadRows, Row, RowMutation, TableSettings, TableSpec,
    };

    use super::*;
    use crate::{Instance, Limits, MemoryStorage, TableHandle};

    /// Memtables are written and the log is cut even between held writes.
    fn limits() -> Limits {
        Limits { memtable_bytes_max: 3 << 10, log_bytes_max: 6 << 10, ..Limits::default() }
    }

    fn instance() -> Instance {
        let mut instance = Instance::open(MemoryStorage::default(), 0).unwrap().0;
        let settings = TableSettings {
            memtable_bytes_max: 1 << 10,
            tablet_bytes_max: 4 << 10,
            block_bytes: 256,
            ..TableSettings::default()
        };
        let spec = TableSpec { families: vec![ColumnFamily::new("f")], settings, ..TableSpec::default() };
        instance.create_table(0, "t", spec).unwrap();
        instance.set_limits(limits());
        instance
    }

    fn set(value: &str) -> Mutation {
        Mutation::SetCell { family: "f".into(), qualifier: "q".into(), timestamp: 0, value: value.into() }
    }

    fn put(table: &mut TableHandle<'_>, key: &str, mutations: Vec<Mutation>) {
        table.mutate_row(0, &RowMutation { key: key.into(), mutations }).unwrap();
    }

    fn append(table: &mut TableHandle<'_>, key: &str, text: &str) -> String {
        let rule = ReadModifyWriteRule {
            family: "f".into(),
            qualifier: "q".into(),
            modify: ReadModify::Append(text.into()),
        };
        let row = table
            .read_modify_write_row(0, &ReadModifyWriteRow { key: key.into(), rules: vec![rule] })
            .unwrap();
        row.cells[0].value.to_string()
    }

    fn seen(instance: &Instance) -> Vec<String> {
        let mut rows: Vec<Row> = Vec::new();
        let reader = instance.readers().table("t").unwrap();
        reader.read_into(instance.storage(), 0, &ReadRows::default(), &mut rows).unwrap();
        rows.iter().map(|row| format!("{}={}", row.key, row.cells[0].value)).collect()
    }

    fn stored(instance: &Instance) -> Vec<String> {
        seen(&Instance::open(instance.storage().clone(), 0).unwrap().0)
    }

    #[test]
    fn held_writes_are_seen_by_requests_that_read_and_by_no_reader() {
        let mut instance = instance();
        let mut table = instance.table("t").unwrap();
        put(&mut table, "a", vec![set("old")]);
        table.hold_writes();
        put(&mut table, "a", vec![Mutation::DeleteFromRow]);
        assert_eq!(
            [append(&mut table, "a", "x"), append(&mut table, "a", "y"), append(&mut table, "b", "z")],
            ["x", "xy", "z"]
        );
        let check = |key: &str| CheckAndMutateRow {
            key: key.into(),
            predicate: None,
            on_match: vec![set("found")],
            otherwise: vec![set("not found")],
        };
        assert!(
            table.check_and_mutate_row(0, &check("b")).unwrap()
                && !table.check_and_mutate_row(0, &check("c")).unwrap()
        );
        assert_eq!(seen(&instance), ["a=old"]);
        instance.table("t").unwrap().release_writes().unwrap();
        let all = ["a=xy", "b=found", "c=not found"];
        assert_eq!(
            (seen(&instance), stored(&instance)),
            (all.map(String::from).to_vec(), all.map(String::from).to_vec())
        );
        assert_eq!(append(&mut instance.table("t").unwrap(), "b", "!"), "found!");
        assert_eq!(seen(&instance)[1], "b=found!", "no further writes are held");
    }

    #[derive(Clone, Debug)]
    enum Step {
        Put(u8, String),
        Append(u8, String),
        Delete(u8),
        Hold,
        Release,
        Advance,
        Reopen,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let text = || "[a-z]{0,200}";
        let step = prop_oneof![
            6 => (0..12_u8, text()).prop_map(|(key, value)| Step::Put(key, value)),
            3 => (0..12_u8, "[a-z]{1,5}").prop_map(|(key, value)| Step::Append(key, value)),
            2 => (0..12_u8).prop_map(Step::Delete),
            2 => Just(Step::Hold),
            2 => Just(Step::Release),
            1 => Just(Step::Advance),
            1 => Just(Step::Reopen),
        ];
        prop::collection::vec(step, 1..120)
    }

    proptest! {
        /// Holding writes makes no difference, neither to what is read once they are released nor
        /// to what is stored.
        #[test]
        fn held_writes_are_done_like_others(steps in steps()) {
            let (mut held, mut plain) = (instance(), instance());
            for step in steps {
                if matches!(step, Step::Hold | Step::Release | Step::Reopen | Step::Advance) {
                    let mut table = held.table("t").unwrap();
                    table.release_writes().unwrap();
                    if matches!(step, Step::Hold) {
                        table.hold_writes();
                    }
                    prop_assert_eq!(seen(&held), seen(&plain));
                }
                match step {
                    Step::Put(key, value) => [&mut held, &mut plain].into_iter().for_each(|instance| {
                        put(&mut instance.table("t").unwrap(), &format!("{key}"), vec![set(&value)]);
                    }),
                    Step::Append(key, text) => {
                        let [one, other] = [&mut held, &mut plain]
                            .map(|instance| append(&mut instance.table("t").unwrap(), &format!("{key}"), &text));
                        prop_assert_eq!(one, other);
                    }
                    Step::Delete(key) => [&mut held, &mut plain].into_iter().for_each(|instance| {
                        put(&mut instance.table("t").unwrap(), &format!("{key}"), vec![Mutation::DeleteFromRow]);
                    }),
                    Step::Advance => drop(held.advance(0, crate::Budget { bytes: 1 << 20 })),
                    Step::Reopen => {
                        held = Instance::open(held.storage().clone(), 0).unwrap().0;
                        held.set_limits(limits());
                        prop_assert_eq!(seen(&held), seen(&plain));
                    }
                    Step::Hold | Step::Release => {}
                }
            }
            held.table("t").unwrap().release_writes().unwrap();
            prop_assert_eq!(stored(&held), seen(&plain));
        }
    }
}
