//! The examples of profiles: does what their texts say, as the page does it, and checks that what
//! they promise is true.

use std::cell::Cell;
use std::collections::BTreeSet;

use serde_json::Value;
use tabletop_design::Tables;
use tabletop_design::migration::MigrationRun;
use tabletop_design::personalization::ProfilesRun;
use tabletop_engine::{Budget, Instance};
use tabletop_keys::{Layout, LayoutKind};
use tabletop_model::{Code, ReadRows, Request, Result, Timestamp};
use tabletop_protocol::{
    ProfilesChunk, ProfilesWork, UserProfile,
    migration::{
        MigrationChoice, MigrationChunk, MigrationDecision, MigrationOrder, MigrationStage, MigrationVisit,
    },
};
use tabletop_texts::example_texts::ExampleText;
use tabletop_workload::Events;
use tabletop_workspace::{Design, Example, ExampleKind, Strategy, Workspace};

use super::examples::{events_of, text, titled};
use super::{Folder, tabletop};

/// An example with its workspace and its events.
struct Opened {
    example: Example,
    workspace: Workspace,
    events: Events,
}

impl Opened {
    fn of(title: &str) -> Opened {
        let example = titled(title);
        let workspace = Workspace::from_json(example.json()).expect("a workspace");
        Opened { example, workspace, events: events_of(example.json()) }
    }

    /// The design on the screen, which is the first one.
    fn design(&self) -> &Design {
        &self.workspace.designs[0]
    }

    fn strategy(&self) -> &Strategy {
        self.workspace.strategy.as_deref().expect("it has a strategy")
    }

    /// Asserts that the text says this.
    #[track_caller]
    fn says(&self, what: &str) {
        let ExampleText { title, about, .. } = text(self.example);
        assert!(about.contains(what), "{title}: it does not say \"{what}\"");
    }
}

/// The pipelines of an example, as the page runs them.
struct Pipelines {
    opened: Opened,
    run: ProfilesRun,
}

impl Pipelines {
    fn of(title: &str) -> Pipelines {
        let opened = Opened::of(title);
        let run = ProfilesRun::new(opened.design(), &opened.events, opened.strategy())
            .expect("its events make profiles");
        Pipelines { opened, run }
    }

    fn go(&mut self, work: &ProfilesWork, user: Option<(&str, &str)>) -> ProfilesChunk {
        self.run.go(&self.opened.events, work, user).expect("it can be done")
    }

    /// Lets all events arrive. Returns the app and name of the user on the screen, who has the most
    /// of the first events, and the last slice.
    fn stream(&mut self) -> ((String, String), ProfilesChunk) {
        let mut shown = None;
        loop {
            let chunk = self.go(&ProfilesWork::Stream(400), None);
            let busiest = chunk.busiest.first().map(|of| (of.app.clone(), of.user.clone()));
            shown = shown.or(busiest);
            if chunk.events == chunk.events_total {
                assert_eq!(chunk.refused, 0, "{}", chunk.refusal);
                return (shown.expect("a user"), chunk);
            }
        }
    }

    fn look(&mut self, (app, user): &(String, String)) -> UserProfile {
        self.go(&ProfilesWork::Nothing, Some((app.as_str(), user.as_str()))).user.expect("it was named")
    }

    /// Changes the strategy, and recomputes all profiles.
    fn change(&mut self, strategy: Strategy) -> ProfilesChunk {
        self.go(&ProfilesWork::Strategy(strategy), None);
        loop {
            let chunk = self.go(&ProfilesWork::Batch, None);
            if chunk.batch.as_ref().is_some_and(|batch| batch.is_done) {
                return chunk;
            }
        }
    }
}

/// Returns the names of the items in the order of a profile.
fn order(user: &UserProfile) -> Vec<&str> {
    user.items.iter().map(|item| item.name.as_str()).collect()
}

/// Returns the facets of a profile's values.
fn facets(user: &UserProfile) -> BTreeSet<&str> {
    user.scores.iter().map(|(value, _)| value.split_once(':').expect("a name and a value").0).collect()
}

#[test]
fn each_opens_at_a_section_with_the_key_and_the_events_of_profiles() {
    let all: Vec<Example> =
        Example::ALL.into_iter().filter(|example| example.kind() == ExampleKind::Profiles).collect();
    assert_eq!(all.len(), 4);
    for example in all {
        let Opened { workspace, events, .. } = Opened::of(text(example).title);
        assert_eq!(workspace.arrived, Some(events.len() as u32), "{example:?}");
        assert!(
            workspace.designs.iter().all(|design| design.template == "{app_id},{user_token},{timestamp:iso}")
        );
        // Each event counts, so a profile is made of all of them.
        let roles = ["event_type", "event_name"]
            .map(|name| events.fields().iter().position(|field| field.name == name));
        let [kind, name] = roles.map(|field| field.expect("a field of generated events"));
        let strategy = workspace.strategy.as_deref().expect("a strategy");
        let value = |event: usize, field: usize| events.value(event, field).expect("a value");
        assert!(
            (0..events.len()).all(|event| strategy.event_score(value(event, kind), value(event, name)) > 0)
        );
    }
}

#[test]
fn why_algolia_went_wide() {
    let opened = Opened::of("Why Algolia went wide");
    let folder = Folder::new();
    let file = folder.write("example.json", opened.example.json());
    // The page repeats each run; the bytes are the same each time.
    let report = tabletop(&["experiment", &file, "--sizes", "2", "--rounds", "1", "--format", "json"]).ok();
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let all = report["facets"].as_array().expect("a list").len();
    let asked = opened.strategy().facets.len();
    assert_eq!(report["facets_asked"], asked, "the experiment of the page asks for as many");
    for (at, score) in opened.strategy().facets.iter().enumerate() {
        assert_eq!(report["facets"][at], score.facet, "those of the strategy come first");
    }
    opened.says(&format!("a narrow cell holds all {all} facets of its event"));
    let events = opened.events.len() as u64;
    let figure = |design: &str, facets: usize, figure: &str| {
        let at = report["designs"]
            .as_array()
            .expect("a list")
            .iter()
            .position(|of| of["name"] == design)
            .expect("it took part");
        let points = report["points"].as_array().expect("a list");
        let point = points.iter().find(|point| {
            (point["design"].as_u64(), point["events"].as_u64(), point["facets"].as_u64())
                == (Some(at as u64), Some(events), Some(facets as u64))
        });
        point.expect("it ran")[figure].as_u64().expect("a number")
    };
    // The designs of the workspace are those of the article, which the page measures once.
    for (own, articles) in [("Narrow", "narrow"), ("Wide", "wide")] {
        for name in ["rows", "cells_returned", "bytes_returned", "scores"] {
            assert_eq!(figure(own, asked, name), figure(articles, asked, name), "{own}: {name}");
        }
    }
    assert_eq!(figure("narrow", asked, "cells_returned"), events, "a cell for each event");
    let cells = figure("wide", asked, "cells_returned");
    assert_eq!(cells % events, 0);
    opened.says(&format!(
        "from a wide row a filter returns only the {} cells that the strategy names",
        cells / events
    ));
    assert_eq!(
        figure("narrow", asked, "scores"),
        figure("wide", asked, "scores"),
        "both make the same profiles"
    );
    assert!(figure("wide", asked, "bytes_returned") < figure("narrow", asked, "bytes_returned"));
    assert!(figure("wide", all, "bytes_returned") > figure("narrow", all, "bytes_returned"));
    opened.says(&format!("wide returns fewer bytes than narrow for {asked} facets, and more for all {all}."));
}

#[test]
fn change_the_strategy() {
    let mut page = Pipelines::of("Change the strategy");
    page.opened.says("set the score of brand to 0");
    let (user, arrived) = page.stream();
    let before = page.look(&user);
    assert!(facets(&before).contains("brand"), "{before:?}");
    let strategy = page.opened.strategy().clone();
    let mut without = strategy.clone();
    without.facets.retain(|score| score.facet != "brand");
    let done = page.change(without);
    assert_eq!(
        done.batch.expect("there is one").users,
        arrived.users,
        "the batch computes all profiles again"
    );
    let after = page.look(&user);
    assert!(after.is_current && !after.scores.is_empty());
    assert!(!facets(&after).contains("brand"), "{after:?}");
    assert_ne!(order(&after), order(&before), "the shop shows its items in another order");
    page.change(strategy);
    let again = page.look(&user);
    assert_eq!((&again.scores, &again.items), (&before.scores, &before.items), "Undo takes it back");
}

#[test]
fn a_profile_at_query_time() {
    let mut page = Pipelines::of("A profile at query time");
    let (first, arrived) = page.stream();
    let mut others = arrived.busiest.iter().map(|of| (of.app.clone(), of.user.clone()));
    let second = others.find(|other| *other != first).expect("another user");
    let users = [page.look(&first), page.look(&second)];
    for user in &users {
        assert!(user.is_current && !user.scores.is_empty());
        for item in &user.items {
            let of_profile = item.reasons.iter().all(|reason| user.scores.contains(reason));
            assert!(of_profile, "the values that make a score are of the profile: {item:?}");
            assert_eq!(
                item.score,
                item.reasons.iter().map(|(_, score)| score).sum::<u64>(),
                "its score: {item:?}"
            );
        }
        assert!(user.items.is_sorted_by(|one, next| one.score >= next.score));
        let moves = user.items.iter().enumerate().any(|(at, item)| item.before as usize != at);
        assert!(moves, "items move: {:?}", order(user));
    }
    let [first, second] = [order(&users[0]), order(&users[1])];
    assert_ne!(first, second, "another order");
    assert_eq!(BTreeSet::from_iter(first), BTreeSet::from_iter(second), "the same items");
}

/// The time of the instance, at which nothing is collected.
const NOW: Timestamp = 1_559_001_600_000_000;

/// A migration of an example as the page runs it, with a clock that counts calls.
struct Migrated {
    opened: Opened,
    instance: Instance,
    clock: Cell<Timestamp>,
    /// Whether the step continues on its own.
    works: bool,
}

impl Migrated {
    fn ask<T>(&mut self, act: impl FnOnce(&mut Tables, &Events, &Cell<Timestamp>) -> T) -> T {
        let Migrated { opened, instance, clock, .. } = self;
        let mut ask = |request: Request| instance.handle(NOW, request);
        let answer = act(&mut Tables::new(&mut ask), &opened.events, clock);
        instance.advance(NOW, Budget { bytes: 1 << 20 });
        answer
    }

    /// Begins with the old table. The new one is what the page proposes first: the same in the
    /// layout wide.
    fn begin(&mut self) -> MigrationRun {
        let from = self.opened.design().clone();
        let to = Design { name: "Wide".into(), layout: Layout::new(LayoutKind::Wide), ..from.clone() };
        // No event is too old, so that each one can be counted.
        let choice = MigrationChoice { from, to, retention_days: 36_500, replaces_other: false };
        let source = self.opened.workspace.source.clone();
        let begun = self.ask(|tables, events, _| MigrationRun::begin(tables, &choice, &source, events));
        begun.expect("it begins").into_run().expect("the tables are free")
    }

    /// Finds the migration, as the page does after an error or a reload.
    fn find(&mut self) -> MigrationRun {
        let source = self.opened.workspace.source.clone();
        let found = self.ask(|tables, events, _| MigrationRun::find(tables, &source, events));
        found.expect("its rows can be read").expect("there is one")
    }

    /// Continues for one slice, while events arrive.
    fn go(&mut self, run: &mut MigrationRun, decision: Option<MigrationDecision>) -> Result<MigrationChunk> {
        let order = MigrationOrder { decision, events_per_second: 5_000, works: self.works };
        self.ask(|tables, events, clock| {
            // The page does this in between.
            clock.set(clock.get() + 100_000);
            let now = || {
                clock.set(clock.get() + 300);
                clock.get()
            };
            run.go(tables, events, order, &now)?;
            run.look(tables, MigrationVisit { is_stored: false, is_resumed: false })
        })
    }

    /// Continues the step until a stage is reached. Events arrive all the time.
    fn work_until(&mut self, run: &mut MigrationRun, stage: MigrationStage) -> MigrationChunk {
        self.works = true;
        for _ in 0..20_000 {
            let chunk = self.go(run, None).expect("a slice");
            assert_eq!((&chunk.difference, chunk.stream.refused), (&None, 0));
            if chunk.stage == Some(stage) {
                self.works = false;
                return chunk;
            }
        }
        panic!("{} is never reached", stage.name());
    }

    /// Returns the number of rows of a table: each event is one row.
    fn rows(&mut self, table: &str) -> u64 {
        self.ask(|tables, _, _| tables.read_all(table, ReadRows::default())).expect("a table").len() as u64
    }
}

#[test]
fn migrate_without_downtime() {
    let opened = Opened::of("Migrate without downtime");
    opened.says("write to both tables, backfill older events, and read from the new table");
    assert_eq!((opened.workspace.designs.len(), opened.design().layout.kind), (1, LayoutKind::Narrow));
    let mut page = Migrated { opened, instance: Instance::new(), clock: Cell::new(0), works: false };
    let mut run = page.begin();
    let before = loop {
        let chunk = page.go(&mut run, None).expect("a slice");
        // These follow the events that are there before the stream.
        if chunk.stream.arrived > chunk.stream.history {
            break chunk;
        }
    };
    assert_eq!(before.stage, None, "only the old table is written");
    let both = page.go(&mut run, Some(MigrationDecision::DualWrites)).expect("the first step");
    assert_eq!(both.stage, Some(MigrationStage::DualWrites));
    page.opened.says("reads switch only when both tables hold the same events");
    let early = page.go(&mut run, Some(MigrationDecision::Switch)).map(|chunk| chunk.stage);
    assert_eq!(early.map_err(|error| error.code), Err(Code::FailedPrecondition));
    run = page.find();
    let ready = page.work_until(&mut run, MigrationStage::Ready);
    assert!(ready.copied > 0 && ready.dual_written > 0 && ready.compared > 0, "{ready:?}");
    assert!(ready.stream.arrived > before.stream.arrived, "events keep arriving while it runs");
    assert_eq!([page.rows("migration_old"), page.rows("migration_new")], [ready.stream.arrived; 2]);
    let switched = page.go(&mut run, Some(MigrationDecision::Switch)).expect("the third step");
    assert_eq!(switched.stage, Some(MigrationStage::Switched));
    page.opened.says("before the old table is dropped, its events are looked up in the new one again");
    let checking = page.go(&mut run, Some(MigrationDecision::Drop)).expect("its end");
    assert!(checking.stage == Some(MigrationStage::Checking) && checking.old.is_some(), "{checking:?}");
    let done = page.work_until(&mut run, MigrationStage::Done);
    assert!(done.stream.arrived > ready.stream.arrived && done.old.is_none(), "{done:?}");
    assert_eq!(page.rows("migration_new"), done.stream.arrived, "no event is lost");
    let later = page.go(&mut run, None).expect("a slice");
    assert!(later.stream.arrived > done.stream.arrived, "events keep arriving");
    assert_eq!(page.rows("migration_new"), later.stream.arrived);
}
