//! An estimate of nodes, storage and cost, at a user's own rates and prices.
//!
//! ```text
//! nodes for writes  = events/s of the busiest minute / (rows a node writes per second x utilization)
//! nodes for reads   = (rows that ranges see per second + rows that full scans see per second x events kept / events loaded)
//!                     / (rows a node reads per second x utilization)
//! nodes for storage = bytes stored / bytes a node can serve
//! nodes             = the larger of storage, and writes and reads together, rounded up, times clusters
//! events kept       = events per day x days kept
//! bytes stored      = bytes of an event in compressed blocks x events kept
//! cost per month    = nodes x price per node and hour x 730 + bytes stored x clusters x price per GB and month
//! ```
//!
//! The rows per second of a node are the figures that Google documents for an SSD node and rows of
//! 1 kB ("Understand performance"). They and the utilization can be changed. Prices are unknown
//! until the user enters them.
//!
//! If writes go to only a few places, however often tablets are split, one node takes all writes of a
//! place. If that is more than a node can handle, no number of nodes is enough.

use tabletop_workspace::Rates;

use super::{DesignFigures, Figure, Finding, Tone};
use crate::Total;

/// Hours of a month, as cloud providers count them.
const HOURS_PER_MONTH: f64 = 730.0;
/// Bytes of a gigabyte.
const GIGABYTE: f64 = 1e9;

/// The estimate for one design. What is `None` lacks a rate, a price or a figure of the design.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Nodes of a cluster that the writes take, as a fraction.
    pub nodes_for_writes: Option<f64>,
    /// Nodes of a cluster that the reads take, as a fraction; `None` without access patterns.
    pub nodes_for_reads: Option<f64>,
    /// Nodes of a cluster that the storage takes, as a fraction.
    pub nodes_for_storage: Option<f64>,
    /// Whole nodes of all clusters; `None` also if [`Estimate::exceeds_node`].
    pub nodes: Option<f64>,
    /// Bytes stored in one cluster.
    pub bytes: Option<f64>,
    /// Cost of a month.
    pub cost_per_month: Option<f64>,
    /// Whether the writes of a place that no split divides exceed one node: adding nodes does not help.
    pub exceeds_node: bool,
}

/// Estimates what a design needs. `reads` is the work of its access patterns; `None` without
/// patterns.
pub fn estimate(rates: &Rates, figures: &DesignFigures, reads: Option<&Total>) -> Estimate {
    let node_writes = rates.node_writes_per_second * rates.utilization;
    // Each event is written into each table.
    let tables = 1.0 + figures.indexes.len() as f64;
    let nodes_for_writes = rates.events_per_second_max.map(|events| events * tables / node_writes);
    let events = rates.events_kept();
    let growth = events.map_or(1.0, |events| events / f64::from(figures.events_built.max(1)));
    let rows_read = reads.map(|total| total.rows - total.scanned_rows + total.scanned_rows * growth);
    let nodes_for_reads = rows_read.map(|rows| rows / (rates.node_reads_per_second * rates.utilization));
    let written = f64::from(figures.events_built.saturating_sub(figures.events_refused).max(1));
    let of_event = Figure::CompressedBytes.of(figures).map(|bytes| bytes / written);
    let of_event = of_event.or(Figure::BytesPerEvent.of(figures));
    let bytes = events.zip(of_event).map(|(events, bytes)| events * bytes);
    let nodes_for_storage = bytes.map(|bytes| bytes / rates.node_bytes);
    let undivided = undivided_share(figures).zip(rates.events_per_second_max);
    let exceeds_node = undivided.is_some_and(|(share, events)| share * events > node_writes);
    let nodes = nodes_for_writes.filter(|_| !exceeds_node).map(|writes| {
        let work = writes + nodes_for_reads.unwrap_or(0.0);
        libm::ceil(work.max(nodes_for_storage.unwrap_or(0.0))).max(1.0) * rates.clusters
    });
    let nodes_cost = nodes.zip(rates.node_hour_price).map(|(nodes, price)| nodes * price * HOURS_PER_MONTH);
    let storage_cost =
        bytes.zip(rates.gigabyte_month_price).map(|(bytes, price)| bytes * rates.clusters / GIGABYTE * price);
    Estimate {
        nodes_for_writes,
        nodes_for_reads,
        nodes_for_storage,
        nodes,
        bytes,
        cost_per_month: nodes_cost.zip(storage_cost).map(|(nodes, storage)| nodes + storage),
        exceeds_node,
    }
}

/// Returns the share of the writes of the busiest place that no split divides: the end of a key that
/// grows, the end of a range or of a salt's rows, or one row. `None` if splits divide all.
fn undivided_share(figures: &DesignFigures) -> Option<f64> {
    match figures.verdict.finding {
        Finding::FewRanges { hottest_share, .. } => Some(hottest_share),
        Finding::LargeRow { share, .. } => Some(share),
        Finding::Salted { salts, one_place_each: true, .. } => Some(1.0 / f64::from(salts.max(1))),
        Finding::FewRows { .. } => Figure::HottestShare.of(figures),
        _ if figures.verdict.tone == Tone::Hot => Figure::HottestShare.of(figures),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    use crate::advise::tests::figures;

    /// 100 events in two tablets, of which one takes `share` of the writes; 20 stored bytes per
    /// event.
    fn design(share: f64) -> DesignFigures {
        figures("A", if share > 0.5 { Tone::Hot } else { Tone::Good }, share, 2_000)
    }

    /// Rows that are seen per second, of which `scanned_rows` are seen by full scans.
    fn reads(rows: f64, scanned_rows: f64) -> Total {
        Total { rows, scanned_rows, ..Total::default() }
    }

    fn rates() -> Rates {
        Rates {
            utilization: 0.7,
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
        let estimate = estimate(&rates(), &design(0.5), Some(&reads(23_800.0, 0.0)));
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
    fn more_nodes_do_not_help_a_hot_tablet() {
        // A node writes 14,000 x 0.7 rows per second.
        let at = |events: f64, share: f64| {
            estimate(&Rates { events_per_second_max: Some(events), ..rates() }, &design(share), None)
        };
        let hot = at(10_000.0, 1.0);
        assert_eq!((hot.exceeds_node, hot.nodes, hot.cost_per_month), (true, None, None));
        assert_eq!((at(9_000.0, 1.0).exceeds_node, at(9_000.0, 1.0).nodes), (false, Some(1.0)));
        // A tablet of a design that spreads its writes is split.
        assert_eq!((at(98_000.0, 0.5).exceeds_node, at(98_000.0, 0.5).nodes), (false, Some(10.0)));
    }

    #[test]
    fn more_nodes_do_not_help_a_place_that_no_split_divides() {
        let exceeds = |finding: Finding, events| {
            let mut design = design(0.1);
            design.verdict.finding = finding;
            estimate(&Rates { events_per_second_max: Some(events), ..rates() }, &design, None).exceeds_node
        };
        let salted = |one_place_each| Finding::Salted { salts: 8, tablets: 16, one_place_each };
        let ranges = |hottest_share| Finding::FewRanges { ranges: 12, fields: Vec::new(), hottest_share };
        // An eighth of 98,000 is more than the 9,800 of a node; an eighth of 70,000 is not.
        assert_eq!([98_000.0, 70_000.0].map(|events| exceeds(salted(true), events)), [true, false]);
        assert!(!exceeds(salted(false), 98_000.0), "the rows of a salt go to several places");
        assert_eq!([0.11, 0.09].map(|share| exceeds(ranges(share), 98_000.0)), [true, false]);
        assert!(exceeds(Finding::LargeRow { busy: 8, tablets: 16, share: 0.2 }, 98_000.0));
    }

    #[test]
    fn full_scans_grow_with_the_events_kept() {
        // 100 events are loaded, and 1,000 are kept.
        let rates = Rates { events_per_day: Some(100.0), days_kept: Some(10.0), ..rates() };
        let nodes = |total: &Total| estimate(&rates, &design(0.5), Some(total)).nodes_for_reads;
        assert_eq!(nodes(&reads(11_900.0, 0.0)), Some(1.0));
        assert_eq!(nodes(&reads(11_900.0, 1_190.0)), Some(1.9));
        let unknown = Rates { days_kept: None, ..rates.clone() };
        assert_eq!(
            estimate(&unknown, &design(0.5), Some(&reads(11_900.0, 1_190.0))).nodes_for_reads,
            Some(1.0)
        );
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
