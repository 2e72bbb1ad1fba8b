//! Times: which field is the clock of the events, and which fields follow it.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::cmp::Ordering;

use tabletop_keys::{FieldKind, time};

use super::column::Column;
use super::shapes;

const DAY: i64 = 86_400_000_000;
/// Years that a field without a clock may have.
const YEARS: core::ops::RangeInclusive<i64> = 1_500..=2_100;

/// Fewer expected pairs of equal values at the same instant could be absent by chance.
const COLLISIONS_MIN: f64 = 20.0;

/// The field that is the time of the events.
pub(super) struct Clock {
    /// Its index.
    pub at: usize,
    /// Fields that could be it just as well. The first name in the order of the alphabet decides.
    pub tied: Vec<usize>,
    /// Whether the events are in its order.
    pub rises: bool,
    /// The microseconds of each event since 1970.
    pub instants: Vec<Option<i64>>,
    /// The calendar of each event.
    calendars: Vec<Option<Calendar>>,
}

impl Clock {
    /// Finds the clock: a time that differs between events, as the day of an export does not, an
    /// instant rather than a date, that nearly all events have, that rises with the file if another
    /// does not, and of two such fields the earlier one. A delivery comes after its order.
    pub fn find(columns: &[Column]) -> Option<Clock> {
        let mut best: Option<Candidate> = None;
        let mut tied = Vec::new();
        for (at, column) in columns.iter().enumerate() {
            if column.field.kind != FieldKind::Time || column.present == 0 {
                continue;
            }
            let next = Candidate::of(at, column);
            let Some(before) = &best else {
                best = Some(next);
                continue;
            };
            match next.rank.cmp(&before.rank).then(earlier(&next.instants, &before.instants)) {
                Ordering::Less => {}
                Ordering::Equal if column.field.name > columns[before.at].field.name => tied.push(at),
                Ordering::Equal => {
                    tied.push(before.at);
                    best = Some(next);
                }
                Ordering::Greater => {
                    tied.clear();
                    best = Some(next);
                }
            }
        }
        best.map(|Candidate { at, rank: (.., rises), instants }| Clock {
            at,
            tied,
            rises,
            calendars: instants.iter().map(|instant| instant.map(Calendar::of)).collect(),
            instants,
        })
    }
}

/// A field that could be the clock.
struct Candidate {
    at: usize,
    /// Whether nearly all events have it, whether it differs between them, whether it is more exact
    /// than a day, and whether it rises.
    rank: (bool, bool, bool, bool),
    instants: Vec<Option<i64>>,
}

impl Candidate {
    fn of(at: usize, column: &Column) -> Candidate {
        let instants: Vec<Option<i64>> =
            column.texts.iter().map(|text| text.and_then(|text| column.field.micros(text))).collect();
        let known: Vec<i64> = instants.iter().flatten().copied().collect();
        let is_exact = known.iter().any(|micros| micros.rem_euclid(DAY) != 0);
        let steps = known.len().saturating_sub(1);
        // A file of one entity after the other goes back as far as an entity's events reach.
        let span = known.iter().max().zip(known.iter().min()).map_or(0, |(last, first)| last - first);
        let rises = known.windows(2).all(|pair| pair[0] - pair[1] <= span / 8)
            && known.windows(2).filter(|pair| pair[0] <= pair[1]).count() * 20 >= steps * 19;
        let is_common = column.present * 10 >= column.texts.len() * 9;
        Candidate { at, rank: (is_common, column.distinct > 1, is_exact, rises), instants }
    }
}

/// Compares two times: the greater one is before the other in more events.
fn earlier(one: &[Option<i64>], other: &[Option<i64>]) -> Ordering {
    let both = || one.iter().zip(other).filter_map(|(one, other)| Some(((*one)?, (*other)?)));
    let before = both().filter(|(one, other)| one < other).count();
    before.cmp(&both().filter(|(one, other)| one > other).count())
}

/// Returns whether the values of a field follow from the clock of the events: the date, the time of
/// day, a weekday or a month in any language, a year.
pub(super) fn is_part_of_time(column: &Column, columns: &[Column], clock: Option<&Clock>) -> bool {
    if column.field.kind == FieldKind::Text && column.share(shapes::is_time_of_day) >= 0.95 {
        return true;
    }
    if is_hours_and_minutes(column) {
        return true;
    }
    let Some(clock) = clock else { return is_year(column) && is_ordered(column, columns) };
    if column.field.kind == FieldKind::Time {
        return agree(column, clock, |text, calendar| {
            column
                .field
                .micros(text)
                .is_some_and(|micros| micros.rem_euclid(DAY) == 0 && micros.div_euclid(DAY) == calendar.date)
        });
    }
    if matches!(column.field.kind, FieldKind::Bool | FieldKind::Facets | FieldKind::Json) {
        return false;
    }
    // A number of the calendar.
    let is_number = |part: Part, least: usize| {
        column.distinct >= least
            && agree(column, clock, |text, calendar| {
                text.trim_end_matches(".0").parse() == Ok(part(calendar))
            })
    };
    // A year may be the same in all events. A zero in all of them is no hour.
    let numbers: [(Part, usize); 6] = [
        (|c| c.year, 1),
        (|c| c.month, 2),
        (|c| c.day, 3),
        (|c| c.hour, 3),
        (|c| c.minute, 3),
        (|c| c.weekday, 3),
    ];
    if column.numbers.is_some() && numbers.iter().any(|(part, least)| is_number(*part, *least)) {
        return true;
    }
    // A name of the calendar: each weekday, month, hour or date has one value, and each value one of
    // them.
    let names: [(Part, usize); 4] = [(|c| c.weekday, 5), (|c| c.month, 4), (|c| c.hour, 6), (|c| c.date, 3)];
    names.iter().any(|(part, least)| is_named_after(column, clock, *part, *least))
}

/// A field of times of day as numbers: 5 or 0005 for 00:05, 1730 for 17:30. Other numbers of up to
/// four digits end with 60 to 99, too.
fn is_hours_and_minutes(column: &Column) -> bool {
    let are_texts = column.field.kind == FieldKind::Text && column.values().all(|text| text.len() == 4);
    if column.distinct < 60 || !(are_texts || column.numbers.is_some()) || !column.is_whole() {
        return false;
    }
    let numbers = column.values().filter_map(|text| text.parse::<f64>().ok());
    let (mut hours, mut minutes) = ([false; 25], [false; 60]);
    for number in numbers {
        let (hour, minute) = ((number / 100.0) as usize, (number % 100.0) as usize);
        if !(0.0..=2_400.0).contains(&number) || minute >= 60 {
            return false;
        }
        (hours[hour], minutes[minute]) = (true, true);
    }
    let used = |of: &[bool]| of.iter().filter(|used| **used).count();
    // A timetable has multiples of five minutes. Rooms of a house are numbered from 1.
    let is_timetable = (0..60).all(|minute| !minutes[minute] || minute % 5 == 0) && used(&minutes) >= 10;
    used(&hours) >= 6 && (used(&minutes) >= 45 || is_timetable)
}

/// A field of years, in a file without another time: few whole numbers of four digits, or one after
/// the other.
fn is_year(column: &Column) -> bool {
    let numbers = column.numbers.as_ref().filter(|_| column.is_whole());
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

/// Whether the numbers of a field are in one order, in the file or among the events of each value of
/// another field.
fn is_ordered(column: &Column, columns: &[Column]) -> bool {
    let numbers = || column.texts.iter().map(|text| text.and_then(|text| text.parse::<f64>().ok()));
    let within = |other: &Column| {
        other.is_ordered_by(numbers(), |before, after| before <= after)
            || other.is_ordered_by(numbers(), |before, after| before >= after)
    };
    column.is_sorted() || columns.iter().any(|other| !core::ptr::eq(other, column) && within(other))
}

/// Whether each event of an instant has another value of the field: each store has one event on each
/// day. Amounts would be equal by chance.
pub(super) fn differs_at_each_moment(column: &Column, moments: &[Option<i64>]) -> bool {
    let mut counts = alloc::vec![0_usize; column.distinct];
    column.ids.iter().flatten().for_each(|id| counts[*id as usize] += 1);
    let events = moments.iter().zip(&column.ids);
    let mut events: Vec<(i64, u32)> = events.filter_map(|(at, id)| Some(((*at)?, (*id)?))).collect();
    events.sort_unstable();
    // The pairs of events at one instant, of all values and of the same one.
    let pairs = |count: usize| (count * (count - 1)) as f64 / 2.0;
    let all: f64 = events.chunk_by(|one, other| one.0 == other.0).map(|group| pairs(group.len())).sum();
    let equal: f64 = events.chunk_by(|one, other| one == other).map(|group| pairs(group.len())).sum();
    let share = |count: &usize| *count as f64 / column.present as f64;
    let chance: f64 = counts.iter().map(|count| share(count) * share(count)).sum();
    all * chance >= COLLISIONS_MIN && equal * 50.0 <= all * chance
}

/// Returns the years of the events of a file without another time; `None` if it has none.
pub(super) fn years(columns: &[Column]) -> Option<Vec<Option<i64>>> {
    let is_clock = |column: &&Column| is_year(column) && is_ordered(column, columns);
    let year = |text: &Option<&str>| text.and_then(|text| text.trim_end_matches(".0").parse().ok());
    columns.iter().find(is_clock).map(|column| column.texts.iter().map(year).collect())
}

/// Whether the values of a field agree with the clock in nearly all events.
fn agree(column: &Column, clock: &Clock, holds: impl Fn(&str, &Calendar) -> bool) -> bool {
    let events = column.texts.iter().zip(&clock.calendars);
    let both = events.filter_map(|(text, calendar)| Some(((*text)?, calendar.as_ref()?)));
    let (mut agree, mut all) = (0, 0);
    let mut agreeing = BTreeSet::new();
    for (text, calendar) in both {
        let holds = holds(text, calendar);
        agree += usize::from(holds);
        if holds && agreeing.len() < 3 {
            agreeing.insert(text);
        }
        all += 1;
        if all - agree > 5 + all / 50 {
            return false;
        }
    }
    // A value that nearly all events have agrees by chance.
    all > 0 && agree * 50 >= all * 49 && agreeing.len() >= column.distinct.min(3)
}

/// Whether values are one to one with a part of the calendar of which there are at least `least`.
fn is_named_after(column: &Column, clock: &Clock, part: Part, least: usize) -> bool {
    let (mut values, mut parts) = (BTreeMap::new(), BTreeMap::new());
    let (mut differ, mut all) = (0, 0);
    for (id, calendar) in column.ids.iter().zip(&clock.calendars) {
        let (Some(id), Some(calendar)) = (id, calendar) else { continue };
        let part = part(calendar);
        let expected = *values.entry(*id).or_insert(part) == part && *parts.entry(part).or_insert(*id) == *id;
        differ += usize::from(!expected);
        all += 1;
        if differ * 50 > all + 250 {
            return false;
        }
    }
    parts.len() >= least && values.len() == parts.len() && all >= parts.len() * 5 && differ * 100 <= all
}

/// A part of the calendar.
type Part = fn(&Calendar) -> i64;

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
