//! Disk space that a data folder reserves for when the disk is full. Freeing space must be recorded
//! first, and that takes a little space.
//!
//! The file has bytes that no file system can compress. It is removed for one request, and written
//! again afterwards, or later.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tabletop_model::{Code, Result};

use crate::lock::lock;
use crate::process::private_file;

/// No project can have this name.
const FILE: &str = ".reserve";
/// A few records of manifests, and the file of the admin state.
const BYTES: usize = 64 << 10;

/// The reserve of a data folder, or none.
#[derive(Debug, Default)]
pub(crate) struct Reserve {
    path: Option<PathBuf>,
    /// Locked while the file is being removed or written.
    changing: Mutex<()>,
}

impl Reserve {
    /// Creates the reserve of a folder, and fills it.
    pub fn of(folder: &Path) -> Reserve {
        let reserve = Reserve { path: Some(folder.join(FILE)), changing: Mutex::default() };
        reserve.fill();
        reserve
    }

    /// Writes what is missing, if there is room.
    pub fn fill(&self) {
        let _alone = lock(&self.changing);
        if let Some(path) = &self.path {
            // This is retried later.
            let _ = fill(path);
        }
    }

    /// Calls `act`, which is about to free space. If there is too little for that, calls it again
    /// without the reserve.
    ///
    /// # Errors
    /// The error of `act`.
    pub fn spend<T>(&self, mut act: impl FnMut() -> Result<T>) -> Result<T> {
        let done = act();
        let Some(path) = &self.path else { return done };
        if done.as_ref().err().is_none_or(|error| error.code != Code::ResourceExhausted) {
            return done;
        }
        let released = {
            let _alone = lock(&self.changing);
            fs::remove_file(path)
        };
        let done = if released.is_ok() { act() } else { done };
        self.fill();
        done
    }
}

fn fill(path: &Path) -> io::Result<()> {
    let size = match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => found.len().min(BYTES as u64) as usize,
        Ok(_) => return Err(io::ErrorKind::AlreadyExists.into()),
        Err(_) => 0,
    };
    if size == BYTES {
        return Ok(());
    }
    let mut file = private_file().create(true).append(true).open(path)?;
    let written = file.write_all(&noise()[size..]);
    // Otherwise the space might only be promised.
    file.sync_all().and(written)
}

fn noise() -> Vec<u8> {
    let mut seed = 1_u64;
    let mut next = || {
        seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (seed >> 56) as u8
    };
    (0..BYTES).map(|_| next()).collect()
}

#[cfg(test)]
mod tests {
    use tabletop_model::Error;

    use super::*;

    fn size(folder: &Path) -> u64 {
        fs::metadata(folder.join(FILE)).map_or(0, |found| found.len())
    }

    #[test]
    fn a_full_disk_has_room_for_what_frees_room() {
        let folder = tempfile::tempdir().unwrap();
        let reserve = Reserve::of(folder.path());
        assert_eq!(size(folder.path()), BYTES as u64);
        let full = || Error::new(Code::ResourceExhausted, "full");
        let mut calls = 0;
        let done = reserve.spend(|| {
            calls += 1;
            if size(folder.path()) > 0 { Err(full()) } else { Ok(()) }
        });
        assert_eq!((done, calls, size(folder.path())), (Ok(()), 2, BYTES as u64));
        // Other errors leave the reserve.
        let done: Result<()> = reserve.spend(|| {
            assert!(size(folder.path()) > 0);
            Err(Error::invalid("no"))
        });
        assert!(done.is_err());
        // A part of it is completed.
        fs::write(folder.path().join(FILE), [1; 1_000]).unwrap();
        reserve.fill();
        assert_eq!(size(folder.path()), BYTES as u64);
        let always: Result<()> = reserve.spend(|| Err(full()));
        assert_eq!((always, size(folder.path())), (Err(full()), BYTES as u64));
        assert_eq!(Reserve::default().spend(|| Ok(7)), Ok(7));
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_through_a_link() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::NamedTempFile::new().unwrap());
        std::os::unix::fs::symlink(other.path(), folder.path().join(FILE)).unwrap();
        Reserve::of(folder.path());
        assert_eq!(fs::metadata(other.path()).unwrap().len(), 0);
    }
}
