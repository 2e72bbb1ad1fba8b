//! What views show, as values: the places of shapes, the matrix of a heatmap, decoded values, and
//! pictures.
//!
//! Nothing here knows a browser or how a page is drawn. The page draws these values, and the
//! command line writes the same ones to files.
#![no_std]
extern crate alloc;

pub mod charts;
pub mod compare;
pub mod heat_colors;
pub mod heatmap;
pub mod in_words;
pub mod markdown;
mod part_colors;
pub mod profiles;
pub mod query;
pub mod results;
pub mod scene;
pub mod server;
pub mod share;
pub mod shell;
mod stored_keys;
pub mod tablet;
pub mod tablets;
pub mod traffic;
pub mod workspaces;

pub use part_colors::{PartColors, field_class};
pub use stored_keys::StoredKeys;

/// Returns the least whole number that is not below `number`; 0 for a negative one.
pub(crate) fn ceil(number: f64) -> usize {
    let whole = number as usize;
    whole + usize::from(number > whole as f64)
}
