//! Splits a program into two parts: one that runs early, and one that is fetched later.
//!
//! ```text
//! early                                 later
//! ┌──────────────────────────┐          ┌──────────────────────────────┐
//! │ early functions          │ <─────── │ imports: memory, tables,     │
//! │ stub: is later there?    │          │ globals, functions of early  │
//! │   no: call load          │          │ later functions              │
//! │   call through the table │ ───────> │ elements: fill the table     │
//! │ table, memory, data      │          │ data that only they reach    │
//! └──────────────────────────┘          └──────────────────────────────┘
//! ```
//!
//! Both parts share the same memory, table and stack. An early function that calls a later one
//! calls its stub, which loads the later part if necessary and then calls through the table. Every
//! choice of early functions therefore gives a program with the same behaviour; the choice only
//! decides when the later part is needed. The later part has no state: instantiating it again
//! changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use walrus::ir::{Value, Visitor, dfs_in_order};
use walrus::{
    ConstExpr, DataKind, ElementItems, ElementKind, ExportItem, FunctionBuilder, FunctionId, FunctionKind,
    GlobalId, GlobalKind, ImportKind, ImportedFunction, Module, TableId, ValType,
};

use crate::Result;
use crate::relocations::Needed;

/// The module name under which the early part imports `load`, which returns after the later part
/// has been loaded.
pub const LOADER: &str = "loader";
/// The module name under which the later part imports the exports of the early part.
const EARLY: &str = "early";
/// The module name under which the later part imports functions. Their names are the table slots
/// where the early part puts them.
const SLOTS: &str = "slots";
/// The name under which the early part exports its function table.
const TABLE: &str = "split_table";
/// The name under which the early part exports whether the later part is loaded.
const LOADED: &str = "split_loaded";

/// The two parts.
#[derive(Debug)]
pub struct Parts {
    pub early: Vec<u8>,
    pub later: Vec<u8>,
}

/// The plan of both parts. Functions are numbered by their order in the module.
#[derive(Debug, Default)]
struct Plan {
    later: BTreeSet<usize>,
    /// The table slots that the later part fills, with their functions.
    fills: BTreeMap<usize, usize>,
    /// The slot of each later function, through which its stub calls it.
    stubs: BTreeMap<usize, usize>,
    /// The slots of later functions that no early code reaches.
    unneeded: BTreeSet<usize>,
    /// The slot of each early function that the later part calls.
    shared: BTreeMap<usize, usize>,
    /// The size of the table before the split, with the slots of stubs, and with the slots of
    /// shared functions.
    slots_before: usize,
    shared_from: usize,
    slots: usize,
}

/// Splits a module. The early part has the functions with early names and the functions without a
/// name.
///
/// # Errors
/// An error if the module does not have its own memory and table, as modules that are linked by
/// Rust's compiler do.
pub fn split(wasm: &[u8], is_early: impl Fn(&str) -> bool, needed: &Needed) -> Result<Parts> {
    let read = || Module::from_buffer(wasm).map_err(|error| format!("the program cannot be read: {error:#}"));
    let (early, later) = (read()?, read()?);
    let table = early.tables.main_function_table().map_err(|error| error.to_string())?;
    let table = table.ok_or("the program has no table of functions")?;
    let plan = Plan::new(&early, table, is_early, &needed.slots)?;
    let later_data = &needed.later_data;
    Ok(Parts {
        early: early_part(early, &plan, table, later_data)?,
        later: later_part(later, &plan, later_data)?,
    })
}

/// Returns the stable names of the functions that [`split`] puts into the later part.
///
/// # Errors
/// An error if the module cannot be read.
pub fn later_names(wasm: &[u8], is_early: impl Fn(&str) -> bool) -> Result<BTreeSet<String>> {
    let module =
        Module::from_buffer(wasm).map_err(|error| format!("the program cannot be read: {error:#}"))?;
    let names = module.funcs.iter().filter_map(|function| function.name.as_deref());
    Ok(names.filter(|name| !is_early(name)).map(crate::names::stable).collect())
}

impl Plan {
    fn new(
        module: &Module,
        table: TableId,
        is_early: impl Fn(&str) -> bool,
        needed: &BTreeSet<usize>,
    ) -> Result<Plan> {
        let functions: Vec<_> = module.funcs.iter().collect();
        let numbers: BTreeMap<FunctionId, usize> =
            functions.iter().enumerate().map(|(number, function)| (function.id(), number)).collect();
        let later = module.funcs.iter().enumerate().filter(|(_, function)| {
            let is_ours =
                matches!(function.kind, FunctionKind::Local(_)) && Some(function.id()) != module.start;
            is_ours && function.name.as_ref().is_some_and(|name| !is_early(name))
        });
        let later: BTreeSet<usize> = later.map(|(number, _)| number).collect();
        let slots = module.tables.get(table).initial as usize;
        let mut plan = Plan { later, slots_before: slots, slots, ..Plan::default() };

        // Later functions that the early part refers to need a stub; early functions that the later
        // part refers to need a slot.
        let (mut stubbed, mut shared) = (BTreeSet::new(), BTreeSet::new());
        for (number, function) in module.funcs.iter().enumerate() {
            let FunctionKind::Local(body) = &function.kind else { continue };
            let mut named = Named::default();
            dfs_in_order(&mut named, body, body.entry_block());
            let is_later = plan.later.contains(&number);
            for callee in named.0.iter().map(|id| numbers[id]) {
                match (is_later, plan.later.contains(&callee)) {
                    (false, true) => {
                        stubbed.insert(callee);
                    }
                    (true, false) if !matches!(functions[callee].kind, FunctionKind::Import(_)) => {
                        shared.insert(callee);
                    }
                    _ => {}
                }
            }
        }
        for export in module.exports.iter() {
            if let ExportItem::Function(id) = export.item {
                stubbed.extend(Some(numbers[&id]).filter(|number| plan.later.contains(number)));
            }
        }
        // The slot of each function in the table.
        let mut in_table = BTreeMap::new();
        for element in module.elements.iter() {
            let (ElementKind::Active { table: into, offset }, ElementItems::Functions(items)) =
                (&element.kind, &element.items)
            else {
                return Err("the program has an element segment of an unknown kind".into());
            };
            let ConstExpr::Value(Value::I32(offset)) = offset else {
                return Err("an element segment has no constant offset".into());
            };
            for (at, id) in items.iter().enumerate() {
                let number = numbers[id];
                let slot = *offset as usize + at;
                if *into != table {
                    continue;
                }
                in_table.insert(number, slot);
                if plan.later.contains(&number) {
                    plan.fills.insert(slot, number);
                    if needed.contains(&slot) {
                        stubbed.insert(number);
                    } else {
                        plan.unneeded.insert(slot);
                    }
                }
            }
        }
        for number in stubbed {
            let slot = in_table.get(&number).copied().unwrap_or_else(|| plan.add_slot());
            plan.fills.insert(slot, number);
            plan.stubs.insert(number, slot);
        }
        plan.shared_from = plan.slots;
        for number in shared {
            let slot = in_table.get(&number).copied().unwrap_or_else(|| plan.add_slot());
            plan.shared.insert(number, slot);
        }
        Ok(plan)
    }

    fn add_slot(&mut self) -> usize {
        self.slots += 1;
        self.slots - 1
    }
}

#[derive(Default)]
struct Named(Vec<FunctionId>);

impl<'a> Visitor<'a> for Named {
    fn visit_function_id(&mut self, function: &FunctionId) {
        self.0.push(*function);
    }
}

fn ids(module: &Module) -> Vec<FunctionId> {
    module.funcs.iter().map(walrus::Function::id).collect()
}

/// Replaces later functions with stubs, removes later data, and extends the table by the functions
/// that cross the split.
fn early_part(
    mut module: Module,
    plan: &Plan,
    table: TableId,
    later_data: &[Range<usize>],
) -> Result<Vec<u8>> {
    let ids = ids(&module);
    let loaded = module.globals.add_local(ValType::I32, true, false, ConstExpr::Value(Value::I32(0)));
    let load_type = module.types.add(&[], &[]);
    let (load, _) = module.add_import_func(LOADER, "load", load_type);
    let mut ensure = FunctionBuilder::new(&mut module.types, &[], &[]);
    ensure.func_body().global_get(loaded).if_else(
        None,
        |_| {},
        |missing| {
            missing.call(load);
        },
    );
    let ensure = ensure.finish(Vec::new(), &mut module.funcs);

    for (&number, &slot) in &plan.stubs {
        let ty = module.funcs.get(ids[number]).ty();
        let (params, results) = (module.types.params(ty).to_vec(), module.types.results(ty).to_vec());
        let arguments: Vec<_> = params.iter().map(|param| module.locals.add(*param)).collect();
        let mut stub = FunctionBuilder::new(&mut module.types, &params, &results);
        let mut body = stub.func_body();
        body.call(ensure);
        for argument in &arguments {
            body.local_get(*argument);
        }
        body.i32_const(slot as i32).call_indirect(ty, table);
        module.funcs.get_mut(ids[number]).kind = FunctionKind::Local(stub.local_func(arguments));
    }

    for element in module.elements.iter_mut() {
        if let (
            ElementKind::Active { table: into, offset: ConstExpr::Value(Value::I32(offset)) },
            ElementItems::Functions(items),
        ) = (&element.kind, &mut element.items)
            && *into == table
        {
            // These functions do not need stubs: a slot whose number early code does not have is
            // never called from there.
            let unneeded =
                items.iter_mut().zip(*offset as usize..).filter(|(_, slot)| plan.unneeded.contains(slot));
            unneeded.for_each(|(item, _)| *item = ensure);
        }
    }
    let added = plan.shared.iter().filter(|(_, slot)| **slot >= plan.shared_from);
    let added: Vec<FunctionId> = added.map(|(number, _)| ids[*number]).collect();
    let kind = ElementKind::Active { table, offset: ConstExpr::Value(Value::I32(plan.shared_from as i32)) };
    let element = module.elements.add(kind, ElementItems::Functions(added));
    let slots = module.tables.get_mut(table);
    slots.elem_segments.insert(element);
    slots.initial = plan.slots as u64;
    slots.maximum = slots.maximum.map(|maximum| maximum + (plan.slots - plan.slots_before) as u64);

    module.exports.add(TABLE, table);
    module.exports.add(LOADED, loaded);
    let globals: Vec<GlobalId> =
        module.globals.iter().map(walrus::Global::id).filter(|id| *id != loaded).collect();
    for (number, global) in globals.into_iter().enumerate() {
        module.exports.add(&global_name(number), global);
    }
    for (number, table) in other_tables(&module, table).into_iter().enumerate() {
        module.exports.add(&table_name(number), table);
    }
    let memory = module.get_memory_id().map_err(|error| error.to_string())?;
    if module.exports.get_exported_memory(memory).is_none_or(|export| export.name != "memory") {
        return Err("the program does not export its memory as \"memory\"".into());
    }
    keep_data(&mut module, |address| !later_data.iter().any(|range| range.contains(&address)), later_data);
    walrus::passes::gc::run(&mut module);
    Ok(module.emit_wasm())
}

fn global_name(number: usize) -> String {
    format!("split_global{number}")
}

fn table_name(number: usize) -> String {
    format!("split_table{number}")
}

fn other_tables(module: &Module, functions: TableId) -> Vec<TableId> {
    module.tables.iter().map(walrus::Table::id).filter(|id| *id != functions).collect()
}

/// Turns early functions, memory, tables and globals into imports. The start function fills the
/// table and sets the flag.
fn later_part(mut module: Module, plan: &Plan, later_data: &[Range<usize>]) -> Result<Vec<u8>> {
    let ids = ids(&module);
    let table = module.tables.main_function_table().map_err(|error| error.to_string())?.ok_or("no table")?;
    let exports: Vec<_> = module.exports.iter().map(walrus::Export::id).collect();
    exports.into_iter().for_each(|id| module.exports.delete(id));
    let elements: Vec<_> = module.elements.iter().map(walrus::Element::id).collect();
    for id in elements {
        module.elements.delete(id);
    }
    for table in module.tables.iter_mut() {
        table.elem_segments.clear();
    }

    for (&number, &slot) in &plan.shared {
        let function = module.funcs.get(ids[number]);
        let (id, ty) = (function.id(), function.ty());
        let import = module.imports.add(SLOTS, &slot.to_string(), id);
        module.funcs.get_mut(id).kind = FunctionKind::Import(ImportedFunction { import, ty });
    }

    let memory = module.get_memory_id().map_err(|error| error.to_string())?;
    let import = module.imports.add(EARLY, "memory", memory);
    module.memories.get_mut(memory).import = Some(import);
    let others =
        other_tables(&module, table).into_iter().enumerate().map(|(number, id)| (id, table_name(number)));
    for (id, name) in others.chain([(table, TABLE.to_string())]).collect::<Vec<_>>() {
        let import = module.imports.add(EARLY, &name, id);
        module.tables.get_mut(id).import = Some(import);
    }
    let slots = module.tables.get_mut(table);
    slots.initial = plan.slots as u64;
    slots.maximum = slots.maximum.map(|maximum| maximum + (plan.slots - plan.slots_before) as u64);
    let globals: Vec<GlobalId> = module.globals.iter().map(walrus::Global::id).collect();
    for (number, id) in globals.into_iter().enumerate() {
        let import = module.imports.add(EARLY, &global_name(number), ImportKind::Global(id));
        module.globals.get_mut(id).kind = GlobalKind::Import(import);
    }
    let (loaded, _) = module.add_import_global(EARLY, LOADED, ValType::I32, true, false);

    let fills: Vec<(usize, FunctionId)> =
        plan.fills.iter().map(|(slot, number)| (*slot, ids[*number])).collect();
    for run in fills.chunk_by(|(a, _), (b, _)| a + 1 == *b) {
        let kind = ElementKind::Active { table, offset: ConstExpr::Value(Value::I32(run[0].0 as i32)) };
        let items = ElementItems::Functions(run.iter().map(|(_, id)| *id).collect());
        let element = module.elements.add(kind, items);
        module.tables.get_mut(table).elem_segments.insert(element);
    }
    keep_data(&mut module, |address| later_data.iter().any(|range| range.contains(&address)), later_data);
    let mut start = FunctionBuilder::new(&mut module.types, &[], &[]);
    start.func_body().i32_const(1).global_set(loaded);
    module.start = Some(start.finish(Vec::new(), &mut module.funcs));
    walrus::passes::gc::run(&mut module);
    Ok(module.emit_wasm())
}

/// Keeps the pieces of data, divided at `cuts`, whose first address is wanted.
fn keep_data(module: &mut Module, is_wanted: impl Fn(usize) -> bool, cuts: &[Range<usize>]) {
    let segments: Vec<_> = module.data.iter().map(walrus::Data::id).collect();
    for id in segments {
        let segment = module.data.get_mut(id);
        let DataKind::Active { memory, offset: ConstExpr::Value(Value::I32(start)) } = segment.kind else {
            continue;
        };
        let bytes = std::mem::take(&mut segment.value);
        module.data.delete(id);
        module.memories.get_mut(memory).data_segments.remove(&id);
        let start = start as usize;
        let end = start + bytes.len();
        let inside = cuts
            .iter()
            .flat_map(|range| [range.start, range.end])
            .filter(|cut| (start + 1..end).contains(cut));
        let edges: Vec<usize> = [start].into_iter().chain(inside).chain([end]).collect();
        for piece in edges.windows(2).filter(|piece| piece[0] < piece[1] && is_wanted(piece[0])) {
            let kind = DataKind::Active { memory, offset: ConstExpr::Value(Value::I32(piece[0] as i32)) };
            let id = module.data.add(kind, bytes[piece[0] - start..piece[1] - start].to_vec());
            module.memories.get_mut(memory).data_segments.insert(id);
        }
    }
}

#[cfg(test)]
mod tests;
