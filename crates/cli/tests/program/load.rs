//! `tabletop load` against `tabletop serve` as a process.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::serving::Serving;
use super::{Folder, program, tabletop};

/// A workspace of a design with an index table, and this traffic.
fn workspace(traffic: Value) -> String {
    let narrow = json!({"kind": "narrow"});
    json!({
        "version": 1,
        "name": "Clicks",
        "source": {"generated": {"seed": 1, "events": 1_000, "apps": 3, "users": 50, "user_skew": 0.5}},
        "designs": [
            {"name": "By user", "template": "{user_token}#{timestamp:iso}", "layout": narrow},
            {"name": "By app", "index_of": "By user", "template": "{app_id}#{user_token}#{timestamp:iso}", "layout": narrow},
            {"name": "Other", "template": "{app_id}#{timestamp:iso}", "layout": narrow},
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

fn reads(per_second: u32) -> Value {
    json!({"streams": [stream("reads", json!("point_reads"), per_second)]})
}

/// A server whose tables have the design's rows, and the file of the workspace.
fn pushed(folder: &Folder, traffic: Value, arguments: &[&str]) -> (Serving, String) {
    let serving = Serving::start(&[&["--address", "127.0.0.1:0"], arguments].concat());
    let file = folder.write("clicks.json", workspace(traffic));
    tabletop(&["push", &file, "--address", &serving.address]).ok();
    (serving, file)
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Asserts that no request is lost: each is answered, has failed, or is counted as not sent.
#[track_caller]
fn adds_up(stream: &Value) -> u64 {
    let of = |name: &str| stream[name].as_u64().unwrap_or_else(|| panic!("{name}: {stream:#}"));
    let errors: u64 = stream["errors"].as_object().expect("errors").values().filter_map(Value::as_u64).sum();
    assert_eq!(of("due"), of("sent") + of("late") + of("refused"), "{stream:#}");
    assert_eq!(of("sent"), of("answered") + errors, "{stream:#}");
    of("answered")
}

#[test]
fn each_request_is_counted_by_both_sides() {
    let folder = Folder::new();
    let traffic = json!({"seed": 7, "streams": [
        stream("writes", json!("write_events"), 50),
        stream("reads", json!("point_reads"), 100),
        stream("scans", json!({"scans": {"rows": 5}}), 20),
        stream("apps", json!({"pattern": "One app"}), 20),
        stream("counts", json!("read_modify_write"), 30),
    ]});
    let (serving, file) = pushed(&folder, traffic, &["--stats", "127.0.0.1:0"]);
    let before = served(&serving);
    let ran = tabletop(&[
        "load",
        &file,
        "--address",
        &serving.address,
        "--seconds",
        "3",
        "--warm-up",
        "1",
        "--format",
        "json",
    ]);
    let report = parsed(&ran.ok());
    let streams = report["streams"].as_array().expect("streams");
    let answered: Vec<u64> = streams.iter().map(adds_up).collect();
    assert_eq!(adds_up(&report["all"]), answered.iter().sum::<u64>());
    assert_eq!(report["all"]["due"], report["all"]["answered"], "all are answered in time: {report:#}");
    assert!((450..900).contains(&answered.iter().sum::<u64>()), "220 a second for 3 s: {report:#}");
    let warm_up = adds_up(&report["warm_up"]);
    assert_eq!(report["warm_up"]["name"], "warm-up");
    assert!((120..350).contains(&warm_up), "220 a second for 1 s: {report:#}");
    let after = served(&serving);
    let more = |method: &str| after(method) - before(method);
    assert_eq!(more("MutateRow"), 2 * answered[0], "each event is written to both tables");
    assert_eq!(more("ReadModifyWriteRow"), answered[4]);
    // The check of each table is a read, too.
    assert_eq!(more("ReadRows"), 2 + warm_up + answered[1] + answered[2] + answered[3]);
    let simulated = &report["simulation"]["streams"];
    for (real, simulated) in streams.iter().zip(simulated.as_array().expect("streams")) {
        assert_eq!(real["due"], simulated["arrived"], "the same requests at the same times: {report:#}");
    }
    let cbt = tabletop(&[
        "cbt",
        "--address",
        &serving.address,
        "--project",
        "tabletop",
        "--instance",
        "tabletop",
        "ls",
    ]);
    assert_eq!(cbt.ok().lines().count(), 2, "no other table was made");
}

/// Returns how many calls of a method a server has answered.
fn served(serving: &Serving) -> impl Fn(&str) -> u64 {
    let text = super::stats::metrics(serving);
    move |method| {
        let series = format!(r#"method="{method}",code="Ok"}} "#);
        let line =
            text.lines().find(|line| line.starts_with("tabletop_requests_total") && line.contains(&series));
        line.map_or(0, |line| line.rsplit(' ').next().and_then(|count| count.parse().ok()).expect("a count"))
    }
}

/// Waits until a server has answered this many more reads.
fn wait_for_reads(serving: &Serving, more: u64) {
    let (begun, before) = (Instant::now(), served(serving)("ReadRows"));
    while served(serving)("ReadRows") < before + more {
        assert!(begun.elapsed() < Duration::from_secs(60), "nothing is sent");
        sleep(Duration::from_millis(10));
    }
}

/// Forwards connections to a server, but nothing while it is stalled.
fn proxy(to: &str, is_stalled: &Arc<AtomicBool>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let (to, is_stalled) = (to.to_owned(), is_stalled.clone());
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(server) = TcpStream::connect(&to) else { return };
            let forward = |mut from: TcpStream, mut to: TcpStream| {
                let is_stalled = is_stalled.clone();
                std::thread::spawn(move || {
                    let mut buffer = [0; 65_536];
                    while let Ok(read @ 1..) = from.read(&mut buffer) {
                        while is_stalled.load(Ordering::Relaxed) {
                            sleep(Duration::from_millis(1));
                        }
                        if to.write_all(&buffer[..read]).is_err() {
                            break;
                        }
                    }
                });
            };
            client.set_nodelay(true).and_then(|()| server.set_nodelay(true)).expect("sockets");
            forward(client.try_clone().expect("a socket"), server.try_clone().expect("a socket"));
            forward(server, client);
        }
    });
    address
}

/// The latencies are compared with the length of the stall and of the run, as measured here: a slow
/// machine makes all of them longer.
#[cfg(unix)]
#[test]
fn a_server_that_stops_for_a_while_hides_no_latency() {
    let folder = Folder::new();
    let (serving, file) = pushed(&folder, reads(300), &["--stats", "127.0.0.1:0"]);
    for parallel in ["1000", "2"] {
        let is_stalled = Arc::new(AtomicBool::new(false));
        let address = proxy(&serving.address, &is_stalled);
        let place = ["--address", &address, "--minutes", "10", "--deadline", "600", "--no-simulation"];
        let begun = Instant::now();
        let child =
            begin(&[&["load", &file, "--parallel", parallel, "--format", "json"], &place[..]].concat());
        wait_for_reads(&serving, 300);
        let stall = Instant::now();
        is_stalled.store(true, Ordering::Relaxed);
        sleep(Duration::from_millis(1_000));
        let stalled = stall.elapsed();
        is_stalled.store(false, Ordering::Relaxed);
        // More requests than were due before the stall: some that were due during it are answered.
        wait_for_reads(&serving, 600);
        interrupt(&child);
        let output = child.wait_with_output().expect("it ends");
        let ran = begun.elapsed();
        let report = parsed(&String::from_utf8_lossy(&output.stdout));
        let all = &report["all"];
        // Requests that wait for one of two places at the end of the load are not sent. They are
        // counted, and all that were sent are answered.
        let late = all["late"].as_u64().expect("a count");
        assert_eq!(adds_up(all) + late, all["due"].as_u64().expect("a count"), "{report:#}");
        assert!(parallel == "2" || late == 0, "there are places for all: {report:#}");
        let latency = |name: &str| Duration::from_micros(all[name].as_u64().expect("a latency"));
        // A request is due every 3.3 ms, and a third of all are due during the stall, unless the
        // machine is very slow. A client that waited for each answer would have one or two slow
        // requests.
        assert!(latency("latency_micros_p95") > stalled.mul_f64(0.3), "{parallel}, {stalled:?}: {report:#}");
        assert!(latency("latency_micros_max") > stalled.mul_f64(0.9), "{parallel}, {stalled:?}: {report:#}");
        assert!(latency("latency_micros_max") < ran, "{parallel}, {ran:?}: {report:#}");
    }
}

#[test]
fn requests_that_cannot_be_sent_in_time_are_late() {
    let folder = Folder::new();
    let (serving, file) = pushed(&folder, reads(200), &["--stats", "127.0.0.1:0"]);
    let is_stalled = Arc::new(AtomicBool::new(false));
    let address = proxy(&serving.address, &is_stalled);
    let place =
        ["--address", &address, "--parallel", "3", "--deadline", "1", "--seconds", "4", "--no-simulation"];
    let child = begin(&[&["load", &file, "--format", "json"], &place[..]].concat());
    wait_for_reads(&serving, 200);
    is_stalled.store(true, Ordering::Relaxed);
    let output = child.wait_with_output().expect("it ends");
    let report = parsed(&String::from_utf8_lossy(&output.stdout));
    adds_up(&report["all"]);
    let late = report["all"]["late"].as_u64().expect("a count");
    assert!(late > 300, "nearly all requests of 2.5 s are late: {report:#}");
    let errors = report["all"]["errors"]["DeadlineExceeded"].as_u64().expect("a count");
    assert!((3..=30).contains(&errors), "only those that had one of three places: {report:#}");
}

/// Sends the signal that Ctrl-C sends.
#[cfg(unix)]
fn interrupt(child: &Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill").success());
}

/// Starts the program with a pipe to type into.
fn begin(arguments: &[&str]) -> Child {
    let mut command = program();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("it runs")
}

#[cfg(unix)]
#[test]
fn the_rate_changes_while_it_runs_and_ctrl_c_prints_results() {
    let folder = Folder::new();
    let (serving, file) = pushed(&folder, reads(50), &["--stats", "127.0.0.1:0"]);
    let mut child =
        begin(&["load", &file, "--address", &serving.address, "--minutes", "10", "--format", "json"]);
    let mut stdin = child.stdin.take().expect("an input");
    wait_for_reads(&serving, 30);
    stdin.write_all(b"fast\n1000\n").expect("it reads");
    wait_for_reads(&serving, 1_500);
    interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{errors}");
    assert!(errors.contains("\"fast\" is not a rate") && errors.contains("Ctrl-C again"), "{errors}");
    let report = parsed(&String::from_utf8_lossy(&output.stdout));
    assert_eq!(adds_up(&report["all"]), report["all"]["due"], "answers are waited for: {report:#}");
    assert!(report["all"]["due"].as_u64().is_some_and(|due| due > 1_500), "{report:#}");
    assert_eq!((&report["is_stopped"], &report["rates"][0]["factor"]), (&json!(true), &json!(20.0)));
    let arrived = report["simulation"]["all"]["arrived"].as_f64().expect("a count");
    assert!(
        arrived > 0.7 * report["all"]["due"].as_f64().expect("a count"),
        "with the same rates: {report:#}"
    );
}

#[test]
fn a_missed_limit_is_a_failure_and_formats_are_the_same_results() {
    let folder = Folder::new();
    let limited = |most: u64| {
        let limits = json!({"latency_micros_p99_max": most, "cpu_hottest_node_max": 0.5});
        json!({"streams": [stream("reads", json!("point_reads"), 200)], "limits": limits})
    };
    let (serving, file) = pushed(&folder, limited(1), &[]);
    let place = ["--address", &serving.address, "--seconds", "1"];
    let ran = tabletop(&[&["load", &file], &place[..]].concat());
    assert!(
        ran.out.contains("latency_micros_p99_max is 1, measured") && ran.out.contains("simulation, 2 nodes"),
        "{ran:?}"
    );
    assert!(ran.out.contains("does not report how busy its nodes"), "{ran:?}");
    assert_eq!(ran.failed(1).trim(), "tabletop: 1 limit is violated");
    let file = folder.write("clicks.json", workspace(limited(9_000_000)));
    let kept =
        tabletop(&[&["load", &file, "--rate", "0.5", "--format", "markdown"], &place[..]].concat()).ok();
    assert!(
        kept.contains("100 requests per second") && kept.contains("| reads") && kept.contains("are met"),
        "{kept}"
    );
}

#[test]
fn only_the_tables_of_the_design_are_used() {
    let folder = Folder::new();
    let serving = Serving::start(&["--address", "127.0.0.1:0"]);
    let file =
        folder.write("clicks.json", workspace(json!({"streams": [stream("deletes", json!("deletes"), 50)]})));
    let place = ["--address", &serving.address, "--seconds", "1"];
    let other = |table: &str| {
        tabletop(&[&["load", &file, "--design", "Other", "--table", table], &place[..]].concat()).failed(2)
    };
    let missing = tabletop(&[&["load", &file], &place[..]].concat()).failed(2);
    assert!(missing.contains("does not exist") && missing.contains("tabletop push"), "{missing}");
    let cbt = |words: &[&str]| {
        let place = ["cbt", "--address", &serving.address, "--project", "tabletop", "--instance", "tabletop"];
        tabletop(&[&place[..], words].concat()).ok()
    };
    cbt(&["createtable", "foreign", "families=x"]);
    assert!(other("foreign").contains("it lacks the families"), "{}", other("foreign"));
    tabletop(&["push", &file, "--design", "Other", "--table", "mine", "--address", &serving.address]).ok();
    cbt(&["createtable", "alike", "families=click,conversion,view"]);
    cbt(&["set", "alike", "r", "click:q=v"]);
    assert!(other("alike").contains("none of the rows of design \"Other\""), "{}", other("alike"));
    assert_eq!(cbt(&["count", "alike"]).trim(), "1", "nothing is deleted");
    let rows = |text: String| text.trim().parse::<u64>().expect("a count");
    let before = rows(cbt(&["count", "mine"]));
    tabletop(
        &[&["load", &file, "--design", "Other", "--table", "mine", "--no-simulation"], &place[..]].concat(),
    )
    .ok();
    assert!(rows(cbt(&["count", "mine"])) < before, "and rows of its own table are deleted");
}

#[test]
fn invalid_options_are_reported() {
    let folder = Folder::new();
    let file = folder.write("clicks.json", workspace(reads(50)));
    let fails = |arguments: &[&str], words: &str| {
        let errors = tabletop(&[&["load", &file], arguments].concat()).failed(2);
        assert!(errors.contains(words), "{words}: {errors}");
    };
    fails(&["--address", "127.0.0.1:1"], "Is it running?");
    fails(&["--address", "nowhere"], "localhost:8086");
    fails(&[], "--project and --instance are missing");
    fails(&["--address", "127.0.0.1:1", "--rate", "fast"], "500/s");
    fails(&["--address", "127.0.0.1:1", "--rate", "1e9"], "requests per second cannot be sent");
    fails(&["--address", "127.0.0.1:1", "--design", "None"], "the designs are By user, Other");
    fails(&["--address", "127.0.0.1:1", "--design", "By app"], "is an index table");
    fails(&["--address", "127.0.0.1:1", "--table", "t"], "--table names one table");
    fails(&["--address", "127.0.0.1:1", "--seconds", "0"], "0 is not in 1..=86400");
    fails(&["--address", "127.0.0.1:1", "--seconds", "1", "--minutes", "1"], "cannot be used with");
}
