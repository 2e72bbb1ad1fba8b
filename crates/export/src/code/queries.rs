//! A function for each query, with the ranges that its plan reads.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use tabletop_model::{RowRange, RowSet};

use super::{Lang, filters};
use crate::{ExportInput, quote};
use tabletop_schema::{Plan, Query, Template};

pub(super) fn write(lang: Lang, input: &ExportInput) -> String {
    let mut prefix = Vec::new();
    input.template.push_salt_prefix(0, &mut prefix);
    let salt_bytes = prefix.len();
    let mut names: Vec<String> = Vec::new();
    let mut functions = String::new();
    for (title, query) in input.queries {
        let name = function_name(lang, title, &mut names);
        functions.push_str(&function(lang, input, &name, title, query));
    }
    if input.queries.is_empty() {
        functions = format!("{}\n", indent(lang, &lang.comment("The workspace has no named query.")));
    }
    let about = lang.comment(&format!("The queries of table {}, written by Tabletop.", input.table));
    let section = |name| lang.section(name).map_or("", |(text, _)| text);
    let (logical, salts) = match input.template.cut_over() {
        None => ("logical", String::new()),
        Some(_) => ("logical_cut_over", salts(lang, input.template)),
    };
    let gap = if lang == Lang::Python { "\n\n\n" } else { "\n\n" };
    let read = format!("{}{gap}{}", section(logical), section("query"));
    let [project, instance, table] = [input.project, input.instance, input.table].map(|name| lang.text(name));
    match lang {
        Lang::Python => format!(
            "{about}\nfrom concurrent.futures import ThreadPoolExecutor\nfrom datetime import datetime, timedelta, timezone\n\n\
             from google.cloud.bigtable.data import BigtableDataClient, ReadRowsQuery, RowRange\n\
             from google.cloud.bigtable.data import row_filters as filters\n\n\
             # Bytes of a key before its logical part, which the order of the rows ignores.\nSALT_BYTES = {salt_bytes}\n{salts}\n\n\
             def open_table():\n    return BigtableDataClient(project={project}).get_table({instance}, {table})\n\n\n{functions}{read}\n"
        ),
        Lang::Node => format!(
            "{about}\nimport {{ Bigtable }} from '@google-cloud/bigtable';\n\n\
             // Bytes of a key before its logical part, which the order of the rows ignores.\nconst SALT_BYTES = {salt_bytes};\n{salts}\n\
             export const openTable = () => new Bigtable({{ projectId: {project} }}).instance({instance}).table({table});\n\n{functions}{read}\n"
        ),
        Lang::Java => format!(
            "{about}\nimport static com.google.cloud.bigtable.data.v2.models.Filters.FILTERS;\n\nimport com.google.api.core.ApiFuture;\n\
             import com.google.cloud.bigtable.data.v2.BigtableDataClient;\nimport com.google.cloud.bigtable.data.v2.models.Filters.Filter;\n\
             import com.google.cloud.bigtable.data.v2.models.Query;\nimport com.google.cloud.bigtable.data.v2.models.Range.ByteStringRange;\n\
             import com.google.cloud.bigtable.data.v2.models.Row;\nimport com.google.cloud.bigtable.data.v2.models.TableId;\n\
             import com.google.protobuf.ByteString;\nimport java.io.IOException;\nimport java.nio.charset.StandardCharsets;\n\
             import java.util.ArrayList;\nimport java.util.Comparator;\nimport java.util.List;\n\npublic final class Queries {{\n    \
             private static final String TABLE = {table};\n    // Bytes of a key before its logical part, which the order of the rows \
             ignores.\n    private static final int SALT_BYTES = {salt_bytes};\n{salts}\n    public static BigtableDataClient openClient() throws \
             IOException {{\n        return BigtableDataClient.create({project}, {instance});\n    }}\n\n{functions}{read}\n\n    private \
             Queries() {{}}\n}}\n"
        ),
        Lang::Go => format!(
            "{about}\n// They need Go 1.22 or newer.\npackage rowkey\n\nimport (\n\t\"context\"\n\t\"errors\"\n\t\"slices\"\n\t\"strings\"\n\t\"sync\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\n\
             // saltBytes is the bytes of a key before its logical part, which the order of the rows ignores.\nconst saltBytes = \
             {salt_bytes}\n{salts}\n// OpenTable connects to the table.\nfunc OpenTable(ctx context.Context) (*bigtable.Table, error) {{\n\tclient, err := \
             bigtable.NewClient(ctx, {project}, {instance})\n\tif err != nil {{\n\t\treturn nil, err\n\t}}\n\treturn client.Open({table}), nil\n}}\n\n{functions}{read}\n"
        ),
        Lang::Rust => format!(
            "{about}\nuse bigtable_rs::bigtable::{{BigTable, BigTableConnection, RowCell}};\n\
             use bigtable_rs::google::bigtable::v2::row_filter::Filter;\n\
             use bigtable_rs::google::bigtable::v2::row_range::{{EndKey, StartKey}};\n\
             use bigtable_rs::google::bigtable::v2::*;\n\nconst TABLE: &str = {table};\n\
             /// Bytes of a key before its logical part, which the order of the rows ignores.\nconst SALT_BYTES: usize = \
             {salt_bytes};\n{salts}\npub async fn open_client() -> Result<BigTable, bigtable_rs::bigtable::Error> {{\n    \
             Ok(BigTableConnection::new({project}, {instance}, true, 1, None).await?.client())\n}}\n\n{functions}{read}\n"
        ),
    }
}

/// Constants of a salt with a cut-over.
fn salts(lang: Lang, template: &Template) -> String {
    let (count, about) = (template.salts(), "The salts, and the text between a salt and the logical part.");
    let mut prefix = Vec::new();
    template.push_salt_prefix(0, &mut prefix);
    let separator = &prefix[prefix.len() - template.salt_separator_bytes()..];
    let comment = indent(lang, &lang.comment(about));
    let separator = match lang {
        Lang::Python | Lang::Rust => lang.bytes(separator),
        Lang::Node | Lang::Java | Lang::Go => lang.text(&String::from_utf8_lossy(separator)),
    };
    match lang {
        Lang::Python => format!("{comment}\nSALTS = {count}\nSEPARATOR = {separator}\n"),
        Lang::Node => format!("{comment}\nconst SALTS = {count};\nconst SEPARATOR = {separator};\n"),
        Lang::Java => format!(
            "{comment}\n    private static final int SALTS = {count};\n    private static final String SEPARATOR = {separator};\n"
        ),
        Lang::Go => format!("{comment}\nconst salts, separator = {count}, {separator}\n"),
        Lang::Rust => format!("/// {about}\nconst SALTS: u32 = {count};\nconst SEPARATOR: &[u8] = {separator};\n"),
    }
}

/// A unique name for the function of a query, in the case of the language.
fn function_name(lang: Lang, query: &str, names: &mut Vec<String>) -> String {
    let mut words = alloc::vec!["read".to_string()];
    words.extend(quote::words(query));
    let name_of = |words: &[String]| lang.name(&words.iter().map(String::as_str).collect::<Vec<&str>>());
    let mut name = name_of(&words);
    let mut count = 1;
    // The function that all of them call is called read.
    while name == "read" || names.contains(&name) {
        count += 1;
        words.push(format!("query{count}"));
        name = name_of(&words);
        words.pop();
    }
    names.push(name.clone());
    name
}

fn indent(lang: Lang, line: &str) -> String {
    if lang == Lang::Java { format!("    {line}") } else { line.into() }
}

fn function(lang: Lang, input: &ExportInput, name: &str, title: &str, query: &Query) -> String {
    let mut out = format!("{}\n", indent(lang, &lang.comment(&title_line(title, query))));
    let plan = match input.template.plan(&query.rows, &input.readable()) {
        Ok(plan) => plan,
        Err(error) => {
            out.push_str(&indent(lang, &lang.comment(&format!("This design cannot serve this query: {}", error.message))));
            out.push_str("\n\n");
            return out;
        }
    };
    let filter = match plan.filter(query.filter.as_ref()).map(|filter| filters::write(lang, &filter)).transpose() {
        Ok(filter) => filter,
        Err(missing) => {
            let line = format!("This client does not support {missing}: run this query in another language.");
            out.push_str(&indent(lang, &lang.comment(&line)));
            out.push_str("\n\n");
            return out;
        }
    };
    let sets: Vec<String> = row_sets(&plan).iter().map(|set| set.write(lang)).collect();
    let (limit, reversed) = (query.rows_limit, query.reversed);
    let flag = if reversed { "true" } else { "false" };
    match lang {
        Lang::Python => {
            let sets: String = sets.iter().map(|set| format!("        {set},\n")).collect();
            let filter = filter.unwrap_or("None".into());
            let flag = if reversed { "True" } else { "False" };
            out.push_str(&format!(
                "def {name}(table):\n    row_sets = [\n{sets}    ]\n    row_filter = {filter}\n    \
                 return read(table, row_sets, row_filter, {}, {flag})\n\n\n",
                if limit == 0 { "None".into() } else { limit.to_string() }
            ));
        }
        Lang::Node => {
            let sets: String = sets.iter().map(|set| format!("    {set},\n")).collect();
            let filter = filter.unwrap_or("[]".into());
            out.push_str(&format!(
                "export function {name}(table) {{\n  const rowSets = [\n{sets}  ];\n  const filter = {filter};\n  \
                 return read(table, rowSets, filter, {limit}, {flag});\n}}\n\n"
            ));
        }
        Lang::Java => {
            let sets = sets.iter().map(|set| format!("                {set}")).collect::<Vec<String>>().join(",\n");
            let gap = if sets.is_empty() { "" } else { "\n" };
            let filter = filter.unwrap_or("null".into());
            out.push_str(&format!(
                "    public static List<Row> {name}(BigtableDataClient client) throws Exception {{\n        \
                 List<RowSet> rowSets = List.of({gap}{sets});\n        Filter filter = {filter};\n        \
                 return read(client, rowSets, filter, {limit}L, {flag});\n    }}\n\n"
            ));
        }
        Lang::Go => {
            let sets: String = sets.iter().map(|set| format!("\t\t{set},\n")).collect();
            let name = format!("{}{}", name[..1].to_ascii_uppercase(), &name[1..]);
            let filter = filter.unwrap_or("bigtable.Filter(nil)".into());
            out.push_str(&format!(
                "func {name}(ctx context.Context, table *bigtable.Table) ([]bigtable.Row, error) {{\n\trowSets := []rowSet{{\n{sets}\t}}\n\tfilter := \
                 {filter}\n\treturn read(ctx, table, rowSets, filter, {limit}, {flag})\n}}\n\n"
            ));
        }
        Lang::Rust => {
            let sets: String = sets.iter().map(|set| format!("        {set},\n")).collect();
            let filter = filter.map_or("None".into(), |filter| format!("Some({filter})"));
            out.push_str(&format!(
                "pub async fn {name}(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {{\n    let row_sets: &[Rows] \
                 = &[\n{sets}    ];\n    let row_filter = {filter};\n    read(client, row_sets, row_filter, {limit}, {flag}).await\n}}\n\n"
            ));
        }
    }
    out
}

fn title_line(title: &str, query: &Query) -> String {
    let rows = match query.rows_limit {
        0 => "all rows".into(),
        limit => format!("at most {limit} rows"),
    };
    format!("{title}: {rows}{}", if query.reversed { ", the last first" } else { "" })
}

/// Keys, and ranges `[start, end)`, in which an empty end is none.
struct Rows {
    keys: Vec<Vec<u8>>,
    ranges: Vec<(Vec<u8>, Vec<u8>)>,
}

fn row_sets(plan: &Plan) -> Vec<Rows> {
    plan.parts.iter().map(rows).collect()
}

fn rows(set: &RowSet) -> Rows {
    let ends = |range: &RowRange| {
        let (start, end) = range.ends();
        (start.0, end.unwrap_or_default().0)
    };
    let mut ranges: Vec<(Vec<u8>, Vec<u8>)> = set.ranges.iter().map(ends).collect();
    if set.is_all() {
        ranges.push(Default::default());
    }
    Rows { keys: set.keys.iter().map(|key| key.0.clone()).collect(), ranges }
}

impl Rows {
    fn write(&self, lang: Lang) -> String {
        let keys: Vec<String> = self.keys.iter().map(|key| lang.bytes(key)).collect();
        let ends = self.ranges.iter().map(|(start, end)| match lang {
            Lang::Python => format!("({}, {})", lang.bytes(start), lang.bytes(end)),
            Lang::Node => format!("[{}, {}]", lang.bytes(start), lang.bytes(end)),
            Lang::Go => format!("{{{}, {}}}", lang.bytes(start), lang.bytes(end)),
            Lang::Java => format!("range(\"{}\", \"{}\")", quote::octal_escapes(start), quote::octal_escapes(end)),
            Lang::Rust => format!("({}, {})", lang.bytes(start), lang.bytes(end)),
        });
        let ranges: Vec<String> = ends.collect();
        let (keys, ranges) = (keys.join(", "), ranges.join(", "));
        match lang {
            Lang::Python => format!("([{keys}], [{ranges}])"),
            Lang::Node => format!("[[{keys}], [{ranges}]]"),
            Lang::Java => format!("new RowSet(List.of({keys}), List.of({ranges}))"),
            Lang::Go => format!("{{[]string{{{keys}}}, [][2]string{{{ranges}}}}}"),
            Lang::Rust => format!("(&[{keys}], &[{ranges}])"),
        }
    }
}
