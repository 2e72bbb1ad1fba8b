//! Compiles the Rust code of `tabletop generate` with its client, and runs it on a table of
//! `tabletop push`. (`cargo xtask clients` tests Python and Node.js, and expects the
//! same rows.)

// Included, so that the files stay as they were generated. (The test opens its own client,
// connected to this process's server.)
#[expect(dead_code, reason = "the test calls only a part of the generated code")]
mod queries {
    include!("generated/queries.rs");
}
mod row_key {
    include!("generated/row_key.rs");
}

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use bigtable_rs::bigtable::{BigTableConnection, RowCell};
use expect_test::{expect, expect_file};
use tabletop_keys::{Merge, Template};
use tabletop_model::{ReadRows, Row};
use tabletop_server::{Host, InstanceName, Served, grpc, system_clock};
use tabletop_workload::{Events, Reader};
use tabletop_workspace::{NamedQuery, Source, Workspace};
use tempfile::TempDir;
use tokio::net::TcpListener;

const PROJECT: &str = "clients";
const INSTANCE: &str = "tests";
const TABLE: &str = "orders";

/// The query that this client cannot express.
const NOT_IN_RUST: &str = "By bitmask";
/// The workspace's first design: salted, with one cell per field, and families by a field.
const DESIGN: usize = 0;

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/generated").join(name)
}

/// Copies of the workspace and its events in a folder for output.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = tempfile::tempdir().unwrap();
        for file in ["workspace.json", "orders.csv"] {
            fs::copy(fixture(file), folder.path().join(file)).unwrap();
        }
        Folder(folder)
    }

    /// Runs `tabletop COMMAND WORKSPACE …`.
    fn tabletop(&self, command: &str, words: &[&str]) {
        let mut tabletop = Command::new(env!("CARGO_BIN_EXE_tabletop"));
        tabletop.arg(command).arg(self.0.path().join("workspace.json"));
        tabletop
            .args(["--design", "Salted", "--project", PROJECT, "--instance", INSTANCE, "--table", TABLE])
            .args(words);
        let ran = tabletop.output().unwrap();
        assert!(ran.status.success(), "{command}: {}", String::from_utf8_lossy(&ran.stderr));
    }
}

#[test]
fn generated_files_are_up_to_date() {
    let folder = Folder::new();
    folder.tabletop("generate", &["rust", "--output", &folder.0.path().to_string_lossy()]);
    for name in ["queries.rs", "row_key.rs"] {
        let written = fs::read_to_string(folder.0.path().join(name)).unwrap();
        expect_file![fixture(name)].assert_eq(&written);
    }
}

/// Calls each function, and returns their names and answers.
macro_rules! answers {
    ($client:expr, $($name:ident)*) => {
        vec![$((stringify!($name), queries::$name($client).await.unwrap())),*]
    };
}

#[tokio::test(flavor = "multi_thread")]
async fn generated_queries_return_the_rows_of_the_workspace() {
    let host = Arc::new(Host::in_memory(system_clock));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(grpc::serve(
        listener,
        grpc::Api::open(host.clone()).unwrap(),
        tabletop_server::Access::default(),
        std::future::pending(),
    ));
    let emulator = address.clone();
    let pushed = move || Folder::new().tabletop("push", &["--address", &emulator]);
    tokio::task::spawn_blocking(pushed).await.unwrap();

    let connection =
        BigTableConnection::new_with_emulator(&address, PROJECT, INSTANCE, true, 1, None).unwrap();
    let client = &connection.client();
    let answers = answers!(client,
        read_all_orders read_first_four_days read_last_three_days read_all_backwards read_orders_of_o_neil
        read_orders_of_zo_since_2_january read_refunds read_some_days read_some_days_backwards read_a_to_b
        read_after_to_the_end read_up_to read_by_a_chain read_by_an_interleave read_by_a_condition
        read_by_a_condition_of_one_branch read_by_the_other_branch read_by_a_sink read_by_pass_all read_by_block_all
        read_by_row_key_regex read_by_row_key_regex_with_bytes read_by_qualifier_regex read_by_empty_qualifier_regex
        read_by_value_regex read_by_value_regex_with_bytes read_by_empty_value_regex read_by_column_range
        read_by_open_column_range read_by_column_range_without_ends read_by_column_range_without_end read_by_time_range
        read_by_time_range_without_end read_by_time_range_without_start read_by_value_range read_by_open_value_range
        read_by_value_range_without_ends read_by_value_range_from_empty read_by_offset_and_limit read_by_sample
        read_by_strip_value read_read read_read_query2 read_1_1_x
    );
    let functions = fs::read_to_string(fixture("queries.rs")).unwrap().matches("pub async fn read_").count();
    assert_eq!(answers.len(), functions, "each function is called");

    let (workspace, events) = workspace();
    let design = &workspace.designs[DESIGN];
    let (template, problems) = Template::parse(&design.template, events.fields());
    assert_eq!(problems, []);
    let name = InstanceName { project: PROJECT.into(), instance: INSTANCE.into() };
    let served = host.instance(&name).unwrap();
    let mut answered = answers.iter();
    let mut text = String::new();
    for named in &workspace.queries {
        let expected = asked(&served, &template, &workspace, named);
        let mut name = "read_by_bitmask";
        if named.name != NOT_IN_RUST {
            let (function, rows) = answered.next().unwrap();
            assert_eq!(format!("{rows:?}"), format!("{expected:?}"), "{function}");
            name = function;
        }
        writeln!(text, "{name}").unwrap();
        expected.iter().for_each(|row| write_row(&mut text, row));
    }
    assert_eq!(answered.next().map(|(name, _)| name), None, "a function without a query");
    // The clients of other languages must return the same rows.
    expect_file![fixture("rows.txt")].assert_eq(&text);
    // Most answers are not empty.
    let empty: Vec<&str> =
        answers.iter().filter(|(_, rows)| rows.is_empty()).map(|(name, _)| *name).collect();
    expect![[r#"
        [
            "read_by_block_all",
            "read_by_empty_qualifier_regex",
            "read_by_empty_value_regex",
            "read_read",
        ]
    "#]]
    .assert_debug_eq(&empty);

    let keys: BTreeSet<Vec<u8>> = answers[0].1.iter().map(|(key, _)| key.clone()).collect();
    assert_eq!(keys_of(&events), keys);
    host.close();
}

type Answer = Vec<(Vec<u8>, Vec<RowCell>)>;

/// Reads the rows of a query as the page does.
fn asked(served: &Served, template: &Template, workspace: &Workspace, named: &NamedQuery) -> Answer {
    let query = &named.query;
    let plan = template.plan(&query.rows, &workspace.designs[DESIGN].layout).unwrap();
    let mut merge = Merge::new(template, plan.parts.len(), query.reversed, query.rows_limit);
    for (part, rows) in plan.parts.iter().enumerate() {
        let filter = plan.filter(query.filter.as_ref());
        let read = ReadRows { rows: rows.clone(), filter, reversed: query.reversed, ..ReadRows::default() };
        let chunk = served.with(|instance, now| instance.table(TABLE)?.read(now, &read)).unwrap();
        merge.push(part, chunk.rows, true);
    }
    merge.pull().into_iter().map(as_client).collect()
}

fn as_client(row: Row) -> (Vec<u8>, Vec<RowCell>) {
    let cells = row.cells.into_iter().map(|cell| RowCell {
        family_name: cell.family,
        qualifier: cell.qualifier.0,
        value: cell.value.0,
        timestamp_micros: cell.timestamp,
        labels: cell.label.into_iter().collect(),
    });
    (row.key.0, cells.collect())
}

fn write_row(out: &mut String, (key, cells): &(Vec<u8>, Vec<RowCell>)) {
    let shown = |bytes: &[u8]| -> String {
        let one = |&byte: &u8| match byte {
            b'\\' => "\\x5c".into(),
            b' '..=b'~' => char::from(byte).to_string(),
            _ => format!("\\x{byte:02x}"),
        };
        bytes.iter().map(one).collect()
    };
    writeln!(out, "  {}", shown(key)).unwrap();
    for cell in cells {
        let labels: String = cell.labels.iter().map(|label| format!(" {{{label}}}")).collect();
        let column = format!("{}:{}", cell.family_name, shown(&cell.qualifier));
        writeln!(out, "    {column}@{}{labels}={}", cell.timestamp_micros, shown(&cell.value)).unwrap();
    }
}

fn workspace() -> (Workspace, Events) {
    let workspace = Workspace::from_json(&fs::read_to_string(fixture("workspace.json")).unwrap()).unwrap();
    let Source::Own(own) = &workspace.source else { panic!("the events are in a file") };
    let mut events = Events::default();
    Reader::new(own).feed(&fs::read(fixture("orders.csv")).unwrap(), true, &mut events).unwrap();
    (workspace, events)
}

/// Returns the keys that the generated function makes.
fn keys_of(events: &Events) -> BTreeSet<Vec<u8>> {
    let mut values = Vec::new();
    let mut keys = BTreeSet::new();
    for index in 0..events.len() {
        events.record(index, &mut values);
        let named = events.fields().iter().zip(&values);
        let event: HashMap<String, String> =
            named.filter_map(|(field, value)| Some((field.name.clone(), (*value)?.to_string()))).collect();
        keys.insert(row_key::row_key(&event).unwrap());
    }
    keys
}
