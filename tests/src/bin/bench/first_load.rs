//! The number of bytes that are transferred before the page can be used, and the time that this
//! takes.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use tabletop_site_server::{Server, SlowLine};
use tabletop_tests::EARLY_GZIP_BYTES_MAX;
use tabletop_tests::browser::{Browser, Result};
use tabletop_tests::site_copy::copy_of;

use crate::figures::Figures;

/// The beginning of the later part's name: see crates/xtask/src/page.rs.
const LATER: &str = "tabletop-later-";

/// Number of runs. The median is reported.
const RUNS: usize = 3;

/// Total bytes of some files: uncompressed, with gzip, with brotli.
#[derive(Default)]
struct Sizes([u64; 3]);

impl Sizes {
    fn add(&mut self, file: &Path) -> Result<()> {
        for (sum, twin) in self.0.iter_mut().zip(["", ".gz", ".br"]) {
            let twin = PathBuf::from(format!("{}{twin}", file.display()));
            *sum += fs::metadata(&twin).map_err(|error| format!("{}: {error}", twin.display()))?.len();
        }
        Ok(())
    }

    fn report(&self, what: &str, gzip_budget: Option<f64>, figures: &mut Figures) {
        for (size, (how, budget)) in
            self.0.iter().zip([("raw", None), ("gzip", gzip_budget), ("brotli", None)])
        {
            figures.add("First load", format!("{what}, {how}"), *size as f64, "bytes", budget);
        }
    }
}

/// Measures the files that are fetched before the first rows, and the files that are fetched after
/// them. The samples, in their own folder, are fetched on demand.
pub fn sizes(dist: &Path, figures: &mut Figures) -> Result<()> {
    let (mut early, mut later, mut all) = (Sizes::default(), Sizes::default(), Sizes::default());
    let entries = fs::read_dir(dist).map_err(|error| format!("{}: {error}", dist.display()))?;
    for file in entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(".gz") || name.ends_with(".br") {
            continue;
        }
        if name.starts_with(LATER) {
            later.add(&file)?;
            continue;
        }
        if name.ends_with(".wasm") {
            early.add(&file)?;
        }
        // Files without a compressed copy are licences, robots.txt and pictures, which the page
        // does not fetch by itself.
        if dist.join(format!("{name}.gz")).exists() {
            all.add(&file)?;
        }
    }
    early.report("program that is fetched first", Some(EARLY_GZIP_BYTES_MAX as f64), figures);
    all.report("all that is fetched first", None, figures);
    later.report("program that is fetched later", None, figures);
    Ok(())
}

/// Measures the milliseconds from the start of the navigation to the first view of real tables,
/// with an empty cache.
pub fn times(dist: &Path, figures: &mut Figures) -> Result<()> {
    // Most static hosts send gzip instead of brotli.
    let gzipped = copy_of(dist, |name| !name.ends_with(".br"));
    let gzipped = gzipped.map_err(|error| format!("copying {}: {error}", dist.display()))?;
    for (encoding, site) in [("gzip", gzipped.path()), ("brotli", dist)] {
        for (mbit, latency, budget) in [(10.0, 40, 1_300.0), (1.6, 150, 3_200.0)] {
            let line = SlowLine { bits_per_second: mbit * 1e6, latency: Duration::from_millis(latency) };
            let server =
                Server::start_slow(site, "/", line).map_err(|error| format!("the server: {error}"))?;
            let mut times = Vec::new();
            for _ in 0..RUNS {
                // A new browser has an empty cache and no compiled code.
                let browser = Browser::start()?;
                browser.open(&server.url())?;
                times.push(mark(&browser, "tabletop-interactive")?);
            }
            let name = format!("interactive at {mbit} Mbit/s with {latency} ms latency, {encoding}");
            figures.add("First load", name, median(times), "ms", Some(budget));
        }
    }
    Ok(())
}

/// Waits for a performance mark of the page, and returns the milliseconds from the navigation to
/// the mark.
pub fn mark(browser: &Browser, name: &str) -> Result<f64> {
    let look = "return performance.getEntriesByName(arguments[0])[0]?.startTime ?? null";
    let time = browser.soon(|| browser.run(look, json!([name])).ok()?.as_f64());
    time.ok_or_else(|| format!("the page did not mark {name}"))
}

/// Returns the median.
pub fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
