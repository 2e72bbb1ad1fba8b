//! A running server: its tables as the page has received them, and a query of one of them.

mod busiest;
mod key_parts;
mod reading;
mod table;

pub use busiest::{busiest_table, load};
pub use key_parts::KeyParts;
pub use reading::Reading;
pub use table::SeenTable;
