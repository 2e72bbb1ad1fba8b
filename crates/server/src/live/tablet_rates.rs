//! The rates of tablets over the seconds over which the rates of their table are averaged.

use std::collections::{BTreeMap, VecDeque};

use tabletop_model::TabletView;

/// What the tablets of a table had counted at the moments at which the page asked.
#[derive(Default)]
pub(super) struct TabletRates {
    /// By second; rows read and written by tablet ID.
    moments: VecDeque<(u32, BTreeMap<u64, [u64; 2]>)>,
}

impl TabletRates {
    /// Sets the rates of tablets in a second: over the last `window` seconds, or since the first
    /// moment in them. At the first moment, each tablet has its share of the table's rates.
    pub fn apply(&mut self, second: u32, window: u32, of_table: (f32, f32), tablets: &mut [TabletView]) {
        self.moments.retain(|(at, _)| at + 2 * window > second && *at <= second);
        while self.moments.get(1).is_some_and(|(at, _)| at + window <= second) {
            self.moments.pop_front();
        }
        let counts = tablets.iter().map(|tablet| (tablet.id.0, [tablet.reads, tablet.writes])).collect();
        match self.moments.front().filter(|(at, _)| *at < second) {
            Some((at, before)) => {
                let seconds = f64::from(second - at);
                for tablet in tablets.iter_mut() {
                    // A tablet of a split has counted since the split.
                    let [reads, writes] = before.get(&tablet.id.0).copied().unwrap_or_default();
                    tablet.reads_per_second = tablet.reads.saturating_sub(reads) as f64 / seconds;
                    tablet.writes_per_second = tablet.writes.saturating_sub(writes) as f64 / seconds;
                }
            }
            None => {
                let times = |of_table: f32, of: fn(&TabletView) -> f64| {
                    let sum = tablets.iter().map(of).sum::<f64>();
                    if sum > 0.0 { f64::from(of_table) / sum } else { 0.0 }
                };
                let reads = times(of_table.0, |tablet| tablet.reads_per_second);
                let writes = times(of_table.1, |tablet| tablet.writes_per_second);
                for tablet in tablets {
                    tablet.reads_per_second *= reads;
                    tablet.writes_per_second *= writes;
                }
            }
        }
        if self.moments.back().is_none_or(|(at, _)| *at < second) {
            self.moments.push_back((second, counts));
        }
    }
}

#[cfg(test)]
mod tests {
    use tabletop_model::{RowKey, TabletId};

    use super::*;

    const WINDOW: u32 = 10;

    /// Returns a tablet that took these reads and writes in the last hour.
    fn tablet(id: u64, reads: u64, writes: u64) -> TabletView {
        TabletView {
            id: TabletId(id),
            parent: None,
            start: RowKey::default(),
            end: RowKey::default(),
            rows: 1,
            cells: 1,
            exact: true,
            bytes: 1,
            memtable_bytes: 0,
            sstables: 1,
            reads,
            writes,
            reads_per_second: reads as f64 / 3_600.0,
            writes_per_second: writes as f64 / 3_600.0,
        }
    }

    fn rates(of: &mut TabletRates, second: u32, counts: &[(u64, u64, u64)]) -> Vec<(f64, f64)> {
        let mut tablets: Vec<TabletView> =
            counts.iter().map(|(id, reads, writes)| tablet(*id, *reads, *writes)).collect();
        of.apply(second, WINDOW, (100.0, 20.0), &mut tablets);
        tablets.iter().map(|tablet| (tablet.reads_per_second, tablet.writes_per_second)).collect()
    }

    #[test]
    fn the_rates_of_tablets_are_those_of_the_last_seconds() {
        let mut of = TabletRates::default();
        let first = rates(&mut of, 60, &[(1, 3_000, 0), (2, 1_000, 500)]);
        assert_eq!(first, [(75.0, 0.0), (25.0, 20.0)], "shares of the table's rates");
        assert_eq!(rates(&mut of, 64, &[(1, 3_200, 0), (2, 1_000, 580)]), [(50.0, 0.0), (0.0, 20.0)]);
        assert_eq!(rates(&mut of, 64, &[(1, 3_200, 0), (2, 1_000, 580)])[0], (50.0, 0.0), "asked twice");
        let split = rates(&mut of, 70, &[(1, 3_800, 0), (3, 40, 0), (4, 0, 100)]);
        assert_eq!(split, [(80.0, 0.0), (4.0, 0.0), (0.0, 10.0)], "over ten seconds");
        assert_eq!(rates(&mut of, 75, &[(1, 3_800, 0)]), [(600.0 / 11.0, 0.0)], "from 0:64");
        assert_eq!(
            rates(&mut of, 300, &[(1, 9_000, 0)])[0].0,
            100.0,
            "a first moment again, after a long pause"
        );
    }

    #[test]
    fn tablets_without_requests_have_no_rates() {
        let mut of = TabletRates::default();
        assert_eq!(rates(&mut of, 5, &[(1, 0, 0)]), [(0.0, 0.0)]);
        assert_eq!(rates(&mut of, 6, &[(1, 0, 0)]), [(0.0, 0.0)]);
        assert_eq!(rates(&mut of, 3, &[(1, 0, 0)]), [(0.0, 0.0)], "counting has started over");
    }
}
