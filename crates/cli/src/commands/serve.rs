//! `tabletop serve`: serves the Bigtable API.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::time::Duration;

use tabletop_server::{DEFAULT_ADDRESS, PageFiles, PageOptions, ServeOptions, TlsFiles, serve};

/// The page that was compiled into this program; empty if the variable TABLETOP_PAGE was not set
/// (build.rs).
static PAGE: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

const EXAMPLES: &str = "\
Examples:
  tabletop serve
  tabletop serve --data shop --address 127.0.0.1:9000
  tabletop serve --data shop --socket /run/shop/bigtable
  tabletop serve --data shop --address 0.0.0.0:8086 --token-file token --tls-cert shop.pem --tls-key shop.key
  tabletop serve --data shop --stats 9090
  tabletop serve --page
  export BIGTABLE_EMULATOR_HOST=127.0.0.1:8086   (where the client runs)

Access: at the default address, only users and programs on this machine can connect. Clients may read, change and delete all tables of all projects and instances. Only the user who runs the server can open its socket. An address that other machines can reach requires a token, or --allow-anyone: certificates encrypt the connection, they do not authenticate anyone. Without a certificate, the token travels unencrypted. Only their owner can read the files of --data. With --stats, /metrics requires the same token; /healthz answers everyone, and includes the reason of a failure only with the token.

The page: --page shows this server in a browser while clients use it: its tables and tablets, a shell, queries, and for each table the Key Visualizer, which shows by key and by second what clients read and write, and explains problems. Its address contains a token that changes with every run; anyone who has it may do what a client may. Counting starts with the first use of a table: up to 256 tables are counted, in about 128 MB of memory at most; the least recently used are evicted first. Each call of a client takes a few microseconds longer; without --page nothing is counted.

Statistics: calls by service, method and code, histograms of their latencies, open clients, memory, and for each table its tablets, flushes, compactions, splits, cache, log and bytes. The first 1,000 tables by name have their own series, and the others are summed into one more, (others). Tables of instances that are not open are not counted: reading statistics does not open them.";

/// Serve the Bigtable API (google.bigtable.v2 and google.bigtable.admin.v2) over gRPC
///
/// Clients connect to it as to Google's emulator, with BIGTABLE_EMULATOR_HOST. Tables can be
/// created in any project and instance. On Ctrl-C or SIGTERM, the server stops after the calls in
/// progress are answered, or after ten seconds.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Address of the server; port 0 means any free port [default: 127.0.0.1:8086; none with
    /// --socket]
    #[arg(long, value_name = "HOST:PORT", value_parser = address)]
    address: Option<SocketAddr>,
    /// Only the port; the server can then be reached from this machine only
    #[arg(long, value_name = "N", conflicts_with = "address")]
    port: Option<u16>,
    /// Unix socket to listen on, for programs of this user
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,
    /// Folder to keep the tables in; without it, they are in memory and lost when the program ends
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// File with a token; clients must send the metadata "authorization: Bearer TOKEN"
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Certificate (PEM) for TLS, which encrypts connections
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Private key (PEM) of the certificate
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Allow an address that other machines can reach without a token
    #[arg(long)]
    allow_anyone: bool,
    /// Address of statistics in Prometheus text format, /metrics, and of a health check, /healthz;
    /// a port alone means this machine only
    #[arg(long, value_name = "HOST:PORT", value_parser = address)]
    stats: Option<SocketAddr>,
    /// Serve a page that shows this server, at this address; a port alone means this machine only,
    /// and port 0 any free port [default address: 127.0.0.1:8087]
    #[arg(long, value_name = "HOST:PORT", value_parser = address, num_args = 0..=1, default_missing_value = "127.0.0.1:8087")]
    page: Option<SocketAddr>,
    /// Folder with the files of the page, as `cargo xtask dist` makes it; without it, the page
    /// built into this program
    #[arg(long, value_name = "DIR", requires = "page")]
    page_files: Option<PathBuf>,
    /// Delay before expired cells of small idle tables are collected, such as 500ms, 2s, 10m, 1h or
    /// 7d; large tables are collected when an eighth is garbage
    #[arg(long, default_value = "2s", value_name = "TIME", value_parser = duration)]
    gc_delay: Duration,
}

pub(crate) fn run(options: &Options) -> super::Result<()> {
    let port = options.port.map(|port| SocketAddr::new(DEFAULT_ADDRESS.ip(), port));
    let tls = options
        .tls_cert
        .clone()
        .zip(options.tls_key.clone())
        .map(|(certificate, key)| TlsFiles { certificate, key });
    let options = ServeOptions {
        address: options.address.or(port),
        socket: options.socket.clone(),
        data: options.data.clone(),
        token_file: options.token_file.clone(),
        tls,
        allow_anyone: options.allow_anyone,
        stats: options.stats,
        page: options.page.map(|address| PageOptions {
            address,
            files: options.page_files.clone().map_or(PageFiles::Embedded(PAGE), PageFiles::Folder),
        }),
        gc_delay: Some(options.gc_delay),
    };
    Ok(serve(&options, &mut std::io::stdout(), &mut std::io::stderr())?)
}

/// Parses a number with a unit.
fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let millis = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err("write a number and a unit: 500ms, 2s, 10m, 1h or 7d".into()),
    };
    let millis = number.parse::<u64>().ok().and_then(|number| number.checked_mul(millis));
    millis
        .map(Duration::from_millis)
        .ok_or_else(|| "write a number and a unit: 500ms, 2s, 10m, 1h or 7d".into())
}

/// Parses an address, a host name with a port, or only a port.
fn address(text: &str) -> Result<SocketAddr, String> {
    let port_alone = text.strip_prefix(':').unwrap_or(text);
    if !port_alone.is_empty() && port_alone.bytes().all(|byte| byte.is_ascii_digit()) {
        let port =
            port_alone.parse().map_err(|_| format!("{port_alone} is not a port: ports are 0 to 65535"))?;
        return Ok(SocketAddr::new(DEFAULT_ADDRESS.ip(), port));
    }
    let found = text.to_socket_addrs().map_err(|error| {
        format!("write an address or a name with a port, 127.0.0.1:8086 or localhost:8086, or only a port, 8086 ({error})")
    })?;
    // All clients support IPv4, so IPv4 is preferred for a name with both kinds of addresses.
    let addresses: Vec<SocketAddr> = found.collect();
    let first = addresses.iter().find(|address| address.is_ipv4()).or(addresses.first());
    first.copied().ok_or_else(|| "the name has no address".into())
}

#[cfg(test)]
mod tests {
    use tabletop_server::DEFAULT_PAGE_ADDRESS;

    use super::*;

    #[test]
    fn a_duration_has_a_unit() {
        let millis = [
            ("0s", 0),
            ("500ms", 500),
            ("2s", 2_000),
            ("3m", 180_000),
            ("1h", 3_600_000),
            ("7d", 604_800_000),
        ];
        for (text, millis) in millis {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)));
        }
        for text in
            ["", "2", "s", "-1s", "1.5s", "2 s", "99999999999999999999s", "18446744073709551615d", "2sec"]
        {
            assert!(duration(text).is_err_and(|why| why.contains("500ms")), "{text}");
        }
    }

    #[test]
    fn the_default_of_the_page_is_that_of_the_server() {
        assert_eq!(address("127.0.0.1:8087"), Ok(DEFAULT_PAGE_ADDRESS));
    }

    #[test]
    fn an_address_may_be_a_name_or_a_port() {
        let found = |text: &str| address(text).map(|address| address.to_string());
        for text in ["127.0.0.1:18099", "localhost:18099", ":18099", "18099"] {
            assert_eq!(found(text), Ok("127.0.0.1:18099".into()), "{text}");
        }
        assert_eq!(found("[::1]:0"), Ok("[::1]:0".into()));
        assert!(found("99999").is_err_and(|why| why.contains("65535")));
        for text in ["", ":", "localhost", "127.0.0.1"] {
            assert!(found(text).is_err_and(|why| why.contains("localhost:8086")), "{text}");
        }
    }
}
