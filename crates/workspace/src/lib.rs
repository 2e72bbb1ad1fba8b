//! What a user saves: a [`Workspace`] has the source of the events, the designs, the access
//! patterns, the traffic and the strategy. It is one value with a version, which becomes a file, a
//! [link](ShareLink), or an entry in the browser's storage.
//!
//! The events themselves are not part of it, and neither is anything that a computation can find
//! out again: tables, costs and warnings. This crate checks what it reads, and reads the files and
//! links of all earlier builds.
//!
//! ```
//! use tabletop_workspace::{Design, Workspace};
//! use tabletop_keys::{Layout, LayoutKind};
//!
//! let mut workspace = Workspace::default();
//! workspace.designs.push(Design::new("By user", "{user_token}", Layout::new(LayoutKind::Wide)));
//! assert_eq!(Workspace::from_json(&workspace.to_json()).unwrap(), workspace);
//! assert_eq!(workspace.table_ids(), ["design-1", "by-user"]);
//! ```
//!
//! Where to begin reading: [`Workspace`], then [`Design`], [`NamedQuery`] and [`Traffic`].
//! [`DesignList`] changes the list of designs, and [`Example`] lists the workspaces that each show
//! one thing.
#![no_std]
extern crate alloc;

mod change;
mod changed;
mod check;
mod content;
mod designs;
mod example_id;
mod examples;
mod index_tables;
mod json;
mod limits;
mod load_problem;
mod long_names;
mod place;
mod proposal;
mod rates;
mod reading;
mod refused;
mod results;
mod share_link;
mod source;
mod strategy;
mod tables;
mod time_zone;
mod traffic;
mod view_id;
mod workspace;

pub use changed::Changed;
pub use check::{QUERIES_MAX, QUERY_NAME_CHARS_MAX, READS_PER_SECOND_MAX};
pub use content::{ContentDigest, ContentHasher};
pub use designs::{
    DESIGN_NAME_CHARS_MAX, DESIGNS_OF_A_PERSON_MAX, DesignList, DesignsChange, DesignsProblem,
};
pub use example_id::ExampleId;
pub use examples::{Example, ExampleKind, example, example_of_earlier_build, measures_the_same};
pub use index_tables::{table_name, tables_of_designs};
pub use json::{WorkspaceVersion, check_is_object};
pub use limits::{DesignCost, DesignLimits, Miss, QueryLimits, TrafficCost, TrafficLimits};
pub use load_problem::LoadProblem;
pub use place::Place;
pub use proposal::{Proposal, ProposedIndex, TradeOff};
pub use rates::{RATE_DAYS_MAX, RATE_MAX, Rates};
pub use reading::{HeaderLine, NumberReading, Reading, TextEncoding};
pub use results::{
    ColumnNotKept, Decoding, RESULT_COLUMN_NAME_CHARS_MAX, RESULT_COLUMN_WIDTHS, RESULT_COLUMNS_MAX,
    ResultColumn, ResultColumns,
};
pub use share_link::{LINK_JSON_BYTES_MAX, ShareLink};
pub use source::{Format, GeneratorSettings, OnBadLine, OwnData, Source};
pub use strategy::{
    EVENT_SCORES_MAX, EventScore, FACET_SCORES_MAX, FacetScore, SCORE_MAX, SCORE_MIN, Strategy, StrategyPart,
    StrategyProblem, WINDOW_DAYS_MAX,
};
pub use time_zone::{TimeZone, offset_text};
pub use traffic::{
    AutoscaleRange, CHANGES_MAX, ChangeKind, ClusterChange, ClusterFix, ClusterThresholds, EXPONENT_MAX,
    FACTOR_MAX, KeyChoice, LoadTest, NODES_MAX, REPLAY_KEPT_MAX, REPLAY_ONE_OF_MAX, REPLAY_REQUESTS_MAX,
    REPLAY_SPEEDS, RUN_SECONDS_MAX, Replay, ReplayOperation, SCALING_NODES, SCAN_ROWS_MAX,
    SCHEDULE_SECONDS_MAX, STREAM_NAME_CHARS_MAX, STREAMS_MAX, ScalingKeys, Schedule, Situation,
    StorageMedium, Stream, StreamKind, TABLETS_MIN_MAX, TRAFFIC_PER_SECOND_MAX, TraceStreams, Traffic,
    TrafficPart, TrafficProblem, TrafficRun,
};
pub use view_id::ViewId;
pub use workspace::{
    ClusterSettings, Design, DesignPatch, GivenRole, NamedQuery, WORKSPACE_VERSION, Workspace,
};
