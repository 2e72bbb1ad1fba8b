//! Exported code makes the same keys as the engine's template, in every language that this machine
//! has, and the code of the queries parses.

use std::fmt::Write as _;
use std::fs;

use tabletop_export::{Export, ExportInput, ExportTable, Lang};
use tabletop_keys::time::DateFormat;
use tabletop_keys::{Field, FieldKind, Layout, LayoutKind, Query, Record, RowChoice, Template};
use tabletop_model::{RowFilter, RowKey, RowRange};

use crate::Test;
use crate::key_programs::{Event, KeySet, keys, keys_in};
use crate::programs::{Program, run};

pub const TESTS: &[Test] = &[
    Test::new("export_code::most_events_have_keys", most_events_have_keys),
    Test::of(Program::Python, "export_code::python", python),
    Test::of(Program::Node, "export_code::node", node),
    Test::of(Program::Java, "export_code::java", java),
    Test::of(Program::Rust, "export_code::rust", rust),
    Test::of(Program::Go, "export_code::go", go),
    Test::of(Program::Bash, "export_code::shell_scripts_parse", shell_scripts_parse),
    Test::new("export_code::every_file_is_ascii_and_has_an_end", every_file_is_ascii_and_has_an_end),
];

const SPECIAL_CHARACTERS: &str = "a\"b'c\\d$e{f}\n\u{e9}\u{1f600}\\u0041";

/// The cases with a salt for all events, and with a salt that applies from a time on.
const SALTED: [usize; 2] = [10, 16];

/// Fields with times in a format of their own.
const FORMATS: [(&str, &str); 5] = [
    ("us", "%m/%d/%Y %I:%M:%S %p"),
    ("mail", "%a, %d %b %Y %H:%M:%S.%f %z"),
    ("count", "%s"),
    ("short", "at 100%% %d.%m.%y"),
    ("day clock", "%d/%m/%Y %H:%M"),
];

/// Texts of these fields, one of each kind of error, and those of the day and of the time of day.
const TIMES: [[&str; 6]; 14] = [
    [
        "12/31/2024 11:59:59 PM",
        "Tue, 31 Dec 2024 23:59:59.987654 +0530",
        "1735689599",
        "at 100% 31.12.24",
        "31/12/2024",
        "23:59",
    ],
    [
        "1/2/1969 12:00:00 am",
        "thursday, 2 JANUARY 1969 1:2:3.5 Z",
        "-1.25",
        "at 100% 1.2.69",
        "1/2/1969",
        "0:00",
    ],
    [
        "2/29/2024   1:02:03 pM ",
        "Fri, 1 may 2020 00:00:00.0 gmt",
        " 12.3456 ",
        "at 100%  1.2.68",
        " 29/2/2024",
        "1:02",
    ],
    ["2/29/2023 1:02:03 PM", "Fri, 1 ma 2020 00:00:00.0 gmt", "12.", "at 100% 1.2.00", "29/2/2023", "1:02"],
    [
        "13/1/2024 1:02:03 PM",
        "Fri, 1 May 2020 24:00:00.0 Z",
        "1234567890123456",
        "at 100 1.2.00",
        "1/13/2024",
        "1:02",
    ],
    ["1/1/2024 13:02:03 PM", "Foo, 1 May 2020 23:00:00.0 Z", "", "at 100%% 1.2.00", "1/1/2024", "24:02"],
    ["1/1/2024 0:02:03 PM", "Fri, 1 May 2020 23:00:00. Z", "-", "at 100% 1.2.", "1/1/2024", "1"],
    ["1/1/2024 1:02:03 XM", "Fri, 1 May 2020 23:00:00.1 +24", "1e3", "AT 100% 1.2.00", "1/1/2024", ""],
    [
        "1/1/24 1:02:03 PM",
        "Fri, 1 May 2020 23:00:00.1 -02:30",
        "0.9999",
        "at 100% 01.02.99",
        "1/1/24",
        "1:02",
    ],
    [
        "1/1/0000 1:02:03 PM",
        "Fri, 1 May 0000 23:00:00.1 -02",
        "999999999999999",
        "at 100% 01.02.9",
        "1/1/0000",
        "1:02",
    ],
    [
        "1/1/2024 1:60:03 PM",
        "Fri, 1 May 2020 23:00:00.1 -0260",
        "253402300799.999",
        "at 100% 32.02.09",
        "1/1/2024",
        "1:60",
    ],
    [
        "1/1/2024 1:02:03 PM x",
        "Fri, 1 May 2020 23:00:00.1 +02:",
        "253402300800",
        "at 100% 0.02.09",
        "1/1/2024 ",
        "1:02 x",
    ],
    [
        "\u{a0}1/1/2024 1:02:03 PM\u{85}",
        "Fri,1 May 2020 23:00:00.1 Z",
        "\u{661}",
        "at 100% 1.0.09",
        "\u{661}/1/2024",
        "1:02",
    ],
    [
        "12/1/9999 12:59:59 PM",
        "Sat, 1 Sep 9999 23:59:59.9999999 UTC",
        "00012",
        "at 100% 1.12.09 ",
        "1/12/9999",
        "23:59 ",
    ],
];

fn fields() -> Vec<Field> {
    use FieldKind::{Float, Int, Text, Time};
    let named = [
        ("app", Text),
        ("user", Text),
        ("ts", Time),
        ("n", Int),
        ("lon", Float),
        ("lat", Float),
        (SPECIAL_CHARACTERS, Text),
    ];
    let times = FORMATS.map(|(name, format)| Field {
        format: Some(DateFormat::new(format).unwrap()),
        ..Field::new(name, Time)
    });
    // The last one is a day and a time of day in two columns.
    let joined = [("day", Text), ("clock", Text)];
    let plain = named.into_iter().chain(joined).map(|(name, kind)| Field::new(name, kind));
    plain.chain(times).collect()
}

/// Returns templates with every transform, literals of all kinds, and salts computed from
/// everything or from parts.
fn templates() -> Vec<String> {
    let mut texts: Vec<String> = [
        "{app},{user},{ts:iso}",
        "{ts:date}/{ts:month}/{ts:hour}/{ts:bucket(7d)}/{ts:bucket(1h):bucket(90m):hour:reverse}",
        "{ts:seconds}{ts:millis}{ts:reverse_time}",
        "{ts:bucket(15m):reverse_time}#{user:reverse}",
        "{user:upper}{user:lower}{user:hash}{user:hash(1)}{user:reverse:hash(7):upper}",
        "{n:pad(12)}#{n:pad(3):reverse}",
        "{n:pad(20):hash(8)}{{}}\u{e9}\"'\\$\u{1f600}{app}",
        "{zorder(lon, lat)}{zorder(lon, lat, first=y)}",
        "{zorder(lon, lat, as=bytes, bits=32)}",
        "{zorder(lon, lat, as=bytes, bits=3, x=-200.5..1e3)}{zorder(lon, lat, as=hex, bits=31)}{zorder(lon, lat, bits=32)}",
        "{salt(16)}-{app}#{user}",
        "{salt(1000)}{user}{ts:iso}",
        "{salt(7, user)}#x{app},{user}",
        "{salt(100, user, app)}\"{user}{n:pad(9)}{app}",
        "{salt(2)}\u{e9}{user}",
        "{salt(3, lat)}:{zorder(lon, lat, as=bytes)}",
        "{salt(16, from=2010-01-01T00:00:00.001Z)}-{app}#{user}",
        "{salt(8, user, from=2100-01-01)}{user}{ts:iso}",
        "{salt(200, app, from=1960-01-01)}\"{n}\"{app}",
        "{salt(8, from=2019-05-28T00:04:34.567Z)}#{zorder(lon, lat, as=bytes)}{n}",
        "{app:or(none)}#{user:or(no_user):hash(5)}{n:or(0):pad(6)}",
        "{user:reverse_domain}{user:reverse:reverse_domain:hash(3)}{ts:iso:reverse_domain}",
        "{us:iso}{us:month}",
        "{mail:iso}",
        "{count:iso}",
        "{short:date}#{us}",
        "{\"day clock\":iso}{\"day clock\"}",
    ]
    .map(String::from)
    .to_vec();
    let name = SPECIAL_CHARACTERS.replace('\\', "\\\\").replace('"', "\\\"");
    texts.push(format!("{{\"{name}\"}}"));
    texts
}

fn events() -> Vec<Event> {
    let times = [
        "2019-05-28T00:04:34.567Z",
        "2019-05-28",
        "20190528",
        "20191328",
        "1559001874",
        "1559001874567",
        "1559001874567891",
        "9999999999999999",
        "0000-02-29",
        "0000-01-01T00:00:00Z",
        "9999-12-31T23:59:59.999999",
        "9999-12-31T23:59:59-01:00",
        "1969-12-31T23:59:59.9999999",
        "1600-02-29 01:02",
        "1900-02-29",
        "2019-05-28T00:04:34,5+0530",
        "2019-05-28t00:04-02",
        "2019-05-28T00:04:34.567z",
        "2019-05-28T24:00",
        "2019-05-28T00:04+02:",
        "2019-05-28T00:04:34.Z",
        "2019-05-28T00:04:34.567Z\n",
        "+019-05-28",
        "0",
        "12345678901234567",
        "\u{0661}",
        "2286-11-20T17:46:39.999Z",
        "2286-11-20T17:46:40Z",
        "",
    ];
    let numbers = [
        "0",
        "-0",
        "42",
        "-42",
        "+7",
        " 12\t",
        "\u{a0}9\u{85}",
        "\u{feff}9",
        "\u{1c}9",
        "007",
        "-999",
        "1000",
        "123456789012",
        "",
        "-",
        "+-1",
        "1_000",
        "99999999999999999999",
        "\u{0661}",
        "5\n",
    ];
    let degrees = [
        ("-122.4012", "37.7839"),
        ("180", "90"),
        ("-180", "-90.0"),
        ("0.1", "-0.1"),
        ("1e2", "8.9e1"),
        (".5", "5."),
        (" 7 ", "+7"),
        ("180.0000001", "0"),
        ("nan", "0"),
        ("1_0", "0"),
        ("0x1", "0"),
        ("", "0"),
        ("inf", "0"),
        ("12", "1d"),
        ("179.99999999999997", "1e-300"),
        ("77.123456789", "1e400"),
        ("-0.0", "0"),
    ];
    let long = "0123456789abcdefghijklmnopqrstuvwxyz\u{e9}\u{1f600}".repeat(40);
    let texts: Vec<String> = [
        "u",
        "",
        "Us\u{e9}R\u{df}\u{131}\u{1f600}\u{301}x",
        "\u{0}\u{7f}\n",
        "a,b#c\u{fffd}",
        "\u{130}i",
        "https://www.CNN.com:8080/a.b?c=d@e#f",
        "bob:x@maps.google.com./index.html",
        "//[2001:db8::1]:80/x.y",
        "ftp://10.0.0.1:21/a.b",
        "1x://M\u{fc}nchen.de..B?to=http://c.d",
        &"x".repeat(4096),
        &"y".repeat(4097),
    ]
    .into_iter()
    .map(String::from)
    .chain([31, 32, 33, 39, 44, 63, 64, 100].map(|length| long.chars().take(length).collect()))
    .collect();
    (0..60)
        .map(|at| {
            let pick = |list: &[&str]| list[at % list.len()].to_string();
            let (lon, lat) = degrees[at % degrees.len()];
            let [us, mail, count, short, day, clock] = TIMES[at % TIMES.len()];
            let user = texts[at % texts.len()].clone();
            let mut event: Event = [
                ("app", format!("app{}", at % 5)),
                ("user", user.clone()),
                ("ts", pick(&times)),
                ("n", pick(&numbers)),
                ("lon", lon.into()),
                ("lat", lat.into()),
                (SPECIAL_CHARACTERS, user),
                ("us", us.into()),
                ("mail", mail.into()),
                ("count", count.into()),
                ("short", short.into()),
                ("day", day.into()),
                ("clock", clock.into()),
            ]
            .map(|(name, text)| (name.to_string(), text))
            .into();
            if at % 11 == 10 {
                event.remove(["app", "user", "ts"][at % 3]);
            }
            event
        })
        .collect()
}

fn expected(template: &Template, event: &Event) -> String {
    // The reader of files joins a day and a time of day.
    let joined = [event["day"].as_str(), &event["clock"]].join(" ");
    let value = |field: &Field| match field.name.as_str() {
        "day clock" => Some(joined.as_str()),
        name => event.get(name).map(String::as_str),
    };
    let values: Vec<Option<&str>> = template.fields().iter().map(value).collect();
    let mut key = Vec::new();
    match template.write_key(&Record { fields: template.fields(), values: &values }, &mut key) {
        Ok(()) => key.iter().fold(String::new(), |mut out, byte| {
            write!(out, "{byte:02x}").unwrap();
            out
        }),
        Err(_) => "error".into(),
    }
}

fn filters() -> Vec<RowFilter> {
    let texts = [
        r#"chain(family_name_regex("e"), column_qualifier_regex("\xff\"'\\C*"), interleave(value_regex("1"), chain(strip_value, apply_label("l"))))"#,
        r#"condition(value_regex(""), then=cells_per_column_limit(1), else=block_all)"#,
        r#"condition(pass_all, then=cells_per_row_limit(2))"#,
        r#"chain(column_range("e", start="a", end_open="b\x00"), column_range("e", start_open="a"), column_range("e", end="z"), column_range("e"))"#,
        r#"chain(timestamp_range("2019-05-28", 1559088000000000), timestamp_range(1000, 0), value_range(start="a", end_open="\xff"), value_range(start_open="a", end="b"))"#,
        r#"interleave(row_key_regex("a\n.*"), cells_per_row_offset(3), row_sample(0.25))"#,
        r#"interleave(sink, pass_all)"#,
        r#"value_bitmask("\x01")"#,
    ];
    texts.map(|text| RowFilter::parse(text).0.unwrap_or_else(|| panic!("{text}"))).to_vec()
}

fn queries() -> Vec<(String, Query)> {
    let choices = [
        RowChoice::All,
        RowChoice::Keys(vec![b"a\xff\"\\'".into(), "b".into()]),
        RowChoice::Prefix(b"p\x00\xff".into()),
        RowChoice::Range(RowRange {
            start: std::ops::Bound::Excluded("a".into()),
            end: std::ops::Bound::Included(RowKey::from("b")),
        }),
        RowChoice::Fields {
            equals: vec![("app".into(), SPECIAL_CHARACTERS.into())],
            from: Some("2019-05-28".into()),
            until: Some("2019-05-29".into()),
        },
        RowChoice::Fields { equals: vec![("nothing".into(), "x".into())], from: None, until: None },
    ];
    let filters = filters();
    let plain = choices.into_iter().enumerate().map(|(at, rows)| {
        let filter = (at % 2 == 1).then(|| filters[at].clone());
        (
            ["All", SPECIAL_CHARACTERS, "\u{e9}", "", "read", "class"][at].to_string(),
            Query { rows, filter, rows_limit: at as u64 * 10, reversed: at % 2 == 1 },
        )
    });
    let filtered = filters.iter().map(|filter| {
        (
            "Filter".to_string(),
            Query { rows: RowChoice::All, filter: Some(filter.clone()), rows_limit: 0, reversed: false },
        )
    });
    plain.chain(filtered).collect()
}

struct Case {
    template: Template,
    layout: Layout,
}

fn cases() -> Vec<Case> {
    templates()
        .iter()
        .map(|text| {
            let (template, problems) = Template::parse(text, &fields());
            assert_eq!(problems, [], "{text}");
            Case { template, layout: Layout::new(LayoutKind::Narrow) }
        })
        .collect()
}

impl Case {
    fn write(&self, export: Export) -> String {
        let queries = queries();
        let queries: Vec<(&str, &Query)> =
            queries.iter().map(|(name, query)| (name.as_str(), query)).collect();
        let families = ["e".into(), ".".into()].map(|name: String| tabletop_model::ColumnFamily::new(name));
        let splits = [b"a\xff".into(), "b".into()];
        let table = ExportTable {
            id: "t-1",
            template: &self.template,
            layout: &self.layout,
            families: &families,
            splits: &splits,
            queries: &queries,
        };
        export.write(&ExportInput { project: "my-project", instance: "it's $(mine)", tables: &[table] })
    }
}

/// Returns the events, and the code of the key of each case.
fn key_set() -> [KeySet; 1] {
    let code = |lang| cases().iter().map(|case| case.write(Export::Key(lang))).collect();
    [KeySet { events: events(), code: Box::new(code) }]
}

/// Compares one line for each case and event: the key in hexadecimal digits, or "error".
fn compare(output: &str) {
    let mut lines = output.lines();
    for case in cases() {
        for event in events() {
            let expected = expected(&case.template, &event);
            assert_eq!(lines.next(), Some(expected.as_str()), "{} of {event:?}", case.template.text());
        }
    }
    assert_eq!(lines.next(), None);
}

fn most_events_have_keys() {
    let cases = cases();
    let all =
        cases.iter().flat_map(|case| events().into_iter().map(|event| expected(&case.template, &event)));
    let (keys, errors): (Vec<String>, Vec<String>) = all.partition(|key| key != "error");
    assert!(keys.len() > 400 && errors.len() > 100, "{} keys, {} errors", keys.len(), errors.len());
}

fn python() {
    let folder = tempfile::tempdir().unwrap();
    compare(&keys_in(&folder, Lang::Python, &key_set()));
    let mut main = String::new();
    for (at, case) in cases().iter().enumerate() {
        let name = format!("queries_{at}.py");
        fs::write(folder.path().join(&name), case.write(Export::Queries(Lang::Python))).unwrap();
        writeln!(main, "compile(open('{name}').read(), '{name}', 'exec')").unwrap();
    }
    fs::write(folder.path().join("queries.py"), main).unwrap();
    run(folder.path(), "python3", &["queries.py"]);
}

fn node() {
    let folder = tempfile::tempdir().unwrap();
    compare(&keys_in(&folder, Lang::Node, &key_set()));
    for case in SALTED {
        fs::write(folder.path().join("queries.mjs"), cases()[case].write(Export::Queries(Lang::Node)))
            .unwrap();
        run(folder.path(), "node", &["--check", "queries.mjs"]);
    }
}

fn java() {
    let folder = tempfile::tempdir().unwrap();
    compare(&keys_in(&folder, Lang::Java, &key_set()));
    // Only the grammar is checked: the client's classes are not available here.
    let parse = "import com.sun.source.util.JavacTask;\nimport javax.tools.*;\npublic class Parse { public static void main(String[] a) throws \
                 Exception { var compiler = ToolProvider.getSystemJavaCompiler(); var files = compiler.getStandardFileManager(null, null, null); var \
                 problems = new DiagnosticCollector<JavaFileObject>(); ((JavacTask) compiler.getTask(null, files, problems, null, null, \
                 files.getJavaFileObjects(\"Queries.java\"))).parse(); System.out.print(problems.getDiagnostics()); } }";
    fs::write(folder.path().join("Parse.java"), parse).unwrap();
    for case in SALTED {
        fs::write(folder.path().join("Queries.java"), cases()[case].write(Export::Queries(Lang::Java)))
            .unwrap();
        assert_eq!(run(folder.path(), "java", &["Parse.java"]), "[]");
    }
}

fn rust() {
    compare(&keys(Lang::Rust, &key_set()));
}

fn go() {
    compare(&keys(Lang::Go, &key_set()));
}

fn shell_scripts_parse() {
    let folder = tempfile::tempdir().unwrap();
    for export in [Export::Cbt, Export::Gcloud] {
        fs::write(folder.path().join("script.sh"), cases()[0].write(export)).unwrap();
        run(folder.path(), "bash", &["-n", "script.sh"]);
    }
}

fn every_file_is_ascii_and_has_an_end() {
    for case in cases() {
        for export in Export::ALL {
            let text = case.write(export);
            assert!(text.ends_with('\n') && !text.contains('\r'), "{}", export.file_name());
            // Arguments of a shell may be any text.
            assert!(
                text.is_ascii() || matches!(export, Export::Cbt | Export::Gcloud),
                "{}",
                export.file_name()
            );
        }
    }
}
