//! The query panel: rows, limit, order and filter.
//!
//! It has one component and one kind of field, because a component adds some kilobytes to the
//! program. The panel is drawn from the query; `views::query` applies typed texts to it.

mod boxes;
mod code;
mod completing;
mod filter;
mod filter_lines;
mod limits;
mod look;
mod named;
mod panel;
mod pattern;
mod rows;
mod text_field;

pub use code::query_as_code;
pub use completing::completing;
pub use limits::limit_fields;
pub use look::QueryLook;
pub use named::named_queries;
pub use panel::QueryPanel;
pub use pattern::{QUERY_LIST, edit_pattern, show_query};
