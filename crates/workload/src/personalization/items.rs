//! Items of a shop, ranked by a profile when a user searches.

use std::collections::BTreeSet;

use tabletop_keys::{FieldKind, facets};

use super::Profile;
use super::cells::join;
use crate::Events;

/// A result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The name or ID.
    pub name: String,
    /// The facets, in the form in which events have them: `brand:Apple|color:Black`, or a JSON
    /// array.
    pub facets: String,
}

/// An item with its score, and the reasons for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranked {
    /// The index of the item in the list that was ranked.
    pub item: usize,
    /// The sum of the reasons.
    pub score: u64,
    /// The facet values of the item that the profile has, each once, with their scores, highest
    /// first.
    pub reasons: Vec<(String, u64)>,
}

/// Ranks items by a profile, the highest score first. Items with the same score keep their order,
/// so without a profile the list stays as it is.
pub fn rank(items: &[Item], profile: &Profile) -> Vec<Ranked> {
    let mut ranked: Vec<Ranked> =
        items.iter().enumerate().map(|(at, item)| scored(at, item, profile)).collect();
    ranked.sort_by_key(|ranked| core::cmp::Reverse(ranked.score));
    ranked
}

fn scored(at: usize, item: &Item, profile: &Profile) -> Ranked {
    let mut reasons: Vec<(String, u64)> = Vec::new();
    let mut text = String::new();
    facets::parse(&item.facets, |facet| {
        join(&mut text, facet);
        let score = profile.score(&text);
        if score > 0 && reasons.iter().all(|(known, _)| *known != text) {
            reasons.push((text.clone(), score));
        }
    });
    reasons.sort_by_key(|(_, score)| core::cmp::Reverse(*score));
    Ranked { item: at, score: reasons.iter().map(|(_, score)| score).sum(), reasons }
}

/// Returns the first `count` different objects of the events, as items. The name is the value of
/// the field `object_id`, or else the facets.
pub fn items_of(events: &Events, count: usize) -> Vec<Item> {
    let fields = events.fields();
    let is_object = |name: &str| {
        matches!(&*name.to_lowercase().replace(['_', '-', ' '], ""), "objectid" | "itemid" | "productid")
    };
    let object = fields.iter().position(|field| is_object(&field.name));
    let Some(facets) = fields.iter().position(|field| field.kind == FieldKind::Facets) else {
        return Vec::new();
    };
    let mut known = BTreeSet::new();
    let mut items = Vec::new();
    for index in 0..events.len() {
        if items.len() == count {
            break;
        }
        let Some(text) = events.value(index, facets).filter(|text| !text.is_empty()) else { continue };
        let name = object.and_then(|object| events.value(index, object)).unwrap_or(text);
        if known.insert(name) {
            items.push(Item { name: name.into(), facets: text.into() });
        }
    }
    items
}
