//! The query panel: what a query's fields hold, what typing into them makes of the query, and how
//! its rows are read.

mod boxes;
pub mod filter;
mod limits;
mod memory;
mod notation;
mod part;
mod plan;
mod range_end;
mod rows;
mod spot;

pub use boxes::middle_box;
pub use limits::{LIMITS, Limit, limit_count, miss_text};
pub use memory::PanelMemory;
pub use notation::{Notation, join_lines, place};
pub use part::{BlockPart, parts};
pub use plan::{Hint, hint, plan_text};
pub use range_end::RangeEnd;
pub use rows::{choice_index, fresh_choices, offered_fields, time_field};
pub use spot::{BoxAxis, Spot, block_id, edit};
