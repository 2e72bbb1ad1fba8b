//! Finds circles of files inside each crate: files of which each one uses names of the next, and
//! the last one those of the first.

mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::root;
use sources::{Uses, uses};

/// Two files that describe each other are readable together, and three still are.
const FILES_MAX: usize = 3;

#[test]
fn circles_of_files_are_small() {
    let mut wrong = Vec::new();
    for folder in crates() {
        let name = folder
            .strip_prefix(root())
            .expect("a folder of the project")
            .to_string_lossy()
            .replace('\\', "/");
        for (uses, circle) in circles_of(&folder) {
            let first = circle.first().expect("a circle has files");
            wrong.push(format!(
                "{name}/src/{first} is in a circle of {} files:\n{}",
                circle.len(),
                drawn(&uses, &circle)
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "at most {FILES_MAX} files may use each other in a circle\n{}",
        wrong.join("\n")
    );
}

#[test]
fn uses_are_names_in_the_code_and_not_lines_of_modules() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    write(
        "lib.rs",
        "mod a; pub mod b; mod d; mod views; pub use b::{B, inner::Deep as Renamed}; pub fn top() {}",
    );
    write("a.rs", "use crate::B; fn f() { html! { <crate::Renamed value={super::top()} /> } }");
    write(
        "b.rs",
        "pub mod inner; pub struct B; #[cfg(test)] mod tests { use crate::a::f; } fn b() -> self::inner::Deep { todo!() }",
    );
    write(
        "b/inner.rs",
        "// crate::a\npub struct Deep; impl super::B { #[cfg(test)] fn only_in_tests() { crate::a::f(); } }",
    );
    write(
        "d/mod.rs",
        "use crate::{a, b as other}; fn d() { let top = a::f; other::B; top.b; } mod within { fn e() { super::d() } }",
    );
    write("views/mod.rs", "mod view; other::each_view!(list);");
    write("views/view.rs", "pub struct View;");
    write("views/tablet/mod.rs", "use super::view::View;");
    let found = uses(folder.path(), &folder.path().join("lib.rs"));
    let used = |file: &str| found[file].iter().map(String::as_str).collect::<Vec<_>>();
    assert!(used("lib.rs").is_empty(), "modules and re-exports: {:?}", used("lib.rs"));
    assert_eq!(used("a.rs"), ["b.rs", "b/inner.rs", "lib.rs"]);
    assert_eq!(used("b.rs"), ["b/inner.rs"]);
    assert_eq!(used("b/inner.rs"), ["b.rs"]);
    assert_eq!(used("d/mod.rs"), ["a.rs", "b.rs"]);
    assert_eq!(used("views/tablet/mod.rs"), ["views/view.rs"], "a view that a list declares");
    assert_eq!(found.len(), 8);
}

#[test]
fn circles_are_found() {
    let uses = |pairs: &[(&str, &[&str])]| -> Uses {
        pairs
            .iter()
            .map(|(file, used)| (file.to_string(), used.iter().map(ToString::to_string).collect()))
            .collect()
    };
    let all = uses(&[
        ("a", &["b"]),
        ("b", &["c"]),
        ("c", &["a", "d"]),
        ("d", &["e"]),
        ("e", &["d"]),
        ("f", &["a"]),
    ]);
    assert_eq!(
        circles(&all),
        [BTreeSet::from(["a", "b", "c"].map(String::from)), BTreeSet::from(["d", "e"].map(String::from))]
    );
}

/// The folders of all packages but the benchmark's peers and the fuzz targets, which have few
/// files.
fn crates() -> Vec<PathBuf> {
    let all =
        fs::read_dir(root().join("crates")).expect("a folder of crates").flatten().map(|entry| entry.path());
    let mut all: Vec<PathBuf> = all.filter(|folder| folder.join("Cargo.toml").exists()).collect();
    all.sort();
    all.push(root().join("tests"));
    all
}

/// The circles of a package that are too large, with the uses of its files.
fn circles_of(folder: &Path) -> Vec<(Uses, BTreeSet<String>)> {
    let source = folder.join("src");
    let first =
        ["lib.rs", "main.rs"].map(|name| source.join(name)).into_iter().filter(|first| first.exists());
    let found = first.flat_map(|first| {
        let uses = uses(&source, &first);
        circles(&uses)
            .into_iter()
            .filter(|circle| circle.len() > FILES_MAX)
            .map(|circle| (uses.clone(), circle))
            .collect::<Vec<_>>()
    });
    found.collect()
}

/// Files that reach each other, in sets of two and more.
fn circles(uses: &Uses) -> Vec<BTreeSet<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        uses.keys().map(|file| (file, reached(uses, file))).collect();
    let circle = |file: &&String| -> BTreeSet<String> {
        let all = reached[file].iter().filter(|other| reached[*other].contains(file));
        all.map(|other| (*other).clone()).collect()
    };
    let mut circles: Vec<BTreeSet<String>> =
        uses.keys().map(|file| circle(&file)).filter(|circle| circle.len() > 1).collect();
    circles.sort();
    circles.dedup();
    circles
}

fn reached<'a>(uses: &'a Uses, from: &'a String) -> BTreeSet<&'a String> {
    let mut reached = BTreeSet::new();
    let mut waiting = vec![from];
    while let Some(file) = waiting.pop() {
        waiting.extend(uses[file].iter().filter(|used| reached.insert(*used)));
    }
    reached
}

/// The uses inside a circle, one line for each file.
fn drawn(uses: &Uses, circle: &BTreeSet<String>) -> String {
    let line = |file: &String| {
        let used: Vec<&str> = uses[file].intersection(circle).map(String::as_str).collect();
        format!("  {file} -> {}", used.join(" "))
    };
    circle.iter().map(line).collect::<Vec<_>>().join("\n")
}
