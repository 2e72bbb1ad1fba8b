//! RE2 over bytes, by the crate `regex`, independently of the engine. Its syntax is that of RE2 except for `\C` and bytes above
//! ASCII.

use regex::bytes::{Regex, RegexBuilder};
use tabletop_model::Bytes;

pub(super) fn is_right(pattern: &Bytes) -> bool {
    compile(pattern).is_some()
}

/// Returns whether the whole of `bytes` matches.
pub(super) fn matches(pattern: &Bytes, bytes: &[u8]) -> bool {
    compile(pattern).expect("the filter was checked").is_match(bytes)
}

fn compile(pattern: &Bytes) -> Option<Regex> {
    let mut text = String::new();
    let mut bytes = pattern.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if bytes.peek() == Some(&b'C') => {
                bytes.next();
                text.push_str("(?s:.)");
            }
            b'\\' => {
                text.push('\\');
                text.extend(bytes.next().map(char::from));
            }
            0..0x80 => text.push(char::from(byte)),
            _ => text.push_str(&format!("\\x{byte:02x}")),
        }
    }
    // A pattern like `a)(b` is invalid, and must not become valid by the text added around it.
    let build = |text: &str| RegexBuilder::new(text).unicode(false).build().ok();
    build(&text)?;
    build(&format!("\\A(?:{text})\\z"))
}
