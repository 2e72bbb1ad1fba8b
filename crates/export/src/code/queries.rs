//! A function for each query, with the ranges that its plan reads.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use tabletop_model::order::sorted;
use tabletop_model::{RowRange, RowSet};

use super::parameters::Parameters;
use super::{Lang, filters, lang, values};
use crate::{ExportInput, ExportTable, quote};
use tabletop_keys::{Newest, Plan, Query, RowChoice, Template};

pub(super) fn write(lang: Lang, input: &ExportInput) -> String {
    let mut taken: Vec<String> = Vec::new();
    let mut sections: Vec<&'static str> = Vec::new();
    let [mut constants, mut functions, mut logical] = [const { String::new() }; 3];
    let gap = if lang == Lang::Python { "\n\n\n" } else { "\n\n" };
    for (table, words) in input.tables.iter().zip(input.table_words()) {
        let names = Names::new(lang, &words);
        if table.queries.is_empty() {
            let why = match input.tables.len() {
                1 => "The workspace has no named query.".into(),
                _ => format!("No named query reads the table {}.", table.id),
            };
            functions.push_str(&format!("{}\n{}", indent(lang, &lang.comment(&why)), &gap[1..]));
            if input.tables.len() > 1 {
                continue;
            }
        }
        constants.push_str(&names.constants(lang, input, table));
        for (title, query) in table.queries {
            let name = function_name(lang, title, &mut taken);
            functions.push_str(&function(lang, table, &names, &name, title, query, &mut sections));
        }
        logical.push_str(&names.logical(lang, table.template));
        logical.push_str(gap);
    }
    let about = lang
        .comment(&format!("The queries of {}, written by Tabletop.", input.named().replacen("the ", "", 1)));
    let query = lang.section("query").map_or("", |(text, _)| text);
    let [project, instance] = [input.project, input.instance].map(|name| lang.text(name));
    // In Go, the functions for a row key are in another file of the same package.
    if lang == Lang::Go {
        sections.retain(|name| *name == "parameters");
    }
    let (helpers, imports) = lang::sections(lang, &sections);
    let helpers: String = helpers.iter().map(|text| format!("{text}{gap}")).collect();
    let code = format!("{functions}{logical}{helpers}{query}{}", values::write(lang, input));
    let import = |own: &[&'static str], line: &dyn Fn(&str) -> String| -> String {
        let mut all =
            sorted(own.iter().copied().chain(imports.iter().copied()).collect::<Vec<&str>>(), Ord::cmp);
        all.dedup();
        all.into_iter().map(line).collect()
    };
    match lang {
        Lang::Python => {
            let imports = import(&[], &|name| format!("import {name}\n"));
            format!(
                "{about}\n{imports}from concurrent.futures import ThreadPoolExecutor\nfrom datetime import datetime, timedelta, timezone\n\n\
                 from google.cloud.bigtable.data import BigtableDataClient, ReadRowsQuery, RowRange\n\
                 from google.cloud.bigtable.data import row_filters as filters\n\n{constants}{code}\n"
            )
        }
        Lang::Node => {
            format!("{about}\nimport {{ Bigtable }} from '@google-cloud/bigtable';\n\n{constants}{code}\n")
        }
        Lang::Java => {
            let mut own = JAVA_IMPORTS.to_vec();
            if !sections.is_empty() {
                own.extend(["java.io.ByteArrayOutputStream", "java.util.Map"]);
            }
            let imports = import(&own, &|name| format!("import {name};\n"));
            format!(
                "{about}\nimport static com.google.cloud.bigtable.data.v2.models.Filters.FILTERS;\n\n{imports}\n\
                 public final class Queries {{\n{constants}\n    public static BigtableDataClient openClient() throws IOException {{\n        \
                 return BigtableDataClient.create({project}, {instance});\n    }}\n\n{code}\n\n    private Queries() {{}}\n}}\n"
            )
        }
        Lang::Go => {
            let own = ["context", "errors", "slices", "strings", "sync"];
            let imports = import(&own, &|name| format!("\t\"{name}\"\n"));
            let needs = if sections.is_empty() { "" } else { " and row_key.go" };
            format!(
                "{about}\n// They need Go 1.22 or newer{needs}.\npackage rowkey\n\nimport (\n{imports}\n\t\"cloud.google.com/go/bigtable\"\n)\n\n{constants}{code}\n"
            )
        }
        Lang::Rust => format!(
            "{about}\nuse bigtable_rs::bigtable::{{BigTable, BigTableConnection, RowCell}};\n\
             use bigtable_rs::google::bigtable::v2::row_filter::Filter;\n\
             use bigtable_rs::google::bigtable::v2::row_range::{{EndKey, StartKey}};\n\
             use bigtable_rs::google::bigtable::v2::*;\n\n{constants}\n\
             pub async fn open_client() -> Result<BigTable, bigtable_rs::bigtable::Error> {{\n    \
             Ok(BigTableConnection::new({project}, {instance}, true, 1, None).await?.client())\n}}\n\n{code}\n"
        ),
    }
}

/// What the code in Java always imports.
const JAVA_IMPORTS: [&str; 14] = [
    "com.google.api.core.ApiFuture",
    "com.google.cloud.bigtable.data.v2.BigtableDataClient",
    "com.google.cloud.bigtable.data.v2.models.Filters.Filter",
    "com.google.cloud.bigtable.data.v2.models.Query",
    "com.google.cloud.bigtable.data.v2.models.Range.ByteStringRange",
    "com.google.cloud.bigtable.data.v2.models.Row",
    "com.google.cloud.bigtable.data.v2.models.TableId",
    "com.google.protobuf.ByteString",
    "java.io.IOException",
    "java.nio.charset.StandardCharsets",
    "java.util.ArrayList",
    "java.util.Comparator",
    "java.util.List",
    "java.util.function.UnaryOperator",
];

/// The names of a table's constants and functions.
struct Names {
    /// The ID of the table.
    table: String,
    salt_bytes: String,
    salts: String,
    separator: String,
    /// The function that removes the salt of a key.
    logical_key: String,
    /// The function that connects to the table.
    open_table: String,
}

impl Names {
    /// Returns the names, which end with words that distinguish tables.
    fn new(lang: Lang, words: &[String]) -> Names {
        let with = |first: &[&'static str]| -> Vec<&str> {
            first.iter().copied().chain(words.iter().map(String::as_str)).collect()
        };
        Names {
            table: lang.constant(&with(&["table"])),
            salt_bytes: lang.constant(&with(&["salt", "bytes"])),
            salts: lang.constant(&with(&["salts"])),
            separator: lang.constant(&with(&["separator"])),
            logical_key: lang.name(&with(&["logical", "key"])),
            open_table: lang.public_name(&with(&["open", "table"])),
        }
    }

    /// Writes the constants of a table, and the function that connects to it in languages in which
    /// a client belongs to one table.
    fn constants(&self, lang: Lang, input: &ExportInput, table: &ExportTable) -> String {
        let [project, instance, id] = [input.project, input.instance, table.id].map(|name| lang.text(name));
        let mut prefix = Vec::new();
        table.template.push_salt_prefix(0, &mut prefix);
        let bytes = prefix.len();
        let salts = if table.template.cut_over().is_some() {
            self.salts(lang, table.template, &prefix)
        } else {
            String::new()
        };
        let Names { table, salt_bytes, open_table, .. } = self;
        let about = "Bytes of a key before its logical part, which the order of the rows ignores.";
        match lang {
            Lang::Python => format!(
                "# {about}\n{salt_bytes} = {bytes}\n{salts}\n\ndef {open_table}():\n    \
                 return BigtableDataClient(project={project}).get_table({instance}, {id})\n\n\n"
            ),
            Lang::Node => format!(
                "// {about}\nconst {salt_bytes} = {bytes};\n{salts}\nexport const {open_table} = () => \
                 new Bigtable({{ projectId: {project} }}).instance({instance}).table({id});\n\n"
            ),
            Lang::Java => format!(
                "    private static final String {table} = {id};\n    // {about}\n    \
                 private static final int {salt_bytes} = {bytes};\n{salts}"
            ),
            Lang::Go => format!(
                "// {salt_bytes} is the bytes of a key before its logical part, which the order of the rows ignores.\n\
                 const {salt_bytes} = {bytes}\n{salts}\n// {open_table} connects to the table.\n\
                 func {open_table}(ctx context.Context) (*bigtable.Table, error) {{\n\t\
                 client, err := bigtable.NewClient(ctx, {project}, {instance})\n\tif err != nil {{\n\t\treturn nil, err\n\t}}\n\t\
                 return client.Open({id}), nil\n}}\n\n"
            ),
            Lang::Rust => {
                format!(
                    "const {table}: &str = {id};\n/// {about}\nconst {salt_bytes}: usize = {bytes};\n{salts}"
                )
            }
        }
    }

    /// Writes the constants of a salt with a cut-over, from the bytes before a logical key.
    fn salts(&self, lang: Lang, template: &Template, prefix: &[u8]) -> String {
        let (count, about) =
            (template.salts(), "The salts, and the text between a salt and the logical part.");
        let text = &prefix[prefix.len() - template.salt_separator_bytes()..];
        let comment = indent(lang, &lang.comment(about));
        let text = match lang {
            Lang::Python | Lang::Rust => lang.bytes(text),
            Lang::Node | Lang::Java | Lang::Go => lang.text(&String::from_utf8_lossy(text)),
        };
        let Names { salts, separator, .. } = self;
        match lang {
            Lang::Python => format!("{comment}\n{salts} = {count}\n{separator} = {text}\n"),
            Lang::Node => format!("{comment}\nconst {salts} = {count};\nconst {separator} = {text};\n"),
            Lang::Java => format!(
                "{comment}\n    private static final int {salts} = {count};\n    private static final String {separator} = {text};\n"
            ),
            Lang::Go => format!("{comment}\nconst {salts}, {separator} = {count}, {text}\n"),
            Lang::Rust => {
                format!("/// {about}\nconst {salts}: u32 = {count};\nconst {separator}: &[u8] = {text};\n")
            }
        }
    }

    /// Writes the function that removes the salt of a key.
    fn logical(&self, lang: Lang, template: &Template) -> String {
        let section = if template.cut_over().is_some() { "logical_cut_over" } else { "logical" };
        let plain = Names::new(lang, &[]);
        let pairs = [
            (&plain.salt_bytes, &self.salt_bytes),
            (&plain.salts, &self.salts),
            (&plain.separator, &self.separator),
            (&plain.logical_key, &self.logical_key),
        ];
        let text = lang.section(section).map_or("", |(text, _)| text);
        quote::map_words(text, |word| {
            pairs.iter().find(|(plain, _)| *plain == word).map_or(word, |(_, own)| own)
        })
    }
}

/// Returns a unique name for the function of a query, in the case of the language.
fn function_name(lang: Lang, query: &str, names: &mut Vec<String>) -> String {
    let mut words = alloc::vec!["read".to_string()];
    words.extend(quote::words(query));
    let name_of =
        |words: &[String]| lang.public_name(&words.iter().map(String::as_str).collect::<Vec<&str>>());
    let mut name = name_of(&words);
    let mut count = 1;
    // The function that all of them call is named read.
    while name.eq_ignore_ascii_case("read") || names.contains(&name) {
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

fn function(
    lang: Lang,
    input: &ExportTable,
    names: &Names,
    name: &str,
    title: &str,
    query: &Query,
    sections: &mut Vec<&'static str>,
) -> String {
    let comment = |text: &str| format!("{}\n", indent(lang, &lang.comment(text)));
    let mut out = comment(&title_line(title, query));
    let refused = |out: String, why: &str| format!("{out}{}\n", comment(why));
    let plan = match input.template.plan(&query.rows, &input.readable()) {
        Ok(plan) => plan,
        Err(error) => {
            return refused(out, &format!("This design cannot serve this query: {}", error.message));
        }
    };
    let parameters = Parameters::of(lang, input, query);
    let filter = match &parameters {
        Some(parameters) => parameters.filter.clone(),
        None => plan.filter(query.filter.as_ref()),
    };
    let filter = match filter.map(|filter| filters::write(lang, &filter)).transpose() {
        Ok(filter) => filter,
        Err(missing) => {
            let line = format!("This client does not support {missing}: run this query in another language.");
            return refused(out, &line);
        }
    };
    let filter = match (&parameters, filter) {
        (Some(parameters), Some(filter)) => Some(parameters.with_bounds(lang, &filter)),
        (_, filter) => filter,
    };
    let (declared, statements) = match parameters {
        Some(parameters) => {
            out.push_str(&comment(&parameters.about));
            sections.extend(
                parameters.sections.iter().filter(|name| !sections.contains(name)).collect::<Vec<_>>(),
            );
            (parameters.declared, parameters.statements)
        }
        None => {
            if matches!(query.rows, RowChoice::Fields { .. }) {
                out.push_str(&comment(LITERALS));
            }
            (String::new(), literals(lang, &plan))
        }
    };
    let order = input.template.row_order(query, &input.readable());
    if order.newest == Some(Newest::Anywhere) {
        out.push_str(&comment(&format!(
            "The rows are not in the order of their times: this reads all of them, and the caller keeps the {} newest.",
            query.rows_limit
        )));
    }
    let (limit, reversed, logical) = (order.rows_limit, order.reversed, &names.logical_key);
    let table = &names.table;
    let flag = if reversed { "true" } else { "false" };
    out.push_str(&match lang {
        Lang::Python => {
            let filter = filter.unwrap_or("None".into());
            let flag = if reversed { "True" } else { "False" };
            let limit = if limit == 0 { "None".into() } else { limit.to_string() };
            format!(
                "def {name}(table{declared}):\n{statements}    row_filter = {filter}\n    \
                 return read(table, row_sets, row_filter, {limit}, {flag}, {logical})\n\n\n"
            )
        }
        Lang::Node => {
            let filter = filter.unwrap_or("[]".into());
            format!(
                "export function {name}(table{declared}) {{\n{statements}  const filter = {filter};\n  \
                 return read(table, rowSets, filter, {limit}, {flag}, {logical});\n}}\n\n"
            )
        }
        Lang::Java => {
            let filter = filter.unwrap_or("null".into());
            format!(
                "    public static List<Row> {name}(BigtableDataClient client{declared}) throws Exception {{\n{statements}        \
                 Filter filter = {filter};\n        \
                 return read(client, {table}, rowSets, filter, {limit}L, {flag}, Queries::{logical});\n    }}\n\n"
            )
        }
        Lang::Go => {
            let filter = filter.unwrap_or("bigtable.Filter(nil)".into());
            let (answer, keep) = if declared.is_empty() {
                ("[]bigtable.Row, error", "")
            } else {
                ("rows []bigtable.Row, err error", "\tdefer keepError(&err)\n")
            };
            format!(
                "func {name}(ctx context.Context, table *bigtable.Table{declared}) ({answer}) {{\n{keep}{statements}\tfilter := \
                 {filter}\n\treturn read(ctx, table, rowSets, filter, {limit}, {flag}, {logical})\n}}\n\n"
            )
        }
        Lang::Rust => {
            let filter = filter.map_or("None".into(), |filter| format!("Some({filter})"));
            format!(
                "pub async fn {name}(client: &BigTable{declared}) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {{\n{statements}    \
                 let row_filter = {filter};\n    read(client, {table}, row_sets, row_filter, {limit}, {flag}, {logical}).await\n}}\n\n"
            )
        }
    });
    out
}

/// Why the values of a query are not parameters.
const LITERALS: &str =
    "This design finds these values with a filter or in several ranges, so they are written here.";

/// Writes the statement that makes the row sets of a plan.
fn literals(lang: Lang, plan: &Plan) -> String {
    let sets: Vec<String> = row_sets(plan).iter().map(|set| set.write(lang)).collect();
    let lines = |indent: &str| -> String { sets.iter().map(|set| format!("{indent}{set},\n")).collect() };
    match lang {
        Lang::Python => format!("    row_sets = [\n{}    ]\n", lines("        ")),
        Lang::Node => format!("  const rowSets = [\n{}  ];\n", lines("    ")),
        Lang::Java => {
            let gap = if sets.is_empty() { "" } else { "\n" };
            let lines = lines("                ");
            format!("        List<RowSet> rowSets = List.of({gap}{});\n", lines.trim_end_matches(",\n"))
        }
        Lang::Go => format!("\trowSets := []rowSet{{\n{}\t}}\n", lines("\t\t")),
        Lang::Rust => format!("    let row_sets: &[Rows] = &[\n{}    ];\n", lines("        ")),
    }
}

fn title_line(title: &str, query: &Query) -> String {
    let rows = match query.rows_limit {
        0 => "all rows".into(),
        limit => format!("at most {limit} rows"),
    };
    let order = match query.newest_rows() {
        Some(_) => ", the newest first",
        None if query.reversed => ", the last first",
        None => "",
    };
    format!("{title}: {rows}{}", order)
}

/// Keys, and ranges `[start, end)`; an empty end means no end.
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
        let owned = if lang == Lang::Rust { ".to_vec()" } else { "" };
        let keys: Vec<String> = self.keys.iter().map(|key| format!("{}{owned}", lang.bytes(key))).collect();
        let ends = self.ranges.iter().map(|(start, end)| match lang {
            Lang::Python => format!("({}, {})", lang.bytes(start), lang.bytes(end)),
            Lang::Node => format!("[{}, {}]", lang.bytes(start), lang.bytes(end)),
            Lang::Go => format!("{{{}, {}}}", lang.bytes(start), lang.bytes(end)),
            Lang::Java => {
                format!("range(\"{}\", \"{}\")", quote::octal_escapes(start), quote::octal_escapes(end))
            }
            Lang::Rust => format!("({}.to_vec(), {}.to_vec())", lang.bytes(start), lang.bytes(end)),
        });
        let ranges: Vec<String> = ends.collect();
        let (keys, ranges) = (keys.join(", "), ranges.join(", "));
        match lang {
            Lang::Python => format!("([{keys}], [{ranges}])"),
            Lang::Node => format!("[[{keys}], [{ranges}]]"),
            Lang::Java => format!("new RowSet(List.of({keys}), List.of({ranges}))"),
            Lang::Go => format!("{{[]string{{{keys}}}, [][2]string{{{ranges}}}}}"),
            Lang::Rust => format!("(vec![{keys}], vec![{ranges}])"),
        }
    }
}
