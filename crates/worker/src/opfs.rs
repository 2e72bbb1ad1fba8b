//! Files of the browser's private file system (OPFS), as a [`Storage`].
//!
//! Reads and writes are synchronous, but creating, opening and deleting a file are asynchronous. So
//! all files of the folder stay open, some empty files are prepared in advance, and a deleted file
//! is emptied immediately and unlinked later:
//!
//! ```text
//! open, prepare_files (the host, between requests)  -->  ready: empty files, open   --create-->  files, open
//!                                               gone: emptied, closed     <--remove--
//! ```
//! An empty file is either a prepared one or one that was about to be deleted, so it does not count
//! as a file of the storage.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{AsyncIterator, IteratorNext, Reflect};
use tabletop_engine::storage::{FileId, Slice, Storage, StorageError};
use tabletop_model::SortedMap;
use tabletop_model::order::sorted;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    FileSystemDirectoryHandle, FileSystemFileHandle, FileSystemGetDirectoryOptions, FileSystemGetFileOptions,
    FileSystemReadWriteOptions, FileSystemSyncAccessHandle, StorageManager,
};

/// Number of empty files that [`Opfs::prepare_files`] keeps ready. A request creates at most a
/// handful.
const READY: usize = 16;
/// Number of empty files below which more are prepared.
const READY_MIN: usize = 8;

/// The browser's message about a refused operation.
pub type Refusal = String;

/// A folder with all of its files open. Cheap to clone: all clones share the folder.
#[derive(Clone, Debug)]
pub struct Opfs {
    folder: Rc<RefCell<Folder>>,
}

#[derive(Debug)]
struct Folder {
    directory: FileSystemDirectoryHandle,
    files: SortedMap<FileId, File>,
    ready: Vec<(FileId, FileSystemSyncAccessHandle)>,
    gone: Vec<FileId>,
    /// The highest number of any file in this run.
    last: u64,
    /// Whether any file was requested. Before that, empty files are not prepared, because most
    /// visitors never store anything.
    wanted: bool,
    /// Why an empty file could not be prepared, if the browser has refused it.
    refusal: Option<Refusal>,
}

#[derive(Debug)]
struct File {
    handle: FileSystemSyncAccessHandle,
    size: u64,
}

impl Opfs {
    /// Opens a folder of this origin with all of its files. Only one tab can do so at a time.
    ///
    /// # Errors
    /// The browser's message: it does not have such a file system, does not store data in this kind
    /// of window, or a file is open elsewhere.
    pub async fn open(storage: &StorageManager, folder: &str) -> Result<Opfs, Refusal> {
        check(storage, "getDirectory")?;
        check(&js_sys::global(), "FileSystemSyncAccessHandle")?;
        let root: FileSystemDirectoryHandle = done(storage.get_directory()).await?.unchecked_into();
        let options = FileSystemGetDirectoryOptions::new();
        options.set_create(true);
        let directory: FileSystemDirectoryHandle =
            done(root.get_directory_handle_with_options(folder, &options)).await?.unchecked_into();
        let (mut files, mut ready, mut last) = (SortedMap::new(), Vec::new(), 0);
        for (number, file) in open_files(&directory).await? {
            last = last.max(number);
            match file.size {
                0 => ready.push((FileId(number), file.handle)),
                _ => drop(files.insert(FileId(number), file)),
            }
        }
        let wanted = !files.is_empty();
        let folder = Folder { directory, files, ready, gone: Vec::new(), last, wanted, refusal: None };
        Ok(Opfs { folder: Rc::new(RefCell::new(folder)) })
    }

    /// Returns whether [`Opfs::prepare_files`] has anything to do.
    pub fn needs_preparing(&self) -> bool {
        let folder = self.folder.borrow();
        !folder.gone.is_empty() || folder.wanted && folder.ready.len() < READY_MIN
    }

    /// Creates the missing empty files and unlinks the deleted ones. Must not be called again
    /// before it is complete.
    pub async fn prepare_files(&self) {
        let directory = self.folder.borrow().directory.clone();
        while self.folder.borrow().wanted && self.folder.borrow().ready.len() < READY {
            let number = {
                let mut folder = self.folder.borrow_mut();
                folder.last += 1;
                folder.last
            };
            let opened = open_file(&directory, number).await;
            let mut folder = self.folder.borrow_mut();
            match opened {
                Ok(file) => {
                    folder.ready.push((FileId(number), file.handle));
                    folder.refusal = None;
                }
                Err(refusal) => {
                    folder.refusal = Some(refusal);
                    // The next request for a file tries again.
                    folder.wanted = false;
                }
            }
        }
        let gone = std::mem::take(&mut self.folder.borrow_mut().gone);
        for FileId(number) in gone {
            // The file is empty. If it cannot be removed now, the next visit uses it as a prepared
            // file.
            drop(JsFuture::from(directory.remove_entry(&name_of(number))).await);
        }
    }

    /// Closes all files, so that another tab can open them. No reads or writes are possible after
    /// that.
    pub fn close(&self) {
        let mut folder = self.folder.borrow_mut();
        let files = std::mem::take(&mut folder.files).into_values().map(|file| file.handle);
        let ready = std::mem::take(&mut folder.ready);
        files.chain(ready.into_iter().map(|(_, handle)| handle)).for_each(|handle| handle.close());
    }
}

impl Storage for Opfs {
    fn files(&self) -> Result<Vec<FileId>, StorageError> {
        Ok(self.folder.borrow().files.keys().copied().collect())
    }

    fn create(&mut self) -> Result<FileId, StorageError> {
        let mut folder = self.folder.borrow_mut();
        folder.wanted = true;
        let Some((file, handle)) = folder.ready.pop() else {
            let why = folder.refusal.take().unwrap_or_else(|| "no empty file is ready".into());
            return Err(StorageError::NotDone(why));
        };
        folder.files.insert(file, File { handle, size: 0 });
        Ok(file)
    }

    fn append(&mut self, file: FileId, bytes: Vec<u8>) -> Result<(), StorageError> {
        let mut folder = self.folder.borrow_mut();
        let Some(File { handle, size }) = folder.files.get_mut(&file) else {
            return Err(StorageError::NotDone(format!("file {} does not exist", file.0)));
        };
        let refused = match handle.write_with_u8_array_and_options(&bytes, &at(*size)) {
            Ok(written) if written as usize == bytes.len() => {
                *size += bytes.len() as u64;
                return Ok(());
            }
            Ok(written) => {
                StorageError::Full(format!("the browser wrote {written} of {} bytes", bytes.len()))
            }
            Err(error) if is_full(&error) => StorageError::Full(text_of(&error)),
            Err(error) => StorageError::NotDone(text_of(&error)),
        };
        // A part may have been written. Either it can be cut off, or the outcome is unknown.
        match handle.truncate_with_f64(*size as f64) {
            Ok(()) => Err(refused),
            Err(error) => Err(StorageError::Unknown(text_of(&error))),
        }
    }

    fn sync(&mut self, file: FileId) -> Result<(), StorageError> {
        match self.folder.borrow().files.get(&file) {
            Some(file) => file.handle.flush().map_err(|error| {
                if is_full(&error) {
                    StorageError::Full(text_of(&error))
                } else {
                    StorageError::Unknown(text_of(&error))
                }
            }),
            None => Err(StorageError::Unknown(format!("file {} does not exist", file.0))),
        }
    }

    fn read(&self, file: FileId, offset: u64, length: usize) -> Result<Slice, StorageError> {
        let folder = self.folder.borrow();
        let entry = folder.files.get(&file).ok_or_else(|| missing(file))?;
        let ends_early = |size: u64| StorageError::Corrupt {
            file,
            offset,
            found: format!("a file of {size} bytes"),
            expected: format!("{length} bytes there"),
        };
        // Checked before memory is allocated, because a damaged length may be huge.
        if offset.checked_add(length as u64).is_none_or(|end| end > entry.size) {
            return Err(ends_early(entry.size));
        }
        let mut bytes = vec![0; length];
        match entry.handle.read_with_u8_array_and_options(&mut bytes, &at(offset)) {
            Ok(read) if read as usize == length => Ok(Slice::from(bytes)),
            Ok(read) => Err(ends_early(offset + read as u64)),
            Err(error) => Err(StorageError::NotDone(text_of(&error))),
        }
    }

    fn size(&self, file: FileId) -> Result<u64, StorageError> {
        self.folder.borrow().files.get(&file).map(|file| file.size).ok_or_else(|| missing(file))
    }

    fn remove(&mut self, file: FileId) -> Result<(), StorageError> {
        let mut folder = self.folder.borrow_mut();
        if let Some(File { handle, .. }) = folder.files.remove(&file) {
            // A file that cannot be emptied may reappear in the next visit. Nothing refers to it,
            // so it is removed then.
            drop(handle.truncate_with_u32(0));
            handle.close();
            folder.gone.push(file);
        }
        Ok(())
    }
}

fn missing(file: FileId) -> StorageError {
    StorageError::Corrupt { file, offset: 0, found: "no file".into(), expected: "a file".into() }
}

fn at(offset: u64) -> FileSystemReadWriteOptions {
    let options = FileSystemReadWriteOptions::new();
    // Exact up to 8 PiB.
    options.set_at_f64(offset as f64);
    options
}

/// Returns an error if the browser lacks a function. A call would throw an exception that is not
/// caught.
fn check(of: &JsValue, function: &str) -> Result<(), Refusal> {
    match Reflect::get(of, &function.into()) {
        Ok(found) if found.is_function() => Ok(()),
        _ => Err(format!("it does not have {function}")),
    }
}

/// Opens all files of a folder, or none of them: open files are locked, and could not be opened
/// again.
async fn open_files(directory: &FileSystemDirectoryHandle) -> Result<Vec<(u64, File)>, Refusal> {
    let mut files = Vec::new();
    for number in numbers(directory.keys()).await? {
        match open_file(directory, number).await {
            Ok(file) => files.push((number, file)),
            Err(refusal) => {
                files.iter().for_each(|(_, file)| file.handle.close());
                return Err(refusal);
            }
        }
    }
    Ok(files)
}

/// Opens a file, and creates it if it does not exist.
async fn open_file(directory: &FileSystemDirectoryHandle, number: u64) -> Result<File, Refusal> {
    let options = FileSystemGetFileOptions::new();
    options.set_create(true);
    let file: FileSystemFileHandle =
        done(directory.get_file_handle_with_options(&name_of(number), &options)).await?.unchecked_into();
    let handle: FileSystemSyncAccessHandle = done(file.create_sync_access_handle()).await?.unchecked_into();
    let refusal = match handle.get_size() {
        Ok(size) if size.is_finite() => return Ok(File { handle, size: size as u64 }),
        // Old browsers return a promise here. If it were taken for the size 0, data would be
        // overwritten.
        Ok(_) => "it is too old: it does not return the size of a file synchronously".into(),
        Err(error) => text_of(&error),
    };
    handle.close();
    Err(refusal)
}

/// Returns the numbers of the files in a folder. Files with other names are ignored.
async fn numbers(names: AsyncIterator) -> Result<Vec<u64>, Refusal> {
    let mut numbers = Vec::new();
    loop {
        let next: IteratorNext = done(names.next().map_err(|error| text_of(&error))?).await?.unchecked_into();
        if next.done() {
            return Ok(sorted(numbers, u64::cmp));
        }
        let name = next.value().as_string().unwrap_or_default();
        numbers.extend(name.parse::<u64>().ok().filter(|&number| name_of(number) == name));
    }
}

fn name_of(number: u64) -> String {
    format!("{number:08}")
}

async fn done(promise: js_sys::Promise) -> Result<JsValue, Refusal> {
    JsFuture::from(promise).await.map_err(|error| text_of(&error))
}

fn is_full(error: &JsValue) -> bool {
    error.dyn_ref::<js_sys::Error>().is_some_and(|error| error.name() == "QuotaExceededError")
}

/// Returns the name and message of a thrown value.
pub(crate) fn text_of(thrown: &JsValue) -> Refusal {
    match thrown.dyn_ref::<js_sys::Error>() {
        Some(error) => format!("{}: {}", String::from(error.name()), String::from(error.message())),
        None => "the browser did not give a reason".into(),
    }
}
