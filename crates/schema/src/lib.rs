//! The meaning of bytes: converts events into row keys and cells, and queries on events into row
//! ranges and filters. It also defines what the page, the worker, the server and the command line
//! exchange: workspaces, jobs and messages.
//!
//! This crate does not store anything and does not read tables. The engine never imports it, and
//! only sees bytes. The page and the worker share it, so that their results agree.
//!
//! A design is a [`Template`] for row keys and a [`Layout`] for cells. A query is planned against
//! both, so a query that the key can answer reads only a range:
//!
//! ```
//! use tabletop_schema::{Field, FieldKind, Layout, LayoutKind, LayoutWriter, Record, RowChoice, Template};
//!
//! let fields = [Field::new("user", FieldKind::Text), Field::new("time", FieldKind::Time)];
//! let (template, problems) = Template::parse("{user}#{time:date}", &fields);
//! assert!(problems.is_empty());
//!
//! let layout = Layout::new(LayoutKind::Narrow);
//! let event = Record { fields: &fields, values: &[Some("ada"), Some("2019-05-28T00:04:34Z")] };
//! let row = LayoutWriter::new(&layout, &fields, &template).write(&event, 0).unwrap();
//! assert_eq!(&*row.key.0, b"ada#2019-05-28");
//!
//! let choice = RowChoice::Fields { equals: vec![("user".into(), "ada".into())], from: None, until: None };
//! let plan = template.plan(&choice, &layout).unwrap();
//! assert_eq!(plan.ranges(), 1);
//! ```
//!
//! Where to begin reading: [`Workspace`] is everything that a user saves, [`Template`] and
//! [`Layout`] define how events become rows, [`Plan`] how queries become reads, [`advise()`] judges
//! a design, and [`Job`] is the contract of a long computation between a host and its clients.
#![no_std]
extern crate alloc;

mod advise;
mod change;
mod content;
pub mod edit;
mod encoding;
mod examples;
pub mod experiment;
pub mod facets;
pub mod heat_colors;
mod index_tables;
mod job;
mod kept_writes;
mod layout;
mod live;
mod load_problem;
mod marks;
mod messages;
pub mod migration;
mod numbers;
pub mod objects;
mod place;
mod profiles;
mod query;
mod reads;
mod record;
mod roles;
pub mod salt;
mod scoreboard;
mod share_link;
mod simulation;
mod strategy;
mod suggest;
mod tables;
mod template;
mod texts;
pub mod time;
mod traffic;
mod view_id;
mod workspace;
pub mod zorder;

pub use advise::{
    Advice, Affected, Arrival, Because, Cause, Comparison, DesignFigures, Effect, Estimate, Explanation,
    Figure, Finding, Fix, FixKind, KeyCause, KeyLoss, KeyRemedy, LayoutCause, LongPart, NoEffect, Pattern,
    PatternCause, Point, Rank, ReadCost, RisingEvidence, RowRemedy, SaltCause, SaltSpread, SaltUse, Side,
    Skew, SkewCause, Snapshot, TableLoad, TimeForm, TimeRemedy, Tone, Unsorted, ValueCause, Verdict, Warning,
    WarningKind, WriteCounts, advise, advise_of_counts, compare, entity_field, estimate, judge,
    propose_designs, salt_fix,
};
pub use change::suggest_template;
pub use content::{ContentDigest, ContentHasher};
pub use encoding::{EncodedValues, FacetCount, FacetNames};
pub use examples::{Example, ExampleKind, example, example_of_earlier_build, examples, measures_the_same};
pub use index_tables::{table_name, tables_of_designs};
pub use job::{
    AnyRun, Begin, Clock, Done, Job, JobAnswer, JobAsk, JobError, JobSlice, Jobs, Kind, LocalRun, Progress,
    Run, RunId, SentRun, Slice, Step,
};
pub use kept_writes::{DesignWrites, HandWritesAsk, KeptWrite, KeptWrites, RowForm};
pub use layout::{COLUMNS_MAX, ColumnProblem, ColumnText, LayoutWriter, family_name, push_csv};
pub use live::{
    AskInstance, InstanceRequest, LIVE_CLOSE_BUSY, LIVE_CLOSE_TOKEN, LIVE_MESSAGE_BYTES_MAX, LIVE_PATH,
    LIVE_PROTOCOL, LIVE_REQUESTS_MAX, LIVE_TOKEN_PREFIX, LiveFigures, LiveHave, LiveInstance, LiveSecond,
    LiveServer, LiveTable, LiveTableView, WatchServer, WatchTable,
};
pub use load_problem::LoadProblem;
pub use marks::{MarkAsk, Marks};
pub use messages::{
    Answer, Ask, DataView, DesignView, EventsView, KeySpan, KeyView, LinesView, LoadSource, LoadState,
    Notice, Persistence, Playback, SampleInfo, SetView, StorageView, TimelineView,
};
pub use numbers::{bytes, many_bytes, many_thousands, rate, thousands};
pub use place::Place;
pub use profiles::{
    ProfileEvent, ProfileRead, Profiles, ProfilesBatch, ProfilesChunk, ProfilesForgotten, ProfilesOrder,
    ProfilesRequest, ProfilesWork, RankedItem, UserEvents, UserProfile,
};
pub use query::{BOX_DEPTH_MAX, BoxDepth, BoxDepths, Merge, Plan, PlanKind, box_depths};
pub use reads::{
    ExpiredCount, ExpiredRequest, Gather, GatheredTable, KeysRequest, MeasurePatterns, QueryChunk,
    QueryOnDesign, ReadOnAllDesigns, ReadOnDesign, ReadQuery, SampleKeys, TouchChunk, TouchQuery, TraceChunk,
    TraceQuery, TraceRequest,
};
pub use record::{Field, FieldKind, Record, is_placeholder};
pub use roles::{EventRoles, Roles};
pub use scoreboard::{
    Contrast, Criterion, DesignCosts, Measurements, Note, QueryCost, QueryOutcome, Ranking, Reason,
    Scoreboard, Shortfall, TableState, Total,
};
pub use share_link::{LINK_JSON_BYTES_MAX, ShareLink};
pub use simulation::{
    ClusterEvent, ClusterEventCause, ClusterEventKind, Diagnosis, DiagnosisKind, HISTORY_SECONDS_MAX,
    HeatColumn, HeatColumns, HeatMetric, NodeSecond, ReadTrace, Simulate, SimulateRequest, SimulationChunk,
    SimulationHave, SimulationMoment, SimulationSecond, StreamSecond, StreamTotals, Symptom, TabletPlaced,
    TraceFile,
};
pub use strategy::{
    EVENT_SCORES_MAX, EventScore, FACET_SCORES_MAX, FacetScore, SCORE_MAX, SCORE_MIN, Strategy, StrategyPart,
    StrategyPreset, StrategyProblem, WINDOW_DAYS_MAX, strategy_presets,
};
pub use suggest::{SUGGEST_EVENTS, suggest_queries};
pub use tabletop_model::did_you_mean;
pub use template::{
    ChipCost, ChipView, Part, Template, Transform, TransformCost, complete_template, cut_over_text,
    parse_cut_over, part_fields,
};
pub use traffic::{
    AutoscaleRange, CHANGES_MAX, ChangeKind, ClusterChange, ClusterFix, ClusterThresholds, EXPONENT_MAX,
    FACTOR_MAX, KeyChoice, LoadTest, NODES_MAX, REPLAY_KEPT_MAX, REPLAY_REQUESTS_MAX, RUN_SECONDS_MAX,
    Replay, ReplayOperation, SCALING_NODES, SCAN_ROWS_MAX, SCHEDULE_SECONDS_MAX, STREAM_NAME_CHARS_MAX,
    STREAMS_MAX, ScalingKeys, Schedule, Situation, StorageMedium, Stream, StreamKind, TABLETS_MIN_MAX,
    TRAFFIC_PER_SECOND_MAX, TraceStreams, Traffic, TrafficPart, TrafficPreset, TrafficProblem, TrafficRun,
    load_test_name, scaling_answered,
};
pub use view_id::ViewId;
pub use workspace::{
    AxisSpan, CellTime, ClusterSettings, Column, ColumnNotKept, DESIGN_NAME_CHARS_MAX,
    DESIGNS_OF_A_PERSON_MAX, Decoding, Design, DesignCost, DesignLimits, DesignList, DesignPatch,
    DesignsChange, Encoding, ExampleId, FamilyRule, Format, GeneratorSettings, Layout, LayoutKind, Miss,
    NamedQuery, OnBadLine, OwnData, Proposal, ProposedIndex, QUERIES_MAX, QUERY_NAME_CHARS_MAX, Query,
    QueryLimits, RATE_DAYS_MAX, RATE_MAX, READS_PER_SECOND_MAX, RESULT_COLUMN_NAME_CHARS_MAX,
    RESULT_COLUMN_WIDTHS, RESULT_COLUMNS_MAX, Rates, ResultColumn, ResultColumns, RowChoice, Source,
    TrafficCost, TrafficLimits, WORKSPACE_VERSION, Workspace, WorkspaceVersion,
};
