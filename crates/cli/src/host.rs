//! All instances of a process, in memory or in a data folder, and their clock.

mod served;
mod storage;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use tabletop_cluster::Instance;
use tabletop_model::{Error, Recovery, Result, TableSettings, Timestamp};

use crate::data_folder::{DataFolder, check_name};
use crate::files::FileStorage;

pub use served::Served;
pub use storage::AnyStorage;

/// What time it is, in microseconds.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// `projects/{project}/instances/{instance}`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceName {
    /// The project's id.
    pub project: String,
    /// The instance's id.
    pub instance: String,
}

/// All instances. It can be shared by threads.
pub struct Host {
    clock: Clock,
    folder: Option<DataFolder>,
    /// Those that are open.
    open: Mutex<BTreeMap<InstanceName, Arc<Served>>>,
}

impl Host {
    /// Without instances; those that are made end with the process.
    pub fn in_memory(clock: impl Fn() -> Timestamp + Send + Sync + 'static) -> Host {
        Host { clock: Arc::new(clock), folder: None, open: Mutex::default() }
    }

    /// With the instances of a data folder, which is made if it does not exist.
    ///
    /// # Errors
    /// As for [`DataFolder::open`].
    pub fn open(folder: &Path, clock: impl Fn() -> Timestamp + Send + Sync + 'static) -> Result<Host> {
        Ok(Host { clock: Arc::new(clock), folder: Some(DataFolder::open(folder)?), open: Mutex::default() })
    }

    /// What time it is.
    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Where instances are kept, if they are.
    pub fn folder(&self) -> Option<&DataFolder> {
        self.folder.as_ref()
    }

    /// The names of all instances, in order.
    ///
    /// # Errors
    /// `Unavailable` when the data folder cannot be read now.
    pub fn instances(&self) -> Result<Vec<InstanceName>> {
        let mut names: Vec<InstanceName> = self.lock().keys().cloned().collect();
        if let Some(folder) = &self.folder {
            names.extend(folder.instances()?);
            names.sort();
            names.dedup();
        }
        Ok(names)
    }

    /// An instance that is there.
    ///
    /// # Errors
    /// `NotFound`; `Unavailable` when its files cannot be read now.
    pub fn instance(&self, name: &InstanceName) -> Result<Arc<Served>> {
        self.find(name, false)
    }

    /// An instance, which is made if it is not there: users of an emulator create tables, not instances.
    ///
    /// # Errors
    /// `InvalidArgument` for a name that is no name; `Unavailable` when its files cannot be read now.
    pub fn instance_or_new(&self, name: &InstanceName) -> Result<Arc<Served>> {
        self.find(name, true)
    }

    /// Removes an instance with all of its tables. Whoever still has it is told that it has gone.
    ///
    /// # Errors
    /// `NotFound`; `Unavailable` when some of its files are still there.
    pub fn delete_instance(&self, name: &InstanceName) -> Result<()> {
        let served = self.instance(name)?;
        let mut open = self.lock();
        served.close();
        open.remove(name);
        self.folder.as_ref().map_or(Ok(()), |folder| folder.remove(name))
    }

    /// Waits for what is at work, and leaves every instance as a restart finds it. Whoever asks later is refused.
    pub fn close(&self) {
        for (_, served) in std::mem::take(&mut *self.lock()) {
            served.close();
        }
    }

    fn find(&self, name: &InstanceName, may_be_new: bool) -> Result<Arc<Served>> {
        let mut open = self.lock();
        if let Some(served) = open.get(name) {
            return Ok(served.clone());
        }
        check_name(name)?;
        let path = self.folder.as_ref().map(|folder| folder.path(name)).transpose()?;
        if !may_be_new && !path.as_ref().is_some_and(|path| path.is_dir()) {
            return Err(Error::not_found(format!(
                "instance \"projects/{}/instances/{}\" not found: create a table in it first",
                name.project, name.instance
            )));
        }
        let (instance, recovery) = match path {
            Some(path) => {
                let files = FileStorage::open(path).map_err(Error::from)?;
                Instance::open(AnyStorage::Files(files), self.now())?
            }
            None => (Instance::on(AnyStorage::Memory(Default::default())), Recovery::default()),
        };
        let served = Served::new(instance, recovery, self.clock.clone());
        open.insert(name.clone(), served.clone());
        Ok(served)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<InstanceName, Arc<Served>>> {
        // Nothing is left half-done in it: a thread that panics has changed nothing.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The system's clock.
pub fn system_clock() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::try_from(since.as_micros()).unwrap_or(Timestamp::MAX)
}

/// Thresholds of tables outside of a browser: larger ones, for there is more memory and nobody watches tablets split.
pub fn table_settings() -> TableSettings {
    TableSettings {
        memtable_bytes_max: 4 << 20,
        tablet_bytes_max: 64 << 20,
        tablet_load_max: f64::MAX,
        // Neighbours are merged when they were idle for a window: never, so that splits which were asked for stay.
        load_window_seconds: u32::MAX,
        cache_bytes_max: 64 << 20,
        ..TableSettings::default()
    }
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").field("folder", &self.folder).finish_non_exhaustive()
    }
}
