//! A copy of the site without some of its files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A folder with the files of a site, without the samples in a folder of their own. Removed on drop.
#[derive(Debug)]
pub struct SiteCopy(PathBuf);

impl SiteCopy {
    /// Copies the files of `dist` whose name is wanted.
    ///
    /// # Errors
    /// When a file cannot be copied.
    pub fn new(dist: &Path, is_wanted: impl Fn(&str) -> bool) -> io::Result<SiteCopy> {
        let copy = SiteCopy(std::env::temp_dir().join(format!("tabletop-site-{}", std::process::id())));
        fs::create_dir_all(&copy.0)?;
        for entry in fs::read_dir(dist)? {
            let entry = entry?;
            let name = entry.file_name();
            if entry.path().is_file() && is_wanted(&name.to_string_lossy()) {
                fs::copy(entry.path(), copy.0.join(name))?;
            }
        }
        Ok(copy)
    }

    /// The folder of the copy.
    pub fn folder(&self) -> &Path {
        &self.0
    }
}

impl Drop for SiteCopy {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}
