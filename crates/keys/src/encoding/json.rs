//! Values in JSON, as the layouts write them.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::facet_count::{FacetCount, FacetNames};
use crate::layout::json::push_string;
use crate::time::push_digits;

/// Appends `[["brand",":","Apple",1]]`. The names are left out if the column contains them.
#[inline(never)]
pub(super) fn push_counts(counts: &[FacetCount<'_>], names: FacetNames, out: &mut Vec<u8>) {
    out.push(b'[');
    for (at, counted) in counts.iter().enumerate() {
        out.extend_from_slice(if at == 0 { b"[" } else { b",[" });
        let texts = [&counted.name, &counted.operator, &counted.value];
        for text in &texts[usize::from(names == FacetNames::InColumn)..] {
            push_string(out, text);
            out.push(b',');
        }
        push_digits(out, i64::from(counted.count), counted.count.max(1).ilog10() as usize + 1);
        out.push(b']');
    }
    out.push(b']');
}

pub(super) fn counts(value: &[u8], names: FacetNames) -> Option<Vec<FacetCount<'_>>> {
    match names {
        FacetNames::InValue => {
            let list: Vec<(Text<'_>, Text<'_>, Text<'_>, u32)> = serde_json::from_slice(value).ok()?;
            let counted = list.into_iter().map(|(name, operator, value, count)| FacetCount {
                name: name.0,
                operator: operator.0,
                value: value.0,
                count,
            });
            Some(counted.collect())
        }
        FacetNames::InColumn => {
            let list: Vec<(Text<'_>, Text<'_>, u32)> = serde_json::from_slice(value).ok()?;
            let counted = list.into_iter().map(|(operator, value, count)| FacetCount {
                name: Cow::Borrowed(""),
                operator: operator.0,
                value: value.0,
                count,
            });
            Some(counted.collect())
        }
    }
}

/// Returns the texts of the list that is an object's member with this name, or no texts if there is
/// no such member. Other members are skipped.
pub(super) fn list<'v>(value: &'v [u8], name: &str) -> Option<Vec<Cow<'v, str>>> {
    let mut deserializer = serde_json::Deserializer::from_slice(value);
    let texts = Member(name).deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    Some(texts)
}

/// A text that is borrowed from the JSON if nothing in it is escaped.
#[derive(Deserialize)]
struct Text<'v>(#[serde(borrow)] Cow<'v, str>);

/// Reads one member of an object.
struct Member<'n>(&'n str);

impl<'de> DeserializeSeed<'de> for Member<'_> {
    type Value = Vec<Cow<'de, str>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Member<'_> {
    type Value = Vec<Cow<'de, str>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event as a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = Vec::new();
        while let Some(Text(name)) = map.next_key()? {
            if name == self.0 {
                found = map.next_value::<Vec<Text<'de>>>()?.into_iter().map(|text| text.0).collect();
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}
