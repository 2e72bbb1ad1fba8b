//! Folders that survive a crash.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use crate::process::private_folder;

/// Creates a folder, and any missing folders above it, so that they survive a crash.
pub(crate) fn create_folders(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let above = path.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    create_folders(above)?;
    match private_folder().create(path) {
        // Another program may have created it since.
        Err(error) if !path.is_dir() => Err(error),
        // A folder that exists counts as durable, so one that may not be durable is removed again.
        _ => sync_folder(above).inspect_err(|_| drop(fs::remove_dir(path))),
    }
}

/// Makes the entries of a folder durable.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    // On Windows, a folder cannot be opened and need not be synced.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}
