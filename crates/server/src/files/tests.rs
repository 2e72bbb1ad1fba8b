//! Tests of storage in a folder: restarts, failures of the device, other programs, and many files.

use super::*;

#[test]
fn written_bytes_are_read_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let mut storage = FileStorage::open(folder.path()).unwrap();
    let (first, second) = (storage.create().unwrap(), storage.create().unwrap());
    for piece in ["abc", "", "de"] {
        storage.append(first, piece.into()).unwrap();
    }
    storage.append(second, vec![7; 100_000]).unwrap();
    storage.sync(first).unwrap();
    storage.remove(second).unwrap();
    drop(storage);
    fs::write(folder.path().join("notes.txt"), "not ours").unwrap();
    let mut storage = FileStorage::open(folder.path()).unwrap();
    assert_eq!(storage.files(), Ok(vec![first]));
    assert_eq!((storage.size(first), &storage.read(first, 1, 3).unwrap()[..]), (Ok(5), &b"bcd"[..]));
    assert!(matches!(storage.read(first, 3, 3), Err(StorageError::Corrupt { .. })));
    assert!(matches!(storage.read(second, 0, 1), Err(StorageError::Corrupt { .. })));
    let third = storage.create().unwrap();
    assert_ne!(third, first);
    fs::remove_file(folder.path().join(format!("{}.table", third.0))).unwrap();
    storage.append(third, b"x".to_vec()).unwrap();
    storage.remove(third).expect("removing a file that another program has removed succeeds");
}

/// This device cannot be synced.
#[cfg(target_os = "linux")]
#[test]
fn a_sync_that_has_failed_leaves_a_mark() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/dev/full", folder.path().join("3.table")).unwrap();
    let mut storage = FileStorage::open(folder.path()).unwrap();
    assert!(matches!(storage.sync(FileId(3)), Err(StorageError::Unknown(_))));
    assert!(folder.path().join("3.unsynced").exists());
}

#[test]
fn the_bytes_of_a_marked_file_are_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut storage = FileStorage::open(folder.path()).unwrap();
    let (file, other) = (storage.create().unwrap(), storage.create().unwrap());
    let bytes: Vec<u8> = (0..3_000_000_u32).map(|at| (at >> 5) as u8).collect();
    storage.append(file, bytes.clone()).unwrap();
    drop(storage);
    let path = folder.path().join("0.table");
    let written_at = || {
        let long_ago = std::time::UNIX_EPOCH;
        let found = fs::metadata(&path).unwrap().modified().unwrap();
        File::options().write(true).open(&path).unwrap().set_modified(long_ago).unwrap();
        found > long_ago
    };
    let sync = || {
        let mut storage = FileStorage::open(folder.path()).unwrap();
        storage.sync(file).unwrap();
        assert!(fs::read(&path).unwrap() == bytes);
        storage
    };
    written_at();
    drop(sync());
    assert!(!written_at(), "without a mark");
    ["0.unsynced", "1.unsynced"].iter().for_each(|mark| fs::write(folder.path().join(mark), "").unwrap());
    let mut storage = sync();
    assert!(written_at() && !folder.path().join("0.unsynced").exists());
    // A file that is removed no longer has a mark.
    storage.remove(other).unwrap();
    assert!(!folder.path().join("1.unsynced").exists());
}

/// Reading the first bytes of this file fails with EIO.
#[cfg(target_os = "linux")]
#[test]
fn bytes_that_the_device_cannot_read_are_damage() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/proc/self/mem", folder.path().join("3.table")).unwrap();
    let storage = FileStorage::open(folder.path()).unwrap();
    let error = storage.read(FileId(3), 0, 8).unwrap_err();
    assert!(
        matches!(&error, StorageError::Corrupt { found, .. } if found.contains("cannot be read")),
        "{error}"
    );
}

#[test]
fn a_second_program_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let storage = FileStorage::open(folder.path()).unwrap();
    assert!(matches!(FileStorage::open(folder.path()), Err(OpenError::InUse(_))));
    drop(storage);
    FileStorage::open(folder.path()).unwrap();
}

#[test]
fn there_may_be_more_files_than_handles() {
    let folder = tempfile::tempdir().unwrap();
    let mut storage = FileStorage::open(folder.path()).unwrap();
    let files: Vec<FileId> = (0..HANDLES_MAX as u64 + 50).map(|_| storage.create().unwrap()).collect();
    for &file in &files {
        storage.append(file, file.0.to_le_bytes().to_vec()).unwrap();
        storage.sync(file).unwrap();
    }
    for &file in files.iter().chain(files.iter().rev()) {
        assert_eq!(storage.read(file, 0, 8).unwrap()[..], file.0.to_le_bytes());
    }
    assert_eq!(storage.0.handles.count(), HANDLES_MAX);
    drop(storage);
    let storage = FileStorage::open(folder.path()).unwrap();
    for &file in &files {
        assert_eq!(storage.read(file, 0, 8).unwrap()[..], file.0.to_le_bytes());
    }
    assert_eq!(storage.0.handles.count(), HANDLES_MAX);
}

#[test]
fn storages_share_the_handles() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let handles = Handles::new(3);
    let mut storages = [one.path(), two.path()]
        .map(|folder| FileStorage::of_locked(folder.into(), handles.clone()).unwrap());
    for storage in &mut storages {
        for byte in 0..4 {
            let file = storage.create().unwrap();
            storage.append(file, vec![byte; 10]).unwrap();
            storage.sync(file).unwrap();
        }
    }
    let unsynced = storages[0].create().unwrap();
    storages[0].append(unsynced, b"x".to_vec()).unwrap();
    for storage in &storages {
        for byte in 0..4 {
            assert_eq!(storage.read(FileId(u64::from(byte)), 3, 2).unwrap()[..], [byte; 2]);
        }
    }
    assert_eq!(handles.count(), 3);
    storages[0].sync(unsynced).unwrap();
    let [first, second] = storages;
    drop(first);
    assert!(handles.count() <= 2);
    drop(second);
    assert_eq!(handles.count(), 0);
}

#[cfg(unix)]
#[test]
fn files_belong_to_their_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let mut storage = FileStorage::open(folder.path().join("a/b")).unwrap();
    let file = storage.create().unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!([mode(&folder.path().join("a")), mode(&folder.path().join("a/b"))], [0o700; 2]);
    assert_eq!([mode(&storage.0.path(file)), mode(&folder.path().join("a/b/lock"))], [0o600; 2]);
}
