//! Checks that every dependency is from one registry and has a licence that lets us ship it under
//! ours.

use super::dependencies::Workspace;
use crate::Result;

/// Licences that require only a notice.
const ALLOWED: [&str; 9] = [
    "0BSD",
    "Apache-2.0",
    "BSD-3-Clause",
    "BSL-1.0",
    "ISC",
    "MIT",
    // A part of the fuzzer's runtime.
    "NCSA",
    "Unicode-3.0",
    "Zlib",
];

/// Checks each package that is not ours.
///
/// # Errors
/// The packages without an allowed licence, and those from elsewhere.
pub fn check(workspace: &Workspace) -> Result<()> {
    let mut faults = Vec::new();
    let registry =
        workspace.packages.iter().find_map(|package| package.source.as_deref()).unwrap_or_default();
    for package in &workspace.packages {
        let Some(source) = &package.source else { continue };
        let name = format!("{} {}", package.name, package.version);
        if source != registry || !source.starts_with("registry+") {
            faults.push(format!("{name} is from {source}, but all others are from {registry}"));
        }
        match &package.licence {
            None => faults.push(format!("{name} names no licence")),
            Some(licence) if !is_allowed(licence) => {
                faults.push(format!(
                    "{name} has the licence {licence}, which ALLOWED in xtask/src/check/licences.rs does not allow"
                ));
            }
            Some(_) => {}
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// Reports whether an SPDX expression can be satisfied with allowed licences alone. `AND` binds
/// closer than `OR`, and `/` is an old form of `OR`.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = &words[..];
    any(&mut rest) == Some(true) && rest.is_empty()
}

/// Parses alternatives. Returns `None` for a malformed expression, like the functions below.
fn any(words: &mut &[&str]) -> Option<bool> {
    let mut allowed = all(words)?;
    while let ["OR", rest @ ..] = words {
        *words = rest;
        // Both sides are parsed, even if the first one is allowed.
        allowed |= all(words)?;
    }
    Some(allowed)
}

fn all(words: &mut &[&str]) -> Option<bool> {
    let mut allowed = one(words)?;
    while let ["AND", rest @ ..] = words {
        *words = rest;
        allowed &= one(words)?;
    }
    Some(allowed)
}

fn one(words: &mut &[&str]) -> Option<bool> {
    match words {
        ["(", rest @ ..] => {
            *words = rest;
            let allowed = any(words)?;
            *words = words.strip_prefix(&[")"])?;
            Some(allowed)
        }
        // An exception only ever allows more.
        [licence, "WITH", _, rest @ ..] | [licence, rest @ ..] => {
            let allowed = ALLOWED.contains(licence);
            *words = rest;
            Some(allowed)
        }
        [] => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_allowed_choice_is_enough() {
        for expression in [
            "MIT",
            "MIT OR GPL-3.0-only",
            "LGPL-2.1-or-later OR (MIT AND ISC)",
            "Unlicense/MIT",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert!(is_allowed(expression), "{expression}");
        }
    }

    #[test]
    fn what_must_hold_together_must_all_be_allowed() {
        for expression in
            ["GPL-3.0-only", "MIT AND GPL-3.0-only", "(MIT OR ISC) AND MPL-2.0", "MIT OR", "(MIT", "", "MIT)"]
        {
            assert!(!is_allowed(expression), "{expression}");
        }
    }
}
