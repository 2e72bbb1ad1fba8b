//! The lines to draw, and their position, for a scroll position: plain arithmetic without a
//! browser.

use core::ops::Range;

use crate::ceil;

/// The highest element that every browser lays out, in pixels (Firefox stops at 17.8 million). The
/// scroll bar of a longer list is a scale.
const HEIGHT_PX_MAX: f64 = 8_000_000.0;
/// Lines that are drawn above and below the visible ones, for fast scrolling.
const OVERSCAN: usize = 12;

/// Lines of equal height in a box that shows some of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scroll {
    /// The number of lines.
    pub lines: usize,
    /// The height of a line, pixels.
    pub line_px: f64,
    /// The height of the box without its header, pixels.
    pub view_px: f64,
}

impl Scroll {
    /// Returns the height of the spacer for all lines, pixels.
    pub fn height(&self) -> f64 {
        self.full_height().min(HEIGHT_PX_MAX)
    }

    /// Returns the pixels above the box for a list of full height.
    fn virtual_top(&self, top: f64) -> f64 {
        let (full, height) = (self.full_height(), self.height());
        if full <= height {
            return top;
        }
        top * (full - self.view_px) / (height - self.view_px)
    }

    fn full_height(&self) -> f64 {
        self.lines as f64 * self.line_px
    }

    /// Returns the lines to draw at the scroll position `top`, pixels.
    pub fn window(&self, top: f64) -> Range<usize> {
        if self.line_px <= 0.0 {
            return 0..0;
        }
        let first = self.first(top);
        let visible = (self.view_px / self.line_px) as usize + 1;
        let end = (first + visible + OVERSCAN).min(self.lines);
        first.saturating_sub(OVERSCAN).min(end)..end
    }

    /// Returns the first line that is fully visible at the scroll position `top`, pixels.
    pub fn first(&self, top: f64) -> usize {
        if self.line_px <= 0.0 { 0 } else { ceil(self.virtual_top(top).max(0.0) / self.line_px - 0.1) }
    }

    /// Returns the position of drawn lines that begin with line `start`, in pixels from the top of
    /// the list.
    pub fn offset(&self, start: usize, top: f64) -> f64 {
        top + (start as f64 * self.line_px - self.virtual_top(top))
    }

    /// Returns the scroll position nearest to `top` that shows `line` fully; `None` if it is fully
    /// visible.
    pub fn reveal(&self, line: usize, top: f64) -> Option<f64> {
        let above = line as f64 * self.line_px;
        let below = above + self.line_px - self.view_px;
        let now = self.virtual_top(top);
        let wanted = if now > above {
            above
        } else if now < below {
            below
        } else {
            return None;
        };
        let (full, height) = (self.full_height(), self.height());
        Some(if full <= height { wanted } else { wanted * (height - self.view_px) / (full - self.view_px) })
    }

    /// Returns the step of the page keys: the lines that fit into the box, at least one.
    pub fn page(&self) -> usize {
        if self.line_px <= 0.0 { 1 } else { ((self.view_px / self.line_px) as usize).max(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Scroll = Scroll { lines: 1_000, line_px: 24.0, view_px: 480.0 };
    const HUGE: Scroll = Scroll { lines: 2_000_000, line_px: 24.0, view_px: 480.0 };

    /// Everything visible is drawn, from `top`.
    fn check_covered(scroll: Scroll, top: f64) {
        let window = scroll.window(top);
        let from = scroll.offset(window.start, top);
        let until = from + window.len() as f64 * scroll.line_px;
        assert!(from <= top + 0.01, "{from} is below the top {top}");
        let bottom = (top + scroll.view_px).min(scroll.height());
        assert!(until >= bottom - 0.01, "{until} ends above the bottom {bottom}");
        assert!(window.len() < 80, "{} lines are too many to draw", window.len());
    }

    #[test]
    fn the_window_covers_the_box_wherever_it_stands() {
        for scroll in [SMALL, HUGE] {
            for step in 0..=1_000 {
                check_covered(scroll, (scroll.height() - scroll.view_px) * f64::from(step) / 1_000.0);
            }
        }
    }

    #[test]
    fn a_list_too_tall_for_a_browser_still_reaches_its_last_line() {
        assert_eq!(HUGE.height(), HEIGHT_PX_MAX);
        assert_eq!(HUGE.window(HEIGHT_PX_MAX - HUGE.view_px).end, HUGE.lines);
        let top = HUGE.reveal(1_234_567, 0.0).expect("line 1,234,567 is not on the first screen");
        assert!(HUGE.window(top).contains(&1_234_567));
        assert_eq!(HUGE.reveal(1_234_567, top), None);
    }

    #[test]
    fn revealing_moves_no_further_than_needed() {
        assert_eq!(SMALL.reveal(3, 0.0), None);
        assert_eq!(SMALL.reveal(20, 0.0), Some(24.0));
        assert_eq!(SMALL.reveal(2, 240.0), Some(48.0));
        assert_eq!(SMALL.page(), 20);
        assert_eq!((SMALL.first(0.0), SMALL.first(24.0), SMALL.first(30.0), SMALL.first(48.0)), (0, 1, 2, 2));
    }

    #[test]
    fn a_box_that_was_not_measured_draws_nothing() {
        assert_eq!(Scroll::default().window(0.0), 0..0);
        assert_eq!(Scroll { lines: 5, line_px: 24.0, view_px: 480.0 }.window(0.0), 0..5);
    }
}
