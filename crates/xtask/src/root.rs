//! The workspace's folder.

use std::path::{Path, PathBuf};

/// Returns the workspace's folder. (Cargo passes it to the programs that it runs. Two clones that
/// share a target folder share one program.)
pub fn root() -> PathBuf {
    let ours = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&ours).join("../..")
}
