//! Which locals of a function are needed at a place: those that are read after it before they are
//! set.

use std::collections::{BTreeMap, BTreeSet};

use walrus::ir::{Br, BrIf, BrTable, Instr, InstrSeqId, LocalGet, LocalSet, LocalTee};
use walrus::{LocalFunction, LocalId};

use super::region::Exit;

type Locals = BTreeSet<LocalId>;

/// The locals that are needed at the wanted places of a function.
pub struct Live<'a> {
    body: &'a LocalFunction,
    /// The wanted index of each sequence, and what is needed before that instruction.
    wanted: BTreeMap<InstrSeqId, usize>,
    before: BTreeMap<InstrSeqId, Locals>,
    /// What is needed where a branch to each sequence leads, and at the end of each sequence.
    labels: BTreeMap<InstrSeqId, Locals>,
    ends: BTreeMap<InstrSeqId, Locals>,
}

impl Live<'_> {
    pub fn new(body: &LocalFunction, wanted: BTreeMap<InstrSeqId, usize>) -> Live<'_> {
        let (before, labels, ends) = Default::default();
        let mut live = Live { body, wanted, before, labels, ends };
        live.block(body.entry_block(), Locals::new());
        live
    }

    /// Returns what is needed before the wanted instruction of a sequence.
    pub fn before(&self, seq: InstrSeqId) -> &Locals {
        &self.before[&seq]
    }

    /// Returns what is needed where a region of a sequence is left.
    pub fn at(&self, seq: InstrSeqId, exit: Exit) -> &Locals {
        static NONE: Locals = Locals::new();
        match exit {
            Exit::To(block) => &self.labels[&block],
            Exit::End => &self.ends[&seq],
            Exit::Return => &NONE,
        }
    }

    /// Returns what is needed before a sequence whose label is its end.
    fn block(&mut self, seq: InstrSeqId, after: Locals) -> Locals {
        self.labels.insert(seq, after.clone());
        self.seq(seq, after)
    }

    /// Returns what is needed before a loop. A branch leads to its start, where all is needed that
    /// is needed before it, so this looks at the loop until it finds nothing new.
    fn loop_(&mut self, seq: InstrSeqId, after: &Locals) -> Locals {
        self.labels.insert(seq, Locals::new());
        loop {
            let before = self.seq(seq, after.clone());
            let at_start = self.labels.get_mut(&seq).expect("inserted above");
            let known = at_start.len();
            at_start.extend(&before);
            if at_start.len() == known {
                return before;
            }
        }
    }

    fn seq(&mut self, seq: InstrSeqId, after: Locals) -> Locals {
        let wanted = self.wanted.get(&seq).copied();
        let mut live = after;
        self.ends.insert(seq, live.clone());
        let body = self.body;
        for (at, (instruction, _)) in body.block(seq).instrs.iter().enumerate().rev() {
            live = self.instruction(instruction, live);
            if wanted == Some(at) {
                self.before.insert(seq, live.clone());
            }
        }
        live
    }

    /// Returns what is needed before an instruction.
    fn instruction(&mut self, instruction: &Instr, mut live: Locals) -> Locals {
        match instruction {
            Instr::LocalGet(LocalGet { local }) => {
                live.insert(*local);
            }
            Instr::LocalSet(LocalSet { local }) | Instr::LocalTee(LocalTee { local }) => {
                live.remove(local);
            }
            Instr::Block(block) => return self.block(block.seq, live),
            Instr::Loop(body) => return self.loop_(body.seq, &live),
            Instr::IfElse(arms) => {
                let mut before = self.block(arms.consequent, live.clone());
                before.extend(self.block(arms.alternative, live));
                return before;
            }
            Instr::Br(Br { block }) => return self.labels[block].clone(),
            Instr::BrIf(BrIf { block }) => live.extend(&self.labels[block]),
            Instr::BrTable(BrTable { blocks, default }) => {
                return blocks
                    .iter()
                    .chain([default])
                    .flat_map(|block| &self.labels[block])
                    .copied()
                    .collect();
            }
            Instr::Return(_) | Instr::Unreachable(_) => return Locals::new(),
            _ => {}
        }
        live
    }
}
