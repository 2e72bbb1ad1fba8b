//! Preset traffic.

use alloc::format;
use alloc::string::String;

/// The name of a preset, and what it is for.
pub(crate) struct PresetText {
    pub name: &'static str,
    pub about: &'static str,
}

/// Names of presets and streams, and why a preset does not suit the events.
pub(crate) struct TrafficTexts {
    pub reads: &'static str,
    pub updates: &'static str,
    pub writes: &'static str,
    pub scans: &'static str,
    pub read_modify_writes: &'static str,
    pub pattern: fn(name: &str) -> String,
    pub load_test: &'static str,
    pub as_events: PresetText,
    pub ycsb_a: PresetText,
    pub ycsb_b: PresetText,
    pub ycsb_c: PresetText,
    pub ycsb_d: PresetText,
    pub ycsb_e: PresetText,
    pub ycsb_f: PresetText,
    pub celebrity: PresetText,
    pub flash_sale: PresetText,
    pub batch_job: PresetText,
    pub time_series: PresetText,
    pub no_entity: &'static str,
    pub no_time: &'static str,
}

pub(super) const ENGLISH: TrafficTexts = TrafficTexts {
    reads: "Reads",
    updates: "Updates",
    writes: "New events",
    scans: "Scans",
    read_modify_writes: "Read-modify-writes",
    pattern: |name| format!("{name} (access pattern)"),
    load_test: "Load test",
    as_events: PresetText {
        name: "The events as they are",
        about: "New events at the workspace's rate, and each access pattern at its own rate.",
    },
    ycsb_a: PresetText {
        name: "YCSB A: reads and updates",
        about: "50% reads, 50% updates; some events are much more popular than others. Like a session store.",
    },
    ycsb_b: PresetText {
        name: "YCSB B: mostly reads",
        about: "95% reads, 5% updates; some events are much more popular than others. Like photo tagging.",
    },
    ycsb_c: PresetText {
        name: "YCSB C: only reads",
        about: "100% reads; some events are much more popular than others. Like a profile cache.",
    },
    ycsb_d: PresetText {
        name: "YCSB D: reads of the latest",
        about: "95% reads, mostly of the newest events, and 5% new events. Like status updates.",
    },
    ycsb_e: PresetText {
        name: "YCSB E: short ranges",
        about: "95% scans of 50 rows and 5% new events. Like messages in a conversation.",
    },
    ycsb_f: PresetText {
        name: "YCSB F: read-modify-write",
        about: "50% reads, 50% read-modify-writes; some events are much more popular than others. Like a user database.",
    },
    celebrity: PresetText {
        name: "Celebrity user",
        about: "Half of all reads and of all new events are for the user with the most events.",
    },
    flash_sale: PresetText {
        name: "Flash sale",
        about: "After a minute, traffic rises fivefold for 40 seconds. A fifth of the reads are for one row.",
    },
    batch_job: PresetText {
        name: "Batch job at night",
        about: "Reads and writes by day, scans of the whole table by night. A day passes in one hour.",
    },
    time_series: PresetText {
        name: "Time series",
        about: "90% new events in time order, 10% reads, mostly of the newest events.",
    },
    no_entity: "These events have no field such as a user or a device, so there is no busiest one.",
    no_time: "These events have no field of type time.",
};
