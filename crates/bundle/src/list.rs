//! The list of functions that run early: which part of the program a function belongs to, in this
//! build and in later ones.
//!
//! The list is recorded in a browser and kept in the repository, so that a build needs no browser
//! and gives the same bytes everywhere. It is older than the program that is built, so it says what
//! it knows: functions that ran early (`+`), and functions that did not although an early one can
//! call them (`-`), by name or through the table. A function that it does not know is new: it was
//! written, moved or renamed, or the compiler merged it with an equal one, whose name it took. A new
//! function is early if an early one can call it:
//!
//! ```text
//! + Session::handle ──> + Jobs::handle ──> new: Jobs::has_open     early, and so on from there
//!                  └──> - Stage::forget_rest                       later, with all that only it calls
//! ```
//!
//! A stale list therefore costs some bytes. It is wrong only if a function that did not run early
//! now does. The list has fingerprints of names, because the names themselves are ten times as
//! long.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::Result;
use crate::names::stable;
use crate::relocations::Linked;

/// Early functions that did not run may have this size together, in bytes of code: 1% of the early
/// part.
const IDLE_BYTES_MAX: usize = 12_000;
/// The number of bits of a fingerprint: seven digits.
const FINGERPRINT_BITS: u32 = 28;

const TITLE: &str = "\
# Fingerprints of functions: + runs early, - does not although an early function calls it (crates/bundle/src/list.rs).
# `cargo xtask test e2e` writes this file when it is wrong.
";

/// Fingerprints of names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct List {
    early: BTreeSet<u32>,
    later: BTreeSet<u32>,
}

/// The functions that ran in a recording, by their stable names.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    /// In a first visit.
    pub first: BTreeSet<String>,
    /// In all visits.
    pub all: BTreeSet<String>,
}

/// The functions that are early in one build.
#[derive(Debug)]
pub struct Early<'a> {
    list: &'a List,
    /// The stable names of functions of the linked program.
    names: BTreeSet<String>,
}

impl List {
    /// Parses a list.
    ///
    /// # Errors
    /// The first line that is not part of a list.
    pub fn parse(text: &str) -> Result<List> {
        let mut list = List::default();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (kind, digits) = line.split_at_checked(1).unwrap_or_default();
            let fingerprint = u32::from_str_radix(digits, 16);
            match (kind, fingerprint) {
                ("+", Ok(fingerprint)) => list.early.insert(fingerprint),
                ("-", Ok(fingerprint)) => list.later.insert(fingerprint),
                _ => return Err(format!("the list of early functions has the line \"{line}\"")),
            };
        }
        Ok(list)
    }

    /// Returns the list as text, one fingerprint per line, so that git merges two lists into their
    /// union.
    pub fn text(&self) -> String {
        let mut text = TITLE.to_string();
        for (kind, fingerprints) in [('+', &self.early), ('-', &self.later)] {
            for fingerprint in fingerprints {
                writeln!(text, "{kind}{fingerprint:07x}").expect("a string");
            }
        }
        text
    }

    /// Returns the functions of a program that are early.
    pub fn early_of(&self, linked: &Linked) -> Early<'_> {
        let is_known = |name: &str| {
            let fingerprint = fingerprint(name);
            self.early.contains(&fingerprint) || self.later.contains(&fingerprint)
        };
        let names =
            linked.called_from(|name| self.early.contains(&fingerprint(name)), |name| !is_known(name));
        Early { list: self, names }
    }

    /// Returns the list for a program of which these functions ran early, if this one is wrong: a
    /// first visit needs a later function, or too many early ones did not run.
    ///
    /// Which functions run differs a little from visit to visit, and more on a busy machine.
    /// Therefore only first visits decide, and what this list calls early stays so unless it is too
    /// much.
    pub fn corrected(&self, linked: &Linked, ran: &Ran) -> Option<List> {
        let early = self.early_of(linked);
        let is_complete = early.lacks(ran).next().is_none();
        let idle_bytes = linked.code_bytes(|name| early.names.contains(name) && !ran.all.contains(name));
        let names = match (is_complete, idle_bytes <= IDLE_BYTES_MAX) {
            (true, true) => return None,
            (false, true) => &ran.all | &early.names,
            (_, false) => ran.all.clone(),
        };
        let fingerprints =
            |names: &BTreeSet<String>| names.iter().map(|name| fingerprint(name)).collect::<BTreeSet<u32>>();
        let called = linked.calls_of(|name| names.contains(name));
        let (early, called) = (fingerprints(&names), fingerprints(&called));
        let later = &called - &early;
        Some(List { early, later })
    }
}

impl Early<'_> {
    /// Returns whether a function is early, by its symbol. wasm-bindgen adds functions: they are
    /// early if they have run.
    pub fn has(&self, symbol: &str) -> bool {
        self.has_name(&stable(symbol))
    }

    /// Returns the functions that a first visit needs and that are not early.
    pub fn lacks<'r>(&'r self, ran: &'r Ran) -> impl Iterator<Item = &'r str> {
        ran.first.iter().map(String::as_str).filter(|name| !self.has_name(name))
    }

    fn has_name(&self, name: &str) -> bool {
        self.names.contains(name) || self.list.early.contains(&fingerprint(name))
    }
}

/// Returns a number that other names are unlikely to have (FNV-1a).
fn fingerprint(name: &str) -> u32 {
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    (hash >> (u64::BITS - FINGERPRINT_BITS)) as u32
}

#[cfg(test)]
mod tests;
