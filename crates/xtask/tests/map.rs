//! Compares the table of `crates/README.md` (imports, `no_std`) and the layers of the page with the
//! sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::{read, root};

/// A row of the table: the imports of a crate, without those of its tests and build script.
#[derive(Debug, PartialEq)]
struct Row {
    imports: BTreeSet<String>,
    no_std: bool,
}

/// A package of the workspace.
#[derive(Default)]
struct Package {
    folder: PathBuf,
    /// The packages of the workspace that its code imports, on any target.
    imports: BTreeSet<String>,
    /// The packages that its build script imports.
    imports_of_build: BTreeSet<String>,
    /// The packages that only its tests import.
    imports_of_tests: BTreeSet<String>,
}

#[test]
fn the_map_is_true() {
    let (written, packages) = (written(), packages());
    let on_the_map = packages.iter().filter(|(name, _)| name.as_str() != "peers" && name.as_str() != "fuzz");
    let found: BTreeMap<String, Row> =
        on_the_map.map(|(name, package)| (name.clone(), row(package))).collect();
    assert_eq!(
        Vec::from_iter(written.keys()),
        Vec::from_iter(found.keys()),
        "left: rows of crates/README.md; right: packages"
    );
    for (name, row) in &written {
        assert_eq!(row, &found[name], "left: crates/README.md; right: the manifest and source of {name}");
    }
}

/// The page handles messages and views. No chain of imports leads from it to the engine.
#[test]
fn the_page_never_reaches_the_engine() {
    let packages = packages();
    for page in ["ui", "client"] {
        let reached = reached(&packages, page);
        for engine in ["engine", "cluster", "design", "worker", "server"] {
            assert!(!reached.contains(engine), "{page} reaches {engine} by its imports");
        }
    }
    assert!(reached(&packages, "app").contains("engine"), "app has both ends, so this test sees chains");
}

#[test]
fn chains_of_imports_include_build_scripts_and_no_tests() {
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    let package = |imports: &[&str], of_build: &[&str], of_tests: &[&str]| Package {
        imports: names(imports),
        imports_of_build: names(of_build),
        imports_of_tests: names(of_tests),
        ..Package::default()
    };
    let packages = BTreeMap::from([
        ("page".to_string(), package(&["low"], &["tool"], &["kit"])),
        ("tool".to_string(), package(&["engine"], &[], &[])),
        ("engine".to_string(), package(&["low"], &[], &["kit"])),
        ("low".to_string(), Package::default()),
        ("kit".to_string(), Package::default()),
    ]);
    assert_eq!(reached(&packages, "page"), names(&["engine", "low", "tool"]));
}

/// The lowest crate imports none of our crates, not even in its tests.
#[test]
fn the_vocabulary_imports_nothing_of_ours() {
    let model = &packages()["model"];
    let all = [&model.imports, &model.imports_of_build, &model.imports_of_tests];
    assert!(all.iter().all(|imports| imports.is_empty()), "model imports nothing of ours");
}

/// The layers of the page are lines in its `lib.rs`: the first is about its modules, and a line
/// with a name about the modules within that one.
#[test]
fn the_layers_of_the_page_are_true() {
    let source = root().join("crates/ui/src");
    let text = read(&source.join("lib.rs"));
    let lines = text.lines().filter_map(|line| line.strip_prefix("//! ")).filter(|line| line.contains(" > "));
    let mut upward = Vec::new();
    let mut rooms = BTreeSet::new();
    for line in lines {
        let (room, layers) = line.split_once(": ").map_or((None, line), |(room, rest)| (Some(room), rest));
        assert!(rooms.insert(room), "{room:?} has one line");
        let layers: Vec<Vec<&str>> = layers.split(" > ").map(|layer| layer.split(", ").collect()).collect();
        let layer_of = |module: &str| layers.iter().position(|layer| layer.contains(&module));
        // The name of a module below the room, if it is in the room.
        let within = |path: &[String]| match room {
            None => path.first().cloned(),
            Some(room) => path.first().filter(|first| *first == room).and(path.get(1)).cloned(),
        };
        let files: Vec<Source> =
            sources(&source).into_iter().filter(|source| within(&source.file.module).is_some()).collect();
        for name in layers.iter().flatten() {
            let exists = files.iter().any(|source| within(&source.file.module).as_deref() == Some(*name));
            assert!(exists, "{name} of the layers is a module");
        }
        for Source { file, text } in files {
            let Some(here) = within(&file.module) else { continue };
            let layer = layer_of(&here).unwrap_or_else(|| panic!("{here} is in no layer of the page"));
            let imported: BTreeSet<String> =
                imported_paths(&file.module, &text).iter().filter_map(|path| within(path)).collect();
            let wrong = imported
                .iter()
                .filter(|import| **import != here && layer_of(import).is_some_and(|there| there <= layer));
            upward.extend(wrong.map(|import| format!("{} imports {import}", file.path)));
        }
    }
    assert!(rooms.contains(&None) && rooms.len() >= 3, "{rooms:?}");
    assert!(
        upward.is_empty(),
        "a module imports only what is to its right in lib.rs:\n{}",
        upward.join("\n")
    );
}

/// A view imports no other one, so that it can be added and removed as a folder.
#[test]
fn no_view_imports_another() {
    let mut wrong = Vec::new();
    let mut views = BTreeSet::new();
    let all = sources(&root().join("crates/ui/src"));
    let folder_of = |path: &[String]| (path.len() > 1 && path[0] == "views").then(|| path[1].clone());
    // A view is a folder. Files next to them say what a view is, and list them.
    let in_folder = all.iter().filter(|source| source.file.path.matches('/').count() > 1);
    views.extend(in_folder.filter_map(|source| folder_of(&source.file.module)));
    for Source { file, text } in &all {
        let Some(here) = folder_of(&file.module) else { continue };
        let imported: BTreeSet<String> =
            imported_paths(&file.module, text).iter().filter_map(|path| folder_of(path)).collect();
        wrong.extend(
            imported
                .iter()
                .filter(|view| **view != here && views.contains(*view))
                .map(|view| format!("{} imports {view}", file.path)),
        );
    }
    assert!(views.len() >= 6, "{views:?}");
    assert!(wrong.is_empty(), "what several views draw is in panes:\n{}", wrong.join("\n"));
}

/// Buttons, fields and tables know nothing of Bigtable: they have the texts that all products have,
/// in the language shown, and draw any picture.
#[test]
fn the_kit_knows_nothing_of_bigtable() {
    const ALLOWED: [&str; 6] = [
        "tabletop_texts::common",
        "tabletop_texts::messages",
        "tabletop_texts::{Locale, locale, messages}",
        "tabletop_views::charts",
        "tabletop_views::scene",
        "messages().common",
    ];
    let all = sources(&root().join("crates/ui/src"));
    let kit: Vec<&Source> = all.iter().filter(|source| source.file.first_module() == "kit").collect();
    let mut wrong = Vec::new();
    for Source { file, text } in &kit {
        let imported: BTreeSet<String> =
            imported_paths(&file.module, text).into_iter().map(|mut path| path.swap_remove(0)).collect();
        let others = imported.iter().filter(|import| !["browser", "kit"].contains(&import.as_str()));
        wrong.extend(others.map(|import| format!("{} imports {import}", file.path)));
        for (at, _) in text.match_indices("tabletop_").chain(text.match_indices("messages().")) {
            let rest = &text[at..];
            if !ALLOWED.iter().any(|allowed| rest.starts_with(allowed)) {
                wrong.push(format!("{}: {}", file.path, rest.lines().next().unwrap_or_default()));
            }
        }
    }
    assert!(kit.len() > 10, "{} files", kit.len());
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn imports_are_found_where_they_are() {
    let text = "use crate::{browser, state::{self, look::Look}};\n// crate::panes\nfn a(x: crate::chrome::Tab) {}\nuse super::dom;\n\
        use super::super::{chart::Chart, xml};\nmod tests { use super::*; }";
    let module = ["views", "server", "draw"].map(String::from);
    let found: BTreeSet<String> = imported_paths(&module, text).iter().map(|path| path.join("::")).collect();
    let expected = [
        "browser",
        "chrome::Tab",
        "state::look::Look",
        "state::self",
        "views::chart::Chart",
        "views::server",
        "views::server::dom",
        "views::xml",
    ];
    assert_eq!(found, BTreeSet::from(expected.map(String::from)));
}

fn written() -> BTreeMap<String, Row> {
    let text = read(&root().join("crates/README.md"));
    let rows = text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| crate |"));
    let rows = rows.map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, name, imports, no_std, ..] = cells[..] else { panic!("a row of four cells, not: {line}") };
        let imports = imports.split(", ").filter(|name| *name != "-").map(str::to_string).collect();
        assert!(no_std == "yes" || no_std == "no", "no_std of {name} is \"{no_std}\"");
        (name.to_string(), Row { imports, no_std: no_std == "yes" })
    });
    rows.collect()
}

fn row(package: &Package) -> Row {
    let source = fs::read_to_string(package.folder.join("src/lib.rs")).unwrap_or_default();
    Row { imports: package.imports.clone(), no_std: source.lines().any(|line| line == "#![no_std]") }
}

/// Returns the packages of the workspace, by their names without the prefix, from cargo's reading
/// of their manifests.
fn packages() -> BTreeMap<String, Package> {
    let cargo = std::env::var_os("CARGO").expect("cargo runs the tests");
    let mut command = Command::new(cargo);
    command.args(["metadata", "--no-deps", "--format-version", "1"]).current_dir(root());
    let output = command.output().expect("cargo metadata runs");
    let facts: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let short =
        |name: &Value| name.as_str().and_then(|name| name.strip_prefix("tabletop-")).map(str::to_string);
    let packages = facts["packages"].as_array().expect("packages").iter().map(|facts| {
        let manifest = facts["manifest_path"].as_str().expect("a path");
        let dependencies = facts["dependencies"].as_array().expect("dependencies");
        let imports = |kind: Option<&str>| {
            let all = dependencies.iter().filter(|dependency| dependency["kind"].as_str() == kind);
            all.filter_map(|dependency| short(&dependency["name"])).collect()
        };
        let name = short(&facts["name"]).expect("names begin with tabletop-");
        let folder = Path::new(manifest).parent().expect("a folder").to_path_buf();
        let (imports_of_build, imports_of_tests) = (imports(Some("build")), imports(Some("dev")));
        (name, Package { folder, imports: imports(None), imports_of_build, imports_of_tests })
    });
    packages.collect()
}

/// Returns all packages that the code of one package reaches by a chain of imports. A build script
/// may put what it imports into the code.
fn reached(packages: &BTreeMap<String, Package>, from: &str) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut waiting = vec![from.to_string()];
    while let Some(name) = waiting.pop() {
        let package = &packages[&name];
        for import in package.imports.union(&package.imports_of_build) {
            if reached.insert(import.clone()) {
                waiting.push(import.clone());
            }
        }
    }
    reached
}

/// A source file of a crate.
struct Source {
    file: File,
    text: String,
}

/// Where a source file is.
struct File {
    /// The path below the crate's `src`.
    path: String,
    /// The path of its module.
    module: Vec<String>,
}

impl File {
    fn first_module(&self) -> &str {
        &self.module[0]
    }
}

/// Returns each source file below a folder, apart from `lib.rs`.
fn sources(source: &Path) -> Vec<Source> {
    let mut found = Vec::new();
    let mut folders = vec![source.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder).expect("a folder of sources").flatten().map(|entry| entry.path()) {
            let file =
                path.strip_prefix(source).expect("a path in the folder").to_string_lossy().replace('\\', "/");
            if path.is_dir() {
                folders.push(path);
            } else if file.ends_with(".rs") && file != "lib.rs" {
                let module = file
                    .trim_end_matches(".rs")
                    .trim_end_matches("/mod")
                    .split('/')
                    .map(str::to_string)
                    .collect();
                found.push(Source { file: File { path: file, module }, text: read(&path) });
            }
        }
    }
    found
}

/// Returns the paths of its own crate that a source names, outside of comments: from `crate::`, and
/// from `super::`, which is the parent of `module`. Within a module of the same file, `super::` is
/// taken for that parent as well, so it may name too much and never too little.
fn imported_paths(module: &[String], text: &str) -> Vec<Vec<String>> {
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let code = code.join("\n");
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        spread(&code[at + "crate::".len()..], &[], &mut found);
    }
    for (at, _) in code.match_indices("super::") {
        if code[..at].ends_with("super::") {
            continue;
        }
        let (mut rest, mut parent) = (&code[at..], module);
        while let Some(after) = rest.strip_prefix("super::") {
            (rest, parent) = (after, &parent[..parent.len().saturating_sub(1)]);
        }
        spread(rest, parent, &mut found);
    }
    found.retain(|path| !path.is_empty());
    found
}

/// Adds the paths that a text begins with, below `parent`: one, or several in braces. Returns the
/// length of what it has read.
fn spread(text: &str, parent: &[String], found: &mut Vec<Vec<String>>) -> usize {
    let mut path = parent.to_vec();
    let mut at = 0;
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        if text[at..].starts_with('{') {
            at += 1;
            while !text[at..].trim_start().starts_with('}') {
                let read = spread(&text[at..], &path, found);
                at += read;
                let rest = text[at..].trim_start();
                at = text.len() - rest.len() + usize::from(rest.starts_with(','));
                if read == 0 && !rest.starts_with(',') {
                    break;
                }
            }
            return text.len() - text[at..].trim_start().len() + 1;
        }
        let word: String = text[at..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        at += word.len();
        if !word.is_empty() {
            path.push(word);
        }
        if !text[at..].starts_with("::") {
            found.push(path);
            return at;
        }
        at += 2;
    }
}
