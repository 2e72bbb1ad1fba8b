//! The query panel: which rows, how many, from which end, and what of them.
//!
//! One component and one kind of field: a component costs some kilobytes of program. The panel is drawn from the question;
//! [`spot`] says what a typed text does to it.

mod filter;
mod limits;
mod memory;
mod named;
mod notation;
mod panel;
mod part;
mod plan;
mod rows;
mod spot;
mod text_field;

pub use named::named_queries;
pub use panel::QueryPanel;
