//! Help, completions and manual pages, and `tabletop serve`.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use super::{Folder, program, tabletop};

#[test]
fn help_completions_and_manual_pages() {
    let version = tabletop(&["--version"]).ok();
    assert!(version.starts_with("tabletop 0."), "{version}");
    // Sources without their history have no commit.
    if let Some((_, commit)) = version.trim().split_once(" (") {
        let (hash, date) = commit.split_once(' ').expect("a commit and its date");
        assert!(hash.len() >= 10 && hash.chars().all(|c| c.is_ascii_hexdigit()), "{version}");
        assert!(date.len() == "2026-11-20)".len() && date.starts_with("20"), "{version}");
    }
    for command in [
        "cbt",
        "hbase",
        "run",
        "simulate",
        "experiment",
        "migrate",
        "link",
        "import",
        "export",
        "serve",
        "push",
        "load",
        "generate",
    ] {
        let help = tabletop(&[command, "--help"]).ok();
        assert!(help.contains("Example") && help.contains("Usage: tabletop"), "{help}");
        assert!(!help.contains('\x1b'), "colours are for terminals");
    }
    for command in ["cbt", "hbase", "push", "run", "load"] {
        let help = tabletop(&[command, "--help"]).ok();
        assert!(
            help.contains("--address") && !help.contains("--endpoint") && !help.contains("--emulator"),
            "{help}"
        );
    }
    // The earlier name.
    assert!(tabletop(&["cbt", "--endpoint", "nowhere", "ls"]).failed(2).contains("write HOST:PORT"));
    assert!(tabletop(&["nothing"]).failed(2).contains("unrecognized subcommand"));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(tabletop(&["completions", shell]).ok().contains("tabletop"), "{shell}");
    }
    assert!(tabletop(&["man"]).ok().contains(".TH"));
    let folder = Folder::new();
    tabletop(&["man", &folder.path("man1")]).ok();
    assert!(folder.read("man1/tabletop-run.1").contains("WORKSPACE"));
}

#[cfg(unix)]
#[test]
fn a_server_prints_its_address_and_stops_on_a_signal() {
    let folder = Folder::new();
    let mut server = program();
    server.args(["serve", "--address", "127.0.0.1:0", "--data", &folder.path("data")]);
    let mut child = server.stdout(Stdio::piped()).spawn().expect("it runs");
    let mut lines = BufReader::new(child.stdout.take().expect("an output")).lines().map_while(Result::ok);
    let address =
        lines.find_map(|line| line.trim().strip_prefix("export BIGTABLE_EMULATOR_HOST=").map(String::from));
    let address = address.expect("it prints its address");
    std::net::TcpStream::connect(&address).expect("it listens there");
    let taken = tabletop(&["serve", "--address", &address]).failed(2);
    assert!(taken.contains(&address), "{taken}");
    let port = address.rsplit(':').next().expect("a port");
    assert!(
        tabletop(&["serve", "--port", port]).failed(2).contains(&address),
        "a port alone means the same address"
    );
    assert!(tabletop(&["serve", "--address", "nowhere"]).failed(2).contains("localhost:8086"));
    assert!(Command::new("kill").arg(child.id().to_string()).status().expect("kill").success());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}
