//! A digest of a file's content, as a short text. It distinguishes files with the same name.

use alloc::format;
use alloc::string::String;

use serde::{Deserialize, Serialize};
use tabletop_model::{Error, Result};
use xxhash_rust::xxh64::Xxh64;

/// XXH64 of all bytes of a file, seed 0. Its text has 16 hexadecimal digits, like the output of
/// `xxhsum -H64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ContentDigest(u64);

impl ContentDigest {
    /// Computes the digest of a whole text.
    pub fn of(bytes: &[u8]) -> ContentDigest {
        ContentDigest(tabletop_keys::salt::hash(bytes))
    }

    /// Parses the 16 digits.
    ///
    /// # Errors
    /// `InvalidArgument` for any other text.
    pub fn new(text: &str) -> Result<ContentDigest> {
        let is_digest =
            text.len() == 16 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let digest = u64::from_str_radix(text, 16).ok().filter(|_| is_digest);
        let wrong = || {
            Error::invalid(format!(
                "\"{text}\" is not a digest of a file: a digest has 16 digits, 0-9 and a-f"
            ))
        };
        digest.map(ContentDigest).ok_or_else(wrong)
    }

    /// Returns the 16 digits.
    pub fn text(self) -> String {
        format!("{:016x}", self.0)
    }
}

impl TryFrom<String> for ContentDigest {
    type Error = Error;

    fn try_from(text: String) -> Result<ContentDigest> {
        ContentDigest::new(&text)
    }
}

impl From<ContentDigest> for String {
    fn from(digest: ContentDigest) -> String {
        digest.text()
    }
}

/// Computes the digest of a file that is read in slices.
#[derive(Clone)]
pub struct ContentHasher(Xxh64);

impl ContentHasher {
    /// Creates the state before the first byte.
    #[expect(clippy::new_without_default, reason = "a hasher should only be created explicitly")]
    pub fn new() -> ContentHasher {
        ContentHasher(Xxh64::new(0))
    }

    /// Adds the next bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the digest of the bytes so far.
    pub fn digest(&self) -> ContentDigest {
        ContentDigest(self.0.digest())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_digest_is_16_digits_of_xxh64() {
        // `printf abc | xxhsum -H64` prints the same.
        assert_eq!(ContentDigest::of(b"abc").text(), "44bc2cf5ad770999");
        assert_eq!(ContentDigest::new("44bc2cf5ad770999"), Ok(ContentDigest::of(b"abc")));
        let mut hasher = ContentHasher::new();
        [&b"a"[..], b"", b"bc"].into_iter().for_each(|slice| hasher.add(slice));
        assert_eq!(hasher.digest(), ContentDigest::of(b"abc"));
    }

    #[test]
    fn another_text_is_refused() {
        for wrong in [
            "",
            "44bc2cf5ad77099",
            "44bc2cf5ad7709990",
            "44BC2CF5AD770999",
            "+4bc2cf5ad770999",
            "44bc2cf5ad77099\u{e9}",
        ] {
            let refused = ContentDigest::new(wrong).expect_err("it is not a digest").to_string();
            assert!(refused.contains(&alloc::format!("\"{wrong}\" is not a digest of a file")), "{refused}");
        }
    }
}
