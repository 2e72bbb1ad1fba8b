//! Locks that a panic does not poison.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a value that is whole at any moment: a thread that panics has changed nothing, or the value itself says that it is of no
/// more use. So a panic in one thread does not spread to those that lock the value later.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
