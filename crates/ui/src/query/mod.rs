//! The query panel: rows, limit, order and filter.
//!
//! It has one component and one kind of field, because a component adds some kilobytes to the program. The panel is drawn from
//! the query; [`spot`] applies typed texts to it.

mod boxes;
mod code;
mod filter;
mod filter_lines;
mod limits;
mod look;
mod memory;
mod named;
mod notation;
mod panel;
mod part;
mod plan;
mod rows;
mod spot;
mod text_field;

pub use code::query_as_code;
pub use limits::{limit_count, limit_fields, miss_text};
pub use look::QueryLook;
pub use named::named_queries;
pub use panel::QueryPanel;
pub use plan::plan_text;
