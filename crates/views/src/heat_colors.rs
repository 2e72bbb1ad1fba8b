//! The colours of heatmaps by level, 0 to 255: inferno, and cividis, which looks nearly the same to
//! people with red-green colour blindness.
//!
//! Both become lighter with each level, so levels can also be told apart in greyscale. Each channel
//! is a polynomial of the level, fitted to the tables of matplotlib within a few steps.

/// Returns red, green and blue of a level, from near black to pale yellow.
pub fn inferno(level: u8) -> [u8; 3] {
    // The fit is by Matt Zucker, in the public domain. Its channels range from 0 to 1.
    let channels = [
        [0.000_219, 0.106_513, 11.602_493, -41.703_996, 77.162_936, -71.319_428, 25.131_126],
        [0.001_651, 0.563_956, -3.972_854, 17.436_399, -33.402_359, 32.626_064, -12.242_669],
        [-0.019_481, 3.932_712, -15.942_394, 44.354_145, -81.807_309, 73.209_520, -23.070_325],
    ];
    channels.map(|of| channel(&of, level, 255.0))
}

/// Returns red, green and blue of a level, from dark blue to yellow.
pub fn cividis(level: u8) -> [u8; 3] {
    // The fit is from d3-scale-chromatic. Its channels range from 0 to 255.
    let channels = [
        [-4.54, -35.34, 2_381.73, -6_402.7, 7_024.72, -2_710.57],
        [32.49, 170.73, 52.82, -131.46, 176.58, -67.37],
        [81.24, 442.36, -2_482.43, 6_167.24, -6_614.94, 2_475.67],
    ];
    channels.map(|of| channel(&of, level, 1.0))
}

/// Returns a polynomial's value at a level, to the nearest integer from 0 to 255.
fn channel(polynomial: &[f64], level: u8, scale: f64) -> u8 {
    let at = f64::from(level) / 255.0;
    let value = polynomial.iter().rev().fold(0.0, |sum, factor| sum * at + factor);
    // The conversion to `u8` saturates.
    (value * scale + 0.5) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    type Color = fn(u8) -> [u8; 3];
    const COLORS: [(&str, Color); 2] = [("inferno", inferno), ("cividis", cividis)];

    /// Returns the perceived lightness of a colour, 0 to about 100 (CIE L*).
    fn lightness([red, green, blue]: [u8; 3]) -> f64 {
        let linear = |channel: u8| libm::pow(f64::from(channel) / 255.0, 2.2);
        let luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
        116.0 * libm::cbrt(luminance.max(0.008_856)) - 16.0
    }

    #[test]
    fn each_level_is_as_light_as_the_one_before_or_lighter() {
        for (name, color) in COLORS {
            for level in 1..=255u8 {
                let [before, after] = [level - 1, level].map(|level| lightness(color(level)));
                // Rounding the channels can make the lightness decrease slightly.
                assert!(after > before - 0.4, "{name} {level}: {before} {after}");
            }
            let steps = [0, 64, 128, 192, 255].map(|level| lightness(color(level)));
            assert!(
                steps.windows(2).all(|pair| (10.0..35.0).contains(&(pair[1] - pair[0]))),
                "{name}: even steps, {steps:?}"
            );
        }
    }

    #[test]
    fn known_colours_are_met() {
        let near = |one: [u8; 3], other: [u8; 3]| one.iter().zip(other).all(|(a, b)| a.abs_diff(b) <= 6);
        for (level, known) in [
            (0, [0, 0, 4]),
            (64, [87, 16, 110]),
            (128, [188, 55, 84]),
            (192, [249, 142, 9]),
            (255, [252, 255, 164]),
        ] {
            assert!(near(inferno(level), known), "{level}: {:?}", inferno(level));
        }
        for (level, known) in [(0, [0, 34, 78]), (128, [125, 124, 120]), (255, [254, 232, 56])] {
            assert!(
                cividis(level).iter().zip(known).all(|(a, b)| a.abs_diff(b) <= 16),
                "{level}: {:?}",
                cividis(level)
            );
        }
    }
}
