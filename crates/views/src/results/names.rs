//! The names of decodings and of kinds of values.

use tabletop_texts::messages;
use tabletop_workspace::Decoding;

use super::decode::ValueKind;

/// Returns the name of a decoding.
pub fn decoding_name(decoding: Decoding) -> &'static str {
    let decodings = &messages().results.decodings;
    match decoding {
        Decoding::Auto => decodings.auto,
        Decoding::Json => decodings.json,
        Decoding::Text => decodings.text,
        Decoding::Int64 => decodings.int64,
        Decoding::Hex => decodings.hex,
        Decoding::Protobuf => decodings.protobuf,
    }
}

/// Returns the name of a kind of values.
pub fn kind_name(kind: ValueKind) -> &'static str {
    let kinds = &messages().results.kinds;
    match kind {
        ValueKind::Empty => kinds.empty,
        ValueKind::Text => kinds.text,
        ValueKind::Json => kinds.json,
        ValueKind::Int64 => kinds.int64,
        ValueKind::Hex => kinds.hex,
        ValueKind::Protobuf => kinds.protobuf,
        ValueKind::Encoded(encoding) => encoding.name(),
    }
}
