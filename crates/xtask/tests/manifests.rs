//! Rules of the manifests.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use crate::{read, root};

/// Versions are in the root manifest, so that a dependency has one in all crates.
#[test]
fn only_the_root_manifest_has_versions_of_dependencies() {
    for folder in folders() {
        let manifest = read(&folder.join("Cargo.toml"));
        let found = versions(&manifest);
        assert!(found.is_empty(), "{}: write `.workspace = true` for {found:?}", folder.display());
    }
}

#[test]
fn versions_are_found_where_they_are() {
    let text = "[package]\nversion = \"1\"\n[dependencies]\na = \"1\"\n# b = \"1\"\nc.workspace = true\nd = { version = \"2\" }\n\
        e = { workspace = true, features = [\"x\"] }\n[target.'cfg(unix)'.dev-dependencies.f]\nversion = \"3\"\n\
        [dev-dependencies.g]\nworkspace = true\n[features]\nh = \"1\"\n";
    assert_eq!(versions(text), ["a = \"1\"", "d = { version = \"2\" }", "version = \"3\""]);
}

/// Cargo would make a program of each file, and each is linked separately.
#[test]
fn a_crate_with_several_files_of_tests_names_its_programs() {
    for folder in folders() {
        let Ok(entries) = fs::read_dir(folder.join("tests")) else { continue };
        let files = entries
            .flatten()
            .filter(|entry| entry.path().extension().is_some_and(|kind| kind == "rs"))
            .count();
        let manifest = read(&folder.join("Cargo.toml"));
        assert!(
            files < 2 || manifest.contains("\nautotests = false\n"),
            "{} has {files} programs of tests",
            folder.display()
        );
    }
}

/// The packages that the page is built on.
const OF_PAGE: [&str; 7] =
    ["console_error_panic_hook", "gloo", "js-sys", "serde-wasm-bindgen", "wasm-bindgen", "web-sys", "yew"];

#[test]
fn the_page_depends_on_the_packages_that_it_is_built_on() {
    let used = |name: &str| dependencies(&read(&root().join("crates").join(name).join("Cargo.toml")));
    let all: BTreeSet<String> = ["app", "client", "ui", "worker"].into_iter().flat_map(used).collect();
    for package in OF_PAGE {
        assert!(all.contains(package), "no crate of the page depends on {package}");
    }
    // Each of them has a panic hook.
    for name in ["ui", "worker"] {
        assert!(used(name).contains("console_error_panic_hook"), "{name}");
    }
}

#[test]
fn dependencies_are_found_where_they_are() {
    let manifest = "[package]\nname = \"n\"\n[dependencies]\na.workspace = true\n# b = \"1\"\nc = { workspace = true }\n\
        [dependencies.d]\nworkspace = true\nfeatures = [\n    \"e\",\n]\n[dev-dependencies]\nf.workspace = true\n";
    assert_eq!(dependencies(manifest), BTreeSet::from(["a", "c", "d"].map(String::from)));
}

/// Returns the packages that a manifest's code depends on.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut is_in_list = false;
    let mut found = BTreeSet::new();
    for line in manifest.lines() {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            is_in_list = section == "dependencies";
            found.extend(section.strip_prefix("dependencies.").map(String::from));
        } else if is_in_list && !line.starts_with('#') {
            let name = line.split(['.', '=', ' ']).next().filter(|name| !name.is_empty());
            found.extend(name.map(String::from));
        }
    }
    found
}

/// The folders of all packages but the root's.
fn folders() -> Vec<PathBuf> {
    let entries = |folder: &str| {
        fs::read_dir(root().join(folder)).expect("a folder").flatten().map(|entry| entry.path())
    };
    let all = entries("crates").chain(entries("tests")).chain([root().join("tests")]);
    let all: Vec<PathBuf> = all.filter(|folder| folder.join("Cargo.toml").exists()).collect();
    assert!(all.len() > 15, "{all:?}");
    all
}

/// Returns the lines of dependencies that have a version.
fn versions(manifest: &str) -> Vec<&str> {
    let mut section = "";
    let mut found = Vec::new();
    for line in manifest.lines() {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']');
            continue;
        }
        let is_of_dependencies = section.contains("dependencies");
        let is_of_one = section.contains("dependencies.");
        let Some((key, value)) =
            line.split_once('=').filter(|_| is_of_dependencies && !line.starts_with('#'))
        else {
            continue;
        };
        let is_version =
            if is_of_one { key.trim() == "version" } else { value.trim_start().starts_with('"') };
        if is_version || value.contains("version =") {
            found.push(line);
        }
    }
    found
}
