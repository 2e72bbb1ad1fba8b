//! Dates that can be read in several ways, or as numbers.

use tabletop_keys::time::DateFormat;
use tabletop_model::calendar::Date;

/// Orders formats that read the same texts by the time from the first to the last of them: read in
/// the wrong order of day and month, the days of a week are months apart. The likelier format stays
/// first unless another one halves the time.
pub(super) fn order_by_span<'t, I: Iterator<Item = &'t str>>(
    formats: &mut [DateFormat],
    texts: &dyn Fn() -> I,
) {
    let span = |format: &DateFormat| {
        let instants = || texts().filter_map(|text| format.parse(text));
        instants().max().zip(instants().min()).map_or(0, |(last, first)| last - first)
    };
    if let [first, others @ ..] = formats
        && let Some(best) = others.iter_mut().min_by_key(|format| span(format))
        && span(best) < span(first) / 2
    {
        std::mem::swap(first, best);
    }
}

/// Returns whether a text is a day from 1950 to 2100, alone or with a time of day, as eight to
/// fourteen digits: `20190528`, `2019052808`, `20190528083015`.
pub(super) fn is_compact(text: &str) -> bool {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    if !matches!(text.len(), 8 | 10 | 12 | 14) || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let (Some(year), Some(month), Some(day)) = (number(0, 4), number(4, 6), number(6, 8)) else {
        return false;
    };
    let is_day = (1950..=2100).contains(&year) && Date { year, month, day }.days().is_some();
    let below = |from: usize, most: i64| {
        from >= text.len() || number(from, from + 2).is_some_and(|number| number < most)
    };
    is_day && below(8, 24) && below(10, 60) && below(12, 60)
}
