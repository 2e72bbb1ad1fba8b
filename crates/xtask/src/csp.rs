//! Adds the hashes of inline scripts to the page's Content-Security-Policy, which allows no other
//! inline script. The build writes one into the page (it starts the program), so the hashes are
//! added when the page is complete. Trunk calls `cargo xtask csp` for this.

use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use crate::Result;
use crate::run::{read, write};

/// The word of the policy after which the hashes are added.
const MARK: &str = "'wasm-unsafe-eval'";

/// Rewrites the page in Trunk's folder.
pub fn hook() -> Result<()> {
    let folder = std::env::var_os("TRUNK_STAGING_DIR")
        .ok_or("`cargo xtask csp` is called by Trunk, which sets TRUNK_STAGING_DIR (see Trunk.toml)")?;
    let page = Path::new(&folder).join("index.html");
    write(&page, &with_hashes(&read(&page)?)?)
}

/// Adds the hash of each inline script to the policy of a page.
pub fn with_hashes(html: &str) -> Result<String> {
    let (before, after) = html
        .split_once(MARK)
        .ok_or_else(|| format!("index.html has no policy with {MARK} (Content-Security-Policy)"))?;
    let hashes: Vec<String> =
        inline_scripts(html).iter().map(|script| format!("'sha256-{}'", sha256(script))).collect();
    Ok(format!("{before}{MARK} {}{after}", hashes.join(" ")))
}

/// Returns the texts of all inline scripts.
fn inline_scripts(html: &str) -> Vec<&str> {
    let mut scripts = Vec::new();
    let mut rest = html;
    while let Some((_, tail)) = rest.split_once("<script") {
        let Some((attributes, tail)) = tail.split_once('>') else { break };
        let Some((text, tail)) = tail.split_once("</script>") else { break };
        if !attributes.split_whitespace().any(|attribute| attribute.starts_with("src=")) {
            scripts.push(text);
        }
        rest = tail;
    }
    scripts
}

fn sha256(text: &str) -> String {
    BASE64_STANDARD.encode(Sha256::digest(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_each_inline_script_and_no_other() {
        let html = "<meta content=\"script-src 'self' 'wasm-unsafe-eval'; img-src 'self'\">\
                    <script src=a.js></script><script type=\"module\">abc</script>";
        // The digest of "abc" is the first example of FIPS 180.
        let hash = "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='";
        let expected = html.replace("'wasm-unsafe-eval'", &format!("'wasm-unsafe-eval' {hash}"));
        assert_eq!(with_hashes(html), Ok(expected));
        assert!(with_hashes("<p>").is_err());
    }

    #[test]
    fn the_policy_of_the_page_allows_nothing_inline_and_no_other_host() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let page = with_hashes(&read(&root.join("index.html")).expect("the page")).expect("a policy");
        let policy = page.split('"').find(|text| text.starts_with("default-src")).expect("a policy");
        let others = policy.replace(MARK, "");
        for forbidden in ["unsafe-inline", "unsafe-eval'", "*", "http:", "https:"] {
            assert!(!others.contains(forbidden), "the policy has {forbidden}: {policy}");
        }
        for needed in ["default-src 'none'", "connect-src 'self'", "style-src 'self'", "base-uri 'self'"] {
            assert!(policy.contains(needed), "the policy lacks {needed}: {policy}");
        }
        let hashes = policy.matches("'sha256-").count();
        assert_eq!((inline_scripts(&page).len(), hashes), (hashes, hashes), "{policy}");
        assert!(hashes > 0, "the page has a script that reports failures");
    }
}
