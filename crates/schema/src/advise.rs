//! The adviser: judges a design by the events that are loaded and by the load of its tablets.
//!
//! [`advise`] looks at a sample of events, which is expensive and needed once for each change of the design. It measures what the
//! keys do rather than what the template looks like: a hash, a salt or a reversed number in front simply do not show the pattern
//! that is warned of. [`judge`] adds the tablets as they are at the moment, which is cheap. Every text of the page and of the
//! command line that praises or criticizes a design comes from these two, so that no two of them disagree.

mod fixes;
mod keys;
mod layouts;
mod load;
mod pattern;
mod sample;
#[cfg(test)]
mod tests;
mod values;
mod verdict;
mod warning;

use alloc::string::String;
use alloc::vec::Vec;

use crate::{Layout, LayoutWriter, Record, Template};
pub use fixes::entity_field;
pub use load::Load;
pub use pattern::{Pattern, SaltUse};
use sample::{Keys, Sample};
pub use verdict::{Finding, Tone, Verdict, judge};
pub use warning::{Fix, Warning, WarningKind};

/// What a sample of events shows of a design.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Advice {
    /// What is unwise, the worst first.
    pub warnings: Vec<Warning>,
    /// Where rows land that are written at the same time, if the salt is left out.
    pub pattern: Pattern,
    /// How the salt spreads the events, if there is one.
    pub salt: Option<SaltUse>,
    /// What to say if one tablet takes far more than the others, although no pattern explains it.
    pub skew: Skew,
}

/// Advice for a load that only the tablets show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skew {
    /// What, and what to do.
    pub message: String,
    /// A change that ends it.
    pub fix: Option<Fix>,
}

/// What `template` makes of `records`, laid out by `layout`. `records` are events in the order of their arrival: a sample that
/// takes runs of neighbours from all over the set shows most. Two thousand take a few milliseconds.
pub fn advise<'r>(template: &Template, layout: &Layout, records: impl IntoIterator<Item = Record<'r>>) -> Advice {
    let writer = LayoutWriter::new(layout, template.fields(), template);
    let records: Vec<Record> = records.into_iter().collect();
    let (keys, keyed) = Keys::of(writer.template(), &records);
    let parts = template.stored_parts(layout);
    let sample = Sample { written: template, template: writer.template(), layout, parts, records, keys, keyed };
    let (pattern, salt) = (pattern::of(&sample), pattern::salt_use(&sample));
    let mut warnings = Vec::new();
    warnings.extend(pattern::warning(&sample, &pattern, salt));
    warnings.extend(keys::shared(&sample, &writer));
    warnings.extend(layouts::without_effect(&sample));
    warnings.extend(values::reversed_times(&sample));
    warnings.extend(values::of_parts(&sample));
    warnings.extend(keys::too_long(&sample));
    warnings.extend(values::of_other_kinds(&sample));
    warnings.extend(layouts::family_names(&sample, &writer));
    let skew = pattern::skew(&sample, &warnings);
    Advice { warnings, pattern, salt, skew }
}
