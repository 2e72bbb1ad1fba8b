//! The filter builder: a tree of blocks and the same filter as text, in step.

mod blocks;
mod builder;
mod edit;
mod examples;
mod fault;
mod kind;
mod leaf;
mod text;

pub use builder::FilterBuilder;
