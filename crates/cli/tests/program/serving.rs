//! `tabletop serve` as a process, for tests of its clients.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};

use googleapis_tonic_google_bigtable_v2::google::bigtable::v2::bigtable_client::BigtableClient;
use tonic::transport::Channel;

use super::program;

/// A server that is killed at the end of its test.
pub(crate) struct Serving {
    pub(crate) child: Child,
    out: BufReader<ChildStdout>,
    /// The output up to the line that contains the address.
    pub(crate) greeting: String,
    pub(crate) address: String,
}

impl Serving {
    pub(crate) fn of(mut command: Command) -> Serving {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut out = BufReader::new(child.stdout.take().expect("an output"));
        let mut greeting = String::new();
        let address = loop {
            let from = greeting.len();
            assert!(out.read_line(&mut greeting).expect("text") > 0, "it has ended: {greeting}");
            let line = greeting[from..].trim();
            let address = line
                .strip_prefix("export BIGTABLE_EMULATOR_HOST=")
                .or_else(|| line.strip_prefix("Clients connect to "));
            if let Some(address) = address.and_then(|address| address.split(' ').next()) {
                break address.to_owned();
            }
        };
        Serving { child, out, greeting, address }
    }

    /// Starts `tabletop serve` with these arguments.
    pub(crate) fn start(arguments: &[&str]) -> Serving {
        let mut command = program();
        command.arg("serve").args(arguments);
        Serving::of(command)
    }

    pub(crate) async fn client(&self) -> BigtableClient<Channel> {
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
