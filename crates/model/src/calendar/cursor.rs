//! Reads the parts of a written time from left to right. Its functions return `None` for other
//! text.

/// Names of time zones and their offsets from UTC in hours (RFC 5322, section 4.3). CST and CDT are
/// left out: CST is also China Standard Time.
const ZONES: [(&[u8; 3], i64); 8] = [
    (b"UTC", 0),
    (b"GMT", 0),
    (b"EST", -5),
    (b"EDT", -4),
    (b"MST", -7),
    (b"MDT", -6),
    (b"PST", -8),
    (b"PDT", -7),
];

/// The remaining bytes.
#[derive(Debug)]
pub struct Cursor<'a>(pub &'a [u8]);

impl Cursor<'_> {
    /// Reads the next byte.
    pub fn take(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// Reads the next byte, which must be this one.
    pub fn expect(&mut self, byte: u8) -> Option<()> {
        (self.take()? == byte).then_some(())
    }

    /// Reads a number of `count` digits.
    pub fn digits(&mut self, count: usize) -> Option<i64> {
        let mut number = 0;
        for _ in 0..count {
            let byte = self.take()?;
            if !byte.is_ascii_digit() {
                return None;
            }
            number = number * 10 + i64::from(byte - b'0');
        }
        Some(number)
    }

    /// Reads the digits after a decimal separator as microseconds: at least one digit, and at most
    /// `most`. Digits beyond microseconds are cut off.
    pub fn fraction(&mut self, most: usize) -> Option<i64> {
        let digits = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if !(1..=most).contains(&digits) {
            return None;
        }
        let micros =
            (0..6).fold(0, |sum, at| sum * 10 + if at < digits { i64::from(self.0[at] - b'0') } else { 0 });
        self.0 = &self.0[digits..];
        Some(micros)
    }

    /// Skips all bytes equal to this one.
    pub fn skip(&mut self, byte: u8) {
        let run = self.0.iter().take_while(|next| **next == byte).count();
        self.0 = &self.0[run..];
    }

    /// Reads a number of one or two digits.
    pub fn short(&mut self) -> Option<i64> {
        self.digits(if self.0.get(1).is_some_and(u8::is_ascii_digit) { 2 } else { 1 })
    }

    /// Reads a number of up to 18 digits, optionally preceded by a minus.
    pub fn count(&mut self) -> Option<i64> {
        let is_negative = self.0.first() == Some(&b'-');
        self.0 = &self.0[usize::from(is_negative)..];
        let digits = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = self.digits(Some(digits).filter(|digits| (1..=18).contains(digits))?)?;
        Some(if is_negative { -number } else { number })
    }

    /// Reads one of these lower-case names, in any case, whole or cut to three letters. Returns its
    /// index.
    pub fn name(&mut self, names: &[&str]) -> Option<i64> {
        let letters = self.0.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let word = &self.0[..letters];
        let is_named = |name: &&str| {
            word.eq_ignore_ascii_case(name.as_bytes()) || word.eq_ignore_ascii_case(&name.as_bytes()[..3])
        };
        let at = names.iter().position(is_named)?;
        self.0 = &self.0[letters..];
        Some(at as i64)
    }

    /// Reads the minutes that local time is ahead of UTC: `Z`, `UTC`, `GMT`, `PDT`, `+02`,
    /// `+0200` or `+02:00`.
    pub fn offset_minutes(&mut self) -> Option<i64> {
        let word = self.0.get(..3).unwrap_or_default();
        if let Some((_, hours)) = ZONES.iter().find(|(name, _)| word.eq_ignore_ascii_case(*name)) {
            self.0 = &self.0[3..];
            return Some(hours * 60);
        }
        let sign = match self.take()? {
            b'Z' | b'z' => return Some(0),
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        let hours = self.digits(2)?;
        let mut minutes = 0;
        if matches!(self.0.first(), Some(b':' | b'0'..=b'9')) {
            if self.0.first() == Some(&b':') {
                self.take()?;
            }
            minutes = self.digits(2)?;
        }
        (hours <= 23 && minutes <= 59).then_some(sign * (hours * 60 + minutes))
    }
}
