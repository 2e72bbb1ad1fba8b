//! The pseudo-locale: English with a Cyrillic letter for each ASCII letter. Only the page of a test
//! has it, which switches to it and looks for letters that are left: they are of texts that are not
//! in the tables, or were not drawn again.

use alloc::string::String;
use alloc::vec::Vec;

/// Makes a value of the pseudo-locale from the English value of a field of a table.
macro_rules! pseudo {
    ($text:literal $(,)?) => {{
        const BYTES: [u8; $crate::pseudo::length($text)] = $crate::pseudo::bytes($text);
        match core::str::from_utf8(&BYTES) {
            Ok(text) => text,
            Err(_) => panic!("letters were replaced by letters"),
        }
    }};
    ([$($item:tt),*]) => { [$(pseudo!($item)),*] };
    (($text:literal, $($second:tt)*)) => { (pseudo!($text), pseudo!($($second)*)) };
    ($Table:ident) => { $Table::PSEUDO };
    (&$Other:ident $(::$Elsewhere:ident)?) => { &$Other $(::$Elsewhere)? ::PSEUDO };
    (|$($value:ident: $type:ty),*| -> $returned:ty { $($block:tt)* }) => {
        |$($value: $type),*| -> $returned {
            let english = || -> $returned { $($block)* };
            $crate::pseudo::Pseudo::pseudo(english())
        }
    };
    (|$($value:ident: $type:ty),*| $body:expr $(,)?) => {
        |$($value: $type),*| {
            let english = || -> ::alloc::string::String { $body };
            $crate::pseudo::Pseudo::pseudo(english())
        }
    };
}

/// What a text function returns.
pub(crate) trait Pseudo {
    /// Replaces all ASCII letters.
    fn pseudo(self) -> Self;
}

impl Pseudo for String {
    fn pseudo(self) -> String {
        self.chars().map(|c| char::from_u32(letter(c as u32)).unwrap_or(c)).collect()
    }
}

/// Leaks the text: a test draws few of them.
impl Pseudo for &'static str {
    fn pseudo(self) -> &'static str {
        String::from(self).pseudo().leak()
    }
}

impl<T: Pseudo> Pseudo for Option<T> {
    fn pseudo(self) -> Option<T> {
        self.map(T::pseudo)
    }
}

impl<T: Pseudo> Pseudo for Vec<T> {
    fn pseudo(self) -> Vec<T> {
        self.into_iter().map(T::pseudo).collect()
    }
}

impl<T: Pseudo, const N: usize> Pseudo for [T; N] {
    fn pseudo(self) -> [T; N] {
        self.map(T::pseudo)
    }
}

impl<A: Pseudo, B: Pseudo> Pseudo for (A, B) {
    fn pseudo(self) -> (A, B) {
        (self.0.pseudo(), self.1.pseudo())
    }
}

/// Returns the Cyrillic letter for an ASCII letter, of the same case, as code points. Other
/// characters stay.
const fn letter(c: u32) -> u32 {
    match c {
        0x41..=0x5a => c - 0x41 + 0x410,
        0x61..=0x7a => c - 0x61 + 0x430,
        _ => c,
    }
}

/// Returns whether a text is the address of a link: its letters stay.
const fn is_address(text: &[u8]) -> bool {
    matches!(text, [b'.', b'/', ..] | [b'h', b't', b't', b'p', b's', b':', b'/', b'/', ..])
}

/// Returns the length of a text in the pseudo-locale, in bytes: a Cyrillic letter has two.
pub(crate) const fn length(text: &str) -> usize {
    let text = text.as_bytes();
    let (mut at, mut length) = (0, text.len());
    while at < text.len() {
        if text[at].is_ascii_alphabetic() && !is_address(text) {
            length += 1;
        }
        at += 1;
    }
    length
}

/// Returns a text in the pseudo-locale.
pub(crate) const fn bytes<const N: usize>(text: &str) -> [u8; N] {
    let text = text.as_bytes();
    let mut bytes = [0; N];
    let (mut at, mut end) = (0, 0);
    while at < text.len() {
        if text[at].is_ascii_alphabetic() && !is_address(text) {
            let letter = letter(text[at] as u32);
            bytes[end] = 0xc0 | (letter >> 6) as u8;
            bytes[end + 1] = 0x80 | (letter & 0x3f) as u8;
            end += 2;
        } else {
            bytes[end] = text[at];
            end += 1;
        }
        at += 1;
    }
    bytes
}
