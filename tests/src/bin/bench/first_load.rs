//! What comes over the line before the page can be used, and how long that takes.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use tabletop_site_server::{Line, Server};
use tabletop_tests::browser::{Browser, Result};

use crate::figures::Figures;

/// Runs of which the median counts.
const RUNS: usize = 3;

/// A copy of the site with a compressed twin beside each file, as a static host sends it. Removed on drop.
pub struct Packed(PathBuf);

impl Drop for Packed {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// Bytes of each file of the first load: all of the site but the samples, which are fetched when they are chosen.
pub fn sizes(dist: &Path, figures: &mut Figures) -> Result<Packed> {
    let packed = Packed(std::env::temp_dir().join(format!("tabletop-bench-{}", std::process::id())));
    pack(dist, &packed.0, figures).map_err(|error| format!("packing {}: {error}", dist.display()))?;
    Ok(packed)
}

fn pack(dist: &Path, into: &Path, figures: &mut Figures) -> std::io::Result<()> {
    fs::create_dir_all(into)?;
    let mut files: Vec<PathBuf> = fs::read_dir(dist)?.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.is_file());
    files.sort();
    let (mut wasm, mut all) = (0.0, 0.0);
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = fs::read(&file)?;
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&bytes)?;
        let gzip = encoder.finish()?;
        fs::write(into.join(&name), &bytes)?;
        fs::write(into.join(format!("{name}.gz")), &gzip)?;
        let size = gzip.len() as f64;
        figures.add("First load, gzip", name.as_str(), size, "bytes", None);
        all += size;
        if name.ends_with(".wasm") {
            wasm += size;
        }
    }
    figures.add("First load, gzip", "all wasm", wasm, "bytes", Some(330.0 * 1024.0));
    figures.add("First load, gzip", "all", all, "bytes", Some(400.0 * 1024.0));
    Ok(())
}

/// From the start of the navigation to the first view of real tables, with an empty cache.
pub fn times(site: &Packed, figures: &mut Figures) -> Result<()> {
    for (mbit, latency, budget) in [(10.0, 40, 500.0), (1.6, 150, 2_500.0)] {
        let line = Line { bits_per_second: mbit * 1e6, latency: Duration::from_millis(latency) };
        let server = Server::start_slow(&site.0, "/", line).map_err(|error| format!("the server: {error}"))?;
        let mut times = Vec::new();
        for _ in 0..RUNS {
            // A new browser has an empty cache, and no compiled code in it.
            let browser = Browser::start()?;
            browser.open(&server.url())?;
            times.push(mark(&browser, "tabletop-interactive")?);
        }
        let name = format!("interactive at {mbit} Mbit/s with {latency} ms latency");
        figures.add("First load", name, median(times), "ms", Some(budget));
    }
    Ok(())
}

/// Milliseconds from the navigation to a mark of the page, when that is there.
pub fn mark(browser: &Browser, name: &str) -> Result<f64> {
    let look = "return performance.getEntriesByName(arguments[0])[0]?.startTime ?? null";
    let time = browser.soon(|| browser.run(look, json!([name])).ok()?.as_f64());
    time.ok_or_else(|| format!("the page did not mark {name}"))
}

/// The middle one.
pub fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
