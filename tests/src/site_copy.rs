//! A copy of the site without some of its files.

use std::fs;
use std::io;
use std::path::Path;

use tempfile::TempDir;

/// Copies the files of `dist` for whose names `is_wanted` returns `true`, without its subfolders,
/// to a new folder.
///
/// # Errors
/// If a file cannot be copied.
pub fn copy_of(dist: &Path, is_wanted: impl Fn(&str) -> bool) -> io::Result<TempDir> {
    let copy = TempDir::new()?;
    for entry in fs::read_dir(dist)? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.path().is_file() && is_wanted(&name.to_string_lossy()) {
            fs::copy(entry.path(), copy.path().join(name))?;
        }
    }
    Ok(copy)
}
