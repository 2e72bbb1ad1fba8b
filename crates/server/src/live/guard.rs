//! Access to the page: a token, and the names under which the page may be reached. A page of
//! another origin cannot connect, even if its name resolves to this machine.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use tabletop_model::{Code, Error, Result};
use tabletop_protocol::{LIVE_PROTOCOL, LIVE_TOKEN_PREFIX};
use tokio_rustls::rustls::crypto::ring;

use crate::access::is_same;

/// The bytes of a token.
const TOKEN_BYTES: usize = 16;
/// The port that browsers leave out.
const HTTP_PORT: u16 = 80;

/// The token of a run of the server: 32 hexadecimal digits. It is part of the address that the
/// server prints.
#[derive(Clone, PartialEq, Eq)]
pub struct PageToken(Arc<str>);

impl PageToken {
    /// Creates a token that cannot be guessed.
    ///
    /// # Errors
    /// `Unavailable` if the operating system has no random numbers.
    pub fn new() -> Result<PageToken> {
        let mut bytes = [0; TOKEN_BYTES];
        let no_chance =
            |_| Error::new(Code::Unavailable, "the operating system has no random numbers for a token");
        ring::default_provider().secure_random.fill(&mut bytes).map_err(no_chance)?;
        Ok(PageToken(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()))
    }

    /// Returns the token's text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Returns whether a list of subprotocols offers this server's, followed by this token.
    pub(super) fn is_offered(&self, protocols: &str) -> bool {
        let mut offered = protocols.split(',').map(str::trim);
        let has_ours = offered.next() == Some(LIVE_PROTOCOL);
        let token =
            offered.next().and_then(|protocol| protocol.strip_prefix(LIVE_TOKEN_PREFIX)).unwrap_or_default();
        is_same(token.as_bytes(), self.0.as_bytes()) && has_ours
    }
}

impl fmt::Debug for PageToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PageToken(…)")
    }
}

/// The names of a listener that browsers may use: names of this machine, or any IP address if it
/// listens on all. A DNS name is not allowed: its owner could make it resolve to this machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names(pub SocketAddr);

impl Names {
    /// Returns whether a `Host` names the listener.
    pub fn has_host(self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            _ => (host, Some(HTTP_PORT)),
        };
        port == Some(self.0.port()) && self.has_name(name)
    }

    /// Returns whether an `Origin` is a page of the listener.
    pub fn has_origin(self, origin: &str) -> bool {
        origin.strip_prefix("http://").is_some_and(|host| self.has_host(host))
    }

    fn has_name(self, name: &str) -> bool {
        let bound = self.0.ip().to_canonical();
        if name.eq_ignore_ascii_case("localhost") {
            return bound.is_loopback() || bound.is_unspecified();
        }
        let text = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        let Ok(ip) = text.parse::<IpAddr>() else { return false };
        let ip = ip.to_canonical();
        ip == bound || bound.is_unspecified() || (bound.is_loopback() && ip.is_loopback())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_random_and_is_compared_as_a_whole() {
        let (one, other) = (PageToken::new().unwrap(), PageToken::new().unwrap());
        assert_ne!(one, other);
        assert!(one.text().len() == 32 && one.text().bytes().all(|byte| byte.is_ascii_hexdigit()));
        let text = one.text();
        assert!(
            one.is_offered(&format!("tabletop, token.{text}"))
                && one.is_offered(&format!("tabletop,token.{text},x"))
        );
        let cut = &text[1..];
        for wrong in [
            String::new(),
            "tabletop".into(),
            format!("tabletop, {text}"),
            format!("tabletop, token.{cut}"),
            format!("tabletop, token.{text}0"),
            format!("token.{text}, tabletop"),
            format!("tabletop, token.{}", other.text()),
            format!("other, token.{text}"),
        ] {
            assert!(!one.is_offered(&wrong), "{wrong}");
        }
        assert_eq!(format!("{one:?}"), "PageToken(…)");
    }

    #[test]
    fn only_names_of_this_machine_are_hosts() {
        let names = |address: &str| Names(address.parse().unwrap());
        let local = names("127.0.0.1:8087");
        for host in ["127.0.0.1:8087", "localhost:8087", "LOCALHOST:8087", "[::1]:8087", "127.0.0.2:8087"] {
            assert!(local.has_host(host) && local.has_origin(&format!("http://{host}")), "{host}");
        }
        for host in [
            "",
            "127.0.0.1",
            "localhost",
            "127.0.0.1:8086",
            "127.0.0.1:",
            "127.0.0.1:8087x",
            "evil.example:8087",
            "localhost.evil.example:8087",
            "127.0.0.1.evil.example:8087",
            "10.0.0.1:8087",
            "[::1]",
            "[::1",
            "::1:8087x",
            "localhost:8087:8087",
            "user@localhost:8087",
        ] {
            assert!(!local.has_host(host), "{host}");
        }
        for origin in [
            "null",
            "",
            "https://127.0.0.1:8087",
            "127.0.0.1:8087",
            "http://127.0.0.1:8087/",
            "http://evil.example",
        ] {
            assert!(!local.has_origin(origin), "{origin}");
        }
        let all = names("0.0.0.0:8087");
        assert!(
            all.has_host("10.0.0.1:8087")
                && all.has_host("localhost:8087")
                && !all.has_host("evil.example:8087")
        );
        let one = names("10.0.0.1:80");
        assert!(one.has_host("10.0.0.1") && one.has_host("10.0.0.1:80"));
        assert!(!one.has_host("10.0.0.2") && !one.has_host("localhost"));
    }
}
