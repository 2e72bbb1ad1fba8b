//! The length of values in protobuf's encoding.

/// Returns the bytes of an integer that is written as a varint. A negative `int32` or `int64` is
/// written with all 64 bits.
#[inline]
pub const fn varint(value: u64) -> usize {
    (70 - (value | 1).leading_zeros() as usize) / 7
}

/// Returns the bytes before the value of field `number`.
#[inline]
pub const fn tag(number: u32) -> usize {
    varint((number as u64) << 3)
}

/// Returns the bytes of field `number` with a content of `length` bytes: a text, bytes or a
/// message.
#[inline]
pub const fn field(number: u32, length: usize) -> usize {
    tag(number) + varint(length as u64) + length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_varint_has_seven_bits_a_byte() {
        let written = |mut value: u64| {
            let mut bytes = 1;
            while value >= 0x80 {
                value >>= 7;
                bytes += 1;
            }
            bytes
        };
        for bits in 0..64 {
            for value in [1 << bits, (1 << bits) - 1, u64::MAX >> bits] {
                assert_eq!(varint(value), written(value), "{value}");
            }
        }
        assert_eq!((varint(0), varint(u64::MAX)), (1, 10));
    }

    #[test]
    fn a_field_has_a_tag_and_a_length() {
        assert_eq!((tag(1), tag(15), tag(16), tag(2_047), tag(2_048)), (1, 1, 2, 2, 3));
        assert_eq!((field(1, 0), field(1, 127), field(16, 128)), (2, 129, 132));
    }
}
