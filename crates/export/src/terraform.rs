//! A configuration of Terraform's provider for Google Cloud.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::GcRule;

use super::gc::{self, HOUR, MILLISECOND, MINUTE, SECOND};
use super::{ExportInput, ExportTable, quote, splits};

pub(super) fn write(input: &ExportInput) -> String {
    let mut out = format!("# {}, written by Tabletop.\n", input.named().replacen('t', "T", 1));
    for (table, words) in input.tables.iter().zip(input.table_words()) {
        // The name of the resource, such as table or table_by_user.
        let name = core::iter::once("table".into()).chain(words).collect::<Vec<String>>().join("_");
        push_table(&mut out, input, table, &name);
    }
    out
}

fn push_table(out: &mut String, place: &ExportInput, input: &ExportTable, name: &str) {
    let [project, instance, table] = [place.project, place.instance, input.id].map(quote::hcl);
    let (texts, changed) = splits::as_texts(input.splits, |_| true);
    out.push_str(&format!(
        "\nresource \"google_bigtable_table\" \"{name}\" {{\n  project       = {project}\n"
    ));
    out.push_str(&format!("  instance_name = {instance}\n  name          = {table}\n"));
    if changed > 0 {
        out.push_str(&format!(
            "  # Splits that are not text: {changed}. They are cut to the part that a string can contain.\n"
        ));
    }
    if !texts.is_empty() {
        let lines: String = texts.iter().map(|text| format!("    {},\n", quote::hcl(text))).collect();
        out.push_str(&format!("  split_keys = [\n{lines}  ]\n"));
    }
    for family in input.families {
        let type_line = |aggregate| format!("    type   = \"{}\"\n", gc::type_name(aggregate));
        let kind = family.aggregate.map(type_line).unwrap_or_default();
        out.push_str(&format!(
            "\n  column_family {{\n    family = {}\n{kind}  }}\n",
            quote::hcl(&family.name)
        ));
    }
    out.push_str("\n  # Changing the splits would replace the table.\n  lifecycle {\n    prevent_destroy = true\n  }\n}\n");
    let policy = name.strip_prefix("table_").map_or("family".into(), |of| format!("family_{of}"));
    for (at, family) in
        input.families.iter().enumerate().filter(|(_, family)| family.gc_rule != GcRule::KeepAll)
    {
        out.push_str(&format!(
            "\nresource \"google_bigtable_gc_policy\" \"{policy}_{at}\" {{\n  project         = {project}\n  instance_name   = {instance}\n  \
             table           = google_bigtable_table.{name}.name\n  column_family   = {}\n  deletion_policy = \"ABANDON\"\n\n  \
             gc_rules = jsonencode({})\n}}\n",
            quote::hcl(&family.name),
            rules(&family.gc_rule, 2)
        ));
    }
}

/// Returns the rules as the provider's JSON, in HCL's notation.
fn rules(rule: &GcRule, depth: usize) -> String {
    let (mode, list) = match rule {
        GcRule::Union(rules) if rules.len() > 1 => ("mode = \"union\"", &rules[..]),
        GcRule::Intersection(rules) if rules.len() > 1 => ("mode = \"intersection\"", &rules[..]),
        // The provider requires two rules after a mode.
        GcRule::Union(rules) | GcRule::Intersection(rules) => {
            return rules.first().map_or("{}".into(), |rule| self::rules(rule, depth));
        }
        rule => ("", core::slice::from_ref(rule)),
    };
    let pad = " ".repeat(depth);
    let lines: Vec<String> = list
        .iter()
        .map(|rule| match rule {
            GcRule::KeepAll => String::from("{}"),
            GcRule::MaxVersions(count) => format!("{{ max_version = {count} }}"),
            GcRule::MaxAge { micros } => {
                format!("{{ max_age = \"{}\" }}", gc::age(*micros, &[HOUR, MINUTE, SECOND, MILLISECOND]))
            }
            nested => rules(nested, depth + 4),
        })
        .map(|line| format!("{pad}    {line},\n"))
        .collect();
    let mode = if mode.is_empty() { String::new() } else { format!("{pad}  {mode}\n") };
    format!("{{\n{mode}{pad}  rules = [\n{}{pad}  ]\n{pad}}}", lines.concat())
}
