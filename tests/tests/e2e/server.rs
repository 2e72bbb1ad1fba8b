//! The page of a running server: a real server in this process, real clients, and the view that
//! shows what they do.

mod served;

use std::path::Path;

use serde_json::json;
use tabletop_tests::browser::{Result, path_from};
use tabletop_tests::page::{PHONE, Page, same};

use super::run::Test;
use served::{INSTANCE, Served};

pub const TESTS: &[Test] = &[
    Test {
        name: "server: an empty one says how a client reaches it, and tables appear by themselves",
        run: waits_for_tables,
    },
    Test {
        name: "server: a hot row is seen and diagnosed, its rows are shown, and it fits on a phone",
        run: shows_a_hot_row,
    },
    Test {
        name: "server: the token leaves the address, and a reload keeps it and the names of key parts",
        run: keeps_the_token,
    },
    Test { name: "server: the shell reads and writes its tables, and says so", run: runs_commands },
    Test {
        name: "server: rows are objects that .proto decodes, and the text is kept for the table",
        run: decodes_objects,
    },
    Test { name: "server: it is paused by a key, and resumes", run: pauses },
    Test {
        name: "server: a lost connection is re-established, and another run is not mistaken for the same",
        run: mends,
    },
];

/// Tests with Google's client for Python, which `cargo xtask clients` names in the environment.
pub const TESTS_WITH_PYTHON: &[Test] = &[Test {
    name: "server: what Google's client for Python writes is seen while it writes",
    run: shows_what_python_writes,
}];

/// Opens the page of a server, like a user who clicks on the printed address, with these tables.
pub fn visit(page: &Page, tables: &[&str], see: impl FnOnce(&Page, &mut Served) -> Result<()>) -> Result<()> {
    visit_site(page, &path_from("TABLETOP_DIST")?, tables, see)
}

/// Opens the page of a server as [`visit`] does, with the files of this site.
pub fn visit_site(
    page: &Page,
    site: &Path,
    tables: &[&str],
    see: impl FnOnce(&Page, &mut Served) -> Result<()>,
) -> Result<()> {
    let mut served = Served::start(site.to_path_buf())?;
    for table in tables {
        served.create(table)?;
    }
    let at = page.at(served.url());
    at.forget(&[("prefers-reduced-motion", "reduce")])?;
    at.browser.open(at.url())?;
    at.find("heading", "Server")?;
    for table in tables {
        at.find_named("button", table)?;
    }
    see(&at, &mut served)?;
    at.check_quiet()?;
    // The server ends now, which the page would report as an error.
    at.browser.open("about:blank")
}

fn address(page: &Page) -> Result<String> {
    Ok(page.browser.run("return location.href", json!([]))?.as_str().unwrap_or_default().into())
}

fn waits_for_tables(page: &Page) -> Result<()> {
    visit(page, &[], |page, served| {
        page.until_text("The server has no tables yet")?;
        page.until_text(&format!("export BIGTABLE_EMULATOR_HOST={}", served.api))?;
        page.check_accessible("a server without tables")?;
        served.create("events")?;
        page.until_text("No reads or writes right now.")
    })
}

fn shows_a_hot_row(page: &Page) -> Result<()> {
    visit(page, &["accounts", "events"], |page, served| {
        let writing = served.write_hot("events");
        see_hot_row(page)?;
        for (width, height) in [PHONE, (320, 800)] {
            page.browser.resize(width, height)?;
            page.until_text("Column families")?;
            page.check_accessible_in_both_themes(&format!("a server, {width} pixels wide"))?;
            let wider = "return document.documentElement.scrollWidth > innerWidth";
            same("the page is wider than the screen", page.browser.run(wider, json!([]))?, json!(false))?;
        }
        drop(writing);
        Ok(())
    })
}

fn shows_what_python_writes(page: &Page) -> Result<()> {
    visit(page, &["accounts", "events"], |page, served| {
        let writing = served.write_hot_by_python("events")?;
        see_hot_row(page)?;
        drop(writing);
        let keys = served.rows("events")?;
        if keys.iter().any(|key| key == "user07#now") {
            Ok(())
        } else {
            Err(format!("the hot row is not among {keys:?}"))
        }
    })
}

/// Waits until the hot row of the table `events` is reported, and shows its rows.
fn see_hot_row(page: &Page) -> Result<()> {
    page.find_named("button", "events")?.click()?;
    page.until_text("events is the busiest table")?;
    page.until("the hot row is reported", || Ok(page.text("region", "Diagnoses")?.contains("Hot row")))?;
    page.find_named("application", "Requests")?;
    page.check_accessible("a server with a hot row")?;
    page.find("button", "Busiest first")?.click()?;
    page.until("the busiest is first", || {
        let first = "return document.querySelector('.server-table-button strong').textContent";
        Ok(page.browser.run(first, json!([]))? == json!("events"))
    })?;
    page.find_named("DisclosureTriangle", "Busiest")?.click()?;
    // New parts of the keys have new lines, even between finding an element and clicking it.
    page.until("rows are asked for", || {
        let offered = page.browser.all_by_role("button", "Show these rows")?;
        offered.first().ok_or("no rows are offered")?.click().map(|()| true)
    })?;
    page.until("rows are shown", || Ok(page.first_key()?.starts_with("user")))
}

fn keeps_the_token(page: &Page) -> Result<()> {
    visit(page, &["events"], |page, served| {
        same("the address has the token", address(page)?.contains("server="), false)?;
        for at in 0..12 {
            served.write("events", &format!("user{at:02}#2024"), "click")?;
        }
        page.fill("Key template", "{user}#{ts")?;
        page.until("a mistake is reported", || {
            Ok(page
                .browser
                .run("return document.querySelector('.server-template .problem') !== null", json!([]))?
                == json!(true))
        })?;
        page.fill("Key template", "{user}#{ts}")?;
        page.browser.run("location.reload()", json!([]))?;
        page.find_named("button", "events")?;
        page.until_value("Key template", "{user}#{ts}")?;
        page.click("link", "Design")?;
        page.find("heading", "Tablets")?;
        page.click("link", "Server")?;
        page.find_named("button", "events")?;
        page.browser.run("history.back()", json!([]))?;
        page.find("heading", "Tablets")?;
        page.browser.run("history.forward()", json!([]))?;
        page.find_named("button", "events")?;
        page.click("button", "Remove template")?;
        page.until_value("Key template", "")
    })
}

fn runs_commands(page: &Page) -> Result<()> {
    visit(page, &["events"], |page, served| {
        served.write("events", "ada#1", "click")?;
        page.click("button", "Shell on the server")?;
        page.until_text(&format!("The tables of {INSTANCE} on the server"))?;
        page.fill("Shell command", "read events")?;
        page.browser.press(&["Enter"])?;
        page.until_text("ada#1")?;
        page.fill("Shell command", "set events bob#1 e:kind=view")?;
        page.browser.press(&["Enter"])?;
        page.until("the server has the row", || Ok(served.rows("events")? == ["ada#1", "bob#1"]))?;
        page.check_accessible("the shell on a server")?;
        page.click("link", "Design")?;
        page.find("button", "Shell")?;
        same("output of the server in the shell of the page", page.visible_text()?.contains("ada#1"), false)
    })
}

const PROTO: &str = "message Event { string name = 1; repeated float vector = 2; }";

/// A value of that message: the text `hi`, and three numbers.
const MESSAGE: &str = "\n\u{2}hi\u{12}\u{c}   ?  0?  \0>";

fn decodes_objects(page: &Page) -> Result<()> {
    visit(page, &["accounts", "events"], |page, served| {
        served.write("accounts", "ada", MESSAGE)?;
        served.write("events", "ada#1", MESSAGE)?;
        let read = |table: &str, data_types: &str| -> Result<()> {
            page.find_named("button", table)?.click()?;
            page.find("heading", &format!("Query {table}"))?;
            page.ask()?;
            page.find("combobox", "Show")?.choose("Objects")?;
            page.until_text("1 object with")?;
            page.until_text(data_types)
        };
        let object = || page.text("region", "Object ada#1");
        let is_decoded =
            || -> Result<bool> { Ok(object()?.contains("\"hi\"") && object()?.contains("owner ads")) };
        read("events", "Data types: 0 of 1 family with a message")?;
        same("a value without a message", is_decoded()?, false)?;
        page.find_named("DisclosureTriangle", "Data types")?.click()?;
        page.fill("Messages (.proto)", PROTO)?;
        // The page polls the server each second, and does not change what is being typed.
        page.find("button", "Pause")?;
        let counted =
            || page.browser.run("return document.querySelector('.server-head .soft').textContent", json!([]));
        for _ in 0..2 {
            let before = counted()?;
            page.until("the page looks at the server", || Ok(counted()? != before))?;
        }
        same("what is being typed", page.field("Messages (.proto)")?.value()?.as_str(), PROTO)?;
        page.browser.press(&["Tab"])?;
        page.until_text("1 message in the text.")?;
        page.find("combobox", "Message of e")?.choose("Event")?;
        page.fill("Owner of e", "ads")?;
        page.browser.press(&["Tab"])?;
        page.until("the fields are read", is_decoded)?;
        page.find_named("image", "3 numbers")?;
        page.check_accessible("an object of a server")?;

        page.browser.run("window.is_earlier = true; location.reload()", json!([]))?;
        page.until("the page is loaded again", || {
            let is_loaded = "return window.is_earlier === undefined && document.readyState === 'complete'";
            Ok(page.browser.run(is_loaded, json!([]))? == json!(true))
        })?;
        read("events", "Data types: 1 of 1 family with a message")?;
        page.until("the fields are read after a reload", is_decoded)?;
        // Another table has its own messages.
        read("accounts", "Data types: 0 of 1 family with a message")?;
        same(
            "the object of another table has an owner",
            page.text("region", "Object ada")?.contains("owner ads"),
            false,
        )?;
        read("events", "Data types: 1 of 1 family with a message")?;
        page.until("the fields are still read", is_decoded)
    })
}

fn pauses(page: &Page) -> Result<()> {
    visit(page, &["events"], |page, _| {
        page.find("button", "Pause")?;
        page.browser.run("document.activeElement.blur()", json!([]))?;
        page.browser.press(&[" "])?;
        page.until_text("the server keeps counting")?;
        page.click("button", "Resume")?;
        page.find("button", "Pause").map(drop)
    })
}

fn mends(page: &Page) -> Result<()> {
    visit(page, &["events"], |page, served| {
        served.stop_page();
        page.until_text("The server stopped, or the connection was lost.")?;
        page.find_named("button", "events")?;
        page.check_accessible("a broken connection")?;
        served.start_page()?;
        page.until("the report has disappeared", || {
            Ok(!page.visible_text()?.contains("the connection was lost"))
        })?;
        served.create("later")?;
        page.find_named("button", "later")?;
        // Another run of the server has another token.
        served.stop_page();
        served.another_token()?;
        served.start_page()?;
        page.until_text("This is the address of an earlier run of the server.")?;
        // The user opens the new address in the same tab.
        page.browser.run(
            "location.hash = arguments[0]",
            json!([served.url().split_once('#').map(|(_, hash)| hash)]),
        )?;
        page.until("the report has disappeared", || Ok(!page.visible_text()?.contains("earlier run")))?;
        same("the address has the token", address(page)?.contains("server="), false)?;
        // The browser itself writes to the console that it could not connect.
        page.browser.complaints().map(drop)
    })
}
