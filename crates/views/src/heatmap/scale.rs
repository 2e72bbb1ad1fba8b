//! From values to levels, and from levels to colours.

use alloc::vec::Vec;

use core::f64::consts::LOG10_2;
use core::ops::RangeInclusive;

use tabletop_protocol::HeatMetric;

use crate::heat_colors::{cividis, inferno};

/// The smallest value of a relative scale is this many times smaller than the largest. Smaller
/// values, above 0, have the first level.
pub const RANGE: f64 = 1_000.0;
/// Levels above 0, which is the level of no value.
const LEVELS: f64 = 255.0;
/// The decimal logarithm of [`RANGE`].
const RANGE_LOG10: f64 = 3.0;
/// The bits of an `f32` that choose its level: sign, exponent and 7 bits of the mantissa, which are
/// steps of 0.8%.
const SHIFT: u32 = 16;

/// The scale of a heatmap: what values are compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// Logarithmic, from a thousandth of the largest value to the largest value.
    Relative {
        /// The largest value.
        largest: f32,
    },
    /// Linear, from 0 to 1. Larger values have the last level.
    Absolute,
}

impl Scale {
    /// The scale of a metric in a heatmap with this largest value.
    pub fn new(metric: HeatMetric, largest: f32) -> Scale {
        if metric.is_absolute() { Scale::Absolute } else { Scale::Relative { largest } }
    }

    /// Returns the level of a value, 0 to 255. Only 0 (and NaN) has level 0.
    pub fn level(self, value: f32) -> u8 {
        if value.is_nan() || value <= 0.0 {
            return 0;
        }
        let share = match self {
            Scale::Absolute => f64::from(value),
            Scale::Relative { largest } => {
                1.0 + libm::log10(f64::from(value) / f64::from(largest)) / RANGE_LOG10
            }
        };
        nearest(share * LEVELS, 1.0)
    }

    /// Returns the value of a level, the inverse of `level`.
    pub fn value(self, level: u8) -> f64 {
        let share = f64::from(level) / LEVELS;
        match self {
            Scale::Absolute => share,
            Scale::Relative { largest } => f64::from(largest) * libm::pow(RANGE, share - 1.0),
        }
    }
}

/// Returns the level that is nearest to a number, at least `least`.
fn nearest(level: f64, least: f64) -> u8 {
    (level.clamp(least, LEVELS) + 0.5) as u8
}

/// The level of each value by the upper bits of its number: a heatmap has 300,000 cells, and that
/// many logarithms take longer than a frame.
pub struct LevelTable(Vec<u8>);

impl LevelTable {
    /// Computes the levels of a scale.
    pub fn new(scale: Scale) -> LevelTable {
        // Positive numbers only: their sign bit is 0. The value in the middle of a step represents
        // the step.
        let level = |bits: u32| scale.level(f32::from_bits((bits << SHIFT) | (1 << (SHIFT - 1))));
        LevelTable((0..1 << (31 - SHIFT)).map(level).collect())
    }

    /// Returns the level of a value.
    pub fn level(&self, value: f32) -> u8 {
        if value > 0.0 { self.0[(value.to_bits() >> SHIFT) as usize] } else { 0 }
    }
}

/// A series of colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Palette {
    /// From black over red to pale yellow.
    #[default]
    Inferno,
    /// From dark blue to yellow: nearly the same for users who confuse red and green.
    Cividis,
}

/// The bounds of the brightness.
pub const BRIGHTNESS: RangeInclusive<i8> = -6..=6;

/// How levels are coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Colors {
    /// The series.
    pub palette: Palette,
    /// Each step shows a value as one that is twice as large.
    pub brightness: i8,
}

impl Colors {
    /// Returns red, green, blue and opacity of each level.
    pub fn table(self, scale: Scale) -> [[u8; 4]; 256] {
        core::array::from_fn(|level| {
            let [red, green, blue] = self.color(self.brighter(level as u8, scale));
            [red, green, blue, 255]
        })
    }

    fn color(self, level: u8) -> [u8; 3] {
        match self.palette {
            Palette::Inferno => inferno(level),
            Palette::Cividis => cividis(level),
        }
    }

    /// Returns the level of a value after brightness multiplies it.
    fn brighter(self, level: u8, scale: Scale) -> u8 {
        let (level, twice) = (f64::from(level), f64::from(self.brightness));
        let brighter = match scale {
            _ if level == 0.0 => 0.0,
            Scale::Absolute => level * libm::pow(2.0, twice),
            Scale::Relative { .. } => level + twice * LEVELS * LOG10_2 / RANGE_LOG10,
        };
        nearest(brighter, f64::from(u8::from(level > 0.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_value_has_the_last_level_and_only_nothing_the_first() {
        for scale in [Scale::Absolute, Scale::Relative { largest: 1234.5 }, Scale::Relative { largest: 1e-6 }]
        {
            let table = LevelTable::new(scale);
            let largest = match scale {
                Scale::Absolute => 1.0,
                Scale::Relative { largest } => largest,
            };
            assert_eq!(
                [0.0, -1.0, f32::NAN, largest, largest * 10.0].map(|value| table.level(value)),
                [0, 0, 0, 255, 255]
            );
            assert_eq!(
                [largest * 1e-9, largest * 1e-4].map(|value| table.level(value)),
                [1, 1],
                "little is not nothing"
            );
        }
        let nothing = LevelTable::new(Scale::Relative { largest: 0.0 });
        assert_eq!(nothing.level(0.0), 0);
    }

    #[test]
    fn the_table_is_as_exact_as_a_level() {
        let (scale, mut value) = (Scale::Relative { largest: 5_000.0 }, 4.0f32);
        let table = LevelTable::new(scale);
        while value < 5_000.0 {
            assert!(table.level(value).abs_diff(scale.level(value)) <= 1, "{value}");
            value *= 1.03;
        }
        for level in 1..=255u8 {
            assert_eq!(scale.level(scale.value(level) as f32), level);
            assert_eq!(Scale::Absolute.level(Scale::Absolute.value(level) as f32), level);
        }
    }

    #[test]
    fn brightness_shows_a_value_as_a_multiple() {
        for scale in [Scale::Relative { largest: 100.0 }, Scale::Absolute] {
            let plain = Colors::default().table(scale);
            let bright = Colors { brightness: 1, ..Colors::default() }.table(scale);
            let level = |value: f64| scale.level(value as f32);
            let (one, two) = (level(0.2), level(0.4));
            let distance = (0..=255u8).find(|other| plain[usize::from(*other)] == bright[usize::from(one)]);
            assert!(distance.is_some_and(|shown| shown.abs_diff(two) <= 1), "{scale:?}");
            assert_eq!(bright[0], plain[0], "nothing stays dark");
            assert_ne!(
                Colors { brightness: -6, ..Colors::default() }.table(scale)[1],
                plain[0],
                "little is not nothing"
            );
        }
    }
}
