//! Finds the bytes of the program's data, and the slots of its table, that only later functions
//! reach.
//!
//! The linker keeps its relocations (`--emit-relocs`). They record which symbols (of data, or of
//! functions in the table) a function or a piece of data refers to. A program can get an address or
//! a slot number only through them. Data that no early function reaches, directly or through other
//! data, is not read before a later function runs, and functions in slots that early functions do
//! not reach are not called before that.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use wasmparser::{
    DataKind, DataSectionReader, ElementItems, ElementKind, ElementSectionReader, FunctionBody,
    ImportSectionReader, KnownCustom, Linking, LinkingSectionReader, Name, NameSectionReader, Operator,
    Parser, Payload, RelocSectionReader, RelocationType, SymbolInfo, TypeRef,
};

use crate::Result;
use crate::names::stable;

/// The shortest piece in bytes. A shorter piece costs more as a segment than it saves.
const BYTES_MIN: usize = 12;

/// The functions, data and references of a linked program.
#[derive(Debug, Default)]
pub struct Linked {
    /// The names of functions by index, including imported functions.
    names: BTreeMap<u32, String>,
    imported: u32,
    /// The number of parameters of each type, and the type of each function by index.
    params: Vec<usize>,
    types: Vec<u32>,
    /// The range of each defined function in the code section.
    functions: Vec<Range<usize>>,
    /// The references that are arguments of a call: their offset, and the called function.
    arguments: BTreeMap<usize, u32>,
    segments: Vec<Segment>,
    symbols: Vec<Option<Symbol>>,
    /// The functions that function symbols stand for.
    function_symbols: BTreeMap<usize, u32>,
    /// The functions in the table, by slot.
    slots: BTreeMap<usize, u32>,
    /// The references in the code section and in the data section: the offset, and the symbol that
    /// is referred to. A call is not a reference.
    in_code: Vec<(usize, usize)>,
    in_data: Vec<(usize, usize)>,
    /// The calls in the code section: the place, and the symbol that is called.
    calls: Vec<(usize, usize)>,
}

/// The table slots and the data that are needed before a later function runs.
#[derive(Debug, PartialEq)]
pub struct Needed {
    /// The slots whose numbers are in early functions, or in data that these reach.
    pub slots: BTreeSet<usize>,
    /// The sorted ranges of addresses that only later functions reach.
    pub later_data: Vec<Range<usize>>,
}

/// A data segment: its address, and the offset of its bytes in the data section.
#[derive(Debug)]
struct Segment {
    address: usize,
    at: usize,
    len: usize,
}

/// A symbol of data.
#[derive(Clone, Copy, Debug)]
struct Symbol {
    segment: usize,
    offset: usize,
    len: usize,
}

impl Linked {
    /// Reads a program that was linked with `--emit-relocs`.
    ///
    /// # Errors
    /// An error if it is not such a program.
    pub fn parse(wasm: &[u8]) -> Result<Linked> {
        let mut linked = Linked::default();
        linked.read(wasm).map_err(|error| format!("the linked program: {error}"))?;
        if linked.symbols.is_empty() {
            return Err("the linked program has no relocations: it must be linked with --emit-relocs".into());
        }
        Ok(linked)
    }

    fn read(&mut self, wasm: &[u8]) -> wasmparser::Result<()> {
        // The start of each section, by its number.
        let mut starts = Vec::new();
        let (mut code, mut data) = (None, None);
        for payload in Parser::new(0).parse_all(wasm) {
            let payload = payload?;
            if let Some((_, range)) = payload.as_section() {
                starts.push(range.start);
            }
            match payload {
                Payload::TypeSection(types) => {
                    for ty in types.into_iter_err_on_gc_types() {
                        self.params.push(ty?.params().len());
                    }
                }
                Payload::ImportSection(imports) => self.read_imports(imports)?,
                Payload::FunctionSection(types) => {
                    for ty in types {
                        self.types.push(ty?);
                    }
                }
                Payload::ElementSection(elements) => self.read_slots(elements)?,
                Payload::CodeSectionStart { range, .. } => code = Some((starts.len() - 1, range.start)),
                Payload::CodeSectionEntry(body) => {
                    let start = code.map_or(0, |(_, start)| start);
                    self.functions.push(body.range().start - start..body.range().end - start);
                    self.record_arguments(&body, start)?;
                }
                Payload::DataSection(section) => {
                    data = Some((starts.len() - 1, section.range().start));
                    self.read_segments(section)?;
                }
                Payload::CustomSection(section) => match section.as_known() {
                    KnownCustom::Linking(linking) => self.read_symbols(&linking)?,
                    KnownCustom::Reloc(relocations) => {
                        let is = |part: Option<(usize, usize)>| {
                            part.is_some_and(|(n, _)| n == relocations.section_index() as usize)
                        };
                        if is(code) {
                            (self.in_code, self.calls) = places(&relocations)?;
                        } else if is(data) {
                            (self.in_data, _) = places(&relocations)?;
                        }
                    }
                    KnownCustom::Name(names) => self.read_names(names)?,
                    _ => {}
                },
                _ => {}
            }
        }
        Ok(())
    }

    fn read_imports(&mut self, imports: ImportSectionReader<'_>) -> wasmparser::Result<()> {
        for import in imports.into_imports() {
            if let TypeRef::Func(ty) = import?.ty {
                self.imported += 1;
                self.types.push(ty);
            }
        }
        Ok(())
    }

    /// Reads the functions in the table.
    fn read_slots(&mut self, elements: ElementSectionReader<'_>) -> wasmparser::Result<()> {
        for element in elements {
            let element = element?;
            if let ElementKind::Active { offset_expr, .. } = element.kind
                && let Operator::I32Const { value } = offset_expr.get_operators_reader().read()?
                && let ElementItems::Functions(functions) = element.items
            {
                for (function, slot) in functions.into_iter().zip(value as usize..) {
                    self.slots.insert(slot, function?);
                }
            }
        }
        Ok(())
    }

    fn read_segments(&mut self, section: DataSectionReader<'_>) -> wasmparser::Result<()> {
        let start = section.range().start;
        for segment in section {
            let segment = segment?;
            if let DataKind::Active { offset_expr, .. } = segment.kind
                && let Operator::I32Const { value } = offset_expr.get_operators_reader().read()?
            {
                let at = segment.range.end - segment.data.len() - start;
                self.segments.push(Segment { address: value as usize, at, len: segment.data.len() });
            }
        }
        Ok(())
    }

    fn read_symbols(&mut self, linking: &LinkingSectionReader<'_>) -> wasmparser::Result<()> {
        for part in linking.subsections() {
            let Linking::SymbolTable(symbols) = part? else { continue };
            for symbol in symbols {
                let symbol = symbol?;
                if let SymbolInfo::Func { index, .. } = symbol {
                    self.function_symbols.insert(self.symbols.len(), index);
                }
                self.symbols.push(data_symbol(&symbol));
            }
        }
        Ok(())
    }

    fn read_names(&mut self, names: NameSectionReader<'_>) -> wasmparser::Result<()> {
        for part in names {
            let Name::Function(map) = part? else { continue };
            for naming in map {
                let naming = naming?;
                self.names.insert(naming.index, naming.name.to_string());
            }
        }
        Ok(())
    }

    /// Records the constants that directly precede a call and are its last arguments.
    fn record_arguments(&mut self, body: &FunctionBody<'_>, start: usize) -> wasmparser::Result<()> {
        // The offsets of the values that were pushed last, without other instructions in between.
        let mut pushed = Vec::new();
        for operator in body.get_operators_reader()?.into_iter_with_offsets() {
            let (operator, offset) = operator?;
            match operator {
                // The constant itself follows the byte of the instruction.
                Operator::I32Const { .. } | Operator::I64Const { .. } | Operator::LocalGet { .. } => {
                    pushed.push(offset + 1 - start);
                }
                Operator::Call { function_index } => {
                    let ty = self.types.get(function_index as usize).copied().unwrap_or_default();
                    let params = self.params.get(ty as usize).copied().unwrap_or_default();
                    let arguments = pushed.drain(..).rev().take(params);
                    self.arguments.extend(arguments.map(|place| (place, function_index)));
                }
                _ => pushed.clear(),
            }
        }
        Ok(())
    }

    /// Returns what is needed before a later function runs. An argument of a call of a later
    /// function is not needed: the later part has been loaded when that function reads it. (Most of
    /// these are locations and messages of panics.)
    pub fn needed(&self, is_early: impl Fn(&str) -> bool) -> Needed {
        // Imported functions are never later functions.
        let is_early_at = |function| {
            self.names.get(&function).is_none_or(|name| function < self.imported || is_early(name))
        };
        let (mut early, mut later) = (Vec::new(), Vec::new());
        for (place, symbol) in &self.in_code {
            let function = self.functions.partition_point(|range| range.end <= *place);
            let reader = self.arguments.get(place).copied().unwrap_or(function as u32 + self.imported);
            let is_needed = is_early_at(function as u32 + self.imported) && is_early_at(reader);
            let from = if is_needed { &mut early } else { &mut later };
            from.push(*symbol);
        }
        let names = self.data_that_data_names();
        let early = reached(early, &names);
        let functions: BTreeSet<&u32> =
            early.iter().filter_map(|symbol| self.function_symbols.get(symbol)).collect();
        let slots = self
            .slots
            .iter()
            .filter(|(_, function)| functions.contains(function))
            .map(|(slot, _)| *slot)
            .collect();
        Needed { slots, later_data: self.later_data(&early, &reached(later, &names)) }
    }

    /// Returns the names of the functions that are roots, and of those that they can call, directly
    /// or through other functions that are followed.
    pub fn called_from(
        &self,
        is_root: impl Fn(&str) -> bool,
        is_followed: impl Fn(&str) -> bool,
    ) -> BTreeSet<String> {
        let calls = self.calls_by_caller();
        let names = self.stable_names();
        let roots = names.iter().filter(|(function, name)| **function >= self.imported && is_root(name));
        let mut open: Vec<u32> = roots.map(|(function, _)| *function).collect();
        let mut all: BTreeSet<u32> = open.iter().copied().collect();
        while let Some(function) = open.pop() {
            for callee in calls.get(&function).into_iter().flatten() {
                let is_next =
                    *callee >= self.imported && names.get(callee).is_some_and(|name| is_followed(name));
                if is_next && all.insert(*callee) {
                    open.push(*callee);
                }
            }
        }
        all.iter().filter_map(|function| names.get(function).cloned()).collect()
    }

    /// Returns the names of all functions that these functions can call.
    pub fn calls_of(&self, is_caller: impl Fn(&str) -> bool) -> BTreeSet<String> {
        let names = self.stable_names();
        let calls = self.calls_by_caller();
        let callers =
            calls.iter().filter(|(function, _)| names.get(function).is_some_and(|name| is_caller(name)));
        let callees = callers.flat_map(|(_, callees)| callees).filter(|callee| **callee >= self.imported);
        callees.filter_map(|callee| names.get(callee).cloned()).collect()
    }

    /// Returns the size of the code of these functions.
    pub fn code_bytes(&self, is_counted: impl Fn(&str) -> bool) -> usize {
        let names = self.stable_names();
        let bodies = (self.imported..).zip(&self.functions);
        bodies
            .filter(|(function, _)| names.get(function).is_some_and(|name| is_counted(name)))
            .map(|(_, body)| body.len())
            .sum()
    }

    fn stable_names(&self) -> BTreeMap<u32, String> {
        self.names.iter().map(|(function, symbol)| (*function, stable(symbol))).collect()
    }

    /// Returns the functions that each function can call: those that it calls by name, and those in
    /// the slots of the table whose numbers it can get, from its own code or from data that it
    /// refers to. A method of a trait object is called through such data:
    ///
    /// ```text
    /// draw() ──refers to──> vtable of View ──has the slot of──> View::render
    /// ```
    fn calls_by_caller(&self) -> BTreeMap<u32, BTreeSet<u32>> {
        let data = self.data_that_data_names();
        let mut symbols: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (place, symbol) in self.calls.iter().chain(&self.in_code) {
            let caller = self.imported + self.functions.partition_point(|range| range.end <= *place) as u32;
            symbols.entry(caller).or_default().push(*symbol);
        }
        let functions_of = |symbols: Vec<usize>| {
            let reached = reached(symbols, &data).into_iter();
            reached.filter_map(|symbol| self.function_symbols.get(&symbol).copied()).collect()
        };
        symbols.into_iter().map(|(caller, symbols)| (caller, functions_of(symbols))).collect()
    }

    /// Returns the ranges of addresses that the later symbols have and the early ones do not.
    /// Covers only the first segment, which holds constants: data that changes must be there from
    /// the start.
    fn later_data(&self, early: &BTreeSet<usize>, later: &BTreeSet<usize>) -> Vec<Range<usize>> {
        let Some(constants) =
            self.segments.iter().position(|segment| Some(segment.address) == self.first_address())
        else {
            return Vec::new();
        };
        let segment = &self.segments[constants];
        let mut moves = vec![false; segment.len];
        let of = |symbol: usize| self.symbols[symbol].filter(|symbol| symbol.segment == constants);
        // A symbol may be inside another one, so the data that stays is marked last.
        for moving in [true, false] {
            for symbol in (0..self.symbols.len())
                .filter(|symbol| (later.contains(symbol) && !early.contains(symbol)) == moving)
            {
                if let Some(symbol) = of(symbol) {
                    moves[symbol.offset..symbol.offset + symbol.len].fill(moving);
                }
            }
        }
        runs(&moves).map(|run| segment.address + run.start..segment.address + run.end).collect()
    }

    fn first_address(&self) -> Option<usize> {
        self.segments.iter().map(|segment| segment.address).min()
    }

    /// Returns the symbols that each data symbol refers to.
    fn data_that_data_names(&self) -> BTreeMap<usize, BTreeSet<usize>> {
        let mut named: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (index, symbol) in self.symbols.iter().enumerate() {
            let Some(symbol) = symbol else { continue };
            let start = self.segments[symbol.segment].at + symbol.offset;
            let first = self.in_data.partition_point(|(place, _)| *place < start);
            let inside = self.in_data[first..].iter().take_while(|(place, _)| *place < start + symbol.len);
            let inside: BTreeSet<usize> = inside.map(|(_, target)| *target).collect();
            if !inside.is_empty() {
                named.insert(index, inside);
            }
        }
        named
    }
}

/// Returns the symbol if it is a data symbol and not empty.
fn data_symbol(symbol: &SymbolInfo<'_>) -> Option<Symbol> {
    match symbol {
        SymbolInfo::Data { symbol: Some(data), .. } if data.size > 0 => Some(Symbol {
            segment: data.index as usize,
            offset: data.offset as usize,
            len: data.size as usize,
        }),
        _ => None,
    }
}

/// Places and the symbols that are named there.
type Places = Vec<(usize, usize)>;

/// Returns the references and the calls of a section.
fn places(relocations: &RelocSectionReader<'_>) -> wasmparser::Result<(Places, Places)> {
    let (mut references, mut calls) = (Vec::new(), Vec::new());
    for entry in relocations.entries() {
        let entry = entry?;
        let place = (entry.offset as usize, entry.index as usize);
        match entry.ty {
            // The index of a type is not that of a symbol.
            RelocationType::TypeIndexLeb => {}
            RelocationType::FunctionIndexLeb => calls.push(place),
            _ => references.push(place),
        }
    }
    references.sort_unstable();
    calls.sort_unstable();
    Ok((references, calls))
}

/// Returns all symbols that can be reached from these.
fn reached(mut from: Vec<usize>, names: &BTreeMap<usize, BTreeSet<usize>>) -> BTreeSet<usize> {
    let mut all = BTreeSet::new();
    while let Some(symbol) = from.pop() {
        if all.insert(symbol) {
            from.extend(names.get(&symbol).into_iter().flatten());
        }
    }
    all
}

/// Returns the ranges of sufficiently long runs of `true`.
fn runs(marks: &[bool]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    let all = marks.chunk_by(|a, b| a == b).map(move |run| {
        at += run.len();
        (run[0], at - run.len()..at)
    });
    all.filter(|(moves, run)| *moves && run.len() >= BYTES_MIN).map(|(_, run)| run)
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Makes a program of functions of ten bytes each, with the functions that each one calls.
    pub fn program(functions: &[(&str, &[&str])]) -> Linked {
        let number = |name: &str| functions.iter().position(|(other, _)| *other == name).expect("a function");
        let calls = functions.iter().zip(0..).flat_map(|((_, callees), at)| {
            callees.iter().zip(1..).map(move |(callee, place)| (at * 10 + place, number(callee)))
        });
        Linked {
            names: (1..).zip(functions).map(|(index, (name, _))| (index, (*name).to_string())).collect(),
            imported: 1,
            functions: (0..functions.len()).map(|at| at * 10..at * 10 + 10).collect(),
            function_symbols: (0..functions.len()).zip(1..).collect(),
            calls: calls.collect(),
            ..Linked::default()
        }
    }

    /// Makes a program of the functions `early` and `later`, of ten bytes each. Constants, at
    /// address 1,000: symbol 0 is named by `early`, 1 by `later`, 2 by symbol 0, 3 by symbol 1, 4
    /// by both functions, 5 by none; 6 is inside 1 and named by `early`. Symbol 7 is mutable.
    /// Symbols 8 and 9 are the functions of slots 1 and 2: symbol 2 names the first, symbol 3 the
    /// second. Symbol 10 is an argument with which `early` calls `later`, and 11 one with which it
    /// calls itself.
    fn linked() -> Linked {
        let symbol = |segment, offset, len| Some(Symbol { segment, offset, len });
        Linked {
            names: BTreeMap::from([(1, "early".to_string()), (2, "later".to_string())]),
            imported: 1,
            arguments: BTreeMap::from([(8, 2), (9, 1)]),
            functions: vec![0..10, 11..21],
            segments: vec![
                Segment { address: 1_000, at: 8, len: 300 },
                Segment { address: 2_000, at: 320, len: 50 },
            ],
            symbols: vec![
                symbol(0, 0, 20),
                symbol(0, 20, 80),
                symbol(0, 100, 20),
                symbol(0, 120, 20),
                symbol(0, 140, 20),
                symbol(0, 160, 20),
                symbol(0, 50, 10),
                symbol(1, 0, 50),
                None,
                None,
                symbol(0, 180, 20),
                symbol(0, 200, 20),
            ],
            function_symbols: BTreeMap::from([(8, 1), (9, 2)]),
            slots: BTreeMap::from([(1, 1), (2, 2)]),
            in_code: vec![(2, 0), (4, 4), (6, 6), (8, 10), (9, 11), (12, 1), (14, 4), (16, 7)],
            in_data: vec![(8 + 4, 2), (8 + 24, 3), (8 + 104, 8), (8 + 124, 9)],
            ..Linked::default()
        }
    }

    #[test]
    fn data_that_an_early_function_reaches_is_early() {
        let needed = linked().needed(|name| name == "early");
        assert_eq!(needed.later_data, [1_020..1_050, 1_060..1_100, 1_120..1_140, 1_180..1_200]);
    }

    #[test]
    fn a_slot_is_needed_when_early_functions_reach_its_number() {
        assert_eq!(linked().needed(|name| name == "early").slots, BTreeSet::from([1]));
        assert_eq!(linked().needed(|name| name == "later").slots, BTreeSet::from([2]));
    }

    #[test]
    fn a_function_in_a_slot_can_be_called() {
        let linked = linked();
        // The slot of `early` is in data that it refers to, and that of `later` in its own data.
        let called = |root: &str| linked.called_from(|name| name == root, |_| true);
        assert_eq!(called("early"), BTreeSet::from(["early".to_string()]));
        assert_eq!(called("later"), BTreeSet::from(["later".to_string()]));
        assert_eq!(linked.calls_of(|name| name == "later"), BTreeSet::from(["later".to_string()]));
        let mut linked = linked;
        // Symbol 2, which `early` reaches through symbol 0, has the slot of `later` instead.
        linked.function_symbols.insert(8, 2);
        let called = linked.called_from(|name| name == "early", |_| true);
        assert_eq!(called, BTreeSet::from(["early".to_string(), "later".to_string()]));
    }

    #[test]
    fn nothing_is_later_when_all_functions_are_early() {
        assert_eq!(linked().needed(|_| true).later_data, []);
    }

    #[test]
    fn a_program_without_relocations_is_refused() {
        let mut module = walrus::Module::default();
        assert!(Linked::parse(&module.emit_wasm()).is_err_and(|error| error.contains("--emit-relocs")));
    }
}
