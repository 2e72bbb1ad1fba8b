//! Files of the browser's private file system, in a worker of a real browser.

use tabletop_engine::storage::{FileId, Storage, StorageError};
use tabletop_worker::opfs::Opfs;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::{
    DedicatedWorkerGlobalScope, FileSystemDirectoryHandle, FileSystemFileHandle, FileSystemSyncAccessHandle,
    StorageManager,
};

fn manager() -> StorageManager {
    js_sys::global().unchecked_into::<DedicatedWorkerGlobalScope>().navigator().storage()
}

async fn open(folder: &str) -> Opfs {
    Opfs::open(&manager(), folder).await.expect("a folder")
}

/// Closes a folder and opens it again. Only the contents of its files remain.
async fn reopen(opfs: Opfs, folder: &str) -> Opfs {
    opfs.close();
    open(folder).await
}

/// An empty folder with prepared files.
async fn fresh(folder: &str) -> Opfs {
    let mut opfs = open(folder).await;
    for file in opfs.files().unwrap() {
        opfs.remove(file).unwrap();
    }
    drop(opfs.create());
    opfs.prepare_files().await;
    opfs
}

fn write(opfs: &mut Opfs, bytes: &[u8]) -> FileId {
    let file = opfs.create().expect("a file is ready");
    opfs.append(file, bytes.to_vec()).unwrap();
    opfs.sync(file).unwrap();
    file
}

#[test]
async fn appended_bytes_are_read_immediately_and_after_opening_again() {
    let mut opfs = fresh("append").await;
    let file = opfs.create().unwrap();
    assert_eq!(opfs.size(file).unwrap(), 0);
    for piece in ["one, ", "two, ", "three"] {
        opfs.append(file, piece.into()).unwrap();
    }
    opfs.sync(file).unwrap();
    assert_eq!(&opfs.read(file, 5, 8).unwrap()[..], b"two, thr");
    let opfs = reopen(opfs, "append").await;
    assert_eq!(opfs.files().unwrap(), [file]);
    assert_eq!(opfs.size(file).unwrap(), 15);
    assert_eq!(&opfs.read(file, 0, 15).unwrap()[..], b"one, two, three");
}

#[test]
async fn a_read_beyond_the_end_or_of_no_file_names_the_damage() {
    let mut opfs = fresh("beyond").await;
    let file = write(&mut opfs, b"12345");
    for (offset, length) in [(0, 6), (5, 1), (6, 0), (u64::MAX, 1), (1, usize::MAX)] {
        let refused = opfs.read(file, offset, length);
        assert!(matches!(refused, Err(StorageError::Corrupt { .. })), "{offset} and {length}: {refused:?}");
    }
    assert_eq!(&opfs.read(file, 5, 0).unwrap()[..], b"");
    assert!(matches!(opfs.read(FileId(99), 0, 1), Err(StorageError::Corrupt { .. })));
    assert!(matches!(opfs.append(FileId(99), vec![1]), Err(StorageError::NotDone(_))));
    assert!(matches!(opfs.sync(FileId(99)), Err(StorageError::Unknown(_))));
}

#[test]
async fn a_removed_file_disappears_immediately_and_is_deleted_later() {
    let mut opfs = fresh("remove").await;
    let (first, second) = (write(&mut opfs, b"first"), write(&mut opfs, b"second"));
    opfs.remove(first).unwrap();
    opfs.remove(first).expect("a removed file counts as removed");
    assert_eq!(opfs.files().unwrap(), [second]);
    assert!(matches!(opfs.read(first, 0, 1), Err(StorageError::Corrupt { .. })));
    // The tab may be closed before the file is unlinked.
    let mut opfs = reopen(opfs, "remove").await;
    assert_eq!(opfs.files().unwrap(), [second]);
    opfs.remove(second).unwrap();
    assert!(opfs.needs_preparing());
    opfs.prepare_files().await;
    assert!(!opfs.needs_preparing());
    let opfs = reopen(opfs, "remove").await;
    assert_eq!(opfs.files().unwrap(), []);
}

#[test]
async fn files_are_prepared_after_the_first_use_with_unique_names() {
    let mut opfs = open("ready").await;
    let mut made = std::collections::BTreeSet::new();
    for round in 0..5 {
        let count =
            std::iter::from_fn(|| opfs.create().ok()).inspect(|file| assert!(made.insert(*file))).count();
        assert_eq!(count > 0, round > 0, "{count} files in round {round}");
        assert!(matches!(opfs.create(), Err(StorageError::NotDone(_))));
        assert!(opfs.needs_preparing());
        opfs.prepare_files().await;
    }
    made.iter().for_each(|&file| opfs.remove(file).unwrap());
    opfs.prepare_files().await;
}

#[test]
async fn a_folder_is_open_in_one_place() {
    let mut opfs = fresh("twice").await;
    let file = write(&mut opfs, b"mine");
    let refused = Opfs::open(&manager(), "twice").await;
    assert!(
        refused.as_ref().is_err_and(|refusal| refusal.starts_with("NoModificationAllowedError")),
        "{refused:?}"
    );
    assert_eq!(&opfs.read(file, 0, 4).unwrap()[..], b"mine");
}

/// Opens a file directly, as a worker that is ending may still hold it.
async fn hold(folder: &str, file: FileId) -> FileSystemSyncAccessHandle {
    let root: FileSystemDirectoryHandle =
        JsFuture::from(manager().get_directory()).await.unwrap().unchecked_into();
    let directory: FileSystemDirectoryHandle =
        JsFuture::from(root.get_directory_handle(folder)).await.unwrap().unchecked_into();
    let name = format!("{:08}", file.0);
    let file: FileSystemFileHandle =
        JsFuture::from(directory.get_file_handle(&name)).await.unwrap().unchecked_into();
    JsFuture::from(file.create_sync_access_handle()).await.unwrap().unchecked_into()
}

#[test]
async fn a_file_that_another_tab_holds_locks_no_other() {
    let mut opfs = fresh("held").await;
    let (one, other) = (write(&mut opfs, b"one"), write(&mut opfs, b"other"));
    opfs.close();
    let held = hold("held", one.max(other)).await;
    for _ in 0..2 {
        let refused = Opfs::open(&manager(), "held").await;
        assert!(
            refused.as_ref().is_err_and(|refusal| refusal.starts_with("NoModificationAllowedError")),
            "{refused:?}"
        );
    }
    hold("held", one.min(other)).await.close();
    held.close();
    let opfs = open("held").await;
    assert_eq!(&opfs.read(one, 0, 3).unwrap()[..], b"one");
}

#[test]
async fn a_browser_that_lacks_something_is_refused() {
    let none = js_sys::Object::new().unchecked_into();
    assert_eq!(Opfs::open(&none, "lacking").await.unwrap_err(), "it does not have getDirectory");

    // The return value of old browsers.
    let mut opfs = fresh("old").await;
    write(&mut opfs, b"kept");
    opfs.close();
    let class = js_sys::Reflect::get(&js_sys::global(), &"FileSystemSyncAccessHandle".into()).unwrap();
    let methods = js_sys::Reflect::get(&class, &"prototype".into()).unwrap();
    let get_size = js_sys::Reflect::get(&methods, &"getSize".into()).unwrap();
    let promise = js_sys::Function::new_no_args("return Promise.resolve(4)");
    js_sys::Reflect::set(&methods, &"getSize".into(), &promise).unwrap();
    let refused = Opfs::open(&manager(), "old").await;
    js_sys::Reflect::set(&methods, &"getSize".into(), &get_size).unwrap();
    assert!(refused.as_ref().is_err_and(|refusal| refusal.starts_with("it is too old")), "{refused:?}");
    let opfs = open("old").await;
    assert_eq!(opfs.files().unwrap().len(), 1);
}

#[test]
async fn folders_are_independent() {
    let mut one = fresh("one").await;
    let two = fresh("two").await;
    write(&mut one, b"of one");
    assert_eq!(two.files().unwrap(), []);
}
