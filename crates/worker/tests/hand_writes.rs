//! Manual writes when designs change, and when a write is undone.

use tabletop_keys::{Query, RowChoice};
use tabletop_model::{GcRule, Mutation, Request, Response, RowMutation, TableRequest, wire};
use tabletop_protocol::{Answer, Ask, HandWritesAsk, KeptWrites, LoadSource, Playback, TimelineView};
use tabletop_workspace::{Design, Source, Workspace};

use crate::host::Host;

const TEMPLATE: &str = "{app_id},{user_token}";

fn host(arrived: u32) -> Host {
    let mut workspace = Workspace { arrived: Some(arrived), ..Workspace::default() };
    let Source::Generated(settings) = &mut workspace.source else {
        panic!("the first workspace generates its events")
    };
    settings.events = 9_000;
    workspace.designs[0].template = TEMPLATE.into();
    let mut host = Host::with_steps_of(500);
    host.ask(Ask::SetWorkspace { workspace, load: LoadSource::Again });
    host.settle();
    host
}

impl Host {
    fn timeline_of(&mut self, index: u32) -> TimelineView {
        match self.ask(Ask::Timeline { index }) {
            Answer::Timeline(timeline) => timeline,
            other => panic!("{other:?}"),
        }
    }

    /// Writes a row manually, and returns the number of the write.
    fn write(&mut self, index: u32, key: &str) -> u32 {
        let family = self.view(index).families[0].clone();
        let set = Mutation::SetCell { family, qualifier: "hand".into(), timestamp: 7_000, value: "1".into() };
        let request = TableRequest::MutateRows(vec![RowMutation { key: key.into(), mutations: vec![set] }]);
        let table = self.workspace().table_ids().swap_remove(index as usize);
        let answer = self.ask(Ask::Request { request: Request::Table { table, request }, now: 1_000 });
        assert_eq!(answer, Answer::Response(Response::Mutated(vec![None])));
        self.view(index).newest_write
    }

    fn take_back(&mut self, numbers: &[u32]) {
        assert_eq!(self.ask(Ask::TakeBack(numbers.to_vec())), Answer::Done);
        self.settle();
    }

    fn kept(&mut self) -> KeptWrites {
        match self.ask(Ask::HandWrites(wire::encode(&HandWritesAsk::Keep).into())) {
            Answer::HandWrites(kept) => {
                let mut kept: KeptWrites = wire::decode(&kept).unwrap();
                // Writes of different forms at the same moment are not ordered.
                kept.designs.iter_mut().for_each(|of| of.writes.sort_by_key(|write| format!("{write:?}")));
                kept
            }
            other => panic!("{other:?}"),
        }
    }

    fn restore(&mut self, kept: KeptWrites) {
        assert_eq!(
            self.ask(Ask::HandWrites(wire::encode(&HandWritesAsk::Restore(kept)).into())),
            Answer::Done
        );
    }

    /// Returns the keys of the rows that were written manually.
    fn by_hand(&mut self, index: u32) -> Vec<String> {
        let all = Query { rows: RowChoice::All, filter: None, rows_limit: 0, reversed: false };
        let keys = self.read_all(index, all).rows.into_iter().map(|row| row.key.to_string());
        keys.filter(|key| key.starts_with("hand")).collect()
    }

    fn change(&mut self, change: impl FnOnce(&mut Workspace)) {
        self.edit(change);
        self.settle();
    }
}

#[test]
fn an_edit_sets_writes_aside_and_undo_brings_them_back() {
    let mut host = host(9_000);
    host.write(0, "hand-1");
    host.write(0, "hand-2");
    host.change(|workspace| workspace.designs[0].template = "{user_token}".into());
    assert_eq!((host.by_hand(0), host.timeline_of(0).writes_aside), (vec![], 2));
    host.write(0, "hand-3");
    assert_eq!((host.by_hand(0), host.timeline_of(0).writes_aside), (vec!["hand-3".into()], 2));
    host.change(|workspace| workspace.designs[0].template = TEMPLATE.into());
    assert_eq!(
        (host.by_hand(0), host.timeline_of(0).writes_aside),
        (vec!["hand-1".into(), "hand-2".into()], 1)
    );
    assert_eq!(host.timeline_of(0).writes, [9_000]);
}

#[test]
fn gc_rules_names_and_paces_keep_the_writes() {
    let mut host = host(9_000);
    host.write(0, "hand-1");
    let family = host.view(0).families[0].clone();
    host.change(|workspace| workspace.designs[0].set_gc_rule(&family, GcRule::MaxVersions(1)));
    host.change(|workspace| workspace.designs[0].name = "another name".into());
    host.change(|workspace| workspace.cluster.events_per_second = 5_000.0);
    assert_eq!((host.by_hand(0), host.timeline_of(0).writes_aside), (vec!["hand-1".into()], 0));
}

#[test]
fn a_design_that_was_deleted_comes_back_with_its_writes() {
    let mut host = host(9_000);
    host.change(|workspace| {
        let second =
            Design { name: "second".into(), template: "{user_token}".into(), ..workspace.designs[0].clone() };
        workspace.designs.push(second);
    });
    host.write(1, "hand-1");
    let before = host.workspace();
    host.change(|workspace| workspace.designs.truncate(1));
    host.change(|workspace| *workspace = before.clone());
    assert_eq!(host.by_hand(1), ["hand-1"]);
    // A design with another name in its place is another design, and a design on other events has
    // other rows.
    host.change(|workspace| {
        workspace.designs[1] =
            Design { name: "third".into(), template: "{app_id}".into(), ..workspace.designs[0].clone() };
    });
    assert_eq!((host.by_hand(1), host.timeline_of(1).writes_aside), (vec![], 0));
    host.change(|workspace| {
        *workspace = before.clone();
        let Source::Generated(settings) = &mut workspace.source else { panic!("the events are generated") };
        settings.events = 8_000;
    });
    assert_eq!(host.by_hand(1), Vec::<String>::new());
    host.change(|workspace| *workspace = before.clone());
    host.ask(Ask::Play(Playback::Seek(9_000)));
    host.settle();
    assert_eq!(host.by_hand(1), ["hand-1"]);
}

#[test]
fn a_write_that_is_taken_back_is_gone_and_can_be_done_again() {
    let mut host = host(6_000);
    let first = host.write(0, "hand-1");
    let second = host.write(0, "hand-2");
    assert_eq!((first, second), (1, 2));
    host.ask(Ask::Play(Playback::Seek(8_000)));
    host.settle();
    let third = host.write(0, "hand-3");
    let all = host.by_hand(0);
    host.take_back(&[second]);
    assert_eq!(host.by_hand(0), ["hand-1", "hand-3"]);
    assert_eq!(host.view(0).events_built, 8_000, "the position does not change");
    host.take_back(&[first, second, third]);
    assert_eq!((host.by_hand(0), host.timeline_of(0).writes_aside), (vec![], 0));
    // Changing the design and back does not restore a write that was undone.
    host.change(|workspace| workspace.designs[0].template = "{user_token}".into());
    host.change(|workspace| workspace.designs[0].template = TEMPLATE.into());
    assert_eq!(host.by_hand(0), Vec::<String>::new());
    host.take_back(&[]);
    assert_eq!(host.by_hand(0), all);
    // In the past, a write of the future is undone as well.
    host.ask(Ask::Play(Playback::Seek(5_000)));
    host.settle();
    host.take_back(&[third]);
    host.ask(Ask::Play(Playback::Seek(9_000)));
    host.settle();
    assert_eq!(host.by_hand(0), ["hand-1", "hand-2"]);
}

#[test]
fn writes_are_kept_for_another_visit() {
    let mut before = host(6_000);
    before.change(|workspace| {
        let second =
            Design { name: "second".into(), template: "{user_token}".into(), ..workspace.designs[0].clone() };
        workspace.designs.push(second);
    });
    before.write(0, "hand-1");
    let taken_back = before.write(0, "hand-2");
    before.write(1, "hand-3");
    before.take_back(&[taken_back]);
    // A write that waits for another form of its design is saved, too.
    before.change(|workspace| workspace.designs[1].template = "{app_id}".into());
    before.write(1, "hand-4");
    let kept = before.kept();
    assert_eq!(
        kept.designs.iter().map(|of| (of.design.as_str(), of.writes.len())).collect::<Vec<_>>(),
        [("Design 1", 1), ("second", 2)]
    );

    let workspace = before.workspace();
    let mut host = Host::with_steps_of(500);
    host.restore(kept.clone());
    host.ask(Ask::SetWorkspace { workspace: workspace.clone(), load: LoadSource::Again });
    host.settle();
    host.ask(Ask::Play(Playback::Seek(9_000)));
    host.settle();
    assert_eq!(host.kept(), kept);
    assert_eq!((host.by_hand(0), host.by_hand(1)), (vec!["hand-1".into()], vec!["hand-4".into()]));
    assert_eq!(
        (host.timeline_of(0).writes, host.view(0).newest_write),
        (vec![6_000], 0),
        "they are not steps of the undo history"
    );
    host.take_back(&[]);
    host.change(|workspace| workspace.designs[1].template = "{user_token}".into());
    assert_eq!((host.by_hand(0), host.by_hand(1)), (vec!["hand-1".into()], vec!["hand-3".into()]));
    // New writes follow, and can be undone.
    let newer = host.write(0, "hand-5");
    host.take_back(&[newer]);
    assert_eq!(host.by_hand(0), ["hand-1"]);
    // Another workspace with the same designs has no manual writes until it is sent some.
    host.restore(KeptWrites::default());
    host.change(|workspace| workspace.name = "Another".into());
    assert_eq!((host.by_hand(0), host.kept()), (vec![], KeptWrites::default()));
    host.restore(kept.clone());
    host.change(|workspace| workspace.name = "The first".into());
    assert_eq!(
        (host.by_hand(0), host.by_hand(1), host.kept()),
        (vec!["hand-1".into()], vec!["hand-3".into()], kept)
    );
    let answer = host.ask(Ask::HandWrites(b"\xff\xff".to_vec().into()));
    assert!(matches!(answer, Answer::Failed(_)), "{answer:?}");
}
