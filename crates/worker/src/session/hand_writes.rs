//! The manual writes of designs that no longer exist: a design that was deleted, or one on other
//! events. They are replayed when the design exists again on the same events, for example after
//! Undo. They live as long as the worker. For a reload, the page saves the manual writes of its
//! workspace.

use tabletop_design::{DesignTable, HandWrites};
use tabletop_model::{Error, Result, wire};
use tabletop_protocol::{Answer, DesignWrites, HandWritesAsk, KeptWrites};
use tabletop_workspace::{Design, Source};

use super::stage::{Stage, supply};

/// Maximum number of deleted designs whose writes are kept. One more drops the oldest, which is
/// further back than the page can undo.
const RELEASED_MAX: usize = 2_000;

/// The manual writes of all tables.
#[derive(Default)]
pub(super) struct HandWriteStore {
    /// The number of the newest write.
    pub(super) newest: u32,
    /// The numbers of the writes that the user has undone.
    taken_back: Vec<u32>,
    /// The writes of deleted designs, the oldest first.
    released: Vec<Released>,
    /// The writes of an earlier visit, for the next workspace.
    restored: KeptWrites,
}

/// The writes of a deleted design.
struct Released {
    source: Source,
    design: Design,
    writes: HandWrites,
}

impl HandWriteStore {
    /// Keeps the writes of a table whose design, on this source, is being deleted.
    pub(super) fn release(&mut self, source: &Source, design: &Design, table: &mut DesignTable) {
        let writes = table.release_writes();
        if writes.is_empty() {
            return;
        }
        if self.released.len() == RELEASED_MAX {
            self.released.remove(0);
        }
        self.released.push(Released { source: source.clone(), design: design.clone(), writes });
    }

    /// Removes and returns the writes of a design on this source: the ones that were kept last.
    pub(super) fn adopt(&mut self, source: &Source, design: &Design) -> Option<HandWrites> {
        let is_of = |released: &Released| released.design == *design && released.source.same_events(source);
        let at = self.released.iter().rposition(is_of)?;
        let mut writes = self.released.remove(at).writes;
        writes.take_back(&self.taken_back);
        Some(writes)
    }
}

impl Stage {
    /// Returns the manual writes, or stores those of an earlier visit for the next workspace.
    #[inline(never)]
    pub(super) fn keep_hand_writes(&mut self, ask: &[u8]) -> Result<Answer> {
        match wire::decode(ask).map_err(|_| Error::invalid("malformed request about manual writes"))? {
            HandWritesAsk::Restore(kept) => {
                let written: Vec<bool> =
                    self.design_tables.iter().map(|table| !table.has_no_writes()).collect();
                self.release_writes();
                let tables = self.design_tables.iter_mut().zip(written).filter(|(_, written)| *written);
                tables.for_each(|(table, _)| table.rebuild(&self.workspace.cluster));
                self.hand_writes.restored = kept;
                Ok(Answer::Done)
            }
            HandWritesAsk::Keep => {
                let tables = self.design_tables.iter().zip(&self.workspace.designs);
                let kept = tables.map(|(table, design)| DesignWrites {
                    design: design.name.clone(),
                    writes: table.kept_writes(),
                });
                let designs = kept.filter(|kept| !kept.writes.is_empty()).collect();
                Ok(Answer::HandWrites(wire::encode(&KeptWrites { designs }).into()))
            }
        }
    }

    /// Replays the writes of an earlier visit, in the designs with their names. A design that
    /// already has writes keeps those of this visit.
    pub(super) fn restore_writes(&mut self) {
        for DesignWrites { design, writes } in std::mem::take(&mut self.hand_writes.restored).designs {
            let at = self.workspace.designs.iter().position(|each| each.name == design);
            let table =
                at.and_then(|at| self.design_tables.get_mut(at)).filter(|table| table.has_no_writes());
            table.into_iter().for_each(|table| {
                table.adopt_writes(HandWrites::of_kept(writes.clone()), &self.workspace.cluster);
            });
        }
    }

    /// Undoes the writes with these numbers, and replays all others.
    #[inline(never)]
    pub(super) fn take_back(&mut self, numbers: Vec<u32>) -> Answer {
        let supply = supply(&self.load, &self.arrival, &self.workspace, self.measures_advice);
        self.design_tables.iter_mut().for_each(|table| table.take_back(&numbers, supply));
        self.hand_writes.taken_back = numbers;
        Answer::Done
    }

    /// Keeps the manual writes of all tables, because their events or designs are about to be
    /// replaced.
    pub(super) fn release_writes(&mut self) {
        let Stage { design_tables, workspace, hand_writes, .. } = self;
        for (table, design) in design_tables.iter_mut().zip(&workspace.designs) {
            hand_writes.release(&workspace.source, design, table);
        }
    }
}
