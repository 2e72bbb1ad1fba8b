//! Moves code that never runs early out of early functions, into functions of the later part.
//!
//! The list of early functions says more than which functions are early. A call of a later function
//! did not run in the recording, because then its callee would be early. The code around it that
//! runs whenever the call does ([`region`]) did not run either, and becomes a function:
//!
//! ```text
//! block $ok                        block $ok
//!   local.get $file                  local.get $file
//!   br_if $ok                        br_if $ok
//!   ... 60 instructions    ──>       local.get $path
//!   call $report                     call $"open (cold)"      its 60 instructions are fetched later
//!   local.set $problem               local.set $problem
//!   br $end                          br $end
//! end                              end
//! ```
//!
//! The parameters of the new function are the locals that the code needs. Its results are the locals
//! that it sets and that are needed after it ([`live`]), the value that the function returns if it
//! returns there, and a number that says where to continue if there is more than one place. The
//! program behaves the same whatever is moved.

mod live;
mod region;

use std::collections::{BTreeMap, BTreeSet};

use walrus::ir::{
    BinaryOp, Binop, Block, Br, BrIf, BrTable, Call, Const, IfElse, Instr, InstrSeqId, LocalGet, LocalSet,
    LocalTee, Loop, Return, Unreachable, Value,
};
use walrus::{FunctionBuilder, FunctionId, FunctionKind, LocalId, Module, ValType};

use crate::Result;
use live::Live;
use region::{Exit, Region, regions};

/// Ends the names of functions made of moved code.
const SUFFIX: &str = " (cold)";
/// A function with more results is not made. Engines return the first ones in registers.
const RESULTS_MAX: usize = 4;
/// What moved code must save at least, in bytes.
const SAVED_MIN: usize = 8;

/// Moves the code of early functions that never runs early into functions of their own, which
/// [`is_cold`] names.
///
/// # Errors
/// An error if the program cannot be read.
pub fn outline(wasm: &[u8], is_later: impl Fn(&str) -> bool) -> Result<Vec<u8>> {
    let mut module =
        Module::from_buffer(wasm).map_err(|error| format!("the program cannot be read: {error:#}"))?;
    let (mut early, mut later) = (Vec::new(), BTreeSet::new());
    for function in module.funcs.iter() {
        let (FunctionKind::Local(_), Some(name)) = (&function.kind, &function.name) else { continue };
        if is_later(name) {
            later.insert(function.id());
        } else {
            early.push(function.id());
        }
    }
    for function in early {
        for plan in plans(&module, function, &later) {
            plan.apply(&mut module, function);
        }
    }
    Ok(module.emit_wasm())
}

/// Returns whether a function, by its name, is made of moved code.
pub fn is_cold(name: &str) -> bool {
    name.ends_with(SUFFIX)
}

/// How a region becomes a function.
#[derive(Debug)]
struct Plan {
    region: Region,
    /// The locals that the region needs.
    params: Vec<LocalId>,
    /// The locals that it sets and that are needed after it, and later the returned value.
    outs: Vec<LocalId>,
}

fn plans(module: &Module, function: FunctionId, later: &BTreeSet<FunctionId>) -> Vec<Plan> {
    let body = module.funcs.get(function).kind.unwrap_local();
    let regions = regions(module, body, later);
    if regions.is_empty() || !region::is_understood(body) {
        return Vec::new();
    }
    let live = Live::new(body, regions.iter().map(|region| (region.seq, region.from)).collect());
    let plans = regions.into_iter().map(|region| {
        let (reads, writes) = region::locals(body, region.seq, region.from);
        let before = live.before(region.seq);
        let params = before.iter().filter(|local| reads.contains(local) || writes.contains(local));
        let after: BTreeSet<LocalId> =
            region.exits.iter().flat_map(|exit| live.at(region.seq, *exit)).copied().collect();
        let outs = after.intersection(&writes).copied().collect();
        Plan { params: params.copied().collect(), outs, region }
    });
    plans.filter(Plan::is_worth_it).collect()
}

impl Plan {
    fn has_number(&self) -> bool {
        self.region.exits.len() > 1
    }

    /// Returns whether the early part shrinks: the region's bytes must exceed those of the call and of
    /// the stub of a later function (crates/bundle/src/split.rs).
    fn is_worth_it(&self) -> bool {
        // The returned value becomes one more result.
        let outs = self.outs.len() + usize::from(self.region.exits.contains(&Exit::Return));
        let params = self.params.len();
        let jumps = if self.has_number() { 2 + 7 * self.region.exits.len() } else { 2 };
        let call = 3 + 2 * params + 2 * outs + jumps;
        let stub = 15 + 2 * params;
        outs + usize::from(self.has_number()) <= RESULTS_MAX && self.region.bytes >= call + stub + SAVED_MIN
    }

    /// Replaces the region with a call of a new function.
    fn apply(mut self, module: &mut Module, function: FunctionId) {
        let parent = module.funcs.get(function);
        let name = format!("{}{SUFFIX}", parent.name.as_deref().unwrap_or_default());
        let value = module.types.results(parent.ty()).first().copied();
        // The value that the function returns is one more local that the region sets.
        let returned =
            value.filter(|_| self.region.exits.contains(&Exit::Return)).map(|value| module.locals.add(value));
        self.outs.extend(returned);

        let of = |locals: &[LocalId]| -> Vec<ValType> {
            locals.iter().map(|local| module.locals.get(*local).ty()).collect()
        };
        let (params, mut results) = (of(&self.params), of(&self.outs));
        if self.has_number() {
            results.push(ValType::I32);
        }
        let mut builder = FunctionBuilder::new(&mut module.types, &params, &results);
        builder.name(name);
        let entry = builder.func_body_id();
        let mut copy = Copy {
            module,
            function,
            plan: &self,
            returned,
            builder,
            locals: BTreeMap::new(),
            seqs: BTreeMap::new(),
        };
        let arguments = self.params.iter().map(|local| copy.local(*local)).collect();
        copy.seq(self.region.seq, self.region.from, entry);
        copy.leave_at_end(entry);
        let builder = copy.builder;
        let cold = builder.finish(arguments, &mut module.funcs);
        self.call(module, function, cold, returned);
    }

    /// Puts the call in place of the region.
    fn call(&self, module: &mut Module, function: FunctionId, cold: FunctionId, returned: Option<LocalId>) {
        let mut code: Vec<Instr> = self.params.iter().map(|&local| LocalGet { local }.into()).collect();
        code.push(Call { func: cold }.into());
        let number = self.has_number().then(|| module.locals.add(ValType::I32));
        let results = self.outs.iter().copied().chain(number);
        code.extend(results.rev().map(|local| Instr::from(LocalSet { local })));
        let body = module.funcs.get_mut(function).kind.unwrap_local_mut();
        for (at, exit) in self.region.exits.iter().enumerate() {
            let jump: Vec<Instr> = match exit {
                Exit::To(block) => vec![Br { block: *block }.into()],
                Exit::Return => {
                    let value = returned.map(|local| LocalGet { local }.into());
                    value.into_iter().chain([Return {}.into()]).collect()
                }
                Exit::End => Vec::new(),
            };
            let (Some(local), true) = (number, at + 1 < self.region.exits.len()) else {
                code.extend(jump);
                continue;
            };
            let mut arm = |jump: Vec<Instr>| {
                let mut seq = body.builder_mut().dangling_instr_seq(None);
                for instruction in jump {
                    seq.instr(instruction);
                }
                seq.id()
            };
            let (consequent, alternative) = (arm(jump), arm(Vec::new()));
            code.extend([
                LocalGet { local }.into(),
                Const { value: Value::I32(at as i32) }.into(),
                Binop { op: BinaryOp::I32Eq }.into(),
                IfElse { consequent, alternative }.into(),
            ]);
        }
        if self.region.exits.is_empty() {
            code.push(Unreachable {}.into());
        }
        let instructions = &mut body.block_mut(self.region.seq).instrs;
        instructions.truncate(self.region.from);
        instructions.extend(code.into_iter().map(|instruction| (instruction, Default::default())));
    }
}

/// Copies a region into a new function.
struct Copy<'a> {
    module: &'a mut Module,
    function: FunctionId,
    plan: &'a Plan,
    returned: Option<LocalId>,
    builder: FunctionBuilder,
    /// The new function's local for each one of the old function, and the same for sequences.
    locals: BTreeMap<LocalId, LocalId>,
    seqs: BTreeMap<InstrSeqId, InstrSeqId>,
}

impl Copy<'_> {
    fn local(&mut self, old: LocalId) -> LocalId {
        let ty = self.module.locals.get(old).ty();
        *self.locals.entry(old).or_insert_with(|| self.module.locals.add(ty))
    }

    fn push(&mut self, seq: InstrSeqId, instruction: impl Into<Instr>) {
        self.builder.instr_seq(seq).instr(instruction);
    }

    /// Copies the instructions of a sequence to the end of a new one.
    fn seq(&mut self, old: InstrSeqId, from: usize, new: InstrSeqId) {
        let body = self.module.funcs.get(self.function).kind.unwrap_local();
        let code: Vec<Instr> =
            body.block(old).instrs[from..].iter().map(|(instruction, _)| instruction.clone()).collect();
        for instruction in code {
            self.instruction(instruction, new);
        }
    }

    fn inner(&mut self, old: InstrSeqId) -> InstrSeqId {
        let ty = self.module.funcs.get(self.function).kind.unwrap_local().block(old).ty;
        let new = self.builder.dangling_instr_seq(ty).id();
        self.seqs.insert(old, new);
        self.seq(old, 0, new);
        new
    }

    fn instruction(&mut self, instruction: Instr, to: InstrSeqId) {
        let copied: Instr = match instruction {
            Instr::Block(Block { seq }) => Block { seq: self.inner(seq) }.into(),
            Instr::Loop(Loop { seq }) => Loop { seq: self.inner(seq) }.into(),
            Instr::IfElse(IfElse { consequent, alternative }) => {
                IfElse { consequent: self.inner(consequent), alternative: self.inner(alternative) }.into()
            }
            Instr::LocalGet(LocalGet { local }) => LocalGet { local: self.local(local) }.into(),
            Instr::LocalSet(LocalSet { local }) => LocalSet { local: self.local(local) }.into(),
            Instr::LocalTee(LocalTee { local }) => LocalTee { local: self.local(local) }.into(),
            Instr::Br(Br { block }) => match self.seqs.get(&block) {
                Some(&block) => Br { block }.into(),
                None => return self.leave_to(block, to),
            },
            Instr::BrIf(BrIf { block }) => match self.seqs.get(&block) {
                Some(&block) => BrIf { block }.into(),
                None => {
                    let consequent = self.builder.dangling_instr_seq(None).id();
                    self.leave_to(block, consequent);
                    let alternative = self.builder.dangling_instr_seq(None).id();
                    IfElse { consequent, alternative }.into()
                }
            },
            Instr::BrTable(BrTable { blocks, default }) => {
                // A region with a table that leaves it is not found.
                let blocks = blocks.iter().map(|block| self.seqs[block]).collect();
                BrTable { blocks, default: self.seqs[&default] }.into()
            }
            Instr::Return(_) => return self.leave(Exit::Return, to),
            other => other,
        };
        self.push(to, copied);
    }

    fn leave_to(&mut self, block: InstrSeqId, to: InstrSeqId) {
        let body = self.module.funcs.get(self.function).kind.unwrap_local();
        let exit = self.plan.region.exit(body, block);
        self.leave(exit, to);
    }

    fn leave_at_end(&mut self, to: InstrSeqId) {
        let body = self.module.funcs.get(self.function).kind.unwrap_local();
        if let Some(exit) = Exit::at_end(body, self.plan.region.seq) {
            self.leave(exit, to);
        }
    }

    /// Returns from the new function.
    fn leave(&mut self, exit: Exit, to: InstrSeqId) {
        if let (Exit::Return, Some(returned)) = (exit, self.returned) {
            let local = self.local(returned);
            self.push(to, LocalSet { local });
        }
        for at in 0..self.plan.outs.len() {
            let local = self.local(self.plan.outs[at]);
            self.push(to, LocalGet { local });
        }
        if self.plan.has_number() {
            let number = self.plan.region.exits.iter().position(|other| *other == exit);
            let number = number.expect("the exits of a region are known") as i32;
            self.push(to, Const { value: Value::I32(number) });
        }
        self.push(to, Return {});
    }
}

#[cfg(test)]
mod tests;
