//! Storage in a folder of the native file system.
//!
//! File 18 is stored in `18.table`. An append writes at the end that the storage has recorded, and
//! whatever a failed append has written is truncated. A lock keeps other programs out while the
//! storage exists: the lock of the data folder, or the file `lock`.
//!
//! After a failed sync, Linux reports the next one as successful, although the bytes are only in
//! its cache. The storage therefore creates `18.unsynced`, which needs to survive no longer than
//! that cache. While it exists, the bytes of the file are written again before a sync.

mod handles;
mod open_error;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use tabletop_engine::storage::{FileId, Slice, Storage, StorageError};

pub(crate) use self::handles::Handles;
use self::handles::{Handle, Name};
pub use self::open_error::OpenError;
use crate::folders::{create_folders, sync_folder};
use crate::lock::lock;
use crate::process::private_file;

/// The maximum number of open handles of a storage that does not share handles with others.
const HANDLES_MAX: usize = 256;
const EXTENSION: &str = "table";
/// The extension of the mark that a sync of a file has failed.
const UNSYNCED: &str = "unsynced";
/// Bytes that are rewritten at a time.
const REWRITTEN_BYTES: usize = 1 << 20;

/// The files of one folder, used only by this storage. A clone is the same storage, for another
/// thread.
#[derive(Clone, Debug)]
pub struct FileStorage(Arc<Folder>);

#[derive(Debug)]
struct Folder {
    path: PathBuf,
    /// Identifies what was opened at `path`.
    identity: Identity,
    /// The files, with their sizes in bytes. No file is used while this is locked.
    files: RwLock<BTreeMap<FileId, u64>>,
    handles: Arc<Handles>,
    /// The number of this storage among those that share the handles.
    number: u64,
    next: AtomicU64,
    /// The number of files created or removed since the storage was opened, plus 1.
    changes: AtomicU64,
    /// Files that were marked before the storage was opened.
    unsynced: Mutex<BTreeSet<FileId>>,
    /// How many of these changes are synced. It is locked during the sync of the folder, so that no
    /// thread relies on a sync that has not finished.
    synced: Mutex<u64>,
    access: Access,
    _lock: Option<File>,
}

/// What may be done with the files of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Write,
    Read,
}

impl FileStorage {
    /// Opens and locks a folder, and creates it if it does not exist.
    ///
    /// # Errors
    /// `InUse` while another storage has it open, `Io` when the operating system refuses.
    pub fn open(folder: impl Into<PathBuf>) -> Result<FileStorage, OpenError> {
        let folder: PathBuf = folder.into();
        let failed = |error| OpenError::Io(folder.clone(), error);
        create_folders(&folder).map_err(failed)?;
        let file = private_file()
            .create(true)
            .truncate(false)
            .write(true)
            .open(folder.join("lock"))
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => FileStorage::of(folder, Handles::new(HANDLES_MAX), Access::Write, Some(file)),
            Err(TryLockError::WouldBlock) => Err(OpenError::InUse(folder)),
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }

    /// Opens an existing folder to which the caller has exclusive access, with handles that other
    /// storages share.
    ///
    /// # Errors
    /// `Io` when the operating system refuses.
    pub(crate) fn of_locked(folder: PathBuf, handles: Arc<Handles>) -> Result<FileStorage, OpenError> {
        FileStorage::of(folder, handles, Access::Write, None)
    }

    /// Opens an existing folder whose files can only be read. All changes fail.
    ///
    /// # Errors
    /// `Io` when the operating system refuses.
    pub(crate) fn to_read(folder: PathBuf, handles: Arc<Handles>) -> Result<FileStorage, OpenError> {
        FileStorage::of(folder, handles, Access::Read, None)
    }

    fn of(
        folder: PathBuf,
        handles: Arc<Handles>,
        access: Access,
        lock: Option<File>,
    ) -> Result<FileStorage, OpenError> {
        let failed = |error| OpenError::Io(folder.clone(), error);
        let (mut files, mut unsynced) = (BTreeMap::new(), BTreeSet::new());
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            unsynced.extend(id_of(&entry.path(), UNSYNCED));
            if let Some(file) = id_of(&entry.path(), EXTENSION) {
                // The previous process may have ended before it could sync. A caller that relies on
                // the bytes syncs them.
                files.insert(file, entry.metadata().map_err(failed)?.len());
            }
        }
        let next = files.last_key_value().map_or(0, |(file, _)| file.0 + 1);
        let identity = fs::metadata(&folder).map_err(failed)?.into();
        Ok(FileStorage(Arc::new(Folder {
            identity,
            path: folder,
            files: RwLock::new(files),
            number: handles.new_storage(),
            handles,
            next: AtomicU64::new(next),
            changes: AtomicU64::new(1),
            unsynced: Mutex::new(unsynced),
            synced: Mutex::new(0),
            access,
            _lock: lock,
        })))
    }

    /// Returns the total size of all files in bytes.
    pub fn bytes(&self) -> u64 {
        self.0.files().values().sum()
    }
}

impl Folder {
    fn files(&self) -> RwLockReadGuard<'_, BTreeMap<FileId, u64>> {
        self.files.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn files_mut(&self) -> RwLockWriteGuard<'_, BTreeMap<FileId, u64>> {
        self.files.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn path(&self, file: FileId) -> PathBuf {
        self.path.join(format!("{}.{EXTENSION}", file.0))
    }

    fn mark(&self, file: FileId) -> PathBuf {
        self.path.join(format!("{}.{UNSYNCED}", file.0))
    }

    /// Syncs the bytes of a file, all of them if an earlier sync has failed.
    fn sync_bytes(&self, file: FileId, handle: &Handle) -> io::Result<()> {
        let is_marked = lock(&self.unsynced).contains(&file);
        if is_marked {
            let size = self.files().get(&file).copied().unwrap_or(0);
            let mut offset = 0;
            while offset < size {
                let mut bytes = vec![0; (size - offset).min(REWRITTEN_BYTES as u64) as usize];
                read_at(handle, &mut bytes, offset)?;
                write_at(handle, &bytes, offset)?;
                offset += bytes.len() as u64;
            }
        }
        // Creating a mark may fail too. It would not help on a disk that accepts nothing.
        handle.sync().inspect_err(|_| {
            drop(private_file().create(true).truncate(true).write(true).open(self.mark(file)));
        })?;
        if is_marked {
            self.unmark(file);
        }
        Ok(())
    }

    fn unmark(&self, file: FileId) {
        if lock(&self.unsynced).remove(&file) {
            // A mark that stays costs time at the next opening.
            let _ = fs::remove_file(self.mark(file));
        }
    }

    fn name(&self, file: FileId) -> Name {
        Name { storage: self.number, file }
    }

    /// Checks that the folder is still the one that was opened.
    fn check(&self) -> io::Result<()> {
        match fs::metadata(&self.path).map(Identity::from) {
            Ok(found) if found == self.identity => Ok(()),
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Err(io::Error::other(format!(
                "another program has removed the folder {}",
                self.path.display()
            ))),
        }
    }

    /// Returns the handle of a file, and opens the file if necessary.
    fn handle(&self, file: FileId) -> io::Result<Arc<Handle>> {
        let writes = self.access == Access::Write;
        self.handles
            .get(self.name(file), || OpenOptions::new().read(true).write(writes).open(self.path(file)))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        for &file in self.files().keys() {
            self.handles.forget(self.name(file));
        }
    }
}

impl Storage for FileStorage {
    fn files(&self) -> Result<Vec<FileId>, StorageError> {
        Ok(self.0.files().keys().copied().collect())
    }

    fn create(&mut self) -> Result<FileId, StorageError> {
        let folder = &self.0;
        folder.check().map_err(not_done)?;
        let file = FileId(folder.next.fetch_add(1, Ordering::Relaxed));
        let handle = private_file()
            .read(true)
            .write(true)
            .create_new(true)
            .open(folder.path(file))
            .map_err(not_done)?;
        folder.files_mut().insert(file, 0);
        folder.handles.keep(folder.name(file), &Handle::new(handle));
        folder.changes.fetch_add(1, Ordering::Release);
        Ok(file)
    }

    fn append(&mut self, file: FileId, bytes: Vec<u8>) -> Result<(), StorageError> {
        let folder = &self.0;
        let Some(size) = folder.files().get(&file).copied() else {
            return Err(StorageError::NotDone(format!("file {} does not exist", file.0)));
        };
        let handle = folder.handle(file).map_err(not_done)?;
        handle.will_write();
        let written = write_at(&handle, &bytes, size);
        // Another storage may have needed its place since.
        folder.handles.keep(folder.name(file), &handle);
        if let Err(error) = written {
            return match handle.set_len(size) {
                Ok(()) => Err(not_done(error)),
                Err(_) => Err(StorageError::Unknown(error.to_string())),
            };
        }
        // Another thread may have removed the file since: an open handle would keep its bytes on
        // the disk.
        match folder.files_mut().get_mut(&file) {
            Some(stored) => *stored = size + bytes.len() as u64,
            None => folder.handles.forget(folder.name(file)),
        }
        Ok(())
    }

    fn sync(&mut self, file: FileId) -> Result<(), StorageError> {
        let unknown = |error: io::Error| StorageError::Unknown(error.to_string());
        let handle = self.0.handle(file).map_err(unknown)?;
        self.0.sync_bytes(file, &handle).map_err(unknown)?;
        if handle.metadata().is_ok_and(|found| is_removed(&found)) {
            let what = format!(
                "another program has removed file {} of {}, and what it had",
                file.0,
                self.0.path.display()
            );
            return Err(StorageError::Unknown(what));
        }
        let mut synced = lock(&self.0.synced);
        let changes = self.0.changes.load(Ordering::Acquire);
        if *synced < changes {
            self.0.check().map_err(unknown)?;
            sync_folder(&self.0.path).map_err(unknown)?;
            *synced = changes;
        }
        Ok(())
    }

    fn read(&self, file: FileId, offset: u64, length: usize) -> Result<Slice, StorageError> {
        let size = self.size(file)?;
        if offset.checked_add(length as u64).is_none_or(|end| end > size) {
            return Err(too_short(file, offset, length, format!("a file of {size} bytes")));
        }
        let mut bytes = vec![0; length];
        let mut done = self.0.handle(file).and_then(|handle| read_at(&handle, &mut bytes, offset));
        if done.as_ref().is_err_and(is_of_device) {
            // Retrying with another handle distinguishes lost bytes from a temporary failure.
            self.0.handles.forget_clean(self.0.name(file));
            done = self.0.handle(file).and_then(|handle| read_at(&handle, &mut bytes, offset));
        }
        match done {
            Ok(()) => Ok(Slice::from(bytes)),
            Err(error) if is_of_device(&error) => {
                let (found, expected) =
                    (format!("{length} bytes that cannot be read ({error})"), "bytes".into());
                Err(StorageError::Corrupt { file, offset, found, expected })
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Err(vanished(file)),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                Err(too_short(file, offset, length, "a file that another program has truncated".into()))
            }
            Err(error) => Err(StorageError::NotDone(error.to_string())),
        }
    }

    fn size(&self, file: FileId) -> Result<u64, StorageError> {
        self.0.files().get(&file).copied().ok_or_else(|| vanished(file))
    }

    fn remove(&mut self, file: FileId) -> Result<(), StorageError> {
        let folder = &self.0;
        if !folder.files().contains_key(&file) {
            return Ok(());
        }
        folder.handles.forget(folder.name(file));
        folder.unmark(file);
        match fs::remove_file(folder.path(file)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(not_done(error)),
            _ => {
                folder.files_mut().remove(&file);
                folder.changes.fetch_add(1, Ordering::Release);
                Ok(())
            }
        }
    }
}

/// Distinguishes a file or a folder from another one that was put under its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    #[cfg(unix)]
    device: u64,
    #[cfg(unix)]
    number: u64,
}

#[cfg(unix)]
impl From<fs::Metadata> for Identity {
    fn from(found: fs::Metadata) -> Identity {
        use std::os::unix::fs::MetadataExt;
        Identity { device: found.dev(), number: found.ino() }
    }
}

/// On other systems a folder in use cannot be removed.
#[cfg(not(unix))]
impl From<fs::Metadata> for Identity {
    fn from(_: fs::Metadata) -> Identity {
        Identity {}
    }
}

/// Returns whether an open file no longer has a name, so that its bytes are lost with its handle.
fn is_removed(found: &fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        std::os::unix::fs::MetadataExt::nlink(found) == 0
    }
    #[cfg(not(unix))]
    {
        let _ = found;
        false
    }
}

/// Returns the number in a file's name, or `None` for files that have another extension or are not
/// part of the storage.
fn id_of(path: &Path, extension: &str) -> Option<FileId> {
    if path.extension()? != extension {
        return None;
    }
    let stem = path.file_stem()?.to_str()?;
    let number: u64 = stem.parse().ok()?;
    (number.to_string() == stem && number < u64::MAX).then_some(FileId(number))
}

/// Returns whether a device has failed to read what it stored, so that retrying is pointless.
fn is_of_device(error: &io::Error) -> bool {
    // EIO, and the codes of file systems that check their own blocks: EBADMSG, EUCLEAN.
    const UNIX: [i32; 3] = [5, 74, 117];
    // ERROR_CRC, ERROR_SECTOR_NOT_FOUND, ERROR_IO_DEVICE.
    const WINDOWS: [i32; 3] = [23, 27, 1117];
    error
        .raw_os_error()
        .is_some_and(|code| if cfg!(windows) { WINDOWS.contains(&code) } else { UNIX.contains(&code) })
}

/// Classifies the error of an operation that had no effect.
fn not_done(error: io::Error) -> StorageError {
    match error.kind() {
        ErrorKind::StorageFull => StorageError::Full(format!("the disk has no space left ({error})")),
        ErrorKind::QuotaExceeded => {
            StorageError::Full(format!("the quota of this user is used up ({error})"))
        }
        ErrorKind::FileTooLarge => StorageError::Full(format!("the file would become too large ({error})")),
        _ => StorageError::NotDone(error.to_string()),
    }
}

fn vanished(file: FileId) -> StorageError {
    StorageError::Corrupt { file, offset: 0, found: "no file".into(), expected: "a file".into() }
}

fn too_short(file: FileId, offset: u64, length: usize, found: String) -> StorageError {
    StorageError::Corrupt { file, offset, found, expected: format!("{length} bytes there") }
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(not(unix))]
fn write_at(mut file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    use std::io::{Seek, SeekFrom, Write};
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(bytes)
}

#[cfg(not(unix))]
fn read_at(mut file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(bytes)
}

#[cfg(test)]
mod tests;
