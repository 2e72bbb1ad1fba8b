//! Files of packages of npm and PyPI, which `cargo xtask test native` fetches into the tools'
//! folder.

use std::fs;
use std::io::Read;
use std::path::PathBuf;

use flate2::read::GzDecoder;
use serde_json::Value;

use super::entry::{PackageFile, folder};

/// Returns the lines of a file that the entry takes.
///
/// # Errors
/// The reason why the file is not there, and what to do.
pub(super) fn bytes(registry: &str, file: &PackageFile) -> Result<Vec<u8>, String> {
    let path = package(registry, &file.package)?.join(&file.path);
    let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let bytes = if path.extension().is_some_and(|ending| ending == "gz") {
        let mut unpacked = Vec::new();
        let read = GzDecoder::new(&bytes[..]).read_to_end(&mut unpacked);
        read.map_err(|error| format!("{}: {error}", path.display()))?;
        unpacked
    } else {
        bytes
    };
    if file.first.is_none() && file.every.is_none() {
        return Ok(bytes);
    }
    let (first, every) = (file.first.unwrap_or(usize::MAX), file.every.unwrap_or(1));
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let header = lines.next().unwrap_or_default();
    Ok(std::iter::once(header).chain(lines.step_by(every).take(first)).flatten().copied().collect())
}

/// Returns the folder of a package in the listed version.
fn package(registry: &str, name: &str) -> Result<PathBuf, String> {
    let list = fs::read_to_string(folder().join("packages.json")).map_err(|error| error.to_string())?;
    let list: Value = serde_json::from_str(&list).map_err(|error| format!("packages.json: {error}"))?;
    let version = list[registry][name]["version"].as_str();
    let version = version.ok_or_else(|| format!("packages.json does not list {registry}'s {name}"))?;
    let tools = tools()?;
    let (package, is_there) = if registry == "npm" {
        let package = tools.join("node_modules").join(name);
        let manifest = fs::read_to_string(package.join("package.json")).unwrap_or_default();
        let manifest: Value = serde_json::from_str(&manifest).unwrap_or_default();
        (package, manifest["version"] == version)
    } else {
        let package = tools.join("corpus").join(format!("{name}-{version}"));
        let is_there = package.is_dir();
        (package, is_there)
    };
    if is_there {
        return Ok(package);
    }
    Err(format!(
        "{name} {version} of {registry} is not in {}: `cargo xtask corpus` fetches it.",
        tools.display()
    ))
}

/// Returns the folder into which `cargo xtask` installs tools.
fn tools() -> Result<PathBuf, String> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = || {
        let home = variable("HOME").or_else(|| variable("USERPROFILE"))?;
        Some(variable("XDG_CACHE_HOME").unwrap_or_else(|| home.join(".cache")).join("tabletop/tools"))
    };
    variable("TABLETOP_TOOLS")
        .or_else(cache)
        .ok_or_else(|| "there is no folder of tools: set HOME or TABLETOP_TOOLS.".into())
}
