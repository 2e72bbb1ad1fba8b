//! Converts messages of google.bigtable.v2 to types of `model`. Only malformed messages are
//! rejected here; the engine checks the rest.

mod filter;
mod mutation;
mod rows;

pub(crate) use filter::filter;
pub(crate) use mutation::{check_count, entry, mutations, rule};
pub(crate) use rows::{key_of, row_range, row_set};
