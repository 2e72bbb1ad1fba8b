//! The options that connect a shell to a running server.

use std::path::PathBuf;

use tabletop_server::{Client, InstanceName, Token};
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint};

use super::{Failure, Result};

/// The variable that clients of Bigtable also read.
const VARIABLE: &str = "BIGTABLE_EMULATOR_HOST";

/// The options that select a server.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct EndpointOptions {
    /// A running server, HOST:PORT or unix:PATH, instead of tables in memory [default:
    /// BIGTABLE_EMULATOR_HOST, if it is set and --data is not given]
    #[arg(long, aliases = ["endpoint", "emulator"], value_name = "ADDRESS", conflicts_with = "data")]
    address: Option<String>,
    /// File with the token that the server requires
    #[arg(long, value_name = "FILE", requires = "address")]
    token_file: Option<PathBuf>,
    /// Certificate (PEM) of the server, or of the authority that signed it: connect with TLS
    #[arg(long, value_name = "FILE", requires = "address")]
    tls_cert: Option<PathBuf>,
}

impl EndpointOptions {
    /// Returns the address of the server, if one is named.
    pub(crate) fn address(&self, has_data: bool) -> Option<String> {
        let of_variable = || std::env::var(VARIABLE).ok().filter(|address| !has_data && !address.is_empty());
        self.address.clone().or_else(of_variable)
    }

    /// Creates a client of the server at this address. It connects with the first request.
    pub(crate) fn client(&self, address: &str, instance: &InstanceName) -> Result<Client> {
        let scheme = match &self.tls_cert {
            _ if address.starts_with("unix:") || address.contains("://") => "",
            None => "http://",
            Some(_) => "https://",
        };
        let malformed = || {
            Failure::Wrong(format!(
                "\"{address}\" is not the address of a server: write HOST:PORT or unix:PATH"
            ))
        };
        if self.tls_cert.is_some() && address.contains("://") && !address.starts_with("https://") {
            return Err(Failure::Wrong(format!(
                "--tls-cert needs TLS, which \"{address}\" does not use: write HOST:PORT or https://HOST:PORT"
            )));
        }
        let has_port = address.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        if !has_port && !address.starts_with("unix:") {
            return Err(malformed());
        }
        let mut endpoint = Endpoint::try_from(format!("{scheme}{address}")).map_err(|_| malformed())?;
        if let Some(file) = &self.tls_cert {
            let failed = |why: &dyn std::fmt::Display| {
                Failure::Wrong(format!("{} cannot be used for TLS: {why}", file.display()))
            };
            let pem = std::fs::read(file).map_err(|error| failed(&error))?;
            let tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem));
            endpoint = endpoint.tls_config(tls).map_err(|error| failed(&error))?;
        }
        let token = self.token_file.as_deref().map(Token::read).transpose()?;
        Ok(Client::new(&endpoint, instance, token.as_ref())?)
    }
}
