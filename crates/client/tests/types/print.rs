//! Prints the sources as TypeScript, as `serde-wasm-bindgen` converts values.

use std::collections::BTreeSet;
use std::fmt::Write;

use syn::{
    Attribute, Field, Fields, FnArg, GenericArgument, ImplItemFn, Pat, PathArguments, ReturnType, Type,
};

use super::source::{Described, Source, docs, words};

const HEAD: &str = "\
// Generated from the Rust sources of the API: do not edit. `UPDATE=1 cargo xtask test native types`
// writes it.
//
// 64-bit integers are BigInts, bytes are Uint8Arrays together with their text, an absent value is
// null.

";
const FOOT: &str = "
declare global {
  interface Window {
    /** Tabletop in this page. Wait for `tabletop.ready` before the first call. */
    readonly tabletop: Tabletop;
  }
  const tabletop: Tabletop;
}
";

/// The complete file.
pub fn declarations(source: &Source) -> String {
    format!("{HEAD}{}{FOOT}", types(source))
}

/// The API and every type that it names, sorted by name.
pub fn types(source: &Source) -> String {
    let mut named = BTreeSet::new();
    let mut out = String::new();
    print_docs(&mut out, &source.api, "");
    out.push_str("export interface Tabletop {\n");
    for (at, method) in source.methods.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        print_docs(&mut out, &method.attrs, "  ");
        let _ = writeln!(out, "  {};", signature(method, &mut named));
    }
    out.push_str("}\n");
    for section in &source.sections {
        let _ = write!(out, "\n{}\n", section.trim());
        names_in(section, &mut named);
    }
    let mut printed = BTreeSet::new();
    let mut texts = Vec::new();
    while let Some(name) = named.iter().find(|name| !printed.contains(*name)).cloned() {
        if let Some(described) = source.described(&name) {
            texts.push((name.clone(), describe(&name, &described, &mut named)));
        } else if let Some((_, text)) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name) {
            texts.push((name.clone(), (*text).into()));
        } else {
            let by_hand = source.sections.iter().any(|section| {
                section.contains(&format!("export interface {name} "))
                    || section.contains(&format!("export type {name} "))
            });
            assert!(
                by_hand || GLOBAL.contains(&name.as_str()),
                "the API names {name}, but no serializable Rust type has that name"
            );
        }
        printed.insert(name);
    }
    texts.sort();
    for (_, text) in texts {
        let _ = write!(out, "\n{text}");
    }
    out
}

/// Types whose serde form is not derived.
const BUILT_IN: [(&str, &str); 2] = [
    (
        "Bound",
        "/** One end of a range. */\nexport type Bound<T> = { Included: T } | { Excluded: T } | \"Unbounded\";\n",
    ),
    (
        "Bytes",
        "/** Bytes as text: UTF-8 as it is, other bytes as `\\xHH`, control characters in the same way or as `\\n`, a backslash doubled. */\n\
         export type Bytes = string;\n",
    ),
];

/// Types that JavaScript has.
const GLOBAL: [&str; 3] = ["Blob", "Promise", "Uint8Array"];

fn signature(method: &ImplItemFn, named: &mut BTreeSet<String>) -> String {
    let marks = words(&method.attrs, "wasm_bindgen");
    let given =
        marks.iter().find(|(word, _)| word == "unchecked_return_type").and_then(|(_, text)| text.clone());
    let result = given.unwrap_or_else(|| match &method.sig.output {
        ReturnType::Type(_, ty) => type_text(ty, named),
        ReturnType::Default => "void".into(),
    });
    names_in(&result, named);
    let name = method.sig.ident.to_string();
    if marks.iter().any(|(word, _)| word == "getter") {
        return format!("readonly {name}: {result}");
    }
    let arguments = method.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(argument) => {
            let Pat::Ident(name) = &*argument.pat else { panic!("an argument is a name") };
            let given = words(&argument.attrs, "wasm_bindgen")
                .into_iter()
                .find(|(word, _)| word == "unchecked_param_type");
            let text = given.and_then(|(_, text)| text).unwrap_or_else(|| type_text(&argument.ty, named));
            names_in(&text, named);
            Some(match text.strip_suffix(" | undefined") {
                Some(text) => format!("{}?: {}", name.ident, without_parentheses(text)),
                None => format!("{}: {text}", name.ident),
            })
        }
        FnArg::Receiver(_) => None,
    });
    let arguments: Vec<String> = arguments.collect();
    let result = if method.sig.asyncness.is_some() { format!("Promise<{result}>") } else { result };
    format!("{name}({}): {result}", arguments.join(", "))
}

/// Renames `Error`, because JavaScript has its own.
fn type_name(name: &str) -> &str {
    if name == "Error" { "ErrorValue" } else { name }
}

fn describe(name: &str, described: &Described, named: &mut BTreeSet<String>) -> String {
    let name = type_name(name);
    let mut out = String::new();
    match described {
        Described::Alias(item) => {
            print_docs(&mut out, &item.attrs, "");
            let _ = writeln!(out, "export type {name} = {};", type_text(&item.ty, named));
        }
        Described::Struct(item) => {
            print_docs(&mut out, &item.attrs, "");
            match &item.fields {
                Fields::Named(fields) => {
                    let optional = words(&item.attrs, "serde").iter().any(|(word, _)| word == "default");
                    let _ = writeln!(out, "export interface {name} {{");
                    fields.named.iter().for_each(|field| print_field(&mut out, field, optional, "  ", named));
                    out.push_str("}\n");
                }
                fields => {
                    let text = written_as(&item.attrs, named).unwrap_or_else(|| tuple(fields, named));
                    let _ = writeln!(out, "export type {name} = {text};");
                }
            }
        }
        Described::Enum(item) => {
            print_docs(&mut out, &item.attrs, "");
            if let Some(text) = written_as(&item.attrs, named) {
                let _ = writeln!(out, "export type {name} = {text};");
                return out;
            }
            let marks = words(&item.attrs, "serde");
            let snake = marks
                .iter()
                .any(|(word, value)| word == "rename_all" && value.as_deref() == Some("snake_case"));
            let _ = write!(out, "export type {name} =");
            for variant in &item.variants {
                out.push('\n');
                print_docs(&mut out, &variant.attrs, "  ");
                let tag =
                    if snake { snake_case(&variant.ident.to_string()) } else { variant.ident.to_string() };
                match &variant.fields {
                    Fields::Unit => {
                        let _ = write!(out, "  | \"{tag}\"");
                    }
                    Fields::Unnamed(_) => {
                        let _ = write!(out, "  | {{ {tag}: {} }}", tuple(&variant.fields, named));
                    }
                    Fields::Named(fields) => {
                        let _ = writeln!(out, "  | {{\n      {tag}: {{");
                        fields
                            .named
                            .iter()
                            .for_each(|field| print_field(&mut out, field, false, "        ", named));
                        out.push_str("      };\n    }");
                    }
                }
            }
            out.push_str(";\n");
        }
    }
    out
}

/// Returns the type as which a type is written, if that is another one.
fn written_as(attrs: &[Attribute], named: &mut BTreeSet<String>) -> Option<String> {
    let (_, into) = words(attrs, "serde").into_iter().find(|(word, _)| word == "into")?;
    Some(type_text(&syn::parse_str(&into?).expect("the name of a type"), named))
}

fn print_field(out: &mut String, field: &Field, optional: bool, indent: &str, named: &mut BTreeSet<String>) {
    print_docs(out, &field.attrs, indent);
    let name = field.ident.as_ref().expect("a named field");
    let _ =
        writeln!(out, "{indent}{name}{}: {};", if optional { "?" } else { "" }, type_text(&field.ty, named));
}

fn tuple(fields: &Fields, named: &mut BTreeSet<String>) -> String {
    let texts: Vec<String> = fields.iter().map(|field| type_text(&field.ty, named)).collect();
    if texts.len() == 1 { texts.concat() } else { format!("[{}]", texts.join(", ")) }
}

/// The TypeScript of a Rust type.
fn type_text(ty: &Type, named: &mut BTreeSet<String>) -> String {
    match ty {
        Type::Reference(reference) => type_text(&reference.elem, named),
        Type::Tuple(tuple) => {
            let texts: Vec<String> = tuple.elems.iter().map(|ty| type_text(ty, named)).collect();
            format!("[{}]", texts.join(", "))
        }
        Type::Path(path) => {
            let last = path.path.segments.last().expect("a path has an end");
            let inner: Vec<String> = match &last.arguments {
                PathArguments::AngleBracketed(arguments) => {
                    arguments.args.iter().map(|argument| inner_text(argument, named)).collect()
                }
                _ => Vec::new(),
            };
            let first = inner.first().cloned().unwrap_or_default();
            match last.ident.to_string().as_str() {
                "u8" | "u16" | "u32" | "i8" | "i16" | "i32" | "f32" | "f64" => "number".into(),
                "u64" | "i64" => "bigint".into(),
                "bool" => "boolean".into(),
                "String" | "str" | "JsString" => "string".into(),
                "Raw" => "Uint8Array".into(),
                "Vec" if first.contains('|') => format!("({first})[]"),
                "Vec" => format!("{first}[]"),
                "Option" => format!("{first} | null"),
                "Box" => first,
                other => {
                    named.insert(other.into());
                    let other = type_name(other);
                    if inner.is_empty() { other.into() } else { format!("{other}<{}>", inner.join(", ")) }
                }
            }
        }
        Type::Array(array) => format!("{}[]", type_text(&array.elem, named)),
        _ => panic!("this type has no counterpart in JavaScript"),
    }
}

fn inner_text(argument: &GenericArgument, named: &mut BTreeSet<String>) -> String {
    match argument {
        GenericArgument::Type(ty) => type_text(ty, named),
        _ => panic!("this argument of a type has no counterpart in JavaScript"),
    }
}

/// Collects the names of types in TypeScript: they begin with a capital letter.
fn names_in(text: &str, named: &mut BTreeSet<String>) {
    let code =
        text.lines().filter(|line| !line.trim_start().starts_with(['/', '*'])).collect::<Vec<_>>().join("\n");
    let words = code
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| word.starts_with(|c: char| c.is_ascii_uppercase()));
    named.extend(words.filter(|word| *word != "Error").map(String::from));
}

fn without_parentheses(text: &str) -> &str {
    text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text)
}

fn print_docs(out: &mut String, attrs: &[Attribute], indent: &str) {
    match docs(attrs).as_slice() {
        [] => {}
        [line] => {
            let _ = writeln!(out, "{indent}/** {line} */");
        }
        lines => {
            let _ = writeln!(out, "{indent}/**");
            for line in lines {
                let _ = writeln!(out, "{}", format!("{indent} * {line}").trim_end());
            }
            let _ = writeln!(out, "{indent} */");
        }
    }
}

fn snake_case(name: &str) -> String {
    let mut out = String::new();
    for (at, c) in name.char_indices() {
        if c.is_ascii_uppercase() && at > 0 {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}
