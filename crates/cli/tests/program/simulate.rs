//! `tabletop simulate`.

use serde_json::{Value, json};

use super::{Folder, tabletop};

/// A workspace with a key that begins with the time, one that does not, and this traffic.
fn workspace(traffic: Value) -> String {
    let design = |name: &str, template: &str| json!({"name": name, "template": template, "layout": {"kind": "narrow"}});
    json!({
        "version": 1,
        "name": "Clicks",
        "source": {"generated": {"seed": 1, "events": 5_000, "apps": 3, "users": 500, "user_skew": 0.5}},
        "designs": [
            design("By time", "{timestamp:iso}#{user_token}"),
            design("By user", "{user_token}#{timestamp:iso}"),
            {"name": "By app", "index_of": "By user", "template": "{app_id}#{user_token}#{timestamp:iso}", "layout": {"kind": "narrow"}},
        ],
        "queries": [{"name": "One app", "tables": ["By app"],
            "query": {"rows": {"fields": {"equals": [["app_id", "app-00"]]}}, "filter": null, "rows_limit": 10}}],
        "traffic": traffic,
    })
    .to_string()
}

fn stream(name: &str, what: Value, per_second: u32) -> Value {
    json!({"name": name, "what": what, "per_second": per_second})
}

/// Runs it for each design on eight nodes, and returns the report and the exit code.
fn simulate(traffic: Value, arguments: &[&str]) -> (Value, i32) {
    let folder = Folder::new();
    let file = folder.write("clicks.json", workspace(traffic));
    let ran = tabletop(
        &[&["simulate", &file, "--nodes", "8", "--minutes", "1", "--format", "json"], arguments].concat(),
    );
    (serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}")), ran.code)
}

#[test]
fn designs_get_the_same_requests_and_differ_in_what_they_make_of_them() {
    let traffic = || json!({"streams": [stream("writes", json!("write_events"), 20_000), stream("reads", json!("point_reads"), 5_000)]});
    let (report, code) = simulate(traffic(), &[]);
    assert_eq!(code, 0, "{report:#}");
    let runs = report["runs"].as_array().unwrap();
    let of = |name: &str, field: &str| {
        let run = runs.iter().find(|run| run["design"] == name).unwrap();
        run["all"][field].as_u64().unwrap()
    };
    assert_eq!(runs.len(), 2, "an index table belongs to its design");
    assert_eq!(of("By time", "arrived"), of("By user", "arrived"));
    assert!(of("By time", "latency_micros_p99") > 100 * of("By user", "latency_micros_p99"), "{report:#}");
    assert_eq!(of("By user", "expired"), 0, "{report:#}");
    assert_eq!(simulate(traffic(), &[]).0, report, "the same seed has the same result");
}

#[test]
fn a_missed_limit_is_a_failure() {
    let limited = |most: u64| json!({"streams": [stream("reads", json!("point_reads"), 500)], "limits": {"latency_micros_p99_max": most}});
    assert_eq!(simulate(limited(50_000), &[]).1, 0);
    let (report, code) = simulate(limited(1_000), &["--design", "By user"]);
    assert_eq!(code, 1, "{report:#}");
    assert_eq!(report["runs"][0]["misses"][0]["limit"], "latency_micros_p99_max");
}

#[test]
fn patterns_read_the_table_that_they_name_and_a_text_says_what_happened() {
    let folder = Folder::new();
    let traffic = json!({"streams": [stream("writes", json!("write_events"), 3_000), stream("apps", json!({"pattern": "One app"}), 100)]});
    let file = folder.write("clicks.json", workspace(traffic));
    let text = tabletop(&[
        "simulate",
        &file,
        "--nodes",
        "1,3",
        "--minutes",
        "1",
        "--timeline",
        "--design",
        "By user",
    ])
    .ok();
    assert!(text.contains("Clicks: 3,100 requests per second for 1 minute, on 5,000 events"), "{text}");
    assert!(
        text.contains("By user, 3 nodes:\n  t = ") && text.contains("The traffic has no limits."),
        "{text}"
    );
    assert!(text.contains("1 in 4 requests is executed"), "{text}");
    let markdown = tabletop(&["simulate", &file, "--nodes", "2", "--format", "markdown"]).ok();
    assert!(markdown.starts_with("## Clicks: ") && markdown.contains("| By time | 2 |"), "{markdown}");
}

#[test]
fn problems_are_reported_before_anything_runs() {
    let folder = Folder::new();
    let failed = |traffic: Value, arguments: &[&str]| {
        let file = folder.write("clicks.json", workspace(traffic));
        tabletop(&[&["simulate", &file], arguments].concat()).failed(2)
    };
    let reads = || json!({"streams": [stream("reads", json!("point_reads"), 500)]});
    let unknown = failed(json!({"streams": [stream("apps", json!({"pattern": "One ap"}), 1)]}), &[]);
    assert!(
        unknown.contains("traffic.streams[0].what.pattern is \"One ap\"") && unknown.contains("Did you mean"),
        "{unknown}"
    );
    let fast = failed(json!({"streams": [stream("reads", json!("point_reads"), 2_000_000)]}), &[]);
    assert!(fast.contains("traffic.streams") && fast.contains("1,000,000"), "{fast}");
    let ratio = failed(json!({"streams": [], "limits": {"cpu_hottest_node_max": 90.0}}), &[]);
    assert!(ratio.contains("traffic.limits.cpu_hottest_node_max is 90; it must be from 0 to 1"), "{ratio}");
    assert!(failed(reads(), &["--nodes", "0"]).contains("1..=100"));
    assert!(failed(reads(), &["--minutes", "100000"]).contains("1..=1440"));
    assert!(failed(reads(), &["--design", "None"]).contains("there is no design \"None\""));
}

#[test]
fn nodes_fail_and_are_added_manually_and_by_the_autoscaler() {
    let folder = Folder::new();
    let file = folder
        .write("clicks.json", workspace(json!({"streams": [stream("reads", json!("point_reads"), 20_000)]})));
    let simulate = |arguments: &[&str]| {
        let fixed = ["simulate", file.as_str(), "--design", "By user", "--timeline"];
        tabletop(&[&fixed[..], arguments].concat())
    };
    let text = simulate(&["--nodes", "3", "--at", "40:nodes=5", "--at", "20:fail=B", "--minutes", "2"]).ok();
    for line in
        ["t = 20 s: node B failed", "t = 40 s: node D added", "t = 40 s: node E added", "from node A to D"]
    {
        assert!(text.contains(line), "{line}: {text}");
    }
    let text = simulate(&["--nodes", "1", "--autoscale", "1-4", "--minutes", "3"]).ok();
    assert!(text.contains("autoscaler: 1 to 2 nodes at "), "{text}");
    for (argument, value, why) in [
        ("--at", "20", "SECONDS:fail=NODE"),
        ("--at", "x:nodes=1", "SECONDS:fail=NODE"),
        ("--at", "1:nodes=101", "101 is not a number of nodes: write 1 to 100"),
        ("--at", "1:fail=1", "is not a node"),
        ("--at", "1:move=A", "SECONDS:move=NODE,ROW"),
        ("--at", "1:move=A,\\q", "the backslash at byte 0 does not begin an escape"),
        ("--at", "90000:nodes=1", "traffic.run.changes[0].at_seconds is 90000; it must be from 0 to 86400"),
        ("--autoscale", "5-2", "the minimum, 5 nodes, is more than the maximum, 2"),
        ("--autoscale", "3", "1-10"),
    ] {
        let errors = simulate(&[argument, value]).failed(2);
        assert!(errors.contains(why), "{value}: {errors}");
    }
}

#[test]
fn the_workspace_says_how_its_traffic_is_run_and_options_override_it() {
    let folder = Folder::new();
    let run = json!({"nodes": 3, "seconds": 45, "storage": "hdd", "changes": [{"at_seconds": 30, "what": {"nodes": 4}}],
        "load_test": {"per_second": 50.0, "from_seconds": 0, "for_seconds": 10}});
    let traffic = |run: Value| json!({"streams": [stream("writes", json!("write_events"), 100)], "run": run});
    let file = folder.write("clicks.json", workspace(traffic(run)));
    let simulate = |arguments: &[&str]| {
        let fixed = ["simulate", file.as_str(), "--design", "By user", "--timeline", "--format", "json"];
        let ran = tabletop(&[&fixed[..], arguments].concat()).ok();
        let report: Value = serde_json::from_str(&ran).unwrap();
        report
    };
    let report = simulate(&[]);
    let run = &report["runs"][0];
    assert_eq!(
        (report["seconds"].as_u64(), run["nodes"].as_u64(), run["seconds"].as_u64()),
        (Some(45), Some(3), Some(45))
    );
    assert_eq!(
        run["timeline"].as_array().unwrap().iter().filter(|line| **line == "t = 30 s: node D added").count(),
        1,
        "{run:#}"
    );
    assert_eq!(run["streams"][1]["name"], "Load test");
    let cpu = |report: &Value| report["runs"][0]["cpu_mean"].as_f64().unwrap();
    assert!(cpu(&simulate(&["--storage", "ssd"])) < cpu(&report), "SSD is faster");
    // With one node, there is no node B.
    let options = ["--nodes", "2,1", "--minutes", "2", "--storage", "ssd", "--at", "10:fail=B"];
    let other = simulate(&[&options[..], &["--allow-impossible-changes"]].concat());
    let nodes: Vec<_> =
        other["runs"].as_array().unwrap().iter().map(|run| run["nodes"].as_u64().unwrap()).collect();
    assert_eq!((nodes.as_slice(), other["seconds"].as_u64()), (&[2, 1][..], Some(120)));
    assert!(other["runs"][0]["timeline"].to_string().contains("t = 10 s: node B failed"), "{other:#}");
    assert!(!other["runs"][0]["timeline"].to_string().contains("t = 30 s: node"), "{other:#}");
    let wrong = folder.write("wrong.json", workspace(traffic(json!({"nodes": 0, "seconds": 1}))));
    assert!(
        tabletop(&["simulate", &wrong])
            .failed(2)
            .contains("traffic.run.nodes is 0; it must be from 1 to 100")
    );
}

#[test]
fn a_heatmap_is_a_picture_of_each_run() {
    let folder = Folder::new();
    let hot =
        json!({"name": "hot", "what": "point_reads", "per_second": 2_000, "keys": {"hot": {"share": 0.5}}});
    let file =
        folder.write("clicks.json", workspace(json!({"streams": [hot], "run": {"nodes": 2, "seconds": 5}})));
    let simulate = |nodes: &str| {
        let map = folder.path("map.png");
        tabletop(&["simulate", &file, "--design", "By user", "--nodes", nodes, "--heatmap", &map]).ok();
    };
    let colors = |name: &str| {
        let bytes = std::fs::read(folder.path(name)).expect(name);
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a picture");
        let mut pixels = vec![0; reader.output_buffer_size().expect("it fits")];
        let info = reader.next_frame(&mut pixels).expect("all of it");
        assert!(info.width > 1_000 && info.height > 500);
        pixels.chunks_exact(3).map(<[u8]>::to_vec).collect::<std::collections::BTreeSet<_>>().len()
    };
    simulate("2");
    assert!(colors("map.png") > 10);
    simulate("1,3");
    assert!(colors("map-By-user-1.png") > 10 && colors("map-By-user-3.png") > 10);
    let nowhere = tabletop(&["simulate", &file, "--heatmap", "/no/folder/map.png"]).failed(2);
    assert!(nowhere.contains("/no/folder/map-By-time-2.png: "), "{nowhere}");
}

#[test]
fn without_a_traffic_the_one_that_the_page_begins_with_is_simulated() {
    let (report, code) = simulate(Value::Null, &["--design", "By user"]);
    assert_eq!((code, report["per_second"].as_f64()), (0, Some(10_000.0)), "{report:#}");
    let streams = report["runs"][0]["streams"].as_array().unwrap();
    let sent: Vec<_> = streams
        .iter()
        .map(|stream| (stream["name"].as_str().unwrap(), stream["arrived"].as_f64().unwrap() / 60.0))
        .collect();
    // The events have times, so they are a time series: nine of ten requests write new events, and
    // one reads recent ones.
    let [("New events", writes), ("Reads", reads)] = sent[..] else { panic!("{report:#}") };
    assert!((writes / 9_000.0 - 1.0).abs() < 0.01 && (reads / 1_000.0 - 1.0).abs() < 0.03, "{sent:?}");
}

#[test]
fn a_trace_is_replayed_instead_of_the_streams() {
    let folder = Folder::new();
    let file = folder
        .write("clicks.json", workspace(json!({"streams": [stream("reads", json!("point_reads"), 5_000)]})));
    let lines: String = (0..600)
        .map(|at| {
            format!("{},read,user-{:05}#2019-05-28T00:00:00.000Z\n", 100.0 + f64::from(at) / 50.0, at % 7)
        })
        .collect();
    let trace =
        folder.write("log.csv", format!("time,operation,key\n{lines}soon,read,a\n103,write,no form\n"));
    let ran = tabletop(&["simulate", &file, "--trace", &trace]);
    assert_eq!((ran.code, ran.errors.contains("1 line is not a request")), (2, true), "{ran:?}");
    let ran = tabletop(&["simulate", &file, "--trace", &trace, "--allow-bad-lines", "--format", "json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.errors.contains("log.csv:602: \"soon\" is not a time"), "{ran:?}");
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    for run in report["runs"].as_array().unwrap() {
        let arrived = if run["design"] == "By user" { 601 } else { 600 };
        assert_eq!(
            run["all"]["arrived"], arrived,
            "a key without the form is left out elsewhere: {report:#}"
        );
    }
    let streams = &report["runs"][0]["streams"];
    let names: Vec<&str> =
        streams.as_array().unwrap().iter().filter_map(|stream| stream["name"].as_str()).collect();
    assert_eq!(names, ["log: read", "log: write"], "{report:#}");

    let sampled = ["simulate", &file, "--trace", &trace, "--allow-bad-lines", "--format", "json"];
    let ran = tabletop(&[&sampled[..], &["--trace-one-of", "10", "--trace-speed", "2"]].concat());
    let report: Value = serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    assert_eq!(report["seconds"], 6, "{report:#}");
    let arrived = report["runs"][0]["all"]["arrived"].as_u64().unwrap();
    assert!(
        (5_500..=5_600).contains(&arrived),
        "{arrived}: half of the last second's requests arrive after the run"
    );
    let ran = tabletop(&[&sampled[..], &["--trace-speed", "0"]].concat());
    assert_eq!((ran.code, ran.errors.contains("it must be from 0.1 to 1000")), (2, true), "{ran:?}");

    let other = folder.write("other.csv", "time,operation,key\n1,read,a\n2,read,b\n");
    let ran = tabletop(&["simulate", &file, "--trace", &other]);
    assert_eq!((ran.code, ran.errors.contains("cannot compare these designs")), (2, true), "{ran:?}");
    let ran = tabletop(&["simulate", &file, "--trace", &other, "--design", "By time"]);
    assert_eq!(ran.code, 0, "one design gets the keys as they are: {ran:?}");
    let ran = tabletop(&["simulate", &file, "--trace", &other, "--trace-keys", "{user_token}"]);
    assert_eq!((ran.code, ran.errors.contains("needs: timestamp")), (2, true), "{ran:?}");

    let empty = folder.write("empty.csv", "time,operation,key\n");
    let ran = tabletop(&["simulate", &file, "--trace", &empty]);
    assert_eq!((ran.code, ran.errors.contains("there is no request to replay")), (2, true), "{ran:?}");
    let ran = tabletop(&["simulate", &file, "--trace", "nowhere.csv"]);
    assert_eq!((ran.code, ran.errors.contains("nowhere.csv cannot be read")), (2, true), "{ran:?}");
}

#[test]
fn diagnoses_of_all_moments_are_printed_and_can_be_failures() {
    let folder = Folder::new();
    let sale = json!({"name": "sale", "what": "point_reads", "per_second": 10, "keys": {"hot": {"share": 1.0}},
        "when": {"sudden": {"factor": 1000, "from_seconds": 10, "for_seconds": 10}}});
    let traffic = json!({"streams": [stream("reads", json!("point_reads"), 1_000), sale],
        "run": {"nodes": 2, "seconds": 60}});
    let file = folder.write("sale.json", workspace(traffic));
    let design = ["simulate", file.as_str(), "--design", "By user"];
    let ran = tabletop(&[&design[..], &["--format", "json"]].concat());
    let report: Value = serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    let found = &report["runs"][0]["diagnoses"];
    let row = found.as_array().unwrap().iter().find(|found| found["kind"] == "hot-row");
    let row = row.unwrap_or_else(|| panic!("{report:#}"));
    assert!(row["from_seconds"].as_u64() < Some(14) && row["until_seconds"].as_u64() < Some(45), "{row:#}");
    for format in ["table", "markdown"] {
        let ran = tabletop(&[&design[..], &["--format", format]].concat());
        assert_eq!((ran.code, ran.out.contains("hot-row: One row gets")), (0, true), "{format}: {ran:?}");
    }
    let code = |kinds: &str| {
        let ran = tabletop(&[&design[..], &["--fail-on", kinds]].concat());
        (ran.code, ran.out.contains("By user, 2 nodes: hot-row, 0:"))
    };
    assert_eq!([code("hot-row"), code("large-rows,any")], [(1, true); 2]);
    assert_eq!(code("large-rows,sequential-writes"), (0, false));
    let ran = tabletop(&["simulate", &file, "--fail-on", "hot"]);
    assert_eq!((ran.code, ran.errors.contains("hot-row, sequential-writes")), (2, true), "{ran:?}");
}

#[test]
fn a_change_that_cannot_happen_is_an_error() {
    let folder = Folder::new();
    let traffic =
        json!({"streams": [stream("reads", json!("point_reads"), 100)], "run": {"nodes": 2, "seconds": 60}});
    let file = folder.write("clicks.json", workspace(traffic));
    for change in ["20:fail=Z", "20:move=Z,a", "80:nodes=3"] {
        let arguments = ["simulate", &file, "--design", "By user", "--at", change];
        let ran = tabletop(&arguments);
        assert_eq!((ran.code, ran.errors.contains("this is not possible")), (2, true), "{change}: {ran:?}");
        let ran = tabletop(&[&arguments[..], &["--allow-impossible-changes"]].concat());
        assert_eq!(ran.code, 0, "{change}: {ran:?}");
    }
    let ran = tabletop(&["simulate", &file, "--design", "By user", "--at", "20:fail=B", "--at", "30:fail=A"]);
    assert_eq!(ran.code, 0, "{ran:?}");
}
