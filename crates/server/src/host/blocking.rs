//! Blocking work on threads that other tasks need.

use tokio::runtime::{Handle, RuntimeFlavor};

/// Runs work that may wait for a disk, or for a thread that does. On a runtime's thread, other
/// threads take over its tasks in the meantime.
pub fn blocking<T>(act: impl FnOnce() -> T) -> T {
    let is_shared =
        Handle::try_current().is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread);
    if is_shared { tokio::task::block_in_place(act) } else { act() }
}
