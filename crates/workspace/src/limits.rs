//! Limits of the cost of an access pattern and a design: the tests of a schema. Limits apply to
//! numbers that the engine counts, which are the same on every machine, so time is not among them.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_model::ReadStats;

/// Limits of the cost of a query. A limit that is `None` does not apply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QueryLimits {
    /// The minimum number of rows to return. Without it, a query that finds nothing would meet all
    /// other limits.
    pub rows_returned_min: Option<u64>,
    /// The maximum number of rows that are read per returned row; if no rows are returned, the
    /// maximum in total.
    pub rows_seen_per_row_max: Option<f64>,
    /// The maximum number of cells that are read, before the filter.
    pub cells_seen_max: Option<u64>,
    /// The maximum number of bytes of SSTable blocks that are read from storage. `tabletop run`
    /// reads with an empty cache; on the page, blocks may be cached already.
    pub bytes_read_max: Option<u64>,
    /// The maximum number of SSTable blocks that are needed, whether from storage or from memory.
    pub blocks_max: Option<u64>,
    /// The maximum number of tablets that contain the rows.
    pub tablets_max: Option<u64>,
    /// The maximum number of row ranges and keys in the plan. If the query has one range, this is
    /// the number of salts.
    pub ranges_max: Option<u64>,
}

/// Limits of a design once all events are in its table. A limit that is `None` does not apply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DesignLimits {
    /// The maximum share of the writes of the last seconds that the hottest tablet has, 0 to 1.
    pub hottest_tablet_share_max: Option<f64>,
    /// The maximum length of a row key, in bytes.
    pub key_bytes_max: Option<u64>,
    /// The maximum number of stored bytes per event.
    pub bytes_per_event_max: Option<f64>,
    /// The maximum number of events that the design cannot store.
    pub events_refused_max: Option<u64>,
    /// The maximum number of events that have the row of a different event or, in a layout whose
    /// rows have many events, its cells. Equal events count as one.
    pub events_overwritten_max: Option<u64>,
}

/// The measured cost of a design.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DesignCost {
    /// See [`DesignLimits::hottest_tablet_share_max`].
    pub hottest_tablet_share: f64,
    /// See [`DesignLimits::key_bytes_max`].
    pub key_bytes: u64,
    /// See [`DesignLimits::bytes_per_event_max`].
    pub bytes_per_event: f64,
    /// See [`DesignLimits::events_refused_max`].
    pub events_refused: u64,
    /// See [`DesignLimits::events_overwritten_max`].
    pub events_overwritten: u64,
}

/// Limits of a traffic on a design. A limit that is `None` does not apply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrafficLimits {
    /// The maximum 99th percentile of the latency, in microseconds.
    pub latency_micros_p99_max: Option<u64>,
    /// The maximum number of requests that expire.
    pub requests_expired_max: Option<u64>,
    /// The maximum share of its cores that any node uses on average, 0 to 1.
    pub cpu_hottest_node_max: Option<f64>,
    /// The maximum share of the work that the hottest tablet has on average, 0 to 1.
    pub hottest_tablet_share_max: Option<f64>,
}

/// The measured cost of a traffic on a design.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrafficCost {
    /// See [`TrafficLimits::latency_micros_p99_max`].
    pub latency_micros_p99: u64,
    /// See [`TrafficLimits::requests_expired_max`].
    pub requests_expired: u64,
    /// See [`TrafficLimits::cpu_hottest_node_max`].
    pub cpu_hottest_node: f64,
    /// See [`TrafficLimits::hottest_tablet_share_max`].
    pub hottest_tablet_share: f64,
}

/// A limit that is violated: a minimum that is not reached, or a maximum that is exceeded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Miss {
    /// The name of the limit in the workspace: `cells_seen_max`.
    pub limit: String,
    /// The measured value.
    pub measured: f64,
    /// The allowed value.
    pub allowed: f64,
}

impl QueryLimits {
    /// Returns the limits that a query violates, for the cost `stats` and the number of row ranges.
    pub fn misses(&self, stats: &ReadStats, ranges: u32) -> Vec<Miss> {
        let per_row = stats.rows_seen as f64 / stats.rows_returned.max(1) as f64;
        let returned = stats.rows_returned as f64;
        let too_few = self.rows_returned_min.map(|min| min as f64).filter(|&min| returned < min);
        let too_few = too_few.map(|allowed| miss("rows_returned_min", returned, allowed));
        let over = [
            over("rows_seen_per_row_max", per_row, self.rows_seen_per_row_max),
            over("cells_seen_max", stats.cells_seen as f64, number(self.cells_seen_max)),
            over("bytes_read_max", stats.bytes_read as f64, number(self.bytes_read_max)),
            over("blocks_max", (stats.blocks_read + stats.cache_hits) as f64, number(self.blocks_max)),
            over("tablets_max", stats.tablets_touched as f64, number(self.tablets_max)),
            over("ranges_max", f64::from(ranges), number(self.ranges_max)),
        ];
        too_few.into_iter().chain(over.into_iter().flatten()).collect()
    }

    /// Returns whether there are no limits.
    pub fn is_empty(&self) -> bool {
        *self == QueryLimits::default()
    }

    /// Returns each limit that is a share or a ratio, with its name and its maximum, for checks.
    pub(super) fn ratios(&self) -> [(&'static str, Option<f64>, f64); 1] {
        [("rows_seen_per_row_max", self.rows_seen_per_row_max, f64::MAX)]
    }
}

impl DesignLimits {
    /// Returns the limits that a design violates.
    pub fn misses(&self, cost: &DesignCost) -> Vec<Miss> {
        let over = [
            over("hottest_tablet_share_max", cost.hottest_tablet_share, self.hottest_tablet_share_max),
            over("key_bytes_max", cost.key_bytes as f64, number(self.key_bytes_max)),
            over("bytes_per_event_max", cost.bytes_per_event, self.bytes_per_event_max),
            over("events_refused_max", cost.events_refused as f64, number(self.events_refused_max)),
            over(
                "events_overwritten_max",
                cost.events_overwritten as f64,
                number(self.events_overwritten_max),
            ),
        ];
        over.into_iter().flatten().collect()
    }

    /// Returns whether there are no limits.
    pub fn is_empty(&self) -> bool {
        *self == DesignLimits::default()
    }

    /// Returns each limit that is a share or a ratio: see [`QueryLimits::ratios`].
    pub(super) fn ratios(&self) -> [(&'static str, Option<f64>, f64); 2] {
        [
            ("hottest_tablet_share_max", self.hottest_tablet_share_max, 1.0),
            ("bytes_per_event_max", self.bytes_per_event_max, f64::MAX),
        ]
    }
}

impl TrafficLimits {
    /// Returns the limits that traffic on a design violates.
    pub fn misses(&self, cost: &TrafficCost) -> Vec<Miss> {
        let over = [
            over(
                "latency_micros_p99_max",
                cost.latency_micros_p99 as f64,
                number(self.latency_micros_p99_max),
            ),
            over("requests_expired_max", cost.requests_expired as f64, number(self.requests_expired_max)),
            over("cpu_hottest_node_max", cost.cpu_hottest_node, self.cpu_hottest_node_max),
            over("hottest_tablet_share_max", cost.hottest_tablet_share, self.hottest_tablet_share_max),
        ];
        over.into_iter().flatten().collect()
    }

    /// Returns whether there are no limits.
    pub fn is_empty(&self) -> bool {
        *self == TrafficLimits::default()
    }

    /// Returns each limit that is a share or a ratio: see [`QueryLimits::ratios`].
    pub(crate) fn ratios(&self) -> [(&'static str, Option<f64>, f64); 2] {
        [
            ("cpu_hottest_node_max", self.cpu_hottest_node_max, 1.0),
            ("hottest_tablet_share_max", self.hottest_tablet_share_max, 1.0),
        ]
    }
}

impl Miss {
    /// Describes the violation: `cells_seen_max is 100, measured 250, 2.50 times the limit`.
    pub fn text(&self) -> String {
        let Miss { limit, measured, allowed } = self;
        let (measured_text, allowed_text) = (short(*measured), short(*allowed));
        let by = match measured / allowed {
            times if times.is_finite() && times >= 1.1 => format!(", {} times the limit", short(times)),
            _ => String::new(),
        };
        format!("{limit} is {allowed_text}, measured {measured_text}{by}")
    }
}

/// Formats a number for display: as a whole number if it is one, otherwise with two decimals.
fn short(number: f64) -> String {
    let whole = number as i64;
    if whole as f64 == number { format!("{whole}") } else { format!("{number:.2}") }
}

fn number(limit: Option<u64>) -> Option<f64> {
    limit.map(|limit| limit as f64)
}

fn over(limit: &str, measured: f64, allowed: Option<f64>) -> Option<Miss> {
    allowed.filter(|&allowed| measured > allowed).map(|allowed| miss(limit, measured, allowed))
}

fn miss(limit: &str, measured: f64, allowed: f64) -> Miss {
    Miss { limit: limit.into(), measured, allowed }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(misses: &[Miss]) -> Vec<String> {
        misses.iter().map(Miss::text).collect()
    }

    #[test]
    fn an_answer_is_compared_with_each_limit() {
        let stats = ReadStats {
            rows_seen: 250,
            rows_returned: 100,
            cells_seen: 1_000,
            bytes_read: 5_000,
            blocks_read: 3,
            cache_hits: 4,
            tablets_touched: 2,
            ..ReadStats::default()
        };
        assert_eq!(QueryLimits::default().misses(&stats, 8), []);
        let met = QueryLimits {
            rows_returned_min: Some(100),
            rows_seen_per_row_max: Some(2.5),
            cells_seen_max: Some(1_000),
            bytes_read_max: Some(5_000),
            blocks_max: Some(7),
            tablets_max: Some(2),
            ranges_max: Some(8),
        };
        assert_eq!(met.misses(&stats, 8), []);
        let missed = QueryLimits {
            rows_returned_min: Some(101),
            rows_seen_per_row_max: Some(2.0),
            cells_seen_max: Some(999),
            bytes_read_max: Some(50),
            blocks_max: Some(6),
            tablets_max: Some(0),
            ranges_max: Some(1),
        };
        assert_eq!(
            texts(&missed.misses(&stats, 8)),
            [
                "rows_returned_min is 101, measured 100",
                "rows_seen_per_row_max is 2, measured 2.50, 1.25 times the limit",
                "cells_seen_max is 999, measured 1000",
                "bytes_read_max is 50, measured 5000, 100 times the limit",
                "blocks_max is 6, measured 7, 1.17 times the limit",
                "tablets_max is 0, measured 2",
                "ranges_max is 1, measured 8, 8 times the limit",
            ]
        );
    }

    #[test]
    fn rows_that_are_scanned_but_not_returned_count() {
        let stats = ReadStats { rows_seen: 50, ..ReadStats::default() };
        let limits = QueryLimits { rows_seen_per_row_max: Some(10.0), ..QueryLimits::default() };
        assert_eq!(
            texts(&limits.misses(&stats, 1)),
            ["rows_seen_per_row_max is 10, measured 50, 5 times the limit"]
        );
    }

    #[test]
    fn a_design_is_compared_with_each_limit() {
        let cost = DesignCost {
            hottest_tablet_share: 0.5,
            key_bytes: 40,
            bytes_per_event: 12.5,
            events_refused: 1,
            events_overwritten: 3,
        };
        assert_eq!(DesignLimits::default().misses(&cost), []);
        let missed = DesignLimits {
            hottest_tablet_share_max: Some(0.25),
            key_bytes_max: Some(39),
            bytes_per_event_max: Some(12.0),
            events_refused_max: Some(0),
            events_overwritten_max: Some(2),
        };
        assert_eq!(
            texts(&missed.misses(&cost)),
            [
                "hottest_tablet_share_max is 0.25, measured 0.50, 2 times the limit",
                "key_bytes_max is 39, measured 40",
                "bytes_per_event_max is 12, measured 12.50",
                "events_refused_max is 0, measured 1",
                "events_overwritten_max is 2, measured 3, 1.50 times the limit",
            ]
        );
    }
}
