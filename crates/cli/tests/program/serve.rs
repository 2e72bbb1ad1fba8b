//! `tabletop serve` as a process.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};

use googleapis_tonic_google_bigtable_v2::google::bigtable::v2 as proto;
use proto::bigtable_client::BigtableClient;
use tabletop_model::{ColumnFamily, TableSpec};
use tabletop_server::{Host, InstanceName, system_clock, table_settings};
use tonic::transport::Channel;

use super::Folder;

/// A server that is killed at the end of its test.
struct Serving {
    child: Child,
    out: BufReader<ChildStdout>,
    /// What it has printed up to the line that names its address.
    greeting: String,
    address: String,
}

impl Serving {
    fn of(mut command: Command) -> Serving {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut out = BufReader::new(child.stdout.take().expect("an output"));
        let mut greeting = String::new();
        let address = loop {
            let from = greeting.len();
            assert!(out.read_line(&mut greeting).expect("text") > 0, "it has ended: {greeting}");
            if let Some(address) = greeting[from..].trim().strip_prefix("export BIGTABLE_EMULATOR_HOST=") {
                break address.to_owned();
            }
        };
        Serving { child, out, greeting, address }
    }

    async fn client(&self) -> BigtableClient<Channel> {
        let endpoint = Channel::from_shared(format!("http://{}", self.address)).expect("an address");
        BigtableClient::new(endpoint.connect().await.expect("a connection"))
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = self.out.read_to_string(&mut self.greeting);
    }
}

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

/// The handles of all instances have one limit, and so have the connections.
#[cfg(unix)]
#[tokio::test]
async fn many_instances_need_few_files() {
    const INSTANCES: usize = 260;
    let folder = Folder::new();
    let data = folder.path("data");
    let host = Host::open(data.as_ref(), system_clock).unwrap();
    for index in 0..INSTANCES {
        let spec = TableSpec { families: vec![ColumnFamily::new("f")], settings: table_settings(), ..TableSpec::default() };
        let served = host.instance_or_new(&name(index)).unwrap();
        served.change(|instance, now| instance.create_table(now, "t", spec)).unwrap();
    }
    host.close();
    drop(host);
    let mut limited = Command::new("sh");
    // Half of the files that four files for each instance would need.
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
