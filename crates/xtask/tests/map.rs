//! What people keep by hand is compared with what it speaks of: the table of `crates/README.md` (imports, `no_std`), and the
//! links of `index.html`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug, PartialEq)]
struct Row {
    imports: Vec<String>,
    no_std: bool,
}

#[test]
fn the_map_is_true() {
    let (told, found) = (told(), found());
    assert_eq!(Vec::from_iter(told.keys()), Vec::from_iter(found.keys()), "left: rows of crates/README.md; right: crates");
    for (name, row) in &told {
        assert_eq!(row, &found[name], "left: crates/README.md; right: the manifest and source of {name}");
    }
}

#[test]
fn every_style_sheet_is_linked() {
    let page = read(&root().join("index.html"));
    for file in fs::read_dir(root().join("www/style")).expect("the folder www/style").flatten() {
        let link = format!("rel=\"css\" href=\"www/style/{}\"", file.file_name().to_string_lossy());
        assert!(page.contains(&link), "index.html lacks {link}");
    }
}

fn told() -> BTreeMap<String, Row> {
    let text = read(&root().join("crates/README.md"));
    let rows = text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| crate |"));
    let rows = rows.map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, name, imports, no_std, ..] = cells[..] else { panic!("a row of four cells, not: {line}") };
        let imports = sorted(imports.split(", ").filter(|name| *name != "-").map(str::to_string).collect());
        assert!(no_std == "yes" || no_std == "no", "no_std of {name} is \"{no_std}\"");
        (name.to_string(), Row { imports, no_std: no_std == "yes" })
    });
    rows.collect()
}

fn found() -> BTreeMap<String, Row> {
    let crates = fs::read_dir(root().join("crates")).expect("the folder crates");
    let mut folders: Vec<PathBuf> = crates.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.push(root().join("tests"));
    let rows = folders.iter().map(|folder| {
        let manifest = read(&folder.join("Cargo.toml"));
        let (_, dependencies) = manifest.split_once("\n[dependencies]\n").unwrap_or(("", ""));
        let imports = dependencies.lines().take_while(|line| !line.starts_with('['));
        let imports = imports.filter_map(|line| line.strip_prefix("tabletop-")?.split(['.', ' ', '=']).next());
        let source = fs::read_to_string(folder.join("src/lib.rs")).unwrap_or_default();
        let no_std = source.lines().any(|line| line == "#![no_std]");
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        (name, Row { imports: sorted(imports.map(str::to_string).collect()), no_std })
    });
    rows.collect()
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
