//! Numbers for people.

/// A whole number with separators of thousands.
pub fn digits(value: f64) -> String {
    let plain = format!("{value:.0}");
    let mut text = String::new();
    for (i, digit) in plain.chars().enumerate() {
        if i > 0 && (plain.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
