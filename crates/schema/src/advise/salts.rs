//! The use of the salts: uneven ones, too few, and one that scatters an area.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::fixes;
use super::pattern::{EVENTS_MIN, Pattern, first_field_part};
use super::sample::{Keys, Sample};
use super::verdict::PLACES_TOO_FEW;
use crate::numbers::thousands;
use crate::{Part, Template, Warning, WarningKind};

/// The spread of a sample's events over the salts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SaltUse {
    /// Salts of the template.
    pub salts: u32,
    /// Those that are used; all of them if the salt is even.
    pub used: u32,
    /// The share of events of the salt that is used most.
    pub largest_share: f64,
    /// Whether this share is far more than an even one, and the salt is the reason.
    pub is_uneven: bool,
}

/// The use of the salts in the sample; `None` without a salt or without events.
pub(super) fn of(sample: &Sample, pattern: &Pattern) -> Option<SaltUse> {
    let found = counted(sample.template, &sample.keys)?;
    // Where the keys of each salt are all over its range, an uneven salt harms only if another salt of the same key is even.
    // Otherwise the reason is a row that takes much, which is another warning.
    let is_reason = match pattern {
        Pattern::Spread | Pattern::FewRows(_) => whole_key_is_even(sample),
        Pattern::Rising | Pattern::FewRanges { .. } => true,
    };
    let is_uneven = found.is_uneven && is_reason;
    Some(SaltUse { used: if is_uneven { found.used } else { found.salts }, is_uneven, ..found })
}

fn counted(template: &Template, keys: &Keys) -> Option<SaltUse> {
    let salts = template.salts();
    if salts < 2 || keys.len() == 0 {
        return None;
    }
    let mut salts_used = Keys::default();
    for key in keys.iter() {
        let logical = template.logical(key).len();
        salts_used.push(&key[..key.len() - logical]);
    }
    let (used, largest) = (salts_used.distinct() as u32, salts_used.most_frequent());
    let count = salts_used.len() as f64;
    let expected = count / f64::from(salts);
    // By chance alone, one of many salts has a few more.
    let is_uneven = salts_used.len() >= EVENTS_MIN && largest as f64 > 2.0 * expected + 3.0 * libm::sqrt(expected) + 3.0;
    Some(SaltUse { salts, used, largest_share: largest as f64 / count, is_uneven })
}

/// Whether the salt is made of some fields of the stored key, and one over the whole key is even.
fn whole_key_is_even(sample: &Sample) -> bool {
    fixes::over_whole_key(sample.template).is_some_and(|template| {
        let (keys, _) = Keys::of(&template, &sample.records);
        counted(&template, &keys).is_some_and(|salt| !salt.is_uneven)
    })
}

/// The warning about a salt: it is uneven, or too small for a key that grows.
pub(super) fn warning(sample: &Sample, pattern: &Pattern, salt: SaltUse) -> Option<Warning> {
    if salt.is_uneven {
        return Some(uneven(sample, salt));
    }
    if salt.salts > PLACES_TOO_FEW {
        return None;
    }
    let salts = salt.salts;
    let (message, evidence) = match pattern {
        Pattern::Rising => (
            format!(
                "With {salts} salts, at most {salts} tablets take writes at a time. Take more salts if you expect more writes than \
                 {salts} tablets can take."
            ),
            String::from("Without the salt, new rows lie next to each other."),
        ),
        Pattern::FewRanges { ranges, field } => (
            format!(
                "With {salts} salts, at most {salts} tablets take the writes of one {field} at a time. Take more salts if you expect \
                 more writes of the most frequent one than {salts} tablets can take."
            ),
            format!("{ranges} different values of {field}."),
        ),
        Pattern::Spread | Pattern::FewRows(_) => return None,
    };
    Some(sample.warning(WarningKind::FewSalts, None, message, evidence, fixes::of_few_salts(sample)))
}

fn uneven(sample: &Sample, salt: SaltUse) -> Warning {
    let over = sample.template.parts().iter().find_map(|part| match part {
        Part::Salt { over, .. } if !over.is_empty() => Some(over.join(" and ")),
        _ => None,
    });
    let (message, fixes) = match over.filter(|_| whole_key_is_even(sample)) {
        Some(over) => (
            format!(
                "The salt is made of {over}, which has too few values, or some that are far more frequent than others. \
                 Take the salt over the whole key."
            ),
            fixes::of_uneven_salt(sample),
        ),
        None => (
            format!(
                "Some row keys are far more frequent than others: one has {:.0} % of the events. A salt cannot divide a row. Add a \
                 field to the key that distinguishes its events.",
                sample.largest_row().1 * 100.0
            ),
            Vec::new(),
        ),
    };
    let evidence = format!(
        "{} of {} salts are used; one has {:.0} % of the events.",
        thousands(salt.used.into()),
        thousands(salt.salts.into()),
        salt.largest_share * 100.0
    );
    sample.warning(WarningKind::UnevenSalt, None, message, evidence, fixes)
}

/// Warns of a salt before a Z-order, which spreads the writes without it.
pub(super) fn scattered_area(sample: &Sample, pattern: &Pattern) -> Option<Warning> {
    let first = first_field_part(sample.template)?;
    let salts = sample.template.salts();
    if salts < 2 || *pattern != Pattern::Spread || !matches!(sample.template.parts()[first], Part::ZOrder(_)) {
        return None;
    }
    let message = format!(
        "A Z-order keeps neighbours together, and the salt scatters them again: a query of an area reads {salts} times as many \
         ranges. The key spreads its writes without a salt."
    );
    let evidence = format!("The events that arrive together are all over the table, with and without the {salts} salts.");
    Some(sample.warning(WarningKind::ScatteredArea, None, message, evidence, fixes::of_scattered_area(sample)))
}
