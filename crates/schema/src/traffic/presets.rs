//! Traffic to begin with: well-known mixes, for the events and access patterns of a workspace.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::check::{STREAMS_MAX, TRAFFIC_PER_SECOND_MAX};
use super::{KeyChoice, Schedule, Stream, StreamKind, Traffic};
use crate::roles::Roles;
use crate::suggest::entity_of;
use crate::texts::texts;
use crate::{Field, Workspace};

/// The total requests per second of a preset's streams, before its schedule. Users adjust it to
/// their own rate.
const PER_SECOND: f64 = 10_000.0;
/// The exponent of YCSB's Zipf distribution (`ZipfianGenerator.ZIPFIAN_CONSTANT`).
const YCSB_EXPONENT: f64 = 0.99;
/// The mean number of rows of YCSB's short scans, which have 1 to 100 rows (`maxscanlength`).
const YCSB_SCAN_ROWS: u32 = 50;
/// A day is compressed to an hour, so that users can watch it.
const DAY_SECONDS: f64 = 3_600.0;

/// A traffic to begin with.
#[derive(Clone, Debug, PartialEq)]
pub struct TrafficPreset {
    /// Its name.
    pub name: &'static str,
    /// What it is like, in one or two sentences.
    pub about: &'static str,
    /// The traffic, or the reason why it does not suit the events, as a sentence.
    pub traffic: Result<Box<Traffic>, String>,
}

impl Traffic {
    /// Returns the traffic that is used until the user chooses one: the preset for time series if
    /// the events have times, otherwise new events and access patterns at the workspace's own
    /// rates.
    pub fn first(workspace: &Workspace, fields: &[Field], events: &[Vec<Option<&str>>]) -> Traffic {
        let presets = Traffic::presets(workspace, fields, events);
        let series = presets.iter().rev().find_map(|preset| {
            preset.traffic.as_ref().ok().filter(|_| preset.name == texts().traffic.time_series.name)
        });
        series.map(|traffic| (**traffic).clone()).unwrap_or_else(|| Traffic {
            streams: as_events(workspace),
            seed: 1,
            ..Traffic::default()
        })
    }

    /// Returns all presets for the events of a workspace, in the order in which they are offered.
    /// `events` is a sample of its events with one value per field: [`crate::SUGGEST_EVENTS`] are
    /// enough.
    ///
    /// YCSB A to F are the mixes from Cooper et al., "Benchmarking Cloud Serving Systems with
    /// YCSB", 2010, as in the workload files of its repository. Its records are the events, and an
    /// insert writes a new event.
    pub fn presets(
        workspace: &Workspace,
        fields: &[Field],
        events: &[Vec<Option<&str>>],
    ) -> Vec<TrafficPreset> {
        let says = &texts().traffic;
        let zipf = || KeyChoice::Zipf { field: None, exponent: YCSB_EXPONENT };
        let latest = || KeyChoice::Latest { exponent: YCSB_EXPONENT };
        let all = KeyChoice::AsEvents;
        let reads = |percent, keys| stream(says.reads, StreamKind::PointReads, percent, keys);
        let updates = |percent, keys| stream(says.updates, StreamKind::Updates, percent, keys);
        let writes = |percent, keys| stream(says.writes, StreamKind::WriteEvents, percent, keys);
        let scans = |percent, rows, keys| stream(says.scans, StreamKind::Scans { rows }, percent, keys);
        let modifies =
            |percent, keys| stream(says.read_modify_writes, StreamKind::ReadModifyWrite, percent, keys);

        let entity = entity_of(fields, events).map(|at| fields[at].name.clone());
        let hot = |share| {
            let field = entity.clone().ok_or_else(|| says.no_entity.to_string())?;
            Ok(KeyChoice::Hot { field: Some(field), value: None, share })
        };
        let celebrity = hot(0.5).map(|keys| alloc::vec![reads(80.0, keys.clone()), writes(20.0, keys)]);
        let sale = Schedule::Sudden { factor: 5.0, from_seconds: 60.0, for_seconds: 40.0 };
        let one_row = KeyChoice::Hot { field: None, value: None, share: 0.2 };
        let wave = |peak_seconds, low| Schedule::Periodic { period_seconds: DAY_SECONDS, peak_seconds, low };
        let by_day = wave(DAY_SECONDS / 2.0, 0.1);
        let series = match Roles::of(fields).time {
            Some(_) => Ok(alloc::vec![writes(90.0, all.clone()), reads(10.0, latest())]),
            None => Err(says.no_time.to_string()),
        };

        [
            (&says.as_events, Ok(as_events(workspace))),
            (&says.ycsb_a, Ok(alloc::vec![reads(50.0, zipf()), updates(50.0, zipf())])),
            (&says.ycsb_b, Ok(alloc::vec![reads(95.0, zipf()), updates(5.0, zipf())])),
            (&says.ycsb_c, Ok(alloc::vec![reads(100.0, zipf())])),
            (&says.ycsb_d, Ok(alloc::vec![reads(95.0, latest()), writes(5.0, all.clone())])),
            (&says.ycsb_e, Ok(alloc::vec![scans(95.0, YCSB_SCAN_ROWS, zipf()), writes(5.0, all.clone())])),
            (&says.ycsb_f, Ok(alloc::vec![reads(50.0, zipf()), modifies(50.0, zipf())])),
            (&says.celebrity, celebrity),
            (
                &says.flash_sale,
                Ok(alloc::vec![
                    Stream { when: sale, ..reads(90.0, one_row) },
                    Stream { when: sale, ..writes(10.0, all.clone()) },
                ]),
            ),
            (
                &says.batch_job,
                Ok(alloc::vec![
                    Stream { when: by_day, ..reads(70.0, all.clone()) },
                    Stream { when: by_day, ..writes(29.0, all) },
                    Stream { when: wave(0.0, 0.0), ..scans(1.0, 1_000, KeyChoice::Sequential) },
                ]),
            ),
            (&says.time_series, series),
        ]
        .into_iter()
        .map(|(text, streams)| {
            let traffic = streams.map(|streams| Box::new(Traffic { streams, seed: 1, ..Traffic::default() }));
            TrafficPreset { name: text.name, about: text.about, traffic }
        })
        .collect()
    }
}

fn stream(name: &str, what: StreamKind, percent: f64, keys: KeyChoice) -> Stream {
    Stream {
        name: name.into(),
        what,
        per_second: PER_SECOND * percent / 100.0,
        keys,
        when: Schedule::Constant,
    }
}

/// Returns streams of new events at the pace of the workspace, and of its access patterns at their
/// rates. Patterns beyond the maximum number of streams are left out. If the total rate exceeds the
/// maximum of a traffic, all rates are reduced by the same factor.
fn as_events(workspace: &Workspace) -> Vec<Stream> {
    let says = &texts().traffic;
    let one =
        |name: &str, what, per_second| Stream { per_second, ..stream(name, what, 0.0, KeyChoice::AsEvents) };
    let mut streams =
        alloc::vec![one(says.writes, StreamKind::WriteEvents, workspace.cluster.events_per_second)];
    for named in workspace.queries.iter().filter(|named| named.reads_per_second > 0.0).take(STREAMS_MAX - 1) {
        let name = if named.name == says.writes { (says.pattern)(&named.name) } else { named.name.clone() };
        streams.push(one(&name, StreamKind::Pattern(named.name.clone()), named.reads_per_second));
    }
    let all: f64 = streams.iter().map(|stream| stream.per_second).sum();
    if all > TRAFFIC_PER_SECOND_MAX {
        // Slightly less than the maximum, because the sum is rounded.
        let factor = TRAFFIC_PER_SECOND_MAX / all * (1.0 - 1e-9);
        streams.iter_mut().for_each(|stream| stream.per_second *= factor);
    }
    streams
}

/// Returns the name of the stream of a load test.
pub fn load_test_name() -> &'static str {
    texts().traffic.load_test
}
