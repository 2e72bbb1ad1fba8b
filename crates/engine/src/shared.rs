//! Values that the reads of several threads share with the one thread that writes.
//!
//! With the feature `threads`, the locks of the standard library protect them. Without it an
//! instance belongs to one thread, and a lock costs one comparison.
//!
//! Locks cannot deadlock. A read holds the lock of a memtable and briefly takes others. A thread
//! that holds one of those takes none, except that the list of dictionaries examines one of its
//! entries. No thread holds the locks of two memtables.

use core::fmt;
use core::ops::{Deref, DerefMut};

#[cfg(not(feature = "threads"))]
use core::cell::{RefCell as Mutex, RefCell as RwLock};
#[cfg(feature = "threads")]
use std::sync::{Mutex, PoisonError, RwLock};

/// A value that is locked only briefly: a count, or a cache.
#[derive(Default)]
pub(crate) struct Shared<T>(Mutex<T>);

/// A value that many threads read at once, or one thread changes.
#[derive(Default)]
pub(crate) struct Guarded<T>(RwLock<T>);

impl<T> Shared<T> {
    pub fn new(value: T) -> Self {
        Shared(Mutex::new(value))
    }

    /// Locks the value. A lock that a panic has poisoned is taken as it is.
    pub fn lock(&self) -> impl DerefMut<Target = T> {
        #[cfg(feature = "threads")]
        return self.0.lock().unwrap_or_else(PoisonError::into_inner);
        #[cfg(not(feature = "threads"))]
        self.0.borrow_mut()
    }
}

impl<T> Guarded<T> {
    pub fn new(value: T) -> Self {
        Guarded(RwLock::new(value))
    }

    /// Waits until no thread changes the value.
    pub fn read(&self) -> impl Deref<Target = T> {
        #[cfg(feature = "threads")]
        return self.0.read().unwrap_or_else(PoisonError::into_inner);
        #[cfg(not(feature = "threads"))]
        self.0.borrow()
    }

    /// Waits until no other thread uses the value.
    pub fn write(&self) -> impl DerefMut<Target = T> {
        #[cfg(feature = "threads")]
        return self.0.write().unwrap_or_else(PoisonError::into_inner);
        #[cfg(not(feature = "threads"))]
        self.0.borrow_mut()
    }
}

impl<T> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for Guarded<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guarded").finish_non_exhaustive()
    }
}
