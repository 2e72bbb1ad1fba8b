//! The static site: built by Trunk into `dist/`, and served.

use std::path::PathBuf;

use tabletop_site_server::Server;

use crate::Result;
use crate::run::{command, run, timed};
use crate::tools::Tools;

/// Ports that are tried when the person names none.
const PORTS: std::ops::Range<u16> = 8080..8100;

/// Builds the site and gives its folder. With the address "./" it works under any path.
pub fn dist(public_url: &str) -> Result<PathBuf> {
    let tools = Tools::for_build()?;
    build(&tools, public_url)
}

/// As [`dist`], with tools that are there already.
pub fn build(tools: &Tools, public_url: &str) -> Result<PathBuf> {
    let folder = crate::root().join("dist");
    let time = if folder.is_dir() { "some seconds" } else { "the first time 1 to 3 minutes" };
    timed(&format!("optimised build of the page into dist/ ({time})"), || {
        let mut trunk = tools.command("trunk", &["build", "--release", "--public-url", public_url]);
        // Trunk reads NO_COLOR as true or false and refuses the usual 1.
        trunk.env_remove("NO_COLOR").env("TRUNK_SKIP_VERSION_CHECK", "true");
        // Everything is there: what is not must fail here with a name, not after minutes of retries.
        trunk.env("TRUNK_OFFLINE", "true");
        // Its minifier of scripts does not know modules of wasm-bindgen's kind, leaves them as they are, and warns.
        trunk.env("RUST_LOG", "trunk=warn,trunk::processing::minify=error");
        run(trunk)
    })?;
    folder.canonicalize().map_err(|error| format!("the build left no {}: {error}", folder.display()))
}

/// Builds and serves until the person stops it.
pub fn serve(port: Option<u16>, open: bool) -> Result<()> {
    // Before the build: a port that is taken is better known now than minutes later.
    let folder = crate::root().join("dist");
    let server = match port {
        Some(port) => Server::start(&folder, port, "/").map_err(|error| format!("port {port}: {error}")),
        None => PORTS
            .into_iter()
            .find_map(|port| Server::start(&folder, port, "/").ok())
            .ok_or_else(|| format!("no port from {} to {} is free: name one with --port", PORTS.start, PORTS.end - 1)),
    }?;
    dist("./")?;
    println!("Tabletop is at {} (stop with Ctrl+C)", server.url());
    if open {
        let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
        if let Err(error) = run(command(opener, &[&server.url()])) {
            eprintln!("xtask: {error}: open the address yourself");
        }
    }
    loop {
        std::thread::park();
    }
}

/// Builds, then measures with the program `bench` of the tests.
pub fn bench(options: &[&str]) -> Result<()> {
    let tools = Tools::for_build()?;
    let browser = tools.browser()?;
    let folder = build(&tools, "./")?;
    let mut bench =
        tools.cargo(&["run", "--profile", "native", "--quiet", "--package", "tabletop-tests", "--bin", "bench", "--"]);
    bench.args(options).env("TABLETOP_DIST", folder);
    bench.env("TABLETOP_CHROMIUM", browser.chromium).env("TABLETOP_CHROMEDRIVER", browser.chromedriver);
    run(bench)
}
