//! Profiles of users, as they are sent between the worker and the page. The pipelines work in
//! slices, when the page requests them.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_model::{RowKey, Timestamp};
use tabletop_workspace::Strategy;

use crate::Job;

/// Runs both profile pipelines on two tables of their own, one with the events of a design and one
/// with profiles.
pub struct Profiles;

impl Job for Profiles {
    const NAME: &'static str = "profiles";
    const OPEN_MAX: usize = 3;
    type Request = ProfilesRequest;
    type Order = ProfilesOrder;
    type Chunk = ProfilesChunk;
}

/// The request that begins the pipelines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProfilesRequest {
    /// Index of the design.
    pub index: u32,
    /// The strategy.
    pub strategy: Strategy,
}

/// What the next slice does and returns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfilesOrder {
    /// The work.
    pub work: ProfilesWork,
    /// The app and the user that the page shows.
    pub user: Option<(String, String)>,
}

/// The work of a slice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProfilesWork {
    /// Nothing: the slice only returns the state.
    #[default]
    Nothing,
    /// Lets events arrive, and computes a profile for each: the streaming pipeline. At most this
    /// many events; fewer if their users have many.
    Stream(u32),
    /// Replays the last event of the user.
    Repeat,
    /// Changes the strategy. Stored profiles are not recomputed.
    Strategy(Strategy),
    /// Begins or continues the batch, which recomputes all profiles with the current strategy.
    Batch,
    /// Drops the batch in memory, as a crash would. The next [`ProfilesWork::Batch`] resumes from
    /// its row of the table.
    Interrupt,
    /// Removes all rows of the user.
    ForgetUser,
    /// Removes all rows of the user's app.
    ForgetApp,
}

/// The progress of the pipelines.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfilesChunk {
    /// Number of events that have arrived, including refused ones.
    pub events: u64,
    /// Number of all events.
    pub events_total: u64,
    /// Number of events from which a profile cannot be computed.
    pub refused: u64,
    /// Why the first of these was refused.
    pub refusal: String,
    /// Number of users with at least one event.
    pub users: u64,
    /// The latest time of an event so far, which the pipelines use as the current time, in
    /// microseconds since 1970.
    pub now: Timestamp,
    /// Microseconds that the streaming pipeline has worked.
    pub stream_micros: u64,
    /// The batch since the last change of the strategy.
    pub batch: Option<ProfilesBatch>,
    /// What this request has removed.
    pub forgotten: Option<ProfilesForgotten>,
    /// The users with the most events, at most 50.
    pub busiest: Vec<UserEvents>,
    /// The user that the page shows.
    pub user: Option<UserProfile>,
}

/// A user and the number of events so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserEvents {
    /// The app; empty if events do not have one.
    pub app: String,
    /// The user.
    pub user: String,
    /// Number of events that have arrived.
    pub events: u32,
}

/// The progress of the batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProfilesBatch {
    /// Whether the batch is complete.
    pub is_done: bool,
    /// Whether it was interrupted. It resumes only on request.
    pub is_interrupted: bool,
    /// Whether it has resumed an interrupted batch.
    pub is_resumed: bool,
    /// Number of users whose profile has been computed.
    pub users: u64,
    /// Number of cells from which their profiles were computed.
    pub cells: u64,
    /// Number of profiles that were removed, because their users do not have events in the window.
    pub removed: u64,
    /// The share of the table that has been read, from 0 to 1; `None` if it is not known.
    pub share: Option<f64>,
    /// Microseconds that the batch has worked.
    pub micros: u64,
}

/// What was removed, as counted by reads before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfilesForgotten {
    /// Number of rows of events before the removal.
    pub event_rows: u64,
    /// Number of rows of profiles before the removal.
    pub profile_rows: u64,
    /// Number of rows of both tables after the removal.
    pub rows_left: u64,
}

/// A user's profile, the events from which it was computed, and its effect.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UserProfile {
    /// The app; empty if events do not have one.
    pub app: String,
    /// The user.
    pub user: String,
    /// The row of the profile.
    pub key: RowKey,
    /// The stored scores by facet value, the highest first; empty without a stored profile.
    pub scores: Vec<(String, u64)>,
    /// When the profile was computed, in microseconds since 1970; `None` without a stored profile.
    pub at: Option<Timestamp>,
    /// Whether it was computed with the current strategy.
    pub is_current: bool,
    /// The last events, newest first, at most 20.
    pub events: Vec<ProfileEvent>,
    /// The cost of reading the events of this user.
    pub read: ProfileRead,
    /// Items of the shop, in the order of the profile.
    pub items: Vec<RankedItem>,
}

/// An event, and its contribution to the profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileEvent {
    /// Microseconds since 1970; `None` if the event has no time.
    pub time: Option<Timestamp>,
    /// The type and the name of the event.
    pub name: String,
    /// The facets, as the event's text has them.
    pub facets: String,
    /// The score with the current strategy; 0 if it does not count.
    pub score: u32,
    /// Whether it is within the window of the strategy.
    pub in_window: bool,
}

/// The cost of reading the events of one user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileRead {
    /// Rows that were read, before the strategy's filter.
    pub rows_seen: u64,
    /// Cells that were read, before the strategy's filter.
    pub cells_seen: u64,
    /// Cells that the strategy's filter has returned.
    pub cells_returned: u64,
    /// Bytes of the returned cells.
    pub bytes_returned: u64,
}

/// An item, its score, and the reasons for the score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankedItem {
    /// The item's name.
    pub name: String,
    /// The item's facets.
    pub facets: String,
    /// The position without a profile, from 0.
    pub before: u32,
    /// The sum of the reasons.
    pub score: u64,
    /// The item's facet values that are in the profile, with their scores.
    pub reasons: Vec<(String, u64)>,
}
