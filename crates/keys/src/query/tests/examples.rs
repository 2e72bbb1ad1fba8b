//! Examples of queries and their plans.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Write as _;
use core::ops::Bound;

use expect_test::{Expect, expect};
use tabletop_model::{RowFilter, RowKey, RowRange, RowSet};

use super::{event_fields, fields};
use crate::{Encoding, FieldKind, Layout, LayoutKind, PlanKind, RowChoice, Template};

fn check(text: &str, kind: LayoutKind, choice: RowChoice, expected: Expect) {
    let (template, problems) = Template::parse(text, &event_fields());
    assert_eq!(problems, []);
    let mut out = String::new();
    match template.plan(&choice, &Layout::new(kind)) {
        Err(error) => write!(out, "{:?}: {}", error.code, error.message).unwrap(),
        Ok(plan) => {
            for part in &plan.parts {
                out.push_str(if part.is_all() { "all" } else { "" });
                part.keys.iter().for_each(|key| write!(out, "{key} ").unwrap());
                for range in &part.ranges {
                    let bound = |bound: &Bound<RowKey>, inclusive: &str, exclusive: &str| match bound {
                        Bound::Included(key) => format!("{inclusive}{key}"),
                        Bound::Excluded(key) => format!("{exclusive}{key}"),
                        Bound::Unbounded => "".into(),
                    };
                    write!(out, "{}..{} ", bound(&range.start, "", ">"), bound(&range.end, "=", "")).unwrap();
                }
                out.push('\n');
            }
            if let Some(filter) = plan.filter(None) {
                write!(out, "{}", filter.text()).unwrap();
            }
        }
    }
    expected.assert_eq(&out);
}

fn of(equals: &[(&str, &str)], from: Option<&str>, until: Option<&str>) -> RowChoice {
    RowChoice::Fields {
        equals: equals.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect(),
        from: from.map(String::from),
        until: until.map(String::from),
    }
}

#[test]
fn a_plan_says_how_its_rows_are_found() {
    use LayoutKind::{Narrow, RowPerEntity};
    use PlanKind::{Nothing, OneRange, Points, Ranges, Scan};
    let user = || of(&[("app", "a"), ("user", "u")], None, None);
    let day = || of(&[], Some("2019-05-28"), Some("2019-05-29"));
    for (text, kind, choice, expected, ranges) in [
        ("{app},{user},{timestamp:iso}", Narrow, user(), OneRange, 1),
        ("{app},{user},{timestamp:iso}", RowPerEntity, user(), Points, 1),
        ("{app},{user},{timestamp:iso}", Narrow, RowChoice::Keys(vec!["a".into(), "b".into()]), Points, 2),
        ("{app},{user},{timestamp:iso}", Narrow, RowChoice::All, Scan, 1),
        ("{app},{user},{timestamp:iso}", Narrow, day(), Scan, 1),
        ("{timestamp:iso},{app},{user}", Narrow, user(), Scan, 1),
        ("{timestamp:iso},{app},{user}", Narrow, day(), OneRange, 1),
        ("{timestamp:iso},{app},{user}", Narrow, of(&[], Some("2019-05-29"), Some("2019-05-28")), Nothing, 0),
        ("{salt(4)}-{app},{user},{timestamp:iso}", Narrow, user(), Ranges, 4),
        ("{salt(4)}-{app},{user},{timestamp:iso}", Narrow, RowChoice::All, Scan, 4),
        ("{salt(4)}-{app},{user},{timestamp:iso}", Narrow, day(), Scan, 4),
        ("{salt(4)}-{app},{user},{timestamp:iso}", Narrow, RowChoice::Prefix("a".into()), Ranges, 4),
        ("{salt(4, user)}-{app},{user},{timestamp:iso}", Narrow, user(), OneRange, 1),
    ] {
        let (template, problems) = Template::parse(text, &event_fields());
        assert_eq!(problems, []);
        let plan = template.plan(&choice, &Layout::new(kind)).expect("it can be planned");
        assert_eq!((plan.kind(), plan.ranges()), (expected, ranges), "{text}: {choice:?}");
    }
}

#[test]
fn all_events_of_a_user() {
    use LayoutKind::{Narrow, RowPerEntity};
    let user = of(&[("app", "a"), ("user", "u")], None, None);
    check(
        "{app},{user},{timestamp:iso}",
        Narrow,
        user.clone(),
        expect![[r#"
        a,u,..a,u- 
    "#]],
    );
    check(
        "{salt(4)}-{app},{user},{timestamp:iso}",
        Narrow,
        user.clone(),
        expect![[r#"
        0-a,u,..0-a,u- 
        1-a,u,..1-a,u- 
        2-a,u,..2-a,u- 
        3-a,u,..3-a,u- 
    "#]],
    );
    check(
        "{salt(4, user)}-{app},{user},{timestamp:iso}",
        Narrow,
        user.clone(),
        expect![[r#"
        2-a,u,..2-a,u- 
    "#]],
    );
    check(
        "{timestamp:iso},{app},{user}",
        Narrow,
        user.clone(),
        expect![[r#"
        all
        row_key_regex(r"\C{24},a,u")"#]],
    );
    check(
        "{user:hash}#{timestamp:iso}",
        Narrow,
        of(&[("user", "u")], None, None),
        expect![[r#"
        610001cba66e07f0#..610001cba66e07f0$ 
    "#]],
    );
    check(
        "{user:hash(4)}#{timestamp:iso}",
        Narrow,
        of(&[("user", "u")], None, None),
        expect![
            "FailedPrecondition: Neither the row key nor the cells of this layout contain user in full: put {user} into the template."
        ],
    );
    check(
        "{user:hash(4)}#{user}#{timestamp:iso}",
        Narrow,
        of(&[("user", "u")], None, None),
        expect![[r#"
        6100#u#..6100#u$ 
    "#]],
    );
    check(
        "{app},{user},{timestamp:iso}",
        RowPerEntity,
        user,
        expect![[r#"
        a,u 
    "#]],
    );
}

#[test]
fn a_user_between_two_times() {
    use LayoutKind::{Narrow, RowPerEntity};
    let days = of(&[("user", "u")], Some("2019-05-28"), Some("2019-05-30"));
    check(
        "{user},{timestamp:iso}",
        Narrow,
        days.clone(),
        expect![[r#"
        u,2019-05-28T00:00:00.000Z..u,2019-05-30T00:00:00.000Z 
    "#]],
    );
    check(
        "{user},{timestamp:reverse_time}",
        Narrow,
        days.clone(),
        expect![[r#"
        u,8440825600000..u,844099839999: 
    "#]],
    );
    check(
        "{timestamp:date},{user}",
        Narrow,
        days.clone(),
        expect![[r#"
        2019-05-28,u 2019-05-29,u 
    "#]],
    );
    check(
        "{timestamp:date}#{app}#{user}",
        Narrow,
        days.clone(),
        expect![[r#"
        2019-05-28#..2019-05-28$ 2019-05-29#..2019-05-29$ 
        row_key_regex(r"(?:2019-05-28|2019-05-29)#\C*#u")"#]],
    );
    check(
        "{salt(2)}-{timestamp:bucket(1d)},{user},{timestamp:millis}",
        Narrow,
        days.clone(),
        expect![[r#"
        0-2019-05-28T00:00:00.000Z,u,1559001600000..0-2019-05-28T00:00:00.000Z,u,1559174400000 0-2019-05-29T00:00:00.000Z,u,1559001600000..0-2019-05-29T00:00:00.000Z,u,1559174400000 
        1-2019-05-28T00:00:00.000Z,u,1559001600000..1-2019-05-28T00:00:00.000Z,u,1559174400000 1-2019-05-29T00:00:00.000Z,u,1559001600000..1-2019-05-29T00:00:00.000Z,u,1559174400000 
    "#]],
    );
    check(
        "{user},{timestamp}",
        Narrow,
        days.clone(),
        expect![[r#"
        u,..u- 
        timestamp_range(1559001600000000, 1559174400000000)"#]],
    );
    check(
        "{user},{timestamp:iso}",
        RowPerEntity,
        days,
        expect![[r#"
        u 
        timestamp_range(1559001600000000, 1559174400000000)"#]],
    );
    let hour = of(&[("user", "u")], Some("2019-05-28T01:30"), Some("2019-05-28T01:45"));
    check(
        "{user},{timestamp:hour}",
        Narrow,
        hour,
        expect![[r#"
        u,2019-05-28T01 
        timestamp_range(1559007000000000, 1559007900000000)"#]],
    );
    check(
        "{user},{timestamp:iso}",
        Narrow,
        of(&[("user", "u")], Some("2019-05-28"), None),
        expect![[r#"
        u,2019-05-28T00:00:00.000Z..u- 
    "#]],
    );
    check(
        "{user},{timestamp:reverse_time}",
        Narrow,
        of(&[("user", "u")], Some("2019-05-28"), None),
        expect![[r#"
        u,..u,844099839999: 
    "#]],
    );
    check(
        "{user},{timestamp:iso}",
        Narrow,
        of(&[("timestamp", "2019-05-28"), ("user", "u")], None, None),
        expect![[r#"
        u,2019-05-28T00:00:00.000Z 
    "#]],
    );
}

#[test]
fn conditions_on_unkeyed_fields_become_cell_filters() {
    use LayoutKind::{Narrow, RowPerEntity, Wide};
    let click = of(&[("event_type", "click"), ("event_name", "a,b")], None, None);
    check(
        "{user},{timestamp:iso}",
        Narrow,
        click.clone(),
        expect![[r#"
        all
        chain(family_name_regex("click"), column_qualifier_regex("a,b"))"#]],
    );
    check(
        "{user},{timestamp:iso}",
        Wide,
        click.clone(),
        expect![[r##"
        all
        chain(
          column_qualifier_regex(r#"click,(?:[^",]*|"(?:[^"]|"")*"),\C*"#),
          column_qualifier_regex(r#"(?:[^",]*|"(?:[^"]|"")*"),"a,b",\C*"#),
        )"##]],
    );
    check(
        "{user},{timestamp:iso}",
        RowPerEntity,
        click,
        expect![[r#"
        all
        chain(family_name_regex("click"), column_qualifier_regex("a,b"))"#]],
    );
    check(
        "{user},{timestamp:iso}",
        RowPerEntity,
        of(&[("n", "7")], None, None),
        expect![[r##"
        all
        value_regex(r#"\{(?:"app":"(?:[^"\\]|\\\C)*",)?(?:"user":"(?:[^"\\]|\\\C)*",)?(?:"timestamp":"(?:[^"\\]|\\\C)*",)?(?:"event_type":"(?:[^"\\]|\\\C)*",)?(?:"event_name":"(?:[^"\\]|\\\C)*",)?"n":7(?:,\C*)?\}"#)"##]],
    );
    check(
        "{user},{timestamp:iso}",
        Narrow,
        of(&[("n", "7")], None, None),
        expect![
            "FailedPrecondition: Neither the row key nor the cells of this layout contain n in full: put {n} into the template."
        ],
    );
}

#[test]
fn a_value_that_is_not_json_has_no_filter() {
    let fields = fields(&[("app", FieldKind::Text), ("city", FieldKind::Text)]);
    let (template, _) = Template::parse("{app}", &fields);
    for encoding in Encoding::ALL {
        let layout = Layout { encoding, ..Layout::new(LayoutKind::Narrow) };
        let plan = template.plan(&of(&[("city", "Bonn")], None, None), &layout);
        match encoding {
            Encoding::Json => assert_eq!(plan.map(|plan| plan.cells.len()), Ok(1)),
            _ => {
                let refused = plan.expect_err("no filter looks into it").message;
                assert!(
                    refused.contains("city, but no filter can find it there: put {city} into the template"),
                    "{refused}"
                );
            }
        }
        // The family contains the value, whatever the encoding.
        let by_family = Layout { family_field: Some("city".into()), ..layout };
        assert!(template.plan(&of(&[("city", "Bonn")], None, None), &by_family).is_ok());
    }
}

#[test]
fn logical_keys_become_physical_ones() {
    use LayoutKind::Narrow;
    let salted = "{salt(3)}-{app}#{user}";
    check(
        salted,
        Narrow,
        RowChoice::All,
        expect![[r#"
        0-..0. 
        1-..1. 
        2-..2. 
    "#]],
    );
    check(
        "{app}#{user}",
        Narrow,
        RowChoice::All,
        expect![[r#"
        all
    "#]],
    );
    check(
        salted,
        Narrow,
        RowChoice::Prefix("a#".into()),
        expect![[r#"
        0-a#..0-a$ 
        1-a#..1-a$ 
        2-a#..2-a$ 
    "#]],
    );
    check(
        salted,
        Narrow,
        RowChoice::Keys(vec!["a#1".into(), "a#2".into(), "a#3".into()]),
        expect![[r#"
        0-a#1 
        1-a#2 1-a#3 
    "#]],
    );
    check(
        "{salt(30, app)}-{app}#{user}",
        Narrow,
        RowChoice::Keys(vec!["a#1".into(), "a#2".into(), "a#b#3".into()]),
        expect![[r#"
        00-a#b#3 
        01-a#b#3 
        02-a#b#3 
        03-a#b#3 
        04-a#b#3 
        05-a#b#3 
        06-a#b#3 
        07-a#b#3 
        08-a#1 08-a#2 08-a#b#3 
        09-a#b#3 
        10-a#b#3 
        11-a#b#3 
        12-a#b#3 
        13-a#b#3 
        14-a#b#3 
        15-a#b#3 
        16-a#b#3 
        17-a#b#3 
        18-a#b#3 
        19-a#b#3 
        20-a#b#3 
        21-a#b#3 
        22-a#b#3 
        23-a#b#3 
        24-a#b#3 
        25-a#b#3 
        26-a#b#3 
        27-a#b#3 
        28-a#b#3 
        29-a#b#3 
    "#]],
    );
    let range = RowRange { start: Bound::Excluded("a".into()), end: Bound::Unbounded };
    check(
        salted,
        Narrow,
        RowChoice::Range(range),
        expect![[r#"
        >0-a..0. 
        >1-a..1. 
        >2-a..2. 
    "#]],
    );
    check(
        salted,
        Narrow,
        RowChoice::Range(RowRange::closed_open("b", "a")),
        expect!["InvalidArgument: The range begins at b, after its end a: swap the two."],
    );
    check(
        salted,
        Narrow,
        RowChoice::Keys(vec!["".into()]),
        expect!["InvalidArgument: A row key must not be empty: write one, or read all rows."],
    );
    check(salted, Narrow, RowChoice::Keys(vec![]), expect![""]);
}

#[test]
fn a_cut_over_is_one_more_range() {
    use LayoutKind::{Narrow, RowPerEntity};
    let mut said = String::new();
    let mut plan = |text: &str, kind: LayoutKind, choice: RowChoice| {
        let (template, problems) = Template::parse(text, &event_fields());
        assert_eq!(problems, []);
        let plan = template.plan(&choice, &Layout::new(kind)).unwrap();
        let shown = |part: &RowSet| {
            let keys = part.keys.iter().map(ToString::to_string);
            let ranges = part
                .ranges
                .iter()
                .map(|range| format!("[{}, {})", range.ends().0, range.ends().1.unwrap_or_default()));
            keys.chain(ranges).collect::<Vec<_>>().join(" ")
        };
        let parts: Vec<String> = plan.parts.iter().map(shown).collect();
        let filter = plan.filter(None).map_or(String::new(), |filter| format!("\n  {}", filter.text()));
        writeln!(said, "{:?} {}: {}{filter}", plan.kind(), plan.ranges(), parts.join(", ")).unwrap();
    };
    let users = "{salt(2, from=2019-06-01)}-{user}#{timestamp:iso}";
    let times = "{salt(2, from=2019-06-01)}-{timestamp:iso}#{user}";
    plan(users, Narrow, RowChoice::All);
    plan(users, Narrow, RowChoice::Prefix("u".into()));
    plan(users, Narrow, RowChoice::Prefix("1".into()));
    plan(users, Narrow, RowChoice::Prefix("1-u".into()));
    plan(
        users,
        Narrow,
        RowChoice::Range(RowRange { start: Bound::Excluded("1-u".into()), end: Bound::Included("u".into()) }),
    );
    plan(
        users,
        Narrow,
        RowChoice::Keys(vec![
            "u#2019-05-31T00:00:00.000Z".into(),
            "u#2019-06-01T00:00:00.000Z".into(),
            "u".into(),
        ]),
    );
    plan(users, Narrow, RowChoice::Keys(vec!["1-u".into()]));
    plan(users, Narrow, of(&[("user", "u")], None, None));
    plan(users, Narrow, of(&[("user", "u")], None, Some("2019-06-01")));
    plan(users, Narrow, of(&[("user", "u")], Some("2019-06-01"), None));
    plan(users, Narrow, of(&[("user", "u")], Some("2019-05-31"), Some("2019-06-02")));
    plan(users, Narrow, of(&[("user", "u"), ("timestamp", "2019-05-31")], None, None));
    plan(users, Narrow, of(&[("user", "u"), ("timestamp", "2019-06-01")], None, None));
    plan(users, RowPerEntity, of(&[("user", "u")], None, None));
    plan(users, RowPerEntity, of(&[("user", "u")], None, Some("2019-05-31")));
    plan(times, Narrow, of(&[("user", "u")], None, None));
    plan(times, Narrow, of(&[("user", "u")], Some("2019-06-01"), None));
    plan(
        "{salt(12, user, from=2019-06-01)}#{user}#{timestamp:iso}",
        Narrow,
        of(&[("user", "u")], None, None),
    );
    plan(
        "{salt(12, user, from=2019-06-01)}#x{app}#{user}",
        Narrow,
        of(&[("user", "u")], None, Some("2019-06-01")),
    );
    expect![[r#"
        Scan 3: [0-, 0.), [1-, 1.), [, 0-) [0., 1-) [1., )
        Ranges 3: [0-u, 0-v), [1-u, 1-v), [u, v)
        Ranges 3: [0-1, 0-2), [1-1, 1-2), [1, 1-) [1., 2)
        Ranges 2: [0-1-u, 0-1-v), [1-1-u, 1-1-v)
        Ranges 3: [0-1-u\x00, 0-u\x00), [1-1-u\x00, 1-u\x00), [1., u\x00)
        Points 4: 0-u, 1-u#2019-06-01T00:00:00.000Z, u#2019-05-31T00:00:00.000Z u
        Points 1: 0-1-u
        Ranges 3: [0-u#, 0-u$), [1-u#, 1-u$), [u#, u$)
        OneRange 1: [u#, u#2019-06-01T00:00:00.000Z)
        Ranges 2: [0-u#2019-06-01T00:00:00.000Z, 0-u$), [1-u#2019-06-01T00:00:00.000Z, 1-u$)
        Ranges 3: [0-u#2019-05-31T00:00:00.000Z, 0-u#2019-06-02T00:00:00.000Z), [1-u#2019-05-31T00:00:00.000Z, 1-u#2019-06-02T00:00:00.000Z), [u#2019-05-31T00:00:00.000Z, u#2019-06-02T00:00:00.000Z)
        Points 1: u#2019-05-31T00:00:00.000Z
        Points 1: 1-u#2019-06-01T00:00:00.000Z
        Points 2: 0-u, u
        Points 1: u
          timestamp_range(0, 1559260800000000)
        Scan 3: [0-, 0.), [1-, 1.), [, 0-) [0., 1-) [1., )
          condition(
          row_key_regex(r"(?:1|[0-0])-\C*"),
          then=row_key_regex(r"\C{1}-\C{24}#u"),
          else=row_key_regex(r"\C{24}#u"),
        )
        Ranges 2: [0-2019-06-01T00:00:00.000Z, 0.), [1-2019-06-01T00:00:00.000Z, 1.)
          row_key_regex(r"\C{1}-\C{24}#u")
        Ranges 2: [02#u#, 02#u$), [u#, u$)
        OneRange 1: [x, y)
          chain(row_key_regex(r"x\C*#u"), timestamp_range(0, 1559347200000000))
    "#]].assert_eq(&said);
}

#[test]
fn an_invalid_query_is_refused_with_the_reason() {
    use LayoutKind::Narrow;
    check(
        "{user}",
        Narrow,
        of(&[("usr", "u")], None, None),
        expect!["InvalidArgument: The events have no field usr. Did you mean user?"],
    );
    check(
        "{user}",
        Narrow,
        of(&[], Some("yesterday"), None),
        expect![[
            r#"InvalidArgument: "yesterday" is not a time: write it as 2019-05-28 or 2019-05-28T00:04:34Z."#
        ]],
    );
    check("{user}", Narrow, of(&[("user", "a"), ("user", "b")], None, None), expect![""]);
    check("{user}", Narrow, of(&[], Some("2019-05-29"), Some("2019-05-28")), expect![""]);
    check("{n:pad(2)}", Narrow, of(&[("n", "123")], None, None), expect![""]);
    check(
        "{user}",
        Narrow,
        of(&[], Some("1969-05-29"), Some("2019-05-28")),
        expect![
            "FailedPrecondition: The key does not contain the time, and cells cannot have timestamps before 1970-01-01: query a later time, or put the time into the key."
        ],
    );
}

#[test]
fn a_filter_with_a_sink_is_applied_after_the_plan() {
    let (template, _) =
        Template::parse("{app}", &fields(&[("app", FieldKind::Text), ("user", FieldKind::Text)]));
    let wide = Layout::new(LayoutKind::Wide);
    let plan = template.plan(&of(&[("user", "u")], None, None), &wide).unwrap();
    let filter = plan.filter(Some(&RowFilter::Sink(true))).unwrap();
    assert_eq!(filter.validate(), Ok(()));
    expect![[r#"
        chain(
          condition(
            chain(column_qualifier_regex("user"), value_regex("u")),
            then=pass_all,
          ),
          sink,
        )"#]]
    .assert_eq(&filter.text());
}
