//! A profile in its table, as an application reads it: one row for each app and user.
//!
//! ```text
//! row      CSV(app),CSV(user)                       app-00,24d64a80-8d1c-11e9
//! family   s   qualifier = facet value              s:color:Red   "12"      the score as decimal text, readable with cbt
//! family   m   qualifier "mark"                     m:mark        "9f86d081884c7d65 2019-05-28T00:04:34.000Z"
//! family   j   only in the rows of batch jobs, whose keys no profile has
//! ```
//!
//! The mark says by which strategy (XXH64 of its JSON) and at which time the profile was computed,
//! in a form whose bytes sort by time within a strategy. All families keep one version. A profile
//! is replaced by one mutation of its row, which is atomic: a reader sees either the old or the new
//! one.

use tabletop_keys::{push_csv, salt::hash, time};
use tabletop_model::{
    ColumnFamily, ColumnRange, GcRule, Mutation, Result, Row, RowFilter, RowKey, Timestamp, ValueRange,
};
use tabletop_workspace::Strategy;

use core::ops::Bound;

use super::Profile;
use crate::stored_events::csv_value;

/// The family of scores.
pub const SCORE_FAMILY: &str = "s";
/// The family that says how a profile was computed.
pub const MARK_FAMILY: &str = "m";
/// The family of batch jobs.
pub const JOB_FAMILY: &str = "j";
/// The only column of [`MARK_FAMILY`].
const MARK: &[u8] = b"mark";

/// A profile as read from its table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredProfile {
    /// The scores. The number of cells that they were computed from is not stored.
    pub profile: Profile,
    /// When it was computed, in microseconds since 1970.
    pub at: Timestamp,
    /// Identifies the strategy.
    pub strategy: u64,
}

/// Returns the families of a table of profiles; each keeps one version.
pub fn profile_families() -> Vec<ColumnFamily> {
    let family = |name: &str| ColumnFamily { gc_rule: GcRule::MaxVersions(1), ..ColumnFamily::new(name) };
    [SCORE_FAMILY, MARK_FAMILY, JOB_FAMILY].map(family).into()
}

/// Returns the row key of a profile. No two pairs of app and user have the same key, whatever
/// characters they contain, and no key is a prefix of another one.
pub fn profile_key(app: &str, user: &str) -> RowKey {
    let mut key = app_prefix(app).to_vec();
    push_csv(&mut key, user);
    RowKey::from(key)
}

/// Returns the prefix of the keys of all profiles of an app.
pub fn app_prefix(app: &str) -> RowKey {
    let mut key = Vec::new();
    push_csv(&mut key, app);
    key.push(b',');
    RowKey::from(key)
}

/// Returns the row key of the batch job of an app, or of all apps. CSV does not quote a word that
/// needs no quotes, so no profile has this key.
pub fn job_key(app: Option<&str>) -> RowKey {
    let mut key = b"\"job\"".to_vec();
    if let Some(app) = app {
        key.push(b',');
        push_csv(&mut key, app);
    }
    RowKey::from(key)
}

/// Returns the mutations that replace the profile in its row.
pub fn profile_mutations(profile: &Profile, at: Timestamp, strategy: &Strategy) -> Vec<Mutation> {
    // The timestamp is zero: the mutations first delete the cells that they replace, so the order
    // of cells in time does not matter, and clocks may go backwards.
    let cell = |family: &str, qualifier: &[u8], value: String| Mutation::SetCell {
        family: family.into(),
        qualifier: qualifier.into(),
        timestamp: 0,
        value: value.into_bytes().into(),
    };
    let delete =
        [SCORE_FAMILY, MARK_FAMILY].map(|family| Mutation::DeleteFromFamily { family: family.into() });
    let scores =
        profile.scores.iter().map(|(text, score)| cell(SCORE_FAMILY, text.as_bytes(), score.to_string()));
    delete.into_iter().chain(scores).chain([cell(MARK_FAMILY, MARK, mark(digest(strategy), at))]).collect()
}

/// Returns a filter that matches a cell in a row with a profile computed by `strategy` at `at` or
/// later.
pub fn is_current(strategy: &Strategy, at: Timestamp) -> RowFilter {
    let qualifier = || MARK.to_vec().into();
    let column = ColumnRange {
        family: MARK_FAMILY.into(),
        start: Bound::Included(qualifier()),
        end: Bound::Included(qualifier()),
    };
    let digest = digest(strategy);
    let (start, end) = (mark(digest, at), format!("{digest:016x}~"));
    let value = ValueRange {
        start: Bound::Included(start.into_bytes().into()),
        end: Bound::Excluded(end.into_bytes().into()),
    };
    RowFilter::Chain(vec![RowFilter::ColumnRange(column), RowFilter::ValueRange(value)])
}

/// Reads the profile of a row. A cell that this module has not written is left out.
pub fn read_profile(row: &Row) -> StoredProfile {
    let mut stored = StoredProfile::default();
    for cell in &row.cells {
        let (Ok(qualifier), Ok(value)) =
            (core::str::from_utf8(&cell.qualifier), core::str::from_utf8(&cell.value))
        else {
            continue;
        };
        match &*cell.family {
            SCORE_FAMILY => {
                if let Ok(score) = value.parse() {
                    stored.profile.add(qualifier, score);
                }
            }
            MARK_FAMILY if qualifier.as_bytes() == MARK => {
                if let Some((digest, at)) = value.split_once(' ') {
                    stored.strategy = u64::from_str_radix(digest, 16).unwrap_or_default();
                    stored.at = time::parse(at).unwrap_or_default();
                }
            }
            _ => {}
        }
    }
    stored
}

/// Returns the app and the user of a profile's key.
///
/// # Errors
/// `InvalidArgument` for a key that does not belong to a profile.
pub fn split_key(key: &[u8]) -> Result<(String, String)> {
    let wrong = || {
        tabletop_model::Error::invalid(format!(
            "The key {} does not belong to a profile.",
            tabletop_model::escape(key)
        ))
    };
    let text = core::str::from_utf8(key).map_err(|_| wrong())?;
    let (app, rest) = csv_value(text).ok_or_else(wrong)?;
    let (user, rest) = rest.strip_prefix(',').and_then(csv_value).ok_or_else(wrong)?;
    // Each profile has one key: `"job",a` is not written for an app called job.
    if rest.is_empty() && profile_key(&app, &user).as_slice() == key { Ok((app, user)) } else { Err(wrong()) }
}

/// Returns a number that identifies a strategy.
pub fn digest(strategy: &Strategy) -> u64 {
    let mut text = String::new();
    // The order of these lists does not affect a profile.
    let mut events: Vec<String> = strategy
        .events
        .iter()
        .map(|event| format!("{:?}", (&event.event_type, &event.event_name, event.score)))
        .collect();
    let mut facets: Vec<String> =
        strategy.facets.iter().map(|facet| format!("{:?}", (&facet.facet, facet.score))).collect();
    events.sort_unstable();
    facets.sort_unstable();
    text.push_str(&events.join(";"));
    text.push('|');
    text.push_str(&facets.join(";"));
    text.push_str(&format!("|{}", strategy.window_days));
    hash(text.as_bytes())
}

fn mark(digest: u64, at: Timestamp) -> String {
    format!("{digest:016x} {}", time::format(at))
}
