//! What is shared: pictures and tables for documents, a report, and Markdown.

mod contents;
mod data;
mod known;
mod markdown;
mod measured;
mod pictures;
mod progress;
mod recorded;
mod report;
mod sheet;
mod tables;

pub use contents::Contents;
pub use known::Known;
pub use markdown::markdown;
pub use measured::Measured;
pub use pictures::{PictureOf, has_map, picture};
pub use progress::Progress;
pub use recorded::{EVENTS_MAX, Recorded, RecordedPart};
pub use report::report;
