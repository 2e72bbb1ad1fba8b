//! Seeks on the timeline of a design: forward, back, and past manual writes.

use tabletop_keys::{LayoutKind, Query, RowChoice};
use tabletop_model::{
    ColumnFamily, DropRowRange, FamilyModification, Mutation, Request, Response, Row, RowMutation,
    TableRequest, TableView,
};
use tabletop_protocol::{Answer, Ask, DesignView, LoadSource, Playback, TimelineView};
use tabletop_worker::Next;
use tabletop_workspace::{Source, Workspace};

use crate::host::Host;

/// Enough events for checkpoints, some of which are dropped.
const EVENTS: u32 = 40_000;

/// SplitMix64, a random generator.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % u64::from(end)) as u32
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len() as u32) as usize]
    }
}

fn workspace(events: u32) -> Workspace {
    let mut workspace = Workspace::default();
    let Source::Generated(settings) = &mut workspace.source else {
        panic!("the first workspace generates its events")
    };
    settings.events = events;
    workspace
}

fn random_workspace(chance: &mut Chance) -> Workspace {
    let mut workspace = workspace(EVENTS);
    let templates = [
        "{timestamp:iso},{app_id},{user_token}",
        "{user_token},{timestamp:iso}",
        "{salt(4)}-{app_id},{timestamp:iso},{user_token}",
        "{app_id}",
    ];
    workspace.designs[0].template = (*chance.of(&templates)).into();
    workspace.designs[0].layout.kind =
        *chance.of(&[LayoutKind::Narrow, LayoutKind::Wide, LayoutKind::RowPerEntity]);
    workspace.cluster.tablet_bytes_max = *chance.of(&[None, Some(50_000), Some(300_000)]);
    workspace.cluster.events_per_second = *chance.of(&[50.0, 200.0, 5_000.0]);
    workspace.arrived = Some(0);
    workspace
}

fn at(workspace: &Workspace) -> Host {
    let mut host = Host::with_steps_of(500);
    host.ask(Ask::SetWorkspace { workspace: workspace.clone(), load: LoadSource::Again });
    host.settle();
    host
}

impl Host {
    fn seek(&mut self, events: u32) -> DesignView {
        assert_eq!(self.ask(Ask::Play(Playback::Seek(events))), Answer::Done);
        self.settle();
        self.view(0)
    }

    fn timeline(&mut self) -> TimelineView {
        match self.ask(Ask::Timeline { index: 0 }) {
            Answer::Timeline(timeline) => timeline,
            other => panic!("{other:?}"),
        }
    }

    /// Returns whether the table has accepted the request.
    fn request(&mut self, request: &TableRequest) -> bool {
        let table = self.workspace().table_ids().swap_remove(0);
        let answer = self
            .ask(Ask::Request { request: Request::Table { table, request: request.clone() }, now: 1_000 });
        match answer {
            Answer::Response(Response::Refused(_)) => false,
            Answer::Response(Response::Mutated(errors)) => errors.iter().all(Option::is_none),
            Answer::Response(_) => true,
            other => panic!("{other:?}"),
        }
    }

    fn rows(&mut self) -> Vec<Row> {
        self.read_all(0, Query { rows: RowChoice::All, filter: None, rows_limit: 0, reversed: false }).rows
    }

    /// Returns the tablets with all their counts except those of reads, then the families, and then
    /// the rows.
    fn all(&mut self) -> (TableView, Vec<String>, Vec<Row>) {
        let view = self.view(0);
        let (blocks_read, bytes_read, cache_hits, bytes_returned, bloom_skips) = (0, 0, 0, 0, 0);
        let table =
            TableView { blocks_read, bytes_read, cache_hits, bytes_returned, bloom_skips, ..view.table };
        (table, view.families, self.rows())
    }
}

fn family() -> TableRequest {
    TableRequest::ModifyFamilies(vec![FamilyModification::Create(ColumnFamily::new("by_hand"))])
}

fn row(key: &str, value: &str) -> TableRequest {
    let (family, qualifier) = ("by_hand".into(), "q".into());
    let set = Mutation::SetCell { family, qualifier, timestamp: 7_000, value: value.into() };
    TableRequest::MutateRows(vec![RowMutation { key: key.into(), mutations: vec![set] }])
}

#[test]
fn a_table_is_the_same_on_every_way_to_a_moment() {
    for seed in 0..8 {
        let mut chance = Chance(seed);
        let workspace = random_workspace(&mut chance);
        let mut host = at(&workspace);
        let mut writes: Vec<(u32, TableRequest)> = Vec::new();
        for step in 0..12 {
            let moment = match chance.below(8) {
                0 => 0,
                1 => u32::MAX,
                _ => chance.below(EVENTS),
            };
            host.ask(Ask::Play(Playback::Seek(moment)));
            if chance.below(3) == 0 {
                // The next seek comes before this one is complete.
                for _ in 0..chance.below(30) {
                    host.advance();
                }
                continue;
            }
            host.settle();
            assert_eq!(host.view(0).events_built, moment.min(EVENTS), "seed {seed}");
            if moment < EVENTS && chance.below(2) == 0 {
                let request = match chance.below(4) {
                    0 => family(),
                    1 => TableRequest::DropRowRange(DropRowRange::Prefix(
                        (*chance.of(&["app-01", "2019-05-28T01", "hand"])).into(),
                    )),
                    _ => row(&format!("hand#{}", chance.below(5)), &format!("{step}")),
                };
                if host.request(&request) {
                    let place = writes.partition_point(|(at, _)| *at <= moment);
                    writes.insert(place, (moment, request));
                }
            }
        }
        let moment = *chance.of(&[EVENTS, EVENTS / 2, 16_384, 33_333]);
        host.seek(moment);

        let mut straight = at(&workspace);
        for (at, request) in writes.iter().filter(|(at, _)| *at <= moment) {
            straight.seek(*at);
            straight.request(request);
        }
        straight.seek(moment);
        let (found, expected) = (host.all(), straight.all());
        for (found, expected) in found.0.tablets.iter().zip(&expected.0.tablets) {
            assert_eq!(found, expected, "seed {seed}, moment {moment}, {workspace:?}");
        }
        let counts = |table: &TableView| TableView { tablets: Vec::new(), ..table.clone() };
        assert_eq!(counts(&found.0), counts(&expected.0), "seed {seed}, moment {moment}, {workspace:?}");
        assert!(found == expected, "seed {seed}: the rows differ");
    }
}

#[test]
fn a_seek_is_sliced_and_only_the_last_one_counts() {
    let mut host = at(&Workspace { arrived: Some(u32::MAX), ..workspace(EVENTS) });
    let all = host.all();
    host.ask(Ask::Play(Playback::Seek(12_000)));
    assert_eq!(host.advance(), Next::Now);
    let view = host.view(0);
    assert!(view.building && view.events_arrived == 12_000 && view.events_built < 2_000, "{view:?}");
    host.ask(Ask::Play(Playback::Seek(39_999)));
    host.ask(Ask::Play(Playback::Seek(20)));
    host.settle();
    let view = host.view(0);
    assert_eq!((view.events_built, view.building, view.playing), (20, false, false));
    host.finish();
    assert!(host.all() == all, "all events make the table of before");
}

#[test]
fn a_workspace_opens_at_its_position_and_an_edit_does_not_change_it() {
    let mut host = at(&Workspace { arrived: Some(700), ..workspace(2_000) });
    let view = host.view(0);
    assert_eq!((view.events_built, view.events_total, view.playing), (700, 2_000, false));
    host.seek(900);
    host.edit(|workspace| workspace.designs[0].template = "{user_token}".into());
    host.settle();
    assert_eq!(host.view(0).events_built, 900, "the workspace has the position with which it was opened");
    host.ask(Ask::Play(Playback::Play));
    host.settle();
    assert_eq!(host.view(0).events_built, 2_000);
    let beyond = at(&Workspace { arrived: Some(5_000), ..workspace(2_000) }).view(0);
    assert_eq!((beyond.events_built, beyond.settling), (2_000, false));
}

#[test]
fn a_manual_write_stays_at_its_moment() {
    let mut host = at(&Workspace { arrived: Some(1_500), ..workspace(2_000) });
    let has = |host: &mut Host, key: &str| host.rows().iter().any(|row| row.key.to_string() == key);
    assert!(host.request(&family()) && host.request(&row("hand", "1")));
    assert!(has(&mut host, "hand"));

    let view = host.seek(1_000);
    assert!(!has(&mut host, "hand") && !view.families.contains(&"by_hand".into()), "it was not made yet");
    let timeline = host.timeline();
    assert_eq!((timeline.writes, timeline.writes_later, timeline.writes_refused), (vec![1_500], 2, 0));

    // A write in the past does not discard later writes.
    assert!(host.request(&TableRequest::ModifyFamilies(vec![FamilyModification::Create(
        ColumnFamily::new("early")
    )])));
    assert_eq!(host.timeline().writes, [1_000, 1_500]);
    host.seek(1_500);
    assert!(has(&mut host, "hand"), "it is made again");
    host.ask(Ask::Play(Playback::Restart));
    host.settle();
    let view = host.view(0);
    assert_eq!(view.events_built, 2_000);
    assert!(has(&mut host, "hand") && view.families.contains(&"early".into()), "{:?}", view.families);

    // Another pace makes another table, from the same events and writes.
    host.pace(5_000.0);
    host.settle();
    assert!(has(&mut host, "hand"));
    assert_eq!(host.timeline().writes_later, 0);
    host.template("{user_token}");
    host.settle();
    assert!(!has(&mut host, "hand"), "the keys of another design are others");
    assert_eq!(host.timeline().writes_aside, 3);
}

#[test]
fn a_later_write_that_an_earlier_one_prevents_is_counted() {
    let mut host = at(&Workspace { arrived: Some(1_500), ..workspace(2_000) });
    assert!(host.request(&family()));
    host.seek(500);
    assert!(host.request(&family()), "it does not exist at this moment");
    host.seek(2_000);
    let timeline = host.timeline();
    assert_eq!((timeline.writes_later, timeline.writes_refused), (0, 1), "the family exists already");
}

#[test]
fn a_timeline_has_the_splits_that_were_played_and_the_time_of_the_last_event() {
    let mut host = at(&Workspace { arrived: Some(12_000), ..workspace(20_000) });
    let (view, half) = (host.view(0), host.timeline());
    assert_eq!(half.splits.len() as u64, view.table.splits);
    assert!(half.known > 11_900 && half.known <= 12_000 && half.compactions.len() > 50, "{half:?}");
    assert_eq!(half.event_time, Some(host.text_of(11_999, "timestamp")));
    host.seek(20_000);
    let full = host.timeline();
    assert!(full.splits.starts_with(&half.splits) && full.splits.len() > half.splits.len());

    // The known future stays known.
    host.seek(64);
    let back = host.timeline();
    assert_eq!((&back.splits, back.known), (&full.splits, full.known));
    assert_eq!(back.event_time, Some(host.text_of(63, "timestamp")));
    let first = full.splits[0];
    assert_eq!(host.seek(first - 32).table.tablets.len(), 1);
    assert_eq!(host.seek(first).table.tablets.len(), 2, "the table has split in this batch");
    assert_eq!(host.seek(0).events_built, 0);
    assert_eq!(host.timeline().event_time, None);
}
