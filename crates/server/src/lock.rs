//! Locks that a panic does not poison.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a value that is consistent at any moment: a thread that panics has changed nothing, or the
/// value itself records that it is unusable. A panic in one thread therefore does not spread to
/// threads that lock the value later.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
