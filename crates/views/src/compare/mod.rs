//! Designs side by side.

mod entity;
mod events;
mod scores;

pub use entity::EntityReads;
pub use events::{ListedEvent, TabletOfEvent, event_of_row};
pub use scores::Scores;
