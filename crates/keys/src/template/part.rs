//! The parts of a template.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::placeholder::Placeholder;
use crate::time::TimeFormat;
use crate::zorder::ZOrder;

/// One piece of a template.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Characters that are the same in every key.
    Literal(String),
    /// A field's text, transformed.
    Field {
        /// The field's name.
        name: String,
        /// The transforms, applied from the left.
        transforms: Vec<Transform>,
    },
    /// The remainder of a hash, as digits: spreads the keys over one range per remainder.
    Salt {
        /// The number of remainders, 2 to 1,000.
        buckets: u32,
        /// The fields whose parts are hashed; empty to hash the whole logical key.
        over: Vec<String>,
        /// The cut-over, in milliseconds since 1970: earlier events have keys without the salt.
        /// `None` if all keys are salted.
        #[serde(default)]
        from: Option<i64>,
    },
    /// Two numbers, combined into one.
    ZOrder(ZOrder),
}

/// A conversion of a field's text in the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transform {
    /// This text if the value is absent or empty. The other transforms get it as if the event had it,
    /// so an event with this value counts as one without a value.
    Or(Placeholder),
    /// A time in this format.
    Time(TimeFormat),
    /// A time, rounded down to a multiple of this many seconds since 1970 (so weeks begin on
    /// Thursdays).
    Bucket(u32),
    /// A whole number in this many digits. A negative number is `-` and the nines' complement of
    /// its digits, so that it sorts before all positive numbers, and lower ones first. A longer
    /// number is refused.
    Pad(u8),
    /// The first hexadecimal digits, 1 to 16, of the text's XXH64.
    Hash(u8),
    /// The characters in reverse order.
    Reverse,
    /// The domain of a URL or of a host in reverse order, before the rest of the URL without its
    /// scheme: `com.cnn.www/index.html`.
    ReverseDomain,
    /// `a` to `z` as `A` to `Z`.
    Upper,
    /// `A` to `Z` as `a` to `z`.
    Lower,
}

/// Returns the fields whose values a part contains. (A salt only hashes them.)
pub fn part_fields(part: &Part) -> Vec<&String> {
    match part {
        Part::Literal(_) | Part::Salt { .. } => Vec::new(),
        Part::Field { name, .. } => alloc::vec![name],
        Part::ZOrder(zorder) => alloc::vec![&zorder.x.field, &zorder.y.field],
    }
}
