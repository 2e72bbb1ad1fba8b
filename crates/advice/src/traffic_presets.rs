//! Traffic to begin with: well-known mixes, for the events and access patterns of a workspace.

use alloc::boxed::Box;
use alloc::vec::Vec;

use tabletop_keys::{Field, Roles};
use tabletop_workspace::{
    KeyChoice, STREAMS_MAX, Schedule, Stream, StreamKind, TRAFFIC_PER_SECOND_MAX, Traffic, Workspace,
};

use crate::names;
use crate::suggest::entity_of;

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
    /// The kind of the preset.
    pub kind: TrafficPresetKind,
    /// The traffic; `None` if it does not suit the events, because it needs a field of a user or a
    /// device, or one with times.
    pub traffic: Option<Box<Traffic>>,
}

/// The kinds of preset traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrafficPresetKind {
    /// New events and access patterns at the workspace's own rates.
    AsEvents,
    /// Reads and updates.
    YcsbA,
    /// Mostly reads.
    YcsbB,
    /// Only reads.
    YcsbC,
    /// Reads of the latest events.
    YcsbD,
    /// Short ranges.
    YcsbE,
    /// Reads, and writes of what was read.
    YcsbF,
    /// Half of the requests are for the user with the most events.
    Celebrity,
    /// A sudden peak, and one row that is read more than others.
    FlashSale,
    /// Requests by day, scans by night.
    BatchJob,
    /// New events in time order, and reads of the latest.
    TimeSeries,
}

/// Returns the traffic that is used until the user chooses one: the preset for time series if
/// the events have times, otherwise new events and access patterns at the workspace's own
/// rates.
pub fn first_traffic(workspace: &Workspace, fields: &[Field], events: &[Vec<Option<&str>>]) -> Traffic {
    let presets = traffic_presets(workspace, fields, events);
    let series = presets
        .iter()
        .rev()
        .find_map(|preset| preset.traffic.as_ref().filter(|_| preset.kind == TrafficPresetKind::TimeSeries));
    let mut traffic = series.map(|traffic| (**traffic).clone()).unwrap_or_else(|| Traffic {
        streams: as_events(workspace),
        seed: 1,
        ..Traffic::default()
    });
    traffic.run.thresholds.cpu_target = workspace.utilization();
    traffic
}

/// Returns all presets for the events of a workspace, in the order in which they are offered.
/// `events` is a sample of its events with one value per field: [`crate::SUGGEST_EVENTS`] are
/// enough.
///
/// YCSB A to F are the mixes from Cooper et al., "Benchmarking Cloud Serving Systems with
/// YCSB", 2010, as in the workload files of its repository. Its records are the events, and an
/// insert writes a new event.
pub fn traffic_presets(
    workspace: &Workspace,
    fields: &[Field],
    events: &[Vec<Option<&str>>],
) -> Vec<TrafficPreset> {
    let zipf = || KeyChoice::Zipf { field: None, exponent: YCSB_EXPONENT };
    let latest = || KeyChoice::Latest { exponent: YCSB_EXPONENT };
    let all = KeyChoice::AsEvents;
    let reads = |percent, keys| stream(names::READS, StreamKind::PointReads, percent, keys);
    let updates = |percent, keys| stream(names::UPDATES, StreamKind::Updates, percent, keys);
    let writes = |percent, keys| stream(names::WRITES, StreamKind::WriteEvents, percent, keys);
    let scans = |percent, rows, keys| stream(names::SCANS, StreamKind::Scans { rows }, percent, keys);
    let modifies =
        |percent, keys| stream(names::READ_MODIFY_WRITES, StreamKind::ReadModifyWrite, percent, keys);

    let entity = entity_of(fields, events).map(|at| fields[at].name.clone());
    let hot = |share| Some(KeyChoice::Hot { field: Some(entity.clone()?), value: None, share });
    let celebrity = hot(0.5).map(|keys| alloc::vec![reads(80.0, keys.clone()), writes(20.0, keys)]);
    let sale = Schedule::Sudden { factor: 5.0, from_seconds: 60.0, for_seconds: 40.0 };
    let one_row = KeyChoice::Hot { field: None, value: None, share: 0.2 };
    let wave = |peak_seconds, low| Schedule::Periodic { period_seconds: DAY_SECONDS, peak_seconds, low };
    let by_day = wave(DAY_SECONDS / 2.0, 0.1);
    let series =
        Roles::of(fields).time.map(|_| alloc::vec![writes(90.0, all.clone()), reads(10.0, latest())]);

    [
        (TrafficPresetKind::AsEvents, Some(as_events(workspace))),
        (TrafficPresetKind::YcsbA, Some(alloc::vec![reads(50.0, zipf()), updates(50.0, zipf())])),
        (TrafficPresetKind::YcsbB, Some(alloc::vec![reads(95.0, zipf()), updates(5.0, zipf())])),
        (TrafficPresetKind::YcsbC, Some(alloc::vec![reads(100.0, zipf())])),
        (TrafficPresetKind::YcsbD, Some(alloc::vec![reads(95.0, latest()), writes(5.0, all.clone())])),
        (
            TrafficPresetKind::YcsbE,
            Some(alloc::vec![scans(95.0, YCSB_SCAN_ROWS, zipf()), writes(5.0, all.clone())]),
        ),
        (TrafficPresetKind::YcsbF, Some(alloc::vec![reads(50.0, zipf()), modifies(50.0, zipf())])),
        (TrafficPresetKind::Celebrity, celebrity),
        (
            TrafficPresetKind::FlashSale,
            Some(alloc::vec![
                Stream { when: sale, ..reads(90.0, one_row) },
                Stream { when: sale, ..writes(10.0, all.clone()) },
            ]),
        ),
        (
            TrafficPresetKind::BatchJob,
            Some(alloc::vec![
                Stream { when: by_day, ..reads(70.0, all.clone()) },
                Stream { when: by_day, ..writes(29.0, all) },
                Stream { when: wave(0.0, 0.0), ..scans(1.0, 1_000, KeyChoice::Sequential) },
            ]),
        ),
        (TrafficPresetKind::TimeSeries, series),
    ]
    .into_iter()
    .map(|(kind, streams)| {
        let traffic = streams.map(|streams| Box::new(Traffic { streams, seed: 1, ..Traffic::default() }));
        TrafficPreset { kind, traffic }
    })
    .collect()
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
    let one =
        |name: &str, what, per_second| Stream { per_second, ..stream(name, what, 0.0, KeyChoice::AsEvents) };
    let mut streams =
        alloc::vec![one(names::WRITES, StreamKind::WriteEvents, workspace.cluster.events_per_second)];
    for named in workspace.queries.iter().filter(|named| named.reads_per_second > 0.0).take(STREAMS_MAX - 1) {
        let name = if named.name == names::WRITES { names::pattern(&named.name) } else { named.name.clone() };
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

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec;
    use tabletop_keys::FieldKind;
    use tabletop_workspace::NamedQuery;

    fn fields() -> Vec<Field> {
        let field = |(name, kind)| Field::new(name, kind);
        [("user_id", FieldKind::Text), ("at", FieldKind::Time)].map(field).into()
    }

    #[test]
    fn presets_that_do_not_suit_have_no_traffic() {
        let workspace = Workspace::default();
        let number = vec![Field::new("celsius", FieldKind::Float)];
        let events: Vec<Vec<Option<&str>>> = vec![vec![Some("1.5")], vec![Some("2.5")]];
        let presets = traffic_presets(&workspace, &number, &events);
        let unsuited = presets.iter().filter(|preset| preset.traffic.is_none()).map(|preset| preset.kind);
        assert_eq!(
            unsuited.collect::<Vec<_>>(),
            [TrafficPresetKind::Celebrity, TrafficPresetKind::TimeSeries],
            "there is no user, and no time"
        );
    }

    #[test]
    fn the_events_as_they_are_have_the_rates_of_the_workspace() {
        let mut workspace = Workspace::default();
        let named = |name: &str, reads_per_second| NamedQuery {
            reads_per_second,
            ..NamedQuery::new(name, Workspace::default().query)
        };
        workspace.queries = vec![named("New events", 3.0), named("never", 0.0), named("often", 100.0)];
        let first = |workspace: &Workspace| {
            *traffic_presets(workspace, &fields(), &[]).swap_remove(0).traffic.expect("it suits all")
        };
        let traffic = first(&workspace);
        let rates: Vec<_> =
            traffic.streams.iter().map(|stream| (stream.name.as_str(), stream.per_second)).collect();
        assert_eq!(rates, [("New events", 200.0), ("New events (access pattern)", 3.0), ("often", 100.0)]);
        assert_eq!(traffic.problems(&fields(), &workspace.queries), []);
        workspace.queries = (0..200).map(|at| named(&at.to_string(), 1e9)).collect();
        workspace.cluster.events_per_second = 1e9;
        let traffic = first(&workspace);
        assert_eq!(traffic.problems(&fields(), &workspace.queries), []);
        assert_eq!(traffic.streams.len(), STREAMS_MAX);
    }
}
