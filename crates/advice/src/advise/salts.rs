//! The use of the salts: uneven ones, too few, and one that scatters an area.

use alloc::vec::Vec;

use tabletop_keys::{Part, Template, cut_over_text, edit};

use super::fixes;
use super::pattern::{self, HEAT_OF_SPREAD, PLACES_TOO_FEW, Pattern, first_field_part};
use super::sample::{EVENTS_MIN, Sample};
use super::{Cause, SaltCause, SaltSpread};
use crate::Warning;
use crate::key_list::Keys;

/// A salt helps if the hottest tablet takes this share, or less, of what it takes without the salt.
const SALT_HELPS: f64 = 0.75;

/// The spread of a sample's events over the salts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SaltUse {
    /// Salts of the template.
    pub salts: u32,
    /// The salts that are used; all of them if the salt is even.
    pub used: u32,
    /// The share of events of the salt that is used most.
    pub largest_share: f64,
    /// Whether this share is far more than an even one, and the salt is the reason.
    pub is_uneven: bool,
}

/// The use of the salts in the sample; `None` without a salt or without salted events.
pub(super) fn of(sample: &Sample, pattern: &Pattern) -> Option<SaltUse> {
    let found = counted(sample.template, &sample.keys)?;
    // Where the keys of each salt are all over its range, an uneven salt harms only if another salt
    // of the same key is even. Otherwise the reason is a row that takes much, which is another
    // warning.
    let is_reason = match pattern {
        Pattern::Spread | Pattern::FewRows(_) => whole_key_is_even(sample),
        Pattern::Rising | Pattern::FewRanges { .. } => true,
    };
    let is_uneven = found.is_uneven && is_reason;
    Some(SaltUse { used: if is_uneven { found.used } else { found.salts }, is_uneven, ..found })
}

fn counted(template: &Template, keys: &Keys) -> Option<SaltUse> {
    let salts = template.salts();
    if salts < 2 {
        return None;
    }
    let mut salts_used = Keys::default();
    for key in keys.iter().filter(|key| !template.is_unsalted(key)) {
        let logical = template.logical(key).len();
        salts_used.push(&key[..key.len() - logical]);
    }
    if salts_used.len() == 0 {
        return None;
    }
    let (used, largest) = (salts_used.distinct() as u32, salts_used.most_frequent());
    let count = salts_used.len() as f64;
    let expected = count / f64::from(salts);
    // By chance alone, one of many salts has a few more.
    let is_uneven =
        salts_used.len() >= EVENTS_MIN && largest as f64 > 2.0 * expected + 3.0 * libm::sqrt(expected) + 3.0;
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
    let cause = match pattern {
        Pattern::Rising => SaltCause::FewForRising { salts },
        Pattern::FewRanges { ranges, fields } => {
            SaltCause::FewForRanges { salts, ranges: *ranges, fields: fields.clone() }
        }
        Pattern::Spread | Pattern::FewRows(_) => return None,
    };
    Some(sample.warning(Cause::Salt(cause), None, fixes::of_few_salts(sample)))
}

fn uneven(sample: &Sample, salt: SaltUse) -> Warning {
    let over = sample.template.parts().iter().find_map(|part| match part {
        Part::Salt { over, .. } if !over.is_empty() => Some(over.clone()),
        _ => None,
    });
    let spread = SaltSpread { used: salt.used, salts: salt.salts, largest_share: salt.largest_share };
    let (cause, fixes) = match over.filter(|_| whole_key_is_even(sample)) {
        Some(fields) => (SaltCause::UnevenFields { fields, spread }, fixes::of_uneven_salt(sample)),
        None => (SaltCause::UnevenRows { row_share: sample.largest_row().1, spread }, Vec::new()),
    };
    sample.warning(Cause::Salt(cause), None, fixes)
}

/// Warns of a cut-over that no event reaches, or that all events reach.
pub(super) fn cut_over(sample: &Sample) -> Option<Warning> {
    let from = cut_over_text(sample.template.cut_over()?);
    let unsalted = sample.keys.iter().filter(|key| sample.template.is_unsalted(key)).count();
    let (events, salts) = (sample.keys.len(), sample.template.salts());
    let cause = match unsalted {
        _ if events == 0 => return None,
        0 => SaltCause::AllAfterCutOver { salts, from, events: events as u32 },
        _ if unsalted == events => SaltCause::NoneAfterCutOver { salts, from, events: events as u32 },
        _ => return None,
    };
    Some(sample.warning(Cause::Salt(cause), Some(0), fixes::of_cut_over(sample)))
}

/// Warns of a salt before a Z-order, which spreads the writes without it.
pub(super) fn scattered_area(sample: &Sample, pattern: &Pattern) -> Option<Warning> {
    let first = first_field_part(sample.template)?;
    let salts = sample.template.salts();
    if salts < 2 || *pattern != Pattern::Spread || !matches!(sample.template.parts()[first], Part::ZOrder(_))
    {
        return None;
    }
    Some(sample.warning(
        Cause::Salt(SaltCause::ScatteredArea { salts }),
        None,
        fixes::of_needless_salt(sample),
    ))
}

/// Warns of a salt before keys that spread as well without it.
pub(super) fn without_effect(sample: &Sample, pattern: &Pattern) -> Option<Warning> {
    let salts = sample.template.salts();
    let first = first_field_part(sample.template)?;
    let is_area = matches!(sample.template.parts()[first], Part::ZOrder(_));
    if salts < 2 || *pattern != Pattern::Spread || is_area || sample.template.cut_over().is_some() {
        return None;
    }
    let bare = edit::with_salt(sample.written, None);
    let (with, without) = (sample.load()?.heat(), sample.load_of(&bare, sample.layout)?.heat());
    let is_needed = with < without * SALT_HELPS && without > HEAT_OF_SPREAD;
    if is_needed || pattern::of_template(sample, &bare, sample.layout) != Pattern::Spread {
        return None;
    }
    let cause = SaltCause::WithoutEffect { salts, without, with };
    Some(sample.warning(Cause::Salt(cause), Some(0), fixes::of_needless_salt(sample)))
}
