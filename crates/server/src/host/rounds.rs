//! The garbage of closed instances. A data folder may have more instances than stay open, and no
//! call may ever open some of them. Their cells expire nevertheless, so each instance is opened
//! when it has work, and then closed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tabletop_model::{Result, Timestamp};

use super::{Host, InstanceName, Served};
use crate::lock::lock;

/// The pause between two steps, during which calls that have opened the instance can use it.
const PAUSE: Duration = Duration::from_millis(1);
/// How often work that cannot be done now is retried: work that storage refuses, and closing an
/// instance that is in use.
const TRIES: usize = 50;

/// Rounds through the closed instances of a host.
#[derive(Debug, Default)]
pub(crate) struct Rounds {
    /// The time from which each instance has work.
    due: BTreeMap<InstanceName, Timestamp>,
}

impl Rounds {
    /// Does the work of all closed instances that have some, one instance at a time. An instance is
    /// first visited when the host's garbage delay has passed since the first round. Ends early
    /// when the host is closed.
    ///
    /// # Errors
    /// `Unavailable` when the data folder cannot be read now. An instance that cannot be opened is
    /// left to the next round.
    pub fn round(&mut self, host: &Host) -> Result<()> {
        let Some(folder) = &host.folder else { return Ok(()) };
        let names = folder.instances()?;
        self.due.retain(|name, _| names.binary_search(name).is_ok());
        for name in names {
            let (now, delay) = (host.now(), host.gc_delay_micros());
            let due = *self.due.entry(name.clone()).or_insert(now);
            if now < due.saturating_add(delay) || host.opened(&name).is_some() {
                continue;
            }
            if let Ok(served) = host.instance(&name)
                && let Ok(next) = visit(host, &name, &served)
            {
                self.due.insert(name, next);
            }
        }
        Ok(())
    }
}

/// Does all work of an instance, and closes it unless it is in use. Returns the time from which it
/// has more work.
fn visit(host: &Host, name: &InstanceName, served: &Arc<Served>) -> Result<Timestamp> {
    let mut tries = 0;
    loop {
        // Its delay has passed.
        served.with(|instance, _| {
            instance.set_gc_delay(0);
            Ok(())
        })?;
        // The instance's own thread may help.
        if served.advance().is_some() {
            tries += 1;
            let is_last = tries == TRIES;
            if let Some(next) = host.close_unused(name, served, is_last)? {
                return Ok(next);
            }
            if is_last {
                break;
            }
        }
        std::thread::sleep(PAUSE);
    }
    // It stays open for its users.
    served.with(|instance, _| {
        instance.set_gc_delay(host.gc_delay_micros());
        Ok(instance.next_work())
    })
}

impl Host {
    /// Closes an instance that is not in use and has no work, or whose work cannot be done now.
    /// Returns the time from which it has more work, or `None` if it is still open.
    fn close_unused(
        &self,
        name: &InstanceName,
        served: &Arc<Served>,
        may_have_work: bool,
    ) -> Result<Option<Timestamp>> {
        let _alone = lock(&self.changing);
        let mut open = lock(&self.open);
        // Not counting the map, the users are this caller and, briefly, the compaction thread.
        if Arc::strong_count(served) > 2 || !open.get(name).is_some_and(|open| Arc::ptr_eq(open, served)) {
            return Ok(None);
        }
        let (next, now) = served.with(|instance, now| Ok((instance.next_work(), now)))?;
        if next <= now && !may_have_work {
            return Ok(None);
        }
        open.remove(name);
        drop(open);
        served.close();
        Ok(Some(next))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

    use tabletop_model::{ColumnFamily, GcRule, Mutation, ReadRows, RowMutation, TableSpec};

    use super::*;
    use crate::host::table_settings;

    const SECOND: i64 = 1_000_000;

    fn name(instance: usize) -> InstanceName {
        InstanceName { project: "p".into(), instance: format!("i{instance}") }
    }

    fn rows(served: &Served) -> usize {
        served.with(|instance, now| instance.table("t")?.read(now, &ReadRows::default())).unwrap().rows.len()
    }

    #[test]
    fn the_garbage_of_closed_instances_is_collected() {
        let (temporary, clock) = (tempfile::tempdir().unwrap(), Arc::new(AtomicI64::new(1_000 * SECOND)));
        let now = clock.clone();
        let host = Host::open(temporary.path(), move || now.load(Ordering::SeqCst)).unwrap();
        let host = host.with_gc_delay(Duration::from_secs(100));
        for instance in 0..3 {
            let served = host.instance_or_new(&name(instance)).unwrap();
            let family =
                ColumnFamily { gc_rule: GcRule::MaxAge { micros: 10 * SECOND }, ..ColumnFamily::new("f") };
            let spec =
                TableSpec { families: vec![family], settings: table_settings(), ..TableSpec::default() };
            served.change(|instance, now| instance.create_table(now, "t", spec)).unwrap();
            let timestamp = 1_000 * SECOND;
            let set =
                Mutation::SetCell { family: "f".into(), qualifier: "q".into(), timestamp, value: "v".into() };
            let entry = RowMutation { key: "r".into(), mutations: vec![set] };
            assert_eq!(served.mutate_rows("t".into(), vec![entry]), Ok(vec![None]));
        }
        host.release(0);
        let mut rounds = Rounds::default();
        rounds.round(&host).unwrap();
        assert!(lock(&host.open).is_empty() && rounds.due.len() == 3, "the delay is not over");
        clock.fetch_add(105 * SECOND, Ordering::SeqCst);
        // This instance is in use, so its own thread works for it.
        let used = host.instance(&name(1)).unwrap();
        rounds.round(&host).unwrap();
        assert_eq!(lock(&host.open).keys().collect::<Vec<_>>(), [&name(1)]);
        drop(used);
        for instance in [0, 2] {
            assert_eq!(rounds.due[&name(instance)], Timestamp::MAX, "nothing is left to do");
            assert_eq!(rows(&host.instance(&name(instance)).unwrap()), 0, "the expired cell is collected");
        }
        host.close();
        assert_eq!(rounds.round(&host), Ok(()), "a closed host opens nothing");
        assert!(lock(&host.open).is_empty());
    }
}
