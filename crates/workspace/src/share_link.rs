//! A workspace as a link. It is in the part of the address after `#`, which browsers never send to
//! a server.
//!
//! ```text
//! #w1.PAYLOAD       the first design is shown
//! #w1.PAYLOAD.2     the second one
//! #w2.PAYLOAD.2.PAYLOAD
//!                   with a text of what the sender has measured
//!
//! PAYLOAD, in base64url (RFC 4648, section 5) without padding:
//! ┌──────────────────────────────┬──────────────────────────────────┐
//! │ 4 bytes: the low half of the │ deflate (RFC 1951) of the JSON   │
//! │ XXH64 of the rest, high      │ of the workspace, or of the text │
//! │ byte first                   │ (at most 256 KiB)                │
//! └──────────────────────────────┴──────────────────────────────────┘
//! ```
//!
//! Deflate does not have a checksum, and a link with a changed character must not open as another
//! workspace. Links of earlier builds are in `golden.txt`, and must open forever.

#[cfg(test)]
mod tests;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::{DecodeError, Engine as _};
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};
use tabletop_model::{Code, Error, Result};

use tabletop_keys::salt::hash;

/// The latest version, of links with measurements. Others have version 1, so that earlier builds
/// open them. All earlier versions are read.
const VERSION: u32 = 2;
/// The maximum size of a workspace's JSON in a link. A link that inflates to more is refused as
/// soon as it has reached this size.
pub const LINK_JSON_BYTES_MAX: usize = 256 << 10;
/// The compression level, as in zlib.
const LEVEL: u8 = 9;
const CHECKSUM_BYTES: usize = 4;

/// The content of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareLink {
    /// The workspace as JSON, which is not parsed yet, because the page and the command line have
    /// different parsers.
    pub json: String,
    /// Index of the design on the screen. The workspace may have fewer designs.
    pub design: usize,
    /// What the sender has measured on events that are not in the link; empty for nothing.
    pub recorded: String,
}

impl ShareLink {
    /// Returns the part of the address beginning with `#`.
    ///
    /// # Errors
    /// `ResourceExhausted` for a workspace that is too large for a link.
    pub fn write(&self) -> Result<String> {
        if self.json.len() > LINK_JSON_BYTES_MAX {
            return Err(Error::new(
                Code::ResourceExhausted,
                format!("The workspace has more than {LIMIT}, the maximum for a link. Send it as a file."),
            ));
        }
        let mut link = format!("#w{}.", if self.recorded.is_empty() { 1 } else { VERSION });
        encode(&self.json, &mut link);
        if self.design > 0 || !self.recorded.is_empty() {
            link.push_str(&format!(".{}", self.design + 1));
        }
        if !self.recorded.is_empty() {
            link.push('.');
            encode(&self.recorded, &mut link);
        }
        Ok(link)
    }

    /// Returns whether a text looks like such a link, either the whole address or the part
    /// beginning with `#`. Only then is an error of [`ShareLink::read`] worth reporting.
    pub fn is_in(text: &str) -> bool {
        text.split_once("#w").is_some_and(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()))
    }

    /// Reads a link: either the whole address or the part beginning with `#`.
    ///
    /// # Errors
    /// `FailedPrecondition` for a link of a newer build, `ResourceExhausted` for one that is too
    /// large, else `InvalidArgument` for one that is damaged.
    pub fn read(text: &str) -> Result<ShareLink> {
        let content = text.split_once("#w").map(|(_, content)| content.trim());
        let (version, content) = content
            .and_then(|content| content.split_once('.'))
            .and_then(|(version, content)| Some((version.parse::<u32>().ok()?, content)))
            .ok_or_else(|| {
                Error::invalid("The link has no workspace: it should contain #w1. and a long text after it.")
            })?;
        if version > VERSION {
            return Err(Error::new(
                Code::FailedPrecondition,
                format!(
                    "The link has version {version}, and this Tabletop reads up to {VERSION}: update Tabletop (on the page: reload it)."
                ),
            ));
        }
        let (payload, rest) = content.split_once('.').unwrap_or((content, ""));
        let (design, recorded) =
            if version > 1 { rest.split_once('.').unwrap_or((rest, "")) } else { (rest, "") };
        let design = match design {
            "" => 0,
            number => {
                number.parse::<usize>().ok().and_then(|number| number.checked_sub(1)).ok_or_else(damaged)?
            }
        };
        if version == 0 {
            return Err(damaged());
        }
        let json = decode(payload)?;
        let recorded = if recorded.is_empty() { String::new() } else { decode(recorded)? };
        Ok(ShareLink { json, design, recorded })
    }
}

/// Appends a text to a link.
fn encode(text: &str, link: &mut String) {
    let deflated = compress_to_vec(text.as_bytes(), LEVEL);
    URL_SAFE_NO_PAD.encode_string([&checksum(&deflated)[..], &deflated].concat(), link);
}

/// Reads a text of a link.
fn decode(payload: &str) -> Result<String> {
    let bytes = URL_SAFE_NO_PAD.decode(payload).map_err(|wrong| match wrong {
            // The byte may be any byte of a character.
            DecodeError::InvalidByte(at, _) => match payload.char_indices().find(|(from, c)| at < from + c.len_utf8()) {
                Some((_, character)) => Error::invalid(format!(
                    "The link has the character \"{character}\", which is never part of a link. Copy the link again, without the text around it."
                )),
                None => damaged(),
            },
            DecodeError::InvalidLength(_) | DecodeError::InvalidLastSymbol(..) | DecodeError::InvalidPadding => damaged(),
        })?;
    let (expected, deflated) = bytes.split_at_checked(CHECKSUM_BYTES).ok_or_else(damaged)?;
    if checksum(deflated) != expected {
        return Err(damaged());
    }
    String::from_utf8(inflate(deflated)?).map_err(|_| damaged())
}

/// [`LINK_JSON_BYTES_MAX`] as displayed.
const LIMIT: &str = "256 KiB";

#[cold]
fn damaged() -> Error {
    Error::invalid(
        "The link is incomplete or was modified. Copy the whole link again, or ask for the workspace as a file.",
    )
}

fn checksum(deflated: &[u8]) -> [u8; CHECKSUM_BYTES] {
    (hash(deflated) as u32).to_be_bytes()
}

fn inflate(deflated: &[u8]) -> Result<Vec<u8>> {
    // The limit has one more byte: a stream that just fills the buffer may not have reached its end
    // marker.
    let inflated = decompress_to_vec_with_limit(deflated, LINK_JSON_BYTES_MAX + 1);
    let too_large = || {
        Error::new(
            Code::ResourceExhausted,
            format!("The link has more than {LIMIT}, the maximum that can be opened."),
        )
    };
    match inflated {
        Ok(bytes) if bytes.len() <= LINK_JSON_BYTES_MAX => Ok(bytes),
        Ok(_) => Err(too_large()),
        Err(error) if error.status == TINFLStatus::HasMoreOutput => Err(too_large()),
        Err(_) => Err(damaged()),
    }
}
