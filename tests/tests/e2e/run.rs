//! Runs the tests in one browser and reports the results.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use tabletop_site_server::Server;
use tabletop_tests::browser::{Browser, Result, path_from};

use tabletop_tests::page::Page;

/// A test of one flow, and the code that performs it.
pub struct Test {
    /// Printed when it runs. Words of it select the test on the command line.
    pub name: &'static str,
    /// Fails with a message for the person who reads the log.
    pub run: fn(&Page) -> Result<()>,
}

/// The page is served at a path, as on hosts that many people share: it must work at any path.
const BASE: &str = "/people/ada/tabletop/";

/// Runs all tests whose name contains each word of the command line.
pub fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    match all(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn all(words: &[String]) -> Result<()> {
    let dist = path_from("TABLETOP_DIST")?;
    let axe = path_from("TABLETOP_AXE")?;
    let axe = std::fs::read_to_string(&axe).map_err(|error| format!("{}: {error}", axe.display()))?;
    let server = Server::start(&dist, 0, BASE).map_err(|error| format!("the server: {error}"))?;
    let browser = Browser::start()?;
    let page = Page::new(&browser, server.url(), axe)?;
    // If the page does not start at all, every test would fail after a long wait.
    page.fresh().map_err(|error| format!("the page does not start: {error}; the console has {:?}", browser.complaints()))?;

    let tests = [
        super::first_load::TESTS,
        super::first_paint::TESTS,
        super::still::TESTS,
        super::data::TESTS,
        super::design::TESTS,
        super::query::TESTS,
        super::shell::TESTS,
        super::api::TESTS,
        super::policy::TESTS,
        super::resilience::TESTS,
        super::storage::TESTS,
        super::keyboard::TESTS,
        super::accessibility::TESTS,
    ];
    let chosen = tests.into_iter().flatten().filter(|test| words.iter().all(|word| test.name.contains(word.as_str())));
    let mut failed = 0;
    let mut passed = 0;
    let start = Instant::now();
    for test in chosen {
        let start = Instant::now();
        let result = page.fresh().and_then(|()| (test.run)(&page)).and_then(|()| page.check_quiet());
        let seconds = start.elapsed().as_secs_f64();
        match result {
            Ok(()) => {
                passed += 1;
                println!("ok     {seconds:4.1} s  {}", test.name);
            }
            Err(error) => {
                failed += 1;
                println!("FAILED {seconds:4.1} s  {}\n       {error}\n       {}", test.name, picture(&page, test.name));
                // Errors after a test must not fail the next one too.
                page.browser.complaints().ok();
            }
        }
    }
    println!("{passed} passed, {failed} failed in {:.0} s", start.elapsed().as_secs_f64());
    match (passed, failed) {
        (0, 0) => Err(format!("no test has these words in its name: {words:?}")),
        (_, 0) => Ok(()),
        _ => Err("some flows of the page do not work".into()),
    }
}

/// Writes a screenshot of the page to the build folder.
fn picture(page: &Page, name: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("e2e");
    let file = folder.join(name.replace(|c: char| !c.is_ascii_alphanumeric(), "-") + ".png");
    let written = page.browser.picture().and_then(|bytes| {
        std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, bytes)).map_err(|error| error.to_string())
    });
    match written {
        Ok(()) => format!("picture: {}", file.display()),
        Err(error) => format!("no picture: {error}"),
    }
}
