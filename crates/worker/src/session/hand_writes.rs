//! The writes by hand of designs that are gone: a design that was deleted, or one on other events. They are done again when the design is
//! there again, on the same events, as after Undo. They live as long as the worker. The page keeps those of its workspace for a reload.

use tabletop_design::{DesignTable, HandWrites};
use tabletop_model::{Error, Result, wire};
use tabletop_schema::{Answer, Design, DesignWrites, HandWritesAsk, KeptWrites, Source};

use super::stage::{Stage, supply};

/// Most designs that are gone and whose writes are kept. One more drops the oldest: it is further back than the page can undo.
const RELEASED_MAX: usize = 2_000;

/// The writes by hand in all tables.
#[derive(Default)]
pub(super) struct HandWriteStore {
    /// The number of the newest one.
    pub(super) newest: u32,
    /// Those that the person has taken back.
    taken_back: Vec<u32>,
    /// The writes of designs that are gone, the oldest first.
    released: Vec<Released>,
    /// The writes of an earlier visit, for the next workspace.
    restored: KeptWrites,
}

/// The writes of a design that is gone.
struct Released {
    source: Source,
    design: Design,
    writes: HandWrites,
}

impl HandWriteStore {
    /// Keeps the writes of a table whose design, on this source, is gone.
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

    /// Returns the writes of a design on this source, the last ones that were kept.
    pub(super) fn adopt(&mut self, source: &Source, design: &Design) -> Option<HandWrites> {
        let is_of = |released: &Released| released.design == *design && released.source.same_events(source);
        let at = self.released.iter().rposition(is_of)?;
        let mut writes = self.released.remove(at).writes;
        writes.take_back(&self.taken_back);
        Some(writes)
    }
}

impl Stage {
    /// Returns the writes by hand, or remembers those of an earlier visit.
    #[inline(never)]
    pub(super) fn keep_hand_writes(&mut self, ask: &[u8]) -> Result<Answer> {
        match wire::decode(ask).map_err(|_| Error::invalid("malformed request about manual writes"))? {
            HandWritesAsk::Restore(kept) => {
                let written: Vec<bool> = self.design_tables.iter().map(|table| !table.has_no_writes()).collect();
                self.release_writes();
                let tables = self.design_tables.iter_mut().zip(written).filter(|(_, written)| *written);
                tables.for_each(|(table, _)| table.rebuild(&self.workspace.cluster));
                self.hand_writes.restored = kept;
                Ok(Answer::Done)
            }
            HandWritesAsk::Keep => {
                let tables = self.design_tables.iter().zip(&self.workspace.designs);
                let kept =
                    tables.map(|(table, design)| DesignWrites { design: design.name.clone(), writes: table.kept_writes() });
                let designs = kept.filter(|kept| !kept.writes.is_empty()).collect();
                Ok(Answer::HandWrites(wire::encode(&KeptWrites { designs }).into()))
            }
        }
    }

    /// Does the writes of an earlier visit again, in the designs of their names. A design that has writes has those of this visit.
    pub(super) fn restore_writes(&mut self) {
        for DesignWrites { design, writes } in std::mem::take(&mut self.hand_writes.restored).designs {
            let at = self.workspace.designs.iter().position(|each| each.name == design);
            let table = at.and_then(|at| self.design_tables.get_mut(at)).filter(|table| table.has_no_writes());
            table.into_iter().for_each(|table| table.adopt_writes(HandWrites::of_kept(writes.clone()), &self.workspace.cluster));
        }
    }

    /// Takes the writes with these numbers back, and does all others again.
    #[inline(never)]
    pub(super) fn take_back(&mut self, numbers: Vec<u32>) -> Answer {
        let supply = supply(&self.load, &self.arrival, &self.workspace.cluster);
        self.design_tables.iter_mut().for_each(|table| table.take_back(&numbers, supply));
        self.hand_writes.taken_back = numbers;
        Answer::Done
    }

    /// Keeps the writes by hand of all tables: their events or their designs are about to be replaced.
    pub(super) fn release_writes(&mut self) {
        let Stage { design_tables, workspace, hand_writes, .. } = self;
        for (table, design) in design_tables.iter_mut().zip(&workspace.designs) {
            hand_writes.release(&workspace.source, design, table);
        }
    }
}
