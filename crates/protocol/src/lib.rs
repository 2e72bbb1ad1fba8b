//! What a host and its clients send to each other. The host is the worker of the page or a server;
//! a client is the page, a script or the command line.
//!
//! A short request is a message: an [`Ask`] has exactly one [`Answer`]. Everything that may take
//! longer than a slice of work, about 10 ms, is a [`Job`]: a contract of a name and three types,
//! which a host runs one slice per request. The types of a job are next to it, in a file per
//! subject.
//!
//! This crate contains no computation and no connection: hosts implement [`Run`], and the crate
//! `client` sends the messages.
//!
//! ```
//! use tabletop_protocol::{Job, Simulate};
//!
//! assert_eq!((Simulate::NAME, Simulate::OPEN_MAX), ("simulate", 4));
//! ```
#![no_std]
extern crate alloc;

pub mod experiment;
mod job;
mod kept_writes;
mod live;
mod marks;
mod messages;
pub mod migration;
mod profiles;
mod reads;
mod simulation;
mod spells;

pub use job::{
    AnyRun, Begin, Clock, Done, Job, JobAnswer, JobAsk, JobError, JobSlice, Jobs, Kind, LocalRun, Progress,
    Run, RunId, SentRun, Slice, Step,
};
pub use kept_writes::{DesignWrites, HandWritesAsk, KeptWrite, KeptWrites, RowForm};
pub use live::{
    AskInstance, InstanceRequest, LIVE_CLOSE_BUSY, LIVE_CLOSE_TOKEN, LIVE_MESSAGE_BYTES_MAX, LIVE_PATH,
    LIVE_PROTOCOL, LIVE_REQUESTS_MAX, LIVE_TOKEN_PREFIX, LiveFigures, LiveHave, LiveInstance, LiveSecond,
    LiveServer, LiveTable, LiveTableView, WatchServer, WatchTable,
};
pub use marks::{MarkAsk, Marks};
pub use messages::{
    Answer, Ask, DataView, DesignView, EventsView, LinesView, LoadSource, LoadState, Notice, Persistence,
    Playback, SampleInfo, SetView, StorageView, Suggestions, TimelineView,
};
pub use profiles::{
    ProfileEvent, ProfileRead, Profiles, ProfilesBatch, ProfilesChunk, ProfilesForgotten, ProfilesOrder,
    ProfilesRequest, ProfilesWork, RankedItem, UserEvents, UserProfile,
};
pub use reads::{
    ExpiredCount, ExpiredRequest, Gather, GatheredTable, KeysRequest, MeasurePatterns, QueryChunk,
    QueryOnDesign, ReadOnAllDesigns, ReadOnDesign, ReadQuery, SampleKeys, TouchChunk, TouchQuery, TraceChunk,
    TraceQuery, TraceRequest,
};
pub use simulation::{
    ClusterEvent, ClusterEventCause, ClusterEventKind, HISTORY_SECONDS_MAX, HeatColumn, HeatColumns,
    HeatMetric, LogKeys, NodeSecond, ReadTrace, Simulate, SimulateRequest, SimulationChunk, SimulationHave,
    SimulationMoment, SimulationSecond, StreamSecond, StreamTotals, TabletPlaced, TraceFile, node_letters,
    scaling_answered,
};
pub use spells::{Spell, spells};
