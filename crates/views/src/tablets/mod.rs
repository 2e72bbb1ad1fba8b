//! The tablets of a table side by side: their places, their heights, and the keys that move among
//! them.

mod keys;
mod map;
mod places;
pub mod words;

pub use keys::{Step, step};
pub use map::{Corners, Drag, asked_corners, box_of, dots, is_world};
pub use places::{
    MARK_WORDS, Mark, Measure, Place, WIDTH_MIN, beginnings, heights, marks, places, text_width,
};
