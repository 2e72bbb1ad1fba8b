//! Writes, conflicts and low watermarks.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use tabletop_model::{
    CheckAndMutateRow, ColumnFamily, GcRule, Mutation, ReadModify, ReadModifyWriteRow, ReadModifyWriteRule,
    RowFilter, RowMutation, SERVER_TIME, TableSpec,
};

use super::stage::{AMERICA, ASIA, EUROPE, MILLI, Stage, THREE, add, set};
use crate::replication::entry::{ReplicaId, WriteId};
use crate::replication::replica::{Change, Kept};
use crate::replication::request::{Action, Observed, ReadMode, Target, WorldChange};
use crate::replication::routes::Routing;
use crate::replication::settings::WorldSettings;
use crate::replication::topology::{ClusterId, Topology};
use crate::replication::world::World;

const NO_CELLS: [String; 0] = [];

#[test]
fn a_write_is_acknowledged_before_any_other_cluster_knows_of_it() {
    let mut stage = Stage::new(&THREE, WorldSettings::default());
    let write = stage.write(0, EUROPE, "row", set("q", 1_000, "v"));
    stage.run(5);
    let written = stage.written(write).clone();
    assert!((MILLI..2 * MILLI).contains(&written.latency), "{written:?}");
    assert_eq!(stage.cells(EUROPE, "row"), ["f:q@1000=v"]);
    assert_eq!(stage.cells(AMERICA, "row"), NO_CELLS);
    stage.run(46);
    assert_eq!(stage.cells(AMERICA, "row"), NO_CELLS, "half a round trip is 46 ms");
    stage.run(52);
    assert_eq!(stage.cells(AMERICA, "row"), ["f:q@1000=v"]);
    assert_eq!(stage.cells(ASIA, "row"), NO_CELLS, "Taiwan is 125 ms away");
    stage.run(140);
    assert_eq!(stage.equal_cells("row"), ["f:q@1000=v"]);
}

#[test]
fn two_clusters_apply_the_same_writes_in_different_orders_and_end_equal() {
    let mut stage = Stage::new(&THREE, WorldSettings::default());
    stage.write(0, EUROPE, "row", set("q", 1_000, "europe"));
    stage.write(10, AMERICA, "row", set("q", 1_000, "america"));
    stage.run(300);
    let mut orders: BTreeMap<ReplicaId, Vec<ReplicaId>> = BTreeMap::new();
    for seen in &stage.seen {
        if let Observed::Applied { write, replica, .. } = &seen.event {
            orders.entry(*replica).or_default().push(write.origin);
        }
    }
    let [europe, america] = [ReplicaId(0), ReplicaId(1)];
    assert_eq!(orders[&europe], [europe, america]);
    assert_eq!(orders[&america], [america, europe], "no sequencer orders the writes");
    assert_eq!(stage.equal_cells("row"), ["f:q@1000=america"], "the later commit wins");
}

#[test]
fn of_equal_commits_the_larger_tie_breaker_wins() {
    // Two writes of the same microsecond: the second cluster is as far from its client.
    let mut stage = Stage::new(&THREE[..2], WorldSettings::default());
    let a = stage.write(0, EUROPE, "row", set("q", 1_000, "europe"));
    let b = stage.write(0, AMERICA, "row", set("q", 1_000, "america"));
    stage.run(300);
    let (a, b) = (stage.written(a).stamp, stage.written(b).stamp);
    assert_eq!(a.commit, b.commit);
    assert!(a.tie_breaker < b.tie_breaker);
    assert_eq!(stage.equal_cells("row"), ["f:q@1000=america"]);
}

#[test]
fn a_late_delete_removes_only_what_was_committed_before_it() {
    for delete in [
        Mutation::DeleteFromRow,
        Mutation::DeleteFromFamily { family: "f".into() },
        Mutation::DeleteFromColumn { family: "f".into(), qualifier: "q".into(), range: Default::default() },
    ] {
        let mut stage = Stage::new(&THREE, WorldSettings::default());
        stage.write(0, EUROPE, "row", set("q", 1_000, "old"));
        stage.run(400);
        stage.change(400, WorldChange::Cut(EUROPE, AMERICA));
        stage.change(400, WorldChange::Cut(EUROPE, ASIA));
        stage.write(410, EUROPE, "row", delete.clone());
        stage.write(420, AMERICA, "row", set("q", 2_000, "new"));
        stage.run(5_000);
        assert_eq!(stage.cells(EUROPE, "row"), NO_CELLS);
        assert_eq!(stage.cells(ASIA, "row"), ["f:q@2000=new", "f:q@1000=old"]);
        stage.change(5_000, WorldChange::Join(EUROPE, AMERICA));
        stage.change(5_000, WorldChange::Join(EUROPE, ASIA));
        stage.run(8_000);
        assert_eq!(stage.equal_cells("row"), ["f:q@2000=new"], "{delete:?}");
    }
}

#[test]
fn a_late_write_does_not_undo_a_delete_and_deletes_are_kept_until_none_can_be_late() {
    let mut stage = Stage::new(&THREE, WorldSettings::default());
    stage.change(0, WorldChange::Cut(EUROPE, AMERICA));
    stage.change(0, WorldChange::Cut(EUROPE, ASIA));
    stage.write(10, EUROPE, "row", set("q", 1_000, "early"));
    stage.write(20, AMERICA, "row", Mutation::DeleteFromRow);
    let deletes = |stage: &Stage, cluster| stage.world.kept(cluster).map(|kept: Kept| kept.deletes);
    stage.run(60_000);
    for cluster in [AMERICA, ASIA] {
        assert_eq!(deletes(&stage, cluster), Some(1), "the write of Europe may still arrive");
    }
    stage.change(60_000, WorldChange::Join(EUROPE, AMERICA));
    stage.change(60_000, WorldChange::Join(EUROPE, ASIA));
    stage.run(63_000);
    assert_eq!(stage.equal_cells("row"), NO_CELLS);
    for cluster in [EUROPE, AMERICA, ASIA] {
        assert_eq!(stage.world.kept(cluster), Some(Kept::default()), "all low watermarks have passed");
    }
}

#[test]
fn aggregates_merge_and_a_late_delete_takes_away_only_earlier_inputs() {
    let mut stage = Stage::new(&THREE, WorldSettings::default());
    stage.write(0, EUROPE, "row", add("sum", 1));
    stage.run(1_000);
    stage.change(1_000, WorldChange::Cut(EUROPE, AMERICA));
    stage.change(1_000, WorldChange::Cut(EUROPE, ASIA));
    for (at, cluster, input) in [(1_010, EUROPE, 10), (1_020, AMERICA, 100), (1_040, EUROPE, 1_000)] {
        for family in ["sum", "max", "distinct"] {
            stage.write(at, cluster, "row", add(family, input));
        }
    }
    // It comes between the inputs 100 and 1,000.
    stage.write(1_030, ASIA, "row", Mutation::DeleteFromFamily { family: "sum".into() });
    stage.run(3_000);
    assert_eq!(stage.cells(AMERICA, "row")[0], "max:n@1000=100");
    stage.change(3_000, WorldChange::Join(EUROPE, AMERICA));
    stage.change(3_000, WorldChange::Join(EUROPE, ASIA));
    stage.run(6_000);
    assert_eq!(stage.equal_cells("row"), ["sum:n@1000=1000", "max:n@1000=1000", "distinct:n@1000=Some(3)"]);
}

#[test]
fn the_origin_fixes_times_and_the_results_of_reads_before_writes() {
    let mut stage = Stage::new(&THREE, WorldSettings::default());
    let set_now = stage.write(0, EUROPE, "row", set("now", SERVER_TIME, "v"));
    let rule = ReadModifyWriteRule {
        family: "f".into(),
        qualifier: "list".into(),
        modify: ReadModify::Append("x".into()),
    };
    let append = ReadModifyWriteRow { key: "row".into(), rules: vec![rule] };
    let to = |cluster, change| Action::Write { change, target: Target::Cluster(cluster) };
    // Each cluster appends to its own value: the later result wins, and neither is applied again.
    stage.submit(10, EUROPE, to(EUROPE, Change::ReadModifyWrite(append.clone())));
    let america = stage.submit(20, AMERICA, to(AMERICA, Change::ReadModifyWrite(append)));
    let check = CheckAndMutateRow {
        key: "row".into(),
        predicate: Some(RowFilter::ColumnQualifierRegex("now".into())),
        on_match: vec![set("matched", 1_000, "yes")],
        otherwise: vec![set("matched", 1_000, "no")],
    };
    let asia = stage.submit(30, ASIA, to(ASIA, Change::CheckAndMutate(check)));
    stage.run(1_000);
    let commit = stage.written(set_now).stamp.commit;
    let cells = stage.equal_cells("row");
    assert!(cells.contains(&alloc::format!("f:now@{}=v", commit / 1_000 * 1_000)), "{cells:?}");
    assert_eq!(stage.written(asia).matched, Some(false), "the write of Europe was not there yet");
    assert!(cells.contains(&"f:matched@1000=no".into()), "{cells:?}");
    let values = |at: &String| at.starts_with("f:list") && at.ends_with("=x");
    assert_eq!(cells.iter().filter(|cell| values(cell)).count(), 2, "{cells:?}");
    assert_eq!(stage.written(america).cells.as_ref().map(|row| row.cells.len()), Some(1));
}

#[test]
fn a_cluster_with_a_slow_clock_reads_its_own_writes() {
    let mut stage = Stage::new(&THREE[..2], WorldSettings::default());
    stage.change(0, WorldChange::SetClock(EUROPE, 7_000));
    stage.change(0, WorldChange::SetClock(AMERICA, -7_000));
    let first = stage.write(0, EUROPE, "row", set("q", 1_000, "europe"));
    stage.run(48);
    assert_eq!(stage.cells(AMERICA, "row"), ["f:q@1000=europe"]);
    let second = stage.write(48, AMERICA, "row", set("q", 1_000, "america"));
    let read = stage.read(50, AMERICA, "row", ReadMode::Cluster(AMERICA));
    stage.run(1_000);
    assert!(stage.written(second).stamp > stage.written(first).stamp);
    assert_eq!(stage.answer(read).rows[0].cells[0].value, "america".into());
    assert_eq!(stage.equal_cells("row"), ["f:q@1000=america"]);
}

/// Zones far apart, so that the tree has proxies.
const SEVEN: [&str; 7] = [
    "europe-west1-b",
    "us-east1-c",
    "asia-east1-a",
    "australia-southeast1-a",
    "southamerica-east1-a",
    "europe-west3-a",
    "us-west1-b",
];

/// Returns how long each write's entry may take to a cluster along the routes: delays with jitter
/// and transmission.
fn route_delay(world: &World, from: ClusterId, to: ClusterId) -> u64 {
    let clusters: Vec<ClusterId> = world.network().clusters().collect();
    let mut delays = BTreeMap::from([(from, 0)]);
    // Each round reaches the clusters one link further.
    for _ in &clusters {
        for a in &clusters {
            let Some(before) = delays.get(a).copied() else { continue };
            for b in clusters.iter().filter(|b| *b != a && world.routes().carries(*a, **b, from)) {
                let link = world.network().link(*a, *b);
                delays.entry(*b).or_insert(before + link.one_way + link.jitter + MILLI);
            }
        }
    }
    delays[&to]
}

#[test]
fn a_low_watermark_passes_a_write_within_a_route_and_two_heartbeats() {
    for routing in [Routing::Direct, Routing::Tree] {
        let settings = WorldSettings { routing, ..WorldSettings::default() };
        let heartbeat = settings.heartbeat;
        let mut stage = Stage::new(&SEVEN, settings);
        let clusters: Vec<ClusterId> = stage.world.network().clusters().collect();
        let mut writes = Vec::new();
        for at in 0..40 {
            let origin = clusters[at % clusters.len()];
            writes.push(stage.write(at as u64 * 37, origin, "row", set("q", 1_000, "v")));
        }
        let mut committed: BTreeMap<WriteId, (u64, i64, ClusterId)> = BTreeMap::new();
        let mut passed = 0;
        while stage.world.now() < 4_000 * MILLI {
            let next = stage.world.next_event().expect("heartbeats");
            stage.world.advance(next);
            for seen in stage.world.take_observations() {
                if let Observed::Applied { write, stamp, replica, .. } = seen.event
                    && replica == write.origin
                {
                    committed.insert(write, (seen.at, stamp.commit, ClusterId(replica.0 as u8)));
                }
            }
            let now = stage.world.now();
            committed.retain(|write, (at, commit, from)| {
                let mut is_passed = true;
                for to in clusters.iter().filter(|to| *to != from) {
                    let watermark = stage.world.progress(*to, write.origin).expect("data").watermark;
                    let limit = *at + route_delay(&stage.world, *from, *to) + 2 * heartbeat;
                    assert!(watermark >= *commit || now <= limit, "{routing:?}: {write:?} at {to:?}");
                    is_passed &= watermark >= *commit;
                }
                passed += usize::from(is_passed);
                !is_passed
            });
        }
        assert_eq!(passed, writes.len());
    }
}

#[test]
fn low_watermarks_advance_while_the_origin_is_idle() {
    let mut stage = Stage::new(&THREE, WorldSettings::default());
    let watermark = |stage: &Stage| stage.world.progress(AMERICA, ReplicaId(0)).expect("data").watermark;
    stage.run(1_000);
    let before = watermark(&stage);
    stage.run(3_000);
    assert_eq!(watermark(&stage) - before, 2_000_000, "20 heartbeats later");
    stage.change(3_000, WorldChange::Stop(EUROPE));
    stage.run(5_000);
    let stopped = watermark(&stage);
    stage.run(9_000);
    assert_eq!(watermark(&stage), stopped, "a stopped cluster promises nothing");
}

#[test]
fn answers_after_garbage_collection_are_equal_at_one_moment() {
    let rule = GcRule::Union(vec![GcRule::MaxVersions(2), GcRule::MaxAge { micros: 3_000_000 }]);
    let families = vec![ColumnFamily { gc_rule: rule, ..ColumnFamily::new("f") }];
    let spec = TableSpec { families, ..TableSpec::default() };
    let world = World::new(&Topology::of_zones(&THREE), &spec, WorldSettings::default()).expect("valid");
    let mut stage = Stage { world, seen: Vec::new() };
    for at in 0..30 {
        let cluster = ClusterId((at % 3) as u8);
        stage.write(at * 100, cluster, if at % 2 == 0 { "even" } else { "odd" }, set("q", SERVER_TIME, "v"));
    }
    stage.run(5_000);
    assert_eq!(stage.equal_cells("even").len(), 15, "nothing is collected by itself");
    stage.world.collect_garbage().expect("memory");
    let even = stage.equal_cells("even");
    assert_eq!(even.len(), 2, "two versions, neither older than three seconds: {even:?}");
    stage.run(5_850);
    stage.world.collect_garbage().expect("memory");
    assert_eq!(stage.equal_cells("even"), NO_CELLS);
    assert_eq!(stage.equal_cells("odd").len(), 1);
}

#[test]
fn a_refused_write_changes_nothing_anywhere() {
    let mut stage = Stage::new(&THREE, WorldSettings::default());
    let unknown = Mutation::DeleteFromFamily { family: "unknown".into() };
    let refused = stage.write(0, EUROPE, "row", unknown);
    stage.run(1_000);
    assert!(stage.error(refused).contains("unknown"), "{}", stage.error(refused));
    assert_eq!(stage.world.progress(AMERICA, ReplicaId(0)).expect("data").applied, 0);
    let nearest = Action::Write {
        change: Change::ReadModifyWrite(ReadModifyWriteRow { key: "row".into(), rules: Vec::new() }),
        target: Target::Nearest,
    };
    let client = stage.region(EUROPE);
    let error = stage
        .world
        .submit(stage.world.now(), crate::replication::ClientRequest { client, action: nearest })
        .expect_err("it needs one cluster");
    assert_eq!(error.message, "Single-row transactions are not allowed by this app profile");
    let mutate = RowMutation { key: "row".into(), mutations: vec![set("q", 1_000, "v")] };
    let missing = Action::Write { change: Change::Mutate(mutate), target: Target::Cluster(ClusterId(9)) };
    let error = stage
        .world
        .submit(stage.world.now(), crate::replication::ClientRequest { client, action: missing })
        .expect_err("there are three clusters");
    assert!(error.message.contains("cluster 9 does not exist: the topology has 3"), "{}", error.message);
}
