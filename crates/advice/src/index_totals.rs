//! What a design with index tables costs in all its tables.

use alloc::vec::Vec;
use core::ops::Range;

use tabletop_workspace::{Design, NamedQuery, tables_of_designs};

use crate::{DesignCosts, DesignFigures, LargestRow, QueryOutcome, TableState, Tone};

impl DesignCosts {
    /// Returns the costs of each design from the costs of all tables: each pattern has the outcome
    /// of the table that it reads.
    pub fn of_designs(tables: &[DesignCosts], queries: &[NamedQuery]) -> Vec<DesignCosts> {
        let designs: Vec<Design> = tables.iter().map(|costs| costs.design.clone()).collect();
        let of_design = |of: Range<usize>| {
            let own = &tables[of.start];
            let all = &tables[of.clone()];
            let outcome = |(at, named): (usize, &NamedQuery)| -> QueryOutcome {
                tables[named.table_of(&designs, &of)].outcomes.get(at).cloned().unwrap_or_default()
            };
            let has = |state| all.iter().any(|costs| costs.state == state);
            let state = [TableState::Invalid, TableState::Growing].into_iter().find(|state| has(*state));
            DesignCosts {
                design: own.design.clone(),
                state: state.unwrap_or(TableState::Complete),
                is_hot: all.iter().any(|costs| costs.is_hot),
                lost: all.iter().map(|costs| costs.lost).max().unwrap_or_default(),
                events: own.events,
                heat: all.iter().map(|costs| costs.heat).fold(0.0, f64::max),
                largest_row: LargestRow::worst(all.iter().filter_map(|costs| costs.largest_row)),
                tables: all.iter().map(|costs| costs.tables).sum(),
                stored_bytes: all.iter().map(|costs| costs.stored_bytes).sum(),
                outcomes: if own.outcomes.is_empty() {
                    Vec::new()
                } else {
                    queries.iter().enumerate().map(outcome).collect()
                },
            }
        };
        tables_of_designs(&designs).into_iter().map(of_design).collect()
    }
}

impl DesignFigures {
    /// Returns the figures of each design from the figures of all tables of `designs`; `None` while
    /// the figures of one of its tables are not known.
    pub fn of_designs(designs: &[Design], tables: &[Option<DesignFigures>]) -> Vec<Option<DesignFigures>> {
        let of_design = |of: Range<usize>| {
            let all: Option<Vec<&DesignFigures>> = tables.get(of)?.iter().map(Option::as_ref).collect();
            let (own, indexes) = all?.split_first().map(|(own, indexes)| (*own, indexes.to_vec()))?;
            Some(own.with_indexes(&indexes))
        };
        tables_of_designs(designs).into_iter().map(of_design).collect()
    }

    fn with_indexes(&self, indexes: &[&DesignFigures]) -> DesignFigures {
        let mut sum = self.clone();
        for index in indexes {
            sum.problems.extend(index.problems.iter().cloned());
            sum.events_refused = sum.events_refused.max(index.events_refused);
            sum.events_shared = sum.events_shared.max(index.events_shared);
            sum.events_built = sum.events_built.min(index.events_built);
            sum.changes |= index.changes;
            sum.key_bytes_max = sum.key_bytes_max.max(index.key_bytes_max);
            sum.logical_bytes = sum.logical_bytes.zip(index.logical_bytes).map(|(one, other)| one + other);
            let bytes = sum.compressed_bytes.zip(index.compressed_bytes);
            sum.compressed_bytes = bytes.map(|(one, other)| one + other);
            sum.indexes.push(index.table.clone());
            if severity(index.verdict.tone) > severity(sum.verdict.tone) {
                sum.verdict = index.verdict.clone();
            }
        }
        sum
    }
}

fn severity(tone: Tone) -> u8 {
    match tone {
        Tone::Plain | Tone::Good => 0,
        Tone::Caution => 1,
        Tone::Hot => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise::tests::figures;

    #[test]
    fn a_design_has_the_costs_of_all_its_tables() {
        use crate::Figure;
        let one = |name: &str, of: Option<&str>, tone, share| {
            let figures = figures(name, tone, share, 1_000);
            let design = Design { index_of: of.map(Into::into), ..figures.design };
            Some(DesignFigures { design, ..figures })
        };
        let known = [
            one("a", None, Tone::Good, 0.5),
            one("a by type", Some("a"), Tone::Hot, 1.0),
            one("a by time", Some("a"), Tone::Good, 0.6),
            one("b", None, Tone::Good, 0.5),
        ];
        let designs: Vec<Design> = known.iter().flatten().map(|figures| figures.design.clone()).collect();
        let sums = DesignFigures::of_designs(&designs, &known);
        let [Some(a), Some(b)] = &sums[..] else { panic!("two designs: {sums:?}") };
        assert_eq!((Figure::Rows.of(a), Figure::Rows.of(b)), (Some(300.0), Some(100.0)));
        assert_eq!((Figure::StoredBytes.of(a), Figure::BytesPerEvent.of(a)), (Some(3_000.0), Some(30.0)));
        assert_eq!((Figure::HottestShare.of(a), a.verdict.tone), (Some(1.0), Tone::Hot));
        assert_eq!(
            (Figure::WriteAmplification.of(a), a.logical_bytes),
            (Figure::WriteAmplification.of(b), Some(30_000))
        );
        assert!(DesignFigures::of_designs(&designs, &[known[0].clone(), None, None, None])[0].is_none());
    }
}
