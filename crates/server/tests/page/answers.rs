//! What a page receives about the calls of clients.

use googleapis_tonic_google_bigtable_v2::google::bigtable::v2 as proto;
use tabletop_advice::DiagnosisKind;
use tabletop_model::{
    Code, ColumnFamily, Mutation, ReadRows, Request as Asked, Response, RowMutation, TableRequest, TableSpec,
};
use tabletop_protocol::{AskInstance, HeatMetric, InstanceRequest, LiveServer};
use tabletop_server::InstanceName;

use super::*;
use crate::support::{TABLE, families, read, request, set, write};

async fn server(socket: &mut Socket) -> LiveServer {
    begin::<WatchServer>(socket, &()).await.unwrap().chunk
}

async fn respond_from(socket: &mut Socket, instance: &str, request: Asked) -> Response {
    let slice =
        begin::<AskInstance>(socket, &InstanceRequest { instance: instance.into(), request }).await.unwrap();
    assert_eq!(slice.run, None, "a request has one slice");
    slice.chunk
}

async fn respond(socket: &mut Socket, request: Asked) -> Response {
    respond_from(socket, "projects/p/instances/i", request).await
}

fn create(served: &Served) {
    served.server.create(TableSpec { families: families(&["f"]), ..TableSpec::default() });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_rows_of_calls_are_counted() {
    let served = Served::start().await;
    create(&served);
    let mut client = served.server.client().await;
    let mut socket = served.connect().await;
    let (run, empty) = watch(&mut socket).await;
    assert_eq!((empty.seconds, empty.history.len(), empty.places.len()), (0, 0, 1));
    // Second 0: ten rows, one of them 20 times. Second 1: reads.
    for row in 0..10 {
        write(&mut client, &format!("row{row}"), vec![set("f", "q", 0, "value")]).await.unwrap();
    }
    for _ in 0..19 {
        write(&mut client, "row7", vec![set("f", "q", 0, "value")]).await.unwrap();
    }
    write(&mut client, "row0", vec![set("none", "q", 0, "value")]).await.unwrap_err();
    served.pass(1);
    assert_eq!(read(&mut client, request()).await.unwrap().len(), 10);
    let none = proto::RowSet { row_keys: vec!["row5x".into()], row_ranges: vec![] };
    read(&mut client, proto::ReadRowsRequest { rows: Some(none), ..request() }).await.unwrap();
    served.pass(1);
    let entries = ["a", "b"].map(|key| proto::mutate_rows_request::Entry {
        row_key: key.into(),
        mutations: vec![set("f", "q", 0, "v")],
        ..Default::default()
    });
    let many =
        proto::MutateRowsRequest { table_name: TABLE.into(), entries: entries.into(), ..Default::default() };
    let mut outcomes = client.mutate_rows(many).await.unwrap().into_inner();
    while outcomes.message().await.unwrap().is_some() {}
    let check = proto::CheckAndMutateRowRequest {
        table_name: TABLE.into(),
        row_key: "a".into(),
        true_mutations: vec![set("f", "q", 1_000, "w")],
        ..Default::default()
    };
    client.check_and_mutate_row(check).await.unwrap();
    let rule = proto::ReadModifyWriteRule {
        family_name: "f".into(),
        column_qualifier: "n".into(),
        rule: Some(proto::read_modify_write_rule::Rule::IncrementAmount(1)),
    };
    let add = proto::ReadModifyWriteRowRequest {
        table_name: TABLE.into(),
        row_key: "b".into(),
        rules: vec![rule],
        ..Default::default()
    };
    client.read_modify_write_row(add).await.unwrap();
    // The page's own requests do not count.
    let own = TableRequest::ReadRows(ReadRows::default()).of("t");
    assert!(
        matches!(respond(&mut socket, own).await, Response::Rows(rows) if rows.rows.len() == 12 && rows.resume.is_none())
    );
    served.pass(4);
    let have = LiveHave { metric: HeatMetric::Writes, ..LiveHave::default() };
    let view = next::<WatchTable>(&mut socket, run, &have).await.unwrap();
    assert_eq!((view.epoch, view.seconds, view.history.len()), (empty.epoch, 6, 6));
    let counts: Vec<_> =
        view.history.iter().map(|second| (second.reads, second.writes, second.calls.arrived)).collect();
    assert_eq!(counts, [(0, 29, 30), (11, 0, 2), (0, 4, 3), (0, 0, 0), (0, 0, 0), (0, 0, 0)]);
    assert_eq!(view.history[0].calls.refused, 1);
    assert!(view.history[0].calls.latency_micros[3] > 0 && view.history[0].bytes > 29 * 5);
    assert_eq!(view.spec.families, families(&["f"]));
    // The matrix matches the calls, row by row: the table is small.
    let starts = &view.heat.starts;
    assert_eq!(starts.len(), 13, "{starts:?}");
    let part = |key: &str| starts.partition_point(|start| start.as_slice() <= key.as_bytes()) - 1;
    let first = &view.heat.columns[0];
    for row in 0..10 {
        let expected = if row == 7 { 20.0 } else { 1.0 };
        let found = part(&format!("row{row}"));
        assert_eq!((first.values[found], first.most[found]), (expected, expected), "row{row}");
    }
    let third = &view.heat.columns[2];
    assert_eq!((third.values[part("a")], third.values[part("b")]), (2.0, 2.0));
    let have = LiveHave { metric: HeatMetric::Reads, ..LiveHave::default() };
    let reads = next::<WatchTable>(&mut socket, run, &have).await.unwrap().heat;
    let second: Vec<f32> = reads.columns[1].values.iter().copied().filter(|value| *value > 0.0).collect();
    assert_eq!(second, vec![1.0; 11], "also the row that is not there");
    // What the page already has is not sent again.
    let have = LiveHave {
        epoch: view.epoch,
        seconds: 6,
        places: 1,
        metric: HeatMetric::Writes,
        heat: view.heat.revision,
    };
    let rest = next::<WatchTable>(&mut socket, run, &have).await.unwrap();
    assert_eq!(
        (rest.history.len(), rest.places.len(), rest.heat.columns.len(), rest.heat.keep),
        (0, 0, 0, 6)
    );
    let figures = server(&mut socket).await.instances.remove(0).tables.remove(0);
    assert_eq!((figures.table.as_str(), figures.tablets), ("t", 1));
    assert!(
        figures.writes_per_second > 5.0 && figures.reads_per_second > 1.0 && figures.bytes > 0,
        "{figures:?}"
    );
    served.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hotspot_of_a_test_suite_is_diagnosed() {
    let served = Served::start().await;
    create(&served);
    let (mut client, mut socket) = (served.server.client().await, served.connect().await);
    for second in 0..8 {
        for row in 0..25 {
            write(&mut client, &format!("log#{:06}", second * 25 + row), vec![set("f", "q", 0, "v")])
                .await
                .unwrap();
        }
        served.pass(1);
    }
    let (_, view) = watch(&mut socket).await;
    let kinds: Vec<DiagnosisKind> = view.diagnoses.iter().map(tabletop_advice::Diagnosis::kind).collect();
    assert_eq!(kinds, [DiagnosisKind::SequentialWrites], "{:#?}", view.diagnoses);
    served.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_that_is_created_again_is_counted_from_the_start() {
    let served = Served::start().await;
    create(&served);
    let (mut client, mut socket) = (served.server.client().await, served.connect().await);
    write(&mut client, "r", vec![set("f", "q", 0, "v")]).await.unwrap();
    served.pass(2);
    let (run, before) = watch(&mut socket).await;
    assert_eq!(before.history.len(), 2);
    assert_eq!(respond(&mut socket, TableRequest::Delete.of("t")).await, Response::Done);
    let gone = next::<WatchTable>(&mut socket, run, &LiveHave::default()).await;
    assert!(
        matches!(gone, Err(JobError::Failed(error)) if error.code == Code::NotFound),
        "the run stays open"
    );
    let spec = TableSpec { families: vec![ColumnFamily::new("g")], ..TableSpec::default() };
    assert_eq!(respond(&mut socket, TableRequest::Create(spec).of("t")).await, Response::Done);
    let have = LiveHave { epoch: before.epoch, seconds: 2, places: 1, heat: 2, metric: HeatMetric::Requests };
    let after = next::<WatchTable>(&mut socket, run, &have).await.unwrap();
    assert!(after.epoch != before.epoch && after.history.is_empty() && after.places.len() == 1, "{after:?}");
    assert_eq!(after.spec.families, families(&["g"]));
    served.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_are_done_and_answers_that_are_too_long_say_so() {
    let served = Served::start().await;
    create(&served);
    let mut socket = served.connect().await;
    let at = |timestamp: i64, key: &str, bytes: usize| {
        let value = vec![b'x'; bytes].into();
        let set = Mutation::SetCell { family: "f".into(), qualifier: "q".into(), timestamp, value };
        TableRequest::MutateRows(vec![RowMutation { key: key.into(), mutations: vec![set] }]).of("t")
    };
    for row in 0..20 {
        assert_eq!(
            respond(&mut socket, at(0, &format!("r{row:02}"), 100_000)).await,
            Response::Mutated(vec![None])
        );
    }
    let all = |resume| TableRequest::ReadRows(ReadRows { resume, ..ReadRows::default() }).of("t");
    let Response::Rows(first) = respond(&mut socket, all(None)).await else { panic!() };
    assert!(first.rows.len() < 20 && first.resume.is_some(), "a slice is about a megabyte");
    let Response::Rows(rest) = respond(&mut socket, all(first.resume)).await else { panic!() };
    assert_eq!((first.rows.len() + rest.rows.len(), rest.resume), (20, None));
    for version in [1_000, 2_000] {
        respond(&mut socket, at(version, "s", 9 << 20)).await;
    }
    let after = ReadRows {
        rows: tabletop_model::RowSet { keys: vec!["s".into()], ranges: vec![] },
        ..ReadRows::default()
    };
    let long = respond(&mut socket, TableRequest::ReadRows(after).of("t")).await;
    assert!(matches!(long, Response::Refused(error) if error.message.contains("fewer or smaller cells")));
    // What the instance rejects is its response; a request that is not for a server is rejected.
    let none = TableRequest::ReadRows(ReadRows::default()).of("none");
    assert!(
        matches!(respond(&mut socket, none).await, Response::Refused(error) if error.code == Code::NotFound)
    );
    assert!(
        matches!(respond(&mut socket, Asked::ListTables).await, Response::Tables(tables) if tables.len() == 1)
    );
    assert!(matches!(ask(&mut socket, &Ask::Samples).await, Answer::Failed(_)));
    assert!(matches!(respond_from(&mut socket, "x", Asked::ListTables).await, Response::Refused(_)));
    served.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn looking_opens_no_instance() {
    let folder = tempfile::tempdir().unwrap();
    let name = InstanceName { project: "p".into(), instance: "i".into() };
    {
        let host = Host::open(folder.path(), || 0).unwrap();
        let instance = host.instance_or_new(&name).unwrap();
        instance.change(|instance, now| instance.create_table(now, "t", TableSpec::default())).unwrap();
        host.close();
    }
    let served = Served::on(|clock| Host::open(folder.path(), clock).unwrap()).await;
    served.server.host.release(0);
    let mut socket = served.connect().await;
    let shown = server(&mut socket).await;
    assert_eq!((shown.data, shown.clients), (Some(folder.path().display().to_string()), 0));
    let instance = &shown.instances[0];
    assert_eq!(
        (instance.name.as_str(), instance.is_open, instance.tables.len()),
        ("projects/p/instances/i", false, 0)
    );
    watch(&mut socket).await;
    let shown = server(&mut socket).await;
    assert!(shown.instances[0].is_open && shown.instances[0].tables[0].table == "t");
    served.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_watches_four_tables_at_most_and_only_its_own_runs() {
    let served = Served::start().await;
    create(&served);
    let mut socket = served.connect().await;
    let none = begin::<WatchTable>(&mut socket, &named("none")).await;
    assert!(matches!(none, Err(JobError::Failed(error)) if error.code == Code::NotFound));
    for id in ["a", "b", "c", "d"] {
        let created = respond(&mut socket, TableRequest::Create(TableSpec::default()).of(id)).await;
        assert_eq!(created, Response::Done);
    }
    let mut runs = Vec::new();
    for id in ["t", "a", "b", "c", "d"] {
        runs.push(begin::<WatchTable>(&mut socket, &named(id)).await.unwrap().run.unwrap());
    }
    let have = LiveHave::default();
    assert_eq!(
        next::<WatchTable>(&mut socket, runs[0], &have).await.unwrap_err(),
        JobError::Gone,
        "the oldest was evicted"
    );
    for run in &runs[1..] {
        next::<WatchTable>(&mut socket, *run, &have).await.unwrap();
    }
    // Runs belong to a connection.
    let mut other = served.connect().await;
    assert_eq!(next::<WatchTable>(&mut other, runs[4], &have).await.unwrap_err(), JobError::Gone);
    job(&mut socket, JobAsk::End(runs[4])).await.unwrap();
    assert_eq!(next::<WatchTable>(&mut socket, runs[4], &have).await.unwrap_err(), JobError::Gone);
    let unknown = JobAsk::Begin { job: "simulate".into(), request: Default::default() };
    assert!(matches!(job(&mut socket, unknown).await, Err(JobError::Failed(_))), "a job of workers");
    served.stop().await;
}
