//! Which design wins for the access patterns, and why.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_advice::{
    Contrast, Criterion, Flaw, Note, QueryCost, QueryOutcome, Ranking, Reason, Scoreboard,
};
use tabletop_keys::{Newest, PlanKind};

use super::super::numbers::{bytes, rate, thousands};
use super::phrases::{join, percent};
use super::verdict::answer;

/// How the rows of an access pattern are found, with the number of keys or ranges.
#[inline(never)]
pub fn plan(cost: &QueryCost) -> String {
    let plan = found(cost);
    if cost.wrong.is_some() {
        return format!("{plan}, wrong answer");
    }
    match cost.newest {
        Some(Newest::Last) => format!("{plan}, reverse scan (not in Python\u{2019}s client)"),
        Some(Newest::Anywhere) => format!("{plan}, all rows of it"),
        Some(Newest::First) | None => plan,
    }
}

fn found(cost: &QueryCost) -> String {
    match (cost.kind, cost.ranges) {
        (PlanKind::Nothing, _) => "nothing to read".into(),
        (PlanKind::Points, 1) => "point read".into(),
        (PlanKind::Points, ranges) => format!("{} point reads", thousands(ranges.into())),
        (PlanKind::OneRange, _) => "1 range".into(),
        (PlanKind::Ranges, ranges) => format!("{} ranges", thousands(ranges.into())),
        (PlanKind::Scan, _) => "full scan".into(),
    }
}

/// Which design wins for the access patterns.
#[inline(never)]
pub fn headline(board: &Scoreboard) -> String {
    let Ranking::Best { design, because, .. } = &board.ranking else {
        return match board.ranking {
            Ranking::NoPatterns => "No access pattern has a weight, so no design wins",
            Ranking::Unfinished => "Measuring the access patterns\u{2026}",
            Ranking::NoneCanWin => {
                "Every design loses events, answers wrongly or has a row over 100 MB, so none wins"
            }
            Ranking::TooFew => "A comparison needs two designs",
            Ranking::Same | Ranking::Best { .. } => "All designs cost the same for these access patterns",
        }
        .into();
    };
    let name = quoted(board, *design);
    let by = match because {
        Criterion::Flaw(Flaw::LosesEvents) => ": it keeps every event".into(),
        Criterion::Flaw(Flaw::WrongAnswer) => ": it returns the right events".into(),
        Criterion::Flaw(Flaw::HugeRow) => ": its rows stay below 100 MB".into(),
        Criterion::Flaw(Flaw::NoAnswer) => ": it answers the most access patterns".into(),
        Criterion::Flaw(Flaw::ExceedsNode) => ": no tablet gets more writes than a node takes".into(),
        Criterion::Flaw(Flaw::Scans) => ": it needs no full scan".into(),
        Criterion::Flaw(Flaw::Hot) => ": it spreads its writes".into(),
        Criterion::Limits => ": it meets the limits of most access patterns".into(),
        Criterion::Blocks | Criterion::OlderRows | Criterion::Cells => {
            format!(" with {}", totals(board, *design, &board.rivals()))
        }
    };
    match board.flaw_of_best() {
        None => format!("{name} wins{by}"),
        Some(flaw) => format!("{name} comes first{by}, but {}", has(board, *design, flaw)),
    }
}

/// The flaw of a design, after its name.
fn has(board: &Scoreboard, design: usize, flaw: Flaw) -> String {
    let standing = board.total(design).standing;
    match flaw {
        Flaw::LosesEvents => format!("it loses {} events", thousands(standing.lost.into())),
        Flaw::WrongAnswer => wrong_answers(board, design),
        Flaw::HugeRow => "one of its rows is over 100 MB at the stated scale".into(),
        Flaw::NoAnswer => format!("it cannot answer {}", patterns(standing.unanswered)),
        Flaw::ExceedsNode => "one of its tablets gets more writes than a node takes".into(),
        Flaw::Scans => format!("it scans the whole table for {}", patterns(standing.scans)),
        Flaw::Hot => "its writes go to only a few tablets".into(),
    }
}

/// Which pattern a design answers wrongly.
fn wrong_answers(board: &Scoreboard, design: usize) -> String {
    let wrong = board.design(design).outcomes.iter().filter_map(|outcome| match outcome {
        QueryOutcome::Answered(cost) => cost.wrong.as_ref(),
        _ => None,
    });
    wrong.max_by_key(|wrong| wrong.wrong()).map_or_else(|| "it answers wrongly".into(), answer)
}

/// Why the best design wins, and where it loses.
#[inline(never)]
pub fn reasons(board: &Scoreboard) -> String {
    let Ranking::Best { design, .. } = board.ranking else { return String::new() };
    board.reasons().iter().map(|reason| sentence(board, design, reason)).collect::<Vec<String>>().join(" ")
}

#[inline(never)]
fn sentence(board: &Scoreboard, design: usize, reason: &Reason) -> String {
    match reason {
        Reason::Better { in_what, other } => better(board, design, *in_what, *other),
        Reason::Blocks { follows_another, others } => {
            let name = if *follows_another { quoted(board, design) } else { "It".into() };
            format!("{name} needs {}.", totals(board, design, others))
        }
        Reason::Cheaper { other, worse_in } => {
            let (name, total) = (quoted(board, *other), board.total(*other));
            let but = match worse_in {
                Criterion::Flaw(flaw) => has(board, *other, *flaw),
                _ => format!("it violates limits of {}", patterns(total.missed)),
            };
            format!("{name} needs only {}, but {but}.", rate(total.blocks))
        }
        Reason::AsGood { other } => format!("{} is as good.", quoted(board, *other)),
        Reason::Close { other, more, contrast } => {
            let by = contrast
                .map(|contrast| format!(", mainly because of {}", of_contrast(board, design, &contrast)));
            format!(
                "It is only {} ahead of {}{}.",
                percent(*more),
                quoted(board, *other),
                by.unwrap_or_default()
            )
        }
        Reason::Wins(contrasts) => format!("It gains most from {}.", list(board, design, contrasts)),
        Reason::Scans { other } => scans(board, design, *other),
        Reason::Loses(contrasts) => format!("It loses on {}.", list(board, design, contrasts)),
        Reason::Price { other } => {
            let of = |at: usize| (tables(board.design(at).tables), bytes(board.design(at).stored_bytes));
            let ((tables, stored), (other_tables, other_stored)) = (of(design), of(*other));
            let name = quoted(board, *other);
            format!(
                "Its price: each event is written to {tables}, which store {stored} ({name}: {other_tables}, {other_stored})."
            )
        }
    }
}

/// How many patterns with a rate two designs answer by a scan of the whole table.
fn scans(board: &Scoreboard, design: usize, other: usize) -> String {
    let (own, name, other) = (board.total(design), quoted(board, other), board.total(other));
    let (patterns, own_scans, other_scans) = (own.patterns, own.standing.scans, other.standing.scans);
    let own = if own_scans == 0 { "none".into() } else { format!("{own_scans}") };
    format!(
        "It scans the whole table for {own} of {patterns} patterns; {name} for {other_scans} of {patterns}."
    )
}

/// The criterion in which the best design is better.
fn better(board: &Scoreboard, design: usize, in_what: Criterion, other: usize) -> String {
    let (own, name) = (board.total(design), quoted(board, other));
    let at = other;
    let other = board.total(at);
    match in_what {
        Criterion::Flaw(Flaw::Scans) => scans(board, design, at),
        Criterion::Flaw(Flaw::LosesEvents) => {
            format!("{name} loses {} events, so it cannot be chosen.", thousands(other.standing.lost.into()))
        }
        Criterion::Flaw(Flaw::WrongAnswer) => {
            format!("{name} cannot be chosen: {}.", wrong_answers(board, at))
        }
        Criterion::Flaw(Flaw::HugeRow) => {
            format!("A row of {name} is over 100 MB at the stated scale, so it cannot be chosen.")
        }
        Criterion::Flaw(Flaw::ExceedsNode) => {
            format!("One tablet of {name} gets more writes than a node takes, however many nodes there are.")
        }
        Criterion::Flaw(Flaw::NoAnswer) => {
            let own = match own.standing.unanswered {
                0 => "It answers every access pattern".into(),
                count => format!("It cannot answer {}", patterns(count)),
            };
            format!("{own}; {name} cannot answer {}.", patterns(other.standing.unanswered))
        }
        Criterion::Flaw(Flaw::Hot) => {
            format!("The writes of {name} go to only a few tablets, and adding nodes does not help.")
        }
        Criterion::Limits => {
            let own = match own.missed {
                0 => "It meets all limits".into(),
                count => format!("It violates limits of {}", patterns(count)),
            };
            format!("{own}; {name} violates limits of {}.", patterns(other.missed))
        }
        Criterion::OlderRows => {
            let own = match own.with_older_rows {
                0 => "only the latest rows".into(),
                count => format!("older rows for {}", patterns(count)),
            };
            format!(
                "For the same number of blocks, it returns {own}; {name} returns older rows for {}.",
                patterns(other.with_older_rows)
            )
        }
        Criterion::Cells => {
            format!(
                "For the same number of blocks, it examines {} cells per second ({name}: {}).",
                rate(own.cells),
                rate(other.cells)
            )
        }
        Criterion::Blocks => String::new(),
    }
}

/// What to know about the answers before comparing them, one text for each note.
#[inline(never)]
pub fn notes(board: &Scoreboard) -> Vec<String> {
    board.notes().iter().map(|note| of_note(board, note)).collect()
}

#[inline(never)]
fn of_note(board: &Scoreboard, note: &Note) -> String {
    match note {
        Note::WrongAnswer { design, query } => {
            let wrong = board.cost(*design, *query).and_then(|cost| cost.wrong.as_ref());
            format!("{} answers wrongly: {}.", quoted(board, *design), wrong.map_or_else(String::new, answer))
        }
        Note::OlderRows { design, query, returned, latest } => format!(
            "{} returns {} rows for \u{201c}{}\u{201d}, where {} would be enough: it counts as an answer because no row is \
             missing, but the application has to discard the others.",
            quoted(board, *design),
            thousands(*returned),
            board.pattern(*query).name,
            thousands(*latest)
        ),
        Note::EveryRow { query, designs, is_all, entities, blocks } => {
            let have_none = match &named(board, designs)[..] {
                _ if *is_all => "no design has a row for each entity".into(),
                [one] => format!("{one} has no row for each entity"),
                several => format!("{} have no row for each entity", join(several)),
            };
            let instead = entities.map_or_else(String::new, |entities| {
                let reads = thousands(entities);
                format!(
                    " Instead of the scan ({} blocks), {reads} reads of one row each would do: at once with a list of the \
                     {reads} entities, else one after the other.",
                    thousands(*blocks)
                )
            });
            format!(
                "\u{201c}{}\u{201d} asks for the latest of each, and {have_none}: every row comes back, including older ones. \
                 It counts as an answer because no row is missing, but the application has to discard the others.{instead}",
                board.pattern(*query).name
            )
        }
        Note::ReverseScan { query, designs, is_all } => {
            let on = if *is_all { "every design".into() } else { join(&named(board, designs)) };
            format!(
                "\u{201c}{}\u{201d} needs a reverse scan on {on}, which Python\u{2019}s client does not have: it reads all rows \
                 of the range. With the time written as reverse_time, the newest rows sort first.",
                board.pattern(*query).name
            )
        }
    }
}

/// The names of designs in quotation marks.
fn named(board: &Scoreboard, designs: &[usize]) -> Vec<String> {
    designs.iter().map(|at| quoted(board, *at)).collect()
}

/// Formats the blocks of a design next to those of others.
fn totals(board: &Scoreboard, design: usize, others: &[usize]) -> String {
    let others = others.iter().map(|at| format!("{}: {}", quoted(board, *at), rate(board.total(*at).blocks)));
    let others = others.collect::<Vec<String>>().join("; ");
    let others = if others.is_empty() { others } else { format!(" ({others})") };
    format!("{} blocks per second{others}", rate(board.total(design).blocks))
}

fn list(board: &Scoreboard, design: usize, contrasts: &[Contrast]) -> String {
    join(&contrasts.iter().map(|contrast| of_contrast(board, design, contrast)).collect::<Vec<String>>())
}

/// An access pattern with its cost on the best design and on the other one.
fn of_contrast(board: &Scoreboard, design: usize, contrast: &Contrast) -> String {
    let cost = |at: usize| {
        board.cost(at, contrast.query).map_or_else(String::new, |cost| {
            let blocks = cost.blocks();
            format!("{}, {} {}", plan(cost), thousands(blocks), if blocks == 1 { "block" } else { "blocks" })
        })
    };
    let (own, name, other) = (cost(design), quoted(board, contrast.other), cost(contrast.other));
    format!("\u{201c}{}\u{201d} ({own}; {name}: {other})", board.pattern(contrast.query).name)
}

/// Formats the name of a design in quotation marks.
fn quoted(board: &Scoreboard, design: usize) -> String {
    format!("\u{201c}{}\u{201d}", board.design(design).design.name)
}

fn tables(count: u32) -> String {
    format!("{count} {}", if count == 1 { "table" } else { "tables" })
}

fn patterns(count: u32) -> String {
    format!("{count} {}", if count == 1 { "pattern" } else { "patterns" })
}
