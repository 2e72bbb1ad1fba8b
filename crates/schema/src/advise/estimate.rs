//! An estimate of nodes, storage and cost, at a person's own rates and prices.
//!
//! ```text
//! nodes for writes  = events/s of the busiest minute / (rows a node writes per second x utilization)
//! nodes for reads   = rows that the access patterns see per second / (rows a node reads per second x utilization)
//! nodes for storage = bytes stored / bytes a node can serve
//! nodes             = the larger of storage, and writes and reads together, rounded up, times clusters
//! bytes stored      = stored bytes per event x events per day x days kept
//! cost per month    = nodes x price per node and hour x 730 + bytes stored x clusters x price per GB and month
//! ```
//!
//! Rows per second of a node are those that Google documents for an SSD node and rows of 1 KB ("Understand performance"). They and the
//! utilization can be changed. No price is known until the person types one.

use serde::{Deserialize, Serialize};

use super::{DesignFigures, Figure};

/// Hours of a month, as cloud providers count them.
const HOURS_PER_MONTH: f64 = 730.0;
/// Bytes of a gigabyte.
const GIGABYTE: f64 = 1e9;

/// A person's own rates and prices. What is `None` is not known yet.
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
    /// The part of a node's rates that is used in the busiest minute, 0 to 1.
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
            utilization: 0.7,
            node_hour_price: None,
            gigabyte_month_price: None,
        }
    }
}

/// The estimate for one design. What is `None` lacks a rate, a price or a figure of the design.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Nodes of a cluster that the writes take, as a fraction.
    pub nodes_for_writes: Option<f64>,
    /// Nodes of a cluster that the reads take, as a fraction; `None` without access patterns.
    pub nodes_for_reads: Option<f64>,
    /// Nodes of a cluster that the storage takes, as a fraction.
    pub nodes_for_storage: Option<f64>,
    /// Whole nodes of all clusters.
    pub nodes: Option<f64>,
    /// Bytes stored in one cluster.
    pub bytes: Option<f64>,
    /// Cost of a month.
    pub cost_per_month: Option<f64>,
    /// Whether the busiest tablet needs more than one node: more nodes do not help it.
    pub tablet_exceeds_node: bool,
}

/// Estimates what a design needs. `rows_read_per_second` are the rows that its access patterns see; `None` without patterns.
pub fn estimate(rates: &Rates, figures: &DesignFigures, rows_read_per_second: Option<f64>) -> Estimate {
    let node_writes = rates.node_writes_per_second * rates.utilization;
    let nodes_for_writes = rates.events_per_second_max.map(|events| events / node_writes);
    let nodes_for_reads = rows_read_per_second.map(|rows| rows / (rates.node_reads_per_second * rates.utilization));
    let events = rates.events_per_day.zip(rates.days_kept).map(|(events, days)| events * days);
    let bytes = events.zip(Figure::BytesPerEvent.of(figures)).map(|(events, bytes)| events * bytes);
    let nodes_for_storage = bytes.map(|bytes| bytes / rates.node_bytes);
    let nodes = nodes_for_writes.map(|writes| {
        let work = writes + nodes_for_reads.unwrap_or(0.0);
        libm::ceil(work.max(nodes_for_storage.unwrap_or(0.0))).max(1.0) * rates.clusters
    });
    let nodes_cost = nodes.zip(rates.node_hour_price).map(|(nodes, price)| nodes * price * HOURS_PER_MONTH);
    let storage_cost = bytes.zip(rates.gigabyte_month_price).map(|(bytes, price)| bytes * rates.clusters / GIGABYTE * price);
    let hottest = Figure::HottestShare.of(figures).zip(rates.events_per_second_max);
    Estimate {
        nodes_for_writes,
        nodes_for_reads,
        nodes_for_storage,
        nodes,
        bytes,
        cost_per_month: nodes_cost.zip(storage_cost).map(|(nodes, storage)| nodes + storage),
        tablet_exceeds_node: hottest.is_some_and(|(share, events)| share * events > node_writes),
    }
}

impl Rates {
    /// Names, values and bounds of all rates, for checks.
    pub(crate) fn all(&self) -> [(&'static str, Option<f64>, f64, f64); 10] {
        const MOST: f64 = 1e15;
        [
            ("events_per_second_max", self.events_per_second_max, 0.0, MOST),
            ("events_per_day", self.events_per_day, 0.0, MOST),
            ("days_kept", self.days_kept, 0.0, 100_000.0),
            ("clusters", Some(self.clusters), 1.0, 8.0),
            ("node_writes_per_second", Some(self.node_writes_per_second), 1.0, MOST),
            ("node_reads_per_second", Some(self.node_reads_per_second), 1.0, MOST),
            ("node_bytes", Some(self.node_bytes), 1e9, MOST),
            ("utilization", Some(self.utilization), 0.01, 1.0),
            ("node_hour_price", self.node_hour_price, 0.0, MOST),
            ("gigabyte_month_price", self.gigabyte_month_price, 0.0, MOST),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tone;
    use crate::advise::tests::figures;

    /// 100 events in two tablets, of which one takes `share` of the writes; 20 stored bytes per event.
    fn design(share: f64) -> DesignFigures {
        figures("A", Tone::Good, share, 2_000)
    }

    fn rates() -> Rates {
        Rates {
            events_per_second_max: Some(98_000.0),
            events_per_day: Some(1e9),
            days_kept: Some(30.0),
            node_hour_price: Some(0.5),
            gigabyte_month_price: Some(0.2),
            ..Rates::default()
        }
    }

    #[test]
    fn nodes_storage_and_cost_follow_the_formulas() {
        let estimate = estimate(&rates(), &design(0.5), Some(23_800.0));
        // 98,000 / (14,000 x 0.7) and 23,800 / (17,000 x 0.7).
        assert_eq!((estimate.nodes_for_writes, estimate.nodes_for_reads), (Some(10.0), Some(2.0)));
        // 20 bytes x 1e9 x 30 days.
        assert_eq!((estimate.bytes, estimate.nodes_for_storage), (Some(6e11), Some(0.12)));
        assert_eq!(estimate.nodes, Some(12.0));
        assert_eq!(estimate.cost_per_month, Some(12.0 * 0.5 * 730.0 + 600.0 * 0.2));
    }

    #[test]
    fn each_cluster_has_its_nodes_and_its_copy() {
        let one = estimate(&rates(), &design(0.5), None);
        let two = estimate(&Rates { clusters: 2.0, ..rates() }, &design(0.5), None);
        assert_eq!(two.nodes, one.nodes.map(|nodes| nodes * 2.0));
        assert_eq!(two.cost_per_month, one.cost_per_month.map(|cost| cost * 2.0));
    }

    #[test]
    fn more_nodes_do_not_help_one_tablet() {
        // A node writes 14,000 x 0.7 rows per second.
        let rates = Rates { events_per_second_max: Some(10_000.0), ..rates() };
        assert!(estimate(&rates, &design(1.0), None).tablet_exceeds_node);
        assert!(!estimate(&rates, &design(0.5), None).tablet_exceeds_node);
    }

    #[test]
    fn what_is_unknown_is_not_guessed() {
        let nothing = estimate(&Rates::default(), &design(0.5), None);
        assert_eq!(nothing, Estimate::default());
        let without_prices = Rates { node_hour_price: None, ..rates() };
        let estimate = estimate(&without_prices, &design(0.5), None);
        assert!(estimate.nodes.is_some() && estimate.cost_per_month.is_none());
    }
}
