//! Which of several designs is best by their figures, in one or two sentences.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_advice::{Affected, Because, Comparison, DesignFigures, Effect, Figure, Flaw, Point, Rank};

use super::super::numbers::{bytes, thousands};
use super::phrases::{join, percent};

/// The maximum number of points of each kind that a sentence names.
const POINTS_MAX: usize = 3;

/// The value of a figure with its unit.
#[inline(never)]
pub fn value(figure: Figure, value: f64) -> String {
    match figure {
        Figure::Rows | Figure::Cells | Figure::Splits => thousands(value as u64),
        Figure::LogicalBytes | Figure::CompressedBytes | Figure::StoredBytes | Figure::LongestKey => {
            bytes(value as u64)
        }
        Figure::BytesPerEvent => format!("{value:.1} B"),
        Figure::HottestShare => percent(value),
        Figure::HottestTimesMedian => format!("{value:.1}"),
        Figure::WriteAmplification => format!("{value:.2}"),
    }
}

/// The values before and after an edit with their units.
pub fn effect(effect: &Effect) -> [String; 2] {
    [effect.before, effect.after].map(|number| match effect.of {
        Affected::Figure(figure) => value(figure, number),
        _ => thousands(number as u64),
    })
}

/// Which design is best by its figures.
#[inline(never)]
pub fn headline(comparison: &Comparison, designs: &[DesignFigures]) -> String {
    match comparison {
        Comparison::TooFew => "A comparison needs two designs with rows and valid templates".into(),
        Comparison::NoneCanWin => {
            "Every design loses events, answers wrongly or has a row over 100 MB, so none is best".into()
        }
        Comparison::Same => "These designs are equal in every figure that counts".into(),
        Comparison::Best { design, .. } => {
            format!("\u{201c}{}\u{201d} is best by these figures", designs[*design].design.name)
        }
    }
}

/// Why the best design is best, and where it loses; empty if no design is best.
#[inline(never)]
pub fn reasons(comparison: &Comparison, designs: &[DesignFigures]) -> String {
    let Comparison::Best { because, wins, losses, .. } = comparison else { return String::new() };
    let list = |points: &[Point], say: fn(&Point, &str) -> String| {
        let say_one = |point: &Point| say(point, &designs[point.other].design.name);
        join(&points.iter().take(POINTS_MAX).map(say_one).collect::<Vec<String>>())
    };
    let first = match because {
        Because::Fewest(flaw) => Some(match flaw {
            Flaw::LosesEvents => "It is the only one that stores every event.",
            Flaw::WrongAnswer => "It is the only one that returns the right events.",
            Flaw::HugeRow => "It is the only one whose rows stay below 100 MB.",
            Flaw::NoAnswer => "It answers the most access patterns.",
            Flaw::ExceedsNode => "It is the only one whose tablets each get fewer writes than a node takes.",
            Flaw::Scans => "It is the only one that needs no full scan.",
            Flaw::Hot => "It is the only one whose writes are not concentrated on a few tablets.",
        }),
        Because::MostPoints => None,
    };
    let mut sentences: Vec<String> = first.into_iter().map(Into::into).collect();
    if !wins.is_empty() {
        let points = list(wins, win);
        let mut letters = points.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        sentences.push(format!("{}{}.", first.unwrap_or_default(), letters.as_str()));
    }
    if !losses.is_empty() {
        sentences.push(format!("It loses on {}.", list(losses, loss)));
    }
    sentences.join(" ")
}

fn win(point: &Point, other: &str) -> String {
    let own = value(point.figure, point.value);
    match point.figure {
        Figure::HottestShare => {
            format!("its hottest tablet takes {own} of the writes ({})", of_other(point, other))
        }
        Figure::LongestKey => format!("its longest key is {own} ({})", of_other(point, other)),
        figure => {
            let rank = match point.rank {
                Rank::Lowest => "the lowest",
                Rank::AmongLowest => "among the lowest",
                Rank::Other => "lower",
            };
            format!("its {} is {rank} ({own}; {})", noun(figure), of_other(point, other))
        }
    }
}

fn loss(point: &Point, other: &str) -> String {
    format!("{} ({}; {})", noun(point.figure), value(point.figure, point.value), of_other(point, other))
}

fn of_other(point: &Point, other: &str) -> String {
    format!("\u{201c}{other}\u{201d}: {}", value(point.figure, point.other_value))
}

fn noun(figure: Figure) -> &'static str {
    match figure {
        Figure::Rows => "rows",
        Figure::Cells => "cells",
        Figure::LogicalBytes => "logical size",
        Figure::CompressedBytes => "stored size",
        Figure::StoredBytes => "size in this engine",
        Figure::BytesPerEvent => "bytes per event",
        Figure::LongestKey => "the longest key",
        Figure::Splits => "splits",
        Figure::HottestShare => "the share of the hottest tablet",
        Figure::HottestTimesMedian => "the hottest-to-median ratio",
        Figure::WriteAmplification => "write amplification",
    }
}
