//! The legend of the strip's colours.

use tabletop_texts::messages;
use yew::{Html, html};

/// Draws one swatch for each level of [`tabletop_advice::Verdict::level`]. An even share is
/// computed over the tablets that can take writes at the same time: one per salt of a growing key.
pub fn legend() -> Html {
    html! {
        <ul class="legend soft small" aria-label={messages().tablets.legend}>
            { for messages().tablets.levels.iter().enumerate().map(|(level, name)| html! {
                <li>
                    <svg width="12" height="12" aria-hidden="true">
                        <rect class={format!("load-{level}")} x="0.5" y="0.5" width="11" height="11" rx="2" />
                    </svg>
                    {*name}
                </li>
            }) }
        </ul>
    }
}

#[cfg(test)]
mod tests {
    const TOKENS: &str = include_str!("../../../../../www/style/tokens.css");

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
            if channel <= 0.04045 { channel / 12.92 } else { ((channel + 0.055) / 1.055).powf(2.4) }
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
