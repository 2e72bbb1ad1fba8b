//! The parts of protobuf's encoding that rows need. Large requests are read without a tree of
//! messages in between.

use tabletop_model::{Error, Result};

/// An iterator over the fields of a message.
pub(crate) struct Fields<'a> {
    rest: &'a [u8],
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Varint(u64),
    Fixed64(u64),
    Bytes(&'a [u8]),
    Fixed32(u32),
}

impl<'a> Fields<'a> {
    pub fn of(message: &'a [u8]) -> Self {
        Fields { rest: message }
    }

    /// Returns the next field's number and value.
    #[inline]
    pub fn next(&mut self) -> Result<Option<(u32, Value<'a>)>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let tag = u32::try_from(self.varint()?).map_err(|_| malformed("a field's number is too large"))?;
        let value = match tag & 7 {
            0 => Value::Varint(self.varint()?),
            1 => Value::Fixed64(u64::from_le_bytes(self.array()?)),
            2 => {
                let length = usize::try_from(self.varint()?).map_err(|_| cut_off())?;
                Value::Bytes(self.take(length)?)
            }
            5 => Value::Fixed32(u32::from_le_bytes(self.array()?)),
            kind => return Err(malformed(&format!("field {} has wire type {kind}", tag >> 3))),
        };
        match tag >> 3 {
            0 => Err(malformed("a field has the number 0")),
            number => Ok(Some((number, value))),
        }
    }

    /// Returns the next field's number and value, and its whole encoding.
    pub fn next_encoded(&mut self) -> Result<Option<(u32, Value<'a>, &'a [u8])>> {
        let before = self.rest;
        Ok(self.next()?.map(|(number, value)| (number, value, &before[..before.len() - self.rest.len()])))
    }

    #[inline]
    fn varint(&mut self) -> Result<u64> {
        let mut value = 0;
        for (index, &byte) in self.rest.iter().enumerate().take(10) {
            value |= u64::from(byte & 0x7f) << (7 * index);
            if byte < 0x80 {
                self.rest = &self.rest[index + 1..];
                return Ok(value);
            }
        }
        Err(if self.rest.len() < 10 { cut_off() } else { malformed("a number has more than ten bytes") })
    }

    #[inline]
    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or_else(cut_off)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or_else(cut_off)?;
        self.rest = rest;
        Ok(*taken)
    }
}

impl<'a> Value<'a> {
    /// Returns the bytes of a field of bytes, a text or a message.
    #[inline]
    pub fn bytes(self) -> Result<&'a [u8]> {
        match self {
            Value::Bytes(bytes) => Ok(bytes),
            _ => Err(malformed("a field is a number where bytes are expected")),
        }
    }

    #[inline]
    pub fn text(self) -> Result<&'a str> {
        core::str::from_utf8(self.bytes()?).map_err(|_| malformed("a text is not UTF-8"))
    }

    /// Returns a number of any integer type. Its writer has extended shorter types to 64 bits.
    #[inline]
    pub fn int(self) -> Result<i64> {
        match self {
            Value::Varint(value) => Ok(value as i64),
            _ => Err(malformed("a field has another type where a number is expected")),
        }
    }

    pub fn bool(self) -> Result<bool> {
        Ok(self.int()? != 0)
    }

    pub fn double(self) -> Result<f64> {
        match self {
            Value::Fixed64(bits) => Ok(f64::from_bits(bits)),
            _ => Err(malformed("a field has another type where a double is expected")),
        }
    }
}

#[inline]
pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Writes the head of a field of bytes whose number is below 16.
#[inline]
pub(crate) fn put_head(out: &mut Vec<u8>, number: u8, length: usize) {
    out.push(number << 3 | 2);
    put_varint(out, length as u64);
}

fn cut_off() -> Error {
    malformed("it is cut off")
}

fn malformed(why: &str) -> Error {
    Error::invalid(format!("the request cannot be decoded: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletop_model::protobuf_len;

    fn all(message: &[u8]) -> Result<Vec<(u32, Value<'_>)>> {
        let mut fields = Fields::of(message);
        let mut all = Vec::new();
        while let Some(field) = fields.next()? {
            all.push(field);
        }
        Ok(all)
    }

    #[test]
    fn fields_are_read() {
        assert_eq!(all(&[]), Ok(vec![]));
        let message = [0x08, 0x96, 0x01, 0x12, 0x01, b'a', 0x1d, 1, 0, 0, 0, 0x21, 2, 0, 0, 0, 0, 0, 0, 0];
        let expected = vec![
            (1, Value::Varint(150)),
            (2, Value::Bytes(b"a")),
            (3, Value::Fixed32(1)),
            (4, Value::Fixed64(2)),
        ];
        assert_eq!(all(&message), Ok(expected));
        let mut out = Vec::new();
        put_varint(&mut out, -1i64 as u64);
        assert_eq!(out.len(), protobuf_len::varint(u64::MAX));
        out.insert(0, 0x08);
        assert_eq!(all(&out).unwrap()[0].1.int(), Ok(-1));
    }

    #[test]
    fn malformed_bytes_are_refused() {
        for bad in [
            &[0x08][..],
            &[0x0a, 5, 1],
            &[0x09, 1],
            &[0x0b],
            &[0x02, 0],
            &[0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255],
        ] {
            let error = all(bad).unwrap_err();
            assert!(error.message.contains("cannot be decoded"), "{bad:?}: {error}");
        }
    }
}
