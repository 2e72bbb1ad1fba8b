//! Pushes to this repository's server through sockets, and compares the table with the layout's
//! rows.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use expect_test::expect;
use tabletop_keys::{CellTime, Column, FamilyRule, Layout, LayoutKind, LayoutWriter, Record};
use tabletop_model::{Aggregate, Mutation, ReadRows, TableSpec};
use tabletop_workload::Generator;
use tabletop_workspace::{GeneratorSettings, Source};
use tempfile::TempDir;
use tokio::sync::oneshot;

use super::*;
use tabletop_server::{Host, InstanceName, system_clock};

/// A server in the background. Dropping it stops the server.
struct Server {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    fn start(host: &Arc<Host>, address: &str) -> Server {
        let (stop, stopped) = oneshot::channel();
        let (said, receiver) = std::sync::mpsc::channel();
        let (host, address) = (host.clone(), address.to_string());
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::bind(&address).await.unwrap();
                said.send(listener.local_addr().unwrap()).unwrap();
                let api = tabletop_server::grpc::Api::open(host).unwrap();
                tabletop_server::grpc::serve(listener, api, tabletop_server::Access::default(), async {
                    _ = stopped.await;
                })
                .await;
            });
        });
        Server { address: receiver.recv().unwrap(), stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

type Cells = BTreeMap<(Vec<u8>, String, Vec<u8>, i64), Vec<u8>>;

/// A workspace of one design, and its events.
struct Case {
    workspace: Workspace,
    events: Events,
    options: Options,
    /// Deleted with the case.
    _folder: TempDir,
}

impl Case {
    fn new(template: &str, kind: LayoutKind, count: u32) -> Case {
        let folder = tempfile::tempdir().unwrap();
        let settings = GeneratorSettings { seed: 7, events: count, apps: 3, users: 200, user_skew: 1.0 };
        let mut generator = Generator::new(&settings);
        let mut events = Events::new(generator.fields());
        while generator.left() > 0 {
            generator.fill(&mut events, 1_000).unwrap();
        }
        let mut workspace = Workspace { source: Source::Generated(settings), ..Workspace::default() };
        workspace.designs[0].template = template.into();
        workspace.designs[0].layout = Layout::new(kind);
        let options = Options {
            workspace: folder.path().join("workspace.json"),
            events: Default::default(),
            design: None,
            place: PlaceOptions { project: Some("p".into()), instance: Some("i".into()), address: None },
            table: None,
            dry_run: false,
            recreate: false,
            yes: false,
            parallel: 4,
            rate: None,
            retry_seconds: 20,
        };
        Case { workspace, events, options, _folder: folder }
    }

    fn push(&self) -> Result<String> {
        self.push_with(|_| {})
    }

    fn push_with(&self, change: impl FnOnce(&mut Options)) -> Result<String> {
        let mut options = self.options.clone();
        change(&mut options);
        let mut out = Vec::new();
        push(&options, &self.workspace, &self.events, &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    fn refused(&self, change: impl FnOnce(&mut Options)) -> String {
        self.push_with(change).expect_err("it is refused").message
    }

    /// Returns the layout's cells, with the last value of each.
    fn expected(&self) -> Cells {
        let design = &self.workspace.designs[0];
        let (template, problems) = Template::parse(&design.template, self.events.fields());
        assert_eq!(problems, []);
        let writer = LayoutWriter::new(&design.layout, self.events.fields(), &template);
        let (mut cells, mut values) = (Cells::new(), Vec::new());
        for index in 0..self.events.len() {
            self.events.record(index, &mut values);
            let record = Record { fields: self.events.fields(), values: &values };
            let Ok(row) = writer.write(&record, index as u64) else { continue };
            for mutation in row.mutations {
                let Mutation::SetCell { family, qualifier, timestamp, value } = mutation else {
                    panic!("a layout only sets cells")
                };
                cells.insert((row.key.to_vec(), family, qualifier.to_vec(), timestamp), value.to_vec());
            }
        }
        cells
    }

    fn state_file(&self) -> PathBuf {
        self.options.workspace.with_file_name("workspace.json.push.json")
    }
}

/// Returns all cells of a table.
fn stored(host: &Host, table: &str) -> Cells {
    let name = InstanceName { project: "p".into(), instance: "i".into() };
    let served = host.instance(&name).unwrap();
    let chunk = served.with(|instance, now| instance.table(table)?.read(now, &ReadRows::default()));
    let rows = chunk.expect("the table can be read").rows.into_iter().flat_map(|row| {
        let key = row.key.to_vec();
        row.cells.into_iter().map(move |cell| {
            ((key.clone(), cell.family, cell.qualifier.to_vec(), cell.timestamp), cell.value.to_vec())
        })
    });
    rows.collect()
}

fn splits(host: &Host, table: &str) -> usize {
    let name = InstanceName { project: "p".into(), instance: "i".into() };
    let served = host.instance(&name).unwrap();
    served.with(|instance, _| Ok(instance.table(table)?.describe().initial_splits.len())).unwrap()
}

fn wait_until(is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(20), "it does not happen");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn memory() -> Arc<Host> {
    Arc::new(Host::in_memory(system_clock))
}

const BY_USER: &str = "{app_id},{user_token},{timestamp:iso}";

#[test]
fn a_dry_run_prints_the_figures_and_sends_nothing() {
    let case = Case::new(BY_USER, LayoutKind::Narrow, 2_000);
    let said = case.push_with(|options| (options.dry_run, options.rate) = (true, Some(10.0))).unwrap();
    expect![[r#"
        Dry run: nothing was changed. In Google Cloud:
          table     projects/p/instances/i/tables/design-1
          families  view, click, conversion
          splits    32
          rows      2,000
          cells     2,000
          bytes     841,307
          requests  33
          time      3 minutes at 10 rows per second (as requested)
    "#]]
    .assert_eq(&said);
    // Without a project, a dry run has its figures, and a push is rejected.
    let without_project = |options: &mut Options| options.place.project = None;
    let said = case.push_with(|options| {
        without_project(options);
        options.dry_run = true;
    });
    let said = said.unwrap();
    let beginning = "Dry run: nothing was changed. In Google Cloud:\n  table     design-1\n  missing   --project, to push\n  families";
    assert!(said.starts_with(beginning), "{said}");
    expect!["--project is missing: add it, or use --address HOST:PORT for a running server or an emulator."]
        .assert_eq(&case.refused(without_project));
    let without_both = |options: &mut Options| options.place = PlaceOptions::default();
    expect!["--project and --instance are missing: add them, or use --address HOST:PORT for a running server or an emulator."]
        .assert_eq(&case.refused(without_both));
}

#[test]
fn only_rules_with_an_age_may_delete_events_at_once() {
    let rule = |text: &str| tabletop_shell::gc_policy(text).unwrap();
    assert!(!has_age(&GcRule::KeepAll) && !has_age(&rule("maxversions=2")));
    assert!(has_age(&rule("maxage=1d")) && has_age(&rule("maxversions=2 and maxage=1d")));
}

/// Google's emulator of 2020 crashes on a map entry that has only a key.
#[test]
fn each_family_of_a_new_table_is_a_message_that_is_not_empty() {
    let case = Case::new(BY_USER, LayoutKind::Narrow, 100);
    let load = BulkLoad::build(&case.workspace.designs[0], &case.events, &case.workspace.cluster).unwrap();
    let target = Target { project: "p".into(), instance: "i".into(), table: "t".into(), emulator: None };
    let families = table::creation(&target, &load).table.unwrap().column_families;
    assert_eq!(families.len(), 3);
    assert!(families.values().all(|family| *family != Default::default()), "{families:?}");
}

#[test]
fn all_rows_arrive_unchanged() {
    let host = memory();
    let server = Server::start(&host, "127.0.0.1:0");
    let salted = "{salt(16)}-{user_token:reverse}#{timestamp:millis}";
    for (name, template, kind) in [
        ("narrow", BY_USER, LayoutKind::Narrow),
        ("wide", salted, LayoutKind::Wide),
        ("entity", "{app_id}#{user_token}#{timestamp:iso}", LayoutKind::RowPerEntity),
    ] {
        let case = Case::new(template, kind, 3_000);
        let said = case
            .push_with(|options| {
                options.table = Some(name.into());
                options.place.address = Some(server.address.to_string());
            })
            .unwrap();
        assert!(said.starts_with(&format!("Created table {name}: ")), "{said}");
        assert_eq!(stored(&host, name), case.expected(), "{name}");
        let load =
            BulkLoad::build(&case.workspace.designs[0], &case.events, &case.workspace.cluster).unwrap();
        assert!(load.splits.len() > 3);
        assert!(
            splits(&host, name) >= load.splits.len(),
            "the table begins with the splits, and may split further"
        );
        assert!(!case.state_file().exists());
    }
}

/// A pushed sum equals the sum of the events, however often it is pushed.
#[test]
fn index_tables_and_sums_are_pushed_with_their_design() {
    let host = memory();
    let server = Server::start(&host, "127.0.0.1:0");
    let mut case = Case::new(BY_USER, LayoutKind::Narrow, 3_000);
    let own = case.workspace.designs[0].clone();
    let count = Column {
        family: "n".into(),
        qualifier: "{event_type}".into(),
        value: "1".into(),
        time: CellTime::Zero,
    };
    case.workspace.designs.push(Design {
        name: "Counts".into(),
        template: "{app_id}".into(),
        layout: Layout { columns: vec![count], ..Layout::new(LayoutKind::Columns) },
        families: vec![FamilyRule {
            aggregate: Some(Aggregate::Sum),
            ..FamilyRule::new("n", GcRule::KeepAll)
        }],
        index_of: Some(own.name.clone()),
        results: None,
    });
    for run in 0..2 {
        let said =
            case.push_with(|options| options.place.address = Some(server.address.to_string())).unwrap();
        assert!(
            run > 0 || said.contains("Created table design-1: ") && said.contains("Created table counts: "),
            "{said}"
        );
        assert_eq!(stored(&host, "design-1"), case.expected());
        let sums: i64 =
            stored(&host, "counts").values().map(|value| Aggregate::Sum.number(value).unwrap()).sum();
        assert_eq!(sums, 3_000, "run {run}");
    }
    let refused =
        case.refused(|options| (options.table, options.place.address) = (Some("t".into()), Some("x".into())));
    assert_eq!(
        refused,
        "--table t names one table, and design Design 1 has Design 1, Counts: leave it out, or add --design with the name of an \
         index table."
    );
    let one = |options: &mut Options| {
        options.place.address = Some(server.address.to_string());
        (options.design, options.table) = (Some("Counts".into()), Some("other".into()));
    };
    assert!(case.push_with(one).unwrap().starts_with("Created table other: families 1"));
    // A table whose family does not aggregate does not match.
    case.workspace.designs[1].families.clear();
    let refused = case.refused(one);
    assert!(refused.contains("its families n aggregate in another way"), "{refused}");
}

#[test]
fn a_killed_run_is_continued() {
    let host = memory();
    let server = Server::start(&host, "127.0.0.1:0");
    let mut case = Case::new(BY_USER, LayoutKind::Narrow, 8_000);
    case.options.place.address = Some(server.address.to_string());
    let begin = |case: &Case| {
        let design = &case.workspace.designs[0];
        let load = BulkLoad::build(design, &case.events, &case.workspace.cluster).unwrap();
        let target =
            case.options.place.target(table_id(&case.options, &case.workspace, design).unwrap()).unwrap();
        let options = Options { rate: Some(4_000.0), ..case.options.clone() };
        let (kill, killed) = oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
            runtime.block_on(async {
                let mut out = std::io::sink();
                tokio::select! {
                    done = run(&options, &target, load, &mut out) => panic!("it must be killed before its end: {done:?}"),
                    _ = killed => {}
                }
            });
            // Its tasks end at any point.
            runtime.shutdown_background();
        });
        move || {
            drop(kill);
            thread.join().unwrap();
        }
    };
    let kill = begin(&case);
    wait_until(|| case.state_file().exists() && stored(&host, "design-1").len() > 2_000);
    kill();
    let before = stored(&host, "design-1").len();
    assert!(before < case.expected().len(), "it was killed in the middle");
    let said = case.push().unwrap();
    assert!(said.starts_with("Resuming after "), "{said}");
    assert_eq!(stored(&host, "design-1"), case.expected());
    assert!(!case.state_file().exists());

    // Another run, whose table is deleted and created again in the middle: rows that its state
    // counts as written no longer exist.
    let kill = {
        case.push_with(|options| (options.recreate, options.yes) = (true, true)).unwrap();
        let name = InstanceName { project: "p".into(), instance: "i".into() };
        host.instance(&name).unwrap().change(|instance, _| instance.delete_table("design-1")).unwrap();
        begin(&case)
    };
    wait_until(|| case.state_file().exists());
    kill();
    let name = InstanceName { project: "p".into(), instance: "i".into() };
    let instance = host.instance(&name).unwrap();
    let made_again = instance.change(|instance, now| {
        let spec = instance.table("design-1")?.describe();
        instance.delete_table("design-1")?;
        instance.create_table(now, "design-1", TableSpec { initial_splits: Vec::new(), ..spec })
    });
    made_again.unwrap();
    assert!(case.state_file().exists());
    let said = case.push().unwrap();
    assert!(said.starts_with("Table design-1 exists, and its families match."), "{said}");
    assert_eq!(stored(&host, "design-1"), case.expected());
}

#[test]
fn the_fingerprint_depends_on_the_splits() {
    let case = Case::new(BY_USER, LayoutKind::Narrow, 2_000);
    let (design, mut cluster) = (&case.workspace.designs[0], case.workspace.cluster.clone());
    let before = BulkLoad::build(design, &case.events, &cluster).unwrap();
    assert_eq!(BulkLoad::build(design, &case.events, &cluster).unwrap().fingerprint, before.fingerprint);
    cluster.tablet_bytes_max = Some(200_000);
    let after = BulkLoad::build(design, &case.events, &cluster).unwrap();
    assert_ne!(before.splits, after.splits);
    assert_ne!(before.fingerprint, after.fingerprint, "the same rows, in ranges that are cut elsewhere");
}

#[test]
fn a_run_waits_for_a_server_that_restarts() {
    let host = memory();
    let server = Server::start(&host, "127.0.0.1:0");
    let address = server.address.to_string();
    let mut case = Case::new(BY_USER, LayoutKind::Narrow, 6_000);
    case.options.place.address = Some(address.clone());
    case.options.rate = Some(3_000.0);
    let case = Arc::new(case);
    let pushing = std::thread::spawn({
        let case = case.clone();
        move || case.push()
    });
    wait_until(|| case.state_file().exists());
    drop(server);
    // A placeholder listener closes the first connection, so the run has noticed that the server is
    // down.
    let away = std::net::TcpListener::bind(&address).unwrap();
    drop(away.accept().unwrap());
    drop(away);
    let _server = Server::start(&host, &address);
    let said = pushing.join().unwrap().unwrap();
    assert!(said.contains(" of them "), "{said}");
    assert_eq!(stored(&host, "design-1"), case.expected());
}

#[test]
fn an_existing_table_must_have_the_same_families() {
    let host = memory();
    let server = Server::start(&host, "127.0.0.1:0");
    let mut case = Case::new(BY_USER, LayoutKind::Narrow, 1_000);
    case.options.place.address = Some(server.address.to_string());
    case.push().unwrap();
    let again = case.push().unwrap();
    assert!(again.starts_with("Table design-1 exists, and its families match."), "{again}");
    assert_eq!(stored(&host, "design-1"), case.expected());
    case.workspace.designs[0].layout.kind = LayoutKind::Wide;
    expect!["Table design-1 exists and does not match: it lacks the families e. Use --table to name another one, or --recreate to delete it first."].assert_eq(&case.refused(|_| {}));
    // At a terminal, it would ask for confirmation.
    if !io::stdin().is_terminal() {
        expect!["Table design-1 stays as it is: use --yes to delete it."]
            .assert_eq(&case.refused(|options| options.recreate = true));
    }
    case.push_with(|options| (options.recreate, options.yes) = (true, true)).unwrap();
    assert_eq!(stored(&host, "design-1"), case.expected());
}

#[test]
fn errors_name_the_cause() {
    let mut case = Case::new(BY_USER, LayoutKind::Narrow, 1_000);
    // A port without a listener.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let silent = case.refused(|options| options.place.address = Some(format!("127.0.0.1:{port}")));
    assert!(
        silent.contains("refused looking for the table") && silent.ends_with("Is it running?"),
        "{silent}"
    );
    expect![[
        r#""not an address" is not the address of a server: write HOST:PORT, for example localhost:8086."#
    ]]
    .assert_eq(&case.refused(|options| options.place.address = Some("not an address".into())));
    expect![[r#"--table "-t" is not the id of a table: use 1 to 50 letters, digits, -, _ and ., a letter, a digit or _ first."#]]
        .assert_eq(&case.refused(|options| (options.place.address, options.table) = (Some("h:1".into()), Some("-t".into()))));
    expect!["The workspace has no design none; it has Design 1."]
        .assert_eq(&case.refused(|options| options.design = Some("none".into())));
    expect!["--rate -1 is not a rate: use 0.01 or more rows per second."]
        .assert_eq(&case.refused(|options| options.rate = Some(-1.0)));
    assert!(case.refused(|options| options.rate = Some(1e-30)).contains("is not a rate"), "an endless wait");
    case.workspace.designs[0].template = "{nothing}".into();
    expect!["The template of design Design 1 is invalid: There is no field nothing. Choose app_id, user_token, timestamp, event_type, event_name, object_id or facets."].assert_eq(&case.refused(|_| {}));
}

#[test]
fn a_long_row_is_written_in_pieces_and_requests_stay_within_limits() {
    // 60,000 events in the rows of three apps: more cells than a request may have.
    let case = Case::new("{app_id}#{timestamp:iso}", LayoutKind::RowPerEntity, 60_000);
    let load = BulkLoad::build(&case.workspace.designs[0], &case.events, &case.workspace.cluster).unwrap();
    let entries: Vec<&load::Entry> = load.ranges.iter().flatten().collect();
    assert!(entries.len() as u64 > load.rows, "{} entries of {} rows", entries.len(), load.rows);
    assert_eq!(entries.iter().filter(|entry| entry.ends_row).count() as u64, load.rows);
    for range in 0..load.ranges.len() {
        let mut from = 0;
        while from < load.ranges[range].len() {
            let request = load.request(range, from);
            assert!(request.iter().map(|entry| entry.cells.len()).sum::<usize>() <= 50_000);
            from += request.len();
        }
    }
}
