//! A function that decodes the values of a table. For JSON, each language has its own.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_keys::{EncodedValues, Encoding, FacetNames};

use super::Lang;
use crate::{ExportInput, ExportTable, quote};

/// Writes the functions of all tables that have values in an encoding other than JSON, each after
/// an empty line.
pub(super) fn write(lang: Lang, input: &ExportInput) -> String {
    let (mut shared, mut functions): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for (table, words) in input.tables.iter().zip(input.table_words()) {
        let Some(values) = EncodedValues::of(table.layout, table.template.fields()) else { continue };
        let encoding = match values.encoding() {
            Encoding::Json => continue,
            Encoding::Protobuf => "protobuf",
            Encoding::CompactList => "compact_list",
            Encoding::MessagePack => "message_pack",
        };
        let kind = if values.counts().is_some() { "counts" } else { "event" };
        // A language that does not need such a part has no section for it.
        for name in ["values", encoding, if kind == "counts" { "counted" } else { "event" }] {
            let Some((text, _)) = lang.section(name) else { continue };
            if !shared.iter().any(|known| known == text) {
                shared.push(text.into());
            }
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        functions.push(function(lang, table, &words, &format!("{encoding}_{kind}"), values.counts()));
    }
    let gap = if lang == Lang::Python { "\n\n\n" } else { "\n\n" };
    shared.into_iter().chain(functions).map(|part| format!("{gap}{part}")).collect()
}

/// Writes the function of a table, with a list of its fields if it returns events.
fn function(
    lang: Lang,
    table: &ExportTable,
    words: &[&str],
    section: &str,
    counts: Option<FacetNames>,
) -> String {
    let named = |first: &[&'static str]| -> Vec<&str> {
        first.iter().copied().chain(words.iter().copied()).collect()
    };
    let (name, fields) = (lang.public_name(&named(&["decode", "value"])), lang.constant(&named(&["fields"])));
    let texts = match counts {
        Some(FacetNames::InColumn) => "2",
        Some(FacetNames::InValue) | None => "3",
    };
    let text = lang.section(section).map_or("", |(text, _)| text);
    let function = quote::map_words(text, |word| match word {
        "decode_value" | "decodeValue" => name.as_str(),
        "FIELDS" => fields.as_str(),
        "TEXTS" => texts,
        other => other,
    });
    // MessagePack stores the names of fields, and counts have none.
    if !text.contains("FIELDS") {
        return function;
    }
    let names: Vec<String> = table.template.fields().iter().map(|field| lang.text(&field.name)).collect();
    let list = names.join(", ");
    let constant = match lang {
        Lang::Python => format!("{fields} = [{list}]\n\n"),
        Lang::Node => format!("const {fields} = [{list}];\n"),
        Lang::Go => format!("var {fields} = []string{{{list}}}\n"),
        Lang::Java => format!("    private static final List<String> {fields} = List.of({list});\n"),
        Lang::Rust => format!("const {fields}: &[&str] = &[{list}];\n"),
    };
    format!("{constant}\n{function}")
}
