//! The filter as a tree of blocks.

mod change;
mod counts;
mod edit;
mod examples;
mod fault;
mod kind;

pub use change::{Change, Focus};
pub use counts::{FilterCounts, ShownCount};
pub use edit::{BlockAction, Edited, Path, act, address, can, get, put};
pub use examples::{Example, examples};
pub use fault::faults;
pub use kind::{FilterKind, Group, KINDS, change_kind, in_order, kind_of};
