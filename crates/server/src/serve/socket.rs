//! A Unix socket: a file on which one server listens, and which that server removes.

use std::path::Path;

use tabletop_model::{Code, Error, Result};

use crate::grpc::Listener;

#[cfg(unix)]
pub(super) use self::unix::bind;

/// Listens on a path.
///
/// # Errors
/// `FailedPrecondition`, always.
#[cfg(not(unix))]
pub(super) fn bind(path: &Path, _: &mut Listener) -> Result<()> {
    let why =
        format!("cannot listen on {}: this operating system does not support Unix sockets", path.display());
    Err(Error::new(Code::FailedPrecondition, why))
}

#[cfg(unix)]
mod unix {
    use std::fs::{File, Metadata, TryLockError, metadata, remove_file, symlink_metadata};
    use std::io::{self, ErrorKind};
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    use std::os::unix::net::UnixStream;
    use std::path::PathBuf;

    use super::{Code, Error, Listener, Path, Result};
    use crate::process::private_file;

    /// A socket on which this process listens. Dropping it removes its files, unless they have been
    /// replaced.
    pub(in crate::serve) struct Socket {
        path: PathBuf,
        file: Metadata,
        _lock: Lock,
    }

    /// Listens on a path. A socket that a killed server left behind is replaced.
    ///
    /// # Errors
    /// `Unavailable` while another program listens there, and when the operating system refuses.
    pub(in crate::serve) fn bind(path: &Path, listener: &mut Listener) -> Result<Socket> {
        let failed = |error: io::Error| match error.kind() {
            ErrorKind::AddrInUse | ErrorKind::WouldBlock => Error::new(
                Code::Unavailable,
                format!(
                    "cannot listen on {}: another program or another file is there: choose another --socket",
                    path.display()
                ),
            ),
            _ => Error::new(Code::Unavailable, format!("cannot listen on {}: {error}", path.display())),
        };
        // Two servers may find the same socket with no listener. Without the lock, the second would
        // remove the first one's.
        let lock = Lock::take(path).map_err(failed)?;
        let is_socket = symlink_metadata(path).is_ok_and(|about| about.file_type().is_socket());
        if is_socket
            && UnixStream::connect(path).is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused)
        {
            remove_file(path).map_err(failed)?;
        }
        // The mask makes the socket private from its first moment on.
        let mask = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o177));
        let bound = tokio::net::UnixListener::bind(path);
        rustix::process::umask(mask);
        listener.unix = Some(bound.map_err(failed)?);
        let file = symlink_metadata(path).map_err(failed)?;
        Ok(Socket { path: path.to_owned(), file, _lock: lock })
    }

    impl Drop for Socket {
        fn drop(&mut self) {
            if symlink_metadata(&self.path).is_ok_and(|found| is_same(&found, &self.file)) {
                // A socket that stays is replaced by the next start.
                let _ = remove_file(&self.path);
            }
        }
    }

    /// The file `PATH.lock`, which the server of a socket keeps locked. Dropping it removes the
    /// file.
    struct Lock {
        path: PathBuf,
        _file: File,
    }

    impl Lock {
        /// Locks the file. The error is `WouldBlock` while another process has it.
        fn take(socket: &Path) -> io::Result<Lock> {
            let mut path = socket.as_os_str().to_owned();
            path.push(".lock");
            let path = PathBuf::from(path);
            loop {
                let file = private_file().create(true).truncate(false).write(true).open(&path)?;
                file.try_lock().map_err(|error| match error {
                    TryLockError::WouldBlock => ErrorKind::WouldBlock.into(),
                    TryLockError::Error(error) => error,
                })?;
                // Its last owner may have removed it before it was locked here. Then another server
                // may lock the next one.
                let opened = file.metadata()?;
                if metadata(&path).is_ok_and(|found| is_same(&found, &opened)) {
                    return Ok(Lock { path, _file: file });
                }
            }
        }
    }

    impl Drop for Lock {
        fn drop(&mut self) {
            // It is still locked. If it stays, the next start takes it.
            let _ = remove_file(&self.path);
        }
    }

    fn is_same(a: &Metadata, b: &Metadata) -> bool {
        (a.dev(), a.ino()) == (b.dev(), b.ino())
    }
}
