//! Ctrl-C during long work: the program reports its progress before it exits.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// The exit code of a program that SIGINT has ended, as shells report it.
const INTERRUPTED: i32 = 130;

/// What has been written so far.
static WRITTEN: AtomicU64 = AtomicU64::new(0);
static REPORT: OnceLock<fn(u64) -> String> = OnceLock::new();

/// Counts what is stored and survives the process.
pub(crate) fn count(written: u64) {
    WRITTEN.fetch_add(written, Ordering::Relaxed);
}

/// Prints `report` of the count on the first Ctrl-C, and exits. Where signals cannot be received,
/// nothing changes.
pub(crate) fn report(report: fn(u64) -> String) {
    if REPORT.set(report).is_err() {
        return;
    }
    thread::spawn(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        if runtime.is_ok_and(|runtime| runtime.block_on(tokio::signal::ctrl_c()).is_ok()) {
            let written = WRITTEN.load(Ordering::Relaxed);
            // It follows a progress bar, if there is one.
            eprintln!("\n{}", REPORT.get().map(|report| report(written)).unwrap_or_default());
            std::process::exit(INTERRUPTED);
        }
    });
}
