//! `tabletop serve --stats` as a process: its output is read as Prometheus reads it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::serving::Serving;
use super::{Folder, tabletop};

/// Returns the address of the statistics that a server has printed.
fn address(serving: &Serving) -> String {
    let rest = serving.greeting.split_once("http://").expect("an address").1;
    rest.split('/').next().expect("an address").to_owned()
}

/// Gets a path. Returns the status and the body.
fn get(address: &str, path: &str, head: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{head}\r\n")
        .expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    assert!(head.contains("text/plain"), "{head}");
    (head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status"), body.to_owned())
}

/// Returns the statistics of a server.
pub(crate) fn metrics(serving: &Serving) -> String {
    get(&address(serving), "/metrics", "").1
}

/// Reads the samples of a text, and checks the rules of the format.
fn samples(text: &str) -> BTreeMap<String, f64> {
    let (mut samples, mut families, mut family, mut kind) = (BTreeMap::new(), BTreeSet::new(), "", "");
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            family = rest.split(' ').next().expect("a name");
            assert!(families.insert(family), "{family} is one group");
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            kind = rest.strip_prefix(family).expect("the family").trim();
            assert_eq!(kind == "counter", family.ends_with("_total"), "{line}");
        } else {
            let (series, value) = line.rsplit_once(' ').expect("a value");
            let name = series.split('{').next().expect("a name");
            let suffix =
                name.strip_prefix(family).unwrap_or_else(|| panic!("{line} is in the family {family}"));
            assert!(
                suffix.is_empty() || kind == "histogram" && ["_bucket", "_sum", "_count"].contains(&suffix),
                "{line}"
            );
            assert!(
                samples.insert(series.to_owned(), value.parse().expect("a number")).is_none(),
                "{series} is there once"
            );
        }
    }
    samples
}

#[test]
fn statistics_count_what_clients_do() {
    let folder = Folder::new();
    let serving = Serving::start(&[
        "--address",
        "127.0.0.1:0",
        "--data",
        &folder.path("data"),
        "--stats",
        "127.0.0.1:0",
    ]);
    let stats = address(&serving);
    let cbt = |words: &[&str]| {
        tabletop(
            &[&["cbt", "--address", &serving.address, "--project", "p", "--instance", "i"], words].concat(),
        )
        .ok()
    };
    cbt(&["createtable", "t", "families=f", "splits=c,e"]);
    (0..5).for_each(|row| drop(cbt(&["set", "t", &format!("r{row}"), "f:q=v"])));
    assert!(cbt(&["read", "t"]).contains("r4"));
    let (status, text) = get(&stats, "/metrics", "");
    assert_eq!(status, 200);
    let found = samples(&text);
    let of = |name: &str| *found.get(name).unwrap_or_else(|| panic!("{name}: {text}"));
    let data = r#"service="google.bigtable.v2.Bigtable",method="#;
    let writes = found.iter().filter(|(name, _)| {
        name.starts_with(&format!("tabletop_requests_total{{{data}\"Mutate")) && name.contains("\"Ok\"")
    });
    assert_eq!(writes.map(|(_, count)| count).sum::<f64>(), 5.0, "{text}");
    assert_eq!(of(&format!(r#"tabletop_requests_total{{{data}"ReadRows",code="Ok"}}"#)), 1.0);
    let bucket = |bound: &str| {
        of(&format!(r#"tabletop_request_duration_seconds_bucket{{{data}"ReadRows",le="{bound}"}}"#))
    };
    assert_eq!((bucket("+Inf"), bucket("10")), (1.0, 1.0));
    assert_eq!(of(&format!(r#"tabletop_request_duration_seconds_count{{{data}"ReadRows"}}"#)), 1.0);
    assert!(of(&format!(r#"tabletop_request_duration_seconds_sum{{{data}"ReadRows"}}"#)) > 0.0);
    let table = r#"{project="p",instance="i",table="t"}"#;
    assert_eq!(of(&format!("tabletop_tablets{table}")), 3.0);
    for name in [
        "tabletop_stored_bytes",
        "tabletop_log_bytes",
        "tabletop_logged_bytes_total",
        "tabletop_returned_bytes_total",
    ] {
        assert!(of(&format!("{name}{table}")) > 0.0, "{name}: {text}");
    }
    assert_eq!(
        (of("tabletop_tables"), of("tabletop_healthy"), of("tabletop_calls_in_progress")),
        (1.0, 1.0, 0.0)
    );
    assert!(of("tabletop_clients_total") >= 7.0, "each cbt has connected: {text}");
    let (_, again) = get(&stats, "/metrics", "");
    assert_eq!(samples(&again).len(), found.len(), "asking for statistics makes no series");
    assert_eq!(get(&stats, "/else", "").0, 404);
}

#[cfg(unix)]
#[test]
fn the_health_check_says_why_a_server_is_not_healthy() {
    let folder = Folder::new();
    let serving = Serving::start(&[
        "--address",
        "127.0.0.1:0",
        "--data",
        &folder.path("data"),
        "--stats",
        "127.0.0.1:0",
    ]);
    let stats = address(&serving);
    assert_eq!(get(&stats, "/healthz", ""), (200, "ok\n".into()));
    std::fs::rename(folder.path("data"), folder.path("away")).expect("it is renamed");
    let (status, text) = get(&stats, "/healthz", "");
    assert_eq!(status, 503);
    assert!(text.starts_with("not ok: ") && text.contains("has removed the data folder"), "{text}");
    assert_eq!(samples(&get(&stats, "/metrics", "").1)["tabletop_healthy"], 0.0);
    std::fs::rename(folder.path("away"), folder.path("data")).expect("it is renamed");
    assert_eq!(get(&stats, "/healthz", ""), (200, "ok\n".into()));

    let cbt = |words: &[&str]| {
        tabletop(
            &[&["cbt", "--address", &serving.address, "--project", "p", "--instance", "i"], words].concat(),
        )
    };
    cbt(&["createtable", "t", "families=f"]).ok();
    cbt(&["set", "t", "r", "f:q=v"]).ok();
    assert_eq!(get(&stats, "/healthz", ""), (200, "ok\n".into()));
    std::fs::remove_dir_all(folder.path("data/p/i")).expect("it is removed");
    cbt(&["set", "t", "s", "f:q=v"]).failed(1);
    let (status, text) = get(&stats, "/healthz", "");
    assert_eq!(status, 503);
    assert!(text.starts_with("not ok: projects/p/instances/i: table t cannot be written to: "), "{text}");
    let figures = samples(&get(&stats, "/metrics", "").1);
    assert_eq!(figures[r#"tabletop_read_only{project="p",instance="i",table="t"}"#], 1.0);
}

#[test]
fn who_may_read_statistics_is_who_may_connect() {
    let folder = Folder::new();
    let open = ["serve", "--address", "127.0.0.1:0", "--stats", "0.0.0.0:0"];
    let errors = tabletop(&open).failed(2);
    assert!(
        errors.contains("0.0.0.0:0 can be reached from other machines") && errors.contains("--token-file"),
        "{errors}"
    );
    assert!(tabletop(&["serve", "--stats", "nowhere"]).failed(2).contains("localhost:8086"));
    let token = folder.write("token", "correct-horse-battery\n");
    let serving =
        Serving::start(&["--address", "127.0.0.1:0", "--stats", "127.0.0.1:0", "--token-file", &token]);
    let stats = address(&serving);
    let taken = tabletop(&["serve", "--address", "127.0.0.1:0", "--stats", &stats]).failed(2);
    assert!(taken.contains(&stats) && taken.contains("choose another address with --stats"), "{taken}");
    let (status, why) = get(&stats, "/metrics", "");
    assert!(status == 401 && why.contains("--token-file"), "{status} {why}");
    assert_eq!(get(&stats, "/metrics", "Authorization: Bearer correct-horse-batterx\r\n").0, 401);
    assert_eq!(get(&stats, "/metrics", "Authorization: Bearer correct-horse-battery\r\n").0, 200);
    assert_eq!(get(&stats, "/healthz", ""), (200, "ok\n".into()), "a probe has no token");
    let mut post = TcpStream::connect(&stats).expect("it listens");
    write!(post, "POST /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        .expect("it reads");
    let mut answer = String::new();
    post.read_to_string(&mut answer).expect("text");
    assert!(answer.starts_with("HTTP/1.1 405"), "{answer}");
}
