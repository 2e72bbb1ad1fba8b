//! `tabletop serve`: the Bigtable API for real clients.

use std::net::SocketAddr;
use std::path::PathBuf;

use tabletop_cli::{DEFAULT_ADDRESS, ServeOptions, serve};

use super::Result;

const EXAMPLES: &str = "\
Examples:
  tabletop serve
  tabletop serve --data shop --address 127.0.0.1:9000
  export BIGTABLE_EMULATOR_HOST=127.0.0.1:8086   (where the client runs)";

/// Serve the Bigtable API (google.bigtable.v2 and google.bigtable.admin.v2) over gRPC
///
/// Real clients reach it as they reach Google's emulator: by BIGTABLE_EMULATOR_HOST. Tables may be created in any project and
/// instance. It ends on Ctrl-C or SIGTERM, when what is under way has been answered.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Where clients find it; port 0 takes any that is free
    #[arg(long, default_value_t = DEFAULT_ADDRESS, value_name = "IP:PORT")]
    address: SocketAddr,
    /// Folder that keeps the tables; without one they are in memory, and gone at the end
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let options = ServeOptions { address: options.address, data: options.data.clone() };
    Ok(serve(&options, &mut std::io::stdout())?)
}
