//! Judgements on designs, as data: what is wrong with a design ([`advise()`]), how its load is
//! spread ([`judge`]), which design is best for the access patterns ([`Scoreboard`]), what an edit
//! has changed ([`Snapshot`]), and what to use instead ([`propose_designs`]).
//!
//! A judgement has no sentences: it is an enum with numbers and names, and the crate `texts`
//! writes it in the language of the user. This crate measures nothing on its own either. It gets
//! events, rates and costs as arguments, so the same input gives the same judgement on the page and
//! on the command line.
//!
//! ```
//! use tabletop_advice::{Context, WarningKind, advise};
//! use tabletop_keys::{Field, FieldKind, Layout, LayoutKind, Record, Template};
//!
//! let fields = [Field::new("time", FieldKind::Time)];
//! let (template, _) = Template::parse("{time:iso}", &fields);
//! let times: Vec<String> = (10..60).map(|second| format!("2019-05-28T00:00:{second}Z")).collect();
//! let values: Vec<[Option<&str>; 1]> = times.iter().map(|time| [Some(time.as_str())]).collect();
//! let events = values.iter().map(|values| Record { fields: &fields, values });
//! let advice = advise(&template, &Layout::new(LayoutKind::Narrow), Context::default(), events);
//! assert!(advice.warnings.iter().any(|warning| warning.kind() == WarningKind::MonotonicFirstField));
//! ```
#![no_std]
extern crate alloc;

mod advise;
mod answers;
mod default_key;
mod diagnosis;
mod evaluate;
mod event_rates;
mod field_roles;
mod index_totals;
mod key_list;
mod names;
mod scoreboard;
mod standing;
mod strategy_presets;
mod suggest;
mod traffic_presets;

pub use advise::{
    Advice, Affected, Arrival, Because, Cause, Comparison, Context, Counted, DesignFigures, EVENTS_MIN,
    Effect, Estimate, Explanation, Figure, Finding, Fix, FixEffect, FixKind, KeyCause, KeyLoss, KeyRemedy,
    LayoutCause, LongPart, NoEffect, Pattern, PatternCause, PatternEffect, Point, Rank, ReadCost,
    RisingEvidence, RowRemedy, RowsFound, SaltCause, SaltSpread, SaltUse, Skew, SkewCause, Snapshot,
    TableLoad, TimeForm, TimeRemedy, Tone, Unsorted, ValueCause, Verdict, Warning, WarningKind, WriteCounts,
    advise, advise_of_counts, compare, estimate, first_look, judge, propose_designs, salt_fix,
};
pub use answers::{Answers, WrongAnswer};
pub use default_key::{DefaultKeys, LoadedEvents, first_template};
pub use diagnosis::{Diagnosis, DiagnosisKind, Symptom, WaveNodes};
pub use evaluate::{EventHashes, LiveClock, LiveEvents, LiveLoad, LossCount, Losses, live_load};
pub use event_rates::EventRates;
pub use field_roles::{FoundRole, ROLES_EVENTS, field_roles};
pub use names::LOAD_TEST;
pub use scoreboard::{
    Contrast, Criterion, DesignCosts, LargestRow, Measurements, Note, QueryCost, QueryOutcome, Ranking,
    Reason, Scale, Scoreboard, Shortfall, TableState, Total,
};
pub use standing::{Flaw, Standing};
pub use strategy_presets::{StrategyPreset, StrategyPresetKind, strategy_presets};
pub use suggest::{LookUp, SUGGEST_EVENTS, look_ups};
pub use traffic_presets::{TrafficPreset, TrafficPresetKind, first_traffic, traffic_presets};
