//! The verdict on a design, in one sentence.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_advice::{EVENTS_MIN, Finding, Losses, Tone, Verdict, WrongAnswer};
use tabletop_model::TableSettings;

use super::super::numbers::thousands;
use super::phrases::{list, percent};

#[inline(never)]
pub fn headline(verdict: &Verdict) -> String {
    match verdict.finding {
        Finding::NoRows => "No rows yet".into(),
        Finding::OneTablet => "All rows still fit in one tablet".into(),
        Finding::Idle { tablets } => {
            let seconds = TableSettings::default().load_window_seconds;
            format!("No writes in the last {seconds} s: {} tablets are idle", count(tablets))
        }
        Finding::NotJudged { events } if (events as usize) < EVENTS_MIN => {
            let events = thousands(events.into());
            format!("{events} events are too few to judge: there is no verdict on the writes")
        }
        Finding::NotJudged { .. } => {
            "The events have no time that shows where new ones fall: there is no verdict on the writes".into()
        }
        Finding::Incomplete { losses } => incomplete(losses),
        Finding::WrongAnswer(ref wrong) => answer(wrong),
        Finding::HotWhileLoading { share, tablets, live_share } => format!(
            "{} of the writes hit 1 of {} tablets only because of the order of the file: live, the hottest takes {}",
            percent(share),
            count(tablets),
            percent(live_share)
        ),
        Finding::Concentrated { busy, tablets, share } => {
            let part = if share > 0.995 { "All".into() } else { format!("{} of the", percent(share)) };
            format!("{part} current writes hit {} of {} tablets", count(busy), count(tablets))
        }
        Finding::ConcentratedLive { busy, tablets } => {
            format!("{} here, but live events would hit one or a few", spread_over(busy, tablets))
        }
        Finding::FewRanges { ranges, ref fields, hottest_share } => format!(
            "At most {} tablets can take writes at a time, one for each {}; the hottest takes {}",
            count(ranges),
            list(fields),
            percent(hottest_share)
        ),
        Finding::FewRows { rows: 1 } => "Only one row key, so one tablet takes every write".into(),
        Finding::FewRows { rows } => {
            format!("Only {0} different row keys, so at most {0} tablets can share the writes", count(rows))
        }
        Finding::Salted { salts, tablets, one_place_each } => salted(salts, tablets, one_place_each),
        Finding::UnevenSalt { salts, used, share } if used < salts => {
            format!(
                "Only {} of {} salts are used, and one takes {} of the writes",
                count(used),
                count(salts),
                percent(share)
            )
        }
        Finding::UnevenSalt { salts, share, .. } => {
            format!("{} salts share the writes unevenly: one takes {}", count(salts), percent(share))
        }
        Finding::Skewed { share, tablets } => {
            format!("{} of the current writes hit 1 of {} tablets", percent(share), count(tablets))
        }
        Finding::LargeRow { busy, tablets, share } => {
            format!("{}, but one row takes {} of them", spread_over(busy, tablets), percent(share))
        }
        Finding::Spread { busy, tablets, .. } if verdict.tone == Tone::Caution => {
            format!("{}, but events share keys", spread_over(busy, tablets))
        }
        Finding::Spread { busy, tablets, hottest_share } => {
            let hottest =
                format!("{}; the hottest takes {}", spread_over(busy, tablets), percent(hottest_share));
            if verdict.is_spread_unevenly() {
                format!("{hottest}, {:.0} times the mean", hottest_share * f64::from(tablets))
            } else {
                hottest
            }
        }
    }
}

#[inline(never)]
fn incomplete(losses: Losses) -> String {
    let of = |lost: u32| format!("{} of {} events", count(lost), count(losses.events));
    match (losses.refused, losses.shared) {
        (refused, 0) => format!("{} could not be written", of(refused)),
        (0, shared) => format!("{} have no place of their own: they share keys", of(shared)),
        (refused, shared) => {
            format!("{} could not be written, and {} share keys", of(refused), count(shared))
        }
    }
}

/// How an answer differs from a plain filter over the events.
#[inline(never)]
pub fn answer(wrong: &WrongAnswer) -> String {
    let pattern = quoted(&wrong.pattern);
    let values: Vec<String> =
        wrong.values.iter().map(|(field, text)| format!("{field} {}", quoted(&shorten(text)))).collect();
    let of = if values.is_empty() { String::new() } else { format!(" for {}", list(&values)) };
    let others = || match wrong.others {
        1 => "1 event of another value".into(),
        others => format!("{} events of other values", count(others)),
    };
    let returned = match (wrong.missing, wrong.others) {
        (0, _) => format!("returns {} next to its {}", others(), count(wrong.events)),
        (missing, 0) => {
            format!("returns {} of {} events", count(wrong.events - missing), count(wrong.events))
        }
        (missing, _) => format!(
            "returns {} of {} events, and {}",
            count(wrong.events - missing),
            count(wrong.events),
            others()
        ),
    };
    let because = if wrong.is_collected { ": a GC rule collects the others" } else { "" };
    format!("{pattern}{of} {returned}{because}")
}

fn quoted(text: &str) -> String {
    format!("\u{201c}{text}\u{201d}")
}

/// At most thirty characters of a text, and an ellipsis if it has more.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(30) {
        Some((at, _)) => format!("{}\u{2026}", &text[..at]),
        None => text.into(),
    }
}

/// A second sentence: the most writes that a hot table takes, or why tablets are idle.
#[inline(never)]
pub fn note(verdict: &Verdict) -> Option<String> {
    if let Some(writes) = verdict.saturates_at {
        return Some(format!(
            "It saturates at {} writes/s, however many nodes you add.",
            thousands(two_digits(writes))
        ));
    }
    match verdict.finding {
        Finding::Salted { salts, tablets, one_place_each: true } if tablets >= salts * 2 => {
            Some("Older tablets are idle, as expected for an increasing key.".into())
        }
        _ => None,
    }
}

/// Rounds a number to its first two digits.
fn two_digits(number: f64) -> u64 {
    let number = number as u64;
    let unit = 10_u64.pow(number.max(1).ilog10().saturating_sub(1));
    (number + unit / 2) / unit * unit
}

#[inline(never)]
fn salted(salts: u32, tablets: u32, one_place_each: bool) -> String {
    let number = count(salts);
    match (one_place_each, tablets) {
        // A table with fewer tablets than salts.
        (_, tablets) if tablets < salts => {
            format!("{number} salts share all writes evenly over {} tablets so far", count(tablets))
        }
        (false, _) => {
            format!(
                "{number} salts each take the same share of the writes: at least {number} times what one tablet can take"
            )
        }
        (true, tablets) if tablets >= salts * 2 => {
            format!(
                "{number} tablets, one for each salt, share all writes evenly: {number} times what one tablet can take"
            )
        }
        (true, _) => {
            format!("{number} salts share all writes evenly: {number} times what one tablet can take")
        }
    }
}

fn spread_over(busy: u32, tablets: u32) -> String {
    format!("Writes are spread over {} of {} tablets", count(busy), count(tablets))
}

fn count(count: u32) -> String {
    thousands(count.into())
}
