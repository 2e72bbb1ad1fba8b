//! Profiles of users.

use alloc::format;
use alloc::string::String;

use tabletop_keys::Encoding;

use super::migration::{self, Migration};
use super::numbers::{count, thousands};

/// Texts of the view.
pub struct Profiles {
    pub title: &'static str,
    /// What the view shows, and its sections.
    pub about: &'static str,
    pub contents: &'static str,
    /// After a section that a design without profiles does not have.
    pub not_yet: &'static str,
    pub objects: &'static str,
    pub summary: fn(events: usize, facets: usize, days: u32) -> String,
    pub waits: (&'static str, &'static str),
    pub no_strategy: (&'static str, &'static str),
    pub set_key: &'static str,
    /// The strategy.
    pub strategy: &'static str,
    pub definition: &'static str,
    pub preset: &'static str,
    pub events: &'static str,
    pub facets: &'static str,
    pub window: &'static str,
    pub score_of: fn(what: &str) -> String,
    pub score_of_as_number: fn(what: &str) -> String,
    pub pipelines: &'static Pipelines,
    pub user: &'static User,
    pub experiment: &'static Experiment,
    pub migration: &'static Migration,
}

/// Texts of the experiment.
pub struct Experiment {
    pub title: &'static str,
    pub about: fn(events: u64) -> String,
    pub facets: &'static str,
    pub sizes: &'static str,
    pub rounds: &'static str,
    pub network: &'static str,
    pub network_about: &'static str,
    pub round_trip: &'static str,
    pub bandwidth: &'static str,
    pub start: &'static str,
    pub stop: &'static str,
    pub writing: fn(events: u64, of: u64) -> String,
    pub running: fn(runs: u64, of: u64) -> String,
    pub done: &'static str,
    pub left_out: fn(design: &str, why: &str) -> String,
    pub time_title: fn(facets: u64) -> String,
    pub speed_title: fn(first: &str) -> String,
    pub returned_title: &'static str,
    pub stored_title: &'static str,
    pub events_axis: &'static str,
    pub time_axis: &'static str,
    pub facets_axis: &'static str,
    pub speed_axis: &'static str,
    pub bytes_axis: &'static str,
    pub article_level: &'static str,
    pub save: fn(file: &str, chart: &str) -> String,
    pub files: [&'static str; 3],
    pub figures: &'static str,
    pub encodings: Encodings,
    pub heads: [&'static str; 12],
}

/// Texts of the two pipelines.
pub struct Pipelines {
    pub title: &'static str,
    pub streaming: &'static str,
    pub streaming_about: &'static str,
    pub play: &'static str,
    pub pause: &'static str,
    pub restart: &'static str,
    pub arrived: &'static str,
    pub users: &'static str,
    pub rate: &'static str,
    pub staleness: &'static str,
    pub refused: fn(events: u64, why: &str) -> String,
    pub batch: &'static str,
    pub batch_about: &'static str,
    pub compute: &'static str,
    pub interrupt: &'static str,
    pub resume: &'static str,
    pub resumed: &'static str,
    pub no_batch: &'static str,
    /// All profiles are to be recomputed, and the work has not started: because events arrive, or
    /// for another reason.
    pub batch_waits: &'static str,
    pub batch_begins: &'static str,
    pub profiles: &'static str,
    pub cells: &'static str,
    pub profile_rate: &'static str,
    pub remaining: &'static str,
    pub done: &'static str,
    pub removed: fn(profiles: u64) -> String,
}

/// Texts of the encodings of values.
pub struct Encodings {
    pub title: &'static str,
    pub about: fn(events: u64) -> String,
    pub heads: [&'static str; 7],
    /// What values hold.
    pub counts: &'static str,
    pub events: &'static str,
    pub read_by: fn(encoding: Encoding) -> &'static str,
}

/// Texts of one user.
pub struct User {
    pub title: &'static str,
    pub choose: &'static str,
    pub option: fn(app: &str, user: &str, events: u32) -> String,
    pub repeat: &'static str,
    pub forget_user: &'static str,
    pub forget_app: &'static str,
    pub forgotten: fn(events: u64, profiles: u64, left: u64) -> String,
    pub profile: &'static str,
    pub no_profile: &'static str,
    pub more: fn(values: usize) -> String,
    pub earlier_strategy: &'static str,
    pub items: &'static str,
    pub items_about: &'static str,
    pub moved: fn(places: i64) -> String,
    pub no_reason: &'static str,
    pub events: &'static str,
    pub read: fn(rows: u64, cells: u64, returned: u64, bytes: &str) -> String,
    pub event_columns: [&'static str; 4],
    pub no_score: &'static str,
    pub too_old: &'static str,
}

pub(super) static ENGLISH: Profiles = Profiles {
    title: "Profiles",
    about: "Reproduces Algolia's schema article: a scoring strategy turns events into user profiles, two \
            pipelines keep them up to date, an experiment compares layouts, and a migration changes a \
            table's layout while events arrive. Objects, as Google's ad personalization stores profiles, \
            are in the results of the Design view.",
    contents: "Sections of this view",
    not_yet: "not yet",
    objects: "Objects",
    summary: |events, facets, days| {
        let (events, facets) =
            (count(events as u64, "event", "events"), count(facets as u64, "facet", "facets"));
        format!("{events} and {facets} scored over {}", count(days.into(), "day", "days"))
    },
    waits: ("Loading events…", "Profiles are computed from all of them."),
    no_strategy: (
        "These events cannot be turned into profiles",
        "A profile needs events with a type (event_type), a name (event_name), facets, a time and a user. \
         Generated events have all of these.",
    ),
    set_key: "Put app and user first in the key",
    strategy: "Strategy",
    definition: "A profile has a score for each facet value: the sum over the user's events of event score × facet score. An event counts once for each of its values.",
    preset: "Presets",
    events: "Events",
    facets: "Facets",
    window: "Window (days)",
    score_of: |what| format!("Score of {what}"),
    score_of_as_number: |what| format!("Score of {what} as a number"),
    pipelines: &Pipelines {
        title: "Pipelines",
        streaming: "Streaming",
        streaming_about: "Each event is written, its user's events are read with a filter built from the \
                          strategy, and the profile is written.",
        play: "Play events",
        pause: "Pause",
        restart: "Start over",
        arrived: "Events",
        users: "Users",
        rate: "Throughput (events/s)",
        staleness: "Mean delay, event to profile",
        refused: |events, why| format!("{} skipped. First reason: {why}", count(events, "event", "events")),
        batch: "Batch",
        batch_about: "After a change of the strategy, all profiles are recomputed, user by user. The \
                      checkpoint is a row of the table.",
        compute: "Recompute all",
        interrupt: "Interrupt",
        resume: "Resume",
        resumed: "Resumed from the checkpoint.",
        no_batch: "The strategy has not changed yet.",
        batch_waits: "All profiles are recomputed once the events have arrived, or when you pause them.",
        batch_begins: "Recomputing all profiles…",
        profiles: "Profiles",
        cells: "Cells",
        profile_rate: "Throughput (profiles/s)",
        remaining: "Remaining",
        done: "done",
        removed: |profiles| {
            format!(
                "{} of users without events in the window removed.",
                count(profiles, "profile", "profiles")
            )
        },
    },
    user: &User {
        title: "One user",
        choose: "User",
        option: |app, user, events| {
            let of = if app.is_empty() { String::new() } else { format!("{app}, ") };
            format!("{of}{user} · {}", count(events.into(), "event", "events"))
        },
        repeat: "Replay last event",
        forget_user: "Forget this user",
        forget_app: "Forget this app",
        forgotten: |events, profiles, left| {
            let (events, profiles) =
                (count(events, "event row", "event rows"), count(profiles, "profile", "profiles"));
            format!("{events} and {profiles} removed. A read of the same rows returns {}.", thousands(left))
        },
        profile: "Profile",
        no_profile: "No profile: none of this user's events count.",
        more: |values| format!("and {}", count(values as u64, "more value", "more values")),
        earlier_strategy: "Computed with the previous strategy.",
        items: "The shop for this user",
        items_about: "The same items for every user, ranked by this profile.",
        moved: |places| match places {
            0 => "same place".into(),
            up @ 1.. => format!("up {up}"),
            down => format!("down {}", -down),
        },
        no_reason: "no match in the profile",
        events: "Last events",
        read: |rows, cells, returned, bytes| {
            format!(
                "One profile reads {} and {}; the filter returns {}, {bytes}.",
                count(rows, "row", "rows"),
                count(cells, "cell", "cells"),
                count(returned, "cell", "cells")
            )
        },
        event_columns: ["Time", "Event", "Score", "Facets"],
        no_score: "no score",
        too_old: "too old",
    },
    experiment: &Experiment {
        title: "Narrow against wide",
        about: |events| {
            format!(
                "The article's experiment: all profiles are computed from {} in narrow, wide and row per \
                 entity, and in the workspace's other designs, at several sizes and for 1 to all facets. \
                 Each run is repeated, in random order, with an empty block cache.",
                count(events, "event", "events")
            )
        },
        facets: "Facets requested",
        sizes: "Sizes",
        rounds: "Rounds",
        network: "Add a network",
        network_about: "A simple model: one round trip per request, plus the time to send the bytes \
                        returned. Without it, the figures are for one machine, in process.",
        round_trip: "Round trip (ms)",
        bandwidth: "MB/s",
        start: "Run the experiment",
        stop: "Stop",
        writing: |events, of| format!("{} of {} events written", thousands(events), thousands(of)),
        running: |runs, of| format!("{} of {} runs", thousands(runs), thousands(of)),
        done: "The experiment is done.",
        left_out: |design, why| format!("{design} left out: {why}"),
        time_title: |facets| format!("Batch time, {}", count(facets, "facet requested", "facets requested")),
        speed_title: |first| format!("Speedup over {first}"),
        returned_title: "Bytes returned",
        stored_title: "Bytes stored",
        events_axis: "events",
        time_axis: "median, with fastest and slowest; dashed: fitted line",
        facets_axis: "facets requested",
        speed_axis: "times",
        bytes_axis: "bytes",
        article_level: "the article: 3×",
        save: |file, chart| format!("{file} of: {chart}"),
        files: ["PNG", "SVG", "CSV of all runs"],
        figures: "All figures as a table",
        encodings: Encodings {
            title: "Encodings of values",
            about: |events| {
                format!(
                    "The values of the first {}, in narrow (facet counts) and in row per entity (whole \
                     events). Each is written to a table; times are medians for encoding all values and for \
                     decoding what profiles need.",
                    count(events, "event", "events")
                )
            },
            heads: [
                "Encoding",
                "Values",
                "Stored",
                "Bytes per value",
                "Encode (µs/value)",
                "Decode (µs/value)",
                "Readable by",
            ],
            counts: "facet counts",
            events: "whole events",
            read_by: |encoding| match encoding {
                Encoding::Json => "any client, and filters",
                Encoding::Protobuf => "with a .proto file",
                Encoding::CompactList => "with the order of its texts",
                Encoding::MessagePack => "with a library",
            },
        },
        heads: [
            "Design",
            "Events",
            "Facets",
            "Rows",
            "Cells",
            "Returned",
            "Read",
            "Bytes returned",
            "Server",
            "Client",
            "Network",
            "Total",
        ],
    },
    migration: &migration::ENGLISH,
};
