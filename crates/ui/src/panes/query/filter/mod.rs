//! The filter as a tree of blocks.

mod block_fields;
mod blocks;

pub use blocks::{Blocks, move_focus};
