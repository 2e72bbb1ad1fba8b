//! The reversed domain of a URL or of a bare host, as the row keys of Bigtable's first table have
//! it: all hosts and pages of a domain are adjacent.

use alloc::vec::Vec;

/// Returns `https://www.CNN.com:8080/index.html?a` as `com.cnn.www:8080/index.html?a`.
///
/// - The scheme is left out.
/// - `A` to `Z` of the host become `a` to `z`, its labels are in reverse order, and a dot at its
///   end is left out. An IP address stays as it is.
/// - A user (`bob@cnn.com`) follows the host: `com.cnn@bob`.
/// - The port, the path and the rest are unchanged.
pub(super) fn reverse_domain(text: &[u8]) -> Vec<u8> {
    let text = without_scheme(text);
    let end = text.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(text.len());
    let (authority, rest) = text.split_at(end);
    let at = authority.iter().rposition(|byte| *byte == b'@');
    let (user, host) = at.map_or((None, authority), |at| (Some(&authority[..at]), &authority[at + 1..]));
    let is_ipv6 = host.starts_with(b"[");
    let port = host.iter().position(|byte| *byte == b':' && !is_ipv6).unwrap_or(host.len());
    let (host, port) = host.split_at(port);
    let is_ipv4 = host.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    let mut out = Vec::with_capacity(text.len());
    if is_ipv4 || is_ipv6 {
        out.extend_from_slice(host);
    } else {
        let labels = host.strip_suffix(b".").unwrap_or(host).rsplit(|byte| *byte == b'.');
        for (index, label) in labels.enumerate() {
            out.extend((index > 0).then_some(b'.'));
            out.extend(label.iter().map(u8::to_ascii_lowercase));
        }
    }
    out.extend_from_slice(port);
    if let Some(user) = user {
        out.push(b'@');
        out.extend_from_slice(user);
    }
    out.extend_from_slice(rest);
    out
}

/// Returns the text after `scheme://` or `//`.
fn without_scheme(text: &[u8]) -> &[u8] {
    let Some(at) = text.windows(3).position(|bytes| bytes == b"://") else {
        return text.strip_prefix(b"//").unwrap_or(text);
    };
    let scheme = &text[..at];
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    if is_scheme { &text[at + 3..] } else { text.strip_prefix(b"//").unwrap_or(text) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    fn check(text: &str, expected: &str) {
        assert_eq!(String::from_utf8(reverse_domain(text.as_bytes())).unwrap(), expected, "{text}");
    }

    #[test]
    fn hosts_and_pages_of_a_domain_are_adjacent() {
        check("www.cnn.com", "com.cnn.www");
        check("http://maps.google.com/index.html", "com.google.maps/index.html");
        check("HTTPS://WWW.CNN.com/World", "com.cnn.www/World");
        check("//cdn.cnn.com/a.js", "com.cnn.cdn/a.js");
        check("www.cnn.com.", "com.cnn.www");
        check("cnn.com:8080/a:b", "com.cnn:8080/a:b");
        check("cnn.com?q=http://x.y", "com.cnn?q=http://x.y");
        check("cnn.com#a.b", "com.cnn#a.b");
        check("a.cnn.com/r?to=https://b.org/", "com.cnn.a/r?to=https://b.org/");
        check("m\u{fc}nchen.DE/\u{c4}", "de.m\u{fc}nchen/\u{c4}");
    }

    #[test]
    fn what_has_no_domain_stays() {
        check("localhost", "localhost");
        check("http://localhost:3000/a.b", "localhost:3000/a.b");
        check("10.0.0.1", "10.0.0.1");
        check("http://10.0.0.1:80/x", "10.0.0.1:80/x");
        check("http://[2001:db8::1]:80/x", "[2001:db8::1]:80/x");
        check("/a.b/c.d", "/a.b/c.d");
        check("", "");
        check(".", ".");
        check("a..b", "b..a");
    }

    #[test]
    fn a_user_follows_the_host() {
        check("bob@mail.cnn.com", "com.cnn.mail@bob");
        check("ftp://bob:x@cnn.com:21/a", "com.cnn:21@bob:x/a");
        check("a@b@c.d", "d.c@a@b");
    }

    proptest::proptest! {
        #[test]
        fn any_text_stays_text(text in "[a-zA-Z:/?#@.0-9\\[\u{e9}-]{0,30}|\\PC{0,20}") {
            let reversed = reverse_domain(text.as_bytes());
            proptest::prop_assert!(String::from_utf8(reversed).is_ok());
        }
    }
}
