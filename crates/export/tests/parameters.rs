//! Functions with parameters read the rows that the engine's plan reads for the same values.

use std::fmt::Write as _;
use std::fs;

use serde_json::Value;
use tabletop_export::{Export, ExportInput, ExportTable, Lang};
use tabletop_keys::time::{self, DateFormat};
use tabletop_keys::{Field, FieldKind, Layout, LayoutKind, Query, Record, RowChoice, Template};
use tabletop_model::{RowFilter, RowKey, RowSet};

use crate::Test;
use crate::programs::{Program, run};

pub const TESTS: &[Test] = &[
    Test::of(Program::Python, "parameters::python_reads_the_rows_of_the_plan", python),
    Test::of(Program::Node, "parameters::node_reads_the_rows_of_the_plan", node),
    Test::of(Program::Java, "parameters::java_parses", java_parses),
    Test::new("parameters::values_in_filters_stay_literals", values_in_filters_stay_literals),
];

/// Templates, the fields whose values are given, and whether a span of time is.
const CASES: [(&str, &[&str], bool); 17] = [
    ("{device id}#{at:iso}", &["device id"], true),
    ("{device id}#{at:iso}", &["device id"], false),
    ("{device id}", &["device id"], false),
    ("{class:reverse}/{device id:reverse}#{at:reverse_time}", &["class", "device id"], true),
    ("{at:millis}{class}", &[], true),
    ("{at:bucket(1h):reverse_time}#{class}", &[], true),
    ("{class}-{at:date}#{device id}", &["class"], true),
    ("{class}-{at:month}", &["class"], true),
    ("{class}-{at:bucket(7d)}", &["class"], true),
    ("{salt(5)}#{device id},{at:seconds}", &["device id"], true),
    ("{salt(12, class)}{class}.{at:hour}", &["class"], true),
    ("{salt(16)}-{class}.{device id}", &["class", "device id"], false),
    ("{salt(300, device id, class)}-x{device id}.{class}", &["class", "device id"], false),
    ("{n:pad(5)}{local:date}", &["n", "local"], false),
    ("{class:hash(4)}{class}.{zorder(lon, lat, as=bytes)}", &["class"], false),
    ("{site:reverse_domain}{site}#{at:iso}", &["site"], true),
    ("{\"x\u{ff}\"}#{class}", &["x\u{ff}"], false),
];

fn fields() -> Vec<Field> {
    let named = [
        ("device id", FieldKind::Text),
        ("class", FieldKind::Text),
        ("at", FieldKind::Time),
        ("n", FieldKind::Int),
        ("lon", FieldKind::Float),
        ("lat", FieldKind::Float),
        ("site", FieldKind::Text),
        ("x\u{ff}", FieldKind::Text),
    ];
    let mut fields: Vec<Field> = named.map(|(name, kind)| Field::new(name, kind)).to_vec();
    let format = Some(DateFormat::new("%d.%m.%Y").unwrap());
    fields.push(Field { format, ..Field::new("local", FieldKind::Time) });
    fields
}

fn template(text: &str) -> Template {
    let (template, problems) = Template::parse(&text.replace("device id", "\"device id\""), &fields());
    assert_eq!(problems, [], "{text}");
    template
}

/// The texts of an event.
fn event(at: usize) -> Vec<String> {
    let at = at as i64;
    // From 1968 on, in steps of about 20 hours: both sides of 1970.
    let time = time::format((at * 73_000_123 - 60_000_000_000) * 1000);
    [
        ["d1", "d2", "d22", "\u{e9}\u{1f600}", "d\u{0}"][at as usize % 5].into(),
        ["a", "b", "ab"][at as usize / 5 % 3].into(),
        time,
        format!("{}", at % 7 - 3),
        format!("{}", at % 11 * 30 - 150),
        format!("{}.5", at % 5 * 30 - 75),
        ["https://www.cnn.com/x?y", "maps.google.com", "google.com"][at as usize % 3].into(),
        ["", "x", "\u{ff}"][at as usize % 3].into(),
        format!("{}.{}.2024", at % 3 + 1, at % 2 + 1),
    ]
    .to_vec()
}

const EVENTS: usize = 3_000;

/// Bounds in milliseconds.
const SPANS: [[i64; 2]; 7] = [
    [0, 86_400_000],
    [1, 1_000_000_000],
    [86_399_999, 86_400_001],
    [-50_000_000_000, 12_345_678_901],
    [12_345_678_901, 12_345_678_901],
    [20_000_000_000, 10_000_000_000],
    [-60_000_000_000_000, 250_000_000_000_000],
];

/// The values of a call of a case's function: texts by field, and the span.
type Call = (Vec<(String, String)>, Option<[i64; 2]>);

/// The calls of a case's function.
fn calls(case: usize) -> Vec<Call> {
    let (_, given, is_timed) = CASES[case];
    let fields = fields();
    (0..14)
        .map(|call| {
            let texts = event(call * 7);
            let at = |name: &str| fields.iter().position(|field| field.name == name).unwrap();
            let equals = given.iter().map(|name| (name.to_string(), texts[at(name)].clone())).collect();
            (equals, is_timed.then(|| SPANS[call % SPANS.len()]))
        })
        .collect()
}

fn choice(equals: &[(String, String)], span: Option<[i64; 2]>) -> RowChoice {
    let [from, until] = match span {
        Some(ends) => ends.map(|millis| Some(time::format(millis * 1000))),
        None => [None, None],
    };
    RowChoice::Fields { equals: equals.to_vec(), from, until }
}

fn written(case: usize, lang: Lang) -> String {
    let (text, given, is_timed) = CASES[case];
    let template = template(text);
    let equals: Vec<(String, String)> = given.iter().map(|name| (name.to_string(), "1".into())).collect();
    let rows = choice(&equals, is_timed.then_some([86_400_000, 172_800_000]));
    let query = Query { rows, filter: None, rows_limit: 0, reversed: false };
    let table = ExportTable {
        id: "t",
        template: &template,
        layout: &Layout::new(LayoutKind::Narrow),
        families: &[],
        splits: &[],
        queries: &[("Of these", &query)],
    };
    Export::Queries(lang).write(&ExportInput { project: "p", instance: "i", tables: &[table] })
}

fn keys(template: &Template) -> Vec<RowKey> {
    let all = (0..EVENTS).filter_map(|at| {
        let texts = event(at);
        let values: Vec<Option<&str>> = texts.iter().map(|text| Some(text.as_str())).collect();
        let mut key = Vec::new();
        let record = Record { fields: template.fields(), values: &values };
        template.write_key(&record, &mut key).ok().map(|()| RowKey::from(key))
    });
    all.collect()
}

fn bytes(hex: &Value) -> RowKey {
    let hex = hex.as_str().unwrap();
    let digits = (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap());
    RowKey::from(digits.collect::<Vec<u8>>())
}

/// Compares one line of JSON for each case and call: the row sets, and the span of a filter.
fn compare(output: &str) {
    let mut lines = output.lines();
    let (mut found, mut filtered) = (0, 0);
    for (case, (text, ..)) in CASES.iter().enumerate() {
        let template = template(text);
        let keys = keys(&template);
        for (equals, span) in calls(case) {
            let line: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
            let sets = line["sets"].as_array().unwrap();
            let reads = |key: &RowKey| {
                sets.iter().any(|set| {
                    let is_key = set[0].as_array().unwrap().iter().any(|each| bytes(each) == *key);
                    let mut ranges =
                        set[1].as_array().unwrap().iter().map(|ends| [&ends[0], &ends[1]].map(bytes));
                    is_key || ranges.any(|[start, end]| start <= *key && (end.is_empty() || *key < end))
                })
            };
            let layout = Layout::new(LayoutKind::Narrow);
            let plan = template.plan(&choice(&equals, span), &layout);
            // The plan refuses a filter of times before 1970, and the client does, too.
            let Ok(plan) = plan else { continue };
            let expected = |key: &RowKey| {
                plan.parts.iter().any(|set: &RowSet| {
                    set.is_all()
                        || set.keys.contains(key)
                        || set.ranges.iter().any(|range| range.contains(key))
                })
            };
            for key in &keys {
                assert_eq!(reads(key), expected(key), "{text} {equals:?} {span:?} {key}: {line}");
            }
            found += keys.iter().filter(|key| expected(key)).count();
            if let (Some([start, end]), Some(RowFilter::TimestampRange(range))) = (span, plan.filter(None)) {
                assert_eq!((range.start, range.end), (start * 1000, end * 1000));
                filtered += 1;
                assert_eq!(line["time"], serde_json::json!([start, end]), "{text}");
            }
        }
    }
    assert_eq!(lines.next(), None);
    assert!(found > 500 && filtered > 10, "{found} rows, {filtered} filters");
}

fn python() {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("google/cloud/bigtable/data");
    fs::create_dir_all(&package).unwrap();
    // What the code imports, as far as it is used here.
    fs::write(
        package.join("__init__.py"),
        "class ReadRowsQuery:\n    def __init__(self, **given):\n        self.__dict__.update(given)\n\
         class RowRange(ReadRowsQuery):\n    pass\nclass BigtableDataClient:\n    pass\n",
    )
    .unwrap();
    fs::write(
        package.join("row_filters.py"),
        "class TimestampRangeFilter:\n    def __init__(self, start, end):\n        self.ends = [start, end]\n",
    )
    .unwrap();
    let mut main = String::from(
        "import json\nfrom datetime import datetime, timedelta, timezone\n\
         class Table:\n    def read_rows(self, query):\n        self.sets.append([[key.hex() for key in query.row_keys], \
         [[(ends.start_key or b'').hex(), (ends.end_key or b'').hex()] for ends in query.row_ranges]])\n        \
         self.filter = query.row_filter\n        return []\n\
         table = Table()\n\
         def time(millis):\n    return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=millis)\n\
         def millis(time):\n    return (time - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(milliseconds=1)\n\
         def call(function, *given):\n    table.sets, table.filter = [], None\n    function(table, *given)\n    \
         print(json.dumps({'sets': table.sets, 'time': table.filter and [millis(end) for end in table.filter.ends]}))\n",
    );
    for case in 0..CASES.len() {
        fs::write(folder.path().join(format!("queries_{case}.py")), written(case, Lang::Python)).unwrap();
        writeln!(main, "from queries_{case} import read_of_these").unwrap();
        for (equals, span) in calls(case) {
            let texts = equals.iter().map(|(_, text)| serde_json::to_string(text).unwrap());
            let times = span.into_iter().flatten().map(|millis| format!("time({millis})"));
            let given: Vec<String> = texts.chain(times).collect();
            writeln!(main, "call(read_of_these, {})", given.join(", ")).unwrap();
        }
    }
    fs::write(folder.path().join("main.py"), main).unwrap();
    compare(&run(folder.path(), "python3", &["main.py"]));
}

fn node() {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("node_modules/@google-cloud/bigtable");
    fs::create_dir_all(&package).unwrap();
    fs::write(package.join("package.json"), "{\"type\": \"module\", \"exports\": \"./index.js\"}").unwrap();
    fs::write(package.join("index.js"), "export class Bigtable {}\n").unwrap();
    let mut main = String::from(
        "let sets, filter;\nconst hex = (key) => key.toString('hex');\nconst end = (end) => hex(end?.value ?? Buffer.of());\n\
         const table = { getRows: async (options) => {\n  const ranges = (options.ranges ?? []).map(({ start, end: last }) => [end(start), end(last)]);\n  \
         sets.push([(options.keys ?? []).map(hex), ranges]);\n  filter = options.filter;\n  return [[]];\n} };\n\
         const call = async (read, ...given) => {\n  [sets, filter] = [[], undefined];\n  await read(table, ...given);\n  \
         const time = filter ? filter[0].time ?? filter.time : null;\n  \
         console.log(JSON.stringify({ sets, time: time && [time.start.getTime(), time.end.getTime()] }));\n};\n",
    );
    for case in 0..CASES.len() {
        fs::write(folder.path().join(format!("queries_{case}.mjs")), written(case, Lang::Node)).unwrap();
        writeln!(main, "const {{ readOfThese: read{case} }} = await import('./queries_{case}.mjs');")
            .unwrap();
        for (equals, span) in calls(case) {
            let texts = equals.iter().map(|(_, text)| serde_json::to_string(text).unwrap());
            let times = span.into_iter().flatten().map(|millis| format!("new Date({millis})"));
            let given: Vec<String> = texts.chain(times).collect();
            writeln!(main, "await call(read{case}, {});", given.join(", ")).unwrap();
        }
    }
    fs::write(folder.path().join("main.mjs"), main).unwrap();
    compare(&run(folder.path(), "node", &["main.mjs"]));
}

fn java_parses() {
    let folder = tempfile::tempdir().unwrap();
    let parse = "import com.sun.source.util.JavacTask;\nimport java.io.File;\nimport javax.tools.*;\npublic class Parse { public static void main(String[] a) throws \
                 Exception { var compiler = ToolProvider.getSystemJavaCompiler(); var files = compiler.getStandardFileManager(null, null, null); var \
                 problems = new DiagnosticCollector<JavaFileObject>(); ((JavacTask) compiler.getTask(null, files, problems, null, null, \
                 files.getJavaFileObjects(a))).parse(); System.out.print(problems.getDiagnostics()); } }";
    fs::write(folder.path().join("Parse.java"), parse).unwrap();
    let mut arguments = vec!["Parse.java".to_string()];
    for case in 0..CASES.len() {
        fs::create_dir(folder.path().join(format!("{case}"))).unwrap();
        fs::write(folder.path().join(format!("{case}/Queries.java")), written(case, Lang::Java)).unwrap();
        arguments.push(format!("{case}/Queries.java"));
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    assert_eq!(run(folder.path(), "java", &arguments), "[]");
}

/// What ranges alone cannot find is written as before.
fn values_in_filters_stay_literals() {
    let cases = [
        ("{class}#{at:iso}", "device id", None),
        ("{at:iso}#{class}", "class", None),
        ("{class:upper}#{at:iso}", "class", Some([1, 2])),
        ("{class}#{device id}#{at:iso}", "class", Some([1, 2])),
        ("{salt(4, from=1999-01-01)}-{class}#{at:iso}", "class", None),
    ];
    for (text, field, span) in cases {
        let template = template(text);
        let rows = choice(&[(field.to_string(), "somevalue".to_string())], span);
        let query = Query { rows, filter: None, rows_limit: 0, reversed: false };
        let table = ExportTable {
            id: "t",
            template: &template,
            layout: &Layout::new(LayoutKind::Narrow),
            families: &[],
            splits: &[],
            queries: &[("Of these", &query)],
        };
        let input = ExportInput { project: "p", instance: "i", tables: &[table] };
        let code = Export::Queries(Lang::Python).write(&input);
        assert!(code.to_lowercase().contains("somevalue"), "{text}: {code}");
        assert!(code.contains("def read_of_these(table):"), "{text}: {code}");
    }
}
