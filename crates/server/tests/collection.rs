//! GC rules are enforced without a request, soon enough for a developer to notice.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tabletop_model::{ColumnFamily, GcRule, TableSpec};
use tabletop_server::{Host, table_settings};

use crate::support::{Server, instance, read, request, set, write};

/// Reads until these rows are returned, for at most ten seconds.
async fn wait_for(server: &Server, expected: &[&str]) {
    let (mut client, begun) = (server.client().await, Instant::now());
    loop {
        let rows = read(&mut client, request()).await.unwrap();
        if rows == expected {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "{rows:?} instead of {expected:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn expired_cells_of_a_small_table_are_gone_after_the_delay() {
    let folder = tempfile::tempdir().unwrap();
    let host = |clock| Host::open(folder.path(), clock).unwrap().with_gc_delay(Duration::from_millis(300));
    let server = Server::bare(host).await;
    let family = |name: &str, gc_rule| ColumnFamily { gc_rule, ..ColumnFamily::new(name) };
    let families =
        vec![family("age", GcRule::MaxAge { micros: 10_000_000 }), family("last", GcRule::MaxVersions(1))];
    server.create(TableSpec { families, initial_splits: vec![], settings: table_settings() });
    let now = server.clock.load(Ordering::SeqCst) / 1_000 * 1_000;
    let mut client = server.client().await;
    let cells =
        vec![set("age", "q", now, "x"), set("last", "q", 2_000, "new"), set("last", "q", 1_000, "old")];
    write(&mut client, "r", cells).await.unwrap();
    let all = format!("r age:q@{now}=x last:q@2000=new last:q@1000=old");
    // The server's clock stands still, so all work that is due leaves the garbage where it is.
    server.host.instance(&instance()).unwrap().finish_work();
    assert_eq!(read(&mut client, request()).await.unwrap(), [all]);
    server.clock.fetch_add(300_000, Ordering::SeqCst);
    wait_for(&server, &[&format!("r age:q@{now}=x last:q@2000=new")]).await;
    server.clock.fetch_add(9_999_999, Ordering::SeqCst);
    wait_for(&server, &["r last:q@2000=new"]).await;
    server.stop().await;
}
