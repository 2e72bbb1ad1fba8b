//! All instances of a process, in memory or in a data folder, and their clock.

mod blocking;
mod clock;
mod limits;
mod name;
mod overlay;
mod pace;
mod rounds;
mod served;
mod storage;
mod write_queue;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tabletop_engine::{Instance, Limits};
use tabletop_model::{Code, Error, Recovery, Result, TableSettings, Timestamp};

use crate::data_folder::{DataFolder, check_name};
use crate::lock::lock;
use crate::reserve::Reserve;

use limits::SharedLimits;

pub use blocking::blocking;
pub use clock::{Clock, system_clock};
pub use name::InstanceName;
pub use overlay::Overlay;
pub(crate) use rounds::Rounds;
pub use served::Served;
pub use storage::AnyStorage;

/// How long garbage that is worth a compaction may wait, unless the server was started with another
/// delay.
pub const DEFAULT_GC_DELAY: Duration = Duration::from_secs(2);

/// All instances of a process. Threads can share it.
pub struct Host {
    clock: Clock,
    /// How long garbage that is worth a compaction may wait.
    gc_delay: Duration,
    /// Limits on what all open instances use together.
    limits: SharedLimits,
    folder: Option<DataFolder>,
    /// The open instances. The lock is never held for long, because every request takes it.
    open: Mutex<BTreeMap<InstanceName, Arc<Served>>>,
    /// Locked by the thread that opens or removes an instance, which may wait for a disk. The value
    /// is true once the host has been closed and opens no more instances.
    changing: Mutex<bool>,
}

impl Host {
    /// Creates a host without instances. Instances that are created in it do not survive the
    /// process.
    pub fn in_memory(clock: impl Fn() -> Timestamp + Send + Sync + 'static) -> Host {
        Host {
            clock: Arc::new(clock),
            gc_delay: DEFAULT_GC_DELAY,
            limits: SharedLimits::new(Limits::default()),
            folder: None,
            open: Mutex::default(),
            changing: Mutex::default(),
        }
    }

    /// Returns the host with this delay, which garbage that is worth a compaction may wait. A small
    /// idle table drops a cell this soon after a GC rule has expired it.
    pub fn with_gc_delay(self, gc_delay: Duration) -> Host {
        Host { gc_delay, ..self }
    }

    /// Returns the host with limits that its open instances share in equal parts. The parts change
    /// within a second of an instance being opened or closed.
    pub fn with_limits(self, limits: Limits) -> Host {
        Host { limits: SharedLimits::new(limits), ..self }
    }

    /// Opens a host with the instances of a data folder, and creates the folder if it does not
    /// exist.
    ///
    /// # Errors
    /// The errors of [`DataFolder::open`]: another program uses the folder, or the operating system
    /// refuses.
    pub fn open(folder: &Path, clock: impl Fn() -> Timestamp + Send + Sync + 'static) -> Result<Host> {
        Ok(Host::on(DataFolder::open(folder)?, clock))
    }

    /// Creates a host with the instances of a data folder.
    pub fn on(folder: DataFolder, clock: impl Fn() -> Timestamp + Send + Sync + 'static) -> Host {
        Host { folder: Some(folder), ..Host::in_memory(clock) }
    }

    /// Returns the time of the host's clock.
    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Returns the data folder, unless the host is in memory.
    pub fn folder(&self) -> Option<&DataFolder> {
        self.folder.as_ref()
    }

    /// Returns the names of all instances, sorted.
    ///
    /// # Errors
    /// `Unavailable` when the data folder cannot be read now.
    pub fn instances(&self) -> Result<Vec<InstanceName>> {
        let mut names: Vec<InstanceName> = lock(&self.open).keys().cloned().collect();
        if let Some(folder) = &self.folder {
            names.extend(folder.instances()?);
            names.sort();
            names.dedup();
        }
        Ok(names)
    }

    /// Returns an existing instance.
    ///
    /// # Errors
    /// `NotFound` when there is no such instance; `Unavailable` when its files cannot be read now.
    pub fn instance(&self, name: &InstanceName) -> Result<Arc<Served>> {
        self.find(name, false)
    }

    /// Returns an instance, and creates it if it does not exist: users of an emulator create
    /// tables, not instances.
    ///
    /// # Errors
    /// `InvalidArgument` for a malformed name; `Unavailable` when its files cannot be read now.
    pub fn instance_or_new(&self, name: &InstanceName) -> Result<Arc<Served>> {
        self.find(name, true)
    }

    /// Removes an instance with all of its tables. Calls that still use it fail.
    ///
    /// # Errors
    /// `NotFound` when there is no such instance; `Unavailable` when some of its files could not be
    /// removed.
    pub fn delete_instance(&self, name: &InstanceName) -> Result<()> {
        self.instance(name)?;
        blocking(|| {
            let _alone = lock(&self.changing);
            let Some(served) = self.opened(name) else { return Err(no_instance(name)) };
            // The name stays in use until the files are removed, so that no new instance is created
            // among them.
            served.close();
            let removed = self.folder.as_ref().map_or(Ok(()), |folder| folder.remove(name));
            lock(&self.open).remove(name);
            removed
        })
    }

    /// Closes all open instances except the first `kept`. Instances of a data folder are reopened
    /// when a call needs them; a server also reopens them when they have garbage.
    pub fn release(&self, kept: usize) {
        let _alone = lock(&self.changing);
        if self.folder.is_none() {
            return;
        }
        let names: Vec<InstanceName> = lock(&self.open).keys().skip(kept).cloned().collect();
        for name in names {
            let served = lock(&self.open).remove(&name);
            served.inspect(|served| served.close());
        }
    }

    /// Waits for work in progress and closes all instances, so that a restart can open them. Later
    /// calls are rejected.
    pub fn close(&self) {
        *lock(&self.changing) = true;
        for (_, served) in std::mem::take(&mut *lock(&self.open)) {
            served.close();
        }
    }

    fn find(&self, name: &InstanceName, may_be_new: bool) -> Result<Arc<Served>> {
        if let Some(served) = self.opened(name) {
            return Ok(served);
        }
        check_name(name)?;
        blocking(|| {
            let is_closed = lock(&self.changing);
            if let Some(served) = self.opened(name) {
                return Ok(served);
            }
            if *is_closed {
                return Err(Error::new(
                    Code::Unavailable,
                    "the server is being stopped: nothing was changed",
                ));
            }
            let is_there = self
                .folder
                .as_ref()
                .map(|folder| folder.path(name))
                .transpose()?
                .is_some_and(|path| path.is_dir());
            if !may_be_new && !is_there {
                return Err(no_instance(name));
            }
            let (mut instance, recovery) = match &self.folder {
                Some(folder) => {
                    let (instance, recovery) =
                        Instance::open_expecting(folder.storage(name)?, self.now(), &folder.backups(name))?;
                    instance.storage().seal();
                    (instance, recovery)
                }
                None => (Instance::on(AnyStorage::in_memory()), Recovery::default()),
            };
            instance.set_gc_delay(self.gc_delay_micros());
            let served =
                Served::new(instance, recovery, self.clock.clone(), self.limits.clone(), self.reserve());
            lock(&self.open).insert(name.clone(), served.clone());
            Ok(served)
        })
    }

    /// Returns the instances that are open, by name.
    pub(crate) fn open_instances(&self) -> Vec<(InstanceName, Arc<Served>)> {
        lock(&self.open).iter().map(|(name, served)| (name.clone(), served.clone())).collect()
    }

    /// Checks that writes are still stored. This waits briefly for each open instance.
    ///
    /// # Errors
    /// The reason why the data folder, an instance or a table can no longer be used.
    pub(crate) fn health(&self) -> Result<()> {
        self.folder.as_ref().map_or(Ok(()), DataFolder::check)?;
        self.open_instances().iter().try_for_each(|(name, served)| {
            let named = |error: Error| {
                let place = format!("projects/{}/instances/{}", name.project, name.instance);
                Error::new(error.code, format!("{place}: {}", error.message))
            };
            served.health().map_err(named)
        })
    }

    /// Refills the space that the data folder reserves for a full disk, if it was used.
    pub(crate) fn fill_reserve(&self) {
        if self.folder.as_ref().is_some_and(|folder| folder.check().is_ok()) {
            self.reserve().fill();
        }
    }

    fn reserve(&self) -> Arc<Reserve> {
        self.folder.as_ref().map(|folder| folder.reserve().clone()).unwrap_or_default()
    }

    fn gc_delay_micros(&self) -> i64 {
        i64::try_from(self.gc_delay.as_micros()).unwrap_or(i64::MAX)
    }

    /// Returns an instance if it is open.
    pub(crate) fn opened(&self, name: &InstanceName) -> Option<Arc<Served>> {
        lock(&self.open).get(name).cloned()
    }
}

fn no_instance(name: &InstanceName) -> Error {
    Error::not_found(format!(
        "instance \"projects/{}/instances/{}\" not found: create a table in it first",
        name.project, name.instance
    ))
}

/// Returns the thresholds of tables outside of a browser. They are larger, because there is more
/// memory and splitting tablets are not on display.
pub fn table_settings() -> TableSettings {
    TableSettings {
        memtable_bytes_max: 4 << 20,
        tablet_bytes_max: 64 << 20,
        tablet_load_max: f64::MAX,
        // Tablets are merged after they were idle for a window. The window never ends, so that
        // requested splits stay.
        load_window_seconds: u32::MAX,
        cache_bytes_max: 256 << 20,
        ..TableSettings::default()
    }
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").field("folder", &self.folder).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    /// An orderly shutdown does not replay the log of the last writes, so recovery has work to do.
    #[test]
    fn a_folder_that_is_only_read_is_not_changed() {
        use tabletop_model::{ColumnFamily, Mutation, RowMutation, TableSpec};
        let temporary = tempfile::tempdir().unwrap();
        let name = InstanceName { project: "p".into(), instance: "i".into() };
        let entry = |key: &str| {
            let set = Mutation::SetCell {
                family: "f".into(),
                qualifier: "q".into(),
                timestamp: 0,
                value: "v".into(),
            };
            vec![RowMutation { key: key.into(), mutations: vec![set] }]
        };
        let host = Host::open(temporary.path(), || 0).unwrap();
        let served = host.instance_or_new(&name).unwrap();
        let spec = TableSpec {
            families: vec![ColumnFamily::new("f")],
            settings: table_settings(),
            ..TableSpec::default()
        };
        served.change(|instance, now| instance.create_table(now, "t", spec)).unwrap();
        assert_eq!(served.mutate_rows("t".into(), entry("r")), Ok(vec![None]));
        host.close();
        drop(host);
        let folder = temporary.path().join("p/i");
        let files = || {
            let files = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
            files.map(|file| (file.clone(), std::fs::read(file).unwrap())).collect::<BTreeMap<_, _>>()
        };
        let before = files();
        let hosts = [0, 1].map(|_| Host::on(DataFolder::open_to_read(temporary.path()).unwrap(), || 0));
        for host in &hosts {
            let served = host.instance(&name).unwrap();
            let rows = served.with(|instance, _| Ok(instance.table("t")?.salvage(&Default::default())?.rows));
            assert_eq!(rows.unwrap().len(), 1);
            let refusal = served.mutate_rows("t".into(), entry("s")).unwrap().remove(0);
            assert!(refusal.is_some_and(|error| error.message.contains("read-only")));
        }
        let refusal =
            hosts[0].instance_or_new(&InstanceName { instance: "new".into(), ..name.clone() }).unwrap_err();
        assert!(refusal.message.contains("read-only"), "{refusal}");
        assert!(!temporary.path().join("p/new").exists());
        assert!(DataFolder::open(temporary.path()).unwrap_err().message.contains("in use"));
        hosts.iter().for_each(Host::close);
        assert_eq!(files(), before);
    }

    #[test]
    fn open_instances_share_one_budget() {
        use tabletop_model::{ColumnFamily, Mutation, ReadRows, RowMutation, TableSpec};
        let limits = Limits {
            memtable_bytes_max: 1 << 20,
            log_bytes_max: 4 << 20,
            cache_bytes_max: 64 << 10,
            ..Limits::default()
        };
        let host = Host::in_memory(|| 0).with_limits(limits);
        let name = |number: usize| InstanceName { project: "p".into(), instance: format!("i{number}") };
        let open = |number: usize| {
            let served = host.instance_or_new(&name(number)).unwrap();
            let spec = TableSpec {
                families: vec![ColumnFamily::new("f")],
                settings: table_settings(),
                ..TableSpec::default()
            };
            served.change(|instance, now| instance.create_table(now, "t", spec)).unwrap();
            served
        };
        let fill = |served: &Served, rows: usize| {
            for row in 0..rows {
                let value = vec![row as u8; 1_000].into();
                let set =
                    Mutation::SetCell { family: "f".into(), qualifier: "q".into(), timestamp: 0, value };
                let entry = RowMutation { key: format!("{row:06}").as_str().into(), mutations: vec![set] };
                assert_eq!(served.mutate_rows("t".into(), vec![entry]), Ok(vec![None]));
            }
        };
        let memtable_bytes = |served: &Served| {
            let view = served.with(|instance, now| Ok(instance.table("t")?.view(now))).unwrap();
            view.tablets.iter().map(|tablet| tablet.memtable_bytes).sum::<u64>()
        };
        let first = open(0);
        fill(&first, 900);
        assert!(memtable_bytes(&first) > 900_000, "one instance may use all of it");
        let all: Vec<Arc<Served>> = [first].into_iter().chain((1..8).map(open)).collect();
        // Together twice as much as allowed, and none of them more than allowed on its own.
        all[1..].iter().for_each(|served| fill(served, 250));
        let begun = std::time::Instant::now();
        let held = || all.iter().map(|served| memtable_bytes(served)).sum::<u64>();
        while held() > limits.memtable_bytes_max {
            assert!(begun.elapsed() < Duration::from_secs(20), "{} bytes", held());
            std::thread::sleep(Duration::from_millis(20));
        }
        for served in &all {
            let rows = served
                .with(|instance, now| Ok(instance.table("t")?.read(now, &ReadRows::default())?.rows.len()));
            assert!(rows.unwrap() >= 250);
        }
        // The others are closed, so the last one may use all of it again.
        let last = all.last().unwrap().clone();
        drop(all);
        (0..7).for_each(|number| host.delete_instance(&name(number)).unwrap());
        last.advance();
        fill(&last, 900);
        assert!(memtable_bytes(&last) > 800_000);
    }

    #[test]
    fn deleting_an_instance_does_not_block_the_others() {
        let host = Arc::new(Host::in_memory(|| 0));
        let name = |instance: &str| InstanceName { project: "p".into(), instance: instance.into() };
        let (busy, _) =
            (host.instance_or_new(&name("busy")).unwrap(), host.instance_or_new(&name("other")).unwrap());
        let (begun, has_begun) = channel();
        let (end, may_end) = channel::<()>();
        let working = std::thread::spawn(move || {
            let work = busy.with(|_, _| {
                begun.send(()).unwrap();
                may_end.recv().unwrap();
                Ok(())
            });
            work.unwrap();
        });
        has_begun.recv().unwrap();
        let (sender, receiver) = channel();
        let deleting = std::thread::spawn({
            let host = host.clone();
            move || host.delete_instance(&name("busy")).unwrap()
        });
        // The deletion holds this lock until the instance is free.
        while host.changing.try_lock().is_ok() {
            std::thread::yield_now();
        }
        std::thread::spawn({
            let host = host.clone();
            move || sender.send(host.instance(&name("other")).is_ok())
        });
        let found = receiver.recv_timeout(Duration::from_secs(5));
        end.send(()).unwrap();
        working.join().unwrap();
        deleting.join().unwrap();
        assert_eq!(found, Ok(true));
        assert!(host.instance(&name("busy")).is_err());
    }
}
