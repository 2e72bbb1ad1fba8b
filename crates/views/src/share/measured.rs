//! What is measured of all designs: their figures, and the costs of their access patterns.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_advice::{
    Comparison, DesignCosts, DesignFigures, Ranking, Scale, Scoreboard, Standing, compare,
};
use tabletop_keys::Field;
use tabletop_texts::messages;
use tabletop_workspace::{Design, NamedQuery};

use super::contents::Contents;
use super::data::{DataTable, json_file};
use super::known::Known;
use super::tables::TextTable;

/// The figures of designs and the costs of access patterns. Both are empty until the engine has
/// measured them.
#[derive(Default)]
pub struct Measured {
    figures: Vec<DesignFigures>,
    /// The figures of each table.
    of_tables: Vec<DesignFigures>,
    /// All tables.
    tables: Vec<Design>,
    queries: Vec<NamedQuery>,
    costs: Vec<DesignCosts>,
    /// The scale at which designs are ranked.
    scale: Scale,
    /// The fields of the events.
    fields: Rc<Vec<Field>>,
}

/// A table of measurements, and the design that is best by them.
pub struct Part {
    /// The heading of the part.
    pub title: &'static str,
    /// Which design is best, and why.
    pub sentences: String,
    /// The table.
    pub table: TextTable,
}

impl Measured {
    /// Returns what is known of the designs of the workspace.
    pub fn of(known: &Known) -> Measured {
        let designs = &known.workspace.designs;
        let of_design = |design: &Design| {
            known.figures.iter().find(|figures| figures.design.differs_at_most_in_results(design)).cloned()
        };
        let figures: Vec<Option<DesignFigures>> = designs.iter().map(of_design).collect();
        Measured {
            figures: DesignFigures::of_designs(designs, &figures).into_iter().flatten().collect(),
            of_tables: figures.into_iter().flatten().collect(),
            tables: designs.clone(),
            queries: known.workspace.queries.clone(),
            costs: known.costs.clone(),
            scale: Scale::of(known.workspace),
            fields: known.fields.clone(),
        }
    }

    /// The figures of each table, including index tables.
    pub fn tables(&self) -> &[DesignFigures] {
        &self.of_tables
    }

    /// The access patterns.
    pub fn queries(&self) -> &[NamedQuery] {
        &self.queries
    }

    /// The costs on each design.
    pub fn costs(&self) -> &[DesignCosts] {
        &self.costs
    }

    /// Returns the sentences on the access patterns with their table, and the sentences on the
    /// figures with theirs, as far as there are any. Their order, and the wording of the sentences
    /// on figures, are the same as on the page.
    pub fn parts(&self) -> Vec<Part> {
        let board = self.board();
        let are_ranked = self.has_patterns() && matches!(board.ranking, Ranking::Best { .. } | Ranking::Same);
        let figures = (!self.figures.is_empty()).then(|| self.part_of_figures(&board, are_ranked));
        let patterns = self.has_patterns().then(|| self.part_of_patterns(&board));
        let parts = if are_ranked { [patterns, figures] } else { [figures, patterns] };
        parts.into_iter().flatten().collect()
    }

    /// `are_ranked` says that the section on access patterns comes first.
    fn part_of_figures(&self, board: &Scoreboard, are_ranked: bool) -> Part {
        let says = &messages().compare;
        let comparison = compare(&self.figures, &self.standings(board));
        let (headline, reasons) = (
            (messages().advice.comparison)(&comparison, &self.figures),
            (messages().advice.comparison_reasons)(&comparison, &self.figures),
        );
        let sentences = if are_ranked {
            (says.by_figures)(&headline, &reasons)
        } else {
            let without_reads = matches!(comparison, Comparison::Best { .. }).then_some(says.without_reads);
            sentences_of([headline, reasons], without_reads)
        };
        Part {
            title: messages().share.report.figures,
            sentences,
            table: TextTable::of_figures(&self.figures),
        }
    }

    fn part_of_patterns(&self, board: &Scoreboard) -> Part {
        let sentences = sentences_of(
            [(messages().advice.ranking)(board), (messages().advice.ranking_reasons)(board)],
            None,
        );
        let sentences = match &board.ranking {
            Ranking::Best { .. } => (messages().share.report.by_patterns)(&sentences),
            _ => sentences,
        };
        Part {
            title: messages().scoreboard.title,
            sentences,
            table: TextTable::of_patterns(&self.tables, &self.queries, &self.costs, board),
        }
    }

    /// Returns the ranking by access patterns, at the scale that the workspace states.
    pub fn board(&self) -> Scoreboard<'_> {
        Scoreboard::new(&self.queries, &self.costs, &self.scale)
    }

    /// Returns what decides between the designs before their figures.
    fn standings(&self, board: &Scoreboard) -> Vec<Standing> {
        self.figures.iter().map(|figures| board.standing(figures)).collect()
    }

    /// Returns whether there are access patterns and designs for them.
    pub fn has_patterns(&self) -> bool {
        !self.queries.is_empty() && !self.costs.is_empty()
    }

    /// Returns the figures as CSV, if there are any.
    pub fn figures_csv(&self) -> Option<String> {
        (!self.figures.is_empty()).then(|| DataTable::of_figures(&self.figures, &self.fields).csv())
    }

    /// Returns the costs of the access patterns as CSV, if there are any.
    pub fn patterns_csv(&self) -> Option<String> {
        self.has_patterns().then(|| DataTable::of_patterns(&self.tables, &self.queries, &self.costs).csv())
    }

    /// Returns everything as JSON, if there is anything.
    pub fn json(&self, contents: &Contents) -> Option<String> {
        if self.figures.is_empty() {
            return None;
        }
        let board = self.board();
        let sentence = if self.has_patterns() {
            (messages().advice.ranking)(&board)
        } else {
            (messages().advice.comparison)(&compare(&self.figures, &self.standings(&board)), &self.figures)
        };
        let tables = [
            ("designs", DataTable::of_figures(&self.figures, &self.fields)),
            ("access_patterns", DataTable::of_patterns(&self.tables, &self.queries, &self.costs)),
            ("totals", DataTable::of_totals(&self.costs, &board)),
        ];
        Some(json_file(&contents.workspace.name, &sentence, contents.note.as_deref(), &tables))
    }
}

/// Joins sentences, of which the first has no full stop.
fn sentences_of([headline, reasons]: [String; 2], more: Option<&str>) -> String {
    let mut all = headline;
    for sentence in
        [Some(reasons.as_str()), more].into_iter().flatten().filter(|sentence| !sentence.is_empty())
    {
        if !all.ends_with(['.', '\u{2026}']) {
            all.push('.');
        }
        all.push(' ');
        all.push_str(sentence);
    }
    all
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use tabletop_advice::{QueryCost, QueryOutcome, TableState};
    use tabletop_keys::PlanKind;
    use tabletop_model::{ReadStats, TableView, TabletView};
    use tabletop_workspace::Workspace;

    /// Two designs: the first has the shorter key, the second needs fewer blocks.
    fn measured(queries: Vec<NamedQuery>) -> Measured {
        let design = |name: &str| Design { name: name.into(), ..Workspace::default().designs.swap_remove(0) };
        let tablet = TabletView {
            id: tabletop_model::TabletId(1),
            parent: None,
            start: Default::default(),
            end: Default::default(),
            rows: 1,
            cells: 1,
            exact: true,
            bytes: 100,
            memtable_bytes: 0,
            sstables: 1,
            reads: 0,
            writes: 1,
            reads_per_second: 0.0,
            writes_per_second: 1.0,
        };
        let figures = |name: &str, key_bytes_max: u64| DesignFigures {
            design: design(name),
            problems: vec![],
            events_built: 1,
            events_refused: 0,
            events_shared: 0,
            events_total: 1,
            changes: false,
            verdict: Default::default(),
            key_bytes_max,
            logical_bytes: None,
            compressed_bytes: None,
            table: TableView { tablets: vec![tablet.clone()], ..Default::default() },
            indexes: vec![],
        };
        let costs = |name: &str, blocks_read: u64| {
            let stats = ReadStats { blocks_read, rows_returned: 1, ..Default::default() };
            let kind = PlanKind::OneRange;
            let cost = QueryCost {
                kind,
                stats,
                ranges: 1,
                scans_more: false,
                newest: None,
                entities: None,
                wrong: None,
                timings: 1,
                elapsed_micros: 1,
            };
            let outcomes = queries.iter().map(|_| QueryOutcome::Answered(cost.clone())).collect();
            DesignCosts {
                design: design(name),
                state: TableState::Complete,
                is_hot: false,
                lost: 0,
                events: 100,
                heat: 0.0,
                largest_row: None,
                tables: 1,
                stored_bytes: 100,
                outcomes,
            }
        };
        Measured {
            figures: vec![figures("short", 10), figures("read", 20)],
            costs: vec![costs("short", 9), costs("read", 1)],
            tables: vec![design("short"), design("read")],
            queries,
            ..Measured::default()
        }
    }

    #[test]
    fn the_winner_by_patterns_comes_first_and_both_say_what_they_are_about() {
        let said = |queries| {
            measured(queries).parts().into_iter().map(|part| part.sentences).collect::<Vec<String>>()
        };
        let mut query = NamedQuery::new("one", Workspace::default().query);
        query.reads_per_second = 1.0;
        let both = said(vec![query]);
        assert!(
            both[0]
                .starts_with("For the access patterns: \u{201c}read\u{201d} wins with 1 blocks per second"),
            "{both:?}"
        );
        assert!(
            both[1].starts_with("Writes and storage: \u{201c}short\u{201d} is best by these figures. "),
            "{both:?}"
        );
        let figures = said(vec![]);
        assert!(figures[0].starts_with("\u{201c}short\u{201d} is best by these figures. "), "{figures:?}");
        assert_eq!(figures.len(), 1);
    }
}
