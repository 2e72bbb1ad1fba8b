//! The load of tablets, from one snapshot of a table.

use alloc::vec::Vec;

use tabletop_model::{TableView, order::sorted};

/// Below this many writes per second a table counts as idle.
const IDLE_PER_SECOND: f64 = 0.05;

/// The writes of the load window, tablet by tablet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableLoad {
    /// Writes per second of all tablets together; 0 for an idle table.
    pub writes_per_second: f64,
    /// The share of all writes of each tablet, 0 to 1.
    pub shares: Vec<f64>,
}

impl TableLoad {
    /// Reads the load of a table.
    pub fn of(table: &TableView) -> TableLoad {
        let rates = || table.tablets.iter().map(|tablet| tablet.writes_per_second);
        let total: f64 = rates().sum();
        if total < IDLE_PER_SECOND {
            return TableLoad { writes_per_second: 0.0, shares: alloc::vec![0.0; table.tablets.len()] };
        }
        TableLoad { writes_per_second: total, shares: rates().map(|rate| rate / total).collect() }
    }

    /// The tablet that takes most, unless the table is idle.
    pub fn hottest(&self) -> Option<usize> {
        (0..self.shares.len())
            .max_by(|&a, &b| self.shares[a].total_cmp(&self.shares[b]))
            .filter(|_| self.writes_per_second > 0.0)
    }

    /// The share of the hottest tablet.
    pub fn hottest_share(&self) -> f64 {
        self.hottest().map_or(0.0, |hottest| self.shares[hottest])
    }

    /// The ratio of the writes of the hottest tablet to those of the median tablet; `None` if the
    /// median tablet has no writes.
    pub fn hottest_times_median(&self) -> Option<f64> {
        let shares = sorted(self.shares.clone(), f64::total_cmp);
        let median = shares.get(shares.len() / 2).copied().filter(|median| *median > 0.0)?;
        Some(self.hottest_share() / median)
    }

    /// Tablets that take any writes.
    pub fn busy(&self) -> usize {
        self.shares.iter().filter(|&&share| share > 0.0).count()
    }

    /// The fewest tablets that take at least `part` of all writes together, the busiest first.
    pub fn busiest(&self, part: f64) -> Vec<usize> {
        let order = sorted((0..self.shares.len()).collect(), |&a: &usize, &b: &usize| {
            self.shares[b].total_cmp(&self.shares[a])
        });
        let mut together = 0.0;
        let mut taken = Vec::new();
        for at in order {
            if together >= part {
                break;
            }
            together += self.shares[at];
            taken.push(at);
        }
        taken
    }

    /// The share of all writes that the busiest `count` tablets take together.
    pub fn share_of_busiest(&self, count: usize) -> f64 {
        sorted(self.shares.clone(), |a: &f64, b: &f64| b.total_cmp(a)).iter().take(count).sum()
    }
}
