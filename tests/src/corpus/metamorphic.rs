//! Changes of a file that must not change what the product says about it: other names, another
//! order of the columns, and the same events once more, a period later.

use std::collections::HashSet;

use tabletop_keys::time::{self, DateFormat};
use tabletop_keys::{Field, FieldKind, FieldRole};
use tabletop_model::calendar::Date;
use tabletop_workload::random::{Random, fate};

use super::entry::Entry;
use super::ids::{CROCKFORD, ulid};
use super::reading::read;
use super::table::Table;
use super::time_text::{DAY_MICROS, text as time_text};

const WEEK_MICROS: i64 = 7 * DAY_MICROS;
/// Formats of numbers and names that follow the date.
const DATE_PARTS: [&str; 8] = ["%Y", "%m", "%-m", "%d", "%-d", "%b", "%B", "%y"];

/// Renames the fields to `f1`, `f2`, … in their order.
pub fn renamed(table: &Table) -> Table {
    let names = (1..=table.names.len()).map(|number| format!("f{number}")).collect();
    Table { names, rows: table.rows.clone() }
}

/// Shuffles the columns.
pub fn permuted(table: &Table, seed: u64) -> Table {
    let mut order: Vec<usize> = (0..table.names.len()).collect();
    order.sort_by_key(|column| fate(seed, *column as u64));
    let names = order.iter().map(|column| table.names[*column].clone()).collect();
    let row = |row: &Vec<Option<String>>| order.iter().map(|column| row[*column].clone()).collect();
    Table { names, rows: table.rows.iter().map(row).collect() }
}

/// Appends all events of `entry` once more, with later times and fresh identifiers of events.
///
/// The period is as long as the file, in whole weeks, so that times of day and weekdays stay the
/// same. Counters continue after the highest number. If the events have no time, only counters and
/// identifiers change.
///
/// # Panics
/// Panics if a time has a form that cannot be written again.
pub fn a_period_later(table: &Table, entry: &Entry, seed: u64) -> Table {
    let fields = read(&table.to_csv()).events.fields().to_vec();
    let time = entry.time.as_ref().map(|name| table.index(name));
    let instants: Vec<i64> =
        time.iter().flat_map(|at| table.column(*at).filter_map(|text| fields[*at].micros(text))).collect();
    let extent = instants.iter().max().zip(instants.iter().min()).map_or(0, |(last, first)| last - first);
    let shift = if time.is_some() { (extent / WEEK_MICROS + 1) * WEEK_MICROS } else { 0 };
    let columns: Vec<Vec<Option<String>>> = (0..table.names.len())
        .map(|column| {
            let field = &fields[column];
            let name = &table.names[column];
            let later = |text: &str| later(field, text, shift);
            match entry.role(name) {
                FieldRole::EventTime | FieldRole::OtherTime if field.kind == FieldKind::Time => {
                    each(table, column, later)
                }
                // A year.
                FieldRole::EventTime | FieldRole::Counter => continued(table, column),
                FieldRole::PartOfTime if field.kind == FieldKind::Time => each(table, column, later),
                FieldRole::PartOfTime => part_later(table, column, time.map(|at| (at, &fields[at])), shift),
                FieldRole::UniqueIdentifier => fresh(table, column, shift, fate(seed, column as u64)),
                _ => table.rows.iter().map(|row| row[column].clone()).collect(),
            }
        })
        .collect();
    let later = (0..table.rows.len()).map(|row| columns.iter().map(|column| column[row].clone()).collect());
    Table { names: table.names.clone(), rows: table.rows.iter().cloned().chain(later).collect() }
}

fn each(table: &Table, column: usize, change: impl Fn(&str) -> String) -> Vec<Option<String>> {
    table.rows.iter().map(|row| row[column].as_deref().map(&change)).collect()
}

/// Writes a time later by whole days, in the same form.
fn later(field: &Field, text: &str, shift: i64) -> String {
    let Some(micros) = field.micros(text) else { return text.to_owned() };
    if let Some(format) = &field.format {
        let format = written_as(format, text, micros);
        return time_text(&format, micros + shift);
    }
    // A count since 1970 may have a fraction, which stays.
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let is_number = whole.bytes().all(|byte| byte.is_ascii_digit());
    match whole.len() {
        8 if is_number => time_text("%Y%m%d", micros + shift),
        // The digits of a count since 1970 tell its unit, from seconds to nanoseconds.
        digits if is_number => {
            let thousands = u32::from(digits > 10) + u32::from(digits > 13) + u32::from(digits > 16);
            let count = whole.parse::<i64>().expect("digits");
            // Shifts are whole days, so they have no part of a microsecond.
            let later = count + shift / 1_000_000 * 1_000i64.pow(thousands);
            format!("{later}{fraction}")
        }
        // The date is at the beginning; the time of day and the zone stay.
        _ => {
            let days = time::parse(&text[..10]).expect("a date") / DAY_MICROS + shift / DAY_MICROS;
            let Date { year, month, day } = Date::from_days(days);
            format!("{year:04}-{month:02}-{day:02}{}", &text[10..])
        }
    }
}

/// Returns the format with which this text is written, with or without leading zeros.
fn written_as(format: &DateFormat, text: &str, micros: i64) -> String {
    let padded = format.as_str().to_owned();
    let short = ["d", "m", "H", "I"].iter().fold(padded.clone(), |format, directive| {
        format.replace(&format!("%{directive}"), &format!("%-{directive}"))
    });
    let days = ["d", "m"].iter().fold(padded.clone(), |format, directive| {
        format.replace(&format!("%{directive}"), &format!("%-{directive}"))
    });
    let written = [padded, days, short].into_iter().find(|format| time_text(format, micros) == text);
    written.unwrap_or_else(|| panic!("{text} is written as {}", format.as_str()))
}

/// Continues whole numbers after the highest one. Years with a fraction of zero keep it.
fn continued(table: &Table, column: usize) -> Vec<Option<String>> {
    let number = |text: &str| -> i64 {
        let whole = text.trim().split_once('.').map_or(text.trim(), |(whole, _)| whole);
        whole.parse().unwrap_or_else(|_| panic!("{}: {text} is a whole number", table.names[column]))
    };
    let numbers = || table.column(column).map(number);
    let length = numbers().max().zip(numbers().min()).map_or(0, |(last, first)| last - first + 1);
    each(table, column, |text| {
        text.replacen(&number(text).to_string(), &(number(text) + length).to_string(), 1)
    })
}

/// Writes a part of the date of a later time: the first part with which all events agree. Other
/// parts, such as times of day and weekdays, stay.
fn part_later(
    table: &Table,
    column: usize,
    time: Option<(usize, &Field)>,
    shift: i64,
) -> Vec<Option<String>> {
    let instants: Vec<Option<i64>> =
        table.rows.iter().map(|row| time.and_then(|(at, field)| field.micros(row[at].as_deref()?))).collect();
    let agrees = |format: &&&str| {
        table.rows.iter().zip(&instants).all(|(row, instant)| {
            instant.is_none_or(|instant| row[column].as_deref() == Some(&time_text(format, instant)))
        })
    };
    let format = DATE_PARTS.iter().find(agrees).filter(|_| time.is_some());
    let rows = table.rows.iter().zip(&instants);
    rows.map(|(row, instant)| match (format, instant) {
        (Some(format), Some(instant)) => Some(time_text(format, instant + shift)),
        _ => row[column].clone(),
    })
    .collect()
}

/// Makes identifiers of the same form that do not occur in the table.
fn fresh(table: &Table, column: usize, shift: i64, seed: u64) -> Vec<Option<String>> {
    // Snowflakes, too: a period is as long as the range of their numbers.
    if table.column(column).all(|text| text.parse::<i64>().is_ok_and(|id| id >= 0)) {
        return continued(table, column);
    }
    let known: HashSet<&str> = table.column(column).collect();
    // Identifiers that end with a number of the same length are numbered: the numbers continue.
    let numbers: Option<Vec<(usize, u64)>> = table
        .column(column)
        .map(|text| number_at_end(text).filter(|(_, number)| *number < 1 << 40))
        .collect();
    let length = numbers.and_then(|numbers| {
        let rises = numbers.is_sorted_by_key(|(_, number)| *number);
        let numbers = || numbers.iter().map(|(_, number)| *number);
        rises.then(|| numbers().max().unwrap_or(0) - numbers().min().unwrap_or(0) + 1)
    });
    let mut random = Random::new(seed);
    let mut made = HashSet::new();
    let mut fresh = |text: &str| loop {
        let id = match (clocked(text, shift, &mut random), length, number_at_end(text)) {
            (Some(id), ..) => id,
            (None, Some(length), Some((start, number))) => {
                format!("{}{:0width$}", &text[..start], number + length, width = text.len() - start)
            }
            _ => scrambled(text, &mut random),
        };
        if !known.contains(id.as_str()) && made.insert(id.clone()) {
            return id;
        }
    };
    table.rows.iter().map(|row| row[column].as_deref().map(&mut fresh)).collect()
}

/// Returns the start of the digits at the end of a text, and their number.
fn number_at_end(text: &str) -> Option<(usize, u64)> {
    let start = text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    Some((start, text[start..].parse().ok()?))
}

/// Makes an identifier that begins with the time later. Returns `None` for others.
fn clocked(text: &str, shift: i64, random: &mut Random) -> Option<String> {
    let millis = shift / 1_000;
    let bytes = text.as_bytes();
    if bytes.len() == 26 && bytes.iter().all(|byte| CROCKFORD.contains(byte)) {
        let digit = |byte: &u8| CROCKFORD.iter().position(|other| other == byte).unwrap_or(0) as i64;
        let time = bytes[..10].iter().fold(0, |time, byte| time << 5 | digit(byte));
        return Some(ulid(
            time + millis,
            u128::from(random.next()) << 16 | u128::from(random.below(1 << 16)),
        ));
    }
    if bytes.len() == 36 && bytes[14] == b'7' {
        let time = i64::from_str_radix(&(text[..8].to_owned() + &text[9..13]), 16).ok()? + millis;
        let time = format!("{time:012x}");
        return Some(format!("{}-{}-7{}", &time[..8], &time[8..], scrambled(&text[15..], random)));
    }
    None
}

/// Replaces digits by digits and letters by letters, in an identifier of hexadecimal digits by
/// those.
fn scrambled(text: &str, random: &mut Random) -> String {
    let is_hex =
        text.bytes().all(|byte| byte == b'-' || (byte.is_ascii_hexdigit() && !byte.is_ascii_uppercase()));
    let mut at = |list: &[u8]| char::from(list[random.below(list.len() as u64) as usize]);
    // The version and the variant of a UUID stay.
    let is_fixed = |index: usize| text.len() == 36 && matches!(index, 14 | 19);
    let other = |(index, c): (usize, char)| match c {
        _ if is_fixed(index) => c,
        '0'..='9' | 'a'..='f' if is_hex => at(b"0123456789abcdef"),
        '0'..='9' => at(b"0123456789"),
        'a'..='z' => at(b"abcdefghijklmnopqrstuvwxyz"),
        'A'..='Z' => at(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        c => c,
    };
    text.char_indices().map(other).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(names: &[&str], rows: &[&[&str]]) -> Table {
        let row = |row: &&[&str]| row.iter().map(|text| Some((*text).to_owned())).collect();
        Table {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            rows: rows.iter().map(row).collect(),
        }
    }

    #[test]
    fn what_follows_the_clock_moves_and_the_rest_stays() {
        let entry: Entry = serde_json::from_str(
            r#"{
                "kind": "test", "what": "a test", "source": { "generated": "-" }, "licence": "-", "time": "at",
                "roles": {
                    "at": "event_time", "date": "part_of_time", "month": "part_of_time", "weekday": "part_of_time",
                    "hour": "part_of_time", "created": "other_time", "user": "shared_identifier",
                    "no": "counter", "ticket": "unique_identifier", "price": "measure"
                },
                "look_up": ["user"], "keys": []
            }"#,
        )
        .expect("an entry");
        let names = ["at", "date", "month", "weekday", "hour", "created", "user", "no", "ticket", "price"];
        let events = table(
            &names,
            &[
                &[
                    "2026-01-28T09:30:00+01:00",
                    "28.01.2026",
                    "1",
                    "Wed",
                    "8",
                    "1769500000",
                    "u1",
                    "7",
                    "TK-0098",
                    "5",
                ],
                &[
                    "2026-01-29T10:00:00+01:00",
                    "29.01.2026",
                    "1",
                    "Thu",
                    "9",
                    "1769600000",
                    "u2",
                    "9",
                    "TK-0099",
                    "5",
                ],
            ],
        );
        let longer = a_period_later(&events, &entry, 1);
        let expected = table(
            &names,
            &[
                &[
                    "2026-02-04T09:30:00+01:00",
                    "04.02.2026",
                    "2",
                    "Wed",
                    "8",
                    "1770104800",
                    "u1",
                    "10",
                    "TK-0100",
                    "5",
                ],
                &[
                    "2026-02-05T10:00:00+01:00",
                    "05.02.2026",
                    "2",
                    "Thu",
                    "9",
                    "1770204800",
                    "u2",
                    "12",
                    "TK-0101",
                    "5",
                ],
            ],
        );
        assert_eq!((&longer.rows[..2], &longer.rows[2..]), (&events.rows[..], &expected.rows[..]));
    }

    #[test]
    fn identifiers_keep_their_form() {
        let ids = |ids: &[&str]| {
            let rows: Vec<Vec<Option<String>>> = ids.iter().map(|id| vec![Some((*id).to_owned())]).collect();
            let fresh = fresh(&Table { names: vec!["id".into()], rows }, 0, WEEK_MICROS, 1);
            fresh.into_iter().flatten().collect::<Vec<_>>()
        };
        assert_eq!(ids(&["17", "12"]), ["23", "18"], "after the highest");
        assert_eq!(ids(&["A08", "A09"]), ["A10", "A11"]);
        let uuid = &ids(&["0f9d4e6a-1c1f-4a52-9e0b-6b8f2d1c7a33"])[0];
        assert!(uuid.len() == 36 && uuid[14..15] == *"4" && uuid[19..20] == *"9", "{uuid}");
        // A week later, the part with the time is greater, and its beginning is the same.
        let ulid = &ids(&["01KJQ8Z0000000000000000000"])[0];
        assert!(ulid[..10] > *"01KJQ8Z000" && ulid.starts_with("01K"), "{ulid}");
        let v7 = &ids(&["019c0000-0000-7000-8000-000000000000"])[0];
        assert!(v7.starts_with("019c240c-8400-7"), "{v7}");
    }
}
