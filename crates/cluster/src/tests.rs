//! The costs on the real engine, and clusters under load.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;
use tabletop_engine::{Budget, Instance};
use tabletop_model::{
    ColumnFamily, Mutation, ReadRows, RowKey, RowMutation, RowSet, TableSettings, TableSpec, TabletId,
    TabletView,
};

use super::*;
use crate::random::Random;

impl Random {
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number of the exponential distribution.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log(1.0 - self.unit())
    }
}

const ROWS: u64 = 20_000;

fn key(number: u64) -> RowKey {
    format!("user#{number:08}").as_str().into()
}

/// Returns a row of 1 kB whose value has no repetitions.
fn row(random: &mut Random, number: u64) -> RowMutation {
    let value: Vec<u8> = (0..125).flat_map(|_| random.next().to_be_bytes()).collect();
    let set =
        Mutation::SetCell { family: "f".into(), qualifier: "q".into(), timestamp: 0, value: value.into() };
    RowMutation { key: key(number), mutations: vec![set] }
}

/// Creates a compacted table of 20 MB, with a cache for a hundredth of it.
fn instance() -> Instance {
    let mut instance = Instance::new();
    let settings = TableSettings {
        tablet_bytes_max: 4 << 20,
        tablet_load_max: f64::INFINITY,
        cache_bytes_max: 200 << 10,
        ..TableSettings::default()
    };
    let spec = TableSpec { families: vec![ColumnFamily::new("f")], settings, ..TableSpec::default() };
    instance.create_table(0, "t", spec).unwrap();
    let mut random = Random(1);
    for number in 0..ROWS {
        instance.table("t").unwrap().mutate_row(0, &row(&mut random, number * 7_919 % ROWS)).unwrap();
        instance.advance(0, Budget { bytes: 1 << 20 });
    }
    instance.table("t").unwrap().compact();
    while instance.advance(0, Budget { bytes: 1 << 20 }) {}
    instance
}

/// Returns the mean CPU time of these requests.
fn mean_nanos(instance: &mut Instance, cost: &CostModel, operations: impl Iterator<Item = Operation>) -> f64 {
    let (mut sum, mut count) = (0, 0);
    let mut charged = instance.table("t").unwrap().work();
    for operation in operations {
        let mut table = instance.table("t").unwrap();
        let mut work = execute(&mut table, 0, &operation).unwrap().work;
        if matches!(operation, Operation::Write(_)) {
            // Compaction between writes is part of their cost.
            work.charge(&charged, &table.work());
            charged = table.work();
            instance.advance(0, Budget { bytes: 1 << 20 });
        }
        (sum, count) = (sum + cost.service_nanos(&work), count + 1);
    }
    sum as f64 / f64::from(count)
}

#[test]
fn a_node_does_what_google_publishes() {
    for (medium, reads, writes, megabytes) in
        [(Medium::Ssd, 17_000.0, 14_000.0, 220.0), (Medium::Hdd, 500.0, 10_000.0, 180.0)]
    {
        let (mut instance, cost, mut random) = (instance(), CostModel::on(medium), Random(2));
        let point = (0..4_000).map(|_| {
            let rows = RowSet { keys: vec![key(random.below(ROWS))], ranges: Vec::new() };
            Operation::Read(ReadRows { rows, ..ReadRows::default() })
        });
        let point = cost.per_second(mean_nanos(&mut instance, &cost, point));
        let scan = [Operation::Read(ReadRows::default())];
        let scan_nanos = mean_nanos(&mut instance, &cost, scan.into_iter());
        let scanned = cost.per_second(scan_nanos) * ROWS as f64 * 1_000.0 / 1e6;
        let mut random = Random(3);
        let write = (0..40_000).map(|_| {
            let number = random.below(ROWS);
            Operation::Write(row(&mut random, number))
        });
        let write = cost.per_second(mean_nanos(&mut instance, &cost, write));
        for (what, found, expected) in
            [("reads", point, reads), ("MB/s", scanned, megabytes), ("writes", write, writes)]
        {
            assert!(
                (found / expected - 1.0f64).abs() < 0.02,
                "{medium:?}: {found:.0} {what}, not {expected}"
            );
        }
    }
}

/// Returns a tablet between two keys of one letter.
fn tablet(id: u64, start: &str, end: &str) -> TabletView {
    TabletView {
        id: TabletId(id),
        parent: None,
        start: start.into(),
        end: end.into(),
        rows: 100,
        cells: 100,
        exact: true,
        bytes: 100_000,
        memtable_bytes: 1_000,
        sstables: 1,
        reads: 0,
        writes: 0,
        reads_per_second: 0.0,
        writes_per_second: 0.0,
    }
}

/// Returns a table of this many tablets.
fn tablets(count: u64) -> Vec<TabletView> {
    let start =
        |number: u64| if number == 0 || number == count { String::new() } else { format!("{number:04}") };
    (0..count).map(|number| tablet(number, &start(number), &start(number + 1))).collect()
}

/// Sends requests at equal intervals for this many seconds, each to the tablet that `choose`
/// returns. Returns the requests that have ended.
fn load(
    cluster: &mut Cluster,
    seconds: u64,
    per_second: u64,
    service: Nanos,
    mut choose: impl FnMut(u64) -> usize,
) -> Vec<Finished> {
    let begin = cluster.now() / SECOND;
    let mut finished = Vec::new();
    for second in begin..begin + seconds {
        let slots: Vec<Slot> = cluster.tablets(0).map(|tablet| tablet.slot).collect();
        for number in 0..per_second {
            let at = second * SECOND + number * SECOND / per_second;
            cluster.send(at, 0, &[Part { tablet: slots[choose(number)], service }]);
        }
        cluster.advance((second + 1) * SECOND);
        finished.extend(cluster.take_finished());
    }
    finished
}

fn texts(cluster: &mut Cluster) -> Vec<String> {
    cluster.take_events().iter().map(line).collect()
}

/// Returns an event as a line.
fn line(event: &Event) -> String {
    let percent = |share: f64| libm::round(share * 100.0);
    let what = match &event.kind {
        EventKind::Moved { start, end, from, to, share, .. } => {
            let end = if end.is_empty() { "end".into() } else { end.to_string() };
            format!("tablet [{start}, {end}) from node {from} to {to}, {}% of {from}'s work", percent(*share))
        }
        EventKind::Split { at_key, .. } => format!("split at {at_key}"),
        EventKind::Merged { at_key, .. } => format!("merged at {at_key}"),
        EventKind::Added(node) => format!("node {node} added"),
        EventKind::Removed(node) => format!("node {node} removed"),
        EventKind::Failed(node) => format!("node {node} failed"),
        EventKind::Replaced(node) => format!("node {node} replaces a failed one"),
        EventKind::Resized { from, to, cpu } => {
            format!("autoscaler: {from} to {to} nodes at {}% CPU", percent(*cpu))
        }
    };
    format!("t = {} s: {what}", (event.at + SECOND / 2) / SECOND)
}

#[test]
fn nodes_have_letters() {
    let names: Vec<String> = [0, 1, 25, 26, 51, 52, 701, 702].map(|number| NodeId(number).to_string()).into();
    assert_eq!(names, ["A", "B", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]);
    for number in [0, 25, 26, 701, 702, 12_345_678] {
        let name = NodeId(number).to_string();
        assert_eq!(name.parse().ok(), Some(NodeId(number)).filter(|_| name.len() <= 5), "{name}");
    }
    assert_eq!("ab".parse(), Ok(NodeId(27)));
    for wrong in ["", "1", "A1", "ÄB", "ABCDEF"] {
        assert!(wrong.parse::<NodeId>().is_err(), "{wrong}");
    }
}

#[test]
fn an_idle_cluster_answers_after_network_and_service() {
    let mut cluster = Cluster::new(Settings::on(Medium::Ssd), 2);
    cluster.place(0, &tablets(4));
    let finished = load(&mut cluster, 1, 10, 200_000, |number| number as usize % 4);
    assert_eq!(finished.len(), 10);
    assert!(finished.iter().all(|finished| finished.latency_micros() == 1_200), "{finished:?}");
    assert_eq!(cluster.counts(), Counts { arrived: 10, answered: 10, expired: 0 });
}

#[test]
fn a_cluster_that_is_far_from_keeping_up_ends_requests_at_once() {
    let mut cluster = Cluster::new(Settings::on(Medium::Ssd), 1);
    cluster.place(0, &tablets(2));
    let tablet = cluster.tablet_of(0, &RowKey::default()).expect("it is there");
    let parts = vec![Part { tablet, service: SECOND }; 40_000];
    (0..150).for_each(|at| cluster.send(at, at as u32, &parts));
    assert_eq!(cluster.waiting(), 100, "4,000,000 parts");
    let finished = cluster.take_finished();
    assert_eq!(finished.len(), 50);
    assert!(finished.iter().all(|finished| finished.outcome == Outcome::Expired));
    cluster.advance(60 * SECOND);
    assert_eq!((cluster.counts().arrived, cluster.counts().expired, cluster.waiting()), (150, 150, 0));
    cluster.send(61 * SECOND, 0, &parts);
    assert_eq!(cluster.waiting(), 1, "there is room again");
}

#[test]
fn after_growth_the_balance_comes_back_in_twenty_minutes_and_throughput_with_it() {
    for count in [16, 40, 200] {
        let mut cluster = Cluster::new(Settings::on(Medium::Ssd), 2);
        cluster.place(0, &tablets(count));
        // Together they cause a load of 9.6 cores on 8, then on 16.
        let mut even = |number: u64| (number % count) as usize;
        let overloaded = load(&mut cluster, 60, 1_600, 6_000_000, &mut even).len();
        assert!(overloaded < 60 * 1_400, "{overloaded}");
        cluster.resize(4);
        let mut balanced = None;
        for minute in 1..=40 {
            load(&mut cluster, 60, 1_600, 6_000_000, &mut even);
            let nodes = cluster.nodes();
            let most = nodes.iter().map(|node| node.tablets).max().unwrap();
            if most as u64 <= count / 4 + count / 20 && balanced.is_none() {
                balanced = Some(minute);
            }
        }
        let minutes = balanced.unwrap();
        assert!((12..=24).contains(&minutes), "{count} tablets: {minutes} minutes");
        let after = load(&mut cluster, 60, 1_600, 6_000_000, &mut even);
        assert!(
            after.len() >= 60 * 1_599 && after.iter().all(|finished| finished.latency_micros() < 100_000)
        );
        assert!(cluster.nodes().iter().all(|node| (node.cpu - 0.6).abs() < 0.1));
    }
}

#[test]
fn a_hot_tablet_stays_and_the_others_leave_its_node() {
    let mut cluster = Cluster::new(Settings::on(Medium::Ssd), 2);
    cluster.place(0, &tablets(8));
    // Half of the requests are for tablet 0 of node A, which also has 2, 4 and 6.
    load(
        &mut cluster,
        600,
        1_000,
        3_000_000,
        |number| if number % 2 == 0 { 0 } else { number as usize / 2 % 8 },
    );
    let homes: Vec<String> = cluster.tablets(0).map(|tablet| tablet.node.to_string()).collect();
    assert_eq!(homes.iter().filter(|home| **home == homes[0]).count(), 1, "{homes:?}");
    let texts = texts(&mut cluster);
    assert!(texts[0].starts_with("t = 5 s: tablet [0002, 0003) from node A to B, "), "{texts:?}");
    assert_eq!(texts.len(), 3, "{texts:?}");
}

#[test]
fn a_tablet_that_moves_is_away_for_some_milliseconds_and_its_cache_is_cold() {
    let mut settings = Settings::on(Medium::Ssd);
    settings.node.cost.network_nanos = 0;
    settings.node.cache_hit_ratio = 1.0;
    let mut cluster = Cluster::new(settings, 2);
    cluster.place(0, &tablets(2));
    let slots: Vec<Slot> = cluster.tablets(0).map(|tablet| tablet.slot).collect();
    let hits = Work { rows_seen: 1, cache_hits: 2, ..Work::default() };
    let warm = cluster.service_nanos(slots[0], &hits, 16_384, 1.0);
    cluster.move_tablet(slots[0], NodeId(1));
    cluster.send(0, 0, &[Part { tablet: slots[0], service: 1_000 }]);
    cluster.send(0, 0, &[Part { tablet: slots[1], service: 1_000 }]);
    cluster.advance(SECOND);
    let latencies: Vec<u64> = cluster.take_finished().iter().map(Finished::latency_micros).collect();
    assert_eq!(latencies, [1, 20_001]);
    let cold: Vec<bool> =
        (0..6).map(|_| cluster.service_nanos(slots[0], &hits, 16_384, 1.0) > warm).collect();
    // 100,000 bytes are seven blocks.
    assert_eq!(cold, [true, true, true, true, false, false]);
    assert_eq!(texts(&mut cluster), ["t = 0 s: tablet [, 0001) from node A to B, 0% of A's work"]);
}

#[test]
fn the_cache_hit_ratio_replaces_the_hits_of_the_engine() {
    let nanos = |ratio, work: &Work| {
        let mut settings = Settings::on(Medium::Hdd);
        settings.node.cache_hit_ratio = ratio;
        let mut cluster = Cluster::new(settings, 1);
        cluster.place(0, &tablets(1));
        let slot = cluster.tablets(0).next().unwrap().slot;
        cluster.service_nanos(slot, work, 16_384, 1.0)
    };
    let engine_hit = Work { rows_seen: 1, cache_hits: 1, ..Work::default() };
    let engine_read = Work { rows_seen: 1, seeks: 1, bytes_read: 16_384, ..Work::default() };
    for ratio in [0.0, 0.25, 1.0] {
        assert_eq!(nanos(ratio, &engine_hit), nanos(ratio, &engine_read), "{ratio}");
    }
    let [none, half, all] = [0.0, 0.5, 1.0].map(|ratio| nanos(ratio, &engine_hit));
    assert!(none > 50 * all && (none + all).abs_diff(2 * half) < 3, "{none} {half} {all}");
    let memtable = Work { rows_seen: 1, ..Work::default() };
    assert_eq!(nanos(0.0, &memtable), nanos(1.0, &memtable), "no block is needed");
}

#[test]
fn the_tablets_of_a_node_that_fails_are_taken_over_and_nothing_is_lost() {
    let mut cluster = Cluster::new(Settings::on(Medium::Ssd), 3);
    cluster.place(0, &tablets(6));
    load(&mut cluster, 10, 100, 1_000_000, |number| number as usize % 6);
    cluster.fail(NodeId(1));
    let finished = load(&mut cluster, 70, 100, 1_000_000, |number| number as usize % 6);
    assert_eq!(finished.len(), 7_000);
    let slow = finished.iter().filter(|finished| finished.latency_micros() > 10_000).count();
    assert!((150..=180).contains(&slow), "a third of five seconds of requests waits: {slow}");
    assert!(
        finished
            .iter()
            .all(|finished| finished.outcome == Outcome::Answered && finished.latency_micros() < 5_500_000)
    );
    let texts = texts(&mut cluster);
    assert_eq!(texts[..2], ["t = 10 s: node B failed", "t = 70 s: node D replaces a failed one"]);
    assert!(cluster.tablets(0).all(|tablet| tablet.node != NodeId(1)));
    cluster.fail(NodeId(0));
    cluster.resize(4);
    assert_eq!(cluster.nodes().len(), 3, "the fourth replaces the one that has failed");
    cluster.resize(2);
    assert_eq!(cluster.nodes().len(), 2, "and is not needed any more");
    load(&mut cluster, 70, 100, 1_000_000, |number| number as usize % 6);
    assert_eq!(cluster.nodes().len(), 2);
}

#[test]
fn halves_of_a_split_stay_where_their_tablet_was_with_its_load() {
    let mut cluster = Cluster::new(Settings::on(Medium::Ssd), 3);
    cluster.place(0, &tablets(3));
    load(&mut cluster, 120, 100, 10_000_000, |number| number as usize % 3);
    let before: Vec<TabletPlace> = cluster.tablets(0).collect();
    let split = [
        tablet(0, "", "0001"),
        tablet(10, "0001", "00015"),
        tablet(11, "00015", "0002"),
        tablet(2, "0002", ""),
    ];
    cluster.place(0, &split);
    let after: Vec<TabletPlace> = cluster.tablets(0).collect();
    assert_eq!([after[1].node, after[2].node], [before[1].node; 2]);
    assert!((after[1].cores_asked * 2.0 - before[1].cores_asked).abs() < 1e-9);
    cluster.place(0, &[split[0].clone(), tablet(12, "0001", "")]);
    let merged: Vec<TabletPlace> = cluster.tablets(0).collect();
    assert!((merged[1].cores_asked - before[1].cores_asked - before[2].cores_asked).abs() < 1e-9);
    assert_eq!(
        texts(&mut cluster),
        ["t = 120 s: split at 00015", "t = 120 s: merged at 00015", "t = 120 s: merged at 0002"]
    );
    assert_eq!(cluster.tablet_of(0, &"00017".into()), Some(merged[1].slot));
}

#[test]
fn the_autoscaler_follows_the_load() {
    let mut settings = Settings::on(Medium::Ssd);
    settings.autoscale =
        Some(AutoscaleSettings { nodes_min: 1, nodes_max: 6, ..AutoscaleSettings::default() });
    settings.balance.share_per_minute = 1.0;
    let mut cluster = Cluster::new(settings, 1);
    cluster.place(0, &tablets(24));
    // 7.2 cores: three nodes of four cores at 60%.
    load(&mut cluster, 900, 1_200, 6_000_000, |number| number as usize % 24);
    assert_eq!(cluster.nodes().len(), 3);
    load(&mut cluster, 1_500, 200, 6_000_000, |number| number as usize % 24);
    assert_eq!(cluster.nodes().len(), 1);
    assert!(texts(&mut cluster).iter().any(|text| text.contains("autoscaler: 1 to 2 nodes at ")));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    /// Whatever happens to nodes and tablets, each tablet is served by one running node, and each
    /// request is answered, expired or waiting.
    #[test]
    fn nothing_is_lost_or_doubled(steps in prop::collection::vec((0..7u8, any::<u64>()), 1..60), seed in any::<u64>()) {
        let mut settings = Settings::on(Medium::Ssd);
        settings.node.deadline_nanos = 2 * SECOND;
        settings.balance.share_per_minute = 5.0;
        let (mut cluster, mut random) = (Cluster::new(settings, 3), Random(seed));
        let mut views = tablets(8);
        cluster.place(0, &views);
        let (mut ids, mut ended) = (100, 0);
        for (step, number) in steps {
            match step {
                0 => cluster.resize(1 + (number % 5) as u32),
                1 => {
                    let nodes = cluster.nodes();
                    cluster.fail(nodes[number as usize % nodes.len()].id);
                }
                2 => {
                    let slots: Vec<Slot> = cluster.tablets(0).map(|tablet| tablet.slot).collect();
                    let nodes = cluster.nodes();
                    cluster.move_tablet(slots[number as usize % slots.len()], nodes[(number >> 32) as usize % nodes.len()].id);
                }
                3 => {
                    let at = number as usize % views.len();
                    let old = views[at].clone();
                    let middle = format!("{}5", String::from_utf8(old.start.to_vec()).unwrap());
                    if old.end.is_empty() || middle.as_bytes() < old.end.as_ref() {
                        ids += 2;
                        let (low, high) = (tablet(ids, "", &middle), tablet(ids + 1, &middle, ""));
                        let low = TabletView { start: old.start, ..low };
                        views.splice(at..=at, [low, TabletView { end: old.end, ..high }]);
                        cluster.place(0, &views);
                    }
                }
                4 if views.len() > 1 => {
                    let at = number as usize % (views.len() - 1);
                    ids += 1;
                    let merged = TabletView { start: views[at].start.clone(), end: views[at + 1].end.clone(), ..tablet(ids, "", "") };
                    views.splice(at..=at + 1, [merged]);
                    cluster.place(0, &views);
                }
                _ => {
                    let second = cluster.now() / SECOND;
                    let slots: Vec<Slot> = cluster.tablets(0).map(|tablet| tablet.slot).collect();
                    let hot = slots[number as usize % slots.len()];
                    for request in 0..200 {
                        let other = slots[random.below(slots.len() as u64) as usize];
                        let parts = [hot, other].map(|tablet| Part { tablet, service: random.below(60_000_000) });
                        cluster.send(second * SECOND + request * 5_000_000, 0, &parts[..1 + (request % 2) as usize]);
                    }
                    cluster.advance((second + 1) * SECOND);
                }
            }
            ended += cluster.take_finished().len() as u64;
            let counts = cluster.counts();
            prop_assert_eq!(counts.arrived, counts.answered + counts.expired + cluster.waiting());
            prop_assert_eq!(ended, counts.answered + counts.expired);
            let up: BTreeMap<NodeId, usize> = cluster.nodes().into_iter().map(|node| (node.id, node.tablets)).collect();
            let served: Vec<TabletPlace> = cluster.tablets(0).collect();
            prop_assert_eq!(served.iter().map(|tablet| tablet.id).collect::<Vec<_>>(), views.iter().map(|view| view.id).collect::<Vec<_>>());
            prop_assert!(served.iter().all(|tablet| up.contains_key(&tablet.node)));
            prop_assert_eq!(up.values().sum::<usize>(), views.len());
        }
        // Waiting requests are answered or expire, once nothing new is sent.
        cluster.advance((cluster.now() / SECOND + 120) * SECOND);
        prop_assert_eq!(cluster.waiting(), 0);
    }
}
