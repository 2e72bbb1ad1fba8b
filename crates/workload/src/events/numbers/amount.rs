//! Numbers with a unit: percentages and amounts of money, and negative ones in parentheses, as
//! accountants write them.

/// Units before or after a number, a longer one before its beginning.
const SYMBOLS: [&str; 40] = [
    "US$", "CA$", "AU$", "NZ$", "HK$", "MX$", "R$", "C$", "A$", "S$", "$", "€", "£", "¥", "₹", "₽", "₩", "₺",
    "₴", "₦", "₫", "₱", "฿", "₪", "₡", "₲", "₵", "₸", "₾", "zł", "Kč", "kr.", "kr", "Ft", "Rs.", "Rs", "Fr.",
    "лв", "руб.", "円",
];
/// Codes of currencies by ISO 4217, of which the common ones are known.
const CODES: [&str; 44] = [
    "AED", "ARS", "AUD", "BGN", "BRL", "CAD", "CHF", "CLP", "CNY", "COP", "CZK", "DKK", "EGP", "EUR", "GBP",
    "HKD", "HUF", "IDR", "ILS", "INR", "ISK", "JPY", "KES", "KRW", "MAD", "MXN", "MYR", "NGN", "NOK", "NZD",
    "PEN", "PHP", "PKR", "PLN", "RON", "RUB", "SAR", "SEK", "SGD", "THB", "TRY", "UAH", "USD", "ZAR",
];
const SHARES: [&str; 3] = ["%", "‰", "\u{66a}"];

/// A text, divided into a number and what is around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Amount<'t> {
    /// The currency, or the sign of a percentage; empty for a number without a unit.
    pub(super) unit: &'static str,
    pub(super) number: &'t str,
    /// Whether a minus is before the unit, or the number is in parentheses.
    pub(super) is_negative: bool,
    pub(super) in_parentheses: bool,
}

impl<'t> Amount<'t> {
    /// Divides a text, which need not be a number.
    pub(super) fn of(text: &'t str) -> Amount<'t> {
        let text = text.trim();
        let plain = Amount { unit: "", number: text, is_negative: false, in_parentheses: false };
        let ends = [text.as_bytes().first(), text.as_bytes().last()];
        if ends.iter().all(|end| end.is_none_or(u8::is_ascii_digit)) {
            return plain;
        }
        let (outer, rest) = unwrapped(text);
        let unsigned = rest.strip_prefix(['-', '\u{2212}', '+']);
        let minus = rest.starts_with(['-', '\u{2212}']);
        let (unit, rest, has_sign) = match (prefix(rest), unsigned.and_then(prefix), suffix(rest)) {
            (Some((unit, rest)), _, _) | (None, None, Some((unit, rest))) => (unit, rest, false),
            (None, Some((unit, rest)), _) => (unit, rest, true),
            (None, None, None) => ("", rest, false),
        };
        let (inner, rest) = if outer || unit.is_empty() { (false, rest) } else { unwrapped(rest) };
        let in_parentheses = outer || inner;
        // A number has one sign.
        if (in_parentheses || has_sign) && rest.contains(['-', '\u{2212}', '+']) || in_parentheses && has_sign
        {
            return plain;
        }
        let number = if unit.is_empty() { rest } else { rest.strip_prefix('+').unwrap_or(rest) };
        // A dash is how spreadsheets write an amount of zero.
        let number = if !unit.is_empty() && number == "-" { "0" } else { number };
        Amount { unit, number, is_negative: in_parentheses || has_sign && minus, in_parentheses }
    }
}

/// Returns whether a unit is a currency.
pub(super) fn is_currency(unit: &str) -> bool {
    !unit.is_empty() && !SHARES.contains(&unit)
}

/// Returns whether a text is in parentheses, and what is within them.
fn unwrapped(text: &str) -> (bool, &str) {
    match text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => (true, inner.trim()),
        None => (false, text),
    }
}

fn prefix(text: &str) -> Option<(&'static str, &str)> {
    let code = || {
        let (code, rest) = CODES.iter().find_map(|code| Some((*code, text.strip_prefix(code)?)))?;
        // Without a space, it is the beginning of a code such as `CAD12`.
        rest.starts_with(char::is_whitespace).then_some((code, rest))
    };
    let symbol = || SYMBOLS.iter().find_map(|unit| Some((*unit, text.strip_prefix(unit)?)));
    let share = || SHARES.iter().find_map(|unit| Some((*unit, text.strip_prefix(unit)?)));
    code().or_else(symbol).or_else(share).map(|(unit, rest)| (unit, rest.trim_start()))
}

fn suffix(text: &str) -> Option<(&'static str, &str)> {
    let mut units = SHARES.iter().chain(&SYMBOLS).chain(&CODES);
    units.find_map(|unit| Some((*unit, text.strip_suffix(unit)?.trim_end())))
}
