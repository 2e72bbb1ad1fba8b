//! A user's own rates and prices, for an estimate of nodes, storage and cost.

use serde::{Deserialize, Serialize};

use crate::Workspace;
use crate::traffic::{UTILIZATION, UTILIZATIONS};

/// The greatest rate, and the greatest price.
pub const RATE_MAX: f64 = 1e15;
/// The maximum number of days that events are kept.
pub const RATE_DAYS_MAX: f64 = 100_000.0;

/// A user's own rates and prices. A value that is `None` is not known yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rates {
    /// Events per second in the busiest minute.
    pub events_per_second_max: Option<f64>,
    /// Events per day.
    pub events_per_day: Option<f64>,
    /// Days after which an event is collected.
    pub days_kept: Option<f64>,
    /// Clusters with a copy of the table each.
    pub clusters: f64,
    /// Rows that a node writes per second.
    pub node_writes_per_second: f64,
    /// Rows that a node reads per second.
    pub node_reads_per_second: f64,
    /// Bytes that a node can serve.
    pub node_bytes: f64,
    /// The part of a node's rates that is used in the busiest minute, 0 to 1. A workspace with a
    /// traffic has its target instead: see [`Workspace::utilization`].
    pub utilization: f64,
    /// The price of a node and hour.
    pub node_hour_price: Option<f64>,
    /// The price of a gigabyte and month.
    pub gigabyte_month_price: Option<f64>,
}

impl Default for Rates {
    fn default() -> Self {
        Rates {
            events_per_second_max: None,
            events_per_day: None,
            days_kept: None,
            clusters: 1.0,
            node_writes_per_second: 14_000.0,
            node_reads_per_second: 17_000.0,
            node_bytes: 5e12,
            utilization: UTILIZATION,
            node_hour_price: None,
            gigabyte_month_price: None,
        }
    }
}

impl Workspace {
    /// Returns the share of its cores that a node should use: one target for the estimate, the
    /// diagnoses and the autoscaler. Workspaces of earlier builds have two, of which that of the
    /// traffic counts.
    pub fn utilization(&self) -> f64 {
        let of_rates = || self.rates.as_ref().map_or(UTILIZATION, |rates| rates.utilization);
        let target = self.traffic.as_ref().map_or_else(of_rates, |traffic| traffic.run.thresholds.cpu_target);
        target.clamp(UTILIZATIONS[0], UTILIZATIONS[1])
    }

    /// Changes the share of its cores that a node should use.
    pub fn set_utilization(&mut self, target: f64) {
        if let Some(traffic) = &mut self.traffic {
            traffic.run.thresholds.cpu_target = target;
        }
        self.rates.get_or_insert_default().utilization = target;
    }
}

impl Rates {
    /// Returns the events in the table, if the user has stated them: one number for all estimates.
    pub fn events_kept(&self) -> Option<f64> {
        self.events_per_day.zip(self.days_kept).map(|(events, days)| events * days)
    }

    /// Names, values and bounds of all rates, for checks.
    pub(crate) fn all(&self) -> [(&'static str, Option<f64>, f64, f64); 10] {
        [
            ("events_per_second_max", self.events_per_second_max, 0.0, RATE_MAX),
            ("events_per_day", self.events_per_day, 0.0, RATE_MAX),
            ("days_kept", self.days_kept, 0.0, RATE_DAYS_MAX),
            ("clusters", Some(self.clusters), 1.0, 8.0),
            ("node_writes_per_second", Some(self.node_writes_per_second), 1.0, RATE_MAX),
            ("node_reads_per_second", Some(self.node_reads_per_second), 1.0, RATE_MAX),
            ("node_bytes", Some(self.node_bytes), 1e9, RATE_MAX),
            ("utilization", Some(self.utilization), 0.01, 1.0),
            ("node_hour_price", self.node_hour_price, 0.0, RATE_MAX),
            ("gigabyte_month_price", self.gigabyte_month_price, 0.0, RATE_MAX),
        ]
    }
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;

    use super::*;
    use crate::Traffic;

    #[test]
    fn a_workspace_has_one_target() {
        let mut workspace = Workspace::default();
        assert_eq!(workspace.utilization(), UTILIZATION);
        workspace.rates = Some(Box::new(Rates { utilization: 0.7, ..Rates::default() }));
        assert_eq!(workspace.utilization(), 0.7, "of an earlier build");
        workspace.traffic = Some(Box::default());
        assert_eq!(workspace.utilization(), Traffic::default().run.thresholds.cpu_target);
        workspace.set_utilization(0.8);
        assert_eq!(workspace.utilization(), 0.8);
        assert_eq!(workspace.traffic.as_ref().map(|traffic| traffic.run.thresholds.cpu_target), Some(0.8));
        workspace.traffic = None;
        assert_eq!(workspace.utilization(), 0.8);
    }
}
