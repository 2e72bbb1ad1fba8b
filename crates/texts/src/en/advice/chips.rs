//! The cost of each part of a key, in one line.

use alloc::format;
use alloc::string::String;

use tabletop_keys::{ChipCost, TransformCost};

use super::super::numbers::count;
use super::phrases::list;

#[inline(never)]
pub fn cost(cost: &ChipCost) -> String {
    match cost {
        ChipCost::Nothing => String::new(),
        ChipCost::Literal { bytes } => format!("{bytes} bytes in every key"),
        ChipCost::Salt { salts } => format!("salt {salts}: a prefix scan becomes {salts} scans"),
        ChipCost::SaltOfFields { salts, fields } => {
            format!("salt {salts}: one scan when {} is known, else {salts} scans", list(fields))
        }
        ChipCost::SaltFrom { salts, from } => {
            format!(
                "salt {salts} from {from} on: a prefix scan becomes {} scans, one of them for unsalted keys",
                salts + 1
            )
        }
        ChipCost::ZOrder { bytes } => {
            format!("zorder: {bytes} bytes. Nearby points get nearby keys; you cannot query one axis alone.")
        }
        ChipCost::InTimestamps => "not in the entity's key: stored in the cell timestamps".into(),
        ChipCost::Transform { name, cost } => transform(name, cost),
    }
}

fn transform(name: &str, cost: &TransformCost) -> String {
    match cost {
        TransformCost::Iso { bytes } => format!("{name}: {bytes} bytes; millis 13"),
        TransformCost::NewestFirst { bytes } => format!("{name}: {bytes} bytes; newest first"),
        TransformCost::TimeSpan { bytes } => {
            format!("{name}: {bytes} bytes, shared by all events of the same {name}")
        }
        TransformCost::Time { bytes } => format!("{name}: {bytes} bytes"),
        TransformCost::Bucket { interval } => {
            format!("{name}: all events within {interval} share these bytes")
        }
        TransformCost::Pad { digits } => {
            let digits = count((*digits).into(), "digit", "digits");
            format!("{name}: always {digits}; longer numbers are refused")
        }
        TransformCost::Hash { bytes, is_short } => {
            let shared = if *is_short { "; some values share a hash" } else { "" };
            format!("{name}: {bytes} bytes; exact lookups only, no prefixes or ranges{shared}")
        }
        TransformCost::Reverse => format!("{name}: exact and suffix lookups only, no ranges"),
        TransformCost::ReverseDomain => {
            format!(
                "{name}: hosts and pages of a domain are adjacent; URLs that differ only in the scheme share a key"
            )
        }
        TransformCost::Or => format!("{name}: events without a value share its place"),
        TransformCost::LetterCase => format!("{name}: values that differ only in case share a key"),
    }
}
