//! What is shared: pictures for documents.

mod sheet;

pub use sheet::{INNER, MARGIN, Sheet, width_of};
