//! The cost of a part of a key, in one line.

use alloc::format;
use alloc::string::String;

/// Lines. `name` is a transform as a template writes it, `bytes` its width.
pub(crate) struct Chips {
    pub literal: fn(bytes: usize) -> String,
    pub salt: fn(salts: u32) -> String,
    pub salt_of_fields: fn(salts: u32, fields: &str) -> String,
    /// A salt with a cut-over at `from`.
    pub salt_from: fn(salts: u32, from: &str) -> String,
    pub zorder: fn(bytes: usize) -> String,
    /// The layout leaves the part out of the key.
    pub in_timestamps: &'static str,
    pub iso: fn(name: &str, bytes: usize) -> String,
    pub newest_first: fn(name: &str, bytes: usize) -> String,
    pub time_span: fn(name: &str, bytes: usize) -> String,
    pub time: fn(name: &str, bytes: usize) -> String,
    pub bucket: fn(name: &str, interval: &str) -> String,
    pub pad: fn(name: &str, digits: usize) -> String,
    pub hash: fn(name: &str, bytes: usize, unique: HashUse) -> String,
    pub reverse: fn(name: &str) -> String,
    pub letter_case: fn(name: &str) -> String,
}

/// Whether values can have the same hash.
#[derive(Clone, Copy)]
pub(crate) enum HashUse {
    Short,
    Long,
}

pub(super) const ENGLISH: Chips = Chips {
    literal: |bytes| format!("{bytes} bytes in every key"),
    salt: |salts| format!("salt {salts}: a prefix scan becomes {salts} scans"),
    salt_of_fields: |salts, fields| format!("salt {salts}: one scan when {fields} is known, else {salts} scans"),
    salt_from: |salts, from| {
        format!("salt {salts} from {from} on: a prefix scan becomes {} scans, one of them for the keys before", salts + 1)
    },
    zorder: |bytes| format!("zorder: {bytes} bytes. Nearby points get nearby keys; you cannot query one axis alone."),
    in_timestamps: "not in the key of an entity: the cells' timestamps contain it",
    iso: |name, bytes| format!("{name} takes {bytes} bytes; millis takes 13"),
    newest_first: |name, bytes| format!("{name}: {bytes} bytes; the newest comes first"),
    time_span: |name, bytes| format!("{name}: {bytes} bytes; all events of one {name} share them"),
    time: |name, bytes| format!("{name}: {bytes} bytes"),
    bucket: |name, interval| format!("{name}: all events of {interval} share these bytes"),
    pad: |name, digits| format!("{name}: always {digits} digits; a longer number is refused"),
    hash: |name, bytes, unique| {
        let shared = match unique {
            HashUse::Short => ", and some share a hash",
            HashUse::Long => "",
        };
        format!("{name}: {bytes} bytes; only whole values can be looked up, no prefixes, no ranges{shared}")
    },
    reverse: |name| format!("{name}: whole values and endings can be looked up, ranges cannot"),
    letter_case: |name| format!("{name}: values that differ in case share a key"),
};
