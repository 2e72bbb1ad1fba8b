//! Limits on what the open instances of a host use together, whatever their number.

use std::sync::Arc;

use tabletop_engine::Limits;

/// The limits of a host. Each open instance has a copy of this value, and an equal part of the limits.
#[derive(Clone)]
pub(super) struct SharedLimits(Arc<Limits>);

impl SharedLimits {
    /// Creates the host's own copy.
    pub fn new(limits: Limits) -> SharedLimits {
        SharedLimits(Arc::new(limits))
    }

    /// Returns the share of each instance that is open now.
    pub fn part(&self) -> Limits {
        // One of the copies is the host's.
        let instances = (Arc::strong_count(&self.0) as u64 - 1).max(1);
        let Limits { memtable_bytes_max, log_bytes_max, cache_bytes_max, dictionary_bytes_max } = *self.0;
        Limits {
            memtable_bytes_max: memtable_bytes_max / instances,
            log_bytes_max: log_bytes_max / instances,
            cache_bytes_max: cache_bytes_max / instances,
            dictionary_bytes_max: dictionary_bytes_max / instances,
        }
    }
}
