//! Small values that reads of several threads change: each is locked for a moment.
//!
//! With the feature `threads` a lock is a mutex of the standard library. Without it an instance belongs to one thread, and a lock
//! costs a comparison.

use core::fmt;
use core::ops::DerefMut;

#[cfg(feature = "threads")]
type Inner<T> = std::sync::Mutex<T>;
#[cfg(not(feature = "threads"))]
type Inner<T> = core::cell::RefCell<T>;

/// A value behind a lock. Whoever holds one lock takes no other.
#[derive(Default)]
pub(crate) struct Shared<T>(Inner<T>);

impl<T> Shared<T> {
    pub fn new(value: T) -> Self {
        Shared(Inner::new(value))
    }

    #[cfg(feature = "threads")]
    pub fn lock(&self) -> impl DerefMut<Target = T> {
        // The values are counts and caches: one that a panic has left half done is as good.
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    #[cfg(not(feature = "threads"))]
    pub fn lock(&self) -> impl DerefMut<Target = T> {
        self.0.borrow_mut()
    }

    /// Returns the value of a shared one that nobody else uses.
    #[cfg(feature = "threads")]
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    #[cfg(not(feature = "threads"))]
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut()
    }
}

impl<T> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}
