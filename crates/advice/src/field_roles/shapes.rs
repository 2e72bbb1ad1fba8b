//! The shapes of texts.

use super::column::Column;

/// Fewer different values could be kinds of things.
const NUMBERS_MIN: usize = 12;

/// Returns whether a text is a web address, or a host with a path.
pub(super) fn is_url(text: &str) -> bool {
    let lower = text.get(..8).unwrap_or(text).to_ascii_lowercase();
    let schemes = ["http://", "https://", "ftp://", "s3://", "gs://"];
    if schemes.iter().any(|scheme| lower.starts_with(scheme)) || lower.starts_with("www.") {
        return true;
    }
    let Some((host, _)) = text.split_once('/') else { return false };
    let is_host = |host: &str| {
        host.contains('.') && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte))
    };
    is_host(host)
        && host
            .rsplit('.')
            .next()
            .is_some_and(|end| end.len() >= 2 && end.bytes().all(|b| b.is_ascii_alphabetic()))
}

/// Returns whether a text is a number with separators, a currency or a unit sign: `1.234,50`,
/// `$12`, `40%`.
pub(super) fn is_quantity(text: &str) -> bool {
    let bare = text.trim_matches(|c: char| "$€£¥₽%+-() ".contains(c) || c.is_whitespace());
    let has_sign = bare.len() < text.len();
    let digits = bare.bytes().filter(u8::is_ascii_digit).count();
    let separators = bare.chars().filter(|c| ".,'\u{a0}\u{202f}".contains(*c)).count();
    digits > 0 && digits + bare.chars().filter(|c| !c.is_ascii_digit()).count() == bare.chars().count()
        && bare.chars().all(|c| c.is_ascii_digit() || ".,'\u{a0}\u{202f}".contains(c))
        && separators <= digits
        // An address or a version has several points, and no groups of three.
        && (has_sign || is_grouped(bare))
}

/// Returns whether most values are numbers, many of them with decimals, and the others are words for
/// what could not be measured: `53.06`, `<0.5`, `AUTO`.
pub(super) fn are_readings(column: &Column) -> bool {
    let number = |text: &str| text.trim_start_matches(['<', '>', '=', '~', ' ']).parse::<f64>().ok();
    let is_decimal = |text: &str| text.contains('.') && number(text).is_some();
    column.share(|text| number(text).is_some()) >= 0.6 && column.share(is_decimal) >= 0.3
}

/// Returns whether values with decimals are among short numbers, all of which are numbers but for one
/// word that stands for an absent one: `MM`, `1.4`. `None` if others are among them, or the numbers are
/// few or long.
pub(super) fn are_numbers_with_one_marker(column: &Column) -> Option<bool> {
    let is_number = |text: &str| text.parse::<f64>().is_ok_and(f64::is_finite) && !text.starts_with("00");
    let mut markers = column.values().filter(|text| !is_number(text));
    let marker = markers.next()?;
    let numbers = column.values().filter(|text| is_number(text)).count();
    let digits = column.values().filter(|text| is_number(text)).map(str::len).sum::<usize>();
    if markers.any(|other| other != marker) || column.distinct <= NUMBERS_MIN || digits > numbers * 4 {
        return None;
    }
    let decimals = column.values().filter(|text| is_number(text) && text.contains('.')).count();
    Some(decimals * 10 >= numbers * 3)
}

/// Whether the separators of a number are at most one decimal separator after groups of three.
fn is_grouped(number: &str) -> bool {
    let parts: alloc::vec::Vec<&str> = number.split(['.', ',', '\'', '\u{a0}', '\u{202f}']).collect();
    match parts.as_slice() {
        [_] => false,
        [first, rest @ ..] => {
            let groups = rest.iter().rev().skip(1);
            !first.is_empty()
                && first.len() <= 3
                && groups.clone().count() > 0
                && groups.clone().all(|part| part.len() == 3)
                || (rest.len() == 1 && number.contains(','))
        }
        [] => false,
    }
}

/// Returns whether a text is a time of day: `9:05`, `23:59:59.123`, `07:15 PM`, `0715P`.
pub(super) fn is_time_of_day(text: &str) -> bool {
    if let Some(digits) = text.strip_suffix(['A', 'P']).filter(|digits| digits.len() == 4) {
        let number = |digits: &str| digits.parse::<u32>().unwrap_or(u32::MAX);
        return digits.is_ascii() && number(&digits[..2]) <= 12 && number(&digits[2..]) < 60;
    }
    let bare = text
        .trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '.' && text.ends_with('.'))
        .trim_end();
    let suffix = text[bare.len()..].trim().to_ascii_lowercase().replace('.', "");
    // Italian files have 18.30.00.
    let is_dotted = bare.len() == 8 && bare.bytes().filter(|byte| *byte == b'.').count() == 2;
    let mut parts = bare.split(if is_dotted { '.' } else { ':' });
    let number = |part: Option<&str>, most: u32| {
        let part = part?;
        (part.len() <= 2 && part.parse::<u32>().is_ok_and(|number| number <= most)).then_some(())
    };
    let seconds = |part: &str| {
        let (whole, fraction) = part.split_once(['.', ',']).unwrap_or((part, "0"));
        number(Some(whole), 60).is_some() && fraction.bytes().all(|byte| byte.is_ascii_digit())
    };
    ["", "am", "pm", "z", "utc", "h"].contains(&suffix.as_str())
        && number(parts.next(), 24).is_some()
        && parts.next().is_some_and(|minutes| minutes.len() == 2 && number(Some(minutes), 59).is_some())
        && parts.next().is_none_or(seconds)
        && parts.next().is_none()
}

/// Returns whether a text looks like a code: letters, then digits, in one word that is not a
/// version: `dev-17`, `K101`, `s3`, a UUID, a hash.
pub(super) fn is_code(text: &str) -> bool {
    let is_version =
        text.contains('.') && text.trim_start_matches('v').bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let is_plain = text.chars().all(|c| c.is_alphanumeric() || "-_:#/.".contains(c));
    !is_version
        && is_plain
        && text.bytes().any(|byte| byte.is_ascii_digit())
        && text.chars().any(char::is_alphabetic)
        || text.len() >= 3 && text.bytes().all(|byte| byte.is_ascii_digit()) && text.starts_with('0')
}
