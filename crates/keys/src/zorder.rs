//! Z-order: combines two numbers into one, so that points that are close on a map are close in the
//! table.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::time::push_digits;

/// Two fields that are combined into one part of a key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ZOrder {
    /// The horizontal axis, such as a longitude.
    pub x: Axis,
    /// The vertical axis, such as a latitude.
    pub y: Axis,
    /// Number of bits of each axis, 1 to 32.
    pub bits: u8,
    /// The axis that leads each pair of bits.
    pub first: FirstBit,
    /// The form of the number in the key.
    pub output: ZOutput,
}

/// A field, and the range from which its numbers are scaled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// The field's name.
    pub field: String,
    /// The lower bound, inclusive.
    pub min: f64,
    /// The upper bound, inclusive. Must be more than `min`.
    pub max: f64,
}

/// The axis that leads each pair of bits. Google's slides on hotspots lead with x, GeoMesa's code
/// with y: neither is more correct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FirstBit {
    /// x, y, x, y …
    X,
    /// y, x, y, x …
    Y,
}

/// The form of the number in the key. In each form all numbers have the same width, so that they
/// sort by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ZOutput {
    /// Decimal digits.
    Decimal,
    /// Hexadecimal digits.
    Hex,
    /// Bytes, in big-endian order.
    Bytes,
}

/// The range of longitudes, in degrees east.
pub const LONGITUDE: (f64, f64) = (-180.0, 180.0);
/// The range of latitudes, in degrees north.
pub const LATITUDE: (f64, f64) = (-90.0, 90.0);
/// The default number of bits of each axis: about 600 m by 300 m at the equator.
pub const BITS: u8 = 16;

/// Scales `value` from `[min, max]` to a whole number of `bits` bits; `None` outside of the range.
/// `max` itself falls into the last step.
pub fn scale(value: f64, min: f64, max: f64, bits: u8) -> Option<u32> {
    if !(min <= value && value <= max) {
        return None;
    }
    let steps = (1u64 << bits) as f64;
    let step = libm::floor((value - min) / (max - min) * steps) as u64;
    Some(step.min((1u64 << bits) - 1) as u32)
}

/// Returns the first and the last step of an axis that `from..=to` touches; `None` if the range is
/// outside of the axis or empty.
pub(crate) fn steps(from: f64, to: f64, axis: &Axis, bits: u8) -> Option<(u32, u32)> {
    let step = |value: f64| scale(value.clamp(axis.min, axis.max), axis.min, axis.max, bits);
    (from <= to && from <= axis.max && axis.min <= to).then_some((step(from)?, step(to)?))
}

/// Interleaves the bits of `x` and `y`, beginning with the pair of their highest bits.
pub fn interleave(x: u32, y: u32, first: FirstBit) -> u64 {
    match first {
        FirstBit::X => spread(x) << 1 | spread(y),
        FirstBit::Y => spread(y) << 1 | spread(x),
    }
}

impl ZOrder {
    /// Creates a Z-order with the ranges of Google's slides on hotspots, 16 bits, x first, decimal.
    pub fn new(x: impl Into<String>, y: impl Into<String>) -> Self {
        ZOrder {
            x: Axis { field: x.into(), min: LONGITUDE.0, max: LONGITUDE.1 },
            y: Axis { field: y.into(), min: LATITUDE.0, max: LATITUDE.1 },
            bits: BITS,
            first: FirstBit::X,
            output: ZOutput::Decimal,
        }
    }

    /// Returns the number of bytes of every number.
    pub fn width(&self) -> usize {
        let bits = u32::from(self.bits) * 2;
        match self.output {
            ZOutput::Decimal => (u64::MAX >> (64 - bits)).ilog10() as usize + 1,
            ZOutput::Hex => bits.div_ceil(4) as usize,
            ZOutput::Bytes => bits.div_ceil(8) as usize,
        }
    }

    /// Appends the number of a point.
    ///
    /// # Errors
    /// The axis whose value is outside of its range.
    pub fn write(&self, x: f64, y: f64, out: &mut Vec<u8>) -> Result<(), &Axis> {
        let x = scale(x, self.x.min, self.x.max, self.bits).ok_or(&self.x)?;
        let y = scale(y, self.y.min, self.y.max, self.bits).ok_or(&self.y)?;
        self.write_number(interleave(x, y, self.first), out);
        Ok(())
    }

    /// Returns the point in the middle of the step that [`ZOrder::write`] has written as `bytes`;
    /// `None` for other bytes.
    pub fn read(&self, bytes: &[u8]) -> Option<(f64, f64)> {
        let (x, y) = self.read_steps(bytes)?;
        let middle = |step: u32, axis: &Axis| {
            axis.min + (f64::from(step) + 0.5) / (1u64 << self.bits) as f64 * (axis.max - axis.min)
        };
        Some((middle(x, &self.x), middle(y, &self.y)))
    }

    /// Returns the steps of both axes that are written as `bytes`.
    pub(crate) fn read_steps(&self, bytes: &[u8]) -> Option<(u32, u32)> {
        if bytes.len() != self.width() {
            return None;
        }
        let number = match self.output {
            ZOutput::Bytes => bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)),
            ZOutput::Hex => u64::from_str_radix(core::str::from_utf8(bytes).ok()?, 16).ok()?,
            ZOutput::Decimal => core::str::from_utf8(bytes).ok()?.parse().ok()?,
        };
        let (leading, following) = (gather(number >> 1), gather(number));
        Some(if self.first == FirstBit::X { (leading, following) } else { (following, leading) })
    }

    /// Appends a number of the curve.
    pub(crate) fn write_number(&self, z: u64, out: &mut Vec<u8>) {
        let width = self.width();
        match self.output {
            ZOutput::Bytes => out.extend_from_slice(&z.to_be_bytes()[8 - width..]),
            ZOutput::Hex => push_hex(out, z, width),
            // 20 digits do not fit into an i64, so the last one is written separately.
            ZOutput::Decimal => {
                push_digits(out, (z / 10) as i64, width - 1);
                out.push(b'0' + (z % 10) as u8);
            }
        }
    }
}

/// Appends the lowest `digits` hexadecimal digits of `number`.
pub(crate) fn push_hex(out: &mut Vec<u8>, number: u64, digits: usize) {
    out.extend((0..digits).rev().map(|at| b"0123456789abcdef"[(number >> (4 * at) & 15) as usize]));
}

/// Returns every second bit, beginning with the lowest: the inverse of [`spread`].
fn gather(number: u64) -> u32 {
    let mut bits = number & 0x5555_5555_5555_5555;
    bits = (bits | bits >> 1) & 0x3333_3333_3333_3333;
    bits = (bits | bits >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
    bits = (bits | bits >> 4) & 0x00ff_00ff_00ff_00ff;
    bits = (bits | bits >> 8) & 0x0000_ffff_0000_ffff;
    (bits | bits >> 16) as u32
}

/// Inserts a zero bit before each bit.
fn spread(number: u32) -> u64 {
    let mut bits = u64::from(number);
    bits = (bits | bits << 16) & 0x0000_ffff_0000_ffff;
    bits = (bits | bits << 8) & 0x00ff_00ff_00ff_00ff;
    bits = (bits | bits << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    bits = (bits | bits << 2) & 0x3333_3333_3333_3333;
    (bits | bits << 1) & 0x5555_5555_5555_5555
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slides_example_of_moscone_center() {
        let x = scale(-122.4012, LONGITUDE.0, LONGITUDE.1, 16).unwrap();
        let y = scale(37.7839, LATITUDE.0, LATITUDE.1, 16).unwrap();
        assert_eq!((x, y), (10485, 46524));
        assert_eq!(interleave(x, y, FirstBit::X), 1_301_409_650);
        assert_eq!(interleave(x, y, FirstBit::X), 0b01001101100100011110111101110010);
        assert_eq!(interleave(x, y, FirstBit::Y), 2_388_844_465);
    }

    #[test]
    fn bits_alternate_for_every_number_of_bits() {
        for (x, y) in [(u32::MAX, 0), (0, u32::MAX), (0x1234_5678, 0x9abc_def0), (1, 1 << 31)] {
            let z = interleave(x, y, FirstBit::X);
            for bit in 0..32 {
                assert_eq!(z >> (2 * bit + 1) & 1, u64::from(x >> bit & 1));
                assert_eq!(z >> (2 * bit) & 1, u64::from(y >> bit & 1));
            }
            assert_eq!(z, interleave(y, x, FirstBit::Y));
        }
    }

    #[test]
    fn a_range_includes_its_ends_and_no_other_values() {
        for bits in 1..=32 {
            assert_eq!(scale(-180.0, -180.0, 180.0, bits), Some(0));
            assert_eq!(scale(180.0, -180.0, 180.0, bits), Some(u32::MAX >> (32 - bits)));
        }
        assert_eq!(scale(180.1, -180.0, 180.0, 8), None);
        assert_eq!(scale(f64::NAN, -180.0, 180.0, 8), None);
    }

    #[test]
    fn each_output_has_one_width_and_sorts_as_the_number() {
        for bits in [1, 2, 7, 16, 31, 32] {
            for output in [ZOutput::Decimal, ZOutput::Hex, ZOutput::Bytes] {
                let zorder = ZOrder { bits, output, ..ZOrder::new("x", "y") };
                let mut texts: Vec<(u64, Vec<u8>)> = Vec::new();
                for at in 0..=40 {
                    let (x, y) = (-180.0 + f64::from(at) * 9.0, 90.0 - f64::from(at * at % 180));
                    let mut out = Vec::new();
                    zorder.write(x, y, &mut out).unwrap();
                    assert_eq!(out.len(), zorder.width());
                    let (near_x, near_y) = zorder.read(&out).expect("it is written");
                    let half = |extent: f64| extent / (1u64 << bits) as f64 / 2.0 * 1.000_001;
                    assert!(
                        (near_x - x).abs() <= half(360.0) && (near_y - y).abs() <= half(180.0),
                        "{x} {y} is {near_x} {near_y}"
                    );
                    let z = interleave(
                        scale(x, -180.0, 180.0, bits).unwrap(),
                        scale(y, -90.0, 90.0, bits).unwrap(),
                        FirstBit::X,
                    );
                    texts.push((z, out));
                }
                texts.sort();
                assert!(texts.is_sorted_by_key(|(_, text)| text.clone()));
            }
        }
    }
}
