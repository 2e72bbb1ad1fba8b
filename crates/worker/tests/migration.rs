//! Tests of the migration next to a stream: the session ends at any step, together with its tab,
//! and another session resumes.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use tabletop_keys::{Layout, LayoutKind};
use tabletop_model::{Timestamp, wire};
use tabletop_protocol::{
    Answer, Ask, JobAsk, JobError, RunId,
    migration::{
        Migrate, MigratedTable, MigrationChoice, MigrationChunk, MigrationDecision, MigrationOrder,
        MigrationRequest, MigrationSlice, MigrationStage, MigrationStep,
    },
};
use tabletop_worker::frame::Request;
use tabletop_worker::{SharedStorage, StorageEvent};
use tabletop_workspace::{Design, GeneratorSettings, Source, Workspace};

use crate::earlier_builds::browser::stored_files;
use crate::earlier_builds::same;
use crate::host::Host;
use crate::own_data_store::faulty_files::FaultyFiles;

type Files = Rc<RefCell<FaultyFiles>>;

const RATE: u32 = 2_000;

/// A tab with the page, which uses these files.
struct Tab {
    host: Host,
    clock: Cell<Timestamp>,
    /// The page's run.
    run: Option<RunId>,
}

impl Tab {
    fn open(files: &Files) -> Tab {
        let mut tab = Tab::without_storage();
        tab.host.on_storage_event(StorageEvent::Files(SharedStorage(files.clone())));
        tab.settle()
    }

    /// Opens a tab before it is known whether there is a storage.
    fn without_storage() -> Tab {
        Tab { host: Host::new(), clock: Cell::new(0), run: None }
    }

    fn settle(mut self) -> Tab {
        self.show_events(7);
        self
    }

    /// Shows events of this seed.
    fn show_events(&mut self, seed: u64) {
        let settings = GeneratorSettings { seed, events: 1_000, apps: 2, users: 50, user_skew: 1.0 };
        self.host.open(Workspace { source: Source::Generated(settings), ..Workspace::default() });
        self.host.settle();
    }

    /// Sends a request about the migration.
    fn step(&mut self, ask: JobAsk) -> Result<MigrationSlice, JobError> {
        // The page waits a little between calls, and each call of the clock advances it a little.
        self.clock.set(self.clock.get() + 40_000);
        let clock = || {
            self.clock.set(self.clock.get() + 200);
            self.clock.get()
        };
        let mut frame = vec![1, 0, 0, 0];
        frame.extend(wire::encode(&Ask::Job(ask)));
        let answer = Request::read(&frame).expect("a request").answer(&mut self.host.session, clock);
        match wire::decode(&answer[4..]).expect("an answer") {
            Answer::Job(answer) => {
                let slice = answer?.decode::<Migrate>()?;
                self.run = slice.run;
                Ok(slice.chunk)
            }
            other => panic!("{other:?}"),
        }
    }

    fn begin(&mut self) -> MigrationChunk {
        at(self.try_begin(false).expect("it begins")).expect("a chunk")
    }

    fn try_begin(&mut self, replaces_other: bool) -> Result<MigrationSlice, JobError> {
        let (from, to) = (design(LayoutKind::Narrow), design(LayoutKind::Wide));
        let choice = MigrationChoice { from, to, retention_days: 36_500, replaces_other };
        self.step(JobAsk::begin::<Migrate>(&MigrationRequest::Begin(choice)))
    }

    fn try_find(&mut self) -> Result<MigrationSlice, JobError> {
        self.step(JobAsk::begin::<Migrate>(&MigrationRequest::Find))
    }

    fn find(&mut self) -> Option<MigrationChunk> {
        at(self.try_find().expect("it can be looked for"))
    }

    fn remove(&mut self) -> Result<MigrationSlice, JobError> {
        self.step(JobAsk::next::<Migrate>(self.run.expect("it is open"), &MigrationStep::Remove))
    }

    fn go(&mut self, decision: Option<MigrationDecision>, works: bool) -> Result<MigrationChunk, JobError> {
        let order = MigrationStep::Work(MigrationOrder { decision, events_per_second: RATE, works });
        self.step(JobAsk::next::<Migrate>(self.run.expect("it is open"), &order))
            .map(|slice| at(slice).expect("a chunk"))
    }

    /// Makes the decisions of a user, until `is_there`.
    fn drive(
        &mut self,
        mut chunk: MigrationChunk,
        is_there: impl Fn(&MigrationChunk) -> bool,
    ) -> MigrationChunk {
        for _ in 0..20_000 {
            assert_eq!(chunk.difference, None);
            if is_there(&chunk) {
                return chunk;
            }
            let decision = match chunk.stage {
                None if chunk.stream.arrived > chunk.stream.history + 200 => {
                    Some(MigrationDecision::DualWrites)
                }
                Some(MigrationStage::Ready) => Some(MigrationDecision::Switch),
                Some(MigrationStage::Switched) => Some(MigrationDecision::Drop),
                _ => None,
            };
            chunk = self.go(decision, true).expect("a slice");
        }
        panic!("the stage is never reached: {chunk:?}");
    }

    /// Continues until the new table is dropped.
    fn drive_undo(&mut self) -> MigrationChunk {
        let mut slices = (0..1_000).map(|_| self.go(None, true).expect("a slice"));
        slices.find(|chunk| chunk.stage.is_none()).expect("it ends")
    }
}

/// Returns the state of the migration, if there is one.
fn at(slice: MigrationSlice) -> Option<MigrationChunk> {
    match slice {
        MigrationSlice::At(chunk) => Some(*chunk),
        MigrationSlice::Absent => None,
        MigrationSlice::Occupied(by) => panic!("{by}"),
    }
}

/// Checks that a table has a row for each event that has arrived, if rows are counted exactly.
fn has_all(table: Option<MigratedTable>, chunk: &MigrationChunk) {
    let table = table.expect("a table");
    assert!(!table.is_exact || table.rows == chunk.stream.arrived, "{chunk:?}");
}

fn design(kind: LayoutKind) -> Design {
    Design::new(format!("{kind:?}"), "{app_id},{user_token},{timestamp:iso}", Layout::new(kind))
}

/// Reports whether a step is reached.
type Reached<'a> = &'a dyn Fn(&MigrationChunk) -> bool;

fn is_at(stage: MigrationStage) -> impl Fn(&MigrationChunk) -> bool {
    move |chunk| chunk.stage == Some(stage)
}

#[test]
fn a_tab_that_is_killed_at_each_step_is_followed_by_one_that_resumes() {
    let files = Files::default();
    let mut tab = Tab::open(&files);
    let mut chunk = tab.begin();
    assert!(chunk.visit.is_stored && !chunk.visit.is_resumed && chunk.stage.is_none(), "{chunk:?}");
    let steps: [(&str, Reached); 7] = [
        ("history", &|chunk| chunk.stream.arrived > 0),
        ("the stream alone", &|chunk| chunk.stream.p99_alone.is_some()),
        ("dual writes", &is_at(MigrationStage::DualWrites)),
        ("copied", &|chunk| chunk.copied > 0),
        ("the same events", &is_at(MigrationStage::Ready)),
        ("switched", &is_at(MigrationStage::Switched)),
        ("the end", &is_at(MigrationStage::Done)),
    ];
    for (step, is_there) in steps {
        let before = tab.drive(chunk, is_there);
        drop(tab);
        files.borrow_mut().crash();
        tab = Tab::open(&files);
        chunk = tab.find().unwrap_or_else(|| panic!("{step}: nothing is found"));
        assert!(chunk.visit.is_stored && chunk.visit.is_resumed, "{step}");
        assert_eq!(chunk.stage, before.stage, "{step}");
        assert!(chunk.stream.arrived >= before.stream.arrived, "{step}: {chunk:?}");
        assert!(chunk.copied >= before.copied, "{step}: {chunk:?}");
        if chunk.stage == Some(MigrationStage::Ready) {
            has_all(chunk.old, &chunk);
            has_all(chunk.new, &chunk);
        }
    }
    assert!(chunk.old.is_none());
    has_all(chunk.new, &chunk);
    // The migration is removed, and another tab does not find it.
    assert_eq!(tab.remove(), Ok(MigrationSlice::Absent));
    assert_eq!(tab.find(), None);
    drop(tab);
    assert_eq!(Tab::open(&files).find(), None);
}

/// Describes the progress of a migration, in the form of the recordings of earlier builds.
fn progress(chunk: &MigrationChunk) -> String {
    let stage = chunk.stage.map_or("none", MigrationStage::name);
    format!(
        "{} to {}: {stage}, {} arrived, {} copied\n",
        chunk.designs[0], chunk.designs[1], chunk.stream.arrived, chunk.copied
    )
}

#[test]
fn a_migration_of_an_earlier_build_is_resumed() {
    for (files, folder) in stored_files() {
        let mut tab = Tab::open(&files);
        let chunk = tab.find().expect("it is stored");
        same(&folder.join("migration.txt"), &progress(&chunk));
        let chunk = tab.drive(chunk, is_at(MigrationStage::Done));
        assert!(chunk.old.is_none());
        has_all(chunk.new, &chunk);
    }
}

#[test]
fn a_step_is_paused_and_undone_while_events_arrive() {
    let files = Files::default();
    let mut tab = Tab::open(&files);
    let chunk = tab.begin();
    let chunk = tab.drive(chunk, |chunk| chunk.copied > 0);
    let mut paused = chunk.clone();
    for _ in 0..5 {
        paused = tab.go(None, false).expect("a slice");
    }
    assert!(paused.stream.arrived > chunk.stream.arrived, "{paused:?}");
    assert_eq!((paused.stage, paused.copied), (chunk.stage, chunk.copied));
    tab.go(Some(MigrationDecision::Undo), true).expect("it can be undone");
    let undone = tab.drive_undo();
    assert_eq!(undone.new, None);
    has_all(undone.old, &undone);
    // Another attempt has all events.
    let chunk = tab.drive(undone, is_at(MigrationStage::Done));
    has_all(chunk.new, &chunk);
    let error = tab.go(Some(MigrationDecision::Undo), true).expect_err("the old table is dropped");
    assert!(matches!(error, JobError::Unfit(_)), "{error:?}");
    tab.go(None, true).expect("it continues");
}

#[test]
fn a_tab_without_storage_has_the_tables_in_memory_and_says_so() {
    let mut tab = Tab::without_storage();
    assert!(matches!(tab.try_find(), Err(JobError::NotReady(_))), "the storage is being opened");
    tab.host.on_storage_event(StorageEvent::OtherTab);
    let mut tab = tab.settle();
    assert_eq!(tab.find(), None);
    let chunk = tab.begin();
    assert!(!chunk.visit.is_stored);
    let chunk = tab.drive(chunk, is_at(MigrationStage::Ready));
    // The view is left and opened again.
    let found = tab.find().expect("it is there");
    assert_eq!((found.stage, found.visit.is_stored, found.visit.is_resumed), (chunk.stage, false, false));
    // Other events end it.
    tab.host.open(Workspace::default());
    tab.host.settle();
    assert_eq!(tab.find(), None);
}

#[test]
fn a_storage_that_refuses_for_a_while_loses_no_event() {
    let files = Files::default();
    let mut tab = Tab::open(&files);
    let chunk = tab.begin();
    tab.drive(chunk, |chunk| chunk.copied > 0);
    files.borrow_mut().refused_writes = 3;
    let mut failed = 0;
    let chunk = loop {
        match tab.go(None, true) {
            Ok(chunk) => break chunk,
            Err(error) => assert!(matches!(error, JobError::NotReady(_)), "{error:?}"),
        }
        failed += 1;
        assert!(failed < 20, "it never recovers");
    };
    let chunk = tab.drive(chunk, is_at(MigrationStage::Ready));
    has_all(chunk.old, &chunk);
    has_all(chunk.new, &chunk);
}

#[test]
fn a_beginning_does_not_replace_a_stored_migration() {
    let files = Files::default();
    let mut tab = Tab::open(&files);
    let chunk = tab.begin();
    let chunk = tab.drive(chunk, is_at(MigrationStage::DualWrites));
    assert_eq!(tab.begin().stage, chunk.stage, "a second click");
    drop(tab);
    // The user clicks before the page has looked for the migration.
    let mut next = Tab::open(&files);
    let found = next.begin();
    assert!(found.visit.is_resumed);
    assert_eq!((found.stage, found.stream.arrived), (chunk.stage, chunk.stream.arrived));
    // Once it is removed, another one begins.
    next.remove().expect("it is removed");
    let begun = next.begin();
    assert_eq!((begun.stage, begun.visit.is_resumed), (None, false));
}

#[test]
fn a_stored_migration_of_other_events_is_replaced_only_if_that_is_wanted() {
    let files = Files::default();
    let mut tab = Tab::open(&files);
    let chunk = tab.begin();
    let chunk = tab.drive(chunk, is_at(MigrationStage::DualWrites));
    tab.show_events(8);
    assert_eq!(tab.find(), None, "it is of other events");
    let Ok(MigrationSlice::Occupied(by)) = tab.try_begin(false) else { panic!("it would be lost") };
    assert!(by.contains("a migration of other events, from \u{201c}"), "{by}");
    // This does not lose anything.
    tab.show_events(7);
    let kept = tab.find().expect("it is still there");
    assert_eq!((kept.stage, kept.stream.arrived), (chunk.stage, chunk.stream.arrived));
    tab.show_events(8);
    assert_eq!(at(tab.try_begin(true).expect("it begins")).expect("a chunk").stage, None);
    tab.show_events(7);
    assert_eq!(tab.find(), None, "it was replaced");
}
