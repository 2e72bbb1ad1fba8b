//! A query, the storage of a design and its tablets in a few words.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};

use tabletop_advice::{DesignFigures, Figure, TableLoad};
use tabletop_keys::{Column, Encoding, FamilyRule, Field, LayoutKind, Query, RowChoice};
use tabletop_model::GcRule;
use tabletop_shell::gc_policy_text;
use tabletop_texts::messages;
use tabletop_workspace::Design;

/// Returns a query in a few words.
pub fn in_words(query: &Query) -> String {
    let says = &messages().scoreboard;
    let mut words: Vec<String> = match &query.rows {
        RowChoice::All => vec![says.all_rows.into()],
        RowChoice::Keys(keys) => vec![(says.keys)(keys.len())],
        RowChoice::Prefix(prefix) => vec![(says.prefix)(&prefix.to_string())],
        RowChoice::Range(_) => vec![says.range.into()],
        RowChoice::Box { x, y, depth } => {
            let spans = [x, y].map(|span| (says.between)(&span.field, span.from, span.to));
            spans.into_iter().chain(depth.map(says.depth)).collect()
        }
        RowChoice::Fields { equals, from, until } => {
            let equals = equals.iter().map(|(field, value)| (says.equal)(field, value));
            equals.chain(from.as_deref().map(says.from)).chain(until.as_deref().map(says.until)).collect()
        }
    };
    if words.is_empty() {
        words.push(says.all_rows.into());
    }
    words.extend(query.filter.as_ref().map(|_| says.filtered.into()));
    words.extend((query.rows_limit > 0).then(|| (says.limited)(query.rows_limit)));
    let order = if query.newest_rows().is_some() { says.newest_first } else { says.reversed };
    words.extend(query.reversed.then(|| order.into()));
    words.join(" · ")
}

/// Returns the displayed name of a design's layout, with its GC rules. The encoding is named where
/// values have one.
pub fn storage_of(design: &Design, fields: &[Field]) -> String {
    let mut parts = vec![layout_name(design.layout.kind).to_owned()];
    if design.layout.kind == LayoutKind::Columns {
        parts.extend(design.layout.columns.iter().map(|column| {
            let Column { family, qualifier, value, .. } = column;
            format!("{family}:{qualifier} = {value}")
        }));
    }
    if design.layout.encoding != Encoding::Json && design.layout.has_encoding(fields) {
        parts.push(design.layout.encoding.name().into());
    }
    let aggregates = design.families.iter().filter_map(|rule| Some((&rule.family, rule.aggregate?)));
    parts.extend(aggregates.map(|(family, aggregate)| {
        (messages().compare.aggregates)(family, (messages().design.gc.kind)(Some(aggregate)))
    }));
    for (at, rule) in design.families.iter().enumerate() {
        if rule.gc_rule == GcRule::KeepAll {
            continue;
        }
        let has_rule = |other: &&FamilyRule| other.gc_rule == rule.gc_rule;
        // Families with the same rule are named together, once.
        if !design.families[..at].iter().any(|other| has_rule(&other)) {
            let families: Vec<&str> =
                design.families.iter().filter(has_rule).map(|other| &*other.family).collect();
            let text = gc_policy_text(&rule.gc_rule).unwrap_or_default();
            parts.push((messages().compare.gc_rule)(&families, &text));
        }
    }
    parts.join(" · ")
}

/// The name of a layout.
pub fn layout_name(kind: LayoutKind) -> &'static str {
    let says = &messages().design;
    match kind {
        LayoutKind::Narrow => says.narrow,
        LayoutKind::Wide => says.wide,
        LayoutKind::RowPerEntity => says.row_per_entity,
        LayoutKind::Columns => says.own_columns,
    }
}

/// Returns the number of tablets and the share of the hottest, if there are rows; and that they
/// belong to an earlier template, if the current one has a problem.
pub fn strip_name(figures: &DesignFigures) -> String {
    let (says, tablets) = (&messages().compare, &figures.table.tablets);
    if tablets.iter().all(|tablet| tablet.rows == 0) {
        return (says.strip_empty)(tablets.len() as u64);
    }
    let hottest =
        (messages().advice.figure)(Figure::HottestShare, TableLoad::of(&figures.table).hottest_share());
    let text = (says.strip)(tablets.len() as u64, &hottest);
    if figures.problems.is_empty() { text } else { (says.strip_before)(&text) }
}
