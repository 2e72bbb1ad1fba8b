//! The list of saved workspaces: each is saved as it changes, two tabs do not overwrite each other,
//! and stored data is never lost, whatever state it is in.

use std::path::PathBuf;

use serde_json::{Value, json};
use tabletop_tests::browser::{Browser, Result};

use super::run::Test;
use tabletop_tests::page::{PHONE, Page, Pane, WIDE, same};

pub const TESTS: &[Test] = &[
    Test {
        name: "workspaces: made, renamed, duplicated, opened and deleted, also after a reload",
        run: manages,
    },
    Test {
        name: "workspaces: the one of an earlier version of the page is the first of the list",
        run: migrates,
    },
    Test { name: "workspaces: a damaged one is not saved over, and the others open", run: survives_damage },
    Test { name: "workspaces: a wrong entry of the list is repaired", run: repairs_the_list },
    Test { name: "workspaces: a full storage says so, and nothing is lost", run: reports_a_full_storage },
    Test { name: "workspaces: a link or an example is saved next to the user's own", run: keeps_what_came },
    Test { name: "workspaces: a file is imported as a separate workspace", run: imports },
    Test {
        name: "workspaces: the list follows other tabs, and what they delete stays here",
        run: follows_other_tabs,
    },
    Test {
        name: "workspaces: two tabs do not overwrite each other, even before they hear of each other",
        run: finds_conflicts,
    },
    Test {
        name: "workspaces: one is opened by its name from all actions, and Back works",
        run: opens_by_name,
    },
    Test {
        name: "workspaces: two workspaces with files of the same name do not mix them up",
        run: keeps_files_apart,
    },
];

const FIRST: &str = "{user_token}~{timestamp:iso}";
const SECOND: &str = "{app_id}#{timestamp:iso}";

fn template(page: &Page, template: &str) -> Result<()> {
    page.fill("Row key template", template)?;
    page.until("it is saved", || {
        let saved = "return Object.keys(localStorage).some(key => /tabletop\\.workspace/.test(key)
            && localStorage[key].includes(arguments[0])) || sessionStorage.length > 0 && Object.values(sessionStorage).some(text => text.includes(arguments[0]))";
        Ok(page.browser.run(saved, json!([template]))? == json!(true))
    })
}

pub fn open_list(page: &Page) -> Result<()> {
    page.click("button", "Menu")?;
    page.click("menuitem", "Workspaces…")?;
    page.find("heading", "Workspaces").map(drop)
}

pub fn close_list(page: &Page) -> Result<()> {
    page.click("button", "Close")
}

/// The names in the list, sorted.
fn names(page: &Page) -> Result<Vec<String>> {
    let read =
        "return [...document.querySelectorAll('.workspaces .set-name')].map(name => name.textContent).sort()";
    serde_json::from_value(page.browser.run(read, json!([]))?).map_err(|error| error.to_string())
}

pub fn until_names(page: &Page, expected: &[&str]) -> Result<()> {
    page.until(&format!("the list has {expected:?}"), || {
        same("it", names(page)?, expected.iter().map(ToString::to_string).collect()).map(|()| true)
    })
}

/// Presses a button in a line of the list.
pub fn press(page: &Page, group: &str, button: &str) -> Result<()> {
    page.find("group", group)?.by_role("button", button)?.click()
}

pub fn rename(page: &Page, from: &str, to: &str) -> Result<()> {
    press(page, &format!("Rename {from}"), "Rename")?;
    page.fill("Name of the workspace", to)?;
    page.click("button", "Save name")?;
    page.until_text(&format!("Renamed to {to}"))
}

pub fn delete(page: &Page, name: &str) -> Result<()> {
    press(page, &format!("Delete {name}"), "Delete")?;
    press(page, &format!("Delete {name}"), "Delete permanently")?;
    page.until_text(&format!("Deleted: {name}"))
}

/// Changes what this page stores in the browser: runs the body of a function that gets the storage
/// and the prefix of its names.
fn store(page: &Page, body: &str) -> Result<Value> {
    let script =
        format!("return (prefix => {{ {body} }})(new URL('.', location.href).pathname + 'tabletop.')");
    page.browser.run(&script, json!([]))
}

fn manages(page: &Page) -> Result<()> {
    template(page, FIRST)?;
    open_list(page)?;
    until_names(page, &["Untitled"])?;
    page.until_text("1 design · 20,000 generated events")?;
    page.check_accessible("a list of one workspace")?;
    rename(page, "Untitled", "Orders")?;
    page.until("the focus is back", || Ok(page.browser.focused()?.name()? == "Rename"))?;
    page.click("button", "New workspace")?;
    page.until_value("Row key template", "{timestamp:iso},{app_id},{user_token}")?;
    template(page, SECOND)?;
    open_list(page)?;
    until_names(page, &["Orders", "Untitled"])?;
    press(page, "Duplicate Orders", "Duplicate")?;
    until_names(page, &["Orders", "Orders 2", "Untitled"])?;
    rename(page, "Orders 2", "A copy")?;
    until_names(page, &["A copy", "Orders", "Untitled"])?;
    press(page, "Rename A copy", "Rename")?;
    page.fill("Name of the workspace", "")?;
    page.until_text("A workspace needs a name.")?;
    page.check_accessible("a list of workspaces")?;
    page.click("button", "Cancel")?;
    page.browser.resize(PHONE.0, PHONE.1)?;
    page.check_accessible("the workspaces on a phone")?;
    let fits = "return document.querySelector('.workspaces').scrollWidth <= innerWidth";
    same("the list fits the screen", page.browser.run(fits, json!([]))?, json!(true))?;
    page.browser.resize(WIDE.0, WIDE.1)?;
    press(page, "Open A copy", "Open")?;
    page.until_value("Row key template", FIRST)?;
    page.until("the dialog is closed", || Ok(page.browser.all_by_role("heading", "Workspaces")?.is_empty()))?;
    page.reopen()?;
    page.until_value("Row key template", FIRST)?;
    page.until_text("A copy")?;
    // Deleting the workspace on the screen shows the one that was changed last.
    open_list(page)?;
    delete(page, "A copy")?;
    until_names(page, &["Orders", "Untitled"])?;
    close_list(page)?;
    page.until_value("Row key template", SECOND)?;
    page.reopen()?;
    page.until_value("Row key template", SECOND)?;
    open_list(page)?;
    delete(page, "Orders")?;
    delete(page, "Untitled")?;
    until_names(page, &["Untitled"])?;
    close_list(page)?;
    page.until_value("Row key template", "{timestamp:iso},{app_id},{user_token}")
}

fn migrates(page: &Page) -> Result<()> {
    template(page, FIRST)?;
    // The state that an earlier version leaves: one workspace, and no entry of a list.
    let only = "for (const key of Object.keys(localStorage)) if (key !== prefix + 'workspace') localStorage.removeItem(key);
        sessionStorage.clear();";
    store(page, only)?;
    page.reopen()?;
    page.until_value("Row key template", FIRST)?;
    open_list(page)?;
    until_names(page, &["Untitled"])?;
    page.click("button", "New workspace")?;
    page.until_value("Row key template", "{timestamp:iso},{app_id},{user_token}")?;
    open_list(page)?;
    until_names(page, &["Untitled", "Untitled 2"])?;
    press(page, "Open Untitled", "Open")?;
    page.until_value("Row key template", FIRST)
}

fn survives_damage(page: &Page) -> Result<()> {
    template(page, FIRST)?;
    open_list(page)?;
    page.click("button", "New workspace")?;
    template(page, SECOND)?;
    let damage = "const name = prefix + 'workspace' + localStorage[prefix + 'current'];
        localStorage[name] = localStorage[name].slice(0, 100); sessionStorage.clear(); return localStorage[name]";
    let text = store(page, damage)?;
    page.reopen()?;
    page.until_text("the saved workspace cannot be read")?;
    page.check_accessible("a damaged workspace at the start")?;
    template(page, "{user_token}!")?;
    open_list(page)?;
    until_names(page, &["A workspace that cannot be read", "Untitled", "Untitled"])?;
    page.check_accessible("a damaged workspace in the list")?;
    let keep = "URL.createObjectURL = blob => { window.offered = blob; return 'blob:none'; };
        HTMLAnchorElement.prototype.click = function () { window.file = this.download; };";
    page.browser.run(keep, json!([]))?;
    press(page, "Download A workspace that cannot be read", "Download")?;
    page.until("its text is offered", || {
        let offered = page
            .browser
            .run("return window.offered ? [window.file, await window.offered.text()] : null", json!([]))?;
        Ok(offered == json!(["tabletop-damaged-workspace.txt", text]))
    })?;
    delete(page, "A workspace that cannot be read")?;
    until_names(page, &["Untitled", "Untitled"])?;
    page.browser
        .by_css(".workspaces .set:not(:has(.set-shown)) [aria-label='Open Untitled'] button")?
        .click()?;
    page.until_value("Row key template", FIRST)
}

fn repairs_the_list(page: &Page) -> Result<()> {
    template(page, FIRST)?;
    open_list(page)?;
    rename(page, "Untitled", "Orders")?;
    page.click("button", "New workspace")?;
    let damage = "localStorage[prefix + 'about'] = 'nonsense'; localStorage[prefix + 'about.gone'] = '1\\t2\\t3\\t1\\town\\tx\\tGone';";
    store(page, damage)?;
    open_list(page)?;
    until_names(page, &["Orders", "Untitled"])?;
    same(
        "the entry of what has disappeared",
        store(page, "return localStorage[prefix + 'about.gone'] ?? null")?,
        Value::Null,
    )?;
    // In another tab, an earlier version of the page changes a workspace, but not its entry.
    store(
        page,
        "localStorage[prefix + 'workspace'] = localStorage[prefix + 'workspace'].replace('Orders', 'Other orders')",
    )?;
    close_list(page)?;
    open_list(page)?;
    until_names(page, &["Other orders", "Untitled"])
}

fn reports_a_full_storage(page: &Page) -> Result<()> {
    template(page, FIRST)?;
    let fill = "let bytes = 1 << 22;
        for (let at = 0; bytes >= 1; ) try { localStorage['other' + at] = 'x'.repeat(bytes); at++; } catch { bytes >>= 1; }
        return localStorage[prefix + 'workspace'].length";
    store(page, fill)?;
    page.fill("Row key template", &format!("{FIRST}{}", "#longer".repeat(4)))?;
    page.until_text("Your changes are not saved.")?;
    page.check_accessible("a full storage of workspaces")?;
    open_list(page)?;
    page.click("button", "New workspace")?;
    page.until_text("the browser has no more space for workspaces")?;
    close_list(page)?;
    page.until_value("Row key template", &format!("{FIRST}{}", "#longer".repeat(4)))?;
    // The tab has it after a reload.
    page.reopen()?;
    page.until_value("Row key template", &format!("{FIRST}{}", "#longer".repeat(4)))?;
    store(
        page,
        "for (const key of Object.keys(localStorage)) if (key.startsWith('other')) localStorage.removeItem(key);",
    )?;
    page.click("button", "Keep this version")?;
    page.until("the banner has disappeared", || Ok(!page.visible_text()?.contains("not saved")))?;
    template(page, FIRST)
}

fn keeps_what_came(page: &Page) -> Result<()> {
    template(page, FIRST)?;
    page.click("button", "Examples")?;
    page.click("button", "Row per user")?;
    page.until_text("This is an example.")?;
    page.check_accessible("an example next to own work")?;
    page.reopen()?;
    page.until_text("This is an example.")?;
    page.click("button", "Back to my workspace")?;
    page.until_value("Row key template", FIRST)?;
    page.click("button", "Examples")?;
    page.click("button", "Row per user")?;
    page.click("button", "Save as a workspace")?;
    page.until("there is nothing to decide", || Ok(!page.visible_text()?.contains("This is an example.")))?;
    open_list(page)?;
    until_names(page, &["Row per user", "Untitled"])?;
    press(page, "Open Untitled", "Open")?;
    page.click("link", "Design")?;
    page.until_value("Row key template", FIRST)?;
    // Work that is only in this tab is saved as a workspace before another one is opened.
    page.click("button", "Examples")?;
    page.click("button", "Newest first")?;
    page.until_text("This is an example.")?;
    open_list(page)?;
    press(page, "Open Untitled", "Open")?;
    page.until("own work is back", || Ok(!page.visible_text()?.contains("This is an example.")))?;
    open_list(page)?;
    until_names(page, &["Newest first", "Row per user", "Untitled"])
}

fn imports(page: &Page) -> Result<()> {
    template(page, FIRST)?;
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("e2e-files");
    let write = |name: &str, text: &str| -> Result<String> {
        let path = folder.join(name);
        std::fs::create_dir_all(&folder)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|error| error.to_string())?;
        Ok(path.to_string_lossy().into_owned())
    };
    let text = page.browser.run(
        "return JSON.stringify({ version: 1, name: 'From a file', source: { sample: 'earthquakes' },
        designs: [{ name: 'A', template: '{id}', layout: { kind: 'narrow', family_field: null } }] })",
        json!([]),
    )?;
    let good = write("workspace.json", text.as_str().unwrap_or_default())?;
    let input = || page.browser.by_css("#workspace-file");
    page.browser.run("document.querySelector('#workspace-file').hidden = false", json!([]))?;
    input()?.write(&good)?;
    page.until_value("Row key template", "{id}")?;
    open_list(page)?;
    until_names(page, &["From a file", "Untitled"])?;
    input()?.write(&write("wrong.json", "{")?)?;
    page.until("the dialog says what is wrong", || {
        Ok(!page.text("dialog", "Workspaces")?.is_empty()
            && page.browser.by_css(".workspaces-said.problem").is_ok())
    })?;
    press(page, "Open Untitled", "Open")?;
    page.until_value("Row key template", FIRST)
}

fn follows_other_tabs(page: &Page) -> Result<()> {
    const GONE: &str = "The saved copy of this workspace is gone.";
    let browser = Browser::start()?;
    let page = Page::new(&browser, page.url().into(), String::new())?;
    page.reopen()?;
    template(&page, FIRST)?;
    open_list(&page)?;
    page.click("button", "New workspace")?;
    template(&page, SECOND)?;
    open_list(&page)?;
    let (first, second) = browser.new_tab()?;
    page.reopen()?;
    page.until_value("Row key template", SECOND)?;
    open_list(&page)?;
    press(&page, "Duplicate Untitled", "Duplicate")?;
    until_names(&page, &["Untitled", "Untitled 2", "Untitled 3"])?;
    browser.turn_to(&first)?;
    until_names(&page, &["Untitled", "Untitled 2", "Untitled 3"])?;
    close_list(&page)?;
    browser.turn_to(&second)?;
    delete(&page, "Untitled 2")?;
    close_list(&page)?;

    browser.turn_to(&first)?;
    page.until_text(GONE)?;
    page.until_value("Row key template", SECOND)?;
    template(&page, "{app_id}#still here")?;
    page.reopen()?;
    page.until_value("Row key template", "{app_id}#still here")?;
    page.until_text(GONE)?;
    page.click("button", "Save as a workspace")?;
    page.until("it is saved", || Ok(!page.visible_text()?.contains(GONE)))?;
    open_list(&page)?;
    until_names(&page, &["Untitled", "Untitled 2", "Untitled 3"])
}

fn finds_conflicts(page: &Page) -> Result<()> {
    template(page, FIRST)?;
    // A save of the other tab whose event has not arrived yet.
    store(page, "localStorage[prefix + 'workspace'] = localStorage[prefix + 'workspace'].replace('~', '!')")?;
    page.fill("Row key template", "{user_token}~mine")?;
    page.until_text("This workspace was changed in another tab.")?;
    let saved = store(page, "return localStorage[prefix + 'workspace']")?;
    same(
        "the other tab's is still saved",
        saved.as_str().is_some_and(|text| text.contains("{user_token}!{timestamp:iso}")),
        true,
    )?;
    page.click("button", "Save as a workspace")?;
    open_list(page)?;
    until_names(page, &["Untitled", "Untitled 2"])?;
    press(page, "Open Untitled", "Open")?;
    page.until_value("Row key template", "{user_token}!{timestamp:iso}")
}

fn opens_by_name(page: &Page) -> Result<()> {
    template(page, FIRST)?;
    open_list(page)?;
    rename(page, "Untitled", "Orders of a shop")?;
    page.click("button", "New workspace")?;
    page.until_value("Row key template", "{timestamp:iso},{app_id},{user_token}")?;
    page.click("link", "Compare")?;
    page.browser.press(&["Control+k"])?;
    page.fill("Find an action", "open workspace shop")?;
    page.until_text("Orders of a shop")?;
    page.browser.press(&["Enter"])?;
    page.until("it is open", || {
        Ok(page.api("(await tabletop.workspace()).name")? == json!("Orders of a shop"))
    })?;
    page.find("heading", "Compare designs")?;
    page.browser.run("history.back()", json!([]))?;
    page.until_value("Row key template", FIRST)?;
    page.browser.run("history.forward()", json!([]))?;
    page.find("heading", "Compare designs").map(drop)
}

fn keeps_files_apart(page: &Page) -> Result<()> {
    let sets =
        "(await tabletop.storage()).sets.map(set => [set.own.name, set.events, set.state, set.own.content])";
    let choose = |button: &str, text: &str| -> Result<()> {
        page.find_named("button", button)?.write(&file("events.csv", text)?.to_string_lossy())
    };
    let load = |text: &str| -> Result<()> {
        page.open_pane(Pane::Data)?;
        page.click("radio", "My data")?;
        choose("Choose a file", text)?;
        page.until_text("· saved in this browser")
    };
    let users = |users: Value| {
        page.until(&format!("the users are {users}"), || {
            Ok(page.api("(await tabletop.read(0, {})).rows.map(row => row.key.split('#')[0])")? == users)
        })
    };
    let (first, second) = ("user\nada\nbob\n", "user\neve\ncy\ndan\n");
    load(first)?;
    template(page, "{user}#one")?;
    open_list(page)?;
    rename(page, "Untitled", "One")?;
    page.click("button", "New workspace")?;
    page.until_value("Row key template", "{timestamp:iso},{app_id},{user_token}")?;
    load(second)?;
    users(json!(["cy", "dan", "eve"]))?;
    // `xxhsum -H64` prints the same digests.
    let both =
        json!([["events.csv", 2, "loaded", FIRST_CONTENT], ["events.csv", 3, "loaded", SECOND_CONTENT]]);
    page.until("both are kept", || Ok(page.api(sets)? == both))?;

    // Each workspace has its own events, also after a reload.
    open_list(page)?;
    press(page, "Open One", "Open")?;
    page.until_value("Row key template", "{user}#one")?;
    users(json!(["ada", "bob"]))?;
    page.reopen()?;
    page.until_value("Row key template", "{user}#one")?;
    users(json!(["ada", "bob"]))?;
    // The same file again is stored once.
    load(first)?;
    page.until("it is stored once", || {
        let mut stored: Vec<Value> = page.api(sets)?.as_array().cloned().unwrap_or_default();
        stored.sort_by_key(|set| set[1].as_u64());
        Ok(json!(stored) == both)
    })?;

    // The list distinguishes them. Without its stored set, a workspace asks for the file and does
    // not show other events.
    page.click("button", "Menu")?;
    page.click("menuitem", "Data in this browser")?;
    page.until_text(&format!("content {}", &FIRST_CONTENT[..6]))?;
    page.until_text(&format!("content {}", &SECOND_CONTENT[..6]))?;
    page.check_accessible("two files of the same name")?;
    let set = format!("Delete: 3 events of events.csv · content {}", &SECOND_CONTENT[..6]);
    press(page, &set, "Delete")?;
    press(page, &set, "Delete permanently")?;
    page.until("it has disappeared", || Ok(page.api(sets)?.as_array().map(Vec::len) == Some(1)))?;
    close_list(page)?;
    page.reopen()?;
    open_list(page)?;
    press(page, "Open Untitled", "Open")?;
    page.until_text(
        "This workspace needs the file events.csv. This browser has saved a different file with this name",
    )?;
    users(json!([]))?;
    page.check_accessible("a file of which only the name is stored")?;
    choose("Choose events.csv", second)?;
    users(json!(["cy", "dan", "eve"]))?;
    page.until("both are kept again", || Ok(page.api(sets)?.as_array().map(Vec::len) == Some(2)))
}

/// The contents of the files of [`keeps_files_apart`].
const FIRST_CONTENT: &str = "a72d37756e183bb3";
const SECOND_CONTENT: &str = "fd2ee096b4374da1";

/// A file to pick.
fn file(name: &str, text: &str) -> Result<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("e2e-workspaces");
    let path = folder.join(name);
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&path, text))
        .map_err(|error| error.to_string())?;
    Ok(path)
}
