//! Offers changes to a design only after they were measured.

use alloc::boxed::Box;
use alloc::vec::Vec;

use tabletop_keys::{FieldRole, Layout, Newest, Template, part_fields};
use tabletop_workspace::NamedQuery;

use super::candidate::Candidate;
use super::context::Counted;
use super::distinguish::with_distinctions;
use super::fixes::{has_one_event_per_row, spreads};
use super::pattern::{HEAT_OF_SPREAD, first_field_part};
use super::sample::Sample;
use super::{Fix, FixEffect, PatternEffect, RowsFound};
use crate::evaluate::{EventHashes, LossCount, Losses};

/// A fix improves what it is for to this share or less.
const IMPROVED: f64 = 0.75;
/// A fix of something else may make the hottest tablet this much hotter: the noise of a sample.
const SAME_HEAT: f64 = 0.03;
/// The most candidates of a group that are counted at a time.
const COUNTED_MAX: usize = 4;
/// The most ways to tell events apart that are tried for a change.
const LONGER_MAX: usize = 16;

/// What a fix is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// One tablet takes fewer of the writes.
    Heat,
    /// No event is lost.
    Losses,
    /// Events that are read together are next to each other.
    Reads,
    /// Something that has no measure, such as the order of values.
    Other,
}

/// Returns the first candidate of each group that does what it claims, loses no event, and does not
/// make anything worse without saying so.
pub(super) fn offered(
    sample: &Sample,
    claim: Claim,
    groups: impl IntoIterator<Item = Vec<Candidate>>,
) -> Vec<Fix> {
    groups.into_iter().filter_map(|group| first_that_helps(sample, claim, group)).collect()
}

fn first_that_helps(sample: &Sample, claim: Claim, group: Vec<Candidate>) -> Option<Fix> {
    let mut unknown = 0;
    for candidate in group {
        let mut found = tried(sample, claim, &candidate);
        let mut longer = with_distinctions(sample, &candidate);
        let mut tries = 0;
        loop {
            match found {
                Tried::Offered(fix) if unknown == 0 => return Some(*fix),
                // A better one may be known later.
                Tried::Offered(_) => return None,
                Tried::NoHelp => break,
                Tried::Unknown => unknown += 1,
                Tried::Loses => {}
            }
            tries += 1;
            // Asks for several, so that all are counted in one pass.
            if unknown >= COUNTED_MAX || tries > LONGER_MAX {
                break;
            }
            let Some(next) = longer.next() else { break };
            found = tried(sample, claim, &next);
        }
        if unknown > 0 {
            return None;
        }
    }
    None
}

/// What a trial shows of a candidate.
enum Tried {
    Offered(Box<Fix>),
    /// It loses events, so that more fields could help.
    Loses,
    /// More fields would not help.
    NoHelp,
    /// Its losses are not counted yet.
    Unknown,
}

fn tried(sample: &Sample, claim: Claim, candidate: &Candidate) -> Tried {
    let layout = candidate.layout.as_ref().unwrap_or(sample.layout);
    if !can_begin(sample, &candidate.template) {
        return Tried::NoHelp;
    }
    if !sample.losses_of(&candidate.template, layout).is_complete() {
        return Tried::Loses;
    }
    let (before, after) = (sample.load(), sample.load_of(&candidate.template, layout));
    let loads = before.zip(after);
    let heat = loads.map(|(before, after)| [before.heat(), after.heat()]);
    let has_more_places =
        loads.is_some_and(|(before, after)| after.hottest_place <= before.hottest_place * IMPROVED);
    let helps = match (claim, heat) {
        (_, Some([_, after])) if candidate.must_spread && after > HEAT_OF_SPREAD => false,
        (Claim::Heat, Some([before, after])) => {
            after <= before * IMPROVED || after <= before && has_more_places
        }
        (Claim::Heat, None) => false,
        (Claim::Reads | Claim::Losses, Some([before, after])) => {
            after <= HEAT_OF_SPREAD.max(before + SAME_HEAT)
        }
        (Claim::Other, Some([before, after])) => after <= before + SAME_HEAT,
        (Claim::Losses | Claim::Reads | Claim::Other, None) => true,
    };
    let causes_pattern = || {
        claim != Claim::Heat
            && !spreads(sample, &candidate.template, layout)
            && (claim == Claim::Losses || spreads(sample, sample.written, sample.layout))
    };
    // With one event per row, rows are no longer entities.
    let ends_entities = || {
        claim == Claim::Losses
            && layout.kind.shares_rows()
            && has_one_event_per_row(&candidate.template, sample)
    };
    if !helps || causes_pattern() || ends_entities() {
        return if candidate.kinds.is_empty() { Tried::Loses } else { Tried::NoHelp };
    }
    match (sample.context.counts)(&candidate.template, layout) {
        // The sample is all that is known.
        Counted::OfSample => {}
        Counted::All(losses) if losses.is_complete() => {}
        Counted::All(_) => return Tried::Loses,
        Counted::NotYet => return Tried::Unknown,
    }
    let patterns = pattern_effects(sample, &candidate.template, layout);
    let effect = FixEffect { heat, lost: [sample.counted().lost(), 0], patterns };
    Tried::Offered(Box::new(candidate.clone().into_fix(sample, effect)))
}

/// Whether a key may begin with its first field, or does so already: never with a measure, a counter
/// or a part of a time.
fn can_begin(sample: &Sample, template: &Template) -> bool {
    let first = |template: &Template| {
        let part = first_field_part(template)?;
        part_fields(&template.parts()[part]).into_iter().next().cloned()
    };
    let (before, after) = (first(sample.written), first(template));
    let role = after.as_ref().and_then(|name| {
        let at = sample.written.fields().iter().position(|field| field.name == *name)?;
        Some(sample.role(at))
    });
    let is_unfit = matches!(
        role,
        Some(FieldRole::Measure | FieldRole::Counter | FieldRole::PartOfTime | FieldRole::FreeText)
    );
    before == after || !is_unfit
}

impl Sample<'_, '_> {
    /// What the design loses of all events, or of the sample until these are counted.
    pub fn counted(&self) -> Losses {
        match (self.context.counts)(self.written, self.layout) {
            Counted::All(losses) => losses,
            Counted::OfSample | Counted::NotYet => self.losses_of(self.written, self.layout),
        }
    }

    /// What a design loses of the sample.
    pub fn losses_of(&self, template: &Template, layout: &Layout) -> Losses {
        let hashes = self.hashes.get_or_init(|| {
            let mut hashes = EventHashes::default();
            self.records.iter().for_each(|record| hashes.add(record));
            hashes
        });
        let mut count = LossCount::new(template, layout, self.context.families);
        self.records.iter().for_each(|record| count.add(record));
        count.losses(hashes)
    }
}

/// How a design finds the rows of the access patterns for which that changes.
pub(super) fn pattern_effects(sample: &Sample, template: &Template, layout: &Layout) -> Vec<PatternEffect> {
    let effect = |named: &NamedQuery| {
        let before = rows_found(sample.written, sample.layout, named);
        let after = rows_found(template, layout, named);
        (before != after).then(|| PatternEffect { name: named.name.clone(), before, after })
    };
    sample.context.queries.iter().filter_map(effect).collect()
}

/// How a design finds the rows of an access pattern.
pub(super) fn rows_found(template: &Template, layout: &Layout, named: &NamedQuery) -> RowsFound {
    use tabletop_keys::PlanKind;
    let newest = template.row_order(&named.query, layout).newest;
    match template.plan(&named.query.rows, layout) {
        Err(_) => RowsFound::Impossible,
        Ok(plan) if plan.kind() == PlanKind::Scan => RowsFound::Scan,
        Ok(plan) if plan.scans_more || newest == Some(Newest::Anywhere) => {
            RowsFound::RangesWithOthers(plan.ranges())
        }
        Ok(plan) => RowsFound::Ranges(plan.ranges()),
    }
}
