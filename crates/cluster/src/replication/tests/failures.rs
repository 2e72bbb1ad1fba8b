//! Failures and recoveries of clusters, regions, nodes and links.

use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::Mutation;

use super::stage::{AMERICA, ASIA, EUROPE, MILLI, Stage, THREE, add, set, spec};
use crate::SECOND;
use crate::replication::entry::ReplicaId;
use crate::replication::region::RegionId;
use crate::replication::request::{After, Observed, ReadMode, WorldChange};
use crate::replication::routes::Routing;
use crate::replication::settings::WorldSettings;
use crate::replication::topology::{ClusterId, LinkSpec, Topology};
use crate::replication::world::{Status, World};

fn lost(stage: &Stage) -> Vec<String> {
    let of = |seen: &crate::replication::Observation| match &seen.event {
        Observed::Lost { key, .. } => Some(alloc::format!("{key}")),
        _ => None,
    };
    stage.seen.iter().filter_map(of).collect()
}

#[test]
fn a_stopped_cluster_keeps_its_disk_and_sends_the_rest_after_it_starts() {
    let mut stage = Stage::new(&THREE, WorldSettings::default());
    stage.change(0, WorldChange::Cut(EUROPE, AMERICA));
    stage.change(0, WorldChange::Cut(EUROPE, ASIA));
    let write = stage.write(10, EUROPE, "row", set("q", 1_000, "v"));
    stage.change(20, WorldChange::Stop(EUROPE));
    stage.run(30);
    stage.written(write);
    let refused = stage.write(40, EUROPE, "row", set("q", 1_000, "later"));
    stage.change(50, WorldChange::Join(EUROPE, AMERICA));
    stage.change(50, WorldChange::Join(EUROPE, ASIA));
    stage.run(5_000);
    assert!(stage.error(refused).contains("cluster \"europe-west1-b\" does not serve: start it"));
    assert_eq!(stage.cells(AMERICA, "row").len(), 0);
    stage.change(5_000, WorldChange::Start(EUROPE));
    stage.run(8_000);
    assert_eq!(stage.equal_cells("row"), ["f:q@1000=v"]);
    assert_eq!(lost(&stage).len(), 0);
}

#[test]
fn a_destroyed_cluster_loses_exactly_the_acknowledged_writes_that_it_had_not_sent() {
    let mut stage = Stage::new(&THREE, WorldSettings::default());
    stage.write(0, EUROPE, "sent", set("q", 1_000, "v"));
    stage.run(1_000);
    // From here on, only Taiwan receives the writes of Europe, and later no cluster does.
    stage.change(1_000, WorldChange::Cut(EUROPE, AMERICA));
    stage.write(1_010, EUROPE, "sent to Asia", set("q", 1_000, "v"));
    stage.run(1_200);
    stage.change(1_200, WorldChange::Cut(EUROPE, ASIA));
    let alone = stage.write(1_210, EUROPE, "alone", set("q", 1_000, "v"));
    stage.write(1_220, EUROPE, "alone too", Mutation::DeleteFromRow);
    stage.change(1_300, WorldChange::Destroy(EUROPE));
    stage.run(5_000);
    assert_eq!(lost(&stage), ["alone", "alone too"]);
    for cluster in [AMERICA, ASIA] {
        assert_eq!(stage.cells(cluster, "sent to Asia").len(), 1, "the others exchange what they have");
    }
    assert!(stage.seen.iter().any(|seen| seen.event == Observed::Closed(ReplicaId(0))));
    // A read that asks for a lost write never gets an answer without it.
    let condition = stage.written(alone).condition();
    let after = After::Writes(alloc::vec![condition]);
    let read = stage.read(5_000, AMERICA, "alone", ReadMode::Consistent { after, deadline: 300 * MILLI });
    stage.run(6_000);
    assert!(stage.error(read).contains("the deadline of 300 ms"));
    // The cluster is created again, as another replica.
    stage.change(6_000, WorldChange::Create(EUROPE));
    stage.change(6_000, WorldChange::Join(EUROPE, AMERICA));
    stage.change(6_000, WorldChange::Join(EUROPE, ASIA));
    stage.run(7_000);
    stage.write(7_000, AMERICA, "next", set("q", 1_000, "v"));
    stage.write(7_000, EUROPE, "mine", set("q", 1_000, "v"));
    stage.run(12_000);
    assert_eq!(stage.world.cluster(EUROPE), (ReplicaId(3), Status::Running));
    for row in ["sent", "sent to Asia", "next", "mine"] {
        assert_eq!(stage.equal_cells(row).len(), 1, "{row}");
    }
    assert_eq!(lost(&stage).len(), 2);
}

#[test]
fn writes_on_their_way_when_their_origin_is_destroyed_are_not_lost() {
    let mut stage = Stage::new(&THREE, WorldSettings::default());
    stage.write(0, EUROPE, "row", set("q", 1_000, "v"));
    stage.change(20, WorldChange::Destroy(EUROPE));
    stage.run(5_000);
    assert_eq!(lost(&stage).len(), 0);
    assert_eq!(stage.cells(AMERICA, "row").len(), 1);
    assert_eq!(stage.cells(ASIA, "row").len(), 1);
}

#[test]
fn when_all_clusters_are_destroyed_all_writes_are_lost_and_a_new_cluster_is_empty() {
    let mut stage = Stage::new(&THREE[..2], WorldSettings::default());
    stage.write(0, EUROPE, "row", set("q", 1_000, "v"));
    stage.run(500);
    stage.change(500, WorldChange::Destroy(EUROPE));
    stage.change(600, WorldChange::Destroy(AMERICA));
    let failed = stage.read(700, EUROPE, "row", ReadMode::Eventual);
    stage.change(1_000, WorldChange::Create(EUROPE));
    let read = stage.read(1_100, EUROPE, "row", ReadMode::Eventual);
    stage.run(2_000);
    assert!(stage.error(failed).contains("no cluster serves"));
    assert_eq!(stage.answer(read).rows.len(), 0);
}

#[test]
fn a_lost_region_comes_back_with_its_clusters() {
    let zones = ["europe-west1-b", "europe-west1-c", "us-east1-c"];
    let mut stage = Stage::new(&zones, WorldSettings::default());
    let belgium = RegionId::named("europe-west1").expect("a region");
    stage.change(100, WorldChange::StopRegion(belgium));
    let near = stage.read(200, EUROPE, "row", ReadMode::Eventual);
    stage.write(300, ClusterId(2), "row", set("q", 1_000, "v"));
    stage.run(1_000);
    assert_eq!(stage.answer(near).cluster, ClusterId(2));
    stage.change(1_000, WorldChange::StartRegion(belgium));
    stage.run(4_000);
    assert_eq!(stage.equal_cells("row").len(), 1);
    let error =
        stage.world.change(5 * SECOND, WorldChange::StopRegion(RegionId::named("us-west1").expect("one")));
    assert!(error.expect_err("no cluster").message.contains("region us-west1 has no cluster"));
}

#[test]
fn a_cluster_serves_as_long_as_it_has_a_node() {
    let mut topology = Topology::of_zones(&THREE);
    topology.clusters[0].nodes = 2;
    let world = World::new(&topology, &spec(), WorldSettings::default()).expect("valid");
    let mut stage = Stage { world, seen: Vec::new() };
    stage.change(100, WorldChange::FailNode(EUROPE));
    let one = stage.read(200, EUROPE, "row", ReadMode::Eventual);
    stage.change(300, WorldChange::FailNode(EUROPE));
    let none = stage.read(400, EUROPE, "row", ReadMode::Eventual);
    stage.write(400, AMERICA, "row", set("q", 1_000, "v"));
    stage.run(2_000);
    assert_eq!(stage.answer(one).cluster, EUROPE);
    assert_eq!(stage.answer(none).cluster, AMERICA);
    assert_eq!(stage.cells(EUROPE, "row").len(), 0);
    stage.change(2_000, WorldChange::RecoverNode(EUROPE));
    stage.run(5_000);
    assert_eq!(stage.equal_cells("row").len(), 1);
}

#[test]
fn the_tree_is_rebuilt_without_a_failed_proxy_and_no_write_is_lost_or_applied_twice() {
    // The cheapest tree is a line: Europe, America, Asia.
    let settings = WorldSettings { routing: Routing::Tree, ..WorldSettings::default() };
    let mut topology = Topology::of_zones(&THREE);
    topology.links.push(LinkSpec {
        from: THREE[0].into(),
        to: THREE[2].into(),
        price: Some(900_000),
        ..LinkSpec::default()
    });
    let world = World::new(&topology, &spec(), settings).expect("valid");
    let mut stage = Stage { world, seen: Vec::new() };
    assert!(!stage.world.routes().is_used(EUROPE, ASIA));
    // Sums show writes that are applied twice.
    for at in 0..200 {
        stage.write(at * 10, EUROPE, "row", add("sum", 1));
    }
    stage.change(1_000, WorldChange::Stop(AMERICA));
    stage.run(4_000);
    assert!(stage.world.routes().is_used(EUROPE, ASIA), "the tree leads around America");
    assert_eq!(stage.cells(ASIA, "row"), ["sum:n@1000=200"]);
    stage.change(4_000, WorldChange::Start(AMERICA));
    stage.run(8_000);
    assert!(!stage.world.routes().is_used(EUROPE, ASIA));
    assert_eq!(stage.equal_cells("row"), ["sum:n@1000=200"]);
}

#[test]
fn the_tree_carries_fewer_bytes_over_expensive_links() {
    let zones = ["europe-west1-b", "europe-west3-a", "us-east1-c", "us-west1-b", "us-central1-a"];
    let total = |routing| {
        let mut stage = Stage::new(&zones, WorldSettings { routing, ..WorldSettings::default() });
        for at in 0..50 {
            stage.write(at * 10, EUROPE, "row", set("q", 1_000, &"v".repeat(10_000)));
        }
        stage.run(4_000);
        assert_eq!(stage.equal_cells("row").len(), 1);
        let clusters: Vec<ClusterId> = stage.world.network().clusters().collect();
        let pairs = clusters.iter().flat_map(|from| clusters.iter().map(move |to| (*from, *to)));
        pairs.fold((0, 0), |(bytes, price), (from, to)| {
            let counts = stage.world.link_counts(from, to);
            (bytes + counts.entry_bytes, price + stage.world.link_price(from, to))
        })
    };
    let (direct, tree) = (total(Routing::Direct), total(Routing::Tree));
    assert_eq!(direct.0, tree.0, "every cluster receives every entry once");
    // Direct: one copy within Europe at $0.02, three across at $0.08. Tree: one across, two within
    // North America at $0.01.
    let (expected, found) =
        ((0.02 + 0.08 + 2.0 * 0.01) / (0.02 + 3.0 * 0.08), tree.1 as f64 / direct.1 as f64);
    assert!(
        (found - expected).abs() < 0.1,
        "the tree costs {found} of the direct links, expected {expected}"
    );
}

#[test]
fn a_slow_or_narrow_link_delays_and_does_not_lose() {
    let mut topology = Topology::of_zones(&THREE[..2]);
    topology.links.push(LinkSpec {
        from: THREE[0].into(),
        to: THREE[1].into(),
        bandwidth: Some(100_000),
        ..LinkSpec::default()
    });
    let world = World::new(&topology, &spec(), WorldSettings::default()).expect("valid");
    let mut stage = Stage { world, seen: Vec::new() };
    // 300 kB take three seconds.
    for at in 0..30 {
        stage.write(at, EUROPE, &alloc::format!("row{at}"), set("q", 1_000, &"v".repeat(10_000)));
    }
    stage.run(1_500);
    let early = stage.world.progress(AMERICA, ReplicaId(0)).expect("data").applied;
    assert!((12..=16).contains(&early), "{early} of 30");
    stage.run(3_400);
    assert_eq!(stage.world.progress(AMERICA, ReplicaId(0)).expect("data").applied, 30);
    let sent = stage.world.link_counts(EUROPE, AMERICA).entry_bytes;
    assert!(sent < 310_000, "{sent} bytes: nothing is sent twice only because the link is busy");
}

#[test]
fn changes_that_do_not_fit_have_no_effect_and_bad_ones_are_refused() {
    let mut stage = Stage::new(&THREE, WorldSettings::default());
    stage.change(0, WorldChange::Start(EUROPE));
    stage.change(0, WorldChange::Create(EUROPE));
    stage.change(0, WorldChange::Join(EUROPE, ASIA));
    stage.change(0, WorldChange::RecoverNode(EUROPE));
    stage.run(2_000);
    assert_eq!(stage.seen, []);
    for (change, part) in [
        (WorldChange::Cut(EUROPE, EUROPE), "\"europe-west1-b\" has no link to itself"),
        (WorldChange::Stop(ClusterId(3)), "cluster 3 does not exist"),
        (WorldChange::SetClock(EUROPE, 8_000), "the limit is 7000, raise clock_error_max"),
        (WorldChange::Slow(EUROPE, ASIA, u64::MAX), "slower by more than an hour"),
    ] {
        let error = stage.world.change(3 * SECOND, change).expect_err(part);
        assert!(error.message.contains(part), "{}", error.message);
    }
    let error = stage.world.change(SECOND, WorldChange::Stop(EUROPE)).expect_err("the time has passed");
    assert!(error.message.contains("1000000000 ns has passed"), "{}", error.message);
    for settings in [
        WorldSettings { heartbeat: 0, ..WorldSettings::default() },
        WorldSettings { repeated_per_mille: 1_001, ..WorldSettings::default() },
        WorldSettings { late_max: u64::MAX, ..WorldSettings::default() },
        WorldSettings { clock_error_max: -1, ..WorldSettings::default() },
    ] {
        assert!(World::new(&Topology::of_zones(&THREE), &spec(), settings).is_err());
    }
}

#[test]
fn the_same_calls_give_the_same_observations() {
    let observed = |seed| {
        let settings = WorldSettings {
            seed,
            late_per_mille: 200,
            late_max: SECOND,
            repeated_per_mille: 200,
            ..WorldSettings::default()
        };
        let mut stage = Stage::new(&THREE, settings);
        for at in 0..50 {
            stage.write(at * 20, ClusterId((at % 3) as u8), "row", add("sum", at as i64));
            stage.read(at * 20 + 7, ClusterId((at % 2) as u8), "row", ReadMode::Eventual);
        }
        // Advancing in small steps gives the same as advancing at once.
        (0..100).filter(|_| seed == 1).for_each(|step| stage.run(step * 13));
        stage.run(4_000);
        stage.seen
    };
    assert!(observed(2) == observed(2));
    assert!(observed(1) == observed(1));
    assert!(observed(1) != observed(2), "the seed decides about jitter");
}
