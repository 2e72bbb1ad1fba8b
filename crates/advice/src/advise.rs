//! The adviser: judges a design by the events that are loaded and by the load of its tablets.
//!
//! [`advise`] examines a sample of events. This is expensive, and it is done once for each change
//! of the design. It measures the keys themselves rather than the look of the template: keys that
//! start with a hash, a salt or a reversed number do not show the patterns that it warns of.
//! [`judge`] adds the current load of the tablets, which is cheap. Every judgement on the page and
//! on the command line is from these two functions, so that no two disagree. A judgement is data;
//! the crate `texts` writes its sentences.

mod candidate;
mod cause;
mod compare;
mod context;
mod distinguish;
mod effect;
mod estimate;
mod fix_kind;
mod fixes;
mod keys;
mod layouts;
mod load;
mod offer;
mod pattern;
mod propose;
mod rows;
mod salts;
mod sample;
#[cfg(test)]
pub(crate) mod tests;
mod values;
mod verdict;
mod warning;
mod write_counts;

use alloc::vec::Vec;

use crate::evaluate::{LiveLoad, Losses};
pub use cause::{
    Cause, Explanation, KeyCause, KeyLoss, KeyRemedy, LayoutCause, LongPart, NoEffect, PatternCause,
    RisingEvidence, RowRemedy, SaltCause, SaltSpread, SkewCause, TimeForm, TimeRemedy, Unsorted, ValueCause,
};
pub use compare::{Because, Comparison, DesignFigures, Figure, Point, Rank, compare};
pub use context::{Context, Counted};
pub use effect::{Affected, Effect, ReadCost, Snapshot};
pub use estimate::{Estimate, estimate};
pub use fix_kind::{FixEffect, FixKind, PatternEffect, RowsFound};
pub use fixes::salt_fix;
pub use load::TableLoad;
pub use pattern::{Pattern, Skew};
pub use propose::propose_designs;
pub use salts::SaltUse;
pub use sample::EVENTS_MIN;
use sample::Sample;
use tabletop_keys::{Layout, LayoutWriter, Record, Template, part_fields};
pub use verdict::{Arrival, Finding, Tone, Verdict, judge};
pub use warning::{Fix, Warning, WarningKind};
pub use write_counts::WriteCounts;

/// Advice on a design, from a sample of events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Advice {
    /// Warnings, the most serious first.
    pub warnings: Vec<Warning>,
    /// The places of rows that are written at the same time, without the salt.
    pub pattern: Pattern,
    /// The spread of the events over the salts, if there is a salt.
    pub salt: Option<SaltUse>,
    /// The share of the writes of a row that takes a large part of them, if there is one.
    pub largest_row: Option<f64>,
    /// Advice for the case that one tablet takes far more than the others, although no pattern
    /// explains it.
    pub skew: Skew,
    /// The number of events that were examined.
    pub events: u32,
    /// Where the events of one moment fall; `None` if there are too few events to judge, or if they
    /// have no time.
    pub load: Option<LiveLoad>,
    /// What the design loses of all events; `None` until they are counted.
    pub losses: Option<Losses>,
    /// Whether only the template was examined, by [`first_look`]: warnings have no evidence.
    pub is_first_look: bool,
}

/// Returns what the template alone shows of a design: whether its keys start with the time of an event.
/// It takes no time and little code, so that a page has a headline before the program that measures
/// advice has arrived. [`advise`] follows.
pub fn first_look(template: &Template, layout: &Layout) -> Advice {
    let stored = template.stored(layout);
    let Some(part) = pattern::leading_time(&stored) else {
        return Advice { is_first_look: true, ..Advice::default() };
    };
    let time = part_fields(&stored.parts()[part]).into_iter().next().cloned().unwrap_or_default();
    let (remedy, shown) = (TimeRemedy::StartWithAnother, RisingEvidence::TooFewEvents(0));
    let cause = Cause::Pattern(PatternCause::LeadingTime { time, remedy, shown });
    let warnings = alloc::vec![Warning { cause, part: None, fixes: Vec::new() }];
    Advice { pattern: Pattern::Rising, warnings, is_first_look: true, ..Advice::default() }
}

/// Advises on a design: `template` with `layout`. `records` are a sample of the events, evenly spread
/// over them, in the order of their arrival, then [`Context::others`]. Two thousand events take a few milliseconds.
pub fn advise<'r>(
    template: &Template,
    layout: &Layout,
    context: Context<'_>,
    records: impl IntoIterator<Item = Record<'r>>,
) -> Advice {
    let writer = LayoutWriter::new(layout, template.fields(), template);
    let sample = Sample::of(template, &writer, layout, context, records);
    let pattern = pattern::of(&sample);
    let salt = salts::of(&sample, &pattern);
    let mut warnings = Vec::new();
    warnings.extend(match (&pattern, salt) {
        (Pattern::FewRows(_), _) | (_, None) => pattern::warning(&sample, &pattern),
        (_, Some(salt)) => salts::warning(&sample, &pattern, salt),
    });
    let large_row = rows::large(&sample, &pattern);
    let largest_row = large_row.is_some().then(|| sample.largest_row().1);
    warnings.extend(large_row);
    warnings.extend(keys::absent(&sample));
    warnings.extend(keys::shared(&sample, &writer));
    warnings.extend(layouts::without_effect(&sample));
    warnings.extend(values::reversed_times(&sample));
    warnings.extend(values::of_parts(&sample));
    warnings.extend(keys::too_long(&sample));
    warnings.extend(salts::scattered_area(&sample, &pattern));
    warnings.extend(salts::without_effect(&sample, &pattern));
    warnings.extend(keys::only_identifier(&sample));
    if sample.template.cut_over().is_some() {
        warnings.extend(salts::cut_over(&sample));
    }
    warnings.extend(values::of_other_kinds(&sample));
    warnings.extend(layouts::family_names(&sample, &writer));
    let skew = pattern::skew(&sample, &pattern, &warnings);
    let losses = match (context.counts)(template, layout) {
        Counted::OfSample => Some(sample.losses_of(template, layout)),
        Counted::All(losses) => Some(losses),
        Counted::NotYet => None,
    };
    let events = sample.records.len() as u32;
    let load = sample.load();
    Advice { warnings, pattern, salt, largest_row, skew, events, load, losses, is_first_look: false }
}

/// Warns of events that replaced others or share their rows, by the counts of the whole table.
/// `records` are the sample of [`advise`]. `None` if each event has its own cells, as its layout
/// intends.
pub fn advise_of_counts<'r>(
    template: &Template,
    layout: &Layout,
    context: Context<'_>,
    records: impl IntoIterator<Item = Record<'r>>,
    counts: WriteCounts,
) -> Option<Warning> {
    let writer = LayoutWriter::new(layout, template.fields(), template);
    keys::counted(&Sample::of(template, &writer, layout, context, records), counts)
}

impl Advice {
    /// Replaces the sample's warning of shared keys by that of the whole table.
    pub fn with_counted(&mut self, counted: Option<Warning>) {
        let at = self.warnings.iter().position(|warning| warning.kind() == WarningKind::SharedKey);
        match (at, counted) {
            (Some(at), Some(counted)) => self.warnings[at] = counted,
            (None, Some(counted)) => {
                let at = self.warnings.iter().take_while(|warning| warning.kind().limits_load()).count();
                self.warnings.insert(at, counted);
            }
            (_, None) => {}
        }
    }
}
