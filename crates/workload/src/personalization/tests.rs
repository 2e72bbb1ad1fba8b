use std::collections::BTreeMap;

use tabletop_keys::{Encoding, Field, FieldKind, Layout, LayoutKind, LayoutWriter, Record, Template, time};
use tabletop_model::{Cell, Mutation, Row, RowFilter, RowKey};
use tabletop_workspace::{EventScore, FacetScore, Strategy};

use super::*;

const LAYOUTS: [LayoutKind; 3] = [LayoutKind::Narrow, LayoutKind::Wide, LayoutKind::RowPerEntity];

fn fields() -> Vec<Field> {
    [
        ("app_id", FieldKind::Text),
        ("user_token", FieldKind::Text),
        ("timestamp", FieldKind::Time),
        ("event_type", FieldKind::Text),
        ("event_name", FieldKind::Text),
        ("facets", FieldKind::Facets),
    ]
    .map(|(name, kind)| Field::new(name, kind))
    .into()
}

/// Time, type, name, facets.
type Event = (&'static str, &'static str, &'static str, &'static str);

/// Returns the cells that the events of a user have in a layout. As in a table, the last one with
/// the same row, column and time remains.
fn cells_of(layout: &Layout, events: &[Event]) -> Vec<Cell> {
    let fields = fields();
    let (template, problems) = Template::parse("{app_id},{user_token},{timestamp:iso}", &fields);
    assert_eq!(problems, []);
    let writer = LayoutWriter::new(layout, &fields, &template);
    let mut cells = BTreeMap::new();
    for (at, (time, event_type, name, facets)) in events.iter().enumerate() {
        let values = [Some("app"), Some("user"), Some(*time), Some(*event_type), Some(*name), Some(*facets)];
        let row = writer.write(&Record { fields: &fields, values: &values }, at as u64).expect("a row");
        for mutation in row.mutations {
            let Mutation::SetCell { family, qualifier, timestamp, value } = mutation else {
                panic!("{mutation:?}")
            };
            cells.insert(
                (row.key.clone(), family.clone(), qualifier.clone(), timestamp),
                Cell { family, qualifier, timestamp, value, label: None },
            );
        }
    }
    cells.into_values().collect()
}

fn profile_of(kind: LayoutKind, events: &[Event], strategy: &Strategy, now: &str) -> Profile {
    profile_in(&Layout::new(kind), events, strategy, now)
}

fn profile_in(layout: &Layout, events: &[Event], strategy: &Strategy, now: &str) -> Profile {
    let reader = EventReader::new(layout, &fields(), strategy).expect("a reader");
    let window = Window::at(time::parse(now).expect("a time"), strategy);
    let mut profile = Profile::default();
    cells_of(layout, events).iter().for_each(|cell| reader.add(window, cell.into(), &mut profile));
    profile
}

fn scores(profile: &Profile) -> Vec<(&str, u64)> {
    profile.by_score()
}

/// The profile of Algolia's article, from five events: a conversion counts five times as much as a
/// view, and a click twice.
#[test]
fn the_profile_of_the_article() {
    let strategy = Strategy::new(
        vec![
            EventScore::new("view", "product page", 1),
            EventScore::new("click", "search", 2),
            EventScore::new("conversion", "checkout", 5),
        ],
        vec![FacetScore::new("color", 1), FacetScore::new("brand", 1)],
    );
    let events = [
        ("2019-05-24T10:00:00Z", "conversion", "checkout", "brand:Apple|color:Red|stock:Few left"),
        ("2019-05-25T10:00:00Z", "conversion", "checkout", "brand:Apple|color:Black"),
        ("2019-05-26T10:00:00Z", "click", "search", "brand:Samsung|color:Red"),
        ("2019-05-26T10:00:01Z", "click", "search", "brand:Sony|color:Black"),
        ("2019-05-26T10:00:02Z", "view", "product page", "brand:Sony|color:Black"),
        ("2019-05-27T10:00:00Z", "conversion", "checkout", "color:Red"),
        // These do not count: the strategy does not name them, or they are too old.
        ("2019-05-27T11:00:00Z", "click", "homepage", "brand:Bose|color:Red"),
        ("2019-02-26T10:00:00Z", "click", "search", "brand:Nokia|color:Red"),
    ];
    let expected =
        [("color:Red", 12), ("brand:Apple", 10), ("color:Black", 8), ("brand:Sony", 3), ("brand:Samsung", 2)];
    for (kind, encoding) in
        LAYOUTS.into_iter().flat_map(|kind| Encoding::ALL.map(|encoding| (kind, encoding)))
    {
        let layout = Layout { encoding, ..Layout::new(kind) };
        let profile = profile_in(&layout, &events, &strategy, "2019-05-28T00:00:00Z");
        assert_eq!(scores(&profile), expected, "{kind:?} {encoding:?}");
        assert_eq!(profile.unreadable, 0);
    }
}

#[test]
fn the_score_of_the_facet_multiplies_and_each_value_of_an_event_counts_once() {
    let strategy =
        Strategy::new(vec![EventScore::new("a,b", "say \"hi\"", 3)], vec![FacetScore::new("x,y", 7)]);
    let events = [
        ("2019-05-24T10:00:00Z", "a,b", "say \"hi\"", r#"["x,y:1","x,y:1","x,y>=1","x,y:é\n\"","z:1"]"#),
        ("2019-05-24T10:00:01Z", "a,b", "say \"hi\"", "x,y:1"),
        ("2019-05-24T10:00:02Z", "a,b", "say \"hi\"", ""),
    ];
    for kind in LAYOUTS {
        let profile = profile_of(kind, &events, &strategy, "2019-05-28T00:00:00Z");
        assert_eq!(scores(&profile), [("x,y:1", 42), ("x,y:é\n\"", 21), ("x,y>=1", 21)], "{kind:?}");
    }
}

#[test]
fn the_window_has_its_first_instant_and_allows_for_clocks_that_are_ahead() {
    let strategy = Strategy::new(vec![EventScore::new("click", "a", 1)], vec![FacetScore::new("x", 1)]);
    let now = "2019-05-28T12:00:00Z";
    for (time, counts) in [
        ("2019-02-27T11:59:59.999Z", 0),
        ("2019-02-27T12:00:00.000Z", 1),
        ("2019-05-28T12:00:00.000Z", 1),
        ("2019-05-28T12:09:59.999Z", 1),
        ("2019-05-28T12:10:00.000Z", 0),
        ("1969-12-31T00:00:00Z", 0),
    ] {
        for kind in LAYOUTS {
            let profile = profile_of(kind, &[(time, "click", "a", "x:1")], &strategy, now);
            assert_eq!(profile.score("x:1"), counts, "{time} {kind:?}");
        }
    }
    // No time is too far away to be represented.
    for now in [i64::MIN, -1, 0, i64::MAX] {
        let window = Window::at(now, &Strategy { window_days: u32::MAX, ..strategy.clone() });
        assert!(
            window.from >= 0 && window.from % 1000 == 0 && window.until % 1000 == 0 && window.until > 0,
            "{window:?}"
        );
    }
}

#[test]
fn cells_that_the_layout_did_not_write_count_nothing() {
    let strategy = Strategy::new(vec![EventScore::new("click", "a", 1)], vec![FacetScore::new("x", 1)]);
    let window = Window::at(1_000_000_000, &strategy);
    for (kind, family, qualifier) in [
        (LayoutKind::Narrow, "click", "a"),
        (LayoutKind::Wide, "e", "click,a,x"),
        (LayoutKind::RowPerEntity, "click", "a"),
    ] {
        let reader = EventReader::new(&Layout::new(kind), &fields(), &strategy).expect("a reader");
        let mut profile = Profile::default();
        for value in ["", "{", "[[1]]", "[[\"x\"]]", "{\"facets\":1}", "\u{0}"] {
            let value = value.as_bytes();
            reader.add(
                window,
                CellParts { family, qualifier: qualifier.as_bytes(), timestamp: 1_000, value },
                &mut profile,
            );
        }
        assert_eq!((profile.cells, profile.unreadable, profile.scores.len()), (6, 6, 0), "{kind:?}");
        // Other columns are not read.
        reader.add(
            window,
            CellParts { family: "other", qualifier: b"a", timestamp: 1_000, value: b"{" },
            &mut profile,
        );
        assert_eq!((profile.cells, profile.unreadable), (7, 6), "{kind:?}");
    }
}

#[test]
fn filters_name_what_the_strategy_names_and_stay_within_the_limits() {
    let window = Window::at(1_000_000_000_000, &Strategy::new(vec![], vec![]));
    let filter = |kind, events: usize, facets: usize, long: usize| {
        let name = |of: &str, at: usize| format!("{of}{at}{}", "x".repeat(long));
        let strategy = Strategy::new(
            (0..events).map(|at| EventScore::new("click", name("event", at), 1)).collect(),
            (0..facets).map(|at| FacetScore::new(name("facet", at), 1)).collect(),
        );
        let filter =
            EventReader::new(&Layout::new(kind), &fields(), &strategy).expect("a reader").filter(window);
        filter.validate().unwrap_or_else(|error| panic!("{error}"));
        let RowFilter::Chain(mut nodes) = filter else { panic!("{filter:?}") };
        assert_eq!(nodes[0], RowFilter::TimestampRange(window.range()));
        nodes.remove(1)
    };
    let branches = |filter: RowFilter| match filter {
        RowFilter::Interleave(branches) => branches.len(),
        other => panic!("{other:?}"),
    };
    assert_eq!(branches(filter(LayoutKind::Wide, 3, 4, 0)), 4);
    assert_eq!(branches(filter(LayoutKind::Narrow, 3, 4, 0)), 3);
    assert_eq!(
        filter(LayoutKind::Wide, 1, 1, 0),
        RowFilter::ColumnQualifierRegex("click,event0,facet0".into())
    );
    assert_eq!(filter(LayoutKind::Wide, 0, 1, 0), RowFilter::BlockAll(true));
    // First the interleave would be too long, then one expression would be, too.
    let RowFilter::ColumnQualifierRegex(pattern) = filter(LayoutKind::Wide, 50, 50, 0) else {
        panic!("one expression")
    };
    assert!(pattern.starts_with(b"(?:click,event0,|click,event1,"), "{pattern:?}");
    assert_eq!(filter(LayoutKind::Wide, 100, 100, 150), RowFilter::PassAll(true));
}

#[test]
fn events_and_layouts_without_facets_are_refused_with_a_reason() {
    let strategy = Strategy::new(vec![], vec![]);
    let refused = |kind, fields: &[Field]| {
        EventReader::new(&Layout::new(kind), fields, &strategy).map(drop).expect_err("it is refused").message
    };
    assert!(
        refused(LayoutKind::Columns, &fields()).starts_with("Profiles are computed from the layouts narrow")
    );
    assert!(
        refused(LayoutKind::Wide, &fields()[..5]).starts_with("Profiles need events with a time, a type")
    );
    assert!(UserRoles::of(&fields()[2..]).expect_err("no user").message.contains("rename it to user_token"));
}

#[test]
fn users_are_found_in_keys() {
    let fields = fields();
    let roles = UserRoles::of(&fields).expect("an app and a user");
    assert_eq!(roles, UserRoles { app: Some(0), user: 1 });
    let keys = |template: &str, kind| {
        let (template, problems) = Template::parse(template, &fields);
        assert_eq!(problems, []);
        UserKeys::of(&template, &Layout::new(kind), roles)
    };
    for template in [
        "{app_id},{user_token},{timestamp:iso}",
        "{salt(4)}-{app_id},{user_token},{timestamp:iso}",
        "{salt(4, user_token, from=2019-05-28)}-{app_id},{user_token},{timestamp:iso}",
    ] {
        let keys = keys(template, LayoutKind::Wide).expect("it begins with them");
        assert_eq!(keys.split(b"a,u1,2019"), Some(("a", "u1")));
        assert_eq!(keys.split(b"a,u1,\xff"), Some(("a", "u1")));
        assert_eq!(keys.split(b"a,u1"), None);
        assert_eq!(keys.app_prefix("a"), RowKey::from("a,"));
        assert_eq!(keys.user_prefix("a", "u"), RowKey::from("a,u,"));
        assert_eq!(keys.after_user("a", "u"), RowKey::from("a,u-"));
        assert_eq!(keys.check("a", "u1"), Ok(()));
        assert!(
            keys.check("a,b", "u1")
                .expect_err("ambiguous")
                .message
                .contains("The app \"a,b\" contains \",\"")
        );
        assert!(keys.check("a", "u,1").is_err());
    }
    let one_row =
        keys("{app_id}#{user_token}#{timestamp:iso}", LayoutKind::RowPerEntity).expect("it begins with them");
    assert_eq!((one_row.split(b"a#u,#1"), one_row.is_one_row()), (Some(("a", "u,#1")), true));
    assert_eq!(one_row.after_user("a", "u"), RowKey::from("a#u\0"));
    assert_eq!(one_row.check("a", "u#1"), Ok(()), "nothing follows the user");
    for template in [
        "{timestamp:iso},{app_id},{user_token}",
        "{app_id}{user_token},{timestamp:iso}",
        "{app_id},{user_token:hash}",
    ] {
        let refused = keys(template, LayoutKind::Narrow).expect_err("it does not begin with them").message;
        assert!(refused.contains("start the key with {app_id},{user_token},"), "{refused}");
    }
}

#[test]
fn a_stored_profile_is_read_back_and_no_app_begins_like_another() {
    let strategy = Strategy::new(vec![EventScore::new("click", "a", 1)], vec![FacetScore::new("x", 1)]);
    let mut profile = Profile::default();
    profile.add("color:Red", 12);
    profile.add("color:Blue", 0);
    profile.add("a,\"b\"\u{e9}", u64::MAX);
    let at = time::parse("2019-05-28T00:00:00Z").expect("a time");
    let cells =
        profile_mutations(&profile, at, &strategy).into_iter().filter_map(|mutation| match mutation {
            Mutation::SetCell { family, qualifier, timestamp, value } => {
                Some(Cell { family, qualifier, timestamp, value, label: None })
            }
            _ => None,
        });
    let row = Row { key: profile_key("a", "u"), cells: cells.collect() };
    assert_eq!(read_profile(&row), StoredProfile { profile, at, strategy: digest(&strategy) });

    let names = ["", "a", "a,b", "a,", "\"", "\"a\"", "job", "b\n", "\"job\""];
    let mut keys = BTreeMap::new();
    for app in names {
        for user in names {
            let key = profile_key(app, user);
            assert_eq!(split_key(&key), Ok((app.into(), user.into())));
            assert_eq!(keys.insert(key.clone(), (app, user)), None, "{app} {user}");
            let begins_like: Vec<&str> =
                names.into_iter().filter(|other| key.starts_with(&app_prefix(other))).collect();
            assert_eq!(begins_like, [app], "{key}");
            for job in [job_key(None), job_key(Some(app))] {
                assert!(
                    !job.starts_with(&app_prefix(app)) && split_key(&job) != Ok((app.into(), user.into())),
                    "{job}"
                );
            }
        }
    }
    for wrong in ["a", "a,b,c", "\"a", "\"a\"b,c", ""] {
        assert!(split_key(wrong.as_bytes()).is_err(), "{wrong}");
    }
    assert_ne!(digest(&strategy), digest(&Strategy { window_days: 7, ..strategy.clone() }));
}

#[test]
fn items_are_ranked_by_the_profile_with_reasons() {
    let mut profile = Profile::default();
    [("color:Red", 12), ("brand:Apple", 10), ("color:Black", 8)]
        .iter()
        .for_each(|(text, score)| profile.add(text, *score));
    let item = |name: &str, facets: &str| Item { name: name.into(), facets: facets.into() };
    let items = [
        item("sofa", "brand:IKEA"),
        item("phone", "color:Black|brand:Apple|color:Black"),
        item("case", "color:Red|color:Black"),
        item("chair", ""),
    ];
    let ranked = rank(&items, &profile);
    let names: Vec<(&str, u64)> =
        ranked.iter().map(|ranked| (&*items[ranked.item].name, ranked.score)).collect();
    assert_eq!(names, [("case", 20), ("phone", 18), ("sofa", 0), ("chair", 0)]);
    assert_eq!(ranked[1].reasons, [("brand:Apple".into(), 10), ("color:Black".into(), 8)]);
    let unranked: Vec<usize> = rank(&items, &Profile::default()).iter().map(|ranked| ranked.item).collect();
    assert_eq!(unranked, [0, 1, 2, 3], "without a profile the list stays as it is");
}
