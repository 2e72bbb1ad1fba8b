//! Formats all files of Rust.

use std::path::{Path, PathBuf};

use crate::Result;
use crate::run::{cargo, files_in, run};

/// The folders whose files the list of views declares (`each_view!`). `cargo fmt` alone does not see
/// them, because it expands no macro.
const DECLARED: [&str; 2] = ["crates/ui/src/views", "tests/tests/e2e"];

/// Formats all files, or with the option `--check` of rustfmt, compares them.
///
/// # Errors
/// When a file cannot be read, or differs.
pub fn format(options: &[&str]) -> Result<()> {
    let mut format = cargo(&["fmt", "--all", "--"]);
    format.args(options);
    for folder in DECLARED {
        format.args(modules_in(&crate::root().join(folder))?);
    }
    run(format)
}

/// Returns the first file of each module in a folder. rustfmt finds those inside of it.
fn modules_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let files = files_in(folder)?.into_iter();
    let first = files.map(|path| if path.is_dir() { path.join("mod.rs") } else { path });
    Ok(first.filter(|path| path.extension().is_some_and(|kind| kind == "rs") && path.is_file()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_a_file_or_a_folder_with_one() {
        let root = crate::root();
        let named = |folder: &str, file: &str| {
            let folder = root.join(folder);
            modules_in(&folder).expect("a folder").contains(&folder.join(file))
        };
        assert!(named("crates/ui/src/views", "tablet/mod.rs") && named("crates/ui/src/views", "view.rs"));
        assert!(named("tests/tests/e2e", "traffic.rs") && !named("tests/tests/e2e", "traffic/mod.rs"));
    }
}
