//! Designs side by side.

mod entity;
mod scores;

pub use entity::EntityReads;
pub use scores::Scores;
