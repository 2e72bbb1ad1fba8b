//! Times: which field is the clock of the events, and which fields follow it.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use tabletop_keys::{FieldKind, time};

use super::column::Column;
use super::shapes;

const DAY: i64 = 86_400_000_000;
/// Years that a field without a clock may have.
const YEARS: core::ops::RangeInclusive<i64> = 1_500..=2_100;

/// Returns the index of the field that is the time of the events: an instant rather than a date,
/// that rises with the file if another does not, that nearly all events have, and of two such
/// fields the earlier one. A delivery comes after its order.
pub(super) fn event_time(columns: &[Column]) -> Option<usize> {
    let mut best: Option<(usize, (bool, bool, bool), Vec<Option<i64>>)> = None;
    for (at, column) in columns.iter().enumerate() {
        if column.field.kind != FieldKind::Time || column.present == 0 {
            continue;
        }
        let instants = instants(column);
        let known: Vec<i64> = instants.iter().flatten().copied().collect();
        let is_exact = known.iter().any(|micros| micros.rem_euclid(DAY) != 0);
        let rises = known.windows(2).filter(|pair| pair[0] <= pair[1]).count() * 20
            >= known.len().saturating_sub(1) * 19;
        let rank = (column.present * 10 >= column.texts.len() * 9, is_exact, rises);
        let is_better = best.as_ref().is_none_or(|(_, before, others)| {
            rank.cmp(before).then_with(|| is_earlier(&instants, others).cmp(&false)).is_gt()
        });
        if is_better {
            best = Some((at, rank, instants));
        }
    }
    best.map(|(at, ..)| at)
}

fn instants(column: &Column) -> Vec<Option<i64>> {
    column.texts.iter().map(|text| text.and_then(|text| column.field.micros(text))).collect()
}

/// Whether the first of two times is before the second in most events.
fn is_earlier(one: &[Option<i64>], other: &[Option<i64>]) -> bool {
    let both = || one.iter().zip(other).filter_map(|(one, other)| Some(((*one)?, (*other)?)));
    both().filter(|(one, other)| one < other).count() > both().filter(|(one, other)| one > other).count()
}

/// Returns whether the values of a field follow from the clock of the events: the date, the time of
/// day, a weekday or a month in any language, a year.
pub(super) fn is_part_of_time(column: &Column, clock: Option<&Column>) -> bool {
    if column.field.kind == FieldKind::Text && column.share(shapes::is_time_of_day) >= 0.95 {
        return true;
    }
    let Some(clock) = clock else { return is_year(column) };
    let instants = instants(clock);
    if column.field.kind == FieldKind::Time {
        let day = |micros: Option<i64>| micros.map(|micros| micros.div_euclid(DAY));
        return agree(column, &instants, |text, instant| {
            column.field.micros(text).is_some_and(|micros| micros.rem_euclid(DAY) == 0)
                && day(column.field.micros(text)) == day(Some(instant))
        });
    }
    if matches!(column.field.kind, FieldKind::Bool | FieldKind::Facets | FieldKind::Json) {
        return false;
    }
    // A number of the calendar.
    let is_number = |part: fn(&Calendar) -> i64| {
        column.distinct >= 2
            && agree(column, &instants, |text, instant| {
                text.trim_end_matches(".0").parse() == Ok(part(&Calendar::of(instant)))
            })
    };
    let numbers: [fn(&Calendar) -> i64; 6] =
        [|c| c.year, |c| c.month, |c| c.day, |c| c.hour, |c| c.minute, |c| c.weekday];
    if column.numbers.is_some() && numbers.iter().any(|part| is_number(*part)) {
        return true;
    }
    // A name of the calendar: each weekday, month, hour or date has one value, and each value one of
    // them.
    let names: [(fn(&Calendar) -> i64, usize); 4] =
        [(|c| c.weekday, 5), (|c| c.month, 4), (|c| c.hour, 6), (|c| c.date, 3)];
    names.iter().any(|(part, least)| is_named_after(column, &instants, *part, *least))
}

/// A field of years, in a file without another time: few whole numbers of four digits.
fn is_year(column: &Column) -> bool {
    let numbers = column.numbers.as_ref().filter(|_| column.field.kind == FieldKind::Int);
    numbers.is_some_and(|numbers| {
        let (least, most) = numbers.iter().fold((i64::MAX, i64::MIN), |(least, most), &year| {
            (least.min(year as i64), most.max(year as i64))
        });
        YEARS.contains(&least)
            && YEARS.contains(&most)
            && most - least < 300
            && column.distinct >= 2
            && column.repetition() >= 2.0
    })
}

/// Whether the values of a field agree with the clock in nearly all events.
fn agree(column: &Column, instants: &[Option<i64>], holds: impl Fn(&str, i64) -> bool) -> bool {
    let both = column.texts.iter().zip(instants).filter_map(|(text, instant)| Some(((*text)?, (*instant)?)));
    let (mut agree, mut all) = (0, 0);
    for (text, instant) in both {
        agree += usize::from(holds(text, instant));
        all += 1;
        if all - agree > 5 + all / 50 {
            return false;
        }
    }
    all > 0 && agree * 50 >= all * 49
}

/// Whether values are one to one with a part of the calendar of which there are at least `least`.
fn is_named_after(
    column: &Column,
    instants: &[Option<i64>],
    part: fn(&Calendar) -> i64,
    least: usize,
) -> bool {
    let (mut values, mut parts) = (BTreeMap::new(), BTreeMap::new());
    let (mut differ, mut all) = (0, 0);
    for (id, instant) in column.ids.iter().zip(instants) {
        let (Some(id), Some(instant)) = (id, instant) else { continue };
        let part = part(&Calendar::of(*instant));
        let expected = *values.entry(*id).or_insert(part) == part && *parts.entry(part).or_insert(*id) == *id;
        differ += usize::from(!expected);
        all += 1;
        if differ * 50 > all + 250 {
            return false;
        }
    }
    parts.len() >= least && values.len() == parts.len() && all >= parts.len() * 5 && differ * 100 <= all
}

/// The parts of an instant in UTC.
struct Calendar {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    weekday: i64,
    /// Days since 1970.
    date: i64,
}

impl Calendar {
    fn of(micros: i64) -> Calendar {
        // `YYYY-MM-DDTHH:MM:…`, with a sign or more digits for years outside of 0 to 9999.
        let text = time::format(micros);
        let (year, rest) = text.split_at(text[1..].find('-').map_or(0, |at| at + 1));
        let number =
            |from: usize| rest.get(from..from + 2).and_then(|digits| digits.parse().ok()).unwrap_or(0);
        let date = micros.div_euclid(DAY);
        Calendar {
            year: year.parse().unwrap_or(0),
            month: number(1),
            day: number(4),
            hour: number(7),
            minute: number(10),
            // 1 January 1970 was a Thursday; Monday is 1.
            weekday: (date + 3).rem_euclid(7) + 1,
            date,
        }
    }
}
