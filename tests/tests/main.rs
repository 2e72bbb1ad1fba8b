//! All tests except the tests of the page: `cargo test -p tabletop-tests properties` runs the tests
//! of one module.

mod backups;
mod cases;
mod corpus;
mod crashes;
mod damage;
mod filter_text;
mod filter_trace;
mod flows_of_views;
mod limits;
mod objects;
mod properties;
mod salted;
mod wide_rows;
