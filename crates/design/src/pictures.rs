//! Results that are computed from samples of the events: advice, columns, the middle key, and
//! proposals of other designs.

use tabletop_advice::{Advice, WriteCounts, advise, advise_of_counts, propose_designs};
use tabletop_keys::{Field, Record};
use tabletop_model::{Bytes, Mutation, RowKey, SortedMap, order::sorted};
use tabletop_workspace::{Proposal, Workspace};

use crate::event_mapping::EventMapping;
use crate::shared::SharedKeys;
use crate::supply::Supply;

/// Number of events in the sample from which the middle key is taken.
const MIDDLE_SAMPLE: u32 = 101;
/// Number of events in the sample for advice.
const ADVICE_SAMPLE: u32 = 2_000;
/// Number of events in the sample for proposals of designs. It is smaller, because several designs
/// are judged for one answer.
const PROPOSE_SAMPLE: u32 = 500;
/// Length of the runs of consecutive events in the sample for advice. Events that arrive together
/// show where the load falls.
const ADVICE_RUN: u32 = 50;
/// Number of events whose columns are counted.
const COLUMNS_SAMPLE: u32 = 500;
/// Maximum number of columns in a view.
const COLUMNS_MAX: usize = 200;

/// Results that are too expensive to compute for each view. They are computed once per revision,
/// and again each time the number of events has doubled, and when the load is complete.
#[derive(Default)]
pub(crate) struct Pictures {
    advice: Advice,
    columns: Vec<(String, Bytes)>,
    /// The revision and the number of events for which these results were computed.
    of: Option<(u64, u32)>,
    /// The search for events that share a key, while it runs.
    shared: SharedKeys,
    /// Whether the advice includes the counts of the whole table.
    counted: bool,
}

impl Pictures {
    /// Samples the loaded events if the results are outdated. Returns whether they were.
    pub(crate) fn look(&mut self, revision: u64, mapping: &EventMapping, supply: Supply) -> bool {
        let loaded = supply.events.len() as u32;
        let up_to_date = self.of.is_some_and(|(of, events)| {
            let complete = supply.total == Some(loaded);
            of == revision && (events == loaded || (!complete && loaded / 2 < events))
        });
        if up_to_date || loaded == 0 {
            return false;
        }
        self.of = Some((revision, loaded));
        (self.shared, self.counted) = (SharedKeys::default(), false);
        let sampled = Sampled::of(supply, ADVICE_SAMPLE, &[]);
        self.advice = advise(&mapping.written, &mapping.layout, supply.roles, sampled.records());
        self.columns = columns(mapping, supply);
        true
    }

    /// Makes the advice outdated: fields have other roles.
    pub(crate) fn forget(&mut self) {
        self.of = None;
    }

    /// Returns whether the advice at a revision includes the counts of the whole table.
    pub(crate) fn is_complete(&self, revision: u64) -> bool {
        self.counted && self.of.is_some_and(|(of, _)| of == revision)
    }

    /// Adds the counts of the whole table to the advice, once. If events share a key, searches at
    /// most `count` more events for them. Returns whether there was anything to do.
    pub(crate) fn count_shared(
        &mut self,
        mapping: &EventMapping,
        supply: Supply,
        counts: impl FnOnce() -> Option<WriteCounts>,
        count: u32,
    ) -> bool {
        if self.counted {
            return false;
        }
        let Some(counts) = counts().filter(|counts| counts.are_short(&mapping.layout)) else {
            self.counted = true;
            return false;
        };
        if let Some(found) = self.shared.search(mapping, supply, count) {
            let sampled = Sampled::of(supply, ADVICE_SAMPLE, &found);
            self.advice.with_counted(advise_of_counts(
                &mapping.written,
                &mapping.layout,
                supply.roles,
                sampled.records(),
                counts,
            ));
            (self.shared, self.counted) = (SharedKeys::default(), true);
        }
        true
    }

    /// Returns the advice about the design.
    pub(crate) fn advice(&self) -> &Advice {
        &self.advice
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

/// Proposes designs for the access patterns of a workspace with these events.
pub fn propose(supply: Supply, workspace: &Workspace) -> Vec<Proposal> {
    let sampled = Sampled::of(supply, PROPOSE_SAMPLE, &[]);
    let (queries, designs) = (&workspace.queries, &workspace.designs);
    propose_designs(supply.events.fields(), queries, designs, &workspace.roles, sampled.records())
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
struct Sampled<'a> {
    fields: &'a [Field],
    values: Vec<Option<&'a str>>,
}

impl<'a> Sampled<'a> {
    /// Takes at most `most` events, in runs of neighbours, and the `others`. All are in the order
    /// of their arrival.
    fn of(supply: Supply<'a>, most: u32, others: &[u32]) -> Sampled<'a> {
        let events = supply.events;
        let mut indices: Vec<u32> =
            runs(events.len() as u32, ADVICE_RUN, most).chain(others.iter().copied()).collect();
        indices.sort_unstable();
        indices.dedup();
        let (mut values, mut all) = (Vec::new(), Vec::new());
        for index in indices {
            events.record(index as usize, &mut values);
            all.extend(values.iter().copied());
        }
        Sampled { fields: events.fields(), values: all }
    }

    fn records(&self) -> impl Iterator<Item = Record<'_>> {
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

/// Returns at most `most` of `count` indices, in evenly spread runs of `run` consecutive ones.
fn runs(count: u32, run: u32, most: u32) -> impl Iterator<Item = u32> {
    // Example: for 1,000 events, runs of 50 and at most 200 events, four runs begin evenly spread
    // between 0 and 950.
    let all = count <= most;
    let whole = all.then_some(0..count);
    let starts = spread(if all { 0 } else { count - run + 1 }, most / run);
    whole.into_iter().flatten().chain(starts.flat_map(move |start| start..start + run))
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

    #[test]
    fn runs_are_neighbours_from_start_middle_and_end() {
        assert_eq!(runs(4, 2, 4).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!(runs(101, 3, 9).collect::<Vec<_>>(), [0, 1, 2, 49, 50, 51, 98, 99, 100]);
    }
}
