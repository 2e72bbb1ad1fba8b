//! Code for the row key of an event.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::order::sorted;

use super::Lang;
use super::lang::sections;
use crate::ExportInput;
use tabletop_keys::{
    Field, Part, Roles, Template, Transform, cut_over_text, part_fields,
    salt::salt_width,
    time::TimeFormat,
    zorder::{FirstBit, ZOrder, ZOutput},
};

pub(super) fn write(lang: Lang, input: &ExportInput) -> String {
    let mut code = Code::new(lang, Vec::new());
    code.need("core");
    let mut bodies: Vec<String> = Vec::new();
    for (table, words) in input.tables.iter().zip(input.table_words()) {
        let words: Vec<&str> = ["row", "key"].into_iter().chain(words.iter().map(String::as_str)).collect();
        code.function = lang.public_name(&words);
        code.fields = table.template.fields().to_vec();
        bodies.push(code.row_key(&table.template.stored(table.layout)));
    }
    let body = bodies.join(if lang == Lang::Python { "\n\n" } else { "\n" });
    let (texts, mut imports) = sections(lang, &code.sections);
    let head = about(lang, input);
    let gap = if lang == Lang::Python { "\n\n\n" } else { "\n\n" };
    let parts = texts.join(gap);
    match lang {
        Lang::Python => {
            let imports: String = imports.iter().map(|name| format!("import {name}\n")).collect();
            let separate = if imports.is_empty() { "\n" } else { "\n\n" };
            format!(
                "{head}{}{imports}{separate}{body}\n\n{parts}\n",
                if imports.is_empty() { "" } else { "\n" }
            )
        }
        Lang::Node => format!("{head}\n{body}\n{parts}\n"),
        Lang::Rust => format!("{head}\nuse std::collections::HashMap;\n\n{body}\n{parts}\n"),
        Lang::Go => {
            imports.push("slices");
            let imports: String =
                sorted(imports, Ord::cmp).iter().map(|name| format!("\t\"{name}\"\n")).collect();
            format!(
                "{head}// It needs Go 1.22 or newer.\n\npackage rowkey\n\nimport (\n{imports})\n\n{body}\n{parts}\n"
            )
        }
        Lang::Java => {
            imports.extend([
                "java.io.ByteArrayOutputStream",
                "java.nio.charset.StandardCharsets",
                "java.util.Map",
            ]);
            let imports: String =
                sorted(imports, Ord::cmp).iter().map(|name| format!("import {name};\n")).collect();
            format!(
                "{head}\n{imports}\npublic final class RowKey {{\n{body}\n{parts}\n\n    private RowKey() {{}}\n}}\n"
            )
        }
    }
}

/// Comments about the tables and the events.
fn about(lang: Lang, input: &ExportInput) -> String {
    let of = if input.tables.len() == 1 { "a Bigtable table" } else { "Bigtable tables" };
    let mut lines = alloc::vec![format!("The row keys of {of}, written by Tabletop.")];
    for table in input.tables {
        lines.push(format!("Table {}, template {}", table.id, table.template.stored(table.layout).text()));
    }
    let event = "An event is a map from the names of its fields to their texts; a field without a value is not in the map.";
    lines.push(event.into());
    lines.iter().map(|line| format!("{}\n", lang.comment(line))).collect()
}

/// The error of an unsalted key.
const AMBIGUOUS: &str = "a key before the cut-over begins like a salted one";

/// Code for a salt.
struct Salt {
    number: String,
    /// The text before the logical key.
    prefix: String,
    cut_over: Option<CutOver>,
}

/// The conditions of a cut-over as code.
struct CutOver {
    is_before: String,
    is_ambiguous: String,
    /// For a comment.
    text: String,
}

/// The code of logical parts.
pub(super) struct LogicalParts {
    pub(super) list: Vec<String>,
    /// The parts that the salt is computed from, by their index in the list.
    hashed: Vec<usize>,
    /// The text between a salt and the logical key.
    pub(super) separator: String,
}

/// Code, and the sections that it needs.
pub(super) struct Code {
    pub(super) lang: Lang,
    pub(super) sections: Vec<&'static str>,
    /// The name of the function that makes a row key.
    function: String,
    /// The fields of the events, with the formats of their times.
    fields: Vec<Field>,
    /// The fields whose texts are parameters, with the names of these.
    pub(super) parameters: Vec<(String, String)>,
}

impl Code {
    pub(super) fn new(lang: Lang, fields: Vec<Field>) -> Code {
        let (sections, parameters) = (alloc::vec!["join"], Vec::new());
        Code { lang, sections, function: String::new(), fields, parameters }
    }

    /// Returns whether this field has the time of an event.
    pub(super) fn is_time_role(&self, name: &str) -> bool {
        Roles::of(&self.fields).time.is_some_and(|at| self.fields[at].name == name)
    }

    /// Writes the parts of a logical key from the first one on, without those from `end` on.
    pub(super) fn logical_parts(&mut self, template: &Template, end: usize) -> LogicalParts {
        let over = match template.parts().first() {
            Some(Part::Salt { over, .. }) => Some(over),
            _ => None,
        };
        let mut written = LogicalParts { list: Vec::new(), hashed: Vec::new(), separator: String::new() };
        let parts = template.parts().iter().enumerate();
        for (at, part) in parts.take(end).skip(usize::from(over.is_some())) {
            if let Some(over) = over
                && part_fields(part).into_iter().any(|name| over.contains(name))
            {
                written.hashed.push(written.list.len());
            }
            match part {
                Part::Literal(text) if at == 1 && over.is_some() => {
                    let (first, rest) = text.split_at(template.salt_separator_bytes());
                    written.separator = first.into();
                    if !rest.is_empty() {
                        written.list.push(self.literal(rest));
                    }
                }
                part => written.list.push(self.part(part)),
            }
        }
        written
    }

    fn row_key(&mut self, template: &Template) -> String {
        let parts = self.logical_parts(template, template.parts().len());
        let Some(Part::Salt { buckets, .. }) = template.parts().first() else {
            return self.body(&parts.list, None);
        };
        let (number, prefix) = self.salt(*buckets, &parts);
        let cut_over = self.cut_over(template, *buckets, &parts.separator);
        self.body(&parts.list, Some(&Salt { number, prefix, cut_over }))
    }

    /// Writes the number of a salt, and the bytes before the logical key.
    pub(super) fn salt(&mut self, buckets: u32, parts: &LogicalParts) -> (String, String) {
        self.need("hash");
        self.need("utf8");
        let LogicalParts { hashed, separator, .. } = parts;
        let (lang, width) = (self.lang, salt_width(buckets));
        let hashed = if hashed.is_empty() {
            "logical".into()
        } else {
            // A zero byte follows each, so that "ab", "c" differs from "a", "bc".
            let zero = match lang {
                Lang::Python => "b\"\\0\"",
                Lang::Node => "Buffer.of(0)",
                Lang::Java => "new byte[1]",
                Lang::Go => "[]byte{0}",
                Lang::Rust => "&b\"\\0\"[..]",
            };
            let parts: Vec<String> = hashed
                .iter()
                .map(|at| match lang {
                    Lang::Rust => format!("&parts[{at}][..], {zero}"),
                    _ => format!("parts[{at}], {zero}"),
                })
                .collect();
            self.join(&parts.join(", "))
        };
        match lang {
            Lang::Python => (
                format!("xxh64({hashed}) % {buckets}"),
                format!("b\"%0{width}d\" % salt + {} + ", lang.bytes(separator.as_bytes())),
            ),
            Lang::Node => (
                format!("xxh64({hashed}) % {buckets}n"),
                format!("utf8(String(salt).padStart({width}, '0') + {}), ", lang.text(separator)),
            ),
            Lang::Java => (
                format!("Long.remainderUnsigned(xxh64({hashed}), {buckets})"),
                format!("utf8(String.format(\"%0{width}d\", salt) + {}), ", lang.text(separator)),
            ),
            Lang::Go => (
                format!("xxh64({hashed}) % {buckets}"),
                format!("utf8(fmt.Sprintf(\"%0{width}d\", salt) + {}), ", lang.text(separator)),
            ),
            Lang::Rust => (
                format!("xxh64(&{hashed}) % {buckets}"),
                format!(
                    "&utf8(format!(\"{{salt:0{width}}}\"))[..], &{}[..], ",
                    lang.bytes(separator.as_bytes())
                ),
            ),
        }
    }

    /// Writes code for the conditions of a cut-over.
    fn cut_over(&mut self, template: &Template, buckets: u32, separator: &str) -> Option<CutOver> {
        let (from, time) = (template.cut_over()?, template.cut_over_field()?);
        self.need("salted");
        let millis = self.time_millis(time);
        let separator = match self.lang {
            Lang::Python | Lang::Rust => self.lang.bytes(separator.as_bytes()),
            Lang::Java | Lang::Go | Lang::Node => self.lang.text(separator),
        };
        let logical = if self.lang == Lang::Rust { "&logical" } else { "logical" };
        let arguments = [logical.into(), format!("{buckets}"), format!("{}", salt_width(buckets)), separator];
        let is_ambiguous = self.call(&["begins", "salted"], &arguments);
        let long = if self.lang == Lang::Java { "L" } else { "" };
        Some(CutOver {
            is_before: format!("{millis} < {from}{long}"),
            is_ambiguous,
            text: format!("Before {}: no salt.", cut_over_text(from)),
        })
    }

    /// Writes the function around the parts.
    fn body(&self, list: &[String], salt: Option<&Salt>) -> String {
        let (lang, name) = (self.lang, &self.function);
        let indent = if lang == Lang::Java { "            " } else { "        " };
        let go = if lang == Lang::Go { "\t\t" } else { indent };
        let lines: String = list.iter().map(|part| format!("{go}{part},\n")).collect();
        match lang {
            Lang::Python => {
                let salt = match salt {
                    None => "    key = logical\n".into(),
                    Some(Salt { number, prefix, cut_over: None }) => {
                        format!("    salt = {number}\n    key = {prefix}logical\n")
                    }
                    Some(Salt {
                        number,
                        prefix,
                        cut_over: Some(CutOver { is_before, is_ambiguous, text }),
                    }) => format!(
                        "    if {is_before}:  # {text}\n        if {is_ambiguous}:\n            \
                         raise ValueError(\"{AMBIGUOUS}\")\n        key = logical\n    else:\n        \
                         salt = {number}\n        key = {prefix}logical\n"
                    ),
                };
                format!(
                    "def {name}(event):\n    \"\"\"The bytes of an event's row key.\"\"\"\n    parts = [\n{lines}    ]\n    logical = b\"\".join(parts)\n{salt}    \
                     if not logical or len(key) > 4096:\n        raise ValueError(f\"a row key has 1 to 4096 bytes, not {{len(key)}}\")\n    return key\n"
                )
            }
            Lang::Node => {
                let lines = lines.replace("        ", "    ");
                let salt = match salt {
                    None => "  const key = logical;\n".into(),
                    Some(Salt { number, prefix, cut_over: None }) => {
                        format!("  const salt = {number};\n  const key = Buffer.concat([{prefix}logical]);\n")
                    }
                    Some(Salt {
                        number,
                        prefix,
                        cut_over: Some(CutOver { is_before, is_ambiguous, text }),
                    }) => format!(
                        "  let key = logical;\n  if ({is_before}) {{\n    // {text}\n    if ({is_ambiguous}) {{\n      \
                         throw new Error('{AMBIGUOUS}');\n    }}\n  }} else {{\n    const salt = {number};\n    \
                         key = Buffer.concat([{prefix}logical]);\n  }}\n"
                    ),
                };
                format!(
                    "/** The bytes of an event's row key. */\nexport function {name}(event) {{\n  const parts = [\n{lines}  ];\n  const logical = \
                     Buffer.concat(parts);\n{salt}  if (logical.length === 0 || key.length > 4096) throw new Error(`a row key has 1 to 4096 bytes, \
                     not ${{key.length}}`);\n  return key;\n}}\n"
                )
            }
            Lang::Java => {
                let salt = match salt {
                    None => "        byte[] key = logical;\n".into(),
                    Some(Salt { number, prefix, cut_over: None }) => {
                        format!(
                            "        long salt = {number};\n        byte[] key = join({prefix}logical);\n"
                        )
                    }
                    Some(Salt {
                        number,
                        prefix,
                        cut_over: Some(CutOver { is_before, is_ambiguous, text }),
                    }) => format!(
                        "        byte[] key = logical;\n        if ({is_before}) {{ // {text}\n            if ({is_ambiguous}) {{\n                \
                         throw new IllegalArgumentException(\"{AMBIGUOUS}\");\n            }}\n        }} else {{\n            \
                         long salt = {number};\n            key = join({prefix}logical);\n        }}\n"
                    ),
                };
                let lines = lines.trim_end_matches(",\n");
                format!(
                    "    /** The bytes of an event's row key. */\n    public static byte[] {name}(Map<String, String> event) {{\n        \
                     byte[][] parts = {{\n{lines}\n        }};\n        byte[] logical = join(parts);\n{salt}        if (logical.length == 0 || \
                     key.length > 4096) {{\n            throw new IllegalArgumentException(\"a row key has 1 to 4096 bytes, not \" + \
                     key.length);\n        }}\n        return key;\n    }}\n"
                )
            }
            Lang::Go => {
                let salt = match salt {
                    None => "\tkey = logical\n".into(),
                    Some(Salt { number, prefix, cut_over: None }) => {
                        format!("\tsalt := {number}\n\tkey = slices.Concat({prefix}logical)\n")
                    }
                    Some(Salt {
                        number,
                        prefix,
                        cut_over: Some(CutOver { is_before, is_ambiguous, text }),
                    }) => format!(
                        "\tif {is_before} {{ // {text}\n\t\tif {is_ambiguous} {{\n\t\t\tfail(\"{AMBIGUOUS}\")\n\t\t}}\n\t\t\
                         key = logical\n\t}} else {{\n\t\tsalt := {number}\n\t\tkey = slices.Concat({prefix}logical)\n\t}}\n"
                    ),
                };
                format!(
                    "// {name} is the bytes of an event's row key.\nfunc {name}(event map[string]string) (key []byte, err error) {{\n\tdefer func() \
                     {{\n\t\tif why := recover(); why != nil {{\n\t\t\tkeyErr, ok := why.(keyError)\n\t\t\tif !ok {{\n\t\t\t\tpanic(why)\n\t\t\t}}\n\t\t\tkey, \
                     err = nil, keyErr\n\t\t}}\n\t}}()\n\tparts := [][]byte{{\n{lines}\t}}\n\tlogical := slices.Concat(parts...)\n{salt}\tif len(logical) == 0 || \
                     len(key) > 4096 {{\n\t\tfail(\"a row key has 1 to 4096 bytes, not %d\", len(key))\n\t}}\n\treturn key, nil\n}}\n"
                )
            }
            Lang::Rust => {
                let salt = match salt {
                    None => "    let key = logical.clone();\n".into(),
                    Some(Salt { number, prefix, cut_over: None }) => {
                        format!("    let salt = {number};\n    let key = [{prefix}&logical[..]].concat();\n")
                    }
                    Some(Salt {
                        number,
                        prefix,
                        cut_over: Some(CutOver { is_before, is_ambiguous, text }),
                    }) => format!(
                        "    // {text}\n    let key = if {is_before} {{\n        if {is_ambiguous} {{\n            \
                         return Err(\"{AMBIGUOUS}\".into());\n        }}\n        logical.clone()\n    }} else {{\n        \
                         let salt = {number};\n        [{prefix}&logical[..]].concat()\n    }};\n"
                    ),
                };
                format!(
                    "/// The bytes of an event's row key; an error names the reason why it has none.\npub fn {name}(event: &HashMap<String, String>) -> \
                     Result<Vec<u8>, String> {{\n    let parts: Vec<Vec<u8>> = vec![\n{lines}    ];\n    let logical = parts.concat();\n{salt}    if \
                     logical.is_empty() || key.len() > 4096 {{\n        return Err(format!(\"a row key has 1 to 4096 bytes, not {{}}\", \
                     key.len()));\n    }}\n    Ok(key)\n}}\n"
                )
            }
        }
    }

    /// Writes code that joins byte strings.
    fn join(&self, parts: &str) -> String {
        match self.lang {
            Lang::Python => format!("b\"\".join([{parts}])"),
            Lang::Node => format!("Buffer.concat([{parts}])"),
            Lang::Java => format!("join({parts})"),
            Lang::Go => format!("slices.Concat({parts})"),
            Lang::Rust => format!("[{parts}].concat()"),
        }
    }

    /// Writes code for the bytes of a part.
    fn part(&mut self, part: &Part) -> String {
        match part {
            Part::Literal(text) => self.literal(text),
            Part::Field { name, transforms } => {
                let text = self.field(name, transforms);
                self.utf8(&text)
            }
            Part::ZOrder(zorder) => self.zorder(zorder),
            // In a template without problems, only the first part is a salt.
            Part::Salt { .. } => self.literal(""),
        }
    }

    fn literal(&mut self, text: &str) -> String {
        match self.lang {
            Lang::Python => self.lang.bytes(text.as_bytes()),
            lang => self.utf8(&lang.text(text)),
        }
    }

    fn utf8(&mut self, text: &str) -> String {
        self.need("utf8");
        format!("utf8({text})")
    }

    /// Writes code for the text of a field, transformed.
    fn field(&mut self, name: &str, transforms: &[Transform]) -> String {
        match transforms.first() {
            Some(Transform::Time(_) | Transform::Bucket(_)) => {
                let millis = self.time_millis(name);
                self.transformed(millis, true, transforms)
            }
            Some(Transform::Or(placeholder)) => {
                self.need("or");
                let arguments = ["event".into(), self.lang.text(name), self.lang.text(placeholder.text())];
                let text = self.call(&["field", "or"], &arguments);
                self.transformed(text, false, transforms)
            }
            _ => self.transformed(self.event_field(name), false, transforms),
        }
    }

    /// Writes code for a text or a time, transformed.
    fn transformed(&mut self, mut code: String, mut is_millis: bool, transforms: &[Transform]) -> String {
        for transform in transforms {
            let is_time = matches!(transform, Transform::Time(_) | Transform::Bucket(_));
            // A time that is only rounded down is written in full.
            if is_millis && !is_time {
                code = self.time_text(code, TimeFormat::Iso);
                is_millis = false;
            } else if is_time && !is_millis {
                self.need("day");
                self.need("time");
                code = self.call_fallible(&["time", "millis"], &[code]);
                is_millis = true;
            }
            code = match transform {
                // It is the first one of a field, and a parameter has a value.
                Transform::Or(_) => code,
                Transform::Bucket(seconds) => {
                    self.need("bucket");
                    self.call(&["bucket"], &[code, format!("{seconds}")])
                }
                Transform::Time(format) => {
                    is_millis = false;
                    self.time_text(code, *format)
                }
                Transform::Pad(digits) => {
                    self.need("blank");
                    self.need("pad");
                    self.call_fallible(&["pad"], &[code, format!("{digits}")])
                }
                Transform::Hash(digits) => {
                    self.need("hash");
                    self.need("hash_hex");
                    self.need("utf8");
                    self.call(&["hash", "hex"], &[code, format!("{digits}")])
                }
                Transform::Reverse => self.simple("reverse", code),
                Transform::ReverseDomain => {
                    self.need("reverse_domain");
                    self.call(&["reverse", "domain"], &[code])
                }
                Transform::Upper => self.simple("upper", code),
                Transform::Lower => self.simple("lower", code),
            };
        }
        if is_millis { self.time_text(code, TimeFormat::Iso) } else { code }
    }

    fn simple(&mut self, name: &'static str, code: String) -> String {
        self.need(name);
        self.call(&[name], &[code])
    }

    fn time_text(&mut self, millis: String, format: TimeFormat) -> String {
        self.need("time_text");
        if self.lang == Lang::Python {
            self.need("day");
        }
        let name = TimeFormat::ALL.iter().find(|(_, each)| *each == format).map_or("iso", |(name, _)| name);
        self.call_fallible(&["time", "text"], &[millis, self.lang.text(name)])
    }

    fn zorder(&mut self, zorder: &ZOrder) -> String {
        self.need("blank");
        self.need("zorder");
        let bits = format!("{}", zorder.bits);
        let mut scaled = [&zorder.x, &zorder.y].map(|axis| {
            let field = self.event_field(&axis.field);
            self.call_fallible(
                &["scale"],
                &[field, format!("{:?}", axis.min), format!("{:?}", axis.max), bits.clone()],
            )
        });
        if zorder.first == FirstBit::Y {
            scaled.reverse();
        }
        let [first, second] = scaled;
        let number = self.call(&["interleave"], &[first, second, bits]);
        let width = format!("{}", zorder.width());
        let (section, words): (_, &[&str]) = match zorder.output {
            ZOutput::Decimal => ("decimal", &["decimal"]),
            ZOutput::Hex => ("hex", &["hexadecimal"]),
            ZOutput::Bytes => ("big_endian", &["big", "endian"]),
        };
        self.need(section);
        let written = self.call(words, &[number, width]);
        if zorder.output == ZOutput::Bytes { written } else { self.utf8(&written) }
    }

    /// Writes code for the text of a field of the event.
    fn event_field(&self, name: &str) -> String {
        if let Some((_, parameter)) = self.parameters.iter().find(|(field, _)| field == name) {
            return parameter.clone();
        }
        let field = |name: &str| self.call_fallible(&["field"], &["event".into(), self.lang.text(name)]);
        let this = self.fields.iter().find(|field| field.name == name);
        let joined = this.map(|field| field.joined(&self.fields)).unwrap_or_default();
        if joined.is_empty() {
            return field(name);
        }
        // Parts of a time that the file has in several columns are one time.
        let parts: Vec<String> = joined.into_iter().map(|at| field(&self.fields[at].name)).collect();
        match self.lang {
            Lang::Rust => format!("[{}].join(\" \")", parts.join(", ")),
            Lang::Python | Lang::Node | Lang::Java | Lang::Go => parts.join(" + \" \" + "),
        }
    }

    /// Writes code for the milliseconds since 1970 of a field that has times, in the format of the
    /// file.
    fn time_millis(&mut self, name: &str) -> String {
        self.need("day");
        let text = self.event_field(name);
        let field = self.fields.iter().find(|field| field.name == name);
        let format = field.and_then(|field| field.format.as_ref());
        let Some(format) = format.map(|format| self.lang.text(format.as_str())) else {
            self.need("time");
            return self.call_fallible(&["time", "millis"], &[text]);
        };
        self.need("time_format");
        self.need("blank");
        self.call_fallible(&["time", "in"], &[text, format])
    }

    fn call(&self, words: &[&str], arguments: &[String]) -> String {
        format!("{}({})", self.lang.name(words), arguments.join(", "))
    }

    /// Writes a call of a function that may fail. Rust marks such calls.
    fn call_fallible(&self, words: &[&str], arguments: &[String]) -> String {
        let mark = if self.lang == Lang::Rust { "?" } else { "" };
        self.call(words, arguments) + mark
    }

    /// Writes code for the bytes of a time, from the variable `millis`.
    pub(super) fn of_millis(&mut self, transforms: &[Transform]) -> String {
        let text = self.transformed("millis".into(), true, transforms);
        self.utf8(&text)
    }

    pub(super) fn need(&mut self, section: &'static str) {
        if !self.sections.contains(&section) {
            self.sections.push(section);
        }
    }
}
