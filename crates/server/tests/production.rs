//! The server follows production where Google's emulator differs from it.

use std::sync::atomic::Ordering;
use std::time::Duration;

use googleapis_tonic_google_bigtable_v2::google::bigtable::v2 as proto;
use prost::Message;
use proto::mutation::{AddToCell, DeleteFromColumn, MergeToCell, Mutation as Kind};
use proto::row_filter::{Chain, Condition, Filter, Interleave};
use proto::row_range::{EndKey, StartKey};
use proto::value::Kind as ValueKind;
use proto::{Mutation, ReadRowsRequest, RowFilter, RowRange, RowSet, Value};
use tabletop_model::{Aggregate, ColumnFamily, GcRule, TableSpec};
use tabletop_server::{Host, table_settings};
use tonic::Code::{self, InvalidArgument, NotFound};
use tonic::Status;

use crate::support::{
    self, Server, TABLE, filter, filtered, instance, read, refused, request, send, set, write,
};

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_list_of_mutations_changes_nothing() {
    let server = Server::start().await;
    let mut client = server.client().await;
    write(&mut client, "r", vec![set("f", "q", 0, "old")]).await.unwrap();
    let half = vec![set("f", "q", 0, "new"), set("nope", "q", 0, "new")];
    refused(write(&mut client, "r", half).await, NotFound, "unknown family \"nope\"");
    refused(
        write(&mut client, "new", vec![set("f", "q", 0, "x"), set("f", "q", 1, "x")]).await,
        InvalidArgument,
        "granularity",
    );
    let check = proto::CheckAndMutateRowRequest {
        table_name: TABLE.into(),
        row_key: "r".into(),
        true_mutations: vec![set("f", "q", 0, "new"), set("f", "q", -2, "new")],
        ..Default::default()
    };
    refused(client.check_and_mutate_row(check).await, InvalidArgument, "negative");
    assert_eq!(read(&mut client, request()).await.unwrap(), ["r f:q@0=old"]);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_mutations_are_refused_for_good() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let one = |kind| vec![Mutation { mutation: Some(kind) }];
    let times = |start, end| DeleteFromColumn {
        family_name: "f".into(),
        column_qualifier: "q".into(),
        time_range: Some(proto::TimestampRange { start_timestamp_micros: start, end_timestamp_micros: end }),
    };
    for (key, mutations, words) in [
        ("r", vec![], "No mutations provided"),
        ("r", vec![Mutation::default()], "not set"),
        ("", vec![set("f", "q", 0, "")], "Row keys must be non-empty"),
        (&"k".repeat(4_097), vec![set("f", "q", 0, "")], "4096"),
        ("r", vec![set("f", &"q".repeat(16_385), 0, "")], "16384"),
        ("r", vec![set("f", "q", 1, "")], "granularity"),
        ("r", vec![set("f", "q", -2, "")], "negative"),
        ("r", one(Kind::DeleteFromColumn(times(2_000, 1_000))), "the end is exclusive"),
        ("r", one(Kind::DeleteFromColumn(times(2_000, 2_000))), "the end is exclusive"),
        ("r", vec![set("f", "q", 0, ""); 100_001], "100000"),
        ("r", vec![set("f", "q", 0, vec![0; (100 << 20) + 1])], "104857600"),
    ] {
        refused(write(&mut client, key, mutations).await, InvalidArgument, words);
    }
    refused(write(&mut client, "r", vec![set("", "q", 0, "")]).await, NotFound, "unknown family");
    assert_eq!(read(&mut client, request()).await.unwrap(), [""; 0]);
    // Values at the limits are accepted.
    let cells = vec![set("f", &"q".repeat(16_384), 0, ""), set("f", "v", 0, vec![0; 100 << 20])];
    write(&mut client, &"k".repeat(4_096), cells).await.unwrap();
    assert!(read(&mut client, request()).await.unwrap()[0].contains("f:v@0=(104857600 bytes)"));
    server.stop().await;
}

/// Starts a server with a table of one row, `r`: e and f have columns a and b, each with two
/// versions; f was created first.
async fn small_table() -> (Server, proto::bigtable_client::BigtableClient<tonic::transport::Channel>) {
    let server = Server::start().await;
    let mut client = server.client().await;
    let cell = |family, qualifier| [set(family, qualifier, 1000, "1"), set(family, qualifier, 2000, "2")];
    let cells =
        ["e", "f"].into_iter().flat_map(|family| ["a", "b"].into_iter().flat_map(move |q| cell(family, q)));
    write(&mut client, "r", cells.collect()).await.unwrap();
    (server, client)
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_filters_are_refused() {
    let (server, mut client) = small_table().await;
    let pass = || filter(Filter::PassAllFilter(true));
    let chain = |filters| Filter::Chain(Chain { filters });
    let condition = |predicate, on_true| {
        Filter::Condition(Box::new(Condition {
            predicate_filter: predicate,
            true_filter: Some(Box::new(on_true)),
            false_filter: None,
        }))
    };
    let nested = (1..20).fold(pass(), |inner, _| filter(chain(vec![inner, pass()])));
    let label = |text: &str| Filter::ApplyLabelTransformer(text.into());
    for (kind, words) in [
        (chain(vec![]), "at least two"),
        (chain(vec![pass()]), "at least two"),
        (Filter::Interleave(Interleave { filters: vec![pass()] }), "at least two"),
        (Filter::CellsPerRowOffsetFilter(-1), "negative"),
        (Filter::CellsPerRowLimitFilter(0), "positive"),
        (Filter::CellsPerColumnLimitFilter(0), "positive"),
        (Filter::RowKeyRegexFilter(vec![]), "must not be empty"),
        (Filter::FamilyNameRegexFilter("f:".into()), "':'"),
        (Filter::ValueRegexFilter("(".into()), ""),
        (Filter::RowSampleFilter(1.0), "between 0.0 and 1.0"),
        (Filter::PassAllFilter(false), "must be true"),
        (label("Bad"), "[a-z0-9"),
        (label("sixteen-chars-ab"), "1 to 15"),
        (chain(vec![filter(label("a")), filter(label("b"))]), "no more than one"),
        (condition(Some(Box::new(pass())), filter(Filter::Sink(true))), "Condition"),
        (condition(None, pass()), "predicate_filter"),
        (chain(vec![nested.clone(), pass()]), "20 deep"),
        (Filter::ValueRegexFilter(vec![b'a'; 20_480]), "20480"),
        (
            Filter::TimestampRangeFilter(proto::TimestampRange {
                start_timestamp_micros: 1,
                end_timestamp_micros: 0,
            }),
            "whole",
        ),
    ] {
        refused(filtered(&mut client, kind).await, InvalidArgument, words);
    }
    // Deeper than any stack.
    let message = |filter: Vec<u8>| {
        let mut message = vec![0x0a, TABLE.len() as u8];
        message.extend_from_slice(TABLE.as_bytes());
        put(&mut message, 3, &filter);
        message
    };
    let deep = (0..20_000).fold(Vec::new(), |inner, _| {
        let mut list = Vec::new();
        put(&mut list, 1, &inner);
        let mut chain = Vec::new();
        put(&mut chain, 1, &list);
        chain
    });
    refused(send(&server, "ReadRows", message(deep)).await, InvalidArgument, "20 deep");
    // A filter of a future release is not treated as no filter.
    refused(send(&server, "ReadRows", message(vec![0xf8, 0x06, 0x01])).await, InvalidArgument, "field 111");
    assert_eq!(
        filtered(&mut client, nested.filter.unwrap()).await.unwrap().len(),
        1,
        "just within the depth limit"
    );
    server.stop().await;
}

/// Writes a field of bytes.
fn put(message: &mut Vec<u8>, number: u32, bytes: &[u8]) {
    prost::encoding::encode_key(number, prost::encoding::WireType::LengthDelimited, message);
    prost::encoding::encode_varint(bytes.len() as u64, message);
    message.extend_from_slice(bytes);
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_of_a_row_take_families_in_the_order_of_their_creation() {
    let (server, mut client) = small_table().await;
    for _ in 0..5 {
        let rows = filtered(&mut client, Filter::CellsPerRowLimitFilter(5)).await.unwrap();
        assert_eq!(rows, ["r f:a@2000=2 f:a@1000=1 f:b@2000=2 f:b@1000=1 e:a@2000=2"]);
        let rows = filtered(&mut client, Filter::CellsPerRowOffsetFilter(5)).await.unwrap();
        assert_eq!(rows, ["r e:a@1000=1 e:b@2000=2 e:b@1000=1"]);
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sinks_labels_and_bitmasks_work() {
    let (server, mut client) = small_table().await;
    let qualifier = |text: &str| filter(Filter::ColumnQualifierRegexFilter(text.into()));
    let chain = |filters| filter(Filter::Chain(Chain { filters }));
    let label = |text: &str| filter(Filter::ApplyLabelTransformer(text.into()));
    let newest = || filter(Filter::CellsPerColumnLimitFilter(1));
    let sunk = chain(vec![qualifier("a"), label("sunk"), filter(Filter::Sink(true))]);
    let both = Filter::Interleave(Interleave { filters: vec![sunk, filter(Filter::PassAllFilter(true))] });
    let all = Filter::Chain(Chain { filters: vec![newest(), filter(both), qualifier("b")] });
    let rows = filtered(&mut client, all).await.unwrap();
    assert_eq!(rows, ["r f:a@2000 {sunk}=2 f:b@2000=2 e:a@2000 {sunk}=2 e:b@2000=2"]);
    // value & 0x02 == 0x02 holds for "2" (0x32), not for "1" (0x31).
    let mut mask = Vec::new();
    put(&mut mask, 1, &[0x02]);
    let mut bitmask = Vec::new();
    put(&mut bitmask, 20, &mask);
    let mut message = request().encode_to_vec();
    put(&mut message, 3, &bitmask);
    let messages = send(&server, "ReadRows", message).await.unwrap();
    let mut rows = support::Rows::new(false);
    messages.iter().for_each(|message| rows.take(proto::ReadRowsResponse::decode(&message[..]).unwrap()));
    assert_eq!(rows.done(), ["r f:a@2000=2 f:b@2000=2 e:a@2000=2 e:b@2000=2"]);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_rows_and_ranges_are_refused() {
    let (server, mut client) = small_table().await;
    let rows = |row_keys: Vec<Vec<u8>>, row_ranges| ReadRowsRequest {
        rows: Some(RowSet { row_keys, row_ranges }),
        ..request()
    };
    let range = |start: &str, end: &str| RowRange {
        start_key: Some(StartKey::StartKeyClosed(start.into())),
        end_key: Some(EndKey::EndKeyOpen(end.into())),
    };
    refused(
        read(&mut client, rows(vec![vec![]], vec![])).await,
        InvalidArgument,
        "Row keys must be non-empty",
    );
    refused(
        read(&mut client, rows(vec![], vec![range("s", "a")])).await,
        InvalidArgument,
        "start_key must be less",
    );
    refused(
        read(&mut client, ReadRowsRequest { rows_limit: -1, ..request() }).await,
        InvalidArgument,
        "rows_limit",
    );
    assert_eq!(read(&mut client, rows(vec![], vec![range("r", "r")])).await.unwrap(), [""; 0]);
    assert_eq!(
        read(&mut client, rows(vec!["r".into(), "r".into()], vec![range("a", "z")])).await.unwrap().len(),
        1
    );
    let no_end = RowRange { start_key: None, end_key: Some(EndKey::EndKeyOpen(vec![])) };
    assert_eq!(
        read(&mut client, rows(vec![], vec![no_end])).await.unwrap().len(),
        1,
        "an empty end is the table's"
    );
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_requests_are_refused() {
    let server = Server::start().await;
    for method in [
        "ReadRows",
        "MutateRow",
        "MutateRows",
        "CheckAndMutateRow",
        "ReadModifyWriteRow",
        "SampleRowKeys",
        "PingAndWarm",
    ] {
        for bad in [&[0xff][..], &[0x0a, 0x7f], &[0x0a, 1, 0xff], &[0x0b]] {
            refused(send(&server, method, bad.to_vec()).await, InvalidArgument, "cannot be decoded");
        }
    }
    refused(send(&server, "Nonsense", vec![]).await, Code::Unimplemented, "no such method");
    let mut client = server.client().await;
    write(&mut client, "r", vec![set("f", "q", 0, "still there")]).await.unwrap();
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_given_at_creation_collect() {
    let server = Server::bare(Host::in_memory).await;
    let day = 86_400_000_000;
    let rules = [
        ("age", GcRule::MaxAge { micros: day }),
        ("both", GcRule::Intersection(vec![GcRule::MaxAge { micros: day }, GcRule::MaxVersions(1)])),
        ("versions", GcRule::MaxVersions(1)),
    ];
    let families = rules
        .into_iter()
        .map(|(name, gc_rule)| ColumnFamily { gc_rule, ..ColumnFamily::new(name) })
        .collect();
    server.create(TableSpec { families, initial_splits: vec![], settings: table_settings() });
    let mut client = server.client().await;
    let now = server.clock.load(Ordering::SeqCst) / 1_000 * 1_000;
    let cells = ["age", "both", "versions"].into_iter().flat_map(|family| {
        [
            set(family, "q", now, "new"),
            set(family, "q", now - 2 * day, "old"),
            set(family, "r", now - 2 * day, "only"),
        ]
    });
    write(&mut client, "r", cells.collect()).await.unwrap();
    let served = server.host.instance(&instance()).unwrap();
    let compacted = served.change(|instance, _| {
        instance.table("t")?.compact();
        Ok(())
    });
    compacted.unwrap();
    let old = now - 2 * day;
    let expected = format!(
        "r age:q@{now}=new both:q@{now}=new both:r@{old}=only versions:q@{now}=new versions:r@{old}=only"
    );
    for _ in 0..100 {
        if read(&mut client, request()).await.unwrap() == [expected.as_str()] {
            return server.stop().await;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{:?} is not {expected}", read(&mut client, request()).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn aggregates_of_all_kinds_work() {
    let server = Server::bare(Host::in_memory).await;
    let kinds = [
        ("sum", Aggregate::Sum),
        ("min", Aggregate::Min),
        ("max", Aggregate::Max),
        ("hll", Aggregate::DistinctCount),
    ];
    let family =
        |(name, kind): (&str, Aggregate)| ColumnFamily { aggregate: Some(kind), ..ColumnFamily::new(name) };
    let families = kinds.into_iter().map(family).chain([ColumnFamily::new("plain")]).collect();
    server.create(TableSpec { families, initial_splits: vec![], settings: table_settings() });
    let mut client = server.client().await;
    let value = |kind| Some(Value { r#type: None, kind: Some(kind) });
    let add = |family: &str, input| Mutation {
        mutation: Some(Kind::AddToCell(AddToCell {
            family_name: family.into(),
            column_qualifier: value(ValueKind::RawValue("q".into())),
            timestamp: value(ValueKind::RawTimestampMicros(1000)),
            input: value(input),
        })),
    };
    for number in [5, -3, 9, 5] {
        let all = ["sum", "min", "max", "hll"].map(|family| add(family, ValueKind::IntValue(number)));
        write(&mut client, "r", all.to_vec()).await.unwrap();
    }
    let merge = MergeToCell {
        family_name: "sum".into(),
        column_qualifier: value(ValueKind::RawValue("q".into())),
        timestamp: value(ValueKind::RawTimestampMicros(1000)),
        input: value(ValueKind::RawValue(100i64.to_be_bytes().to_vec())),
    };
    write(&mut client, "r", vec![Mutation { mutation: Some(Kind::MergeToCell(merge)) }]).await.unwrap();
    let mut stream = client.read_rows(request()).await.unwrap().into_inner();
    let chunks = stream.message().await.unwrap().unwrap().chunks;
    let number = |index: usize, kind: Aggregate| kind.number(&chunks[index].value).unwrap();
    let numbers = [number(0, Aggregate::Sum), number(1, Aggregate::Min), number(2, Aggregate::Max)];
    assert_eq!((numbers, number(3, Aggregate::DistinctCount)), ([116, -3, 9], 3));
    for (mutation, words) in [
        (add("plain", ValueKind::IntValue(1)), "is not an aggregate family"),
        (set("sum", "q", 0, "x"), "aggregate family"),
        (add("sum", ValueKind::RawValue("x".into())), "int_value"),
        (add("sum", ValueKind::FloatValue(1.0)), "int_value"),
    ] {
        refused(write(&mut client, "r", vec![mutation]).await, InvalidArgument, words);
    }
    let missing =
        AddToCell { family_name: "sum".into(), input: value(ValueKind::IntValue(1)), ..Default::default() };
    let missing: Result<(), Status> =
        write(&mut client, "r", vec![Mutation { mutation: Some(Kind::AddToCell(missing)) }]).await;
    refused(missing, InvalidArgument, "column_qualifier");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_row_sample_is_different() {
    let server = Server::start().await;
    let mut client = server.client().await;
    for i in 0..200 {
        write(&mut client, &format!("{i:03}"), vec![set("f", "q", 0, "v")]).await.unwrap();
    }
    let sample = RowFilter { filter: Some(Filter::RowSampleFilter(0.5)) };
    let mut samples = Vec::new();
    for _ in 0..4 {
        let rows =
            read(&mut client, ReadRowsRequest { filter: Some(sample.clone()), ..request() }).await.unwrap();
        assert!((40..160).contains(&rows.len()), "{} of 200", rows.len());
        samples.push(rows);
    }
    samples.dedup();
    assert!(samples.len() > 1);
    server.stop().await;
}
