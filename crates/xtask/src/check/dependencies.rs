//! The workspace in the output of `cargo metadata`.

use std::path::PathBuf;

use serde_json::Value;

use crate::Result;
use crate::run::{ask, cargo};

/// The packages of the lock file.
pub struct Workspace {
    /// Our packages and those of others.
    pub packages: Vec<Package>,
}

/// A package and its manifest.
pub struct Package {
    pub name: String,
    pub version: String,
    /// The registry; `None` for our packages.
    pub source: Option<String>,
    /// An SPDX expression.
    pub licence: Option<String>,
    /// The folder of its manifest.
    pub folder: PathBuf,
    /// The names of its dependencies in code, tests and build scripts.
    pub dependencies: Vec<String>,
}

impl Workspace {
    /// Reads the packages from cargo, also those of features that are off.
    ///
    /// # Errors
    /// When cargo fails, for example because the lock file is out of date.
    pub fn read() -> Result<Workspace> {
        let text = ask(cargo(&["metadata", "--locked", "--all-features", "--format-version", "1"]));
        let text =
            text.ok_or("`cargo metadata --locked` failed: run it to see why (is Cargo.lock out of date?)")?;
        let facts: Value =
            serde_json::from_str(&text).map_err(|error| format!("the output of cargo metadata: {error}"))?;
        let packages: Option<Vec<Package>> =
            facts["packages"].as_array().and_then(|all| all.iter().map(package).collect());
        let packages = packages.ok_or("the output of cargo metadata has another form than xtask expects")?;
        Ok(Workspace { packages })
    }
}

fn package(facts: &Value) -> Option<Package> {
    let text = |name: &str| facts[name].as_str().map(str::to_string);
    let dependency =
        |facts: &Value| Some(facts["rename"].as_str().or(facts["name"].as_str())?.replace('-', "_"));
    Some(Package {
        name: text("name")?,
        version: text("version")?,
        source: text("source"),
        licence: text("license"),
        folder: PathBuf::from(text("manifest_path")?).parent()?.to_path_buf(),
        dependencies: facts["dependencies"].as_array()?.iter().map(dependency).collect::<Option<_>>()?,
    })
}
