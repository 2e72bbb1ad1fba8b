//! What a user made survives a kill of the browser (SIGKILL): each test kills the browser a second
//! after an edit, starts it again with the same profile, and finds the edit.

use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};
use tabletop_tests::browser::{Browser, Result};
use tabletop_tests::page::Page;

use super::run::Test;
use super::workspaces::{close_list, delete, open_list, press, rename, until_names};

pub const TESTS: &[Test] = &[
    Test { name: "durable: an edit survives a kill of the browser a second later", run: keeps_edits },
    Test {
        name: "durable: a manual write, a new name and a deletion survive a kill of the browser",
        run: keeps_changes_of_the_list,
    },
    Test {
        name: "durable: local storage alone is used where the browser denies the rest",
        run: works_without_a_database,
    },
];

/// The number of edits after which the browser is killed: 3, or the value of this variable.
const KILLS: &str = "TABLETOP_EDIT_KILLS";
/// The time between an edit and the kill.
const SECOND: Duration = Duration::from_secs(1);

/// A profile that survives its browser, at first an empty one.
struct Profile<'a> {
    folder: PathBuf,
    url: &'a str,
}

impl<'a> Profile<'a> {
    fn new(name: &str, url: &'a str) -> Profile<'a> {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::remove_dir_all(&folder).ok();
        Profile { folder, url }
    }

    /// Opens the page in a new browser, which is killed a second after the last step.
    fn until_killed<T>(&self, steps: impl FnOnce(&Page) -> Result<T>) -> Result<T> {
        let browser = Browser::start_in(&self.folder)?;
        let page = Page::new(&browser, self.url.into(), String::new())?;
        page.reopen()?;
        let outcome = steps(&page)?;
        sleep(SECOND);
        browser.kill()?;
        Ok(outcome)
    }
}

impl Drop for Profile<'_> {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.folder).ok();
    }
}

fn template_of(kill: u32) -> String {
    format!("{{user_token}}#kill-{kill}#{{timestamp:iso}}")
}

fn keeps_edits(page: &Page) -> Result<()> {
    let kills: u32 = std::env::var(KILLS).ok().and_then(|kills| kills.parse().ok()).unwrap_or(3);
    let profile = Profile::new("e2e-durable-edits", page.url());
    let mut lost = Vec::new();
    for kill in 0..=kills {
        profile.until_killed(|page| {
            if kill > 0 && page.field("Row key template")?.value()? != template_of(kill - 1) {
                lost.push(kill - 1);
            }
            page.fill("Row key template", &template_of(kill))
        })?;
    }
    println!("kept {} of {kills} edits", kills as usize - lost.len());
    if lost.is_empty() { Ok(()) } else { Err(format!("the edits before these kills are lost: {lost:?}")) }
}

fn keeps_changes_of_the_list(page: &Page) -> Result<()> {
    let profile = Profile::new("e2e-durable-list", page.url());
    let reads = |page: &Page, rows: Value| {
        let read = "(await tabletop.read(0, { rows: { prefix: 'zz-' } })).rows.map(row => row.key)";
        page.until(&format!("the manual writes are {rows}"), || Ok(page.api(read)? == rows))
    };
    profile.until_killed(|page| {
        page.browser.press(&["Control+`"])?;
        page.fill("Shell command", "set design-1 zz-one view:hand=1")?;
        page.browser.press(&["Enter"])?;
        reads(page, json!(["zz-one"]))
    })?;
    profile.until_killed(|page| {
        reads(page, json!(["zz-one"]))?;
        open_list(page)?;
        rename(page, "Untitled", "Orders")?;
        page.click("button", "New workspace")?;
        page.until_text("Untitled")?;
        open_list(page)?;
        until_names(page, &["Orders", "Untitled"])
    })?;
    profile.until_killed(|page| {
        reads(page, json!([]))?;
        open_list(page)?;
        until_names(page, &["Orders", "Untitled"])?;
        rename(page, "Orders", "Old orders")?;
        delete(page, "Untitled")?;
        until_names(page, &["Old orders"])
    })?;
    profile.until_killed(|page| {
        reads(page, json!(["zz-one"]))?;
        open_list(page)?;
        until_names(page, &["Old orders"])?;
        press(page, "Duplicate Old orders", "Duplicate")?;
        until_names(page, &["Old orders", "Old orders 2"])?;
        delete(page, "Old orders")?;
        until_names(page, &["Old orders 2"])
    })?;
    profile.until_killed(|page| {
        reads(page, json!(["zz-one"]))?;
        open_list(page)?;
        until_names(page, &["Old orders 2"])?;
        close_list(page)
    })
}

/// A private window of some browsers, or a user who has forbidden it.
fn works_without_a_database(page: &Page) -> Result<()> {
    let denied = "IDBFactory.prototype.open = () => { throw new DOMException('denied', 'SecurityError'); };";
    let browser = Browser::start()?;
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": denied }))?;
    let page = Page::new(&browser, page.url().into(), String::new())?;
    page.reopen()?;
    page.fill("Row key template", &template_of(0))?;
    page.reopen()?;
    page.until_value("Row key template", &template_of(0))?;
    page.fill("Row key template", &template_of(1))?;
    page.reopen()?;
    page.until_value("Row key template", &template_of(1))?;
    page.check_quiet()
}
