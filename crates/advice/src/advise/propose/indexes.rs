//! A proposed design with index tables: patterns that its own key cannot serve read tables whose
//! keys begin with their fields, as the method of Chebotko makes one table for each kind of query.

use alloc::vec::Vec;

use tabletop_workspace::{Design, NamedQuery, Proposal, ProposedIndex, TradeOff};

use super::{Candidate, Served, trade_offs};
use crate::names;

/// The maximum number of index tables of a proposal: each of them doubles a write.
const INDEXES_MAX: usize = 2;

/// Returns the design with index tables for the patterns that it does not serve by ranges; `None`
/// if it serves all, if no other key serves them, or if `existing` has these tables.
pub fn with_indexes(
    main: &Candidate,
    all: &[Candidate],
    patterns: &[&NamedQuery],
    existing: &[Design],
) -> Option<Proposal> {
    let mut missing: Vec<usize> =
        (0..patterns.len()).filter(|at| main.served[*at] >= Served::ScansMore).collect();
    let mut served = main.served.clone();
    let mut indexes: Vec<ProposedIndex> = Vec::new();
    while !missing.is_empty() && indexes.len() < INDEXES_MAX {
        // The key that serves most of the reads that no table serves yet.
        let helps = |candidate: &Candidate| -> f64 {
            let reads = missing.iter().filter(|at| candidate.served[**at] < Served::ScansMore);
            reads.map(|at| patterns[*at].reads_per_second.max(f64::MIN_POSITIVE)).sum()
        };
        let mut best: Option<(&Candidate, f64)> = None;
        for candidate in all {
            let help = helps(candidate);
            // The first of equal ones, as for designs.
            if help > best.map_or(0.0, |(_, most)| most) {
                best = Some((candidate, help));
            }
        }
        let Some((best, _)) = best else { break };
        let (now, later): (Vec<usize>, Vec<usize>) =
            missing.iter().partition(|at| best.served[**at] < Served::ScansMore);
        for at in &now {
            served[*at] = best.served[*at];
        }
        let name = names::index(&best.design.name);
        let design = Design { name, index_of: Some(main.design.name.clone()), ..best.design.clone() };
        indexes.push(ProposedIndex {
            design,
            patterns: now.iter().map(|at| patterns[*at].name.clone()).collect(),
        });
        missing = later;
    }
    let has = |index: &ProposedIndex| {
        existing.iter().any(|table| table.index_of.is_some() && is_same_table(table, &index.design))
    };
    let has_main =
        existing.iter().any(|table| table.index_of.is_none() && is_same_table(table, &main.design));
    if indexes.is_empty() || (has_main && indexes.iter().all(has)) {
        return None;
    }
    let name = names::with_indexes(&main.design.name, indexes.len());
    for index in &mut indexes {
        index.design.index_of = Some(name.clone());
    }
    let mut trade_offs = trade_offs(main, &served, patterns);
    trade_offs.extend(indexes.iter().map(|index| TradeOff::ReadsIndex {
        table: index.design.name.clone(),
        patterns: index.patterns.clone(),
    }));
    trade_offs.push(TradeOff::WritesTables(1 + indexes.len() as u32));
    Some(Proposal { design: Design { name, ..main.design.clone() }, indexes, trade_offs })
}

fn is_same_table(one: &Design, other: &Design) -> bool {
    one.template == other.template && one.layout == other.layout
}
