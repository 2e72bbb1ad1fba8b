//! google.bigtable.v2 through a socket: every method.

mod tools;

use std::time::Duration;

use googleapis_tonic_google_bigtable_v2::google::bigtable::v2 as proto;
use prost::Message;
use proto::mutation::{DeleteFromRow, Mutation as Kind};
use proto::read_modify_write_rule::Rule;
use proto::row_filter::Filter;
use proto::{Mutation, ReadModifyWriteRule, ReadRowsRequest, mutate_rows_request};
use tabletop_model::TableSpec;
use tabletop_server::{Host, InstanceName, table_settings};
use tonic::Code;

use crate::support::{
    self, Rows, Server, TABLE, families, filter, filtered, instance, read, refused, request, send, set, write,
};

#[tokio::test(flavor = "multi_thread")]
async fn a_row_is_read_as_it_was_written() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let cells = vec![
        set("e", "q", 1000, "a"),
        set("f", "q", 2000, "b"),
        set("f", "q", 3000, ""),
        set("f", "", -1, "d"),
    ];
    write(&mut client, "r", cells).await.unwrap();
    write(&mut client, "s", vec![set("f", "q", 0, "z")]).await.unwrap();
    let expected = ["r f:@1700000000123000=d f:q@3000= f:q@2000=b e:q@1000=a", "s f:q@0=z"];
    assert_eq!(read(&mut client, request()).await.unwrap(), expected);
    let one = ReadRowsRequest { rows_limit: 1, reversed: true, ..request() };
    assert_eq!(read(&mut client, one).await.unwrap(), ["s f:q@0=z"]);
    write(&mut client, "r", vec![Mutation { mutation: Some(Kind::DeleteFromRow(DeleteFromRow {})) }])
        .await
        .unwrap();
    assert_eq!(read(&mut client, request()).await.unwrap(), ["s f:q@0=z"]);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_entry_has_its_own_status() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let entry = |key: &str, mutations| mutate_rows_request::Entry {
        row_key: key.into(),
        mutations,
        idempotency: None,
    };
    let entries = vec![
        entry("a", vec![set("f", "q", 0, "a")]),
        entry("b", vec![set("f", "q", 0, "b"), set("nope", "q", 0, "b")]),
        entry("c", vec![Mutation::default()]),
        entry("", vec![set("f", "q", 0, "d")]),
        entry("e", vec![]),
        entry("f", vec![set("f", "q", 7, "f")]),
        entry("g", vec![set("e", "q", 0, "g")]),
    ];
    let request_of =
        |entries| proto::MutateRowsRequest { table_name: TABLE.into(), entries, ..Default::default() };
    let mut stream = client.mutate_rows(request_of(entries)).await.unwrap().into_inner();
    let mut codes = Vec::new();
    while let Some(part) = stream.message().await.unwrap() {
        for entry in part.entries {
            assert_eq!(entry.index, codes.len() as i64);
            codes.push(Code::from(entry.status.unwrap().code));
        }
    }
    use Code::{InvalidArgument, NotFound, Ok};
    assert_eq!(codes, [Ok, NotFound, InvalidArgument, InvalidArgument, InvalidArgument, InvalidArgument, Ok]);
    assert_eq!(read(&mut client, request()).await.unwrap(), ["a f:q@0=a", "g e:q@0=g"]);
    refused(client.mutate_rows(request_of(vec![])).await, InvalidArgument, "no entries");
    // Each takes two bytes encoded, and many times that in memory.
    let nothing = vec![mutate_rows_request::Entry::default(); 200_001];
    refused(client.mutate_rows(request_of(nothing)).await, InvalidArgument, "100000");
    let many = vec![entry("a", vec![set("f", "q", 0, ""); 100_001])];
    refused(client.mutate_rows(request_of(many)).await, InvalidArgument, "100000");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_is_checked_and_changed() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let check =
        |predicate: Option<Filter>, yes: Vec<Mutation>, no: Vec<Mutation>| proto::CheckAndMutateRowRequest {
            table_name: TABLE.into(),
            row_key: "r".into(),
            predicate_filter: predicate.map(filter),
            true_mutations: yes,
            false_mutations: no,
            ..Default::default()
        };
    let first = check(None, vec![], vec![set("f", "made", 0, "x")]);
    assert!(!client.check_and_mutate_row(first.clone()).await.unwrap().into_inner().predicate_matched);
    assert!(client.check_and_mutate_row(first).await.unwrap().into_inner().predicate_matched);
    let regex = |value: &str| Some(Filter::ValueRegexFilter(value.into()));
    let second = check(regex("y"), vec![set("f", "q", 0, "yes")], vec![set("f", "q", 0, "no")]);
    assert!(!client.check_and_mutate_row(second).await.unwrap().into_inner().predicate_matched);
    assert_eq!(read(&mut client, request()).await.unwrap(), ["r f:made@0=x f:q@0=no"]);
    refused(client.check_and_mutate_row(check(None, vec![], vec![])).await, Code::InvalidArgument, "");
    refused(
        client.check_and_mutate_row(check(None, vec![Mutation::default()], vec![])).await,
        Code::InvalidArgument,
        "true_mutations",
    );
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_is_read_modified_and_written() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let rule = |family: &str, qualifier: &str, rule| ReadModifyWriteRule {
        family_name: family.into(),
        column_qualifier: qualifier.into(),
        rule,
    };
    let request_of = |rules| proto::ReadModifyWriteRowRequest {
        table_name: TABLE.into(),
        row_key: "r".into(),
        rules,
        ..Default::default()
    };
    let rules = vec![
        rule("f", "n", Some(Rule::IncrementAmount(5))),
        rule("f", "n", Some(Rule::IncrementAmount(-7))),
        rule("e", "t", Some(Rule::AppendValue("ab".into()))),
    ];
    let row = client.read_modify_write_row(request_of(rules)).await.unwrap().into_inner().row.unwrap();
    let cells: Vec<_> =
        row.families.iter().map(|family| (family.name.as_str(), &family.columns[0])).collect();
    assert_eq!((row.key.as_slice(), cells.len()), (&b"r"[..], 2));
    assert_eq!((cells[0].0, cells[0].1.cells[0].value.as_slice()), ("f", &(-2i64).to_be_bytes()[..]));
    assert_eq!((cells[1].0, cells[1].1.cells[0].value.as_slice()), ("e", &b"ab"[..]));
    assert_eq!(cells[1].1.cells[0].timestamp_micros, 1_700_000_000_123_000);
    let unset = client.read_modify_write_row(request_of(vec![rule("f", "n", None)])).await;
    refused(unset, Code::InvalidArgument, "rule is not set");
    let text =
        client.read_modify_write_row(request_of(vec![rule("e", "t", Some(Rule::IncrementAmount(1)))])).await;
    refused(text, Code::FailedPrecondition, "8 bytes");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn samples_are_the_splits_and_the_end() {
    let server = Server::bare(Host::in_memory).await;
    let initial_splits = vec!["b".into(), "m".into()];
    server.create(TableSpec { families: families(&["f"]), initial_splits, settings: table_settings() });
    let mut client = server.client().await;
    for key in ["a", "c", "d", "z"] {
        write(&mut client, key, vec![set("f", "q", 0, vec![b'x'; 1000])]).await.unwrap();
    }
    let request = proto::SampleRowKeysRequest { table_name: TABLE.into(), ..Default::default() };
    let mut stream = client.sample_row_keys(request).await.unwrap().into_inner();
    let mut samples = Vec::new();
    while let Some(sample) = stream.message().await.unwrap() {
        samples.push((String::from_utf8(sample.row_key).unwrap(), sample.offset_bytes));
    }
    let keys: Vec<&str> = samples.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, ["b", "m", ""]);
    assert!(
        samples.is_sorted_by_key(|(_, offset)| *offset) && samples[1].1 > samples[0].1 && samples[0].1 > 0,
        "{samples:?}"
    );
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn samples_of_a_range_end_with_its_end() {
    let server = Server::bare(Host::in_memory).await;
    let initial_splits = ["b", "m", "t"].map(Into::into).to_vec();
    server.create(TableSpec { families: families(&["f"]), initial_splits, settings: table_settings() });
    // The published message has no row_range yet: field 6, here from "b" (field 1) to "s" (field
    // 3), which is left out.
    let mut request =
        proto::SampleRowKeysRequest { table_name: TABLE.into(), ..Default::default() }.encode_to_vec();
    request.extend_from_slice(b"\x32\x06\x0a\x01b\x1a\x01s");
    let answers = send(&server, "SampleRowKeys", request).await.unwrap();
    let keys =
        answers.iter().map(|answer| proto::SampleRowKeysResponse::decode(&answer[..]).unwrap().row_key);
    assert_eq!(keys.collect::<Vec<_>>(), [b"m", b"s"]);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_app_profiles_are_refused() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let profile = "none".to_string();
    let name = "projects/p/instances/i/appProfiles/none";
    let read_rows = |profile: &str| ReadRowsRequest { app_profile_id: profile.into(), ..request() };
    refused(read(&mut client, read_rows("none")).await, Code::NotFound, name);
    assert_eq!(read(&mut client, read_rows("default")).await.unwrap(), [""; 0]);
    let (table_name, row_key, cells) = (TABLE.to_string(), b"r".to_vec(), vec![set("f", "q", 0, "v")]);
    let mutate = proto::MutateRowRequest {
        table_name: table_name.clone(),
        row_key: row_key.clone(),
        mutations: cells.clone(),
        app_profile_id: profile.clone(),
        ..Default::default()
    };
    refused(client.mutate_row(mutate.clone()).await, Code::NotFound, name);
    client.mutate_row(proto::MutateRowRequest { app_profile_id: "default".into(), ..mutate }).await.unwrap();
    let entry = mutate_rows_request::Entry {
        row_key: row_key.clone(),
        mutations: cells.clone(),
        ..Default::default()
    };
    let bulk = proto::MutateRowsRequest {
        table_name: table_name.clone(),
        entries: vec![entry],
        app_profile_id: profile.clone(),
        ..Default::default()
    };
    refused(client.mutate_rows(bulk).await, Code::NotFound, name);
    let check = proto::CheckAndMutateRowRequest {
        table_name: table_name.clone(),
        row_key: row_key.clone(),
        true_mutations: cells,
        app_profile_id: profile.clone(),
        ..Default::default()
    };
    refused(client.check_and_mutate_row(check).await, Code::NotFound, name);
    let rules = vec![ReadModifyWriteRule {
        family_name: "f".into(),
        column_qualifier: "q".into(),
        rule: Some(Rule::IncrementAmount(1)),
    }];
    let modify = proto::ReadModifyWriteRowRequest {
        table_name: table_name.clone(),
        row_key,
        rules,
        app_profile_id: profile.clone(),
        ..Default::default()
    };
    refused(client.read_modify_write_row(modify).await, Code::NotFound, name);
    let sample =
        proto::SampleRowKeysRequest { table_name, app_profile_id: profile.clone(), ..Default::default() };
    refused(client.sample_row_keys(sample).await, Code::NotFound, name);
    let ping = proto::PingAndWarmRequest { name: "projects/p/instances/i".into(), app_profile_id: profile };
    refused(client.ping_and_warm(ping).await, Code::NotFound, name);
    server.stop().await;
}

/// Google's client for Node.js sends this project when none is set.
#[tokio::test(flavor = "multi_thread")]
async fn the_project_of_a_client_without_project_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    for server in [
        Server::bare(Host::in_memory).await,
        Server::bare(|clock| Host::open(folder.path(), clock).unwrap()).await,
    ] {
        let name = InstanceName { project: "{{projectId}}".into(), instance: "i".into() };
        let served = server.host.instance_or_new(&name).unwrap();
        let spec =
            TableSpec { families: families(&["f"]), initial_splits: vec![], settings: table_settings() };
        served.change(|instance, now| instance.create_table(now, "t", spec)).unwrap();
        let named = ReadRowsRequest {
            table_name: "projects/{{projectId}}/instances/i/tables/t".into(),
            ..Default::default()
        };
        assert_eq!(read(&mut server.client().await, named).await.unwrap(), [""; 0]);
        server.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_tables_and_families_are_not_found() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let named = |table: &str| ReadRowsRequest { table_name: table.into(), ..Default::default() };
    refused(
        read(&mut client, named("projects/p/instances/i/tables/x")).await,
        Code::NotFound,
        "\"x\" not found",
    );
    refused(read(&mut client, named("projects/p/instances/x/tables/t")).await, Code::NotFound, "instance");
    refused(read(&mut client, named("t")).await, Code::InvalidArgument, "projects/<project>");
    refused(read(&mut client, named("")).await, Code::InvalidArgument, "projects/<project>");
    refused(
        read(&mut client, named("projects/../instances/../tables/t")).await,
        Code::InvalidArgument,
        "not valid",
    );
    let ping = proto::PingAndWarmRequest { name: "projects/p/instances/new".into(), ..Default::default() };
    client.ping_and_warm(ping).await.unwrap();
    let query = proto::ExecuteQueryRequest::default();
    refused(client.execute_query(query).await, Code::Unimplemented, "SQL");
    let changes = proto::ReadChangeStreamRequest { table_name: TABLE.into(), ..Default::default() };
    refused(client.read_change_stream(changes).await, Code::Unimplemented, "change streams");
    server.stop().await;
}

/// Client and server share one thread, so each call of another client lets the stream's task do
/// what it can.
#[tokio::test]
async fn a_slow_client_takes_little_memory() {
    let server = Server::start().await;
    let mut client = server.client().await;
    for row in 0..64 {
        write(&mut client, &format!("{row:02}"), vec![set("f", "q", 0, vec![row; 1 << 20])]).await.unwrap();
    }
    let mut stream = client.read_rows(request()).await.unwrap().into_inner();
    let mut rows = Rows::new(false);
    rows.take(stream.message().await.unwrap().unwrap());
    let served = server.host.instance(&instance()).unwrap();
    let read_ahead =
        || served.with(|instance, now| Ok(instance.table("t")?.view(now))).unwrap().bytes_returned;
    let mut other = server.client().await;
    let (mut bytes, mut calls_without_progress) = (0, 0);
    while calls_without_progress < 100 {
        let ping = proto::PingAndWarmRequest { name: "projects/p/instances/i".into(), ..Default::default() };
        other.ping_and_warm(ping).await.unwrap();
        calls_without_progress = if read_ahead() == bytes { calls_without_progress + 1 } else { 0 };
        bytes = read_ahead();
    }
    assert!((1..8 << 20).contains(&bytes), "{bytes} bytes were read ahead");
    while let Some(response) = stream.message().await.unwrap() {
        rows.take(response);
    }
    assert_eq!(rows.done().len(), 64);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_clients_count_together() {
    let server = Server::start().await;
    let mut tasks = Vec::new();
    for task in 0..8 {
        let mut client = server.client().await;
        tasks.push(tokio::spawn(async move {
            for i in 0..50 {
                let rules = vec![ReadModifyWriteRule {
                    family_name: "f".into(),
                    column_qualifier: "n".into(),
                    rule: Some(Rule::IncrementAmount(1)),
                }];
                let request = proto::ReadModifyWriteRowRequest {
                    table_name: TABLE.into(),
                    row_key: "count".into(),
                    rules,
                    ..Default::default()
                };
                client.read_modify_write_row(request).await.unwrap();
                // A reader sees both cells or neither.
                write(
                    &mut client,
                    "pair",
                    vec![set("f", "a", 0, format!("{task}.{i}")), set("e", "b", 0, format!("{task}.{i}"))],
                )
                .await
                .unwrap();
                let rows = proto::RowSet { row_keys: vec!["pair".into()], row_ranges: vec![] };
                let row = read(&mut client, ReadRowsRequest { rows: Some(rows), ..support::request() })
                    .await
                    .unwrap()
                    .remove(0);
                let values: Vec<&str> =
                    row.split('=').skip(1).map(|rest| rest.split(' ').next().unwrap()).collect();
                assert_eq!(values[0], values[1]);
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let mut client = server.client().await;
    let newest = filtered(&mut client, Filter::CellsPerColumnLimitFilter(1)).await.unwrap();
    assert_eq!(newest[0], "count f:n@1700000000123000=\\x00\\x00\\x00\\x00\\x00\\x00\\x01\\x90");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn acknowledged_writes_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let open = |clock| Host::open(folder.path(), clock).unwrap();
    let server = Server::bare(open).await;
    server.create(TableSpec {
        families: families(&["f"]),
        initial_splits: vec![],
        settings: table_settings(),
    });
    let mut tasks = Vec::new();
    for task in 0..4 {
        let mut client = server.client().await;
        tasks.push(tokio::spawn(async move {
            for i in 0..25 {
                write(&mut client, &format!("{task}-{i:02}"), vec![set("f", "q", 0, "v")]).await.unwrap();
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    server.stop().await;
    let server = Server::bare(open).await;
    let mut client = server.client().await;
    assert_eq!(read(&mut client, request()).await.unwrap().len(), 100);
    server.stop().await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_acknowledged_once_the_folder_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::bare(|clock| Host::open(folder.path(), clock).unwrap()).await;
    let spec = TableSpec { families: families(&["f"]), initial_splits: vec![], settings: table_settings() };
    server.create(spec.clone());
    let mut client = server.client().await;
    write(&mut client, "r", vec![set("f", "q", 0, "v")]).await.unwrap();
    let health = async || support::send_to(&server, "grpc.health.v1.Health/Check", vec![]).await.unwrap();
    assert_eq!(health().await, [[0x08, 1].as_slice()]);
    for is_there_again in [false, true] {
        if is_there_again {
            std::fs::create_dir_all(folder.path().join("p/i")).unwrap();
        } else {
            std::fs::remove_dir_all(folder.path()).unwrap();
        }
        let refusal = write(&mut client, "s", vec![set("f", "q", 0, "v")]).await;
        refused(refusal, Code::Unavailable, "another program has removed");
        let served = server.host.instance(&instance()).unwrap();
        let error = served.change(|instance, now| instance.create_table(now, "u", spec.clone())).unwrap_err();
        assert!(error.message.contains("another program has removed"), "{error}");
        let other = tabletop_server::InstanceName { project: "p".into(), instance: "other".into() };
        let error = server.host.instance_or_new(&other).err().unwrap();
        assert!(error.message.contains("another program has removed"), "{error}");
        assert_eq!(health().await, [[0x08, 2].as_slice()], "it does not serve");
    }
    assert_eq!(
        std::fs::read_dir(folder.path().join("p/i")).unwrap().count(),
        0,
        "nothing is written to the new folder"
    );
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_write_does_not_block_other_calls_of_its_connection() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::bare(|clock| Host::open(folder.path(), clock).unwrap()).await;
    server.create(TableSpec {
        families: families(&["f"]),
        initial_splits: vec![],
        settings: table_settings(),
    });
    let mut client = server.client().await;
    let served = server.host.instance(&instance()).unwrap();
    let (begun, has_begun) = std::sync::mpsc::channel();
    let (end, may_end) = std::sync::mpsc::channel::<()>();
    let busy = std::thread::spawn(move || {
        let held = served.with(|_, _| {
            begun.send(()).unwrap();
            may_end.recv().unwrap();
            Ok(())
        });
        held.unwrap();
    });
    has_begun.recv().unwrap();
    let writing = tokio::spawn({
        let mut client = client.clone();
        async move { write(&mut client, "r", vec![set("f", "q", 0, "v")]).await }
    });
    let name = "projects/p/instances/i".to_string();
    for _ in 0..20 {
        let ping =
            client.ping_and_warm(proto::PingAndWarmRequest { name: name.clone(), ..Default::default() });
        tokio::time::timeout(Duration::from_secs(5), ping)
            .await
            .expect("it does not wait for the write")
            .unwrap();
    }
    assert!(!writing.is_finished());
    end.send(()).unwrap();
    writing.await.unwrap().unwrap();
    busy.join().unwrap();
    assert_eq!(read(&mut client, request()).await.unwrap().len(), 1);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_third_party_client_reads_and_writes() {
    let server = Server::start().await;
    let connection = bigtable_rs::bigtable::BigTableConnection::new_with_emulator(
        &server.address,
        "p",
        "i",
        false,
        1,
        None,
    );
    let mut client = connection.unwrap().client();
    let table_name = client.get_full_table_name("t");
    let entries = (0..2_000).map(|i| mutate_rows_request::Entry {
        row_key: format!("{i:04}").into(),
        mutations: vec![set("f", "q", 0, vec![b'v'; 200]), set("e", "", 0, "w")],
        idempotency: None,
    });
    let request = proto::MutateRowsRequest {
        table_name: table_name.clone(),
        entries: entries.collect(),
        ..Default::default()
    };
    client.mutate_rows(request).await.unwrap();
    let request = ReadRowsRequest { table_name: table_name.clone(), rows_limit: 1_999, ..Default::default() };
    let rows = client.read_rows(request).await.unwrap();
    assert_eq!(rows.len(), 1_999);
    assert!(
        rows.iter()
            .all(|(_, cells)| cells.len() == 2 && cells[0].value.len() == 200 && cells[1].value == b"w")
    );
    let prefixed = ReadRowsRequest { table_name, ..Default::default() };
    assert_eq!(client.read_rows_with_prefix(prefixed, "00".into()).await.unwrap().len(), 100);
    server.stop().await;
}
