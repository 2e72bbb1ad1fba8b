//! Counts what designs lose, over all loaded events.

use std::cell::RefCell;

use tabletop_advice::{Counted, EventHashes, LossCount, Losses};
use tabletop_keys::{FamilyRule, Layout, Template};

use crate::supply::Supply;

/// The losses of designs on the same events. Designs are counted when the adviser asks about them:
/// all that it has asked about, in one pass over the events.
#[derive(Default)]
pub(crate) struct LossCounts {
    known: Vec<(String, Layout, Losses)>,
    /// What the adviser has asked about since the last pass began.
    wanted: RefCell<Vec<(Template, Layout)>>,
    /// The pass that is under way.
    counting: Vec<(Template, Layout, LossCount)>,
    hashes: EventHashes,
    /// Some events that share their place under the first design that was counted.
    shared: Vec<u32>,
}

impl LossCounts {
    /// Returns what a design loses, or notes that it has to be counted.
    pub(crate) fn of(&self, template: &Template, layout: &Layout) -> Counted {
        let text = template.text();
        if let Some((.., losses)) = self.known.iter().find(|(of, with, _)| *of == text && with == layout) {
            return Counted::All(*losses);
        }
        let mut wanted = self.wanted.borrow_mut();
        if !wanted.iter().any(|(of, with)| of == template && with == layout) {
            wanted.push((template.clone(), layout.clone()));
        }
        Counted::NotYet
    }

    /// Returns whether designs have to be counted.
    pub(crate) fn is_due(&self) -> bool {
        !self.counting.is_empty() || !self.wanted.borrow().is_empty()
    }

    /// Returns some events that share their place under the design that was counted first.
    pub(crate) fn shared(&self) -> &[u32] {
        &self.shared
    }

    /// Adds about the work of `count` events to the pass. Returns whether it is complete.
    pub(crate) fn count(&mut self, supply: Supply, families: &[FamilyRule], count: u32) -> bool {
        if self.counting.is_empty() {
            let begin = |(template, layout): (Template, Layout)| {
                let count = LossCount::new(&template, &layout, families);
                (template, layout, count)
            };
            self.counting = self.wanted.take().into_iter().map(begin).collect();
        }
        let all = supply.events.len() as u32;
        let start = self.counting.first().map_or(all, |(.., first)| first.count());
        let end = start.saturating_add((count / self.counting.len().max(1) as u32).max(1)).min(all);
        supply.events.for_each(start..end, |index, record| {
            if index == self.hashes.count() {
                self.hashes.add(record);
            }
            self.counting.iter_mut().for_each(|(.., count)| count.add(record));
        });
        if end < all {
            return false;
        }
        for (template, layout, count) in std::mem::take(&mut self.counting) {
            if self.known.is_empty() {
                self.shared = count.shared();
            }
            self.known.push((template.text(), layout, count.losses(&self.hashes)));
        }
        true
    }
}
