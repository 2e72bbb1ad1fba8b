//! Words of a POSIX shell's command line.

use alloc::format;
use alloc::string::{String, ToString};

use crate::bytes::escape_also;

/// Returns a word of a command line that a shell reads as `bytes`: unchanged, `'in quotes'`, or
/// `$'with \xHH'` (bash, zsh, ksh) for bytes that cannot be quoted.
pub fn shell_word(bytes: &[u8]) -> String {
    let is_bare = |byte: &u8| byte.is_ascii_alphanumeric() || b"_@%+=:,./-#".contains(byte);
    match core::str::from_utf8(bytes) {
        // A comment begins with `#`.
        Ok(text) if !text.is_empty() && !text.starts_with('#') && bytes.iter().all(is_bare) => {
            text.to_string()
        }
        Ok(text) if !text.chars().any(char::is_control) => format!("'{}'", text.replace('\'', r"'\''")),
        _ => format!("$'{}'", escape_also(bytes, '\'')),
    }
}

#[cfg(test)]
mod tests {
    use super::shell_word;

    #[test]
    fn a_word_is_quoted_only_if_needed() {
        assert_eq!(shell_word(b"plain-1,2#3"), "plain-1,2#3");
        assert_eq!(shell_word(b""), "''");
        assert_eq!(shell_word(b"#1"), "'#1'");
        assert_eq!(shell_word(b"a b$c`d\\"), "'a b$c`d\\'");
        assert_eq!(shell_word("it's \u{e9}".as_bytes()), "'it'\\''s \u{e9}'");
        assert_eq!(shell_word(b"it's\n\\\xff\x009"), r"$'it\'s\n\\\xff\x009'");
    }
}
