//! Results that are computed from samples of the events: advice, columns, the middle key, and
//! proposals of other designs.

use std::cell::RefCell;

use tabletop_advice::{
    Advice, Context, Counted, LoadedEvents, ROLES_EVENTS, Warning, WriteCounts, advise, advise_of_counts,
    first_look, propose_designs,
};
use tabletop_keys::{FamilyRule, Field, Layout, Record, Template, edit};
use tabletop_model::{Bytes, Mutation, RowKey, SortedMap, order::sorted};
use tabletop_workload::Events;
use tabletop_workspace::{GivenRole, NamedQuery, Proposal, Workspace};

use crate::event_mapping::EventMapping;
use crate::losses::LossCounts;
use crate::supply::Supply;

/// Number of events in the sample from which the middle key is taken.
const MIDDLE_SAMPLE: u32 = 101;
/// Number of events in the sample for advice.
const ADVICE_SAMPLE: u32 = 2_000;
/// Number of events in the sample for proposals of designs. It is smaller, because several designs
/// are judged for one answer.
const PROPOSE_SAMPLE: u32 = 500;
/// Number of events whose columns are counted.
const COLUMNS_SAMPLE: u32 = 500;
/// Maximum number of columns in a view.
const COLUMNS_MAX: usize = 200;

/// What results depend on besides the design.
#[derive(Clone, PartialEq)]
struct Basis {
    events: u32,
    fields: Vec<Field>,
    families: Vec<FamilyRule>,
    /// Whether these are all events.
    is_all: bool,
}

impl Basis {
    fn of(mapping: &EventMapping, supply: Supply) -> Basis {
        let events = supply.events.len() as u32;
        let fields = supply.events.fields().to_vec();
        Basis { events, fields, families: mapping.families.clone(), is_all: supply.total == Some(events) }
    }
}

/// Results that are too expensive to compute for each view. They are computed once per revision,
/// and again each time the number of events has doubled, and when the load is complete.
///
/// The first look at a design is at its template alone. The advice follows once the table has all events
/// that have arrived, without fixes. Then the fixes that the adviser considers are counted over all events, in
/// slices, and those that lose no event are added.
#[derive(Default)]
pub(crate) struct Pictures {
    advice: Advice,
    columns: Vec<(String, Bytes)>,
    /// The revision and the number of events for which these results were computed.
    of: Option<(u64, u32)>,
    /// The events for which `roles` and `losses` are valid.
    basis: Option<Basis>,
    /// The role of each field: the user's, or the one that the events show.
    roles: Vec<GivenRole>,
    losses: LossCounts,
    /// Some events that a pattern returns although they have other values.
    examples: Vec<u32>,
    /// The access patterns for which the fixes were measured.
    queries: Vec<NamedQuery>,
    /// Whether the advice includes the counts of the whole table.
    counted: bool,
}

impl Pictures {
    /// Looks at the template alone at a new revision, so that the table is built before its advice is
    /// measured. Returns whether the revision is new.
    pub(crate) fn glance(&mut self, revision: u64, mapping: &EventMapping, supply: Supply) -> bool {
        if supply.events.is_empty() || self.of.is_some_and(|(of, _)| of == revision) {
            return false;
        }
        self.of = Some((revision, 0));
        self.counted = false;
        self.columns = columns(mapping, supply);
        self.advice = first_look(&mapping.written, &mapping.layout);
        true
    }

    /// Samples the loaded events if the results are outdated. Returns whether they were.
    pub(crate) fn look(&mut self, revision: u64, mapping: &EventMapping, supply: Supply) -> bool {
        let loaded = supply.events.len() as u32;
        let complete = supply.total == Some(loaded);
        let up_to_date = self.of.is_some_and(|(of, events)| {
            of == revision && (events == loaded || (!complete && loaded / 2 < events))
        });
        let is_known =
            self.advice.is_first_look || self.basis.as_ref().is_some_and(|basis| !complete || basis.is_all);
        let is_measured = !supply.measures_advice || !self.advice.is_first_look;
        if (up_to_date && is_known && is_measured && self.queries == supply.queries) || loaded == 0 {
            return false;
        }
        self.of = Some((revision, loaded));
        self.counted = false;
        self.queries = supply.queries.to_vec();
        self.columns = columns(mapping, supply);
        if supply.measures_advice {
            self.measure(mapping, supply);
        } else {
            self.advice = first_look(&mapping.written, &mapping.layout);
        }
        true
    }

    /// Returns whether the advice at a revision may still change without an edit: it is not measured
    /// yet, or not all events are counted. The counts of the whole table follow once it `is_built`.
    pub(crate) fn is_awaited(&self, revision: u64, is_built: bool) -> bool {
        self.advice.is_first_look || self.losses.is_due() || is_built && !self.is_complete(revision)
    }

    /// Advises from the roles of the fields and from a sample of the events.
    #[inline(never)]
    fn measure(&mut self, mapping: &EventMapping, supply: Supply) {
        let basis = Basis::of(mapping, supply);
        if self.basis.as_ref() != Some(&basis) {
            self.losses = LossCounts::default();
            self.roles = roles(supply.events, if basis.is_all { ROLES_EVENTS } else { ADVICE_SAMPLE });
            self.basis = Some(basis);
        }
        for given in supply.roles {
            self.roles
                .iter_mut()
                .filter(|role| role.field == given.field)
                .for_each(|role| role.role = given.role);
        }
        self.advise(mapping, supply);
    }

    fn advise(&mut self, mapping: &EventMapping, supply: Supply) {
        let others = self.others();
        let sampled = Sampled::of(supply.events, ADVICE_SAMPLE, &others);
        let losses = &self.losses;
        // Before the end of the load, losses would have to be counted again.
        let is_all = self.basis.as_ref().is_some_and(|basis| basis.is_all);
        let counts = |template: &Template, layout: &Layout| {
            if is_all { losses.of(template, layout) } else { Counted::NotYet }
        };
        let digits = digits(supply);
        let context = Context {
            roles: &self.roles,
            others: others.len(),
            queries: &self.queries,
            families: &mapping.families,
            digits: &digits,
            holds: &holds(supply),
            counts: &counts,
        };
        self.advice = advise(&mapping.written, &mapping.layout, context, sampled.records());
    }

    /// Returns the events that belong to the sample because they show a problem.
    fn others(&self) -> Vec<u32> {
        [self.losses.shared(), &self.examples].concat()
    }

    /// Advises again, with events that a pattern returns although they have other values.
    pub(crate) fn with_examples(&mut self, mapping: &EventMapping, supply: Supply, examples: &[u32]) {
        if self.examples != examples && !self.advice.is_first_look {
            self.examples = examples.to_vec();
            self.counted = false;
            self.advise(mapping, supply);
        }
    }

    /// Makes the advice outdated: fields have other roles.
    pub(crate) fn forget(&mut self) {
        (self.of, self.basis) = (None, None);
    }

    /// Returns whether the advice at a revision includes the counts of the whole table.
    pub(crate) fn is_complete(&self, revision: u64) -> bool {
        self.counted && self.of.is_some_and(|(of, _)| of == revision)
    }

    /// Counts the losses of the design and of its fixes over about `count` more events, and advises
    /// again when all are counted. Returns whether there was anything to do.
    pub(crate) fn count_losses(&mut self, mapping: &EventMapping, supply: Supply, count: u32) -> bool {
        if supply.total != Some(supply.events.len() as u32) || !self.losses.is_due() {
            return false;
        }
        if self.losses.count(supply, &mapping.families, count) {
            self.advise(mapping, supply);
        }
        true
    }

    /// Adds the counts of the whole table to the advice, once. Returns whether there was anything to
    /// do.
    pub(crate) fn count_shared(
        &mut self,
        mapping: &EventMapping,
        supply: Supply,
        counts: impl FnOnce() -> Option<WriteCounts>,
    ) -> bool {
        if self.counted || self.advice.is_first_look {
            return false;
        }
        self.counted = true;
        let Some(counts) = counts().filter(|counts| counts.are_short(&mapping.layout)) else { return false };
        let others = self.others();
        let sampled = Sampled::of(supply.events, ADVICE_SAMPLE, &others);
        let all = |template: &Template, layout: &Layout| self.losses.of(template, layout);
        let digits = digits(supply);
        let context = Context {
            roles: &self.roles,
            others: others.len(),
            queries: &self.queries,
            families: &mapping.families,
            digits: &digits,
            holds: &holds(supply),
            counts: &all,
        };
        let warning = advise_of_counts(&mapping.written, &mapping.layout, context, sampled.records(), counts);
        // Fixes that are not counted yet are counted first.
        self.counted = !self.losses.is_due();
        self.advice.with_counted(warning);
        true
    }

    /// Returns the advice about the design.
    pub(crate) fn advice(&self) -> &Advice {
        &self.advice
    }

    /// Returns the warnings that the events show: none before they are examined.
    pub(crate) fn warnings(&self) -> &[Warning] {
        if self.advice.is_first_look { &[] } else { &self.advice.warnings }
    }

    /// Returns the role of each field of the events.
    pub(crate) fn roles(&self, events: &Events) -> Vec<GivenRole> {
        if self.roles.len() == events.fields().len() {
            self.roles.clone()
        } else {
            roles(events, ADVICE_SAMPLE)
        }
    }

    /// Returns the columns of the table, the most frequent first.
    pub(crate) fn columns(&self) -> &[(String, Bytes)] {
        &self.columns
    }

    /// Makes the results of one revision valid for another revision with the same events and
    /// mapping.
    pub(crate) fn carry(&mut self, from: u64, to: u64) {
        if let Some((of, _)) = &mut self.of
            && *of == from
        {
            *of = to;
        }
    }
}

/// Proposes designs for the access patterns of a workspace with these events. Each of them is counted
/// over all events.
pub fn propose(supply: Supply, workspace: &Workspace) -> Vec<Proposal> {
    let sampled = Sampled::of(supply.events, PROPOSE_SAMPLE, &[]);
    let losses = RefCell::new(LossCounts::default());
    let counts = |template: &Template, layout: &Layout| {
        let known = losses.borrow().of(template, layout);
        if known == Counted::NotYet {
            losses.borrow_mut().count(supply, &[], u32::MAX);
        }
        losses.borrow().of(template, layout)
    };
    let mut roles = roles(supply.events, ROLES_EVENTS);
    for given in &workspace.roles {
        roles.iter_mut().filter(|role| role.field == given.field).for_each(|role| role.role = given.role);
    }
    let digits = digits(supply);
    let context = Context {
        roles: &roles,
        others: 0,
        queries: &workspace.queries,
        families: &[],
        digits: &digits,
        holds: &holds(supply),
        counts: &counts,
    };
    propose_designs(supply.events.fields(), &workspace.designs, context, sampled.records())
}

/// Finds the digits of the longest whole number of a field in all events. Each field is read once.
fn digits(supply: Supply<'_>) -> impl Fn(&str) -> Option<u8> {
    let known: RefCell<SortedMap<String, Option<u8>>> = RefCell::default();
    move |name| {
        if let Some(known) = known.borrow().get(name) {
            return *known;
        }
        let events = supply.events;
        let at = events.fields().iter().position(|field| field.name == name)?;
        let found = edit::digits((0..events.len()).filter_map(|index| events.value(index, at)));
        known.borrow_mut().insert(name.into(), found);
        found
    }
}

/// Finds out whether a value of any event contains a text.
fn holds(supply: Supply<'_>) -> impl Fn(&str) -> Option<bool> {
    move |text| {
        let events = supply.events;
        let value = |index| (0..events.fields().len()).filter_map(move |field| events.value(index, field));
        Some((0..events.len()).flat_map(value).any(|value| value.contains(text)))
    }
}

/// Finds the role of each field in at most `most` events, in the order of the file: it shows what the
/// file lists.
fn roles(events: &Events, most: u32) -> Vec<GivenRole> {
    let (fields, count) = (events.fields(), events.len());
    let value = |event, field| events.value_in_file(event, field);
    let found = LoadedEvents { fields, count, value: &value }.roles(most);
    fields
        .iter()
        .zip(found)
        .map(|(field, found)| GivenRole { field: field.name.clone(), role: found.role })
        .collect()
}

/// Returns a key from about the middle of the table: the middle one of a sample of its events.
pub(crate) fn middle_key(mapping: &EventMapping, supply: Supply, built: u32) -> Option<RowKey> {
    let mut keys = Vec::new();
    supply.events.for_each(spread(built, MIDDLE_SAMPLE), |_, record| {
        let mut key = Vec::new();
        if mapping.writer.template().write_key(record, &mut key).is_ok() {
            keys.push(key);
        }
    });
    let middle = keys.len() / 2;
    sorted(keys, Vec::cmp).into_iter().nth(middle).map(RowKey::from)
}

/// A sample of events for advice.
pub(crate) struct Sampled<'a> {
    fields: &'a [Field],
    values: Vec<Option<&'a str>>,
}

impl<'a> Sampled<'a> {
    /// Takes at most `most` events, evenly spread over all, in the order of their arrival, then the
    /// `others`.
    pub(crate) fn of(events: &'a Events, most: u32, others: &[u32]) -> Sampled<'a> {
        let indices = spread(events.len() as u32, most).chain(others.iter().copied());
        let (mut values, mut all) = (Vec::new(), Vec::new());
        for index in indices {
            events.record(index as usize, &mut values);
            all.extend(values.iter().copied());
        }
        Sampled { fields: events.fields(), values: all }
    }

    pub(crate) fn records(&self) -> impl Iterator<Item = Record<'_>> {
        self.values
            .chunks_exact(self.fields.len().max(1))
            .map(|values| Record { fields: self.fields, values })
    }
}

/// Returns the columns of the table, the most frequent ones first.
fn columns(mapping: &EventMapping, supply: Supply) -> Vec<(String, Bytes)> {
    let mut counts: SortedMap<(String, Bytes), u32> = SortedMap::new();
    supply.events.for_each(spread(supply.events.len() as u32, COLUMNS_SAMPLE), |index, record| {
        let Ok(row) = mapping.writer.write(record, index.into()) else { return };
        for mutation in row.mutations {
            if let Mutation::SetCell { family, qualifier, .. }
            | Mutation::AddToCell { family, qualifier, .. } = mutation
            {
                *counts.get_or_default((family, qualifier)) += 1;
            }
        }
    });
    let counts: Vec<_> = counts.into_iter().collect();
    let counts =
        sorted(counts, |(column, count), (other, others)| others.cmp(count).then_with(|| column.cmp(other)));
    counts.into_iter().take(COLUMNS_MAX).map(|(column, _)| column).collect()
}

/// Returns at most `most` of `count` indices, evenly spread, including the first and the last.
fn spread(count: u32, most: u32) -> impl Iterator<Item = u32> {
    let taken = count.min(most);
    let last = u64::from(count.saturating_sub(1));
    (0..taken).map(move |step| (u64::from(step) * last / u64::from(taken.saturating_sub(1).max(1))) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_spread_evenly_from_first_to_last() {
        assert_eq!(spread(0, 5).count(), 0);
        assert_eq!(spread(1, 5).collect::<Vec<_>>(), [0]);
        assert_eq!(spread(3, 5).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(spread(101, 5).collect::<Vec<_>>(), [0, 25, 50, 75, 100]);
        assert_eq!(spread(u32::MAX, 2).collect::<Vec<_>>(), [0, u32::MAX - 1]);
    }
}
