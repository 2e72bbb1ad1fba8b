//! Names of column families, and the names that layouts use for events without a name of their own.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::limits;

use crate::salt::hash;
use crate::zorder::push_hex;

/// The family of wide events with facets: one letter, because every cell includes it (as in
/// Algolia's article).
pub(crate) const EVENT_FAMILY: &str = "e";

/// The family of other records if a field does not name it.
pub(crate) const RECORD_FAMILY: &str = "d";

/// The qualifier of a cell that contains a whole record without an event name.
pub(crate) const RECORD_QUALIFIER: &str = "record";

/// Converts a text to a family name: 1 to 64 characters of `[-_.a-zA-Z0-9]`. A text that consists
/// of such characters without `.` is used unchanged. Otherwise each byte that is not allowed, and
/// each `.`, becomes `.` and two hexadecimal digits, so that different texts never share a name. An
/// empty text becomes `.`. In a name that is too long, `.` and the 16 hexadecimal digits of the
/// text's XXH64 replace the end.
pub fn family_name(text: &str) -> Cow<'_, str> {
    let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if !text.is_empty() && text.len() <= limits::FAMILY_NAME_CHARS_MAX && text.bytes().all(is_legal) {
        return Cow::Borrowed(text);
    }
    let mut name = Vec::with_capacity(text.len() + 8);
    if text.is_empty() {
        name.push(b'.');
    }
    for byte in text.bytes() {
        if is_legal(byte) {
            name.push(byte);
        } else {
            name.push(b'.');
            push_hex(&mut name, u64::from(byte), 2);
        }
    }
    if name.len() > limits::FAMILY_NAME_CHARS_MAX {
        name.truncate(limits::FAMILY_NAME_CHARS_MAX - 17);
        name.push(b'.');
        push_hex(&mut name, hash(text.as_bytes()), 16);
    }
    Cow::Owned(String::from_utf8(name).expect("ASCII"))
}
