//! Access control: an optional token, an optional certificate, and a limit on the number of
//! connections.

use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tabletop_model::{Code, Error, Result};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};

use crate::process::FileLimits;

/// The time a client has to begin HTTP/2.
const GREETING_MAX: Duration = Duration::from_secs(10);
/// The time a client has to make its first call with the token.
const TOKEN_MAX: Duration = Duration::from_secs(60);
/// The shortest token. A shorter one can be guessed.
const TOKEN_BYTES_MIN: usize = 16;

/// What a server requires of its clients. By default it requires nothing.
#[derive(Clone)]
pub struct Access {
    token: Option<Token>,
    tls: Option<TlsAcceptor>,
    /// The maximum number of connections at a time. Further ones get an error and are closed. If
    /// there is also a Unix socket, an eighth is reserved for it.
    pub connections_max: usize,
    /// The time a client has to begin HTTP/2.
    pub greeting_max: Duration,
    /// The time a client has to make its first call with a valid token, if one is required. After
    /// that its connection is closed, because it would otherwise take up a place forever.
    pub token_max: Duration,
}

/// A secret that clients send in the metadata `authorization: Bearer TOKEN`.
#[derive(Clone)]
pub struct Token(Arc<str>);

impl Default for Access {
    fn default() -> Access {
        let connections_max = FileLimits::of_process().connections_max;
        Access { token: None, tls: None, connections_max, greeting_max: GREETING_MAX, token_max: TOKEN_MAX }
    }
}

impl Access {
    /// Requires a token.
    pub fn with_token(self, token: Token) -> Access {
        Access { token: Some(token), ..self }
    }

    /// Uses TLS with a certificate and its key, two PEM files.
    ///
    /// # Errors
    /// `FailedPrecondition` when they cannot be read or do not match.
    pub fn with_tls(self, certificate: &Path, key: &Path) -> Result<Access> {
        let of_file = |path: &Path, why: &dyn fmt::Display| {
            refused(format!("{} cannot be used for TLS: {why}", path.display()))
        };
        let chain: Vec<CertificateDer> = CertificateDer::pem_file_iter(certificate)
            .and_then(Iterator::collect)
            .map_err(|error| of_file(certificate, &error))?;
        if chain.is_empty() {
            return Err(of_file(certificate, &"it has no certificate (-----BEGIN CERTIFICATE-----)"));
        }
        let private = PrivateKeyDer::from_pem_file(key).map_err(|error| of_file(key, &error))?;
        let build = || -> std::result::Result<ServerConfig, rustls::Error> {
            let builder = ServerConfig::builder_with_provider(ring::default_provider().into())
                .with_safe_default_protocol_versions()?;
            builder.with_no_client_auth().with_single_cert(chain, private)
        };
        let mut config =
            build().map_err(|error| of_file(key, &format!("with {}: {error}", certificate.display())))?;
        config.alpn_protocols = vec![b"h2".to_vec()];
        Ok(Access { tls: Some(TlsAcceptor::from(Arc::new(config))), ..self })
    }

    pub(crate) fn tls(&self) -> Option<&TlsAcceptor> {
        self.tls.as_ref()
    }

    /// Returns whether a call with this `authorization` may be answered.
    pub(crate) fn permits(&self, authorization: Option<&[u8]>) -> bool {
        let Some(Token(token)) = &self.token else { return true };
        let sent = authorization.and_then(|text| text.split_at_checked(SCHEME.len()));
        let sent =
            sent.filter(|(scheme, _)| scheme.eq_ignore_ascii_case(SCHEME)).map(|(_, sent)| sent.trim_ascii());
        sent.is_some_and(|sent| is_same(sent, token.as_bytes()))
    }
}

const SCHEME: &[u8] = b"Bearer ";

impl Token {
    /// Reads the token from a file. White space around it is ignored.
    ///
    /// # Errors
    /// `FailedPrecondition` when it cannot be read, is too short, or cannot be sent in metadata.
    pub fn read(path: &Path) -> Result<Token> {
        let text = fs::read_to_string(path)
            .map_err(|error| refused(format!("{} cannot be read: {error}", path.display())))?;
        let token = text.trim();
        if token.len() < TOKEN_BYTES_MIN || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(refused(format!(
                "{} has no token: write at least {TOKEN_BYTES_MIN} letters, digits or signs of ASCII without spaces, for example the \
                 output of `openssl rand -hex 32`",
                path.display()
            )));
        }
        Ok(Token(token.into()))
    }

    /// Returns the token's text.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// Compares two byte strings in a time that depends only on their lengths.
pub(crate) fn is_same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differences, (a, b)| differences | (a ^ b)) == 0
}

fn refused(message: String) -> Error {
    Error::new(Code::FailedPrecondition, message)
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Access");
        shown.field("token", &self.token).field("tls", &self.tls.is_some());
        shown.field("connections_max", &self.connections_max).field("greeting_max", &self.greeting_max);
        shown.field("token_max", &self.token_max).finish()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_compared_as_a_whole() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "  0123456789abcdef\n").unwrap();
        let access = Access::default();
        assert!(access.permits(None) && access.permits(Some(b"Bearer anything")));
        let access = access.with_token(Token::read(file.path()).unwrap());
        assert!(
            access.permits(Some(b"Bearer 0123456789abcdef"))
                && access.permits(Some(b"bearer  0123456789abcdef"))
        );
        for bad in [
            "",
            "Bearer",
            "Bearer ",
            "Bearer 0123456789abcde",
            "Bearer 0123456789abcdeg",
            "0123456789abcdef",
            "Bearer é",
        ] {
            assert!(!access.permits(Some(bad.as_bytes())), "{bad}");
        }
        assert!(!access.permits(None));
        assert!(!format!("{access:?} {:?}", Token::read(file.path())).contains("0123"));
    }

    #[test]
    fn files_that_cannot_be_used_are_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for (text, why) in
            [("", "no token"), ("short", "at least 16"), ("0123456789abcdef 0", "without spaces")]
        {
            fs::write(file.path(), text).unwrap();
            let error = Token::read(file.path()).unwrap_err().message;
            assert!(error.contains(why) && error.contains(file.path().to_str().unwrap()), "{error}");
        }
        assert!(Token::read(Path::new("/nowhere")).unwrap_err().message.contains("/nowhere cannot be read"));
        let error = Access::default().with_tls(file.path(), Path::new("/nowhere")).unwrap_err().message;
        assert!(error.contains("no certificate"), "{error}");
    }
}
