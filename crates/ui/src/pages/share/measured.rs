//! What is measured of all designs: their figures, and the costs of their access patterns.

use std::rc::Rc;

use tabletop_schema::{Comparison, Design, DesignCosts, DesignFigures, Field, NamedQuery, Scoreboard, compare};

use super::data::{DataTable, json_file};
use super::make::Contents;
use super::tables::TextTable;
use crate::messages::messages;
use crate::state::PageState;

/// The figures of designs and the costs of access patterns. Both are empty until the engine has measured them.
#[derive(Default)]
pub struct Measured {
    figures: Vec<DesignFigures>,
    /// Those of each table.
    of_tables: Vec<DesignFigures>,
    /// All tables.
    tables: Vec<Design>,
    queries: Vec<NamedQuery>,
    costs: Vec<DesignCosts>,
    /// Those of the events.
    fields: Rc<Vec<Field>>,
}

/// A table of what is measured, and which design is best by it.
pub struct Part {
    /// Its heading.
    pub title: &'static str,
    /// Which design is best, and why.
    pub sentences: String,
    /// The table.
    pub table: TextTable,
}

impl Measured {
    /// Returns what is known of the designs of the workspace on the screen.
    pub fn of(state: &PageState) -> Measured {
        let designs = &state.workspace.designs;
        let known =
            |design: &Design| state.compared.iter().find(|figures| figures.design.differs_at_most_in_results(design)).cloned();
        let figures: Vec<Option<DesignFigures>> = designs.iter().map(known).collect();
        Measured {
            figures: DesignFigures::of_designs(designs, &figures).into_iter().flatten().collect(),
            of_tables: figures.into_iter().flatten().collect(),
            tables: designs.clone(),
            queries: state.workspace.queries.clone(),
            costs: state.costs(),
            fields: state.shown.fields.clone(),
        }
    }

    /// The figures of each table, index tables among them.
    pub fn tables(&self) -> &[DesignFigures] {
        &self.of_tables
    }

    /// The access patterns.
    pub fn queries(&self) -> &[NamedQuery] {
        &self.queries
    }

    /// Their costs on each design.
    pub fn costs(&self) -> &[DesignCosts] {
        &self.costs
    }

    /// Returns the sentences on the figures with their table, and the same for the access patterns, as far as there are any.
    pub fn parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        if !self.figures.is_empty() {
            let comparison = compare(&self.figures);
            let without_reads = matches!(comparison, Comparison::Best { .. }).then_some(messages().compare.without_reads);
            let sentences = [comparison.headline(&self.figures), comparison.reasons(&self.figures)];
            parts.push(Part {
                title: messages().share.report.figures,
                sentences: sentences_of(sentences, without_reads),
                table: TextTable::of_figures(&self.figures),
            });
        }
        if self.has_patterns() {
            let board = Scoreboard::new(&self.queries, &self.costs);
            let sentences = [board.headline(), board.reasons()];
            parts.push(Part {
                title: messages().scoreboard.title,
                sentences: sentences_of(sentences, None),
                table: TextTable::of_patterns(&self.tables, &self.queries, &self.costs, &board),
            });
        }
        parts
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

    /// Returns all as JSON, if there is anything.
    pub fn json(&self, contents: &Contents) -> Option<String> {
        if self.figures.is_empty() {
            return None;
        }
        let board = Scoreboard::new(&self.queries, &self.costs);
        let sentence = if self.has_patterns() { board.headline() } else { compare(&self.figures).headline(&self.figures) };
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
    for sentence in [Some(reasons.as_str()), more].into_iter().flatten().filter(|sentence| !sentence.is_empty()) {
        if !all.ends_with(['.', '\u{2026}']) {
            all.push('.');
        }
        all.push(' ');
        all.push_str(sentence);
    }
    all
}
