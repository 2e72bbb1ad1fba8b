//! Profiles of users as they travel between the worker and the page: the pipelines go on in slices, as the page asks for them.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_model::{RowKey, Timestamp};

use crate::{Job, Strategy};

/// Runs both pipelines of profiles on two tables of their own, one for the events of a design and one for profiles.
pub struct Profiles;

impl Job for Profiles {
    const NAME: &'static str = "profiles";
    const OPEN_MAX: usize = 3;
    type Request = ProfilesRequest;
    type Order = ProfilesOrder;
    type Chunk = ProfilesChunk;
}

/// What pipelines are begun with.
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
    /// Lets events arrive, each with its profile: the streaming pipeline. At most this many; fewer if their users have many events.
    Stream(u32),
    /// Lets the last event of the user arrive another time.
    Repeat,
    /// Changes the strategy. Profiles stay as they are.
    Strategy(Strategy),
    /// Begins or continues the batch: all profiles by the strategy of now.
    Batch,
    /// Drops the batch in memory, as a crash would. The next [`ProfilesWork::Batch`] resumes from its row of the table.
    Interrupt,
    /// Removes all rows of the user.
    ForgetUser,
    /// Removes all rows of the user's app.
    ForgetApp,
}

/// How far the pipelines are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfilesChunk {
    /// Events that have arrived, also those that were refused.
    pub events: u64,
    /// All events.
    pub events_total: u64,
    /// Events that make no profile.
    pub refused: u64,
    /// Why the first of them does not.
    pub refusal: String,
    /// Users with an event.
    pub users: u64,
    /// The latest time of an event so far, which the pipelines take for the present; microseconds since 1970.
    pub now: Timestamp,
    /// Microseconds of work of the streaming pipeline.
    pub stream_micros: u64,
    /// The batch since the strategy was changed.
    pub batch: Option<ProfilesBatch>,
    /// What was removed by this request.
    pub forgotten: Option<ProfilesForgotten>,
    /// The users with most events, at most 50.
    pub busiest: Vec<UserEvents>,
    /// The user that the page shows.
    pub user: Option<UserProfile>,
}

/// A user and the number of events so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserEvents {
    /// The app; empty where events have none.
    pub app: String,
    /// The user.
    pub user: String,
    /// Events that have arrived.
    pub events: u32,
}

/// How far the batch is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProfilesBatch {
    /// It is complete.
    pub is_done: bool,
    /// It was interrupted, and resumes only on request.
    pub is_interrupted: bool,
    /// It went on from where an interrupted one was.
    pub is_resumed: bool,
    /// Users whose profile is computed.
    pub users: u64,
    /// Cells that made their profiles.
    pub cells: u64,
    /// Profiles of users without an event in the window, which were removed.
    pub removed: u64,
    /// The share of the table that is read, from 0 to 1, if it is known.
    pub share: Option<f64>,
    /// Microseconds of work.
    pub micros: u64,
}

/// What was removed, as reads before and after show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfilesForgotten {
    /// Rows of events before.
    pub event_rows: u64,
    /// Rows of profiles before.
    pub profile_rows: u64,
    /// Rows of both tables afterwards.
    pub rows_left: u64,
}

/// A user's profile, what it was made of, and what it does.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UserProfile {
    /// The app; empty where events have none.
    pub app: String,
    /// The user.
    pub user: String,
    /// The row of the profile.
    pub key: RowKey,
    /// Scores by facet value as stored, the highest first; empty without a stored profile.
    pub scores: Vec<(String, u64)>,
    /// When the profile was computed, microseconds since 1970; `None` without a stored one.
    pub at: Option<Timestamp>,
    /// It was computed by the strategy of now.
    pub is_current: bool,
    /// The last events, the newest first, at most 20.
    pub events: Vec<ProfileEvent>,
    /// What reading the events of this user takes.
    pub read: ProfileRead,
    /// Items of the shop, in the order of the profile.
    pub items: Vec<RankedItem>,
}

/// An event, and what it counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileEvent {
    /// Microseconds since 1970; `None` if the event has no time.
    pub time: Option<Timestamp>,
    /// The type and the name.
    pub name: String,
    /// Its facets, as the event has them.
    pub facets: String,
    /// The event's score by the strategy of now; 0 if it does not count.
    pub score: u32,
    /// It is within the window of the strategy.
    pub in_window: bool,
}

/// The cost of reading the events of one user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileRead {
    /// Rows before the filter of the strategy.
    pub rows_seen: u64,
    /// Cells before the filter of the strategy.
    pub cells_seen: u64,
    /// Cells after it.
    pub cells_returned: u64,
    /// Bytes of these.
    pub bytes_returned: u64,
}

/// An item, its score and why it has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankedItem {
    /// Its name.
    pub name: String,
    /// Its facets.
    pub facets: String,
    /// Its place without a profile, from 0.
    pub before: u32,
    /// The sum of the reasons.
    pub score: u64,
    /// Facet values of the item that the profile has, and their scores.
    pub reasons: Vec<(String, u64)>,
}
