//! Puts similar functions next to each other, so that the program compresses better.
//!
//! gzip finds repeated bytes only within the last 32 KiB. The linker's order separates functions
//! with similar code, such as the instances of a generic function: in a better order, the early
//! part is 5% smaller.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::convert::Infallible;

use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{CodeSection, FunctionSection, Module};
use wasmparser::{CodeSectionReader, CustomSectionReader, FunctionSectionReader, Parser, Payload, TypeRef};

use crate::Result;

/// The length of the compared pieces of code, in bytes.
const PIECE_BYTES: usize = 6;
/// A piece that more functions share does not distinguish them.
const SHARERS_MAX: usize = 200;
/// A function is compared with the functions before it, up to this total size.
const WINDOW_BYTES: usize = 16_000;
/// Added to the size of a function, because a match of a very short one saves little.
const EXTRA_BYTES: usize = 20;

/// Reorders the functions of a program, and removes the custom sections, which only tools read.
///
/// # Errors
/// An error if the program cannot be read.
pub fn order(wasm: &[u8]) -> Result<Vec<u8>> {
    let (imported, bodies) =
        functions(wasm).map_err(|error| format!("the program cannot be read: {error}"))?;
    let order = by_similarity(&bodies);
    let mut places = vec![0; order.len()];
    for (place, &function) in (0..).zip(&order) {
        places[function] = place;
    }
    let mut module = Module::new();
    let mut reorder = Reorder { imported, order, places };
    reorder
        .parse_core_module(&mut module, Parser::new(0), wasm)
        .map_err(|error| format!("the program cannot be reordered: {error}"))?;
    Ok(module.finish())
}

/// Returns the number of imported functions, and the bodies of the others.
fn functions(wasm: &[u8]) -> wasmparser::Result<(u32, Vec<&[u8]>)> {
    let mut imported = 0;
    let mut bodies = Vec::new();
    for payload in Parser::new(0).parse_all(wasm) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    imported += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                }
            }
            Payload::CodeSectionEntry(body) => bodies.push(body.as_bytes()),
            _ => {}
        }
    }
    Ok((imported, bodies))
}

/// Returns the order of functions in which each one shares the most with the functions before it,
/// relative to its size.
fn by_similarity(bodies: &[&[u8]]) -> Vec<usize> {
    let pieces: Vec<BTreeSet<&[u8]>> =
        bodies.iter().map(|body| body.windows(PIECE_BYTES).collect()).collect();
    let mut sharers: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (function, pieces) in pieces.iter().enumerate() {
        for piece in pieces {
            sharers.entry(piece).or_default().push(function);
        }
    }
    sharers.retain(|_, functions| (2..=SHARERS_MAX).contains(&functions.len()));

    // For each piece, the number of functions in the window that have it; for each function, the
    // number of pieces that it shares with the window.
    let mut in_window: HashMap<&[u8], usize> = HashMap::new();
    let mut common = vec![0_usize; bodies.len()];
    let mut window = VecDeque::new();
    let mut window_bytes = 0;
    let mut left: Vec<usize> = (0..bodies.len()).collect();
    let mut order = Vec::with_capacity(bodies.len());
    while let Some(best) = best(&left, &common, bodies) {
        let next = left.remove(best);
        order.push(next);
        window.push_back(next);
        window_bytes += bodies[next].len();
        for piece in &pieces[next] {
            let Some(functions) = sharers.get(piece) else { continue };
            let count = in_window.entry(piece).or_default();
            *count += 1;
            if *count == 1 {
                functions.iter().for_each(|function| common[*function] += 1);
            }
        }
        while window_bytes > WINDOW_BYTES
            && let Some(old) = window.pop_front()
        {
            window_bytes -= bodies[old].len();
            for piece in &pieces[old] {
                let Some(functions) = sharers.get(piece) else { continue };
                let count = in_window.entry(piece).or_default();
                *count -= 1;
                if *count == 0 {
                    functions.iter().for_each(|function| common[*function] -= 1);
                }
            }
        }
    }
    order
}

/// Returns the position in `left` of the function with the largest shared part. Of equal functions,
/// returns the first.
fn best(left: &[usize], common: &[usize], bodies: &[&[u8]]) -> Option<usize> {
    let share = |function: usize| (common[function] << 16) / (bodies[function].len() + EXTRA_BYTES);
    (0..left.len()).rev().max_by_key(|position| share(left[*position]))
}

/// Copies a module with its functions in another order.
struct Reorder {
    imported: u32,
    /// The functions in their new order, and the new position of each; imported functions are not
    /// counted.
    order: Vec<usize>,
    places: Vec<u32>,
}

impl Reencode for Reorder {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> std::result::Result<u32, Error<Infallible>> {
        Ok(match function.checked_sub(self.imported) {
            Some(own) => self.imported + self.places[own as usize],
            None => function,
        })
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: FunctionSectionReader<'_>,
    ) -> std::result::Result<(), Error<Infallible>> {
        let types = section.into_iter().collect::<wasmparser::Result<Vec<u32>>>()?;
        for &function in &self.order {
            functions.function(types[function]);
        }
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: CodeSectionReader<'_>,
    ) -> std::result::Result<(), Error<Infallible>> {
        let bodies = section.into_iter().collect::<wasmparser::Result<Vec<_>>>()?;
        for function in self.order.clone() {
            self.parse_function_body(code, bodies[function].clone())?;
        }
        Ok(())
    }

    fn parse_custom_section(
        &mut self,
        _: &mut Module,
        _: CustomSectionReader<'_>,
    ) -> std::result::Result<(), Error<Infallible>> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_functions_are_neighbours() {
        let bodies: [&[u8]; 4] =
            [b"the first kind: 1", b"quite another one", b"the first kind: 2", b"quite another one!"];
        assert_eq!(by_similarity(&bodies), [0, 2, 1, 3]);
    }

    #[test]
    fn calls_exports_and_the_table_follow_their_functions() {
        use walrus::ir::Value;
        use walrus::{ConstExpr, ElementItems, ElementKind, FunctionBuilder, ValType};

        // Each function returns its number; "all" calls them in this order.
        let mut module = walrus::Module::default();
        let none = module.types.add(&[], &[]);
        module.add_import_func("js", "log", none);
        let numbers = [7_000_001, 9, 7_000_002].map(|number| {
            let mut function = FunctionBuilder::new(&mut module.types, &[], &[ValType::I64]);
            function.func_body().i64_const(number).drop().i64_const(number);
            function.finish(Vec::new(), &mut module.funcs)
        });
        for (number, function) in numbers.iter().enumerate() {
            module.exports.add(&format!("f{number}"), *function);
        }
        let table = module.tables.add_local(false, 3, Some(3), walrus::RefType::FUNCREF);
        let kind = ElementKind::Active { table, offset: ConstExpr::Value(Value::I32(0)) };
        let element = module.elements.add(kind, ElementItems::Functions(numbers.to_vec()));
        module.tables.get_mut(table).elem_segments.insert(element);
        let wasm = module.emit_wasm();

        let ordered = order(&wasm).expect("a program");
        wasmparser::validate(&ordered).expect("a valid module");
        let (before, after) = (exported(&wasm), exported(&ordered));
        assert_eq!(before.len(), 3);
        assert_eq!(before, after);
    }

    /// Returns the bodies of exported functions, by name, with the slots that have them.
    fn exported(wasm: &[u8]) -> Vec<(String, Vec<u8>, Vec<usize>)> {
        let (imported, bodies) = functions(wasm).expect("functions");
        let (mut exports, mut slots) = (Vec::new(), Vec::new());
        for payload in Parser::new(0).parse_all(wasm) {
            match payload.expect("a section") {
                Payload::ExportSection(section) => {
                    exports.extend(
                        section
                            .into_iter()
                            .map(|export| export.expect("an export"))
                            .map(|e| (e.name.to_string(), e.index)),
                    );
                }
                Payload::ElementSection(section) => {
                    for element in section {
                        if let wasmparser::ElementItems::Functions(functions) =
                            element.expect("an element").items
                        {
                            slots.extend(functions.into_iter().map(|function| function.expect("a function")));
                        }
                    }
                }
                _ => {}
            }
        }
        let of = |function: u32| (0..slots.len()).filter(|slot| slots[*slot] == function).collect();
        exports.sort();
        exports
            .into_iter()
            .map(|(name, function)| (name, bodies[(function - imported) as usize].to_vec(), of(function)))
            .collect()
    }
}
