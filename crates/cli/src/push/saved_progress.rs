//! The progress of an earlier run, in a small file next to the workspace.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tabletop_model::RowKey;

use super::load::BulkLoad;
use crate::commands::is_link;
use crate::remote::Target;

/// The interval between two writes of the file. Rows whose progress is lost with a process are
/// written again, which changes nothing.
const SAVE_EVERY: Duration = Duration::from_millis(200);

/// The rows that are known to be in the table.
pub(super) struct SavedProgress {
    /// `None` for the workspace of a link, which is not in a folder.
    path: Option<PathBuf>,
    progress: ProgressFile,
    saved_at: Option<Instant>,
}

#[derive(Serialize, Deserialize)]
struct ProgressFile {
    /// The table.
    target: String,
    /// The fingerprint of the load.
    fingerprint: u64,
    /// The number of entries of each range that are in the table, counted from its beginning.
    done: Vec<usize>,
}

impl SavedProgress {
    /// Reads the progress of an earlier run, if it has the same load and the same table. Otherwise
    /// the progress is empty.
    pub fn open(workspace: &Path, target: &Target, load: &BulkLoad) -> SavedProgress {
        let path = (!is_link(workspace)).then(|| {
            let mut name = workspace.as_os_str().to_owned();
            name.push(".push.json");
            PathBuf::from(name)
        });
        let place = format!("{} {}", target.emulator.as_deref().unwrap_or("cloud"), target.table_name());
        let fits = |progress: &ProgressFile| {
            progress.target == place
                && progress.fingerprint == load.fingerprint
                && progress.done.len() == load.ranges.len()
                && progress.done.iter().zip(&load.ranges).all(|(done, range)| *done <= range.len())
        };
        let read = path.as_ref().and_then(|path| fs::read(path).ok());
        let progress = read.and_then(|bytes| serde_json::from_slice(&bytes).ok()).filter(fits);
        let fresh = || ProgressFile {
            target: place.clone(),
            fingerprint: load.fingerprint,
            done: vec![0; load.ranges.len()],
        };
        SavedProgress { path, progress: progress.unwrap_or_else(fresh), saved_at: None }
    }

    /// Records that the table has none of the rows.
    pub fn forget(&mut self) {
        self.progress.done.fill(0);
    }

    /// Returns the number of a range's entries that are in the table.
    pub fn done(&self, range: usize) -> usize {
        self.progress.done[range]
    }

    /// Returns the number of complete rows in the table.
    pub fn rows_done(&self, load: &BulkLoad) -> u64 {
        let rows = |(range, done): (&Vec<super::load::Entry>, &usize)| {
            range[..*done].iter().filter(|entry| entry.ends_row).count() as u64
        };
        load.ranges.iter().zip(&self.progress.done).map(rows).sum()
    }

    /// Returns the last key in the table of each range.
    pub fn last_keys(&self, load: &BulkLoad) -> Vec<RowKey> {
        let last =
            |(range, done): (&Vec<super::load::Entry>, &usize)| Some(range[done.checked_sub(1)?].key.clone());
        load.ranges.iter().zip(&self.progress.done).filter_map(last).collect()
    }

    /// Records that a range's first entries are in the table.
    pub fn advance(&mut self, range: usize, done: usize) -> io::Result<()> {
        self.progress.done[range] = done;
        if self.saved_at.is_some_and(|saved_at| saved_at.elapsed() < SAVE_EVERY) {
            return Ok(());
        }
        self.save()
    }

    /// Writes the file, completely or not at all.
    pub fn save(&mut self) -> io::Result<()> {
        self.saved_at = Some(Instant::now());
        let Some(path) = &self.path else { return Ok(()) };
        let bytes = serde_json::to_vec(&self.progress).map_err(io::Error::other)?;
        let mut new = path.clone().into_os_string();
        new.push(".new");
        fs::write(&new, bytes)?;
        fs::rename(&new, path)
    }

    /// Removes the file after all rows are in the table. The next run starts from the beginning.
    pub fn remove(self) {
        let _ = self.path.map(fs::remove_file);
    }
}
