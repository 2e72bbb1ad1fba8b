//! A storage that fails where it is told to, and that forgets in a crash what was not synced.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use tabletop_engine::storage::{FileId, Slice, Storage, StorageError};

/// What a disk writes whole or not at all.
const PAGE_BYTES: usize = 512;

/// Several handles of one disk: an instance has one, the test another.
#[derive(Clone, Debug, Default)]
pub struct FaultyStorage(Rc<RefCell<Disk>>);

/// What goes wrong, and at which call: they are counted from 0, reads too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The call that fails.
    pub at: u64,
    /// How.
    pub kind: FaultKind,
}

/// How a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// Nothing has happened.
    NotDone,
    /// There was no room; nothing has happened.
    Full,
    /// Part of it has happened.
    Unknown,
    /// Part of it has happened, and from then on nothing more: the power is gone.
    Crash,
}

/// Numbers below a limit, from a seed (splitmix64).
pub fn chance(mut seed: u64) -> impl FnMut(u64) -> u64 {
    move |limit| {
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit.max(1)
    }
}

#[derive(Clone, Debug, Default)]
struct Disk {
    files: BTreeMap<FileId, File>,
    /// Removed since the last sync: a crash may bring them back.
    removed: BTreeMap<FileId, File>,
    created: u64,
    calls: u64,
    fault: Option<Fault>,
    is_down: bool,
    /// Bytes that fit, if there is a limit.
    room: Option<u64>,
    /// Removals until one is refused; counted down.
    refusal: Option<u64>,
}

#[derive(Clone, Debug, Default)]
struct File {
    bytes: Vec<u8>,
    synced: usize,
    /// Its name survives a crash.
    is_synced: bool,
}

impl FaultyStorage {
    /// Calls so far.
    pub fn calls(&self) -> u64 {
        self.0.borrow().calls
    }

    /// Lets a call fail; they are counted from 0 again.
    pub fn fail(&self, fault: Option<Fault>) {
        let mut disk = self.0.borrow_mut();
        (disk.calls, disk.fault) = (0, fault);
    }

    /// Whether the power is gone.
    pub fn is_down(&self) -> bool {
        self.0.borrow().is_down
    }

    /// How many bytes fit in all.
    pub fn limit(&self, room: Option<u64>) {
        self.0.borrow_mut().room = room;
    }

    /// Refuses the removal that comes after so many others, or none. Whether the one before was refused.
    pub fn refuse_removal(&self, after: Option<u64>) -> bool {
        let last = std::mem::replace(&mut self.0.borrow_mut().refusal, after.map(|after| after + 1));
        last == Some(0)
    }

    /// What a crash leaves: of what was not synced any part, as `chance` decides.
    pub fn crash(&self, mut chance: impl FnMut(u64) -> u64) {
        let mut disk = self.0.borrow_mut();
        let mut files = std::mem::take(&mut disk.files);
        for (file, content) in std::mem::take(&mut disk.removed) {
            if chance(2) == 0 {
                files.insert(file, content);
            }
        }
        files.retain(|_, file| file.is_synced || chance(3) > 0);
        for file in files.values_mut() {
            let unsynced = file.bytes.len() - file.synced;
            match chance(4) {
                0 => file.bytes.truncate(file.synced),
                1 => file.bytes.truncate(file.synced + chance(unsynced as u64 + 1) as usize),
                // Some pages were written, others not.
                2 => {
                    for start in (file.synced / PAGE_BYTES * PAGE_BYTES..file.bytes.len()).step_by(PAGE_BYTES) {
                        let end = (start + PAGE_BYTES).min(file.bytes.len());
                        if chance(2) == 0 {
                            file.bytes[start.max(file.synced)..end].fill(0);
                        }
                    }
                }
                _ => {}
            }
            (file.synced, file.is_synced) = (file.bytes.len(), true);
        }
        disk.files = files;
        (disk.is_down, disk.fault, disk.calls) = (false, None, 0);
        // Numbers of files that have gone are given once more.
        disk.created = 0;
    }

    /// What a program that ends leaves to the next one: everything, but what was not synced a later crash may still take.
    pub fn restart(&self) {
        let mut disk = self.0.borrow_mut();
        (disk.is_down, disk.fault, disk.calls) = (false, None, 0);
        disk.created = 0;
    }

    /// All files with their bytes.
    pub fn contents(&self) -> BTreeMap<FileId, Vec<u8>> {
        self.0.borrow().files.iter().map(|(file, content)| (*file, content.bytes.clone())).collect()
    }

    /// A disk with these files.
    pub fn holding(files: &BTreeMap<FileId, Vec<u8>>) -> FaultyStorage {
        let content = |bytes: &Vec<u8>| File { bytes: bytes.clone(), synced: bytes.len(), is_synced: true };
        let created = files.last_key_value().map_or(0, |(file, _)| file.0 + 1);
        let files = files.iter().map(|(file, bytes)| (*file, content(bytes))).collect();
        FaultyStorage(Rc::new(RefCell::new(Disk { files, created, ..Disk::default() })))
    }
}

impl Disk {
    /// Counts a call: whether it is to be done in part before it fails, or not at all.
    fn call(&mut self) -> Result<(), (StorageError, bool)> {
        if self.is_down {
            return Err((StorageError::Unknown("the power is gone".into()), false));
        }
        let number = self.calls;
        self.calls += 1;
        match self.fault {
            Some(Fault { at, kind }) if at == number => {
                self.is_down = kind == FaultKind::Crash;
                Err(match kind {
                    FaultKind::NotDone => (StorageError::NotDone(format!("call {at}")), false),
                    FaultKind::Full => (StorageError::Full(format!("call {at}")), false),
                    FaultKind::Unknown | FaultKind::Crash => (StorageError::Unknown(format!("call {at}")), true),
                })
            }
            _ => Ok(()),
        }
    }

    fn read_call(&mut self) -> Result<(), StorageError> {
        self.call().map_err(|(error, _)| StorageError::NotDone(error.to_string()))
    }

    fn file(&self, file: FileId) -> Result<&File, StorageError> {
        let gone = || StorageError::Corrupt { file, offset: 0, found: "no file".into(), expected: "a file".into() };
        self.files.get(&file).ok_or_else(gone)
    }

    fn bytes(&self) -> u64 {
        self.files.values().map(|file| file.bytes.len() as u64).sum()
    }
}

impl Storage for FaultyStorage {
    fn files(&self) -> Result<Vec<FileId>, StorageError> {
        let mut disk = self.0.borrow_mut();
        disk.read_call()?;
        Ok(disk.files.keys().copied().collect())
    }

    fn create(&mut self) -> Result<FileId, StorageError> {
        let mut disk = self.0.borrow_mut();
        while disk.files.contains_key(&FileId(disk.created)) {
            disk.created += 1;
        }
        let file = FileId(disk.created);
        let called = disk.call();
        if called.is_ok() || called.as_ref().is_err_and(|(_, in_part)| *in_part) {
            disk.created += 1;
            disk.files.insert(file, File::default());
        }
        called.map(|()| file).map_err(|(error, _)| error)
    }

    fn append(&mut self, file: FileId, bytes: Vec<u8>) -> Result<(), StorageError> {
        let mut disk = self.0.borrow_mut();
        let called = disk.call();
        if called.is_ok() && disk.room.is_some_and(|room| disk.bytes() + bytes.len() as u64 > room) {
            return Err(StorageError::Full("no room".into()));
        }
        let Some(content) = disk.files.get_mut(&file) else {
            return Err(StorageError::NotDone(format!("file {} does not exist", file.0)));
        };
        match called {
            Ok(()) => content.bytes.extend_from_slice(&bytes),
            Err((error, in_part)) => {
                if in_part {
                    // Any part that depends on nothing but the bytes.
                    let kept =
                        bytes.iter().fold(7, |sum: usize, byte| sum.wrapping_mul(31) + usize::from(*byte)) % (bytes.len() + 1);
                    content.bytes.extend_from_slice(&bytes[..kept]);
                }
                return Err(error);
            }
        }
        Ok(())
    }

    fn sync(&mut self, file: FileId) -> Result<(), StorageError> {
        let mut disk = self.0.borrow_mut();
        disk.call().map_err(|(error, _)| error)?;
        if let Some(content) = disk.files.get_mut(&file) {
            (content.synced, content.is_synced) = (content.bytes.len(), true);
        }
        disk.removed.clear();
        Ok(())
    }

    fn read(&self, file: FileId, offset: u64, length: usize) -> Result<Slice, StorageError> {
        let mut disk = self.0.borrow_mut();
        disk.read_call()?;
        let bytes = &disk.file(file)?.bytes;
        let found = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)?.get(..length));
        found.map(|bytes| Slice::from(bytes.to_vec())).ok_or_else(|| StorageError::Corrupt {
            file,
            offset,
            found: format!("a file of {} bytes", bytes.len()),
            expected: format!("{length} bytes there"),
        })
    }

    fn size(&self, file: FileId) -> Result<u64, StorageError> {
        let mut disk = self.0.borrow_mut();
        disk.read_call()?;
        Ok(disk.file(file)?.bytes.len() as u64)
    }

    fn remove(&mut self, file: FileId) -> Result<(), StorageError> {
        let mut disk = self.0.borrow_mut();
        let called = disk.call();
        if let Some(left @ 1..) = &mut disk.refusal {
            *left -= 1;
            if *left == 0 {
                return Err(StorageError::NotDone("it is open elsewhere".into()));
            }
        }
        if (called.is_ok() || called.as_ref().is_err_and(|(_, in_part)| *in_part))
            && let Some(content) = disk.files.remove(&file)
        {
            disk.removed.insert(file, content);
        }
        called.map_err(|(error, _)| error)
    }
}
