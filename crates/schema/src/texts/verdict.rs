//! The verdict on a design, in one sentence.

use alloc::format;
use alloc::string::String;

use super::percent;
use crate::numbers::thousands;

/// Headlines, for each finding. `busy` tablets take writes, of all `tablets`. A share is of all writes, up to 1.
pub(crate) struct Verdicts {
    pub no_rows: &'static str,
    pub one_tablet: &'static str,
    pub idle: fn(seconds: u32, tablets: u32) -> String,
    pub concentrated: fn(busy: u32, tablets: u32, share: f64) -> String,
    pub concentrated_live: fn(busy: u32, tablets: u32) -> String,
    pub few_ranges: fn(ranges: u32, field: &str, hottest_share: f64) -> String,
    pub few_rows: fn(rows: u32) -> String,
    /// A salted table with fewer tablets than salts.
    pub salted_so_far: fn(salts: u32, tablets: u32) -> String,
    /// One tablet for each salt takes the writes.
    pub salted_tablets: fn(salts: u32) -> String,
    pub salted: fn(salts: u32) -> String,
    /// Each salt has several places.
    pub salted_places: fn(salts: u32) -> String,
    pub unused_salts: fn(used: u32, salts: u32, share: f64) -> String,
    pub uneven_salts: fn(salts: u32, share: f64) -> String,
    pub skewed: fn(share: f64, tablets: u32) -> String,
    pub large_row: fn(busy: u32, tablets: u32, share: f64) -> String,
    pub spread: fn(busy: u32, tablets: u32, hottest_share: f64) -> String,
    pub spread_with_shared_keys: fn(busy: u32, tablets: u32) -> String,
    /// The hottest tablet takes many times the mean.
    pub spread_unevenly: fn(busy: u32, tablets: u32, hottest_share: f64) -> String,
    /// A second sentence about idle tablets.
    pub older_are_idle: &'static str,
}

pub(super) const ENGLISH: Verdicts = Verdicts {
    no_rows: "No rows yet",
    one_tablet: "All rows still fit in one tablet",
    idle: |seconds, tablets| format!("No writes in the last {seconds} s: {} tablets are idle", count(tablets)),
    concentrated: |busy, tablets, share| {
        let part = if share > 0.995 { "All".into() } else { format!("{} of the", percent(share)) };
        format!("{part} current writes hit {} of {} tablets", count(busy), count(tablets))
    },
    concentrated_live: |busy, tablets| {
        format!(
            "Writes are spread over {} of {} tablets here, but live events would hit one or a few",
            count(busy),
            count(tablets)
        )
    },
    few_ranges: |ranges, field, share| {
        format!(
            "At most {} tablets can take writes at a time, one for each {field}; the hottest takes {}",
            count(ranges),
            percent(share)
        )
    },
    few_rows: |rows| match rows {
        1 => "Only one row key, so one tablet takes every write".into(),
        rows => format!("Only {0} different row keys, so at most {0} tablets can share the writes", count(rows)),
    },
    salted_so_far: |salts, tablets| {
        format!("{} salts share all writes evenly over {} tablets so far", count(salts), count(tablets))
    },
    salted_tablets: |salts| {
        format!("{0} tablets, one for each salt, share all writes evenly: {0} times what one tablet can take", count(salts))
    },
    salted: |salts| format!("{0} salts share all writes evenly: {0} times what one tablet can take", count(salts)),
    salted_places: |salts| {
        format!("{0} salts take the same share of the writes each: at least {0} times what one tablet can take", count(salts))
    },
    unused_salts: |used, salts, share| {
        format!("Only {} of {} salts are used, and one takes {} of the writes", count(used), count(salts), percent(share))
    },
    uneven_salts: |salts, share| format!("{} salts share the writes unevenly: one takes {}", count(salts), percent(share)),
    skewed: |share, tablets| format!("{} of the current writes hit 1 of {} tablets", percent(share), count(tablets)),
    large_row: |busy, tablets, share| format!("{}, but one row takes {} of them", spread_over(busy, tablets), percent(share)),
    spread: |busy, tablets, share| format!("{}; the hottest takes {}", spread_over(busy, tablets), percent(share)),
    spread_with_shared_keys: |busy, tablets| format!("{}, but events share keys", spread_over(busy, tablets)),
    spread_unevenly: |busy, tablets, share| {
        let times = share * f64::from(tablets);
        format!("{}; the hottest takes {}, {times:.0} times the mean", spread_over(busy, tablets), percent(share))
    },
    older_are_idle: "Older tablets are idle, as is normal with a key that grows.",
};

fn spread_over(busy: u32, tablets: u32) -> String {
    format!("Writes are spread over {} of {} tablets", count(busy), count(tablets))
}

fn count(count: u32) -> String {
    thousands(count.into())
}
