//! `tabletop serve` as a process.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use googleapis_tonic_google_bigtable_v2::google::bigtable::v2 as proto;
use proto::bigtable_client::BigtableClient;
use tabletop_model::{ColumnFamily, TableSpec};
use tabletop_server::{Host, InstanceName, system_clock, table_settings};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};
use tonic::{Code, Request};

use super::serving::Serving;
use super::{Folder, program, tabletop};

fn name(index: usize) -> InstanceName {
    InstanceName { project: "p".into(), instance: format!("i{index}") }
}

fn write(index: usize) -> proto::MutateRowRequest {
    let cell = proto::mutation::SetCell {
        family_name: "f".into(),
        column_qualifier: "q".into(),
        timestamp_micros: 0,
        value: "v".into(),
    };
    let mutation = proto::Mutation { mutation: Some(proto::mutation::Mutation::SetCell(cell)) };
    proto::MutateRowRequest {
        table_name: format!("projects/p/instances/i{index}/tables/t"),
        row_key: "r".into(),
        mutations: vec![mutation],
        ..Default::default()
    }
}

/// Asserts that the table does not exist, which only a client that may connect learns.
fn is_answered(answer: Result<tonic::Response<proto::MutateRowResponse>, tonic::Status>) -> bool {
    answer.is_err_and(|status| status.code() == Code::NotFound)
}

#[tokio::test]
async fn an_address_that_others_reach_needs_a_word_about_them() {
    let errors = tabletop(&["serve", "--address", "0.0.0.0:0"]).failed(2);
    assert!(
        errors.contains("0.0.0.0:0 can be reached from other machines") && errors.contains("--token-file"),
        "{errors}"
    );
    assert!(tabletop(&["serve", "--address", "[::]:0"]).failed(2).contains("--allow-anyone"));
    assert!(tabletop(&["serve", "--tls-cert", "x.pem"]).failed(2).contains("--tls-key"));
    let path = |name: &str| format!("{}/tests/tls/{name}", env!("CARGO_MANIFEST_DIR"));
    let tls = [
        "serve",
        "--address",
        "0.0.0.0:0",
        "--tls-cert",
        &path("certificate.pem"),
        "--tls-key",
        &path("key.pem"),
    ];
    assert!(tabletop(&tls).failed(2).contains("it does not authenticate anyone"));
    let serving = Serving::start(&["--address", "0.0.0.0:0", "--allow-anyone"]);
    assert!(serving.greeting.contains("anyone who can reach this address may read"), "{}", serving.greeting);
    assert!(is_answered(serving.client().await.mutate_row(write(0)).await));
    let serving = Serving::start(&["--address", "127.0.0.1:0"]);
    assert!(serving.greeting.contains("every user on this machine may read"), "{}", serving.greeting);
}

#[tokio::test]
async fn a_token_is_required() {
    let folder = Folder::new();
    assert!(tabletop(&["serve", "--token-file", &folder.path("none")]).failed(2).contains("cannot be read"));
    let file = folder.write("token", "correct-horse-battery\n");
    let mut command = program();
    command.args(["serve", "--address", "0.0.0.0:0", "--token-file", &file]).stderr(Stdio::piped());
    let mut serving = Serving::of(command);
    let mut warning = String::new();
    let mut errors = BufReader::new(serving.child.stderr.take().expect("an output"));
    errors.read_line(&mut warning).expect("text");
    assert!(
        warning.starts_with("Warning: without --tls-cert") && warning.contains("unencrypted"),
        "{warning}"
    );
    let mut client = serving.client().await;
    let with = |token: &str| {
        let mut request = Request::new(write(0));
        request.metadata_mut().insert("authorization", token.parse().expect("metadata"));
        request
    };
    for refused in
        [client.mutate_row(write(0)).await, client.mutate_row(with("Bearer correct-horse-batterx")).await]
    {
        let status = refused.expect_err("it is refused");
        assert!(
            status.code() == Code::Unauthenticated && status.message().contains("Bearer TOKEN"),
            "{status}"
        );
    }
    assert!(is_answered(client.mutate_row(with("Bearer correct-horse-battery")).await));
}

#[tokio::test]
async fn tls_is_spoken_with_a_certificate() {
    let path = |name: &str| format!("{}/tests/tls/{name}", env!("CARGO_MANIFEST_DIR"));
    let (certificate, key) = (path("certificate.pem"), path("key.pem"));
    let errors = tabletop(&["serve", "--tls-cert", &key, "--tls-key", &certificate]).failed(2);
    assert!(errors.contains("key.pem cannot be used for TLS"), "{errors}");
    let serving = Serving::start(&[
        "--address",
        "0.0.0.0:0",
        "--allow-anyone",
        "--tls-cert",
        &certificate,
        "--tls-key",
        &key,
    ]);
    let trusted = Certificate::from_pem(std::fs::read(&certificate).expect("a certificate"));
    let tls = ClientTlsConfig::new().ca_certificate(trusted).domain_name("localhost");
    let endpoint = Channel::from_shared(format!("https://{}", serving.address)).expect("an address");
    let channel = endpoint.tls_config(tls).expect("settings").connect().await.expect("a connection");
    assert!(is_answered(BigtableClient::new(channel).mutate_row(write(0)).await));
    let plain = Channel::from_shared(format!("http://{}", serving.address)).expect("an address");
    let answer = match plain.connect().await {
        Ok(channel) => BigtableClient::new(channel).mutate_row(write(0)).await,
        Err(_) => return,
    };
    assert!(!is_answered(answer), "without TLS");
}

#[cfg(unix)]
#[tokio::test]
async fn a_socket_is_for_its_user_and_is_replaced_after_a_kill() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let socket = folder.path("socket");
    let file = folder.write("file", "of another program");
    assert!(tabletop(&["serve", "--socket", &file]).failed(2).contains("another file is there"));
    for _ in 0..2 {
        // It is killed, and its socket is left.
        let serving = Serving::start(&["--socket", &socket]);
        assert_eq!(serving.address, format!("unix:{socket}"));
        assert_eq!(std::fs::metadata(&socket).expect("a socket").permissions().mode() & 0o777, 0o600);
        let endpoint = Endpoint::try_from(serving.address.clone()).expect("an address");
        let channel = endpoint.connect().await.expect("a connection");
        assert!(is_answered(BigtableClient::new(channel).mutate_row(write(0)).await));
        assert!(tabletop(&["serve", "--socket", &socket]).failed(2).contains("another program"));
    }
}

#[cfg(unix)]
#[test]
fn a_server_removes_only_its_own_socket() {
    use std::os::unix::net::{UnixListener, UnixStream};
    let folder = Folder::new();
    let socket = folder.path("socket");
    let end = |mut serving: Serving| {
        let id = serving.child.id().to_string();
        assert!(Command::new("kill").arg(id).status().expect("it runs").success());
        assert!(serving.child.wait().expect("it ends").success());
    };
    end(Serving::start(&["--socket", &socket]));
    assert_eq!(
        super::files_below(folder.path("").as_ref()),
        [""; 0].map(std::path::PathBuf::from),
        "it leaves no files"
    );
    let serving = Serving::start(&["--socket", &socket]);
    std::fs::remove_file(&socket).expect("a socket");
    let errors = tabletop(&["serve", "--socket", &socket]).failed(2);
    assert!(errors.contains("another program"), "{errors}");
    let other = UnixListener::bind(&socket).expect("a socket");
    end(serving);
    UnixStream::connect(&socket).expect("the socket of the other program is still there");
    drop(other);
}

/// One limit applies to the handles of all instances, and another to the connections.
#[cfg(unix)]
#[tokio::test]
async fn many_instances_need_few_files() {
    const INSTANCES: usize = 260;
    let folder = Folder::new();
    let data = folder.path("data");
    let host = Host::open(data.as_ref(), system_clock).unwrap();
    for index in 0..INSTANCES {
        let spec = TableSpec {
            families: vec![ColumnFamily::new("f")],
            settings: table_settings(),
            ..TableSpec::default()
        };
        let served = host.instance_or_new(&name(index)).unwrap();
        served.change(|instance, now| instance.create_table(now, "t", spec)).unwrap();
    }
    host.close();
    drop(host);
    let mut limited = Command::new("sh");
    // Half of the files that four files per instance would need.
    let script = "ulimit -n 512; exec \"$0\" serve --address 127.0.0.1:0 --data \"$1\"";
    limited.args(["-c", script, env!("CARGO_BIN_EXE_tabletop"), &data]);
    let serving = Serving::of(limited);
    let mut client = serving.client().await;
    for index in 0..INSTANCES {
        client.mutate_row(write(index)).await.unwrap_or_else(|status| panic!("instance {index}: {status}"));
    }
    // New connections are accepted, too.
    serving.client().await.mutate_row(write(0)).await.unwrap();
}

#[test]
fn a_shell_talks_to_a_running_server() {
    let folder = Folder::new();
    let file = folder.write("token", "correct-horse-battery\n");
    let tls = |name: &str| format!("{}/tests/tls/{name}", env!("CARGO_MANIFEST_DIR"));
    let (certificate, key) = (tls("certificate.pem"), tls("key.pem"));
    let serving = Serving::start(&[
        "--address",
        "127.0.0.1:0",
        "--token-file",
        &file,
        "--tls-cert",
        &certificate,
        "--tls-key",
        &key,
    ]);
    let endpoint = serving.address.replace("127.0.0.1", "localhost");
    let place = [
        "--address",
        &endpoint,
        "--token-file",
        &file,
        "--tls-cert",
        &certificate,
        "--project",
        "p",
        "--instance",
        "i",
    ];
    let cbt = |words: &[&str]| tabletop(&[&["cbt"], &place[..], words].concat());
    cbt(&["createtable", "t", "families=f:maxversions=2,s:never:intsum", "splits=c,a"]).ok();
    assert_eq!(cbt(&["ls"]).ok(), "t\n");
    let described = cbt(&["ls", "t"]).ok();
    assert!(described.contains("versions() > 2") && described.contains("s"), "{described}");
    cbt(&["set", "t", "r", "f:q=v@1000"]).ok();
    cbt(&["addtocell", "t", "r", "s:n=5@1000"]).ok();
    let script: String = (0..1_500).map(|row| format!("set t row{row:04} f:q=v\n")).collect();
    super::tabletop_with(&[&["cbt"], &place[..]].concat(), &script).ok();
    assert_eq!(cbt(&["count", "t"]).ok().trim(), "1501");
    let rows = cbt(&["read", "t", "prefix=row", "count=1200"]).ok();
    assert_eq!(rows.matches("row").count(), 1_200, "in several slices, each row once");
    assert!(cbt(&["lookup", "t", "r"]).ok().contains("\"v\""));
    assert!(cbt(&["lookup", "u", "r"]).failed(1).contains("not found"));
    let hbase = |text: &str| tabletop(&[&["hbase"], &place[..], &[text]].concat());
    assert!(hbase("scan 't', {LIMIT => 1}").ok().contains("column=f:q"));
    assert!(hbase("major_compact 't'").failed(1).contains("the Bigtable API has no call"));
    let errors = tabletop(&["cbt", "--address", &endpoint, "--tls-cert", &certificate, "ls"]).failed(1);
    assert!(errors.contains("requires a token"), "{errors}");
    drop(serving);
    assert!(cbt(&["ls"]).failed(1).contains("the server cannot be reached"));
    assert!(tabletop(&["cbt", "--address", "nowhere", "ls"]).failed(2).contains("write HOST:PORT"));
    let mut by_variable = program();
    let output = by_variable
        .args(["cbt", "ls"])
        .env("BIGTABLE_EMULATOR_HOST", "127.0.0.1:1")
        .output()
        .expect("it runs");
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot be reached"), "{output:?}");
}
