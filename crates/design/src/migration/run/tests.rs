use std::cell::Cell;
use std::collections::BTreeSet;

use tabletop_engine::Budget;
use tabletop_keys::{Layout, LayoutKind, time};
use tabletop_model::{ReadRows, escape};
use tabletop_protocol::migration::{MigrationChunk, MigrationVisit};

use super::*;
use crate::test_host::{Host, NOW, fields};

const HOUR: i64 = 3_600_000_000;
/// A retention period so long that GC never removes an event.
const NEVER: u32 = 36_500;

fn design(kind: LayoutKind) -> Design {
    Design::new(format!("{kind:?}"), "{app_id},{user_token},{timestamp:iso}", Layout::new(kind))
}

/// Events of a shop, one per hour.
fn shop(count: u64) -> Events {
    let mut events = Events::new(fields());
    for n in 0..count {
        let (user, time) = (format!("u{}", n % 7), time::format(NOW + n as i64 * HOUR));
        let values = ["a", &user, &time, "click", "search", "brand:Apple|color:Red"].map(Some);
        events.push(&values).expect("an event");
    }
    events
}

/// A page that runs a migration from narrow to wide, with a clock that counts calls.
struct Page {
    host: Host,
    events: Events,
    clock: Cell<Timestamp>,
}

impl Page {
    fn new(events: Events) -> Page {
        Page { host: Host::new(), events, clock: Cell::new(0) }
    }

    fn source() -> Source {
        Source::Sample("shop".into())
    }

    fn begin(&mut self, retention_days: u32) -> Result<MigrationRun> {
        let choice = MigrationChoice {
            from: design(LayoutKind::Narrow),
            to: design(LayoutKind::Wide),
            retention_days,
            replaces_other: false,
        };
        let events = &self.events;
        let begun = self.host.ask(|tables| MigrationRun::begin(tables, &choice, &Page::source(), events));
        begun.map(|begun| begun.into_run().expect("no other migration is stored"))
    }

    fn find(&mut self) -> Option<MigrationRun> {
        let events = &self.events;
        self.host
            .ask(|tables| MigrationRun::find(tables, &Page::source(), events))
            .expect("the rows can be read")
    }

    fn go(&mut self, run: &mut MigrationRun, decision: Option<MigrationDecision>) -> Result<()> {
        let Page { host, events, clock } = self;
        let order = MigrationOrder { decision, events_per_second: 5_000, works: true };
        // Time that the page spends between two calls.
        clock.set(clock.get() + 100_000);
        let clock = || {
            clock.set(clock.get() + 300);
            clock.get()
        };
        host.ask(|tables| run.go(tables, events, order, &clock))
    }

    fn look(&mut self, run: &MigrationRun) -> Result<MigrationChunk> {
        let visit = MigrationVisit { is_stored: false, is_resumed: false };
        self.host.ask(|tables| run.look(tables, visit))
    }

    /// Makes the decisions of a user, until the migration is at this stage.
    fn drive(&mut self, run: &mut MigrationRun, until: MigrationStage) -> Result<()> {
        for _ in 0..5_000 {
            let chunk = self.look(run)?;
            assert_eq!(chunk.difference, None);
            let decision = match chunk.stage {
                Some(stage) if stage == until => return Ok(()),
                None if chunk.stream.arrived > chunk.stream.history + GROUP => {
                    Some(MigrationDecision::DualWrites)
                }
                Some(MigrationStage::Ready) => Some(MigrationDecision::Switch),
                Some(MigrationStage::Switched) => Some(MigrationDecision::Drop),
                _ => None,
            };
            self.go(run, decision)?;
        }
        panic!("the stage is never reached: {:?}", self.look(run));
    }

    /// Returns the events of a table.
    fn held(&mut self, table: &str, kind: LayoutKind) -> BTreeSet<Vec<String>> {
        let side = Side::new(table, &design(kind), &fields()).expect("a design");
        let rows = self.host.ask(|tables| tables.read_all(table, ReadRows::default())).expect("a table");
        let events = side.stored.read(&rows).expect("they are readable");
        events.iter().map(|event| side.stored.canonical(event, &[true; 6])).collect()
    }

    /// Returns the events that have arrived.
    fn arrived(&self, run: &MigrationRun) -> BTreeSet<Vec<String>> {
        let side = Side::new("any", &design(LayoutKind::Narrow), &fields()).expect("a design");
        let events = Stream::of(&self.events).take(&self.events, run.saved.stream.arrived);
        events.iter().map(|event| side.stored.canonical(event, &[true; 6])).collect()
    }

    fn names(&mut self) -> Vec<String> {
        self.host.ask(|tables| tables.names().expect("names"))
    }
}

#[test]
fn a_migration_goes_through_its_steps_while_events_arrive() {
    let mut page = Page::new(shop(300));
    let mut run = page.begin(NEVER).expect("it begins");
    page.drive(&mut run, MigrationStage::Ready).expect("it is copied");
    let arrived = page.arrived(&run);
    assert_eq!(page.held(OLD, LayoutKind::Narrow), arrived);
    assert_eq!(page.held(NEW, LayoutKind::Wide), arrived);
    let chunk = page.look(&run).expect("a chunk");
    assert!(chunk.copied >= 180 && chunk.dual_written > 0 && chunk.compared >= chunk.copied, "{chunk:?}");
    assert!(
        chunk.stream.p99_alone.is_some() && chunk.stream.p99_before.is_some() && chunk.stream.p99.is_some(),
        "{chunk:?}"
    );
    let (old, new) = (chunk.old.expect("a table"), chunk.new.expect("a table"));
    assert!(old.bytes > 0 && new.bytes > 0 && old.work.user_bytes > 0, "{old:?} {new:?}");
    assert_eq!((old.rows, old.removed), (arrived.len() as u64, Some(0)));
    page.drive(&mut run, MigrationStage::Done).expect("it ends");
    assert_eq!(page.held(NEW, LayoutKind::Wide), page.arrived(&run));
    assert_eq!(page.names(), [NEW, RUN_TABLE, super::super::STATE_TABLE]);
    // Events continue to arrive in the new table.
    let before = page.arrived(&run).len();
    page.go(&mut run, None).expect("a slice");
    page.go(&mut run, None).expect("a slice");
    assert!(page.arrived(&run).len() > before);
    assert_eq!(page.held(NEW, LayoutKind::Wide), page.arrived(&run));
}

#[test]
fn rows_that_the_new_table_lacks_are_counted_until_it_is_compared() {
    for (kind, are_comparable) in [(LayoutKind::Wide, true), (LayoutKind::RowPerEntity, false)] {
        let mut page = Page::new(shop(300));
        let choice = MigrationChoice {
            from: design(LayoutKind::Narrow),
            to: design(kind),
            retention_days: NEVER,
            replaces_other: false,
        };
        let begun =
            page.host.ask(|tables| MigrationRun::begin(tables, &choice, &Page::source(), &page.events));
        let mut run = begun.expect("it begins").into_run().expect("no other migration is stored");
        assert_eq!(page.look(&run).expect("a chunk").missing, None, "there is no new table");
        let mut counts = BTreeSet::new();
        for stage in [MigrationStage::DualWrites, MigrationStage::Ready] {
            page.drive(&mut run, stage).expect("it gets there");
            let chunk = page.look(&run).expect("a chunk");
            let (old, new) = (chunk.old.expect("a table"), chunk.new.expect("a table"));
            let missing = (stage == MigrationStage::DualWrites && are_comparable)
                .then(|| old.rows.saturating_sub(new.rows));
            assert_eq!(chunk.missing, missing, "{kind:?} {stage:?}");
            counts.extend(missing.filter(|missing| *missing >= chunk.stream.history));
        }
        assert_eq!(counts.is_empty(), !are_comparable, "the history is in the old table only");
    }
}

/// On this machine the stream alone takes more time than there is.
#[test]
fn a_stream_that_is_always_late_leaves_a_step_some_time() {
    let mut page = Page::new(shop(40));
    let mut run = page.begin(NEVER).expect("a run");
    let mut copied = 0;
    for turn in 0..600 {
        let decision = (turn == 5).then_some(MigrationDecision::DualWrites);
        let Page { host, events, clock } = &mut page;
        let order = MigrationOrder { decision, events_per_second: 5_000, works: true };
        let clock = || {
            clock.set(clock.get() + 60_000);
            clock.get()
        };
        host.ask(|tables| run.go(tables, events, order, &clock)).expect("it continues");
        copied = page.look(&run).expect("figures").copied;
        if copied > 0 {
            break;
        }
    }
    assert!(copied > 0, "the step stands still");
}

/// Uses the same slow machine, and keys for which new rows come after all others.
#[test]
fn a_comparison_ends_during_a_stream_that_is_always_late() {
    let by_time = |kind: LayoutKind| {
        Design::new(format!("{kind:?}"), "{timestamp:iso}#{app_id}#{user_token}", Layout::new(kind))
    };
    let (from, to) = (by_time(LayoutKind::Narrow), by_time(LayoutKind::Wide));
    let choice = MigrationChoice { from, to, retention_days: NEVER, replaces_other: false };
    let mut page = Page::new(shop(40));
    let events = &page.events;
    let begun = page.host.ask(|tables| MigrationRun::begin(tables, &choice, &Page::source(), events));
    let mut run = begun.expect("it begins").into_run().expect("no other migration is stored");
    let mut stage = None;
    for turn in 0..300 {
        let decision = (turn == 5).then_some(MigrationDecision::DualWrites);
        let events_per_second = match stage {
            Some(MigrationStage::Backfilling) => 0,
            Some(MigrationStage::Verifying) => 5_000,
            _ => 270,
        };
        let Page { host, events, clock } = &mut page;
        let order = MigrationOrder { decision, events_per_second, works: true };
        let clock = || {
            clock.set(clock.get() + 60_000);
            clock.get()
        };
        host.ask(|tables| run.go(tables, events, order, &clock)).expect("it continues");
        let chunk = page.look(&run).expect("figures");
        assert_eq!(chunk.difference, None);
        stage = chunk.stage;
        if stage == Some(MigrationStage::VerifyingBack) {
            return;
        }
    }
    panic!("the migration never ends: {:?}", page.look(&run));
}

#[test]
fn a_visit_that_is_killed_after_any_request_resumes_with_all_events() {
    let (mut requests, mut stages) = (1, BTreeSet::new());
    loop {
        let mut page = Page::new(shop(40));
        page.host.left = requests;
        let is_done =
            page.begin(NEVER).and_then(|mut run| page.drive(&mut run, MigrationStage::Done)).is_ok();
        page.host.left = u64::MAX;
        let mut run = match page.find() {
            Some(run) => run,
            None => page.begin(NEVER).expect("it begins"),
        };
        let stage = page.look(&run).expect("a chunk").stage;
        stages.insert(stage.map(MigrationStage::name));
        if stage == Some(MigrationStage::Ready) {
            assert_eq!(page.held(OLD, LayoutKind::Narrow), page.held(NEW, LayoutKind::Wide), "{requests}");
        }
        page.drive(&mut run, MigrationStage::Done).unwrap_or_else(|error| panic!("{requests}: {error}"));
        assert!(page.held(NEW, LayoutKind::Wide).is_superset(&page.arrived(&run)), "{requests}");
        assert_eq!(page.names(), [NEW, RUN_TABLE, super::super::STATE_TABLE], "{requests}");
        if is_done {
            break;
        }
        requests += 97;
    }
    assert!(stages.len() >= 4, "kills are at different stages: {stages:?}");
}

#[test]
fn an_undo_leaves_the_old_table_with_all_events_and_another_try_is_possible() {
    for stage in [MigrationStage::DualWrites, MigrationStage::Ready, MigrationStage::Switched] {
        let mut page = Page::new(shop(300));
        let mut run = page.begin(NEVER).expect("it begins");
        page.drive(&mut run, stage).expect("it gets there");
        page.go(&mut run, Some(MigrationDecision::Undo)).expect("it can be undone");
        for _ in 0..3 {
            page.go(&mut run, None).expect("a slice");
        }
        assert_eq!(page.look(&run).expect("a chunk").stage, None, "{stage:?}");
        assert_eq!(page.held(OLD, LayoutKind::Narrow), page.arrived(&run), "{stage:?}");
        assert_eq!(page.names(), [OLD, RUN_TABLE, super::super::STATE_TABLE]);
        let mut run = page.find().expect("it is there");
        page.drive(&mut run, MigrationStage::Done).expect("it ends");
        let error = page.go(&mut run, Some(MigrationDecision::Undo)).expect_err("the old table is dropped");
        assert_eq!(error.code, Code::FailedPrecondition);
    }
}

#[test]
fn gc_removes_old_events_on_the_time_of_the_stream_and_makes_no_difference() {
    // A round spans 60 days, and the retention period is 36 days.
    let mut page = Page::new(shop(120));
    let mut run = page.begin(36).expect("it begins");
    let mut host_time = NOW;
    let mut collect = |page: &mut Page, run: &MigrationRun| {
        page.host.instance.set_gc_time(Some(run.now()));
        host_time += 10_000_000;
        while page.host.instance.advance(host_time, Budget { bytes: 1 << 20 }) {}
    };
    while run.now() < NOW + 144 * 24 * HOUR {
        page.go(&mut run, None).expect("a slice");
        collect(&mut page, &run);
    }
    page.drive(&mut run, MigrationStage::DualWrites).expect("it begins");
    for _ in 0..2_000 {
        page.go(&mut run, None).expect("a slice");
        collect(&mut page, &run);
        let chunk = page.look(&run).expect("a chunk");
        assert_eq!(chunk.difference, None);
        if chunk.stage == Some(MigrationStage::Ready) {
            let old = chunk.old.expect("a table");
            assert!(old.rows < chunk.stream.arrived && old.removed > Some(0), "{chunk:?}");
            return;
        }
    }
    panic!("the migration never ends: {:?}", page.look(&run));
}

#[test]
fn rounds_are_later_than_those_before_and_have_the_same_distances() {
    let events = shop(10);
    let mut stream = Stream::of(&events);
    assert_eq!((stream.round, stream.anchor, stream.stretch), (10, NOW, 60 * 24 / 9));
    let times: Vec<Timestamp> = stream
        .take(&events, 30)
        .iter()
        .map(|event| time::parse(event[2].as_ref().expect("a time")).expect("a time"))
        .collect();
    assert_eq!(times.len(), 30);
    assert!(times.is_sorted_by(|a, b| a < b));
    let later = HOUR * stream.stretch;
    assert_eq!((times[1] - times[0], times[11] - times[10], times[29]), (later, later, stream.now));
    assert_eq!(times[10] - times[9], 1_000_000);
    // A time in the user's own format cannot be written for another round.
    let mut own = fields();
    own[2].format = Some(tabletop_keys::time::DateFormat::new("%d.%m.%Y").expect("a format"));
    assert!(stream.is_over(&own) && !stream.is_over(&fields()));
}

#[test]
fn a_stream_ends_before_times_that_cannot_be_written() {
    let events = shop(2);
    let mut stream = Stream::of(&events);
    assert_eq!(stream.take(&events, 2).len(), 2);
    stream.now = time::parse("9999-12-01").expect("a time");
    // The next round begins, and its second event would be in the year 10000.
    assert_eq!((stream.take(&events, 10).len(), stream.arrived), (1, 3));
    assert!(stream.is_over(&fields()));
    assert_eq!(stream.take(&events, 10).len(), 0);
}

#[test]
fn times_are_not_stretched_where_one_event_is_far_from_the_others() {
    let mut events = Events::new(fields());
    for n in 0..3_000 {
        let days = if n == 1_501 { 400 } else { 0 };
        let time = time::format(NOW + n * 1_000_000 + days * 24 * HOUR);
        events.push(&["a", "u", &time, "click", "search", ""].map(Some)).expect("an event");
    }
    assert_eq!(Stream::of(&events).stretch, 1);
}

#[test]
fn an_event_that_a_design_cannot_write_is_counted_and_no_other_is_lost() {
    let mut events = shop(30);
    events.push(&["a", "u", "no time", "click", "search", ""].map(Some)).expect("an event");
    let mut page = Page::new(events);
    let mut run = page.begin(NEVER).expect("it begins");
    page.drive(&mut run, MigrationStage::Done).expect("it ends");
    let chunk = page.look(&run).expect("a chunk");
    assert!(chunk.stream.refused > 0 && chunk.stream.refusal.contains("no time"), "{chunk:?}");
    let written = page.held(NEW, LayoutKind::Wide).len() as u64;
    assert_eq!(written, chunk.stream.arrived - chunk.stream.refused);
}

#[test]
fn a_new_key_that_loses_a_field_is_refused_and_the_migration_before_stays() {
    let mut page = Page::new(shop(30));
    let mut run = page.begin(NEVER).expect("it begins");
    page.drive(&mut run, MigrationStage::DualWrites).expect("it gets there");
    let names = page.names();
    let to = Design::new("Without the app", "{user_token},{timestamp:iso}", Layout::new(LayoutKind::Wide));
    let choice = MigrationChoice {
        from: design(LayoutKind::Narrow),
        to,
        retention_days: NEVER,
        replaces_other: false,
    };
    let events = &page.events;
    let refused = page.host.ask(|tables| MigrationRun::begin(tables, &choice, &Page::source(), events));
    let error = refused.map(drop).expect_err("the app is lost");
    assert_eq!(error.code, Code::FailedPrecondition);
    assert!(error.message.starts_with("The table of Without the app would lose app_id"), "{error}");
    assert_eq!(page.names(), names);
    assert!(page.find().is_some());
}

#[test]
fn an_old_key_with_times_that_the_new_table_writes_otherwise_is_refused_unless_they_are_stretched() {
    let from = Design::new("Plain", "{app_id},{user_token},{timestamp}", Layout::new(LayoutKind::Narrow));
    let choice =
        MigrationChoice { from, to: design(LayoutKind::Wide), retention_days: NEVER, replaces_other: false };
    for (hours, is_refused) in [(1, false), (60 * 24, true)] {
        let mut events = Events::new(fields());
        for n in 0..30 {
            let time = time::format(NOW + n * hours * HOUR).replace(".000Z", "Z");
            events.push(&["a", "u", &time, "click", "search", ""].map(Some)).expect("an event");
        }
        let mut page = Page::new(events);
        let begun =
            page.host.ask(|tables| MigrationRun::begin(tables, &choice, &Page::source(), &page.events));
        if is_refused {
            let error = begun.map(drop).expect_err("no event could be looked up");
            assert_eq!(error.code, Code::FailedPrecondition);
            let row = "Row a,u,2019-05-28T00:00:00Z of Plain has timestamp as the event writes it";
            assert!(error.message.starts_with(row), "{error}");
            assert!(page.names().is_empty());
        } else {
            let mut run = begun.expect("it begins").into_run().expect("no other migration is stored");
            page.drive(&mut run, MigrationStage::Done).expect("it ends");
        }
    }
}

#[test]
fn a_difference_says_which_of_the_two_tables_has_the_event() {
    let in_old = (OLD, LayoutKind::Narrow, MigrationStage::Switched, MigrationDecision::Drop);
    let in_new = (NEW, LayoutKind::Wide, MigrationStage::Ready, MigrationDecision::CopyAgain);
    for (table, kind, stage, decision) in [in_old, in_new] {
        let mut page = Page::new(shop(30));
        let mut run = page.begin(NEVER).expect("it begins");
        page.drive(&mut run, stage).expect("the stage is reached");
        // Another writer writes into one of the tables.
        let mut side = Side::new(table, &design(kind), &fields()).expect("a design");
        let event =
            ["z", "zoë", "2019-05-28T00:00:00Z", "click", "search", ""].map(|text| Some(text.to_owned()));
        let row = side.write_texts(&fields(), &event).expect("a row");
        page.host.ask(|tables| side.store(tables, vec![row])).expect("it is stored");
        page.go(&mut run, Some(decision)).expect("it can be");
        let found = (0..1_000).find_map(|_| {
            page.go(&mut run, None).expect("a slice");
            page.look(&run).expect("a chunk").difference
        });
        let difference = found.expect("it is found");
        assert_eq!(
            (difference.is_in_old, escape(&difference.key)),
            (table == OLD, "z,zoë,2019-05-28T00:00:00.000Z".into())
        );
        assert!(difference.event.starts_with("app_id z, user_token zoë, "), "{difference:?}");
    }
}

#[test]
fn a_visit_with_other_events_finds_nothing_or_says_why() {
    let mut page = Page::new(shop(30));
    let mut run = page.begin(NEVER).expect("it begins");
    page.drive(&mut run, MigrationStage::DualWrites).expect("it begins");
    let events = &page.events;
    let other = page.host.ask(|tables| MigrationRun::find(tables, &Source::Sample("other".into()), events));
    assert!(other.expect("it can be read").is_none());
    let fewer = shop(29);
    let found = page.host.ask(|tables| MigrationRun::find(tables, &Page::source(), &fewer));
    assert_eq!(found.err().map(|error| error.code), Some(Code::FailedPrecondition));
    page.host.ask(MigrationRun::remove).expect("it is removed");
    assert!(page.find().is_none());
    assert_eq!(page.names(), [super::super::STATE_TABLE]);
}

#[test]
fn what_a_removal_that_has_failed_leaves_goes_when_a_migration_is_looked_for() {
    for requests in 0..10 {
        let mut page = Page::new(shop(30));
        let mut run = page.begin(NEVER).expect("it begins");
        page.drive(&mut run, MigrationStage::DualWrites).expect("it gets there");
        page.host.left = requests;
        let is_done = page.host.ask(MigrationRun::remove).is_ok();
        page.host.left = u64::MAX;
        let is_found = page.find().is_some();
        assert_eq!(is_found, requests == 0, "{requests}");
        if !is_found {
            assert_eq!(page.names(), [super::super::STATE_TABLE], "{requests}");
            assert_eq!(
                page.host.ask(|tables| Migration::has_begun(tables, OLD, NEW)),
                Ok(false),
                "{requests}"
            );
        }
        if is_done {
            assert!(requests > 3, "{requests}");
            return;
        }
    }
    panic!("it is never removed");
}

#[test]
fn what_a_beginning_that_is_killed_leaves_goes_when_a_migration_is_looked_for() {
    for requests in 0..30 {
        let mut page = Page::new(shop(30));
        page.host.left = requests;
        let has_begun = page.begin(NEVER).is_ok();
        page.host.left = u64::MAX;
        let is_found = page.find().is_some();
        assert_eq!(page.names().is_empty(), !is_found, "{requests}");
        if has_begun {
            assert!(is_found && requests > 5, "{requests}");
            return;
        }
    }
    panic!("it never begins");
}

#[test]
fn the_row_of_a_run_is_as_earlier_builds_have_written_it() {
    let mut page = Page::new(shop(30));
    page.begin(NEVER).expect("it begins");
    let row =
        page.host.ask(|tables| tables.read_row(RUN_TABLE, "run")).expect("it can be read").expect("a row");
    let cells: Vec<(String, String)> = row
        .cells
        .iter()
        .map(|cell| {
            (
                format!("{}:{}", cell.family, cell.qualifier),
                String::from_utf8(cell.value.to_vec()).expect("a text"),
            )
        })
        .collect();
    let others: Vec<(&str, &str)> =
        cells.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let [refusal, retention, stream, workspace] = others.as_slice() else { panic!("{others:?}") };
    assert_eq!(
        (*refusal, *retention, *stream),
        (("r:refusal", ""), ("r:retention", "36500"), ("r:stream", "30 0 1559001600000000 49 - 0 0 0"))
    );
    assert_eq!(workspace.0, "r:workspace");
    let workspace = Workspace::from_json(workspace.1).expect("a workspace");
    assert_eq!(
        (workspace.source, workspace.designs),
        (Page::source(), vec![design(LayoutKind::Narrow), design(LayoutKind::Wide)])
    );
}
