//! Labels of the buttons that change a design.

use alloc::format;
use alloc::string::String;

/// Labels. `salts` is a number of salts, `field` a name.
pub(crate) struct Fixes {
    pub put_before: fn(field: &str, next: &str) -> String,
    pub put_before_time: fn(field: &str) -> String,
    pub add_to_end: fn(fields: &str) -> String,
    pub move_to_end: fn(field: &str) -> String,
    /// Removes a part, written as in the template.
    pub remove: fn(part: &str) -> String,
    pub salt: fn(salts: u32) -> String,
    pub salt_over_key: &'static str,
    pub remove_salt: &'static str,
    pub remove_cut_over: &'static str,
    pub write_as_iso: fn(field: &str) -> String,
    pub narrow: &'static str,
    pub reverse_time: &'static str,
    pub reverse_time_at_end: &'static str,
    pub start_with_and_reverse_time: fn(field: &str) -> String,
    pub reverse_time_and_salt: fn(salts: u32) -> String,
    pub pad: fn(digits: u8) -> String,
    pub zorder: fn(x: &str, y: &str) -> String,
    pub separate_with: fn(separator: &str) -> String,
    pub hash: fn(field: &str) -> String,
}

pub(super) const ENGLISH: Fixes = Fixes {
    put_before: |field, next| format!("Put {field} before {next}"),
    put_before_time: |field| format!("Put {field} before the time"),
    add_to_end: |fields| format!("Add {fields} to the end"),
    move_to_end: |field| format!("Move {field} to the end"),
    remove: |part| format!("Remove {part}"),
    salt: |salts| format!("Salt with {salts}"),
    salt_over_key: "Salt over the whole key",
    remove_salt: "Remove the salt",
    remove_cut_over: "Salt all events",
    write_as_iso: |field| format!("Write {field} as iso"),
    narrow: "Use Narrow",
    reverse_time: "Use reverse_time",
    reverse_time_at_end: "Use reverse_time at the end",
    start_with_and_reverse_time: |field| format!("Start with {field} and use reverse_time"),
    reverse_time_and_salt: |salts| format!("Use reverse_time and salt with {salts}"),
    pad: |digits| format!("Pad to {digits}"),
    zorder: |x, y| format!("Use zorder({x}, {y})"),
    separate_with: |separator| format!("Separate with {separator}"),
    hash: |field| format!("Hash {field}"),
};
