//! Year, month, day, hour and so on in columns of their own, found by their names and confirmed by their
//! texts.

use tabletop_keys::time::DateFormat;
use tabletop_keys::{Field, words_of};

use super::super::Events;
use super::text;

/// The parts of a time, the longest first, with their directives and the names of their columns.
const PARTS: [(&str, &[&str]); 6] = [
    (
        "%Y",
        &["year", "yr", "yyyy", "yy", "año", "ano", "année", "annee", "jahr", "anno", "год", "年", "年份"],
    ),
    (
        "%m",
        &["month", "mnth", "mon", "mo", "mm", "mes", "mês", "mois", "monat", "mese", "месяц", "月", "月份"],
    ),
    (
        "%d",
        &[
            "day of month",
            "dayof month",
            "dayofmonth",
            "mday",
            "day",
            "dd",
            "da",
            "dy",
            "día",
            "dia",
            "jour",
            "tag",
            "giorno",
            "день",
            "日",
        ],
    ),
    ("%H", &["hour", "hr", "hh", "hora", "heure", "stunde", "ora", "час", "时", "小时", "時"]),
    ("%M", &["minute", "mn", "minuto", "минута", "分", "分钟"]),
    ("%S", &["second", "segundo", "seconde", "sekunde", "секунда", "秒"]),
];
/// The parts of a day: year, month, day.
const DAY: usize = 3;
const MONTH: usize = 1;
const HOUR: usize = 3;
const MINUTE: usize = 4;

/// A column that is named like a part of a time.
struct Column {
    at: usize,
    /// The index in [`PARTS`].
    part: usize,
    /// The words before that of the part: `arrival date` of `arrival_date_year`.
    of: String,
}

/// Finds the columns of one time that has at least year, month and day, and its format, among those that
/// `may` be joined.
pub(super) fn find(
    fields: &[Field],
    events: &Events,
    may: &dyn Fn(usize) -> bool,
) -> Option<(Vec<usize>, String)> {
    let columns = columns(fields, may);
    let mut years = columns.iter().filter(|column| column.part == 0);
    years.find_map(|year| {
        // The columns of the same time, as long as each smaller part is there.
        let part = |part: usize| {
            let mut these = columns.iter().filter(|column| column.part == part && column.of == year.of);
            these.next().filter(|_| these.next().is_none())
        };
        let chosen: Vec<&Column> = (0..PARTS.len()).map_while(part).collect();
        let longest = (DAY..=chosen.len()).rev();
        longest.map(|count| &chosen[..count]).find_map(|chosen| format(chosen, events))
    })
}

/// Finds the hour of a day whose texts have this format, and the format of both.
pub(super) fn with_hour(
    fields: &[Field],
    events: &Events,
    date: usize,
    format: &str,
    may: &dyn Fn(usize) -> bool,
) -> Option<(Vec<usize>, String)> {
    let name = words_of(&fields[date].name).join(" ");
    let hours: Vec<Column> = columns(fields, may).into_iter().filter(|column| column.part == HOUR).collect();
    let [hour] = &hours[..] else { return None };
    let parts = vec![date, hour.at];
    let format = format!("{format} %H");
    let is_of_date = name.starts_with(&hour.of) && are_times(&parts, &format, events);
    is_of_date.then_some((parts, format))
}

/// Returns these columns and the format of their texts, if all of them are times.
fn format(chosen: &[&Column], events: &Events) -> Option<(Vec<usize>, String)> {
    let parts: Vec<usize> = chosen.iter().map(|column| column.at).collect();
    let directives: Vec<&str> = chosen.iter().map(|column| PARTS[column.part].0).collect();
    let numbers = directives.join(" ");
    let named = numbers.replace("%m", "%b");
    [numbers, named]
        .into_iter()
        .find(|format| are_times(&parts, format, events))
        .map(|format| (parts, format))
}

/// Returns whether all events that have all parts have a time, and some do.
fn are_times(parts: &[usize], format: &str, events: &Events) -> bool {
    let Ok(format) = DateFormat::new(format) else { return false };
    let mut times = (0..events.len()).filter_map(|event| text(parts, |field| events.value(event, field)));
    let mut is_any = false;
    let are_all = times.all(|text| {
        is_any = true;
        format.parse(&text).is_some()
    });
    is_any && are_all
}

/// Returns the columns that `may` be joined and are named like a part of a time, each by the longest of the names that it
/// ends with: `DayofMonth` is a day.
fn columns(fields: &[Field], may: &dyn Fn(usize) -> bool) -> Vec<Column> {
    let column = |(at, field): (usize, &Field)| {
        let words = words_of(&field.name).join(" ");
        let names = PARTS
            .iter()
            .enumerate()
            .flat_map(|(part, (_, names))| names.iter().map(move |name| (part, name)));
        let found = names.filter_map(|(part, name)| {
            let of = words.strip_suffix(name).filter(|of| of.is_empty() || of.ends_with(' '))?;
            Some((name.len(), Column { at, part, of: of.trim().to_owned() }))
        });
        found.max_by_key(|(length, _)| *length).map(|(_, column)| column)
    };
    let mut columns: Vec<Column> =
        fields.iter().enumerate().filter(|(at, _)| may(*at)).filter_map(column).collect();
    // After the hour, a second `MM` or `mm` is the minute.
    let is_mm = |column: &&mut Column| fields[column.at].name.to_lowercase().ends_with("mm");
    let hour = columns.iter().find(|column| column.part == HOUR).map(|column| column.at);
    if let Some(hour) = hour
        && columns.iter().filter(|column| column.part == MONTH).count() == 2
        && let Some(minute) = columns.iter_mut().filter(is_mm).find(|column| column.at == hour + 1)
    {
        minute.part = MINUTE;
    }
    columns
}
