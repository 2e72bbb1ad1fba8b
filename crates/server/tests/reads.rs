//! Reads of many rows: slices, messages and statistics.

use std::collections::BTreeSet;

use googleapis_tonic_google_bigtable_v2::google::bigtable::v2 as proto;
use proto::read_rows_request::RequestStatsView;
use proto::row_filter::Filter;
use proto::row_range::{EndKey, StartKey};
use proto::{ReadRowsRequest, mutate_rows_request, request_stats};
use tabletop_model::TableSpec;
use tabletop_server::Host;

use crate::support::{Rows, Server, TABLE, families, filter, read, request, set, small, write};

#[tokio::test(flavor = "multi_thread")]
async fn a_large_row_is_one_message_and_small_rows_share_one() {
    let server = Server::start().await;
    let mut client = server.client().await;
    write(&mut client, "a", vec![set("f", "q", 1000, "x")]).await.unwrap();
    write(&mut client, "b", vec![set("f", "q", 1000, vec![7; 5 << 20]), set("f", "r", 0, "x")])
        .await
        .unwrap();
    let wide = (0..30_000).map(|i| set("f", &format!("{i:05}"), 0, vec![1; 80])).collect();
    for key in ["c", "d", "e"] {
        write(&mut client, key, vec![set("f", "q", 0, "x")]).await.unwrap();
    }
    write(&mut client, "f", wide).await.unwrap();
    write(&mut client, "g", vec![set("e", "q", 0, vec![7; 100 << 10])]).await.unwrap();
    write(&mut client, "h", vec![set("e", "q", 0, "x")]).await.unwrap();
    write(&mut client, "i", vec![set("e", "q", 0, vec![7; (1 << 20) - 1000])]).await.unwrap();
    write(&mut client, "j", vec![set("e", "q", 0, vec![7; 1 << 20])]).await.unwrap();
    // A slice ends with a large row, and a message with a slice. A client accepts no message of
    // more than 4 MiB by default, so the row b has two. Go's client reads no row that continues in
    // the next message.
    let cut = ["a", "b", "", "cde", "f", "g", "hi", "j"];
    let whole = ["a", "b", "cde", "f", "g", "hi", "j"];
    for (mut client, expected) in [(client, &cut[..]), (server.go_client().await, &whole[..])] {
        let mut stream = client.read_rows(request()).await.unwrap().into_inner();
        let (mut rows, mut keys) = (Rows::new(false), Vec::new());
        while let Some(response) = stream.message().await.unwrap() {
            let of_message =
                response.chunks.iter().map(|chunk| String::from_utf8(chunk.row_key.clone()).unwrap());
            keys.push(of_message.collect::<String>());
            rows.take(response);
        }
        assert_eq!(keys, expected);
        let rows = rows.done();
        assert_eq!(rows[1], "b f:q@1000=(5242880 bytes) f:r@0=x");
        assert_eq!(rows[5].split(' ').count(), 1 + 30_000);
        assert_eq!(rows[9], "j e:q@0=(1048576 bytes)");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_of_many_slices_returns_all_rows() {
    let server = Server::bare(Host::in_memory).await;
    server.create(TableSpec { families: families(&["f"]), initial_splits: vec![], settings: small() });
    let mut client = server.client().await;
    let mut expected = Vec::new();
    for batch in 0..10 {
        let keys = (0..1_000).map(|i| format!("{:05}", (batch * 1_000 + i) * 7_919 % 10_000));
        let entry = |key: String| mutate_rows_request::Entry {
            mutations: vec![set("f", "q", 0, key.repeat(15))],
            row_key: key.into(),
            idempotency: None,
        };
        let entries = keys.map(entry).collect();
        let request = proto::MutateRowsRequest { table_name: TABLE.into(), entries, ..Default::default() };
        let mut stream = client.mutate_rows(request).await.unwrap().into_inner();
        while stream.message().await.unwrap().is_some() {}
    }
    expected.extend((0..10_000).map(|i| format!("{i:05} f:q@0={}", format!("{i:05}").repeat(15))));
    assert_eq!(read(&mut client, request()).await.unwrap(), expected);
    let limited = ReadRowsRequest { rows_limit: 7_000, ..request() };
    assert_eq!(read(&mut client, limited).await.unwrap(), expected[..7_000]);
    let backwards = ReadRowsRequest { reversed: true, rows_limit: 5_555, ..request() };
    assert!(read(&mut client, backwards).await.unwrap().iter().eq(expected.iter().rev().take(5_555)));
    // More keys and ranges than a slice has, unordered and with duplicates; some rows do not exist.
    let keys: Vec<usize> = (0..4_000).map(|i| i * 3_331 % 12_000 / 2 * 2).collect();
    // Ranges of five to nine rows; some overlap others, or begin where another one ends.
    let ranges: Vec<(usize, usize)> =
        (0..1_500).map(|i| i * 7_919 % 1_500).map(|i| (i * 8, i * 8 + 5 + i % 5)).collect();
    for (row_keys, row_ranges) in [(&keys[..], &[][..]), (&[], &ranges), (&keys, &ranges)] {
        for (reversed, rows_limit) in [(false, 0), (true, 0), (false, 2_500), (true, 2_500)] {
            let range = |(start, end): &(usize, usize)| proto::RowRange {
                start_key: Some(proto::row_range::StartKey::StartKeyClosed(format!("{start:05}").into())),
                end_key: Some(proto::row_range::EndKey::EndKeyOpen(format!("{end:05}").into())),
            };
            let rows = proto::RowSet {
                row_keys: row_keys.iter().map(|i| format!("{i:05}").into_bytes()).collect(),
                row_ranges: row_ranges.iter().map(range).collect(),
            };
            let asked = ReadRowsRequest { rows: Some(rows), reversed, rows_limit, ..request() };
            let named: BTreeSet<usize> = row_keys
                .iter()
                .copied()
                .chain(row_ranges.iter().flat_map(|(start, end)| *start..*end))
                .collect();
            let mut wanted: Vec<usize> = named.into_iter().filter(|i| *i < 10_000).collect();
            if reversed {
                wanted.reverse();
            }
            wanted.truncate(if rows_limit > 0 { rows_limit as usize } else { usize::MAX });
            let found = read(&mut client, asked).await.unwrap();
            assert!(found.iter().eq(wanted.iter().map(|i| &expected[*i])), "{reversed} {rows_limit}");
        }
    }
    // The same with ranges: of two rows, some overlapping or adjacent, of a single row, and one
    // without an end.
    for (reversed, rows_limit) in [(false, 0), (true, 0), (false, 2_500), (true, 2_500)] {
        let key = |i: usize| format!("{i:05}").into_bytes();
        let range = |start: usize| proto::RowRange {
            start_key: Some(StartKey::StartKeyClosed(key(start))),
            end_key: Some(EndKey::EndKeyOpen(key(start + 2))),
        };
        let mut row_ranges: Vec<_> = (0..2_500).map(|i| range(i * 1_117 % 2_500 * 3 + i % 2)).collect();
        row_ranges
            .push(proto::RowRange { start_key: Some(StartKey::StartKeyOpen(key(9_990))), end_key: None });
        let row_keys: Vec<_> = (0..500).map(|i| key(8_000 + i * 2)).collect();
        let mut wanted: Vec<usize> =
            (0..2_500).flat_map(|i| [0, 1].map(|row| i * 1_117 % 2_500 * 3 + i % 2 + row)).collect();
        wanted.extend((0..500).map(|i| 8_000 + i * 2));
        wanted.extend(9_991..10_000);
        wanted.sort_unstable();
        wanted.dedup();
        if reversed {
            wanted.reverse();
        }
        wanted.truncate(if rows_limit > 0 { rows_limit as usize } else { usize::MAX });
        let asked = ReadRowsRequest {
            rows: Some(proto::RowSet { row_keys, row_ranges }),
            reversed,
            rows_limit,
            ..request()
        };
        let found = read(&mut client, asked).await.unwrap();
        assert!(found.iter().eq(wanted.iter().map(|i| &expected[*i])), "{reversed} {rows_limit}");
    }
    // Many ranges without a row are not all rows.
    let empty = proto::RowRange {
        start_key: Some(StartKey::StartKeyClosed("x".into())),
        end_key: Some(EndKey::EndKeyOpen("x".into())),
    };
    let rows = Some(proto::RowSet { row_keys: vec![], row_ranges: vec![empty; 3_000] });
    assert_eq!(read(&mut client, ReadRowsRequest { rows, ..request() }).await.unwrap(), [""; 0]);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stats_are_sent_last_and_last_scanned_rows_if_requested() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let columns = || (0..100).map(|q| set("f", &format!("{q:02}"), 0, "v")).collect();
    for row in 0..3_000 {
        write(&mut client, &format!("{row:04}"), columns()).await.unwrap();
    }
    let asked = ReadRowsRequest {
        filter: Some(filter(Filter::RowKeyRegexFilter("2999".into()))),
        request_stats_view: RequestStatsView::RequestStatsFull as i32,
        ..request()
    };
    let run = async |client: &mut proto::bigtable_client::BigtableClient<_>, features: Option<&str>| {
        let mut request = tonic::Request::new(asked.clone());
        if let Some(features) = features {
            request.metadata_mut().insert("bigtable-features", features.parse().unwrap());
        }
        let mut stream = client.read_rows(request).await.unwrap().into_inner();
        let mut rows = Rows::new(false);
        while let Some(response) = stream.message().await.unwrap() {
            rows.take(response);
        }
        rows
    };
    // last_scanned_row_responses: true, in base64.
    let rows = run(&mut client, Some("IAE=")).await;
    assert!(rows.last_scanned.len() >= 2, "{:?}", rows.last_scanned);
    let Some(request_stats::StatsView::FullReadStatsView(stats)) = rows.stats.unwrap().stats_view else {
        panic!("no stats")
    };
    let counts = stats.read_iteration_stats.unwrap();
    assert_eq!((counts.rows_seen_count, counts.rows_returned_count), (3_000, 1));
    // A row that the filter drops is skipped after 64 of its cells.
    assert_eq!((counts.cells_seen_count, counts.cells_returned_count), (2_999 * 64 + 100, 100));
    assert!(stats.request_latency_stats.unwrap().frontend_server_latency.is_some());
    let rows = run(&mut client, None).await;
    assert_eq!((rows.last_scanned.len(), rows.done().len()), (0, 1));
    server.stop().await;
}
