//! Sizes and rates of a table, scaled down from a service's terabytes to the memory of a browser.

use tabletop_model::TableSettings;
use tabletop_workspace::ClusterSettings;

/// Approximate number of tablets after a full load. The size of a tablet is half of the threshold
/// if keys only grow, and three quarters of it if they arrive in any order.
const PARTS: u64 = 12;
const TABLET_BYTES_MIN: u64 = 16 << 10;
/// A memtable is written out in one step. This many bytes take some milliseconds.
const MEMTABLE_BYTES_MAX: u64 = 512 << 10;
/// Maximum number of SSTables per tablet. With the default of four, each byte of a large load is
/// merged about three times. With eight it is merged once, and scans are as fast.
const SSTABLES_MAX: u32 = 8;
/// Number of events from whose size the size of all events is estimated.
pub(crate) const SAMPLE_EVENTS: u32 = 256;

/// Returns the split threshold for a table of this size. It is a power of two, so that slightly
/// more data does not change the tablets.
pub(crate) fn tablet_bytes_max(table_bytes: u64) -> u64 {
    // Rounded to the nearest power of two with integers, which give the same result on every
    // platform.
    let part = (table_bytes / PARTS).max(1);
    let below = 1 << part.ilog2();
    let nearest = if part - below > below / 2 { below * 2 } else { below };
    nearest.max(TABLET_BYTES_MIN)
}

/// Returns a table's settings, derived from the split threshold.
pub(crate) fn settings(cluster: &ClusterSettings, tablet_bytes_max: u64) -> TableSettings {
    let standard = TableSettings::default();
    TableSettings {
        block_bytes: (tablet_bytes_max / 16).clamp(1 << 10, standard.block_bytes.into()) as u32,
        memtable_bytes_max: (tablet_bytes_max / 4).clamp(4 << 10, MEMTABLE_BYTES_MAX),
        sstables_max: SSTABLES_MAX,
        tablet_bytes_max,
        tablet_load_max: cluster.tablet_load_max,
        ..standard
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_load_ends_with_about_two_dozen_tablets() {
        for table_bytes in [200_000_u64, 300_000, 1_000_000, 1_500_000, 3_000_000, 100_000_000, 5_000_000_000]
        {
            let threshold = tablet_bytes_max(table_bytes);
            assert!(threshold.is_power_of_two());
            let (any_order, growing) = (table_bytes * 4 / 3 / threshold, table_bytes * 2 / threshold);
            assert!(
                (10..=24).contains(&any_order) && (15..=36).contains(&growing),
                "{table_bytes}: {any_order} to {growing}"
            );
        }
    }

    #[test]
    fn a_small_load_keeps_tablets_of_16_kib() {
        assert_eq!(tablet_bytes_max(0), 16 << 10);
        assert_eq!(tablet_bytes_max(10_000), 16 << 10);
    }
}
