//! The figures of designs and the costs of their access patterns as tables of texts, for Markdown
//! and for the report.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use tabletop_advice::{DesignCosts, DesignFigures, Figure, QueryCost, QueryOutcome, Scoreboard, TableState};
use tabletop_keys::Field;
use tabletop_texts::messages;
use tabletop_workspace::{Design, NamedQuery, tables_of_designs};

use crate::in_words::{in_words, storage_of};
use crate::markdown;
use crate::query::limit_count;
use crate::scene::xml;

/// A table: a heading for each column, and lines whose first cell names them.
pub struct TextTable {
    head: Vec<String>,
    lines: Vec<Vec<String>>,
}

impl TextTable {
    /// A line for each figure, a column for each design.
    pub fn of_figures(designs: &[DesignFigures]) -> TextTable {
        let says = &messages().compare;
        let names = designs.iter().map(|each| each.design.name.clone());
        let line = |figure: Figure| {
            let value = |each: &DesignFigures| {
                figure.of(each).map_or(says.nothing.into(), |value| (messages().advice.figure)(figure, value))
            };
            core::iter::once((says.figures)(figure).0.to_owned()).chain(designs.iter().map(value)).collect()
        };
        TextTable {
            head: core::iter::once(says.figure.to_owned()).chain(names).collect(),
            lines: Figure::ALL.into_iter().map(line).collect(),
        }
    }

    /// A line for each access pattern and one for the totals, a column for each design.
    pub fn of_patterns(
        tables: &[Design],
        queries: &[NamedQuery],
        costs: &[DesignCosts],
        board: &Scoreboard,
    ) -> TextTable {
        let says = &messages().scoreboard;
        let head = [says.pattern, says.weight].map(String::from).into_iter();
        let line = |(at, named): (usize, &NamedQuery)| {
            let first =
                [format!("{}: {}", named.name, in_words(&named.query)), named.reads_per_second.to_string()];
            let read = tables_read(tables, named).into_iter().chain(core::iter::repeat(None));
            let outcomes = costs.iter().zip(read).map(|(each, index)| {
                let outcome = outcome(named, each, at);
                index.map_or(outcome.clone(), |index| format!("{index}: {outcome}"))
            });
            first.into_iter().chain(outcomes).collect()
        };
        let totals = board
            .totals
            .iter()
            .map(|total| total.map_or(says.total_unknown.into(), |total| (says.total_of)(total.blocks)));
        let last = [says.total.to_owned(), String::new()].into_iter().chain(totals).collect();
        TextTable {
            head: head.chain(costs.iter().map(|each| each.design.name.clone())).collect(),
            lines: queries.iter().enumerate().map(line).chain([last]).collect(),
        }
    }

    /// Returns the headings of the columns.
    pub fn head(&self) -> &[String] {
        &self.head
    }

    /// Returns the lines.
    pub fn lines(&self) -> &[Vec<String>] {
        &self.lines
    }

    /// Writes it as Markdown.
    pub fn markdown(&self) -> String {
        markdown::table(&self.head, 1, &self.lines)
    }

    /// Writes it as HTML.
    pub fn html(&self) -> String {
        let line = |cells: &[String], scope: &str, rest: &str| {
            let (first, others) = (xml(&cells[0]), &cells[1..]);
            let others: String = others
                .iter()
                .map(|cell| format!("<{rest} class=\"num\">{}</{}>", xml(cell), &rest[..2]))
                .collect();
            format!("<tr><th scope=\"{scope}\">{first}</th>{others}</tr>\n")
        };
        let lines: String = self.lines.iter().map(|cells| line(cells, "row", "td")).collect();
        format!(
            "<div class=\"wide\"><table>\n{}{lines}</table></div>\n",
            line(&self.head, "col", "th scope=\"col\"")
        )
    }
}

/// Returns the index table of each design that an access pattern reads; `None` for the design's own
/// table.
pub fn tables_read<'d>(tables: &'d [Design], named: &NamedQuery) -> Vec<Option<&'d str>> {
    let read = |of: &core::ops::Range<usize>| {
        let at = named.table_of(tables, of);
        (at != of.start).then(|| tables[at].name.as_str())
    };
    tables_of_designs(tables).iter().map(read).collect()
}

/// Returns how a table stores an event, and whose index table it is. `fields` are the fields of the
/// events.
pub fn layout_of(table: &Design, fields: &[Field]) -> String {
    let layout = storage_of(table, fields);
    table
        .index_of
        .as_ref()
        .map_or(layout.clone(), |of| format!("{} · {layout}", (messages().compare.index_of)(of)))
}

/// Returns in one line what an access pattern costs on a design. Times differ between machines and
/// are left out.
fn outcome(named: &NamedQuery, costs: &DesignCosts, at: usize) -> String {
    let says = &messages().scoreboard;
    match (costs.state, costs.outcomes.get(at).unwrap_or(&QueryOutcome::Waiting)) {
        (TableState::Invalid, _) => says.template_invalid.into(),
        (TableState::Growing, _) => says.table_grows.into(),
        (TableState::Complete, QueryOutcome::Waiting) => says.waiting.into(),
        (TableState::Complete, QueryOutcome::Refused(error)) => {
            format!("{}: {}", says.no_answer, error.message)
        }
        (TableState::Complete, QueryOutcome::Answered(cost)) => answered(named, cost),
    }
}

fn answered(named: &NamedQuery, cost: &QueryCost) -> String {
    let says = &messages().scoreboard;
    let (limits, missed) = (limit_count(&named.limits), cost.misses(named).len());
    let found = if cost.stats.rows_returned == 0 { Some(says.nothing_found.to_owned()) } else { None };
    let verdict = match (limits, missed) {
        (0, _) => None,
        (_, 0) => Some((says.kept)(limits)),
        _ => Some((says.missed)(missed)),
    };
    let stats = &cost.stats;
    let parts = [
        (messages().advice.plan)(cost),
        (says.rows)(stats.rows_seen, stats.rows_returned),
        (says.blocks)(cost.blocks()),
    ];
    parts.into_iter().chain(found).chain(verdict).collect::<Vec<_>>().join(" · ")
}
