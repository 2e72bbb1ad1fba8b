//! A storage that fails on demand, and that loses unsynced data in a crash.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use tabletop_engine::storage::{FileId, Slice, Storage, StorageError};

/// Number of bytes that a disk writes atomically.
const PAGE_BYTES: usize = 512;

/// A disk that several handles share: an instance has one, and the test another.
#[derive(Clone, Debug, Default)]
pub struct FaultyStorage(Rc<RefCell<Disk>>);

/// A fault and the call at which it occurs. Calls are counted from 0, including reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The number of the call that fails.
    pub at: u64,
    /// The kind of failure.
    pub kind: FaultKind,
}

/// The kind of a call's failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The call has no effect.
    NotDone,
    /// The disk is full, and the call has no effect.
    Full,
    /// The call has part of its effect.
    Unknown,
    /// The call has part of its effect, and all later calls fail: the power has failed.
    Crash,
}

/// Random numbers below a limit, from a seed (splitmix64).
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
    /// Files removed since the last sync. A crash may restore them.
    removed: BTreeMap<FileId, File>,
    created: u64,
    /// Files that existed when the program began. While it runs, new files do not reuse their
    /// numbers.
    found: BTreeSet<FileId>,
    calls: u64,
    fault: Option<Fault>,
    is_down: bool,
    /// Bytes of space; `None` for no limit.
    room: Option<u64>,
    /// Number of removals after which one is refused.
    refusal: Option<u64>,
    /// Bytes of a file that cannot be read.
    lost: Option<(FileId, Range<u64>)>,
}

#[derive(Clone, Debug, Default)]
struct File {
    bytes: Vec<u8>,
    synced: usize,
    /// Whether its directory entry survives a crash.
    is_synced: bool,
}

impl FaultyStorage {
    /// Number of calls so far.
    pub fn calls(&self) -> u64 {
        self.0.borrow().calls
    }

    /// Sets the fault, and counts calls from 0 again.
    pub fn fail(&self, fault: Option<Fault>) {
        let mut disk = self.0.borrow_mut();
        (disk.calls, disk.fault) = (0, fault);
    }

    /// Returns whether the power has failed.
    pub fn is_down(&self) -> bool {
        self.0.borrow().is_down
    }

    /// Limits the bytes of all files.
    pub fn limit(&self, room: Option<u64>) {
        self.0.borrow_mut().room = room;
    }

    /// Makes bytes of a file unreadable.
    pub fn lose(&self, file: FileId, bytes: Range<u64>) {
        self.0.borrow_mut().lost = Some((file, bytes));
    }

    /// Refuses the removal after this number of others, or none. Returns whether the removal of the
    /// previous call was refused.
    pub fn refuse_removal(&self, after: Option<u64>) -> bool {
        let last = std::mem::replace(&mut self.0.borrow_mut().refusal, after.map(|after| after + 1));
        last == Some(0)
    }

    /// Simulates a crash: `chance` decides which parts of the unsynced data are lost.
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
                // Only some pages are written.
                2 => {
                    for start in (file.synced / PAGE_BYTES * PAGE_BYTES..file.bytes.len()).step_by(PAGE_BYTES)
                    {
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
        disk.begin_program();
    }

    /// Simulates the end of a program: the next one sees everything, but a later crash may still
    /// lose unsynced data.
    pub fn restart(&self) {
        self.0.borrow_mut().begin_program();
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
    fn begin_program(&mut self) {
        (self.is_down, self.fault, self.calls) = (false, None, 0);
        // Numbers of files that an earlier program has removed may be assigned again.
        self.created = 0;
        self.found = self.files.keys().copied().collect();
    }

    /// Counts a call. A fault returns its error, and whether the call still has part of its effect.
    fn call(&mut self) -> Result<(), (StorageError, bool)> {
        if self.is_down {
            return Err((StorageError::Unknown("the power has failed".into()), false));
        }
        let number = self.calls;
        self.calls += 1;
        match self.fault {
            Some(Fault { at, kind }) if at == number => {
                self.is_down = kind == FaultKind::Crash;
                Err(match kind {
                    FaultKind::NotDone => (StorageError::NotDone(format!("call {at}")), false),
                    FaultKind::Full => (StorageError::Full(format!("call {at}")), false),
                    FaultKind::Unknown | FaultKind::Crash => {
                        (StorageError::Unknown(format!("call {at}")), true)
                    }
                })
            }
            _ => Ok(()),
        }
    }

    fn read_call(&mut self) -> Result<(), StorageError> {
        self.call().map_err(|(error, _)| StorageError::NotDone(error.to_string()))
    }

    fn file(&self, file: FileId) -> Result<&File, StorageError> {
        let gone =
            || StorageError::Corrupt { file, offset: 0, found: "no file".into(), expected: "a file".into() };
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
        while disk.found.contains(&FileId(disk.created)) || disk.files.contains_key(&FileId(disk.created)) {
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
                    // The part that is written depends only on the bytes.
                    let kept =
                        bytes.iter().fold(7, |sum: usize, byte| sum.wrapping_mul(31) + usize::from(*byte))
                            % (bytes.len() + 1);
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
        if let Some((of, lost)) = &disk.lost
            && (*of, offset < lost.end, lost.start < offset.saturating_add(length as u64))
                == (file, true, true)
        {
            let (found, expected) = ("bytes that cannot be read".into(), "bytes".into());
            return Err(StorageError::Corrupt { file, offset, found, expected });
        }
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
