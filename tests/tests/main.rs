//! All tests except those of the page: `cargo test -p tabletop-tests properties` runs those of one module.

mod backups;
mod cases;
mod crashes;
mod damage;
mod filter_text;
mod filter_trace;
mod limits;
mod objects;
mod properties;
mod salted;
mod wide_rows;
