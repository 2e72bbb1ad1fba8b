//! The input of exports: the tables of a design.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

use tabletop_keys::{FamilyRule, Layout, Query, Template};
use tabletop_model::{ColumnFamily, RowKey};

use crate::quote;

/// The input of an export: one table, or all tables of a design with index tables.
#[derive(Clone, Copy, Debug)]
pub struct ExportInput<'a> {
    /// The project's ID in Google Cloud.
    pub project: &'a str,
    /// The instance's ID.
    pub instance: &'a str,
    /// The tables, with different IDs: the design's own table first, then its index tables.
    pub tables: &'a [ExportTable<'a>],
}

/// A table of an export.
#[derive(Clone, Copy, Debug)]
pub struct ExportTable<'a> {
    /// The table's ID.
    pub id: &'a str,
    /// The row-key template, which must have no problems.
    pub template: &'a Template,
    /// The layout of the cells.
    pub layout: &'a Layout,
    /// The families with their GC rules.
    pub families: &'a [ColumnFamily],
    /// Split points of the new table, in order.
    pub splits: &'a [RowKey],
    /// The queries that read this table, with their names.
    pub queries: &'a [(&'a str, &'a Query)],
}

impl ExportTable<'_> {
    /// Returns the layout as queries see it: the cells of families that aggregate hold no text.
    pub(crate) fn readable(&self) -> Cow<'_, Layout> {
        let rule = |family: &ColumnFamily| FamilyRule {
            family: family.name.clone(),
            gc_rule: family.gc_rule.clone(),
            aggregate: family.aggregate,
        };
        self.layout.readable(&self.families.iter().map(rule).collect::<Vec<FamilyRule>>())
    }

    /// Returns a warning for the user who creates the table, if these split points would have no
    /// effect.
    pub fn splits_warning(&self) -> Option<&'static str> {
        if self.splits.is_empty() {
            return None;
        }
        match self.template.order_of_new_keys()? {
            Ordering::Less => Some(
                "The row key begins with a time, the newest first, so new rows come before all of these split points, and tablets split at \
                 old times stay empty. Create the table without split points, or change the key.",
            ),
            _ => Some(
                "The row key begins with a time, so new rows come after all of these split points, and tablets split at old times stay \
                 empty. Create the table without split points, or change the key.",
            ),
        }
    }
}

impl ExportInput<'_> {
    /// Returns the warnings about split points, with the ID of each table if there are several.
    pub fn splits_warnings(&self) -> Vec<String> {
        let warning = |table: &ExportTable| {
            let text = table.splits_warning()?;
            Some(if self.tables.len() == 1 { text.into() } else { format!("{}: {text}", table.id) })
        };
        self.tables.iter().filter_map(warning).collect()
    }

    /// Returns "the table NAME" or "the tables NAME, NAME" for a comment.
    pub(crate) fn named(&self) -> String {
        let ids: Vec<String> = self.tables.iter().map(|table| quote::comment(table.id)).collect();
        format!("the table{} {}", if ids.len() == 1 { "" } else { "s" }, ids.join(", "))
    }

    /// Returns words that distinguish the tables in names of code, and that no language writes
    /// alike. A single table has none.
    pub(crate) fn table_words(&self) -> Vec<Vec<String>> {
        if self.tables.len() == 1 {
            return alloc::vec![Vec::new()];
        }
        // Compared without gaps, because some languages write none.
        let mut taken: Vec<String> = Vec::new();
        let words = |table: &ExportTable| {
            let words = quote::words(table.id);
            let numbered =
                (2..).map(|number| words.iter().cloned().chain([format!("table{number}")]).collect());
            let plain = (!words.is_empty()).then(|| words.clone());
            let free = |words: &Vec<String>| !taken.contains(&words.concat());
            let found: Vec<String> = plain.into_iter().chain(numbered).find(free).unwrap_or_default();
            taken.push(found.concat());
            found
        };
        self.tables.iter().map(words).collect()
    }
}
