//! Forms of identifiers that programs make.

/// The digits of a ULID.
pub(super) const CROCKFORD: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// Writes a ULID of a time in milliseconds and 80 random bits.
pub(super) fn ulid(millis: i64, random: u128) -> String {
    let bits = (millis as u128) << 80 | random & ((1 << 80) - 1);
    (0..26).map(|at| char::from(CROCKFORD[(bits >> (125 - 5 * at)) as usize & 31])).collect()
}

/// Formats a UUID of variant 1, whose version is in the bits of `high`.
pub(super) fn uuid(high: u64, low: u64) -> String {
    let low = low & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000;
    let digits = format!("{high:016x}{low:016x}");
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}
