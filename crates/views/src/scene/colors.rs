//! The colours of pictures: their roles, and what they are on the page and in files.

use alloc::borrow::Cow;
use alloc::format;

/// The colour of a shape, by its role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paint {
    /// No colour.
    #[default]
    None,
    /// The background of a page.
    Page,
    /// Text.
    Ink,
    /// Text that matters less.
    Soft,
    /// A thin line.
    Line,
    /// The edge of a tablet.
    Edge,
    /// The line of a figure.
    Accent,
    /// A chosen area, through which what is below it is seen.
    Tint,
    /// A limit that is kept.
    Good,
    /// A text that warns.
    Warn,
    /// A hotspot or an error.
    Hot,
    /// A tablet with this level of load, 0 to 4.
    Load(u8),
    /// Text on a tablet with this level of load.
    OnLoad(u8),
    /// One of the eight colours that distinguish fields, curves or tablets.
    Part(u8),
    /// Red, green and blue.
    Rgb([u8; 3]),
}

/// The colours of a theme, as text of SVG.
#[derive(Debug, PartialEq, Eq)]
pub struct Colors {
    page: &'static str,
    ink: &'static str,
    soft: &'static str,
    line: &'static str,
    edge: &'static str,
    accent: &'static str,
    tint: &'static str,
    good: &'static str,
    warn: &'static str,
    hot: &'static str,
    fills: [&'static str; 5],
    on_fills: [&'static str; 5],
    parts: [&'static str; 8],
}

/// The theme of the page, whichever it is: variables of `www/style/tokens.css`.
pub static PAGE: Colors = Colors {
    page: "var(--surface)",
    ink: "var(--ink)",
    soft: "var(--ink-soft)",
    line: "var(--line)",
    edge: "var(--load-edge)",
    accent: "var(--accent)",
    tint: "color-mix(in srgb, var(--accent) 12%, transparent)",
    good: "var(--good)",
    warn: "var(--warn)",
    hot: "var(--hot)",
    fills: ["var(--load-0)", "var(--load-1)", "var(--load-2)", "var(--load-3)", "var(--load-4)"],
    on_fills: [
        "var(--on-load-0)",
        "var(--on-load-1)",
        "var(--on-load-2)",
        "var(--on-load-3)",
        "var(--on-load-4)",
    ],
    parts: [
        "var(--part-0)",
        "var(--part-1)",
        "var(--part-2)",
        "var(--part-3)",
        "var(--part-4)",
        "var(--part-5)",
        "var(--part-6)",
        "var(--part-7)",
    ],
};

/// The light theme, also for print.
pub static LIGHT: Colors = Colors {
    page: "#ffffff",
    ink: "#191c23",
    soft: "#545b69",
    line: "#dde1e8",
    edge: "#868e9c",
    accent: "#2f54d0",
    tint: "#2f54d01f",
    good: "#116b3f",
    warn: "#8a4b00",
    hot: "#b3261e",
    fills: ["#dfe5f2", "#b9c8f2", "#8aa5ec", "#e59a4f", "#c93c27"],
    on_fills: ["#191c23", "#191c23", "#191c23", "#191c23", "#ffffff"],
    parts: ["#2f54d0", "#0b6e6e", "#8a3fb0", "#8a4b00", "#a8285f", "#3f6212", "#6b5900", "#0a6188"],
};

/// The dark theme.
pub static DARK: Colors = Colors {
    page: "#161920",
    ink: "#e8eaf0",
    soft: "#a4adbd",
    line: "#2a2f3a",
    edge: "#707a8c",
    accent: "#8fa8ff",
    tint: "#8fa8ff1f",
    good: "#5fd39a",
    warn: "#f0b35c",
    hot: "#ff8d80",
    fills: ["#242a38", "#2f4076", "#4360b4", "#c9772b", "#ef5a43"],
    on_fills: ["#e8eaf0", "#e8eaf0", "#ffffff", "#0f1115", "#0f1115"],
    parts: ["#8fa8ff", "#56cfcf", "#cf9bf0", "#f0b35c", "#ff94bf", "#a8cf6a", "#d9c94f", "#74c4f0"],
};

impl Colors {
    /// Returns the colour of a role.
    pub fn of(&self, paint: Paint) -> Cow<'static, str> {
        let at = |list: &[&'static str], at: u8| list[usize::from(at) % list.len()];
        Cow::Borrowed(match paint {
            Paint::None => "none",
            Paint::Page => self.page,
            Paint::Ink => self.ink,
            Paint::Soft => self.soft,
            Paint::Line => self.line,
            Paint::Edge => self.edge,
            Paint::Accent => self.accent,
            Paint::Tint => self.tint,
            Paint::Good => self.good,
            Paint::Warn => self.warn,
            Paint::Hot => self.hot,
            Paint::Load(level) => at(&self.fills, level),
            Paint::OnLoad(level) => at(&self.on_fills, level),
            Paint::Part(part) => at(&self.parts, part),
            Paint::Rgb([red, green, blue]) => return Cow::Owned(format!("#{red:02x}{green:02x}{blue:02x}")),
        })
    }
}

/// Returns the colour of a class of `base.css` that colours the parts of keys.
pub fn part_paint(class: &str) -> Paint {
    let part = class.strip_prefix("part-").and_then(|part| part.parse().ok());
    part.map_or(Paint::Soft, Paint::Part)
}

#[cfg(test)]
mod tests {
    use alloc::borrow::ToOwned;
    use alloc::vec::Vec;

    use super::*;

    const TOKENS: &str = include_str!("../../../../www/style/tokens.css");

    #[test]
    fn files_have_the_colours_of_the_page() {
        let roles = [
            Paint::Page,
            Paint::Ink,
            Paint::Soft,
            Paint::Line,
            Paint::Edge,
            Paint::Accent,
            Paint::Good,
            Paint::Warn,
        ];
        let all = roles
            .into_iter()
            .chain([Paint::Hot])
            .chain((0..5).map(Paint::Load))
            .chain((0..5).map(Paint::OnLoad));
        for paint in all.chain((0..8).map(Paint::Part)) {
            let name = PAGE.of(paint).trim_start_matches("var(").trim_end_matches(')').to_owned();
            let start = format!("{name}: light-dark(");
            let line = TOKENS.lines().find_map(|line| line.trim().strip_prefix(start.as_str()));
            let both = line.and_then(|line| line.split_once(')')?.0.split_once(", "));
            assert_eq!(both, Some((&*LIGHT.of(paint), &*DARK.of(paint))), "{name}");
        }
    }

    #[test]
    fn classes_of_parts_have_their_colours() {
        assert_eq!(["part-0", "part-7"].map(part_paint), [Paint::Part(0), Paint::Part(7)]);
        assert_eq!(part_paint("part-none"), Paint::Soft);
        assert_eq!(LIGHT.of(Paint::Rgb([255, 0, 16])), "#ff0010");
    }

    /// Returns the light and the dark colour of a custom property, as red, green and blue.
    fn colours(name: &str) -> [[f64; 3]; 2] {
        let start = format!("--{name}: light-dark(");
        let line = TOKENS
            .lines()
            .find_map(|line| line.trim().strip_prefix(start.as_str()))
            .unwrap_or_else(|| panic!("no --{name}"));
        let colours = line.split(')').next().unwrap().split(", ");
        let channel =
            |colour: &str, at: usize| f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
        let both: Vec<[f64; 3]> = colours.map(|colour| [1, 3, 5].map(|at| channel(colour, at))).collect();
        [both[0], both[1]]
    }

    /// Returns the contrast of two colours, as WCAG 2.2 defines it.
    fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
        let linear = |channel: f64| {
            if channel <= 0.04045 { channel / 12.92 } else { libm::pow((channel + 0.055) / 1.055, 2.4) }
        };
        let luminance = |[red, green, blue]: [f64; 3]| {
            0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
        };
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    fn check(front: &str, back: &str, least: f64) {
        for (front_colour, back_colour) in colours(front).into_iter().zip(colours(back)) {
            let contrast = contrast(front_colour, back_colour);
            assert!(contrast >= least, "--{front} on --{back}: {contrast:.2}, at least {least}");
        }
    }

    #[test]
    fn labels_can_be_read_on_every_fill() {
        for level in 0..5 {
            check(&format!("on-load-{level}"), &format!("load-{level}"), 4.5);
        }
    }

    #[test]
    fn idle_tablets_and_hot_marks_stand_out() {
        check("load-edge", "surface", 3.0);
        check("load-edge", "page", 3.0);
        check("hot", "surface", 4.5);
    }
}
