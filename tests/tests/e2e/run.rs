//! Runs the tests in one browser and reports the results.

use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use libtest_mimic::{Arguments, Failed, FormatSetting, Trial};
use tabletop_site_server::Server;
use tabletop_tests::browser::{Browser, Result, path_from};
use tabletop_tests::page::Page;

/// A test of one flow, and the code that performs it.
pub struct Test {
    /// A part of it selects the test on the command line.
    pub name: &'static str,
    /// Fails with a message for the person who reads the log.
    pub run: fn(&Page) -> Result<()>,
}

/// The page is served at a path, as on hosts that many people share: it must work at any path.
const BASE: &str = "/people/ada/tabletop/";

/// The page's server and the browser, started when the first test needs them.
struct Site {
    server: Server,
    browser: Browser,
    axe: String,
}

impl Site {
    fn start() -> Result<Site> {
        let dist = path_from("TABLETOP_DIST")?;
        let axe = path_from("TABLETOP_AXE")?;
        let axe = std::fs::read_to_string(&axe).map_err(|error| format!("{}: {error}", axe.display()))?;
        let server = Server::start(&dist, 0, BASE).map_err(|error| format!("the server: {error}"))?;
        let browser = Browser::start()?;
        // If the page does not start at all, every test would fail after a long wait.
        let started = Page::new(&browser, server.url(), String::new()).and_then(|page| page.fresh());
        started.map_err(|error| format!("the page does not start: {error}; the console has {:?}", browser.complaints()))?;
        Ok(Site { server, browser, axe })
    }

    fn page(&self) -> Page<'_> {
        Page::in_prepared(&self.browser, self.server.url(), self.axe.clone())
    }
}

/// Runs the tests that the command line selects: a part of their names, `--exact`, `--skip`; `--list` prints the names.
pub fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // All tests use one browser.
    arguments.test_threads = Some(1);
    let shows_time = !arguments.quiet && matches!(arguments.format, None | Some(FormatSetting::Pretty));
    let site = Arc::new(OnceLock::new());
    let trial = |test: &'static Test| {
        let site = site.clone();
        Trial::test(test.name, move || {
            let start = Instant::now();
            let result = run(test, site.get_or_init(Site::start));
            if shows_time {
                print!("{:.1} s ", start.elapsed().as_secs_f64());
            }
            // The summary at the end has it, too. A person who watches need not wait for it.
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

fn tests() -> impl Iterator<Item = &'static Test> {
    let tests = [
        super::first_load::TESTS,
        super::first_paint::TESTS,
        super::still::TESTS,
        super::shift::TESTS,
        super::data::TESTS,
        super::design::TESTS,
        super::schema::TESTS,
        super::compare::TESTS,
        super::scoreboard::TESTS,
        super::share::TESTS,
        super::query::TESTS,
        super::inspect::TESTS,
        super::results::TESTS,
        super::shell::TESTS,
        super::api::TESTS,
        super::policy::TESTS,
        super::resilience::TESTS,
        super::storage::TESTS,
        super::tablet::TESTS,
        super::timeline::TESTS,
        super::traffic::TESTS,
        super::profiles::TESTS,
        super::server::TESTS,
        super::workspaces::TESTS,
        super::map::TESTS,
        super::keyboard::TESTS,
        super::accessibility::TESTS,
    ];
    let of_python = std::env::var_os("TABLETOP_PYTHON").map_or(&[][..], |_| super::server::TESTS_WITH_PYTHON);
    tests.into_iter().flatten().chain(of_python)
}

/// Runs one test on a fresh page. The error names the file of a picture of the page.
fn run(test: &Test, site: &Result<Site>) -> Result<()> {
    let page = site.as_ref().map_err(Clone::clone)?.page();
    let result = page.fresh().and_then(|()| (test.run)(&page)).and_then(|()| page.check_quiet());
    result.map_err(|error| {
        let message = format!("{error}\n{}", picture(&page, test.name));
        // Errors after a test must not fail the next one too.
        page.browser.complaints().ok();
        message
    })
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
