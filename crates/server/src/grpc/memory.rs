//! A limit on the memory that requests and answers of all clients take together. Bytes are counted
//! when they arrive: what a client only announces takes no memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tonic::Status;

/// The default limit: a few requests of the largest size.
pub(super) const BYTES_MAX: usize = 1 << 30;
/// The size up to which a request or an answer is small. An eighth of the memory is reserved for
/// small ones, so that a few large ones do not block all others.
const SMALL_BYTES: usize = 64 << 10;

/// The memory for requests and answers.
#[derive(Debug)]
pub(crate) struct Memory {
    bytes_max: usize,
    held: AtomicUsize,
}

/// The share of the memory that a request or an answer takes. Dropping it returns the share.
#[derive(Debug)]
pub(crate) struct Held {
    memory: Arc<Memory>,
    bytes: usize,
}

impl Memory {
    pub fn new(bytes_max: usize) -> Arc<Memory> {
        Arc::new(Memory { bytes_max, held: AtomicUsize::new(0) })
    }

    /// Returns the bytes that requests and answers take.
    pub fn held_bytes(&self) -> u64 {
        self.held.load(Ordering::Relaxed) as u64
    }

    /// Returns an empty share.
    pub fn hold(self: &Arc<Memory>) -> Held {
        Held { memory: self.clone(), bytes: 0 }
    }
}

impl Held {
    /// Changes the size of the share.
    ///
    /// # Errors
    /// `RESOURCE_EXHAUSTED` when there is no room for it; the share is then unchanged.
    pub fn set(&mut self, bytes: usize) -> Result<(), Status> {
        let Memory { bytes_max, held } = &*self.memory;
        if let Some(more) = bytes.checked_sub(self.bytes).filter(|&more| more > 0) {
            let limit = if bytes > SMALL_BYTES { bytes_max - bytes_max / 8 } else { *bytes_max };
            let fits = |held: usize| held.checked_add(more).filter(|&sum| sum <= limit);
            if let Err(held) = held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits) {
                return Err(Status::resource_exhausted(format!(
                    "requests and unread answers of all clients take {} MB, and this one would exceed the limit of {} MB: retry \
                     later, read answers sooner, or write less at a time",
                    held >> 20,
                    bytes_max >> 20
                )));
            }
        } else {
            held.fetch_sub(self.bytes - bytes, Ordering::Relaxed);
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Changes the size of the share, even above the limit. It is for the answer to a call whose
    /// work is done and which can therefore no longer be rejected. Later requests are rejected
    /// until the answer has been sent.
    pub fn count(&mut self, bytes: usize) {
        self.memory.held.fetch_add(bytes, Ordering::Relaxed);
        self.memory.held.fetch_sub(self.bytes, Ordering::Relaxed);
        self.bytes = bytes;
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.memory.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_parts_leave_room_for_small_ones() {
        let memory = Memory::new(8 << 20);
        let (mut large, mut other, mut small) = (memory.hold(), memory.hold(), memory.hold());
        large.set(7 << 20).unwrap();
        let refusal = other.set(SMALL_BYTES + 1).unwrap_err();
        assert!(
            refusal.code() == tonic::Code::ResourceExhausted && refusal.message().contains("7 MB"),
            "{refusal}"
        );
        small.set(SMALL_BYTES).unwrap();
        large.set(6 << 20).unwrap();
        other.set(SMALL_BYTES + 1).unwrap();
        small.count(9 << 20);
        assert!(other.set(SMALL_BYTES + 2).is_err(), "what is there is counted above the limit");
        small.count(1);
        other.set(SMALL_BYTES + 2).unwrap();
        drop((large, other, small));
        assert_eq!(memory.held.load(Ordering::Relaxed), 0);
    }
}
