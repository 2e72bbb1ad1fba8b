//! Finds the bytes of the program's data that only later functions reach.
//!
//! The linker keeps its relocations (`--emit-relocs`). They record which symbols of data a function or another piece of data
//! names. An address of data has no other source, so data that no early function reaches, directly or through other data, is not
//! read before a later function runs.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use wasmparser::{
    DataKind, KnownCustom, Linking, Name, Operator, Parser, Payload, RelocSectionReader, RelocationType, SymbolInfo, TypeRef,
};

use crate::Result;

/// The shortest piece in bytes. A shorter piece costs more as a segment than it saves.
const BYTES_MIN: usize = 12;

/// The functions, data and references of a linked program.
#[derive(Debug, Default)]
pub struct Linked {
    /// The names of functions by index, including imported ones.
    names: BTreeMap<u32, String>,
    imported: u32,
    /// The range of each defined function in the code section.
    functions: Vec<Range<usize>>,
    segments: Vec<Segment>,
    symbols: Vec<Option<Symbol>>,
    /// The references in the code section and in the data section: the place, and the symbol that is named there.
    in_code: Vec<(usize, usize)>,
    in_data: Vec<(usize, usize)>,
}

/// A data segment: its address, and the place of its bytes in the data section.
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
    /// When it is not such a program.
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
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        self.imported += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                    }
                }
                Payload::CodeSectionStart { range, .. } => code = Some((starts.len() - 1, range.start)),
                Payload::CodeSectionEntry(body) => {
                    let start = code.map_or(0, |(_, start)| start);
                    self.functions.push(body.range().start - start..body.range().end - start);
                }
                Payload::DataSection(section) => {
                    let start = section.range().start;
                    data = Some((starts.len() - 1, start));
                    for segment in section {
                        let segment = segment?;
                        if let DataKind::Active { offset_expr, .. } = segment.kind
                            && let Operator::I32Const { value } = offset_expr.get_operators_reader().read()?
                        {
                            let at = segment.range.end - segment.data.len() - start;
                            self.segments.push(Segment { address: value as usize, at, len: segment.data.len() });
                        }
                    }
                }
                Payload::CustomSection(section) => match section.as_known() {
                    KnownCustom::Linking(linking) => {
                        for part in linking.subsections() {
                            if let Linking::SymbolTable(symbols) = part? {
                                for symbol in symbols {
                                    self.symbols.push(data_symbol(&symbol?));
                                }
                            }
                        }
                    }
                    KnownCustom::Reloc(relocations) => {
                        let is =
                            |part: Option<(usize, usize)>| part.is_some_and(|(n, _)| n == relocations.section_index() as usize);
                        if is(code) {
                            self.in_code = places(&relocations)?;
                        } else if is(data) {
                            self.in_data = places(&relocations)?;
                        }
                    }
                    KnownCustom::Name(names) => {
                        for part in names {
                            if let Name::Function(map) = part? {
                                for naming in map {
                                    let naming = naming?;
                                    self.names.insert(naming.index, naming.name.to_string());
                                }
                            }
                        }
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the sorted ranges of addresses that later functions reach and early ones do not. Covers only the first segment,
    /// which holds constants: data that changes must be there from the start.
    pub fn later_data(&self, is_early: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
        let is_data = |symbol: &usize| self.symbols.get(*symbol).is_some_and(Option::is_some);
        let (mut early, mut later) = (Vec::new(), Vec::new());
        for (place, symbol) in self.in_code.iter().filter(|(_, symbol)| is_data(symbol)) {
            let function = self.functions.partition_point(|range| range.end <= *place);
            let name = self.names.get(&(function as u32 + self.imported));
            let from = if name.is_none_or(|name| is_early(name)) { &mut early } else { &mut later };
            from.push(*symbol);
        }
        let names = self.data_that_data_names();
        let early = reached(early, &names);
        let later = reached(later, &names);
        let Some(constants) = self.segments.iter().position(|segment| Some(segment.address) == self.first_address()) else {
            return Vec::new();
        };
        let segment = &self.segments[constants];
        let mut moves = vec![false; segment.len];
        let of = |symbol: usize| self.symbols[symbol].filter(|symbol| symbol.segment == constants);
        // A symbol may be inside another one, so the data that stays is marked last.
        for moving in [true, false] {
            for symbol in (0..self.symbols.len()).filter(|symbol| (later.contains(symbol) && !early.contains(symbol)) == moving) {
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

    /// Returns the symbols that each symbol of data names.
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

/// Returns the symbol if it is one of data and not empty.
fn data_symbol(symbol: &SymbolInfo<'_>) -> Option<Symbol> {
    match symbol {
        SymbolInfo::Data { symbol: Some(data), .. } if data.size > 0 => {
            Some(Symbol { segment: data.index as usize, offset: data.offset as usize, len: data.size as usize })
        }
        _ => None,
    }
}

fn places(relocations: &RelocSectionReader<'_>) -> wasmparser::Result<Vec<(usize, usize)>> {
    let mut places = Vec::new();
    for entry in relocations.entries() {
        let entry = entry?;
        // The only kind whose index is not that of a symbol.
        if entry.ty != RelocationType::TypeIndexLeb {
            places.push((entry.offset as usize, entry.index as usize));
        }
    }
    places.sort_unstable();
    Ok(places)
}

/// Returns all symbols that are reached from these.
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
mod tests {
    use super::*;

    /// Makes a program of the functions `early` and `later`, of ten bytes each. Constants, at address 1,000: symbol 0 is named by
    /// `early`, 1 by `later`, 2 by symbol 0, 3 by symbol 1, 4 by both functions, 5 by none; 6 is inside 1 and named by `early`.
    /// Symbol 7 is mutable.
    fn linked() -> Linked {
        let symbol = |segment, offset, len| Some(Symbol { segment, offset, len });
        Linked {
            names: BTreeMap::from([(1, "early".to_string()), (2, "later".to_string())]),
            imported: 1,
            functions: vec![0..10, 11..21],
            segments: vec![Segment { address: 1_000, at: 8, len: 300 }, Segment { address: 2_000, at: 320, len: 50 }],
            symbols: vec![
                symbol(0, 0, 20),
                symbol(0, 20, 80),
                symbol(0, 100, 20),
                symbol(0, 120, 20),
                symbol(0, 140, 20),
                symbol(0, 160, 20),
                symbol(0, 50, 10),
                symbol(1, 0, 50),
            ],
            in_code: vec![(2, 0), (4, 4), (6, 6), (12, 1), (14, 4), (16, 7)],
            in_data: vec![(8 + 4, 2), (8 + 24, 3)],
        }
    }

    #[test]
    fn data_that_an_early_function_reaches_is_early() {
        assert_eq!(linked().later_data(|name| name == "early"), [1_020..1_050, 1_060..1_100, 1_120..1_140]);
    }

    #[test]
    fn nothing_is_later_when_all_functions_are_early() {
        assert_eq!(linked().later_data(|_| true), []);
    }

    #[test]
    fn a_program_without_relocations_is_refused() {
        let mut module = walrus::Module::default();
        assert!(Linked::parse(&module.emit_wasm()).is_err_and(|error| error.contains("--emit-relocs")));
    }
}
