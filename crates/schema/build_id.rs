//! A build script that two crates share (`client` and `worker`, the two ends of the talk): sets `BUILD_ID`, so that
//! a page never talks to a worker of another build, which a browser may still have in its cache.
//!
//! The id is a hash of the sources that decide what is said, not of a time or a commit: the same sources give the same
//! id on every machine, and an edit of the page alone (crate `ui`) does not build the worker again.

use std::fs;
use std::path::{Path, PathBuf};

const SOURCES: [&str; 10] = [
    "Cargo.lock",
    "Cargo.toml",
    "crates/model",
    "crates/engine",
    "crates/cluster",
    "crates/schema",
    "crates/workload",
    "crates/design",
    "crates/client",
    "crates/worker",
];

fn main() {
    let root = PathBuf::from(env("CARGO_MANIFEST_DIR")).join("../..");
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
        assert!(root.join(source).exists(), "{source} is not there: did it move? Tell SOURCES in build_id.rs");
        let mut files = Vec::new();
        list(&root.join(source), &mut files);
        files.sort();
        for file in files {
            hash.add(file.strip_prefix(&root).unwrap_or(&file).to_string_lossy().as_bytes());
            hash.add(&fs::read(&file).unwrap_or_else(|error| panic!("cannot read {}: {error}", file.display())));
        }
    }
    println!("cargo::rustc-env=BUILD_ID={:016x}", hash.0);
}

/// The files that cargo compiles or reads; not what an editor or a test leaves beside them.
fn list(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let entries = fs::read_dir(path).unwrap_or_else(|error| panic!("cannot list {}: {error}", path.display()));
        for entry in entries.flatten() {
            list(&entry.path(), files);
        }
    } else if path.extension().is_some_and(|kind| kind == "rs" || kind == "toml" || kind == "lock") {
        files.push(path.to_path_buf());
    }
}

fn env(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}

/// FNV-1a of 64 bits: enough to tell two builds apart, and no dependency.
struct Fnv(u64);

impl Fnv {
    /// The length goes in too, so that a byte moved from one file to the next changes the hash.
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes.iter().chain(&(bytes.len() as u64).to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
