//! Designs side by side, in one or two sentences.

use alloc::format;
use alloc::string::String;

use super::{join, percent};
use crate::numbers::{bytes, thousands};
use crate::{Figure, Point, Rank};

/// Which design is best, and why. Values are texts with their units.
pub(crate) struct Comparisons {
    pub value: fn(figure: Figure, value: f64) -> String,
    pub too_few: &'static str,
    pub same: &'static str,
    pub best: fn(name: &str) -> String,
    /// All others refuse events.
    pub only_complete: &'static str,
    /// All refuse events, the others more.
    pub fewest_refused: &'static str,
    /// All others are hot.
    pub only_cool: &'static str,
    /// A figure with its value, and with the value of another design.
    pub win: fn(point: &Point, value: &str, other: &Other) -> String,
    pub loss: fn(point: &Point, value: &str, other: &Other) -> String,
    /// Several points as a list, and their sentence.
    pub points: fn(points: &[String]) -> String,
    pub wins: fn(points: &str) -> String,
    pub loses: fn(points: &str) -> String,
}

/// The value of another design.
pub(crate) struct Other<'a> {
    pub name: &'a str,
    pub value: &'a str,
}

pub(super) const ENGLISH: Comparisons = Comparisons {
    value: |figure, value| match figure {
        Figure::Rows | Figure::Cells | Figure::Splits => thousands(value as u64),
        Figure::LogicalBytes | Figure::StoredBytes | Figure::LongestKey => bytes(value as u64),
        Figure::BytesPerEvent => format!("{value:.1} B"),
        Figure::HottestShare => percent(value),
        Figure::HottestTimesMedian => format!("{value:.1}"),
        Figure::WriteAmplification => format!("{value:.2}"),
    },
    too_few: "Two designs with rows and valid templates are needed for a comparison",
    same: "These designs are the same in all figures that count",
    best: |name| format!("\u{201c}{name}\u{201d} is best by these figures"),
    only_complete: "It is the only one that stores every event.",
    fewest_refused: "It refuses the fewest events.",
    only_cool: "It is the only one whose writes do not go to few tablets.",
    win: |point, value, other| match point.figure {
        Figure::HottestShare => format!("its hottest tablet takes {value} of the writes ({})", of_other(other)),
        Figure::LongestKey => format!("its longest key has {value} ({})", of_other(other)),
        figure => {
            let rank = match point.rank {
                Rank::Lowest => "the lowest",
                Rank::AmongLowest => "among the lowest",
                Rank::Other => "lower",
            };
            format!("its {} is {rank} ({value}; {})", noun(figure), of_other(other))
        }
    },
    loss: |point, value, other| format!("{} ({value}; {})", noun(point.figure), of_other(other)),
    points: join,
    wins: |points| {
        let mut letters = points.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        format!("{}{}.", first.unwrap_or_default(), letters.as_str())
    },
    loses: |points| format!("It loses in {points}."),
};

fn of_other(other: &Other) -> String {
    format!("\u{201c}{}\u{201d}: {}", other.name, other.value)
}

fn noun(figure: Figure) -> &'static str {
    match figure {
        Figure::Rows => "rows",
        Figure::Cells => "cells",
        Figure::LogicalBytes => "logical size",
        Figure::StoredBytes => "stored size",
        Figure::BytesPerEvent => "bytes per event",
        Figure::LongestKey => "the longest key",
        Figure::Splits => "splits",
        Figure::HottestShare => "the share of the hottest tablet",
        Figure::HottestTimesMedian => "the hottest tablet over the median",
        Figure::WriteAmplification => "write amplification",
    }
}
