//! Functions whose values are parameters: the key's first parts are written from texts, and the time
//! that follows them is in a span.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use tabletop_keys::time::TimeFormat;
use tabletop_keys::{Part, Query, RowChoice, Transform, part_fields};
use tabletop_model::{RowFilter, TimestampRange};

use super::Lang;
use super::key::Code;
use crate::{ExportTable, quote};

/// Times that no key format has at the start of a text, to learn how the design finds a span whose
/// bounds the function does not know.
const PROBE: [&str; 2] = ["2001-02-03T04:05:06.789Z", "2001-04-05T06:07:08.901Z"];
/// Numbers of microseconds that stand for the bounds in a filter, until the code of its text is
/// written.
const BOUNDS: [i64; 2] = [1_111_111_111_111_111_000, 2_222_222_222_222_222_000];

/// A function with parameters.
pub(super) struct Parameters {
    /// Its parameters, as declared after the table or the client.
    pub(super) declared: String,
    /// The statements that make `row_sets`, with the indent of the language.
    pub(super) statements: String,
    /// The filter, before [`Parameters::with_bounds`].
    pub(super) filter: Option<RowFilter>,
    /// The names of the bounds of the time.
    bounds: [Option<&'static str>; 2],
    /// The sections that the function needs.
    pub(super) sections: Vec<&'static str>,
    /// The sentence that describes the parameters.
    pub(super) about: String,
}

impl Parameters {
    /// Returns the function of a query on fields; `None` if it has no values, or if ranges alone
    /// cannot find its rows: the values are then part of a filter.
    pub(super) fn of(lang: Lang, table: &ExportTable, query: &Query) -> Option<Parameters> {
        let RowChoice::Fields { equals, from, until } = &query.rows else { return None };
        if equals.is_empty() && from.is_none() && until.is_none() || table.template.cut_over().is_some() {
            return None;
        }
        let bounds = [from.as_ref().map(|_| "start"), until.as_ref().map(|_| "end")];
        let probe = |given: &Option<String>, at: usize| given.as_ref().map(|_| PROBE[at].to_string());
        let rows = RowChoice::Fields { equals: equals.clone(), from: probe(from, 0), until: probe(until, 1) };
        let layout = table.readable();
        let filter = match table.template.plan(&rows, &layout).ok()?.filter(None) {
            None => query.filter.clone(),
            Some(RowFilter::TimestampRange(_)) => {
                let [start, end] = [0, 1].map(|at| bounds[at].map_or(0, |_| BOUNDS[at]));
                let span = RowFilter::TimestampRange(TimestampRange { start, end });
                Some(match query.filter.clone() {
                    Some(own) => RowFilter::Chain(alloc::vec![span, own]),
                    None => span,
                })
            }
            Some(_) => return None,
        };
        let stored = table.template.stored(&layout);
        let mut code = Code::new(lang, stored.fields().to_vec());
        for (name, _) in equals {
            // A time that is equal to a text is a span of a millisecond.
            if code.is_time_role(name) || code.parameters.iter().any(|(field, _)| field == name) {
                return None;
            }
            let parameter = parameter(lang, name, &code.parameters);
            code.parameters.push((name.clone(), parameter));
        }
        let statements = statements(&mut code, &stored, bounds)?;
        code.need("parameters");
        code.need("utf8");
        let names: Vec<&str> = code.parameters.iter().map(|(_, name)| name.as_str()).collect();
        Some(Parameters {
            declared: declared(lang, &names, bounds),
            statements,
            filter,
            bounds,
            sections: code.sections,
            about: about(&names, bounds),
        })
    }

    /// Returns the code of the filter with the bounds of the time.
    pub(super) fn with_bounds(&self, lang: Lang, filter: &str) -> String {
        let mut code = filter.to_string();
        for (at, name) in self.bounds.iter().enumerate() {
            let Some(name) = name else { continue };
            let millis = format!("{}({name})", lang.name(&["millis", "of"]));
            // Node.js takes milliseconds.
            let (number, bound) = match lang {
                Lang::Node => (BOUNDS[at] / 1000, millis),
                Lang::Java => (BOUNDS[at], format!("{millis} * 1000")),
                Lang::Go => (BOUNDS[at], format!("bigtable.Timestamp({millis} * 1000)")),
                Lang::Python | Lang::Rust => (BOUNDS[at], format!("{millis} * 1000")),
            };
            let number = if lang == Lang::Java { format!("{number}L") } else { number.to_string() };
            code = code.replace(&number, &bound);
        }
        code
    }
}

/// Words that have a meaning in one of the languages, or in the functions.
const TAKEN: &str = " abstract and as assert async await bigtable bool boolean break byte bytes case catch chan char class \
    client const context continue crate ctx datetime debugger def default defer del delete do double dyn \
    elif else end enum errors except export extends extern fallthrough false field filter filters final \
    finally float fmt fn for from func function global go goto head high if impl implements import in \
    instanceof int interface is key lambda len let limit list logical long loop low map match math \
    millis mod move mut nan native new nil none nonlocal not null object or package parts pass private \
    protected public queries query raise range re read ref regexp return row rows salt salts select self \
    set short slices sort start static str strings struct super switch sync synchronized table text this \
    throw throws time trait transient trim true try type typeof unsafe use utf8 value values var void \
    volatile where while with yield ";

/// Returns the name of the parameter of a field, which differs from those of others.
fn parameter(lang: Lang, field: &str, others: &[(String, String)]) -> String {
    let mut words = quote::words(field);
    if words.first().is_none_or(|word| word.starts_with(|first: char| first.is_ascii_digit())) {
        words.insert(0, "value".into());
    }
    // `value` separates the name from those of helpers, which are verbs and kinds of texts.
    if words.len() == 1 && (TAKEN.contains(&format!(" {} ", words[0])) || lang.section(&words[0]).is_some()) {
        words.push("value".into());
    }
    let name_of = |words: &[String]| lang.name(&words.iter().map(String::as_str).collect::<Vec<&str>>());
    let mut name = name_of(&words);
    let mut count = 1;
    while others.iter().any(|(_, other)| *other == name) {
        count += 1;
        words.push(format!("field{count}"));
        name = name_of(&words);
        words.pop();
    }
    name
}

fn declared(lang: Lang, names: &[&str], bounds: [Option<&str>; 2]) -> String {
    let (text, time) = match lang {
        Lang::Python => (": str", ": datetime"),
        Lang::Node => ("", ""),
        Lang::Java => ("String ", "Instant "),
        Lang::Go => (" string", " time.Time"),
        Lang::Rust => (": &str", ": std::time::SystemTime"),
    };
    let all =
        names.iter().map(|name| (*name, text)).chain(bounds.into_iter().flatten().map(|name| (name, time)));
    all.map(|(name, of)| if lang == Lang::Java { format!(", {of}{name}") } else { format!(", {name}{of}") })
        .collect()
}

fn about(names: &[&str], bounds: [Option<&str>; 2]) -> String {
    let mut sentences = Vec::new();
    if !names.is_empty() {
        sentences.push(format!("{}: texts as in the events.", names.join(", ")));
    }
    match bounds {
        [Some(_), Some(_)] => sentences.push("Times from start (inclusive) to end (exclusive).".into()),
        [Some(_), None] => sentences.push("Times from start (inclusive).".into()),
        [None, Some(_)] => sentences.push("Times before end.".into()),
        [None, None] => {}
    }
    sentences.join(" ")
}

/// Writes the statements that make `row_sets`; `None` if values are needed behind a part that is
/// not known.
fn statements(
    code: &mut Code,
    template: &tabletop_keys::Template,
    bounds: [Option<&'static str>; 2],
) -> Option<String> {
    let lang = code.lang;
    let parts = template.parts();
    let salt = match parts.first() {
        Some(Part::Salt { buckets, over, .. }) => Some((*buckets, over)),
        _ => None,
    };
    let is_given = |part: &Part| {
        let names = part_fields(part);
        names.iter().all(|name| code.parameters.iter().any(|(field, _)| field == *name))
    };
    let first = usize::from(salt.is_some());
    let stop = (first..parts.len()).find(|at| !is_given(&parts[*at])).unwrap_or(parts.len());
    let is_timed = bounds.iter().any(Option::is_some);
    let span = match parts.get(stop) {
        Some(Part::Field { name, transforms }) if is_timed && code.is_time_role(name) => {
            Some(transforms.clone())
        }
        _ if is_timed => return None,
        _ => None,
    };
    let rest = stop + usize::from(span.is_some());
    let uses_value = |part: &Part| {
        part_fields(part).into_iter().any(|name| code.parameters.iter().any(|(field, _)| field == name))
    };
    // Every value must be in the range: a later part would need a filter.
    let all_used = code
        .parameters
        .iter()
        .all(|(field, _)| parts[first..stop].iter().any(|part| part_fields(part).contains(&field)));
    if parts.get(rest..).is_some_and(|rest| rest.iter().any(uses_value)) || !all_used {
        return None;
    }
    let known = code.logical_parts(template, stop);
    let is_key = stop == parts.len();
    let prefixes = match salt {
        None => None,
        Some((buckets, over)) => {
            let is_known = if over.is_empty() {
                is_key
            } else {
                over.iter().all(|name| code.parameters.iter().any(|(field, _)| field == name))
            };
            Some((buckets, is_known.then(|| code.salt(buckets, &known))))
        }
    };
    let span = match span {
        None => None,
        Some(transforms) => {
            let is_reversed = transforms.contains(&Transform::Time(TimeFormat::ReverseTime));
            let format = transforms.iter().find_map(|transform| match transform {
                Transform::Time(format) => Some(*format),
                _ => None,
            });
            if transforms
                .iter()
                .any(|transform| !matches!(transform, Transform::Time(_) | Transform::Bucket(_)))
            {
                return None;
            }
            let (low, high) = format.unwrap_or(TimeFormat::Iso).bounds();
            Some((code.of_millis(&transforms), low, high, is_reversed))
        }
    };
    Some(
        Body { lang, known: &known.list, is_key, prefixes, separator: &known.separator, span, bounds }
            .write(),
    )
}

/// What the statements of a function are made of.
struct Body<'a> {
    lang: Lang,
    /// The code of the known parts.
    known: &'a [String],
    is_key: bool,
    /// The number of salts, and the code of the salt and of the bytes with it, if it is known.
    prefixes: Option<(u32, Option<(String, String)>)>,
    separator: &'a str,
    /// The code of a time's bytes, the bounds of its format, and whether later times come first.
    span: Option<(String, i64, i64, bool)>,
    bounds: [Option<&'static str>; 2],
}

impl Body<'_> {
    fn write(&self) -> String {
        let Body { lang, known, is_key, prefixes, separator, span, bounds } = self;
        let joined = known.join(", ");
        let (indent, end) = match lang {
            Lang::Python => ("    ", ""),
            Lang::Node => ("  ", ";"),
            Lang::Java => ("        ", ";"),
            Lang::Go => ("\t", ""),
            Lang::Rust => ("    ", ";"),
        };
        let mut lines: Vec<String> = Vec::new();
        lines.extend(match lang {
            Lang::Python => [format!("parts = [{joined}]"), "logical = b\"\".join(parts)".into()],
            Lang::Node => {
                [format!("const parts = [{joined}]"), "const logical = Buffer.concat(parts)".into()]
            }
            Lang::Java => [format!("byte[][] parts = {{{joined}}}"), "byte[] logical = join(parts)".into()],
            Lang::Go => {
                [format!("parts := [][]byte{{{joined}}}"), "logical := slices.Concat(parts...)".into()]
            }
            Lang::Rust => {
                [format!("let parts: Vec<Vec<u8>> = vec![{joined}]"), "let logical = parts.concat()".into()]
            }
        });
        let salts = |count: u32| {
            let width = tabletop_keys::salt::salt_width(count);
            let separator = match lang {
                Lang::Python | Lang::Rust => lang.bytes(separator.as_bytes()),
                Lang::Node | Lang::Java | Lang::Go => lang.text(separator),
            };
            format!("{}({count}, {width}, {separator})", lang.name(&["all", "salts"]))
        };
        let prefixes = match prefixes {
            None => match lang {
                Lang::Python => "[b\"\"]".into(),
                Lang::Node => "[Buffer.of()]".into(),
                Lang::Java => "List.of(new byte[0])".into(),
                Lang::Go => "[][]byte{nil}".into(),
                Lang::Rust => "&[Vec::new()]".into(),
            },
            Some((count, None)) => {
                if *lang == Lang::Rust {
                    format!("&{}", salts(*count))
                } else {
                    salts(*count)
                }
            }
            Some((_, Some((number, prefix)))) => {
                let prefix = prefix.trim_end_matches([' ', '+', ',']);
                lines.push(match lang {
                    Lang::Python => format!("salt = {number}"),
                    Lang::Node => format!("const salt = {number}"),
                    Lang::Java => format!("long salt = {number}"),
                    Lang::Go => format!("salt := {number}"),
                    Lang::Rust => format!("let salt = {number}"),
                });
                match lang {
                    Lang::Python => format!("[{prefix}]"),
                    Lang::Node => format!("[Buffer.concat([{prefix}])]"),
                    Lang::Java => format!("List.of(join({prefix}))"),
                    Lang::Go => format!("[][]byte{{slices.Concat({prefix})}}"),
                    Lang::Rust => format!("&[[{prefix}].concat()]"),
                }
            }
        };
        let reference = if *lang == Lang::Rust { "&" } else { "" };
        let sets = if *is_key {
            format!("{}({prefixes}, {reference}logical)", lang.name(&["single", "rows"]))
        } else if let Some((text, low, high, is_reversed)) = span {
            let bound = |at: usize| match (bounds[at], lang) {
                (Some(name), Lang::Go) => format!("&{name}"),
                (Some(name), Lang::Rust) => format!("Some({name})"),
                (Some(name), _) => name.to_string(),
                (None, Lang::Python | Lang::Rust) => "None".into(),
                (None, Lang::Node | Lang::Java) => "null".into(),
                (None, Lang::Go) => "nil".into(),
            };
            let (start, end) = (bound(0), bound(1));
            let (low, high) = if *lang == Lang::Java {
                (format!("{low}L"), format!("{high}L"))
            } else {
                (low.to_string(), high.to_string())
            };
            let (of_time, flag) = match lang {
                Lang::Python => {
                    (format!("lambda millis: {text}"), if *is_reversed { "True" } else { "False" })
                }
                _ => {
                    let of_time = match lang {
                        Lang::Node => format!("(millis) => {text}"),
                        Lang::Java => format!("millis -> {text}"),
                        Lang::Go => format!("func(millis int64) []byte {{ return {text} }}"),
                        Lang::Python | Lang::Rust => format!("|millis| Ok({text})"),
                    };
                    (of_time, if *is_reversed { "true" } else { "false" })
                }
            };
            let arguments = format!("{reference}logical, {start}, {end}, {low}, {high}, {of_time}, {flag}");
            let mark = if *lang == Lang::Rust { "?" } else { "" };
            format!(
                "{}({prefixes}, {reference}{}({arguments}){mark})",
                lang.name(&["rows", "within"]),
                lang.name(&["time", "ends"])
            )
        } else {
            format!(
                "{}({prefixes}, {reference}{}({reference}logical))",
                lang.name(&["rows", "within"]),
                lang.name(&["ends", "of"])
            )
        };
        lines.push(match lang {
            Lang::Python => format!("row_sets = {sets}"),
            Lang::Node => format!("const rowSets = {sets}"),
            Lang::Java => format!("List<RowSet> rowSets = {sets}"),
            Lang::Go => format!("rowSets := {sets}"),
            Lang::Rust => format!("let row_sets = &{sets}"),
        });
        lines.iter().map(|line| format!("{indent}{line}{end}\n")).collect()
    }
}
