//! User profiles, as in Algolia's article (Benjamin Baron, "Choosing the best schema to improve
//! Google Bigtable performance", 2021): what a user's events say about the facets that the user
//! likes.
//!
//! **Definition used here**, because the article does not give one: the score of a facet value
//! (`color:Red`) is the sum, over the user's events within the window, of the score of the event
//! times the score of the facet, once for each distinct facet value of the event. Events and facets
//! that the strategy does not name do not count, and neither do events older than its window (90
//! days by default).
//!
//! A profile is computed from what a table stores: an event that is written twice is one event,
//! because it has the same row, column and timestamp. Two different events of one user in the same
//! millisecond, with the same type and name, are one event as well: the one that was written last
//! (in the wide layout, with the facets that only the earlier one has).
//!
//! This module does not use a table: `design::personalization` reads and writes tables.

mod cells;
mod items;
mod keys;
mod profile;
mod stored;
mod window;

pub use cells::{CellParts, EventReader};
pub use items::{Item, Ranked, items_of, rank};
pub use keys::{UserKeys, UserRoles};
pub use profile::Profile;
pub use stored::{
    JOB_FAMILY, MARK_FAMILY, SCORE_FAMILY, StoredProfile, app_prefix, digest, is_current, job_key,
    profile_families, profile_key, profile_mutations, read_profile, split_key,
};
pub use window::{CLOCK_SKEW_MICROS, Window};

#[cfg(test)]
mod tests;
