//! The folder of `--data`: the files of all instances of a process.
//!
//! ```text
//! DIR/lock                        held while a program uses the folder
//! DIR/.reserve                    room for a full disk (`reserve.rs`)
//! DIR/admin.json                  what is not stored by the engine: instances, app profiles, authorized views
//! DIR/<project>/<instance>/       the files of one instance, in the browser's layout
//! DIR/<project>/.deleted-<instance>/  an instance that is being removed; the next start removes the rest
//! ```

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};

use serde::Deserialize;
use tabletop_model::{Code, Error, Result};

use crate::files::{FileStorage, Handles, Identity};
use crate::folders::{create_folders, sync_folder};
use crate::host::{AnyStorage, InstanceName, Overlay};
use crate::process::{FileLimits, private_file};
use crate::reserve::Reserve;

const LOCK: &str = "lock";
const ADMIN: &str = "admin.json";
/// The prefix of an instance's folder during its removal. No instance has such a name.
const REMOVED_PREFIX: &str = ".deleted-";
/// The project that Google's client for Node.js sends when no project is set.
const UNSET_PROJECT: &str = "{{projectId}}";
/// The longest name of a project or an instance, in characters.
const NAME_CHARS_MAX: usize = 64;

/// A folder that only this process uses.
#[derive(Debug)]
pub struct DataFolder {
    root: PathBuf,
    /// The open files of all instances.
    handles: Arc<Handles>,
    reserve: Arc<Reserve>,
    is_read_only: bool,
    /// Identifies what was opened at `root`; `None` when that is not known.
    identity: Option<Identity>,
    _lock: Option<File>,
}

impl DataFolder {
    /// Opens a folder, and creates it if it does not exist. A folder on read-only media, or owned
    /// by another user, is opened read-only.
    ///
    /// # Errors
    /// `FailedPrecondition` while another program uses it, `Unavailable` when the operating system
    /// refuses.
    pub fn open(root: impl Into<PathBuf>) -> Result<DataFolder> {
        let root: PathBuf = root.into();
        let failed = |error: io::Error| failed("the data folder", &root, &error);
        create_folders(&root).map_err(failed)?;
        let lock = match private_file().create(true).truncate(false).write(true).open(root.join(LOCK)) {
            Err(error)
                if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) =>
            {
                return DataFolder::open_to_read(root);
            }
            opened => opened.map_err(failed)?,
        };
        lock.try_lock().map_err(|error| cannot_lock(&root, error))?;
        let folder = DataFolder::of(root, Some(lock), false);
        folder.finish_removals();
        Ok(folder)
    }

    /// Opens a folder without changing anything in it. Several programs can read it at the same
    /// time.
    ///
    /// # Errors
    /// `FailedPrecondition` while another program uses it, `Unavailable` when the operating system
    /// refuses.
    pub fn open_to_read(root: impl Into<PathBuf>) -> Result<DataFolder> {
        let root: PathBuf = root.into();
        let lock = match File::open(root.join(LOCK)) {
            Ok(lock) => {
                lock.try_lock_shared().map_err(|error| cannot_lock(&root, error))?;
                Some(lock)
            }
            // A copy may have none.
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(failed("the data folder", &root, &error)),
        };
        Ok(DataFolder::of(root, lock, true))
    }

    fn of(root: PathBuf, lock: Option<File>, is_read_only: bool) -> DataFolder {
        let handles = Handles::new(FileLimits::of_process().handles_max);
        let reserve = Arc::new(if is_read_only { Reserve::default() } else { Reserve::of(&root) });
        let identity = fs::metadata(&root).ok().map(Identity::from);
        DataFolder { root, handles, reserve, is_read_only, identity, _lock: lock }
    }

    /// Returns whether nothing in the folder can be changed.
    pub fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// Checks that the folder is still the one that was opened.
    ///
    /// # Errors
    /// `Unavailable` when another program has removed or replaced it.
    pub fn check(&self) -> Result<()> {
        if fs::metadata(&self.root).ok().map(Identity::from) == self.identity {
            return Ok(());
        }
        let root = self.root.display();
        let why = format!(
            "another program has removed the data folder {root}: data is no longer stored; stop the server"
        );
        Err(Error::new(Code::Unavailable, why))
    }

    /// Returns the space that is reserved for when the disk is full.
    pub(crate) fn reserve(&self) -> &Arc<Reserve> {
        &self.reserve
    }

    /// Returns the path of the folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the instances that have a folder, sorted by name.
    ///
    /// # Errors
    /// `Unavailable` when it cannot be read now.
    pub fn instances(&self) -> Result<Vec<InstanceName>> {
        let mut names = Vec::new();
        // Other folders may be unreadable, for example `lost+found`.
        for project in
            folders(&self.root)?.into_iter().filter(|project| check_part("project", project).is_ok())
        {
            for instance in folders(&self.root.join(&project))? {
                let name = InstanceName { project: project.clone(), instance };
                if check_name(&name).is_ok() {
                    names.push(name);
                }
            }
        }
        names.sort();
        Ok(names)
    }

    /// Returns the path of an instance's folder, whether it exists or not.
    ///
    /// # Errors
    /// `InvalidArgument` for a name that is not allowed.
    pub fn path(&self, name: &InstanceName) -> Result<PathBuf> {
        check_name(name)?;
        Ok(self.root.join(&name.project).join(&name.instance))
    }

    /// Returns the path of an instance's folder. If the folder does not exist, creates it such that
    /// it survives a crash.
    ///
    /// # Errors
    /// `InvalidArgument` for a name that is not allowed; `FailedPrecondition` when the folder does
    /// not exist and the data folder is read-only; `Unavailable` when the folder cannot be created.
    pub fn make(&self, name: &InstanceName) -> Result<PathBuf> {
        let path = self.path(name)?;
        if self.is_read_only && !path.is_dir() {
            let InstanceName { project, instance } = name;
            let root = self.root.display();
            let why = format!(
                "instance \"projects/{project}/instances/{instance}\" cannot be created: the data folder {root} is read-only"
            );
            return Err(Error::new(Code::FailedPrecondition, why));
        }
        self.check()?;
        create_folders(&path).map_err(|error| failed("the folder of the instance", &path, &error))?;
        Ok(path)
    }

    /// Opens the files of an instance, and creates its folder if it does not exist.
    ///
    /// # Errors
    /// The errors of [`DataFolder::make`]: the name is not allowed, or the folder cannot be
    /// created.
    pub(crate) fn storage(&self, name: &InstanceName) -> Result<AnyStorage> {
        let (folder, handles) = (self.make(name)?, self.handles.clone());
        Ok(if self.is_read_only {
            AnyStorage::ReadOnly(Arc::new(RwLock::new(Overlay::new(FileStorage::to_read(folder, handles)?))))
        } else {
            AnyStorage::Files(FileStorage::of_locked(folder, handles)?)
        })
    }

    /// Removes an instance with all of its files, none of which may still be open.
    ///
    /// # Errors
    /// `Unavailable` when some files are left.
    pub fn remove(&self, name: &InstanceName) -> Result<()> {
        let path = self.path(name)?;
        let renamed = path.with_file_name(format!("{REMOVED_PREFIX}{}", name.instance));
        let gone = |done: io::Result<()>| match done {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(failed("the folder of the instance", &path, &error))
            }
            _ => Ok(()),
        };
        // The rename removes the instance in one step. A crash halfway through deleting would leave
        // some of its files, which would count as damage.
        gone(fs::remove_dir_all(&renamed))?;
        gone(fs::rename(&path, &renamed))?;
        gone(sync_folder(&self.root.join(&name.project)))?;
        // If this fails, the next start retries it.
        let _ = fs::remove_dir_all(&renamed);
        Ok(())
    }

    /// Completes the removals that an earlier process began.
    fn finish_removals(&self) {
        let of_ours = |project: &String| check_part("project", project).is_ok();
        for project in folders(&self.root).unwrap_or_default().into_iter().filter(of_ours) {
            let project = self.root.join(project);
            for left in folders(&project).unwrap_or_default() {
                if left
                    .strip_prefix(REMOVED_PREFIX)
                    .is_some_and(|instance| check_part("instance", instance).is_ok())
                {
                    let _ = fs::remove_dir_all(project.join(left));
                }
            }
        }
    }

    /// Returns the bytes that [`DataFolder::replace_admin`] wrote last.
    ///
    /// # Errors
    /// `Unavailable` when it cannot be read now.
    pub fn read_admin(&self) -> Result<Option<Vec<u8>>> {
        let path = self.root.join(ADMIN);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed("the file", &path, &error)),
        }
    }

    /// Returns the names of the engine's backups that `admin.json` lists for an instance; none if
    /// the file cannot be read.
    pub(crate) fn backups(&self, name: &InstanceName) -> Vec<String> {
        let InstanceName { project, instance } = name;
        let read = || {
            let bytes = self.read_admin().ok()??;
            let mut named: Named = serde_json::from_slice(&bytes).ok()?;
            named.instances.remove(&format!("projects/{project}/instances/{instance}"))
        };
        let named: NamedBackups = read().unwrap_or_default();
        named
            .backups
            .into_values()
            .chain(named.deleted_tables.into_values())
            .map(|backup| backup.kept)
            .collect()
    }

    /// Replaces the content of `admin.json`. After a crash, the file holds either the complete old
    /// or the complete new content.
    ///
    /// # Errors
    /// `Unavailable` when the new content may not survive a crash, `ResourceExhausted` when not
    /// even the reserve has enough room.
    pub fn replace_admin(&self, bytes: &[u8]) -> Result<()> {
        self.check()?;
        let (path, new) = (self.root.join(ADMIN), self.root.join("admin.json.new"));
        let replace = || {
            // A file that an earlier process left, or that another program placed there, is
            // replaced, not written to.
            match fs::remove_file(&new) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let mut file = private_file().write(true).create_new(true).open(&new)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(&new, &path)?;
            sync_folder(&self.root)
        };
        self.reserve.spend(|| replace().map_err(|error| failed("the file", &path, &error)))
    }
}

/// The part of `admin.json` that names backups of the engine; `grpc/admin/state.rs` has all of it.
#[derive(Default, Deserialize)]
struct Named {
    #[serde(default)]
    instances: BTreeMap<String, NamedBackups>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct NamedBackups {
    backups: BTreeMap<String, NamedBackup>,
    deleted_tables: BTreeMap<String, NamedBackup>,
}

#[derive(Deserialize)]
struct NamedBackup {
    kept: String,
}

/// Rejects names that lead out of the folder or collide with its other files.
///
/// # Errors
/// `InvalidArgument` for such a name.
pub fn check_name(name: &InstanceName) -> Result<()> {
    check_part("project", &name.project)?;
    check_part("instance", &name.instance)
}

fn check_part(what: &str, text: &str) -> Result<()> {
    if what == "project" && text == UNSET_PROJECT {
        return Ok(());
    }
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    let begins_well = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let is_ours = text == LOCK || text.starts_with(ADMIN);
    if begins_well && text.len() <= NAME_CHARS_MAX && text.chars().all(is_allowed) && !is_ours {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "{what} \"{}\" is not valid: it must have 1 to {NAME_CHARS_MAX} characters and match [_a-zA-Z0-9][-_.:a-zA-Z0-9]*, and must \
         not be \"{LOCK}\" or \"{ADMIN}\"; choose another",
        text.escape_default()
    )))
}

/// Returns the names of a folder's subfolders. Names that are not UTF-8 are left out.
fn folders(path: &Path) -> Result<Vec<String>> {
    let read = || -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                names.extend(entry.file_name().into_string());
            }
        }
        Ok(names)
    };
    read().map_err(|error| failed("the folder", path, &error))
}

fn cannot_lock(root: &Path, error: TryLockError) -> Error {
    match error {
        TryLockError::Error(error) => failed("the data folder", root, &error),
        TryLockError::WouldBlock => Error::new(
            Code::FailedPrecondition,
            format!(
                "the data folder {} is in use: stop the program that has it open (perhaps a `tabletop serve`), or choose another \
                 folder",
                root.display()
            ),
        ),
    }
}

fn failed(what: &str, path: &Path, error: &io::Error) -> Error {
    let code =
        if error.kind() == ErrorKind::StorageFull { Code::ResourceExhausted } else { Code::Unavailable };
    Error::new(code, format!("{what} {} cannot be used: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(project: &str, instance: &str) -> InstanceName {
        InstanceName { project: project.into(), instance: instance.into() }
    }

    #[test]
    fn a_second_program_is_refused_and_the_admin_file_is_replaced() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path();
        let folder = DataFolder::open(root).unwrap();
        let error = DataFolder::open(root).unwrap_err();
        assert_eq!(error.code, Code::FailedPrecondition);
        assert!(error.message.contains("in use"), "{error}");
        assert_eq!(folder.read_admin(), Ok(None));
        folder.replace_admin(b"one").unwrap();
        folder.replace_admin(b"two").unwrap();
        assert_eq!(folder.read_admin(), Ok(Some(b"two".to_vec())));
        let wanted = [name("a.b:c", "x"), name("p", "i1"), name("p", "i2"), name(UNSET_PROJECT, "i")];
        for wanted in &wanted {
            fs::create_dir_all(folder.path(wanted).unwrap()).unwrap();
        }
        assert_eq!(folder.instances().unwrap(), wanted);
        folder.remove(&name("p", "i1")).unwrap();
        folder.remove(&name("p", "i1")).expect("removing a missing instance succeeds");
        assert_eq!(folder.instances().unwrap().len(), 3);
        // The process ended in the middle of a removal.
        let half = root.join("p").join(format!("{REMOVED_PREFIX}i9"));
        fs::create_dir_all(half.join("x")).unwrap();
        assert_eq!(folder.instances().unwrap().len(), 3);
        drop(folder);
        let folder = DataFolder::open(root).unwrap();
        assert!(!half.exists() && folder.make(&name("q", "new")).unwrap().is_dir());
    }

    #[cfg(unix)]
    #[test]
    fn the_admin_file_is_written_through_no_link() {
        use std::os::unix::fs::PermissionsExt;
        let (temporary, other) = (tempfile::tempdir().unwrap(), tempfile::NamedTempFile::new().unwrap());
        fs::write(other.path(), "of another program").unwrap();
        let folder = DataFolder::open(temporary.path()).unwrap();
        std::os::unix::fs::symlink(other.path(), temporary.path().join("admin.json.new")).unwrap();
        folder.replace_admin(b"state").unwrap();
        assert_eq!(fs::read_to_string(other.path()).unwrap(), "of another program");
        let admin = temporary.path().join(ADMIN);
        assert_eq!(fs::read_to_string(&admin).unwrap(), "state");
        assert_eq!(fs::metadata(&admin).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn missing_folders_are_created_and_a_file_is_in_the_way() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().join("a/b/c");
        let folder = DataFolder::open(&root).unwrap();
        assert!(folder.make(&name("p", "i")).unwrap().is_dir());
        create_folders(&root).expect("it is there");
        fs::write(temporary.path().join("file"), "").unwrap();
        assert!(create_folders(&temporary.path().join("file")).is_err());
        assert!(create_folders(&temporary.path().join("file/below")).is_err());
    }

    #[test]
    fn names_cannot_leave_the_data_folder() {
        assert!(
            check_name(&name("p", UNSET_PROJECT)).is_err() && check_name(&name("{{other}}", "i")).is_err()
        );
        for bad in [
            "",
            ".",
            "..",
            "a/b",
            "a\\b",
            "-a",
            "a b",
            "a\0",
            "lock",
            "admin.json",
            "admin.json.new",
            &"a".repeat(65),
        ] {
            assert!(check_name(&name(bad, "i")).is_err(), "{bad:?}");
            assert!(check_name(&name("p", bad)).is_err(), "{bad:?}");
        }
        assert_eq!(check_name(&name("example.com:my-project", "i_1.x")), Ok(()));
    }
}
