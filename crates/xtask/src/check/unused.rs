//! Checks that each dependency of our manifests is named in the package's code.

use std::collections::BTreeSet;
use std::path::Path;

use super::dependencies::Workspace;
use crate::Result;
use crate::run::{files_in, read};

/// Dependencies that only generated code names: wasm-bindgen's code for async functions.
const NAMED_BY_MACROS: [&str; 1] = ["wasm_bindgen_futures"];

/// Checks each of our packages.
///
/// # Errors
/// The dependencies that no source of their package names.
pub fn check(workspace: &Workspace) -> Result<()> {
    let mut faults = Vec::new();
    for package in workspace.packages.iter().filter(|package| package.source.is_none()) {
        let mut words = BTreeSet::new();
        collect_words(&package.folder, &mut words)?;
        let unused = package
            .dependencies
            .iter()
            .filter(|name| !words.contains(*name) && !NAMED_BY_MACROS.contains(&name.as_str()));
        faults.extend(unused.map(|name| format!("{} depends on {name} and never names it", package.name)));
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// Collects the words of all Rust sources in a folder, and of the folders that they name in
/// `#[path]`. Leaves out packages inside the folder.
fn collect_words(folder: &Path, words: &mut BTreeSet<String>) -> Result<()> {
    for path in files_in(folder)? {
        if path.is_dir() {
            if !path.join("Cargo.toml").is_file() {
                collect_words(&path, words)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = read(&path)?;
            for shared in
                text.lines().filter_map(|line| line.trim().strip_prefix("#[path = \"")?.strip_suffix("\"]"))
            {
                collect_words(path.with_file_name(shared).parent().unwrap_or(folder), words)?;
            }
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let all = code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
            words.extend(all.map(str::to_string));
        }
    }
    Ok(())
}
