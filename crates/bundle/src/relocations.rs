//! Which bytes of the program's data are reached by later functions only.
//!
//! The linker is asked to keep its relocations (`--emit-relocs`). They say which symbols of data a function or another piece of
//! data names. An address of data can come from such a place only, so data that no early function reaches, directly or through
//! other data, is not read before a later function runs.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use wasmparser::{
    DataKind, KnownCustom, Linking, Name, Operator, Parser, Payload, RelocSectionReader, RelocationType, SymbolInfo, TypeRef,
};

use crate::Result;

/// Shorter pieces cost more as segments of their own than they save.
const BYTES_MIN: usize = 12;

/// The linked program, as far as it says who reaches which data.
#[derive(Debug, Default)]
pub struct Linked {
    /// Names of functions by index, imported ones included.
    names: BTreeMap<u32, String>,
    imported: u32,
    /// Of each defined function, where it lies in the section of code.
    functions: Vec<Range<usize>>,
    segments: Vec<Segment>,
    symbols: Vec<Option<Symbol>>,
    /// Of the section of code and of that of data: the place and the symbol that it names.
    in_code: Vec<(usize, usize)>,
    in_data: Vec<(usize, usize)>,
}

/// A segment of data: its address, and where its bytes lie in the section of data.
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
    /// When it is no such program.
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

    /// Ranges of addresses, in order, with the bytes that later functions reach and early ones do not. Only of the first
    /// segment, which holds constants: what changes while the program runs is there from the start.
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
        // A symbol may lie within another, so what stays is marked last.
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

    /// For each symbol of data, the symbols that are named within it.
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

/// The symbol, if it is one of data that has bytes.
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
        // The only kind whose index is none of a symbol.
        if entry.ty != RelocationType::TypeIndexLeb {
            places.push((entry.offset as usize, entry.index as usize));
        }
    }
    places.sort_unstable();
    Ok(places)
}

/// All that is reached from these.
fn reached(mut from: Vec<usize>, names: &BTreeMap<usize, BTreeSet<usize>>) -> BTreeSet<usize> {
    let mut all = BTreeSet::new();
    while let Some(symbol) = from.pop() {
        if all.insert(symbol) {
            from.extend(names.get(&symbol).into_iter().flatten());
        }
    }
    all
}

/// Where long enough runs of `true` are.
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

    /// Functions `early` and `later` of ten bytes each. Of the constants, at address 1,000: symbol 0 is named by `early`, 1 by
    /// `later`, 2 by symbol 0, 3 by symbol 1, 4 by both, 5 by none; 6 lies within 1 and is named by `early`. Symbol 7 may change.
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
    fn data_that_an_early_function_reaches_stay() {
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
