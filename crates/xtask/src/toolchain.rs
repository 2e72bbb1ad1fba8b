//! The compiler's version. It is pinned in the workspace's manifest and not in a
//! `rust-toolchain.toml`: such a file makes every call of cargo fail on a machine that has another
//! toolchain and does not install toolchains automatically.

use crate::Result;
use crate::run::{ask, command, read};

/// The compiler that cargo uses.
#[derive(Debug, PartialEq, Eq)]
pub enum Toolchain {
    /// The pinned version, whose lints must pass.
    Pinned,
    /// Another version, with a note about it.
    Other(String),
}

/// Compares the compiler with the pinned version.
///
/// # Errors
/// When the manifest pins none, or the compiler is older than the sources need.
pub fn current() -> Result<Toolchain> {
    let pinned = pinned()?;
    let version = ask(command("rustc", &["--version"]))
        .ok_or("rustc does not start: install Rust from https://rustup.rs")?;
    compare(&pinned, &version)
}

fn compare(pinned: &str, version: &str) -> Result<Toolchain> {
    let found = version.split_whitespace().nth(1).unwrap_or_default();
    if found == pinned {
        return Ok(Toolchain::Pinned);
    }
    let remedy = format!(
        "rustup toolchain install {pinned} --profile default --no-self-update, then set RUSTUP_TOOLCHAIN={pinned}"
    );
    let numbers = |version: &str| -> Option<Vec<u32>> {
        version.split(['.', '-']).take(2).map(|part| part.parse().ok()).collect()
    };
    if numbers(found) < numbers(pinned) {
        return Err(format!(
            "this project needs Rust {pinned} or newer, and rustc here is {found}: rustup update, or {remedy}"
        ));
    }
    Ok(Toolchain::Other(format!(
        "this project is checked with Rust {pinned}, and rustc here is {found}: warnings do not fail the check. To see what CI sees: {remedy}"
    )))
}

/// Returns the version under `[workspace.metadata.toolchain]`.
fn pinned() -> Result<String> {
    let manifest = read(&crate::root().join("Cargo.toml"))?;
    let (_, table) = manifest.split_once("[workspace.metadata.toolchain]").unwrap_or_default();
    let version = table.split_once("rust = \"").and_then(|(_, rest)| rest.split('"').next());
    version
        .map(str::to_string)
        .ok_or_else(|| "Cargo.toml has no [workspace.metadata.toolchain] with rust = \"…\"".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_pins_a_version() {
        assert_eq!(pinned().expect("a version").split('.').count(), 3);
    }

    #[test]
    fn a_newer_compiler_is_reported_and_an_older_one_refused() {
        assert_eq!(compare("1.95.0", "rustc 1.95.0 (59807616e 2026-04-14)"), Ok(Toolchain::Pinned));
        let newer = compare("1.95.0", "rustc 1.100.1 (0000 2027-01-01)").expect("no refusal");
        assert!(matches!(&newer, Toolchain::Other(note) if note.contains("1.100.1")), "{newer:?}");
        let older = compare("1.95.0", "rustc 1.94.2 (0000 2026-01-01)").expect_err("a refusal");
        assert!(older.contains("needs Rust 1.95.0"), "{older}");
    }
}
