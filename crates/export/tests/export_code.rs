//! Exported code makes the same keys as the engine's template, in every language that this machine
//! has, and the code of the queries parses.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use tabletop_export::{Export, ExportInput, ExportTable, Lang};
use tabletop_keys::time::DateFormat;
use tabletop_keys::{Field, FieldKind, Layout, LayoutKind, Query, Record, RowChoice, Template};
use tabletop_model::{RowFilter, RowKey, RowRange};
use tempfile::TempDir;

use crate::Test;
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

type Event = BTreeMap<String, String>;

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

/// Creates a new folder with the events, one per line.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lines: Vec<String> = events().iter().map(|event| serde_json::to_string(event).unwrap()).collect();
    fs::write(folder.path().join("events.jsonl"), lines.join("\n")).unwrap();
    folder
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
    let folder = folder();
    let mut main = String::from(
        "import json\nevents = [json.loads(line) for line in open('events.jsonl', encoding='utf-8')]\n",
    );
    for (at, case) in cases().iter().enumerate() {
        fs::write(folder.path().join(format!("row_key_{at}.py")), case.write(Export::Key(Lang::Python)))
            .unwrap();
        fs::write(folder.path().join(format!("queries_{at}.py")), case.write(Export::Queries(Lang::Python)))
            .unwrap();
        write!(
            main,
            "from row_key_{at} import row_key\nfor event in events:\n    try:\n        print(row_key(event).hex())\n    except ValueError:\n        \
             print('error')\ncompile(open('queries_{at}.py').read(), 'queries_{at}.py', 'exec')\n"
        )
        .unwrap();
    }
    fs::write(folder.path().join("main.py"), main).unwrap();
    compare(&run(folder.path(), "python3", &["main.py"]));
}

fn node() {
    let folder = folder();
    let mut main = String::from(
        "import fs from 'node:fs';\nconst events = fs.readFileSync('events.jsonl', 'utf8').split('\\n').map((line) => JSON.parse(line));\n\
         const keys = (rowKey) => { for (const event of events) { try { console.log(rowKey(event).toString('hex')); } catch { console.log('error'); } } };\n",
    );
    for (at, case) in cases().iter().enumerate() {
        fs::write(folder.path().join(format!("row_key_{at}.mjs")), case.write(Export::Key(Lang::Node)))
            .unwrap();
        writeln!(main, "keys((await import('./row_key_{at}.mjs')).rowKey);").unwrap();
    }
    fs::write(folder.path().join("main.mjs"), main).unwrap();
    compare(&run(folder.path(), "node", &["main.mjs"]));
    for case in SALTED {
        fs::write(folder.path().join("queries.mjs"), cases()[case].write(Export::Queries(Lang::Node)))
            .unwrap();
        run(folder.path(), "node", &["--check", "queries.mjs"]);
    }
}

fn java() {
    let folder = folder();
    let mut main = String::from(
        "import java.nio.file.*;\nimport java.util.*;\nimport java.util.function.*;\npublic class Main {\n\
         static void keys(List<Map<String, String>> events, Function<Map<String, String>, byte[]> rowKey) {\n for (var event : events) { try { \
         System.out.println(HexFormat.of().formatHex(rowKey.apply(event))); } catch (IllegalArgumentException | java.time.DateTimeException e) { \
         System.out.println(\"error\"); } } }\n\
         public static void main(String[] a) throws Exception {\n List<Map<String, String>> events = new ArrayList<>();\n for (String line : \
         Files.readAllLines(Path.of(\"events.hex\"))) { Map<String, String> event = new HashMap<>(); if (!line.isEmpty()) for (String pair : \
         line.split(\",\")) { String[] sides = pair.split(\":\", -1); event.put(text(sides[0]), text(sides[1])); } events.add(event); }\n",
    );
    // Java has no JSON parser.
    let hex = |text: &str| text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
    let line = |event: &Event| {
        event
            .iter()
            .map(|(name, text)| format!("{}:{}", hex(name), hex(text)))
            .collect::<Vec<String>>()
            .join(",")
    };
    fs::write(
        folder.path().join("events.hex"),
        events().iter().map(line).collect::<Vec<String>>().join("\n"),
    )
    .unwrap();
    let mut arguments = vec!["-encoding".to_string(), "ascii".into(), "Main.java".into()];
    for (at, case) in cases().iter().enumerate() {
        fs::create_dir(folder.path().join(format!("case{at}"))).unwrap();
        let code = format!("package case{at};\n{}", case.write(Export::Key(Lang::Java)));
        fs::write(folder.path().join(format!("case{at}/RowKey.java")), code).unwrap();
        writeln!(main, "keys(events, case{at}.RowKey::rowKey);").unwrap();
        arguments.push(format!("case{at}/RowKey.java"));
    }
    main.push_str("}\nstatic String text(String hex) { return new String(HexFormat.of().parseHex(hex), java.nio.charset.StandardCharsets.UTF_8); }\n}\n");
    fs::write(folder.path().join("Main.java"), main).unwrap();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    run(folder.path(), "javac", &arguments);
    compare(&run(folder.path(), "java", &["-cp", ".", "Main"]));
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
    let folder = folder();
    let mut main = String::from("use std::collections::HashMap;\n");
    let mut calls = String::new();
    for (at, case) in cases().iter().enumerate() {
        fs::write(folder.path().join(format!("case_{at}.rs")), case.write(Export::Key(Lang::Rust))).unwrap();
        writeln!(main, "mod case_{at};").unwrap();
        writeln!(calls, "keys(&events, case_{at}::row_key);").unwrap();
    }
    write!(
        main,
        "fn keys(events: &[HashMap<String, String>], row_key: fn(&HashMap<String, String>) -> Result<Vec<u8>, String>) {{\n for event in events {{ \
         match row_key(event) {{ Ok(key) => println!(\"{{}}\", key.iter().map(|byte| format!(\"{{byte:02x}}\")).collect::<String>()), Err(_) => \
         println!(\"error\") }} }} }}\nfn main() {{\n let events = vec![\n"
    )
    .unwrap();
    for event in events() {
        let pairs: Vec<String> = event
            .iter()
            .map(|(name, text)| format!("({name:?}.to_string(), {text:?}.to_string())"))
            .collect();
        writeln!(main, "HashMap::from([{}]),", pairs.join(", ")).unwrap();
    }
    writeln!(main, "];\n{calls}}}").unwrap();
    fs::write(folder.path().join("main.rs"), main).unwrap();
    run(folder.path(), "rustc", &["--edition", "2024", "-D", "warnings", "main.rs", "-o", "main"]);
    compare(&run(folder.path(), "./main", &[]));
}

fn go() {
    let folder = folder();
    let mut main = String::from("package main\nimport (\"bufio\"; \"encoding/json\"; \"fmt\"; \"os\"\n");
    let mut calls = String::new();
    for (at, case) in cases().iter().enumerate() {
        fs::create_dir(folder.path().join(format!("case{at}"))).unwrap();
        fs::write(folder.path().join(format!("case{at}/row_key.go")), case.write(Export::Key(Lang::Go)))
            .unwrap();
        writeln!(main, "case{at} \"keys/case{at}\"").unwrap();
        writeln!(calls, "keys(events, case{at}.RowKey)").unwrap();
    }
    write!(
        main,
        ")\nfunc keys(events []map[string]string, rowKey func(map[string]string) ([]byte, error)) {{ for _, event := range events {{ key, err := \
         rowKey(event); if err != nil {{ fmt.Println(\"error\") }} else {{ fmt.Printf(\"%x\\n\", key) }} }} }}\nfunc main() {{\nvar events \
         []map[string]string\nfile, _ := os.Open(\"events.jsonl\")\nlines := bufio.NewScanner(file)\nfor lines.Scan() {{ event := \
         map[string]string{{}}; if json.Unmarshal(lines.Bytes(), &event) != nil {{ panic(1) }}; events = append(events, event) }}\n{calls}}}\n"
    )
    .unwrap();
    fs::write(folder.path().join("main.go"), main).unwrap();
    fs::write(folder.path().join("go.mod"), "module keys\ngo 1.22\n").unwrap();
    compare(&run(folder.path(), "go", &["run", "."]));
}

fn shell_scripts_parse() {
    let folder = folder();
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
