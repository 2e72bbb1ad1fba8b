//! The tablets of a table side by side: their places, their heights, and the keys that move among
//! them.

mod asked;
mod first_key;
mod keys;
mod map;
mod places;
mod strip;
mod timeline;
pub mod words;

pub use asked::{Asked, asked_of};
pub use first_key::{WrittenKey, first_keys};
pub use keys::{Step, step};
pub use map::{Corners, Drag, asked_corners, box_of, dots, is_world};
pub use places::{
    MARK_WORDS, Mark, Measure, Place, WIDTH_MIN, beginnings, heights, marks, places, text_width,
};
pub use strip::{Body, Figure, MARKS_HEIGHT, Strip};
pub use timeline::{PAGE_STEPS, Targets, marks_of, step_of};
