//! The pieces of a written time, from the left; `None` where something else stands.

/// The bytes that are still to be read.
pub(super) struct Cursor<'a>(pub &'a [u8]);

impl Cursor<'_> {
    /// The next byte.
    pub fn take(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// The next byte, which must be this one.
    pub fn expect(&mut self, byte: u8) -> Option<()> {
        (self.take()? == byte).then_some(())
    }

    /// The number that so many digits write.
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

    /// Microseconds of the digits behind a decimal sign; at least one.
    pub fn fraction(&mut self) -> Option<i64> {
        let digits = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return None;
        }
        let micros = (0..6).fold(0, |sum, at| sum * 10 + if at < digits { i64::from(self.0[at] - b'0') } else { 0 });
        self.0 = &self.0[digits..];
        Some(micros)
    }

    /// Minutes that local time is ahead of UTC; takes all that is left.
    pub fn zone(&mut self) -> Option<i64> {
        let sign = match self.0.first() {
            None => return Some(0),
            Some(b'Z' | b'z') => {
                self.take()?;
                return self.0.is_empty().then_some(0);
            }
            Some(b'+') => 1,
            Some(b'-') => -1,
            Some(_) => return None,
        };
        self.take()?;
        let hours = self.digits(2)?;
        let minutes = if self.0.is_empty() {
            0
        } else {
            if self.0.first() == Some(&b':') {
                self.take()?;
            }
            self.digits(2)?
        };
        (self.0.is_empty() && hours <= 23 && minutes <= 59).then_some(sign * (hours * 60 + minutes))
    }
}
