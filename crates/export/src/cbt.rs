//! A script of Google's `cbt`.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::shell_word;

use super::gc::{self, DAY, HOUR, MILLISECOND, MINUTE, SECOND};
use super::{ExportInput, ExportTable, quote, splits};

pub(super) fn write(input: &ExportInput) -> String {
    let [project, instance] = [input.project, input.instance].map(|name| shell_word(name.as_bytes()));
    let mut out = format!(
        "#!/usr/bin/env bash\n# Creates {} with cbt (gcloud components install cbt).\nset -euo pipefail\n\n\
         cbt=(cbt -project {project} -instance {instance})\n",
        input.named()
    );
    for table in input.tables {
        out.push('\n');
        push_table(&mut out, table);
    }
    out.push_str(
        "\n# tabletop push writes the rows. A script of cbt does so too; for a table in a data folder this command writes one:\n",
    );
    for table in input.tables {
        let id = shell_word(table.id.as_bytes());
        out.push_str(&format!("# tabletop export --data DIR --format cbt {id}\n"));
    }
    out
}

fn push_table(out: &mut String, input: &ExportTable) {
    let table = shell_word(input.id.as_bytes());
    // cbt reads the list as a line of CSV.
    let (texts, changed) = splits::as_texts(input.splits, |_| true);
    if changed > 0 {
        out.push_str(&format!(
            "# Splits that are not text: {changed}. They are cut to the part that an argument can contain.\n"
        ));
    }
    let age = |micros| gc::age(micros, &[DAY, HOUR, MINUTE, SECOND, MILLISECOND]);
    // Families of aggregates can only be made with the table.
    let mut aggregates = Vec::new();
    for family in input.families {
        let Some(aggregate) = family.aggregate else { continue };
        match gc::from_the_left(&family.gc_rule, "&&", "||", age) {
            Some(rule) => aggregates.push(format!("{}:{rule}:{}", family.name, gc::type_name(aggregate))),
            None => {
                let name = quote::comment(&family.name);
                out.push_str(&format!(
                    "# cbt cannot express the rule of {name}: create the family with Terraform.\n"
                ));
            }
        }
    }
    let mut options = String::new();
    for (name, list) in [("families", aggregates), ("splits", texts)] {
        if !list.is_empty() {
            let list: Vec<String> = list.iter().map(|text| csv(text)).collect();
            options.push_str(&format!(" {}", shell_word(format!("{name}={}", list.join(",")).as_bytes())));
        }
    }
    out.push_str(&format!("\"${{cbt[@]}}\" createtable {table}{options}\n"));
    for family in input.families.iter().filter(|family| family.aggregate.is_none()) {
        let name = shell_word(family.name.as_bytes());
        out.push_str(&format!("\"${{cbt[@]}}\" createfamily {table} {name}\n"));
        // Set even for a family that keeps all: without a policy, some versions of cbt keep one
        // version.
        match gc::from_the_left(&family.gc_rule, " and ", " or ", age) {
            Some(rule) => out.push_str(&format!("\"${{cbt[@]}}\" setgcpolicy {table} {name} {rule}\n")),
            None => {
                out.push_str(&format!("# cbt cannot express the rule of {name}: set it with Terraform.\n"));
            }
        }
    }
}

/// One value of a line of CSV.
fn csv(text: &str) -> String {
    let mut out = Vec::new();
    tabletop_keys::push_csv(&mut out, text);
    String::from_utf8(out).unwrap_or_default()
}
