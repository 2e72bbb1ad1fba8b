//! Messages of google.bigtable.v2 as words of `model`. What only the wire can get wrong is refused here; the rest is the engine's.

mod filter;
mod mutation;
mod rows;

pub(crate) use filter::filter;
pub(crate) use mutation::{check_count, entry, mutations, rule};
pub(crate) use rows::row_set;
