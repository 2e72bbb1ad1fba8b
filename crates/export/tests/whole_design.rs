//! The exports of a design with index tables: one file has all of its tables, and the names in its
//! code do not collide.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use tabletop_export::{Export, ExportInput, ExportTable, Lang};
use tabletop_keys::{Field, FieldKind, Layout, LayoutKind, Query, Record, RowChoice, Template};
use tabletop_model::{ColumnFamily, GcRule, RowKey};

use crate::Test;
use crate::programs::{Program, run};

pub const TESTS: &[Test] = &[
    Test::of(
        Program::Python,
        "whole_design::python_has_a_key_for_each_table",
        python_has_a_key_for_each_table,
    ),
    Test::of(Program::Node, "whole_design::node_has_a_key_for_each_table", node_has_a_key_for_each_table),
    Test::of(Program::Java, "whole_design::java_has_a_key_for_each_table", java_has_a_key_for_each_table),
    Test::of(Program::Rust, "whole_design::rust_has_a_key_for_each_table", rust_has_a_key_for_each_table),
    Test::new("whole_design::no_name_is_declared_twice", no_name_is_declared_twice),
    Test::of(Program::Bash, "whole_design::scripts_parse", scripts_parse),
    Test::new(
        "whole_design::scripts_and_configuration_make_all_tables",
        scripts_and_configuration_make_all_tables,
    ),
];

type Event = BTreeMap<&'static str, &'static str>;

/// IDs and templates. Languages turn the IDs of the first two into the same name, and the third ID
/// into an empty one.
const TABLES: [(&str, &str); 4] = [
    ("orders-1", "{salt(16)}-{user}#{at:reverse_time}"),
    ("orders_1", "{salt(4, from=2019-05-28T00:00:00Z)}-{kind:upper}#{at:iso}"),
    ("_", "{user:hash(4)}#{n:pad(6)}"),
    ("separator-salts", "{salt(3, from=2019-05-28T00:00:00Z)}-{user}#{at:iso}#{kind}"),
];

fn fields() -> [Field; 4] {
    [("user", FieldKind::Text), ("kind", FieldKind::Text), ("at", FieldKind::Time), ("n", FieldKind::Int)]
        .map(|(name, kind)| Field::new(name, kind))
}

fn events() -> Vec<Event> {
    let rows = [
        ["ann", "buy", "2019-05-27T10:00:00Z", "1"],
        ["bob", "view", "2019-05-28T10:00:00Z", "-22"],
        ["o'neil", "buy", "2020-01-01", "333"],
        ["zora", "view", "never", "x"],
    ];
    rows.iter()
        .map(|row| ["user", "kind", "at", "n"].into_iter().zip(row.iter().copied()).collect())
        .collect()
}

fn templates() -> Vec<Template> {
    TABLES
        .iter()
        .map(|(_, text)| {
            let (template, problems) = Template::parse(text, &fields());
            assert_eq!(problems, [], "{text}");
            template
        })
        .collect()
}

/// Returns the design as a file. Each table except the third has a query; two queries have the same
/// name.
fn written(export: Export) -> String {
    let templates = templates();
    let layout = Layout::new(LayoutKind::Narrow);
    let equal = |field: &str, value: &str| {
        let rows = RowChoice::Fields { equals: vec![(field.into(), value.into())], from: None, until: None };
        Query { rows, filter: None, rows_limit: 5, reversed: false }
    };
    let (of_user, of_kind) = (equal("user", "ann"), equal("kind", "buy"));
    let queries: [&[(&str, &Query)]; 4] =
        [&[("Of one", &of_user)], &[("Of one", &of_kind)], &[], &[("From two", &of_user)]];
    let families = ["sale", "view"]
        .map(|name| ColumnFamily { gc_rule: GcRule::MaxVersions(3), ..ColumnFamily::new(name) });
    let splits = [vec![], vec![RowKey::from("m")], vec![], vec![]];
    let table = |at: usize| ExportTable {
        id: TABLES[at].0,
        template: &templates[at],
        layout: &layout,
        families: if at == 1 { &families } else { &families[..1] },
        splits: &splits[at],
        queries: queries[at],
    };
    export.write(&ExportInput {
        project: "p",
        instance: "i",
        tables: &[table(0), table(1), table(2), table(3)],
    })
}

/// Returns a line for each table and event: the key in hexadecimal digits, or "error".
fn expected() -> String {
    let fields = fields();
    let mut out = String::new();
    for template in templates() {
        for event in events() {
            let values: Vec<Option<&str>> =
                template.fields().iter().map(|field| event.get(field.name.as_str()).copied()).collect();
            let mut key = Vec::new();
            match template.write_key(&Record { fields: &fields, values: &values }, &mut key) {
                Ok(()) => key.iter().for_each(|byte| write!(out, "{byte:02x}").unwrap()),
                Err(_) => out.push_str("error"),
            }
            out.push('\n');
        }
    }
    assert!(out.contains("error") && out.lines().filter(|line| *line != "error").count() > 10, "{out}");
    out
}

fn with_files(files: &[(&str, String)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// Runs a program that prints the keys, and compares them.
fn compare(files: &[(&str, String)], commands: &[(&str, &[&str])]) {
    let folder = with_files(files);
    let mut last = String::new();
    for (program, arguments) in commands {
        last = run(folder.path(), program, arguments);
    }
    assert_eq!(last, expected());
}

fn python_has_a_key_for_each_table() {
    let events = serde_json::to_string(&events()).unwrap();
    let main = format!(
        "import row_key as keys\nfor make in [keys.row_key_orders_1, keys.row_key_orders_1_table2, keys.row_key_table2, \
         keys.row_key_separator_salts]:\n    for event in {events}:\n        try:\n            print(make(event).hex())\n        \
         except ValueError:\n            print('error')\ncompile(open('queries.py').read(), 'queries.py', 'exec')\n"
    );
    let [key, queries] = [Export::Key, Export::Queries].map(|of| written(of(Lang::Python)));
    compare(&[("row_key.py", key), ("queries.py", queries), ("main.py", main)], &[("python3", &["main.py"])]);
}

fn node_has_a_key_for_each_table() {
    let events = serde_json::to_string(&events()).unwrap();
    let main = format!(
        "import * as keys from './row_key.mjs';\nfor (const make of [keys.rowKeyOrders1, keys.rowKeyOrders1Table2, keys.rowKeyTable2, \
         keys.rowKeySeparatorSalts]) {{ for (const event of {events}) {{ try {{ console.log(make(event).toString('hex')); }} catch {{ \
         console.log('error'); }} }} }}\n"
    );
    let [key, queries] = [Export::Key, Export::Queries].map(|of| written(of(Lang::Node)));
    let files = [("row_key.mjs", key), ("queries.mjs", queries), ("main.mjs", main)];
    compare(&files, &[("node", &["--check", "queries.mjs"]), ("node", &["main.mjs"])]);
}

fn java_has_a_key_for_each_table() {
    let mut main = String::from("import java.util.*;\nimport java.util.function.*;\npublic class Main {\n");
    let pairs = |event: &Event| {
        event.iter().map(|(name, value)| format!("{name:?}, {value:?}")).collect::<Vec<_>>().join(", ")
    };
    let maps: Vec<String> = events().iter().map(|event| format!("Map.of({})", pairs(event))).collect();
    write!(
        main,
        "static void keys(Function<Map<String, String>, byte[]> make) {{\n for (Map<String, String> event : List.of({})) {{ try {{ \
         System.out.println(HexFormat.of().formatHex(make.apply(event))); }} catch (IllegalArgumentException | \
         java.time.DateTimeException e) {{ System.out.println(\"error\"); }} }} }}\npublic static void main(String[] a) {{ \
         keys(RowKey::rowKeyOrders1); keys(RowKey::rowKeyOrders1Table2); keys(RowKey::rowKeyTable2); \
         keys(RowKey::rowKeySeparatorSalts); }}\n}}\n",
        maps.join(", ")
    )
    .unwrap();
    let files = [("RowKey.java", written(Export::Key(Lang::Java))), ("Main.java", main)];
    compare(&files, &[("javac", &["Main.java", "RowKey.java"]), ("java", &["-cp", ".", "Main"])]);
}

fn rust_has_a_key_for_each_table() {
    let pairs = |event: &Event| {
        event
            .iter()
            .map(|(name, value)| format!("({name:?}.into(), {value:?}.into())"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let maps: Vec<String> =
        events().iter().map(|event| format!("HashMap::from([{}])", pairs(event))).collect();
    let main = format!(
        "mod row_key;\nuse std::collections::HashMap;\ntype Make = fn(&HashMap<String, String>) -> Result<Vec<u8>, String>;\nfn main() {{\n\
         let events: Vec<HashMap<String, String>> = vec![{}];\nlet makes: [Make; 4] = [row_key::row_key_orders_1, \
         row_key::row_key_orders_1_table2, row_key::row_key_table2, row_key::row_key_separator_salts];\nfor make in makes {{ for event in \
         &events {{ match make(event) {{ Ok(key) => println!(\"{{}}\", key.iter().map(|byte| \
         format!(\"{{byte:02x}}\")).collect::<String>()), Err(_) => println!(\"error\") }} }} }}\n}}\n",
        maps.join(", ")
    );
    let folder = with_files(&[("row_key.rs", written(Export::Key(Lang::Rust))), ("main.rs", main)]);
    let compile = ["--edition", "2024", "-D", "warnings", "main.rs", "-o", "main"];
    run(folder.path(), "rustc", &compile);
    assert_eq!(run(folder.path(), "./main", &[]), expected());
}

/// Checks the names that a file in a language declares at its top level, found by the text before
/// them. (Compiling some files needs the clients.)
fn no_name_is_declared_twice() {
    let marks = [
        (Lang::Python, ["def ", "\0", "\0"].as_slice(), true),
        (Lang::Node, &["function ", "const "], true),
        (Lang::Go, &["func ", "const ", "type "], true),
        (Lang::Rust, &["fn ", "const ", "type "], true),
        (
            Lang::Java,
            &["static List<Row> ", "static ByteString ", "static final String ", "static final int "],
            false,
        ),
    ];
    for (lang, marks, at_top) in marks {
        let text = written(Export::Queries(lang));
        let mut names: Vec<&str> = Vec::new();
        for line in text.lines().filter(|line| !at_top || !line.starts_with([' ', '\t', '#', '/'])) {
            for mark in marks {
                let Some((_, rest)) = line.split_once(mark) else { continue };
                names.push(
                    rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default(),
                );
            }
        }
        let mut once = names.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), names.len(), "{lang:?}: {names:?}");
        let has = |name: &str| names.iter().any(|found| found.to_ascii_lowercase().replace('_', "") == name);
        for name in [
            "readofone",
            "readofonequery2",
            "readfromtwo",
            "logicalkeyorders1table2",
            "logicalkeyseparatorsalts",
        ] {
            assert!(has(name), "{lang:?}: {name} in {names:?}");
        }
        assert!(text.contains("No named query reads the table _."), "{text}");
        assert!(text.contains("queries of tables orders-1, orders_1, _, separator-salts"), "{text}");
    }
}

fn scripts_parse() {
    for export in [Export::Cbt, Export::Gcloud] {
        let folder = with_files(&[("script.sh", written(export))]);
        run(folder.path(), "bash", &["-n", "script.sh"]);
    }
}

fn scripts_and_configuration_make_all_tables() {
    let cbt = written(Export::Cbt);
    for id in ["orders-1", "orders_1", "_", "separator-salts"] {
        assert!(
            cbt.contains(&format!("createtable {id}"))
                && cbt.contains(&format!("setgcpolicy {id} sale maxversions=3")),
            "{cbt}"
        );
    }
    assert!(
        cbt.contains("createtable orders_1 splits=m")
            && cbt.contains("setgcpolicy orders_1 view maxversions=3"),
        "{cbt}"
    );
    let gcloud = written(Export::Gcloud);
    assert_eq!(gcloud.matches("gcloud bigtable instances tables create").count(), TABLES.len(), "{gcloud}");
    assert_eq!(gcloud.matches("--splits=m").count(), 1, "{gcloud}");
    let hbase = written(Export::HBase);
    assert_eq!(hbase.lines().filter(|line| line.starts_with("create '")).count(), TABLES.len(), "{hbase}");
    let terraform = written(Export::Terraform);
    let mut resources: Vec<&str> = terraform.lines().filter(|line| line.starts_with("resource ")).collect();
    assert_eq!(resources.len(), TABLES.len() + 5, "{terraform}");
    resources.dedup();
    resources.sort_unstable();
    resources.dedup();
    assert_eq!(resources.len(), TABLES.len() + 5, "each resource has a different name: {terraform}");
    assert!(terraform.contains("\"google_bigtable_table\" \"table_orders_1_table2\""), "{terraform}");
    assert!(terraform.contains("google_bigtable_table.table_orders_1_table2.name"), "{terraform}");
}
