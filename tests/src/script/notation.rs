//! The notation of bytes and numbers in scripts.

use std::str::FromStr;

use tabletop_model::{escape, unescape};

/// Longer bytes are shown by their beginning and their length.
const SHOWN_BYTES_MAX: usize = 250;

/// Longer runs of one letter are shown by their length.
const SHOWN_RUN_MAX: usize = 100;

/// Parses the bytes of a word: escapes, and `{ab*3}` for `ababab`.
pub(super) fn bytes(word: &str) -> Result<Vec<u8>, String> {
    let part = |part: &str| unescape(part).map_err(|at| format!("a bad escape at byte {at} of {part}"));
    let Some((before, unit, count, after)) = repetition(word) else { return part(word) };
    Ok([part(before)?, part(unit)?.repeat(count), bytes(after)?].concat())
}

/// Expands each `{ab*3}` in a text.
pub(super) fn repeated(text: &str) -> String {
    match repetition(text) {
        Some((before, unit, count, after)) => format!("{before}{}{}", unit.repeat(count), repeated(after)),
        None => text.into(),
    }
}

/// The first `{unit*count}` of a word, with the text before and after it.
fn repetition(word: &str) -> Option<(&str, &str, usize, &str)> {
    let open = word.find('{')?;
    let (inner, after) = word[open + 1..].split_once('}')?;
    let (unit, count) = inner.rsplit_once('*')?;
    Some((&word[..open], unit, count.parse().ok()?, after))
}

/// Parses a word that must be UTF-8.
pub(super) fn text(word: &str) -> Result<String, String> {
    String::from_utf8(bytes(word)?).map_err(|_| format!("{word} is not UTF-8"))
}

pub(super) fn number<T: FromStr>(word: &str) -> Result<T, String> {
    word.replace('_', "").parse().map_err(|_| format!("{word} is not the expected number"))
}

/// Bytes in the notation of `model::escape`, cut when they are long.
pub(super) fn brief(bytes: &[u8]) -> String {
    if bytes.len() <= SHOWN_BYTES_MAX {
        return escape(bytes);
    }
    format!("{}… ({} bytes)", escape(&bytes[..10]), bytes.len())
}

/// A line of an answer with long runs of one letter as `{x*4096}`.
pub(super) fn shortened(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(letter) = rest.chars().next() {
        let run = rest.find(|c| c != letter).unwrap_or(rest.len());
        match run / letter.len_utf8() {
            count if count >= SHOWN_RUN_MAX => out += &format!("{{{letter}*{count}}}"),
            _ => out += &rest[..run],
        }
        rest = &rest[run..];
    }
    out
}
