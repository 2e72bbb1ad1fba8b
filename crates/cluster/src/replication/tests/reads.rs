//! Reads: which cluster answers, how late and how stale.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use tabletop_model::{ReadRows, RowMutation, RowSet};

use super::stage::{AMERICA, ASIA, EUROPE, MILLI, Stage, THREE, set, spec};
use crate::replication::entry::ReplicaId;
use crate::replication::planted::{Fault, Planted};
use crate::replication::replica::Change;
use crate::replication::request::{
    Action, After, AttemptOutcome, ClientRequest, Condition, Observation, Observed, ReadMode, Reason, Target,
    WorldChange,
};
use crate::replication::settings::WorldSettings;
use crate::replication::topology::{ClusterId, Topology};
use crate::replication::world::World;

fn consistent(after: After, millis: u64) -> ReadMode {
    ReadMode::Consistent { after, deadline: millis * MILLI }
}

#[test]
fn an_eventual_read_is_answered_nearby_and_may_be_stale() {
    let mut stage = Stage::new(&THREE, WorldSettings::default());
    stage.write(0, EUROPE, "row", set("q", 1_000, "v"));
    let stale = stage.read(20, AMERICA, "row", ReadMode::Eventual);
    let fresh = stage.read(60, AMERICA, "row", ReadMode::Eventual);
    let other = stage.read(20, AMERICA, "other", ReadMode::Eventual);
    stage.run(500);
    let answer = stage.answer(stale);
    assert_eq!((answer.cluster, answer.rows.len()), (AMERICA, 0));
    // It is read at 20.5 ms; the write was acknowledged before 1 ms.
    assert!((19 * MILLI..20 * MILLI).contains(&answer.staleness), "{}", answer.staleness);
    assert!((MILLI..2 * MILLI).contains(&answer.latency), "the round trip within a region and the work");
    assert_eq!(stage.answer(fresh).rows.len(), 1);
    assert_eq!(stage.answer(fresh).staleness, 0);
    assert_eq!(stage.answer(other).staleness, 0, "staleness is that of the rows of the read");
    let far = stage.read(500, AMERICA, "row", ReadMode::Cluster(ASIA));
    stage.run(1_000);
    assert!(stage.answer(far).latency >= 182 * MILLI);
    stage.change(1_000, WorldChange::Stop(AMERICA));
    let next = stage.read(1_010, AMERICA, "row", ReadMode::Eventual);
    stage.run(2_000);
    assert_eq!(stage.answer(next).cluster, EUROPE, "the next nearest");
}

#[test]
fn row_affinity_prefers_one_cluster_of_the_region_for_each_row() {
    let zones = ["europe-west1-b", "europe-west1-c", "europe-west1-d", "us-east1-c"];
    let mut stage = Stage::new(&zones, WorldSettings::default());
    let chosen = |stage: &mut Stage| -> BTreeMap<u32, ClusterId> {
        let from = stage.world.now() / MILLI;
        let reads: Vec<_> = (0..60)
            .map(|row| (row, stage.read(from, EUROPE, &format!("row{row}"), ReadMode::RowAffinity)))
            .collect();
        stage.run(from + 100);
        reads.into_iter().map(|(row, read)| (row, stage.answer(read).cluster)).collect()
    };
    let before = chosen(&mut stage);
    assert_eq!(before, chosen(&mut stage), "a row keeps its cluster");
    for cluster in (0..3).map(ClusterId) {
        let rows = before.values().filter(|chosen| **chosen == cluster).count();
        assert!((10..=32).contains(&rows), "{cluster:?} has {rows} of 60 rows");
    }
    stage.change(stage.world.now() / MILLI, WorldChange::Stop(ClusterId(1)));
    let after = chosen(&mut stage);
    for (row, cluster) in &before {
        if *cluster == ClusterId(1) {
            assert!([ClusterId(0), ClusterId(2)].contains(&after[row]), "within the region");
        } else {
            assert_eq!(after[row], *cluster, "other rows stay");
        }
    }
}

#[test]
fn a_consistent_read_is_answered_nearby_once_the_low_watermark_has_passed() {
    let mut stage = Stage::new(&THREE, WorldSettings::default());
    let write = stage.write(0, EUROPE, "row", set("q", 1_000, "v"));
    stage.run(500);
    let condition = stage.written(write).condition();
    let read = stage.read(500, AMERICA, "row", consistent(After::Writes(vec![condition]), 100));
    let own = stage.read(500, EUROPE, "row", consistent(After::Writes(vec![condition]), 100));
    stage.run(1_000);
    for (read, cluster) in [(read, AMERICA), (own, EUROPE)] {
        let answer = stage.answer(read);
        assert_eq!((answer.cluster, answer.rows.len(), answer.path.len()), (cluster, 1, 1));
        assert!(answer.latency < 2 * MILLI);
    }
}

#[test]
fn a_consistent_read_goes_to_the_origin_when_the_nearest_replica_is_behind() {
    let mut stage = Stage::new(&THREE, WorldSettings::default());
    stage.change(0, WorldChange::Slow(EUROPE, AMERICA, 3_000 * MILLI));
    let write = stage.write(0, EUROPE, "row", set("q", 1_000, "v"));
    stage.run(10);
    let condition = stage.written(write).condition();
    let read = stage.read(10, AMERICA, "row", consistent(After::Writes(vec![condition]), 1_000));
    stage.run(1_500);
    let answer = stage.answer(read);
    assert_eq!((answer.cluster, answer.rows.len(), answer.staleness), (EUROPE, 1, 0));
    assert_eq!(answer.path[0].outcome, Some(AttemptOutcome::Behind));
    assert_eq!((answer.path[0].cluster, answer.path[0].reason), (AMERICA, Reason::First));
    let second = answer.path.iter().find(|attempt| attempt.reason == Reason::Origin).expect("a second read");
    assert_eq!((second.cluster, second.outcome), (EUROPE, Some(AttemptOutcome::Accepted)));
    // The nearest answers after 1 ms, the origin after a round trip of 92 ms.
    assert!((93 * MILLI..95 * MILLI).contains(&answer.latency), "{}", answer.latency);
}

#[test]
fn a_hedged_read_answers_when_the_origin_is_gone() {
    let mut stage = Stage::new(&THREE, WorldSettings::default());
    stage.change(0, WorldChange::Slow(EUROPE, AMERICA, 3_000 * MILLI));
    let write = stage.write(0, EUROPE, "row", set("q", 1_000, "v"));
    stage.run(400);
    stage.change(400, WorldChange::Stop(EUROPE));
    let condition = stage.written(write).condition();
    let read = stage.read(410, AMERICA, "row", consistent(After::Writes(vec![condition]), 1_000));
    stage.run(1_500);
    let answer = stage.answer(read);
    assert_eq!((answer.cluster, answer.rows.len()), (ASIA, 1), "Taiwan has the write");
    let hedge = answer.path.iter().find(|attempt| attempt.cluster == ASIA).expect("a hedged read");
    assert_eq!(hedge.reason, Reason::Hedge);
}

#[test]
fn a_consistent_read_fails_at_its_deadline_rather_than_return_an_older_value() {
    let mut stage = Stage::new(&THREE, WorldSettings::default());
    let first = stage.write(0, EUROPE, "row", set("q", 1_000, "old"));
    stage.run(1_000);
    stage.change(1_000, WorldChange::Cut(EUROPE, AMERICA));
    stage.change(1_000, WorldChange::Cut(EUROPE, ASIA));
    let second = stage.write(1_010, EUROPE, "row", set("q", 1_000, "new"));
    stage.run(1_020);
    stage.change(1_020, WorldChange::Stop(EUROPE));
    let mode = |write, stage: &Stage| consistent(After::Writes(vec![stage.written(write).condition()]), 500);
    let (of_old, of_new) = (mode(first, &stage), mode(second, &stage));
    let old = stage.read(1_100, AMERICA, "row", of_old);
    let new = stage.read(1_100, AMERICA, "row", of_new);
    let now = stage.read(1_100, AMERICA, "row", consistent(After::Now, 500));
    stage.run(3_000);
    assert_eq!(stage.answer(old).rows[0].cells[0].value, "old".into());
    for read in [new, now] {
        assert!(stage.error(read).contains("the deadline of 500 ms has passed"), "{}", stage.error(read));
    }
}

#[test]
fn a_read_after_now_waits_for_all_low_watermarks() {
    let mut stage = Stage::new(&THREE, WorldSettings::default());
    stage.change(0, WorldChange::SetClock(EUROPE, 7_000));
    stage.change(0, WorldChange::SetClock(ASIA, -7_000));
    for at in 0..21 {
        let origin = [EUROPE, AMERICA, ASIA][at % 3];
        stage.write(at as u64 * 50, origin, &format!("row{at}"), set("q", 1_000, "v"));
    }
    stage.run(1_005);
    let rows = |stage: &Stage, read| stage.answer(read).rows.len();
    let all = ReadRows::default();
    let action = |mode| Action::Read { read: all.clone(), mode };
    let eventual = stage.submit(1_005, AMERICA, action(ReadMode::Eventual));
    let complete = stage.submit(1_005, AMERICA, action(consistent(After::Now, 2_000)));
    stage.run(3_000);
    assert!(rows(&stage, eventual) < 21, "the last write of Taiwan is on its way");
    assert_eq!(rows(&stage, complete), 21);
    // The slowest clock has to pass the fastest: a heartbeat, the way, and both errors.
    let latency = stage.answer(complete).latency;
    assert!((90 * MILLI..300 * MILLI).contains(&latency), "{latency}");
}

/// A burst of writes in one microsecond drives commit times ahead of the clock, which itself is ahead
/// of the true time. Their acknowledgements wait for the clock, so a later read after "now" asks for
/// them.
#[test]
fn a_read_after_now_has_writes_whose_commit_times_are_ahead_of_the_clock() {
    let found = |fault| {
        let topology = Topology::of_zones(&THREE[..2]);
        let world = World::with_fault(&topology, &spec(), WorldSettings::default(), Planted(fault));
        let mut stage = Stage { world: world.expect("valid"), seen: Vec::new() };
        stage.change(0, WorldChange::SetClock(EUROPE, 7_000));
        // They arrive at 49.9 ms; Europe's heartbeat is at 50 ms, and the last write comes after it.
        let client = stage.region(EUROPE);
        let mut last = None;
        for (count, at) in [(2_000, 49_400_000), (1, 49_600_000)] {
            for _ in 0..count {
                let mutations = vec![set("q", 1_000, if count == 1 { "last" } else { "burst" })];
                let change = Change::Mutate(RowMutation { key: "row".into(), mutations });
                let action = Action::Write { change, target: Target::Cluster(EUROPE) };
                last = Some(stage.world.submit(at, ClientRequest { client, action }).expect("valid"));
            }
        }
        stage.world.change(50_150_000, WorldChange::Slow(EUROPE, AMERICA, 500 * MILLI)).expect("valid");
        let is_last = |seen: &Observation| matches!(&seen.event, Observed::Written(written) if Some(written.request) == last);
        while !stage.seen.iter().any(is_last) {
            stage.world.advance(stage.world.now() + 10_000);
            stage.seen.extend(stage.world.take_observations());
        }
        let rows = RowSet { keys: vec!["row".into()], ranges: Vec::new() };
        let read = ReadRows { rows, ..ReadRows::default() };
        let action = Action::Read { read, mode: consistent(After::Now, 2_000) };
        let (client, now) = (stage.region(AMERICA), stage.world.now());
        let read = stage.world.submit(now, ClientRequest { client, action }).expect("valid");
        stage.run(3_000);
        let answer = stage.answer(read);
        format!("{}", answer.rows[0].cells[0].value)
    };
    assert_eq!(found(None), "last");
    assert_eq!(found(Some(Fault::AcknowledgedEarly)), "burst", "the planted fault shows");
}

#[test]
fn bad_reads_are_refused() {
    let mut stage = Stage::new(&THREE, WorldSettings::default());
    let client = stage.region(EUROPE);
    let mut refused = |mode, part: &str| {
        let action = Action::Read { read: Default::default(), mode };
        let request = ClientRequest { client, action };
        let error = stage.world.submit(0, request).expect_err(part);
        assert!(error.message.contains(part), "{}", error.message);
    };
    refused(consistent(After::Now, 0), "the deadline of the read is 0");
    refused(ReadMode::Cluster(ClusterId(3)), "cluster 3 does not exist");
    let condition = Condition { origin: ReplicaId(7), commit: 1 };
    refused(consistent(After::Writes(vec![condition]), 10), "replica 7, but there are 3 replicas");
}
