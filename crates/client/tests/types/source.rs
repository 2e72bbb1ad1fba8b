//! The Rust sources of the API: its methods, and the types by their names.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use syn::{
    Attribute, Expr, ExprLit, Field, Fields, File, GenericArgument, ImplItem, ImplItemFn, Item, ItemEnum,
    ItemStruct, ItemType, Lit, Meta, PathArguments, Type,
};

/// The API and the types to describe.
#[derive(Default)]
pub struct Source {
    /// Attributes of `struct Tabletop`.
    pub api: Vec<Attribute>,
    /// Methods of `impl Tabletop`, in order.
    pub methods: Vec<ImplItemFn>,
    /// Structs, enums and aliases by name.
    pub types: BTreeMap<String, Described>,
    /// Hand-written TypeScript.
    pub sections: Vec<String>,
}

/// A type for which TypeScript is generated.
#[derive(Clone)]
pub enum Described {
    Struct(ItemStruct),
    Enum(ItemEnum),
    Alias(ItemType),
}

impl Source {
    /// Reads all Rust files in these folders of the workspace. If several types have the same name,
    /// the first one is used.
    pub fn read(folders: &[&str]) -> Source {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut source = Source::default();
        for folder in folders {
            source.read_folder(&root.join(folder));
        }
        source
    }

    /// Reads one source text.
    pub fn parse(text: &str) -> Source {
        let mut source = Source::default();
        source.add(&syn::parse_file(text).expect("Rust"));
        source
    }

    /// Returns the type of this name as scripts get it: a judgement `Fix` with the properties of
    /// `FixTexts`, if there is such a type. Of two properties with one name, that of the texts
    /// counts.
    pub fn described(&self, name: &str) -> Option<Described> {
        let mut described = self.types.get(name)?.clone();
        match (&mut described, self.types.get(&format!("{name}Texts"))) {
            (Described::Struct(data), Some(Described::Struct(texts))) => {
                add_texts(&mut data.fields, &texts.fields);
            }
            (Described::Enum(data), Some(Described::Enum(texts))) => {
                for with_texts in &texts.variants {
                    let same = data.variants.iter_mut().find(|variant| variant.ident == with_texts.ident);
                    let variant =
                        same.unwrap_or_else(|| panic!("{name} has no variant {}", with_texts.ident));
                    add_texts(&mut variant.fields, &with_texts.fields);
                }
            }
            (_, Some(_)) => panic!("{name}Texts is not of the form of {name}"),
            (_, None) => {}
        }
        Some(described)
    }

    fn read_folder(&mut self, folder: &Path) {
        let mut paths: Vec<_> =
            fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                self.read_folder(&path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("a text");
                self.add(
                    &syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())),
                );
            }
        }
    }

    fn add(&mut self, file: &File) {
        for item in &file.items {
            match item {
                Item::Struct(item) if has_serde(&item.attrs) => {
                    self.types
                        .entry(item.ident.to_string())
                        .or_insert_with(|| Described::Struct(item.clone()));
                }
                Item::Enum(item) if has_serde(&item.attrs) => {
                    self.types.entry(item.ident.to_string()).or_insert_with(|| Described::Enum(item.clone()));
                }
                Item::Type(item) if item.generics.params.is_empty() => {
                    self.types
                        .entry(item.ident.to_string())
                        .or_insert_with(|| Described::Alias(item.clone()));
                }
                Item::Struct(item) if is_exported(&item.attrs) => self.api.clone_from(&item.attrs),
                Item::Impl(item) if is_exported(&item.attrs) => {
                    self.methods.extend(item.items.iter().filter_map(|item| match item {
                        ImplItem::Fn(method) => Some(method.clone()),
                        _ => None,
                    }));
                }
                Item::Const(item)
                    if words(&item.attrs, "wasm_bindgen")
                        .iter()
                        .any(|(word, _)| word == "typescript_custom_section") =>
                {
                    if let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &*item.expr {
                        self.sections.push(text.value());
                    }
                }
                _ => {}
            }
        }
    }
}

/// Adds texts to the fields of a judgement: before them, or in the place of the field that has the
/// same name. Texts of its parts are not fields of its own.
fn add_texts(data: &mut Fields, texts: &Fields) {
    let (Fields::Named(data), Fields::Named(texts)) = (data, texts) else {
        panic!("judgements and texts have named fields")
    };
    let (mut added, mut kept) = (Vec::new(), data.named.iter().cloned().collect::<Vec<Field>>());
    for text in texts.named.iter().filter(|text| !names_texts(&text.ty)) {
        match kept.iter_mut().find(|field| field.ident == text.ident) {
            Some(field) => *field = text.clone(),
            None => added.push(text.clone()),
        }
    }
    data.named = added.into_iter().chain(kept).collect();
}

/// Whether a type is the texts of another one, or a list of such.
fn names_texts(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    path.path.segments.iter().any(|segment| {
        let PathArguments::AngleBracketed(inner) = &segment.arguments else {
            return segment.ident.to_string().ends_with("Texts");
        };
        inner.args.iter().any(|argument| matches!(argument, GenericArgument::Type(ty) if names_texts(ty)))
    })
}

/// Returns the words of `#[path(word, word = "value")]`.
pub fn words(attrs: &[Attribute], path: &str) -> Vec<(String, Option<String>)> {
    let mut words = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident(path) && matches!(attr.meta, Meta::List(_))) {
        attr.parse_nested_meta(|meta| {
            let word = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
            let value = match meta.value() {
                Ok(value) => Some(value.parse::<syn::LitStr>()?.value()),
                Err(_) => None,
            };
            words.push((word, value));
            Ok(())
        })
        .expect("words and strings");
    }
    words
}

/// Returns the doc comment, line by line.
pub fn docs(attrs: &[Attribute]) -> Vec<String> {
    let mut lines = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("doc")) {
        if let Meta::NameValue(doc) = &attr.meta
            && let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &doc.value
        {
            lines.push(
                text.value()
                    .trim()
                    .replace("[`", "`")
                    .replace("`]", "`")
                    .replace("crate::", "")
                    .replace("`None`", "`null`"),
            );
        }
    }
    lines
}

fn is_exported(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| attr.path().is_ident("wasm_bindgen"))
}

fn has_serde(attrs: &[Attribute]) -> bool {
    let derives = attrs.iter().filter(|attr| attr.path().is_ident("derive"));
    derives.filter_map(|attr| attr.meta.require_list().ok()).any(|list| {
        let names = list.tokens.to_string();
        names.contains("Serialize") || names.contains("Deserialize")
    })
}
