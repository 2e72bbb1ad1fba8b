//! Profiles of users.

use alloc::format;
use alloc::string::String;

use tabletop_keys::Encoding;

use super::migration;
use super::numbers::{count, thousands};

texts!(Profiles {
    title: "Profiles",
    /// What the view shows.
    about: "Reproduces Algolia's schema article: a scoring strategy turns events into user profiles, two \
            pipelines keep them up to date, an experiment compares layouts, and a migration changes a \
            table's layout while events arrive. Objects, as Google's ad personalization stores profiles, \
            are in the results of the Design view.",
    contents: "Sections of this view",
    /// The tab of the strategy, the pipelines and one user.
    live: "Live profile",
    /// The button that shows objects, in their own view.
    objects: "Objects",
    summary: |events: usize, facets: usize, days: u32| {
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
    /// The strategy.
    strategy: "Strategy",
    definition: "A profile has a score for each facet value: the sum over the user's events of event score × facet score. An event counts once for each of its values.",
    preset: "Presets",
    /// The line below which every score can be changed.
    scores: "Scores of events and facets",
    events: "Events",
    facets: "Facets",
    window: "Window (days)",
    score_of: |what: &str| format!("Score of {what}"),
    score_of_as_number: |what: &str| format!("Score of {what} as a number"),
    /// Texts of the two pipelines.
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
        refused: |events: u64, why: &str| {
            format!("{} skipped. First reason: {why}", count(events, "event", "events"))
        },
        batch: "Batch",
        batch_about: "After a change of the strategy, all profiles are recomputed, user by user. The \
                      checkpoint is a row of the table.",
        compute: "Recompute all",
        interrupt: "Interrupt",
        resume: "Resume",
        resumed: "Resumed from the checkpoint.",
        no_batch: "The strategy has not changed yet.",
        /// All profiles must be recomputed, and the work has not started: because events arrive, or
        /// for another reason.
        batch_waits: "All profiles are recomputed once the events have arrived, or when you pause them.",
        batch_begins: "Recomputing all profiles…",
        profiles: "Profiles",
        cells: "Cells",
        profile_rate: "Throughput (profiles/s)",
        remaining: "Remaining",
        done: "done",
        removed: |profiles: u64| {
            format!(
                "{} of users without events in the window removed.",
                count(profiles, "profile", "profiles")
            )
        },
    },
    /// Texts of one user.
    user: &User {
        title: "One user",
        choose: "User",
        option: |app: &str, user: &str, events: u32| {
            let of = if app.is_empty() { String::new() } else { format!("{app}, ") };
            format!("{of}{user} · {}", count(events.into(), "event", "events"))
        },
        repeat: "Replay last event",
        forget_user: "Forget this user",
        forget_app: "Forget this app",
        forgotten: |events: u64, profiles: u64, left: u64| {
            let (events, profiles) =
                (count(events, "event row", "event rows"), count(profiles, "profile", "profiles"));
            format!("{events} and {profiles} removed. A read of the same rows returns {}.", thousands(left))
        },
        profile: "Profile",
        no_profile: "No profile: none of this user's events count.",
        more: |values: usize| format!("and {}", count(values as u64, "more value", "more values")),
        earlier_strategy: "Computed with the previous strategy.",
        items: "The shop for this user",
        items_about: "The same items for every user, ranked by this profile.",
        moved: |places: i64| match places {
            0 => "same place".into(),
            up @ 1.. => format!("up {up}"),
            down => format!("down {}", -down),
        },
        no_reason: "no match in the profile",
        events: "Last events",
        read: |rows: u64, cells: u64, returned: u64, bytes: &str| {
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
    /// Texts of the experiment.
    experiment: &Experiment {
        title: "Narrow against wide",
        about: |events: u64| {
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
        writing: |events: u64, of: u64| format!("{} of {} events written", thousands(events), thousands(of)),
        running: |runs: u64, of: u64| format!("{} of {} runs", thousands(runs), thousands(of)),
        done: "The experiment is done.",
        left_out: |design: &str, why: &str| format!("{design} left out: {why}"),
        time_title: |facets: u64| {
            format!("Batch time, {}", count(facets, "facet requested", "facets requested"))
        },
        speed_title: |first: &str| format!("Speedup over {first}"),
        returned_title: "Bytes returned",
        stored_title: "Bytes stored, estimate (DEFLATE; Bigtable's codec is not public)",
        events_axis: "events",
        time_axis: "median, with fastest and slowest; dashed: fitted line",
        facets_axis: "facets requested",
        speed_axis: "times",
        bytes_axis: "bytes",
        article_level: "the article: 3×",
        save: |file: &str, chart: &str| format!("{file} of: {chart}"),
        files: ["PNG", "SVG", "CSV of all runs"],
        figures: "All figures as a table",
        /// Texts of the encodings of values.
        encodings: Encodings {
            title: "Encodings of values",
            about: |events: u64| {
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
                "Stored (estimate, DEFLATE)",
                "Bytes per value",
                "Encode (µs/value)",
                "Decode (µs/value)",
                "Readable by",
            ],
            /// What values hold.
            counts: "facet counts",
            events: "whole events",
            read_by: |encoding: Encoding| -> &'static str {
                match encoding {
                    Encoding::Json => "any client, and filters",
                    Encoding::Protobuf => "with a .proto file",
                    Encoding::CompactList => "with the order of its texts",
                    Encoding::MessagePack => "with a library",
                }
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
    migration: &migration::Migration,
});
