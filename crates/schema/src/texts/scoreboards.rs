//! Access patterns on designs: which design wins, and why.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{join, percent};
use crate::PlanKind;
use crate::numbers::{bytes, rate, thousands};

/// Which design wins, and why. Values are texts with their units.
pub(crate) struct Scoreboards {
    /// The way in which rows are found, with the number of keys and ranges.
    pub kind: fn(kind: PlanKind, ranges: u32) -> String,
    pub no_patterns: &'static str,
    pub unfinished: &'static str,
    pub too_few: &'static str,
    pub same: &'static str,
    pub best: fn(name: &str, blocks: f64, others: &[BlocksOfOther]) -> String,
    pub best_by_answers: fn(name: &str) -> String,
    pub best_by_writes: fn(name: &str) -> String,
    pub best_by_limits: fn(name: &str) -> String,
    /// With the name of the design after a sentence about another one.
    pub blocks: fn(name: Option<&str>, blocks: f64, others: &[BlocksOfOther]) -> String,
    pub answers: fn(own: u32, name: &str, other: u32) -> String,
    pub writes: fn(name: &str) -> String,
    pub limits: fn(own: u32, name: &str, other: u32) -> String,
    /// A design that needs fewer blocks, but answers fewer access patterns, is hot or misses more limits.
    pub cheap_without_answers: fn(name: &str, blocks: f64, patterns: u32) -> String,
    pub cheap_but_hot: fn(name: &str, blocks: f64) -> String,
    pub cheap_without_limits: fn(name: &str, blocks: f64, patterns: u32) -> String,
    /// Patterns with older rows besides the latest, of designs with as many blocks.
    pub fewer_older_rows: fn(own: u32, name: &str, other: u32) -> String,
    /// A design that returns older rows for a pattern, how many rows in all, and how many are the latest.
    pub older_rows: fn(name: &str, pattern: &str, returned: u64, latest: u64) -> String,
    /// Designs that return every row for a pattern that asks for the latest; whether they are all designs.
    pub every_row: fn(names: &[&str], is_all: bool, pattern: &str) -> String,
    pub cells: fn(own: f64, name: &str, other: f64) -> String,
    /// The cost of an access pattern.
    pub cost: fn(kind: &str, blocks: u64) -> String,
    /// An access pattern with its cost on the best design and on another one.
    pub contrast: fn(pattern: &str, own: &str, name: &str, other: &str) -> String,
    /// Several of these as a list, and their sentences.
    pub list: fn(contrasts: &[String]) -> String,
    pub wins: fn(contrasts: &str) -> String,
    /// A design that is the same by all criteria.
    pub as_good: fn(name: &str) -> String,
    /// One that needs a few more blocks, by this share of 1, and the pattern that makes the difference, if it is not said elsewhere.
    pub close: fn(name: &str, more: f64, contrast: Option<&str>) -> String,
    /// What the index tables of the best design cost.
    pub price: fn(own: Price, name: &str, other: Price) -> String,
    pub loses: fn(contrasts: &str) -> String,
    /// Access patterns that scan the whole table.
    pub scans: fn(own: u32, patterns: u32, name: &str, other: u32) -> String,
}

/// The total of another design.
pub(crate) struct BlocksOfOther<'a> {
    pub name: &'a str,
    pub blocks: f64,
}

/// What writes and storage a design needs.
#[derive(Clone, Copy)]
pub(crate) struct Price {
    pub tables: u32,
    pub stored_bytes: u64,
}

pub(super) const ENGLISH: Scoreboards = Scoreboards {
    kind: |kind, ranges| match kind {
        PlanKind::Nothing => "nothing to read".into(),
        PlanKind::Points if ranges == 1 => "point read".into(),
        PlanKind::Points => format!("{} point reads", thousands(ranges.into())),
        PlanKind::OneRange => "1 range".into(),
        PlanKind::Ranges => format!("{} ranges", thousands(ranges.into())),
        PlanKind::Scan => "full scan".into(),
    },
    no_patterns: "No access pattern has a weight, so no design wins",
    unfinished: "The access patterns are being measured \u{2026}",
    too_few: "Two designs are needed for a comparison",
    same: "All designs need the same for these access patterns",
    best: |name, blocks, others| format!("\u{201c}{name}\u{201d} wins with {}", totals(blocks, others)),
    best_by_answers: |name| format!("\u{201c}{name}\u{201d} wins: it answers most access patterns"),
    best_by_writes: |name| format!("\u{201c}{name}\u{201d} wins: it spreads its writes"),
    best_by_limits: |name| format!("\u{201c}{name}\u{201d} wins: it keeps the limits of most access patterns"),
    blocks: |name, blocks, others| match name {
        None => format!("It needs {}.", totals(blocks, others)),
        Some(name) => format!("\u{201c}{name}\u{201d} needs {}.", totals(blocks, others)),
    },
    answers: |own, name, other| {
        let own = if own == 0 { "It answers every access pattern".into() } else { format!("It cannot answer {}", patterns(own)) };
        format!("{own}; \u{201c}{name}\u{201d} cannot answer {}.", patterns(other))
    },
    writes: |name| format!("The writes of \u{201c}{name}\u{201d} go to few tablets, and more nodes do not help."),
    limits: |own, name, other| {
        let own = if own == 0 { "It keeps all limits".into() } else { format!("It misses limits of {}", patterns(own)) };
        format!("{own}; \u{201c}{name}\u{201d} misses limits of {}.", patterns(other))
    },
    cheap_without_answers: |name, blocks, count| {
        format!("\u{201c}{name}\u{201d} needs only {}, but cannot answer {}.", rate(blocks), patterns(count))
    },
    cheap_but_hot: |name, blocks| {
        format!("\u{201c}{name}\u{201d} needs only {}, but its writes go to few tablets.", rate(blocks))
    },
    cheap_without_limits: |name, blocks, count| {
        format!("\u{201c}{name}\u{201d} needs only {}, but misses limits of {}.", rate(blocks), patterns(count))
    },
    fewer_older_rows: |own, name, other| {
        let own = if own == 0 { "no pattern".into() } else { patterns(own) };
        format!(
            "With as many blocks, it returns older rows besides the latest for {own}; \u{201c}{name}\u{201d} for {}.",
            patterns(other)
        )
    },
    older_rows: |name, pattern, returned, latest| {
        format!(
            "\u{201c}{name}\u{201d} returns {} rows for \u{201c}{pattern}\u{201d}, and {} would do: it counts as an answer, because \
             no row is missing, but the application has to drop the others.",
            thousands(returned),
            thousands(latest)
        )
    },
    every_row: |names, is_all, pattern| {
        let quoted: Vec<String> = names.iter().map(|name| format!("\u{201c}{name}\u{201d}")).collect();
        let have_none = match &quoted[..] {
            _ if is_all => "no design has a row for each entity".into(),
            [one] => format!("{one} has no row for each entity"),
            several => format!("{} have no row for each entity", join(several)),
        };
        format!(
            "\u{201c}{pattern}\u{201d} asks for the latest of each, and {have_none}: every row comes back, older ones too. It counts as an \
             answer, because no row is missing, but the application has to drop the others."
        )
    },
    cells: |own, name, other| {
        format!("With as many blocks, it looks at {} cells per second (\u{201c}{name}\u{201d}: {}).", rate(own), rate(other))
    },
    cost: |kind, blocks| format!("{kind}, {} {}", thousands(blocks), if blocks == 1 { "block" } else { "blocks" }),
    contrast: |pattern, own, name, other| format!("\u{201c}{pattern}\u{201d} ({own}; \u{201c}{name}\u{201d}: {other})"),
    list: join,
    wins: |contrasts| format!("It gains most from {contrasts}."),
    as_good: |name| format!("\u{201c}{name}\u{201d} is as good."),
    close: |name, more, contrast| {
        let by = contrast.map(|contrast| format!(", above all by {contrast}")).unwrap_or_default();
        format!("It is only {} ahead of \u{201c}{name}\u{201d}{by}.", percent(more))
    },
    price: |own, name, other| {
        format!(
            "Its price: each event is written to {}, which store {} (\u{201c}{name}\u{201d}: {}, {}).",
            tables(own.tables),
            bytes(own.stored_bytes),
            tables(other.tables),
            bytes(other.stored_bytes)
        )
    },
    loses: |contrasts| format!("It loses in {contrasts}."),
    scans: |own, patterns, name, other| {
        let own = if own == 0 { "no".into() } else { format!("{own} of {patterns}") };
        format!("It scans the whole table for {own} patterns; \u{201c}{name}\u{201d} for {other} of {patterns}.")
    },
};

/// Formats the total of a design beside those of others.
fn totals(blocks: f64, others: &[BlocksOfOther]) -> String {
    let others = others.iter().map(|other| format!("\u{201c}{}\u{201d}: {}", other.name, rate(other.blocks)));
    format!("{} blocks per second ({})", rate(blocks), others.collect::<Vec<_>>().join("; "))
}

fn tables(count: u32) -> String {
    format!("{count} {}", if count == 1 { "table" } else { "tables" })
}

fn patterns(count: u32) -> String {
    format!("{count} {}", if count == 1 { "pattern" } else { "patterns" })
}
