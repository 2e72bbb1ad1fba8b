use std::collections::BTreeMap;

use walrus::ir::{Call, CallIndirect, Instr};
use walrus::{DataKind, ElementKind, Function};

use super::*;

/// Makes a program of four functions: `main`, which is exported, calls `rare`; `rare` calls
/// `common` and the imported `log`; `listed` is only in the table. Its data has 32 bytes, beginning
/// at address 100.
fn program() -> Vec<u8> {
    let mut module = Module::default();
    let memory = module.memories.add_local(false, false, 1, None, None);
    module.exports.add("memory", memory);
    let kind = DataKind::Active { memory, offset: ConstExpr::Value(Value::I32(100)) };
    let data = module.data.add(kind, (100..132).collect());
    module.memories.get_mut(memory).data_segments.insert(data);
    let stack = module.globals.add_local(ValType::I32, true, false, ConstExpr::Value(Value::I32(64)));
    let nothing = module.types.add(&[], &[]);
    let (log, _) = module.add_import_func("js", "log", nothing);

    let mut common = FunctionBuilder::new(&mut module.types, &[ValType::I32], &[ValType::I32]);
    let number = module.locals.add(ValType::I32);
    common.name("common".into()).func_body().local_get(number).global_set(stack).local_get(number);
    let common = common.finish(vec![number], &mut module.funcs);

    let mut rare = FunctionBuilder::new(&mut module.types, &[ValType::I32, ValType::I64], &[ValType::I32]);
    let (number, long) = (module.locals.add(ValType::I32), module.locals.add(ValType::I64));
    rare.name("rare".into()).func_body().call(log).local_get(number).call(common);
    let rare = rare.finish(vec![number, long], &mut module.funcs);

    let mut listed = FunctionBuilder::new(&mut module.types, &[], &[]);
    listed.name("listed".into()).func_body().call(log);
    let listed = listed.finish(Vec::new(), &mut module.funcs);

    let mut main = FunctionBuilder::new(&mut module.types, &[], &[ValType::I32]);
    main.name("main".into()).func_body().i32_const(7).i64_const(8).call(rare);
    let main = main.finish(Vec::new(), &mut module.funcs);
    module.exports.add("main", main);

    let table = module.tables.add_local(false, 3, Some(3), walrus::RefType::FUNCREF);
    let kind = ElementKind::Active { table, offset: ConstExpr::Value(Value::I32(1)) };
    let element = module.elements.add(kind, ElementItems::Functions(vec![common, listed]));
    module.tables.get_mut(table).elem_segments.insert(element);
    module.emit_wasm()
}

fn parts(early: &[&str], later_data: &[Range<usize>]) -> (Module, Module) {
    parts_with(early, Needed { slots: BTreeSet::from([1, 2]), later_data: later_data.to_vec() })
}

fn parts_with(early: &[&str], needed: Needed) -> (Module, Module) {
    let parts = split(&program(), |name| early.contains(&name), &needed).expect("a program");
    for part in [&parts.early, &parts.later] {
        wasmparser::validate(part).expect("a valid module");
    }
    let read = |part: &[u8]| Module::from_buffer(part).expect("a module");
    (read(&parts.early), read(&parts.later))
}

fn instructions(function: &Function) -> Vec<Instr> {
    let FunctionKind::Local(body) = &function.kind else { panic!("{:?} is imported", function.name) };
    body.block(body.entry_block()).instrs.iter().map(|(instruction, _)| instruction.clone()).collect()
}

fn by_name<'a>(module: &'a Module, name: &str) -> Option<&'a Function> {
    module.funcs.iter().find(|function| function.name.as_deref() == Some(name))
}

/// Returns the functions that a module puts into the table, by slot.
fn slots(module: &Module) -> BTreeMap<usize, String> {
    let mut slots = BTreeMap::new();
    for element in module.elements.iter() {
        let (
            ElementKind::Active { offset: ConstExpr::Value(Value::I32(offset)), .. },
            ElementItems::Functions(items),
        ) = (&element.kind, &element.items)
        else {
            panic!("{element:?}")
        };
        for (at, id) in items.iter().enumerate() {
            slots.insert(*offset as usize + at, module.funcs.get(*id).name.clone().unwrap_or_default());
        }
    }
    slots
}

/// Returns a stub's slot and the number of arguments that it passes on.
fn stub(module: &Module, name: &str) -> (i32, usize) {
    let code = instructions(by_name(module, name).expect("a stub"));
    let [Instr::Call(_), arguments @ .., Instr::Const(slot), Instr::CallIndirect(CallIndirect { .. })] =
        &code[..]
    else {
        panic!("{name} is not a stub: {code:?}")
    };
    assert!(arguments.iter().all(|argument| matches!(argument, Instr::LocalGet(_))), "{arguments:?}");
    let Value::I32(slot) = slot.value else { panic!("{slot:?}") };
    (slot, arguments.len())
}

fn data(module: &Module) -> Vec<(i32, Vec<u8>)> {
    let segments = module.data.iter().map(|data| match &data.kind {
        DataKind::Active { offset: ConstExpr::Value(Value::I32(offset)), .. } => {
            (*offset, data.value.clone())
        }
        other => panic!("{other:?}"),
    });
    segments.collect()
}

#[test]
fn an_early_function_reaches_a_later_one_through_the_table() {
    let (early, later) = parts(&["main", "common", "listed"], &[]);
    let main = instructions(by_name(&early, "main").expect("an early function"));
    let Some(Instr::Call(Call { func })) = main.last() else { panic!("{main:?}") };
    assert_eq!(early.funcs.get(*func).name.as_deref(), Some("rare"), "main calls the stub");

    let (slot, arguments) = stub(&early, "rare");
    assert_eq!((slot, arguments), (3, 2));
    assert_eq!(slots(&later)[&3], "rare");
    assert!(matches!(instructions(by_name(&later, "rare").expect("a later function"))[0], Instr::Call(_)));
    assert!(by_name(&later, "main").is_none() && by_name(&later, "listed").is_none());
}

#[test]
fn a_later_function_finds_early_ones_in_their_slots() {
    let (early, later) = parts(&["main", "common", "listed"], &[]);
    let names: Vec<&str> =
        later.imports.iter().filter(|import| import.module == SLOTS).map(|import| &*import.name).collect();
    assert_eq!(names, ["1"], "the slot that \"common\" has in the table");
    assert_eq!(slots(&early)[&1], "common");
    assert!(early.imports.find(LOADER, "load").is_some());
    assert_eq!(early.tables.iter().next().map(|table| (table.initial, table.maximum)), Some((4, Some(4))));
}

#[test]
fn a_later_function_replaces_its_stub_in_the_table() {
    let (early, later) = parts(&["main", "common", "rare"], &[]);
    assert_eq!(slots(&early)[&2], "listed");
    assert_eq!(stub(&early, "listed"), (2, 0));
    assert_eq!(slots(&later), BTreeMap::from([(2, "listed".to_string())]));
}

#[test]
fn a_slot_that_early_code_does_not_reach_needs_no_stub() {
    let needed = Needed { slots: BTreeSet::from([1]), later_data: Vec::new() };
    let (early, later) = parts_with(&["main", "common", "rare"], needed);
    assert!(by_name(&early, "listed").is_none());
    assert_eq!(slots(&later), BTreeMap::from([(2, "listed".to_string())]));
}

#[test]
fn a_later_function_imports_from_javascript_directly() {
    let (_, later) = parts(&["main", "common", "listed"], &[]);
    assert!(later.imports.find("js", "log").is_some());
}

#[test]
fn an_exported_later_function_has_a_stub() {
    let (early, later) = parts(&[], &[]);
    assert_eq!(stub(&early, "main").1, 0);
    assert!(later.exports.iter().next().is_none());
    let in_later: Vec<String> = slots(&later).into_values().collect();
    assert!(
        ["main", "common", "listed"].iter().all(|name| in_later.iter().any(|other| other == name)),
        "{in_later:?}"
    );
    // Only the later part calls it, so it is not in the early part.
    assert!(by_name(&early, "rare").is_none());
}

#[test]
fn later_data_is_in_the_later_part() {
    let bytes = |from: u8, to: u8| (i32::from(from), (from..to).collect::<Vec<u8>>());
    let (early, later) = parts(&["main"], &[104..110, 120..132]);
    assert_eq!(data(&early), [bytes(100, 104), bytes(110, 120)]);
    assert_eq!(data(&later), [bytes(104, 110), bytes(120, 132)]);
}

#[test]
fn the_later_part_sets_a_flag_when_it_is_loaded() {
    let (early, later) = parts(&["main", "common", "listed"], &[]);
    let start = instructions(later.funcs.get(later.start.expect("a start function")));
    assert!(matches!(&start[..], [Instr::Const(_), Instr::GlobalSet(_)]), "{start:?}");
    let flag = |name: &str| early.exports.iter().any(|export| export.name == name);
    assert!(flag(LOADED) && flag(TABLE));
    let wanted: Vec<&str> =
        later.imports.iter().filter(|import| import.module == EARLY).map(|import| &*import.name).collect();
    assert!(wanted.iter().all(|name| flag(name)), "{wanted:?}");
}
