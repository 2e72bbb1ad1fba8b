//! The products of shops: objects with twelve facets, each object a pure function of a random
//! number.

use super::random::scale;

/// A category of products with its usual values.
struct Category {
    name: &'static str,
    subcategories: &'static [&'static str],
    brands: &'static [&'static str],
    sizes: &'static [&'static str],
    materials: &'static [&'static str],
}

const CATEGORIES: [Category; 6] = [
    Category {
        name: "Phones",
        subcategories: &["Smartphones", "Phone cases", "Chargers"],
        brands: &["Apple", "Samsung", "Sony", "Google", "Nokia", "Xiaomi"],
        sizes: &["64 GB", "128 GB", "256 GB", "512 GB"],
        materials: &["Glass", "Aluminium", "Plastic"],
    },
    Category {
        name: "Audio",
        subcategories: &["Headphones", "Speakers", "Turntables", "Radios"],
        brands: &["Sony", "Bose", "Sennheiser", "JBL", "Apple", "Philips"],
        sizes: &["In-ear", "On-ear", "Over-ear", "Compact", "Full size"],
        materials: &["Plastic", "Aluminium", "Leather", "Wood"],
    },
    Category {
        name: "Shoes",
        subcategories: &["Running shoes", "Sneakers", "Boots", "Sandals"],
        brands: &["Nike", "Adidas", "Puma", "Asics", "Converse", "Timberland"],
        sizes: &["36", "37", "38", "39", "40", "41", "42", "43", "44", "45"],
        materials: &["Leather", "Canvas", "Mesh", "Rubber"],
    },
    Category {
        name: "Clothing",
        subcategories: &["T-shirts", "Shirts", "Trousers", "Jackets", "Dresses"],
        brands: &["Levi's", "Nike", "Lacoste", "Zara", "Uniqlo", "Patagonia", "Adidas"],
        sizes: &["XS", "S", "M", "L", "XL", "XXL"],
        materials: &["Cotton", "Wool", "Linen", "Polyester", "Denim"],
    },
    Category {
        name: "Furniture",
        subcategories: &["Chairs", "Tables", "Sofas", "Lamps", "Shelves"],
        brands: &["IKEA", "Vitra", "Muuto", "Hay", "Kartell"],
        sizes: &["Small", "Medium", "Large"],
        materials: &["Oak", "Pine", "Steel", "Glass", "Wool", "Plastic"],
    },
    Category {
        name: "Kitchen",
        subcategories: &["Coffee machines", "Pans", "Knives", "Kettles"],
        brands: &["Bosch", "De'Longhi", "Tefal", "Philips", "Zwilling"],
        sizes: &["1 l", "1.5 l", "2 l", "20 cm", "24 cm", "28 cm"],
        materials: &["Steel", "Cast iron", "Ceramic", "Plastic"],
    },
];

const COLORS: &[&str] =
    &["Black", "White", "Red", "Blue", "Grey", "Green", "Silver", "Yellow", "Pink", "Brown"];
const PRICES: &[&str] = &["0-25", "25-50", "50-100", "100-250", "250-500", "500+"];
const AUDIENCES: &[&str] = &["Everyone", "Women", "Men", "Children"];
const SEASONS: &[&str] = &["All year", "Spring", "Summer", "Autumn", "Winter"];
const RATINGS: &[&str] = &["4", "5", "3", "2", "1"];
const STOCKS: &[&str] = &["In stock", "Few left", "On order"];
const DELIVERIES: &[&str] = &["Tomorrow", "3 days", "1 week"];

/// Appends `name:value|name:value|…`: twelve facets, `color` and `material` sometimes with two
/// values. A pure function of `object`.
pub(super) fn push_facets(object: u64, out: &mut String) {
    let mut rest = object;
    // Each facet consumes about eight bits: enough for short lists, without a generator per object.
    let mut take = |bits: u32| {
        let part = rest << (64 - bits);
        rest = rest.rotate_right(bits);
        part
    };
    let category = &CATEGORIES[usual(take(6), CATEGORIES.len())];
    let color = usual(take(6), COLORS.len());
    let material = usual(take(6), category.materials.len());
    push(out, "category", category.name);
    push(out, "subcategory", category.subcategories[usual(take(5), category.subcategories.len())]);
    push(out, "brand", category.brands[usual(take(6), category.brands.len())]);
    push(out, "color", COLORS[color]);
    if take(2) == 0 {
        push(out, "color", COLORS[(color + 1 + even(take(4), COLORS.len() - 1)) % COLORS.len()]);
    }
    push(out, "size", category.sizes[even(take(5), category.sizes.len())]);
    push(out, "material", category.materials[material]);
    if take(2) == 0 {
        push(out, "material", category.materials[(material + 1) % category.materials.len()]);
    }
    push(out, "price", PRICES[even(take(5), PRICES.len())]);
    push(out, "audience", AUDIENCES[usual(take(4), AUDIENCES.len())]);
    push(out, "season", SEASONS[usual(take(4), SEASONS.len())]);
    push(out, "rating", RATINGS[usual(take(4), RATINGS.len())]);
    push(out, "stock", STOCKS[usual(take(4), STOCKS.len())]);
    push(out, "delivery", DELIVERIES[usual(take(4), DELIVERIES.len())]);
}

fn push(out: &mut String, name: &str, value: &str) {
    if !out.is_empty() {
        out.push('|');
    }
    out.push_str(name);
    out.push(':');
    out.push_str(value);
}

/// Returns a uniformly distributed index.
fn even(random: u64, length: usize) -> usize {
    scale(random, length as u64) as usize
}

/// Returns an index skewed towards the first ones: the square of a number in [0, 1).
fn usual(random: u64, length: usize) -> usize {
    even(((u128::from(random) * u128::from(random)) >> 64) as u64, length)
}

#[cfg(test)]
mod tests {
    use super::super::random::mix;
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn every_object_has_twelve_facets_of_one_or_two_values() {
        let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for object in 0..2_000 {
            let mut text = String::new();
            push_facets(mix(object), &mut text);
            let mut counts: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
            for facet in text.split('|') {
                let (name, value) = facet.split_once(':').expect("a name and a value");
                assert!(counts.entry(name).or_default().insert(value), "twice the same in {text}");
                values.entry(name.into()).or_default().insert(value.into());
            }
            assert_eq!(counts.len(), 12, "{text}");
            assert!(counts.values().all(|of_name| of_name.len() <= 2), "{text}");
        }
        // Each value of each list occurs.
        assert_eq!(values["color"].len(), COLORS.len());
        assert_eq!(values["category"].len(), CATEGORIES.len());
        for category in &CATEGORIES {
            assert!(
                category.brands.iter().all(|brand| values["brand"].contains(*brand)),
                "{}",
                category.name
            );
            assert!(
                category.materials.iter().all(|material| values["material"].contains(*material)),
                "{}",
                category.name
            );
        }
    }
}
