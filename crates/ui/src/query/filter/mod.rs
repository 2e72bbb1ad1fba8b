//! The filter as a tree of blocks.

mod block_fields;
mod blocks;
mod edit;
mod examples;
mod fault;
mod kind;

pub use blocks::{Blocks, Change, Focus, address, move_focus};
pub use edit::{Edited, Path, get, put};
#[cfg(test)]
pub use kind::KINDS;
