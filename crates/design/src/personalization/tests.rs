use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::sample::select;
use proptest::strategy::Strategy as _;
use tabletop_keys::{LayoutKind, facets};
use tabletop_model::{Code, GcRule, ReadRows, Request, Response, RowFilter, RowRange, RowSet, TableRequest};
use tabletop_workspace::{EventScore, FacetScore};

use super::*;
use crate::test_host::{Host, NOW, fields};

const KINDS: [LayoutKind; 3] = [LayoutKind::Narrow, LayoutKind::Wide, LayoutKind::RowPerEntity];
const KEYS: [&str; 3] = [
    "{app_id},{user_token},{timestamp:iso}",
    "{salt(4)}-{app_id},{user_token},{timestamp:iso}",
    "{salt(3, user_token, from=2019-05-20)}-{app_id}#{user_token}#{timestamp:millis}",
];
const MINUTE: Timestamp = 60_000_000;
const DAY: Timestamp = 24 * 60 * MINUTE;

fn design(key: &str, kind: LayoutKind) -> Design {
    Design::new("Design", key, Layout::new(kind))
}

fn strategy() -> Strategy {
    Strategy::new(
        vec![EventScore::new("click", "search", 2), EventScore::new("conversion", "checkout", 50)],
        vec![FacetScore::new("brand", 10), FacetScore::new("color", 1)],
    )
}

#[derive(Clone, Debug, PartialEq)]
struct Event {
    app: &'static str,
    user: &'static str,
    time: Timestamp,
    kind: (&'static str, &'static str),
    facets: &'static str,
}

fn event(user: &'static str, time: Timestamp, facets: &'static str) -> Event {
    Event { app: "a", user, time, kind: ("click", "search"), facets }
}

impl Host {
    fn rows(&mut self, table: &str) -> Vec<tabletop_model::Row> {
        self.ask(|tables| tables.read_all(table, ReadRows::default())).expect("rows")
    }
}

fn names() -> PersonalTables {
    PersonalTables { events: "events".into(), profiles: "profiles".into() }
}

fn personal(key: &str, kind: LayoutKind, strategy: &Strategy) -> Personalization {
    Personalization::new(&design(key, kind), &fields(), strategy, names()).expect("it makes profiles")
}

/// Creates the tables and streams the events, which all arrive at `NOW`.
fn streamed(personal: &mut Personalization, host: &mut Host, events: &[Event]) {
    host.ask(|tables| personal.create_tables(tables)).expect("tables");
    for event in events {
        stream(personal, host, NOW, event).expect("it is stored");
    }
}

fn stream(
    personal: &mut Personalization,
    host: &mut Host,
    now: Timestamp,
    event: &Event,
) -> Result<Streamed> {
    let (fields, time) = (fields(), time::format(event.time));
    let values = [
        Some(event.app),
        Some(event.user),
        Some(&*time),
        Some(event.kind.0),
        Some(event.kind.1),
        Some(event.facets),
    ];
    host.ask(|tables| personal.stream(tables, now, &Record { fields: &fields, values: &values }))
}

fn batch(
    personal: &Personalization,
    host: &mut Host,
    app: Option<&str>,
    now: Timestamp,
    cells: u64,
) -> Result<BatchProgress> {
    host.ask(|tables| {
        let mut batch = Batch::start(tables, personal, app, now)?;
        while batch.step(tables, personal, cells)? {}
        Ok(batch.progress(1_000_000))
    })
}

type Scores = BTreeMap<(String, String), BTreeMap<String, u64>>;

/// Returns all profiles that are not empty.
fn profiles(host: &mut Host) -> Scores {
    let rows = host.rows("profiles");
    let of = |row: &tabletop_model::Row| {
        let scores = read_profile(row).profile.scores;
        tabletop_workload::personalization::split_key(&row.key).ok().map(|key| (key, scores))
    };
    rows.iter().filter_map(of).filter(|(_, scores)| !scores.is_empty()).collect()
}

/// Computes the profiles by the definition, without a table. Of several events with the same user,
/// time, type and name, the last one counts.
fn expected(events: &[Event], strategy: &Strategy, now: Timestamp) -> Scores {
    let mut last = BTreeMap::new();
    for event in events {
        last.insert((event.app, event.user, event.time, event.kind), event.facets);
    }
    let mut all = Scores::new();
    for ((app, user, time, kind), text) in last {
        let counts = time >= now - i64::from(strategy.window_days) * DAY && time < now + 10 * MINUTE;
        let score = u64::from(strategy.event_score(kind.0, kind.1));
        let mut values: Vec<(String, u64)> = Vec::new();
        facets::parse(text, |facet| {
            let value = format!("{}{}{}", facet.name, facet.operator, facet.value);
            if !values.iter().any(|(known, _)| *known == value) {
                values.push((value, score * u64::from(strategy.facet_score(facet.name))));
            }
        });
        for (value, score) in values.into_iter().filter(|(_, score)| counts && *score > 0) {
            *all.entry((app.into(), user.into())).or_default().entry(value).or_default() += score;
        }
    }
    all
}

#[test]
fn late_duplicate_and_future_events_are_defined() {
    for kind in KINDS {
        for key in KEYS {
            let (mut host, mut personal) = (Host::new(), personal(key, kind, &strategy()));
            streamed(&mut personal, &mut host, &[]);
            let mut score = |host: &mut Host, event: Event| {
                stream(&mut personal, host, NOW, &event).expect("it is stored").profile.score("brand:Apple")
            };
            assert_eq!(score(&mut host, event("u", NOW - MINUTE, "brand:Apple")), 20, "{kind:?} {key}");
            assert_eq!(score(&mut host, event("u", NOW - MINUTE, "brand:Apple")), 20, "twice is once");
            assert_eq!(score(&mut host, event("u", NOW - 80 * DAY, "brand:Apple")), 40, "late");
            assert_eq!(score(&mut host, event("u", NOW - 91 * DAY, "brand:Apple")), 40, "too late");
            assert_eq!(
                score(&mut host, event("u", NOW + 9 * MINUTE, "brand:Apple")),
                60,
                "a clock that is ahead"
            );
            assert_eq!(score(&mut host, event("u", NOW + 11 * MINUTE, "brand:Apple")), 60, "from the future");
            // Users whose names begin with the same characters have separate profiles.
            assert_eq!(score(&mut host, event("u1", NOW, "brand:Apple")), 20);
            assert_eq!(score(&mut host, event("u", NOW, "brand:Sony")), 60);
            let at_its_time =
                host.ask(|tables| personal.refresh(tables, NOW + 2 * MINUTE, "a", "u")).expect("a profile");
            assert_eq!(at_its_time.score("brand:Apple"), 80, "its time has passed");
            let unknown =
                host.ask(|tables| personal.refresh(tables, NOW, "a", "unknown")).expect("a profile");
            assert!(unknown.is_empty());
            let stored = host
                .ask(|tables| personal.stored(tables, "a", "unknown"))
                .expect("a read")
                .expect("an empty profile");
            assert!(stored.profile.is_empty() && stored.at == NOW);
            assert_eq!(host.ask(|tables| personal.stored(tables, "a", "never")), Ok(None));
        }
    }
}

#[test]
fn an_event_that_keys_cannot_distinguish_is_refused_and_changes_nothing() {
    let (mut host, mut personal) = (Host::new(), personal(KEYS[0], LayoutKind::Wide, &strategy()));
    streamed(&mut personal, &mut host, &[]);
    let refused = |personal: &mut Personalization, host: &mut Host, app, user| {
        let event = Event { app, user, ..event("u", NOW, "brand:Apple") };
        stream(personal, host, NOW, &event).expect_err("it is refused").message
    };
    assert!(
        refused(&mut personal, &mut host, "a,b", "u").contains("put another separator into the template")
    );
    assert!(refused(&mut personal, &mut host, "a", "u,v").contains("The user \"u,v\" contains \",\""));
    assert!(refused(&mut personal, &mut host, "", "u").contains("no value for app_id"));
    let (fields, values) =
        (fields(), [Some("a"), Some("u"), Some("soon"), Some("click"), Some("search"), Some("brand:Apple")]);
    let untimed =
        host.ask(|tables| personal.stream(tables, NOW, &Record { fields: &fields, values: &values }));
    assert_eq!(untimed.expect_err("it has no time").message, "The event has no time: timestamp is \"soon\".");
    assert_eq!((host.rows("events"), host.rows("profiles")), (vec![], vec![]));
}

#[test]
fn a_design_that_cannot_make_profiles_says_why() {
    let refused = |key: &str, kind| {
        Personalization::new(&design(key, kind), &fields(), &strategy(), names())
            .map(drop)
            .expect_err("it is refused")
            .message
    };
    assert!(refused("{timestamp:iso},{app_id}", LayoutKind::Wide).contains("does not begin with the user"));
    assert!(refused("{app_id", LayoutKind::Wide).contains("has a problem"));
    assert!(refused(KEYS[0], LayoutKind::Columns).contains("narrow, wide and row per entity"));
    let mut wrong = strategy();
    wrong.facets[0].score = 101;
    let mut personal = personal(KEYS[0], LayoutKind::Wide, &strategy());
    assert!(personal.set_strategy(&wrong).is_err());
    assert_eq!(personal.strategy(), &strategy());
}

#[test]
fn a_batch_that_is_killed_after_any_request_resumes_and_readers_see_whole_profiles() {
    let facets = ["brand:Apple|color:Red", "brand:Sony|color:Black|color:Red", "color:Blue"];
    let users = ["u", "u1", "u!", "ada", "zoë", "bob"];
    let events: Vec<Event> = (0..60)
        .map(|at| event(users[at % 6], NOW - at as i64 * DAY, facets[at % 3]))
        .chain([event("gone", NOW, facets[0])])
        .collect();
    let new = Strategy {
        window_days: 40,
        ..Strategy::new(vec![EventScore::new("click", "search", 7)], vec![FacetScore::new("color", 9)])
    };
    let later = NOW + 50 * DAY;
    let (before, mut after) = (expected(&events, &strategy(), NOW), expected(&events, &new, later));
    after.retain(|_, scores| !scores.is_empty());
    for kind in [LayoutKind::Wide, LayoutKind::RowPerEntity] {
        let mut kills = 0;
        for requests in 0.. {
            let (mut host, mut personal) = (Host::new(), personal(KEYS[2], kind, &strategy()));
            streamed(&mut personal, &mut host, &events);
            assert_eq!(profiles(&mut host), before);
            personal.set_strategy(&new).expect("it is valid");
            host.left = requests;
            let first = batch(&personal, &mut host, None, later, 1);
            host.left = u64::MAX;
            for (user, scores) in profiles(&mut host) {
                assert!(
                    before.get(&user) == Some(&scores) || after.get(&user) == Some(&scores),
                    "{user:?} {scores:?}"
                );
            }
            // The resumed job keeps the time at which it was begun.
            let done = batch(&personal, &mut host, None, later + if first.is_ok() { 0 } else { 9 * DAY }, 3)
                .expect("it ends");
            if requests > 2 {
                assert_eq!(profiles(&mut host), after, "killed after {requests} requests");
            }
            assert_eq!(done.phase, BatchPhase::Done);
            if first.is_ok() {
                break;
            }
            kills += 1;
        }
        assert!(kills > 15, "{kills}");
    }
}

#[test]
fn a_batch_keeps_what_the_stream_has_computed_since_it_began() {
    let (mut host, mut personal) = (Host::new(), personal(KEYS[0], LayoutKind::Wide, &strategy()));
    let first: Vec<Event> = (0..40).map(|at| event("u", NOW - at * DAY, "brand:Apple")).collect();
    streamed(&mut personal, &mut host, &first);
    let new = Strategy { window_days: 30, ..strategy() };
    personal.set_strategy(&new).expect("it is valid");
    let mut job = host.ask(|tables| Batch::start(tables, &personal, None, NOW)).expect("it begins");
    assert!(host.ask(|tables| job.step(tables, &personal, 1)).expect("a slice"));
    // The user's row that is written now comes before the rows that the job reads next, so the job
    // does not see it.
    let seen =
        stream(&mut personal, &mut host, NOW + MINUTE, &event("u", NOW - 29 * DAY - MINUTE, "brand:Sony"))
            .expect("stored");
    while host.ask(|tables| job.step(tables, &personal, 1)).expect("a slice") {}
    let stored = host.ask(|tables| personal.stored(tables, "a", "u")).expect("a read").expect("a profile");
    assert_eq!((stored.profile.scores, stored.at), (seen.profile.scores, NOW + MINUTE));
}

#[test]
fn progress_has_a_rate_and_a_remaining_time() {
    let (mut host, mut personal) = (Host::new(), personal(KEYS[0], LayoutKind::Wide, &strategy()));
    let users = ["u0", "u1", "u2", "u3"];
    let events: Vec<Event> = (0..2_000)
        .map(|at| event(users[at % 4], NOW - at as i64 * MINUTE, "brand:Apple|color:Red"))
        .collect();
    streamed(&mut personal, &mut host, &events);
    host.ask(|_| ());
    let mut job = host.ask(|tables| Batch::start(tables, &personal, None, NOW)).expect("it begins");
    assert_eq!(job.progress(0).users_per_second, None);
    let mut last = 0.0;
    while host.ask(|tables| job.step(tables, &personal, 300)).expect("a slice") {
        let share = job.progress(1_000).share.unwrap_or(last);
        assert!((last..=1.0).contains(&share), "{share} after {last}");
        last = share;
    }
    let done = job.progress(2_000_000);
    assert_eq!(
        (done.users, done.cells, done.users_per_second, done.remaining_micros),
        (4, 4_000, Some(2.0), Some(0))
    );
    assert!(last > 0.9, "{last}");
}

#[test]
fn an_app_sees_its_own_rows_only_and_apps_and_users_can_be_forgotten() {
    for kind in KINDS {
        for key in KEYS {
            let (mut host, mut personal) = (Host::new(), personal(key, kind, &strategy()));
            let apps = ["a", "a1", "a-", "b"];
            let events: Vec<Event> = (0..64)
                .map(|at| Event {
                    app: apps[at % 4],
                    ..event(["u", "u1"][at / 4 % 2], NOW - at as i64 * DAY, "brand:Apple")
                })
                .collect();
            streamed(&mut personal, &mut host, &events);
            let all = profiles(&mut host);
            // A batch of one app changes only profiles of that app.
            personal.set_strategy(&Strategy { window_days: 1, ..strategy() }).expect("it is valid");
            let done = batch(&personal, &mut host, Some("a"), NOW + 400 * DAY, 10).expect("it ends");
            assert_eq!((done.users, done.removed), (0, 2), "{kind:?} {key}");
            personal.set_strategy(&strategy()).expect("it is valid");
            let mut others = all.clone();
            others.retain(|(app, _), _| app != "a");
            assert_eq!(profiles(&mut host), others);
            // Removes one user of an app, but not the user whose name begins with the same
            // characters.
            let forgotten = host.ask(|tables| personal.forget_user(tables, "b", "u")).expect("it is removed");
            assert!(
                forgotten.event_rows > 0 && (forgotten.profile_rows, forgotten.rows_left) == (1, 0),
                "{forgotten:?}"
            );
            others.remove(&("b".into(), "u".into()));
            assert_eq!(profiles(&mut host), others);
            let left = host.ask(|tables| personal.compute(tables, NOW, "b", "u1")).expect("a profile");
            assert!(!left.is_empty());
            assert!(
                host.ask(|tables| personal.compute(tables, NOW, "b", "u")).expect("a profile").is_empty()
            );
            // Removes an app, but not the apps whose names begin with the same characters.
            let forgotten = host.ask(|tables| personal.forget_app(tables, "a1")).expect("it is removed");
            assert!(forgotten.event_rows > 0 && forgotten.profile_rows == 2, "{forgotten:?}");
            others.retain(|(app, _), _| app != "a1");
            assert_eq!(profiles(&mut host), others);
            let again = host.ask(|tables| personal.forget_app(tables, "a1")).expect("nothing is left");
            assert_eq!(again, Forgotten { event_rows: 0, profile_rows: 0, rows_left: 0 });
            for row in host.rows("events") {
                let logical = personal.writer.template().logical(&row.key);
                assert!(!logical.starts_with(b"a1"), "{}", row.key);
            }
            assert!(
                host.ask(|tables| personal.forget_user(tables, "a,b#c", "u,v#w")).is_err()
                    || personal.keys.is_one_row()
            );
        }
    }
}

#[test]
fn a_table_of_profiles_keeps_one_version_and_can_be_completed() {
    let (mut host, personal) = (Host::new(), personal(KEYS[0], LayoutKind::Wide, &strategy()));
    host.ask(|tables| personal.create_tables(tables)).expect("tables");
    host.ask(|tables| personal.create_tables(tables)).expect("they exist");
    let spec = host.ask(|tables| tables.describe("profiles")).expect("a table");
    assert!(
        spec.families.len() == 3
            && spec.families.iter().all(|family| family.gc_rule == GcRule::MaxVersions(1))
    );
}

fn random_event() -> impl proptest::strategy::Strategy<Value = Event> {
    let facets = [
        "brand:Apple|color:Red",
        "brand:Apple|brand:Apple|size=5",
        "color:Black|color:Red",
        "",
        "size>=7|brand:a,\"b",
    ];
    let kind =
        select(vec![("click", "search"), ("click", "a,b"), ("view", "search"), ("con version", "checkout")]);
    // Some events are from the future, some are too old, many are in the same minute. There is only
    // one list of facets per instant, because in the wide layout the columns of an earlier event
    // with the same time would remain.
    let minutes = prop_oneof![-30..200_i64, 0..140_000_i64];
    (select(vec!["a", "a1", "é"]), select(vec!["u", "u1", "zoë"]), minutes, kind).prop_map(
        move |(app, user, minutes, kind)| {
            let facets = facets[minutes.rem_euclid(5) as usize];
            Event { app, user, time: NOW - minutes * MINUTE, kind, facets }
        },
    )
}

fn random_strategy() -> impl proptest::strategy::Strategy<Value = Strategy> {
    let events = vec![("click", "search"), ("click", "a,b"), ("view", "search"), ("con version", "checkout")];
    let event = (proptest::sample::subsequence(events, 0..=4), vec(1..=100_u32, 4));
    let facet =
        (proptest::sample::subsequence(vec!["brand", "color", "size", "none"], 0..=4), vec(1..=100_u32, 4));
    (event, facet, 1..120_u32).prop_map(|((events, scores), (facets, facet_scores), window_days)| Strategy {
        events: events
            .iter()
            .zip(scores)
            .map(|((of, name), score)| EventScore::new(*of, *name, score))
            .collect(),
        facets: facets
            .iter()
            .zip(facet_scores)
            .map(|(facet, score)| FacetScore::new(*facet, score))
            .collect(),
        window_days,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn both_pipelines_give_the_profiles_of_the_definition(
        events in vec(random_event(), 0..40),
        first in random_strategy(),
        then in random_strategy(),
        key in select(KEYS.to_vec()),
        kind in select(KINDS.to_vec()),
        cells in 1..40_u64,
    ) {
        let (mut host, mut personal) = (Host::new(), personal(key, kind, &first));
        streamed(&mut personal, &mut host, &events);
        let by_stream = expected(&events, &first, NOW);
        prop_assert_eq!(&profiles(&mut host), &by_stream);
        // Then the same strategy again, into an empty table and in slices.
        host.ask(|tables| personal.drop_profiles(tables)).expect("it is empty");
        batch(&personal, &mut host, None, NOW, cells).expect("it ends");
        prop_assert_eq!(&profiles(&mut host), &by_stream);
        // Then another strategy, over the profiles of the first.
        personal.set_strategy(&then).expect("it is valid");
        batch(&personal, &mut host, None, NOW, cells).expect("it ends");
        let by_batch = profiles(&mut host);
        prop_assert_eq!(&by_batch, &expected(&events, &then, NOW));
        // Finally the streaming pipeline recomputes each user.
        for event in &events {
            host.ask(|tables| personal.refresh(tables, NOW, event.app, event.user)).expect("a profile");
        }
        prop_assert_eq!(profiles(&mut host), by_batch);
    }

    #[test]
    fn the_filter_of_a_strategy_changes_no_profile(
        events in vec(random_event(), 1..30),
        of in random_strategy(),
        kind in select(KINDS.to_vec()),
    ) {
        let (mut host, mut personal) = (Host::new(), personal(KEYS[0], kind, &of));
        streamed(&mut personal, &mut host, &events);
        let window = Window::at(NOW, &of);
        let mut all = Profile::default();
        for row in host.rows("events") {
            row.cells.iter().for_each(|cell| personal.reader.add(window, cell.into(), &mut all));
        }
        let read = ReadRows { filter: Some(personal.reader.filter(window)), ..ReadRows::default() };
        let mut filtered = Profile::default();
        for row in host.ask(|tables| tables.read_all("events", read)).expect("rows") {
            row.cells.iter().for_each(|cell| personal.reader.add(window, cell.into(), &mut filtered));
        }
        prop_assert_eq!(&all.scores, &filtered.scores);
        prop_assert!(filtered.cells <= all.cells);
    }
}

#[test]
fn requests_that_are_not_answered_as_asked_are_errors() {
    let mut ask = |_: Request| Response::Done;
    let mut tables = Tables::new(&mut ask);
    assert_eq!(tables.read("t", ReadRows::default()).expect_err("no rows").code, Code::Internal);
    let mut host = Host::new();
    assert_eq!(host.ask(|tables| tables.delete("none")), Ok(()), "a table that does not exist is deleted");
    assert_eq!(host.ask(|tables| tables.describe("none")).expect_err("none").code, Code::NotFound);
    host.instance.handle(NOW, TableRequest::Create(tabletop_model::TableSpec::default()).of("t"));
    assert_eq!(host.ask(|tables| tables.names().expect("names")), ["t"]);
    let range = RowSet::range(RowRange::prefix("x"));
    let read = ReadRows { rows: range, filter: Some(RowFilter::PassAll(true)), ..ReadRows::default() };
    assert_eq!(host.ask(|tables| tables.read_all("t", read)), Ok(vec![]));
}
