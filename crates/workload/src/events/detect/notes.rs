//! What the load says about the kinds of fields.

use tabletop_keys::{thousands, time::DateFormat};

pub(super) fn either_way(name: &str, text: &str, taken: &DateFormat, other: &DateFormat) -> String {
    format!(
        "{name}: \"{text}\" can be read as {} and as {}, and no value of this field settles it. The first is used, unless the field has a time \
         format.",
        taken.as_str(),
        other.as_str()
    )
}

pub(super) fn differs(name: &str, text: &str, format: &str) -> String {
    format!("{name} begins with times, but \"{text}\" differs from {format}: the field is read as text.")
}

pub(super) fn rising(name: &str) -> String {
    format!("{name} is read as a time, because its numbers are counts since 1970 that rise.")
}

pub(super) fn are_days(name: &str) -> String {
    format!("{name} is read as a time, because its numbers are days without separators, as in 20190528.")
}

pub(super) fn serial_days(name: &str, text: &str) -> String {
    format!(
        "{name} is read as numbers, such as \"{text}\". If they are dates as spreadsheets count them, in days since 1899-12-30, format the \
         column as a date before you export it."
    )
}

pub(super) fn before_1970(name: &str, text: &str) -> String {
    format!(
        "{name} has times before 1970, such as \"{text}\". Bigtable's cell times begin in 1970, so cells of such events have the number of \
         their event, in milliseconds, as their time."
    )
}

pub(super) fn nearly_all(name: &str, [seen, differing]: [u16; 2], text: &str, format: &str) -> String {
    let (seen, times) = (thousands(seen.into()), thousands((seen - differing).into()));
    let others = if differing == 1 { "is the other one" } else { "is the first of the others" };
    format!(
        "{name} is read as a time: {times} of its first {seen} values are times in {format}, and \"{text}\" {others}. Events with such a \
         value are rejected by designs that need the time."
    )
}
