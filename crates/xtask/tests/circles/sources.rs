//! Reads the modules of a crate, and says which file uses names that which other one defines.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::buffer::{Cursor, TokenBuffer};
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItemFn, Item, ItemMod, ItemUse, Macro, Meta, Stmt, UseTree, Visibility};

use crate::read;

/// The files of a crate that each of its files uses, by their paths below `src`.
pub type Uses = BTreeMap<String, BTreeSet<String>>;

/// Reads a program or library from its first file. A use is a name in the code or in a private
/// `use`, through any number of re-exports. Code that only tests have, `mod` lines and re-exports
/// themselves are none.
pub fn uses(source: &Path, first: &Path) -> Uses {
    let mut modules = Modules { source: source.to_path_buf(), all: Vec::new() };
    let folder = first.parent().expect("a file is in a folder").to_path_buf();
    modules.add_file(first, folder, None);
    modules.uses()
}

struct Modules {
    source: PathBuf,
    /// The first one is the crate itself.
    all: Vec<Module>,
}

/// What a path leads to.
#[derive(Clone, Copy)]
enum Target {
    Module(usize),
    /// An item, and a module where it is defined.
    Item(usize),
}

#[derive(Default)]
struct Module {
    file: String,
    /// Where the files of modules inside this one are.
    folder: PathBuf,
    parent: Option<usize>,
    modules: BTreeMap<String, usize>,
    items: BTreeSet<String>,
    imports: Vec<Import>,
    /// Paths of two and more names in the code.
    paths: BTreeSet<Vec<String>>,
    /// Single names in the code.
    words: BTreeSet<String>,
}

/// A name that a `use` brings into a module; an empty one for all names of another module.
struct Import {
    name: String,
    path: Vec<String>,
    is_private: bool,
}

impl Modules {
    fn add_file(&mut self, path: &Path, folder: PathBuf, parent: Option<usize>) -> usize {
        let file = path
            .strip_prefix(&self.source)
            .expect("a file of the crate")
            .to_string_lossy()
            .replace('\\', "/");
        let items = syn::parse_file(&read(path)).unwrap_or_else(|error| panic!("{file}: {error}")).items;
        self.add(file, folder, parent, &items)
    }

    fn add(&mut self, file: String, folder: PathBuf, parent: Option<usize>, items: &[Item]) -> usize {
        let id = self.all.len();
        self.all.push(Module { file, folder, parent, ..Module::default() });
        let mut reader = Reader { modules: self, id };
        items.iter().filter(|item| !is_for_tests(attributes(item))).for_each(|item| reader.item(item));
        id
    }

    fn uses(&self) -> Uses {
        let mut uses: Uses = self.all.iter().map(|module| (module.file.clone(), BTreeSet::new())).collect();
        for (id, module) in self.all.iter().enumerate() {
            let named =
                module.paths.iter().cloned().chain(module.words.iter().map(|word| vec![word.clone()]));
            let imported =
                module.imports.iter().filter(|import| import.is_private).map(|import| import.path.clone());
            for path in named.chain(imported) {
                if let Some(Target::Item(at)) = self.find(id, &path, &mut BTreeSet::new()) {
                    let found = &self.all[at].file;
                    if *found != module.file {
                        uses.get_mut(&module.file).expect("each file has an entry").insert(found.clone());
                    }
                }
            }
        }
        uses
    }

    /// Follows a path from a module. What is behind an item, such as a variant of an enum, belongs
    /// to the item.
    fn find(&self, from: usize, path: &[String], seen: &mut BTreeSet<(usize, String)>) -> Option<Target> {
        let mut at = from;
        for (index, name) in path.iter().enumerate() {
            let is_last = index + 1 == path.len();
            at = match name.as_str() {
                "crate" => 0,
                "self" => at,
                "super" => self.all[at].parent?,
                _ => match self.name(at, name, is_last, seen)? {
                    Target::Module(module) => module,
                    item => return Some(item),
                },
            };
        }
        Some(Target::Module(at))
    }

    /// Looks up one name in a module. A module and a function may have the same name: only a module
    /// can have names inside.
    fn name(
        &self,
        at: usize,
        name: &str,
        is_last: bool,
        seen: &mut BTreeSet<(usize, String)>,
    ) -> Option<Target> {
        let module = &self.all[at];
        let inner = module.modules.get(name).map(|inner| Target::Module(*inner));
        let own = module.items.contains(name).then_some(Target::Item(at));
        if let Some(found) = if is_last { own } else { inner } {
            return Some(found);
        }
        let mut other = if is_last { inner } else { own };
        if seen.insert((at, name.to_string())) {
            for import in &module.imports {
                let found = if import.name == name {
                    self.find(at, &import.path, seen)
                } else if import.name.is_empty() {
                    match self.find(at, &import.path, seen) {
                        Some(Target::Module(all)) if all != at => self.name(all, name, is_last, seen),
                        _ => None,
                    }
                } else {
                    None
                };
                match found {
                    Some(Target::Item(_)) if is_last => return found,
                    Some(Target::Module(_)) if !is_last => return found,
                    Some(_) => other = other.or(found),
                    None => {}
                }
            }
            seen.remove(&(at, name.to_string()));
        }
        other
    }
}

/// Reads the items of one module.
struct Reader<'a> {
    modules: &'a mut Modules,
    id: usize,
}

impl Reader<'_> {
    fn module(&mut self) -> &mut Module {
        &mut self.modules.all[self.id]
    }

    fn item(&mut self, item: &Item) {
        if let Some(name) = name(item) {
            self.module().items.insert(name);
        }
        if let Item::Macro(made) = item
            && made.ident.is_none()
        {
            let tokens = TokenBuffer::new2(made.mac.tokens.clone());
            self.made_items(tokens.begin());
            if made.mac.path.segments.last().is_some_and(|name| name.ident == "each_view") {
                self.folders();
            }
        }
        self.visit_item(item);
    }

    /// Adds a module for each folder inside the one of this module: the list of views declares
    /// them, and the macro that is given the list is in another file.
    fn folders(&mut self) {
        let entries = fs::read_dir(&self.module().folder).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.path().is_dir());
        for folder in folders.map(|entry| entry.file_name()).collect::<BTreeSet<_>>() {
            let line = format!("mod {};", folder.to_string_lossy());
            self.visit_item_mod(&syn::parse_str(&line).expect("the folder of a module"));
        }
    }

    /// Adds those items that a macro makes from its input.
    fn made_items(&mut self, mut tokens: Cursor) {
        while let Some((word, rest)) =
            tokens.ident().or_else(|| tokens.token_tree().map(|(_, rest)| (no_word(), rest)))
        {
            if ["struct", "enum", "fn", "type", "const", "static"].contains(&word.to_string().as_str())
                && let Some((name, _)) = rest.ident()
            {
                self.module().items.insert(name.to_string());
            }
            tokens = rest;
        }
    }

    fn path(&mut self, path: Vec<String>) {
        if let [word] = &path[..] {
            self.module().words.insert(word.clone());
        } else {
            self.module().paths.insert(path);
        }
    }

    /// Notes the paths among the tokens that a macro is given.
    fn tokens(&mut self, mut tokens: Cursor) {
        let mut path: Vec<String> = Vec::new();
        let mut is_field = false;
        while !tokens.eof() {
            if let Some((word, rest)) = tokens.ident() {
                path.push(word.to_string());
                tokens = rest;
                let colons = rest.punct().and_then(|(first, rest)| Some((first.as_char(), rest.punct()?)));
                if let Some((':', (second, rest))) = colons
                    && second.as_char() == ':'
                    && rest.ident().is_some()
                {
                    tokens = rest;
                    continue;
                }
                let whole = std::mem::take(&mut path);
                if !is_field {
                    self.path(whole);
                }
                is_field = false;
            } else if let Some((inside, _, _, rest)) = tokens.any_group() {
                self.tokens(inside);
                (tokens, is_field) = (rest, false);
            } else if let Some((punct, rest)) = tokens.punct() {
                (tokens, is_field) = (rest, punct.as_char() == '.');
            } else if let Some((_, rest)) = tokens.token_tree() {
                (tokens, is_field) = (rest, false);
            } else {
                break;
            }
        }
    }

    fn import(&mut self, tree: &UseTree, before: &[String], is_private: bool) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        let import = match tree {
            UseTree::Path(path) => return self.import(&path.tree, &with(&path.ident), is_private),
            UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.import(tree, before, is_private));
            }
            UseTree::Name(name) if name.ident == "self" => {
                Import { name: before.last().cloned().unwrap_or_default(), path: before.to_vec(), is_private }
            }
            UseTree::Name(name) => {
                Import { name: name.ident.to_string(), path: with(&name.ident), is_private }
            }
            UseTree::Rename(name) => {
                Import { name: name.rename.to_string(), path: with(&name.ident), is_private }
            }
            UseTree::Glob(_) => Import { name: String::new(), path: before.to_vec(), is_private },
        };
        self.module().imports.push(import);
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        let name = item.ident.to_string();
        let folder = self.module().folder.join(&name);
        let (parent, file) = (Some(self.id), self.module().file.clone());
        let inner = match &item.content {
            Some((_, items)) => self.modules.add(file, folder, parent, items),
            None => {
                let (sibling, inside) = (folder.with_extension("rs"), folder.join("mod.rs"));
                let path = if fs::exists(&sibling).is_ok_and(|exists| exists) { sibling } else { inside };
                self.modules.add_file(&path, folder, parent)
            }
        };
        self.module().modules.insert(name, inner);
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.import(&item.tree, &[], matches!(item.vis, Visibility::Inherited));
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        let attributes = match statement {
            Stmt::Local(local) => &local.attrs[..],
            Stmt::Macro(made) => &made.attrs[..],
            Stmt::Item(item) => attributes(item),
            Stmt::Expr(syn::Expr::Block(block), _) => &block.attrs[..],
            Stmt::Expr(..) => &[],
        };
        if !is_for_tests(attributes) {
            visit::visit_stmt(self, statement);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        if !is_for_tests(&function.attrs) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.path(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, made: &'ast Macro) {
        let tokens = TokenBuffer::new2(made.tokens.clone());
        self.tokens(tokens.begin());
        visit::visit_macro(self, made);
    }

    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}

fn no_word() -> syn::Ident {
    syn::parse_str("_none").expect("a word")
}

/// Whether only tests have what follows these attributes.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    let condition = |attribute: &Attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => list.tokens.to_string().replace(' ', ""),
        _ => String::new(),
    };
    attributes
        .iter()
        .map(condition)
        .any(|condition| condition == "test" || condition.starts_with("all(test,"))
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// The name that an item has in its module.
fn name(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}
