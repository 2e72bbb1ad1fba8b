//! A script of `gcloud`.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{GcRule, shell_word};

use super::gc::{self, DAY, HOUR, MINUTE, SECOND};
use super::{ExportInput, ExportTable, quote, splits};

/// The list separators that gcloud accepts.
const MARKS: [char; 8] = [',', ';', '|', ':', '~', '!', '%', '@'];

pub(super) fn write(input: &ExportInput) -> String {
    let place = [input.project, input.instance].map(|name| shell_word(name.as_bytes()));
    let mut out =
        format!("#!/usr/bin/env bash\n# Creates {} with gcloud.\nset -euo pipefail\n", input.named());
    let mut all_made = true;
    for table in input.tables {
        out.push('\n');
        let (text, is_made) = create(table, &place);
        out.push_str(&text);
        all_made &= is_made;
    }
    if !all_made {
        out.push_str("exit 1\n");
    }
    out
}

/// Returns the command that creates a table, with notes on what gcloud cannot express, and whether
/// gcloud can create it.
fn create(input: &ExportTable, [project, instance]: &[String; 2]) -> (String, bool) {
    let table = shell_word(input.id.as_bytes());
    let mut notes = String::new();
    let mut families = Vec::new();
    for family in input.families {
        let age = |micros| gc::age(micros, &[DAY, HOUR, MINUTE, SECOND]);
        let rule = match &family.gc_rule {
            GcRule::KeepAll => None,
            // gcloud accepts two rules and one operator between them.
            GcRule::Union(rules) | GcRule::Intersection(rules) if rules.len() > 2 => Some(None),
            rule => Some(
                gc::from_the_left(rule, "&&", "||", age)
                    .filter(|text| !(text.contains("&&") && text.contains("||"))),
            ),
        };
        match rule {
            None => families.push(family.name.clone()),
            Some(Some(rule)) => families.push(format!("{}:{rule}", family.name)),
            Some(None) => {
                families.push(family.name.clone());
                notes.push_str(&format!(
                    "# gcloud cannot express the rule of {}: set it with Terraform.\n",
                    family.name
                ));
            }
        }
        if family.aggregate.is_some() {
            notes.push_str(&format!(
                "# {} is a family of aggregates, which gcloud cannot create: create it with Terraform.\n",
                family.name
            ));
            families.pop();
        }
    }
    // gcloud reads a leading ^ as the name of a separator, so the separator is always named for a
    // list that begins with one.
    let is_named = input.splits.first().is_some_and(|split| split.starts_with(b"^"));
    let is_free = |mark: char| !input.splits.iter().any(|split| split.contains(&(mark as u8)));
    let mark = MARKS.into_iter().find(|mark| is_free(*mark));
    let (texts, changed) = splits::as_texts(input.splits, |c| mark.is_some() || c != ',');
    if changed > 0 {
        notes.push_str(&format!(
            "# Splits that are not text: {changed}. They are cut to the part that an argument can contain.\n"
        ));
    }
    let splits = match mark.unwrap_or(',') {
        ',' if !is_named => texts.join(","),
        mark => format!("^{mark}^{}", texts.join(&String::from(mark))),
    };
    let splits = if texts.is_empty() {
        String::new()
    } else {
        format!(" \\\n  --splits={}", shell_word(splits.as_bytes()))
    };
    if families.is_empty() {
        let id = quote::comment(input.id);
        return (format!("# The table {id} has no family that gcloud can create.\n{notes}"), false);
    }
    let families = shell_word(families.join(",").as_bytes());
    let command = format!(
        "{notes}gcloud bigtable instances tables create {table} \\\n  --project={project} \\\n  --instance={instance} \\\n  \
         --column-families={families}{splits}\n"
    );
    (command, true)
}
