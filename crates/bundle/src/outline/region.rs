//! The code of a function that never runs early: from an instruction to the end of its sequence.
//!
//! A call of a later function never runs early. What follows it in the same sequence is reached
//! only through it. What precedes it leads to it, back to the last instruction that may leave the
//! sequence.

use std::collections::BTreeSet;

use walrus::ir::{Block, Br, BrIf, BrTable, Const, IfElse, Instr, InstrSeqId, InstrSeqType, Loop, Value};
use walrus::{FunctionId, LocalFunction, LocalId, Module};

/// Where the function continues after a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Where a branch to a sequence leads.
    To(InstrSeqId),
    /// The function returns.
    Return,
    /// After the last instruction of the region's sequence.
    End,
}

/// The instructions of a sequence from an index to its end.
#[derive(Debug)]
pub struct Region {
    pub seq: InstrSeqId,
    pub from: usize,
    /// Whether a branch to the sequence leads to its start.
    pub is_loop: bool,
    pub exits: BTreeSet<Exit>,
    /// About how many bytes its code has.
    pub bytes: usize,
}

impl Region {
    /// Returns where a branch leads that leaves the region.
    pub fn exit(&self, body: &LocalFunction, block: InstrSeqId) -> Exit {
        if block == body.entry_block() {
            Exit::Return
        } else if block == self.seq && !self.is_loop {
            Exit::End
        } else {
            Exit::To(block)
        }
    }
}

impl Exit {
    /// Returns where a region leads that runs to the end of its sequence, if it can.
    pub fn at_end(body: &LocalFunction, seq: InstrSeqId) -> Option<Exit> {
        let ends = matches!(
            body.block(seq).instrs.last(),
            Some((Instr::Br(_) | Instr::BrTable(_) | Instr::Return(_) | Instr::Unreachable(_), _))
        );
        let exit = if seq == body.entry_block() { Exit::Return } else { Exit::End };
        (!ends).then_some(exit)
    }
}

/// Returns the regions of an early function that never run early, inner ones before outer ones.
pub fn regions(module: &Module, body: &LocalFunction, later: &BTreeSet<FunctionId>) -> Vec<Region> {
    let mut finder = Finder { module, body, later, loops: BTreeSet::new(), found: Vec::new() };
    finder.find(body.entry_block());
    finder.found
}

/// Returns whether the branches of a function are of the kinds that Rust's compiler writes, which are
/// those that [`Live`](super::live::Live) follows.
pub fn is_understood(body: &LocalFunction) -> bool {
    let mut is_understood = true;
    each(body, body.entry_block(), 0, &mut |instruction| {
        is_understood &= !matches!(
            instruction,
            Instr::Try(_)
                | Instr::TryTable(_)
                | Instr::BrOnNull(_)
                | Instr::BrOnNonNull(_)
                | Instr::BrOnCast(_)
                | Instr::BrOnCastFail(_)
        );
    });
    is_understood
}

/// Returns the locals that a region gets, and those that it sets.
pub fn locals(body: &LocalFunction, seq: InstrSeqId, from: usize) -> (BTreeSet<LocalId>, BTreeSet<LocalId>) {
    let (mut reads, mut writes) = (BTreeSet::new(), BTreeSet::new());
    each(body, seq, from, &mut |instruction| match instruction {
        Instr::LocalGet(get) => drop(reads.insert(get.local)),
        Instr::LocalSet(set) => drop(writes.insert(set.local)),
        Instr::LocalTee(tee) => drop(writes.insert(tee.local)),
        _ => {}
    });
    (reads, writes)
}

/// Calls a function with each instruction of a sequence from an index on, and with those in it.
fn each(body: &LocalFunction, seq: InstrSeqId, from: usize, see: &mut impl FnMut(&Instr)) {
    for (instruction, _) in &body.block(seq).instrs[from..] {
        see(instruction);
        for inner in inner(instruction) {
            each(body, inner, 0, see);
        }
    }
}

fn inner(instruction: &Instr) -> Vec<InstrSeqId> {
    match instruction {
        Instr::Block(Block { seq }) | Instr::Loop(Loop { seq }) => vec![*seq],
        Instr::IfElse(IfElse { consequent, alternative }) => vec![*consequent, *alternative],
        _ => Vec::new(),
    }
}

/// Returns the sequences that an instruction may continue at.
fn targets(instruction: &Instr) -> Vec<InstrSeqId> {
    match instruction {
        Instr::Br(Br { block }) | Instr::BrIf(BrIf { block }) => vec![*block],
        Instr::BrTable(BrTable { blocks, default }) => blocks.iter().chain([default]).copied().collect(),
        _ => Vec::new(),
    }
}

struct Finder<'a> {
    module: &'a Module,
    body: &'a LocalFunction,
    later: &'a BTreeSet<FunctionId>,
    /// The sequences of the loops found so far, among them those around the place that is looked at.
    loops: BTreeSet<InstrSeqId>,
    found: Vec<Region>,
}

impl Finder<'_> {
    fn find(&mut self, seq: InstrSeqId) {
        let body = self.body;
        let region = self.cold_from(seq).and_then(|from| self.region(seq, from));
        let instructions = &body.block(seq).instrs;
        let hot = region.as_ref().map_or(instructions.len(), |region| region.from);
        for (instruction, _) in &instructions[..hot] {
            if let Instr::Loop(Loop { seq }) = instruction {
                self.loops.insert(*seq);
            }
            for inner in inner(instruction) {
                self.find(inner);
            }
        }
        self.found.extend(region);
    }

    /// Returns the first index of a sequence from which on it never runs early, and at which the
    /// sequence has no values on the stack.
    fn cold_from(&self, seq: InstrSeqId) -> Option<usize> {
        let instructions = &self.body.block(seq).instrs;
        let cold = instructions.iter().position(|(instruction, _)| self.is_cold(instruction))?;
        let heights = self.heights(seq, cold)?;
        let leaves = |at: usize| self.leaves(&instructions[at].0);
        (0..=cold).rev().take_while(|at| *at == cold || !leaves(*at)).filter(|at| heights[*at] == 0).last()
    }

    fn is_cold(&self, instruction: &Instr) -> bool {
        match instruction {
            Instr::Call(call) => self.later.contains(&call.func),
            Instr::Block(_) | Instr::Loop(_) | Instr::IfElse(_) => {
                inner(instruction).into_iter().all(|seq| self.cold_from(seq) == Some(0))
            }
            _ => false,
        }
    }

    /// Returns whether control may continue elsewhere than at the next instruction.
    fn leaves(&self, instruction: &Instr) -> bool {
        matches!(instruction, Instr::Return(_)) || {
            let mut inside = inner(instruction);
            let mut at = 0;
            let mut leads_out = !targets(instruction).is_empty();
            while at < inside.len() && !leads_out {
                for (instruction, _) in &self.body.block(inside[at]).instrs {
                    inside.extend(inner(instruction));
                    leads_out |= matches!(instruction, Instr::Return(_))
                        || targets(instruction).iter().any(|target| !inside.contains(target));
                }
                at += 1;
            }
            leads_out
        }
    }

    /// Returns the number of values on the stack before each instruction of a sequence, up to an
    /// index; nothing if an instruction is not known, or is never reached.
    fn heights(&self, seq: InstrSeqId, last: usize) -> Option<Vec<usize>> {
        let mut heights = vec![0_usize];
        for (instruction, _) in &self.body.block(seq).instrs[..last] {
            let (takes, gives) = self.effect(instruction)?;
            heights.push(heights.last()?.checked_sub(takes)? + gives);
        }
        Some(heights)
    }

    /// Returns the region from an index on, if it can become a function.
    fn region(&self, seq: InstrSeqId, from: usize) -> Option<Region> {
        let entry = self.body.entry_block();
        let returns = self.module.types.results(self.body.ty()).len();
        let (mut inside, mut outward) = (BTreeSet::new(), BTreeSet::new());
        let (mut bytes, mut is_known) = (0, true);
        each(self.body, seq, from, &mut |instruction| {
            bytes += size(instruction);
            inside.extend(inner(instruction));
            let leads: Vec<_> = targets(instruction).into_iter().filter(|to| !inside.contains(to)).collect();
            is_known &= match instruction {
                Instr::Br(_) | Instr::Unreachable(_) => true,
                Instr::Return(_) => {
                    outward.insert(entry);
                    true
                }
                Instr::BrTable(_) => leads.is_empty(),
                // The value that would be returned stays on the stack if the branch is not taken.
                Instr::BrIf(_) => returns == 0 || !leads.contains(&entry),
                _ => self.effect(instruction).is_some(),
            };
            outward.extend(leads);
        });
        let has_value = |seq: InstrSeqId| !matches!(self.body.block(seq).ty, InstrSeqType::Simple(None));
        // A branch to a block with a value takes the value with it. A branch to a loop takes only its
        // parameters.
        let takes_value = |to: InstrSeqId| match self.body.block(to).ty {
            _ if to == entry => false,
            InstrSeqType::Simple(value) => value.is_some() && !self.loops.contains(&to),
            InstrSeqType::MultiValue(_) => true,
        };
        let is_possible = is_known
            && returns <= 1
            && (seq == entry || !has_value(seq))
            && !outward.iter().any(|to| takes_value(*to));
        let is_loop = self.loops.contains(&seq);
        let mut region = Region { seq, from, is_loop, exits: BTreeSet::new(), bytes };
        let exits = outward.into_iter().map(|to| region.exit(self.body, to));
        region.exits = exits.chain(Exit::at_end(self.body, seq)).collect();
        is_possible.then_some(region)
    }

    /// Returns how many values an instruction takes from the stack and puts onto it; nothing for an
    /// instruction after which the next one does not run, and for instructions that Rust's compiler
    /// does not write.
    fn effect(&self, instruction: &Instr) -> Option<(usize, usize)> {
        let given = |seq: InstrSeqId| match self.body.block(seq).ty {
            InstrSeqType::Simple(value) => Some(usize::from(value.is_some())),
            InstrSeqType::MultiValue(_) => None,
        };
        let called = |ty| {
            let (params, results) = self.module.types.params_results(ty);
            (params.len(), results.len())
        };
        Some(match instruction {
            Instr::Block(Block { seq }) | Instr::Loop(Loop { seq }) => (0, given(*seq)?),
            Instr::IfElse(arms) => (1, given(arms.consequent)?),
            Instr::Call(call) => called(self.module.funcs.get(call.func).ty()),
            Instr::CallIndirect(call) => {
                let (params, results) = called(call.ty);
                (params + 1, results)
            }
            Instr::LocalGet(_) | Instr::GlobalGet(_) | Instr::Const(_) | Instr::MemorySize(_) => (0, 1),
            Instr::LocalSet(_) | Instr::GlobalSet(_) | Instr::Drop(_) | Instr::BrIf(_) => (1, 0),
            Instr::LocalTee(_) | Instr::Unop(_) | Instr::Load(_) | Instr::MemoryGrow(_) => (1, 1),
            Instr::TableGet(_) | Instr::RefIsNull(_) => (1, 1),
            Instr::Binop(_) | Instr::I8x16Swizzle(_) | Instr::I8x16Shuffle(_) => (2, 1),
            Instr::Select(_) | Instr::V128Bitselect(_) => (3, 1),
            Instr::Store(_) | Instr::TableSet(_) => (2, 0),
            Instr::MemoryCopy(_) | Instr::MemoryFill(_) => (3, 0),
            _ => return None,
        })
    }
}

/// Returns about how many bytes an instruction has, without those inside it.
fn size(instruction: &Instr) -> usize {
    let number = |value: i64| 1 + (64 - value.unsigned_abs().leading_zeros() as usize) / 7;
    match instruction {
        Instr::Const(Const { value }) => match value {
            Value::I32(value) => 1 + number(i64::from(*value)),
            Value::I64(value) => 1 + number(*value),
            Value::F32(_) => 5,
            Value::F64(_) => 9,
            Value::V128(_) => 18,
        },
        Instr::Load(load) => 2 + number(load.arg.offset as i64),
        Instr::Store(store) => 2 + number(store.arg.offset as i64),
        Instr::Call(_) | Instr::Block(_) | Instr::Loop(_) => 3,
        Instr::IfElse(_) | Instr::CallIndirect(_) => 4,
        Instr::LocalGet(_) | Instr::LocalSet(_) | Instr::LocalTee(_) => 2,
        Instr::GlobalGet(_) | Instr::GlobalSet(_) | Instr::Br(_) | Instr::BrIf(_) => 2,
        Instr::BrTable(BrTable { blocks, .. }) => 3 + blocks.len(),
        _ => 1,
    }
}
