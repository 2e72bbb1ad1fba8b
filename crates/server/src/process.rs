//! State of the whole process: its limit of open files, its signals, and the permissions of the
//! files that it creates.

use std::fs::{DirBuilder, OpenOptions};

/// Files that are neither tables nor connections: standard streams, locks, listeners, and the
/// runtime's own.
const OTHER_FILES: u64 = 64;
/// The maximum number of handles of tables. Accessing a file that is not open costs one more system
/// call.
const HANDLES_MAX: u64 = 4_096;
/// The maximum number of connections. Each takes some memory even when it is idle.
const CONNECTIONS_MAX: u64 = 10_000;
/// The files that a process may open where the operating system sets no limit.
#[cfg(not(unix))]
const FILES: u64 = 8_192;

/// The number of files that each purpose may have open at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileLimits {
    /// The handles of tables.
    pub handles_max: usize,
    /// The connections of clients.
    pub connections_max: usize,
}

impl FileLimits {
    /// Divides the number of files that the process may open.
    fn of(files: u64) -> FileLimits {
        let each = files.saturating_sub(OTHER_FILES).max(16) / 2;
        FileLimits {
            handles_max: each.min(HANDLES_MAX) as usize,
            connections_max: each.min(CONNECTIONS_MAX) as usize,
        }
    }

    /// Divides the number of files that this process may open now.
    pub fn of_process() -> FileLimits {
        FileLimits::of(files())
    }
}

/// Prepares the process for work with files: raises its limit of open files to the maximum allowed,
/// and turns the signal for a file that becomes too large into an error of the write. What the
/// operating system refuses stays as it is.
pub fn prepare() {
    #[cfg(unix)]
    {
        raise_file_limit();
        turn_too_large_files_into_errors();
    }
}

#[cfg(unix)]
fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    // What macOS allows where its limit is "unlimited".
    const FILES_OF_MACOS: u64 = 10_240;
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).is_err()
        && current.is_some_and(|current| current < FILES_OF_MACOS)
    {
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(FILES_OF_MACOS), maximum });
    }
}

#[cfg(unix)]
fn files() -> u64 {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX)
}

#[cfg(not(unix))]
fn files() -> u64 {
    FILES
}

/// Without a handler, SIGXFSZ ends the process; with one, the write fails with `FileTooLarge`.
#[cfg(unix)]
fn turn_too_large_files_into_errors() {
    use tokio::signal::unix::{SignalKind, signal};
    // The handler stays for the life of the process; the runtime only installs it.
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else { return };
    let _inside = runtime.enter();
    let _ = signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()));
}

/// Returns options to create files that only this user can read, because they may hold anything.
pub(crate) fn private_file() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "permissions are those of Unix"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Returns options to create folders that only this user can read.
pub(crate) fn private_folder() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "permissions are those of Unix"))]
    let mut options = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut options, 0o700);
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_of_all_purposes_fit_into_that_of_the_process() {
        assert_eq!(FileLimits::of(1_024), FileLimits { handles_max: 480, connections_max: 480 });
        assert_eq!(FileLimits::of(u64::MAX), FileLimits { handles_max: 4_096, connections_max: 10_000 });
        assert_eq!(FileLimits::of(0), FileLimits { handles_max: 8, connections_max: 8 });
    }
}
