//! A running server: its tables as the page has received them, and a query of one of them.

mod key_parts;
mod reading;
mod table;

pub use key_parts::KeyParts;
pub use reading::Reading;
pub use table::SeenTable;
