//! Tablets and their figures in words.

use alloc::format;
use alloc::string::{String, ToString};

use tabletop_advice::Verdict;
use tabletop_model::{TableView, TableWork, TabletView};
use tabletop_texts::messages;
use tabletop_texts::numbers::thousands;
use tabletop_texts::tablets::Figures;

/// Returns the tablet at a position in words, for users who cannot see its colour.
pub fn describe(table: &TableView, verdict: &Verdict, at: usize) -> String {
    let tablet = &table.tablets[at];
    (messages().tablets.describe)(&Figures {
        number: at + 1,
        of: table.tablets.len(),
        hot: verdict.is_hot(at),
        rows: tablet.rows,
        bytes: tablet.bytes,
        writes_per_second: rate(tablet.writes_per_second),
    })
}

/// Returns a count of a tablet, or its upper bound: a row in several SSTables is counted in each
/// until they are merged.
pub fn count(tablet: &TabletView, count: u64) -> String {
    let at_most = if tablet.exact { "" } else { "≤ " };
    format!("{at_most}{}", thousands(count))
}

/// Returns the bytes written to storage per byte that was written to the table, with an explanation
/// of a figure below one.
pub fn write_amplification(work: &TableWork) -> String {
    let times = work.write_amplification();
    match work.user_bytes {
        0 => "–".into(),
        _ if times > 0.0 && times < 1.0 => format!("{times:.2}{}", messages().tablets.stored_once),
        _ => format!("{times:.2}"),
    }
}

/// The bytes read from storage for each byte that reads returned, with an explanation of a figure
/// that looks wrong.
pub fn read_amplification(table: &TableView) -> String {
    let (bytes, of) = (table.bytes_read, table.bytes_returned);
    match (bytes, of) {
        (0, 0) => "–".into(),
        (_, 0) => messages().tablets.nothing_returned.into(),
        (0, _) => messages().tablets.all_from_cache.into(),
        _ if bytes < of => format!("{:.2}{}", bytes as f64 / of as f64, messages().tablets.rest_from_cache),
        _ => format!("{:.2}", bytes as f64 / of as f64),
    }
}

/// Returns the row range of a tablet.
pub fn range(tablet: &TabletView) -> String {
    (messages().tablets.range)(&tablet.start.to_string(), &tablet.end.to_string())
}

/// Returns a rate with a useful number of digits.
pub fn rate(per_second: f64) -> String {
    if per_second > 0.0 && per_second < 9.95 {
        format!("{per_second:.1}")
    } else {
        thousands(libm::round(per_second) as u64)
    }
}
