//! ListHotTablets answers from the work that the engine counted.

use super::*;

const MINUTE: i64 = 60_000_000;

impl Plane {
    async fn hot(&mut self, request: proto::ListHotTabletsRequest) -> proto::ListHotTabletsResponse {
        done(self.instances.list_hot_tablets(request).await)
    }
}

fn asked(parent: &str) -> proto::ListHotTabletsRequest {
    proto::ListHotTabletsRequest { parent: parent.into(), ..Default::default() }
}

fn at(micros: i64) -> Option<prost_types::Timestamp> {
    Some(prost_types::Timestamp { seconds: micros.div_euclid(1_000_000), nanos: 0 })
}

#[tokio::test(flavor = "multi_thread")]
async fn the_busiest_tablets_come_first() {
    let mut plane = Plane::in_memory().await;
    let families = [("f".to_string(), proto::ColumnFamily::default())].into();
    let table = proto::Table { column_families: families, ..Default::default() };
    let splits = ["g", "m"].map(|key| proto::create_table_request::Split { key: key.into() }).to_vec();
    let request = proto::CreateTableRequest {
        parent: INSTANCE.into(),
        table_id: "t".into(),
        table: Some(table),
        initial_splits: splits,
    };
    done(plane.tables.create_table(request).await);
    assert_eq!(plane.hot(asked(CLUSTER)).await.hot_tablets, [], "nothing was read or written");
    let begun = plane.clock.load(Ordering::SeqCst).div_euclid(MINUTE) * MINUTE;
    for row in 0..30 {
        plane.set(&format!("h{row}"), "f:q", "v").await.unwrap();
    }
    plane.set("a", "f:q", "v").await.unwrap();
    plane.clock.fetch_add(20 * MINUTE, Ordering::SeqCst);
    for row in 0..10 {
        plane.set(&format!("h{row}"), "f:q", "v").await.unwrap();
    }
    let hot = plane.hot(asked(CLUSTER)).await.hot_tablets;
    let found: Vec<(&str, &str, i64)> = hot
        .iter()
        .map(|tablet| {
            (&*tablet.start_key, &*tablet.end_key, tablet.start_time.as_ref().map_or(0, |time| time.seconds))
        })
        .collect();
    let second = |micros: i64| micros / 1_000_000;
    assert_eq!(
        found,
        [("g", "m", second(begun)), ("g", "m", second(begun + 20 * MINUTE)), ("", "g", second(begun))],
        "a tablet is listed once in 15 minutes"
    );
    assert!(hot.windows(2).all(|pair| pair[0].node_cpu_usage_percent > pair[1].node_cpu_usage_percent));
    let percent = hot[0].node_cpu_usage_percent;
    assert!(
        (percent - 30.0 * 100.0 / 60.0 / 18_265.0).abs() < 1e-5,
        "30 writes in a minute are {percent}% of a node"
    );
    assert!(hot.iter().all(
        |tablet| tablet.table_name == TABLE && tablet.name.starts_with(&format!("{CLUSTER}/hotTablets/"))
    ));
    let length = |tablet: &proto::HotTablet| {
        tablet.end_time.as_ref().zip(tablet.start_time.as_ref()).map(|(a, b)| a.seconds - b.seconds)
    };
    assert!(hot.iter().all(|tablet| length(tablet) == Some(60)));

    let first = plane.hot(proto::ListHotTabletsRequest { page_size: 2, ..asked(CLUSTER) }).await;
    let second =
        plane.hot(proto::ListHotTabletsRequest { page_token: first.next_page_token, ..asked(CLUSTER) }).await;
    assert_eq!([first.hot_tablets, second.hot_tablets].concat(), hot);
    assert_eq!(second.next_page_token, "");
    let late = proto::ListHotTabletsRequest { start_time: at(begun + 10 * MINUTE), ..asked(CLUSTER) };
    assert_eq!(plane.hot(late).await.hot_tablets, hot[1..2]);
    let all = plane.hot(asked(&format!("{INSTANCE}/clusters/-"))).await;
    assert_eq!(all.hot_tablets, hot, "one engine does the work of all clusters");
    plane.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ranges_and_tokens_that_make_no_sense_are_refused() {
    let mut plane = Plane::in_memory().await;
    let request = proto::CreateTableRequest {
        parent: INSTANCE.into(),
        table_id: "t".into(),
        table: Some(proto::Table::default()),
        ..Default::default()
    };
    done(plane.tables.create_table(request).await);
    let now = plane.clock.load(Ordering::SeqCst);
    let day = 24 * 60 * MINUTE;
    let range = |from: i64, until: i64| proto::ListHotTabletsRequest {
        start_time: at(from),
        end_time: at(until),
        ..asked(CLUSTER)
    };
    for (request, word) in [
        (range(now, now), "before end_time"),
        (range(now - 3 * day, now), "48 hours"),
        (range(now - 15 * day, now - 14 * day), "14 days"),
        (proto::ListHotTabletsRequest { page_size: -1, ..asked(CLUSTER) }, "page_size"),
        (proto::ListHotTabletsRequest { page_token: "x".into(), ..asked(CLUSTER) }, "page_token"),
    ] {
        refused(plane.instances.list_hot_tablets(request).await, Code::InvalidArgument, word);
    }
    refused(
        plane.instances.list_hot_tablets(asked(&format!("{INSTANCE}/clusters/none"))).await,
        Code::NotFound,
        "none",
    );
    plane.end().await;
}
