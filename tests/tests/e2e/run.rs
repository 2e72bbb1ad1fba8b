//! Runs the tests and reports the results.

use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use libtest_mimic::{Arguments, Failed, FormatSetting, Trial};
use tabletop_site_server::Server;
use tabletop_tests::browser::{Browser, Result, path_from};
use tabletop_tests::page::Page;

use super::{OF_VIEWS, OTHERS, profiles, server, traffic};

/// A test of one flow, and the code that performs it.
pub struct Test {
    /// The name. A part of it selects the test on the command line.
    pub name: &'static str,
    /// Fails with a message for the developer who reads the log.
    pub run: fn(&Page) -> Result<()>,
}

/// The page is served at a path, like on hosts that many users share: it must work at any path.
const BASE: &str = "/people/ada/tabletop/";

/// The page's server and the browsers, started when the first test needs them. A browser has one
/// test at a time.
struct Site {
    server: Server,
    free: Mutex<Vec<Browser>>,
    axe: String,
}

impl Site {
    fn start() -> Result<Site> {
        let dist = path_from("TABLETOP_DIST")?;
        let axe = path_from("TABLETOP_AXE")?;
        let axe = std::fs::read_to_string(&axe).map_err(|error| format!("{}: {error}", axe.display()))?;
        let server = Server::start(&dist, 0, BASE).map_err(|error| format!("the server: {error}"))?;
        let site = Site { server, free: Mutex::default(), axe };
        // If the page does not start at all, every test would fail after a long wait.
        let browser = site.browser()?;
        let started = site.page(&browser).fresh();
        started.map_err(|error| {
            format!("the page does not start: {error}; the console has {:?}", browser.complaints())
        })?;
        site.give_back(browser);
        Ok(site)
    }

    /// Returns a browser that is not running a test, or starts one.
    fn browser(&self) -> Result<Browser> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        free.map_or_else(
            || {
                let browser = Browser::start()?;
                Page::new(&browser, self.server.url(), String::new())?;
                Ok(browser)
            },
            Ok,
        )
    }

    fn give_back(&self, browser: Browser) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(browser);
    }

    fn page<'a>(&self, browser: &'a Browser) -> Page<'a> {
        Page::in_prepared(browser, self.server.url(), self.axe.clone())
    }
}

/// Runs the tests that the command line selects: a part of their names, `--exact`, `--skip`;
/// `--list` prints the names. As many run at a time as the machine has processors, or as
/// `--test-threads` says.
pub fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let shows_time = !arguments.quiet && matches!(arguments.format, None | Some(FormatSetting::Pretty));
    let site = Arc::new(OnceLock::new());
    let trial = |test: &'static Test| {
        let site = site.clone();
        Trial::test(test.name, move || {
            let start = Instant::now();
            let result = run(test, site.get_or_init(Site::start));
            if shows_time {
                println!("{:.1} s {}", start.elapsed().as_secs_f64(), test.name);
            }
            // The summary at the end repeats it, but a developer who is watching need not wait for
            // that.
            result.inspect_err(|error| eprintln!("\n{}: {error}", test.name)).map_err(Failed::from)
        })
    };
    let conclusion = libtest_mimic::run(&arguments, tests().map(trial).collect());
    if !arguments.list && conclusion.num_passed + conclusion.num_failed == 0 {
        eprintln!("no test is selected: --list prints the names of all tests");
        return ExitCode::FAILURE;
    }
    conclusion.exit_code()
}

/// Returns all tests.
pub fn tests() -> impl Iterator<Item = &'static Test> {
    let within = [profiles::sections::TESTS, traffic::charts::TESTS];
    let of_python = std::env::var_os("TABLETOP_PYTHON").map_or(&[][..], |_| server::TESTS_WITH_PYTHON);
    let files = OTHERS.iter().chain(OF_VIEWS).copied().chain(within).chain([of_python]);
    files.flatten()
}

/// Runs one test on a fresh page. The error names the file of a picture of the page.
fn run(test: &Test, site: &Result<Site>) -> Result<()> {
    let site = site.as_ref().map_err(Clone::clone)?;
    let browser = site.browser()?;
    let page = site.page(&browser);
    let result = page.fresh().and_then(|()| (test.run)(&page)).and_then(|()| page.check_quiet());
    let result = result.map_err(|error| {
        let message = format!("{error}\n{}", picture(&page, test.name));
        // Errors that are logged after a test must not fail the next one.
        browser.complaints().ok();
        message
    });
    site.give_back(browser);
    result
}

/// Writes a screenshot of the page to the build folder.
fn picture(page: &Page, name: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("e2e");
    let file = folder.join(name.replace(|c: char| !c.is_ascii_alphanumeric(), "-") + ".png");
    let written = page.browser.picture().and_then(|bytes| {
        std::fs::create_dir_all(&folder)
            .and_then(|()| std::fs::write(&file, bytes))
            .map_err(|error| error.to_string())
    });
    match written {
        Ok(()) => format!("picture: {}", file.display()),
        Err(error) => format!("no picture: {error}"),
    }
}
