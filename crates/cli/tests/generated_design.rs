//! The Rust code of `tabletop generate` for a design with an index table, run on the tables of
//! `tabletop push`: each query reads the table of its access pattern, and each table has its own
//! keys.

// Included, so that the files stay as they were generated. (The test opens its own client,
// connected to this process's server.)
#[expect(dead_code, reason = "the test calls only a part of the generated code")]
mod queries {
    include!("generated/design/queries.rs");
}
mod row_key {
    include!("generated/design/row_key.rs");
}

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bigtable_rs::bigtable::BigTableConnection;
use expect_test::expect_file;
use tabletop_keys::{Merge, Template};
use tabletop_model::ReadRows;
use tabletop_server::{Host, InstanceName, Served, grpc, system_clock};
use tabletop_workload::{Events, Reader};
use tabletop_workspace::{Source, Workspace};
use tempfile::TempDir;
use tokio::net::TcpListener;

const PROJECT: &str = "clients";
const INSTANCE: &str = "tests";
/// The IDs of the design's tables.
const TABLES: [&str; 2] = ["orders", "orders-by-kind"];

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/generated").join(name)
}

/// Runs `tabletop COMMAND WORKSPACE …` in a folder with the workspace and its events.
fn tabletop(command: &str, words: &[&str]) -> (TempDir, std::process::Output) {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(fixture("design/workspace.json"), folder.path().join("workspace.json")).unwrap();
    fs::copy(fixture("orders.csv"), folder.path().join("orders.csv")).unwrap();
    let mut tabletop = Command::new(env!("CARGO_BIN_EXE_tabletop"));
    tabletop.arg(command).arg("workspace.json").current_dir(folder.path());
    let ran = tabletop.args(["--project", PROJECT, "--instance", INSTANCE]).args(words).output().unwrap();
    (folder, ran)
}

#[test]
fn generated_files_of_a_design_are_up_to_date() {
    let (folder, ran) = tabletop("generate", &["rust", "terraform", "--output", "out"]);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    for name in ["queries.rs", "row_key.rs", "table.tf"] {
        let written = fs::read_to_string(folder.path().join("out").join(name)).unwrap();
        expect_file![fixture("design").join(name)].assert_eq(&written);
    }
}

#[test]
fn a_table_of_a_design_is_generated_alone() {
    let cbt = |words: &[&str]| {
        let (_folder, ran) = tabletop("generate", &[&["cbt", "--no-splits"], words].concat());
        (String::from_utf8(ran.stdout).unwrap(), String::from_utf8(ran.stderr).unwrap())
    };
    let made = |words: &[&str]| {
        let (text, _) = cbt(words);
        let names = text.lines().filter_map(|line| line.strip_prefix("\"${cbt[@]}\" createtable "));
        names.map(String::from).collect::<Vec<String>>()
    };
    assert_eq!(made(&[]), TABLES);
    assert_eq!(made(&["--design", "Orders"]), TABLES);
    assert_eq!(made(&["--no-index-tables", "--table", "own"]), ["own"]);
    assert_eq!(made(&["--design", "Orders by kind", "--table", "other"]), ["other"]);
    assert_eq!(made(&["--design", "Another"]), ["another"]);
    let (text, refused) = cbt(&["--table", "t"]);
    assert!(
        text.is_empty()
            && refused.contains("--table t names one table, and design Orders has Orders, Orders by kind"),
        "{refused}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn generated_queries_read_the_table_of_their_access_pattern() {
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
    let pushed = move || tabletop("push", &["--address", &emulator]).1;
    let pushed = tokio::task::spawn_blocking(pushed).await.unwrap();
    assert!(pushed.status.success(), "{}", String::from_utf8_lossy(&pushed.stderr));

    let connection =
        BigTableConnection::new_with_emulator(&address, PROJECT, INSTANCE, true, 1, None).unwrap();
    let client = &connection.client();
    let answers = [
        queries::read_all_orders(client).await.unwrap(),
        queries::read_orders_of_zo(client).await.unwrap(),
        queries::read_last_refunds(client, "refund").await.unwrap(),
        queries::read_all_by_kind(client).await.unwrap(),
        queries::read_refunds_of_two_days(client, "refund", day(1), day(3)).await.unwrap(),
    ];
    let (workspace, events) = workspace();
    // The same functions read other values than the workspace has.
    let refunds = queries::read_refunds_of_two_days(client, "refund", day(-900), day(900)).await.unwrap();
    assert!(refunds.len() > answers[4].len(), "{refunds:?}");
    assert!(queries::read_last_refunds(client, "nothing").await.unwrap().is_empty());
    assert!(queries::read_refunds_of_two_days(client, "refund", day(3), day(3)).await.unwrap().is_empty());
    let name = InstanceName { project: PROJECT.into(), instance: INSTANCE.into() };
    let served = host.instance(&name).unwrap();
    for (at, (answer, table)) in answers.iter().zip([0, 0, 1, 1, 1]).enumerate() {
        let named = &workspace.queries[at];
        let keys: Vec<Vec<u8>> = answer.iter().map(|(key, _)| key.clone()).collect();
        assert_eq!(keys, asked(&served, &workspace, &events, at, table), "{}", named.name);
        assert!(!keys.is_empty(), "{}", named.name);
    }
    let keys = |at: usize| answers[at].iter().map(|(key, _)| key.clone()).collect::<BTreeSet<Vec<u8>>>();
    assert_eq!(made_keys(&events, row_key::row_key_orders), keys(0));
    assert_eq!(made_keys(&events, row_key::row_key_orders_by_kind), keys(3));
    assert_eq!(answers[2].len(), 3);
    host.close();
}

/// Returns the beginning of a day after 2026-01-01.
fn day(after: i64) -> SystemTime {
    let days = 20_454 + after;
    UNIX_EPOCH + Duration::from_secs(days as u64 * 86_400)
}

/// Returns the keys of the answer to an access pattern from one of the design's tables, in the order in
/// which the page shows them.
fn asked(
    served: &Served,
    workspace: &Workspace,
    events: &Events,
    query: usize,
    table: usize,
) -> Vec<Vec<u8>> {
    let (design, query) = (&workspace.designs[table], &workspace.queries[query].query);
    let (template, problems) = Template::parse(&design.template, events.fields());
    assert_eq!(problems, []);
    let plan = template.plan(&query.rows, &design.layout).unwrap();
    let mut merge = Merge::new(&template, plan.parts.len(), query.reversed, query.rows_limit);
    for (part, rows) in plan.parts.iter().enumerate() {
        let filter = plan.filter(query.filter.as_ref());
        let read = ReadRows { rows: rows.clone(), filter, reversed: query.reversed, ..ReadRows::default() };
        let chunk = served.with(|instance, now| instance.table(TABLES[table])?.read(now, &read)).unwrap();
        merge.push(part, chunk.rows, true);
    }
    merge.pull().into_iter().map(|row| row.key.0).collect()
}

fn workspace() -> (Workspace, Events) {
    let workspace =
        Workspace::from_json(&fs::read_to_string(fixture("design/workspace.json")).unwrap()).unwrap();
    let Source::Own(own) = &workspace.source else { panic!("the events are in a file") };
    let mut events = Events::default();
    Reader::new(own).feed(&fs::read(fixture("orders.csv")).unwrap(), true, &mut events).unwrap();
    (workspace, events)
}

type RowKeyOf = fn(&HashMap<String, String>) -> Result<Vec<u8>, String>;

fn made_keys(events: &Events, row_key: RowKeyOf) -> BTreeSet<Vec<u8>> {
    let mut values = Vec::new();
    let mut keys = BTreeSet::new();
    for index in 0..events.len() {
        events.record(index, &mut values);
        let named = events.fields().iter().zip(&values);
        let event =
            named.filter_map(|(field, value)| Some((field.name.clone(), (*value)?.to_string()))).collect();
        keys.insert(row_key(&event).unwrap());
    }
    keys
}
