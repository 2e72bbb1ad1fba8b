//! What the user has chosen to see of a heatmap, and where they point.

use std::ops::Range;
use std::rc::Rc;

use tabletop_views::heatmap::{Colors, Drag, Shown, Spot, Zooms};
use yew::{Reducible, UseReducerDispatcher};

/// What is chosen, and where the pointer and the cursor are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sight {
    /// The value of the cells.
    pub shown: Shown,
    /// The colours of the cells.
    pub colors: Colors,
    /// Whether the tools of colours and borders are shown.
    pub has_tools: bool,
    /// Whether the borders of tablets are drawn; `None` until the user has chosen.
    pub borders: Option<bool>,
    /// The area.
    pub zooms: Zooms,
    /// The cursor of the keys.
    pub cursor: Option<Spot>,
    /// The other corner of the rectangle that is drawn by keys.
    pub corner: Option<Spot>,
    /// The cell under the pointer.
    pub hover: Option<Spot>,
    /// The cell whose figures are pinned.
    pub pinned: Option<Spot>,
    /// The buckets of a prefix that is pointed at.
    pub lit: Option<Range<usize>>,
    /// The rectangle that is being drawn with the pointer.
    pub drag: Option<Drag>,
}

/// With more tablets than this, their borders are not drawn until the user asks for them: they would
/// cover the picture.
const BORDERED_MAX: usize = 40;

impl Sight {
    /// Returns whether the borders of this number of tablets are drawn.
    pub fn has_borders(&self, tablets: usize) -> bool {
        self.borders.unwrap_or(tablets <= BORDERED_MAX)
    }

    /// The cell whose figures are shown.
    pub fn told(&self) -> Option<Spot> {
        self.pinned.or(self.hover).or(self.cursor)
    }
}

/// A change of what is seen.
pub type Change = Box<dyn FnOnce(&mut Sight)>;
/// Takes changes.
pub type Changes = UseReducerDispatcher<Sight>;

impl Reducible for Sight {
    type Action = Change;

    fn reduce(self: Rc<Self>, change: Change) -> Rc<Self> {
        let mut next = (*self).clone();
        change(&mut next);
        Rc::new(next)
    }
}

#[cfg(test)]
mod tests {
    use super::Sight;

    #[test]
    fn borders_of_many_tablets_are_drawn_only_if_they_are_chosen() {
        let drawn = |borders, tablets| Sight { borders, ..Sight::default() }.has_borders(tablets);
        assert_eq!([drawn(None, 1), drawn(None, 40), drawn(None, 41)], [true, true, false]);
        assert_eq!([drawn(Some(false), 1), drawn(Some(true), 400)], [false, true]);
    }
}
