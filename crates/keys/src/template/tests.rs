use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Write as _;

use expect_test::{Expect, expect};
use proptest::prelude::*;
use tabletop_model::escape;

use super::*;
use crate::Record;
use crate::zorder::{Axis, FirstBit, ZOutput};

fn field(name: &str, kind: FieldKind) -> Field {
    Field::new(name, kind)
}

fn fields() -> Vec<Field> {
    vec![
        field("app_id", FieldKind::Text),
        field("user_token", FieldKind::Text),
        field("timestamp", FieldKind::Time),
        field("n", FieldKind::Int),
        field("longitude", FieldKind::Float),
        field("latitude", FieldKind::Float),
        field("Order: id", FieldKind::Int),
        field("gone", FieldKind::Text),
    ]
}

const VALUES: [Option<&str>; 8] = [
    Some("app"),
    Some("Us\u{e9}r1"),
    Some("2019-05-28T00:04:34.567Z"),
    Some("42"),
    Some("-122.4012"),
    Some("37.7839"),
    Some("7"),
    None,
];

fn parse(text: &str) -> Template {
    let (template, problems) = Template::parse(text, &fields());
    assert_eq!(problems, [], "{text}");
    template
}

fn key_of(template: &Template, values: &[Option<&str>]) -> Result<Vec<u8>, String> {
    let mut key = Vec::new();
    let record = Record { fields: template.fields(), values };
    template.write_key(&record, &mut key).map(|()| key).map_err(|error| error.message)
}

/// Checks a template by the key of the event above, and by the values decoded from that key.
fn check(text: &str, expected: Expect) {
    let template = parse(text);
    let mut out = String::new();
    match key_of(&template, &VALUES) {
        Err(error) => write!(out, "{error}").unwrap(),
        Ok(key) => {
            write!(out, "{}", escape(&key)).unwrap();
            for (name, value) in template.decode(&key) {
                write!(out, " | {name} = {value}").unwrap();
            }
        }
    }
    expected.assert_eq(&out);
}

/// Checks half-typed or wrong text: the part of it that parses, and each problem with its position.
fn problems(text: &str, expected: Expect) {
    let (template, problems) = Template::parse(text, &fields());
    let mut out = template.text();
    for problem in problems {
        let (start, end) = (problem.span.start as usize, problem.span.end as usize);
        write!(out, "\n[{}] {}", &text[start..end], problem.message).unwrap();
    }
    expected.assert_eq(&out);
}

#[test]
fn the_key_of_seed_000() {
    check(
        "{app_id},{user_token},{timestamp:iso}",
        expect![
            "app,Us\u{e9}r1,2019-05-28T00:04:34.567Z | app_id = app | user_token = Us\u{e9}r1 | timestamp = 2019-05-28T00:04:34.567Z"
        ],
    );
}

#[test]
fn every_transform() {
    check("{timestamp:date}", expect!["2019-05-28"]);
    check("{timestamp:month}", expect!["2019-05"]);
    check("{timestamp:hour}", expect!["2019-05-28T00"]);
    check("{timestamp:seconds}", expect!["1559001874"]);
    check("{timestamp:millis}", expect!["1559001874567 | timestamp = 2019-05-28T00:04:34.567Z"]);
    check("{timestamp:reverse_time}", expect!["8440998125432 | timestamp = 2019-05-28T00:04:34.567Z"]);
    check("{timestamp:bucket(1m):iso}", expect!["2019-05-28T00:04:00.000Z"]);
    check("{timestamp:bucket(7d)}", expect!["2019-05-23T00:00:00.000Z"]);
    check("{timestamp:bucket(7d):reverse_time}", expect!["8441430399999"]);
    check("{n:pad(10)}", expect!["0000000042 | n = 42"]);
    check(
        "{n:pad(1)}",
        expect![[
            r#"n is "42" here, which {n:pad(1)} cannot hold: it has more digits than the padding: use a wider padding."#
        ]],
    );
    check("{user_token:reverse}", expect!["1r\u{e9}sU | user_token = Us\u{e9}r1"]);
    check("{user_token:upper}-{user_token:lower}", expect!["US\u{e9}R1-us\u{e9}r1"]);
    check("{app_id:hash}", expect!["3235bc532f3a71b0"]);
    check("{app_id:hash(4)}#{app_id}", expect!["3235#app | app_id = app"]);
    check("{timestamp:hour:reverse}", expect!["00T82-50-9102"]);
    check("{\"Order: id\":pad(3)}{{}}", expect!["007{} | Order: id = 7"]);
    check(
        "x{gone}",
        expect![
            "This event has no value for gone, which its row key needs: add a value, or remove the event."
        ],
    );
}

#[test]
fn a_field_is_removed_only_if_many_lack_it_and_another_is_left() {
    let said = |text: &str, lacking| {
        let template = parse(text);
        let mut values = VALUES;
        values[2] = None;
        let record = Record { fields: template.fields(), values: &values };
        let error = template.write_key(&record, &mut Vec::new()).unwrap_err();
        let index = template.lacking(&record, &error).expect("the time is missing");
        template.lacking_error(index, lacking, 195).message
    };
    let one = "This event has no value for timestamp, which its row key needs (without: 1 of 195 events): add a value, or remove the event.";
    assert_eq!(said("{app_id}#{timestamp:iso}", 1), one);
    expect!["This event has no value for timestamp, which its row key needs (without: 150 of 195 events): remove {timestamp:iso} from the template, or add the missing values."]
        .assert_eq(&said("{app_id}#{timestamp:iso}", 150));
    assert!(!said("{salt(8)}-{timestamp:iso}", 150).contains("remove {"), "the key would be empty");
    let template = parse("{n:pad(1)}");
    let record = Record { fields: template.fields(), values: &VALUES };
    let error = template.write_key(&record, &mut Vec::new()).unwrap_err();
    assert_eq!(template.lacking(&record, &error), None, "a value that does not fit is not missing");
}

#[test]
fn moscone_center_in_every_output() {
    check("{zorder(longitude, latitude)}", expect!["1301409650"]);
    check("{zorder(longitude, latitude, first=y)}", expect!["2388844465"]);
    check("{zorder(longitude, latitude, as=hex)}", expect!["4d91ef72"]);
    check("{zorder(longitude, latitude, as=bytes)}", expect!["M\\x91\\xefr"]);
    check(
        "{zorder(longitude, latitude, x=-10..10)}",
        expect![[
            r#"longitude is "-122.4012" here, which {zorder(longitude, latitude, x=-10..10)} cannot hold: it is not in -10..10: widen the range of the Z-order."#
        ]],
    );
}

#[test]
fn a_salt_is_the_remainder_of_the_logical_key() {
    let salted = parse("{salt(16)}-{app_id}#{n}");
    let key = key_of(&salted, &VALUES).unwrap();
    let logical = key_of(&parse("{app_id}#{n}"), &VALUES).unwrap();
    assert_eq!(salted.logical(&key), logical);
    assert_eq!(
        String::from_utf8(key).unwrap(),
        alloc::format!("{:02}-app#42", crate::salt::salt_of(&logical, 16))
    );
    check("{salt(1000)}{app_id}", expect!["368app | app_id = app"]);
    // Over one field, the salt stays when another field changes.
    let over = parse("{salt(100, app_id)}#{app_id}#{n}");
    let mut values = VALUES;
    values[3] = Some("43");
    assert_eq!(key_of(&over, &VALUES).unwrap()[..3], key_of(&over, &values).unwrap()[..3]);
}

#[test]
fn incomplete_text_is_parsed_with_its_problems() {
    problems(
        "{",
        expect![[r#"

            [{] This brace is not closed: put } after the field.
            [{] Name a field between the braces."#]],
    );
    problems(
        "",
        expect![[r#"

        [] A row key needs a field, or all events share one row: {app_id}."#]],
    );
    problems(
        "{app_id},{user",
        expect![[r#"
            {app_id},{user}
            [{user] This brace is not closed: put } after the field.
            [user] There is no field user. Did you mean user_token?"#]],
    );
    problems(
        "{app_id},{user_tokn:iso}",
        expect![[r#"
        {app_id},{user_tokn:iso}
        [user_tokn] There is no field user_tokn. Did you mean user_token?"#]],
    );
    problems(
        "{timestamp:is}",
        expect![[r#"
        {timestamp}
        [is] There is no transform is. Did you mean iso?"#]],
    );
    problems(
        "{timestamp:}",
        expect![[r#"
        {timestamp}
        [:] Name a transform after the colon, or remove the colon."#]],
    );
    problems(
        "{app_id}}",
        expect![[r#"
        {app_id}}}
        [}] Unmatched }: write }} for the character itself."#]],
    );
    problems(
        "{\"app_id",
        expect![[r#"
        {app_id}
        [{"app_id] This brace is not closed: put } after the field."#]],
    );
    problems(
        "{salt(",
        expect![[r#"
            {salt(2)}
            [{salt(] This brace is not closed: put } after the field.
            [salt] A salt has 2 to 1000 buckets: salt(16), or salt(16, user) over the parts of some fields."#]],
    );
    problems(
        "{salt(1)}{app_id}",
        expect![[r#"
        {salt(2)}{app_id}
        [1] A salt has 2 to 1000 buckets: salt(16), or salt(16, user) over the parts of some fields."#]],
    );
    problems(
        "{app_id}{salt(16)}",
        expect![[r#"
        {app_id}{salt(16)}
        [{salt(16)}] A salt must be first: after other parts it cannot spread the keys. Move it to the beginning."#]],
    );
    problems(
        "{salt(16, user_token)}{app_id}",
        expect![[r#"
            {salt(16, user_token)}{app_id}
            [{salt(16, user_token)}] The key does not contain user_token, so a reader could not compute the salt of a row. Choose app_id."#]],
    );
    problems(
        "{sal(16)}{app_id}",
        expect![[r#"
            {"sal(16)"}{app_id}
            [{sal(16)}] There is no function sal. Did you mean salt?"#]],
    );
    problems(
        "{pad(10)}",
        expect![[r#"
            {"pad(10)"}
            [{pad(10)}] pad is a transform: put it after a field, {field:pad(…)}."#]],
    );
    problems(
        "{n:pad}{n:pad(x)}{n:pad(3):pad(4)}{n:iso}{timestamp:iso:date}{app_id:reverse(3)}",
        expect![[r#"
            {n}{n}{n:pad(3):pad(4)}{n:iso}{timestamp:iso:date}{app_id}
            [pad] pad needs the number of digits: pad(10).
            [pad(x)] pad(n) takes 1 to 38 digits: pad(10).
            [pad(4)] pad(4) needs a number as the event has it: make it the first transform.
            [iso] n is a whole number; iso needs a time: correct the kind of n with the data.
            [date] date needs a time, but its input is a text here: move it to the left.
            [reverse(3)] This transform does not accept these arguments."#]],
    );
    problems(
        "{timestamp:bucket(7)}{timestamp:bucket}{app_id:hash(17)}",
        expect![[r#"
            {timestamp}{timestamp}{app_id}
            [bucket(7)] bucket takes a span of time, a number and s, m, h or d, up to 36500d: bucket(1h).
            [bucket] bucket needs a span of time: bucket(1h).
            [hash(17)] hash(n) takes 1 to 16 digits: hash(8)."#]],
    );
    problems(
        "{zorder(longitude)}{zorder(longitude, latitude, bits=40, first=z, as=text, x=1..0, z=1)}",
        expect![[r#"
            {zorder(longitude, "")}{zorder(longitude, latitude)}
            [zorder] A Z-order needs two fields, x before y: zorder(longitude, latitude).
            [bits=40] bits is 1 to 32 for each axis: bits=16.
            [first=z] first is x or y: the axis that leads each pair of bits.
            [as=text] as is decimal, hex or bytes.
            [x=1..0] x is a range of numbers, the lower before the higher: x=-180..180.
            [z=1] There is no option z. Did you mean x?"#]],
    );
    problems(
        "{zorder(longitude, latitude, n)}{zorder(longitude, timestamp)}{salt(8):hash}",
        expect![[r#"
            {zorder(longitude, latitude)}{zorder(longitude, timestamp)}{salt(8)}
            [n] A Z-order has two fields: what follows is bits=16, first=y, as=hex, x=-180..180 or y=-90..90.
            [{zorder(longitude, timestamp)}] timestamp is a time; a Z-order needs numbers.
            [{salt(8):hash}] A salt must be first: after other parts it cannot spread the keys. Move it to the beginning.
            [:hash] salt cannot have transforms: remove this."#]],
    );
}

#[test]
fn every_prefix_of_a_text_parses_without_a_panic() {
    let text = "{salt(8, app_id)}-{{{app_id:hash(4)}#{\"Order: id\":pad(3)}{zorder(longitude, latitude, x=-1..1)},{timestamp:bucket(1h):iso}";
    for end in 0..=text.len() {
        let (template, problems) = Template::parse(&text[..end], &fields());
        assert!(
            problems
                .iter()
                .all(|problem| problem.span.start <= problem.span.end && problem.span.end as usize <= end)
        );
        assert_eq!(
            template.chips(&Layout::new(LayoutKind::RowPerEntity), None).len(),
            template.parts().len()
        );
        assert_eq!(
            Template::parse(&template.text(), &fields()).0.parts(),
            template.parts(),
            "{}",
            &text[..end]
        );
    }
}

#[test]
fn negative_numbers_keep_their_order() {
    let template = Template::parse("{n:pad(4)}", &fields()).0;
    let mut keys = Vec::new();
    for n in [-9999, -1000, -999, -10, -9, -2, -1, 0, 1, 9, 10, 999, 9999] {
        let text = n.to_string();
        let mut values = VALUES;
        values[3] = Some(&text);
        let key = key_of(&template, &values).unwrap();
        assert_eq!(template.decode(&key), [("n".to_string(), text)]);
        keys.push(key);
    }
    assert!(keys.is_sorted());
}

#[test]
fn a_value_that_contains_its_separator_has_unknown_boundaries() {
    let template = parse("{app_id},{user_token},{timestamp:iso}");
    let key = b"a,b,c,2019-05-28T00:04:34.567Z";
    assert_eq!(template.decode(key), [("timestamp".to_string(), "2019-05-28T00:04:34.567Z".to_string())]);
    let parts: Vec<u32> = template.key_view(key).spans.iter().map(|span| span.part).collect();
    assert_eq!(parts, [3, 4]);
    assert!(template.key_view(b"no such key").spans.is_empty());
}

#[test]
fn a_row_per_entity_leaves_instants_out() {
    let stored = |text: &str| {
        let layout = Layout::new(LayoutKind::RowPerEntity);
        let stored = parse(text).stored(&layout);
        assert_eq!(stored.stored(&layout), stored);
        stored.text()
    };
    assert_eq!(stored("{app_id},{user_token},{timestamp:iso}"), "{app_id},{user_token}");
    assert_eq!(stored("{timestamp:iso},{app_id},{user_token}"), "{app_id},{user_token}");
    assert_eq!(stored("{app_id}#{timestamp:reverse_time}#{user_token}"), "{app_id}#{user_token}");
    assert_eq!(stored("{salt(8)}-{timestamp:iso}#{user_token}"), "{salt(8)}-{user_token}");
    assert_eq!(stored("{salt(8, timestamp, n)}-{timestamp:iso}#{n}"), "{salt(8, n)}-{n}");
    assert_eq!(stored("{user_token}#{timestamp:date}#{timestamp:millis}"), "{user_token}#{timestamp:date}");
    assert_eq!(stored("{timestamp}"), "{timestamp}");
    assert_eq!(stored("{salt(8)}-{timestamp:iso}"), "{salt(8)}-{timestamp:iso}");
    assert_eq!(stored("{app_id},{timestamp:bucket(1d):iso}"), "{app_id},{timestamp:bucket(1d):iso}");
}

/// Returns the key of the event above at another time, and what is decoded from it.
fn at_time(template: &Template, time: &str) -> String {
    let mut values = VALUES;
    values[2] = Some(time);
    match key_of(template, &values) {
        Err(error) => error,
        Ok(key) => {
            let view = template.key_view(&key);
            let spans: Vec<String> =
                view.spans.iter().map(|span| alloc::format!("{}..{}", span.start, span.end)).collect();
            let side = match template.side_of_key(template.logical(&key)) {
                Some(side) => alloc::format!("{side:?}"),
                None => "either".into(),
            };
            let logical = escape(template.logical(&key));
            alloc::format!(
                "{} = {logical}, {} {:?} {side}",
                escape(&key),
                spans.join(" "),
                template.decode(&key)
            )
        }
    }
}

#[test]
fn a_cut_over_salts_later_events_only() {
    let mut said = String::new();
    for text in [
        "{salt(8, from=2019-06-01)}-{app_id}#{timestamp:iso}",
        "{salt(16, app_id, from=\"2019-06-01T00:00:00.500Z\")}#{app_id}|{timestamp:date}",
        "{salt(8,from = 1559347200 )}{app_id}",
        "{salt(8, from=2019-06-01)}-/{timestamp:reverse_time}/{timestamp:month}",
        "{salt(8, from=2019-06-01)}-{app_id}#{timestamp}",
        "{salt(8, from=2019-06-01)}-{app_id}#{timestamp:millis:reverse}",
        "{salt(8, from=2019-06-01)}-{app_id}#{timestamp:bucket(7d):iso}",
        "{salt(8, from=2019-06-01)}-{app_id}#{timestamp:iso:hash}",
        "{salt(100, from=2019-06-01)}-{n}-{app_id}",
    ] {
        let template = parse(text);
        writeln!(said, "{}", template.text()).unwrap();
        for time in ["2019-05-31T23:59:59.999999Z", "2019-06-01", "2019-06-01T00:00:00.5Z"] {
            writeln!(said, "  {}", at_time(&template, time)).unwrap();
        }
    }
    expect![[r#"
        {salt(8, from=2019-06-01)}-{app_id}#{timestamp:iso}
          app#2019-05-31T23:59:59.999Z = app#2019-05-31T23:59:59.999Z, 0..0 0..0 0..3 3..4 4..28 [("app_id", "app"), ("timestamp", "2019-05-31T23:59:59.999Z")] Before
          6-app#2019-06-01T00:00:00.000Z = app#2019-06-01T00:00:00.000Z, 0..1 1..2 2..5 5..6 6..30 [("app_id", "app"), ("timestamp", "2019-06-01T00:00:00.000Z")] After
          3-app#2019-06-01T00:00:00.500Z = app#2019-06-01T00:00:00.500Z, 0..1 1..2 2..5 5..6 6..30 [("app_id", "app"), ("timestamp", "2019-06-01T00:00:00.500Z")] After
        {salt(16, app_id, from=2019-06-01T00:00:00.500Z)}#{app_id}|{timestamp:date}
          app|2019-05-31 = app|2019-05-31, 0..0 0..0 0..3 3..4 4..14 [("app_id", "app")] Before
          app|2019-06-01 = app|2019-06-01, 0..0 0..0 0..3 3..4 4..14 [("app_id", "app")] either
          13#app|2019-06-01 = app|2019-06-01, 0..2 2..3 3..6 6..7 7..17 [("app_id", "app")] either
        {salt(8, from=2019-06-01)}{app_id}
          app = app, 0..0 0..3 [("app_id", "app")] either
          0app = app, 0..1 1..4 [("app_id", "app")] either
          0app = app, 0..1 1..4 [("app_id", "app")] either
        {salt(8, from=2019-06-01)}-/{timestamp:reverse_time}/{timestamp:month}
          /8440652800000/2019-05 = /8440652800000/2019-05, 0..0 0..1 1..14 14..15 15..22 [("timestamp", "2019-05-31T23:59:59.999Z")] Before
          4-/8440652799999/2019-06 = /8440652799999/2019-06, 0..1 1..3 3..16 16..17 17..24 [("timestamp", "2019-06-01T00:00:00.000Z")] After
          2-/8440652799499/2019-06 = /8440652799499/2019-06, 0..1 1..3 3..16 16..17 17..24 [("timestamp", "2019-06-01T00:00:00.500Z")] After
        {salt(8, from=2019-06-01)}-{app_id}#{timestamp}
          app#2019-05-31T23:59:59.999999Z = app#2019-05-31T23:59:59.999999Z, 0..0 0..0 0..3 3..4 4..31 [("app_id", "app"), ("timestamp", "2019-05-31T23:59:59.999999Z")] Before
          2-app#2019-06-01 = app#2019-06-01, 0..1 1..2 2..5 5..6 6..16 [("app_id", "app"), ("timestamp", "2019-06-01")] After
          6-app#2019-06-01T00:00:00.5Z = app#2019-06-01T00:00:00.5Z, 0..1 1..2 2..5 5..6 6..28 [("app_id", "app"), ("timestamp", "2019-06-01T00:00:00.5Z")] After
        {salt(8, from=2019-06-01)}-{app_id}#{timestamp:millis:reverse}
          app#9999917439551 = app#9999917439551, 0..0 0..0 0..3 3..4 4..17 [("app_id", "app"), ("timestamp", "2019-05-31T23:59:59.999Z")] Before
          2-app#0000027439551 = app#0000027439551, 0..1 1..2 2..5 5..6 6..19 [("app_id", "app"), ("timestamp", "2019-06-01T00:00:00.000Z")] After
          5-app#0050027439551 = app#0050027439551, 0..1 1..2 2..5 5..6 6..19 [("app_id", "app"), ("timestamp", "2019-06-01T00:00:00.500Z")] After
        {salt(8, from=2019-06-01)}-{app_id}#{timestamp:bucket(7d):iso}
          app#2019-05-30T00:00:00.000Z = app#2019-05-30T00:00:00.000Z, 0..0 0..0 0..3 3..4 4..28 [("app_id", "app")] either
          0-app#2019-05-30T00:00:00.000Z = app#2019-05-30T00:00:00.000Z, 0..1 1..2 2..5 5..6 6..30 [("app_id", "app")] either
          0-app#2019-05-30T00:00:00.000Z = app#2019-05-30T00:00:00.000Z, 0..1 1..2 2..5 5..6 6..30 [("app_id", "app")] either
        {salt(8, from=2019-06-01)}-{app_id}#{timestamp:iso:hash}
          app#cff3205fd0b05eac = app#cff3205fd0b05eac, 0..0 0..0 0..3 3..4 4..20 [("app_id", "app")] either
          4-app#b2f8834de937c460 = app#b2f8834de937c460, 0..1 1..2 2..5 5..6 6..22 [("app_id", "app")] either
          4-app#6031eeee52dca64e = app#6031eeee52dca64e, 0..1 1..2 2..5 5..6 6..22 [("app_id", "app")] either
        {salt(100, from=2019-06-01)}-{n}-{app_id}
          A key before the cut-over begins with 42-, as the salted keys do (42-app), so readers could not distinguish them: put another character after the salt, or a letter before the fields.
          71-42-app = 42-app, 0..2 2..3 3..5 5..6 6..9 [("n", "42"), ("app_id", "app")] either
          71-42-app = 42-app, 0..2 2..3 3..5 5..6 6..9 [("n", "42"), ("app_id", "app")] either
    "#]].assert_eq(&said);
    let mut values = VALUES;
    values[2] = None;
    expect!["This event has no value for timestamp, so it is neither before nor after the cut-over of the salt: remove from=2019-06-01."].assert_eq(&key_of(&parse("{salt(8, from=2019-06-01)}-{app_id}"), &values).unwrap_err());
}

#[test]
fn a_row_per_entity_keeps_the_cut_over() {
    let layout = Layout::new(LayoutKind::RowPerEntity);
    let stored = parse("{salt(8, from=2019-06-01)}-{app_id}#{timestamp:iso}").stored(&layout);
    assert_eq!(stored.text(), "{salt(8, from=2019-06-01)}-{app_id}");
    assert_eq!(at_time(&stored, "2019-05-31"), "app = app, 0..0 0..0 0..3 [(\"app_id\", \"app\")] either");
    assert_eq!(stored.salt_of_stored(&key_of(&stored, &VALUES).unwrap()), None);
}

#[test]
fn a_cut_over_that_cannot_work_is_a_problem() {
    problems(
        "{salt(8, from=soon)}-{app_id}",
        expect![[r#"
        {salt(8)}-{app_id}
        [from=soon] from is the time of the first salted event: from=2019-06-01 or from=2019-06-01T12:00:00Z."#]],
    );
    problems(
        "{salt(8, form=2019-06-01)}-{app_id}",
        expect![[r#"
        {salt(8)}-{app_id}
        [form=2019-06-01] There is no option form. Did you mean from?"#]],
    );
    problems(
        "{salt(8, from=2019-06-01)}-7-{app_id}",
        expect![[r#"
        {salt(8, from=2019-06-01)}-7-{app_id}
        [{salt(8, from=2019-06-01)}] A key before the cut-over begins with 7-, as the salted keys do (7-), so readers could not distinguish them: put another character after the salt, or a letter before the fields."#]],
    );
    problems(
        "{salt(8, from=2019-06-01)}{timestamp:iso}",
        expect![[r#"
        {salt(8, from=2019-06-01)}{timestamp:iso}
        [{salt(8, from=2019-06-01)}] A key before the cut-over begins with 2, as the salted keys do (2019-05-31T23:59:59.999Z), so readers could not distinguish them: put another character after the salt, or a letter before the fields."#]],
    );
    // Salts are 0 and 1, and the years begin with 2.
    problems(
        "{salt(2, from=2019-06-01)}{timestamp:iso}",
        expect!["{salt(2, from=2019-06-01)}{timestamp:iso}"],
    );
    let (_, problems) = Template::parse("{salt(8, from=2019-06-01)}-{app_id}", &fields()[..2]);
    expect!["A cut-over divides the events by their time, and they have no field of kind time: correct the kind of one with the data, or remove from=."].assert_eq(&problems[0].message);
    assert_eq!(Template::problems_of_text("{salt(8, from=2019-06-01)}-{app_id}"), []);
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => proptest::sample::select(vec!["app_id", "user_token", "timestamp", "n", "Order: id", "gone"]).prop_map(String::from),
        1 => "[a-z :(),{}\"\\\\=\u{e9}]{0,6}",
    ]
}

fn transform() -> impl Strategy<Value = Transform> {
    prop_oneof![
        proptest::sample::select(TimeFormat::ALL.map(|(_, format)| format).to_vec())
            .prop_map(Transform::Time),
        (1u32..=36_500 * 86_400).prop_map(Transform::Bucket),
        (1u32..=100, proptest::sample::select(vec![60u32, 3600, 86_400]))
            .prop_map(|(n, unit)| Transform::Bucket(n * unit)),
        (1u8..=38).prop_map(Transform::Pad),
        (1u8..=16).prop_map(Transform::Hash),
        Just(Transform::Reverse),
        "[a-z0-9_-]{1,16}"
            .prop_filter_map("a placeholder", |text| Placeholder::new(&text))
            .prop_map(Transform::Or),
        Just(Transform::ReverseDomain),
        Just(Transform::Upper),
        Just(Transform::Lower),
    ]
}

fn axis() -> impl Strategy<Value = Axis> {
    (name(), -1e9..1e9f64, 1e-3..1e9f64).prop_map(|(field, min, width)| Axis { field, min, max: min + width })
}

pub(crate) fn part() -> impl Strategy<Value = Part> {
    prop_oneof![
        "[a-z{}#,:\u{e9} \"]{0,5}".prop_map(Part::Literal),
        (name(), proptest::collection::vec(transform(), 0..4))
            .prop_map(|(name, transforms)| Part::Field { name, transforms }),
        (
            2u32..=1000,
            proptest::collection::vec(name(), 0..3),
            proptest::option::of(-9_999_999_999_999..9_999_999_999_999i64)
        )
            .prop_map(|(buckets, over, from)| Part::Salt { buckets, over, from }),
        (axis(), axis(), 1u8..=32, any::<bool>(), 0..3usize).prop_map(|(x, y, bits, x_first, output)| {
            Part::ZOrder(ZOrder {
                x,
                y,
                bits,
                first: if x_first { FirstBit::X } else { FirstBit::Y },
                output: [ZOutput::Decimal, ZOutput::Hex, ZOutput::Bytes][output],
            })
        }),
    ]
}

proptest! {
    #[test]
    fn a_printed_template_parses_to_the_same_template(parts in proptest::collection::vec(part(), 0..8)) {
        let template = Template::new(parts, &fields());
        let text = template.text();
        let (again, _) = Template::parse(&text, &fields());
        prop_assert_eq!(again.parts(), template.parts(), "{}", text);
        prop_assert_eq!(again.spans, template.spans);
    }

    #[test]
    fn any_text_parses(text in "[{}()a-z:,\"\\\\=.0-9 -]{0,40}") {
        let (template, problems) = Template::parse(&text, &fields());
        for problem in &problems {
            prop_assert!(text.get(problem.span.start as usize..problem.span.end as usize).is_some());
        }
        let (again, _) = Template::parse(&template.text(), &fields());
        prop_assert_eq!(again.parts(), template.parts());
    }

    #[test]
    fn values_without_separators_are_read_back(app in "[a-z0-9-]{0,8}", user in "[A-Z\u{e9}]{0,8}", millis in 0..9_999_999_999_999i64, n in -9999..9999i64) {
        let (time, number) = (crate::time::format(millis * 1000), n.to_string());
        let values = [Some(&app[..]), Some(&user), Some(&time), Some(&number), None, None, None, None];
        for text in [
            "{app_id},{user_token},{timestamp:iso}#{n}",
            "{salt(16)}#{timestamp:reverse_time}{user_token:reverse}#{app_id}#{n:pad(4)}",
            "{salt(7, app_id)}{app_id:hash(3)}{n:pad(6)}{timestamp:millis}{app_id}/{user_token}",
        ] {
            let template = parse(text);
            let key = key_of(&template, &values).unwrap();
            let mut read = template.decode(&key);
            read.sort();
            let expected = [("app_id", &app), ("n", &number), ("timestamp", &time), ("user_token", &user)];
            prop_assert_eq!(read, expected.map(|(name, value)| (name.to_string(), value.clone())).to_vec());
            let view = template.key_view(&key);
            prop_assert_eq!(view.spans.len(), template.parts().len());
        }
    }
}
