//! The filter as a tree of blocks.

mod block_fields;
mod blocks;
mod edit;
mod examples;
mod fault;
mod kind;

pub use blocks::{Blocks, Change, Focus, move_focus};
pub use edit::{Edited, Path, address, get, put};
#[cfg(test)]
pub use kind::KINDS;
