use std::fmt::Write;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use wasmi::{Engine, Instance, Linker, Store, Val};

use super::*;

/// Functions that leave a trace of their calls: `early` and `later`, each of a number. `tick` traps
/// when a program runs too long.
const TRACED: &str = "
    (global $trace (mut i64) (i64.const 0))
    (global $fuel (mut i32) (i32.const 300))
    (memory (export \"memory\") 1)
    (func $note (param i64)
      (global.set $trace (i64.add (i64.mul (global.get $trace) (i64.const 31)) (local.get 0))))
    (func $early (param i32) (result i32)
      (call $note (i64.extend_i32_u (local.get 0)))
      (i32.rotl (i32.xor (local.get 0) (i32.const 0x5bd1e995)) (i32.const 7)))
    (func $later (param i32) (result i32)
      (call $note (i64.extend_i32_s (i32.sub (i32.const 0) (local.get 0))))
      (i32.add (i32.mul (local.get 0) (i32.const 2654435)) (i32.const 1)))
    (func $tick
      (global.set $fuel (i32.sub (global.get $fuel) (i32.const 1)))
      (if (i32.eqz (global.get $fuel)) (then unreachable)))
    (func (export \"trace\") (result i64) (global.get $trace))";

/// Instructions enough to be worth a call.
const WORK: &str = "
    (local.set $a (i32.add (i32.mul (local.get $a) (i32.const 77777)) (i32.const 123456789)))
    (local.set $b (i32.xor (i32.rotl (local.get $a) (i32.const 5)) (i32.const 987654321)))
    (i32.store offset=16 (i32.const 0) (i32.const 0)) (i32.store (i32.const 2000) (i32.const 3))";

fn program(main: &str) -> Vec<u8> {
    let text = format!("(module {TRACED} {})", main.replace("WORK", WORK));
    wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn outlined(wasm: &[u8]) -> Vec<u8> {
    let outlined = outline(wasm, |name| name == "later").expect("a program");
    wasmparser::validate(&outlined).unwrap_or_else(|error| panic!("{error}: {}", names_of(&outlined)));
    outlined
}

fn names_of(wasm: &[u8]) -> String {
    let module = Module::from_buffer(wasm).expect("a module");
    module.funcs.iter().map(|function| format!("{:?}\n", function.name)).collect()
}

/// Returns the number of functions that were made of moved code.
fn cold(wasm: &[u8]) -> usize {
    let module = Module::from_buffer(wasm).expect("a module");
    module.funcs.iter().filter(|function| function.name.as_deref().is_some_and(is_cold)).count()
}

/// Calls `main` with a number and returns what it returns, or that it trapped, and the trace.
fn run(wasm: &[u8], number: i32) -> (Option<i32>, i64) {
    let engine = Engine::default();
    let module = wasmi::Module::new(&engine, wasm).expect("a valid module");
    let mut store = Store::new(&engine, ());
    let instance: Instance =
        Linker::new(&engine).instantiate_and_start(&mut store, &module).expect("nothing is imported");
    let call = |store: &mut Store<()>, name: &str, arguments: &[Val], result: Val| {
        let function = instance.get_func(&*store, name).expect("an exported function");
        let mut results = [result];
        function.call(store, arguments, &mut results).ok().map(|()| results[0].clone())
    };
    let returned = call(&mut store, "main", &[Val::I32(number)], Val::I32(0)).and_then(|value| value.i32());
    let trace = call(&mut store, "trace", &[], Val::I64(0)).and_then(|value| value.i64());
    (returned, trace.expect("the trace"))
}

/// Checks that a program returns and calls the same with and without moved code, and returns the number of new
/// functions.
fn check(wasm: &[u8]) -> usize {
    let outlined = outlined(wasm);
    for number in [0, 1, 2, 3, 5, 8, -1, 1000] {
        assert_eq!(run(&outlined, number), run(wasm, number), "with {number}");
    }
    cold(&outlined)
}

/// Returns the number of functions that are made of the body of `main`, with its number as `$n`,
/// and with the locals `$a` and `$b`.
fn moved(body: &str) -> usize {
    check(&program(&format!(
        "(func $main (export \"main\") (param $n i32) (result i32) (local $a i32) (local $b i32) {body})"
    )))
}

#[test]
fn code_that_leads_to_a_later_function_is_moved() {
    let moved = moved(
        "(block $ok
           (br_if $ok (local.get $n))
           WORK (drop (call $later (local.get $b))) (local.set $a (i32.const 1)))
         (local.get $a)",
    );
    assert_eq!(moved, 1);
}

#[test]
fn code_that_may_run_without_the_later_function_stays() {
    let stays = [
        "WORK (block $ok (br_if $ok (local.get $n)) (drop (call $later (local.get $b)))) (local.get $a)",
        "(block $ok WORK (br_if $ok (local.get $a)) (drop (call $later (local.get $b)))) (local.get $a)",
        "(if (local.get $n) (then WORK) (else (drop (call $later (i32.const 4))))) (local.get $a)",
        "(block $ok (loop $again WORK (br_if $ok (local.get $n)) (drop (call $later (i32.const 4))))) (local.get $b)",
    ];
    for body in stays {
        assert_eq!(moved(body), 0, "{body}");
    }
}

#[test]
fn short_code_stays() {
    assert_eq!(
        moved("(block $ok (br_if $ok (local.get $n)) (drop (call $later (i32.const 9)))) (local.get $n)"),
        0
    );
}

#[test]
fn moved_code_continues_where_it_did() {
    let bodies = [
        // At the end of the function, with its value.
        "(block $ok (br_if $ok (local.get $n)) WORK (return (call $later (local.get $a)))) (i32.const 7)",
        "(if (local.get $n) (then (return (i32.const 7)))) WORK (call $later (local.get $b))",
        // Nowhere.
        "(block $ok (br_if $ok (local.get $n)) WORK (drop (call $later (local.get $a))) unreachable) (i32.const 7)",
        // After another block.
        "(block $end (block $ok (br_if $ok (local.get $n)) WORK (drop (call $later (local.get $a))) (br $end))
           (local.set $a (call $early (local.get $n)))) (i32.add (local.get $a) (local.get $b))",
        // At two places.
        "(block $end (block $ok (br_if $ok (local.get $n)) WORK
             (br_if $end (i32.and (call $later (local.get $a)) (i32.const 1))) (local.set $b (i32.const 5)))
           (local.set $a (call $early (local.get $n)))) (i32.add (local.get $a) (local.get $b))",
        // At two places, one of which returns.
        "(block $ok (br_if $ok (local.get $n)) WORK
             (if (i32.and (call $later (local.get $a)) (i32.const 1)) (then (return (local.get $b)))))
         (i32.add (local.get $a) (local.get $b))",
        // At the start of a loop.
        "(local.set $a (local.get $n)) (loop $again (call $tick)
           (block $ok (br_if $ok (i32.and (local.get $a) (i32.const 3))) WORK
             (local.set $n (i32.shr_u (call $later (local.get $b)) (i32.const 9)))
             (local.set $a (i32.add (local.get $n) (i32.const 1))) (br $again)))
         (i32.add (local.get $a) (local.get $n))",
    ];
    for body in bodies {
        assert_eq!(moved(body), 1, "{body}");
    }
}

#[test]
fn moved_code_has_tables_of_branches_but_none_that_leave_it() {
    let inside = "(block $ok (br_if $ok (local.get $n)) WORK (drop (call $later (local.get $a)))
           (block $x (block $y (br_table $x $y (local.get $b)))  (local.set $b (i32.const 6))))
         (local.get $b)";
    assert_eq!(moved(inside), 1);
    let leaves = "(block $end (block $ok (br_if $ok (local.get $n)) WORK (drop (call $later (local.get $a)))
           (br_table $ok $end (local.get $b))) (local.set $a (i32.const 4)))
         (local.get $a)";
    assert_eq!(moved(leaves), 0);
}

#[test]
fn code_that_leaves_with_the_value_of_a_block_stays() {
    let body = "(block $v (result i32)
           (block $ok (br_if $ok (local.get $n)) WORK (br $v (call $later (local.get $a)))) (i32.const 3))";
    assert_eq!(moved(body), 0);
}

#[test]
fn moved_code_may_return_from_a_function_without_a_value() {
    let program = program(
        "(func $void (param $n i32) (local $a i32) (local $b i32)
           (block $ok (br_if $ok (local.get $n)) WORK
             (br_if 1 (i32.and (call $later (local.get $a)) (i32.const 1)))
             (drop (call $early (local.get $b)))
             (if (i32.and (local.get $b) (i32.const 1)) (then (return))))
           (drop (call $early (local.get $n))))
         (func $main (export \"main\") (param $n i32) (result i32)
           (call $void (i32.and (local.get $n) (i32.const 1))) (i32.load offset=2000 (i32.const 0)))",
    );
    assert_eq!(check(&program), 1);
}

#[test]
fn moved_code_has_loops_and_arms_of_its_own() {
    let moved = moved(
        "(block $end (block $ok (br_if $ok (local.get $n)) (local.set $b (call $later (local.get $a)))
           (block $done (loop $again (call $tick) WORK
             (if (i32.lt_u (local.get $a) (i32.const 99999999))
               (then (local.set $n (i32.add (local.get $n) (i32.const 1))))
               (else (br_if $end (i32.lt_u (local.get $b) (i32.const 999999999)))))
             (br_if $again (i32.lt_u (local.get $n) (i32.const 3))) (br $done)))))
         (i32.add (local.get $a) (i32.add (local.get $n) (local.get $b)))",
    );
    assert_eq!(moved, 1);
}

/// A statement of a random program. Locals are chosen by number; branches lead to one of the blocks
/// around them, or return.
#[derive(Clone, Debug)]
enum Statement {
    Set(u8, u8, i32),
    Call { later: bool, from: u8, to: u8 },
    Block(Vec<Statement>),
    Loop(Vec<Statement>),
    If(u8, Vec<Statement>, Vec<Statement>),
    Branch(u8),
    BranchIf(u8, u8),
}

const LOCALS: u8 = 5;

fn statements() -> impl Strategy<Value = Vec<Statement>> {
    let leaf = prop_oneof![
        4 => (any::<u8>(), any::<u8>(), any::<i32>()).prop_map(|(to, from, with)| Statement::Set(to, from, with)),
        1 => (any::<u8>(), any::<u8>()).prop_map(|(from, to)| Statement::Call { later: false, from, to }),
        1 => (any::<u8>(), any::<u8>()).prop_map(|(from, to)| Statement::Call { later: true, from, to }),
        1 => any::<u8>().prop_map(Statement::Branch),
        2 => (any::<u8>(), any::<u8>()).prop_map(|(to, when)| Statement::BranchIf(to, when)),
    ];
    let statement = leaf.prop_recursive(4, 60, 6, |inner| {
        prop_oneof![
            3 => vec(inner.clone(), 1..7).prop_map(Statement::Block),
            1 => vec(inner.clone(), 1..5).prop_map(Statement::Loop),
            2 => (any::<u8>(), vec(inner.clone(), 0..6), vec(inner, 0..4))
                .prop_map(|(when, yes, no)| Statement::If(when, yes, no)),
        ]
    });
    vec(statement, 1..8)
}

/// Writes statements inside `depth` blocks.
fn write(statements: &[Statement], depth: u8, text: &mut String) {
    let local = |number: &u8| format!("$v{}", number % LOCALS);
    for statement in statements {
        let written = match statement {
            Statement::Set(to, from, with) => writeln!(
                text,
                "(local.set {} (i32.add (i32.rotl (local.get {}) (i32.const 3)) (i32.const {with})))",
                local(to),
                local(from)
            ),
            Statement::Call { later, from, to } => {
                let callee = if *later { "$later" } else { "$early" };
                writeln!(text, "(local.set {} (call {callee} (local.get {})))", local(to), local(from))
            }
            Statement::Block(inner) => {
                text.push_str("(block\n");
                write(inner, depth + 1, text);
                writeln!(text, ")")
            }
            Statement::Loop(inner) => {
                text.push_str("(loop (call $tick)\n");
                write(inner, depth + 1, text);
                writeln!(text, ")")
            }
            Statement::If(when, yes, no) => {
                let _ = writeln!(text, "(if (i32.and (local.get {}) (i32.const 1)) (then", local(when));
                write(yes, depth + 1, text);
                text.push_str(") (else\n");
                write(no, depth + 1, text);
                writeln!(text, "))")
            }
            Statement::Branch(to) if to % (depth + 1) == depth => {
                writeln!(text, "(return (local.get {}))", local(to))
            }
            Statement::Branch(to) => writeln!(text, "(br {})", to % (depth + 1)),
            Statement::BranchIf(to, when) if to % (depth + 1) == depth => writeln!(
                text,
                "(drop (br_if {depth} (local.get {}) (i32.lt_u (local.get {}) (i32.const 0x60000000))))",
                local(to),
                local(when)
            ),
            Statement::BranchIf(to, when) => writeln!(
                text,
                "(br_if {} (i32.lt_u (local.get {}) (i32.const 0x60000000)))",
                to % (depth + 1),
                local(when)
            ),
        };
        written.expect("a string");
    }
}

#[test]
fn random_programs_do_the_same() {
    let mut runner = TestRunner::new(Config { cases: 2_000, failure_persistence: None, ..Config::default() });
    let moved = std::cell::Cell::new(0);
    let result = runner.run(&statements(), |statements| {
        let locals: String = (1..LOCALS).map(|local| format!("(local $v{local} i32)")).collect();
        let mut text = format!("(func $main (export \"main\") (param $v0 i32) (result i32) {locals}\n");
        write(&statements, 0, &mut text);
        text.push_str("(i32.add (local.get $v0) (i32.xor (local.get $v1) (local.get $v2))))");
        moved.set(moved.get() + check(&program(&text)));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    assert!(moved.get() > 500, "{} functions were made: the programs have little to move", moved.get());
}
