//! `tabletop run` with access patterns that also run on `tabletop serve`.

use serde_json::{Value, json};

use super::serving::Serving;
use super::{Folder, tabletop};

fn pattern(name: &str, field: &str, value: &str, limits: Value) -> Value {
    let rows = json!({"fields": {"equals": [[field, value]]}});
    json!({"name": name, "query": {"rows": rows, "filter": null, "rows_limit": 0}, "limits": limits, "tables": ["By app"]})
}

fn workspace(limits: Value) -> String {
    let narrow = json!({"kind": "narrow"});
    json!({
        "version": 1,
        "name": "Clicks",
        "source": {"generated": {"seed": 1, "events": 2_000, "apps": 3, "users": 50, "user_skew": 0.5}},
        "designs": [
            {"name": "By user", "template": "{salt(4, user_token)}#{user_token}#{timestamp:iso}", "layout": narrow},
            {"name": "By app", "index_of": "By user", "template": "{app_id}#{timestamp:iso}", "layout": narrow},
        ],
        "queries": [
            pattern("An app's clicks", "app_id", "app-00", limits),
            json!({"name": "All", "query": {"rows": "all", "filter": null, "rows_limit": 0}}),
        ],
    })
    .to_string()
}

fn report(file: &str, address: &str) -> (Value, i32) {
    let ran = tabletop(&["run", file, "--address", address, "--format", "json"]);
    (serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}")), ran.code)
}

#[test]
fn an_instance_counts_what_the_engine_counts() {
    let folder = Folder::new();
    let serving = Serving::start(&["--address", "127.0.0.1:0"]);
    let file = folder
        .write("clicks.json", workspace(json!({"rows_seen_per_row_max": 1.5, "rows_returned_min": 10})));
    tabletop(&["push", &file, "--address", &serving.address]).ok();
    let (counted, code) = report(&file, &serving.address);
    assert_eq!(code, 0, "{counted:#}");
    let queries = counted["designs"][0]["queries"].as_array().expect("access patterns");
    assert_eq!(queries.len(), 2);
    for query in queries {
        for count in ["rows_seen", "cells_seen", "rows_returned", "cells_returned"] {
            assert_eq!(query["instance"][count], query["stats"][count], "{count}: {query:#}");
        }
        assert_eq!(query["instance"]["error"], Value::Null);
    }
    assert_eq!(queries[0]["table"], "By app", "the index table is asked: {counted:#}");
    assert_eq!(queries[1]["instance"]["rows_returned"], counted["designs"][0]["rows"]);

    // A row that another client has written is seen there, and not here.
    let place = ["cbt", "--address", &serving.address, "--project", "tabletop", "--instance", "tabletop"];
    tabletop(&[&place[..], &["set", "by-app", "app-00#2020-01-01T00:00:00.000000Z", "click:q=v"]].concat())
        .ok();
    let (more, _) = report(&file, &serving.address);
    let seen = |report: &Value| {
        report["designs"][0]["queries"][0]["instance"]["rows_seen"].as_u64().expect("a count")
    };
    assert_eq!(seen(&more), seen(&counted) + 1);
    let text = tabletop(&["run", &file, "--address", &serving.address]).ok();
    assert!(
        text.contains("on the instance") && text.contains("projects/tabletop/instances/tabletop at"),
        "{text}"
    );
    let here = tabletop(&["run", &file]).ok();
    assert!(!here.contains("on the instance"), "{here}");
}

#[test]
fn limits_are_those_of_the_instance_too() {
    let folder = Folder::new();
    let serving = Serving::start(&["--address", "127.0.0.1:0"]);
    let file = folder.write("clicks.json", workspace(json!({"rows_returned_min": 10})));
    let missing = tabletop(&["run", &file, "--address", &serving.address]).failed(2);
    assert!(missing.contains("does not exist") && missing.contains("tabletop push"), "{missing}");
    tabletop(&["push", &file, "--address", &serving.address]).ok();
    let place = ["cbt", "--address", &serving.address, "--project", "tabletop", "--instance", "tabletop"];
    tabletop(&[&place[..], &["deleteallrows", "by-app"]].concat()).ok();
    let ran = tabletop(&["run", &file, "--address", &serving.address]);
    let miss = "By user, An app's clicks, on the instance: rows_returned_min is 10, measured 0";
    assert!(ran.out.contains(miss), "{ran:?}");
    assert_eq!(ran.failed(1), "tabletop: 1 limit is violated\n");
    tabletop(&[&place[..], &["deletetable", "by-app"]].concat()).ok();
    tabletop(&[&place[..], &["createtable", "by-app", "families=x"]].concat()).ok();
    let foreign = tabletop(&["run", &file, "--address", &serving.address]).failed(2);
    assert!(foreign.contains("is not the table of design \"By app\""), "{foreign}");
    assert!(tabletop(&["run", &file, "--address", "127.0.0.1:1"]).failed(2).contains("Is it running?"));
    assert!(tabletop(&["run", &file, "--project", "p"]).failed(2).contains("--instance is missing"));
}
